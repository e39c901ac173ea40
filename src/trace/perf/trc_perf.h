/* SPDX-License-Identifier: MIT */
/* Files of perf record (perf.data): their tracepoint samples. */
#ifndef TRC_PERF_H
#define TRC_PERF_H

#include "trace/core/trc_input.h"
#include "trace/core/trc_source.h"

extern const struct trc_input_ops trc_perf_input;
extern const struct trc_source_ops trc_perf_ops;

#endif
