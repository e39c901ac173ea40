/* SPDX-License-Identifier: MIT */
#include "app/app_args.h"
#include "app/app_session.h"

#include "base/base_error.h"
#include "base/base_time.h"

#include <math.h>
#include <string.h>

static bool wrong(GError **error, const char *option, const char *text, const char *what)
{
	return base_error_false(error, BASE_ERROR_USAGE, "%s \"%s\" is not known: type %s", option, text,
		what);
}

static bool read_group(const struct app_args *a, struct ana_compare_options *o, GError **error)
{
	o->by = a->against ? ANA_COMPARE_BY_ORIGIN : ANA_COMPARE_BY_DURATION;
	if (!a->group)
		return true;
	if (a->against)
		return base_error_false(error, BASE_ERROR_USAGE,
			"--against makes two groups: leave --group out");
	return ana_compare_read_group(a->group, o, error);
}

static bool read_options(const struct app_args *a, struct ana_compare_options *o, double *fail_over,
	GError **error)
{
	*o = (struct ana_compare_options){ .at = NAN, .gap_only = a->slow };
	if (!a->set)
		return base_error_false(error, BASE_ERROR_USAGE,
			"no intervals are named: type --set requests, --set runs:T, --set latency:KIND, --set between:EVENT..EVENT or --set FILE");
	return read_group(a, o, error) && (!a->slow || ana_compare_read_slow(a->slow, o, error)) &&
		(!a->at || (*a->at == 'p' && ana_compare_read_share(a->at + 1, 1, &o->at)) ||
			wrong(error, "--at", a->at, "a percentile, such as p99")) &&
		(!a->fail_over ||
			(strchr(a->fail_over, '%') && ana_compare_read_share(a->fail_over, 1e6, fail_over)) ||
			wrong(error, "--fail-over", a->fail_over, "a percentage, such as 10%"));
}

/* The recording of --against, or the other set. */
struct other {
	struct app_args args;
	struct qry *q; /* NULL: no other recording */
	struct ana_set *set;
};

static bool is_set(const struct app_args *a)
{
	const char *what = a->against[0];

	return !a->against[1] && ana_set_is_spec(what);
}

static bool open_other(struct app_session *s, struct other *o, GError **error)
{
	struct app_session other = *s;
	const struct app_args *a = s->args;

	*o = (struct other){ .args = *a };
	if (!a->against)
		return true;
	if (!is_set(a)) {
		o->args.traces = a->against;
		o->args.from = o->args.to = NULL;
		other.args = &o->args;
		other.q = o->q = app_session_open(&other, error);
		if (!o->q)
			return false;
	}
	o->set = ana_set_find(other.q, is_set(a) ? a->against[0] : a->set,
		o->q ? BASE_TIME_NONE : s->options.from, o->q ? BASE_TIME_NONE : s->options.to, s->progress,
		error);
	return o->set;
}

/* --fail-over: true if the slow (or newer) mean exceeds the other one by at most SHARE of that. */
static bool compare_is_within(const struct ana_compare *c, double share, GError **error)
{
	double fast = (double)c->side[ANA_COMPARE_FAST].figures.mean;
	g_autofree char *slow_text = NULL, *fast_text = NULL;

	if ((double)c->difference <= share * fast)
		return true;
	slow_text = base_time_format_duration(c->side[ANA_COMPARE_SLOW].figures.mean, true);
	fast_text = base_time_format_duration(c->side[ANA_COMPARE_FAST].figures.mean, true);
	return base_error_false(error, BASE_ERROR_NO_ANSWER,
		"mean of %s: %s, of %s: %s; it is %.1f %% longer, and --fail-over allows %g %%",
		c->side[ANA_COMPARE_SLOW].name, slow_text, c->side[ANA_COMPARE_FAST].name, fast_text,
		100 * (double)c->difference / fast, share * 100);
}

static struct ana_compare *compare(struct app_session *s, struct other *other,
	const struct ana_compare_options *o, GError **error)
{
	struct ana_compare *c = NULL;
	struct ana_set *set = ana_set_find(s->q, s->args->set, s->options.from, s->options.to, s->progress,
		error);

	if (set && ana_compare_key_set(s->q, set, o, s->args->group, s->progress, error) &&
		open_other(s, other, error))
		c = ana_compare_new(s->q, set, other->q ? other->q : s->q, other->set, o, s->progress, error);
	ana_set_free(set);
	return c;
}

static bool compare_answer(struct app_session *s, GString *out, GError **error)
{
	struct app_progress *shown;
	struct ana_compare_options o;
	struct other other = { 0 };
	struct ana_compare *c;
	double fail_over = 0;
	bool fine;

	if (!read_options(s->args, &o, &fail_over, error) ||
		!app_session_needs_switches(s, MDL_NONE, error) ||
		!app_session_instants(s, MDL_NONE, &s->options.from, &s->options.to, error))
		return false;
	shown = app_progress_new(s->progress, s->args->quiet);
	c = compare(s, &other, &o, error);
	app_progress_free(shown);
	if (c)
		app_session_warn(s->q);
	fine = c && app_session_write(s, c, out, error) &&
		(!s->args->fail_over || compare_is_within(c, fail_over, error));
	ana_compare_free(c);
	ana_set_free(other.set);
	qry_free(other.q);
	return fine;
}

static bool compare_check(const struct app_args *args, GError **error)
{
	struct ana_compare_options o;
	double fail_over;

	return read_options(args, &o, &fail_over, error);
}

const struct app_command app_compare = {
	.name = "compare",
	.operands = "TRACE... --set SPEC",
	.summary =
		"Compare slow with fast requests, or other intervals, to find the steps that make them slow.",
	.examples =
		"  wakepath compare sample-traces/rpc-chain --set requests:wk-client\n"
		"  wakepath compare sample-traces/ioburst-ipi --set latency:blocked:wk-ioburst --slow 'top 20%'\n",
	.options = APP_TAKES_COMPARE | APP_TAKES_WINDOW | APP_TAKES_TOP | APP_TAKES_OUTPUT,
	.check = compare_check,
	.answer = compare_answer,
};
