/* SPDX-License-Identifier: MIT */
/* Switches and wake-ups: private to src/model. */
#ifndef MDL_SCHED_H
#define MDL_SCHED_H

#include "model/event/event.h"
#include "model/core/part.h"
#include "model/core/sink.h"
#include "model/kernel/prev.h"

struct mdl_cpu;
struct mdl_machine;
struct mdl_thread;

struct mdl_sched {
	const struct mdl_prev_bits *bits;
	unsigned ways;        /* how prev_state may be written: MDL_PREV_WAY_ */
	bool may_hide;        /* a thread that leaves its CPU to sleep may seem runnable (sched/sched.c) */
	bool may_hide_locks;  /* under PREEMPT_RT a thread that waits for a lock may seem runnable */
	bool may_sleep_dead;  /* a thread that sleeps on its way to its end may seem to have ended */
	bool tells_preempted; /* prev_state has R+ */
	bool has_wakes;       /* the trace has wake-ups */
	bool names_nobody;    /* events do not name the running thread, only switches do */
	/* only switches away from some threads are recorded, so the running thread is unknown */
	bool away_only;
	unsigned switched_softirqs; /* number of thread switches inside a softirq */
	GHashTable *cgroups;        /* owned: process → struct mdl_cgroup *, owned (sched/cgroup.c) */
	uint32_t cgroup_events;     /* number of events that named a control group */
};

/* A CPU without an event for so long (ns) may have been off-line if its stopper ran. */
#define MDL_SCHED_STOPPED 50000000
/* An event comes at NOW on CPU, whose stopper runs and which may have been off-line since its last event, or
 * which is back. */
void mdl_sched_stopped(struct mdl_machine *m, uint32_t cpu, int64_t now);
/* CPU has gone off-line since its last event, and stays so until its next one. */
void mdl_sched_off(struct mdl_machine *m, uint32_t cpu);
void mdl_sched_switch(struct mdl_machine *m, const struct mdl_event *e);
/* A switch of E's CPU is missing. */
void mdl_sched_runs(struct mdl_machine *m, const struct mdl_event *e);
/* After mdl_thread_exec(): the thread that executes a file runs. */
void mdl_sched_execs(struct mdl_machine *m, const struct mdl_event *e);
void mdl_sched_first(struct mdl_machine *m, const struct mdl_event *e);
void mdl_sched_waking(struct mdl_machine *m, const struct mdl_event *e);
void mdl_sched_wakeup(struct mdl_machine *m, const struct mdl_event *e);
void mdl_sched_wakeup_new(struct mdl_machine *m, const struct mdl_event *e);
void mdl_sched_migrate(struct mdl_machine *m, const struct mdl_event *e);

/* ---- priority.c ---- */

/* Switch E gives the priority of T (NULL: of no thread) in FIELD. */
void mdl_priority_seen(struct mdl_machine *m, struct mdl_thread *t, const struct mdl_event *e,
	unsigned field);
/* A priority was lent, or taken back: sched_pi_setprio. */
void mdl_priority_lent(struct mdl_machine *m, const struct mdl_event *e);

/* ---- cgroup.c ---- */

void mdl_cgroup_init(struct mdl_machine *m);
void mdl_cgroup_clear(struct mdl_machine *m);
/* Handler of cgroup_attach_task and cgroup_transfer_tasks. */
void mdl_cgroup_event(struct mdl_machine *m, const struct mdl_event *e);
/* PARENT (NULL: unknown) forked CHILD. */
void mdl_cgroup_born(struct mdl_machine *m, struct mdl_thread *child, const struct mdl_thread *parent);
/* Before mdl_thread_exec(). */
void mdl_cgroup_execs(struct mdl_machine *m, const struct mdl_event *e);
/* T, or the trace, ends: store its control group in its row. */
void mdl_cgroup_over(struct mdl_machine *m, struct mdl_thread *t);
void mdl_cgroup_finish(struct mdl_machine *m);

/* ---- signal.c ---- */

/* Handler of signal_generate: find the wake-ups for which the signal is the reason. */
void mdl_signal_generate(struct mdl_machine *m, const struct mdl_event *e);

/* ---- counts.c ---- */

/* E, on C, has counters; before mdl_dispatch_event(). */
void mdl_counts_read(struct mdl_machine *m, struct mdl_cpu *c, const struct mdl_event *e);
/* E has come on C, which had counters; after mdl_dispatch_event(). */
void mdl_counts_after(struct mdl_cpu *c, const struct mdl_event *e);

extern const struct mdl_part mdl_part_counts;
extern const struct mdl_part mdl_part_sched;

#endif
