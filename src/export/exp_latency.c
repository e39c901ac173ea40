/* SPDX-License-Identifier: MIT */
#include "export/exp.h"

#include "analysis/account/account.h"
#include "export/exp_rows.h"

#include "base/base_text.h"
#include "base/base_time.h"

#include <inttypes.h>
#include <math.h>

#define BAR_LONGEST 50 /* columns of a bar */

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

/* ---- columns ---- */

/* "wk-rt[547] 3442550 ns, hrtimer 101490 ns". */
static char *blame_words(const struct qry *q, const struct ana_blame *blame)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < blame->parts->len; i++) {
		const struct ana_blame_part *part = &g_array_index(blame->parts, struct ana_blame_part, i);
		g_autofree char *who = ana_blame_part_text(q, part);

		g_string_append_printf(text, "%s%s %" PRId64 " ns", i > 0 ? ", " : "", who, part->time);
	}
	return g_string_free(text, text->len == 0);
}

/* The account of the time of C; text has its largest part in CAUSE. */
static void set_blame(struct table_cell *cell, const struct ana_latency_case *c, const struct table_in *in)
{
	const struct ana_latency *l = in->context;
	struct ana_account_of of = ana_latency_account_of(in->q, l->rules, l->kind, c);
	struct ana_blame *blame;

	if (of.what == ANA_ACCOUNT_NONE)
		return;
	blame = ana_account_of_new(in->q, &of, 0, NULL, NULL);
	if (in->format == TABLE_JSON)
		cell->json = table_blame_json(in->q, blame);
	else
		cell->taken = blame_words(in->q, blame);
	ana_blame_free(blame);
}

/* The device of a case: the first word of its key. */
static char *device_of(const struct ana_latency_case *c)
{
	return c->key ? g_strndup(c->key, strcspn(c->key, " ")) : NULL;
}

/* The device or the row of a case: "vdb for wk-ioburst[957]" if the thread that asked is known. */
static char *subject_text(const struct qry *q, const struct ana_latency_case *c, const struct ana_latency *l)
{
	g_autofree char *label = c->row != MDL_NONE ? qry_row_label(q, c->row) : NULL,
			*device = l->of_device ? device_of(c) : NULL;

	if (!device)
		return g_steal_pointer(&label);
	return label ? g_strdup_printf("%s for %s", device, label) : g_steal_pointer(&device);
}

static GString *subject_json(const struct qry *q, const struct ana_latency_case *c,
	const struct ana_latency *l)
{
	GString *o;
	g_autofree char *name = NULL;

	if (!l->of_device)
		return c->row != MDL_NONE ? table_json_subject(q, c->row) : NULL;
	o = base_json_object();
	name = device_of(c);
	base_json_string(o, "type", "device");
	base_json_text(o, "host", qry_host(q, c->host)->name);
	base_json_text(o, "name", name);
	return o;
}

/* Text has these in OF. */
TABLE_COLUMNS(case_thread_columns)
{
	const struct ana_latency_case *c = row;
	const struct qry_row *r = row && c->row != MDL_NONE ? qry_row(in->q, c->row) : NULL;
	bool thread = r && r->type == MDL_ROW_THREAD;

	TABLE_COLUMN("host", NULL, TABLE_WORD, "its name at that time",
		word = qry_host(in->q, c->host)->name);
	TABLE_COLUMN("tid", NULL, TABLE_NUMBER, "", number = thread ? r->nr : BASE_TIME_NONE);
	TABLE_COLUMN("name", NULL, TABLE_WORD, "its name at that time",
		word = thread ? qry_name_at(in->q, c->row, c->start)
			: r   ? r->name
			      : NULL);
}

TABLE_COLUMNS(case_columns)
{
	const struct ana_latency_case *c = row;

	TABLE_COLUMN("start", "FROM", TABLE_TIME, "", number = c->start);
	TABLE_COLUMN("end", "TO", TABLE_TIME, "", number = c->end);
	TABLE_COLUMN("latency", ">LATENCY", TABLE_DURATION, "", number = c->latency);
	case_thread_columns(to, c, in);
	TABLE_COLUMN("cpu", ">CPU", TABLE_NUMBER, "", number = table_id(c->cpu));
	TABLE_COLUMN("key", "KEY", TABLE_WORD, "key of the kind", word = c->key);
	TABLE_COLUMN("cause", "CAUSE", TABLE_LONG, "in words; threads have their last name", word = c->cause);
	TABLE_COLUMN_BY("blame", NULL, TABLE_LONG, "account of the case, as in [why](#why); see below",
		set_blame(cell, c, in));
	TABLE_OBJECT("subject", "OF", TABLE_WORD,
		"also `worst[].tid`, `worst[].host`, `worst[].name`. For disk requests the subject is the device, and these three name the submitter; in text *vdb for wk-ioburst[957]*",
		subject_json(in->q, c, in->context), subject_text(in->q, c, in->context));
}

