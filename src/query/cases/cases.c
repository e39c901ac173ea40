/* SPDX-License-Identifier: MIT */
/* How it works: a walk has its own cursors, which return all records of a leaf of the index that are left, at
 * once. If the host's clock is not the one shown, these are copied and their times are converted. */
#include "query/cases/cases.h"

#include "base/base_error.h"
#include "base/base_progress.h"
#include "query/host/parts.h"
#include "query/cases/spans.h"

struct qry_cases {
	struct qry *q;
	const struct qry_source *source; /* of the row; NULL: no row yet */
	uint32_t host, local;            /* of the row */
	bool tracer;                     /* the row is a thread of the tracer */
	bool over;                       /* no intervals are left */
	struct idx_intervals *states;    /* of the source */
	struct idx_wakeups *wakeups;     /* of the source */
	uint64_t next_wakeup, next_empty;
	GArray *shown_states;            /* of struct mdl_interval, returned last; NULL until needed */
	GArray *shown_wakeups;           /* of struct mdl_wakeup, likewise */
	const struct qry_watch *watch;   /* is given each case; NULL: none */
	struct idx_spans_writer *writer; /* to which cases go; NULL: they go to SPANS */
	struct mdl_span *spans;          /* N cases of at most WANT */
	unsigned n, want;
	uint32_t skip; /* leave out the first SKIP cases that begin at FROM */
	int64_t from;  /* leave out cases that begin earlier */
};

struct qry *qry_cases_of(const struct qry_cases *c)
{
	return c->q;
}

bool qry_cases_add(struct qry_cases *c, int64_t start, int64_t end, enum mdl_span_fate fate)
{
	struct mdl_span span = { .start = start,
		.end = end,
		.row = c->source->host.first_row + c->local,
		.cpu = MDL_NONE,
		.fate = (uint8_t)fate };

	if (c->watch)
		c->watch->found(c->watch->data, c->host, &span);
	if (c->writer) {
		idx_spans_writer_add(c->writer, c->host, &span, c->tracer, MDL_SPAN_NO_CLASS);
		return true;
	}
	if (start < c->from)
		return true;
	if (c->skip > 0 && start == c->from)
		c->skip--;
	else if (c->n < c->want)
		c->spans[c->n++] = span;
	return c->n < c->want;
}

/* ---- the history ---- */

static void close_source(struct qry_cases *c)
{
	g_clear_pointer(&c->states, idx_intervals_free);
	g_clear_pointer(&c->wakeups, idx_wakeups_free);
}

/* Go to thread ROW. */
static void enter(struct qry_cases *c, uint32_t row)
{
	const struct qry_source *s = qry_source_of(c->q, row, &c->local);

	if (s != c->source)
		close_source(c);
	c->source = s;
	c->host = c->q->rows[row].host;
	c->tracer = qry_is_tracer(c->q, row);
	if (c->states)
		return;
	c->states = idx_intervals_new_states(s->reader);
	c->wakeups = idx_wakeups_new_times(s->reader);
	if (s->clock && !c->shown_states) {
		c->shown_states = g_array_new(FALSE, FALSE, sizeof(struct mdl_interval));
		c->shown_wakeups = g_array_new(FALSE, FALSE, sizeof(struct mdl_wakeup));
	}
}

void qry_cases_seek_states(struct qry_cases *c, int64_t from)
{
	int64_t first = c->q->rows[c->source->host.first_row + c->local].first;

	from = from > first ? from - 1 : first;
	c->over = !idx_intervals_seek(c->states, c->local, qry_source_held(c->source, from));
}

void qry_cases_seek_wakeups(struct qry_cases *c, int64_t from)
{
	c->next_wakeup = idx_wakeups_seek(c->wakeups, c->local, qry_source_host(c->source, from));
}

/* By another clock more or fewer wake-ups are empty, so it walks through all wake-ups. */
void qry_cases_seek_empty(struct qry_cases *c, int64_t from)
{
	if (c->source->clock)
		qry_cases_seek_wakeups(c, from);
	else
		c->next_empty = idx_wakeups_seek_empty(c->wakeups, c->local, from);
}

/* Convert the N intervals at OWN to shown time. Drop those that are empty by the shown clock. */
static void show_states(const struct qry_cases *c, const struct mdl_interval *own, unsigned n)
{
	g_array_set_size(c->shown_states, 0);
	for (unsigned i = 0; i < n; i++) {
		struct mdl_interval iv = own[i];

		iv.from = qry_source_shown(c->source, iv.from);
		iv.to = qry_source_shown(c->source, iv.to);
		if (iv.from != iv.to)
			g_array_append_val(c->shown_states, iv);
	}
}

