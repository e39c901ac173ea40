/* SPDX-License-Identifier: MIT */
/* Traces: what each contains, what it lacks, its index, and what recording it cost. */
#include "table/json.h"
#include "table/rows.h"

#include "analysis/kind/advice.h"
#include "analysis/overview/overview.h"
#include "analysis/request/clock.h"
#include "base/base_error.h"
#include "base/base_time.h"
#include "query/clock/clock.h"

/* ---- lists and objects ---- */

TABLE_COLUMNS(gap_columns)
{
	const struct idx_gap *g = row;

	TABLE_COLUMN("cpu", NULL, TABLE_NUMBER,
		"CPU that lost events (all of its events if it has no stream); null: it can be any CPU",
		number = table_id(g->cpu));
	TABLE_COLUMN("from", NULL, TABLE_TIME, "begin", number = g->from);
	TABLE_COLUMN("to", NULL, TABLE_TIME, "end", number = g->to);
	/* The number of events in lost packets is unknown. */
	TABLE_COLUMN("count", NULL, TABLE_NUMBER, "number of lost events",
		number = g->count ? (int64_t)g->count : BASE_TIME_NONE);
}

TABLE_COLUMNS(chunk_columns)
{
	const struct idx_chunk *c = row;

	TABLE_COLUMN("path", NULL, TABLE_WORD, "folders that the trace consists of, in order of time",
		word = c->path);
	TABLE_COLUMN("from", NULL, TABLE_TIME, "first event of the folder", number = c->from);
	TABLE_COLUMN("to", NULL, TABLE_TIME, "last event of the folder", number = c->to);
}

TABLE_COLUMNS(advice_columns)
{
	const struct ana_advice *a = row;

	TABLE_COLUMN("event", NULL, TABLE_WORD, "kind of event", word = a->event);
	TABLE_COLUMN("why", NULL, TABLE_WORD, "what they would show", word = a->why);
	TABLE_COLUMN("command", NULL, TABLE_WORD, "command that records it", word = a->command);
}

/* An index, or the sum of the indexes of all hosts. */
struct index {
	const char *path;
	uint64_t bytes;
	int64_t built_in_ns;
};

TABLE_COLUMNS(index_columns)
{
	const struct index *x = row;
	bool flat = in->format != TABLE_JSON;

	TABLE_COLUMN(flat ? "index_path" : "path", NULL, TABLE_WORD, "index file", word = x->path);
	TABLE_COLUMN(flat ? "index_bytes" : "bytes", NULL, TABLE_NUMBER, "its size",
		number = (int64_t)x->bytes);
	TABLE_COLUMN(flat ? "index_built_in_ns" : "built_in_ns", NULL, TABLE_DURATION,
		"time that building it took", number = x->built_in_ns);
	TABLE_COLUMN(flat ? "index_version" : "version", NULL, TABLE_NUMBER,
		"version of its [format](index-format.md)", number = IDX_FORMAT_VERSION);
}

static struct index index_of(const struct qry_host *h)
{
	return (struct index){ h->index_path, h->index_bytes, (int64_t)MIN(h->meta->built_in_ns, INT64_MAX) };
}

GPtrArray *table_trace_warnings(const struct qry *q, uint32_t host)
{
	const GPtrArray *own = qry_host(q, host)->meta->warnings;
	GPtrArray *all = g_ptr_array_new_with_free_func(g_free);

	for (guint i = 0; i < own->len; i++)
		g_ptr_array_add(all, g_strdup(g_ptr_array_index(own, i)));
	qry_clock_warnings(q, host, all);
	return all;
}

int64_t table_trace_clock_error(const struct qry *q, uint32_t host)
{
	struct ana_clock clock = ana_clock_of(q, host, qry_host(q, host)->from);
	bool told = qry_host_count(q) > 1 && clock.known && clock.worst != INT64_MAX;

	return told ? clock.worst : BASE_TIME_NONE;
}

/* JSON has the whole advice, the other formats only the commands. */
static void set_advice(struct table_cell *cell, uint32_t host, const struct table_in *in)
{
	g_autoptr(GArray) advice = ana_advice_new(in->q, host);
	g_autoptr(GPtrArray) commands = g_ptr_array_new();

	for (guint i = 0; i < advice->len; i++)
		g_ptr_array_add(commands,
			(char *)(uintptr_t)g_array_index(advice, struct ana_advice, i).command);
	if (in->format == TABLE_JSON)
		cell->json = table_json_array(advice_columns, in->q, NULL, advice);
	else
		table_texts(cell, in->format, commands, "; ");
}