TABLE_COLUMNS(open_columns)
{
	const struct ana_latency_case *c = row;

	TABLE_COLUMN("start", "START", TABLE_TIME, "with `--unfinished`", number = c->start);
	TABLE_COLUMN("open_for", ">OPEN FOR", TABLE_DURATION, "until the end of the trace",
		number = c->latency);
	case_thread_columns(to, c, in);
	TABLE_COLUMN("key", "KEY", TABLE_WORD, "null if only the end of a case has it", word = c->key);
	TABLE_OBJECT("subject", "OF", TABLE_WORD, "also `open[].tid`, `open[].host`, `open[].name`",
		subject_json(in->q, c, in->context), subject_text(in->q, c, in->context));
}

TABLE_COLUMNS(bucket_columns)
{
	const struct base_bucket *b = row;

	TABLE_COLUMN("from", ">FROM", TABLE_DURATION,
		"classes, each twice as wide as the one before, or of equal width", number = b->from);
	TABLE_COLUMN("to", ">TO", TABLE_DURATION,
		"classes, each twice as wide as the one before, or of equal width", number = b->to);
	TABLE_COLUMN("count", ">COUNT", TABLE_NUMBER, "cases in it", number = (int64_t)b->count);
	TABLE_COLUMN("", "", TABLE_WORD, "",
		taken = table_bar(b->count, *(const uint64_t *)in->context, BAR_LONGEST));
}

TABLE_COLUMNS(group_columns)
{
	const struct ana_latency_group *g = row;
	const struct base_figures *f = row ? &g->figures : NULL;

	TABLE_COLUMN("name", "BY", TABLE_WORD, "", word = g->name);
	TABLE_COLUMN("count", ">COUNT", TABLE_NUMBER, "as above; so are the next three rows",
		number = (int64_t)f->count);
	TABLE_COLUMN("sum", ">SUM", TABLE_DURATION, "", number = f->sum);
	TABLE_COLUMN("min", ">MIN", TABLE_DURATION, "", number = f->min);
	TABLE_COLUMN("mean", ">MEAN", TABLE_DURATION, "",
		number = f->count ? llround(f->mean) : BASE_TIME_NONE);
	TABLE_COLUMN("stddev", NULL, TABLE_DURATION, "",
		number = f->count ? llround(f->stddev) : BASE_TIME_NONE);
	TABLE_COLUMN("p50", ">50 %", TABLE_DURATION, "", number = f->p50);
	TABLE_COLUMN("p90", ">90 %", TABLE_DURATION, "", number = f->p90);
	TABLE_COLUMN("p99", ">99 %", TABLE_DURATION, "", number = f->p99);
	TABLE_COLUMN("p999", ">99.9 %", TABLE_DURATION, "", number = f->p999);
	TABLE_COLUMN("max", ">MAX", TABLE_DURATION, "", number = f->max);
	TABLE_COLUMN("outliers", ">OUTLIERS", TABLE_NUMBER, "by the statistics of the group",
		number = (int64_t)f->outliers);
	TABLE_COLUMN("outliers_over", NULL, TABLE_DURATION, "", number = f->fence);
	TABLE_COLUMN("unfinished", ">UNFINISHED", TABLE_NUMBER, "as above; so are the next three rows",
		number = (int64_t)f->unfinished);
	TABLE_COLUMN("dropped", ">DROPPED", TABLE_NUMBER, "as above; so are the next three rows",
		number = (int64_t)f->dropped);
}

/* Page by page; each case is explained while it is written. */
static void put_worst(GString *out, struct qry *q, const struct ana_latency *l, const struct exp_options *o)
{
	struct exp_rows *rows = exp_rows_new(out, "worst", case_columns, o, q, l);

	do {
		for (guint i = 0; i < l->worst->len && !(o->file && exp_file_failed(o->file)); i++) {
			struct ana_latency_case c = g_array_index(l->worst, struct ana_latency_case, i);

			ana_latency_explain(q, l->rules, l->kind, &c);
			exp_rows_add(rows, &c);
			g_free(c.cause);
			g_free(c.key);
		}
	} while (!(o->file && exp_file_failed(o->file)) &&
		ana_latency_next(q, (struct ana_latency *)(uintptr_t)l));
	exp_rows_finish(rows);
}

