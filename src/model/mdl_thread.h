/* SPDX-License-Identifier: MIT */
/* Lives of threads: private to src/model. */
#ifndef MDL_THREAD_H
#define MDL_THREAD_H

#include "model/mdl_event.h"
#include "model/mdl_track.h"

#include <string.h>

struct mdl_chain;
struct mdl_flows;
struct mdl_deferred;
struct mdl_level;
struct mdl_machine;
struct mdl_span_thread;
struct mdl_vcpu;
struct mdl_work;

/* What a thread does, from the scheduler's side. */
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

/* The system call that a thread is in, or was in, of which the model reads arguments. */
struct mdl_call {
	int64_t since; /* MDL_NEVER: the thread is in none of these */
	uint32_t cpu;
	int64_t arg[MDL_ARGS]; /* as of the event */
};

/* Many may live at the same time: what most of them lack most of the time is behind a pointer. */
struct mdl_thread {
	struct mdl_track *track; /* weak; lives in the machine's tracks, then as long as this */
	unsigned place;          /* among the machine's threads */
	int64_t tid;
	uint8_t phase, mode, block;
	bool placed; /* woken and put on a run queue: a move is a real migration */
	bool has_run, has_comm;
	bool says_runs;   /* PREEMPTED: by its state, not as it was preempted ("R", not "R+"); it may sleep */
	bool says_both;   /* UNKNOWN: it left its CPU preempted or idle, which its kernel writes alike */
	bool ends;        /* its sched_process_exit was seen */
	bool born_aside;  /* its birth was told by what is no event of the trace (mdl_event.h, ASIDE) */
	int16_t priority; /* MDL_PRIORITY_NONE unknown */
	bool has_loan;    /* it was lent a higher one (mdl_priority.c) */
	int16_t own_priority; /* with HAS_LOAN: before that */
	uint32_t cpu;
	uint32_t syscall;      /* string id */
	struct mdl_call *call; /* owned; NULL: it was in none whose arguments are read */
	int64_t phase_since;
	uint32_t runs;           /* how often it was switched in */
	uint32_t unseen, proofs; /* switches of it that are missing, and those that prove it recorded */
	uint32_t from_idle;      /* those missing that took it in from idle (mdl_missing.c) */
	int64_t dumped_at; /* the state dump said it waits on dumped_cpu, not proved yet; MDL_NEVER none */
	int64_t dumped_cpu;
	uint64_t deadline;     /* address of the timer it armed last before its wait; 0 none (mdl_timer.c) */
	struct mdl_work *work; /* owned: what it executes; NULL: nothing, or not known (mdl_work.c) */
	struct mdl_deferred *pending;  /* owned: it was woken and has not run yet; NULL: it was not */
	struct mdl_deferred *early;    /* owned: a waking came while it still ran; NULL: none */
	struct mdl_deferred *deferred; /* owned: it has run, but something of its wake-up may still show;
					  NULL: none (mdl_deferred.c) */
	struct mdl_chain *origin;      /* owned: what began the work it is awake for; NULL: its own
					  (mdl_irqthread.c) */
	struct mdl_level *softirq; /* owned: PREEMPT_RT: the softirq it runs; NULL: none (mdl_irqthread.c) */
	struct mdl_flows *flows;   /* owned: connections that it sent on; NULL: none (mdl_batch.c) */
	struct mdl_vcpu *vcpu;     /* owned: the virtual CPU it runs; NULL: none (mdl_vcpu.c) */
	struct mdl_span_thread *span; /* owned: its system call; NULL: none yet (mdl_span.c) */
	char comm[MDL_COMM];          /* the raw name last seen, zeros behind it, to tell a change fast */
};

