/* SPDX-License-Identifier: MIT */
/* windows(dur[, begin[, end]]): the time of the experiment in pieces of one length. */
#include "sql/sql_parts.h"

#include "base/base_error.h"
#include "base/base_time.h"

struct windows {
	struct table_cursor of;
	int64_t at;
	struct window {
		int64_t from, to;
		uint64_t number;
	} window;
};

static int windows_ask(struct sql *s, sqlite3_value *const *values, struct table_question *ask,
	GError **error)
{
	int64_t *length;

	if (sqlite3_value_int64(values[0]) <= 0) {
		g_set_error_literal(error, BASE_ERROR, BASE_ERROR_USAGE,
			"windows(): the length must be above 0, such as windows(ms('100ms'))");
		return -1;
	}
	qry_span(s->q, &ask->from, &ask->to);
	if (values[1] && sqlite3_value_type(values[1]) != SQLITE_NULL)
		ask->from = base_time_near(sqlite3_value_int64(values[1]));
	if (values[2] && sqlite3_value_type(values[2]) != SQLITE_NULL)
		ask->to = base_time_near(sqlite3_value_int64(values[2]));
	length = g_new(int64_t, 1);
	*length = sqlite3_value_int64(values[0]);
	ask->result = length;
	return ask->from < ask->to;
}

static void windows_forget(struct table_question *ask)
{
	g_free((void *)(uintptr_t)ask->result);
}

static bool windows_open(struct table_cursor *cursor, G_GNUC_UNUSED GError **error)
{
	((struct windows *)cursor)->at = cursor->ask.from;
	return true;
}

static int windows_next(struct table_cursor *cursor, const void **row, G_GNUC_UNUSED GError **error)
{
	struct windows *c = (struct windows *)cursor;
	int64_t length = *(const int64_t *)cursor->ask.result, left = cursor->ask.to - c->at;

	if (left <= 0)
		return 0;
	c->window = (struct window){ c->at, c->at + MIN(length, left), cursor->in.number };
	c->at = c->window.to;
	*row = &c->window;
	return 1;
}

TABLE_COLUMNS(windows_columns)
{
	const struct window *w = row;

	TABLE_COLUMN("ts", NULL, TABLE_TIME, "", number = w->from);
	TABLE_COLUMN("dur", NULL, TABLE_DURATION, "`length`; less for the last one",
		number = w->to - w->from);
	TABLE_COLUMN("number", NULL, TABLE_NUMBER, "from 0", number = (int64_t)w->number);
}

static const struct table windows_table = {
	.name = "windows",
	.list = "windows",
	.doc = "the time from `begin` to `end` (default: that of the traces) in pieces of `length` ns",
	.columns = windows_columns,
	.size = sizeof(struct windows),
	.takes = TABLE_BY_TIME,
	.open = windows_open,
	.next = windows_next,
};

const struct sql_source sql_source_windows = {
	.table = &windows_table,
	.arguments = { "length", "begin", "end" },
	.required = 1,
	.ask = windows_ask,
	.forget = windows_forget,
};