/* The cases that are still open at the end of the trace. */
static void put_open(GString *out, struct qry *q, const struct ana_latency *l, const struct exp_options *o)
{
	struct exp_rows *rows = exp_rows_new(out, "open", open_columns, o, q, l);

	for (guint i = 0; l->open && i < l->open->len; i++) {
		struct ana_latency_case c = g_array_index(l->open, struct ana_latency_case, i);

		ana_latency_name(q, l->rules, l->kind, &c);
		exp_rows_add(rows, &c);
		g_free(c.key);
	}
	exp_rows_finish(rows);
}

static void put_histogram(GString *out, struct qry *q, const struct ana_latency *l,
	const struct exp_options *o)
{
	uint64_t most = 1;

	for (guint i = 0; i < l->histogram->len; i++)
		most = MAX(most, g_array_index(l->histogram, struct base_bucket, i).count);
	exp_rows_array(out, "histogram", bucket_columns, o, q, &most, l->histogram, UINT_MAX);
}

/* ---- the whole ---- */

static void latency_json(GString *out, struct qry *q, const struct ana_latency *l,
	const struct exp_options *o)
{
	statistics_json(out, l);
	put_histogram(out, q, l, o);
	exp_rows_array(out, "groups", group_columns, o, q, NULL, l->groups, UINT_MAX);
	exp_rows_array(out, "classes", group_columns, o, q, NULL, l->classes, UINT_MAX);
	put_open(out, q, l, o);
	put_worst(out, q, l, o);
}

static void statistics_text(GString *out, const struct ana_latency *l)
{
	static const char *const headers[] = { "LATENCY", ">VALUE", NULL };
	const struct base_figures *f = &l->all;
	const struct {
		const char *name;
		int64_t value;
	} figures[] = { { "sum", f->sum }, { "min", f->min }, { "mean", llround(f->mean) },
		{ "standard deviation", llround(f->stddev) }, { "50 %", f->p50 }, { "90 %", f->p90 },
		{ "99 %", f->p99 }, { "99.9 %", f->p999 }, { "max", f->max } };
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

/* Append GROUPS as a table, if there are any. */
static void groups_text(GString *out, struct qry *q, const GArray *groups, const struct exp_options *o)
{
	if (groups->len == 0)
		return;
	g_string_append_c(out, '\n');
	exp_rows_array(out, "groups", group_columns, o, q, NULL, groups, UINT_MAX);
}

static void latency_text(GString *out, struct qry *q, const struct ana_latency *l,
	const struct exp_options *o)
{
	statistics_text(out, l);
	groups_text(out, q, l->classes, o);
	if (o->histogram && l->histogram->len > 0) {
		g_string_append_c(out, '\n');
		put_histogram(out, q, l, o);
	}
	groups_text(out, q, l->groups, o);
	if (l->open && l->open->len > 0) {
		g_string_append_c(out, '\n');
		put_open(out, q, l, o);
	}
	if (l->worst->len == 0)
		return;
	g_string_append_c(out, '\n');
	put_worst(out, q, l, o);
}

EXP_WRITER(exp_latency)
{
	const struct ana_latency *l = result;

	if (o->format == TABLE_JSON)
		latency_json(out, q, l, o);
	else if (o->format == TABLE_TEXT)
		latency_text(out, q, l, o);
	else if (o->histogram) /* CSV and Markdown have one table */
		put_histogram(out, q, l, o);
	else if (l->open)
		put_open(out, q, l, o);
	else if (l->by != ANA_LATENCY_BY_NOTHING)
		exp_rows_array(out, "groups", group_columns, o, q, NULL, l->groups, UINT_MAX);
	else
		put_worst(out, q, l, o);
	return true;
}

EXP_WRITER(exp_rules)
{
	const GPtrArray *latencies = result;

	if (o->format == TABLE_JSON)
		base_json_begin_list(out, "rules");
	for (guint i = 0; i < latencies->len; i++) {
		const struct ana_latency *l = g_ptr_array_index(latencies, i);

		if (o->format == TABLE_JSON) {
			base_json_begin_line(out);
			latency_json(out, q, l, o); /* directly into OUT: it may be long */
			base_json_end_line(out);
			continue;
		}
		if (i > 0)
			g_string_append_c(out, '\n');
		exp_latency(out, q, l, o, error);
	}
	if (o->format == TABLE_JSON)
		base_json_end_list(out);
	return true;
}
