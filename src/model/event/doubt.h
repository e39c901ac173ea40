/* SPDX-License-Identifier: MIT */
/*
 * Doubts: the reasons against a statement.  A statement without any is proved: the events alone force it.
 * Each doubt is something that may have happened unseen, or that the events leave open.
 */
#ifndef MDL_DOUBT_H
#define MDL_DOUBT_H

#include <stdint.h>

/*
 * D(NAME, WORD, GROUP, SENTENCE): WORD as in JSON; GROUP: the group of events (MDL_GROUPS) that would settle
 * it, NONE if no event can; SENTENCE for people.  The order is that of the file (index-format.md): a new
 * doubt comes last.
 */
#define MDL_DOUBTS(D)                                                                                    \
	/* ---- something without an event may have come upon what ran ---- */                           \
	D(DEVICE, "device_irq", IRQ, "an interrupt of a device may have come unrecorded")                \
	D(TICK, "timer_irq", LOCAL_TIMER, "the local timer's interrupt may have come unrecorded")        \
	D(CALL, "call", CALL_SINGLE, "an IPI of another CPU may have come unrecorded")                   \
	D(UNTOLD, "untold", NONE, "the hypervisor's interrupts have no event")                           \
	D(SOFTIRQ, "softirq", SOFTIRQ, "a softirq may have run unrecorded")                              \
	D(NO_EXIT, "no_exit", NONE, "the interrupt may have been over: no exit of its kind is recorded") \
	D(INSIDE, "inside", LOCAL_TIMER, "it happened in an interrupt whose entry is not recorded")      \
	D(LOST, "lost", NONE, "events were lost in between")                                             \
	/* ---- who brought what a context did ---- */                                                   \
	D(NO_RAISE, "no_raise", RAISE, "it is not recorded who raised the softirq")                      \
	D(SHARED, "shared", NONE, "several raised or sent it, and each of them may be the cause")        \
	D(OTHER_CPU, "other_cpu", NONE, "another CPU may have added to it")                              \
	D(NO_SENDER, "no_sender", IPI_SENDER, "it is not recorded who sent the IPI")                     \
	D(NO_WAKING, "no_waking", WAKING, "sched_waking, which the waker's CPU writes, is not recorded") \
	/* ---- what the wait was for ---- */                                                            \
	D(RT_LOCK, "rt_lock", PI, "a lock of PREEMPT_RT may have been handed over")                      \
	D(WORK, "work", WORK_QUEUE, "a work item may have been queued for the worker")                   \
	D(DRIVER, "driver", NONE, "the interrupt's driver may end other things than this request")       \
	D(ALIKE, "alike", NONE, "another request or flush may be meant")                                 \
	D(ROOM, "room", NONE, "it may have waited for room in a queue")                                  \
	D(STEPS, "steps", NONE, "the request has more steps than are kept")                              \
	D(TIMER, "timer", NONE, "the timer may serve something else than this wait")                     \
	D(PACKETS, "packets", NONE, "several packets came in this poll")                                 \
	D(NO_POLL, "no_poll", NONE, "the end of the poll for packets is not recorded")                   \
	D(SIGNAL, "signal", NONE, "the sender may have woken it by something else")                      \
	D(CALLS, "syscalls", SYSCALL, "not all system calls are recorded")                               \
	D(FUTEX, "futex", NONE, "another futex, or something else in the call, may have woken it")       \
	/* ---- machines and their clocks ---- */                                                        \
	D(CLOCK, "clock", NONE, "the machines' clocks agree no better than this")                        \
	/* ---- names ---- */                                                                            \
	D(NAME, "name", NONE, "only the interrupt's name tells what it serves")                          \
	/* ---- CPU time ---- */                                                                         \
	D(QUOTA, "quota", NONE, "a quota may have held it back")                                         \
	D(CHOICE, "choice", NONE, "the scheduler's reason is not recorded")                              \
	D(MOVED, "moved", MIGRATE, "the thread may have waited for another CPU")                         \
	D(WAY, "way", NONE, "what happened on the way is not recorded")                                  \
	/* ---- unknown, not only open to doubt ---- */                                                  \
	D(UNKNOWN, "unknown", NONE, "nothing recorded tells")                                            \
	/* ---- of analyses, and of what the user says: the model raises none of these ---- */           \
	D(PROGRAM, "program", NONE, "what the program does between its calls is not recorded")           \
	D(DECLARED, "declared", NONE, "the user declared it, no event of the kernel shows it")           \
	D(FILTER, "filter", NONE, "a filter may have left out a begin or an end in between")

enum {
#define MDL_DOUBT_NR(NAME, word, group, sentence) MDL_DOUBT_NR_##NAME,
	MDL_DOUBTS(MDL_DOUBT_NR)
#undef MDL_DOUBT_NR
		MDL_DOUBTS_N
};

/* A set of doubts; 0: proved.  Doubts of a whole recording and of waits for IPIs have 32 bits in files, so they are among
 * the first 32; facts and hops can have all. */
typedef uint64_t mdl_doubts;

#define MDL_DOUBT(NAME) ((mdl_doubts)1 << MDL_DOUBT_NR_##NAME)

/* DOUBTS are possible from FROM (ns) on. */
struct mdl_hides {
	int64_t from;
	mdl_doubts doubts;
};

/* Interrupts of any kind without an event. */
#define MDL_DOUBT_INTERRUPTS (MDL_DOUBT_ARRIVALS | MDL_DOUBT(TICK))
/* Interrupts except the local timer's. Its hrtimers have events, and around those it wakes no thread that
 * waits for something else. */
#define MDL_DOUBT_ARRIVALS (MDL_DOUBT(DEVICE) | MDL_DOUBT(CALL) | MDL_DOUBT(UNTOLD))

/* How certain a statement is. */
enum mdl_grade {
	MDL_PROVED,   /* the events alone force it */
	MDL_INFERRED, /* the most likely reading of the events */
	MDL_UNSURE,   /* unknown */
	MDL_DECLARED, /* the user's statement, and nothing contradicts it */
	MDL_GRADES
};

static inline enum mdl_grade mdl_grade_of(mdl_doubts doubts)
{
	return doubts & MDL_DOUBT(UNKNOWN)      ? MDL_UNSURE
		: doubts == MDL_DOUBT(DECLARED) ? MDL_DECLARED
		: doubts                        ? MDL_INFERRED
						: MDL_PROVED;
}

/* The text of a doubt. All of it is static. */
struct mdl_doubt_text {
	const char *word;     /* as in JSON */
	const char *sentence; /* for people: without a capital, without a full stop */
	uint8_t group;        /* enum mdl_group that would settle it; MDL_GROUP_NONE: none would */
};
extern const struct mdl_doubt_text mdl_doubt_texts[MDL_DOUBTS_N];

#endif
