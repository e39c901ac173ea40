/* SPDX-License-Identifier: MIT */
#include "analysis/ana_compare.h"

#include "base/base_error.h"
#include "base/base_time.h"

#include <math.h>
#include <string.h>

bool ana_compare_read_share(const char *text, double most, double *share)
{
	char *end;
	double value = g_ascii_strtod(text, &end);

	if (end == text || !isfinite(value) || value <= 0 || value > most * 100)
		return false;
	end += strspn(end, " ");
	*share = value / 100;
	return !*end || g_str_equal(end, "%");
}

static bool wrong(GError **error, const char *option, const char *text, const char *what)
{
	return base_error_false(error, BASE_ERROR_USAGE, "%s \"%s\" is not known: type %s", option, text,
		what);
}

bool ana_compare_read_slow(const char *text, struct ana_compare_options *o, GError **error)
{
	static const char over[] = "over ", top[] = "top ";

	o->slow = ANA_COMPARE_GAP;
	o->group = NULL;
	if (g_str_equal(text, "gap"))
		return true;
	if (o->by != ANA_COMPARE_BY_DURATION) {
		o->group = text;
		return true;
	}
	if (g_str_has_prefix(text, over)) {
		o->slow = ANA_COMPARE_OVER;
		return base_time_parse_duration(text + strlen(over), &o->over, error);
	}
	o->slow = ANA_COMPARE_TOP;
	return (g_str_has_prefix(text, top) && ana_compare_read_share(text + strlen(top), 1, &o->top)) ||
		wrong(error, "--slow", text, "'over D', 'top P%' or gap");
}

bool ana_compare_read_group(const char *text, struct ana_compare_options *o, GError **error)
{
	static const struct {
		const char *name;
		enum ana_compare_by by;
	} known[] = { { "duration", ANA_COMPARE_BY_DURATION }, { "structure", ANA_COMPARE_BY_STRUCTURE },
		{ "host", ANA_COMPARE_BY_HOST }, { "connection", ANA_COMPARE_BY_KEY },
		{ "name", ANA_COMPARE_BY_KEY } };

	o->by = ANA_COMPARE_BY_KEY;
	for (gsize i = 0; i < G_N_ELEMENTS(known); i++)
		if (g_str_equal(text, known[i].name)) {
			o->by = known[i].by;
			return true;
		}
	return strchr(text, '.') ||
		wrong(error, "--group", text, "duration, structure, host, connection, name or EVENT.FIELD");
}

bool ana_compare_key_set(struct qry *q, struct ana_set *set, const struct ana_compare_options *o,
	const char *group, struct base_progress *progress, GError **error)
{
	if (o->by != ANA_COMPARE_BY_KEY || g_strcmp0(set->key_name, group) == 0)
		return true;
	if (strchr(group, '.'))
		return ana_set_by_field(q, set, group, progress, error);
	return base_error_false(error, BASE_ERROR_USAGE, "%s has no %s: choose another --group", set->spec,
		group);
}
