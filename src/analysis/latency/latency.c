/* SPDX-License-Identifier: MIT */
/* The registry of kinds, the checks of a question about one, and the cases. */
#include "analysis/latency/latency.h"

#include "analysis/account/account.h"
#include "analysis/kind/advice.h"
#include "analysis/latency/kind.h"
#include "analysis/latency/measure.h"
#include "analysis/latency/program.h"
#include "base/base_error.h"
#include "base/base_time.h"

#include <string.h>

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

/* ---- what can be asked ---- */

static const struct ana_latency_kind *find_kind(const char *name, GError **error)
{
	g_autofree char *known = NULL;

	for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
		if (g_str_equal(kinds[i]->name, name))
			return kinds[i];
	}
	known = g_strjoinv(", ", (char **)ana_latency_kinds());
	return base_error_null(error, BASE_ERROR_USAGE, "unknown kind of latency \"%s\": use one of %s", name,
		known);
}

static bool check_row(const struct qry *q, const struct ana_latency_kind *kind, uint32_t row, GError **error)
{
	g_autofree char *label = NULL;

	if (row != MDL_NONE && kind->of_lines)
		return base_error_false(error, BASE_ERROR_USAGE,
			"%s latencies belong to no thread: measure all of them", kind->name);
	if (row == MDL_NONE || qry_row(q, row)->type == MDL_ROW_THREAD)
		return true;
	label = qry_row_label(q, row);
	return base_error_false(error, BASE_ERROR_NO_ANSWER,
		"%s is not a thread: only threads have latencies", label);
}

static bool is_recorded(const struct qry *q, const struct ana_latency_need *need, uint32_t host)
{
	return need->any ? qry_host(q, host)->meta->recorded & need->any
			 : !ana_advice_is_missing(q, host, need->event);
}

static bool has_switches(const struct qry *q, uint32_t host)
{
	return !ana_advice_switches(q, host);
}

/* True if HOST recorded enough to show the threads that KIND needs (enum ana_latency_from). */
static bool knows_threads(const struct qry *q, const struct ana_latency_kind *kind, uint32_t host)
{
	return kind->from == ANA_LATENCY_FROM_EVENTS ||
		(kind->from == ANA_LATENCY_FROM_THREADS && qry_host(q, host)->tells_contexts) ||
		has_switches(q, host);
}

/* The first event that KIND needs and HOST did not record; NULL: all were recorded. */
static const struct ana_latency_need *missing_event(const struct qry *q, const struct ana_latency_kind *kind,
	uint32_t host)
{
	static const struct ana_latency_need switches = { .event = "sched_switch" };

	if (!knows_threads(q, kind, host))
		return &switches;
	for (size_t i = 0; i < G_N_ELEMENTS(kind->needs) && kind->needs[i].event; i++)
		if (!is_recorded(q, &kind->needs[i], host))
			return &kind->needs[i];
	return NULL;
}

/* True if any host (or that of ROW) recorded the events that KIND needs. */
static bool check_events(const struct qry *q, const struct ana_latency_kind *kind, uint32_t row,
	GError **error)
{
	uint32_t first = row == MDL_NONE ? 0 : qry_row(q, row)->host,
		 end = row == MDL_NONE ? qry_host_count(q) : first + 1;
	const struct ana_latency_need *missing;

	for (uint32_t host = first; host < end; host++)
		if (!missing_event(q, kind, host))
			return true;
	missing = missing_event(q, kind, first);
	if (!knows_threads(q, kind, first))
		return base_error_false(error, BASE_ERROR_NO_ANSWER,
			"%s: no sched_switch was recorded, so it is unknown when threads ran or waited; record it with: %s",
			qry_host(q, first)->name, ana_advice_switches(q, first));
	return base_error_false(error, BASE_ERROR_NO_ANSWER,
		"%s: no %s was recorded, so %s latencies are unknown; record it with: %s",
		qry_host(q, first)->name, missing->told ? missing->told : missing->event, kind->name,
		ana_advice_command(q, first, missing->event));
}

static bool has_by(const struct ana_latency_kind *kind, enum ana_latency_by by)
{
	switch (by) {
	case ANA_LATENCY_BY_KEY: return kind->key;
	case ANA_LATENCY_BY_CALL: return kind->call;
	case ANA_LATENCY_BY_DEVICE: return kind->device;
	case ANA_LATENCY_BY_DISK: return kind->disk;
	default: return true;
	}
}

#define CALLS "syscall_entry_*"

