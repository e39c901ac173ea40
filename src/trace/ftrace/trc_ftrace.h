/* SPDX-License-Identifier: MIT */
/* Files of trace-cmd (trace.dat, formats 6 and 7). */
#ifndef TRC_FTRACE_H
#define TRC_FTRACE_H

#include "trace/core/trc_input.h"
#include "trace/core/trc_source.h"

extern const struct trc_input_ops trc_ftrace_input;
extern const struct trc_source_ops trc_ftrace_ops;

#endif
