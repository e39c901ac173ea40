/* SPDX-License-Identifier: MIT */
#include "export/exp.h"

#include "export/exp_rows.h"

#include "analysis/kind/advice.h"
#include "analysis/request/clock.h"

#include "base/base_text.h"
#include "base/base_time.h"
#include "query/bookmarks.h"
#include "query/clock/clock.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define GAPS_SHOWN 10   /* in the text; JSON has all that the index kept */
#define CHUNKS_SHOWN 10 /* the same */

TABLE_COLUMNS(gap_columns)
{
	const struct idx_gap *g = row;

	TABLE_COLUMN("cpu", NULL, TABLE_NUMBER,
		"CPU that lost events, all of them if it has no stream; null if it can be any",
		number = table_id(g->cpu));
	TABLE_COLUMN("from", NULL, TABLE_TIME, "when", number = g->from);
	TABLE_COLUMN("to", NULL, TABLE_TIME, "when", number = g->to);
	/* Lost packets: the number of their events is unknown. */
	TABLE_COLUMN("count", NULL, TABLE_NUMBER, "number of lost events",
		number = g->count ? (int64_t)g->count : BASE_TIME_NONE);
}

TABLE_COLUMNS(chunk_columns)
{
	const struct idx_chunk *c = row;

	TABLE_COLUMN("path", NULL, TABLE_WORD, "folders that the trace consists of, in order of time",
		word = c->path);
	TABLE_COLUMN("from", NULL, TABLE_TIME, "span of each folder", number = c->from);
	TABLE_COLUMN("to", NULL, TABLE_TIME, "span of each folder", number = c->to);
}

TABLE_COLUMNS(advice_columns)
{
	const struct ana_advice *a = row;

	TABLE_COLUMN("event", NULL, TABLE_WORD, "kind of event", word = a->event);
	TABLE_COLUMN("why", NULL, TABLE_WORD, "what they would show", word = a->why);
	TABLE_COLUMN("command", NULL, TABLE_WORD, "command that records it", word = a->command);
}

/* An index, or those of all hosts. */
struct index {
	const char *path;
	uint64_t bytes;
	int64_t built_in_ns;
};

TABLE_COLUMNS(index_columns)
{
	const struct index *x = row;
	bool flat = in->format != TABLE_JSON;

	TABLE_COLUMN(flat ? "index_path" : "path", NULL, TABLE_WORD, "", word = x->path);
	TABLE_COLUMN(flat ? "index_bytes" : "bytes", NULL, TABLE_NUMBER, "", number = (int64_t)x->bytes);
	TABLE_COLUMN(flat ? "index_built_in_ns" : "built_in_ns", NULL, TABLE_DURATION, "",
		number = x->built_in_ns);
	TABLE_COLUMN(flat ? "index_version" : "version", NULL, TABLE_NUMBER, "", number = IDX_FORMAT_VERSION);
}

static struct index index_of(const struct qry_host *h)
{
	return (struct index){ h->index_path, h->index_bytes, (int64_t)MIN(h->meta->built_in_ns, INT64_MAX) };
}

/* The warnings about the trace and about the clock of its host, of char *.  The caller unrefs. */
static GPtrArray *warnings_of(const struct qry *q, uint32_t host)
{
	const GPtrArray *own = qry_host(q, host)->meta->warnings;
	GPtrArray *all = g_ptr_array_new_with_free_func(g_free);

	for (guint i = 0; i < own->len; i++)
		g_ptr_array_add(all, g_strdup(g_ptr_array_index(own, i)));
	qry_clock_warnings(q, host, all);
	return all;
}

/* The largest error of HOST's clock against the first host's, in ns; BASE_TIME_NONE: unknown, there is no
 * such clock, or there is only one host. */
static int64_t clock_error(const struct qry *q, uint32_t host)
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

/* ---- the cost of tracing ---- */

