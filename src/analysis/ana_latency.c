/* SPDX-License-Identifier: MIT */
/* The kinds there are, and a measurement: all rows' cases go into a tally, of which figures are made. */
#include "analysis/ana_latency.h"

#include "analysis/ana_advice.h"
#include "analysis/ana_tally.h"
#include "base/base_error.h"
#include "base/base_time.h"
#include "query/qry_tracer.h"

static const struct ana_latency_kind *const kinds[] = {
	&ana_latency_wakeup,
	&ana_latency_wait_cpu,
	&ana_latency_preempted,
	&ana_latency_off_cpu,
	&ana_latency_blocked,
	&ana_latency_fork,
	&ana_latency_syscall,
	&ana_latency_futex,
	&ana_latency_irq,
	&ana_latency_softirq,
	&ana_latency_raise,
	&ana_latency_timer,
	&ana_latency_queue,
	&ana_latency_work,
	&ana_latency_block,
	&ana_latency_block_queue,
	&ana_latency_block_device,
	&ana_latency_network,
};

const char *const *ana_latency_kinds(void)
{
	static const char *names[G_N_ELEMENTS(kinds) + 1];

	for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++)
		names[i] = kinds[i]->name;
	return names;
}

/* ---- groups ---- */

static const char *const by_names[ANA_LATENCY_BY_N] = { [ANA_LATENCY_BY_THREAD] = "thread",
	[ANA_LATENCY_BY_NAME] = "name",
	[ANA_LATENCY_BY_PROCESS] = "process",
	[ANA_LATENCY_BY_CPU] = "cpu",
	[ANA_LATENCY_BY_HOST] = "host",
	[ANA_LATENCY_BY_CLASS] = "class",
	[ANA_LATENCY_BY_KEY] = "key",
	[ANA_LATENCY_BY_CALL] = "call",
	[ANA_LATENCY_BY_DEVICE] = "device" };

const char *ana_latency_by_name(enum ana_latency_by by)
{
	return by_names[by];
}

bool ana_latency_by_parse(const char *name, enum ana_latency_by *by, GError **error)
{
	char *known;

	for (unsigned i = 0; i < ANA_LATENCY_BY_N; i++) {
		if (g_strcmp0(by_names[i], name) != 0)
			continue;
		*by = i;
		return true;
	}
	known = g_strjoinv(", ", (char **)(uintptr_t)(by_names + 1));
	g_set_error(error, BASE_ERROR, BASE_ERROR_USAGE, "\"%s\" makes no groups: use one of %s", name,
		known);
	g_free(known);
	return false;
}

/* ---- what can be asked ---- */

static const struct ana_latency_kind *find_kind(const char *name, GError **error)
{
	char *known;

	for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
		if (g_str_equal(kinds[i]->name, name))
			return kinds[i];
	}
	known = g_strjoinv(", ", (char **)ana_latency_kinds());
	g_set_error(error, BASE_ERROR, BASE_ERROR_USAGE, "unknown kind of latency \"%s\": use one of %s",
		name, known);
	g_free(known);
	return NULL;
}

static bool check_row(const struct qry *q, const struct ana_latency_kind *kind, uint32_t row, GError **error)
{
	char *label;

	if (row != MDL_NONE && kind->of_lines) {
		g_set_error(error, BASE_ERROR, BASE_ERROR_USAGE,
			"%s latencies are of no thread: ask for all of them", kind->name);
		return false;
	}
	if (row == MDL_NONE || qry_row(q, row)->type == MDL_ROW_THREAD)
		return true;
	label = qry_row_label(q, row);
	g_set_error(error, BASE_ERROR, BASE_ERROR_NO_ANSWER, "%s is no thread: only threads have latencies",
		label);
	g_free(label);
	return false;
}

static bool has_by(const struct ana_latency_kind *kind, enum ana_latency_by by)
{
	return by < ANA_LATENCY_BY_KEY || (by == ANA_LATENCY_BY_KEY && kind->key) || by == kind->by;
}

bool ana_latency_has_by(const char *kind, enum ana_latency_by by)
{
	return has_by(find_kind(kind, NULL), by);
}

static bool check_by(const struct ana_latency_kind *kind, enum ana_latency_by by, GError **error)
{
	if (has_by(kind, by))
		return true;
	g_set_error(error, BASE_ERROR, BASE_ERROR_USAGE, "%s latencies have no %s: group them by another",
		kind->name, by_names[by]);
	return false;
}

/* The first of the events that KIND needs and HOST did not record; NULL: it did. */
static const char *missing_event(const struct qry *q, const struct ana_latency_kind *kind, uint32_t host)
{
	for (size_t i = 0; i < G_N_ELEMENTS(kind->needs) && kind->needs[i]; i++)
		if (ana_advice_is_missing(q, host, kind->needs[i]))
			return kind->needs[i];
	return NULL;
}

