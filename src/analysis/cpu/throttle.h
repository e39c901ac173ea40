/* SPDX-License-Identifier: MIT */
/* Waits for a CPU in which the CPU was there, but the control group of the thread had used up its time. */
#ifndef ANA_THROTTLE_H
#define ANA_THROTTLE_H

#include "analysis/cpu/blame.h"

/* Q will be asked of many waits: where it is, the CPUs are looked through once for all, not for each.  (What
 * is learned of the hosts' timers and of quotas is kept with Q: qry_memo().) */
void ana_throttle_many(struct qry *q);

struct ana_throttle {
	int64_t until; /* when the period began that let the thread go on; what is left of the wait is one for
			  the CPU */
	const char *text; /* static: "CPU quota: about 10 ms of every 50 ms", "CPU quota" */
};

/*
 * Was thread ROW throttled in WAIT, a whole interval of being preempted or waiting for a CPU?  That is never
 * more than inferred: the events do not name control groups.
 */
bool ana_throttle_of(struct qry *q, uint32_t row, const struct mdl_interval *wait,
	struct ana_throttle *throttle);

/* How sure it is that thread ROW waited for the CPU in WAIT, as ana_blame_wait_grade(): no more than inferred
 * where it may have been throttled, whoever had the CPU. */
enum ana_grade ana_throttle_wait_grade(struct qry *q, uint32_t row, const struct mdl_interval *wait);

#endif
