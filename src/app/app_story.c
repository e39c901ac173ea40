/* SPDX-License-Identifier: MIT */
#include "app/app_story.h"

#include "analysis/overview/overview.h"

#include <unistd.h>

#define SEGMENTS 60 /* of the path; the rest is a command away */

bool app_story_has_terminal(void)
{
	return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
}

/* The path of thread ROW: while it waited longest for one, else over its life; and that wait, explained. */
static bool put_thread(struct app_session *s, uint32_t row, GString *out, GError **error)
{
	const struct qry_row *r = qry_row(s->q, row);
	struct mdl_wakeup wakeup = { .since = r->first, .time = r->last };
	bool waited = ana_story_wait(s->q, row, &wakeup);
	struct ana_path *path = ana_path_new(s->q, row, wakeup.since, wakeup.time, s->progress, error);
	struct ana_why *why;

	if (!path)
		return false;
	g_string_append_printf(out, "\nA thread that much was computed for%s:\n",
		waited ? ", while it waited longest for another" : "");
	exp_path_text(out, s->q, path, SEGMENTS, &s->options);
	ana_path_free(path);
	if (!waited)
		return app_session_not_cancelled(s, error);
	why = ana_why_new(s->q, row, &wakeup);
	g_string_append(out, "\nHow that wait ended:\n");
	exp_why(out, s->q, why);
	ana_why_free(why);
	return app_session_not_cancelled(s, error);
}

static bool story_answer(struct app_session *s, GString *out, GError **error)
{
	uint32_t row = ana_story_thread(s->q);

	if (s->args->thread && !app_session_thread(s, &row, error))
		return false;
	if (!app_info_answer(s, out, error))
		return false;
	if (row != MDL_NONE && !put_thread(s, row, out, error))
		return false;
	g_string_append(out,
		"\nThe explorer needs a terminal: type \"wakepath TRACE\" in one.  \"wakepath --help\" lists what else can be asked.\n");
	return true;
}

bool app_story_run(const struct app_args *args, GError **error)
{
	struct app_args own = *args;

	exp_output_at("info", 0, &own.as);
	return app_session_run(&own, story_answer, error);
}
