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

EXP_COLUMNS(gap_columns)
{
	const struct idx_gap *g = row;

	EXP_COLUMN("cpu", NULL, EXP_NUMBER, number = exp_rows_id(g->cpu));
	EXP_COLUMN("from", NULL, EXP_TIME, number = g->from);
	EXP_COLUMN("to", NULL, EXP_TIME, number = g->to);
	/* Lost packets: how many events were in them nobody knows. */
	EXP_COLUMN("count", NULL, EXP_NUMBER, number = g->count ? (int64_t)g->count : BASE_TIME_NONE);
}

EXP_COLUMNS(chunk_columns)
{
	const struct idx_chunk *c = row;

	EXP_COLUMN("path", NULL, EXP_WORD, word = c->path);
	EXP_COLUMN("from", NULL, EXP_TIME, number = c->from);
	EXP_COLUMN("to", NULL, EXP_TIME, number = c->to);
}

EXP_COLUMNS(advice_columns)
{
	const struct ana_advice *a = row;

	EXP_COLUMN("event", NULL, EXP_WORD, word = a->event);
	EXP_COLUMN("why", NULL, EXP_WORD, word = a->why);
	EXP_COLUMN("command", NULL, EXP_WORD, word = a->command);
}

/* An index, or those of all hosts. */
struct index {
	const char *path;
	uint64_t bytes;
	int64_t built_in_ns;
};

EXP_COLUMNS(index_columns)
{
	const struct index *x = row;
	bool flat = in->format != EXP_JSON;

	EXP_COLUMN(flat ? "index_path" : "path", NULL, EXP_WORD, word = x->path);
	EXP_COLUMN(flat ? "index_bytes" : "bytes", NULL, EXP_NUMBER, number = (int64_t)x->bytes);
	EXP_COLUMN(flat ? "index_built_in_ns" : "built_in_ns", NULL, EXP_DURATION, number = x->built_in_ns);
	EXP_COLUMN(flat ? "index_version" : "version", NULL, EXP_NUMBER, number = IDX_FORMAT_VERSION);
}

static struct index index_of(const struct qry_host *h)
{
	return (struct index){ h->index_path, h->index_bytes, (int64_t)MIN(h->meta->built_in_ns, INT64_MAX) };
}

static void add_texts(GPtrArray *to, const GPtrArray *texts)
{
	for (guint i = 0; i < texts->len; i++)
		g_ptr_array_add(to, g_strdup(g_ptr_array_index(texts, i)));
}

/* What the trace and the clock in use for its host warn of: of char *.  The caller unrefs. */
static GPtrArray *warnings_of(const struct qry *q, uint32_t host)
{
	GPtrArray *all = g_ptr_array_new_with_free_func(g_free);

	add_texts(all, qry_host(q, host)->meta->warnings);
	qry_clock_warnings(q, host, all);
	return all;
}

/* ns by which HOST is shown later than by its own times because its start was put to the first host's;
 * BASE_TIME_NONE: it was not. */
static int64_t start_shift(const struct qry *q, uint32_t host)
{
	struct ana_clock clock = ana_clock_of(q, host, qry_host(q, host)->from);

	return clock.placed ? -clock.ahead : BASE_TIME_NONE;
}

/* ns by which HOST's clock may be off against the first host's at most; BASE_TIME_NONE: unknown, it has none
 * in terms of that, or there is one host. */
static int64_t clock_error(const struct qry *q, uint32_t host)
{
	struct ana_clock clock = ana_clock_of(q, host, qry_host(q, host)->from);
	bool told = qry_host_count(q) > 1 && clock.known && clock.worst != INT64_MAX;

	return told ? clock.worst : BASE_TIME_NONE;
}

