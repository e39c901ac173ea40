/* SPDX-License-Identifier: MIT */
/* The cases of all kinds of latencies, kind by kind, or of one. */
#include "table/cases.h"

#include "base/base_error.h"
#include "base/base_time.h"

struct latencies {
	struct table_cases cases;
	unsigned kind; /* number of the one at hand */
	bool begun;
};

static const char *kind_of(const struct table_in *in)
{
	return in->context;
}

static char *key_of(const struct table_in *in, const struct table_case *c)
{
	struct ana_latency_case named = { .start = c->span.start,
		.end = c->span.end,
		.latency = c->span.end - c->span.start,
		.host = c->host,
		.row = c->span.row,
		.cpu = c->span.cpu,
		.number = c->span.key };

	ana_latency_name(in->q, NULL, kind_of(in), &named);
	return named.key;
}

TABLE_COLUMNS(latency_columns)
{
	const struct table_case *c = row;

	TABLE_COLUMN("kind", NULL, TABLE_WORD, "see [latency](#latency)", word = kind_of(in));
	table_cases_columns(to, row, in);
	table_cases_thread(to, row, in);
	TABLE_COLUMN("key", NULL, TABLE_WORD, "the kind's own: the system call, the device, …",
		taken = key_of(in, c));
}

/* Begin the cases of the kind at hand.  1; 0: it was not recorded; -1 with an error. */
static int begin(struct latencies *c, GError **error)
{
	const char *kind = ana_latency_kinds()[c->kind];
	GError *problem = NULL;

	table_cases_close(&c->cases.of);
	c->cases.leaf = c->cases.at = c->cases.n = 0;
	c->cases.of.in.context = kind;
	if (table_cases_open(&c->cases, kind, &problem))
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
	const char *const *kinds = ana_latency_kinds();

	for (unsigned i = 0; cursor->ask.kind && kinds[i]; i++)
		if (g_str_equal(kinds[i], cursor->ask.kind)) {
			c->kind = i;
			c->begun = true;
			return begin(c, error) > 0;
		}
	if (cursor->ask.kind)
		c->kind = g_strv_length((char **)(uintptr_t)kinds);
	return true;
}

static int next_latency(struct table_cursor *cursor, const void **row, GError **error)
{
	struct latencies *c = (struct latencies *)cursor;

	while (ana_latency_kinds()[c->kind]) {
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
	.doc = "a case of any kind of latency that ended in the trace; without `kind = …`, of all kinds that were recorded",
	.columns = latency_columns,
	.size = sizeof(struct latencies),
	.takes = TABLE_TAKES_ROW | TABLE_TAKES_WINDOW | TABLE_TAKES_KIND,
	.rows = table_cases_rows,
	.open = open_latencies,
	.next = next_latency,
	.close = table_cases_close,
};
