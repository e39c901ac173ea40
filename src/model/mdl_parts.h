/* SPDX-License-Identifier: MIT */
/* The parts of the state machine, private to src/model. */
#ifndef MDL_PARTS_H
#define MDL_PARTS_H

#include "model/mdl_block.h"
#include "model/mdl_due.h"
#include "model/mdl_machine.h"
#include "model/mdl_prev.h"
#include "model/mdl_recent.h"

#include <glib.h>

/* A row and the last two intervals of it, kept back so that an empty one leaves no trace (mdl_track.c). */
struct mdl_track {
	struct mdl_row row;
	uint32_t id;
	unsigned place;			/* among the machine's tracks */
	bool has_open, has_closed;	/* has_open: until its end */
	struct mdl_interval open;	/* to is not set */
	struct mdl_interval closed;
};

/* What a thread does, from the scheduler's side. */
enum mdl_phase { MDL_PH_UNKNOWN, MDL_PH_RUN, MDL_PH_WAIT_CPU, MDL_PH_PREEMPTED, MDL_PH_BLOCKED, MDL_PH_NEW, MDL_PH_EXITED };

enum mdl_mode { MDL_MODE_UNKNOWN, MDL_MODE_USER, MDL_MODE_SYSCALL };

enum { MDL_SOFTIRQ_TIMER = 1, MDL_SOFTIRQ_NET_RX = 3, MDL_SOFTIRQ_BLOCK = 4, MDL_SOFTIRQ_SCHED = 7, MDL_SOFTIRQ_HRTIMER = 8, MDL_SOFTIRQ_RCU = 9 };

/* Are events of a CPU being lost? */
enum mdl_gap_phase { MDL_GAP_NONE, MDL_GAP_OPEN, MDL_GAP_ENDING };

#define MDL_COMM 16		/* TASK_COMM_LEN of the kernel */

/* A wake-up that was not handed out yet. */
struct mdl_held {
	struct mdl_wakeup wakeup;
	struct mdl_cause *cause;	/* owned; NULL: nothing to say */
	bool in_time;			/* the thread may yet take its time-out back (mdl_held.c) */
	bool for_work;			/* the item of work that the thread executes next may tell who did it (mdl_remote.c) */
};

/* Many may live at the same time: what most of them lack most of the time is behind a pointer. */
struct mdl_thread {
	struct mdl_track *track;	/* weak; lives in the machine's tracks, then as long as this */
	unsigned place;			/* among the machine's threads */
	int64_t tid;
	uint8_t phase, mode, block;
	bool placed;			/* woken and put on a run queue: a move is a real migration */
	bool has_run, has_comm;
	int16_t priority;		/* MDL_PRIORITY_NONE unknown */
	uint32_t cpu;
	uint32_t syscall;		/* string id */
	int64_t phase_since;
	int64_t dumped_at;		/* the state dump said it waits on dumped_cpu, not proved yet; MDL_NEVER none */
	int64_t dumped_cpu;
	uint64_t deadline;		/* address of the timer it armed last before its wait; 0 none (mdl_timer.c) */
	struct mdl_work *work;		/* owned: what it executes; NULL: nothing, or not known (mdl_work.c) */
	struct mdl_held *pending;	/* owned: it was woken and has not run yet; NULL: it was not */
	struct mdl_held *early;		/* owned: a waking came while it still ran; NULL: none */
	struct mdl_held *held;		/* owned: it has run, but something of its wake-up may still show; NULL: none (mdl_held.c) */
	struct mdl_chain *origin;	/* owned: what began the work it is awake for; NULL: its own (mdl_irqthread.c) */
	struct mdl_level *softirq;	/* owned: PREEMPT_RT: the softirq it runs; NULL: none (mdl_irqthread.c) */
	struct mdl_flows *flows;	/* owned: connections that it sent on; NULL: none (mdl_batch.c) */
	char comm[MDL_COMM];		/* the raw name last seen, to tell a change fast */
};

