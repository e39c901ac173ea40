/* SPDX-License-Identifier: MIT */
/*
 * Spans of the user's own programs (analysis/latency/program.h), in the order of their begins.
 *
 * The index has them in the order of their ends. Each leaf has its earliest begin. So leaves are read in that
 * order, and a span is returned as soon as no unread leaf can have an earlier one.
 */
#include "table/cases.h"

#include "analysis/latency/program.h"
#include "base/base_error.h"
#include "base/base_many.h"
#include "base/base_search.h"
#include "base/base_time.h"
#include "table/json.h"

#include <string.h>

struct leaf {
	int64_t first; /* earliest begin in it */
	uint32_t number;
};

/* The case comes first, because the hooks of cases take these rows, too. */
struct span_row {
	struct table_case of;
	guint depth;
	bool is_complete; /* the column CAUSE is wanted */
};

struct spans {
	struct table_cases cases;
	GArray *leaves;         /* of struct leaf, by FIRST; owned */
	guint next;             /* the next unread leaf */
	struct base_many *held; /* of struct table_case, a heap; owned */
	GHashTable
		*ends; /* row → GSequence of the ends of its spans that are open at NOW, ascending; owned */
	const char *name; /* only spans of this name; weak; NULL: all */
	bool states;      /* only spans that are states */
	struct span_row now;
	struct ana_mark_told told; /* of the row to fill, which is NOW except in complete(); owned */
	bool has_counters;
	struct qry_counts counts; /* of the thread of NOW, in it */
};

static int by_first(const void *a, const void *b)
{
	const struct leaf *x = a, *y = b;

	return BASE_BY(x, y, first) ?: BASE_BY(x, y, number);
}

/* Of spans that begin together, the longest is first, because it contains the others. */
static int earliest_first(const void *a, const void *b)
{
	const struct table_case *x = a, *y = b;

	return BASE_BY(x, y, span.start) ?: BASE_BY(y, x, span.end) ?: BASE_BY(x, y, span.row)
		?: BASE_BY(x, y, span.key);
}

static bool open_spans(struct table_cursor *cursor, GError **error)
{
	struct spans *c = (struct spans *)cursor;
	const char *name = cursor->ask.kind;

	cursor->in.context = c;
	c->has_counters = qry_has_counters(cursor->q);
	c->leaves = g_array_new(FALSE, FALSE, sizeof(struct leaf));
	c->held = base_many_new(sizeof(struct table_case));
	c->ends = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_sequence_free);
	c->name = name ? ana_program_find(cursor->q, name, cursor->ask.progress, error) : NULL;
	if ((name && !c->name) || !table_cases_open(&c->cases, NULL, ANA_PROGRAM_ALL, error))
		return false;
	/* All earlier spans are read, because the depth of a span depends on them. */
	c->cases.filter = (struct qry_spans_filter){ .from = INT64_MIN,
		.to = cursor->ask.to,
		.row = cursor->ask.row,
		.hide_tracer = cursor->ask.hide_tracer };
	for (uint32_t i = 0; !cursor->ask.no_rows && i < qry_spans_leaf_count(&c->cases.spans); i++) {
		struct leaf leaf = { qry_spans_leaf_first(&c->cases.spans, i), i };

		g_array_append_val(c->leaves, leaf);
	}
	g_array_sort(c->leaves, by_first);
	return true;
}

/* Read the next leaf. */
static void hold(struct spans *c)
{
	const struct leaf *leaf = &g_array_index(c->leaves, struct leaf, c->next++);
	uint32_t host;
	unsigned n = qry_spans_leaf(c->cases.of.q, &c->cases.spans, &c->cases.filter, leaf->number,
		c->cases.read, &host);

	for (unsigned i = 0; i < n; i++) {
		struct table_case one = { c->cases.read[i], host };

		if (one.span.fate == MDL_SPAN_DONE)
			base_many_push(c->held, &one, earliest_first);
	}
}

static int by_end(gconstpointer a, gconstpointer b, G_GNUC_UNUSED gpointer unused)
{
	return BASE_ORDER((intptr_t)a, (intptr_t)b);
}

/* The number of spans of its thread that contain the begin of SPAN. Spans must come in the order of their
 * begins. Many asynchronous spans may be open at once. */