GString *table_index_json(struct qry *q)
{
	struct index all = index_of(qry_host(q, 0));
	g_autofree char *folder = g_path_get_dirname(all.path);

	for (uint32_t i = 1; i < qry_host_count(q); i++) {
		all.path = folder;
		all.bytes += qry_host(q, i)->index_bytes;
		all.built_in_ns = base_time_sum(all.built_in_ns, index_of(qry_host(q, i)).built_in_ns);
	}
	return table_json_row(index_columns, q, NULL, &all);
}

/* ---- the cost of tracing ---- */

/* VALUE, or unknown if the trace does not show the senders of packets. Counts from the connections of other
 * hosts alone may be incomplete. */
static int64_t counted(const struct ana_cost *cost, uint64_t value)
{
	return cost->sees_senders ? (int64_t)value : BASE_TIME_NONE;
}

/* The cost on one host as an object of JSON. */
TABLE_COLUMNS(cost_columns)
{
	static const char *const keys[2][4] = {
		{ "packets_sent", "bytes_sent", "all_packets_sent", "all_bytes_sent" },
		{ "packets_received", "bytes_received", "all_packets_received", "all_bytes_received" },
	};
	const struct ana_cost *cost = row;

	TABLE_COLUMN("threads", NULL, TABLE_NUMBER, "threads of the tracer", number = cost->threads);
	TABLE_COLUMN("cpu_time", NULL, TABLE_DURATION, "their time on CPUs", number = cost->cpu_time);
	TABLE_COLUMN("cpu_busy", NULL, TABLE_DURATION, "time that CPUs were not idle", number = cost->busy);
	TABLE_COLUMN("cpu_known", NULL, TABLE_DURATION, "time that the state of the CPUs is known",
		number = cost->known);
	TABLE_COLUMN("cpu_share", NULL, TABLE_SHARE, "the tracer's share of `cpu_busy`",
		share = cost->busy > 0 ? (double)cost->cpu_time / (double)cost->busy : NAN);
	for (unsigned way = 0; way < 2; way++) {
		TABLE_COLUMN(keys[way][0], NULL, TABLE_NUMBER, "network packets of the tracer",
			number = counted(cost, cost->tracer[way].packets));
		TABLE_COLUMN(keys[way][1], NULL, TABLE_NUMBER, "bytes in them",
			number = counted(cost, cost->tracer[way].bytes));
		TABLE_COLUMN(keys[way][2], NULL, TABLE_NUMBER, "network packets of the host",
			number = (int64_t)cost->all[way].packets);
		TABLE_COLUMN(keys[way][3], NULL, TABLE_NUMBER, "bytes in them",
			number = (int64_t)cost->all[way].bytes);
	}
}

/* The cost as columns of CSV: "observing_…". */
TABLE_COLUMNS(flat_cost_columns)
{
	const struct ana_cost *cost = row;

	TABLE_COLUMN("observing_threads", NULL, TABLE_NUMBER, "", number = cost->threads);
	TABLE_COLUMN("observing_cpu_time", NULL, TABLE_DURATION, "", number = cost->cpu_time);
	TABLE_COLUMN("observing_cpu_busy", NULL, TABLE_DURATION, "", number = cost->busy);
	TABLE_COLUMN("observing_packets_sent", NULL, TABLE_NUMBER, "",
		number = counted(cost, cost->tracer[0].packets));
	TABLE_COLUMN("observing_bytes_sent", NULL, TABLE_NUMBER, "",
		number = counted(cost, cost->tracer[0].bytes));
	TABLE_COLUMN("observing_packets_received", NULL, TABLE_NUMBER, "",
		number = counted(cost, cost->tracer[1].packets));
	TABLE_COLUMN("observing_bytes_received", NULL, TABLE_NUMBER, "",
		number = counted(cost, cost->tracer[1].bytes));
	TABLE_COLUMN("packets_sent", NULL, TABLE_NUMBER, "network packets of the host",
		number = (int64_t)cost->all[0].packets);
	TABLE_COLUMN("bytes_sent", NULL, TABLE_NUMBER, "bytes in them", number = (int64_t)cost->all[0].bytes);
	TABLE_COLUMN("packets_received", NULL, TABLE_NUMBER, "network packets of the host",
		number = (int64_t)cost->all[1].packets);
	TABLE_COLUMN("bytes_received", NULL, TABLE_NUMBER, "bytes in them",
		number = (int64_t)cost->all[1].bytes);
}

