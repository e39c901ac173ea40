/* SPDX-License-Identifier: MIT */
/* One wait of a thread for a CPU, after it was preempted or woken: who had the CPU meanwhile, in order, and
 * why. */
#ifndef ANA_CPUWAIT_H
#define ANA_CPUWAIT_H

#include "analysis/cpu/blame.h"
#include "analysis/cpu/throttle.h"

/* Why a thread got the CPU, or why the previous one left it. */
enum ana_turn_why {
	ANA_TURN_UNKNOWN,
	ANA_TURN_HAD_IT, /* it had the CPU before the wait began */
	/* It was woken, and its class is higher than the previous thread's, or its priority is, if both are
	 * real-time. */
	ANA_TURN_HIGHER,
	/* it was woken while the previous thread had the CPU: most likely the scheduler preferred it */
	ANA_TURN_WOKEN,
	ANA_TURN_YIELDED, /* the previous thread was in sched_yield() */
	ANA_TURN_CAME,    /* it migrated from another CPU */
	/* The previous thread was preempted, and nobody was woken: most likely its slice was over. */
	ANA_TURN_TICK,
	ANA_TURN_NEXT, /* the previous thread slept or exited, and this was the next to run */
	ANA_TURN_IDLE, /* nobody was runnable: the idle thread */
	ANA_TURN_N
};

/* A stay of one thread on the CPU, including interrupts on top of it. */
struct ana_turn {
	uint32_t cpu; /* MDL_NONE unknown */
	/* The thread; MDL_NONE: the idle thread, or if not KNOWN, the CPU's state is unknown. */
	uint32_t row;
	bool known;
	int64_t from, to;
	int64_t interrupted; /* ns of it in interrupt context */
	enum ana_turn_why why;
	enum ana_grade grade; /* of WHY */
	/* The thread that had the CPU before, or the waiter; MDL_NONE none or unknown. */
	uint32_t before;
	int64_t woken; /* time of the thread's wake-up before this stay; MDL_NEVER: none */
};

struct ana_cpuwait {
	uint32_t row;            /* the waiter */
	int64_t from, to;        /* adjacent intervals of preempted or wait-cpu */
	bool preempted;          /* it was running before */
	GArray *turns;           /* of struct ana_turn, in order of time; they cover [from, to) exactly */
	struct ana_blame *blame; /* TURNS summed up, over all CPUs that it waited for */
};

/* The wait for a CPU that thread ROW is in at TIME; NULL if it is in none. */
struct ana_cpuwait *ana_cpuwait_new(struct qry *q, uint32_t row, int64_t time);
void ana_cpuwait_free(struct ana_cpuwait *wait);

/* ns that the thread of TURN ran, without interrupts on top of it, as in the account. */
int64_t ana_turn_time(const struct ana_turn *turn);
/* The reason of TURN as text: "woken 133 µs before, class fair below its real time", "its slice was over".
 * The caller frees. */
char *ana_turn_text(struct qry *q, const struct ana_turn *turn);
/* The owner of TURN as text: "wk-rt[547]", "the idle CPU 1", "not recorded".  The caller frees. */
char *ana_turn_who(const struct qry *q, const struct ana_turn *turn);
/* "preempted by wk-rt[547]: …; it had CPU 0 for 97 %, and 1 other".  The caller frees. */
char *ana_cpuwait_text(struct qry *q, const struct ana_cpuwait *wait);
/* The scheduling class of thread ROW at TIME: "real-time 48", "fair 120"; NULL unknown.  The caller frees. */
char *ana_cpuwait_class(struct qry *q, uint32_t row, int64_t time);

#endif
