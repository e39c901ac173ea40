/* SPDX-License-Identifier: MIT */
#include "export/exp.h"

#include "analysis/ana_cpuwait.h"
#include "export/exp_blame.h"
#include "export/exp_json.h"
#include "export/exp_rows.h"
#include "export/exp_table.h"

#include "base/base_time.h"

#include <inttypes.h>

#define BAR_LONGEST 50 /* columns of a bar */

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

/* ---- columns ---- */

/* "wk-rt[547] 3442550 ns, hrtimer 101490 ns". */
static char *blame_words(const struct qry *q, const struct ana_blame *blame)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < blame->parts->len; i++) {
		const struct ana_blame_part *part = &g_array_index(blame->parts, struct ana_blame_part, i);
		char *who = ana_blame_part_text(q, part);

		g_string_append_printf(text, "%s%s %" PRId64 " ns", i > 0 ? ", " : "", who, part->time);
		g_free(who);
	}
	return g_string_free(text, text->len == 0);
}

/* Who had the CPU; of that the text has the most in CAUSE. */
static void set_blame(struct exp_cell *cell, const struct ana_latency_case *c, const struct exp_rows_in *in)
{
	struct ana_blame *blame = ana_cpuwait_blame(in->q, c->row, c->start, c->end);

	if (in->format == EXP_JSON)
		exp_rows_list(cell, exp_blame_json(in->q, blame));
	else
		cell->taken = blame_words(in->q, blame);
	ana_blame_free(blame);
}

EXP_COLUMNS(case_columns)
{
	const struct ana_latency_case *c = row;

	EXP_COLUMN("start", "FROM", EXP_TIME, number = c->start);
	EXP_COLUMN("end", "TO", EXP_TIME, number = c->end);
	EXP_COLUMN("latency", ">LATENCY", EXP_DURATION, number = c->latency);
	/* These in THREAD. */
	EXP_COLUMN("host", NULL, EXP_WORD, word = qry_host(in->q, qry_row(in->q, c->row)->host)->name);
	EXP_COLUMN("tid", NULL, EXP_NUMBER, number = qry_row(in->q, c->row)->nr);
	EXP_COLUMN("name", NULL, EXP_WORD, word = qry_name_at(in->q, c->row, c->start));
	EXP_COLUMN("cpu", ">CPU", EXP_NUMBER, number = exp_rows_id(c->cpu));
	EXP_COLUMN("cause", "CAUSE", EXP_LONG, word = c->cause);
	EXP_COLUMN_BY("blame", NULL, EXP_LONG, set_blame(cell, c, in));
	EXP_OBJECT("subject", "THREAD", EXP_WORD, exp_json_subject(in->q, c->row),
		qry_row_label(in->q, c->row));
}

/* What is there at all is seen. */
static char *bar(const struct ana_latency_bucket *b, const uint64_t *most)
{
	return g_strnfill(b->count ? MAX((gsize)((double)b->count / (double)*most * BAR_LONGEST), 1) : 0,
		'#');
}

EXP_COLUMNS(bucket_columns)
{
	const struct ana_latency_bucket *b = row;

	EXP_COLUMN("from", ">FROM", EXP_DURATION, number = b->from);
	EXP_COLUMN("to", ">TO", EXP_DURATION, number = b->to);
	EXP_COLUMN("count", ">COUNT", EXP_NUMBER, number = (int64_t)b->count);
	EXP_COLUMN("", "", EXP_WORD, taken = bar(b, in->context));
}

static void put_worst(GString *out, struct qry *q, const struct ana_latency *l, enum exp_format format)
{
	exp_rows_array(out, "worst", case_columns, format, q, NULL, l->worst, UINT_MAX);
}

static void put_histogram(GString *out, struct qry *q, const struct ana_latency *l, enum exp_format format)
{
	uint64_t most = 1;

	for (guint i = 0; i < l->histogram->len; i++)
		most = MAX(most, g_array_index(l->histogram, struct ana_latency_bucket, i).count);
	exp_rows_array(out, "histogram", bucket_columns, format, q, &most, l->histogram, UINT_MAX);
}

/* ---- the whole ---- */

static void latency_json(GString *out, struct qry *q, const struct ana_latency *l)
{
	exp_json_begin(out);
	exp_json_put_members(out, statistics_json(l));
	put_histogram(out, q, l, EXP_JSON);
	put_worst(out, q, l, EXP_JSON);
	exp_json_end(out);
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

	g_string_append_printf(out, "%s latency: %" PRIu64 " cases, %" PRIu64 " unfinished\n", l->kind,
		l->count, l->unfinished);
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

static void latency_text(GString *out, struct qry *q, const struct ana_latency *l, bool with_histogram)
{
	statistics_text(out, l);
	if (with_histogram && l->histogram->len) {
		g_string_append_c(out, '\n');
		put_histogram(out, q, l, EXP_TEXT);
	}
	if (l->worst->len) {
		g_string_append_c(out, '\n');
		put_worst(out, q, l, EXP_TEXT);
	}
}

void exp_latency(GString *out, struct qry *q, const struct ana_latency *l, const struct exp_options *o)
{
	switch (o->format) {
	case EXP_JSON: latency_json(out, q, l); break;
	case EXP_CSV:
		/* A CSV file is one table. */
		if (o->histogram)
			put_histogram(out, q, l, EXP_CSV);
		else
			put_worst(out, q, l, EXP_CSV);
		break;
	case EXP_TEXT: latency_text(out, q, l, o->histogram); break;
	}
}
