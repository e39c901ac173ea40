/* SPDX-License-Identifier: MIT */
#include "query/events/lines.h"

#include "query/events/scan.h"

struct qry_lines {
	struct qry_scan *scan; /* owned; NULL: the events are in LIST */
	struct base_progress *progress;
	unsigned top;
	GArray *list;                /* owned, of struct qry_events_line; NULL: none */
	guint n;                     /* events so far */
	struct qry_events_line line; /* the event of SCAN; its fields are weak */
	bool cut;
};

struct qry_lines *qry_lines_new(struct qry *q, const struct qry_events_filter *filter, unsigned top,
	struct base_progress *progress, GError **error)
{
	static const struct qry_scan_want want = { .rank = true, .thread = true };
	struct qry_scan *scan = qry_scan_new(q, filter, &want, error);
	struct qry_lines *l = scan ? g_new(struct qry_lines, 1) : NULL;

	if (l)
		*l = (struct qry_lines){ .scan = scan, .progress = progress, .top = top };
	return l;
}

struct qry_lines *qry_lines_new_list(GArray *list)
{
	struct qry_lines *l = g_new(struct qry_lines, 1);

	*l = (struct qry_lines){ .list = list };
	return l;
}

void qry_lines_free(struct qry_lines *l)
{
	if (!l)
		return;
	qry_scan_free(l->scan);
	if (l->list)
		g_array_unref(l->list);
	g_free(l);
}

int qry_lines_next(struct qry_lines *l, const struct qry_events_line **line, GError **error)
{
	int got;

	if (l->list) {
		if (l->n == l->list->len) {
			l->n = 0;
			return 0;
		}
		*line = &g_array_index(l->list, struct qry_events_line, l->n++);
		return 1;
	}
	if (l->cut)
		return 0;
	got = qry_scan_next(l->scan, &l->line.event, l->progress, error);
	if (got <= 0)
		return got;
	l->cut = l->n++ == l->top;
	if (l->cut)
		return 0;
	l->line.fields = (char *)(uintptr_t)qry_scan_text(l->scan, error);
	*line = &l->line;
	return l->line.fields ? 1 : -1;
}

bool qry_lines_are_cut(const struct qry_lines *l)
{
	return l->cut;
}