/* A level of what a CPU does: the thread's own, or an interrupt context. */
struct mdl_level {
	uint32_t context;		/* context id; MDL_NONE: the thread's own level, and the next three mean nothing */
	uint8_t type;			/* enum mdl_ctx_type */
	int64_t nr;
	int64_t entry;
	struct mdl_chain origin;	/* what led to this context, up to but without itself (mdl_chain.c) */
	struct mdl_facts facts;		/* what happened in it so far */
	uint64_t expired_timer;		/* address of the timer that expired in it last; 0 none (mdl_timer.c) */
};

#define MDL_BATCH_MAX 16		/* twice what a poll hands up at once (gro_normal_batch) */

/* Packets that were received one after the other, the last ones if there are many. */
struct mdl_batch {
	struct mdl_received packets[MDL_BATCH_MAX];
	unsigned n;
	const struct mdl_level *level;	/* weak: where; it has a packet as a fact, else this is of one that has ended */
	bool over;			/* somebody was woken since */
};

/* Who raised a softirq since it ran last: each the chain up to and with the raise. */
struct mdl_raises {
	unsigned n;			/* 0: the next three mean nothing */
	struct mdl_chain first;
	struct mdl_chain last;		/* n > 1 */
	struct mdl_chain other;		/* the first one by another context than the first of all; empty: none */
	struct mdl_chain spare;		/* the last one of those before the softirq ran, when there were several; empty: none */
	struct mdl_chain next;		/* the first one since a round took its bit, which has not come to it yet; empty: none */
};

#define MDL_SENT_MAX 2			/* IPIs on their way to a CPU */
#define MDL_IRQS_KEPT 32		/* hard interrupts of all CPUs */

struct mdl_cpu {
	struct mdl_track *track;
	struct mdl_thread *current;	/* weak; NULL unknown */
	struct mdl_thread *idle;	/* weak; NULL until seen */
	uint8_t gap;			/* enum mdl_gap_phase */
	bool settled;			/* its first switch was seen */
	int64_t lost_since;		/* MDL_GAP_ENDING: the last event before the loss */
	int64_t lost_until;		/* end of its last loss; MDL_NEVER none */
	uint32_t depth;
	struct mdl_level stack[MDL_CTX_MAX];	/* [0, depth) are open, outermost first */
	struct mdl_level own;		/* the thread's */
	struct mdl_batch batch;		/* what was received last (mdl_batch.c) */
	struct mdl_raises raises[MDL_SOFTIRQS];
	unsigned round;			/* 1 << vector: softirqs whose bits the round under way has taken, and that it has not come to */
	int64_t round_since;		/* its first entry; MDL_NEVER none */
	unsigned n_sent;
	bool rest_sent;			/* what is in sent may have been served by an IPI before */
	struct mdl_chain sent[MDL_SENT_MAX]; /* IPIs on their way here, each up to and with the sender */
	struct mdl_chain left;		/* up to and with the context that ended last, where events are missing that would tell more; empty: none */
	int64_t left_at;		/* when the last context ended; MDL_NEVER none */
	const struct mdl_level *leaving; /* weak, in stack: the context that ended last, as long as nothing but wake-ups came after; NULL: none */
	int64_t leaving_ret;		/* what its handler returned; MDL_ARG_ABSENT: not recorded, or no handler of a line */
	bool gave_lent;			/* its last event: its thread gave a priority back that it had been lent */
	unsigned just_raised;		/* 1 << vector: softirqs raised by its last event; 0 none */
	uint32_t gone;			/* row of the thread after which it became idle */
	int64_t gone_at;		/* MDL_NEVER never */
	GHashTable *softirqs;		/* vector → struct mdl_track * (weak) */
	int64_t just_woken;		/* TID that its last event, but for the rest of that wake-up, woke; 0 none (mdl_signal.c) */
	bool has_just_queued;		/* its last event queued just_queued (mdl_work.c) */
	struct mdl_work just_queued;
};