/* Unknown if the trace does not tell the senders of packets.  Counts from other hosts' connections alone are
 * unknown, too: they may be incomplete. */
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
		TABLE_COLUMN(keys[way][0], NULL, TABLE_NUMBER, "",
			number = counted(cost, cost->tracer[way].packets));
		TABLE_COLUMN(keys[way][1], NULL, TABLE_NUMBER, "",
			number = counted(cost, cost->tracer[way].bytes));
		TABLE_COLUMN(keys[way][2], NULL, TABLE_NUMBER, "", number = (int64_t)cost->all[way].packets);
		TABLE_COLUMN(keys[way][3], NULL, TABLE_NUMBER, "", number = (int64_t)cost->all[way].bytes);
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
	TABLE_COLUMN("packets_sent", NULL, TABLE_NUMBER, "network packets of the tracer",
		number = (int64_t)cost->all[0].packets);
	TABLE_COLUMN("bytes_sent", NULL, TABLE_NUMBER, "bytes in them", number = (int64_t)cost->all[0].bytes);
	TABLE_COLUMN("packets_received", NULL, TABLE_NUMBER, "network packets of the tracer",
		number = (int64_t)cost->all[1].packets);
	TABLE_COLUMN("bytes_received", NULL, TABLE_NUMBER, "bytes in them",
		number = (int64_t)cost->all[1].bytes);
}

/* "3 threads of the tracer, 12 ms on CPUs: 0.40% of the time they were busy"; NULL: none. */
static char *cost_threads(const struct ana_cost *cost)
{
	g_autofree char *time = table_duration_text(cost->cpu_time);
	GString *text;

	if (cost->threads == 0)
		return NULL;
	text = g_string_new(NULL);
	g_string_printf(text, "%u thread%s of the tracer, %s on CPUs", cost->threads,
		base_text_s(cost->threads), time);
	if (cost->busy > 0)
		g_string_append_printf(text, ": %.2f%% of the time they were busy",
			100.0 * (double)cost->cpu_time / (double)cost->busy);
	return g_string_free(text, FALSE);
}

/* "14 of 41 packets sent (1.2 of 4.7 KiB, 25.40%)". */
static void append_traffic(GString *text, const struct ana_cost *cost, unsigned way)
{
	static const char *const ways[2] = { "sent", "received" };
	const struct qry_traffic *mine = &cost->tracer[way], *all = &cost->all[way];
	g_autofree char *part = base_text_bytes(mine->bytes), *whole = base_text_bytes(all->bytes);

	g_string_append_printf(text, "%s%" PRIu64 " of %" PRIu64 " packets %s", text->len ? ", " : "",
		mine->packets, all->packets, ways[way]);
	if (mine->packets > 0)
		g_string_append_printf(text, " (%s of %s: %.2f%%)", part, whole,
			100.0 * (double)mine->bytes / (double)MAX(all->bytes, 1));
}

