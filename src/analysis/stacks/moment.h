/* SPDX-License-Identifier: MIT */
/* Call stacks for the parts of a thread's account: the stack at one event of the part.  A part in which a
 * thread had a CPU has the stack of that thread's first event with one (like rtla's stack of the blocking
 * thread).  A part in which it had none has the stack of the switch by which the thread left its CPU. */
#ifndef ANA_MOMENT_H
#define ANA_MOMENT_H

#include "analysis/cpu/blame.h"
#include "base/base_progress.h"

struct ana_moment {
	int64_t time;      /* of the event, ns */
	const char *event; /* its name; owned by the experiment */
	uint32_t row;      /* the thread */
	/* Of const char *, see ana_frames_read(); at least one. Without the frames of an interrupt of the
	 * thread, if names show them. */
	GPtrArray *frames;
};

struct ana_moments {
	GPtrArray *all;    /* of struct ana_moment *, owned, by the place of the part; NULL: unknown */
	GHashTable *texts; /* owned: the texts of all frames, a set of char * */
};

/*
 * Find the stacks for the parts of BLAME, the account of thread ROW, with the longest time.  Costs a look
 * into the trace for each; nothing if no stacks were recorded.  User-space frames are resolved if
 * qry_has_symfs(), which costs a walk through the trace.  NULL with an error if a trace cannot be read or
 * PROGRESS (may be NULL) was cancelled.
 */
struct ana_moments *ana_moments_new(struct qry *q, uint32_t row, const struct ana_blame *blame,
	struct base_progress *progress, GError **error);
void ana_moments_free(struct ana_moments *moments);

/* The stack of the part at PLACE; NULL if unknown. */
const struct ana_moment *ana_moments_of(const struct ana_moments *moments, guint place);
/* "wk-rt[547] at sched_switch: __schedule < schedule < …", in lines of at most WIDTH columns (char *).  The
 * caller unrefs. */
GPtrArray *ana_moment_lines(const struct qry *q, const struct ana_moment *moment, unsigned width);

#endif
