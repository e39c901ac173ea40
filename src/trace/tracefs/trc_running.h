/* SPDX-License-Identifier: MIT */
/* Whether switches of a CPU are missing, though nobody says that they were lost: each event tells who runs.
 */
#ifndef TRC_RUNNING_H
#define TRC_RUNNING_H

#include "trace/core/trc_queue.h"

/* Of a CPU.  Begins as TRC_RUNNING_UNKNOWN. */
struct trc_running {
	int64_t now;     /* TID of who runs, by the last switch or event; -1: not known */
	int64_t leaving; /* who the last switch took out, until an event of another one comes; -1 none */
	int64_t left;    /* when LEAVING did */
	int64_t before;  /* who had run when another one was found last; -1 none */
	uint64_t breaks; /* how often another one ran */
	bool switched;   /* there was a switch; */
	bool just;       /* it is the last event */
};
#define TRC_RUNNING_UNKNOWN                            \
	{                                              \
		.now = -1, .leaving = -1, .before = -1 \
	}

/* Before the next event, of KIND at TIME, during which the thread TID ran (-1: it does not tell): is that not
 * who was switched to, so that a switch is missing? */
bool trc_running_check(struct trc_running *r, enum mdl_kind kind, int64_t tid, int64_t time);
/* Where it was missing: tell the model what is known of the CPU of Q between its last event and the next one,
 * of KIND at TIME. For where the other events of the CPU are there: threads of which none are recorded
 * (set_event_pid) came and went. There must be room for two more.  Not IS_OTHER: it is who was switched to,
 * and may have been away in between. */
void trc_running_tell(const struct trc_running *r, struct trc_queue *q, int64_t time, enum mdl_kind kind,
	bool is_other);
/* EVENT follows, which may be a switch or an exec. */
void trc_running_note(struct trc_running *r, const struct mdl_event *event);
/* Who runs is not known from here on. */
void trc_running_forget(struct trc_running *r);
/* At the end of Q: where switches were missing, say how many, unless there were none at all, and tell the
 * model that who runs behind its last event is not known.  There must be room for one more. */
void trc_running_end(const struct trc_running *r, struct trc_queue *q);

#endif
