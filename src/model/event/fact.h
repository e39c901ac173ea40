/* SPDX-License-Identifier: MIT */
/*
 * Knowledge about a wake-up besides its sender: its facts, and the chain that led to it.
 *
 * MDL_FACTS is the only list of facts.  Each fact has a struct here.  Each folder that must know more has one
 * object named after the fact, without which the program does not link: mdl_fact_NAME (how it is collected,
 * stored and checked), ana_fact_NAME (what it means, in words) and table_fact_NAME (JSON).
 */
#ifndef MDL_FACT_H
#define MDL_FACT_H

#include "model/event/types.h"

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

/* How a request spends its time between being queued and being completed. */
enum mdl_step_what {
	MDL_STEP_QUEUE, /* waits to be given to the driver, for any reason */
	/* The device flushes its cache before it writes data. A write without data needs nothing else. */
	MDL_STEP_FLUSH_BEFORE,
	MDL_STEP_DEVICE, /* the driver has it */
	/* The device flushes its cache again, because it cannot write through it (FUA). */
	MDL_STEP_FLUSH_AFTER,
	MDL_STEP_REQUEUE, /* the driver gave it back; until the driver gets it again */
	MDL_STEPS
};
struct mdl_step {
	int64_t to;   /* ns: end.  It begins at the end of the step before, or at the request's begin. */
	uint8_t what; /* enum mdl_step_what */
	mdl_doubts doubts;
};
/* If a request is given back more often, several rounds become one step. */
#define MDL_STEPS_MAX 12

/* A block request that completed just before the wake-up. */
struct mdl_request {
	uint32_t dev;      /* as the kernel numbers it: major << 20 | minor */
	uint64_t sector;   /* first sector; MDL_SECTOR_NONE: a request without data (a flush) */
	uint64_t bytes;    /* 0: unknown */
	uint8_t op;        /* enum mdl_block_op */
	mdl_doubts doubts; /* that the wait was for this request */
	uint16_t merged;   /* number of bios that it served besides the first */
	int64_t queued, inserted, issued, completed; /* ns; MDL_NEVER: not recorded */
	struct mdl_act submitter;                    /* the act that queued it */
	struct mdl_act issuer;                       /* the act that gave it to the driver */
	int64_t begin; /* ns: begin of the first step: when it was queued, otherwise its first known time */
	unsigned n_steps; /* 0: unknown; otherwise the steps cover BEGIN to COMPLETED, and none is empty */
	struct mdl_step steps[MDL_STEPS_MAX];
};
#define MDL_SECTOR_NONE UINT64_MAX

/* The packet during whose reception the wake-up was sent. */
struct mdl_received {
	struct mdl_packet packet;
	uint32_t device;   /* string id of the interface's name */
	int64_t time;      /* ns: when it was received */
	mdl_doubts doubts; /* that it was this packet */
	/* The act that queued it on this same host (loopback, bridge); its time is MDL_NEVER if it was not
	 * queued here. */
	struct mdl_act sender;
	bool handed; /* it came from this host or was forwarded, not from a card; not stored */
};

/* A timer (hrtimer or timer wheel). */
struct mdl_timer {
	uint64_t function; /* address of the callback; 0: unknown */
	/* True: it expired and so ended the wait.  False: a time-out that the thread had armed and did not
	 * need. */
	bool expired;
	mdl_doubts doubts;  /* that it ended the wait, or was its time-out */
	bool wheel;         /* from the timer wheel, whose unit is the tick; otherwise an hrtimer */
	int64_t expired_at; /* ns; MDL_NEVER: it did not expire */
	/* ns: the latest time at which it should have expired, never before it was armed for that; MDL_NEVER:
	 * unknown, or it did not expire */
	int64_t due;
	int64_t slack;        /* with DUE: ns before DUE in which its expiry is not early */
	uint32_t cpu;         /* with EXPIRED: the CPU on which it was pending and expired */
	struct mdl_act armed; /* the act that armed it; time MDL_NEVER: not seen */
};

/* A work item that the waking thread executes, or that was queued and woke a worker. */
struct mdl_work {
	uint64_t function; /* address; 0: unknown */
	/* ns: when its execution began; MDL_NEVER: it was just queued (the woken thread is the worker). */
	int64_t started;
	struct mdl_act queued; /* the act that queued it; time MDL_NEVER: not seen */
};

/* A signal that was sent with the wake-up. */
struct mdl_signal {
	uint32_t number;
	mdl_doubts doubts; /* that the signal sent the wake-up, not an earlier act of its sender */
	struct mdl_act sender;
};

