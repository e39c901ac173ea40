/* SPDX-License-Identifier: MIT */
/*
 * Cases are kept in leaves that tell when theirs begin, how long the longest is and whose they are: only
 * those leaves are read that can reach into the window and have one that is long enough.
 */
#include "analysis/latency/over.h"

#include "analysis/latency/kind.h"
#include "base/base_time.h"

struct over {
	const struct ana_latency_over_options *options;
	int64_t *begins;   /* of each column */
	GHashTable *lines; /* row → its number + 1 */
	uint8_t *cells;
};

/* The column that TIME, in the window, is in. */
static uint32_t over_column_of(const struct over *o, int64_t time)
{
	uint32_t low = 0, high = o->options->columns;

	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (o->begins[middle] <= time)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static void over_mark(void *data, const struct idx_spans_found *found)
{
	struct over *o = data;
	const struct ana_latency_over_options *w = o->options;
	const struct mdl_span *c = &found->span;
	int64_t end = MAX(c->end, c->start + 1);
	guint line;
	uint8_t *cells;

	if (c->fate != MDL_SPAN_DONE || c->end - c->start < w->limit || c->start >= w->to || end <= w->from)
		return;
	line = GPOINTER_TO_UINT(g_hash_table_lookup(o->lines, GUINT_TO_POINTER(c->row)));
	if (line == 0)
		return;
	cells = o->cells + (gsize)(line - 1) * w->columns;
	for (uint32_t i = over_column_of(o, MAX(c->start, w->from)),
		      last = over_column_of(o, MIN(end, w->to) - 1);
		i <= last; i++)
		cells[i] |= ANA_LATENCY_OVER_THERE;
	if (c->start >= w->from)
		cells[over_column_of(o, c->start)] |= ANA_LATENCY_OVER_BEGINS;
}

uint8_t *ana_latency_over(struct qry *q, const struct ana_latency_over_options *w,
	struct base_progress *progress, GError **error)
{
	struct qry_spans_meeting meeting = { w->from, w->to, w->limit, MDL_NONE, 0 };
	struct over o = { .options = w };
	struct qry_spans spans;

	if (!ana_latency_open(q, w->rules, w->kind, &spans, progress, error))
		return NULL;
	o.begins = g_new(int64_t, w->columns);
	for (uint32_t i = 0; i < w->columns; i++)
		o.begins[i] = base_time_column(w->from, w->to, w->columns, i);
	o.cells = g_malloc0((gsize)w->n * w->columns + 1);
	o.lines = g_hash_table_new(NULL, NULL);
	for (uint32_t i = 0; i < w->n; i++) {
		g_hash_table_insert(o.lines, GUINT_TO_POINTER(w->rows[i]), GUINT_TO_POINTER(i + 1));
		meeting.first_row = MIN(meeting.first_row, w->rows[i]);
		meeting.last_row = MAX(meeting.last_row, w->rows[i]);
	}
	qry_spans_meet(q, &spans, &meeting, over_mark, &o);
	g_hash_table_unref(o.lines);
	g_free(o.begins);
	return o.cells;
}
