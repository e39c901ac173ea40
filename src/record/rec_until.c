/* SPDX-License-Identifier: MIT */
/* The text of --until. */
#include "record/rec_until.h"

#include "base/base_error.h"
#include "base/base_time.h"

#include <string.h>

#define TIMES_MAX 1000000

static bool set_unknown(GError **error)
{
	g_autoptr(GString) names = g_string_new(REC_UNTIL_COMMAND);

	for (const struct rec_kind *kind = rec_kinds; kind->name; kind++)
		g_string_append_printf(names, ", %s", kind->name);
	return base_error_false(error, BASE_ERROR_USAGE,
		"--until takes 'KIND > D' such as 'wakeup > 5ms', and KIND is one of: %s", names->str);
}

/* "3 x p99" */
static bool until_relative(const char *text, struct rec_until *until)
{
	static const struct {
		const char *name;
		double share;
	} quantiles[] = { { "p50", 0.5 }, { "p90", 0.9 }, { "p99", 0.99 }, { "p999", 0.999 } };
	char *end = NULL;
	double times = g_ascii_isdigit(*text) ? g_ascii_strtod(text, &end) : 0;

	if (!end || times <= 0 || times > TIMES_MAX)
		return false;
	while (*end == ' ')
		end++;
	if (*end != 'x')
		return false;
	for (end++; *end == ' '; end++)
		;
	for (gsize i = 0; i < G_N_ELEMENTS(quantiles); i++)
		if (g_str_equal(end, quantiles[i].name)) {
			until->times = times;
			until->quantile = quantiles[i].share;
			until->limit = INT64_MAX;
			return true;
		}
	return false;
}

bool rec_until_parse(const char *text, struct rec_until *until, GError **error)
{
	g_auto(GStrv) parts = g_strsplit(text, ">", 2);
	const struct rec_kind *kind;

	*until = (struct rec_until){ .kind = NULL };
	if (!parts[0] || !parts[1])
		return set_unknown(error);
	g_strstrip(parts[0]);
	g_strstrip(parts[1]);
	kind = rec_kinds_find(parts[0]);
	if (!kind && !g_str_equal(parts[0], REC_UNTIL_COMMAND))
		return set_unknown(error);
	until->kind = kind ? kind->name : REC_UNTIL_COMMAND;
	if (strchr(parts[1], 'x') || strchr(parts[1], 'p'))
		return until_relative(parts[1], until) ||
			base_error_false(error, BASE_ERROR_USAGE,
				"\"%s\" is not a limit: type a duration such as 5ms, or N x p50, p90, p99 or p999 of what was seen so far, such as 3 x p99",
				parts[1]);
	return base_time_parse_duration(parts[1], &until->limit, error);
}
