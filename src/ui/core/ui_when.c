/* SPDX-License-Identifier: MIT */
/*
 * How it works: "+8.500000000 s" is how the screen prints a time from the start, "+8.5s" a duration as people
 * type it.  They differ in the blank, and so they can mean different things: a place, and a step from the
 * cursor.  A sign with a number alone is how lists print times where there is no room for the unit; with "-"
 * it is a step, as nothing is before the start.
 */
#include "ui/core/ui_when.h"

#include "base/base_error.h"
#include "base/base_text.h"
#include "base/base_time.h"

#include <string.h>

#define PERCENT_SCALE 1000000000 /* parts of a percent that are told apart */

static bool all_of(const char *text, const char *allowed)
{
	return *text && strspn(text, allowed) == strlen(text);
}

/* A number with a unit, a blank between them or not; without a unit seconds. */
static bool parse_amount(const char *text, int64_t *ns)
{
	gsize digits = strspn(text, "0123456789.");
	const char *unit = text + digits + strspn(text + digits, " ");
	g_autofree char *typed = g_strdup_printf("%.*s%s", (int)digits, text, *unit ? unit : "s");

	return base_time_parse_duration(typed, ns, NULL);
}

/* "50%" of what is between FROM and TO. */
static bool parse_share(const struct ui_shell *shell, const char *text, int64_t *time)
{
	gsize digits = strspn(text, "0123456789.");
	/* A percent is read as if it was a second. */
	g_autofree char *number = g_strdup_printf("%.*ss", (int)digits, text);
	int64_t share, span = shell->span_to - shell->span_from;
	bool good = all_of(text + digits, " %") && base_time_parse_duration(number, &share, NULL) &&
		share <= INT64_C(100) * PERCENT_SCALE;

	if (good)
		*time = shell->span_from +
			(int64_t)((__extension__(__int128) span) * share / (INT64_C(100) * PERCENT_SCALE));
	return good;
}

/* Local time: of the cursor's day, of the first, of the last, where the experiment is; else of the first. */
static bool parse_wall(const struct ui_shell *shell, const char *text, int64_t *time)
{
	const int64_t days[] = { shell->view->cursor, shell->span_from, shell->span_to };

	for (unsigned i = 0; i < G_N_ELEMENTS(days); i++)
		if (base_time_parse(text, days[i], shell->span_to, time, NULL) && *time >= shell->span_from &&
			*time < shell->span_to)
			return true;
	return base_time_parse(text, shell->span_from, shell->span_to, time, NULL);
}

/* A whole number without a unit: seconds from the start where that is inside, else ns since the Epoch. */
static bool parse_whole(const struct ui_shell *shell, const char *text, int64_t *time)
{
	int64_t since;

	if (parse_amount(text, &since) && since <= shell->span_to - shell->span_from) {
		*time = shell->span_from + since;
		return true;
	}
	return base_time_parse(text, shell->span_from, shell->span_to, time, NULL);
}

static bool parse_signed(const struct ui_shell *shell, const char *text, int64_t *time)
{
	bool printed = *text == '+' && (all_of(text + 1, "0123456789.") || strchr(text, ' '));
	int64_t amount;

	if (!parse_amount(text + 1, &amount))
		return false;
	if (*text == '-')
		return !__builtin_sub_overflow(shell->view->cursor, amount, time);
	return !__builtin_add_overflow(printed ? shell->span_from : shell->view->cursor, amount, time);
}

static bool when_parse(const struct ui_shell *shell, const char *text, int64_t *time)
{
	int64_t amount;

	if (strchr(text, ':'))
		return parse_wall(shell, text, time);
	if (g_str_has_suffix(text, "%"))
		return parse_share(shell, text, time);
	if (*text == '+' || *text == '-')
		return parse_signed(shell, text, time);
	if (all_of(text, "0123456789"))
		return parse_whole(shell, text, time);
	return parse_amount(text, &amount) && !__builtin_add_overflow(shell->span_from, amount, time);
}

bool ui_when_parse(const struct ui_shell *shell, const char *text, int64_t *time, GError **error)
{
	g_autofree char *clean = g_strstrip(base_text_clean(text, -1));
	bool good = when_parse(shell, clean, time);

	if (good)
		*time = base_time_near(*time);
	else
		g_set_error(error, BASE_ERROR, BASE_ERROR_USAGE,
			"\"%s\" is no time: type 8.5s 50%% 10:03:04.9 #9, or +2ms -2ms from the cursor",
			clean);
	return good;
}
