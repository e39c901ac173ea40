/* SPDX-License-Identifier: MIT */
/* The kinds of things that a wait can be for (K in cli.md), how sure a kind is, and the words for them. */
#ifndef ANA_KIND_H
#define ANA_KIND_H

#include "model/event/types.h"
#include "query/qry.h"

/* Actors of a critical path, see cli.md. */
enum ana_actor_type {
	ANA_ACTOR_THREAD,
	ANA_ACTOR_IRQ,
	ANA_ACTOR_DEVICE,
	ANA_ACTOR_NETWORK,
	ANA_ACTOR_VCPU,
	ANA_ACTOR_UNKNOWN
};

/* Kinds of segments, see cli.md. */
enum ana_segment_kind {
	ANA_SEG_RUNNING,
	ANA_SEG_SYSCALL,
	ANA_SEG_INTERRUPTED,
	ANA_SEG_WAIT_CPU,
	ANA_SEG_PREEMPTED,
	ANA_SEG_THROTTLED,
	ANA_SEG_BLOCK,
	ANA_SEG_FLUSH,
	ANA_SEG_NETWORK,
	ANA_SEG_TIMER,
	ANA_SEG_TIMER_LATE,
	ANA_SEG_IPI,
	ANA_SEG_IPI_WAIT,
	ANA_SEG_WAITING,
	ANA_SEG_IRQ,
	ANA_SEG_USER_INPUT,
	ANA_SEG_VCPU_PREEMPTED,
	ANA_SEG_VCPU_EXIT,
	ANA_SEG_VM_INTERRUPT,
	ANA_SEG_SUSPEND,
	ANA_SEG_BLOCKED,
	ANA_SEG_UNKNOWN,
	ANA_SEG_N
};

/* Links between the segments of a path, see cli.md. */
enum ana_link_kind {
	ANA_LINK_WAKEUP,
	ANA_LINK_FORK,
	ANA_LINK_NETWORK,
	ANA_LINK_IPI,
	ANA_LINK_VM,
	ANA_LINK_DECLARED
};

/* Names in cli.md, static: "wait-cpu" of a segment, "thread" of an actor, "wakeup" of a link. */
const char *ana_segment_kind_name(enum ana_segment_kind kind);
const char *ana_actor_type_name(enum ana_actor_type type);
const char *ana_link_kind_name(enum ana_link_kind kind);

/*
 * All kinds, and how they are shown, X(NAME, …):
 * - its name in cli.md; its letter in the explorer; its colour there (TERM_ROLE_PATH_…);
 * - the text shown if nothing more is known;
 * - how the critical path shows a wait of this kind that an interrupt ended: kind of segment (ANA_SEG_…),
 *   actor (ANA_ACTOR_…), link to the wakee (ANA_LINK_…). RUNNING: no interrupt ends such waits;
 * - true: `causes` keeps the kind if a thread ended the wait; false: it counts as "thread".
 *
 * A fact that shows a kind names it (analysis/wait/fact.h).  PREEMPTED, WAIT_CPU, THROTTLED, IPI_WAIT,
 * WAITING and MEMORY do not come from a wake-up: only `causes` has them, and struct ana_segment.via.
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
	X(SUSPEND, "suspended", '=', SUSPEND, "a suspend", SUSPEND, DEVICE, WAKEUP, false)                   \
	X(HOTPLUG, "hotplug", '#', RUNNING, "a CPU that goes off-line or comes on-line", RUNNING, THREAD,    \
		WAKEUP, true)                                                                                \
	X(UNKNOWN, "unknown", '?', UNKNOWN, "not known", RUNNING, THREAD, WAKEUP, false)                     \
	X(PREEMPTED, "preempted", 'p', PREEMPTED, "a CPU", RUNNING, THREAD, WAKEUP, false)                   \
	X(WAIT_CPU, "wait-cpu", 'w', WAIT_CPU, "a CPU", RUNNING, THREAD, WAKEUP, false)                      \
	X(THROTTLED, "throttled", 'z', THROTTLED, "a CPU quota", RUNNING, THREAD, WAKEUP, false)             \
	X(IPI_WAIT, "ipi-wait", '&', IPI_WAIT, "other CPUs", RUNNING, THREAD, WAKEUP, false)                 \
	X(WAITING, "waiting", '~', WAITING, "what its program tells", RUNNING, THREAD, DECLARED, false)      \
	X(MEMORY, "memory", '@', BLOCKED, "the kernel's work for memory", RUNNING, THREAD, WAKEUP, false)

#define ANA_KIND_ID(NAME, ...) ANA_KIND_##NAME,
enum ana_kind { ANA_KINDS(ANA_KIND_ID) ANA_KIND_N };
#undef ANA_KIND_ID

struct ana_kind_look {
	const char *name;
	const char *words; /* text shown if nothing more is known */
	char letter;
	uint8_t segment; /* enum ana_segment_kind; ANA_SEG_RUNNING: no interrupt ends such waits */
	uint8_t actor;   /* enum ana_actor_type */
	uint8_t link;    /* enum ana_link_kind */
	bool kept;       /* `causes` keeps it if a thread ended the wait */
};

