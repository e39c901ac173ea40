/* SPDX-License-Identifier: MIT */
/* Finds spans: reads the rows of a query, sorts them, and gives each span the first line of its thread that
 * is free at its start, so that nested spans are below the spans around them.  Values get a line for each
 * name. */
#include "ui/pane/flow/flow_rows.h"

#include "base/base_error.h"
#include "base/base_many.h"
#include "base/base_search.h"
#include "sql/sql.h"

#include <math.h>
#include <string.h>

#define NAMES_MOST (64u << 20) /* maximum bytes of names */

enum { TS, DUR, NAME, UTID, VALUE, N_COLUMNS };
static const char *const columns[N_COLUMNS] = { "ts", "dur", "name", "utid", "value" };

/* A span with its place. */
struct placed {
	struct flow_span span;
	uint32_t row;
	unsigned level;
};

void flow_spans_free(void *data)
{
	struct flow_spans *s = data;

	if (!s)
		return;
	g_array_unref(s->spans);
	g_array_unref(s->lanes);
	g_string_chunk_free(s->names);
	g_free(s);
}

/* Sort order: by thread, spans without a thread first; then an outer span before those within it. */
static int by_begin(gconstpointer left, gconstpointer right)
{
	const struct placed *a = left, *b = right;

	return BASE_ORDER(a->row + 1, b->row + 1) ?: BASE_ORDER(a->span.from, b->span.from)
		?: BASE_ORDER(b->span.to, a->span.to) ?: strcmp(a->span.name, b->span.name);
}

static int by_lane(gconstpointer left, gconstpointer right)
{
	const struct placed *a = left, *b = right;

	return BASE_ORDER(a->row + 1, b->row + 1) ?: BASE_ORDER(a->level, b->level) ?: by_begin(a, b);
}

/*
 * Give each of ALL, sorted by by_begin(), its level: the first line of its thread that is free at its start.
 */
static void choose_levels(const struct base_many *all)
{
	int64_t ends[FLOW_LEVELS];

	for (guint i = 0; i < all->len; i++) {
		struct placed *p = &g_array_index(all, struct placed, i);

		if (i == 0 || p->row != g_array_index(all, struct placed, i - 1).row)
			for (unsigned l = 0; l < FLOW_LEVELS; l++)
				ends[l] = INT64_MIN;
		while (p->level < FLOW_LEVELS - 1 && ends[p->level] > p->span.from)
			p->level++;
		ends[p->level] = MAX(ends[p->level], MAX(p->span.to, p->span.from + 1));
	}
}

/* Sort order of values: by thread and name, then by time.  The sort is stable, so equal times keep the order
 * of the query. */
static int by_name(gconstpointer left, gconstpointer right)
{
	const struct placed *a = left, *b = right;

	return BASE_ORDER(a->row + 1, b->row + 1) ?: strcmp(a->span.name, b->span.name)
		?: BASE_ORDER(a->span.from, b->span.from);
}

/* Make a lane for each thread and name.  A value lasts until the next one, the last one until END (ns). */
static void make_lines(struct flow_spans *s, struct base_many *all, int64_t end)
{
	base_many_sort(all, by_name);
	for (guint i = 0; i < all->len; i++) {
		struct flow_span span = g_array_index(all, struct placed, i).span;
		uint32_t row = g_array_index(all, struct placed, i).row;
		struct flow_lane *lane = s->lanes->len > 0
			? &g_array_index(s->lanes, struct flow_lane, s->lanes->len - 1)
			: NULL;

		/* Names are interned: equal names are equal pointers. */
		if (lane && lane->row == row &&
			g_array_index(s->spans, struct flow_span, i - 1).name == span.name) {
			g_array_index(s->spans, struct flow_span, i - 1).to = span.from;
		} else if (s->lanes->len < FLOW_LINES_MOST) {
			g_array_append_val(s->lanes, ((struct flow_lane){ .row = row, .first = i }));
			lane = &g_array_index(s->lanes, struct flow_lane, s->lanes->len - 1);
		} else {
			s->full = true;
			break;
		}
		lane->n++;
		lane->low = MIN(lane->low, span.value);
		lane->high = MAX(lane->high, span.value);
		span.to = MAX(end, span.from);
		g_array_append_val(s->spans, span);
	}
}

static void make_lanes(struct flow_spans *s, struct base_many *all)
{
	base_many_sort(all, by_begin);
	choose_levels(all);
	base_many_sort(all, by_lane);
	for (guint i = 0; i < all->len; i++) {
		const struct placed *p = &g_array_index(all, struct placed, i), *before = p - 1;
		struct flow_lane lane = { .row = p->row, .first = i };

		if (i == 0 || before->row != p->row || before->level != p->level)
			g_array_append_val(s->lanes, lane);
		g_array_index(s->lanes, struct flow_lane, s->lanes->len - 1).n++;
		g_array_append_val(s->spans, p->span);
	}
}