struct mdl_machine {
	const struct mdl_sink *sink;
	void *data;
	const struct mdl_prev_bits *bits;
	bool shifted_states;		/* see mdl_thread_switch_out() */
	int64_t from, now;
	uint32_t open_gaps;		/* CPUs whose gap is not MDL_GAP_NONE */
	bool had_gap;			/* events were lost at some time */
	int64_t lost_until;		/* end of the last loss of any CPU; MDL_NEVER none */
	struct base_strings *strings;
	GPtrArray *tracks;		/* of struct mdl_track *, owned: all that are not over */
	uint32_t n_rows;		/* ever made */
	GPtrArray *threads;		/* of struct mdl_thread *, owned: all that live */
	GPtrArray *ended;		/* of struct mdl_thread *, owned: those that the current event ended, whose handler may still look at them */
	GPtrArray *over;		/* of struct mdl_track *, owned: the same of rows */
	GPtrArray *cpus;		/* CPU → struct mdl_cpu * or NULL, owned */
	uint32_t softirq_names[MDL_SOFTIRQS]; /* vector → string id; 0 not met yet */
	GHashTable *irq_names;		/* IRQ number → string id */
	GHashTable *irq_threads;	/* IRQ number → TID of the thread that its handler woke last */
	GHashTable *irqs;		/* IRQ number → struct mdl_track * (weak) */
	GArray *contexts;		/* of struct mdl_context */
	GHashTable *context_ids;	/* struct mdl_context * (owned copy) → id */
	GHashTable *labels;		/* interned label pointer → string id */
	struct mdl_thread **pages[4096]; /* TID / 1024 → live threads by TID % 1024, weak */
	GArray *devices;		/* of struct mdl_device, by number */
	GHashTable *disks;		/* name (owned) → number of the same */
	struct mdl_recent *timers, *works, *packets;	/* owned (mdl_timer.c, mdl_work.c, mdl_net.c) */
	struct mdl_zeros zeros;		/* clocks of hrtimers (mdl_due.c) */
	struct mdl_jiffies jiffies;
	struct mdl_blocks blocks;	/* requests in flight (mdl_block.c) */
	bool has_raises;		/* softirq_raise is recorded */
	bool has_wakings;		/* sched_waking is recorded */
	bool has_calls;			/* IPIs that run functions are recorded: one came */
	bool lone;			/* mdl_machine_lone(), and no other CPU came */
	bool some_calls;		/* not all system calls are recorded */
	bool has_polls;			/* napi_poll is recorded */
	unsigned seen_contexts;		/* which are recorded: 1 << enum mdl_ctx_type */
	bool threaded;			/* PREEMPT_RT: softirqs are what threads do */
	unsigned switched_softirqs;	/* thread switches inside a softirq */
	struct mdl_chain sent_to_several; /* the last IPI to CPUs that are not known; empty: none */
	struct mdl_act irqs_kept[MDL_IRQS_KEPT]; /* ring: the last hard interrupts; time: the exit, MDL_NEVER not yet */
	unsigned n_irqs_kept;		/* ever put into it */
	uint32_t n_causes;
	uint64_t switches, bad_tids;
	bool lacks_switches;		/* as mdl_machine_lacks_switches() */
};

/* ---- mdl_track.c: rows and their intervals ---- */

struct mdl_track *mdl_track_new(struct mdl_machine *m, enum mdl_row_type type, int64_t nr, int64_t first);
/* From TIME on the row is in STATE; nothing happens when it already is. */
void mdl_track_set(struct mdl_machine *m, struct mdl_track *t, int64_t time, enum mdl_state state, uint32_t detail, uint32_t aux);
/* Correct the CPU of a thread's open interval in place. */
void mdl_track_set_aux(struct mdl_track *t, uint32_t aux);
/* From TIME on, or from the start of the open interval where that is later, the row's state was not known. */
void mdl_track_lose(struct mdl_machine *m, struct mdl_track *t, int64_t time);
/* The row's life ends at TIME; hands out what was kept back and the row itself.  Its memory goes with the next event. */
void mdl_track_end(struct mdl_machine *m, struct mdl_track *t, int64_t time);

/* ---- mdl_cpu.c: CPUs and the nesting of interrupt contexts ---- */

/* CPU, which is not known yet. */
struct mdl_cpu *mdl_cpu_new(struct mdl_machine *m, uint32_t cpu);

/* CPU, NULL when the model does not know it. */
static inline struct mdl_cpu *mdl_cpu_peek(const struct mdl_machine *m, uint32_t cpu)
{
	return cpu < m->cpus->len ? g_ptr_array_index(m->cpus, cpu) : NULL;
}