/* The packets of the tracer and all packets, as text; NULL: none.  The caller frees. */
static char *cost_packets(const struct ana_cost *cost)
{
	GString *text;

	if (cost->all[0].packets + cost->all[1].packets == 0)
		return NULL;
	if (!cost->sees_senders)
		return g_strdup("packets of the tracer unknown: record irq_softirq_entry, irq_softirq_exit");
	text = g_string_new(NULL);
	for (unsigned way = 0; way < 2; way++)
		append_traffic(text, cost, way);
	return g_string_free(text, FALSE);
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
	TABLE_COLUMN("from", NULL, TABLE_TIME, "first and last event", number = x->h->from);
	TABLE_COLUMN("to", NULL, TABLE_TIME, "first and last event", number = x->h->to);
	TABLE_COLUMN("start_shift_ns", NULL, TABLE_DURATION | TABLE_LATE,
		"how much later a host without a clock is shown, see [sync.md](sync.md#hosts-without-a-common-clock)",
		number = clock.placed ? -clock.ahead : BASE_TIME_NONE); /* to the start of the first host */
	TABLE_COLUMN("clock_error_ns", NULL, TABLE_DURATION | TABLE_LATE,
		"with several hosts: largest possible error of its clock against the first host; null if unknown, or if its clock cannot be related to the first",
		number = clock_error(in->q, x->host));
	TABLE_COLUMN("cpus", NULL, TABLE_NUMBER, "number of CPUs", number = x->m->n_cpus);
	TABLE_COLUMN_BY("missing_events", NULL, TABLE_WORD,
		"kinds of events that were not recorded and would show more",
		table_texts(cell, in->format, x->m->missing_events, " "));
	TABLE_COLUMN_BY("advice", NULL, TABLE_WORD | TABLE_LATE, "", set_advice(cell, x->host, in));
	TABLE_COLUMN_BY("warnings", NULL, TABLE_WORD, "about this trace",
			g_autoptr(GPtrArray) all = warnings_of(in->q, x->host);
			table_texts(cell, in->format, all, "; "));
	TABLE_COLUMN_BY("notes", NULL, TABLE_WORD,
		"facts that are unusual, but do not make an answer wrong, such as CPUs that were off-line and suspends, with the threads that did that, and how long time-keeping was stopped",
		table_texts(cell, in->format, x->m->notes, "; "));
	TABLE_LIST("gaps", NULL, TABLE_NUMBER | TABLE_LATE, "",
		table_json_array(gap_columns, in->q, NULL, x->h->gaps), number = x->h->gaps->len);
	if (in->format != TABLE_JSON)
		index_columns(to, row ? &x->index : NULL, in);
	TABLE_LIST("chunks", NULL, TABLE_NUMBER, "",
		table_json_array(chunk_columns, in->q, NULL, x->h->chunks), number = x->h->chunks->len);
	if (in->format != TABLE_JSON) {
		flat_cost_columns(to, row ? x->cost : NULL, in);
		return;
	}
	TABLE_OBJECT("observing", NULL, TABLE_WORD, "", table_json_row(cost_columns, in->q, NULL, x->cost),
		NULL);
	TABLE_OBJECT("index", NULL, TABLE_WORD, "", table_json_row(index_columns, in->q, NULL, &x->index),
		NULL);
}

static void put_traces(GString *out, struct qry *q, const struct ana_cost *costs, const struct exp_options *o)
{
	struct exp_rows *rows = exp_rows_new(out, "traces", trace_columns, o, q, NULL);

	for (uint32_t i = 0; i < qry_host_count(q); i++) {
		const struct qry_host *h = qry_host(q, i);
		struct trace x = { i, h, h->meta, index_of(h), &costs[i] };

		exp_rows_add(rows, &x);
	}
	exp_rows_finish(rows);
}

/* The index as a whole: with several hosts their common folder, and sums. */
static GString *all_indexes_json(struct qry *q)
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

/* "  name      text"; nothing if TEXT is empty.  Frees TEXT. */
static void append_fact(GString *out, const char *name, char *text)
{
	if (*text) {
		g_string_append_printf(out, "  %-10s", name);
		exp_table_append_clean(out, text);
		g_string_append_c(out, '\n');
	}
	g_free(text);
}

static void append_gaps(GString *out, const GArray *gaps)
{
	for (guint i = 0; i < MIN(gaps->len, GAPS_SHOWN); i++) {
		const struct idx_gap *g = &g_array_index(gaps, struct idx_gap, i);
		g_autofree char *from = table_time_text(g->from), *to = table_time_text(g->to);
		g_autofree char *count = g->count
			? g_strdup_printf("%" PRIu64 " event%s", g->count, base_text_s(g->count))
			: g_strdup("an unknown number of events");

		append_fact(out, "lost", g_strdup_printf("CPU %u, %s to %s: %s", g->cpu, from, to, count));
	}
	if (gaps->len > GAPS_SHOWN)
		append_fact(out, "", g_strdup_printf("and %u more gaps", gaps->len - GAPS_SHOWN));
}

static char *span_text(int64_t from, int64_t to)
{
	g_autofree char *begin = base_time_format_full(from), *end = base_time_format_full(to);
	g_autofree char *length = table_duration_text(from == BASE_TIME_NONE ? BASE_TIME_NONE : to - from);

	return g_strdup_printf("%s to %s (%s)", begin, end, length);
}

