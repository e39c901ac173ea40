/* SPDX-License-Identifier: MIT */
/* What the metadata says of the trace as a whole, for struct trc_info. */
#ifndef TRC_LEARN_H
#define TRC_LEARN_H

#include "trace/core/trc_info.h"
#include "trace/tsdl/trc_tsdl.h"

/* Fill in host, tracer, release, uuid and classes of INFO from T. */
void trc_learn(struct trc_info *info, const struct trc_tsdl *t);

#endif
