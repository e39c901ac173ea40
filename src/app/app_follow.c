/* SPDX-License-Identifier: MIT */
#include "app/app_follow.h"

#include "app/app_tail.h"
#include "base/base_stop.h"
#include "base/base_text.h"
#include "base/base_time.h"

#include <stdio.h>

G_GNUC_PRINTF(1, 2)
static void say(const char *format, ...)
{
	g_autofree char *line = NULL, *clean = NULL;
	va_list args;

	va_start(args, format);
	line = g_strdup_vprintf(format, args);
	va_end(args);
	clean = base_text_clean(line, -1);
	printf("%s\n", clean);
	fflush(stdout);
}

static void say_view(const char *trace, const struct app_tail *t)
{
	struct ing_follow_view view = app_tail_view(t);
	g_autofree char *length = base_time_format_duration(view.to - view.from, !g_get_charset(NULL)),
			*what = app_tail_text(t);

	say("%s: %s, %" G_GUINT64_FORMAT " events; %s", trace, length, view.events, what);
}

/* Follow until that is over; each index that can be opened is said. */
static bool follow(struct app_tail *t, const struct app_args *args, int64_t idle, GError **error)
{
	unsigned said = 0;

	while (!base_stop_signal()) {
		gint64 began = g_get_monotonic_time();

		if (!app_tail_step(t, error))
			return false;
		if (app_tail_view(t).times != said && !args->quiet)
			say_view(args->traces[0], t);
		said = app_tail_view(t).times;
		if (app_tail_ended(t) || (idle > 0 && app_tail_view(t).idle >= idle))
			break;
		app_tail_rest(t, g_get_monotonic_time() - began);
	}
	return true;
}

static bool end(struct app_tail *t, const struct app_args *args, GError **error)
{
	g_autofree char *index = NULL, *fingerprint = NULL;
	bool ok = app_tail_close(t, &index, &fingerprint, error);

	if (app_tail_kept(t) && !args->quiet)
		say("%s: %s", args->traces[0], app_tail_ended(t) ? app_tail_ended(t) : app_tail_kept(t));
	if (ok && !args->quiet)
		say("%s: ended, %s", args->traces[0], index);
	return ok;
}

bool app_follow_index(const struct app_args *args, GError **error)
{
	struct app_tail *t;
	int64_t idle = 0;
	bool ok;

	if (args->idle && !base_time_parse_duration(args->idle, &idle, error))
		return false;
	t = app_tail_new(args, false, error);
	if (!t)
		return false;
	base_stop_finish(); /* what asks it to stop ends the trace */
	ok = follow(t, args, idle, error) && end(t, args, error);
	app_tail_free(t);
	return ok;
}
