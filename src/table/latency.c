/* SPDX-License-Identifier: MIT */
/*
 * A latency: its worst cases, those that did not end, its histogram, its groups. The result is a struct
 * ana_latency. Without a result, each of these tables measures.
 */
#include "table/json.h"
#include "table/rows.h"

#include "analysis/account/account.h"
#include "analysis/latency/latency.h"
#include "base/base_time.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define BAR_LONGEST 50 /* columns of a bar */

/* ---- columns ---- */

/* "wk-rt[547] 3442550 ns, hrtimer 101490 ns". The caller frees. */
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

/* Set CELL to the account of C. Text has its largest part in CAUSE. */
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

/* The device of a case, which is the first word of its key. The caller frees. */
static char *device_of(const struct ana_latency_case *c)
{
	return c->key ? g_strndup(c->key, strcspn(c->key, " ")) : NULL;
}

/* The device or the row of a case: "vdb for wk-ioburst[957]" with a known submitter. The caller frees. */
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

/* Text has these columns in OF. */
TABLE_COLUMNS(case_thread_columns)
{
	const struct ana_latency_case *c = row;
	const struct qry_row *r = row && c->row != MDL_NONE ? qry_row(in->q, c->row) : NULL;
	bool thread = r && r->type == MDL_ROW_THREAD;

	TABLE_COLUMN("host", "(OF", TABLE_WORD, "host of the case", word = qry_host(in->q, c->host)->name);
	TABLE_COLUMN("tid", "(OF", TABLE_NUMBER, "its thread; for disk requests the submitter",
		number = thread ? r->nr : BASE_TIME_NONE);
	TABLE_COLUMN("name", "(OF", TABLE_WORD, "name of that thread at that time",
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
	TABLE_COLUMN("cause", "CAUSE", TABLE_LONG,
		"in words; threads have their last name. For `futex`: the threads that held it meanwhile, each with the "
		"time (always inferred); then what the waiting thread did",
		word = c->cause);
	TABLE_COLUMN_BY("blame", "(CAUSE", TABLE_LONG,
		"BLAME[]: account of the case, as in [why](#why); see below", set_blame(cell, c, in));
	TABLE_OBJECT("subject", "OF", TABLE_WORD,
		"SUBJECT: for disk requests the device; in text *vdb for wk-ioburst[957]*",
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
	TABLE_OBJECT("subject", "OF", TABLE_WORD, "SUBJECT: ", subject_json(in->q, c, in->context),
		subject_text(in->q, c, in->context));
}

TABLE_COLUMNS(bucket_columns)
{
	const struct base_bucket *b = row;

	TABLE_COLUMN("from", ">FROM", TABLE_DURATION,
		"begin of the class. Each class is twice as wide as the one before; with `--linear` all have the same width",
		number = b->from);
	TABLE_COLUMN("to", ">TO", TABLE_DURATION, "end of the class", number = b->to);
	TABLE_COLUMN("count", ">COUNT", TABLE_NUMBER, "cases in it", number = (int64_t)b->count);
	TABLE_COLUMN("", "", TABLE_WORD, "",
		taken = table_bar(b->count, *(const uint64_t *)in->context, BAR_LONGEST));
}

TABLE_COLUMNS(group_columns)
{
	const struct ana_latency_group *g = row;
	const struct base_figures *f = row ? &g->figures : NULL;

	TABLE_COLUMN("name", "BY", TABLE_WORD, "the group, or the scheduling class", word = g->name);
	TABLE_COLUMN("count", ">COUNT", TABLE_NUMBER, "cases in it", number = (int64_t)f->count);
	TABLE_COLUMN("sum", ">SUM", TABLE_DURATION, "of all its cases", number = f->sum);
	TABLE_COLUMN("min", ">MIN", TABLE_DURATION, "", number = f->min);
	TABLE_COLUMN("mean", ">MEAN", TABLE_DURATION, "",
		number = f->count ? llround(f->mean) : BASE_TIME_NONE);
	TABLE_COLUMN("stddev", NULL, TABLE_DURATION, "",
		number = f->count ? llround(f->stddev) : BASE_TIME_NONE);
	TABLE_COLUMN("p50", ">P50", TABLE_DURATION, "", number = f->p50);
	TABLE_COLUMN("p90", ">P90", TABLE_DURATION, "", number = f->p90);
	TABLE_COLUMN("p99", ">P99", TABLE_DURATION, "", number = f->p99);
	TABLE_COLUMN("p999", ">P999", TABLE_DURATION, "", number = f->p999);
	TABLE_COLUMN("max", ">MAX", TABLE_DURATION, "", number = f->max);
	TABLE_COLUMN("outliers", ">OUTLIERS", TABLE_NUMBER, "by the statistics of the group",
		number = (int64_t)f->outliers);
	TABLE_COLUMN("outliers_over", "(OUTLIERS", TABLE_DURATION, "", number = f->fence);
	TABLE_COLUMN("unfinished", ">UNFINISHED", TABLE_NUMBER, "cases that did not end in the trace",
		number = (int64_t)f->unfinished);
	TABLE_COLUMN("dropped", ">DROPPED", TABLE_NUMBER, "cases during which events were lost",
		number = (int64_t)f->dropped);
}

/* ---- cursors ---- */

struct cases {
	struct table_list of;
	uint64_t most;               /* the highest count of a class of the histogram */
	struct ana_latency_case now; /* owns its texts */
};

static void *make_latency(struct table_cursor *c, GError **error)
{
	const struct table_question *ask = &c->ask;
	struct ana_latency_options options = { .kind = ask->kind,
		.row = ask->row,
		.from = ask->from,
		.to = ask->to,
		.hide_tracer = ask->hide_tracer,
		.threshold = ask->threshold,
		.top = ask->top ? ask->top : UINT32_MAX,
		.open = c->table == &table_latency_open,
		.classes = c->table == &table_latency_classes };

	return ana_latency_by_parse(ask->by, &options.by, error)
		? ana_latency_new(c->q, &options, ask->progress, error)
		: NULL;
}

static bool open_histogram(struct table_cursor *cursor, G_GNUC_UNUSED GError **error)
{
	struct cases *c = (struct cases *)cursor;
	const GArray *classes = c->of.rows;

	for (guint i = 0; i < classes->len; i++)
		c->most = MAX(c->most, g_array_index(classes, struct base_bucket, i).count);
	cursor->in.context = &c->most;
	return true;
}

/* Set c->now and *ROW to the next case of the list. Returns 1; 0 at the end; -1 with an error. */
static int next_case(struct cases *c, const void **row, GError **error)
{
	int found = table_list_next(&c->of.of, row, error);

	g_free(c->now.cause);
	g_free(c->now.key);
	c->now = (struct ana_latency_case){ 0 };
	if (found <= 0)
		return found;
	c->now = *(const struct ana_latency_case *)*row;
	*row = &c->now;
	return 1;
}

/* Cases come page by page. Each case is explained only when it is returned. */
static int next_worst(struct table_cursor *cursor, const void **row, GError **error)
{
	struct cases *c = (struct cases *)cursor;
	const struct ana_latency *l = cursor->in.context;

	if (next_case(c, row, error) <= 0) {
		if (!ana_latency_next(cursor->q, (struct ana_latency *)(uintptr_t)l))
			return 0;
		c->of.rows = l->worst;
		c->of.next = 0;
		if (next_case(c, row, error) <= 0)
			return 0;
	}
	ana_latency_explain(cursor->q, l->rules, l->kind, &c->now);
	return 1;
}

static int next_open(struct table_cursor *cursor, const void **row, GError **error)
{
	struct cases *c = (struct cases *)cursor;
	const struct ana_latency *l = cursor->in.context;

	if (next_case(c, row, error) <= 0)
		return 0;
	ana_latency_name(cursor->q, l->rules, l->kind, &c->now);
	return 1;
}

static void close_cases(struct table_cursor *cursor)
{
	struct cases *c = (struct cases *)cursor;

	g_free(c->now.cause);
	g_free(c->now.key);
}

static bool lead(G_GNUC_UNUSED const struct table_cursor *c, const void *row, struct table_place *to)
{
	const struct ana_latency_case *a = row;

	*to = (struct table_place){ .row = a->row,
		.from = a->start,
		.to = a->end == MDL_NEVER ? a->start : a->end };
	return true;
}

/* ---- tables ---- */

#define LATENCY(part_of, text)                                                                          \
	.name = "latency_" #part_of, .list = #part_of, .doc = (text), .size = sizeof(struct cases),     \
	.takes = TABLE_TAKES_ROW | TABLE_TAKES_WINDOW | TABLE_TAKES_KIND, .rows_are = TABLE_ROWS_ARRAY, \
	.part = offsetof(struct ana_latency, part_of), .make = make_latency,                            \
	.free = (GDestroyNotify)ana_latency_free

const struct table table_latency_worst = {
	LATENCY(worst, "a case of a latency, the longest first"),
	.columns = case_columns,
	.next = next_worst,
	.close = close_cases,
	.lead = lead,
};

const struct table table_latency_open = {
	LATENCY(open, "a case of a latency that did not end in the trace, the oldest first"),
	.columns = open_columns,
	.next = next_open,
	.close = close_cases,
	.lead = lead,
};

const struct table table_latency_groups = {
	LATENCY(groups, "a group of the cases of a latency, the largest sum first"),
	.columns = group_columns,
};

const struct table table_latency_classes = {
	LATENCY(classes, "the cases of a latency whose threads are of one scheduling class"),
	.columns = group_columns,
};

const struct table table_latency_histogram = {
	LATENCY(histogram, "a class of durations of a latency"),
	.columns = bucket_columns,
	.open = open_histogram,
};
