/* SPDX-License-Identifier: MIT */
/* The cases of one kind of latency, or of all kinds, kind by kind. */
#include "table/cases.h"

#include "analysis/latency/latency.h"
#include "base/base_error.h"
#include "base/base_time.h"

struct latencies {
	struct table_cases cases;
	unsigned kind, n_kinds; /* number of the current kind; rules come after the kinds */
	bool begun;
};

/* The rules if the current kind is one of them; else NULL. */
static const struct ana_rules *rules_of(const struct latencies *c)
{
	return c->kind < c->n_kinds ? NULL : c->cases.of.ask.rules;
}

/* The name of the current kind; NULL: no kind is left. */
static const char *kind_of(const struct latencies *c)
{
	const struct ana_rules *rules = rules_of(c);
	unsigned i = c->kind - c->n_kinds;

	if (c->kind < c->n_kinds)
		return ana_latency_kinds()[c->kind];
	return rules && i < rules->rules->len
		? ((const struct ana_rule *)g_ptr_array_index(rules->rules, i))->name
		: NULL;
}

static char *key_of(const struct table_in *in, const struct table_case *c)
{
	const struct latencies *l = in->context;
	struct ana_latency_case named = { .start = c->span.start,
		.end = c->span.end,
		.latency = c->span.end - c->span.start,
		.host = c->host,
		.row = c->span.row,
		.cpu = c->span.cpu,
		.number = c->span.key,
		.text = rules_of(l) ? qry_spans_text(&l->cases.spans, c->span.key) : NULL };

	ana_latency_name(in->q, rules_of(l), kind_of(l), &named);
	return named.key;
}

TABLE_COLUMNS(latency_columns)
{
	const struct table_case *c = row;

	TABLE_COLUMN("kind", NULL, TABLE_WORD, "see [latency](#latency); of `--rules` the name of the rule",
		word = kind_of(in->context));
	table_cases_columns(to, row, in);
	table_cases_thread(to, row, in);
	TABLE_COLUMN("key", NULL, TABLE_WORD, "what the kind distinguishes: the system call, the device, …",
		taken = key_of(in, c));
}

/* Begin the cases of the current kind. Returns 1; 0 if it was not recorded; -1 with an error. */
static int begin(struct latencies *c, GError **error)
{
	GError *problem = NULL;

	table_cases_close(&c->cases.of);
	c->cases.leaf = c->cases.at = c->cases.n = 0;
	if (table_cases_open(&c->cases, rules_of(c), kind_of(c), &problem))
		return 1;
	if (!c->cases.of.ask.kind && g_error_matches(problem, BASE_ERROR, BASE_ERROR_NO_ANSWER)) {
		g_error_free(problem);
		return 0;
	}
	g_propagate_error(error, problem);
	return -1;
}

static bool open_latencies(struct table_cursor *cursor, GError **error)
{
	struct latencies *c = (struct latencies *)cursor;
	const char *kind;

	cursor->in.context = c;
	c->n_kinds = g_strv_length((char **)(uintptr_t)ana_latency_kinds());
	if (!cursor->ask.kind)
		return true;
	while ((kind = kind_of(c)) && !g_str_equal(kind, cursor->ask.kind))
		c->kind++;
	c->begun = kind;
	return !kind || begin(c, error) > 0;
}

static int next_latency(struct table_cursor *cursor, const void **row, GError **error)
{
	struct latencies *c = (struct latencies *)cursor;

	while (kind_of(c)) {
		int found = c->begun ? table_cases_next(cursor, row, error) : begin(c, error);

		if (found < 0 || (found > 0 && c->begun))
			return found;
		if (found > 0) {
			c->begun = true;
			continue;
		}
		c->begun = false;
		if (cursor->ask.kind)
			break;
		c->kind++;
	}
	return 0;
}

const struct table table_latencies = {
	.name = "latency",
	.list = "latencies",
	.doc = "a case of any kind of latency that ended in the trace; without `kind = …`, of all kinds that were recorded, and of all rules of `--rules`",
	.columns = latency_columns,
	.size = sizeof(struct latencies),
	.takes = TABLE_TAKES_ROW | TABLE_TAKES_WINDOW | TABLE_TAKES_KIND,
	.rows = table_cases_rows,
	.open = open_latencies,
	.next = next_latency,
	.close = table_cases_close,
};
