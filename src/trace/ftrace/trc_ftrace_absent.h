/* SPDX-License-Identifier: MIT */
/* CPUs that were not recorded: tracing_cpumask, which trace-cmd record -M sets. */
#ifndef TRC_FTRACE_ABSENT_H
#define TRC_FTRACE_ABSENT_H

#include "trace/ftrace/trc_ftrace_head.h"
#include "trace/ftrace/trc_ftrace_pages.h"

struct trc_ftrace_absent;

/* Find those CPUs of H that a sample of its events, from all over the file, reveals; the caller frees. */
struct trc_ftrace_absent *trc_ftrace_absent_new(const struct trc_ftrace_head *h);
/* A may be NULL. */
void trc_ftrace_absent_free(struct trc_ftrace_absent *a);
/* True if RECORD, which was just read, reveals that *CPU was not recorded; false if that is known already. */
bool trc_ftrace_absent_take(struct trc_ftrace_absent *a, const struct trc_ftrace_record *record,
	uint32_t *cpu);
/* Return all found so far, of uint32_t, in the order of discovery. */
const GArray *trc_ftrace_absent_cpus(const struct trc_ftrace_absent *a);

#endif
