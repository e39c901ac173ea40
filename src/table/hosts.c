/* SPDX-License-Identifier: MIT */
/* Hosts, their processes and CPUs, the gaps in their traces, their clocks. */
#include "table/rows.h"

#include "base/base_time.h"
#include "query/clock/clock.h"

/* ---- host ---- */

struct hosts {
	struct table_cursor of;
	uint32_t next, host;
	guint gap; /* in table "gap": the next gap of HOST */
};

static bool open_hosts(struct table_cursor *cursor, G_GNUC_UNUSED GError **error)
{
	if (cursor->ask.host != MDL_NONE)
		((struct hosts *)cursor)->next = cursor->ask.host;
	return true;
}

/* Set c->host to the next host. False if there is none. */
static bool have_host(struct hosts *c)
{
	uint32_t end = c->of.ask.host == MDL_NONE ? qry_host_count(c->of.q) : c->of.ask.host + 1;

	if (c->next >= end)
		return false;
	c->host = c->next++;
	return true;
}

static int next_host(struct table_cursor *cursor, const void **row, G_GNUC_UNUSED GError **error)
{
	struct hosts *c = (struct hosts *)cursor;

	*row = &c->host;
	return have_host(c);
}

TABLE_COLUMNS(host_columns)
{
	const struct qry_host *h = row ? qry_host(in->q, *(const uint32_t *)row) : NULL;

	TABLE_COLUMN("host", NULL, TABLE_WORD, "its name", word = h->name);
	TABLE_COLUMN("first", NULL, TABLE_TIME, "time of the first event", number = h->from);
	TABLE_COLUMN("last", NULL, TABLE_TIME, "time of the last event", number = h->to);
	TABLE_COLUMN("events", NULL, TABLE_NUMBER, "", number = (int64_t)h->meta->events);
	TABLE_COLUMN("discarded", NULL, TABLE_NUMBER, "events that the tracer lost",
		number = (int64_t)h->meta->discarded);
	TABLE_COLUMN("cpus", NULL, TABLE_NUMBER, "", number = h->meta->n_cpus);
	TABLE_COLUMN("tracer", NULL, TABLE_WORD, "", word = h->meta->tracer);
	TABLE_COLUMN("release", NULL, TABLE_WORD, "of the kernel", word = h->meta->release);
	TABLE_COLUMN("format", NULL, TABLE_WORD, "of the trace", word = h->meta->format);
	TABLE_COLUMN("path", NULL, TABLE_WORD, "of the trace", word = h->meta->path);
}

const struct table table_hosts = {
	.name = "host",
	.list = "hosts",
	.doc = "a machine, which has one trace",
	.columns = host_columns,
	.size = sizeof(struct hosts),
	.takes = TABLE_TAKES_HOST,
	.open = open_hosts,
	.next = next_host,
};

/* ---- gap ---- */

/* The next gap of the current host. NULL if there is none. */
static const struct idx_gap *have_gap(struct hosts *c)
{
	const GArray *gaps = qry_host(c->of.q, c->host)->gaps;

	return c->next > 0 && c->gap < gaps->len ? &g_array_index(gaps, struct idx_gap, c->gap++) : NULL;
}

static bool open_gaps(struct table_cursor *cursor, GError **error)
{
	return open_hosts(cursor, error) && (have_host((struct hosts *)cursor) || true);
}

static int next_gap(struct table_cursor *cursor, const void **row, G_GNUC_UNUSED GError **error)
{
	struct hosts *c = (struct hosts *)cursor;

	while (!(*row = have_gap(c))) {
		if (!have_host(c))
			return 0;
		c->gap = 0;
	}
	cursor->in.context = &c->host;
	return 1;
}

TABLE_COLUMNS(gap_columns)
{
	const struct idx_gap *g = row;

	TABLE_COLUMN("ts", NULL, TABLE_TIME, "", number = g->from);
	TABLE_COLUMN("dur", NULL, TABLE_DURATION, "", number = g->to - g->from);
	TABLE_COLUMN("host", NULL, TABLE_WORD, "", word = table_host(in->q, *(const uint32_t *)in->context));
	TABLE_COLUMN("cpu", NULL, TABLE_NUMBER, "", number = g->cpu);
	TABLE_COLUMN("count", NULL, TABLE_NUMBER, "lost events; null: not known",
		number = g->count ? (int64_t)g->count : BASE_TIME_NONE);
}

const struct table table_gaps = {
	.name = "gap",
	.list = "gaps",
	.doc = "an interval in which events of a CPU were lost",
	.columns = gap_columns,
	.size = sizeof(struct hosts),
	.takes = TABLE_TAKES_HOST,
	.open = open_gaps,
	.next = next_gap,
};

/* ---- cpu ---- */

struct rows {
	struct table_cursor of;
	uint32_t next;
	const struct qry_row *r;
};