/* The folders of H if there are several: "20261122-0: FROM to TO (1.2 s)". */
static void append_chunks(GString *out, const struct qry_host *h)
{
	guint n = h->chunks->len;

	if (n < 2)
		return;
	append_fact(out, "chunks", g_strdup_printf("%u of one recording, read as one", n));
	for (guint i = 0; i < MIN(n, CHUNKS_SHOWN); i++) {
		const struct idx_chunk *c = &g_array_index(h->chunks, struct idx_chunk, i);
		const char *name = g_str_has_prefix(c->path, h->meta->path) ? c->path + strlen(h->meta->path)
									    : c->path;
		g_autofree char *span = span_text(c->from, c->to);

		append_fact(out, "", g_strdup_printf("%s: %s", *name == '/' ? name + 1 : name, span));
	}
	if (n > CHUNKS_SHOWN)
		append_fact(out, "", g_strdup_printf("and %u more", n - CHUNKS_SHOWN));
}

static void append_texts(GString *out, const char *name, const GPtrArray *texts)
{
	for (guint i = 0; i < texts->len; i++)
		append_fact(out, name, g_strdup(g_ptr_array_index(texts, i)));
}

static void trace_text(GString *out, const struct qry *q, uint32_t host, const struct ana_cost *cost)
{
	const struct qry_host *h = qry_host(q, host);
	const struct idx_meta *m = h->meta;
	g_autoptr(GPtrArray) warnings = warnings_of(q, host);
	g_autoptr(GArray) advice = ana_advice_new(q, host);
	int64_t error = clock_error(q, host);
	g_autofree char *off = table_duration_text(error), *bytes = base_text_bytes(h->index_bytes),
			*built = table_duration_text((int64_t)m->built_in_ns);
	char *threads = cost_threads(cost), *packets = cost_packets(cost);

	exp_table_append_clean(out, m->path);
	g_string_append_c(out, '\n');
	if (!idx_meta_is_kernel(m)) /* what it is comes before all that it has or lacks */
		append_texts(out, "warning", warnings);
	append_fact(out, "host", g_strdup(h->name));
	append_fact(out, "tracer", g_strdup(m->tracer));
	append_fact(out, "kernel", g_strdup(m->release));
	append_fact(out, "uuid", g_strdup(m->uuid));
	append_fact(out, "format", g_strdup(m->format));
	append_fact(out, "reader", g_strdup(m->reader));
	append_fact(out, "span", span_text(h->from, h->to));
	append_chunks(out, h);
	if (host > 0 && error != BASE_TIME_NONE)
		append_fact(out, "clock", g_strdup_printf("±%s against %s", off, qry_host(q, 0)->name));
	append_fact(out, "CPUs", g_strdup_printf("%u", m->n_cpus));
	append_fact(out, "events", g_strdup_printf("%" PRIu64, m->events));
	if (m->discarded || m->discarded_packets)
		append_fact(out, "discarded",
			g_strdup_printf("%" PRIu64 " event%s, %" PRIu64 " packet%s", m->discarded,
				base_text_s(m->discarded), m->discarded_packets,
				base_text_s(m->discarded_packets)));
	if (threads)
		append_fact(out, "observing", threads);
	if (packets)
		append_fact(out, threads ? "" : "observing", packets);
	append_fact(out, "index",
		g_strdup_printf("%s (%s, format %d, built in %s)", h->index_path, bytes, IDX_FORMAT_VERSION,
			built));
	append_fact(out, "missing", base_text_join(m->missing_events, " "));
	for (guint i = 0; i < advice->len; i++) {
		const struct ana_advice *a = &g_array_index(advice, struct ana_advice, i);

		append_fact(out, i == 0 ? "advice" : "",
			g_strdup_printf("to see %s: %s", a->why, a->command));
	}
	if (idx_meta_is_kernel(m))
		append_texts(out, "warning", warnings);
	append_texts(out, "note", m->notes);
	append_gaps(out, h->gaps);
}

/* ---- bookmarks ---- */

/* TIME of a bookmark if it is known. */
static int64_t known(const struct qry_bookmark *b, int64_t time)
{
	return b->host == MDL_NONE || time == MDL_NEVER ? BASE_TIME_NONE : time;
}