/* ---- traces ---- */

struct trace {
	uint32_t host;
	const struct qry_host *h;
	const struct idx_meta *m;
	struct index index;
	const struct ana_cost *cost;
};

/* A value with parts is an object in JSON, and a column for each part in CSV. */
TABLE_COLUMNS(trace_columns)
{
	const struct trace *x = row;
	struct ana_clock clock = row ? ana_clock_of(in->q, x->host, x->h->from) : (struct ana_clock){ 0 };

	TABLE_COLUMN("path", NULL, TABLE_WORD, "folder", word = x->m->path);
	TABLE_COLUMN("host", NULL, TABLE_WORD, "name of the host", word = x->h->name);
	TABLE_COLUMN("uuid", NULL, TABLE_WORD, "UUID of the trace", word = x->m->uuid);
	TABLE_COLUMN("tracer", NULL, TABLE_WORD, "name and version of the tracer", word = x->m->tracer);
	TABLE_COLUMN("release", NULL, TABLE_WORD | TABLE_LATE, "kernel release", word = x->m->release);
	TABLE_COLUMN("format", NULL, TABLE_WORD | TABLE_LATE,
		"format of the trace: `ctf 1.8`, `ctf 2`, `trace.dat`, `perf.data`, `pftrace`, `ftrace text`, `perf script text`",
		word = x->m->format);
	TABLE_COLUMN("reader", NULL, TABLE_WORD | TABLE_LATE,
		"reader: `ctf`, `babeltrace2`, `ftrace`, `perf`", word = x->m->reader);
	TABLE_COLUMN("events", NULL, TABLE_NUMBER, "events in the trace", number = (int64_t)x->m->events);
	TABLE_COLUMN("discarded", NULL, TABLE_NUMBER, "events that the tracer lost",
		number = (int64_t)x->m->discarded);
	TABLE_COLUMN("discarded_packets", NULL, TABLE_NUMBER | TABLE_LATE,
		"packets of the trace that the tracer lost", number = (int64_t)x->m->discarded_packets);
	TABLE_COLUMN("stepped_back", NULL, TABLE_NUMBER | TABLE_LATE,
		"events with an earlier time than the event before", number = (int64_t)x->m->stepped_back);
	TABLE_COLUMN("from", NULL, TABLE_TIME, "first event", number = x->h->from);
	TABLE_COLUMN("to", NULL, TABLE_TIME, "last event", number = x->h->to);
	TABLE_COLUMN("start_shift_ns", NULL, TABLE_DURATION | TABLE_LATE,
		"how much later a host without a clock is shown, see [sync.md](sync.md#hosts-without-a-common-clock)",
		number = clock.placed ? -clock.ahead : BASE_TIME_NONE); /* to the begin of the first host */
	TABLE_COLUMN("clock_error_ns", NULL, TABLE_DURATION | TABLE_LATE,
		"with several hosts: largest possible error of its clock against the first host; null if unknown, or if its clock cannot be related to the first",
		number = table_trace_clock_error(in->q, x->host));
	TABLE_COLUMN("cpus", NULL, TABLE_NUMBER, "number of CPUs", number = x->m->n_cpus);
	TABLE_COLUMN_BY("missing_events", NULL, TABLE_WORD,
		"text[]: kinds of events that were not recorded and would show more",
		table_texts(cell, in->format, x->m->missing_events, " "));
	TABLE_COLUMN_BY("advice", NULL, TABLE_WORD | TABLE_LATE, "{}: ", set_advice(cell, x->host, in));
	TABLE_COLUMN_BY("warnings", NULL, TABLE_WORD, "text[]: about this trace",
			g_autoptr(GPtrArray) all = table_trace_warnings(in->q, x->host);
			table_texts(cell, in->format, all, "; "));
	TABLE_COLUMN_BY("notes", NULL, TABLE_WORD,
		"text[]: unusual facts that do not make an answer wrong, such as off-line CPUs and suspends, with the threads that caused them, and how long time-keeping was stopped",
		table_texts(cell, in->format, x->m->notes, "; "));
	TABLE_COLUMN_BY("counters", NULL, TABLE_WORD | TABLE_LATE,
		"text[]: counters that were read with events, so that wakepath knows the counts of threads",
		table_texts(cell, in->format, x->m->counters, " "));
	TABLE_COLUMN("counters_share", NULL, TABLE_SHARE | TABLE_LATE,
		"share of the CPU time of threads for which these counts are known; null without counters",
		share = qry_counted_share(in->q, x->host));
	TABLE_LIST("gaps", NULL, TABLE_NUMBER | TABLE_LATE,
		"{}: ", table_json_array(gap_columns, in->q, NULL, x->h->gaps), number = x->h->gaps->len);
	if (in->format != TABLE_JSON)
		index_columns(to, row ? &x->index : NULL, in);
	TABLE_LIST("chunks", NULL, TABLE_NUMBER,
		"{}: ", table_json_array(chunk_columns, in->q, NULL, x->h->chunks),
		number = x->h->chunks->len);
	if (in->format != TABLE_JSON) {
		flat_cost_columns(to, row ? x->cost : NULL, in);
		return;
	}
	TABLE_OBJECT("observing", NULL, TABLE_WORD,
		"{}: ", table_json_row(cost_columns, in->q, NULL, x->cost), NULL);
	TABLE_OBJECT("index", NULL, TABLE_WORD, "{}: ", table_json_row(index_columns, in->q, NULL, &x->index),
		NULL);
}