/* Set c->r to the next row of TYPE. False if there is none. */
static bool have_row(struct rows *c, enum mdl_row_type type)
{
	uint32_t host = c->of.ask.host;

	while (c->next < qry_row_count(c->of.q)) {
		c->r = qry_row(c->of.q, c->next++);
		if (c->r->type == type && (host == MDL_NONE || c->r->host == host))
			return true;
	}
	return false;
}

static bool open_rows(G_GNUC_UNUSED struct table_cursor *c, G_GNUC_UNUSED GError **error)
{
	return true;
}

static int next_cpu(struct table_cursor *cursor, const void **row, G_GNUC_UNUSED GError **error)
{
	struct rows *c = (struct rows *)cursor;

	if (!have_row(c, MDL_ROW_CPU))
		return 0;
	*row = c->r;
	return 1;
}

TABLE_COLUMNS(cpu_columns)
{
	const struct qry_row *r = row;
	struct qry_cell share = { .intervals = 0 };

	if (row && (to->wanted & ~UINT64_C(15)))
		qry_share(in->q, r->id, r->first, r->last, &share);
	TABLE_COLUMN("host", NULL, TABLE_WORD, "", word = table_host(in->q, r->host));
	TABLE_COLUMN("cpu", NULL, TABLE_NUMBER, "its number", number = r->nr);
	TABLE_COLUMN("first", NULL, TABLE_TIME, "first seen", number = r->first);
	TABLE_COLUMN("last", NULL, TABLE_TIME, "last seen", number = r->last);
	TABLE_COLUMN("ran", NULL, TABLE_DURATION, "time that threads ran on it, without interrupts",
		number = qry_cell_ran(&share));
	TABLE_COLUMN("interrupted", NULL, TABLE_DURATION, "time in interrupts",
		number = share.ns[MDL_ST_INTERRUPTED]);
	TABLE_COLUMN("idle", NULL, TABLE_DURATION, "", number = share.ns[MDL_ST_IDLE]);
}

const struct table table_cpus = {
	.name = "cpu",
	.list = "cpus",
	.doc = "a CPU",
	.columns = cpu_columns,
	.size = sizeof(struct rows),
	.takes = TABLE_TAKES_HOST,
	.rows = table_count_rows,
	.open = open_rows,
	.next = next_cpu,
};

/* ---- process ---- */

/* Each process once, by its main thread. */
static int next_process(struct table_cursor *cursor, const void **row, G_GNUC_UNUSED GError **error)
{
	struct rows *c = (struct rows *)cursor;

	while (have_row(c, MDL_ROW_THREAD))
		if (c->r->process == c->r->id) {
			*row = c->r;
			return 1;
		}
	return 0;
}

/* Set *THREADS to the number of threads of the process of R, *TIME to the time that they had a CPU, in ns. */
static void sum_threads(struct qry *q, const struct qry_row *r, int64_t *threads, int64_t *time)
{
	*threads = *time = 0;
	for (uint32_t i = 0; i < qry_row_count(q); i++) {
		const struct qry_row *t = qry_row(q, i);
		struct qry_cell share;

		if (t->type != MDL_ROW_THREAD || t->process != r->id)
			continue;
		++*threads;
		qry_share(q, i, t->first, t->last, &share);
		*time = base_time_sum(*time, qry_cell_on_cpu(&share));
	}
}

TABLE_COLUMNS(process_columns)
{
	const struct qry_row *r = row;
	int64_t threads = 0, time = 0;

	if (row && to->wanted >> 7)
		sum_threads(in->q, r, &threads, &time);
	TABLE_COLUMN("host", NULL, TABLE_WORD, "", word = table_host(in->q, r->host));
	TABLE_COLUMN("utid", NULL, TABLE_NUMBER, "its main thread", number = r->id);
	TABLE_COLUMN("pid", NULL, TABLE_NUMBER, "null: not known", number = table_natural(r->pid));
	TABLE_COLUMN("ppid", NULL, TABLE_NUMBER, "PID of its parent", number = table_natural(r->ppid));
	TABLE_COLUMN("name", NULL, TABLE_WORD, "last name of its main thread", word = r->name);
	TABLE_COLUMN("first", NULL, TABLE_TIME, "first seen", number = r->first);
	TABLE_COLUMN("last", NULL, TABLE_TIME, "last seen", number = r->last);
	TABLE_COLUMN("threads", NULL, TABLE_NUMBER, "threads that were seen", number = threads);
	TABLE_COLUMN("cpu_time", NULL, TABLE_DURATION,
		"time that these threads had a CPU, interrupts included", number = time);
}

const struct table table_processes = {
	.name = "process",
	.list = "processes",
	.doc = "a process; a thread whose process is not known is one of its own",
	.columns = process_columns,
	.size = sizeof(struct rows),
	.takes = TABLE_TAKES_HOST,
	.rows = table_count_rows,
	.open = open_rows,
	.next = next_process,
};
