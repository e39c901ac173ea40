/* SPDX-License-Identifier: MIT */
/* --sync: the clocks of an experiment's hosts. */
#ifndef APP_CLOCKS_H
#define APP_CLOCKS_H

#include "base/base_progress.h"
#include "query/qry.h"

struct app_clocks {
	/*
	 * A comma-separated list: "none", "auto" (find the clocks from packets; NULL means the same) or a
	 * file that "wakepath sync" wrote; then "HOST=OFFSET" for each host that keeps its own clock, moved
	 * by OFFSET.
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

#endif
