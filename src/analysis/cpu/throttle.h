/* SPDX-License-Identifier: MIT */
/* Throttling: waits of a thread while the CPU was free, because its control group had used up its CPU
 * quota. */
#ifndef ANA_THROTTLE_H
#define ANA_THROTTLE_H

#include "analysis/cpu/blame.h"

/* Announce that many waits of Q will be asked about.  Then ana_throttle_of() scans the CPUs once for all
 * waits, not once per wait.  (Facts about the hosts' timers and quotas are cached in Q: qry_memo().) */
void ana_throttle_many(struct qry *q);

struct ana_throttle {
	/* Start of the period in which the thread may run again.  The rest of the wait is a wait for the
	 * CPU. */
	int64_t until;
	const char *text; /* static: "CPU quota: about 10 ms of every 50 ms", "CPU quota" */
};

/* True if thread ROW was throttled in WAIT, a whole interval of preempted or wait-cpu.  It is never more than
 * inferred: the events do not name control groups. */
bool ana_throttle_of(struct qry *q, uint32_t row, const struct mdl_interval *wait,
	struct ana_throttle *throttle);

/* Like ana_blame_wait_grade() for WAIT: at most inferred if thread ROW may have been throttled, no matter
 * which thread had the CPU. */
enum ana_grade ana_throttle_wait_grade(struct qry *q, uint32_t row, const struct mdl_interval *wait);

#endif
