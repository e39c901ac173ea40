/* SPDX-License-Identifier: MIT */
#include "app/app_follow.h"

#include "base/base_error.h"
#include "base/base_stop.h"
#include "base/base_text.h"
#include "base/base_time.h"
#include "ingest/ing_follow.h"

#include <stdio.h>

#define EVERY_NS INT64_C(1000000000) /* an index to be opened, at most */
#define NO_MORE_NS (10 * EVERY_NS)   /* idle: maybe nothing is recorded any more */
#define LOOK_US 100000               /* between two looks at the trace, … */
#define LOOK_SHARE 4                 /* … and at least as many times as long as a look took */

/* ---- in words ---- */

char *app_follow_text(const struct ing_follow_view *view)
{
	GString *text = g_string_new(NULL);

	if (view->index && view->idle < NO_MORE_NS)
		g_string_append_printf(text, "%.1f s behind", (double)view->behind / 1e9);
	else if (view->index)
		g_string_append_printf(text, "nothing new for %.0f s", (double)view->idle / 1e9);
	if (view->waits_for && view->idle > EVERY_NS)
		g_string_append_printf(text, "%swaits for %s", text->len > 0 ? ", " : "", view->waits_for);
	if (view->note)
		g_string_append_printf(text, "%s%s", text->len > 0 ? "; " : "", view->note);
	return g_string_free(text, FALSE);
}

static void say(const char *trace, const struct ing_follow_view *view)
{
	g_autofree char *length = base_time_format_duration(view->to - view->from, !g_get_charset(NULL)),
			*what = app_follow_text(view),
			*line = g_strdup_printf("%s: %s, %" G_GUINT64_FORMAT " events; %s", trace, length,
				view->events, what),
			*clean = base_text_clean(line, -1);

	printf("%s\n", clean);
	fflush(stdout);
}

/* ---- the loop ---- */

void app_follow_rest(gint64 took)
{
	gint64 left = MAX(LOOK_US, took * LOOK_SHARE);

	for (; left > 0 && !base_stop_signal(); left -= LOOK_US)
		g_usleep((gulong)MIN(left, LOOK_US));
}

/* Follow until that is over; each index that can be opened is said. */
static bool follow(struct ing_follow *f, const struct app_args *args, int64_t idle, GError **error)
{
	unsigned said = 0;

	while (!base_stop_signal()) {
		gint64 began = g_get_monotonic_time();
		struct ing_follow_view view;

		if (!ing_follow_step(f, EVERY_NS, error))
			return false;
		view = ing_follow_view(f);
		if (view.times != said && !args->quiet)
			say(args->traces[0], &view);
		said = view.times;
		if (idle > 0 && view.idle >= idle)
			break;
		app_follow_rest(g_get_monotonic_time() - began);
	}
	return true;
}

static bool end(struct ing_follow *f, const struct app_args *args, GError **error)
{
	g_autofree char *index = NULL, *fingerprint = NULL;
	bool ok = ing_follow_close(f, &index, &fingerprint, error);

	if (ok && !args->quiet) {
		g_autofree char *line = g_strdup_printf("%s: ended, %s", args->traces[0], index),
				*clean = base_text_clean(line, -1);

		printf("%s\n", clean);
	}
	return ok;
}

bool app_follow_index(const struct app_args *args, GError **error)
{
	struct ing_options options = { .index_dir = args->index_dir };
	struct ing_follow *f;
	int64_t idle = 0;
	bool ok;

	if (args->idle && !base_time_parse_duration(args->idle, &idle, error))
		return false;
	f = ing_follow_new(args->traces, &options, error);
	if (!f)
		return false;
	base_stop_finish(); /* what asks it to stop ends the trace */
	ok = follow(f, args, idle, error) && end(f, args, error);
	ing_follow_free(f);
	return ok;
}
