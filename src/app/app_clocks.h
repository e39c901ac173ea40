/* SPDX-License-Identifier: MIT */
/* --sync: which clocks an experiment's hosts have. */
#ifndef APP_CLOCKS_H
#define APP_CLOCKS_H

#include "base/base_progress.h"
#include "query/qry.h"

struct app_clocks {
	/*
	 * "none", "auto" (also NULL: found from packets) or a file that "wakepath sync" wrote, and
	 * "HOST=OFFSET" for hosts whose clock is their own and OFFSET; separated by commas.
	 */
	const char *sync;
	bool without_tracer; /* found without the packets of the tracer itself */
};

/*
 * Match the packets of Q's hosts, just opened, unless that was done before (FORCE: also then), and set their
 * clocks.  One host needs neither. BASE_ERROR_USAGE when CLOCKS make no sense, BASE_ERROR_DATA when the file
 * cannot be used, BASE_ERROR_STALE when an index is damaged, BASE_ERROR_CANCELLED.
 */
bool app_clocks_set(struct qry *q, const struct app_clocks *clocks, bool force,
	struct base_progress *progress, GError **error);

/* Until the packets of Q's hosts, just opened, are matched: their own clocks, or starts together
 * (sync_place.h). */
void app_clocks_set_pending(struct qry *q);

#endif
