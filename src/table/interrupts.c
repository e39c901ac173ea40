/* SPDX-License-Identifier: MIT */
/* Hard interrupts, softirqs, and timers that expired. */
#include "table/cases.h"

#include "base/base_time.h"

/* ---- irq ---- */

TABLE_COLUMNS(irq_columns)
{
	const struct table_case *c = row;

	table_cases_columns(to, row, in);
	TABLE_COLUMN("irq", NULL, TABLE_NUMBER, "number of the interrupt",
		number = (int64_t)(c->span.key >> 32));
	TABLE_COLUMN("name", NULL, TABLE_WORD, "its handler: `virtio2-req.0`",
		taken = qry_span_device(in->q, c->host, MDL_SPAN_IRQ, c->span.key));
}

static bool open_irqs(struct table_cursor *c, GError **error)
{
	return table_cases_open((struct table_cases *)c, NULL, "irq", error);
}

const struct table table_irqs = {
	.name = "irq",
	.list = "irqs",
	.doc = "a hard interrupt, from the entry of its handler to the exit",
	.columns = irq_columns,
	TABLE_CASES_CURSOR,
	.open = open_irqs,
};

/* ---- softirq ---- */

TABLE_COLUMNS(softirq_columns)
{
	const struct table_case *c = row;

	table_cases_columns(to, row, in);
	TABLE_COLUMN("vec", NULL, TABLE_NUMBER, "number of the vector", number = (int64_t)c->span.key);
	TABLE_COLUMN("name", NULL, TABLE_WORD, "`TIMER`, `NET_RX`, `BLOCK`, …",
		taken = qry_span_key(in->q, c->host, MDL_SPAN_SOFTIRQ, c->span.key));
}

static bool open_softirqs(struct table_cursor *c, GError **error)
{
	return table_cases_open((struct table_cases *)c, NULL, "softirq", error);
}

const struct table table_softirqs = {
	.name = "softirq",
	.list = "softirqs",
	.doc = "a softirq, from entry to exit",
	.columns = softirq_columns,
	TABLE_CASES_CURSOR,
	.open = open_softirqs,
};

/* ---- timer ---- */

TABLE_COLUMNS(timer_columns)
{
	const struct table_case *c = row;

	TABLE_COLUMN("ts", NULL, TABLE_TIME, "when it expired", number = c->span.end);
	TABLE_COLUMN("due", NULL, TABLE_TIME, "when it was to expire", number = c->span.start);
	TABLE_COLUMN("late", NULL, TABLE_DURATION, "`due` to `ts`", number = c->span.end - c->span.start);
	TABLE_COLUMN("host", NULL, TABLE_WORD, "", word = table_host(in->q, c->host));
	TABLE_COLUMN("cpu", NULL, TABLE_NUMBER, "where it expired", number = table_id(c->span.cpu));
	TABLE_COLUMN("function", NULL, TABLE_WORD, "what it called, by name or address",
		taken = qry_span_key(in->q, c->host, MDL_SPAN_TIMER, c->span.key));
}

static bool open_timers(struct table_cursor *c, GError **error)
{
	/* The window applies to TS, which is the end of the case. */
	struct table_cases *cases = (struct table_cases *)c;
	bool fine = table_cases_open(cases, NULL, "timer", error);

	cases->filter.from = INT64_MIN;
	cases->filter.to = INT64_MAX;
	return fine;
}

const struct table table_timers = {
	.name = "timer",
	.list = "timers",
	.doc = "an hrtimer that expired",
	.columns = timer_columns,
	.size = sizeof(struct table_cases),
	.rows = table_cases_rows,
	.open = open_timers,
	.next = table_cases_next,
	.close = table_cases_close,
};

/* ---- work ---- */

TABLE_COLUMNS(work_columns)
{
	const struct table_case *c = row;

	table_cases_columns(to, row, in);
	table_cases_thread(to, row, in);
	TABLE_COLUMN("function", NULL, TABLE_WORD, "what it called, by name or address",
		taken = qry_span_key(in->q, c->host, MDL_SPAN_WORK, c->span.key));
}

static bool open_works(struct table_cursor *c, GError **error)
{
	return table_cases_open((struct table_cases *)c, NULL, "work", error);
}

const struct table table_works = {
	.name = "work",
	.list = "works",
	.doc = "a work item, while a worker runs it",
	.columns = work_columns,
	TABLE_CASES_CURSOR,
	.open = open_works,
};
