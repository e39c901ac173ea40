/* SPDX-License-Identifier: MIT */
/* Events with all their fields. */
#include "table/rows.h"

#include "base/base_time.h"
#include "query/events/lines.h"

/* An event, and the time of the previous one; BASE_TIME_NONE: none. */
struct event_row {
	const struct qry_events_line *line;
	int64_t before;
};

TABLE_COLUMNS(event_columns)
{
	const struct event_row *x = row;
	const struct qry_event *e = row ? &x->line->event : NULL;

	TABLE_COLUMN("rank", ">EVENT", TABLE_NUMBER, "event number in the trace of its host",
		number = (int64_t)e->rank);
	TABLE_COLUMN("time", "TIME", TABLE_TIME,
		"the text also has a column AFTER: the time since the event before", number = e->time);
	TABLE_COLUMN("", ">AFTER", TABLE_DURATION, "",
		number = x->before != BASE_TIME_NONE ? e->time - x->before : BASE_TIME_NONE);
	TABLE_COLUMN("host", "HOST", TABLE_WORD, "", word = qry_host(in->q, e->host)->name);
	TABLE_COLUMN("cpu", ">CPU", TABLE_NUMBER, "", number = table_id(e->cpu));
	TABLE_COLUMN("name", "NAME", TABLE_LONG, "", word = e->name);
	TABLE_COLUMN("tid", ">TID", TABLE_NUMBER,
		"thread on that CPU; for a stack (`kernel_stack`, `user_stack`) the thread of the event to which the stack belongs",
		number = table_nr(in->q, e->thread));
	TABLE_COLUMN("thread", "THREAD", TABLE_WORD, "its name",
		word = table_name(in->q, e->thread, e->time));
	TABLE_COLUMN_BY("fields", "FIELDS", TABLE_LONG, "`{ name = value, … }`, as in the trace",
			cell->word = x->line->fields;
			cell->is_known = true);
}

struct events {
	struct table_cursor of;
	struct qry_lines *lines, *made; /* MADE: owned; NULL: LINES belong to the asker */
	int64_t last;                   /* time of the previous event; BASE_TIME_NONE: none */
	struct event_row event;
};

static bool open_events(struct table_cursor *cursor, GError **error)
{
	struct events *c = (struct events *)cursor;
	const struct table_question *ask = &cursor->ask;
	struct qry_events_filter filter = ask->filter ? *ask->filter : table_events_filter(cursor->q, ask);

	c->lines = (struct qry_lines *)(uintptr_t)ask->result;
	if (!c->lines)
		c->lines = c->made = qry_lines_new(cursor->q, &filter, ask->top ? ask->top : UINT_MAX - 1,
			ask->progress, error);
	c->last = BASE_TIME_NONE;
	return c->lines;
}

static int next_event(struct table_cursor *cursor, const void **row, GError **error)
{
	struct events *c = (struct events *)cursor;
	int found = qry_lines_next(c->lines, &c->event.line, error);

	if (found <= 0)
		return found;
	c->event.before = c->last;
	c->last = c->event.line->event.time;
	*row = &c->event;
	return 1;
}

static void close_events(struct table_cursor *cursor)
{
	qry_lines_free(((struct events *)cursor)->made);
}

static bool lead(G_GNUC_UNUSED const struct table_cursor *c, const void *row, struct table_place *to)
{
	const struct qry_event *e = &((const struct event_row *)row)->line->event;

	*to = (struct table_place){ .row = e->thread, .from = e->time, .to = e->time };
	return true;
}

const struct table table_events = {
	.name = "event",
	.list = "events",
	.doc = "an event of the trace, with its fields",
	.columns = event_columns,
	.size = sizeof(struct events),
	.takes = TABLE_TAKES_ROW | TABLE_TAKES_HOST | TABLE_TAKES_WINDOW | TABLE_TAKES_KIND,
	.open = open_events,
	.next = next_event,
	.close = close_events,
	.lead = lead,
};
