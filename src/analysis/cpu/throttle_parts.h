/* SPDX-License-Identifier: MIT */
/* Throttling by CPU quotas: the timers of a host, the quota of a process.  Private to analysis/cpu. */
#ifndef ANA_THROTTLE_PARTS_H
#define ANA_THROTTLE_PARTS_H

#include "analysis/cpu/cpuwait.h"
#include "analysis/cpu/lower.h"
#include "analysis/cpu/quota.h"

#define SOON ANA_SOON
#define LEAST 100000  /* ns: shorter waits are not examined */
#define VOTES_LEAST 3 /* waits that must agree before a timer counts as the quota's */

/* An expiry of an hrtimer. */
struct ana_expiry {
	uint32_t context;
	int64_t time; /* ns */
};

/* The timers that end throttling on a host: contexts; MDL_NONE: unknown. */
struct ana_quota_timers {
	uint32_t period, slack;       /* of CPU quotas */
	uint32_t real_time, deadline; /* of the budgets of higher classes; found by name only */
	bool named;                   /* the trace has the names of functions */
	unsigned asked;               /* number of calls of ana_quota_last_expiry() */
	GArray *expiries; /* of struct ana_expiry, owned: of PERIOD and SLACK, by time; NULL: not collected */
};

#define ANA_QUOTA_NO_TIMERS                             \
	((struct ana_quota_timers){ .period = MDL_NONE, \
		.slack = MDL_NONE,                      \
		.real_time = MDL_NONE,                  \
		.deadline = MDL_NONE })

/* The quota of a process. */
struct ana_quota_known {
	bool seen; /* a thread of the process, or of its parent, left a CPU idle until the timer expired */
	int64_t period, quota; /* ns; 0: unknown */
	const char *text;      /* static: "CPU quota: about 10 ms of every 50 ms", "CPU quota" */
};

/* Facts about throttling, collected once and kept with the experiment. */
struct ana_throttles {
	struct qry *q;                 /* weak */
	bool many;                     /* announced: the CPUs are scanned once for all waits */
	GHashTable *timers;            /* host → struct ana_quota_timers, owned */
	uint32_t host;                 /* the host of LAST */
	struct ana_quota_timers *last; /* the timers that were asked for last; NULL: none yet */
	GHashTable *processes;         /* row of a process → struct ana_quota_known, owned */
	struct ana_lower *lower;       /* owned; for MANY */
};

/* True if PRIORITY is in the class that has CPU quotas, or is unknown. */
static inline bool ana_quota_is_fair(int priority)
{
	return priority == MDL_PRIORITY_NONE || priority >= MDL_PRIORITY_FAIR;
}

/* ---- the timers (quota_timer.c) ---- */

/* Fill TIMERS by the names of HOST's functions.  Returns false if the trace has no names. */
bool ana_quota_name_timers(struct qry *q, uint32_t host, struct ana_quota_timers *timers);
/* The timers of HOST; owned by ALL. */
struct ana_quota_timers *ana_quota_timers(struct ana_throttles *all, uint32_t host);
void ana_quota_timers_free(void *timers);

/* The expiries of TIMERS' period and slack timers on any CPU of HOST in [FROM, TO) (struct ana_expiry), by
 * time. The caller unrefs. */
GArray *ana_quota_expiries(struct qry *q, uint32_t host, const struct ana_quota_timers *timers, int64_t from,
	int64_t to);
/* Time of the last expiry of the period timer of HOST in [FROM, TO), or with SLACK of the slack timer as
 * well. MDL_NEVER if there is none. */
int64_t ana_quota_last_expiry(struct ana_throttles *all, uint32_t host, struct ana_quota_timers *timers,
	bool slack, int64_t from, int64_t to);
/* True if an expiry of TIMER may have ended a wait of thread ROW in which its CPU went idle at once. */
bool ana_quota_left_idle(struct qry *q, uint32_t row, uint32_t timer);

/* ---- the quota (quota_known.c) ---- */

/* The quota of PROCESS, whose host has the period timer TIMER; owned by ALL. */
const struct ana_quota_known *ana_quota_known(struct ana_throttles *all, uint32_t process, uint32_t timer);
/* The threads of PROCESS and of the processes that descend from it: rows.  The caller unrefs. */
GArray *ana_quota_family(struct qry *q, uint32_t process);
/* Add to END the CPU time of thread ROW in [FROM, END->time). */
void ana_quota_add_used(struct qry *q, uint32_t row, int64_t from, struct ana_quota_end *end);
/* Time of the expiry of the named period timer that ended WAIT, a wait of a thread of HOST in which the CPU
 * had been idle for LEAST ns before the expiry.  MDL_NEVER if there is none. */
int64_t ana_quota_named_at(struct ana_throttles *all, uint32_t host, const struct mdl_interval *wait,
	int64_t least);

#endif
