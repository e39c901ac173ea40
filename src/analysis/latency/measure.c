/* SPDX-License-Identifier: MIT */
/* How it works: all cases go into a tally, which yields the figures.  The index stores the figures of all
 * cases without groups. */
#include "analysis/latency/measure.h"

#include "base/base_error.h"
#include "base/base_progress.h"
#include "base/base_search.h"

bool ana_cases_stopped(struct base_progress *progress, GError **error)
{
	if (!base_progress_cancelled(progress))
		return false;
	g_set_error(error, BASE_ERROR, BASE_ERROR_CANCELLED, "interrupted");
	return true;
}

static struct ana_latency_case case_of(const struct ana_latency_asked *m, const struct idx_spans_found *found)
{
	const struct mdl_span *span = &found->span;
	struct ana_latency_case c = { .start = span->start,
		.end = span->fate == MDL_SPAN_DONE ? span->end : MDL_NEVER,
		.latency = span->end - span->start,
		.host = found->host,
		.row = span->row,
		.cpu = span->cpu,
		.number = span->key };

	if (m->has_texts && m->spans.file)
		c.text = qry_spans_text(&m->spans, span->key);
	return c;
}

static bool is_of_group(void *data, const struct idx_spans_found *found)
{
	const struct ana_latency_asked *m = data;
	struct ana_latency_case c = case_of(m, found);

	return ana_tally_wants(m->tally, &c);
}

/* The search for the worst cases after the current page. */
struct ana_latency_rest {
	struct ana_latency_asked m;
	struct ana_latency_options options;
	struct idx_spans_found last; /* of the previous page */
	uint32_t left;               /* number of cases still wanted, at most */
};

/* Fill L with the MOST worst cases after AFTER (NULL: the first page). */
static void take_page(struct ana_latency *l, struct ana_latency_asked *m, const struct idx_spans_found *after,
	uint32_t most)
{
	struct qry_spans_worst asked = { m->least, after, m->options->only ? is_of_group : NULL, m };
	uint32_t top = m->options->only ? most : MIN(most, ANA_LATENCY_PAGE);
	g_autoptr(GArray) found = qry_spans_worst(m->q, &m->spans, &m->filter, top, &asked);

	for (guint i = 0; i < found->len; i++) {
		struct ana_latency_case c = case_of(m, &g_array_index(found, struct idx_spans_found, i));

		g_array_append_val(l->worst, c);
	}
	if (found->len == ANA_LATENCY_PAGE && most > found->len && !l->rest)
		l->rest = g_new0(struct ana_latency_rest, 1);
	if (l->rest && found->len > 0) {
		l->rest->last = g_array_index(found, struct idx_spans_found, found->len - 1);
		l->rest->left = most == UINT32_MAX ? most : most - found->len;
	}
}

/* Find the worst cases that M asks for. */
static void find_worst(struct ana_latency *l, struct ana_latency_asked *m)
{
	const struct ana_latency_options *o = m->options;

	l->worst = m->worst ? g_array_ref(m->worst)
			    : g_array_new(FALSE, FALSE, sizeof(struct ana_latency_case));
	take_page(l, m, NULL, o->columns ? 0 : o->top);
	if (!l->rest)
		return;
	l->rest->options = *o;
	l->rest->m = *m;
	l->rest->m.options = &l->rest->options;
	l->rest->m.kind = NULL;
	l->rest->m.tally = l->rest->m.classes = NULL;
}

bool ana_latency_next(struct qry *q, struct ana_latency *l)
{
	struct idx_spans_found last;

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
	base_sketch_clear(&g->sketch);
	if (g->values)
		g_array_unref(g->values);
}

/* Most time first, then by name. */
static int most_first(const void *a, const void *b)
{
	const struct ana_latency_group *x = a, *y = b;

	return BASE_BY(y, x, figures.sum) ?: g_strcmp0(x->name, y->name);
}

/* The cases of some groups, one group after the other. */
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

/* Add the cases without a latency of the groups FIRST to END of TALLY to F. */
static void count_others(const struct ana_tally *tally, guint first, guint end, struct base_figures *f)
{
	for (guint i = first; i < end; i++) {
		const struct ana_tally_group *g = g_ptr_array_index(tally->groups, i);

		f->unfinished += g->left_out ? 0 : g->unfinished;
		f->dropped += g->left_out ? 0 : g->dropped;
	}
}