/* True if some host recorded system calls. */
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
	if (!has_by(kind, by))
		return base_error_false(error, BASE_ERROR_USAGE,
			"%s latencies have no %s: choose another grouping", kind->name,
			ana_latency_by_name(by));
	if (by != ANA_LATENCY_BY_CALL || has_calls(q))
		return true;
	return base_error_false(error, BASE_ERROR_NO_ANSWER,
		"no " CALLS " was recorded, so system calls are unknown; record it with: %s",
		ana_advice_command(q, 0, CALLS));
}

/* ---- all cases of a kind: found by thread, so that cases of one thread are together, or by host ---- */

static bool find_all(void *data, struct qry_kept *kept, struct base_progress *progress, GError **error)
{
	const struct ana_latency_kind *kind = data;

	if (kind->walk)
		return qry_cases_find(kept, kind->walk, progress, error);
	for (uint32_t host = 0; host < qry_host_count(kept->q); host++)
		if (!kind->collect_host(kept, host, progress, error) || ana_cases_stopped(progress, error))
			return false;
	return true;
}

/* Open all cases of KIND; finds them first if they are not stored. */
static bool open_kind(struct qry *q, const struct ana_latency_kind *kind, struct qry_spans *spans,
	struct base_progress *progress, GError **error)
{
	struct qry_kept kept = { .name = kind->name, .key = "", .outline = kind->walk, .holds = kind->holds };
	bool fine;

	if (!kind->walk && !kind->collect_host)
		return qry_spans_open(q, kind->span, spans, progress, error);
	fine = qry_kept_open(q, &kept, 1, find_all, (void *)(uintptr_t)kind, progress, error);
	*spans = (struct qry_spans){ kept.file, 0, kind->walk };
	return fine;
}

/* ---- the whole ---- */

/* A kind found by name; MADE holds the kind of a rule or phase. */
struct named {
	const struct ana_latency_kind *kind; /* NULL: there is none */
	const struct ana_rule *rule;         /* NULL: not a rule */
	bool is_program;                     /* the kind is about phases of programs */
	const char *phase;                   /* name of these phases, in the name of the kind; NULL: all */
	struct ana_latency_kind made;
};

static struct named *latency_find(struct named *n, const struct ana_rules *rules, const char *name,
	GError **error)
{
	n->rule = rules ? ana_rules_find(rules, name, error) : NULL;
	n->phase = !rules && g_str_has_prefix(name, ANA_PROGRAM_PREFIX) ? name + strlen(ANA_PROGRAM_PREFIX)
									: NULL;
	n->is_program = n->phase || (!rules && g_strcmp0(name, ANA_PROGRAM_ALL) == 0);
	if (n->rule)
		n->made = ana_rules_kind(n->rule);
	else if (n->is_program)
		n->made = ana_program_kind(name);
	n->kind = n->rule || n->is_program ? &n->made : !rules ? find_kind(name, error) : NULL;
	return n;
}

/* Like latency_find(), for a NAME that is known to exist. */
static const struct ana_latency_kind *find_known(struct named *n, const struct ana_rules *rules,
	const char *name)
{
	const struct ana_latency_kind *kind = latency_find(n, rules, name, NULL)->kind;

	g_assert(kind);
	return kind;
}

bool ana_latency_has_by(const struct qry *q, const struct ana_rules *rules, const char *kind,
	enum ana_latency_by by)
{
	struct named n;

	return has_by(find_known(&n, rules, kind), by) && (by != ANA_LATENCY_BY_CALL || has_calls(q));
}

/* The kind of C. Sets the text of C if the kind is a rule or phase. */
static const struct ana_latency_kind *look_up(struct qry *q, const struct ana_rules *rules, const char *kind,
	struct named *n, struct ana_latency_case *c)
{
	const struct ana_latency_kind *known = find_known(n, rules, kind);
	struct qry_spans spans;

	if ((n->rule && ana_rules_open(q, rules, n->rule, &spans, NULL, NULL)) ||
		(n->is_program && ana_program_open(q, n->phase, &spans, NULL, NULL)))
		c->text = qry_spans_text(&spans, c->number);
	return known;
}

void ana_latency_name(struct qry *q, const struct ana_rules *rules, const char *kind,
	struct ana_latency_case *c)
{
	struct named n;
	const struct ana_latency_kind *known = look_up(q, rules, kind, &n, c);

	if (known->key)
		c->key = known->key(q, c);
}

/*
 * True if the events of HOST explain the time of a case of KIND: without switches nothing shows which threads
 * ran meanwhile.
 */
