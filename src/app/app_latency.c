/* SPDX-License-Identifier: MIT */
/* Latencies, and comparing them with those of another recording or time. */
#include "app/app_args.h"
#include "app/app_session.h"

#include "analysis/latency/program.h"
#include "analysis/latency/kind.h"
#include "base/base_error.h"
#include "base/base_near.h"
#include "base/base_time.h"

/* ---- --against ---- */

/* The other recording or time, as a session of its own. */
struct other {
	struct app_args args;
	struct app_session session;
};

static bool open_other(struct app_session *s, struct other *o, GError **error)
{
	o->args = *s->args;
	o->args.traces = o->args.against ? o->args.against : o->args.traces;
	o->args.from = o->args.against_from;
	o->args.to = o->args.against_to;
	o->session = *s;
	o->session.args = &o->args;
	o->session.q = app_session_open(&o->session, error);
	return o->session.q;
}

static struct ana_against *against_compare(struct app_session *s, struct other *o, const char *kind,
	app_against_measure *measure, GError **error)
{
	int64_t length, length_before;
	struct ana_latency *now = measure(s, kind, &length, error);
	struct ana_latency *before = now ? measure(&o->session, kind, &length_before, error) : NULL;

	if (before)
		return ana_against_new(before, length_before, now, length);
	ana_latency_free(now);
	return NULL;
}

bool app_against_one(struct app_session *s, const char *kind, app_against_measure *measure, GString *out,
	GError **error)
{
	struct ana_against *against;
	struct other o;
	bool ok = false;

	if (!open_other(s, &o, error))
		return false;
	against = against_compare(s, &o, kind, measure, error);
	if (against)
		ok = app_session_write(s, against, out, error);
	ana_against_free(against);
	qry_free(o.session.q);
	return ok;
}

/* ---- one kind, or rules ---- */

/* True if KIND is a kind of latency.  False with an error. */
static bool check_kind(const char *kind, GError **error)
{
	g_autofree char *kinds = NULL, *text = NULL;
	struct base_near near;

	if (g_strv_contains(ana_latency_kinds(), kind) || g_str_equal(kind, ANA_PROGRAM_ALL) ||
		g_str_has_prefix(kind, ANA_PROGRAM_PREFIX))
		return true;
	base_near_init(&near, kind, false);
	base_near_offer_all(&near, ana_latency_kinds());
	text = base_near_text(&near);
	kinds = g_strjoinv(", ", (char **)ana_latency_kinds());
	return base_error_false(error, BASE_ERROR_USAGE,
		"there is no such kind of latency: \"%s\"%s; type --kind and one of: %s", kind, text, kinds);
}

/* Set *ONLY to the rule of --rules that --kind names; NULL without --kind.  False with an error. */
static bool find_rule(const struct app_args *args, const struct ana_rule **only, GError **error)
{
	*only = args->kind ? ana_rules_find(args->measured, args->kind, error) : NULL;
	return *only || !args->kind;
}

/* Set *THRESHOLD (ns) from --threshold; 0 if it was not typed.  False with an error. */
static bool read_threshold(const struct app_args *args, int64_t *threshold, GError **error)
{
	*threshold = 0;
	return !args->threshold || base_time_parse_duration(args->threshold, threshold, error);
}

/* Set *ROW to the row of --thread.  It does not check for switches: each kind of latency does that. */
static bool find_row(const struct app_session *s, uint32_t *row, GError **error)
{
	if (!s->args->thread)
		return true;
	return s->args->rules ? app_session_thread(s, row, error)
			      : qry_find_thread(s->q, s->args->thread, row, error);
}

static bool read_options(const struct app_session *s, struct ana_latency_options *o, GError **error)
{
	*o = (struct ana_latency_options){ .kind = s->args->kind,
		.row = MDL_NONE,
		.linear = s->args->linear,
		.open = s->args->unfinished,
		.classes = !app_args_is_against(s->args),
		.hide_tracer = s->args->hide_tracer,
		.top = s->args->top ? (uint32_t)s->args->top : UINT32_MAX };
	return ana_latency_by_parse(s->args->by, &o->by, error) && find_row(s, &o->row, error) &&
		read_threshold(s->args, &o->threshold, error) &&
		app_session_instants(s, o->row, &o->from, &o->to, error);
}

/* An app_against_measure.  Without --kind and --by, each kind has groups by its key or, without one, by
 * name. */
static struct ana_latency *latency_measure(struct app_session *s, const char *kind, int64_t *length,
	GError **error)
{
	struct ana_latency_options options;
	int64_t from, to;

	if (!read_options(s, &options, error))
		return NULL;
	options.kind = kind;
	options.values = true;
	if (!s->args->kind && !s->args->by)
		options.by = ana_latency_has_by(s->q, NULL, kind, ANA_LATENCY_BY_KEY) ? ANA_LATENCY_BY_KEY
										      : ANA_LATENCY_BY_NAME;
	qry_span(s->q, &from, &to);
	*length = MIN(options.to, to) - MAX(options.from, from);
	return ana_latency_new(s->q, &options, s->progress, error);
}