/* The place where a wake-up that crossed CPUs arrived: sched_wakeup on another CPU than sched_waking. */
struct mdl_arrival {
	int64_t time; /* ns: time of the sched_wakeup */
	uint32_t cpu;
	uint32_t context; /* the IPI there; MDL_NONE: none recorded */
	int64_t entry;    /* ns: entry of the IPI */
};

/* How a futex was released. */
enum mdl_futex_by {
	MDL_FUTEX_BY_WAKE,
	MDL_FUTEX_BY_WAKE_OP,
	MDL_FUTEX_BY_REQUEUE, /* the other waiters were moved to another futex */
	MDL_FUTEX_BY_UNLOCK_PI,
	MDL_FUTEX_BY_REQUEUE_PI,
	MDL_FUTEX_BY_EXIT, /* the thread ended */
	MDL_FUTEX_BYS
};

/* The futex for which a thread waited, and which its waker released. */
struct mdl_futex {
	uint64_t address;  /* address in the waiter's process */
	uint8_t by;        /* enum mdl_futex_by */
	mdl_doubts doubts; /* that it was this futex */
	/* Their calls of futex(2).  The waker's time is MDL_NEVER if it made no call, or if the call was not
	 * recorded. */
	struct mdl_act waiter, waker;
};

/* How an interrupt for a guest was raised. */
enum mdl_virq_by {
	MDL_VIRQ_BY_UNKNOWN, /* unknown; always so for the guest's own timer */
	MDL_VIRQ_BY_MSI,     /* by a message */
	MDL_VIRQ_BY_LINE,    /* by a line of an interrupt controller */
	MDL_VIRQ_BY_IPI,     /* by another virtual CPU */
	MDL_VIRQ_BYS
};

/* An interrupt that is posted into a guest: the wake-up is of a virtual CPU, not of a thread
 * (guest/virq.c). */
struct mdl_virq {
	uint32_t vector;
	uint8_t by;        /* enum mdl_virq_by */
	mdl_doubts doubts; /* that it is for this virtual CPU, which took it when it ran */
};

/* The role of a suspend of the machine in a wake-up. */
enum mdl_suspend_by {
	MDL_SUSPEND_BY_FREEZE, /* the thread is woken to be frozen */
	MDL_SUSPEND_BY_THAW,   /* it was frozen, and is thawed */
	MDL_SUSPEND_BY_OTHER,  /* it was frozen for a part of the wait; something else ends the wait */
	MDL_SUSPEND_BYS
};

/* A suspend of the machine, which freezes user threads (power/power.c). */
struct mdl_suspend {
	uint8_t by;        /* enum mdl_suspend_by */
	mdl_doubts doubts; /* that the thread was frozen, or is woken to be frozen */
	int64_t begin;     /* ns: when the freezing of all threads began; MDL_NEVER: not recorded */
	/* ns: when this thread was frozen at the earliest; MDL_NEVER: not recorded, or FREEZE */
	int64_t from;
	struct mdl_act
		act; /* of the suspending thread: it begins to thaw, or with FREEZE to freeze, all threads */
	/* ns for which time-keeping was stopped, at least and at most, by this clock; MOST 0: unknown */
	int64_t least, most;
};

/* ns: a shorter stop of time-keeping has an unknown length if the clock may stop, too. */
#define MDL_STOP_TOLD 1000000

/* A step of taking a CPU off-line or bringing it on-line, in which a thread waited for that CPU's own thread
 * to do its part (power/hotplug.c). */
struct mdl_hotplug {
	uint32_t cpu;
	bool up;           /* it comes on-line */
	uint32_t step;     /* number in enum cpuhp_state of this kernel */
	mdl_doubts doubts; /* that the wait was for this */
	uint64_t function; /* address of what the step calls; 0: unknown */
	int64_t entered;   /* ns */
};

/*
 * All facts: name of the bit, member of struct mdl_facts, type of the member.  The index file and JSON have
 * them in this order.  PENDING: softirqs (1 << vector) that were raised and had not run, and for which
 * ksoftirqd was woken.
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
	X(VIRQ, virq, struct mdl_virq)          \
	X(SUSPEND, suspend, struct mdl_suspend) \
	X(HOTPLUG, hotplug, struct mdl_hotplug)

/* MDL_FACT_NR_…: place of a fact in the list. */
#define MDL_FACT_NR(NAME, member, type) MDL_FACT_NR_##NAME,
enum mdl_fact_nr { MDL_FACTS(MDL_FACT_NR) MDL_FACTS_N };
#undef MDL_FACT_NR