/* CPU, made when it is new to the model.  Inline: every event asks for its own some times. */
static inline struct mdl_cpu *mdl_cpu_get(struct mdl_machine *m, uint32_t cpu)
{
	struct mdl_cpu *c = mdl_cpu_peek(m, cpu);

	return G_LIKELY(c != NULL) ? c : mdl_cpu_new(m, cpu);
}

/* The row of the thread on C; MDL_NONE: not known. */
static inline uint32_t mdl_cpu_thread(const struct mdl_cpu *c)
{
	return c->current != NULL ? c->current->track->id : MDL_NONE;
}

void mdl_cpu_enter(struct mdl_machine *m, uint32_t cpu, enum mdl_ctx_type type, int64_t nr, uint32_t name);
void mdl_cpu_leave(struct mdl_machine *m, uint32_t cpu, enum mdl_ctx_type type, int64_t nr);
/* The innermost level of CPU: where its events happen now. */
struct mdl_level *mdl_cpu_level(struct mdl_machine *m, uint32_t cpu);
/* Who acts on CPU now. */
struct mdl_act mdl_cpu_act(struct mdl_machine *m, uint32_t cpu);
/* The same, by level L of CPU. */
struct mdl_act mdl_cpu_act_of(struct mdl_machine *m, uint32_t cpu, const struct mdl_level *l);
/* Level L, of CPU or of the thread on it, begins now: what it is, its origin, and that nothing happened in it yet. */
void mdl_cpu_begin(struct mdl_machine *m, uint32_t cpu, struct mdl_level *l, enum mdl_ctx_type type, int64_t nr, uint32_t name);
/* No context is open any more, and what the thread did is past: at a thread switch, and where events are lost. */
void mdl_cpu_clear(struct mdl_cpu *c);
/*
 * Is the thread on C interrupted?  Not by the soft hrtimers that it expires itself: under PREEMPT_RT
 * softirq HRTIMER is what a thread does (hrtimer_run_softirq(), kernel/time/hrtimer.c).
 */
bool mdl_cpu_is_interrupted(const struct mdl_cpu *c);
/* The state of the CPU's row after a change of thread or context. */
void mdl_cpu_refresh(struct mdl_machine *m, uint32_t cpu);
void mdl_cpu_free(void *cpu);

/* ---- mdl_dispatch.c: events by kind ---- */

/* What E tells, by its kind. */
void mdl_dispatch_event(struct mdl_machine *m, const struct mdl_event *e);

/* ---- mdl_line.c: interrupt lines and softirqs as rows ---- */

void mdl_line_irq(struct mdl_machine *m, uint32_t cpu, int64_t nr, uint32_t name, bool enter);
void mdl_line_softirq(struct mdl_machine *m, uint32_t cpu, int64_t vec, bool enter);
/* The string id of the name of softirq VEC. */
uint32_t mdl_line_softirq_name(struct mdl_machine *m, int64_t vec);
/* The string id of the name of line NR: NAME where the event has one, else what the state dump said. */
uint32_t mdl_line_irq_name(struct mdl_machine *m, int64_t nr, const char *name);
void mdl_line_lose(struct mdl_machine *m, uint32_t cpu, int64_t time);

/* ---- mdl_thread.c: lives of threads ---- */

/* Free a struct mdl_thread, not its row. */
void mdl_thread_free(void *thread);
/* The live thread TID, made when it is new to the model; TID 0 is the idle thread of CPU.  NULL for a TID no kernel has. */
struct mdl_thread *mdl_thread_get(struct mdl_machine *m, int64_t tid, uint32_t cpu);
/* The live thread TID, NULL when the model does not know it; not for the idle threads. */
struct mdl_thread *mdl_thread_peek(struct mdl_machine *m, int64_t tid);
/* A thread born now; one that had the TID before has ended. */
struct mdl_thread *mdl_thread_born(struct mdl_machine *m, int64_t tid);
void mdl_thread_name(struct mdl_machine *m, struct mdl_thread *t, const char *comm);
/* The row's state from phase, mode and the contexts of its CPU. */
void mdl_thread_refresh(struct mdl_machine *m, struct mdl_thread *t);
void mdl_thread_set_phase(struct mdl_machine *m, struct mdl_thread *t, enum mdl_phase phase, uint32_t cpu);
void mdl_thread_fork(struct mdl_machine *m, const struct mdl_event *e);
void mdl_thread_exec(struct mdl_machine *m, const struct mdl_event *e);
void mdl_thread_dumped(struct mdl_machine *m, const struct mdl_event *e);
/*
 * The first switch on CPU takes PREV out, so PREV ran there since the trace
 * began: threads that the state dump saw waiting on CPU did not.
 */
