/* SPDX-License-Identifier: MIT */
/* libFuzzer target: any bytes as a trace.dat. */
#include "fuzz/whole.h"
#include "trace/ftrace/trc_ftrace.h"

WHOLE_TARGET(&trc_ftrace_input, &trc_ftrace_ops)
