/* SPDX-License-Identifier: MIT */
/* Lives of threads: private to src/model. */
#ifndef MDL_THREAD_H
#define MDL_THREAD_H

#include "model/event/event.h"
#include "model/core/track.h"

#include <string.h>

struct mdl_chain;
struct mdl_flows;
struct mdl_deferred;
struct mdl_level;
struct mdl_machine;
struct mdl_span_thread;
struct mdl_thread_counts;
struct mdl_vcpu;
struct mdl_work;

/* State of a thread as the scheduler sees it. */
enum mdl_phase {
	MDL_PH_UNKNOWN,
	MDL_PH_RUN,
	MDL_PH_WAIT_CPU,
	MDL_PH_PREEMPTED,
	MDL_PH_BLOCKED,
	MDL_PH_NEW,
	MDL_PH_EXITED
};

enum mdl_mode { MDL_MODE_UNKNOWN, MDL_MODE_USER, MDL_MODE_SYSCALL };

/* The system call that a thread is in, or was in, if the model reads its arguments. */
struct mdl_call {
	int64_t since; /* ns; MDL_NEVER: the thread is in no such call */
	uint32_t cpu;
	int64_t arg[MDL_ARGS]; /* as in the event */
};

/* A control group, as one event names it. */
struct mdl_cgroup {
	uint32_t path;  /* string id; 0: unknown */
	uint32_t root;  /* number of its hierarchy */
	uint32_t since; /* number of the event (struct mdl_sched.cgroup_events) */
};

/* Many threads live at the same time, so members that most of them lack most of the time are behind
 * pointers. */
struct mdl_thread {
	struct mdl_track *track; /* weak, owned by the machine's tracks; lives as long as this */
	unsigned place;          /* index among the machine's living threads */
	int64_t tid;
	uint8_t phase, mode, block;
	bool placed;   /* it was woken and is on a run queue: a move now is a real migration */
	bool is_first; /* WAIT_CPU: sched_wakeup_new woke it, and it has not run since */
	bool has_run, has_comm;
	bool says_runs; /* PREEMPTED: by state "R", not by "R+" (a preemption); it may sleep */
	bool says_both; /* UNKNOWN: it was preempted or sleeps idly, which its kernel writes alike */
	bool ends;      /* its sched_process_exit was seen */
	/* its birth is known from a record beside the events (ASIDE in event/event.h) */
	bool born_aside;
	int16_t priority;     /* MDL_PRIORITY_NONE: unknown */
	bool has_loan;        /* a higher priority was lent to it (sched/priority.c) */
	int16_t own_priority; /* with HAS_LOAN: its priority before the loan */
	uint32_t cpu;
	/* from its own event; its process may have a later one (sched/cgroup.c) */
	struct mdl_cgroup cgroup;
	uint32_t syscall;  /* string id */
	int64_t called;    /* ns: when it entered the call that it is in; 0: unknown */
	int64_t ipi_until; /* ns: the end of its last wait for an IPI; 0: none */
	bool is_wide;      /* it or its creator runs a 64-bit program (kernel/calls.c) */
	/* SYSCALL comes from the call's number: a name for people, nothing follows from it */
	bool is_numbered;
	struct mdl_call *call; /* owned; NULL: it was in no call whose arguments are read */
	int64_t phase_since;
	uint32_t runs; /* number of times that it was switched in */
	/* ns: when it first ran after its last interruptible sleep; MDL_NEVER: unknown */
	int64_t active_since;
	/* since ACTIVE_SINCE it slept otherwise than interruptibly, or was woken while awake, as a thread
	 * that spins for a lock of PREEMPT_RT */
	bool contended;
	/* number of its switches that are missing; number of switches that prove it is recorded */
	uint32_t unseen, proofs;
	uint32_t from_idle; /* number of missing switches that took it in from idle (core/missing.c) */
	/* ns: time at which the state dump showed it waiting, last on DUMPED_CPU, not yet confirmed;
	 * MDL_NEVER: none */
	int64_t dumped_at;
	int64_t dumped_cpu;
	/* address of the timer that it armed last before its wait; 0: none (timer/timer.c) */
	uint64_t deadline;
	struct mdl_work *work; /* owned: the item that it executes; NULL: none, or unknown (work/work.c) */
	struct mdl_deferred *pending; /* owned: it was woken and has not run yet; NULL: it was not woken */
	/* Owned: a sched_waking that came while it still ran, or a migration in its sleep that may begin its
	 * wake-up (cause/remote.c); NULL: none. */
	struct mdl_deferred *early;
	/* Owned: it has run, but something about its wake-up may still show; NULL: none
	 * (cause/deferred.c). */
	struct mdl_deferred *deferred;
	/* owned: the origin of the work that it does for an interrupt; NULL: it works for itself
	 * (cause/irqthread.c) */
	struct mdl_chain *origin;
	/* owned: PREEMPT_RT: the softirq that it runs; NULL: none (cause/irqthread.c) */
	struct mdl_level *softirq;
	struct mdl_flows *flows;          /* owned: the flows on which it sent; NULL: none (net/batch.c) */
	struct mdl_vcpu *vcpu;            /* owned: the virtual CPU that it runs; NULL: none (guest/vcpu.c) */
	struct mdl_span_thread *span;     /* owned: its system call; NULL: none yet (span/span.c) */
	struct mdl_thread_counts *counts; /* owned: sched/counts.c; NULL: none came */
	char comm[MDL_COMM]; /* the last raw name, padded with zeros so that a comparison is fast */
};

