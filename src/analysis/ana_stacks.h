/* SPDX-License-Identifier: MIT */
/*
 * Time that threads were blocked, by the stack of calls in which they slept, or in which whoever woke them
 * was: off-CPU analysis.  The stacks are in the context of the scheduler's events (callstack-kernel and
 * callstack-user of LTTng, call chains of perf).
 */
#ifndef ANA_STACKS_H
#define ANA_STACKS_H

#include "analysis/ana_symbols.h"
#include "base/base_progress.h"
#include "query/qry.h"

enum ana_stacks_of { ANA_STACKS_SLEEPER, ANA_STACKS_WAKER };

struct ana_stacks_options {
	uint32_t row;     /* only this thread; MDL_NONE all but idle threads */
	int64_t from, to; /* waits count as far as they lie in it */
	enum ana_stacks_of of;
	bool hide_tracer;                  /* of all, leave out the tracer's own */
	const struct ana_symbols *symbols; /* weak; NULL: frames are addresses */
};

struct ana_stack {
	char *name;        /* owned: of the thread that slept */
	GPtrArray *frames; /* of const char *, owned by the list; the outermost call first; none: it was not
			      recorded */
	int64_t time;      /* ns */
	uint64_t count;    /* waits */
};

struct ana_stacks {
	enum ana_stacks_of of;
	GPtrArray *all;         /* of struct ana_stack, owned, the longest time first */
	int64_t time;           /* of all */
	uint64_t with, without; /* waits with a stack and without */
	GStringChunk *texts;    /* frames */
};

/* All of them.  NULL with an error where a trace cannot be read, or PROGRESS (may be NULL) was cancelled. */
struct ana_stacks *ana_stacks_new(struct qry *q, const struct ana_stacks_options *options,
	struct base_progress *progress, GError **error);
void ana_stacks_free(struct ana_stacks *stacks);

#endif