const struct mdl_interval *qry_cases_states(struct qry_cases *c, unsigned *n)
{
	do {
		const struct mdl_interval *own = c->over ? NULL : idx_intervals_some(c->states, n);

		if (!own || !c->source->clock)
			return own;
		show_states(c, own, *n);
		*n = c->shown_states->len;
	} while (*n == 0);
	return (const struct mdl_interval *)(const void *)c->shown_states->data;
}

static void show_wakeup(const struct qry_cases *c, struct mdl_wakeup *w)
{
	w->time = qry_source_shown(c->source, w->time);
	w->since = qry_source_shown(c->source, w->since);
	w->ran_at = qry_source_shown(c->source, w->ran_at);
	w->event_time = qry_source_shown(c->source, w->event_time);
}

const struct mdl_wakeup *qry_cases_wakeups(struct qry_cases *c, unsigned *n)
{
	const struct mdl_wakeup *own = idx_wakeups_some(c->wakeups, c->local, c->next_wakeup, n);

	c->next_wakeup += *n;
	if (!own || !c->source->clock)
		return own;
	g_array_set_size(c->shown_wakeups, 0);
	g_array_append_vals(c->shown_wakeups, own, *n);
	for (unsigned i = 0; i < *n; i++)
		show_wakeup(c, &g_array_index(c->shown_wakeups, struct mdl_wakeup, i));
	return (const struct mdl_wakeup *)(const void *)c->shown_wakeups->data;
}

bool qry_cases_empty(struct qry_cases *c, int64_t *time)
{
	struct mdl_wakeup w;

	if (!c->source->clock)
		return idx_wakeups_empty(c->wakeups, c->local, c->next_empty++, time);
	while (idx_wakeups_get(c->wakeups, c->local, c->next_wakeup++, &w)) {
		show_wakeup(c, &w);
		*time = w.time;
		if (mdl_wakeup_is_empty(&w))
			return true;
	}
	return false;
}

/* ---- the whole ---- */

static void cases_leave(struct qry_cases *c)
{
	close_source(c);
	if (c->shown_states)
		g_array_unref(c->shown_states);
	if (c->shown_wakeups)
		g_array_unref(c->shown_wakeups);
}

bool qry_cases_find(struct qry_kept *kept, qry_cases_walk *walk, struct base_progress *progress,
	GError **error)
{
	struct qry_cases c = { .q = kept->q, .watch = kept->watch, .writer = kept->writer };
	uint32_t n = qry_row_count(c.q), row;

	for (row = 0; row < n && !base_progress_cancelled(progress); row++) {
		if (qry_row(c.q, row)->type != MDL_ROW_THREAD)
			continue;
		enter(&c, row);
		walk(&c, row, INT64_MIN);
		if (progress)
			base_progress_set(progress, (double)(row + 1) / n, 0);
	}
	cases_leave(&c);
	if (row < n)
		g_set_error(error, BASE_ERROR, BASE_ERROR_CANCELLED, "interrupted");
	return row == n;
}

/* True if the leaf L of an outline matches SPANS, which are all of its spans. */
static bool are_told(const struct idx_spans_leaf *l, const struct mdl_span *spans)
{
	int64_t first = INT64_MAX, last = INT64_MIN, longest = 0;

	for (uint32_t i = 0; i < l->count; i++) {
		first = MIN(first, spans[i].start);
		last = MAX(last, spans[i].start);
		longest = MAX(longest, spans[i].end - spans[i].start);
	}
	return first == l->first && last == l->last && longest == l->longest &&
		spans[0].row == l->first_row && spans[0].start == l->from &&
		spans[l->count - 1].row == l->last_row;
}

unsigned qry_cases_read(struct qry *q, qry_cases_walk *walk, struct idx_spans *file, uint32_t leaf,
	struct mdl_span *spans)
{
	struct idx_spans_leaf l = idx_spans_leaf(file, leaf);
	struct qry_cases c = { .q = q, .spans = spans, .want = l.count, .skip = l.skip, .from = l.from };

	for (uint32_t row = l.first_row; row <= l.last_row && c.n < c.want; row++) {
		if (qry_row(q, row)->type != MDL_ROW_THREAD)
			continue;
		enter(&c, row);
		walk(&c, row, c.from);
		c.from = INT64_MIN;
		c.skip = 0;
	}
	cases_leave(&c);
	if (c.n == c.want && are_told(&l, spans))
		return c.n;
	idx_spans_note_damage(file, leaf,
		"an outline that does not match the states, its number instead of its offset:");
	return 0;
}