/* All threads. */
struct mdl_threads {
	GPtrArray *living; /* of struct mdl_thread *, owned */
	/* of struct mdl_thread *, owned: threads that the current event ended; its handler may still use
	 * them */
	GPtrArray *ended;
	struct mdl_thread **pages[4096]; /* TID / 1024 → live threads by TID % 1024, weak */
	/* TID / 1024 → time (ns) at which the last thread of each TID was freed, MDL_NEVER: not freed; owned,
	 * NULL: none. Only for recordings without births. */
	int64_t *freed[4096];
	bool has_births;   /* a birth came */
	GHashTable *saved; /* owned: TID → struct saved *, owned (core/thread.c); NULL: none */
	uint64_t bad_tids; /* as mdl_machine_bad_tids() */
};

void mdl_thread_init(struct mdl_threads *threads);
/* Free those that the last event ended; all, and what is kept of them. */
void mdl_thread_free_ended(struct mdl_machine *m);
void mdl_thread_free_all(struct mdl_machine *m);

/* The live thread TID, made if it is new to the model.  TID 0 is the idle thread of CPU.  NULL for a TID that
 * no kernel has. */
struct mdl_thread *mdl_thread_get(struct mdl_machine *m, int64_t tid, uint32_t cpu);
/* The live thread TID; NULL if the model does not know it, and for the idle threads. */
struct mdl_thread *mdl_thread_peek(struct mdl_machine *m, int64_t tid);
/* A thread that is born now; an earlier thread with this TID has ended. */
struct mdl_thread *mdl_thread_born(struct mdl_machine *m, int64_t tid);
/* Store what mdl_machine_saved() got; at the end of the trace, use it for the threads that live then. Earlier
 * threads with these TIDs get nothing from it. */
void mdl_thread_saved(struct mdl_machine *m, int64_t tid, int64_t pid, const char *name);
void mdl_thread_recall(struct mdl_machine *m);
/* T has exited, and another thread has its TID. Returns that thread, whose state is unknown so far. */
struct mdl_thread *mdl_thread_again(struct mdl_machine *m, struct mdl_thread *t);
/* True if T was created and has not run yet: its creator has not woken it (NEW), or it waits for its first
 * CPU. */
static inline bool mdl_thread_is_new(const struct mdl_thread *t)
{
	return t->phase == MDL_PH_NEW || (t->phase == MDL_PH_WAIT_CPU && t->is_first);
}
/* True if A and B are surely threads of one process, or surely of two. Both are false if no event shows
 * it. */
