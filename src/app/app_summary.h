/* SPDX-License-Identifier: MIT */
/* Summaries of hosts (fleet/flt_summary.h), made from their indexes. */
#ifndef APP_SUMMARY_H
#define APP_SUMMARY_H

#include "base/base_progress.h"
#include "ingest/ing.h"

struct app_summary {
	const char *as;   /* write the summary to this file; NULL: beside the index; weak */
	const char *host; /* the host's name in the summary; NULL: that of the trace; weak */
	bool force;       /* make it even if it is fresh */
};

/* Make the summary of R, whose index is fresh, unless a fresh one exists.  *PATH becomes the file (the caller
 * frees), *MADE true if it was made.  False with an error of app_open_prepared(), flt_summary_make() or
 * flt_summary_write(). */
bool app_summary_make(const struct ing_result *r, const struct app_summary *of, char **path, bool *made,
	struct base_progress *progress, GError **error);

#endif
