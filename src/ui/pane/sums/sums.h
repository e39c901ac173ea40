/* SPDX-License-Identifier: MIT */
/* The inside of the pane of sums, shared by its files; no other pane includes it. */
#ifndef SUMS_H
#define SUMS_H

#include "ui/widget/ask_worker.h"

/* Events of [from, to) of: */
struct sums_question {
	int64_t from, to;
	uint32_t host, cpu, thread; /* as in struct qry_events_filter */
	uint32_t delay; /* ms before it is begun: while a selection is being made it changes with each key */
};

/* How many are called so. */
struct sums_name {
	char *name; /* owned by the list */
	guint64 n;
};

struct sums_counts {
	GArray *names; /* of struct sums_name, owned; the most frequent first, then by name */
	guint64 all;
};

/* The kind of question for ask_worker, whose answers, and what it offers, are struct sums_counts, for TAKEN
 * and OFFERED of the pane. */
void *sums_count(struct qry *q, const void *question, struct base_progress *progress, GError **error);
void sums_counts_free(void *counts);

#endif