static guint depth_of(struct spans *c, const struct mdl_span *span)
{
	GSequence *ends = g_hash_table_lookup(c->ends, GUINT_TO_POINTER(span->row));
	GSequenceIter *first;
	guint depth;

	if (span->row == MDL_NONE)
		return 0;
	if (!ends) {
		ends = g_sequence_new(NULL);
		g_hash_table_insert(c->ends, GUINT_TO_POINTER(span->row), ends);
	}
	while (first = g_sequence_get_begin_iter(ends),
		!g_sequence_iter_is_end(first) && (intptr_t)g_sequence_get(first) <= span->start)
		g_sequence_remove(first);
	depth = (guint)g_sequence_get_length(ends);
	g_sequence_insert_sorted(ends, (gpointer)(intptr_t)span->end, by_end, NULL);
	return depth;
}

/* Read what the text of ROW says. */
static void read_text(struct spans *c, const struct span_row *row)
{
	ana_mark_told_clear(&c->told);
	c->told = ana_mark_split(qry_spans_text(&c->cases.spans, row->of.span.key));
}

static int next_span(struct table_cursor *cursor, const void **row, GError **error)
{
	struct spans *c = (struct spans *)cursor;
	const struct table_case *now = &c->now.of;

	do {
		while (c->next < c->leaves->len &&
			(c->held->len == 0 ||
				g_array_index(c->leaves, struct leaf, c->next).first <=
					g_array_index(c->held, struct table_case, 0).span.start)) {
			if (ana_cases_stopped(cursor->ask.progress, error))
				return -1;
			hold(c);
		}
		if (c->held->len == 0)
			return 0;
		c->now = (struct span_row){ g_array_index(c->held, struct table_case, 0), 0,
			!cursor->ask.parts };
		base_many_pop(c->held, earliest_first);
		c->now.depth = depth_of(c, &now->span);
		read_text(c, &c->now);
	} while (now->span.start < cursor->ask.from || (c->name && !g_str_equal(c->told.name, c->name)) ||
		(c->states && !g_str_equal(c->told.source, ANA_STATE_SOURCE)) ||
		(cursor->ask.host != MDL_NONE && cursor->ask.host != now->host));
	*row = &c->now;
	c->counts.time = 0;
	if (c->has_counters && now->span.row != MDL_NONE)
		qry_counts(cursor->q, now->span.row, now->span.start, now->span.end, &c->counts);
	return 1;
}

static bool complete_span(struct table_cursor *cursor, void *row, G_GNUC_UNUSED GError **error)
{
	struct span_row *r = row;

	read_text((struct spans *)cursor, r);
	r->is_complete = true;
	return true;
}

static void close_spans(struct table_cursor *cursor)
{
	struct spans *c = (struct spans *)cursor;

	if (c->leaves)
		g_array_unref(c->leaves);
	base_many_free(c->held);
	if (c->ends)
		g_hash_table_unref(c->ends);
	ana_mark_told_clear(&c->told);
	table_cases_close(cursor);
}

TABLE_COLUMNS(span_columns)
{
	const struct span_row *r = row;
	const struct table_case *c = row;
	const struct spans *in_all = row ? in->context : NULL;
	const struct ana_mark_told *told = row ? &in_all->told : NULL;

	TABLE_COLUMN("from", "START", TABLE_TIME, "", number = c->span.start);
	TABLE_COLUMN("to", "END", TABLE_TIME, "", number = c->span.end);
	TABLE_COLUMN("duration", ">TOOK", TABLE_DURATION, "", number = c->span.end - c->span.start);
	TABLE_COLUMN("utid", NULL, TABLE_NUMBER | TABLE_ONLY_SQL, "the thread in which it began",
		number = table_id(c->span.row));
	TABLE_COLUMN("host", NULL, TABLE_WORD | TABLE_ONLY_SQL, "", word = table_host(in->q, c->host));
	TABLE_OBJECT("subject", "THREAD", TABLE_WORD, "SUBJECT: the thread in which it began",
		c->span.row == MDL_NONE ? NULL : table_json_subject(in->q, c->span.row),
		c->span.row == MDL_NONE ? NULL : qry_row_label(in->q, c->span.row));
	TABLE_COLUMN("name", "NAME", TABLE_WORD, "", word = told->name);
	TABLE_COLUMN("key", "KEY", TABLE_WORD,
		"tells it from other spans of its name, such as the id of a request",
		word = *told->key ? told->key : NULL);
	TABLE_COLUMN("depth", ">DEPTH", TABLE_NUMBER,
		"number of spans of its thread that were open when it began", number = r->depth);
	TABLE_COLUMN("source", "SOURCE", TABLE_WORD,
		"`marker`, `ust`, `usdt`, `uprobe`, `track`; `declared` or `state` of `--spans`; `kernel`: it is work of the kernel for memory",
		word = told->source);
	TABLE_COLUMN("cause", "CAUSE", TABLE_LONG | TABLE_LATE | TABLE_COSTLY,
		"in words, longest first: who used its time, as in the account of [why](#why)",
		taken = r->is_complete ? table_cause(in->q, c->span.row, c->span.start, c->span.end) : NULL);
	TABLE_COUNTS(&in_all->counts,
		"name → number: what each counter counted of its thread in it, as far as that is known");
}

