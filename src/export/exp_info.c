/* SPDX-License-Identifier: MIT */
#include "export/exp.h"

#include "export/exp_cost.h"
#include "export/exp_csv.h"
#include "export/exp_json.h"
#include "export/exp_table.h"

#include "analysis/ana_advice.h"
#include "analysis/ana_clock.h"

#include "base/base_text.h"
#include "base/base_time.h"
#include "query/qry_clock.h"

#include <inttypes.h>
#include <string.h>

#define GAPS_SHOWN 10	/* in the text; JSON has all that the index kept */
#define CHUNKS_SHOWN 10	/* the same */

static JsonArray *gaps_json(const GArray *gaps)
{
	JsonArray *list = json_array_sized_new(gaps->len);

	for (guint i = 0; i < gaps->len; i++) {
		const struct idx_gap *g = &g_array_index(gaps, struct idx_gap, i);
		JsonObject *o = json_object_new();

		exp_json_id(o, "cpu", g->cpu);
		exp_json_time(o, "from", g->from);
		exp_json_time(o, "to", g->to);
		/* Lost packets: how many events were in them nobody knows. */
		exp_json_natural(o, "count", g->count ? (int64_t)g->count : -1);
		json_array_add_object_element(list, o);
	}
	return list;
}

static JsonArray *chunks_json(const GArray *chunks)
{
	JsonArray *list = json_array_sized_new(chunks->len);

	for (guint i = 0; i < chunks->len; i++) {
		const struct idx_chunk *c = &g_array_index(chunks, struct idx_chunk, i);
		JsonObject *o = json_object_new();

		exp_json_text(o, "path", c->path);
		exp_json_time(o, "from", c->from);
		exp_json_time(o, "to", c->to);
		json_array_add_object_element(list, o);
	}
	return list;
}

static JsonObject *index_json(const struct qry_host *h)
{
	JsonObject *o = json_object_new();

	exp_json_text(o, "path", h->index_path);
	exp_json_int(o, "bytes", (int64_t)h->index_bytes);
	exp_json_int(o, "built_in_ns", (int64_t)h->meta->built_in_ns);
	exp_json_int(o, "version", IDX_FORMAT_VERSION);
	return o;
}

static JsonArray *advice_json(const struct qry *q, uint32_t host)
{
	GArray *advice = ana_advice_new(q, host);
	JsonArray *list = json_array_sized_new(advice->len);

	for (guint i = 0; i < advice->len; i++) {
		const struct ana_advice *a = &g_array_index(advice, struct ana_advice, i);
		JsonObject *o = json_object_new();

		exp_json_text(o, "event", a->event);
		exp_json_text(o, "why", a->why);
		exp_json_text(o, "command", a->command);
		json_array_add_object_element(list, o);
	}
	g_array_unref(advice);
	return list;
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

/* ns by which HOST is shown later than by its own times because its start was put to the first host's; BASE_TIME_NONE: it was not. */
static int64_t start_shift(const struct qry *q, uint32_t host)
{
	struct ana_clock clock = ana_clock_of(q, host, qry_host(q, host)->from);

	return clock.placed ? -clock.ahead : BASE_TIME_NONE;
}

static JsonObject *trace_json(const struct qry *q, uint32_t host, const struct ana_cost *cost)
{
	const struct qry_host *h = qry_host(q, host);
	const struct idx_meta *m = h->meta;
	GPtrArray *warnings = warnings_of(q, host);
	JsonObject *o = json_object_new();

	exp_json_text(o, "path", m->path);
	exp_json_text(o, "host", h->name);
	exp_json_text(o, "uuid", m->uuid);
	exp_json_text(o, "tracer", m->tracer);
	exp_json_text(o, "release", m->release);
	exp_json_text(o, "reader", m->reader);
	exp_json_int(o, "events", (int64_t)m->events);
	exp_json_int(o, "discarded", (int64_t)m->discarded);
	exp_json_int(o, "discarded_packets", (int64_t)m->discarded_packets);
	exp_json_int(o, "stepped_back", (int64_t)m->stepped_back);
	exp_json_time(o, "from", h->from);
	exp_json_time(o, "to", h->to);
	exp_json_time(o, "start_shift_ns", start_shift(q, host));
	exp_json_int(o, "cpus", m->n_cpus);
	exp_json_texts(o, "missing_events", m->missing_events);
	json_object_set_array_member(o, "advice", advice_json(q, host));
	exp_json_texts(o, "warnings", warnings);
	g_ptr_array_unref(warnings);
	json_object_set_array_member(o, "gaps", gaps_json(h->gaps));
	json_object_set_array_member(o, "chunks", chunks_json(h->chunks));
	exp_json_object(o, "observing", exp_cost_json(cost));
	exp_json_object(o, "index", index_json(h));
	return o;
}

/* The index as a whole: of several hosts the folder they share, and sums. */
static JsonObject *all_indexes_json(const struct qry *q)
{
	const struct qry_host *first = qry_host(q, 0);
	JsonObject *o = index_json(first);
	uint64_t bytes = first->index_bytes, built = first->meta->built_in_ns;
	char *folder;

	if (qry_host_count(q) == 1)
		return o;
	for (uint32_t i = 1; i < qry_host_count(q); i++) {
		bytes += qry_host(q, i)->index_bytes;
		built += qry_host(q, i)->meta->built_in_ns;
	}
	folder = g_path_get_dirname(first->index_path);
	exp_json_text(o, "path", folder);
	exp_json_int(o, "bytes", (int64_t)bytes);
	exp_json_int(o, "built_in_ns", (int64_t)built);
	g_free(folder);
	return o;
}

static void info_json(GString *out, const struct qry *q, const struct ana_cost *costs)
{
	JsonObject *span = json_object_new(), *overall;
	int64_t from, to;

	qry_span(q, &from, &to);
	exp_json_time(span, "from", from);
	exp_json_time(span, "to", to);
	exp_json_begin(out);
	exp_json_begin_list(out, "traces");
	for (uint32_t i = 0; i < qry_host_count(q); i++)
		exp_json_put(out, NULL, trace_json(q, i, &costs[i]));
	exp_json_end_list(out);
	exp_json_put_members(out, span);
	exp_json_put(out, "index", all_indexes_json(q));
	overall = json_object_new();
	exp_json_texts(overall, "warnings", qry_warnings_overall(q));
	exp_json_texts(overall, "notes", qry_notes(q));
	exp_json_put_members(out, overall);
	exp_json_end(out);
}

/* TEXTS joined by SEPARATOR.  The caller frees. */
static char *joined(const GPtrArray *texts, const char *separator)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < texts->len; i++)
		g_string_append_printf(text, "%s%s", i ? separator : "", (const char *)g_ptr_array_index(texts, i));
	return g_string_free(text, FALSE);
}

