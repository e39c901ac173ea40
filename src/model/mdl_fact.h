/* SPDX-License-Identifier: MIT */
/*
 * What is known of a wake-up beyond who sent it: its facts, and the chain that led to it.
 *
 * MDL_FACTS is the one list of facts.  Each has a struct here, and for each
 * folder of the house that has to know more than that one object named after it,
 * without which the program does not link: mdl_fact_NAME (how it is collected,
 * stored and checked), ana_fact_NAME (what it means, in words) and
 * exp_fact_NAME (JSON).
 */
#ifndef MDL_FACT_H
#define MDL_FACT_H

#include "model/mdl_types.h"

#include <stddef.h>

/* Operation of a block request. */
enum mdl_block_op {
	MDL_OP_UNKNOWN,
	MDL_OP_READ,
	MDL_OP_WRITE,
	MDL_OP_FLUSH,
	MDL_OP_DISCARD,
	MDL_OP_OTHER,
	MDL_OPS
};
/* "read", "write", "flush", "discard", "other", static; NULL for unknown. */
const char *mdl_op_name(enum mdl_block_op op);

/* What a request spends its time with between being queued and being completed. */
enum mdl_step_what {
	MDL_STEP_QUEUE,        /* waits to be given to the driver, for whatever reason */
	MDL_STEP_FLUSH_BEFORE, /* the device's cache is flushed before the data are written; all that a write
				  without data asks for */
	MDL_STEP_DEVICE,       /* the driver has it */
	/* The cache is flushed once more, where the device cannot write through it (FUA). */
	MDL_STEP_FLUSH_AFTER,
	MDL_STEP_REQUEUE, /* the driver gave it back; until it is given to it again */
	MDL_STEPS
};
struct mdl_step {
	int64_t to;    /* it goes from the end of the step before, or the request's begin, to here */
	uint8_t what;  /* enum mdl_step_what */
	uint8_t grade; /* enum mdl_grade */
};
#define MDL_STEPS_MAX 12 /* a request that is given back more often has rounds of that as one step */

/* A block request that completed just before the wake-up. */
struct mdl_request {
	uint32_t dev;    /* as the kernel numbers it: major << 20 | minor */
	uint64_t sector; /* first one; MDL_SECTOR_NONE: a request without data (a flush) */
	uint64_t bytes;  /* 0 unknown */
	uint8_t op;      /* enum mdl_block_op */
	uint8_t grade;   /* enum mdl_grade: that the wait was for this one */
	uint16_t merged; /* how many bios it served besides the first */
	int64_t queued, inserted, issued, completed; /* MDL_NEVER: not recorded */
	struct mdl_act submitter;                    /* who queued it */
	struct mdl_act issuer;                       /* who gave it to the driver */
	int64_t begin;    /* of the first step: when it was queued, else the first that is known of it */
	unsigned n_steps; /* 0: not known; else they go from BEGIN to COMPLETED, none of them empty */
	struct mdl_step steps[MDL_STEPS_MAX];
};
#define MDL_SECTOR_NONE UINT64_MAX

/* The packet in whose reception the wake-up was sent. */
struct mdl_received {
	struct mdl_packet packet;
	uint32_t device; /* string id of the interface's name */
	int64_t time;    /* when it was received */
	uint8_t grade;   /* enum mdl_grade: that it was this one; others came with it */
	/* Who queued it on this same host (loopback, bridge); time MDL_NEVER: not here. */
	struct mdl_act sender;
	bool handed; /* it was handed over, or on, within this host, by no card; not stored */
};

/* A timer (hrtimer or timer wheel). */
struct mdl_timer {
	uint64_t function; /* address of the callback; 0 unknown */
	bool expired;  /* true: it expired and so ended the wait; false: a time-out that the thread had armed,
			  and that was not needed */
	uint8_t grade; /* enum mdl_grade: that it ended the wait, or was its time-out */
	bool wheel;    /* of the timer wheel, which keeps time to ticks; else an hrtimer */
	int64_t expired_at; /* MDL_NEVER: not expired */
	int64_t due;        /* when it was to have expired at the latest, never before it was armed for that;
			       MDL_NEVER: not known, or not expired */
	int64_t slack;      /* with DUE: ns before it in which it might expire, too, and was not early */
	uint32_t cpu;       /* with EXPIRED: on which CPU, where it was pending */
	struct mdl_act armed; /* who armed it and when; time MDL_NEVER: not seen */
};

/* An item of work that was being executed by the waking thread, or that woke a worker. */
struct mdl_work {
	uint64_t function; /* address; 0 unknown */
	/* When its execution began; MDL_NEVER: it was just queued (the woken thread is the worker). */
	int64_t started;
	struct mdl_act queued; /* who queued it; time MDL_NEVER: not seen */
};