/* How KIND is shown, static: its line of ANA_KINDS. */
const struct ana_kind_look *ana_kind_look(enum ana_kind kind);
/* Name in cli.md, static: "thread", "block", …. */
const char *ana_kind_name(enum ana_kind kind);

/* The grade of a statement with DOUBTS, static: "proved", "inferred", "unknown", "declared". */
const char *ana_grade_name(mdl_doubts doubts);
/* " (inferred)", " (declared)" or "" for a statement with DOUBTS, static. */
const char *ana_grade_mark(mdl_doubts doubts);
/* DOUBTS in their order, each as the word that JSON has, or as a sentence.  A new array of static strings. */
GPtrArray *ana_doubts_list(mdl_doubts doubts, bool sentences);
/* DOUBTS as one text, "word word" or "sentence; sentence"; NULL if there are none.  The caller frees. */
char *ana_doubts_text(mdl_doubts doubts, bool sentences);

/* ---- facts of causes as text, without the kind in front (char *: the caller frees) ---- */

/* "thread wk-client[595]", "IRQ 28 virtio2-req.0", "ipi call_function_single", "softirq BLOCK", "hrtimer". */
char *ana_words_act(const struct qry *q, uint32_t host, const struct mdl_act *act);
/* "irq 28 virtio2-req.0 > softirq BLOCK", see ana_words_act(); "" for an empty chain. */
char *ana_words_chain(const struct qry *q, uint32_t host, const struct mdl_chain *chain);
/* "60 bytes on lo, from wk-client[595]". */
char *ana_words_carried(struct qry *q, uint32_t host, const struct mdl_received *r);
/* "127.0.0.1:52816 > 127.0.0.1:7000 seq 4198286643"; NULL if the headers were not recorded. */
char *ana_words_packet(const struct mdl_packet *p);
/* The function of HOST's kernel at ADDRESS by name, or "0xffffffff81000000" without symbols.  The caller
 * frees. */
char *ana_words_function(struct qry *q, uint32_t host, uint64_t address);

/* Static: "read", "write", …; "request" for an unknown operation. */
const char *ana_words_operation(enum mdl_block_op op);
/* The virtio device that DEVICE, the name of a disk or IRQ (NULL: none), belongs to: "virtio block", "virtio
 * net", …, "virtio"; NULL if it is none. */
const char *ana_words_virtio(const char *device);
/* An address in the form of inet_ntop(3); "?" for VERSION 0, as in struct mdl_packet. */
char *ana_words_address(unsigned version, const uint8_t address[16]);
/* "127.0.0.1:7000", "[::1]:7000". */
char *ana_words_endpoint(unsigned version, const uint8_t address[16], uint16_t port);
/* "ALRM" for 14 (numbers of x86 and arm); NULL for a number without a name. */
const char *ana_words_signal_name(uint32_t number);

/* ---- threads that do the same work under one name ---- */

/*
 * The name that a thread called NAME shares with the threads that do the same work.  The caller frees.  It is
 * NAME itself, except for kernel threads: a star replaces the CPU number of per-CPU threads ("ksoftirqd/1")
 * and the numbers of workers.  Workers stay separate by kind, as kernel/workqueue.c names them: bound to a
 * CPU ("kworker/1:0"), of high priority ("kworker/1:0H"), unbound ("kworker/u4:2").
 */
char *ana_group_name(const char *name);
/* The group of threads whose control group is unknown. */
#define ANA_NO_CGROUP "no cgroup known"

#endif
