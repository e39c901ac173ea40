/* SPDX-License-Identifier: MIT */
/* "wakepath cut": a window of a recording as a recording of its own. */
#include "app/app_args.h"
#include "app/app_session.h"

#include "base/base_error.h"
#include "base/base_text.h"
#include "base/base_time.h"
#include "query/events/cut.h"

#include <stdio.h>
#include <string.h>

/* Return TYPED without slashes at its end, which the name of a new folder can have; the caller frees. */
static char *cut_path(const char *typed)
{
	char *path = g_strdup(typed);

	for (size_t n = strlen(path); n > 1 && path[n - 1] == '/'; n--)
		path[n - 1] = '\0';
	return path;
}

static bool cut_check(const struct app_args *args, GError **error)
{
	if (!args->output)
		return base_error_false(error, BASE_ERROR_USAGE,
			"type -o NAME: the name of the new recording, a file or (LTTng) a folder");
	if (!args->from && !args->to)
		return base_error_false(error, BASE_ERROR_USAGE,
			"type --from TIME and --to TIME: the window");
	return true;
}

/* Return the rows (of uint32_t) of the threads of --thread; NULL with an error. */
static GArray *cut_threads(const struct app_session *s, GError **error)
{
	GArray *rows = g_array_new(FALSE, FALSE, sizeof(uint32_t));

	for (char **spec = s->args->only; *spec; spec++) {
		uint32_t row;

		if (!qry_find_thread(s->q, *spec, &row, error)) {
			g_array_unref(rows);
			return NULL;
		}
		g_array_append_val(rows, row);
	}
	return rows;
}

static bool cut_answer(struct app_session *s, G_GNUC_UNUSED GString *out, GError **error)
{
	g_autofree char *path = cut_path(s->args->output), *shown = base_text_clean(path, -1), *before = NULL;
	g_autoptr(GArray) threads = NULL;
	int64_t from, to, whole;

	if (qry_host_count(s->q) > 1)
		return base_error_false(error, BASE_ERROR_USAGE,
			"cut takes one recording, and these are %" G_GUINT32_FORMAT
			": name the trace of one host (\"wakepath info\" lists them)",
			qry_host_count(s->q));
	if (!app_session_instants(s, MDL_NONE, &from, &to, error))
		return false;
	if (s->args->only) {
		if (!app_session_needs_switches(s, MDL_NONE, error))
			return false;
		threads = cut_threads(s, error);
		if (!threads)
			return false;
	}
	if (!qry_cut(s->q, 0, from, to, path, threads, s->args->anonymous, s->progress, &whole, error))
		return false;
	app_session_warn(s->q); /* only after the recording is written: a failure is reported alone */
	before = base_time_format_duration(from - whole, false);
	printf("wrote %s: all events of the window and of %s before it\n", shown, before);
	return true;
}

const struct app_command app_cut = {
	.name = "cut",
	.operands = "TRACE --from TIME --to TIME -o NAME",
	.summary = "Write a window of a recording as a recording of its own, in the same format.",
	.examples =
		"  wakepath cut sample-traces/pipeline --from +413ms --to +446ms -o window\n"
		"  wakepath cut sample-traces/lockfight --from +400ms -o end --anonymous\n"
		"  wakepath cut sample-traces/pipeline --from +413ms --to +446ms --thread wk-pipe-main -o one-thread\n",
	.options = APP_TAKES_WINDOW | APP_TAKES_CUT,
	.check = cut_check,
	.answer = cut_answer,
};