/* In JSON all of it, else the lines to type. */
static void set_advice(struct exp_cell *cell, uint32_t host, const struct exp_rows_in *in)
{
	g_autoptr(GArray) advice = ana_advice_new(in->q, host);
	g_autoptr(GPtrArray) commands = g_ptr_array_new();

	for (guint i = 0; i < advice->len; i++)
		g_ptr_array_add(commands,
			(char *)(uintptr_t)g_array_index(advice, struct ana_advice, i).command);
	if (in->format == EXP_JSON)
		cell->json = exp_rows_json_array(advice_columns, in->q, NULL, advice);
	else
		exp_rows_texts(cell, in->format, commands, "; ");
}

static void set_warnings(struct exp_cell *cell, uint32_t host, const struct exp_rows_in *in)
{
	g_autoptr(GPtrArray) warnings = warnings_of(in->q, host);

	exp_rows_texts(cell, in->format, warnings, "; ");
}

/* ---- what it costs to observe ---- */

/* Unknown where the trace does not tell; so are those counts that only other hosts' connections told, for
 * they may lack some. */
static int64_t counted(const struct ana_cost *cost, uint64_t value)
{
	return cost->sees_senders ? (int64_t)value : BASE_TIME_NONE;
}

/* What it costs to observe a host, as an object; */
EXP_COLUMNS(cost_columns)
{
	static const char *const keys[2][4] = {
		{ "packets_sent", "bytes_sent", "all_packets_sent", "all_bytes_sent" },
		{ "packets_received", "bytes_received", "all_packets_received", "all_bytes_received" },
	};
	const struct ana_cost *cost = row;

	EXP_COLUMN("threads", NULL, EXP_NUMBER, number = cost->threads);
	EXP_COLUMN("cpu_time", NULL, EXP_DURATION, number = cost->cpu_time);
	EXP_COLUMN("cpu_busy", NULL, EXP_DURATION, number = cost->busy);
	EXP_COLUMN("cpu_known", NULL, EXP_DURATION, number = cost->known);
	EXP_COLUMN("cpu_share", NULL, EXP_SHARE,
		share = cost->busy > 0 ? (double)cost->cpu_time / (double)cost->busy : NAN);
	for (unsigned way = 0; way < 2; way++) {
		EXP_COLUMN(keys[way][0], NULL, EXP_NUMBER, number = counted(cost, cost->tracer[way].packets));
		EXP_COLUMN(keys[way][1], NULL, EXP_NUMBER, number = counted(cost, cost->tracer[way].bytes));
		EXP_COLUMN(keys[way][2], NULL, EXP_NUMBER, number = (int64_t)cost->all[way].packets);
		EXP_COLUMN(keys[way][3], NULL, EXP_NUMBER, number = (int64_t)cost->all[way].bytes);
	}
}

/* of CSV, beside others: "observing_…". */
EXP_COLUMNS(flat_cost_columns)
{
	const struct ana_cost *cost = row;

	EXP_COLUMN("observing_threads", NULL, EXP_NUMBER, number = cost->threads);
	EXP_COLUMN("observing_cpu_time", NULL, EXP_DURATION, number = cost->cpu_time);
	EXP_COLUMN("observing_cpu_busy", NULL, EXP_DURATION, number = cost->busy);
	EXP_COLUMN("observing_packets_sent", NULL, EXP_NUMBER,
		number = counted(cost, cost->tracer[0].packets));
	EXP_COLUMN("observing_bytes_sent", NULL, EXP_NUMBER, number = counted(cost, cost->tracer[0].bytes));
	EXP_COLUMN("observing_packets_received", NULL, EXP_NUMBER,
		number = counted(cost, cost->tracer[1].packets));
	EXP_COLUMN("observing_bytes_received", NULL, EXP_NUMBER,
		number = counted(cost, cost->tracer[1].bytes));
	EXP_COLUMN("packets_sent", NULL, EXP_NUMBER, number = (int64_t)cost->all[0].packets);
	EXP_COLUMN("bytes_sent", NULL, EXP_NUMBER, number = (int64_t)cost->all[0].bytes);
	EXP_COLUMN("packets_received", NULL, EXP_NUMBER, number = (int64_t)cost->all[1].packets);
	EXP_COLUMN("bytes_received", NULL, EXP_NUMBER, number = (int64_t)cost->all[1].bytes);
}

