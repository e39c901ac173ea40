/* SPDX-License-Identifier: MIT */
/* The results of a watch: its hits, with their threads and times in the open recordings, and a comparison of
 * slow with typical cases. */
#ifndef ANA_WATCHED_H
#define ANA_WATCHED_H

#include "analysis/compare/compare.h"
#include "watch/watch_manifest.h"

/* A hit, or a typical case. */
struct ana_watched_hit {
	const struct watch_hit *hit; /* weak, of the manifest */
	const char *trigger, *kind;  /* weak, of the manifest */
	uint32_t host;               /* its recording; MDL_NONE: none, or not open */
	uint32_t row;                /* the thread; MDL_NONE: none, or not found */
	/* Shown times; those of the recording if ana_watched_explain() found it there. */
	int64_t from, to;
	bool found;
	char *text; /* a sentence: what happened, or why that is unknown; owned; NULL: not explained yet */
};

/* The latencies of a trigger in a part of the watch. */
struct ana_watched_hour {
	int64_t from; /* wall, ns since the Epoch: the begin of an hour (UTC) */
	const char *trigger;
	uint64_t over, kept; /* latencies over the limit; hits, with or without a recording */
	int64_t worst;       /* ns, of the hits; BASE_TIME_NONE: none */
};

/* The distribution of a trigger, over all measured latencies; ns. */
struct ana_watched_sum {
	const char *trigger, *kind;
	uint64_t count, over, hits, lost;
	int64_t p50, p90, p99, p999, max; /* upper limit of the class: at most 1/32 too large */
	const struct watch_seen *seen;    /* weak */
};

/* A class of the distribution of a trigger: latencies in [FROM, TO) ns. */
struct ana_watched_class {
	const char *trigger;
	int64_t from, to;
	uint64_t count, most; /* of this class; of the largest class of the trigger */
};

struct ana_watched {
	struct watch_manifest *manifest; /* owned */
	/* Of struct ana_watched_hit: the kept ones by trigger, worst first; then the typical ones. */
	GArray *hits;
	GArray *hours;    /* of struct ana_watched_hour: by time */
	GArray *triggers; /* of struct ana_watched_sum */
	/* Of struct ana_watched_class: by trigger, powers of two, without empty ones at both ends. */
	GArray *classes;
};

/* Find the results of the watch that made the recordings of Q, or the manifest in FOLDER (NULL: beside the
 * first recording).  BASE_ERROR_NO_ANSWER if no watch made them; errors of watch_manifest_read(). */
struct ana_watched *ana_watched_new(struct qry *q, const char *folder, GError **error);
void ana_watched_free(struct ana_watched *w);
/* Find H in its recording, and set its text.  Costs as much as the account of the time. */
void ana_watched_explain(struct qry *q, struct ana_watched_hit *h, struct base_progress *progress);
/* Compare the hits of TRIGGER (its number in TRIGGERS) with its typical cases, as far as they were found.
 * BASE_ERROR_NO_ANSWER if there are no hits, or no typical cases; errors of ana_compare_new(). */
struct ana_compare *ana_watched_compare(struct qry *q, const struct ana_watched *w, unsigned trigger,
	struct base_progress *progress, GError **error);

#endif
