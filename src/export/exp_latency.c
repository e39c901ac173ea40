/* SPDX-License-Identifier: MIT */
#include "export/exp.h"

#include "export/exp_rows.h"

#include "base/base_text.h"

#include <inttypes.h>
#include <math.h>

static void statistics_json(GString *o, const struct ana_latency *l)
{
	const struct base_figures *f = &l->all;

	base_json_text(o, "kind", l->kind);
	base_json_text(o, "unit", "ns");
	base_json_int(o, "count", (int64_t)f->count);
	base_json_time(o, "min", f->min);
	base_json_time(o, "max", f->max);
	base_json_int(o, "sum", f->sum);
	base_json_decimal(o, "mean", f->count > 0 ? f->mean : NAN);
	base_json_decimal(o, "stddev", f->count > 0 ? f->stddev : NAN);
	base_json_time(o, "p50", f->p50);
	base_json_time(o, "p90", f->p90);
	base_json_time(o, "p99", f->p99);
	base_json_time(o, "p999", f->p999);
	base_json_int(o, "outliers", (int64_t)f->outliers);
	base_json_time(o, "outliers_over", f->fence);
	base_json_int(o, "unfinished", (int64_t)f->unfinished);
	base_json_int(o, "dropped", (int64_t)f->dropped);
	base_json_text(o, "by", ana_latency_by_name(l->by));
	if (!l->rules)
		return;
	base_json_int(o, "repeated", (int64_t)l->strays.repeated);
	base_json_int(o, "timed_out", (int64_t)l->strays.timed_out);
	base_json_int(o, "given_up", (int64_t)l->strays.given_up);
	base_json_int(o, "unmatched", (int64_t)l->strays.unmatched);
}

/* ---- the whole ---- */

static bool latency_json(GString *out, struct qry *q, const struct ana_latency *l,
	const struct exp_options *o, GError **error)
{
	statistics_json(out, l);
	return exp_rows_all(out, &table_latency_histogram, o, q, l, error) &&
		exp_rows_all(out, &table_latency_groups, o, q, l, error) &&
		exp_rows_all(out, &table_latency_classes, o, q, l, error) &&
		exp_rows_all(out, &table_latency_open, o, q, l, error) &&
		exp_rows_all(out, &table_latency_worst, o, q, l, error);
}

static void statistics_text(GString *out, const struct ana_latency *l)
{
	static const char *const headers[] = { "LATENCY", ">VALUE", NULL };
	const struct base_figures *f = &l->all;
	const struct {
		const char *name;
		int64_t value;
	} figures[] = { { "sum", f->sum }, { "min", f->min }, { "mean", llround(f->mean) },
		{ "stddev", llround(f->stddev) }, { "p50", f->p50 }, { "p90", f->p90 }, { "p99", f->p99 },
		{ "p999", f->p999 }, { "max", f->max } };
	const struct {
		uint64_t count;
		const char *what;
	} strays[] = {
		{ f->dropped, "dropped because events were lost" },
		{ l->strays.repeated, "repeated" },
		{ l->strays.timed_out, "timed out" },
		{ l->strays.given_up, "given up because too many were open" },
		{ l->strays.unmatched, "unmatched" },
	};
	struct exp_table *t;

	g_string_append_printf(out, "%s latency: %" PRIu64 " case%s, %" PRIu64 " unfinished", l->kind,
		f->count, base_text_s(f->count), f->unfinished);
	for (size_t i = 0; i < G_N_ELEMENTS(strays); i++)
		if (strays[i].count)
			g_string_append_printf(out, ", %" PRIu64 " %s", strays[i].count, strays[i].what);
	g_string_append_c(out, '\n');
	if (!f->count)
		return;
	t = exp_table_new(headers, NULL);
	for (size_t i = 0; i < G_N_ELEMENTS(figures); i++) {
		exp_table_add(t, figures[i].name);
		exp_table_add_duration(t, figures[i].value);
	}
	exp_table_add(t, "outliers");
	exp_table_take(t, g_strdup_printf("%" PRIu64, f->outliers));
	exp_table_add(t, "outliers over");
	exp_table_add_duration(t, f->fence);
	exp_table_finish(t, out);
}

static bool latency_text(GString *out, struct qry *q, const struct ana_latency *l,
	const struct exp_options *o, GError **error)
{
	const struct {
		const struct table *table;
		const GArray *rows;
	} parts[] = {
		{ &table_latency_classes, l->classes },
		{ &table_latency_histogram, o->histogram ? l->histogram : NULL },
		{ &table_latency_groups, l->groups },
		{ &table_latency_open, l->open },
		{ &table_latency_worst, l->worst },
	};
	bool fine = true;

	statistics_text(out, l);
	for (size_t i = 0; fine && i < G_N_ELEMENTS(parts); i++) {
		if (!parts[i].rows || parts[i].rows->len == 0)
			continue;
		g_string_append_c(out, '\n');
		fine = exp_rows_all(out, parts[i].table, o, q, l, error);
	}
	return fine;
}

EXP_WRITER(exp_latency)
{
	const struct ana_latency *l = result;

	if (o->format == TABLE_JSON)
		return latency_json(out, q, l, o, error);
	if (o->format == TABLE_TEXT)
		return latency_text(out, q, l, o, error);
	/* CSV and Markdown have only one table */
	return exp_rows_all(out,
		o->histogram                              ? &table_latency_histogram
			: l->open                         ? &table_latency_open
			: l->by != ANA_LATENCY_BY_NOTHING ? &table_latency_groups
							  : &table_latency_worst,
		o, q, l, error);
}

EXP_WRITER(exp_rules)
{
	const GPtrArray *latencies = result;
	bool fine = true;

	if (o->format == TABLE_JSON)
		base_json_begin_list(out, "rules");
	for (guint i = 0; fine && i < latencies->len; i++) {
		const struct ana_latency *l = g_ptr_array_index(latencies, i);

		if (o->format == TABLE_JSON) {
			base_json_begin_line(out);
			fine = latency_json(out, q, l, o, error); /* directly to OUT: it may be long */
			base_json_end_line(out);
			continue;
		}
		if (i > 0)
			g_string_append_c(out, '\n');
		fine = exp_latency(out, q, l, o, error);
	}
	if (o->format == TABLE_JSON)
		base_json_end_list(out);
	return fine;
}
