/* SPDX-License-Identifier: MIT */
/* libFuzzer target: any bytes as a perf.data. */
#include "fuzz/whole.h"
#include "trace/perf/trc_perf.h"

WHOLE_TARGET(&trc_perf_input, &trc_perf_ops)
