/* SPDX-License-Identifier: MIT */
/* The kinds of latencies that can end a recording: from which event of the kernel to which. */
#ifndef REC_KINDS_H
#define REC_KINDS_H

#define REC_STEPS_MAX 5

/* An event begins, ends or gives up the case of a key. */
enum rec_what { REC_BEGIN, REC_END, REC_GIVE_UP };
/* By what the case is known: a field, the thread or the CPU that the event is of, a place of a disk. */
enum rec_by { REC_BY_FIELD, REC_BY_THREAD, REC_BY_CPU, REC_BY_SECTOR };
/* Of sched_switch: any, those of a thread that goes on later, that waits for something. */
enum rec_when { REC_ALWAYS, REC_RUNNABLE, REC_BLOCKED };

struct rec_step {
	const char *event; /* "system:name"; NULL ends them */
	enum rec_what what;
	enum rec_by by;
	const char *field;
	enum rec_when when;
};

struct rec_kind {
	const char *name;
	struct rec_step steps[REC_STEPS_MAX];
};

/* All; one without a name ends them. */
extern const struct rec_kind rec_kinds[];
/* NULL: there is none of that NAME. */
const struct rec_kind *rec_kinds_find(const char *name);

#endif