TABLE_COLUMNS(bookmark_columns)
{
	const struct qry_bookmark *b = row;
	const char letter[2] = { b ? b->letter : 0, 0 };

	TABLE_COLUMN("letter", "LETTER", TABLE_WORD, "`a` to `z`", taken = g_strdup(letter));
	TABLE_COLUMN("host", NULL, TABLE_WORD, "host; null if that host is not open",
		word = table_host(in->q, b->host));
	TABLE_COLUMN("row", "ROW", TABLE_WORD,
		"thread, CPU or interrupt; null if there is none, or it does not exist here",
		taken = b->row == MDL_NONE ? NULL : qry_row_label(in->q, b->row));
	TABLE_COLUMN("time", "AT", TABLE_TIME, "instant", number = known(b, b->time));
	TABLE_COLUMN("from", NULL, TABLE_TIME, "window", number = known(b, b->from));
	TABLE_COLUMN("to", NULL, TABLE_TIME, "window", number = known(b, b->to));
	TABLE_COLUMN("selected_from", NULL, TABLE_TIME, "selection", number = known(b, b->selected_from));
	TABLE_COLUMN("selected_to", NULL, TABLE_TIME, "selection", number = known(b, b->selected_to));
	TABLE_COLUMN("note", "NOTE", TABLE_LONG, "note; empty if there is none", word = b->note);
}

/* ALL, of struct qry_bookmark, as a table, as CSV, or as the list "bookmarks" of the open object of JSON. */
static void put_bookmarks(GString *out, struct qry *q, const GArray *all, const struct exp_options *o)
{
	if (o->format == TABLE_TEXT && all->len == 0)
		g_string_append(out, "bookmarks\n  none\n");
	else
		exp_rows_array(out, "bookmarks", bookmark_columns, o, q, NULL, all, UINT_MAX);
}

/* ---- overview ---- */

/* A line, and its part. */
struct entry {
	enum ana_overview_part part;
	const struct ana_overview_line *line;
};

TABLE_COLUMNS(line_columns)
{
	const struct entry *e = row;
	const struct ana_overview_line *line = e ? e->line : NULL;

	TABLE_COLUMN("part", NULL, TABLE_WORD,
		"`vcpus`: virtual CPUs that waited longest for a CPU of their host, and who had it; `cpu`: threads that used the CPUs most; `interrupts`: by time; `wakeup`: the slowest wake-ups; `requests`: the slowest requests over the net; `waiting`: user threads that waited most, without their own sleeps; `taken`: who had the CPU while user threads waited for one; `disks`: by their slowest operation",
		word = ana_overview_name(e->part));
	TABLE_COLUMN("time", ">TIME", TABLE_DURATION,
		"sort key within a part: a sum; for `wakeup`, `requests` and `disks` the longest case",
		number = line->time);
	TABLE_COLUMN("share", ">SHARE", TABLE_SHARE,
		"of the host's time in the trace (`cpu`, `interrupts`), of the thread's life (`waiting`)",
		share = line->of > 0 ? (double)line->time / (double)line->of : (double)NAN);
	TABLE_COLUMN("count", ">COUNT", TABLE_NUMBER, "number of waits or operations",
		number = line->count > 0 ? (int64_t)line->count : BASE_TIME_NONE);
	TABLE_COLUMN("name", "NAME", TABLE_WORD,
		"thread, interrupt or device; more about it: what it waited for most, what ran instead, which thread it delayed longest, which server it asked",
		word = line->name);
	TABLE_COLUMN("what", "WHAT", TABLE_WORD,
		"thread, interrupt or device; more about it: what it waited for most, what ran instead, which thread it delayed longest, which server it asked",
		word = line->what);
	TABLE_COLUMN("host", NULL, TABLE_WORD, "its host",
		word = table_host(in->q, line->row == MDL_NONE ? MDL_NONE : qry_row(in->q, line->row)->host));
	TABLE_COLUMN("nr", NULL, TABLE_NUMBER, "TID or interrupt number to look at",
		number = table_nr(in->q, line->row));
	TABLE_COLUMN("from", "AT", TABLE_TIME,
		"where to look: the longest run (`cpu`, `interrupts`), the longest wait, the slowest operation",
		number = line->row == MDL_NONE ? BASE_TIME_NONE : line->from);
	TABLE_COLUMN("to", NULL, TABLE_TIME,
		"where to look: the longest run (`cpu`, `interrupts`), the longest wait, the slowest operation",
		number = line->row == MDL_NONE ? BASE_TIME_NONE : line->to);
}

