/* SPDX-License-Identifier: MIT */
/* The time in which a thread spins until other CPUs have taken an IPI from it, in words and with evidence. */
#ifndef ANA_IPIWAIT_H
#define ANA_IPIWAIT_H

#include "analysis/wait/why.h"

/* The doubts about whether the thread spent all of WAIT spinning. */
mdl_doubts ana_ipiwait_doubts(struct qry *q, const struct mdl_ipi_wait *wait);
/* The kernel's function that sent the IPI; NULL: unknown.  Owned by Q. */
const char *ana_ipiwait_caller(struct qry *q, const struct mdl_ipi_wait *wait);
/* "CPUs 1-3,6 to take an IPI, last CPU 6: membarrier_private_expedited".  The caller frees. */
char *ana_ipiwait_text(struct qry *q, const struct mdl_ipi_wait *wait);
/* The CPUs of WAIT: "1-3,6".  The caller frees. */
char *ana_ipiwait_cpus(const struct mdl_ipi_wait *wait);
/* The longest wait of thread ROW for an IPI in [FROM, TO); false: there is none. */
bool ana_ipiwait_longest(const struct qry *q, uint32_t row, int64_t from, int64_t to,
	struct mdl_ipi_wait *wait);
/* The explanation of WAIT: two hops, with the events that prove them.  Free it with ana_why_free(). */
struct ana_why *ana_ipiwait_why(struct qry *q, const struct mdl_ipi_wait *wait);

/*
 * True if *TIME, in INTERVAL in which thread ROW runs (after its begin), is in a wait for an IPI. Sets *WAIT
 * then, and moves *TIME back to the begin of WAIT or of INTERVAL. Otherwise moves *TIME back to the end of
 * the previous wait, or to the begin of INTERVAL.
 */
bool ana_ipiwait_back(const struct qry *q, uint32_t row, const struct mdl_interval *interval, int64_t *time,
	struct mdl_ipi_wait *wait);

#endif