/* All threads that there are. */
struct mdl_threads {
	GPtrArray *living; /* of struct mdl_thread *, owned */
	GPtrArray *ended;  /* of struct mdl_thread *, owned: those that the current event ended, whose handler
			      may still look at them */
	struct mdl_thread **pages[4096]; /* TID / 1024 → live threads by TID % 1024, weak */
	GHashTable *saved;               /* owned: TID → struct saved *, owned (mdl_thread.c); NULL: none */
	uint64_t bad_tids;               /* as mdl_machine_bad_tids() */
};

void mdl_thread_init(struct mdl_threads *threads);
void mdl_thread_clear(struct mdl_threads *threads);

/* The live thread TID, made when it is new to the model; TID 0 is the idle thread of CPU.  NULL for a TID no
 * kernel has. */
struct mdl_thread *mdl_thread_get(struct mdl_machine *m, int64_t tid, uint32_t cpu);
/* The live thread TID, NULL when the model does not know it; not for the idle threads. */
struct mdl_thread *mdl_thread_peek(struct mdl_machine *m, int64_t tid);
/* A thread born now; one that had the TID before has ended. */
struct mdl_thread *mdl_thread_born(struct mdl_machine *m, int64_t tid);
/* What mdl_machine_saved() says; and, at the end of the trace, use it for the threads that live then: of a
 * TID that was used again it says nothing of those before. */
void mdl_thread_saved(struct mdl_machine *m, int64_t tid, int64_t pid, const char *name);
void mdl_thread_recall(struct mdl_machine *m);
void mdl_thread_name(struct mdl_machine *m, struct mdl_thread *t, const char *comm);
/* T is called as text I of E says.  Inline: events name it again and again. */
static inline void mdl_thread_named(struct mdl_machine *m, struct mdl_thread *t, const struct mdl_event *e,
	unsigned i)
{
	if (!e->padded || !e->text[i] || !t->has_comm || memcmp(t->comm, e->text[i], MDL_COMM) != 0)
		mdl_thread_name(m, t, e->text[i]);
}
/* Is CALL, as struct mdl_thread has it, 0 not known, one of NAMES? */
bool mdl_thread_call_is(const struct mdl_machine *m, uint32_t call, const char *const *names);
/* In which state is T, and the CPU that it runs on, when nothing interrupts it? */
static inline enum mdl_state mdl_thread_runs(const struct mdl_thread *t)
{
	static const uint8_t states[] = { MDL_ST_RUNNING, MDL_ST_USERMODE, MDL_ST_SYSCALL };

	return states[t->mode];
}
/* The detail of that: string id of its system call's name. */
static inline uint32_t mdl_thread_call(const struct mdl_thread *t)
{
	return t->mode == MDL_MODE_SYSCALL ? t->syscall : 0;
}

/* Something comes of T: what it waited in is not known where switches were missing that may have been its
 * own. */
void mdl_thread_doubt(struct mdl_machine *m, struct mdl_thread *t);
/* What T has waited in up to now is not known: it has run meanwhile, of which no switch tells. */
void mdl_thread_disbelieve(struct mdl_machine *m, struct mdl_thread *t);
/* The row's state from phase, mode and the contexts of its CPU. */
void mdl_thread_refresh(struct mdl_machine *m, struct mdl_thread *t);
void mdl_thread_set_phase(struct mdl_machine *m, struct mdl_thread *t, enum mdl_phase phase, uint32_t cpu);
/* What T does, and what for, is not known (any more). */
void mdl_thread_forget(struct mdl_thread *t);
void mdl_thread_fork(struct mdl_machine *m, const struct mdl_event *e);
void mdl_thread_exec(struct mdl_machine *m, const struct mdl_event *e);
void mdl_thread_dumped(struct mdl_machine *m, const struct mdl_event *e);
/*
 * The first switch on CPU takes PREV out, so PREV ran there since the trace
 * began: threads that the state dump saw waiting on CPU did not.
 */
void mdl_thread_settle(struct mdl_machine *m, uint32_t cpu, const struct mdl_thread *prev);
void mdl_thread_freed(struct mdl_machine *m, const struct mdl_event *e);

#endif
