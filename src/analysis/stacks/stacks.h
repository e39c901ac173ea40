/* SPDX-License-Identifier: MIT */
/*
 * Time that threads were blocked, by the stack of calls in which they slept, or in which whoever woke them
 * was: off-CPU analysis.  The stacks are in the context of the scheduler's events (callstack-kernel and
 * callstack-user of LTTng, call chains of perf), or in events behind these (stack traces of ftrace).
 */
#ifndef ANA_STACKS_H
#define ANA_STACKS_H

#include "base/base_progress.h"
#include "query/qry.h"

enum ana_stacks_of { ANA_STACKS_SLEEPER, ANA_STACKS_WAKER };

struct ana_stacks_options {
	uint32_t row;     /* only this thread; MDL_NONE all but idle threads */
	bool process;     /* and all others of its process, whose row it is */
	int64_t from, to; /* waits count as far as they lie in it */
	enum ana_stacks_of of;
	bool hide_tracer, user_threads; /* of all, leave out the tracer's own; the kernel's */
};

struct ana_stack {
	const char *name; /* of the threads that slept; owned by the list, as all texts */
	const char *host; /* theirs */
	/* Of who woke them: a thread's name, "IRQ 28 virtio2-req.0", "an interrupt"; NULL: nobody knows, or
	 * these are the sleepers' stacks. */
	const char *waker;
	GPtrArray *frames;    /* of const char *: the outermost call first; none: it was not recorded.  Of a
				 waker    that is an interrupt without what that came upon, where symbols tell */
	int64_t time;         /* ns */
	uint64_t count;       /* waits */
	int64_t longest;      /* ns of the longest of them, as far as it counts, */
	int64_t longest_end;  /* when that ended, */
	uint32_t longest_row; /* and whose it was */
};

struct ana_stacks {
	enum ana_stacks_of of;
	bool several;           /* hosts */
	GPtrArray *all;         /* of struct ana_stack, owned, the longest time first */
	int64_t time;           /* of all */
	uint64_t with, without; /* waits with a stack and without */
	GHashTable *texts;      /* names and frames: a set of char * */
};

/* The frame of stacks that are more than are told apart. */
#define ANA_STACKS_FURTHER "[further stacks]"

/* All of them.  NULL with an error where a trace cannot be read, or PROGRESS (may be NULL) was cancelled.
 * Symbols that do not fit are warned of (qry_warn()). */
struct ana_stacks *ana_stacks_new(struct qry *q, const struct ana_stacks_options *options,
	struct base_progress *progress, GError **error);
void ana_stacks_free(struct ana_stacks *stacks);

/* What to type, so that stacks are recorded; static. */
const char *ana_stacks_advice(void);

#endif