/* A signal that was sent with the wake-up. */
struct mdl_signal {
	uint32_t number;
	uint8_t grade; /* enum mdl_grade: that it was the signal, not what its sender did before */
	struct mdl_act sender;
};

/* Where the wake-up arrived when it crossed CPUs: sched_wakeup on another CPU than sched_waking. */
struct mdl_arrival {
	int64_t time; /* of the sched_wakeup */
	uint32_t cpu;
	uint32_t context; /* the IPI there; MDL_NONE: none recorded */
	int64_t entry;    /* of that */
};

/* How a futex was released. */
enum mdl_futex_by {
	MDL_FUTEX_BY_WAKE,
	MDL_FUTEX_BY_WAKE_OP,
	MDL_FUTEX_BY_REQUEUE, /* the others that waited for it were moved to another one */
	MDL_FUTEX_BY_UNLOCK_PI,
	MDL_FUTEX_BY_REQUEUE_PI,
	MDL_FUTEX_BY_EXIT, /* the thread ended */
	MDL_FUTEX_BYS
};

/* The futex for which a thread waited, and which the one that woke it released. */
struct mdl_futex {
	uint64_t address;             /* where the waiter has it */
	uint8_t by;                   /* enum mdl_futex_by */
	uint8_t grade;                /* enum mdl_grade: that it was this one */
	struct mdl_act waiter, waker; /* their calls of futex(2); the waker's time MDL_NEVER: it made none, or
					 it was not recorded */
};

/* How an interrupt for a guest was raised. */
enum mdl_virq_by {
	MDL_VIRQ_BY_UNKNOWN, /* nothing tells; the guest's own timer has no more than that */
	MDL_VIRQ_BY_MSI,     /* by a message */
	MDL_VIRQ_BY_LINE,    /* by a line of an interrupt controller */
	MDL_VIRQ_BY_IPI,     /* by another virtual CPU */
	MDL_VIRQ_BYS
};

/* The interrupt that is posted into a guest: the wake-up is of a virtual CPU, not of a thread (mdl_virq.c).
 */
struct mdl_virq {
	uint32_t vector;
	uint8_t by;    /* enum mdl_virq_by */
	uint8_t grade; /* enum mdl_grade: that it is for this virtual CPU, and was taken when it ran */
};

/*
 * All facts: the name of its bit, its member of struct mdl_facts, that one's
 * type.  Their order is that of the index file and of JSON.  PENDING: softirqs
 * (1 << vector) that were raised and had not run, for which the woken thread,
 * ksoftirqd, is there.
 */
#define MDL_FACTS(X)                            \
	X(REQUEST, request, struct mdl_request) \
	X(PACKET, packet, struct mdl_received)  \
	X(TIMER, timer, struct mdl_timer)       \
	X(WORK, work, struct mdl_work)          \
	X(SIGNAL, signal, struct mdl_signal)    \
	X(PENDING, pending, uint32_t)           \
	X(ARRIVAL, arrival, struct mdl_arrival) \
	X(FUTEX, futex, struct mdl_futex)       \
	X(VIRQ, virq, struct mdl_virq)

/* MDL_FACT_NR_…: place of a fact in the list. */
#define MDL_FACT_NR(NAME, member, type) MDL_FACT_NR_##NAME,
enum mdl_fact_nr { MDL_FACTS(MDL_FACT_NR) MDL_FACTS_N };
#undef MDL_FACT_NR

/* MDL_FACT_…: which facts a cause has (bits). */
#define MDL_FACT_BIT(NAME, member, type) MDL_FACT_##NAME = 1 << MDL_FACT_NR_##NAME,
enum mdl_fact { MDL_FACTS(MDL_FACT_BIT) };
#undef MDL_FACT_BIT

/* What was going on where a wake-up was sent. */
#define MDL_FACT_MEMBER(NAME, member, type) type member;
struct mdl_facts {
	unsigned has; /* enum mdl_fact */
	MDL_FACTS(MDL_FACT_MEMBER)
};
#undef MDL_FACT_MEMBER

/*
 * Why a wait ended, beyond what the wake-up itself tells.  Kept apart from it
 * because most wake-ups come straight from a thread and have none.
 */
struct mdl_cause {
	struct mdl_chain chain; /* from the origin to the wake-up; the last hop is who sent it; empty: not
				   known better than by the wake-up */
	struct mdl_facts facts;
	bool lossy; /* events were lost between its first fact and the wake-up: nothing in it is proved */
};

/* ---- what there is to know of a fact ---- */