static bool lead(G_GNUC_UNUSED const struct table_cursor *c, const void *row, struct table_place *to)
{
	const struct table_case *one = row;

	*to = (struct table_place){ .row = one->span.row, .from = one->span.start, .to = one->span.end };
	return one->span.row != MDL_NONE;
}

static const struct table_alias aliases[] = {
	{ "from", "ts" },
	{ "to", NULL },
	{ "duration", "dur" },
	{ "subject", NULL },
	{ NULL, NULL },
};

const struct table table_spans = {
	.name = "span",
	.list = "spans",
	.doc = "a phase of a user's program, from begin to end, as its marks, probes or `--spans` show it; or work of the kernel for memory",
	.columns = span_columns,
	.aliases = aliases,
	.size = sizeof(struct spans),
	.takes = TABLE_TAKES_ROW | TABLE_TAKES_WINDOW | TABLE_TAKES_KIND | TABLE_BY_TIME,
	.rows = table_cases_rows,
	.open = open_spans,
	.next = next_span,
	.row_size = sizeof(struct span_row),
	.complete = complete_span,
	.close = close_spans,
	.lead = lead,
};

/* ---- states of programs ---- */

static bool open_states(struct table_cursor *cursor, GError **error)
{
	((struct spans *)cursor)->states = true;
	return open_spans(cursor, error);
}

/* The declared wait that the state C is; NULL: it is not a wait. */
static const struct qry_spin *spin_of(struct qry *q, const struct table_case *c, const char *name)
{
	const struct qry_spin *spin = c->span.row != MDL_NONE ? qry_spin_after(q, c->span.row, c->span.start)
							      : NULL;

	return spin && spin->from < c->span.end && g_str_equal(spin->name, name) ? spin : NULL;
}

TABLE_COLUMNS(state_columns)
{
	const struct table_case *c = row;
	const struct ana_mark_told *told = row ? &((const struct spans *)in->context)->told : NULL;
	const char *value = row ? strchr(told->name, ':') : NULL;
	const struct qry_spin *spin = row ? spin_of(in->q, c, told->name) : NULL;

	TABLE_COLUMN("ts", NULL, TABLE_TIME, "", number = c->span.start);
	TABLE_COLUMN("dur", NULL, TABLE_DURATION, "", number = c->span.end - c->span.start);
	TABLE_COLUMN("host", NULL, TABLE_WORD, "", word = table_host(in->q, c->host));
	TABLE_COLUMN("utid", NULL, TABLE_NUMBER, "the thread", number = table_id(c->span.row));
	TABLE_COLUMN("name", NULL, TABLE_WORD, "`STATE:VALUE`, as the span is called", word = told->name);
	TABLE_COLUMN_BY("state", NULL, TABLE_WORD, "the group of the file",
		cell->taken = g_strndup(told->name,
			value ? (gsize)(value - told->name) : strlen(told->name)));
	TABLE_COLUMN("value", NULL, TABLE_WORD, "", word = value ? value + 1 : NULL);
	TABLE_COLUMN("key", NULL, TABLE_WORD, "", word = *told->key ? told->key : NULL);
	TABLE_COLUMN("waits", NULL, TABLE_YES, "it is declared to be a wait", number = !!spin);
	TABLE_COLUMN("released", NULL, TABLE_TIME,
		"when the thread that it waited for came, or released it; null: that thread is not known",
		number = spin && spin->by != MDL_NONE ? spin->released : BASE_TIME_NONE);
	TABLE_COLUMN("by_utid", NULL, TABLE_NUMBER, "the thread that was waited for",
		number = spin ? table_id(spin->by) : BASE_TIME_NONE);
}

const struct table table_own_states = {
	.name = "state",
	.list = "states",
	.doc = "a state of a user's program, as `[state NAME]` in the file of `--spans` declares it",
	.columns = state_columns,
	.size = sizeof(struct spans),
	.takes = TABLE_TAKES_ROW | TABLE_TAKES_WINDOW | TABLE_BY_TIME,
	.rows = table_cases_rows,
	.open = open_states,
	.next = next_span,
	.close = close_spans,
	.lead = lead,
};
