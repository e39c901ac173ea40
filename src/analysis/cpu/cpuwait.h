/* SPDX-License-Identifier: MIT */
/* Explains waits for a CPU: of a thread after it was preempted or woken, and of a timer that is due. Answers
 * name the owners of the CPU meanwhile, in order, with reasons, and tell when the thread was throttled,
 * during which the CPU may be free. */
#ifndef ANA_CPUWAIT_H
#define ANA_CPUWAIT_H

#include "analysis/cpu/blame.h"
#include "base/base_progress.h"

/* ---- the facts around a wait ---- */

struct ana_throttles;

/* Facts around a wait of a thread, to spare look-ups. Those of one thread serve all of its waits. A caller
 * that has the intervals at hand adds them. */
struct ana_wait_near {
	struct ana_throttles *throttles;  /* weak: the timers and quotas of the experiment */
	bool steady;                      /* the thread has one priority all the time, ... */
	int priority;                     /* ... this one */
	const struct mdl_interval *first; /* the first interval of the whole wait; NULL: not at hand */
	const struct mdl_interval *next;  /* the interval after the wait; NULL: not at hand */
	/* State of the CPU of FIRST when FIRST began. */
	enum { ANA_NEAR_UNKNOWN, ANA_NEAR_BUSY, ANA_NEAR_IDLE } left;
};

/* The facts around all waits of thread ROW, without intervals. */
struct ana_wait_near ana_wait_near(struct qry *q, uint32_t row);

/* ---- the cause of a wait for a CPU (split.c): all answers about such waits use these functions ---- */

/* True if thread ROW waits for a CPU in IV, one of its intervals. */
bool ana_cpuwait_is(struct qry *q, uint32_t row, const struct mdl_interval *iv);

/* A part of a wait for a CPU, by what kept the thread from it. */
struct ana_cpuwait_part {
	int64_t from, to;     /* ns, not empty */
	enum ana_phase phase; /* THROTTLED; PREEMPTED or WAIT_CPU: others had the CPU */
	const char *quota;    /* static: of ANA_PHASE_THROTTLED, as struct ana_throttle has it; else NULL */
};
#define ANA_CPUWAIT_PARTS 2

/* Split IV, a whole interval of thread ROW, into PARTS, which cover it in order of time. Returns their
 * number. Zero: IV is no wait for a CPU. */
unsigned ana_cpuwait_split(struct qry *q, uint32_t row, const struct mdl_interval *iv,
	const struct ana_wait_near *near, struct ana_cpuwait_part parts[ANA_CPUWAIT_PARTS]);
/* The doubts against PART, one of IV of thread ROW. */
mdl_doubts ana_cpuwait_doubts(struct qry *q, uint32_t row, const struct mdl_interval *iv,
	const struct ana_wait_near *near, const struct ana_cpuwait_part *part);
/* Pass the owners of the CPU in [FROM, TO) of IV to SPAN, like ana_blame_spans(), with phase and doubts of
 * their part; for a throttled part, the quota. ANA_PHASE_WAKE_UP: the wake-up was on the way to the CPU.
 * Passes nothing if IV is no wait for a CPU. */
void ana_cpuwait_spans(struct qry *q, uint32_t row, const struct mdl_interval *iv, int64_t from, int64_t to,
	ana_blame_span span, void *data);
/* Add SPAN to BLAME (struct ana_blame) without its phase and step. */
void ana_cpuwait_add(void *blame, const struct ana_blame_part *span);
/* The owners of [FROM, TO) of IV as ana_occupants_text_of() has them.  The caller frees. */
char *ana_cpuwait_occupants(struct qry *q, uint32_t row, const struct mdl_interval *iv, int64_t from,
	int64_t to, bool times);

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
	/* The previous thread was preempted, and no thread was woken: most likely its slice was over. */
	ANA_TURN_TICK,
	/* The previous thread could go on, and its class is higher: its budget was used up. */
	ANA_TURN_THROTTLED,
	ANA_TURN_QUOTA, /* a quota or budget of the waiter was used up; no owner of the CPU counts */
	ANA_TURN_NEXT,  /* the previous thread slept or exited, and this was the next to run */
	ANA_TURN_IDLE,  /* no thread was runnable: the idle thread */
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
	mdl_doubts doubts; /* of WHY */
	/* The thread that had the CPU before, or the waiter; MDL_NONE none or unknown. */
	uint32_t before;
	int64_t woken;     /* time of the thread's wake-up before this stay; MDL_NEVER: none */
	const char *quota; /* static: of ANA_TURN_QUOTA, which one; else NULL */
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

/* ---- the threads that ran on a CPU while a thread waited for it ---- */