/* What a field of a fact is: how it is stored, and which times are told anew by another clock. */
enum mdl_field_type {
	MDL_FIELD_END,
	MDL_FIELD_FLAG,   /* bool */
	MDL_FIELD_CHOICE, /* uint8_t below LIMIT */
	MDL_FIELD_U16,    /* uint16_t */
	MDL_FIELD_U32,    /* uint32_t */
	MDL_FIELD_U64,    /* uint64_t */
	MDL_FIELD_WORD, /* uint64_t of which the largest are as usual as the smallest: addresses; all bits set
			 */
	MDL_FIELD_TIME, /* int64_t, MDL_NEVER */
	MDL_FIELD_LENGTH,  /* int64_t, ns, not negative */
	MDL_FIELD_CPU,     /* uint32_t, MDL_NONE */
	MDL_FIELD_STRING,  /* uint32_t: string id */
	MDL_FIELD_CONTEXT, /* uint32_t: context id, MDL_NONE */
	MDL_FIELD_ACT,     /* struct mdl_act */
	MDL_FIELD_PACKET,  /* struct mdl_packet */
	MDL_FIELD_STEPS,   /* struct mdl_request: its begin and steps */
};

struct mdl_field {
	uint16_t at;   /* offset in struct mdl_facts */
	uint8_t type;  /* enum mdl_field_type */
	uint8_t limit; /* of MDL_FIELD_CHOICE */
	uint16_t size; /* of the member: it has to be that of its type (test_fact.c) */
};
#define MDL_FIELD_SIZE(member) sizeof(((struct mdl_facts *)0)->member)
#define MDL_FIELD(type, member)                                                     \
	{                                                                           \
		offsetof(struct mdl_facts, member), type, 0, MDL_FIELD_SIZE(member) \
	}
#define MDL_FIELD_BELOW(limit, member)                                                              \
	{                                                                                           \
		offsetof(struct mdl_facts, member), MDL_FIELD_CHOICE, limit, MDL_FIELD_SIZE(member) \
	}

struct mdl_level;
struct mdl_machine;
struct mdl_thread;

/* Offsets in struct mdl_facts of times, MDL_NEVER where there is none; 0, which is no time, ends a list. */
struct mdl_fact_ops {
	/*
	 * Add what there is of it to FACTS, what happened in level L of CPU, which wakes T now.  NULL: it is
	 * there, or comes later.
	 */
	void (*collect)(struct mdl_machine *m, uint32_t cpu, const struct mdl_level *l,
		const struct mdl_thread *t, struct mdl_facts *facts);
	struct mdl_field fields[16]; /* all of it, as it is stored; ends with MDL_FIELD_END */
	size_t when;                 /* of when it was; 0: it has no time */
	size_t grade;                /* of its enum mdl_grade (uint8_t); 0: it is as sure as the chain */
	size_t joined[4]; /* of events that were found by a number that is used again: what was lost since may
			     have replaced them */
	size_t order[4];  /* they do not step back, and lie in the trace */
	bool (*check)(const struct mdl_facts *facts, int64_t from); /* what else must hold in a trace that
								       begins at FROM; NULL: nothing */
};

/* mdl_fact_request, … */
#define MDL_FACT_OPS(NAME, member, type) extern const struct mdl_fact_ops mdl_fact_##member;
MDL_FACTS(MDL_FACT_OPS)
#undef MDL_FACT_OPS

/* All of them, by enum mdl_fact_nr. */
extern const struct mdl_fact_ops *const mdl_fact_all[MDL_FACTS_N];

/* What lies at offset AT of FACTS. */
static inline void *mdl_fact_at(struct mdl_facts *facts, size_t at)
{
	return (char *)facts + at;
}
static inline const void *mdl_fact_peek(const struct mdl_facts *facts, size_t at)
{
	return (const char *)facts + at;
}

struct mdl_cpu;

/* Is T a worker of a pool, and woken by who queues an item for it?  Rescuers ("kworker/R-…", before Linux 6.8
 * named after their workqueue) are woken by a timer (kernel/workqueue.c: pool_mayday_timeout()). */
bool mdl_fact_is_worker(const struct mdl_thread *t);
/* Such a one, that can wait for an item?  In the middle of one it waits for something else, in other states
 * than worker_thread() rests in (TASK_IDLE, before Linux 4.14 TASK_INTERRUPTIBLE). */
bool mdl_fact_awaits_work(const struct mdl_thread *t);
/* Such a one, where it is not recorded what is queued: it is woken for an item by whom it is woken
 * (kick_pool()), or another worker wakes it, for an item or to end (wake_dying_workers()). */
bool mdl_fact_guesses_work(const struct mdl_machine *m, const struct mdl_thread *t);
/* The item of work for which T is woken on C now; NULL: for none that is known. */
const struct mdl_work *mdl_fact_woken(const struct mdl_cpu *c, const struct mdl_thread *t);
/* "queue", "flush-before", … of cli.md, static. */
const char *mdl_step_name(enum mdl_step_what what);

#endif