/* --fail-over LIMIT: true if no case is longer than LIMIT.  A case that was not over within TIMEOUT (0: none)
 * counts as longer if TIMEOUT >= LIMIT.  Both in ns. */
static bool latency_is_within(const struct ana_latency *l, int64_t limit, int64_t timeout, GError **error)
{
	bool timed_out = l->strays.timed_out > 0 && timeout >= limit;
	g_autofree char *longest = NULL, *over = NULL;

	if (!timed_out && (!l->all.count || l->all.max <= limit))
		return true;
	over = base_time_format_duration(limit, true);
	longest = base_time_format_duration(timed_out ? timeout : l->all.max, true);
	return base_error_false(error, BASE_ERROR_NO_ANSWER, "%s latency is over %s: the longest takes %s%s",
		l->kind, over, timed_out ? "more than " : "", longest);
}

/* True if L passes --fail-over.  RULE: the rule of L; NULL: none.  False with an error. */
static bool passes(const struct app_session *s, const struct ana_latency *l, const struct ana_rule *rule,
	GError **error)
{
	g_autofree char *shown = NULL;
	int64_t limit = 0;

	if (!s->args->fail_over)
		return true;
	if (*s->args->fail_over)
		return base_time_parse_duration(s->args->fail_over, &limit, error) &&
			latency_is_within(l, limit, rule ? rule->timeout : 0, error);
	/* --fail-over without a value fails if no case reaches the threshold. */
	if (!read_threshold(s->args, &limit, error))
		return false;
	limit = limit == 0 && rule ? rule->threshold : limit;
	if (l->all.count && l->all.max >= limit)
		return true;
	shown = base_time_format_duration(limit, true);
	return base_error_false(error, BASE_ERROR_NO_ANSWER, "no %s latency reaches %s", l->kind, shown);
}

/* Measure RULE.  A rule without an answer adds a warning. */
static bool measure_rule(struct app_session *s, struct ana_latency_options *o, const struct ana_rule *rule,
	GPtrArray *latencies, GPtrArray *warnings, GError **error)
{
	struct ana_latency *l;
	GError *problem = NULL;

	o->kind = rule->name;
	l = ana_latency_new(s->q, o, s->progress, &problem);
	if (l) {
		g_ptr_array_add(latencies, l);
		return true;
	}
	if (!g_error_matches(problem, BASE_ERROR, BASE_ERROR_NO_ANSWER)) {
		g_propagate_error(error, problem);
		return false;
	}
	g_ptr_array_add(warnings, g_strdup(problem->message));
	g_error_free(problem);
	return true;
}

/* Measure all rules, or ONLY.  False with an error if none has an answer. */
static bool measure_rules(struct app_session *s, struct ana_latency_options *o, const struct ana_rule *only,
	GPtrArray *latencies, GPtrArray *warnings, GError **error)
{
	const GPtrArray *rules;
	struct qry_spans unused;

	g_assert(o->rules);
	rules = o->rules->rules;
	if (!ana_rules_open(s->q, o->rules, only, &unused, s->progress, error))
		return false;
	for (guint i = 0; i < rules->len; i++)
		if ((!only || only == g_ptr_array_index(rules, i)) &&
			!measure_rule(s, o, g_ptr_array_index(rules, i), latencies, warnings, error))
			return false;
	if (latencies->len > 0)
		return true;
	return base_error_false(error, BASE_ERROR_NO_ANSWER, "%s",
		(const char *)g_ptr_array_index(warnings, 0));
}

/* If several rules fail --fail-over, the error is that of the first one. */
static bool answer_rules(struct app_session *s, GString *out, GError **error)
{
	g_autoptr(GPtrArray) latencies = g_ptr_array_new_with_free_func((GDestroyNotify)ana_latency_free);
	g_autoptr(GPtrArray) warnings = g_ptr_array_new_with_free_func(g_free);
	struct ana_latency_options options;
	const struct ana_rule *only;
	struct app_progress *shown;
	bool ok = read_options(s, &options, error) && find_rule(s->args, &only, error);

	if (ok) {
		options.rules = s->args->measured;
		shown = app_progress_new(s->progress, s->args->quiet);
		ok = measure_rules(s, &options, only, latencies, warnings, error);
		app_progress_free(shown);
	}
	if (ok) {
		app_session_warn(s->q);
		app_session_warn_all(warnings);
		s->options.histogram |= options.linear;
		ok = only ? app_session_write(s, g_ptr_array_index(latencies, 0), out, error)
			  : exp_rules(out, s->q, latencies, &s->options, error);
	}
	for (guint i = 0; ok && i < latencies->len; i++) {
		const struct ana_latency *l = g_ptr_array_index(latencies, i);

		ok = passes(s, l, ana_rules_find(s->args->measured, l->kind, NULL), error);
	}
	return ok;
}