/* Set F to the figures of the groups from FIRST to before END, and HISTOGRAM (unless NULL). */
static void figure(const struct ana_tally *tally, guint first, guint end, struct base_figures *f, bool linear,
	GArray **histogram)
{
	struct numbers all = { tally->groups, first, end, first };
	struct base_numbers numbers = { next_group, &all };

	count_others(tally, first, end, f);
	base_figures_find(&numbers, f, linear ? NULL : histogram, linear ? histogram : NULL);
}

/* Sort the latencies of G, and return their sketch. */
static struct base_sketch sketch_of(const struct ana_tally_group *g)
{
	struct base_sketch sketch = { 0 };

	ana_tally_sort((int64_t *)(void *)g->cases->data, g->cases->len);
	base_sketch_add_sorted(&sketch, (const int64_t *)(const void *)g->cases->data, g->cases->len);
	return sketch;
}

static void add_group(GArray *groups, const struct ana_tally *tally, guint i)
{
	struct ana_tally_group *g = g_ptr_array_index(tally->groups, i);
	struct ana_latency_group group = { .id = g->id, .name = g->name };

	if (g->left_out)
		return;
	g->name = NULL;
	if (tally->options->sketches) {
		count_others(tally, i, i + 1, &group.figures);
		group.sketch = sketch_of(g);
	} else {
		figure(tally, i, i + 1, &group.figures, false, NULL);
	}
	if (tally->options->values) {
		ana_tally_sort((int64_t *)(void *)g->cases->data, g->cases->len);
		group.values = g_array_ref(g->cases);
	}
	g_array_append_val(groups, group);
}

static GArray *no_groups(void)
{
	GArray *groups = g_array_new(FALSE, FALSE, sizeof(struct ana_latency_group));

	g_array_set_clear_func(groups, ana_latency_group_clear);
	return groups;
}

/* The groups of TALLY; NULL: none. */
static GArray *groups_of(const struct ana_tally *tally)
{
	GArray *groups = no_groups();

	for (guint i = 0; tally && tally->options->by != ANA_LATENCY_BY_NOTHING && i < tally->groups->len;
		i++)
		add_group(groups, tally, i);
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
	ana_tally_sort((int64_t *)(void *)all->data, all->len);
	return all;
}

static void set_strays(struct ana_latency *l, const uint64_t *fates)
{
	l->strays = (struct ana_latency_strays){ .repeated = fates[MDL_SPAN_REPEATED],
		.timed_out = fates[MDL_SPAN_TIMED_OUT],
		.given_up = fates[MDL_SPAN_GIVEN_UP],
		.unmatched = fates[MDL_SPAN_UNMATCHED] };
}

/* Take the stored figures of all cases. */
static void measure_take(struct ana_latency *l, const struct ana_latency_asked *m)
{
	struct idx_spans_figures kept;

	qry_spans_figures(&m->spans, m->filter.hide_tracer, &kept);
	l->all = kept.figures;
	l->histogram = g_array_ref(m->options->linear ? kept.linear : kept.powers);
	set_strays(l, kept.fates);
	idx_spans_figures_clear(&kept);
}

/* ---- results so far ---- */

#define EACH (80 * G_TIME_SPAN_MILLISECOND) /* least time between two reports, */
#define COST 10                             /* and at least this many times the cost of one, in time */
#define LOOK 512                            /* cases between two looks at the clock */

/* An answer to M, without figures. */
static struct ana_latency *measure_begin(const struct ana_latency_asked *m)
{
	struct ana_latency *l = g_new0(struct ana_latency, 1);

	l->kind = m->kind->name;
	l->rules = m->options->rules;
	l->of_device = m->kind->of_device;
	l->share = 1;
	return l;
}

static void measure_tell(struct ana_latency_asked *m)
{
	gint64 now = g_get_monotonic_time();
	struct ana_latency *l;

	if (!m->options->so_far)
		return;
	l = measure_begin(m);
	l->stage = m->stage;
	l->share = m->filter.progress ? base_progress_view(m->filter.progress).share : 0;
	if (m->worst)
		measure_take(l, m);
	else
		figure(m->tally, 0, m->tally->groups->len, &l->all, false, &l->histogram);
	l->parts = ana_parts_copy(m->tally->parts, l->histogram);
	l->groups = no_groups();
	l->classes = no_groups();
	l->worst = m->worst ? g_array_ref(m->worst)
			    : g_array_new(FALSE, FALSE, sizeof(struct ana_latency_case));
	m->options->so_far(m->options->data, l);
	m->next_time = now + MAX(EACH, COST * (g_get_monotonic_time() - now));
}

