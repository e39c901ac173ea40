/* SPDX-License-Identifier: MIT */
/* The kinds of what a wait was for, K of cli.md; and how sure that is. */
#ifndef ANA_KIND_H
#define ANA_KIND_H

#include "model/mdl_types.h"

/* Actors of a critical path, as in cli.md. */
enum ana_actor_type {
	ANA_ACTOR_THREAD,
	ANA_ACTOR_IRQ,
	ANA_ACTOR_DEVICE,
	ANA_ACTOR_NETWORK,
	ANA_ACTOR_VCPU,
	ANA_ACTOR_UNKNOWN
};

/* Kinds of segments, as in cli.md. */
enum ana_segment_kind {
	ANA_SEG_RUNNING,
	ANA_SEG_SYSCALL,
	ANA_SEG_INTERRUPTED,
	ANA_SEG_WAIT_CPU,
	ANA_SEG_PREEMPTED,
	ANA_SEG_BLOCK,
	ANA_SEG_FLUSH,
	ANA_SEG_NETWORK,
	ANA_SEG_TIMER,
	ANA_SEG_TIMER_LATE,
	ANA_SEG_IPI,
	ANA_SEG_IRQ,
	ANA_SEG_USER_INPUT,
	ANA_SEG_VCPU_PREEMPTED,
	ANA_SEG_VCPU_EXIT,
	ANA_SEG_VM_INTERRUPT,
	ANA_SEG_BLOCKED,
	ANA_SEG_UNKNOWN,
	ANA_SEG_N
};

/* Links between the segments of a path, as in cli.md. */
enum ana_link_kind { ANA_LINK_WAKEUP, ANA_LINK_FORK, ANA_LINK_NETWORK, ANA_LINK_IPI, ANA_LINK_VM };

/* Their names in cli.md, static: "wait-cpu", "thread", "wakeup". */
const char *ana_segment_kind_name(enum ana_segment_kind kind);
const char *ana_actor_type_name(enum ana_actor_type type);
const char *ana_link_kind_name(enum ana_link_kind kind);

/*
 * All kinds, and how they are shown:
 *
 *   - its name as in cli.md; the letter of it in the explorer, and the role of
 *     its colour there (TERM_ROLE_PATH_…);
 *   - what is said of one of which nothing more is known;
 *   - how a wait that an interrupt ended stands on the critical path: kind of
 *     segment (ANA_SEG_…), whose it is (ANA_ACTOR_…), link to whom it woke
 *     (ANA_LINK_…).  RUNNING: no interrupt of its own ends waits of this kind;
 *   - whether `causes` keeps it for the thread that ended the wait, which else
 *     counts as "thread".
 *
 * A fact that tells a kind names it (analysis/wait/fact.h).  PREEMPTED, WAIT_CPU and
 * THROTTLED are of causes alone: no wake-up ends these.
 */
#define ANA_KINDS(X)                                                                                         \
	X(THREAD, "thread", 'y', RUNNING, "an unknown thread", RUNNING, THREAD, WAKEUP, false)               \
	X(BLOCK, "block", 'd', BLOCK, "a disk", BLOCK, DEVICE, WAKEUP, false)                                \
	X(NETWORK, "network", 'n', NETWORK, "the network", NETWORK, NETWORK, WAKEUP, true)                   \
	X(TIMER, "timer", 't', TIMER, "a timer", TIMER, IRQ, WAKEUP, false)                                  \
	X(IPI, "ipi", 'i', IPI, "an IPI", IPI, IRQ, IPI, false)                                              \
	X(IRQ, "irq", 'q', IRQ, "an interrupt", IRQ, IRQ, WAKEUP, false)                                     \
	X(SOFTIRQ, "softirq", 'e', INTERRUPTED, "softirqs not recorded", IRQ, IRQ, WAKEUP, false)            \
	X(USER_INPUT, "user-input", 'k', USER_INPUT, "an input device", USER_INPUT, DEVICE, WAKEUP, false)   \
	X(WORKQUEUE, "workqueue", 'j', RUNNING, "work queued by an unknown thread", RUNNING, THREAD, WAKEUP, \
		true)                                                                                        \
	X(SIGNAL, "signal", 'm', SYSCALL, "a signal of an unknown sender", RUNNING, THREAD, WAKEUP, true)    \
	X(FORK, "fork", 'c', RUNNING, "an unknown creator", RUNNING, THREAD, WAKEUP, true)                   \
	X(UNKNOWN, "unknown", '?', UNKNOWN, "not known", RUNNING, THREAD, WAKEUP, false)                     \
	X(PREEMPTED, "preempted", 'p', PREEMPTED, "a CPU", RUNNING, THREAD, WAKEUP, false)                   \
	X(WAIT_CPU, "wait-cpu", 'w', WAIT_CPU, "a CPU", RUNNING, THREAD, WAKEUP, false)                      \
	X(THROTTLED, "throttled", 'z', VCPU_PREEMPTED, "a CPU quota", RUNNING, THREAD, WAKEUP, false)

#define ANA_KIND_ID(NAME, ...) ANA_KIND_##NAME,
enum ana_kind { ANA_KINDS(ANA_KIND_ID) ANA_KIND_N };
#undef ANA_KIND_ID

struct ana_kind_look {
	const char *name;
	const char *words; /* what is said of one of which nothing more is known */
	char letter;
	uint8_t segment; /* enum ana_segment_kind; ANA_SEG_RUNNING: no interrupt ends it */
	uint8_t actor;   /* enum ana_actor_type */
	uint8_t link;    /* enum ana_link_kind */
	bool kept;       /* `causes` keeps it for the thread that ended the wait */
};

/* Static. */
const struct ana_kind_look *ana_kind_look(enum ana_kind kind);
/* "thread", "block", … of cli.md, static. */
const char *ana_kind_name(enum ana_kind kind);

enum ana_grade { ANA_PROVED, ANA_INFERRED, ANA_UNKNOWN };

enum ana_grade ana_grade_of(enum mdl_grade grade);
/* "proved", "inferred", "unknown", static. */
const char *ana_grade_name(enum ana_grade grade);

#endif
