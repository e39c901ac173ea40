/* SPDX-License-Identifier: MIT */
/* From folders to an open experiment: ing_prepare(), then qry_open(), then the clocks of its hosts. */
#ifndef APP_OPEN_H
#define APP_OPEN_H

#include "app/app_args.h"
#include "app/app_clocks.h"
#include "ingest/ing.h"
#include "query/qry.h"

/*
 * Make fresh indexes of the traces at or below PATHS (NULL-terminated) where needed, and open them together,
 * with the packets that several hosts exchanged (qry_sync_open()).  A damaged index is rebuilt, once.  Traces
 * that were left out become warnings of the experiment, rebuilt indexes become notes.  CLOCKS is for
 * app_clocks_set().  Returns NULL with an error of ing_prepare() or app_clocks_set().  The caller frees the
 * experiment with qry_free().
 */
struct qry *app_open(char *const *paths, const struct ing_options *options, const struct app_clocks *clocks,
	struct base_progress *progress, GError **error);

/* Open the indexes in RESULTS (of ing_prepare()) together: the second half of app_open(). */
struct qry *app_open_prepared(const GPtrArray *results, const struct ing_options *options,
	const struct app_clocks *clocks, struct base_progress *progress, GError **error);

/* Use the function names from the files or folders in ARGS, if any.  False with an error of
 * qry_set_kallsyms() or qry_set_symfs(). */
bool app_open_symbols(struct qry *q, const struct app_args *args, GError **error);

#endif