struct traces {
	struct table_cursor of;
	struct ana_cost *made; /* owned, one for each host; NULL: the asker has them */
	struct trace trace;
};

static bool open_traces(struct table_cursor *cursor, GError **error)
{
	struct traces *c = (struct traces *)cursor;
	struct base_progress *progress = cursor->ask.progress;
	struct qry_tracer_flows *flows;

	if (cursor->ask.result)
		return true;
	flows = qry_tracer_flows_new(cursor->q, progress);
	c->made = g_new(struct ana_cost, qry_host_count(cursor->q));
	for (uint32_t i = 0; i < qry_host_count(cursor->q); i++)
		ana_cost_of(cursor->q, i, flows, progress, &c->made[i]);
	qry_tracer_flows_free(flows);
	return !base_progress_cancelled(progress) ||
		base_error_false(error, BASE_ERROR_CANCELLED, "interrupted");
}

static int next_trace(struct table_cursor *cursor, const void **row, G_GNUC_UNUSED GError **error)
{
	struct traces *c = (struct traces *)cursor;
	const struct ana_cost *costs = c->made ? c->made : cursor->ask.result;
	uint32_t host = cursor->in.number;
	const struct qry_host *h;

	if (host >= qry_host_count(cursor->q))
		return 0;
	h = qry_host(cursor->q, host);
	c->trace = (struct trace){ host, h, h->meta, index_of(h), &costs[host] };
	*row = &c->trace;
	return 1;
}

static void close_traces(struct table_cursor *cursor)
{
	g_free(((struct traces *)cursor)->made);
}

static bool lead(G_GNUC_UNUSED const struct table_cursor *c, const void *row, struct table_place *to)
{
	const struct trace *x = row;

	*to = (struct table_place){ .row = MDL_NONE, .from = x->h->from, .to = x->h->to };
	return true;
}

static const struct table_part parts[] = {
	{ "advice[]", advice_columns, NULL },
	{ "gaps[]", gap_columns, NULL },
	{ "chunks[]", chunk_columns, NULL },
	{ "observing", cost_columns, NULL },
	{ "index", index_columns, NULL },
	{ NULL, NULL, NULL },
};

const struct table table_traces = {
	.name = "trace",
	.list = "traces",
	.doc = "a trace, of one host",
	.columns = trace_columns,
	.parts = parts,
	.size = sizeof(struct traces),
	.open = open_traces,
	.next = next_trace,
	.close = close_traces,
	.lead = lead,
};
