/* SPDX-License-Identifier: MIT */
/* Functions of one row: ms('2.5ms'), at('+6s'), hms(ts). */
#include "sql/sql_parts.h"

#include "base/base_error.h"
#include "base/base_time.h"

/* The text of VALUE.  If it is not a text: NULL, and the result is NULL or an error. */
static const char *text_of(sqlite3_context *to, sqlite3_value *value, const char *usage)
{
	if (sqlite3_value_type(value) == SQLITE_TEXT)
		return (const char *)sqlite3_value_text(value);
	if (sqlite3_value_type(value) != SQLITE_NULL)
		sqlite3_result_error(to, usage, -1);
	return NULL;
}

static void call_ms(sqlite3_context *to, G_GNUC_UNUSED int n, sqlite3_value **values)
{
	const char *text = text_of(to, values[0], "ms() takes a text with a unit, such as ms('2.5ms')");
	g_autoptr(GError) problem = NULL;
	int64_t duration;

	if (!text)
		return;
	if (base_time_parse_duration(text, &duration, &problem))
		sqlite3_result_int64(to, duration);
	else
		sqlite3_result_error(to, problem->message, -1);
}

static void call_at(sqlite3_context *to, G_GNUC_UNUSED int n, sqlite3_value **values)
{
	const struct sql *s = sqlite3_user_data(to);
	const char *text = text_of(to, values[0],
		"at() takes a text, such as at('10:03:05.16') or at('+6s')");
	g_autoptr(GError) problem = NULL;
	int64_t from, end, time;

	if (!text)
		return;
	if (!s->q) {
		sqlite3_result_error(to, "at() needs a recording: use it in WHERE", -1);
		return;
	}
	qry_span(s->q, &from, &end);
	if (base_time_parse(text, from, end, &time, &problem))
		sqlite3_result_int64(to, time);
	else
		sqlite3_result_error(to, problem->message, -1);
}

static void call_hms(sqlite3_context *to, G_GNUC_UNUSED int n, sqlite3_value **values)
{
	if (sqlite3_value_type(values[0]) != SQLITE_NULL)
		sqlite3_result_text(to,
			base_time_format_clock(base_time_near(sqlite3_value_int64(values[0])), 9), -1,
			g_free);
}

bool sql_function_add(struct sql *s, GError **error)
{
	static const struct {
		const char *name;
		void (*call)(sqlite3_context *to, int n, sqlite3_value **values);
	} functions[] = { { "ms", call_ms }, { "at", call_at }, { "hms", call_hms } };

	for (gsize i = 0; i < G_N_ELEMENTS(functions); i++)
		if (sqlite3_create_function_v2(s->db, functions[i].name, 1,
			    SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, s, functions[i].call, NULL,
			    NULL, NULL) != SQLITE_OK)
			return base_error_false(error, BASE_ERROR_IO, "SQLite: %s", sqlite3_errmsg(s->db));
	return true;
}