void mdl_thread_settle(struct mdl_machine *m, uint32_t cpu, const struct mdl_thread *prev);
void mdl_thread_freed(struct mdl_machine *m, const struct mdl_event *e);

/* ---- mdl_sched.c: switches and wake-ups ---- */

void mdl_sched_switch(struct mdl_machine *m, const struct mdl_event *e);
void mdl_sched_first(struct mdl_machine *m, const struct mdl_event *e);
void mdl_sched_waking(struct mdl_machine *m, const struct mdl_event *e);
void mdl_sched_wakeup(struct mdl_machine *m, const struct mdl_event *e);
void mdl_sched_wakeup_new(struct mdl_machine *m, const struct mdl_event *e);
void mdl_sched_migrate(struct mdl_machine *m, const struct mdl_event *e);
/* W was sent by what runs on CPU now: its cpu, waker and contexts. */
void mdl_sched_place(struct mdl_machine *m, uint32_t cpu, struct mdl_wakeup *w);
/* Where the cause of the wake-up stands that CPU sent to T last and that was not handed out; NULL: there is none. */
struct mdl_cause **mdl_sched_cause(struct mdl_thread *t, uint32_t cpu);
/* Hand out a wake-up after which the thread has not run (yet) as far as the trace tells. */
void mdl_sched_drop_pending(struct mdl_machine *m, struct mdl_thread *t);

/* ---- mdl_chain.c: what led to what runs now ---- */

void mdl_chain_copy(struct mdl_chain *to, const struct mdl_chain *from);
/* ACT is the next step; of a full chain one is lost, see MDL_HOPS_MAX. */
void mdl_chain_add(struct mdl_chain *chain, const struct mdl_act *act, enum mdl_grade grade);
/* softirq_raise */
void mdl_chain_raise(struct mdl_machine *m, const struct mdl_event *e);
/* Context L begins on CPU: sets its origin. */
void mdl_chain_enter(struct mdl_machine *m, uint32_t cpu, struct mdl_level *l);
/* Context L of CPU ends. */
void mdl_chain_leave(struct mdl_machine *m, uint32_t cpu, struct mdl_cpu *c, const struct mdl_level *l);
/*
 * Softirqs of C among VECTORS (1 << vector) that were raised and have not run.  CHAIN becomes the chain up to and with a raise:
 * one inside level BY (may be NULL) if there is such a one, which *INSIDE tells, else the latest.
 */
unsigned mdl_chain_pending(const struct mdl_cpu *c, unsigned vectors, const struct mdl_level *by, struct mdl_chain *chain, bool *inside);
/* Are IPIs recorded, or can none come but those that are? */
bool mdl_chain_knows_calls(const struct mdl_machine *m);
/* May an interrupt come upon L without being seen? */
bool mdl_chain_is_open(const struct mdl_machine *m, const struct mdl_level *l);
/* What leads to contexts of this CPU is no longer known. */
void mdl_chain_lose(struct mdl_cpu *c);
/* The chain up to and with what CPU does now. */
void mdl_chain_here(struct mdl_machine *m, uint32_t cpu, struct mdl_chain *chain);
/* What CHAIN says is no more than inferred. */
void mdl_chain_infer(struct mdl_chain *chain);
/* Name and type of CONTEXT. */
const char *mdl_chain_name(const struct mdl_machine *m, uint32_t context);
enum mdl_ctx_type mdl_chain_type(const struct mdl_machine *m, uint32_t context);

/* ---- mdl_irqthread.c: threads that finish what an interrupt began ---- */

