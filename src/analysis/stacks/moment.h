/* SPDX-License-Identifier: MIT */
/*
 * In which calls a thread was whose time is in an account: its stack at an event of that time.  Where it had
 * a CPU, at the first event with a stack then (as rtla keeps that of the thread that blocked); where it had
 * none, at the switch by which it left its CPU.
 */
#ifndef ANA_MOMENT_H
#define ANA_MOMENT_H

#include "analysis/cpu/blame.h"
#include "base/base_progress.h"

struct ana_moment {
	int64_t time;      /* of the event */
	const char *event; /* its name; owned by the experiment */
	uint32_t row;      /* the thread */
	GPtrArray *frames; /* of const char *: as ana_frames_read() has them, at least one, without those of
			      an interrupt upon the thread where names tell them */
};

struct ana_moments {
	GPtrArray *all;    /* of struct ana_moment *, owned, by the place of the part; NULL: none is known */
	GHashTable *texts; /* frames: a set of char * */
};

/*
 * For the parts of BLAME, the account of thread ROW, with the longest time.  Costs a look into the trace for
 * each, and nothing where no stacks were recorded; a program's own calls are told where qry_has_symfs(),
 * which takes a walk through the trace.  NULL with an error where a trace cannot be read, or PROGRESS (may be
 * NULL) was cancelled.
 */
struct ana_moments *ana_moments_new(struct qry *q, uint32_t row, const struct ana_blame *blame,
	struct base_progress *progress, GError **error);
void ana_moments_free(struct ana_moments *moments);

/* That of the part at PLACE; NULL: none is known. */
const struct ana_moment *ana_moments_of(const struct ana_moments *moments, guint place);
/* "wk-rt[547] at sched_switch: __schedule < schedule < …", in lines of up to WIDTH columns: of char *, for
 * the caller to unref. */
GPtrArray *ana_moment_lines(const struct qry *q, const struct ana_moment *moment, unsigned width);

#endif