/* For people; NULL: nothing to tell.  The caller frees. */
static char *cost_threads(const struct ana_cost *cost)
{
	g_autofree char *time = exp_table_duration(cost->cpu_time);
	GString *text;

	if (cost->threads == 0)
		return NULL;
	text = g_string_new(NULL);
	g_string_printf(text, "%u thread%s of the tracer, %s on CPUs", cost->threads,
		cost->threads == 1 ? "" : "s", time);
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

/* The same of packets. */
static char *cost_packets(const struct ana_cost *cost)
{
	GString *text;

	if (cost->all[0].packets + cost->all[1].packets == 0)
		return NULL;
	if (!cost->sees_senders)
		return g_strdup(
			"which packets are the tracer's is not known: record irq_softirq_entry, irq_softirq_exit");
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

/* What has parts is an object in JSON, and a column for each part in CSV. */
EXP_COLUMNS(trace_columns)
{
	const struct trace *x = row;

	EXP_COLUMN("path", NULL, EXP_WORD, word = x->m->path);
	EXP_COLUMN("host", NULL, EXP_WORD, word = x->h->name);
	EXP_COLUMN("uuid", NULL, EXP_WORD, word = x->m->uuid);
	EXP_COLUMN("tracer", NULL, EXP_WORD, word = x->m->tracer);
	EXP_COLUMN("release", NULL, EXP_WORD | EXP_LATE, word = x->m->release);
	EXP_COLUMN("reader", NULL, EXP_WORD | EXP_LATE, word = x->m->reader);
	EXP_COLUMN("events", NULL, EXP_NUMBER, number = (int64_t)x->m->events);
	EXP_COLUMN("discarded", NULL, EXP_NUMBER, number = (int64_t)x->m->discarded);
	EXP_COLUMN("discarded_packets", NULL, EXP_NUMBER | EXP_LATE,
		number = (int64_t)x->m->discarded_packets);
	EXP_COLUMN("stepped_back", NULL, EXP_NUMBER | EXP_LATE, number = (int64_t)x->m->stepped_back);
	EXP_COLUMN("from", NULL, EXP_TIME, number = x->h->from);
	EXP_COLUMN("to", NULL, EXP_TIME, number = x->h->to);
	EXP_COLUMN("start_shift_ns", NULL, EXP_DURATION | EXP_LATE, number = start_shift(in->q, x->host));
	EXP_COLUMN("clock_error_ns", NULL, EXP_DURATION | EXP_LATE, number = clock_error(in->q, x->host));
	EXP_COLUMN("cpus", NULL, EXP_NUMBER, number = x->m->n_cpus);
	EXP_COLUMN_BY("missing_events", NULL, EXP_WORD,
		exp_rows_texts(cell, in->format, x->m->missing_events, " "));
	EXP_COLUMN_BY("advice", NULL, EXP_WORD | EXP_LATE, set_advice(cell, x->host, in));
	EXP_COLUMN_BY("warnings", NULL, EXP_WORD, set_warnings(cell, x->host, in));
	EXP_COLUMN_BY("notes", NULL, EXP_WORD,
		exp_rows_texts(cell, in->format, qry_host(in->q, x->host)->meta->notes, "; "));
	EXP_LIST("gaps", NULL, EXP_NUMBER | EXP_LATE,
		exp_rows_json_array(gap_columns, in->q, NULL, x->h->gaps), number = x->h->gaps->len);
	if (in->format != EXP_JSON)
		index_columns(to, row ? &x->index : NULL, in);
	EXP_LIST("chunks", NULL, EXP_NUMBER, exp_rows_json_array(chunk_columns, in->q, NULL, x->h->chunks),
		number = x->h->chunks->len);
	if (in->format != EXP_JSON) {
		flat_cost_columns(to, row ? x->cost : NULL, in);
		return;
	}
	EXP_OBJECT("observing", NULL, EXP_WORD, exp_rows_json(cost_columns, in->q, NULL, x->cost), NULL);
	EXP_OBJECT("index", NULL, EXP_WORD, exp_rows_json(index_columns, in->q, NULL, &x->index), NULL);
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

/* The index as a whole: of several hosts the folder they share, and sums. */
static GString *all_indexes_json(struct qry *q)
{
	struct index all = index_of(qry_host(q, 0));
	g_autofree char *folder = g_path_get_dirname(all.path);

	for (uint32_t i = 1; i < qry_host_count(q); i++) {
		all.path = folder;
		all.bytes += qry_host(q, i)->index_bytes;
		all.built_in_ns = base_time_sum(all.built_in_ns, index_of(qry_host(q, i)).built_in_ns);
	}
	return exp_rows_json(index_columns, q, NULL, &all);
}

static void info_json(GString *out, struct qry *q, const struct ana_cost *costs, const struct exp_options *o)
{
	int64_t from, to;

	qry_span(q, &from, &to);
	put_traces(out, q, costs, o);
	base_json_time(out, "from", from);
	base_json_time(out, "to", to);
	base_json_put(out, "index", all_indexes_json(q));
	base_json_put(out, "warnings", base_json_texts(qry_warnings_overall(q)));
	base_json_put(out, "notes", base_json_texts(qry_notes(q)));
}

/* "  name      text"; nothing without text.  Frees TEXT. */
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
		g_autofree char *from = exp_table_time(g->from), *to = exp_table_time(g->to);
		g_autofree char *count = g->count ? g_strdup_printf("%" PRIu64 " events", g->count)
						  : g_strdup("an unknown number of events");

		append_fact(out, "lost", g_strdup_printf("CPU %u, %s to %s: %s", g->cpu, from, to, count));
	}
	if (gaps->len > GAPS_SHOWN)
		append_fact(out, "", g_strdup_printf("and %u more gaps", gaps->len - GAPS_SHOWN));
}

static char *span_text(int64_t from, int64_t to)
{
	g_autofree char *begin = base_time_format_full(from), *end = base_time_format_full(to);
	g_autofree char *length = exp_table_duration(from == BASE_TIME_NONE ? BASE_TIME_NONE : to - from);

	return g_strdup_printf("%s to %s (%s)", begin, end, length);
}

/* The folders of H, where there are several: "20261122-0: FROM to TO (1.2 s)". */
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

static char *index_text(const struct qry_host *h)
{
	g_autofree char *bytes = base_text_bytes(h->index_bytes);
	g_autofree char *built = exp_table_duration((int64_t)h->meta->built_in_ns);

	return g_strdup_printf("%s (%s, format %d, built in %s)", h->index_path, bytes, IDX_FORMAT_VERSION,
		built);
}

static void append_advice(GString *out, const struct qry *q, uint32_t host)
{
	g_autoptr(GArray) advice = ana_advice_new(q, host);

	for (guint i = 0; i < advice->len; i++) {
		const struct ana_advice *a = &g_array_index(advice, struct ana_advice, i);

		append_fact(out, i == 0 ? "advice" : "",
			g_strdup_printf("to see %s: %s", a->why, a->command));
	}
}

/* The name of the fact stands before the first line. */
static void append_cost(GString *out, const struct ana_cost *cost)
{
	char *threads = cost_threads(cost), *packets = cost_packets(cost);

	if (threads)
		append_fact(out, "observing", threads);
	if (packets)
		append_fact(out, threads ? "" : "observing", packets);
}

static void append_clock(GString *out, const struct qry *q, uint32_t host)
{
	int64_t error = clock_error(q, host);
	g_autofree char *text = exp_table_duration(error);

	if (host > 0 && error != BASE_TIME_NONE)
		append_fact(out, "clock",
			g_strdup_printf("\302\261%s against %s", text, qry_host(q, 0)->name)); /* ± */
}

static void trace_text(GString *out, const struct qry *q, uint32_t host, const struct ana_cost *cost)
{
	const struct qry_host *h = qry_host(q, host);
	const struct idx_meta *m = h->meta;
	g_autoptr(GPtrArray) warnings = warnings_of(q, host);

	exp_table_append_clean(out, m->path);
	g_string_append_c(out, '\n');
	append_fact(out, "host", g_strdup(h->name));
	append_fact(out, "tracer", g_strdup(m->tracer));
	append_fact(out, "kernel", g_strdup(m->release));
	append_fact(out, "uuid", g_strdup(m->uuid));
	append_fact(out, "reader", g_strdup(m->reader));
	append_fact(out, "span", span_text(h->from, h->to));
	append_chunks(out, h);
	append_clock(out, q, host);
	append_fact(out, "CPUs", g_strdup_printf("%u", m->n_cpus));
	append_fact(out, "events", g_strdup_printf("%" PRIu64, m->events));
	if (m->discarded || m->discarded_packets)
		append_fact(out, "discarded",
			g_strdup_printf("%" PRIu64 " events, %" PRIu64 " packets", m->discarded,
				m->discarded_packets));
	append_cost(out, cost);
	append_fact(out, "index", index_text(h));
	append_fact(out, "missing", base_text_join(m->missing_events, " "));
	append_advice(out, q, host);
	for (guint i = 0; i < warnings->len; i++)
		append_fact(out, "warning", g_strdup(g_ptr_array_index(warnings, i)));
	for (guint i = 0; i < qry_host(q, host)->meta->notes->len; i++)
		append_fact(out, "note", g_strdup(g_ptr_array_index(qry_host(q, host)->meta->notes, i)));
	append_gaps(out, h->gaps);
}

/* What is no single trace's. */
static void overall_text(GString *out, const struct qry *q)
{
	const GPtrArray *warnings = qry_warnings_overall(q), *notes = qry_notes(q);

	if (warnings->len + notes->len)
		g_string_append(out, "of all together\n");
	for (guint i = 0; i < warnings->len; i++)
		append_fact(out, "warning", g_strdup(g_ptr_array_index(warnings, i)));
	for (guint i = 0; i < notes->len; i++)
		append_fact(out, "note", g_strdup(g_ptr_array_index(notes, i)));
}

/* ---- bookmarks ---- */

/* TIME of a bookmark, where it is known. */
static int64_t known(const struct qry_bookmark *b, int64_t time)
{
	return b->host == MDL_NONE || time == MDL_NEVER ? BASE_TIME_NONE : time;
}

/* "httpd/wk-server[492]"; NULL: of no row.  The caller frees. */
static char *label_of(const struct qry *q, const struct qry_bookmark *b)
{
	return b->row == MDL_NONE ? NULL : qry_row_label(q, b->row);
}

EXP_COLUMNS(bookmark_columns)
{
	const struct qry_bookmark *b = row;
	const char letter[2] = { b ? b->letter : 0, 0 };

	EXP_COLUMN("letter", "LETTER", EXP_WORD, taken = g_strdup(letter));
	EXP_COLUMN("host", NULL, EXP_WORD, word = exp_rows_host(in->q, b->host));
	EXP_COLUMN("row", "WHO", EXP_WORD, taken = label_of(in->q, b));
	EXP_COLUMN("time", "AT", EXP_TIME, number = known(b, b->time));
	EXP_COLUMN("from", NULL, EXP_TIME, number = known(b, b->from));
	EXP_COLUMN("to", NULL, EXP_TIME, number = known(b, b->to));
	EXP_COLUMN("selected_from", NULL, EXP_TIME, number = known(b, b->selected_from));
	EXP_COLUMN("selected_to", NULL, EXP_TIME, number = known(b, b->selected_to));
	EXP_COLUMN("note", "NOTE", EXP_LONG, word = b->note);
}

/* ALL (of struct qry_bookmark) as a table, or the list "bookmarks" of the open object of JSON, or as CSV. */
static void put_bookmarks(GString *out, struct qry *q, const GArray *all, const struct exp_options *o)
{
	if (o->format == EXP_TEXT && all->len == 0)
		g_string_append(out, "bookmarks\n  none\n");
	else
		exp_rows_array(out, "bookmarks", bookmark_columns, o, q, NULL, all, UINT_MAX);
}

/* ---- what is most worth a look ---- */

/* A line, and of which part. */
struct entry {
	enum ana_overview_part part;
	const struct ana_overview_line *line;
};

EXP_COLUMNS(line_columns)
{
	const struct entry *e = row;
	const struct ana_overview_line *line = e ? e->line : NULL;

	EXP_COLUMN("part", NULL, EXP_WORD, word = ana_overview_name(e->part));
	EXP_COLUMN("time", ">TIME", EXP_DURATION, number = line->time);
	EXP_COLUMN("share", ">SHARE", EXP_SHARE,
		share = line->of > 0 ? (double)line->time / (double)line->of : (double)NAN);
	EXP_COLUMN("count", ">COUNT", EXP_NUMBER,
		number = line->count > 0 ? (int64_t)line->count : BASE_TIME_NONE);
	EXP_COLUMN("name", "WHO", EXP_WORD, word = line->name);
	EXP_COLUMN("what", "WHAT", EXP_WORD, word = line->what);
	EXP_COLUMN("host", NULL, EXP_WORD,
		word = exp_rows_host(in->q,
			line->row == MDL_NONE ? MDL_NONE : qry_row(in->q, line->row)->host));
	EXP_COLUMN("nr", NULL, EXP_NUMBER, number = exp_rows_nr(in->q, line->row));
	EXP_COLUMN("from", "AT", EXP_TIME, number = line->row == MDL_NONE ? BASE_TIME_NONE : line->from);
	EXP_COLUMN("to", NULL, EXP_TIME, number = line->row == MDL_NONE ? BASE_TIME_NONE : line->to);
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

/* ALL as a table for each part, or the list "top" of the open object of JSON, or as CSV. */
static void put_overview(GString *out, struct qry *q, const struct ana_overview *all,
	const struct exp_options *o)
{
	struct exp_rows *rows;

	if (o->format == EXP_TEXT) {
		put_tables(out, q, all, o);
		return;
	}
	rows = exp_rows_new(out, "top", line_columns, o, q, NULL);
	for (unsigned i = 0; i < ANA_OVERVIEW_N; i++)
		add_lines(rows, i, all->lines[i]);
	exp_rows_finish(rows);
}

/* ---- the whole ---- */

/* It is no table: Markdown has the text as it is. */
static void info_told(GString *out, struct qry *q, const struct exp_info_of *info, enum exp_format format)
{
	g_autoptr(GString) text = g_string_new(NULL);
	const struct exp_options told = { .format = EXP_TEXT };

	for (uint32_t i = 0; i < qry_host_count(q); i++)
		trace_text(text, q, i, &info->costs[i]);
	overall_text(text, q);
	if (info->top)
		put_overview(text, q, info->top, &told);
	if (info->bookmarks)
		put_bookmarks(text, q, info->bookmarks, &told);
	if (format == EXP_MARKDOWN)
		exp_markdown_block(out, text->str);
	else
		g_string_append(out, text->str);
}

EXP_WRITER(exp_info)
{
	const struct exp_info_of *info = result;
	const struct ana_cost *costs = info->costs;

	if (o->format == EXP_JSON) {
		info_json(out, q, costs, o);
		if (info->top)
			put_overview(out, q, info->top, o);
		if (info->bookmarks)
			put_bookmarks(out, q, info->bookmarks, o);
	} else if (info->top && o->format != EXP_TEXT) {
		put_overview(out, q, info->top, o);
	} else if (info->bookmarks && o->format != EXP_TEXT) {
		put_bookmarks(out, q, info->bookmarks, o);
	} else if (o->format == EXP_CSV) {
		put_traces(out, q, costs, o);
	} else {
		info_told(out, q, info, o->format);
	}
	return true;
}