/* The lines to type, joined.  The caller frees. */
static char *advice_text(const struct qry *q, uint32_t host)
{
	GArray *advice = ana_advice_new(q, host);
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < advice->len; i++)
		g_string_append_printf(text, "%s%s", i ? "; " : "", g_array_index(advice, struct ana_advice, i).command);
	g_array_unref(advice);
	return g_string_free(text, FALSE);
}

static void info_csv(GString *out, const struct qry *q, const struct ana_cost *costs)
{
	struct exp_csv csv = exp_csv_begin(out, "path,host,uuid,tracer,events,discarded,from,to,cpus,missing_events,warnings,"
						"index_path,index_bytes,index_built_in_ns,index_version,chunks" EXP_COST_COLUMNS
						",release,reader,discarded_packets,stepped_back,start_shift_ns,advice,gaps");

	for (uint32_t i = 0; i < qry_host_count(q); i++) {
		const struct qry_host *h = qry_host(q, i);
		GPtrArray *warnings = warnings_of(q, i);

		exp_csv_text(&csv, h->meta->path);
		exp_csv_text(&csv, h->name);
		exp_csv_text(&csv, h->meta->uuid);
		exp_csv_text(&csv, h->meta->tracer);
		exp_csv_int(&csv, (int64_t)h->meta->events);
		exp_csv_int(&csv, (int64_t)h->meta->discarded);
		exp_csv_time(&csv, h->from);
		exp_csv_time(&csv, h->to);
		exp_csv_int(&csv, h->meta->n_cpus);
		exp_csv_take(&csv, joined(h->meta->missing_events, " "));
		exp_csv_take(&csv, joined(warnings, "; "));
		g_ptr_array_unref(warnings);
		exp_csv_text(&csv, h->index_path);
		exp_csv_int(&csv, (int64_t)h->index_bytes);
		exp_csv_int(&csv, (int64_t)h->meta->built_in_ns);
		exp_csv_int(&csv, IDX_FORMAT_VERSION);
		exp_csv_int(&csv, h->chunks->len);
		exp_cost_csv(&csv, &costs[i]);
		exp_csv_text(&csv, h->meta->release);
		exp_csv_text(&csv, h->meta->reader);
		exp_csv_int(&csv, (int64_t)h->meta->discarded_packets);
		exp_csv_int(&csv, (int64_t)h->meta->stepped_back);
		exp_csv_time(&csv, start_shift(q, i));
		exp_csv_take(&csv, advice_text(q, i));
		exp_csv_int(&csv, h->gaps->len);
		exp_csv_end_line(&csv);
	}
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
		char *from = base_time_format_clock(g->from, 9), *to = base_time_format_clock(g->to, 9);
		char *count = g->count ? g_strdup_printf("%" PRIu64 " events", g->count) : g_strdup("an unknown number of events");

		append_fact(out, "lost", g_strdup_printf("CPU %u, %s to %s: %s", g->cpu, from, to, count));
		g_free(from);
		g_free(to);
		g_free(count);
	}
	if (gaps->len > GAPS_SHOWN)
		append_fact(out, "", g_strdup_printf("and %u more gaps", gaps->len - GAPS_SHOWN));
}

