/* SPDX-License-Identifier: MIT */
/* What babeltrace2 says of the trace as a whole, for struct trc_info. */
#ifndef TRC_BT2_LEARN_H
#define TRC_BT2_LEARN_H

#include "trace/core/trc_info.h"

#include <babeltrace2/babeltrace.h>

/* Fill in host, tracer, release, uuid and classes of INFO from TRACE. */
void trc_bt2_learn(struct trc_info *info, const bt_trace *trace);

#endif
