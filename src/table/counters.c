/* SPDX-License-Identifier: MIT */
/*
 * Counts of counters while threads had a CPU: a row for each counter and each such time, and sums for other
 * tables.
 */
#include "table/json.h"

#include "base/base_error.h"
#include "base/base_time.h"
#include "model/event/counter.h"

#include <string.h>

/* ---- sums ---- */

GString *table_counts_json(const struct qry *q, const struct qry_counts *counts)
{
	GString *o;

	if (!counts || counts->time == 0)
		return NULL;
	o = base_json_object();
	for (unsigned i = 0; i < qry_counter_count(q, counts->host); i++)
		base_json_natural(o, qry_counter_name(q, counts->host, i), (int64_t)counts->value[i]);
	return o;
}

/* Set *VALUE to that of the first counter that is WHAT. False if there is none. */
static bool find_counter(const struct qry *q, const struct qry_counts *counts, const char *what,
	uint64_t *value)
{
	for (unsigned i = 0; i < qry_counter_count(q, counts->host); i++) {
		*value = counts->value[i];
		if (mdl_counter_is(qry_counter_name(q, counts->host, i), what))
			return true;
	}
	return false;
}

/* Append "61.0 M cycles", "715 page-faults" or "3.72 ms of cpu-clock" to TEXT. */
static void add_counter(GString *text, const char *name, uint64_t value)
{
	static const char units[] = " kMGTPE";
	double size = (double)value;
	unsigned unit = 0;
	int digits;

	if (mdl_counter_is(name, "cpu-clock") || mdl_counter_is(name, "task-clock")) { /* their unit is ns */
		g_autofree char *length = table_duration_text((int64_t)MIN(value, INT64_MAX));

		g_string_append_printf(text, "%s of %s", length, name);
		return;
	}
	for (; size >= 999.5 && units[unit + 1] != '\0'; unit++)
		size /= 1000;
	digits = unit == 0 ? 0 : size < 9.995 ? 2 : size < 99.95 ? 1 : 0;
	g_string_append_printf(text, "%.*f", digits, size);
	if (unit > 0)
		g_string_append_printf(text, " %c", units[unit]);
	g_string_append_printf(text, " %s", name);
}

char *table_counts_text(const struct qry *q, const struct qry_counts *counts)
{
	GString *text;
	uint64_t cycles, instructions;

	if (!counts || counts->time == 0)
		return NULL;
	text = g_string_new(NULL);
	for (unsigned i = 0; i < qry_counter_count(q, counts->host); i++) {
		if (text->len > 0)
			g_string_append(text, ", ");
		add_counter(text, qry_counter_name(q, counts->host, i), counts->value[i]);
	}
	if (find_counter(q, counts, "cycles", &cycles) && cycles > 0 &&
		find_counter(q, counts, "instructions", &instructions))
		g_string_append_printf(text, ", IPC %.2f", (double)instructions / (double)cycles);
	return g_string_free(text, FALSE);
}

int64_t table_counts_time(const struct qry_counts *counts)
{
	return counts && counts->time > 0 ? counts->time : BASE_TIME_NONE;
}

/* ---- rows ---- */

struct count {
	const struct qry_row *r;
	struct mdl_counted counted;
	unsigned number; /* of the counter */
};

struct counters {
	struct table_cursor of;
	uint32_t next; /* row after the current one */
	struct qry_counted *cursor;
	struct count now;
};

static bool open_counters(struct table_cursor *cursor, GError **error)
{
	if (qry_has_counters(cursor->q))
		return true;
	g_set_error_literal(error, BASE_ERROR, BASE_ERROR_NO_ANSWER,
		"no counters were recorded with thread switches: wakepath record --for-question counters, or perf record -a -k mono -e '{sched:sched_switch,cycles,instructions}:S'");
	return false;
}

static bool next_row(struct counters *c)
{
	uint32_t row = table_next_thread(&c->of, &c->next);

	g_clear_pointer(&c->cursor, qry_counted_free);
	if (row == MDL_NONE)
		return false;
	c->now.r = qry_row(c->of.q, row);
	c->cursor = qry_counted_new(c->of.q, row, MAX(c->of.ask.from, c->of.ask.ends_after));
	return true;
}

/* Set the next counter of the current record, from number FROM. False if it has no more. */
static bool next_number(struct counters *c, unsigned from)
{
	for (c->now.number = from; c->now.number < MDL_COUNTERS; c->now.number++)
		if (c->now.counted.has >> c->now.number & 1)
			return true;
	return false;
}

static int next_counter(struct table_cursor *cursor, const void **row, G_GNUC_UNUSED GError **error)
{
	struct counters *c = (struct counters *)cursor;

	*row = &c->now;
	if (c->cursor && next_number(c, c->now.number + 1))
		return 1;
	do {
		while (!c->cursor || !qry_counted_next(c->cursor, &c->now.counted) ||
			c->now.counted.to > cursor->ask.to)
			if (!next_row(c))
				return 0;
	} while (c->now.counted.from < cursor->ask.from || c->now.counted.to <= cursor->ask.ends_after ||
		!next_number(c, 0));
	return 1;
}

static void close_counters(struct table_cursor *cursor)
{
	g_clear_pointer(&((struct counters *)cursor)->cursor, qry_counted_free);
}

TABLE_COLUMNS(counter_columns)
{
	const struct count *k = row;

	TABLE_COLUMN("ts", "FROM", TABLE_TIME, "when the thread has the CPU and the counter is read",
		number = k->counted.from);
	TABLE_COLUMN("dur", ">FOR", TABLE_DURATION, "until the counter is read again",
		number = k->counted.to - k->counted.from);
	TABLE_COLUMN("host", "HOST", TABLE_WORD, "", word = table_host(in->q, k->r->host));
	TABLE_COLUMN("utid", ">UTID", TABLE_NUMBER, "the thread", number = k->r->id);
	TABLE_COLUMN("cpu", ">CPU", TABLE_NUMBER, "", number = table_id(k->counted.cpu));
	TABLE_COLUMN("name", "COUNTER", TABLE_WORD, "name of the counter",
		word = qry_counter_name(in->q, k->r->host, k->number));
	TABLE_COLUMN("value", ">COUNTED", TABLE_NUMBER, "how much it counted in this time; clocks count ns",
		number = (int64_t)k->counted.value[k->number]);
}

static bool lead(G_GNUC_UNUSED const struct table_cursor *c, const void *row, struct table_place *to)
{
	const struct count *k = row;

	*to = (struct table_place){ .row = k->r->id, .from = k->counted.from, .to = k->counted.to };
	return true;
}

static uint64_t count_counters(struct qry *q)
{
	uint64_t n = 0;

	for (uint32_t row = 0; row < qry_row_count(q); row++)
		n += (1 + qry_wakeup_count(q, row)) * qry_counter_count(q, qry_row(q, row)->host);
	return n;
}

const struct table table_counters = {
	.name = "thread_counter",
	.list = "counters",
	.doc = "what one counter counted in an interval in which a thread had a CPU. The counter was read at both ends of it; intervals without these readings have no row",
	.columns = counter_columns,
	.size = sizeof(struct counters),
	.takes = TABLE_TAKES_ROW | TABLE_TAKES_HOST | TABLE_TAKES_WINDOW | TABLE_TAKES_ENDS | TABLE_BY_ROW |
		TABLE_NEEDS_SWITCHES,
	.rows = count_counters,
	.open = open_counters,
	.next = next_counter,
	.close = close_counters,
	.lead = lead,
};