static char *span_text(int64_t from, int64_t to)
{
	char *begin = base_time_format_full(from), *end = base_time_format_full(to);
	char *length = exp_table_duration(from == BASE_TIME_NONE ? BASE_TIME_NONE : to - from);
	char *text = g_strdup_printf("%s to %s (%s)", begin, end, length);

	g_free(begin);
	g_free(end);
	g_free(length);
	return text;
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
		const char *name = g_str_has_prefix(c->path, h->meta->path) ? c->path + strlen(h->meta->path) : c->path;
		char *span = span_text(c->from, c->to);

		append_fact(out, "", g_strdup_printf("%s: %s", *name == '/' ? name + 1 : name, span));
		g_free(span);
	}
	if (n > CHUNKS_SHOWN)
		append_fact(out, "", g_strdup_printf("and %u more", n - CHUNKS_SHOWN));
}

static char *index_text(const struct qry_host *h)
{
	char *bytes = base_text_bytes(h->index_bytes);
	char *built = exp_table_duration((int64_t)h->meta->built_in_ns);
	char *text = g_strdup_printf("%s (%s, format %d, built in %s)", h->index_path, bytes, IDX_FORMAT_VERSION, built);

	g_free(bytes);
	g_free(built);
	return text;
}

static void append_advice(GString *out, const struct qry *q, uint32_t host)
{
	GArray *advice = ana_advice_new(q, host);

	for (guint i = 0; i < advice->len; i++) {
		const struct ana_advice *a = &g_array_index(advice, struct ana_advice, i);

		append_fact(out, i == 0 ? "advice" : "", g_strdup_printf("to see %s: %s", a->why, a->command));
	}
	g_array_unref(advice);
}

/* The name of the fact stands before the first line. */
static void append_cost(GString *out, const struct ana_cost *cost)
{
	char *threads = exp_cost_threads(cost), *packets = exp_cost_packets(cost);

	if (threads)
		append_fact(out, "observing", threads);
	if (packets)
		append_fact(out, threads ? "" : "observing", packets);
}

static void trace_text(GString *out, const struct qry *q, uint32_t host, const struct ana_cost *cost)
{
	const struct qry_host *h = qry_host(q, host);
	const struct idx_meta *m = h->meta;
	GPtrArray *warnings = warnings_of(q, host);

	exp_table_append_clean(out, m->path);
	g_string_append_c(out, '\n');
	append_fact(out, "host", g_strdup(h->name));
	append_fact(out, "tracer", g_strdup(m->tracer));
	append_fact(out, "kernel", g_strdup(m->release));
	append_fact(out, "uuid", g_strdup(m->uuid));
	append_fact(out, "reader", g_strdup(m->reader));
	append_fact(out, "span", span_text(h->from, h->to));
	append_chunks(out, h);
	append_fact(out, "CPUs", g_strdup_printf("%u", m->n_cpus));
	append_fact(out, "events", g_strdup_printf("%" PRIu64, m->events));
	if (m->discarded || m->discarded_packets)
		append_fact(out, "discarded", g_strdup_printf("%" PRIu64 " events, %" PRIu64 " packets", m->discarded, m->discarded_packets));
	append_cost(out, cost);
	append_fact(out, "index", index_text(h));
	if (m->missing_events->len)
		append_fact(out, "missing", joined(m->missing_events, " "));
	append_advice(out, q, host);
	for (guint i = 0; i < warnings->len; i++)
		append_fact(out, "warning", g_strdup(g_ptr_array_index(warnings, i)));
	g_ptr_array_unref(warnings);
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

void exp_info(GString *out, struct qry *q, const struct ana_cost *costs, enum exp_format format)
{
	switch (format) {
	case EXP_JSON:
		info_json(out, q, costs);
		break;
	case EXP_CSV:
		info_csv(out, q, costs);
		break;
	case EXP_TEXT:
		for (uint32_t i = 0; i < qry_host_count(q); i++)
			trace_text(out, q, i, &costs[i]);
		overall_text(out, q);
		break;
	}
}