static bool has_cause(const struct qry *q, const struct ana_latency_kind *kind, uint32_t host)
{
	return kind->account == ANA_ACCOUNT_HANDLER || kind->account == ANA_ACCOUNT_REQUEST ||
		kind->account == ANA_ACCOUNT_PACKET || has_switches(q, host);
}

/* The owner and the interval of the account of C. */
static struct ana_account_of account_of(const struct qry *q, const struct ana_latency_kind *kind,
	const struct ana_latency_case *c)
{
	struct ana_account_of of = { kind->account, c->host, c->row, c->cpu, 0, c->start, c->end };

	if (!has_cause(q, kind, c->host))
		of.what = ANA_ACCOUNT_NONE;
	else if (of.what == ANA_ACCOUNT_REQUEST)
		of.device = (uint32_t)(c->number >> 8);
	else if (of.what == ANA_ACCOUNT_PACKET)
		of.device = (uint32_t)(c->number >> 32);
	else if (of.what == ANA_ACCOUNT_THREAD &&
		(c->row == MDL_NONE || qry_row(q, c->row)->type != MDL_ROW_THREAD))
		of.what = ANA_ACCOUNT_NONE;
	return of;
}

void ana_latency_explain(struct qry *q, const struct ana_rules *rules, const char *kind,
	struct ana_latency_case *c)
{
	struct named n;
	const struct ana_latency_kind *known = look_up(q, rules, kind, &n, c);
	struct ana_account_of of = account_of(q, known, c);

	if (!has_cause(q, known, c->host))
		c->cause = NULL;
	else if (known->explain)
		known->explain(q, c);
	else
		c->cause = ana_account_text(q, &of);
	if (known->key)
		c->key = known->key(q, c);
}

struct ana_account_of ana_latency_account_of(const struct qry *q, const struct ana_rules *rules,
	const char *kind, const struct ana_latency_case *c)
{
	struct named n;

	return account_of(q, find_known(&n, rules, kind), c);
}

static bool open_cases(struct qry *q, const struct ana_rules *rules, const struct named *n,
	struct qry_spans *spans, struct base_progress *progress, GError **error)
{
	if (n->is_program)
		return ana_program_open(q, n->phase, spans, progress, error);
	if (!n->rule)
		return open_kind(q, n->kind, spans, progress, error);
	if (!ana_rules_open(q, rules, n->rule, spans, progress, error))
		return false;
	if (!*qry_spans_note(spans))
		return true;
	return base_error_false(error, BASE_ERROR_NO_ANSWER, "%s", qry_spans_note(spans));
}

bool ana_latency_open(struct qry *q, const struct ana_rules *rules, const char *kind, struct qry_spans *spans,
	struct base_progress *progress, GError **error)
{
	struct named n;

	return latency_find(&n, rules, kind, error)->kind && check_events(q, n.kind, MDL_NONE, error) &&
		open_cases(q, rules, &n, spans, progress, error);
}

bool ana_latency_make(struct qry *q, const char *kind, struct base_progress *progress, GError **error)
{
	struct qry_spans spans;

	return ana_latency_open(q, NULL, kind, &spans, progress, error);
}

bool ana_latency_is_ready(struct qry *q, const struct ana_rules *rules, const char *kind, GError **error)
{
	struct named n;
	bool ready = true;

	if (!latency_find(&n, rules, kind, error)->kind)
		return false;
	if (n.rule)
		ready = ana_rules_at_hand(q, rules, n.rule);
	else if (!n.kind->walk && !n.kind->collect_host)
		for (uint32_t host = 0; ready && host < qry_host_count(q); host++)
			ready = qry_spans_at_hand(q, host) || missing_event(q, n.kind, host);
	if (ready)
		return true;
	return base_error_false(error, BASE_ERROR_NO_ANSWER, "not measured yet: choose it to read the trace");
}

static bool open_asked(struct ana_latency_asked *m, const void *data, GError **error)
{
	return open_cases(m->q, m->options->rules, data, &m->spans, m->filter.progress, error);
}

struct ana_latency *ana_latency_new(struct qry *q, const struct ana_latency_options *o,
	struct base_progress *progress, GError **error)
{
	struct ana_latency_asked m = { .q = q,
		.options = o,
		.least = o->threshold,
		.filter = { .from = o->from == BASE_TIME_NONE ? INT64_MIN : o->from,
			.to = o->to == BASE_TIME_NONE ? INT64_MAX : o->to,
			.row = o->row,
			.hide_tracer = o->hide_tracer,
			.progress = progress } };
	struct ana_latency *l;
	struct named n;