/*
 * As text: "ran instead: wk-rt[547]"; with TIMES "ran instead: wk-rt[547] 2.90 ms, interrupts 120 µs"; plus "
 * and 2 others" if there were more. Or "interrupts on CPU 1" or "CPU 1 was idle" if that took longer than all
 * threads together. Of a virtual CPU of a recorded guest, each thread that it ran counts. Times of threads
 * exclude interrupts on top of them, as in the account. NULL if nothing is known. The caller frees. Costs
 * time in the number of changes on the CPU in [FROM, TO).
 */
char *ana_occupants_text(struct qry *q, uint32_t host, uint32_t cpu, int64_t from, int64_t to, bool times);
/* Like ana_occupants_text(), for BLAME, which may cover several CPUs: "CPU 1 was idle" names the one that was
 * idle longest.  Adds "throttled 38.7 ms, CPU quota: ..." and "it was still on its CPU" if that took
 * longest. */
char *ana_occupants_text_of(const struct qry *q, const struct ana_blame *blame, bool times);

/* ---- timers that expired late ---- */

/* ns between the time at which T was due and its expiry; 0: in time.  BASE_TIME_NONE if unknown, or not
 * expired. */
int64_t ana_late_ns(const struct mdl_timer *t);

/* The owners of the CPU of HOST on which T was pending, from due to expiry; without parts if it was in time.
 * NULL if that is unknown. */
struct ana_blame *ana_late_blame(struct qry *q, uint32_t host, const struct mdl_timer *t);

/* Like ana_late_blame(), as text for the part [FROM, TO) of that time: "the idle CPU 1 2.05 ms, hrtimer 59.1
 * µs and 2 others"; NULL if it is empty.  The caller frees. */
char *ana_late_text(struct qry *q, uint32_t host, const struct mdl_timer *t, int64_t from, int64_t to);

/* The resolution of T as text: "the timer wheel keeps time to 8.00 ms", "with 50.0 µs of slack"; NULL if it
 * is exact or unknown.  The caller frees. */
char *ana_late_resolution(const struct mdl_timer *t);

/* ---- throttling: a thread waits because its control group used up its CPU quota, or because its class, or
 * the thread itself, used up its budget (throttle.c) ---- */

/* Announce questions about many waits of Q. Then ana_throttle_of() scans the CPUs once for all waits, not
 * once per wait. (Facts about the hosts' timers and quotas are cached in Q: qry_memo().) */
void ana_throttle_many(struct qry *q);

/* Append to KEY what answers about throttling depend on besides the traces: the names of functions. */
void ana_throttle_key(struct qry *q, GString *key);

struct ana_throttle {
	/* Start of the period in which the thread may run again.  The rest of the wait is a wait for the
	 * CPU. */
	int64_t until;
	/* static: "CPU quota: about 10 ms of every 50 ms", "CPU quota", "its own deadline budget" */
	const char *text;
};

/* True if thread ROW was throttled in WAIT, a whole interval of preempted or wait-cpu.  It is never more than
 * inferred: the events do not name control groups. */
bool ana_throttle_of(struct qry *q, uint32_t row, const struct mdl_interval *wait,
	const struct ana_wait_near *near, struct ana_throttle *throttle);

/* Like ana_blame_wait_doubts() for WAIT, with QUOTA if thread ROW may have been throttled, no matter which
 * thread had the CPU. */
mdl_doubts ana_throttle_wait_doubts(struct qry *q, uint32_t row, const struct mdl_interval *wait,
	const struct ana_wait_near *near);

/* False if no wait of thread ROW can be throttled: it is fair, and no timer of its host's quotas is known. */
bool ana_throttle_concerns(struct qry *q, uint32_t row, const struct ana_wait_near *near);

/* True if the CPU in interval IV of its row idles, perhaps interrupted. */
bool ana_throttle_is_idle(struct qry *q, const struct mdl_interval *iv);

/* ---- the throttled times of all threads, for cells of any window (throttled.c) ---- */

struct ana_throttled;

/* Find them in Q: each wait is looked at once.  Shared by reference, also between threads.  NULL with
 * BASE_ERROR_CANCELLED if PROGRESS (NULL: never) is cancelled. */
struct ana_throttled *ana_throttled_new(struct qry *q, struct base_progress *progress, GError **error);
/* Drop a reference; T may be NULL. */
void ana_throttled_unref(struct ana_throttled *t);
/* Let ana_throttled_window() of Q use T (takes the reference), until the clocks of Q change. */
void ana_throttled_use(struct qry *q, struct ana_throttled *t);
/* True if ana_throttled_use() was called for Q and the clocks of Q have not changed since. */
bool ana_throttled_is_known(struct qry *q);
/* Like qry_window(), with QRY_CELL_THROTTLED where it is known. Costs two more look-ups for each cell of a
 * thread that was throttled at any time. */
void ana_throttled_window(struct qry *q, const uint32_t *rows, uint32_t n, int64_t from, int64_t to,
	uint32_t columns, struct qry_cell *cells);

#endif
