/* SPDX-License-Identifier: MIT */
/* Trace → model → index: builds every index that is missing or stale, and leaves the others alone. */
#ifndef ING_H
#define ING_H

#include "base/base_progress.h"
#include "trace/core/trc_folders.h"

#include <glib.h>

struct ing_options {
	const char *index_dir; /* NULL: $WAKEPATH_INDEX_DIR, else $XDG_CACHE_HOME/wakepath, else
				  ~/.cache/wakepath */
	bool force;            /* build even if a fresh index exists */
	/* if no folder is named and the cache cannot be written, build in a private folder that is removed
	 * when the program ends */
	bool or_private;
	/* build with this reader, and rebuild indexes that another reader built; NULL: the first reader that
	 * understands the trace */
	const char *reader;
	unsigned jobs; /* traces built at once; 0: two more than processors */
};

/* Result for one trace. */
struct ing_result {
	struct trc_recording *recording; /* the trace */
	char *trace;                     /* the folder that all of it is in */
	/* Why it is not joined with other chunks that seem to be of its recording, NULL: there are none. */
	char *apart;
	char *index;       /* file; NULL if the trace was left out */
	char *fingerprint; /* of the trace, taken before it was read */
	/* why the trace is left out of the experiment (a user-space trace beside others); NULL if it is
	 * not */
	char *left_out;
	bool replaced; /* an index existed but could not be used; REASON says why */
	/* Why the index was built in a private folder; NULL if it was not.  Identical for all traces built
	 * there. */
	char *unkept;
	/* why the index was built ("no index yet", "the trace changed", …); NULL if it was fresh */
	char *reason;
};

/*
 * Make sure that all traces at or below each of PATHS (NULL-terminated) have a
 * fresh index, those that are chunks of one recording together.  There is one at least.  A user-space trace
 * is left out when there are others.  Returns the GPtrArray of struct ing_result, in the order of PATHS, for
 * the caller to unref; NULL with an error.  When PROGRESS is cancelled: BASE_ERROR_CANCELLED, and nothing
 * half-built is left.
 */
GPtrArray *ing_prepare(char *const *paths, const struct ing_options *options, struct base_progress *progress,
	GError **error);

/* Return what ing_prepare() would find for the recordings at or below PATHS, without building anything:
 * REASON is NULL for those with a fresh index in INDEX_DIR (as in struct ing_options).  PROGRESS as of
 * trc_find().  The caller unrefs.  NULL if PATHS cannot be searched or a trace cannot be read. */
GPtrArray *ing_look(char *const *paths, const char *index_dir, struct base_progress *progress);

/* app_open() (app/app_open.h) opens the result: ingest knows nothing of queries. */

#endif