	m.kind = latency_find(&n, o->rules, o->kind, error)->kind;
	m.has_texts = m.kind && m.kind->has_texts;
	if (n.rule && m.least == 0)
		m.least = n.rule->threshold;
	if (!m.kind || !check_row(q, m.kind, o->row, error) || !check_by(q, m.kind, o->by, error) ||
		!check_events(q, m.kind, o->row, error) || !ana_latency_find(&m, open_asked, &n, error))
		return NULL;
	l = ana_latency_measure(&m);
	if (m.crowded)
		g_set_error(error, BASE_ERROR, BASE_ERROR_REFUSED,
			"more than " G_STRINGIFY(
				ANA_TALLY_TEXTS) " groups by %s: choose other groups, or a window",
			ana_latency_by_name(o->by));
	if (m.crowded || ana_cases_stopped(progress, error))
		g_clear_pointer(&l, ana_latency_free);
	return l;
}

void ana_latency_free(struct ana_latency *latency)
{
	if (!latency)
		return;
	base_sketch_clear(&latency->sketch);
	g_array_unref(latency->histogram);
	g_array_unref(latency->groups);
	g_array_unref(latency->classes);
	g_array_unref(latency->worst);
	g_free(latency->rest);
	if (latency->open)
		g_array_unref(latency->open);
	if (latency->parts)
		g_array_unref(latency->parts);
	if (latency->values)
		g_array_unref(latency->values);
	g_free(latency);
}

/* ---- cases over a limit ---- */

/*
 * The index stores cases in leaves, and with each leaf when its cases begin, the longest time and the rows.
 * So only leaves are read that can reach into the window and have a case that is long enough.
 */

struct over {
	const struct ana_latency_over_options *options;
	int64_t *begins;   /* the begin of each column */
	GHashTable *lines; /* row → its number + 1 */
	uint8_t *cells;
};

/* The column of TIME, which is in the window. */
static uint32_t over_column_of(const struct over *o, int64_t time)
{
	uint32_t low = 0, high = o->options->columns;

	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (o->begins[middle] <= time)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static void over_mark(void *data, const struct idx_spans_found *found)
{
	struct over *o = data;
	const struct ana_latency_over_options *w = o->options;
	const struct mdl_span *c = &found->span;
	int64_t end = MAX(c->end, c->start + 1);
	guint line;
	uint8_t *cells;

	if (c->fate != MDL_SPAN_DONE || c->end - c->start < w->limit || c->start >= w->to || end <= w->from)
		return;
	line = GPOINTER_TO_UINT(g_hash_table_lookup(o->lines, GUINT_TO_POINTER(c->row)));
	if (line == 0)
		return;
	cells = o->cells + (gsize)(line - 1) * w->columns;
	for (uint32_t i = over_column_of(o, MAX(c->start, w->from)),
		      last = over_column_of(o, MIN(end, w->to) - 1);
		i <= last; i++)
		cells[i] |= ANA_LATENCY_OVER_THERE;
	if (c->start >= w->from)
		cells[over_column_of(o, c->start)] |= ANA_LATENCY_OVER_BEGINS;
}

uint8_t *ana_latency_over(struct qry *q, const struct ana_latency_over_options *w,
	struct base_progress *progress, GError **error)
{
	struct qry_spans_meeting meeting = { w->from, w->to, w->limit, MDL_NONE, 0 };
	struct over o = { .options = w };
	struct qry_spans spans;

	if (!ana_latency_open(q, w->rules, w->kind, &spans, progress, error))
		return NULL;
	o.begins = g_new(int64_t, w->columns);
	for (uint32_t i = 0; i < w->columns; i++)
		o.begins[i] = base_time_column(w->from, w->to, w->columns, i);
	o.cells = g_malloc0((gsize)w->n * w->columns + 1);
	o.lines = g_hash_table_new(NULL, NULL);
	for (uint32_t i = 0; i < w->n; i++) {
		g_hash_table_insert(o.lines, GUINT_TO_POINTER(w->rows[i]), GUINT_TO_POINTER(i + 1));
		meeting.first_row = MIN(meeting.first_row, w->rows[i]);
		meeting.last_row = MAX(meeting.last_row, w->rows[i]);
	}
	qry_spans_meet(q, &spans, &meeting, over_mark, &o);
	g_hash_table_unref(o.lines);
	g_free(o.begins);
	return o.cells;
}
