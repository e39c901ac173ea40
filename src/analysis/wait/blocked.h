/* SPDX-License-Identifier: MIT */
/* The function of the kernel in which a thread waited, where the kernel tells it. */
#ifndef ANA_BLOCKED_H
#define ANA_BLOCKED_H

#include "query/qry.h"

struct ana_blocked {
	char *function; /* "filemap_fault", or its address; owned; NULL: not told */
	bool io;        /* the thread waited for I/O (io_schedule()) */
};

/* Set *BLOCKED for the wait of thread ROW from FROM (ns) that WAKEUP ended.  The caller frees FUNCTION.  False with an error
 * if the trace cannot be read. */
bool ana_blocked_find(struct qry *q, uint32_t row, int64_t from, const struct mdl_wakeup *wakeup,
	struct ana_blocked *blocked, GError **error);

#endif
