/* SPDX-License-Identifier: MIT */
/* From folders to an open experiment: ing_prepare(), then qry_open(), then the clocks of its hosts. */
#ifndef APP_OPEN_H
#define APP_OPEN_H

#include "app/app_args.h"
#include "base/base_progress.h"
#include "ingest/ing.h"
#include "query/qry.h"

/* ---- the clocks of an experiment's hosts ---- */

/* How to set the clocks. */
struct app_clocks {
	/*
	 * A comma-separated list: "none", "auto" (find the clocks from packets; also if NULL) or a file that
	 * "wakepath sync" wrote; then "HOST=OFFSET" for each host that keeps its own clock, moved by OFFSET.
	 */
	const char *sync;
	bool without_tracer; /* leave out the tracer's own packets */
	const char *aside;   /* see qry_set_aside(); NULL: beside the indexes */
};

/*
 * Match the packets of Q's hosts and set their clocks; Q was just opened.  Uses stored matches unless FORCE
 * is set.  Does nothing for one host without --sync.  Errors: BASE_ERROR_USAGE if CLOCKS are not valid,
 * BASE_ERROR_DATA if the file cannot be used, BASE_ERROR_STALE if an index is damaged, BASE_ERROR_CANCELLED.
 */
bool app_clocks_set(struct qry *q, const struct app_clocks *clocks, bool force,
	struct base_progress *progress, GError **error);

/* Set provisional clocks until the packets of Q's hosts are matched; Q was just opened.  Each host keeps its
 * own clock, or all hosts are placed so that they start together (sync_place.h). */
void app_clocks_set_pending(struct qry *q);

/* ---- standard input ---- */

/* True if PATH means standard input. */
bool app_stdin_is(const char *path);
/*
 * If one of the traces of ARGS is standard input, copy it to its end into a temporary file, make that file
 * the trace in ARGS, and put the indexes beside it.  From then on standard input is the terminal, if there is
 * one.  False with BASE_ERROR_USAGE if standard input cannot be one of these traces, BASE_ERROR_DATA if it is
 * empty, BASE_ERROR_IO or BASE_ERROR_CANCELLED.  Call it after base_stop_catch().
 */
bool app_stdin_take(struct app_args *args, GError **error);

/* ---- opening ---- */

/*
 * Make fresh indexes of the traces at or below PATHS (NULL-terminated) where needed, and open them together,
 * with the packets that several hosts exchanged (qry_sync_open()).  A damaged index is rebuilt, once.  Traces
 * that were left out become warnings of the experiment, rebuilt indexes become notes.  CLOCKS is for
 * app_clocks_set().  Returns NULL with an error of ing_prepare() or app_clocks_set().  The caller frees the
 * experiment with qry_free().
 */
struct qry *app_open(char *const *paths, const struct ing_options *options, const struct app_clocks *clocks,
	struct base_progress *progress, GError **error);

/* Like app_open().  LOOKED (taken; may be NULL): the result of ing_prepare() for PATHS a moment ago, if no
 * index was missing. */
struct qry *app_open_looked(GPtrArray *looked, char *const *paths, const struct ing_options *options,
	const struct app_clocks *clocks, struct base_progress *progress, GError **error);

/* Open the indexes in RESULTS (of ing_prepare()) together, and take its readers: the second half of
 * app_open(). */
struct qry *app_open_prepared(const GPtrArray *results, const struct ing_options *options,
	const struct app_clocks *clocks, struct base_progress *progress, GError **error);

/* Give Q the function names from --kallsyms and --symfs, and the declarations from --spans (weak), as far as
 * they are in ARGS.  False with an error of ana_program_prepare(), qry_set_kallsyms() or qry_set_symfs(). */
bool app_open_symbols(struct qry *q, const struct app_args *args, struct base_progress *progress,
	GError **error);

/* ---- rights ---- */

/*
 * Confine this process if it runs as root and a trace in ARGS belongs to another user.  From then on it can
 * read all files, and write only below the index folder, the temporary folder, the state folder and the
 * folder of the output.  It can no longer start programs, open sockets, or change owners or modes.  Does
 * nothing if the kernel has no Landlock.  False with BASE_ERROR_IO if the kernel has it and refuses.  Call it
 * before any thread exists.
 */
bool app_confine(const struct app_args *args, GError **error);

#endif
