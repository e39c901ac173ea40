/* SPDX-License-Identifier: MIT */
/* The places where a thread ran most: the innermost calls of perf's samples of it. Inferred, like samples. */
#ifndef ANA_HOTTEST_H
#define ANA_HOTTEST_H

#include "analysis/stacks/stacks.h"

struct ana_hot {
	const char *frame; /* as in struct ana_stack; owned by STACKS of the answer */
	uint64_t samples;
	double share; /* of all samples of the thread in the window, except those of its interrupts */
};

struct ana_hottest {
	GArray *frames;   /* of struct ana_hot: at most three, the most samples first; empty: no samples */
	uint64_t samples; /* all, also those without a stack */
	struct ana_stacks *stacks; /* owns the texts; NULL: none */
};

/* The hottest frames of thread ROW in [FROM, TO).  Reads the samples of the window; nothing if the trace has
 * none.  NULL with an error as ana_stacks_new(). */
struct ana_hottest *ana_hottest_new(struct qry *q, uint32_t row, int64_t from, int64_t to,
	struct base_progress *progress, GError **error);
void ana_hottest_free(struct ana_hottest *hottest);

/* "ran 20.0 ms: 61 % compute(), 20 % memcpy(), by 87 samples": TIME (ns) is the running time of the thread.
 * The caller frees; NULL: no samples. */
char *ana_hottest_text(const struct ana_hottest *hottest, int64_t time);

#endif