/* Did any host (or that of ROW) record the events that KIND needs? */
static bool check_events(const struct qry *q, const struct ana_latency_kind *kind, uint32_t row,
	GError **error)
{
	uint32_t first = row == MDL_NONE ? 0 : qry_row(q, row)->host,
		 end = row == MDL_NONE ? qry_host_count(q) : first + 1;
	const char *missing;

	for (uint32_t host = first; host < end; host++)
		if (!missing_event(q, kind, host))
			return true;
	missing = missing_event(q, kind, first);
	g_set_error(error, BASE_ERROR, BASE_ERROR_NO_ANSWER,
		"%s: no %s was recorded, so %s latencies are not known; record it with: %s",
		qry_host(q, first)->name, missing, kind->name, ana_advice_command(q, first, missing));
	return false;
}

/* ---- measuring ---- */

/* Is ROW measured when O asks? */
static bool wanted(const struct qry *q, const struct ana_latency_options *o, uint32_t row)
{
	return qry_row(q, row)->type == MDL_ROW_THREAD &&
		(row == o->row || !o->hide_tracer || !qry_is_tracer(q, row));
}

static bool stopped(struct base_progress *progress, GError **error)
{
	if (!base_progress_cancelled(progress))
		return false;
	g_set_error(error, BASE_ERROR, BASE_ERROR_CANCELLED, "the measuring of latencies was interrupted");
	return true;
}

static bool collect_rows(struct ana_tally *tally, int64_t from, int64_t to, struct base_progress *progress,
	GError **error)
{
	const struct ana_latency_options *o = tally->options;
	uint32_t first = o->row == MDL_NONE ? 0 : o->row;
	uint32_t end = o->row == MDL_NONE ? qry_row_count(tally->q) : o->row + 1;

	for (uint32_t row = first; row < end; row++) {
		if (stopped(progress, error))
			return false;
		if (wanted(tally->q, o, row))
			tally->kind->collect(tally->q, row, from, to, tally);
		if (progress)
			base_progress_set(progress, (double)(row - first + 1) / (end - first), 0);
	}
	return true;
}

static void on_span(void *data, const struct mdl_span *span)
{
	struct ana_tally *t = data;
	const struct ana_latency_options *o = t->options;
	struct ana_latency_case c = { .start = span->start,
		.end = span->fate == MDL_SPAN_DONE ? span->end : MDL_NEVER,
		.latency = span->end - span->start,
		.host = t->host,
		.row = span->row,
		.cpu = span->cpu,
		.number = span->key };

	if (o->row != MDL_NONE ? span->row != o->row
			       : span->row != MDL_NONE && o->hide_tracer && qry_is_tracer(t->q, span->row))
		return;
	if (span->fate == MDL_SPAN_DONE)
		ana_tally_add(t, &c);
	else if (span->fate == MDL_SPAN_OPEN)
		ana_tally_group_of(t, &c)->unfinished++;
	else
		ana_tally_group_of(t, &c)->dropped++;
}

static bool collect_spans(struct ana_tally *tally, uint32_t host, int64_t from, int64_t to,
	struct base_progress *progress, GError **error)
{
	if (!qry_spans_open(tally->q, host, progress, error))
		return false;
	tally->host = host;
	qry_spans_each(tally->q, host, tally->kind->span, from, to, on_span, tally);
	return true;
}

static bool collect_hosts(struct ana_tally *tally, int64_t from, int64_t to, struct base_progress *progress,
	GError **error)
{
	const struct ana_latency_kind *kind = tally->kind;
	uint32_t row = tally->options->row, first = row == MDL_NONE ? 0 : qry_row(tally->q, row)->host,
		 end = row == MDL_NONE ? qry_host_count(tally->q) : first + 1;

	for (uint32_t host = first; host < end; host++)
		if (stopped(progress, error) ||
			!(kind->collect_host ? kind->collect_host : collect_spans)(tally, host, from, to,
				progress, error))
			return false;
	return !stopped(progress, error);
}

static bool collect_all(struct ana_tally *tally, struct base_progress *progress, GError **error)
{
	const struct ana_latency_options *o = tally->options;
	int64_t from = o->from == BASE_TIME_NONE ? INT64_MIN : o->from;
	int64_t to = o->to == BASE_TIME_NONE ? INT64_MAX : o->to;

	return (tally->kind->collect ? collect_rows : collect_hosts)(tally, from, to, progress, error);
}

static void case_clear(void *data)
{
	struct ana_latency_case *c = data;

	g_free(c->cause);
	g_free(c->key);
}

static void explain(struct qry *q, const struct ana_latency_kind *kind, struct ana_latency_case *c)
{
	kind->explain(q, c);
	if (kind->key)
		c->key = kind->key(q, c);
}

