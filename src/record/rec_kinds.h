/* SPDX-License-Identifier: MIT */
/* The kinds of latencies that can end a recording, each from one kernel event to another. */
#ifndef REC_KINDS_H
#define REC_KINDS_H

#define REC_STEPS_MAX 5

/* Effect of an event on the case with the same key: it begins, ends or discards the case. */
enum rec_what { REC_BEGIN, REC_END, REC_GIVE_UP };
/* The key of a case: a field, the thread or the CPU of the event, or a disk and sector. */
enum rec_by { REC_BY_FIELD, REC_BY_THREAD, REC_BY_CPU, REC_BY_SECTOR };
/* Filter for sched_switch: every switch, those where prev stays runnable (preempted), those where prev
 * blocks. */
enum rec_when { REC_ALWAYS, REC_RUNNABLE, REC_BLOCKED };

struct rec_step {
	const char *event; /* "system:name"; NULL terminates the list */
	enum rec_what what;
	enum rec_by by;
	const char *field;
	enum rec_when when;
};

struct rec_kind {
	const char *name;
	struct rec_step steps[REC_STEPS_MAX];
};

/* All kinds; an entry without a name terminates the list. */
extern const struct rec_kind rec_kinds[];
/* Return the kind NAME; NULL if there is none. */
const struct rec_kind *rec_kinds_find(const char *name);

#endif
