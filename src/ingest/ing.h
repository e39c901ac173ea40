/* SPDX-License-Identifier: MIT */
/* Trace → model → index: builds what is missing or stale, leaves the rest alone. */
#ifndef ING_H
#define ING_H

#include "base/base_progress.h"

#include <glib.h>

struct ing_options {
	const char *index_dir; /* NULL: $WAKEPATH_INDEX_DIR, else $XDG_CACHE_HOME/wakepath, else
				  ~/.cache/wakepath */
	bool force;            /* build even when a fresh index is there */
	bool or_private;    /* where no folder is named and that of the cache cannot be written, build in one
				   that goes when the program ends */
	const char *reader; /* build with this reader also what another one built; NULL: the first that
			       understands the trace */
	unsigned jobs;      /* hosts at once; 0: two more than there are processors */
};

/* What happened to the index of one trace. */
struct ing_result {
	char **folders; /* of the trace, as trc_folders.h says */
	char *trace;    /* the folder that all of these are in */
	/* Why it is not joined with other chunks that seem to be of its recording, NULL: there are none. */
	char *apart;
	char *index;       /* file; NULL when the trace was left out */
	char *fingerprint; /* of the trace, taken before it was read */
	char *left_out;    /* why the trace is not part of the experiment (it is a user-space trace beside
			      others), NULL when it is */
	bool replaced;     /* an index was there, but could not be used: REASON names it */
	/* Why it was built in a private folder, NULL when it was not; the same for all that were. */
	char *unkept;
	char *reason; /* why it was built ("no index yet", "the trace changed", …), NULL when it was fresh */
};

/*
 * Make sure that all traces at or below each of PATHS (NULL-terminated) have a
 * fresh index, those that are chunks of one recording together.  A user-space trace is left out when there
 * are others.  Returns the GPtrArray of struct ing_result, in the order of PATHS, for the caller to unref;
 * NULL with an error.  When PROGRESS is cancelled: BASE_ERROR_CANCELLED, and nothing half-built is left.
 */
GPtrArray *ing_prepare(char *const *paths, const struct ing_options *options, struct base_progress *progress,
	GError **error);

/* What ing_prepare() would find for the recordings at or below PATHS, in the same form: of those that have a
 * fresh index in INDEX_DIR (as in struct ing_options) no REASON is given.  PROGRESS as of trc_find().  NULL
 * where that cannot be told. */
GPtrArray *ing_look(char *const *paths, const char *index_dir, struct base_progress *progress);

/* Opening the result is app_open()'s work (app/app_open.h): ingest knows nothing of queries. */

#endif
