/* SPDX-License-Identifier: MIT */
/* The reader based on babeltrace2. */
#ifndef TRC_BT2_H
#define TRC_BT2_H

#include "trace/core/trc_source.h"

extern const struct trc_source_ops trc_bt2_ops;

#endif
