/* SPDX-License-Identifier: MIT */
/* CPUs that were left out of a recording: tracing_cpumask, which trace-cmd record -M sets. */
#ifndef TRC_FTRACE_ABSENT_H
#define TRC_FTRACE_ABSENT_H

#include "trace/ftrace/trc_ftrace_head.h"

#define TRC_FTRACE_ABSENT_MAX \
	256 /* so many are told; what is not known because of them is the same for more */

/* Find those of H.  All its events are looked at where some CPU has none, and is not known to be left out. */
void trc_ftrace_absent_find(struct trc_ftrace_head *h);

#endif
