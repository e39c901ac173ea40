/* SPDX-License-Identifier: MIT */
/* Off-CPU analysis: the time that threads were blocked, by the call stack in which they slept, or by that of
 * their waker; and the time that they had a CPU, by the stacks of samples (perf: cycles, cpu-clock). The
 * stacks are in the context of the scheduler's events (callstack-kernel and callstack-user of LTTng, call
 * chains of perf), or in the events that follow (stack traces of ftrace). */
#ifndef ANA_STACKS_H
#define ANA_STACKS_H

#include "base/base_progress.h"
#include "query/qry.h"

/* CPU: samples of running threads.  A thread's time on CPUs is shared equally among its samples. */
enum ana_stacks_of { ANA_STACKS_SLEEPER, ANA_STACKS_WAKER, ANA_STACKS_CPU, ANA_STACKS_N };
/* "sleeper", "waker", "cpu", as --of takes them; static. */
const char *ana_stacks_of_name(enum ana_stacks_of of);

struct ana_stacks_options {
	uint32_t row;     /* only this thread; MDL_NONE: all except idle threads */
	bool process;     /* and all other threads of its process; ROW is any of them */
	int64_t from, to; /* only the parts of waits in [FROM, TO) */
	enum ana_stacks_of of;
	/* with ROW MDL_NONE: leave out the tracer's threads; kernel threads */
	bool hide_tracer, user_threads;
};

struct ana_stack {
	const char *name; /* name of the sleeping threads; the list owns it, like all texts */
	const char *host; /* host of these threads */
	/* The waker: name of a thread, "IRQ 28 virtio2-req.0", "an interrupt".  NULL: unknown, or the stacks
	 * are the sleepers'. */
	const char *waker;
	/* Of const char *, outermost call first; empty: not recorded. If the waker is an interrupt: without
	 * the interrupted frames, if symbols show them. */
	GPtrArray *frames;
	int64_t time;         /* ns */
	uint64_t count;       /* number of waits, or samples */
	int64_t longest;      /* ns of the longest wait, within the window; 0: samples */
	int64_t longest_end;  /* end of that wait, or time of the first sample */
	uint32_t longest_row; /* row of its thread */
};

struct ana_stacks {
	enum ana_stacks_of of;
	bool several;           /* there are several hosts */
	GPtrArray *all;         /* of struct ana_stack, owned, the longest time first */
	int64_t time;           /* ns, of all */
	uint64_t with, without; /* number of waits, or samples, with a stack, and without */
	GHashTable *texts;      /* owned: names and frames, a set of char * */
};

/* The frame of the entry for all stacks beyond the number that are told apart. */
#define ANA_STACKS_FURTHER "[further stacks]"

/* True if HOST may have samples of running threads: its trace declares events of a matching counter, or only
 * reading it shows that. Only perf records them. */
bool ana_stacks_has_samples(struct qry *q, uint32_t host);

/* All stacks.  NULL with an error if a trace cannot be read or PROGRESS (may be NULL) was cancelled.  Warns
 * (qry_warn()) of symbols that do not fit. */
struct ana_stacks *ana_stacks_new(struct qry *q, const struct ana_stacks_options *options,
	struct base_progress *progress, GError **error);
void ana_stacks_free(struct ana_stacks *stacks);

/* How to record stacks OF that: the command to type (static). */
const char *ana_stacks_advice(enum ana_stacks_of of);

#endif
