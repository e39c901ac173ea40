/* SPDX-License-Identifier: MIT */
/* Finds what a window of a recording needs of the events before it, so that it can be a recording of its
 * own. */
#ifndef QRY_CUT_H
#define QRY_CUT_H

#include "query/qry.h"

/*
 * Write the window [FROM, TO), shown times, of HOST as the new recording PATH, in the format of its trace
 * (trace/core/trc_cut.h). THREADS (of uint32_t: rows of HOST; NULL: all): of other threads only the events
 * are kept that answers about these need. ANONYMOUS: names of the host, of user threads and of files are
 * replaced. *WHOLE is the shown time from which all events are kept. Traces of user programs beside it are
 * left out, with a warning in qry_warnings(). False with BASE_ERROR_USAGE if this format cannot be written,
 * with BASE_ERROR_IO if PATH exists or cannot be written, or with an error of the trace.
 */
bool qry_cut(struct qry *q, uint32_t host, int64_t from, int64_t to, const char *path, const GArray *threads,
	bool anonymous, struct base_progress *progress, int64_t *whole, GError **error);

#endif
