/* SPDX-License-Identifier: MIT */
/* The kinds there are, and a measurement: all rows' cases go into a tally, of which figures are made. */
#include "analysis/ana_latency.h"

#include "analysis/ana_advice.h"
#include "analysis/ana_rules_run.h"
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
	&ana_latency_return,
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
	g_autofree char *known = NULL;

	for (unsigned i = 0; i < ANA_LATENCY_BY_N; i++) {
		if (g_strcmp0(by_names[i], name) != 0)
			continue;
		*by = i;
		return true;
	}
	known = g_strjoinv(", ", (char **)(uintptr_t)(by_names + 1));
	g_set_error(error, BASE_ERROR, BASE_ERROR_USAGE, "\"%s\" makes no groups: use one of %s", name,
		known);
	return false;
}

/* ---- what can be asked ---- */

static const struct ana_latency_kind *find_kind(const char *name, GError **error)
{
	g_autofree char *known = NULL;

	for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
		if (g_str_equal(kinds[i]->name, name))
			return kinds[i];
	}
	known = g_strjoinv(", ", (char **)ana_latency_kinds());
	g_set_error(error, BASE_ERROR, BASE_ERROR_USAGE, "unknown kind of latency \"%s\": use one of %s",
		name, known);
	return NULL;
}

static bool check_row(const struct qry *q, const struct ana_latency_kind *kind, uint32_t row, GError **error)
{
	g_autofree char *label = NULL;

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

static bool has_by(const struct ana_latency_kind *kind, enum ana_latency_by by)
{
	switch (by) {
	case ANA_LATENCY_BY_KEY: return kind->key;
	case ANA_LATENCY_BY_CALL: return kind->call;
	case ANA_LATENCY_BY_DEVICE: return kind->device;
	default: return true;
	}
}

#define CALLS "syscall_entry_*"

/* Calls are known of some host. */
static bool has_calls(const struct qry *q)
{
	for (uint32_t host = 0; host < qry_host_count(q); host++)
		if (!ana_advice_is_missing(q, host, CALLS))
			return true;
	return false;
}

static bool check_by(const struct qry *q, const struct ana_latency_kind *kind, enum ana_latency_by by,
	GError **error)
{
	if (!has_by(kind, by)) {
		g_set_error(error, BASE_ERROR, BASE_ERROR_USAGE,
			"%s latencies have no %s: group them by another", kind->name, by_names[by]);
		return false;
	}
	if (by != ANA_LATENCY_BY_CALL || has_calls(q))
		return true;
	g_set_error(error, BASE_ERROR, BASE_ERROR_NO_ANSWER,
		"no " CALLS " was recorded, so which call it was is not known; record it with: %s",
		ana_advice_command(q, 0, CALLS));
	return false;
}

/* ---- measuring ---- */

/* What is asked, and where the answer is. */
struct measuring {
	struct qry *q;
	const struct ana_latency_options *options;
	const struct ana_latency_kind *kind;
	struct qry_spans spans;
	struct qry_spans_filter filter;
	int64_t least;           /* of the worst */
	struct ana_tally *tally; /* NULL until one is needed */
};

static struct ana_latency_case case_of(const struct measuring *m, const struct qry_span_found *found)
{
	const struct mdl_span *span = &found->span;
	struct ana_latency_case c = { .start = span->start,
		.end = span->fate == MDL_SPAN_DONE ? span->end : MDL_NEVER,
		.latency = span->end - span->start,
		.host = found->host,
		.row = span->row,
		.cpu = span->cpu,
		.number = span->key };

	if (m->options->rules)
		c.text = qry_spans_text(&m->spans, span->key);
	return c;
}

static void on_span(void *data, const struct qry_span_found *found)
{
	const struct measuring *m = data;
	struct ana_latency_case c = case_of(m, found);

	ana_tally_add(m->tally, &c, found->span.fate);
}

static bool is_of_group(void *data, const struct qry_span_found *found)
{
	const struct measuring *m = data;
	struct ana_latency_case c = case_of(m, found);

	return ana_tally_wants(m->tally, &c);
}

/* What follows the page at hand. */
struct ana_latency_rest {
	struct measuring m;
	struct ana_latency_options options;
	struct qry_span_found last; /* of the page before */
	uint32_t left;              /* at most so many more */
};

/* The page of the MOST worst behind AFTER (NULL: the first one) into L. */
static void take_page(struct ana_latency *l, struct measuring *m, const struct qry_span_found *after,
	uint32_t most)
{
	struct qry_spans_worst asked = { m->least, after, m->options->only ? is_of_group : NULL, m };
	uint32_t top = m->options->only ? most : MIN(most, ANA_LATENCY_PAGE);
	g_autoptr(GArray) found = qry_spans_worst(m->q, &m->spans, &m->filter, top, &asked);

	for (guint i = 0; i < found->len; i++) {
		struct ana_latency_case c = case_of(m, &g_array_index(found, struct qry_span_found, i));

		g_array_append_val(l->worst, c);
	}
	if (found->len == ANA_LATENCY_PAGE && most > found->len && !l->rest)
		l->rest = g_new0(struct ana_latency_rest, 1);
	if (l->rest && found->len > 0) {
		l->rest->last = g_array_index(found, struct qry_span_found, found->len - 1);
		l->rest->left = most == UINT32_MAX ? most : most - found->len;
	}
}

/* The worst cases of what M asks for. */
static void find_worst(struct ana_latency *l, struct measuring *m)
{
	const struct ana_latency_options *o = m->options;

	l->worst = g_array_new(FALSE, FALSE, sizeof(struct ana_latency_case));
	take_page(l, m, NULL, o->columns ? 0 : o->top);
	if (!l->rest)
		return;
	l->rest->options = *o;
	l->rest->m = *m;
	l->rest->m.options = &l->rest->options;
	l->rest->m.kind = NULL;
	l->rest->m.tally = NULL;
}

bool ana_latency_next(struct qry *q, struct ana_latency *l)
{
	struct qry_span_found last;

	g_array_set_size(l->worst, 0);
	if (!l->rest || l->rest->left == 0)
		return false;
	last = l->rest->last;
	l->rest->m.q = q;
	take_page(l, &l->rest->m, &last, l->rest->left);
	return l->worst->len > 0;
}

void ana_latency_group_clear(void *data)
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

/* The cases of some groups, behind each other. */
struct numbers {
	const GPtrArray *groups; /* of struct ana_tally_group */
	guint first, end, next;
};

static const int64_t *next_group(void *data, size_t *n)
{
	struct numbers *numbers = data;

	while (numbers->next < numbers->end) {
		const struct ana_tally_group *g = g_ptr_array_index(numbers->groups, numbers->next++);

		*n = g->cases->len;
		if (*n > 0)
			return (const int64_t *)(const void *)g->cases->data;
	}
	numbers->next = numbers->first;
	return NULL;
}

/* The figures of the groups FIRST to END in F; and the HISTOGRAM, NULL: not asked for. */
static void figure(const struct ana_tally *tally, guint first, guint end, struct base_figures *f, bool linear,
	GArray **histogram)
{
	struct numbers all = { tally->groups, first, end, first };
	struct base_numbers numbers = { next_group, &all };

	for (guint i = first; i < end; i++) {
		const struct ana_tally_group *g = g_ptr_array_index(tally->groups, i);

		f->unfinished += g->left_out ? 0 : g->unfinished;
		f->dropped += g->left_out ? 0 : g->dropped;
	}
	base_figures_find(&numbers, f, linear ? NULL : histogram, linear ? histogram : NULL);
}

static void add_group(GArray *groups, const struct measuring *m, guint i)
{
	struct ana_tally_group *g = g_ptr_array_index(m->tally->groups, i);
	struct ana_latency_group group = { .id = g->id, .name = g->name };

	if (g->left_out)
		return;
	g->name = NULL;
	figure(m->tally, i, i + 1, &group.figures, false, NULL);
	if (m->options->values) {
		ana_tally_sort(g->cases);
		group.values = g_array_ref(g->cases);
	}
	g_array_append_val(groups, group);
}

/* Those of the tally of M. */
static GArray *groups_of(const struct measuring *m)
{
	GArray *groups = g_array_new(FALSE, FALSE, sizeof(struct ana_latency_group));

	g_array_set_clear_func(groups, ana_latency_group_clear);
	for (guint i = 0; m->tally && m->options->by != ANA_LATENCY_BY_NOTHING && i < m->tally->groups->len;
		i++)
		add_group(groups, m, i);
	g_array_sort(groups, most_first);
	return groups;
}

static GArray *values_of(const struct ana_tally *tally)
{
	GArray *all = g_array_new(FALSE, FALSE, sizeof(int64_t));

	for (guint i = 0; i < tally->groups->len; i++) {
		const GArray *cases = ((struct ana_tally_group *)g_ptr_array_index(tally->groups, i))->cases;

		g_array_append_vals(all, cases->data, cases->len);
	}
	ana_tally_sort(all);
	return all;
}

static void set_strays(struct ana_latency *l, const uint64_t *fates)
{
	l->strays = (struct ana_latency_strays){ .repeated = fates[MDL_SPAN_REPEATED],
		.timed_out = fates[MDL_SPAN_TIMED_OUT],
		.given_up = fates[MDL_SPAN_GIVEN_UP],
		.unmatched = fates[MDL_SPAN_UNMATCHED] };
}

/* All figures by a look at each case. */
static void count(struct ana_latency *l, struct measuring *m)
{
	m->tally = ana_tally_new(m->q, m->kind, m->options);
	qry_spans_each(m->q, &m->spans, &m->filter, on_span, m);
	set_strays(l, m->tally->fates);
	figure(m->tally, 0, m->tally->groups->len, &l->all, m->options->linear, &l->histogram);
	if (m->options->values)
		l->values = values_of(m->tally);
	if (m->tally->parts)
		l->parts = ana_parts_take(m->tally->parts, l->histogram);
}

/* Threads of one class apart from those of another, where there are several. */
static GArray *find_classes(const struct measuring *m)
{
	struct ana_latency_options options = { .kind = m->options->kind,
		.rules = m->options->rules,
		.by = ANA_LATENCY_BY_CLASS };
	struct measuring apart = *m;
	unsigned several = 0;
	GArray *classes;

	apart.options = &options;
	apart.tally = NULL;
	if (m->options->classes && m->options->by != options.by && !m->kind->of_lines &&
		!m->kind->of_device) {
		apart.tally = ana_tally_new(m->q, m->kind, &options);
		qry_spans_each(m->q, &m->spans, &m->filter, on_span, &apart);
	}
	classes = groups_of(&apart);
	if (apart.tally)
		ana_tally_free(apart.tally);
	for (guint i = 0; i < classes->len; i++)
		several += g_array_index(classes, struct ana_latency_group, i).figures.count > 0;
	if (several < 2)
		g_array_set_size(classes, 0);
	return classes;
}

/* The figures that are kept of all cases. */
static void take(struct ana_latency *l, const struct measuring *m)
{
	struct idx_spans_figures kept;

	qry_spans_figures(&m->spans, m->filter.hide_tracer, &kept);
	l->all = kept.figures;
	l->histogram = g_array_ref(m->options->linear ? kept.linear : kept.powers);
	set_strays(l, kept.fates);
	idx_spans_figures_clear(&kept);
}

static struct ana_latency *measure(struct measuring *m)
{
	struct ana_latency *l = g_new0(struct ana_latency, 1);

	l->kind = m->kind->name;
	l->rules = m->options->rules;
	l->of_device = m->kind->of_device;
	l->by = m->options->by;
	if (l->by == ANA_LATENCY_BY_NOTHING && !m->options->values && !m->options->columns &&
		qry_spans_is_all(&m->spans, &m->filter))
		take(l, m);
	else
		count(l, m);
	l->groups = groups_of(m);
	l->classes = find_classes(m);
	find_worst(l, m);
	if (m->tally)
		ana_tally_free(m->tally);
	return l;
}

static bool check(const struct qry *q, const struct ana_latency_kind *kind,
	const struct ana_latency_options *options, GError **error)
{
	return check_row(q, kind, options->row, error) && check_by(q, kind, options->by, error) &&
		check_events(q, kind, options->row, error);
}

/* A kind, which for a rule is made here. */
struct named {
	const struct ana_latency_kind *kind; /* NULL: there is none */
	const struct ana_rule *rule;         /* NULL: it is none */
	struct ana_latency_kind of_rule;
};

static struct named *find(struct named *n, const struct ana_rules *rules, const char *name, GError **error)
{
	n->rule = rules ? ana_rules_find(rules, name, error) : NULL;
	if (n->rule)
		n->of_rule = ana_rules_kind(n->rule);
	n->kind = !rules ? find_kind(name, error) : n->rule ? &n->of_rule : NULL;
	return n;
}

/* The same, where NAME is known to be one. */
static const struct ana_latency_kind *find_known(struct named *n, const struct ana_rules *rules,
	const char *name)
{
	const struct ana_latency_kind *kind = find(n, rules, name, NULL)->kind;

	g_assert(kind);
	return kind;
}

bool ana_latency_has_by(const struct qry *q, const struct ana_rules *rules, const char *kind,
	enum ana_latency_by by)
{
	struct named n;

	return has_by(find_known(&n, rules, kind), by) && (by != ANA_LATENCY_BY_CALL || has_calls(q));
}

void ana_latency_explain(struct qry *q, const struct ana_rules *rules, const char *kind,
	struct ana_latency_case *c)
{
	struct qry_spans spans;
	struct named n;
	const struct ana_latency_kind *known = find_known(&n, rules, kind);

	if (n.rule)
		c->text = ana_rules_open(q, rules, n.rule, &spans, NULL, NULL)
			? qry_spans_text(&spans, c->number)
			: NULL;
	known->explain(q, c);
	if (known->key)
		c->key = known->key(q, c);
}

/* Have the cases open of what was found. */
static bool open_cases(struct qry *q, const struct ana_rules *rules, const struct named *n,
	struct qry_spans *spans, struct base_progress *progress, GError **error)
{
	if (!n->rule)
		return ana_cases_open(q, n->kind, spans, progress, error);
	if (!ana_rules_open(q, rules, n->rule, spans, progress, error))
		return false;
	if (!*qry_spans_note(spans))
		return true;
	g_set_error_literal(error, BASE_ERROR, BASE_ERROR_NO_ANSWER, qry_spans_note(spans));
	return false;
}

bool ana_latency_open(struct qry *q, const struct ana_rules *rules, const char *kind, struct qry_spans *spans,
	struct base_progress *progress, GError **error)
{
	struct named n;

	return find(&n, rules, kind, error)->kind && check_events(q, n.kind, MDL_NONE, error) &&
		open_cases(q, rules, &n, spans, progress, error);
}

/* Is all at hand that cases of KIND are made of? */
static bool has_spans(struct qry *q, const struct ana_latency_kind *kind)
{
	for (uint32_t host = 0; !kind->walk && !kind->collect_host && host < qry_host_count(q); host++)
		if (!qry_spans_at_hand(q, host) && !missing_event(q, kind, host))
			return false;
	return true;
}

bool ana_latency_is_ready(struct qry *q, const struct ana_rules *rules, const char *kind, GError **error)
{
	struct named n;

	if (!find(&n, rules, kind, error)->kind)
		return false;
	if (n.rule ? ana_rules_at_hand(q, rules, n.rule) : has_spans(q, n.kind))
		return true;
	g_set_error(error, BASE_ERROR, BASE_ERROR_NO_ANSWER, "the trace is read for these when chosen");
	return false;
}

struct ana_latency *ana_latency_new(struct qry *q, const struct ana_latency_options *o,
	struct base_progress *progress, GError **error)
{
	struct measuring m = { .q = q,
		.options = o,
		.least = o->threshold,
		.filter = { .from = o->from == BASE_TIME_NONE ? INT64_MIN : o->from,
			.to = o->to == BASE_TIME_NONE ? INT64_MAX : o->to,
			.row = o->row,
			.hide_tracer = o->hide_tracer,
			.progress = progress } };
	struct ana_latency *l;
	struct named n;

	m.kind = find(&n, o->rules, o->kind, error)->kind;
	if (n.rule && m.least == 0)
		m.least = n.rule->threshold;
	if (!m.kind || !check(q, m.kind, o, error) ||
		!open_cases(q, o->rules, &n, &m.spans, progress, error) || ana_cases_stopped(progress, error))
		return NULL;
	l = measure(&m);
	if (ana_cases_stopped(progress, error))
		g_clear_pointer(&l, ana_latency_free);
	return l;
}

void ana_latency_free(struct ana_latency *latency)
{
	if (!latency)
		return;
	g_array_unref(latency->histogram);
	g_array_unref(latency->groups);
	g_array_unref(latency->classes);
	g_array_unref(latency->worst);
	g_free(latency->rest);
	if (latency->parts)
		g_array_unref(latency->parts);
	if (latency->values)
		g_array_unref(latency->values);
	g_free(latency);
}