/* Is T a thread that works for interrupts? */
bool mdl_irqthread_is(const struct mdl_thread *t);
/* The handler of line NR, which ran on CPU, ended and returned RET (MDL_ARG_ABSENT unknown). */
void mdl_irqthread_handled(struct mdl_machine *m, uint32_t cpu, int64_t nr, int64_t ret);
/* The context that, on its way out, wakes T on CPU now; NULL: none does. */
const struct mdl_level *mdl_irqthread_waker(struct mdl_machine *m, uint32_t cpu, const struct mdl_thread *t);
/* T is woken on CPU: if it runs softirqs that are pending there, CAUSE says which and who raised them.  False: it does not. */
bool mdl_irqthread_explain(struct mdl_machine *m, uint32_t cpu, const struct mdl_thread *t, struct mdl_cause *cause);
/* Is T woken on CPU because the thread there hands a lock over, and not for what else that thread does? */
bool mdl_irqthread_is_lock(struct mdl_machine *m, uint32_t cpu, const struct mdl_thread *t);
/* T was woken on CPU by what CAUSE (may be NULL) says: it is awake for that, if it is a thread that works for interrupts. */
void mdl_irqthread_woken(struct mdl_machine *m, uint32_t cpu, struct mdl_thread *t, const struct mdl_cause *cause);
/* T sleeps, or is not known any more: what it was awake for is past. */
void mdl_irqthread_rest(struct mdl_thread *t);
/* The thread of C is another: the CPU's own level has the origin of that. */
void mdl_irqthread_resume(struct mdl_cpu *c);
/* PREEMPT_RT: the thread on CPU begins or ends softirq VEC. */
void mdl_irqthread_softirq(struct mdl_machine *m, uint32_t cpu, int64_t vec, bool enter);
/* T is over, or what it did is not known any more. */
void mdl_irqthread_forget(struct mdl_thread *t);

/* ---- mdl_sender.c: who sent an IPI ---- */

/* An IPI is sent. */
void mdl_sender_note(struct mdl_machine *m, const struct mdl_event *e);
/* Context L of CPU, an IPI, begins: sets its origin if its sending was recorded. */
void mdl_sender_take(const struct mdl_machine *m, uint32_t cpu, struct mdl_cpu *c, struct mdl_level *l);
/* Where CHAIN begins with an IPI that nobody is known to have sent, FACTS may tell who did. */
void mdl_sender_find(struct mdl_machine *m, struct mdl_chain *chain, const struct mdl_facts *facts);
/* Entry and exit of a hard interrupt, L of CPU: it may send. */
void mdl_sender_irq(struct mdl_machine *m, uint32_t cpu, const struct mdl_cpu *c, const struct mdl_level *l);
void mdl_sender_irq_exit(struct mdl_machine *m, uint32_t cpu, const struct mdl_level *l);

/* ---- mdl_remote.c: who sent a wake-up, in traces without sched_waking ---- */

/* sched_wakeup E of T, which is W: corrects where it was sent.  Returns the cause as mdl_cause_new() does. */
struct mdl_cause *mdl_remote_find(struct mdl_machine *m, const struct mdl_event *e, const struct mdl_thread *t, struct mdl_wakeup *w);
/* T's wait ends with sched_wakeup on CPU, as CAUSE (may be NULL) has it: may who queued what T executes next be the better answer? */
bool mdl_remote_awaits_work(struct mdl_machine *m, uint32_t cpu, const struct mdl_thread *t, const struct mdl_cause *cause);
/* H was the queueing of WORK, if that came in its wait: corrects it.  QUEUED as in mdl_held_work(). */
void mdl_remote_queued(struct mdl_machine *m, const struct mdl_work *work, const struct mdl_chain *queued, struct mdl_held *h);
/* C switches from thread PREV (NULL unknown) to NEXT. */
void mdl_remote_switch(const struct mdl_machine *m, struct mdl_cpu *c, const struct mdl_thread *prev, const struct mdl_thread *next);
/* T is migrated: if it sleeps, that is the beginning of its wake-up. */
void mdl_remote_migrate(struct mdl_machine *m, const struct mdl_event *e, struct mdl_thread *t);

/* ---- mdl_held.c: wake-ups of which something may still show ---- */