void ana_latency_explain(struct qry *q, const char *kind, struct ana_latency_case *c)
{
	explain(q, find_kind(kind, NULL), c);
}

/* The worst cases of TALLY, explained. */
static GArray *worst_of(struct ana_tally *tally)
{
	GArray *worst = g_array_ref(tally->heap);

	g_array_set_clear_func(worst, case_clear);
	g_array_sort(worst, ana_worst_first);
	for (guint i = 0; i < worst->len; i++)
		explain(tally->q, tally->kind, &g_array_index(worst, struct ana_latency_case, i));
	return worst;
}

static void group_clear(void *data)
{
	struct ana_latency_group *g = data;

	g_free(g->name);
	if (g->values)
		g_array_unref(g->values);
}

/* Most time first, then by name. */
static int most_first(const void *a, const void *b)
{
	const struct ana_latency_group *x = a, *y = b;

	if (x->figures.sum != y->figures.sum)
		return x->figures.sum < y->figures.sum ? 1 : -1;
	return g_strcmp0(x->name, y->name);
}

/* The figures of each group and of all. */
static void fill_figures(struct ana_latency *l, struct ana_tally *tally, bool linear)
{
	GArray *all = g_array_new(FALSE, FALSE, sizeof(int64_t));
	uint64_t unfinished = 0, dropped = 0;

	for (guint i = 0; i < tally->groups->len; i++) {
		struct ana_tally_group *g = g_ptr_array_index(tally->groups, i);
		struct ana_latency_group group = { .id = g->id, .name = g->name };

		if (g->left_out)
			continue;
		g->name = NULL;
		unfinished += g->unfinished;
		dropped += g->dropped;
		if (l->by != ANA_LATENCY_BY_NOTHING) {
			ana_latency_figure(g->cases, &group.figures);
			group.figures.unfinished = g->unfinished;
			group.figures.dropped = g->dropped;
			g_array_append_vals(all, g->cases->data, g->cases->len);
			if (tally->options->values)
				group.values = g_array_ref(g->cases);
			else
				g_array_set_size(g->cases, 0);
			g_array_append_val(l->groups, group);
		} else {
			g_array_unref(all);
			all = g_array_ref(g->cases);
		}
	}
	g_array_sort(l->groups, most_first);
	ana_latency_figure(all, &l->all);
	l->all.unfinished = unfinished;
	l->all.dropped = dropped;
	l->histogram = ana_latency_histogram(all, linear);
	if (tally->options->values)
		l->values = g_array_ref(all);
	g_array_unref(all);
}

struct ana_latency *ana_latency_of(struct ana_tally *tally)
{
	struct ana_latency *l = g_new0(struct ana_latency, 1);

	l->kind = tally->kind->name;
	l->of_device = tally->kind->of_device;
	l->by = tally->options->by;
	l->groups = g_array_new(FALSE, FALSE, sizeof(struct ana_latency_group));
	g_array_set_clear_func(l->groups, group_clear);
	l->worst = worst_of(tally);
	fill_figures(l, tally, tally->options->linear);
	if (tally->parts)
		l->parts = ana_parts_take(tally->parts, l->histogram);
	return l;
}

bool ana_latency_check(const struct qry *q, const struct ana_latency_kind *kind,
	const struct ana_latency_options *options, GError **error)
{
	return check_row(q, kind, options->row, error) && check_by(kind, options->by, error) &&
		check_events(q, kind, options->row, error);
}

bool ana_latency_is_ready(struct qry *q, const char *name, GError **error)
{
	const struct ana_latency_kind *kind = find_kind(name, error);

	if (!kind)
		return false;
	for (uint32_t host = 0; !kind->collect && !kind->collect_host && host < qry_host_count(q); host++) {
		if (qry_spans_at_hand(q, host) || missing_event(q, kind, host))
			continue;
		g_set_error(error, BASE_ERROR, BASE_ERROR_NO_ANSWER,
			"the trace is read for these when chosen");
		return false;
	}
	return true;
}

struct ana_latency *ana_latency_new(struct qry *q, const struct ana_latency_options *options,
	struct base_progress *progress, GError **error)
{
	const struct ana_latency_kind *kind = find_kind(options->kind, error);
	struct ana_tally *tally;
	struct ana_latency *l = NULL;

	if (!kind || !ana_latency_check(q, kind, options, error))
		return NULL;
	tally = ana_tally_new(q, kind, options);
	if (collect_all(tally, progress, error))
		l = ana_latency_of(tally);
	ana_tally_free(tally);
	return l;
}

void ana_latency_free(struct ana_latency *latency)
{
	if (!latency)
		return;
	g_array_unref(latency->histogram);
	g_array_unref(latency->groups);
	g_array_unref(latency->worst);
	if (latency->parts)
		g_array_unref(latency->parts);
	if (latency->values)
		g_array_unref(latency->values);
	g_free(latency);
}
