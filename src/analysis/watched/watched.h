/* SPDX-License-Identifier: MIT */
/* Results of a watch: its hits, with their threads and times in the recordings that are open, and slow against typical. */
#ifndef ANA_WATCHED_H
#define ANA_WATCHED_H

#include "analysis/compare/compare.h"
#include "watch/watch_manifest.h"

/* A hit, or a typical case. */
struct ana_watched_hit {
	const struct watch_hit *hit; /* weak, of the manifest */
	const char *trigger, *kind;  /* weak, of the manifest */
	uint32_t host;               /* its recording; MDL_NONE: it is not open, or there is none */
	uint32_t row;                /* the thread; MDL_NONE: none, or not found */
	/* When it was, in shown times; as the recording has it, if ana_watched_explain() FOUND it there. */
	int64_t from, to;
	bool found;
	char *text; /* what happened, a sentence, or why that is not known; owned; NULL: not looked for yet */
};

/* The latencies of a trigger in a part of the watch. */
struct ana_watched_hour {
	int64_t from; /* wall, ns since the Epoch: the begin of an hour (UTC) */
	const char *trigger;
	uint64_t over, kept; /* latencies over the limit; hits, with a recording or without */
	int64_t worst;       /* ns, of the hits; BASE_TIME_NONE: none */
};

/* The distribution of a trigger, over all that was measured; ns. */
struct ana_watched_sum {
	const char *trigger, *kind;
	uint64_t count, over, hits, lost;
	int64_t p50, p90, p99, p999, max; /* the largest of its class: at most 1/32 too large */
	const struct watch_seen *seen;    /* weak */
};

/* A class of the distribution of a trigger: latencies in [FROM, TO) ns. */
struct ana_watched_class {
	const char *trigger;
	int64_t from, to;
	uint64_t count, most; /* of this class, of the largest one of the trigger */
};

struct ana_watched {
	struct watch_manifest *manifest; /* owned */
	GArray *hits; /* of struct ana_watched_hit: by trigger, the worst first, those that are kept; typical ones last */
	GArray *hours;    /* of struct ana_watched_hour: by time */
	GArray *triggers; /* of struct ana_watched_sum */
	GArray *classes; /* of struct ana_watched_class: by trigger, powers of two, without empty ones at both ends */
};

/* Find what the watch kept that made the recordings of Q; or the manifest in FOLDER (NULL: beside the first recording).
 * BASE_ERROR_NO_ANSWER if no watch made them; errors of watch_manifest_read(). */
struct ana_watched *ana_watched_new(struct qry *q, const char *folder, GError **error);
void ana_watched_free(struct ana_watched *w);
/* Find H in its recording, and set its text.  Costs as much as the account of the time. */
void ana_watched_explain(struct qry *q, struct ana_watched_hit *h, struct base_progress *progress);
/* Compare the hits of TRIGGER (a number of TRIGGERS) with the typical cases beside them, those that were found.  BASE_ERROR_NO_ANSWER if there
 * are none of one sort; errors of ana_compare_new(). */
struct ana_compare *ana_watched_compare(struct qry *q, const struct ana_watched *w, unsigned trigger,
	struct base_progress *progress, GError **error);

#endif