/* A copy of W with its CAUSE (may be NULL), which is taken over. */
struct mdl_held *mdl_held_new(const struct mdl_wakeup *w, struct mdl_cause *cause);
void mdl_held_free(struct mdl_held *h);
/* Hand out H of T, which is taken over, now or when all of it is known. */
void mdl_held_give(struct mdl_machine *m, struct mdl_thread *t, struct mdl_held *h);
/* Hand out what is held of T, as it is. */
void mdl_held_release(struct mdl_machine *m, struct mdl_thread *t);
/* Hand out what is held of T, unless something is open. */
void mdl_held_settle(struct mdl_machine *m, struct mdl_thread *t);
/* T sleeps again: what has not shown of its last wake-up will not. */
void mdl_held_sleep(struct mdl_machine *m, struct mdl_thread *t);
/* T begins WORK, which QUEUED, the chain up to and with who queued it, led to; NULL: not known, or T ended an item. */
void mdl_held_work(struct mdl_machine *m, struct mdl_thread *t, const struct mdl_work *work, const struct mdl_chain *queued);
/* T took back TIMER, with which it had limited its wait; NULL: it did not, and will not any more. */
void mdl_held_time_out(struct mdl_machine *m, struct mdl_thread *t, const struct mdl_timer *timer);
/* Where the cause stands of the wake-up that is held of T, if CPU sent it; NULL: there is none. */
struct mdl_cause **mdl_held_cause(struct mdl_thread *t, uint32_t cpu);

/* ---- mdl_cause.c: why a wait ended ---- */

/* What there is to say of the wake-up of T that is sent on CPU now; a new struct mdl_cause, or NULL for nothing. */
struct mdl_cause *mdl_cause_new(struct mdl_machine *m, uint32_t cpu, const struct mdl_thread *t);
/* sched_wakeup of T, whose wait has just ended, on CPU: notes where the wake-up arrived if it was sent elsewhere. */
void mdl_cause_arrive(struct mdl_machine *m, struct mdl_thread *t, uint32_t cpu);
/* Were events of any CPU lost since TIME?  MDL_NEVER: nothing was known to be lost. */
bool mdl_cause_lost(const struct mdl_machine *m, int64_t time);
/* A new cause, inferred: CHAIN and FACTS (NULL none). */
struct mdl_cause *mdl_cause_new_inferred(const struct mdl_machine *m, const struct mdl_chain *chain, const struct mdl_facts *facts);
/* What CAUSE says is no more than inferred. */
void mdl_cause_infer(struct mdl_cause *cause);
void mdl_cause_free(struct mdl_cause *cause);
/* The facts of the wake-up that CPU sent to T last, to be added to.  NULL: it was handed out, or causes are not wanted. */
struct mdl_facts *mdl_cause_facts(const struct mdl_machine *m, struct mdl_thread *t, uint32_t cpu);
/* Give CAUSE (may be NULL) to the sink.  Its number; 0 for none. */
uint32_t mdl_cause_hand_out(struct mdl_machine *m, const struct mdl_cause *cause);

/* ---- mdl_timer.c: timers and who armed them ---- */

/* A new m->timers. */
struct mdl_recent *mdl_timer_table_new(void);
void mdl_timer_start(struct mdl_machine *m, const struct mdl_event *e);
void mdl_timer_cancel(struct mdl_machine *m, const struct mdl_event *e);
/* An hrtimer expires: enters its context. */
void mdl_timer_hrtimer(struct mdl_machine *m, const struct mdl_event *e);
/* Entry or exit of a timer of the timer wheel. */
void mdl_timer_wheel(struct mdl_machine *m, const struct mdl_event *e);
/* Is the timer that T armed last before its wait still running? */
bool mdl_timer_is_armed(const struct mdl_machine *m, const struct mdl_thread *t);

/* ---- mdl_work.c: work items ---- */

/* A new m->works. */
struct mdl_recent *mdl_work_table_new(void);
void mdl_work_queue(struct mdl_machine *m, const struct mdl_event *e);
/* Start or end of an execution. */
void mdl_work_execute(struct mdl_machine *m, const struct mdl_event *e);
/* The facts of C's own level say what its thread executes. */
void mdl_work_resume(struct mdl_cpu *c);
/* It is not known (any more) that T executes something. */
void mdl_work_forget(struct mdl_thread *t);
/* Is T a worker of a pool, and woken by who queues an item for it? */
bool mdl_work_is_worker(const struct mdl_thread *t);
/* The item for which T is woken on C now; NULL: for none that is known. */
const struct mdl_work *mdl_work_woken(const struct mdl_cpu *c, const struct mdl_thread *t);

