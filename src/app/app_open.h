/* SPDX-License-Identifier: MIT */
/* From folders to an open experiment: ing_prepare() joined with qry_open(), and the clocks of its hosts. */
#ifndef APP_OPEN_H
#define APP_OPEN_H

#include "app/app_args.h"
#include "app/app_clocks.h"
#include "ingest/ing.h"
#include "query/qry.h"

/*
 * Make sure that the traces at or below PATHS (NULL-terminated) have fresh
 * indexes and open them together, with the packets that several hosts exchanged (qry_sync_open()).  An index
 * that turns out to be damaged is built again, once.  What was left out joins its warnings, what was built
 * again its notes.  CLOCKS is for app_clocks_set().  NULL with an error as of ing_prepare() or
 * app_clocks_set().  The caller frees the experiment with qry_free().
 */
struct qry *app_open(char *const *paths, const struct ing_options *options, const struct app_clocks *clocks,
	struct base_progress *progress, GError **error);

/* Open the indexes in RESULTS, of ing_prepare(), together: the end of app_open(). */
struct qry *app_open_prepared(const GPtrArray *results, const struct ing_options *options,
	const struct app_clocks *clocks, struct base_progress *progress, GError **error);

/* Take the names of functions from where ARGS say, if they do.  False with an error of qry_set_kallsyms() or
 * qry_set_symfs(). */
bool app_open_symbols(struct qry *q, const struct app_args *args, GError **error);

#endif
