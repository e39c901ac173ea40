/* SPDX-License-Identifier: MIT */
#include "export/exp.h"

#include "export/exp_rows.h"
#include "table/rows.h"

#include "analysis/kind/advice.h"

#include "base/base_text.h"
#include "base/base_time.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define GAPS_SHOWN 10   /* in text; JSON has all that the index has */
#define CHUNKS_SHOWN 10 /* likewise */

/* ---- the cost of tracing ---- */

/* "3 threads of the tracer, 12 ms on CPUs: 0.40% of the time they were busy"; else NULL. The caller frees. */
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

/* Append "14 of 41 packets sent (1.2 of 4.7 KiB, 25.40%)". */
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

/* The packets of the tracer and of all, as text. NULL if there are none. The caller frees. */
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

/* Append "  name      text", or nothing if TEXT is empty. Takes ownership of TEXT. */
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

/* Append the folders of H if there are several: "20261122-0: FROM to TO (1.2 s)". */
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

/* Append the threads of the tracer that are not known by their name. */
static void append_recorders(GString *out, struct qry *q, const struct qry_host *h)
{
	const char *name = "recorder";

	for (uint32_t row = h->first_row; row < h->first_row + h->n_rows; row++) {
		g_autofree char *why = qry_tracer_is_by_deeds(q, row) ? qry_tracer_text(q, row) : NULL,
				*label = why ? qry_row_label(q, row) : NULL;

		if (!why)
			continue;
		append_fact(out, name, g_strdup_printf("%s: %s", label, why));
		name = "";
	}
}

/* "cycles page-faults, of 57.1 % of the time that threads had CPUs" */
static char *counters_text(struct qry *q, uint32_t host)
{
	g_autofree char *names = base_text_join(qry_host(q, host)->meta->counters, " ");
	double share = qry_counted_share(q, host);

	return isnan(share)
		? g_steal_pointer(&names)
		: g_strdup_printf("%s, of %.1f %% of the time that threads had CPUs", names, 100 * share);
}

