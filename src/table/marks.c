/* SPDX-License-Identifier: MIT */
/*
 * Texts that programs wrote into the trace: trace_marker of ftrace (its event is called print),
 * /proc/lttng-logger, tracef() and tracelog() of LTTng-UST.
 *
 * "B|PID|TEXT" begins a time. "E" or "E|PID" ends the time that its thread began last, as Android's ATRACE
 * writes them. The row of a time comes at its end. All other texts are instants.
 */
#include "table/table.h"

#include "analysis/latency/mark.h"
#include "base/base_error.h"
#include "base/base_text.h"
#include "base/base_time.h"
#include "query/events/scan.h"

#include <string.h>

#define OPEN_MOST 65536 /* limit of times without an end */

struct mark {
	uint32_t host, cpu, row;
	int64_t from, to; /* TO is BASE_TIME_NONE for an instant, and without an end */
	char *text;       /* owned */
};

struct marks {
	struct table_cursor of;
	struct qry_scan *scan; /* owned */
	GArray *open;          /* of struct mark, owned; the newest is last */
	bool over;             /* all events were read */
	bool seen;             /* a mark was found */
	struct mark now;
};

static bool is_mark(G_GNUC_UNUSED void *data, const char *name)
{
	return ana_mark_is_text(name);
}

static bool open_marks(struct table_cursor *cursor, GError **error)
{
	static const char *const fields[] = { "buf", "msg", "_msg" };
	const struct qry_scan_want want = { .fields = fields,
		.n_fields = G_N_ELEMENTS(fields),
		.thread = true };
	struct qry_events_filter filter = QRY_EVENTS_ALL;
	struct marks *c = (struct marks *)cursor;

	filter.wants = is_mark;
	c->open = g_array_new(FALSE, FALSE, sizeof(struct mark));
	c->scan = qry_scan_new(cursor->q, &filter, &want, error);
	return c->scan;
}

/* The text of the current event, cleaned, without its line end. NULL with an error. The caller frees. */
static char *take_text(struct marks *c, GError **error)
{
	const struct trc_value *values = qry_scan_values(c->scan, error);

	for (unsigned i = 0; values && i < 3; i++)
		if (values[i].type == TRC_VALUE_TEXT) {
			size_t length = strnlen(values[i].text, values[i].length);

			while (length > 0 && g_ascii_isspace(values[i].text[length - 1]))
				length--;
			return base_text_clean(values[i].text, (gssize)length);
		}
	return values ? g_strdup("") : NULL;
}

/* End the time that the thread of E began last. False if there is none. */
static bool end_open(struct marks *c, const struct qry_event *e)
{
	for (guint i = c->open->len; i-- > 0;) {
		struct mark *m = &g_array_index(c->open, struct mark, i);

		if (m->host != e->host || m->row != e->thread || m->row == MDL_NONE)
			continue;
		c->now = *m;
		c->now.to = e->time;
		g_array_remove_index(c->open, i);
		return true;
	}
	return false;
}

/* Process the event E. Returns 1 if c->now is a row; 0 if there is none yet; -1 with an error. */
static int take(struct marks *c, const struct qry_event *e, GError **error)
{
	struct mark m = { e->host, e->cpu, e->thread, e->time, BASE_TIME_NONE, take_text(c, error) };
	const char *text;

	c->seen = true;
	if (!m.text)
		return -1;
	if (g_str_equal(m.text, "E") || g_str_has_prefix(m.text, "E|")) {
		g_free(m.text);
		return end_open(c, e);
	}
	text = g_str_has_prefix(m.text, "B|") ? strchr(m.text + 2, '|') : NULL;
	if (!text) {
		c->now = m;
		return 1;
	}
	memmove(m.text, text + 1, strlen(text));
	if (c->open->len >= OPEN_MOST) {
		g_free(m.text);
		g_set_error(error, BASE_ERROR, BASE_ERROR_REFUSED,
			"more than " G_STRINGIFY(
				OPEN_MOST) " marks have no end: the trace has begins without ends");
		return -1;
	}
	g_array_append_val(c->open, m);
	return 0;
}

static int next_mark(struct table_cursor *cursor, const void **row, GError **error)
{
	struct marks *c = (struct marks *)cursor;
	struct qry_event e;
	int more = 1, found = 0;

	g_clear_pointer(&c->now.text, g_free);
	*row = &c->now;
	while (!c->over && found == 0 && (more = qry_scan_next(c->scan, &e, cursor->ask.progress, error)) > 0)
		found = take(c, &e, error);
	if (found || more < 0)
		return more < 0 ? more : found;
	c->over = true;
	if (!c->seen) {
		g_set_error_literal(error, BASE_ERROR, BASE_ERROR_NO_ANSWER,
			"no mark was recorded: have the program write to trace_marker of tracefs, or to /proc/lttng-logger");
		return -1;
	}
	if (c->open->len == 0)
		return 0;
	c->now = g_array_index(c->open, struct mark, c->open->len - 1);
	g_array_set_size(c->open, c->open->len - 1);
	return 1;
}

static void close_marks(struct table_cursor *cursor)
{
	struct marks *c = (struct marks *)cursor;

	for (guint i = 0; c->open && i < c->open->len; i++)
		g_free(g_array_index(c->open, struct mark, i).text);
	if (c->open)
		g_array_unref(c->open);
	g_free(c->now.text);
	qry_scan_free(c->scan);
}

TABLE_COLUMNS(mark_columns)
{
	const struct mark *m = row;

	TABLE_COLUMN("ts", NULL, TABLE_TIME, "", number = m->from);
	TABLE_COLUMN("dur", NULL, TABLE_DURATION,
		"until its end; null: an instant, or it did not end in the trace",
		number = m->to == BASE_TIME_NONE ? BASE_TIME_NONE : m->to - m->from);
	TABLE_COLUMN("host", NULL, TABLE_WORD, "", word = table_host(in->q, m->host));
	TABLE_COLUMN("cpu", NULL, TABLE_NUMBER, "", number = table_id(m->cpu));
	TABLE_COLUMN("utid", NULL, TABLE_NUMBER, "the thread that wrote it", number = table_id(m->row));
	TABLE_COLUMN("text", NULL, TABLE_WORD, "", word = m->text);
}

const struct table table_marks = {
	.name = "mark",
	.list = "marks",
	.doc = "a text that a program wrote into the trace: by `trace_marker`, `/proc/lttng-logger`, `tracef()`, `tracelog()`. A begin and the end that follows in its thread, as Android's ATRACE writes them, are one mark",
	.columns = mark_columns,
	.size = sizeof(struct marks),
	.open = open_marks,
	.next = next_mark,
	.close = close_marks,
};
