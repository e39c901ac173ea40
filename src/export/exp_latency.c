/* SPDX-License-Identifier: MIT */
#include "export/exp.h"

#include "export/exp_csv.h"
#include "export/exp_json.h"
#include "export/exp_table.h"

#include "base/base_time.h"

#include <inttypes.h>

static JsonObject *statistics_json(const struct ana_latency *l)
{
	JsonObject *o = json_object_new();

	exp_json_text(o, "kind", l->kind);
	exp_json_text(o, "unit", "ns");
	exp_json_int(o, "count", (int64_t)l->count);
	exp_json_time(o, "min", l->min);
	exp_json_time(o, "max", l->max);
	if (l->count) {
		json_object_set_double_member(o, "mean", l->mean);
		json_object_set_double_member(o, "stddev", l->stddev);
	} else {
		json_object_set_null_member(o, "mean");
		json_object_set_null_member(o, "stddev");
	}
	exp_json_time(o, "p50", l->p50);
	exp_json_time(o, "p90", l->p90);
	exp_json_time(o, "p99", l->p99);
	exp_json_time(o, "p999", l->p999);
	exp_json_int(o, "unfinished", (int64_t)l->unfinished);
	return o;
}

static JsonObject *case_json(const struct qry *q, const struct ana_latency_case *c)
{
	JsonObject *o = json_object_new();

	exp_json_time(o, "start", c->start);
	exp_json_time(o, "end", c->end);
	exp_json_int(o, "latency", c->latency);
	exp_json_object(o, "subject", exp_json_subject(q, c->row));
	exp_json_text(o, "cause", c->cause);
	exp_json_id(o, "cpu", c->cpu);
	return o;
}

static void latency_json(GString *out, const struct qry *q, const struct ana_latency *l)
{
	exp_json_begin(out);
	exp_json_put_members(out, statistics_json(l));
	exp_json_begin_list(out, "histogram");
	for (guint i = 0; i < l->histogram->len; i++) {
		const struct ana_latency_bucket *b = &g_array_index(l->histogram, struct ana_latency_bucket, i);
		JsonObject *o = json_object_new();

		exp_json_int(o, "from", b->from);
		exp_json_int(o, "to", b->to);
		exp_json_int(o, "count", (int64_t)b->count);
		exp_json_put(out, NULL, o);
	}
	exp_json_end_list(out);
	exp_json_begin_list(out, "worst");
	for (guint i = 0; i < l->worst->len; i++)
		exp_json_put(out, NULL, case_json(q, &g_array_index(l->worst, struct ana_latency_case, i)));
	exp_json_end_list(out);
	exp_json_end(out);
}

static void worst_csv(GString *out, const struct qry *q, const struct ana_latency *l)
{
	struct exp_csv csv = exp_csv_begin(out, "start,end,latency,host,tid,name,cpu,cause");

	for (guint i = 0; i < l->worst->len; i++) {
		const struct ana_latency_case *c = &g_array_index(l->worst, struct ana_latency_case, i);
		const struct qry_row *r = qry_row(q, c->row);

		exp_csv_time(&csv, c->start);
		exp_csv_time(&csv, c->end);
		exp_csv_int(&csv, c->latency);
		exp_csv_text(&csv, qry_host(q, r->host)->name);
		exp_csv_int(&csv, r->nr);
		exp_csv_text(&csv, qry_name_at(q, c->row, c->start));
		exp_csv_id(&csv, c->cpu);
		exp_csv_text(&csv, c->cause);
		exp_csv_end_line(&csv);
	}
}

static void histogram_csv(GString *out, const struct ana_latency *l)
{
	struct exp_csv csv = exp_csv_begin(out, "from,to,count");

	for (guint i = 0; i < l->histogram->len; i++) {
		const struct ana_latency_bucket *b = &g_array_index(l->histogram, struct ana_latency_bucket, i);

		exp_csv_int(&csv, b->from);
		exp_csv_int(&csv, b->to);
		exp_csv_int(&csv, (int64_t)b->count);
		exp_csv_end_line(&csv);
	}
}

/* NAME and DURATION as the next two cells. */
static void add_figure(struct exp_table *t, const char *name, int64_t duration)
{
	exp_table_add(t, name);
	exp_table_add_duration(t, duration);
}

static void statistics_text(GString *out, const struct ana_latency *l)
{
	static const char *const headers[] = { "LATENCY", ">VALUE", NULL };
	struct exp_table *t;

	g_string_append_printf(out, "%s latency: %" PRIu64 " cases, %" PRIu64 " unfinished\n", l->kind, l->count, l->unfinished);
	if (!l->count)
		return;
	t = exp_table_new(headers);
	add_figure(t, "least", l->min);
	add_figure(t, "mean", (int64_t)(l->mean + 0.5));
	add_figure(t, "standard deviation", (int64_t)(l->stddev + 0.5));
	add_figure(t, "50 %", l->p50);
	add_figure(t, "90 %", l->p90);
	add_figure(t, "99 %", l->p99);
	add_figure(t, "99.9 %", l->p999);
	add_figure(t, "most", l->max);
	exp_table_finish(t, out, "");
}

static void histogram_text(GString *out, const struct ana_latency *l)
{
	static const char *const headers[] = { ">FROM", ">TO", ">COUNT", "", NULL };
	const unsigned longest = 50;
	struct exp_table *t = exp_table_new(headers);
	uint64_t most = 1;

	for (guint i = 0; i < l->histogram->len; i++)
		most = MAX(most, g_array_index(l->histogram, struct ana_latency_bucket, i).count);
	for (guint i = 0; i < l->histogram->len; i++) {
		const struct ana_latency_bucket *b = &g_array_index(l->histogram, struct ana_latency_bucket, i);
		double bar = (double)b->count / (double)most * longest;

		exp_table_add_duration(t, b->from);
		exp_table_add_duration(t, b->to);
		exp_table_add_int(t, (int64_t)b->count);
		/* What is there at all is seen. */
		exp_table_take(t, g_strnfill(b->count ? MAX((gsize)bar, 1) : 0, '#'));
	}
	g_string_append_c(out, '\n');
	exp_table_finish(t, out, "");
}

static void worst_text(GString *out, const struct qry *q, const struct ana_latency *l)
{
	static const char *const headers[] = { ">LATENCY", "FROM", "THREAD", ">CPU", "CAUSE", NULL };
	struct exp_table *t = exp_table_new(headers);

	for (guint i = 0; i < l->worst->len; i++) {
		const struct ana_latency_case *c = &g_array_index(l->worst, struct ana_latency_case, i);

		exp_table_add_duration(t, c->latency);
		exp_table_add_time(t, c->start);
		exp_table_take(t, qry_row_label(q, c->row));
		exp_table_add_id(t, c->cpu);
		exp_table_add(t, c->cause);
	}
	g_string_append_c(out, '\n');
	exp_table_finish(t, out, "");
}

static void latency_text(GString *out, const struct qry *q, const struct ana_latency *l, gboolean with_histogram)
{
	statistics_text(out, l);
	if (with_histogram && l->histogram->len)
		histogram_text(out, l);
	if (l->worst->len)
		worst_text(out, q, l);
}

void exp_latency(GString *out, struct qry *q, const struct ana_latency *l, enum exp_format format, gboolean with_histogram)
{
	switch (format) {
	case EXP_JSON:
		latency_json(out, q, l);
		break;
	case EXP_CSV:
		/* A CSV file is one table. */
		if (with_histogram)
			histogram_csv(out, l);
		else
			worst_csv(out, q, l);
		break;
	case EXP_TEXT:
		latency_text(out, q, l, with_histogram);
		break;
	}
}
