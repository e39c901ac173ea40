/* SPDX-License-Identifier: MIT */
/* One wait of a thread for a CPU: preempted, or woken and not yet running.  Who had the CPU meanwhile, in
 * order, and what made it so. */
#ifndef ANA_CPUWAIT_H
#define ANA_CPUWAIT_H

#include "analysis/cpu/blame.h"
#include "analysis/cpu/throttle.h"

/* Why a thread got the CPU, or why the one before it left. */
enum ana_turn_why {
	ANA_TURN_UNKNOWN,
	ANA_TURN_HAD_IT,  /* it had it before the wait began */
	ANA_TURN_HIGHER,  /* it was woken, and its class is higher than that of the thread before, or its
			     priority within the class of real time */
	ANA_TURN_WOKEN,   /* it was woken since the thread before had the CPU: most likely the scheduler
			     preferred it */
	ANA_TURN_YIELDED, /* the thread before was in sched_yield() */
	ANA_TURN_CAME,    /* it came from another CPU */
	/* The thread before could have gone on, and nobody was woken: most likely its slice was over. */
	ANA_TURN_TICK,
	ANA_TURN_NEXT, /* the thread before slept or exited, and it was the next to run */
	ANA_TURN_IDLE, /* nobody was there to run: the idle thread */
	ANA_TURN_N
};

/* A stay of one thread on the CPU, with the interrupts upon it. */
struct ana_turn {
	uint32_t cpu; /* MDL_NONE unknown */
	/* The thread; MDL_NONE: the idle thread, or, where not KNOWN, nothing is known of the CPU. */
	uint32_t row;
	bool known;
	int64_t from, to;
	int64_t interrupted; /* ns of that in interrupt context */
	enum ana_turn_why why;
	enum ana_grade grade; /* of WHY */
	/* The thread that had the CPU before, or the one that waits; MDL_NONE none, or unknown. */
	uint32_t before;
	int64_t woken; /* when the thread was woken for this stay; MDL_NEVER: it was not */
};

struct ana_cpuwait {
	uint32_t row;            /* who waits */
	int64_t from, to;        /* adjacent intervals of being preempted or waiting for a CPU */
	bool preempted;          /* it was running before */
	GArray *turns;           /* of struct ana_turn, in order of time; they cover [from, to) exactly */
	struct ana_blame *blame; /* the same summed up, over all CPUs it waited for */
};

/* The wait for a CPU in which thread ROW stands at TIME; NULL when it does not wait for one. */
struct ana_cpuwait *ana_cpuwait_new(struct qry *q, uint32_t row, int64_t time);
void ana_cpuwait_free(struct ana_cpuwait *wait);

/* ns that the thread of TURN ran: without interrupts upon it, as in the account. */
int64_t ana_turn_time(const struct ana_turn *turn);
/* What made TURN so, in words: "woken 133 µs before, class fair below its real time", "its slice was over".
 * The caller frees. */
char *ana_turn_text(struct qry *q, const struct ana_turn *turn);
/* Who, in words: "wk-rt[547]", "the idle CPU 1", "not recorded".  The caller frees. */
char *ana_turn_who(const struct qry *q, const struct ana_turn *turn);
/* "preempted by wk-rt[547]: …; it had CPU 0 for 97 %, and 1 other".  The caller frees. */
char *ana_cpuwait_text(struct qry *q, const struct ana_cpuwait *wait);
/* The scheduling class of thread ROW at TIME: "real-time 48", "fair 120"; NULL unknown.  The caller frees. */
char *ana_cpuwait_class(struct qry *q, uint32_t row, int64_t time);

#endif
