/* SPDX-License-Identifier: MIT */
/*
 * The values of counters that programs wrote into the trace: "C|PID|NAME|VALUE" of ATRACE in trace_marker,
 * and counters among the track events of Perfetto. A row for each value, in order of time.
 */
#include "table/table.h"

#include "analysis/latency/mark.h"
#include "base/base_error.h"
#include "base/base_text.h"
#include "base/base_time.h"
#include "query/events/scan.h"

#include <string.h>

#define TRACK "track_event:counter"

/* The fields that are read of each event, in this order. */
enum { FIELD_BUF, FIELD_MSG, FIELD_MSG_UST, FIELD_NAME, FIELD_TRACK, FIELD_VALUE, FIELD_INCREMENT, FIELDS };

struct value {
	struct qry_event event;
	char *name; /* owned */
	double value;
	bool is_increment;
};

struct values {
	struct table_cursor of;
	struct qry_scan *scan; /* owned */
	bool seen;             /* a value was found */
	struct value now;
};

static bool is_value(G_GNUC_UNUSED void *data, const char *name)
{
	return ana_mark_is_text(name) || g_str_equal(name, TRACK);
}

static bool open_values(struct table_cursor *cursor, GError **error)
{
	static const char *const fields[FIELDS] = { "buf", "msg", "_msg", "name", "track_name", "value",
		"increment" };
	const struct qry_scan_want want = { .fields = fields, .n_fields = FIELDS, .thread = true };
	struct qry_events_filter filter = QRY_EVENTS_ALL;
	struct values *c = (struct values *)cursor;

	filter.wants = is_value;
	filter.from = cursor->ask.from;
	filter.to = cursor->ask.to;
	c->scan = qry_scan_new(cursor->q, &filter, &want, error);
	return c->scan;
}

static double number_of(const struct trc_value *v)
{
	switch (v->type) {
	case TRC_VALUE_SIGNED: return (double)(int64_t)v->number;
	case TRC_VALUE_UNSIGNED: return (double)v->number;
	case TRC_VALUE_REAL: return v->real;
	default: return NAN;
	}
}

static char *text_of(const struct trc_value *v)
{
	return v->type == TRC_VALUE_TEXT ? base_text_clean(v->text, (gssize)strnlen(v->text, v->length))
					 : NULL;
}

/* Read a counter of Perfetto. Its name is that of its track, or else of the event. */
static bool take_track(struct value *now, const struct trc_value *values)
{
	bool has_value = values[FIELD_VALUE].type != TRC_VALUE_NONE;

	now->value = number_of(&values[has_value ? FIELD_VALUE : FIELD_INCREMENT]);
	now->is_increment = !has_value;
	now->name = text_of(&values[FIELD_TRACK]);
	if (!now->name)
		now->name = text_of(&values[FIELD_NAME]);
	return !isnan(now->value);
}

static bool take_text(struct value *now, const struct trc_value *values)
{
	for (unsigned i = FIELD_BUF; i <= FIELD_MSG_UST; i++) {
		const struct trc_value *v = &values[i];
		size_t length = v->type == TRC_VALUE_TEXT ? strnlen(v->text, v->length) : 0;
		struct ana_mark mark;

		while (length > 0 && g_ascii_isspace(v->text[length - 1]))
			length--;
		mark = ana_mark_of_text(length > 0 ? v->text : "", length);
		if (mark.what != ANA_MARK_COUNTER)
			continue;
		now->name = base_text_clean(mark.name.at, (gssize)mark.name.length);
		now->value = mark.value;
		return true;
	}
	return false;
}

static int next_value(struct table_cursor *cursor, const void **row, GError **error)
{
	struct values *c = (struct values *)cursor;
	int more;

	*row = &c->now;
	for (;;) {
		const struct trc_value *values;

		g_free(c->now.name);
		c->now = (struct value){ .name = NULL };
		more = qry_scan_next(c->scan, &c->now.event, cursor->ask.progress, error);
		if (more <= 0)
			break;
		values = qry_scan_values(c->scan, error);
		if (!values)
			return -1;
		if (g_str_equal(c->now.event.name, TRACK) ? take_track(&c->now, values)
							  : take_text(&c->now, values)) {
			c->seen = true;
			return 1;
		}
	}
	if (more == 0 && !c->seen)
		return base_error_false(error, BASE_ERROR_NO_ANSWER,
			       "no value of a counter was recorded: have the program write \"C|PID|NAME|VALUE\" to trace_marker of tracefs")
			? 0
			: -1;
	return more;
}

static void close_values(struct table_cursor *cursor)
{
	struct values *c = (struct values *)cursor;

	g_free(c->now.name);
	qry_scan_free(c->scan);
}

TABLE_COLUMNS(value_columns)
{
	const struct value *v = row;

	TABLE_COLUMN("ts", NULL, TABLE_TIME, "", number = v->event.time);
	TABLE_COLUMN("host", NULL, TABLE_WORD, "", word = table_host(in->q, v->event.host));
	TABLE_COLUMN("utid", NULL, TABLE_NUMBER, "the thread that wrote it",
		number = table_id(v->event.thread));
	TABLE_COLUMN("name", NULL, TABLE_WORD, "name of the counter", word = v->name);
	TABLE_COLUMN("value", NULL, TABLE_SHARE, "its value from then on",
		share = v->is_increment ? NAN : v->value);
	TABLE_COLUMN("increment", NULL, TABLE_SHARE, "by how much it grew, if the program wrote no value",
		share = v->is_increment ? v->value : NAN);
}

static bool lead(G_GNUC_UNUSED const struct table_cursor *c, const void *row, struct table_place *to)
{
	const struct value *v = row;

	*to = (struct table_place){ .row = v->event.thread, .from = v->event.time, .to = v->event.time };
	return true;
}

const struct table table_values = {
	.name = "counter",
	.list = "values",
	.doc = "a value of a counter that a program wrote into the trace: a text of ATRACE that begins with `C`, or a counter of Perfetto's track events; `@` in the explorer draws `SELECT ts, name, value, utid FROM counter` as lines",
	.columns = value_columns,
	.size = sizeof(struct values),
	.takes = TABLE_TAKES_WINDOW | TABLE_BY_TIME,
	.open = open_values,
	.next = next_value,
	.close = close_values,
	.lead = lead,
};
