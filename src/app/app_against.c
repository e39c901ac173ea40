/* SPDX-License-Identifier: MIT */
#include "app/app_against.h"

#include "base/base_error.h"

/* What was before, as a session of its own. */
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

/* Append the comparison of KIND to ALL, where there is something to compare. */
static bool against_add(GPtrArray *all, struct app_session *s, struct other *o, const char *kind,
	app_against_measure *measure, GError **error)
{
	GError *failed = NULL;
	struct ana_against *against = against_compare(s, o, kind, measure, &failed);

	if (!against && !g_error_matches(failed, BASE_ERROR, BASE_ERROR_NO_ANSWER)) {
		g_propagate_error(error, failed);
		return false;
	}
	g_clear_error(&failed);
	if (against && against->now->all.count + against->before->all.count > 0)
		g_ptr_array_add(all, against);
	else
		ana_against_free(against);
	return true;
}

bool app_against_all(struct app_session *s, const char *const *kinds, app_against_measure *measure,
	GString *out, GError **error)
{
	g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func((GDestroyNotify)ana_against_free);
	struct other o;
	bool ok = open_other(s, &o, error);

	for (unsigned i = 0; ok && kinds[i]; i++)
		ok = against_add(all, s, &o, kinds[i], measure, error);
	if (ok) {
		ana_against_rank(all);
		ok = app_session_write(s, all, out, error);
	}
	if (o.session.q)
		qry_free(o.session.q);
	return ok;
}