/* Set NUMBERS to the column numbers in the rows of C.  False with an error if one is missing. */
static bool find_columns(const struct table_cursor *c, int *numbers, GError **error)
{
	struct table_column described[TABLE_COLUMNS_MAX];
	unsigned n = table_describe(c->table->columns, &c->in, described);

	for (unsigned k = 0; k < N_COLUMNS; k++) {
		numbers[k] = -1;
		for (unsigned i = n; i-- > 0;)
			if (!g_ascii_strcasecmp(described[i].name, columns[k]))
				numbers[k] = (int)i;
	}
	for (unsigned k = 0; k < N_COLUMNS; k++)
		if (numbers[k] < 0 && k != UTID && (k != DUR || numbers[VALUE] < 0) && k != VALUE)
			return base_error_false(error, BASE_ERROR_USAGE,
				"the query has no column %s any more", columns[k]);
	return true;
}

/* Add the span, or the value, in CELLS to ALL, unless it has no time or no value. */
static void add_span(struct flow_spans *s, struct base_many *all, const struct qry *q,
	const struct table_cell *cells, const int *numbers)
{
	const struct table_cell *name = &cells[numbers[NAME]];
	const char *text = table_word(name);
	int64_t from = cells[numbers[TS]].number, dur = s->is_values ? 0 : cells[numbers[DUR]].number,
		utid = numbers[UTID] < 0 ? -1 : cells[numbers[UTID]].number;
	double value = s->is_values ? cells[numbers[VALUE]].share : 0;
	struct placed p = { { from, from, NULL, value }, MDL_NONE, 0 };
	char number[24];

	if (from == BASE_TIME_NONE || !isfinite(value))
		return;
	if (dur > 0 && dur < INT64_MAX - MAX(from, 0))
		p.span.to = from + dur;
	if (utid >= 0 && utid < qry_row_count(q) && qry_row(q, (uint32_t)utid)->type == MDL_ROW_THREAD)
		p.row = (uint32_t)utid;
	g_snprintf(number, sizeof number, "%" G_GINT64_FORMAT, name->number);
	p.span.name = g_string_chunk_insert_const(s->names,
		text                                     ? text
			: name->number == BASE_TIME_NONE ? ""
							 : number);
	base_many_add(all, &p);
}

/* Read the rows of C. */
static bool read_rows(struct flow_spans *s, struct table_cursor *c, GError **error)
{
	struct base_many *all;
	struct table_row cells = { 0 };
	int numbers[N_COLUMNS], more;
	uint64_t wanted = 0;
	const void *row;
	size_t bytes = 0;
	int64_t begin, end;

	if (!find_columns(c, numbers, error))
		return false;
	s->is_values = numbers[DUR] < 0;
	qry_span(c->q, &begin, &end);
	all = base_many_new(sizeof(struct placed));
	for (unsigned k = 0; k < N_COLUMNS; k++)
		wanted |= numbers[k] < 0 ? 0 : UINT64_C(1) << numbers[k];
	while ((more = table_next(c, &row, error)) > 0 && !s->full) {
		guint n = all->len;

		table_row_fill(&cells, wanted, c->table->columns, row, &c->in);
		add_span(s, all, c->q, cells.cells, numbers);
		table_row_clear(&cells);
		if (all->len > n)
			bytes += strlen(g_array_index(all, struct placed, n).span.name);
		s->full = all->len >= FLOW_SPANS_MOST || bytes >= NAMES_MOST;
	}
	if (more >= 0 && s->is_values)
		make_lines(s, all, end);
	else if (more >= 0)
		make_lanes(s, all);
	base_many_free(all);
	return more >= 0;
}

void *flow_spans_new(struct qry *q, const void *question, struct base_progress *progress, GError **error)
{
	struct flow_spans *s = g_new0(struct flow_spans, 1);
	struct table_question ask = TABLE_ALL;
	struct table_cursor *c;
	bool good;

	s->question = *(const struct flow_spans_question *)question;
	s->spans = g_array_new(FALSE, FALSE, sizeof(struct flow_span));
	s->lanes = g_array_new(FALSE, FALSE, sizeof(struct flow_lane));
	s->names = g_string_chunk_new(4096);
	ask.query = s->question.query;
	ask.row = s->question.row;
	ask.from = s->question.from;
	ask.to = s->question.to;
	ask.rules = s->question.rules;
	ask.progress = progress;
	c = table_open(&sql_rows, q, &ask, error);
	good = c && read_rows(s, c, error);
	table_close(c);
	if (!good)
		g_clear_pointer(&s, flow_spans_free);
	return s;
}