/* ---- mdl_signal.c ---- */

/* CPU sent a wake-up to T just now. */
void mdl_signal_woken(struct mdl_machine *m, uint32_t cpu, const struct mdl_thread *t);
void mdl_signal_generate(struct mdl_machine *m, const struct mdl_event *e);
/* CPU went on: the wake-up it sent last is no signal's. */
void mdl_signal_pass(struct mdl_machine *m, struct mdl_cpu *c);

/* ---- mdl_net.c: packets ---- */

/* A new m->packets. */
struct mdl_recent *mdl_net_table_new(void);
void mdl_net_queue(struct mdl_machine *m, const struct mdl_event *e);
void mdl_net_receive(struct mdl_machine *m, const struct mdl_event *e);
/* A poll of a network device ended on CPU: what it brought wakes nobody any more. */
void mdl_net_poll(struct mdl_machine *m, uint32_t cpu);

/* ---- mdl_batch.c: which packet woke ---- */

/* T sent P, itself. */
void mdl_batch_sent(struct mdl_thread *t, const struct mdl_packet *p);
/* Level L, which has yet the facts from before, received PACKET. */
void mdl_batch_add(struct mdl_batch *b, const struct mdl_level *l, const struct mdl_received *packet);
/* L wakes T: put the packet that did it in place of the last one that L received, PACKET. */
void mdl_batch_choose(struct mdl_batch *b, const struct mdl_level *l, const struct mdl_thread *t, struct mdl_received *packet);
/* T is over. */
void mdl_batch_forget(struct mdl_thread *t);

/* ---- mdl_block.c: requests of block devices ---- */

/* A bio or request event: at its completion the innermost level of the CPU has the request as a fact. */
void mdl_block_event(struct mdl_machine *m, const struct mdl_event *e);
/* ITEM, a flush of the driver, is completed on CPU now. */
void mdl_flush_note(struct mdl_machine *m, uint32_t cpu, const struct mdl_item *item);
/* The data of ITEM are given to the driver now: adds the flush before that, where there was one, to its steps. */
void mdl_flush_before(const struct mdl_machine *m, struct mdl_item *item);
/* The flush that CPU completed last in what it does now, of device DEV and given to the driver at SINCE or later; NULL none. */
const struct mdl_flush *mdl_flush_here(struct mdl_machine *m, uint32_t cpu, uint32_t dev, int64_t since);
/* Are A and B acts of one thread, or in one interrupt context? */
bool mdl_flush_same(const struct mdl_act *a, const struct mdl_act *b);
/* What ITEM waited for in FLUSH is WHAT in its steps. */
void mdl_flush_serve(struct mdl_item *item, const struct mdl_flush *flush, enum mdl_step_what what, enum mdl_grade grade);
/* R is completed by E (mdl_complete.c). */
void mdl_complete_request(struct mdl_machine *m, const struct mdl_event *e, const struct mdl_range *r);
/* The thread of C does something else now: what it completed before has nothing to do with it. */
void mdl_block_pass(struct mdl_cpu *c);

/* ---- mdl_disk.c: names of block devices ---- */

/* State dump of a block device: adds to the devices; of one that is dumped twice the first name stays. */
void mdl_disk_dumped(struct mdl_machine *m, const struct mdl_event *e);
/* The number of the disk that DEV is a partition of; DEV itself if it is none as far as is known. */
uint32_t mdl_disk_of(const struct mdl_machine *m, uint32_t dev);

/* ---- mdl_gap.c: lost events ---- */

/* From now on events of CPU may be missing. */
void mdl_gap_begin(struct mdl_machine *m, uint32_t cpu);
/* They may have been missing since LAST, the time of the CPU's last event, and are until its next one. */
void mdl_gap_end(struct mdl_machine *m, uint32_t cpu, int64_t last);
/* An event of CPU came in: if its gap was ending, it is over. */
void mdl_gap_resume(struct mdl_machine *m, uint32_t cpu);

#endif
