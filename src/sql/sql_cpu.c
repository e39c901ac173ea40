/* SPDX-License-Identifier: MIT */
/*
 * running_on(cpu, begin, end[, host]): what used a CPU, in order of time, as in the account of a wait for it.
 *
 * The walk over the window goes in slices, so memory does not depend on its length.  Spans that the end of a
 * slice cut are joined again.
 */
#include "sql/sql_parts.h"

#include "analysis/cpu/blame.h"
#include "base/base_error.h"
#include "base/base_progress.h"
#include "base/base_time.h"

#define SLICE INT64_C(20000000) /* ns */

struct running {
	struct table_cursor of;
	uint32_t cpu;
	int64_t at;    /* ns: the walk is done up to here */
	GArray *parts; /* of struct ana_blame_part, owned: of the slice */
	guint next;    /* the first of PARTS that no row has yet */
	struct ana_blame_part part;
};

static int running_ask(struct sql *s, sqlite3_value *const *values, struct table_question *ask,
	GError **error)
{
	int64_t cpu = sqlite3_value_int64(values[0]);
	const char *host = (const char *)(values[3] ? sqlite3_value_text(values[3]) : NULL);

	for (unsigned i = 0; i < 3; i++)
		if (sqlite3_value_type(values[i]) == SQLITE_NULL)
			return 0;
	if (!values[3] && qry_host_count(s->q) > 1) {
		g_set_error_literal(error, BASE_ERROR, BASE_ERROR_USAGE,
			"running_on(): there are several hosts: name one as the fourth argument");
		return -1;
	}
	ask->host = 0;
	if ((values[3] && !(host && qry_find_host(s->q, host, &ask->host, NULL))) || cpu < 0 ||
		cpu >= MDL_NONE)
		return 0;
	ask->row = qry_cpu_row(s->q, ask->host, (uint32_t)cpu);
	ask->from = MAX(base_time_near(sqlite3_value_int64(values[1])), qry_host(s->q, ask->host)->from);
	ask->to = MIN(base_time_near(sqlite3_value_int64(values[2])), qry_host(s->q, ask->host)->to);
	return ask->row != MDL_NONE && ask->from < ask->to;
}

static bool running_open(struct table_cursor *cursor, G_GNUC_UNUSED GError **error)
{
	struct running *c = (struct running *)cursor;

	c->cpu = (uint32_t)qry_row(cursor->q, cursor->ask.row)->nr;
	c->at = cursor->ask.from;
	c->parts = g_array_new(FALSE, FALSE, sizeof(struct ana_blame_part));
	return true;
}

static void take_part(void *data, const struct ana_blame_part *part)
{
	g_array_append_vals(data, part, 1);
}

/* Walk the next slice, unless parts are left.  False at the end of the window. */
static bool have_part(struct running *c)
{
	const struct table_question *ask = &c->of.ask;

	while (c->next >= c->parts->len && c->at < ask->to) {
		int64_t to = ask->to - c->at > SLICE ? c->at + SLICE : ask->to;

		g_array_set_size(c->parts, 0);
		c->next = 0;
		ana_blame_spans(c->of.q, ask->host, c->cpu, c->at, to, take_part, c->parts);
		c->at = to;
	}
	return c->next < c->parts->len;
}

static bool is_one(const struct ana_blame_part *a, const struct ana_blame_part *b)
{
	return a->to == b->from && a->what == b->what && a->row == b->row && a->context == b->context &&
		a->guest == b->guest && a->cpu == b->cpu && a->host == b->host && a->step == b->step &&
		a->name == b->name && a->beneath == b->beneath;
}

static int running_next(struct table_cursor *cursor, const void **row, GError **error)
{
	struct running *c = (struct running *)cursor;

	if (base_progress_cancelled(cursor->ask.progress)) {
		g_set_error_literal(error, BASE_ERROR, BASE_ERROR_CANCELLED, "interrupted");
		return -1;
	}
	if (!have_part(c))
		return 0;
	c->part = g_array_index(c->parts, struct ana_blame_part, c->next++);
	while (have_part(c) && is_one(&c->part, &g_array_index(c->parts, struct ana_blame_part, c->next)))
		c->part.to = g_array_index(c->parts, struct ana_blame_part, c->next++).to;
	*row = &c->part;
	return 1;
}

static void running_close(struct table_cursor *cursor)
{
	struct running *c = (struct running *)cursor;

	if (c->parts)
		g_array_unref(c->parts);
}

TABLE_COLUMNS(running_columns)
{
	const struct ana_blame_part *p = row;

	TABLE_COLUMN("ts", NULL, TABLE_TIME, "", number = p->from);
	TABLE_COLUMN("dur", NULL, TABLE_DURATION, "", number = p->to - p->from);
	TABLE_COLUMN("what", NULL, TABLE_WORD,
		"`thread`, `irq`, `softirq`, `ipi`, `idle`, …, see [why](#why)",
		word = ana_blame_what_name(p->what));
	TABLE_COLUMN("name", NULL, TABLE_WORD, "of the thread or the interrupt; `idle`",
		word = p->name ? p->name : ana_blame_what_name(p->what));
	TABLE_COLUMN("utid", NULL, TABLE_NUMBER, "the thread",
		number = ana_blame_is_thread(p) ? p->row : BASE_TIME_NONE);
	TABLE_COLUMN("on_top_of", NULL, TABLE_NUMBER, "an interrupt: `utid` of the thread that it came upon",
		number = ana_blame_is_thread(p) ? BASE_TIME_NONE : table_id(p->beneath));
	TABLE_COLUMN("host", NULL, TABLE_WORD, "", word = table_host(in->q, p->host));
}

static const struct table running_table = {
	.name = "running_on",
	.list = "running_on",
	.doc = "who had `cpu` from `begin` to `end`: the innermost interrupt, else the thread. With several hosts, `on_host` names one",
	.columns = running_columns,
	.size = sizeof(struct running),
	.takes = TABLE_BY_TIME | TABLE_NEEDS_SWITCHES,
	.open = running_open,
	.next = running_next,
	.close = running_close,
};

const struct sql_source sql_source_running_on = {
	.table = &running_table,
	.arguments = { "cpu", "begin", "end", "on_host" },
	.required = 3,
	.ask = running_ask,
};
