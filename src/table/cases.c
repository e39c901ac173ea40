/* SPDX-License-Identifier: MIT */
#include "table/cases.h"

#include "base/base_error.h"
#include "base/base_progress.h"
#include "base/base_time.h"

bool table_cases_open(struct table_cases *c, const struct ana_rules *rules, const char *kind, GError **error)
{
	const struct table_question *ask = &c->of.ask;

	c->filter = (struct qry_spans_filter){ .from = ask->from,
		.to = ask->to,
		.row = ask->row,
		.hide_tracer = ask->hide_tracer };
	if (!ana_latency_open(c->of.q, rules, kind, &c->spans, ask->progress, error))
		return false;
	c->read = g_new(struct mdl_span, IDX_LEAF_SPANS);
	return true;
}

int table_cases_next(struct table_cursor *cursor, const void **row, GError **error)
{
	struct table_cases *c = (struct table_cases *)cursor;

	do {
		while (c->at >= c->n) {
			if (!c->read || c->leaf >= qry_spans_leaf_count(&c->spans))
				return 0;
			if (ana_cases_stopped(cursor->ask.progress, error))
				return -1;
			c->n = qry_spans_leaf(cursor->q, &c->spans, &c->filter, c->leaf++, c->read, &c->host);
			c->at = 0;
		}
		c->now = (struct table_case){ c->read[c->at++], c->host };
	} while (c->now.span.fate != MDL_SPAN_DONE ||
		(cursor->ask.host != MDL_NONE && cursor->ask.host != c->now.host));
	*row = &c->now;
	return 1;
}

void table_cases_close(struct table_cursor *cursor)
{
	g_clear_pointer(&((struct table_cases *)cursor)->read, g_free);
}

uint64_t table_cases_rows(struct qry *q)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < qry_host_count(q); i++)
		n += qry_host(q, i)->meta->events / 20;
	return n;
}

void table_cases_columns(struct table_row *to, const struct table_case *row, const struct table_in *in)
{
	TABLE_COLUMN("ts", NULL, TABLE_TIME, "begin", number = row->span.start);
	TABLE_COLUMN("dur", NULL, TABLE_DURATION, "until its end", number = row->span.end - row->span.start);
	TABLE_COLUMN("host", NULL, TABLE_WORD, "", word = table_host(in->q, row->host));
	TABLE_COLUMN("cpu", NULL, TABLE_NUMBER, "CPU of the end", number = table_id(row->span.cpu));
}

void table_cases_thread(struct table_row *to, const struct table_case *row, const struct table_in *in)
{
	bool known = row && row->span.row != MDL_NONE &&
		qry_row(in->q, row->span.row)->type == MDL_ROW_THREAD;

	TABLE_COLUMN("utid", NULL, TABLE_NUMBER, "the thread",
		number = known ? row->span.row : BASE_TIME_NONE);
}