static void add_lines(struct exp_rows *rows, enum ana_overview_part part, const GArray *lines)
{
	for (guint i = 0; lines && i < lines->len; i++) {
		struct entry e = { part, &g_array_index(lines, struct ana_overview_line, i) };

		exp_rows_add(rows, &e);
	}
}

/* A table for each part. */
static void put_tables(GString *out, struct qry *q, const struct ana_overview *all,
	const struct exp_options *o)
{
	for (unsigned i = 0; i < ANA_OVERVIEW_N; i++) {
		struct exp_rows *rows;

		if (!ana_overview_has(q, i))
			continue;
		g_string_append_printf(out, "\n%s\n", ana_overview_title(i));
		if (all->missing[i] || all->lines[i]->len == 0) {
			exp_table_append_clean(out, all->missing[i] ? all->missing[i] : "  none");
			g_string_append_c(out, '\n');
			continue;
		}
		rows = exp_rows_new(out, "top", line_columns, o, q, NULL);
		add_lines(rows, i, all->lines[i]);
		exp_rows_finish(rows);
	}
}

/* ALL as a table for each part, as CSV, or as the list "top" of the open object of JSON. */
static void put_overview(GString *out, struct qry *q, const struct ana_overview *all,
	const struct exp_options *o)
{
	struct exp_rows *rows;

	if (o->format == TABLE_TEXT) {
		put_tables(out, q, all, o);
		return;
	}
	rows = exp_rows_new(out, "top", line_columns, o, q, NULL);
	for (unsigned i = 0; i < ANA_OVERVIEW_N; i++)
		add_lines(rows, i, all->lines[i]);
	exp_rows_finish(rows);
}

/* ---- the whole ---- */

/* Text is more than one table, so Markdown has it as a code block. */
static void info_told(GString *out, struct qry *q, const struct exp_info_of *info, enum table_format format)
{
	g_autoptr(GString) text = g_string_new(NULL);
	const struct exp_options told = { .format = TABLE_TEXT };
	const GPtrArray *warnings = qry_warnings_overall(q), *notes = qry_notes(q);

	for (uint32_t i = 0; i < qry_host_count(q); i++)
		trace_text(text, q, i, &info->costs[i]);
	if (warnings->len + notes->len)
		g_string_append(text, "all traces\n");
	append_texts(text, "warning", warnings);
	append_texts(text, "note", notes);
	if (info->top)
		put_overview(text, q, info->top, &told);
	if (info->bookmarks)
		put_bookmarks(text, q, info->bookmarks, &told);
	if (format == TABLE_MARKDOWN)
		exp_markdown_block(out, text->str);
	else
		g_string_append(out, text->str);
}

EXP_WRITER(exp_info)
{
	const struct exp_info_of *info = result;
	const struct ana_cost *costs = info->costs;
	int64_t from, to;

	if (o->format == TABLE_JSON) {
		qry_span(q, &from, &to);
		put_traces(out, q, costs, o);
		base_json_time(out, "from", from);
		base_json_time(out, "to", to);
		base_json_put(out, "index", all_indexes_json(q));
		base_json_put(out, "warnings", base_json_texts(qry_warnings_overall(q)));
		base_json_put(out, "notes", base_json_texts(qry_notes(q)));
		if (info->top)
			put_overview(out, q, info->top, o);
		if (info->bookmarks)
			put_bookmarks(out, q, info->bookmarks, o);
	} else if (info->top && o->format != TABLE_TEXT) {
		put_overview(out, q, info->top, o);
	} else if (info->bookmarks && o->format != TABLE_TEXT) {
		put_bookmarks(out, q, info->bookmarks, o);
	} else if (o->format == TABLE_CSV) {
		put_traces(out, q, costs, o);
	} else {
		info_told(out, q, info, o->format);
	}
	return true;
}
