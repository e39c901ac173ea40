/* SPDX-License-Identifier: MIT */
/* CPUs that were left out of a recording: tracing_cpumask, which trace-cmd record -M sets. */
#ifndef TRC_FTRACE_ABSENT_H
#define TRC_FTRACE_ABSENT_H

#include "trace/ftrace/trc_ftrace_head.h"
#include "trace/ftrace/trc_ftrace_pages.h"

struct trc_ftrace_absent;

/* Those of H that some of its events show, from all over the file; the caller frees. */
struct trc_ftrace_absent *trc_ftrace_absent_new(const struct trc_ftrace_head *h);
/* A NULL is ignored. */
void trc_ftrace_absent_free(struct trc_ftrace_absent *a);
/* RECORD is read: does it show that *CPU, which nothing showed before, was left out? */
bool trc_ftrace_absent_take(struct trc_ftrace_absent *a, const struct trc_ftrace_record *record,
	uint32_t *cpu);
/* All so far, of uint32_t, in the order in which they showed themselves. */
const GArray *trc_ftrace_absent_cpus(const struct trc_ftrace_absent *a);

#endif