static void on_span(void *data, const struct idx_spans_found *found)
{
	struct ana_latency_asked *m = data;
	struct ana_latency_case c = case_of(m, found);

	ana_tally_add(m->tally, &c, found->span.fate);
	if (!m->options->so_far || ++m->unseen < LOOK)
		return;
	m->unseen = 0;
	if (g_get_monotonic_time() >= m->next_time)
		measure_tell(m);
}

/* Count all figures, case by case. */
static void measure_count(struct ana_latency *l, struct ana_latency_asked *m)
{
	m->tally = ana_tally_new(m->q, m->kind, m->options);
	m->stage = ANA_LATENCY_COUNTED;
	if (m->filter.progress)
		base_progress_set(m->filter.progress, 0, 0);
	if (m->worst)
		measure_tell(m);
	qry_spans_each(m->q, &m->spans, &m->filter, on_span, m);
	set_strays(l, m->tally->fates);
	if (m->options->sketches) {
		count_others(m->tally, 0, m->tally->groups->len, &l->all);
		l->histogram = g_array_new(FALSE, FALSE, sizeof(struct base_bucket));
		if (m->options->by == ANA_LATENCY_BY_NOTHING && m->tally->groups->len > 0)
			l->sketch = sketch_of(g_ptr_array_index(m->tally->groups, 0));
		return;
	}
	figure(m->tally, 0, m->tally->groups->len, &l->all, m->options->linear, &l->histogram);
	if (m->options->values)
		l->values = values_of(m->tally);
	if (m->tally->parts)
		l->parts = ana_parts_copy(m->tally->parts, l->histogram);
}

/* ---- classes ---- */

/* True if threads are counted by scheduling class, too. */
static bool wants_classes(const struct ana_latency_asked *m)
{
	return m->options->classes && m->options->by != ANA_LATENCY_BY_CLASS && !m->kind->of_lines &&
		!m->kind->of_device;
}

static void begin_classes(struct ana_latency_asked *m)
{
	m->by_class = (struct ana_latency_options){ .kind = m->options->kind,
		.rules = m->options->rules,
		.by = ANA_LATENCY_BY_CLASS };
	m->classes = ana_tally_new(m->q, m->kind, &m->by_class);
}

static void on_class(void *data, const struct idx_spans_found *found)
{
	struct ana_latency_asked *m = data;
	struct ana_latency_case c = case_of(m, found);

	ana_tally_add(m->classes, &c, found->span.fate);
}

/* The stored figures of classes of all cases.  NULL: they are not stored, or M does not ask for all cases. */
static GArray *kept_classes(const struct ana_latency_asked *m)
{
	g_autoptr(GArray) classes = no_groups();

	if (!qry_spans_is_all(&m->spans, &m->filter))
		return NULL;
	for (unsigned i = MDL_SPAN_CLASS_UNKNOWN; i < MDL_SPAN_CLASSES; i++) {
		int least = ana_tally_class(i);
		struct idx_spans_figures kept;
		struct ana_latency_group group = { .id = (uint64_t)least };
		bool fine = qry_spans_class(&m->spans, i, m->filter.hide_tracer, &kept);

		group.figures = kept.figures;
		idx_spans_figures_clear(&kept);
		if (!fine)
			return NULL;
		if (group.figures.count + group.figures.unfinished + group.figures.dropped == 0)
			continue;
		group.name = g_strdup(ana_tally_class_name(least));
		g_array_append_val(classes, group);
	}
	g_array_sort(classes, most_first);
	return g_steal_pointer(&classes);
}

/* The figures of classes, counted while the cases were found, or now. */
static GArray *count_classes(struct ana_latency_asked *m)
{
	GArray *classes;

	if (!m->classes) {
		begin_classes(m);
		qry_spans_each(m->q, &m->spans, &m->filter, on_class, m);
	}
	classes = groups_of(m->classes);
	g_clear_pointer(&m->classes, ana_tally_free);
	return classes;
}

/* The figures of classes, if there are several classes. */
static GArray *find_classes(struct ana_latency_asked *m)
{
	unsigned several = 0;
	GArray *classes;

	if (!wants_classes(m))
		return no_groups();
	classes = kept_classes(m) ?: count_classes(m);
	for (guint i = 0; i < classes->len; i++)
		several += g_array_index(classes, struct ana_latency_group, i).figures.count > 0;
	if (several < 2)
		g_array_set_size(classes, 0);
	return classes;
}

/* ---- open cases ---- */

/* Collects the cases that are open, until END. */
struct open {
	const struct ana_latency_asked *m;
	GArray *all;
	int64_t end;
};

