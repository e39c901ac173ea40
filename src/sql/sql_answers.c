/* SPDX-License-Identifier: MIT */
/* Analyses as tables: path(utid, begin, end), the critical path of a thread; blame(utid, begin, end), the
 * account of its time; request_net, stack, clock. */
#include "sql/sql_parts.h"

#include "analysis/account/account.h"
#include "base/base_error.h"
#include "base/base_progress.h"
#include "base/base_time.h"
#include "query/clock/clock.h"
#include "table/json.h"

/* Ask about the thread and the window in VALUES: utid, begin, end.  0 if one of them is NULL. */
static int ask_window(struct sql *s, sqlite3_value *const *values, struct table_question *ask,
	G_GNUC_UNUSED GError **error)
{
	int64_t utid = sqlite3_value_int64(values[0]);

	for (unsigned i = 0; i < 3; i++)
		if (sqlite3_value_type(values[i]) == SQLITE_NULL)
			return 0;
	if (utid < 0 || utid >= qry_row_count(s->q))
		return 0;
	ask->row = (uint32_t)utid;
	ask->from = base_time_near(sqlite3_value_int64(values[1]));
	ask->to = base_time_near(sqlite3_value_int64(values[2]));
	return ask->from < ask->to && qry_row(s->q, ask->row)->type == MDL_ROW_THREAD;
}

const struct sql_source sql_source_path = {
	.table = &table_path_segments,
	.or_nothing = true,
	.arguments = { "in_utid", "begin", "end" },
	.required = 3,
	.ask = ask_window,
};

/* ---- blame ---- */

struct blame {
	struct table_cursor of;
	struct ana_blame *blame; /* owned */
	guint next;
};

static bool blame_open(struct table_cursor *cursor, GError **error)
{
	struct blame *c = (struct blame *)cursor;
	const struct table_question *ask = &cursor->ask;

	c->blame = ana_account_new(cursor->q, ask->row, ask->from, ask->to, 0, NULL, ask->progress);
	cursor->in.context = c->blame;
	if (!base_progress_cancelled(ask->progress))
		return true;
	return base_error_false(error, BASE_ERROR_CANCELLED, "interrupted");
}

static int blame_next(struct table_cursor *cursor, const void **row, G_GNUC_UNUSED GError **error)
{
	struct blame *c = (struct blame *)cursor;

	if (c->next >= c->blame->parts->len)
		return 0;
	*row = &g_array_index(c->blame->parts, struct ana_blame_part, c->next++);
	return 1;
}

static void blame_close(struct table_cursor *cursor)
{
	ana_blame_free(((struct blame *)cursor)->blame);
}

static const struct table_alias blame_aliases[] = { { "time", "dur" }, { NULL, NULL } };

static const struct table blame_table = {
	.name = "blame",
	.list = "blame",
	.doc = "a part of the time of thread `in_utid` from `begin` to `end`, as in [why](#why): the parts sum to it",
	.columns = table_blame_columns,
	.aliases = blame_aliases,
	.size = sizeof(struct blame),
	.takes = TABLE_NEEDS_SWITCHES,
	.open = blame_open,
	.next = blame_next,
	.close = blame_close,
};

const struct sql_source sql_source_blame = {
	.table = &blame_table,
	.arguments = { "in_utid", "begin", "end" },
	.required = 3,
	.ask = ask_window,
};

/* ---- clock ---- */

static int ask_clocks(struct sql *s, G_GNUC_UNUSED sqlite3_value *const *values, struct table_question *ask,
	G_GNUC_UNUSED GError **error)
{
	ask->result = qry_clocks(s->q);
	return ask->result ? 1 : 0;
}

const struct sql_source sql_source_clock = { .table = &table_sync_hosts, .name = "clock", .ask = ask_clocks };

/* ---- tables without arguments ---- */

static int ask_requests(struct sql *s, G_GNUC_UNUSED sqlite3_value *const *values,
	G_GNUC_UNUSED struct table_question *ask, GError **error)
{
	return table_needs_packets(s->q, error) ? 1 : -1;
}

const struct sql_source sql_source_requests = { .table = &table_requests, .ask = ask_requests };

static int ask_stacks(struct sql *s, G_GNUC_UNUSED sqlite3_value *const *values, struct table_question *ask,
	G_GNUC_UNUSED GError **error)
{
	int64_t from, to;

	qry_span(s->q, &from, &to);
	ask->from = MAX(ask->from, from);
	ask->to = MIN(ask->to, to);
	return ask->from < ask->to;
}

const struct sql_source sql_source_stacks = { .table = &table_stacks, .name = "stack", .ask = ask_stacks };