static void trace_text(GString *out, struct qry *q, uint32_t host, const struct ana_cost *cost)
{
	const struct qry_host *h = qry_host(q, host);
	const struct idx_meta *m = h->meta;
	g_autoptr(GPtrArray) warnings = table_trace_warnings(q, host);
	g_autoptr(GArray) advice = ana_advice_new(q, host);
	g_autoptr(GArray) questions = ana_advice_questions(q, host);
	int64_t error = table_trace_clock_error(q, host);
	g_autofree char *off = table_duration_text(error), *bytes = base_text_bytes(h->index_bytes),
			*built = table_duration_text((int64_t)m->built_in_ns);
	char *threads = cost_threads(cost), *packets = cost_packets(cost);

	exp_table_append_clean(out, m->path);
	g_string_append_c(out, '\n');
	if (!idx_meta_is_kernel(m)) /* a warning about the kind of trace comes before its contents */
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
	append_fact(out, "counters", counters_text(q, host));
	if (m->discarded || m->discarded_packets)
		append_fact(out, "discarded",
			g_strdup_printf("%" PRIu64 " event%s, %" PRIu64 " packet%s", m->discarded,
				base_text_s(m->discarded), m->discarded_packets,
				base_text_s(m->discarded_packets)));
	if (threads)
		append_fact(out, "observing", threads);
	if (packets)
		append_fact(out, threads ? "" : "observing", packets);
	append_recorders(out, q, h);
	append_fact(out, "index",
		g_strdup_printf("%s (%s, format %d, built in %s)", h->index_path, bytes, IDX_FORMAT_VERSION,
			built));
	append_fact(out, "missing", base_text_join(m->missing_events, " "));
	g_array_append_vals(advice, questions->data, questions->len);
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

/* ---- overview ---- */

/* A table for each part. */
static bool overview_text(GString *out, struct qry *q, const struct ana_overview *all, GError **error)
{
	bool fine = true;

	for (unsigned i = ANA_OVERVIEW_ANSWER + 1; fine && i < ANA_OVERVIEW_N; i++) {
		const struct exp_options part = { .format = TABLE_TEXT, .kind = ana_overview_name(i) };

		if (!ana_overview_has(q, i))
			continue;
		g_string_append_printf(out, "\n%s\n", ana_overview_title(i));
		if (!all->missing[i] && all->lines[i]->len > 0) {
			fine = exp_rows_all(out, &table_overview, &part, q, all, error);
			continue;
		}
		exp_table_append_clean(out, all->missing[i] ? all->missing[i] : "  none");
		g_string_append_c(out, '\n');
	}
	return fine;
}

/* ---- the whole ---- */

/* The warnings and facts of all traces, without lists that have their own tables. */
static void traces_text(GString *out, struct qry *q, const struct ana_cost *costs)
{
	const GPtrArray *warnings = qry_warnings_overall(q), *notes = qry_notes(q);

	for (uint32_t i = 0; i < qry_host_count(q); i++)
		trace_text(out, q, i, &costs[i]);
	if (warnings->len + notes->len)
		g_string_append(out, "all traces\n");
	append_texts(out, "warning", warnings);
	append_texts(out, "note", notes);
}

/* The text is more than one table, so it is a code block in Markdown. */
static bool info_told(GString *out, struct qry *q, const struct exp_info_of *info, enum table_format format,
	GError **error)
{
	g_autoptr(GString) text = g_string_new(NULL);
	const struct exp_options told = { .format = TABLE_TEXT };
	bool fine;

	for (guint i = 0; i < info->answers->len; i++) {
		const struct ana_overview_line *line = &g_array_index(info->answers, struct ana_overview_line,
			i);

		if (i == 0)
			g_string_append_printf(text, "%s\n", ana_overview_title(ANA_OVERVIEW_ANSWER));
		g_string_append(text, "  ");
		exp_table_append_clean(text, line->answer->text);
		g_string_append(text, i + 1 < info->answers->len ? "\n" : "\n\n");
	}
	traces_text(text, q, info->costs);
	fine = !info->top || overview_text(text, q, info->top, error);
	if (info->bookmarks && info->bookmarks->len == 0)
		g_string_append(text, "bookmarks\n  none\n");
	else if (info->bookmarks)
		fine = fine && exp_rows_all(text, &table_bookmarks, &told, q, info->bookmarks, error);
	if (format == TABLE_MARKDOWN)
		exp_markdown_block(out, text->str);
	else
		g_string_append(out, text->str);
	return fine;
}

static bool info_json(GString *out, struct qry *q, const struct exp_info_of *info,
	const struct exp_options *o, GError **error)
{
	int64_t from, to;

	qry_span(q, &from, &to);
	if (!exp_rows_all(out, &table_traces, o, q, info->costs, error))
		return false;
	base_json_time(out, "from", from);
	base_json_time(out, "to", to);
	base_json_put(out, "index", table_index_json(q));
	base_json_put(out, "warnings", base_json_texts(qry_warnings_overall(q)));
	base_json_put(out, "notes", base_json_texts(qry_notes(q)));
	return exp_rows_all(out, &table_answers, o, q, info->answers, error) &&
		(!info->top || exp_rows_all(out, &table_overview, o, q, info->top, error)) &&
		(!info->bookmarks || exp_rows_all(out, &table_bookmarks, o, q, info->bookmarks, error));
}

EXP_WRITER(exp_info)
{
	const struct exp_info_of *info = result;

	if (o->format == TABLE_JSON)
		return info_json(out, q, info, o, error);
	if (info->top && o->format != TABLE_TEXT)
		return exp_rows_all(out, &table_overview, o, q, info->top, error);
	if (info->bookmarks && o->format != TABLE_TEXT)
		return exp_rows_all(out, &table_bookmarks, o, q, info->bookmarks, error);
	return o->format == TABLE_CSV ? exp_rows_all(out, &table_traces, o, q, info->costs, error)
				      : info_told(out, q, info, o->format, error);
}
