/* SPDX-License-Identifier: MIT */
/* Events with all their fields as text, one after the other, whether a list has them or the traces are read on the way. */
#ifndef QRY_LINES_H
#define QRY_LINES_H

#include "query/events/events.h"

struct qry_lines;

/* The events that FILTER selects, from the first on, at most TOP of them; they are read as they are asked for, so memory
 * does not depend on how many there are.  PROGRESS (may be NULL) must outlive the lines, and so must what FILTER refers
 * to.  NULL as qry_events_new(). */
struct qry_lines *qry_lines_new(struct qry *q, const struct qry_events_filter *filter, unsigned top,
	struct base_progress *progress, GError **error);
/* The events of LIST (taken), which qry_events_list() made.  Behind the end they begin again. */
struct qry_lines *qry_lines_new_list(GArray *list);
void qry_lines_free(struct qry_lines *l);

/* Set *LINE to the next one, valid until the next call for L.  Returns 1; 0 at the end; -1 with an error, as
 * qry_events_step(). */
int qry_lines_next(struct qry_lines *l, const struct qry_events_line **line, GError **error);

/* At the end: true if there are more than TOP. */
bool qry_lines_are_cut(const struct qry_lines *l);

#endif