/* Compare all kinds in one table.  A kind is left out if one side has no answer, or both have no case. */
static bool against_all(struct app_session *s, GString *out, GError **error)
{
	g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func((GDestroyNotify)ana_against_free);
	struct other o;
	bool ok = open_other(s, &o, error);

	for (const char *const *kind = ana_latency_kinds(); ok && *kind; kind++) {
		GError *failed = NULL;
		struct ana_against *against = against_compare(s, &o, *kind, latency_measure, &failed);

		if (against && against->now->all.count + against->before->all.count > 0)
			g_ptr_array_add(all, g_steal_pointer(&against));
		ana_against_free(against);
		ok = !failed || g_error_matches(failed, BASE_ERROR, BASE_ERROR_NO_ANSWER);
		if (ok)
			g_clear_error(&failed);
		else
			g_propagate_error(error, failed);
	}
	if (ok) {
		ana_against_rank(all);
		ok = app_session_write(s, all, out, error);
	}
	qry_free(o.session.q);
	return ok;
}

static bool answer_against(struct app_session *s, GString *out, GError **error)
{
	struct app_progress *shown = app_progress_new(s->progress, s->args->quiet);
	bool ok;

	app_session_warn(s->q);
	ok = s->args->kind ? app_against_one(s, s->args->kind, latency_measure, out, error)
			   : against_all(s, out, error);
	app_progress_free(shown);
	return ok;
}

static bool latency_answer(struct app_session *s, GString *out, GError **error)
{
	struct ana_latency_options options;
	struct app_progress *shown;
	struct ana_latency *l;
	bool ok;

	if (!read_options(s, &options, error))
		return false;
	shown = app_progress_new(s->progress, s->args->quiet);
	l = ana_latency_new(s->q, &options, s->progress, error);
	app_progress_free(shown);
	if (!l)
		return false;
	app_session_warn(s->q);
	s->options.histogram |= options.linear;
	ok = app_session_write(s, l, out, error) && passes(s, l, NULL, error);
	ana_latency_free(l);
	return ok;
}

/* True if --kind, if typed, names one of --rules, and the other options go with --rules. */
static bool check_rules(const struct app_args *args, GError **error)
{
	bool table = args->as.format != TABLE_TEXT && args->as.format != TABLE_JSON;
	const struct ana_rule *only;
	const char *wrong = NULL;

	if (!find_rule(args, &only, error))
		return false;
	if (app_args_is_against(args))
		wrong = "--against compares latencies of a --kind, not those of --rules: leave one of them out";
	else if (!only && table && args->measured->rules->len > 1)
		wrong = "this format holds one table: name one of the rules with --kind";
	if (wrong)
		g_set_error_literal(error, BASE_ERROR, BASE_ERROR_USAGE, wrong);
	return !wrong;
}

/* True if the typed options go with --against. */
static bool check_against(const struct app_args *args, GError **error)
{
	if (args->fail_over)
		return base_error_false(error, BASE_ERROR_USAGE,
			"--fail-over is not for --against: leave one of them out");
	return !args->kind || check_kind(args->kind, error);
}

static bool latency_run(const struct app_args *typed, GError **error)
{
	struct app_args own = *typed, *args = &own;
	app_session_answer *const give = args->rules ? answer_rules
		: app_args_is_against(args)          ? answer_against
						     : latency_answer;
	enum ana_latency_by by;
	int64_t unused;

	if (!own.kind && !own.rules && !app_args_is_against(&own))
		own.kind = (char *)(uintptr_t) "wakeup";
	return (args->rules                                ? check_rules(args, error)
			       : app_args_is_against(args) ? check_against(args, error)
							   : check_kind(args->kind, error)) &&
		ana_latency_by_parse(args->by, &by, error) && read_threshold(args, &unused, error) &&
		(!args->fail_over || !*args->fail_over ||
			base_time_parse_duration(args->fail_over, &unused, error)) &&
		app_session_run(args, give, error);
}

const struct app_command app_latency = {
	.name = "latency",
	.operands = "TRACE... [--kind KIND | --rules FILE [--kind RULE] | --against TRACE]",
	.summary = "Print latencies: statistics, distribution, and the worst cases with their causes.",
	.examples = "  wakepath latency sample-traces/preempt --kind wakeup --top 5\n"
		    "  wakepath latency sample-traces/ioburst-ipi --kind block --by device\n"
		    "  wakepath latency sample-traces/pipeline --against sample-traces/preempt\n",
	.options = APP_TAKES_LATENCY | APP_TAKES_AGAINST | APP_TAKES_KALLSYMS | APP_TAKES_TRACER |
		APP_TAKES_TOP | APP_TAKES_THREAD | APP_TAKES_WINDOW | APP_TAKES_OUTPUT,
	.run = latency_run,
};