static inline bool mdl_thread_same_process(const struct mdl_thread *a, const struct mdl_thread *b)
{
	return a->track->row.pid != -1 && a->track->row.pid == b->track->row.pid;
}
static inline bool mdl_thread_other_process(const struct mdl_thread *a, const struct mdl_thread *b)
{
	return a->track->row.pid != -1 && b->track->row.pid != -1 && a->track->row.pid != b->track->row.pid;
}
/* True if T, which waits for a shared futex and is woken by W in its exit(2), waits for the end of W, as
 * pthread_join() does. If no event shows the processes, it is false only if the creator of W is neither T nor
 * the creator of T. (A child that is a process of its own wakes nobody there: mm_release(), kernel/fork.c,
 * asks for other users of its memory; and a process ends by exit_group(2).) */
static inline bool mdl_thread_may_join(const struct mdl_thread *t, const struct mdl_thread *w)
{
	uint32_t maker = w->track->row.parent;

	if (mdl_thread_same_process(t, w) || mdl_thread_other_process(t, w))
		return mdl_thread_same_process(t, w);
	return maker == MDL_NONE || maker == t->track->id || maker == t->track->row.parent;
}
/* True if T has left its CPU for the last time, as its state said. */
bool mdl_thread_is_over(const struct mdl_thread *t);
/* False if T is surely not called COMM, which may be NULL. */
bool mdl_thread_is_called(const struct mdl_thread *t, const char *comm);
void mdl_thread_name(struct mdl_machine *m, struct mdl_thread *t, const char *comm);
/* Set the name of T to text I of E.  Inline, because events repeat the name again and again. */
static inline void mdl_thread_named(struct mdl_machine *m, struct mdl_thread *t, const struct mdl_event *e,
	unsigned i)
{
	if (!e->padded || !e->text[i] || !t->has_comm || memcmp(t->comm, e->text[i], MDL_COMM) != 0)
		mdl_thread_name(m, t, e->text[i]);
}
/* True if CALL (as in struct mdl_thread; 0: unknown) is one of NAMES. */
bool mdl_thread_call_is(const struct mdl_machine *m, uint32_t call, const char *const *names);
/* The state of T, and of the CPU on which it runs, while nothing interrupts it. */
static inline enum mdl_state mdl_thread_runs(const struct mdl_thread *t)
{
	static const uint8_t states[] = { MDL_ST_RUNNING, MDL_ST_USERMODE, MDL_ST_SYSCALL };

	return states[t->mode];
}
/* The detail of that state: string id of the system call's name. */
static inline uint32_t mdl_thread_call(const struct mdl_thread *t)
{
	return t->mode == MDL_MODE_SYSCALL ? t->syscall : 0;
}

/* The call that T entered last, for what follows from it; 0: unknown. */
static inline uint32_t mdl_thread_sure_call(const struct mdl_thread *t)
{
	return t->is_numbered ? 0 : t->syscall;
}

/* An event shows T acting. Make its wait up to now unknown if it may have run meanwhile without a recorded
 * switch. */
void mdl_thread_doubt(struct mdl_machine *m, struct mdl_thread *t);
/* Make T's wait up to now unknown, because it ran meanwhile without a recorded switch. */
void mdl_thread_disbelieve(struct mdl_machine *m, struct mdl_thread *t);
/* Set the row's state from phase, mode and the contexts of its CPU. */
void mdl_thread_refresh(struct mdl_machine *m, struct mdl_thread *t);
void mdl_thread_set_phase(struct mdl_machine *m, struct mdl_thread *t, enum mdl_phase phase, uint32_t cpu);
/* Forget what T does and for which interrupt: since SINCE, because events were lost, or (MDL_NEVER) since its
 * wait began. */
void mdl_thread_forget(struct mdl_machine *m, struct mdl_thread *t, int64_t since);
void mdl_thread_fork(struct mdl_machine *m, const struct mdl_event *e);
void mdl_thread_exec(struct mdl_machine *m, const struct mdl_event *e);
void mdl_thread_dumped(struct mdl_machine *m, const struct mdl_event *e);
/* The first switch on CPU removes PREV. So PREV ran there since the trace began, and threads that the state
 * dump saw waiting on CPU did not. */
void mdl_thread_settle(struct mdl_machine *m, uint32_t cpu, const struct mdl_thread *prev);
void mdl_thread_freed(struct mdl_machine *m, const struct mdl_event *e);

#endif
