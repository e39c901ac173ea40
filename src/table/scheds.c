/* SPDX-License-Identifier: MIT */
/*
 * The times that threads had a CPU: adjacent intervals of a thread on one CPU, in any running state,
 * interrupts included. Idle threads are left out: a CPU that is in no row is idle or unknown.
 */
#include "table/table.h"

#include "base/base_time.h"

struct stay {
	const struct qry_row *r;
	int64_t from, to;
	uint32_t cpu;
	uint8_t end; /* enum mdl_state after it; MDL_ST_UNKNOWN: unknown */
};

struct scheds {
	struct table_cursor of;
	uint32_t next;           /* row after the current one */
	const struct qry_row *r; /* NULL: none */
	int64_t at;
	struct stay stay;
};

/* True if a thread in STATE has its CPU. A guest's thread has it even while its virtual CPU does not run. */
static bool has_cpu(unsigned state)
{
	return mdl_state_has_cpu(state) || state == MDL_ST_VCPU_PREEMPTED || state == MDL_ST_VCPU_EXIT;
}

/* Set *I to the interval at c->at. False at the end of the row's life. */
static bool look(struct scheds *c, struct mdl_interval *i)
{
	return c->at < c->r->last && qry_state_at(c->of.q, c->r->id, c->at, i);
}

/* Set c->stay to the next stay of the row. False if there is none. */
static bool next_stay(struct scheds *c)
{
	struct mdl_interval i;

	while (look(c, &i) && !has_cpu(i.state))
		c->at = i.to;
	if (!look(c, &i))
		return false;
	c->stay = (struct stay){ c->r, MAX(i.from, c->r->first), i.to, i.aux, MDL_ST_UNKNOWN };
	c->at = i.to;
	while (look(c, &i) && has_cpu(i.state) && i.aux == c->stay.cpu)
		c->stay.to = c->at = i.to;
	if (look(c, &i))
		c->stay.end = has_cpu(i.state) ? MDL_ST_RUNNING : i.state;
	else if (c->r->died)
		c->stay.end = MDL_ST_EXITED;
	return true;
}

static void begin_row(struct scheds *c, const struct qry_row *r)
{
	struct mdl_interval i;

	c->r = r;
	c->at = MAX(MAX(c->of.ask.from, c->of.ask.ends_after), r->first);
	/* Go back to the begin of the stay at this time. */
	while (c->at > r->first && qry_state_before(c->of.q, r->id, c->at, &i) && has_cpu(i.state))
		c->at = i.from;
}

/* Go to the next thread, idle threads excepted. */
static bool next_row(struct scheds *c)
{
	uint32_t row;

	do
		row = table_next_thread(&c->of, &c->next);
	while (row != MDL_NONE && qry_row(c->of.q, row)->cpu != MDL_NONE);
	if (row != MDL_NONE)
		begin_row(c, qry_row(c->of.q, row));
	return row != MDL_NONE;
}

static int next_sched(struct table_cursor *cursor, const void **row, G_GNUC_UNUSED GError **error)
{
	struct scheds *c = (struct scheds *)cursor;

	do {
		while (!c->r || !next_stay(c) || c->stay.from >= cursor->ask.to)
			if (!next_row(c))
				return 0;
	} while (c->stay.from < cursor->ask.from || c->stay.to <= cursor->ask.ends_after);
	*row = &c->stay;
	return 1;
}

TABLE_COLUMNS(sched_columns)
{
	const struct stay *s = row;

	TABLE_COLUMN("ts", NULL, TABLE_TIME, "when the thread got the CPU", number = s->from);
	TABLE_COLUMN("dur", NULL, TABLE_DURATION, "how long it had it", number = s->to - s->from);
	TABLE_COLUMN("host", NULL, TABLE_WORD, "", word = table_host(in->q, s->r->host));
	TABLE_COLUMN("utid", NULL, TABLE_NUMBER, "the thread", number = s->r->id);
	TABLE_COLUMN("cpu", NULL, TABLE_NUMBER, "", number = table_id(s->cpu));
	TABLE_COLUMN_BY("prio", NULL, TABLE_NUMBER, "priority then, the kernel's: 120 is normal",
			int priority = qry_priority_at(in->q, s->r->id, s->from);
			if (priority != MDL_PRIORITY_NONE) cell->number = priority);
	TABLE_COLUMN("end_state", NULL, TABLE_WORD,
		"state of the thread after it: `preempted`, `blocked`, `exited`, …; null: not known",
		word = s->end == MDL_ST_UNKNOWN ? NULL : mdl_state_name(s->end));
}

static bool lead(G_GNUC_UNUSED const struct table_cursor *c, const void *row, struct table_place *to)
{
	const struct stay *s = row;

	*to = (struct table_place){ .row = s->r->id, .from = s->from, .to = s->to };
	return true;
}

static uint64_t count_scheds(struct qry *q)
{
	uint64_t n = 0;

	for (uint32_t row = 0; row < qry_row_count(q); row++)
		n += qry_row(q, row)->type == MDL_ROW_THREAD ? 1 + qry_wakeup_count(q, row) : 0;
	return n;
}

const struct table table_scheds = {
	.name = "sched",
	.list = "scheds",
	.doc = "an interval in which a thread had a CPU, interrupts included. Idle threads have no rows: at times without a row a CPU is idle, or its state is unknown",
	.columns = sched_columns,
	.size = sizeof(struct scheds),
	.takes = TABLE_TAKES_ROW | TABLE_TAKES_HOST | TABLE_TAKES_WINDOW | TABLE_TAKES_ENDS | TABLE_BY_ROW |
		TABLE_NEEDS_SWITCHES,
	.rows = count_scheds,
	.next = next_sched,
	.lead = lead,
};
