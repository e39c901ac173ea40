/* SPDX-License-Identifier: MIT */
/* Latencies that end a recording, or that a watch keeps: their kinds, and triggers by which the kernel itself
 * ends a recording. */
#ifndef REC_UNTIL_H
#define REC_UNTIL_H

#include "record/rec.h"

/* ---- the kinds of latencies that can end a recording, each from one kernel event to another ---- */

#define REC_STEPS_MAX 5

/* Effect of an event on the case with the same key: begin it, end it, or discard it. */
enum rec_what { REC_BEGIN, REC_END, REC_GIVE_UP };
/* The key of a case: a field, the thread or the CPU of the event, or a disk and sector. */
enum rec_by { REC_BY_FIELD, REC_BY_THREAD, REC_BY_CPU, REC_BY_SECTOR };
/* Filter for sched_switch: all, those that leave prev runnable (preempted), those where prev blocks. */
enum rec_when { REC_ALWAYS, REC_RUNNABLE, REC_BLOCKED };

/* The effect of one event on the cases of a kind. */
struct rec_step {
	const char *event; /* "system:name"; NULL terminates the list */
	enum rec_what what;
	enum rec_by by;
	const char *field; /* the key, with REC_BY_FIELD */
	enum rec_when when;
};

/* A kind of latency. */
struct rec_kind {
	const char *name; /* as typed: "wakeup" */
	struct rec_step steps[REC_STEPS_MAX];
};

/* All kinds; an entry without a name terminates the list. */
extern const struct rec_kind rec_kinds[];
/* Return the kind NAME; NULL if there is none. */
const struct rec_kind *rec_kinds_find(const char *name);

/* ---- triggers: the kernel itself ends a recording, by histograms and a synthetic event ---- */

/* Suffix: the instance that measures has the name of the recording's instance with this appended. */
#define REC_TRIGGER_WATCH "-watch"

struct rec_trigger;

/* Make the kernel stop the instance NAME when a latency of UNTIL ends, and report it in the ring of
 * NAME-watch as the event rec_trigger_event().  Both instances must exist and have no triggers.  NULL if
 * this kernel cannot measure this kind, or the instance NAME does not exist; then nothing is left in the
 * kernel. */
struct rec_trigger *rec_trigger_new(const char *name, const struct rec_until *until);
/* Return the name of T's event of the system "synthetic", owned by T; its field "lat" is in ns. */
const char *rec_trigger_event(const struct rec_trigger *t);
/* Make room for new threads in the histograms; call it at least every second.  False if the measurement has
 * stopped: free T. */
bool rec_trigger_renew(struct rec_trigger *t);
/* Remove the triggers, the histograms and the event from the kernel, and free T. */
void rec_trigger_free(struct rec_trigger *t);

/* Remove everything that a killed recording left in its instance NAME-watch; the instance itself stays. */
void rec_trigger_clean(const char *watch);

/* Append the shell lines that create NAME-watch and set the triggers, or with AWAY remove both.  False if
 * triggers cannot measure UNTIL, or it has no kind. */
bool rec_trigger_tell(const char *name, const struct rec_until *until, bool away, GString *out);

#endif
