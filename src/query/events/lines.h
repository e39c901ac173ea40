/* SPDX-License-Identifier: MIT */
/* Events with all their fields as text, one after the other, from a list or read from the traces. */
#ifndef QRY_LINES_H
#define QRY_LINES_H

#include "query/events/events.h"

struct qry_lines;

/* The first TOP events that FILTER selects. They are read when needed, so memory does not depend on their
 * number. PROGRESS (may be NULL) and what FILTER refers to must outlive them. NULL as qry_events_new(). */
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