/* MDL_FACT_…: the facts of a cause (bits). */
#define MDL_FACT_BIT(NAME, member, type) MDL_FACT_##NAME = 1 << MDL_FACT_NR_##NAME,
enum mdl_fact { MDL_FACTS(MDL_FACT_BIT) };
#undef MDL_FACT_BIT

/* The facts of the level that sent a wake-up. */
#define MDL_FACT_MEMBER(NAME, member, type) type member;
struct mdl_facts {
	unsigned has; /* enum mdl_fact */
	MDL_FACTS(MDL_FACT_MEMBER)
};
#undef MDL_FACT_MEMBER

/* Why a wait ended, beyond what the wake-up itself says.  Kept apart because most wake-ups come straight from
 * a thread and have no cause. */
struct mdl_cause {
	/* From the origin to the wake-up; the last hop is the sender.  Empty: nothing is known beyond the
	 * wake-up. */
	struct mdl_chain chain;
	struct mdl_facts facts;
	bool lossy; /* events were lost between its first fact and the wake-up: nothing in it is proved */
};

/* ---- the description of a fact ---- */

/* Type of a field of a fact: how it is stored, and whether it is a time that is converted to another
 * clock. */
enum mdl_field_type {
	MDL_FIELD_END,
	MDL_FIELD_FLAG,   /* bool */
	MDL_FIELD_CHOICE, /* uint8_t below LIMIT */
	MDL_FIELD_U16,    /* uint16_t */
	MDL_FIELD_U32,    /* uint32_t */
	MDL_FIELD_U64,    /* uint64_t */
	/* uint64_t whose largest values are as common as the smallest: addresses; all bits set */
	MDL_FIELD_WORD,
	MDL_FIELD_TIME,    /* int64_t in ns, MDL_NEVER */
	MDL_FIELD_LENGTH,  /* int64_t in ns, not negative */
	MDL_FIELD_CPU,     /* uint32_t, MDL_NONE */
	MDL_FIELD_STRING,  /* uint32_t: string id */
	MDL_FIELD_CONTEXT, /* uint32_t: context id, MDL_NONE */
	MDL_FIELD_ACT,     /* struct mdl_act */
	MDL_FIELD_PACKET,  /* struct mdl_packet */
	MDL_FIELD_STEPS,   /* struct mdl_request: its begin and steps */
	MDL_FIELD_DOUBTS,  /* mdl_doubts */
};

struct mdl_field {
	uint16_t at;   /* offset in struct mdl_facts */
	uint8_t type;  /* enum mdl_field_type */
	uint8_t limit; /* of MDL_FIELD_CHOICE */
	uint16_t size; /* bytes of the member; must be the size of its type (test_fact.c) */
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

/* Offsets are in struct mdl_facts.  Those of times point to MDL_NEVER if there is no time.  Offset 0, which
 * is no time, ends a list. */
struct mdl_fact_ops {
	struct mdl_field fields[16]; /* all of it as stored; ends with MDL_FIELD_END */
	size_t when;                 /* offset of its time; 0: it has no time */
	size_t doubts;               /* offset of its mdl_doubts; 0: it is as certain as the chain */
	/* Offsets of times of events that were found by a number which the kernel uses again: lost events
	 * since then may have replaced them. */
	size_t joined[4];
	size_t order[4]; /* offsets of times that never decrease and lie in the trace */
	/* Other conditions in a trace that begins at FROM; NULL: none. */
	bool (*check)(const struct mdl_facts *facts, int64_t from);
};

#define MDL_FACT_OPS(NAME, member, type) extern const struct mdl_fact_ops mdl_fact_##member;
MDL_FACTS(MDL_FACT_OPS)
#undef MDL_FACT_OPS

/* All of them, by enum mdl_fact_nr. */
extern const struct mdl_fact_ops *const mdl_fact_all[MDL_FACTS_N];

/* Pointer to offset AT of FACTS. */
static inline void *mdl_fact_at(struct mdl_facts *facts, size_t at)
{
	return (char *)facts + at;
}
static inline const void *mdl_fact_peek(const struct mdl_facts *facts, size_t at)
{
	return (const char *)facts + at;
}

/* "queue", "flush-before", … as in cli.md, static. */
const char *mdl_step_name(enum mdl_step_what what);

#endif
