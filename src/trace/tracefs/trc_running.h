/* SPDX-License-Identifier: MIT */
/* Detects missing switches on a CPU that no tracer reports: each event names the thread that runs, which must
 * be the one that was switched in last. */
#ifndef TRC_RUNNING_H
#define TRC_RUNNING_H

#include "trace/core/trc_queue.h"

/* State of a CPU.  Initialise with TRC_RUNNING_UNKNOWN. */
struct trc_running {
	int64_t now; /* TID of the running thread, by the last switch or event; -1: unknown */
	/* TID that the last switch switched out, until an event of another thread comes; -1: none */
	int64_t leaving;
	int64_t left;    /* ns: when LEAVING was switched out */
	int64_t before;  /* TID that had run before the last mismatch; -1: none */
	uint64_t breaks; /* number of mismatches */
	int64_t stopper; /* TID of NOW if it is the CPU's stopper, which alone takes the CPU down; else -1 */
	bool switched;   /* a switch was recorded */
	bool just;       /* the last event is a switch */
	bool begun;      /* the model knows which thread ran before the first switch */
};
#define TRC_RUNNING_UNKNOWN                                           \
	{                                                             \
		.now = -1, .leaving = -1, .before = -1, .stopper = -1 \
	}

/* Call this before the functions below, for the next event, of KIND at TIME (ns), during which thread TID
 * ran. If the CPU of Q was off-line since its last event, it adds that to Q. There must be room for one more
 * event. */
void trc_running_wake(struct trc_running *r, struct trc_queue *q, enum mdl_kind kind, int64_t tid,
	int64_t time);
/* Call before the next event, of KIND at TIME (ns), during which thread TID ran (-1: unknown).  True if TID
 * is not the thread that was switched in, so a switch is missing.  Notes TID as running. */
bool trc_running_check(struct trc_running *r, enum mdl_kind kind, int64_t tid, int64_t time);
/* Call before trc_running_check(). True if the next event shows the running thread before the first switch
 * does: a system call is made by the running thread, and cannot come while a switch is under way. */
bool trc_running_begins(const struct trc_running *r, enum mdl_kind kind, int64_t tid);
/* Tell the model that TID runs at TIME.  There must be room for one more event. */
void trc_running_begin(struct trc_running *r, struct trc_queue *q, int64_t tid, int64_t time);
/*
 * Switches are missing before the next event, of KIND at TIME (ns): tell the model what is known of the CPU
 * of Q since its last event. For recordings that have all events of the CPU, except perhaps those of some
 * threads (set_event_pid), which came and went in between. IS_OTHER is the result of trc_running_check().
 * False: the next event is of the thread that was switched in, which may have been off the CPU in between.
 * There must be room for two more events.
 */
void trc_running_tell(const struct trc_running *r, struct trc_queue *q, int64_t time, enum mdl_kind kind,
	bool is_other);
/* Call before the next event, of KIND at TIME (ns), during which thread TID ran (-1: unknown): all of the
 * above, for recordings that have the CPU's other events. FIRST is the time of the first event of all; no
 * record may be added before it. There must be room for three more events. */
void trc_running_before(struct trc_running *r, struct trc_queue *q, enum mdl_kind kind, int64_t tid,
	int64_t time, int64_t first);
/* Call for each EVENT that is added; it may be a switch or an exec. */
void trc_running_note(struct trc_running *r, const struct mdl_event *event);
/* The running thread is unknown from here on. */
void trc_running_forget(struct trc_running *r);
/* Call at the end of Q: if switches are missing, or the CPU may have gone off-line, tell the model that the
 * running thread is unknown after the last event, and warn with their number, unless no switch was recorded
 * at all.  There must be room for one more event. */
void trc_running_end(const struct trc_running *r, struct trc_queue *q);

#endif