static void on_open(void *data, const struct idx_spans_found *found)
{
	const struct open *o = data;
	struct ana_latency_case c = case_of(o->m, found);

	if (found->span.fate != MDL_SPAN_OPEN)
		return;
	c.latency = MAX(o->end - c.start, 0);
	if ((o->m->options->columns || c.latency >= o->m->least) &&
		(!o->m->options->only || ana_tally_wants(o->m->tally, &c)))
		g_array_append_val(o->all, c);
}

static int first_first(const void *a, const void *b)
{
	const struct ana_latency_case *x = a, *y = b;

	return BASE_BY(x, y, start) ?: BASE_BY(x, y, row) ?: BASE_BY(x, y, number);
}

static GArray *find_open(const struct ana_latency_asked *m)
{
	struct open o = { .m = m, .all = g_array_new(FALSE, FALSE, sizeof(struct ana_latency_case)) };
	int64_t from;

	qry_span(m->q, &from, &o.end);
	qry_spans_each(m->q, &m->spans, &m->filter, on_open, &o);
	g_array_sort(o.all, first_first);
	g_array_set_size(o.all, MIN(o.all->len, m->options->top));
	return o.all;
}

/* ---- the whole ---- */

struct ana_latency *ana_latency_measure(struct ana_latency_asked *m)
{
	const struct ana_latency_options *o = m->options;
	struct ana_latency *l = measure_begin(m);
	bool all = qry_spans_is_all(&m->spans, &m->filter);

	l->by = o->by;
	if (all && o->columns && !o->only) {
		/* The index has the worst cases of the whole trace, as for parts: no counting is needed. */
		struct ana_latency first = { .worst = g_array_new(FALSE, FALSE,
						     sizeof(struct ana_latency_case)) };
		struct ana_latency_asked any = *m;

		any.least = 0;
		take_page(&first, &any, NULL, MIN(o->top, ANA_LATENCY_PAGE - 1));
		m->worst = first.worst;
	}
	if (all && l->by == ANA_LATENCY_BY_NOTHING && !o->values && !o->sketches && !o->columns)
		measure_take(l, m);
	else
		measure_count(l, m);
	m->crowded = m->tally && m->tally->crowded;
	l->groups = groups_of(m->crowded ? NULL : m->tally);
	l->classes = find_classes(m);
	find_worst(l, m);
	if (o->open)
		l->open = find_open(m);
	if (m->tally)
		ana_tally_free(m->tally);
	if (m->worst)
		g_array_unref(m->worst);
	return l;
}

/* ---- finding ---- */

/* True if results so far of M are reported while its cases are found. */
static bool is_told(const struct ana_latency_asked *m)
{
	const struct ana_latency_options *o = m->options;

	return o->so_far && o->by == ANA_LATENCY_BY_NOTHING && !o->only;
}

static void forget_found(struct ana_latency_asked *m)
{
	g_clear_pointer(&m->tally, ana_tally_free);
	g_clear_pointer(&m->classes, ana_tally_free);
}

/* True if cases are counted by class as they are found.  Those with texts, of rules and programs, are kept by
 * class. */
static bool counts_classes(const struct ana_latency_asked *m)
{
	return wants_classes(m) && !m->kind->has_texts;
}

/* SPAN of HOST was found; NULL: the search starts again. */
static void on_found(void *data, uint32_t host, const struct mdl_span *span)
{
	struct ana_latency_asked *m = data;
	struct idx_spans_found found = { .host = host };

	if (!span) {
		forget_found(m);
		if (is_told(m))
			m->tally = ana_tally_new(m->q, m->kind, m->options);
		if (counts_classes(m))
			begin_classes(m);
	} else if (qry_spans_wants(m->q, &m->filter, span)) {
		found.span = *span;
		if (m->tally)
			on_span(m, &found);
		if (m->classes)
			on_class(m, &found);
	}
}

bool ana_latency_find(struct ana_latency_asked *m,
	bool (*open)(struct ana_latency_asked *m, const void *data, GError **error), const void *data,
	GError **error)
{
	const struct qry_watch watch = { on_found, m };
	bool found;

	m->stage = ANA_LATENCY_FOUND;
	if (is_told(m) || counts_classes(m))
		qry_set_watch(m->q, &watch);
	found = open(m, data, error) && !ana_cases_stopped(m->filter.progress, error);
	qry_set_watch(m->q, NULL);
	g_clear_pointer(&m->tally, ana_tally_free);
	if (!found)
		forget_found(m);
	return found;
}
