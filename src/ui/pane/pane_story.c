/* SPDX-License-Identifier: MIT */
/*
 * The story of one thread in a time range, on one page, as `why --story` prints it.  Thread and range are
 * those of the line selected in the pane with the focus; else the selected thread, in the selection, else in
 * its life within the window.  The window becomes that range.  Export writes the page, also as Markdown or as
 * a picture.
 */
#include "ui/pane/pane.h"

#include "export/exp.h"
#include "ui/core/ui_argument.h"
#include "ui/core/ui_fields.h"
#include "ui/widget/ask_worker.h"
#include "ui/widget/list_view.h"
#include "ui/widget/subject.h"

#include <inttypes.h>
#include <string.h>

#define INDENT 4 /* indent of continuation rows, columns */

struct story_question {
	uint32_t row;
	int64_t from, to;
	const char *command; /* the shell command that prints this page; interned */
};

struct story {
	struct ui_pane pane;
	struct asking ask;
	struct story_question asked;
	GString *text; /* owned; NULL: none yet */
	/* owned: TEXT broken into lines for an area W columns wide; NULL: not made */
	GPtrArray *lines;
	unsigned w;
	struct list_view view;
};

/* ---- asking ---- */

static void *pane_story_make(struct qry *q, void *data, struct base_progress *progress, GError **error)
{
	const struct story_question *asked = data;

	return ana_story_new(q, asked->row, asked->from, asked->to, progress, error);
}

static void *pane_story_answer(struct qry *q, const void *data, struct base_progress *progress,
	GError **error)
{
	const struct story_question *asked = data;
	struct exp_options o = { .format = TABLE_TEXT, .command = asked->command, .progress = progress };
	struct ana_story *story = ana_story_new(q, asked->row, asked->from, asked->to, progress, error);
	GString *text = g_string_new(NULL);

	if (story && exp_story(text, q, story, &o, error)) {
		ana_story_free(story);
		return text;
	}
	ana_story_free(story);
	g_string_free(text, TRUE);
	return NULL;
}

static void pane_story_text_free(void *text)
{
	if (text)
		g_string_free(text, TRUE);
}

static void pane_story_drop(struct story *s)
{
	g_clear_pointer(&s->text, pane_story_text_free);
	g_clear_pointer(&s->lines, g_ptr_array_unref);
}

static void pane_story_taken(struct ui_pane *pane, void *answer, GError *error)
{
	struct story *s = (struct story *)pane;

	pane_story_drop(s);
	s->text = answer;
	ask_worker_problem(&s->ask.problem, error);
}

static const struct ask_kind pane_story_kind = { .size = sizeof(struct story_question),
	.answer = pane_story_answer,
	.free = pane_story_text_free,
	.taken = pane_story_taken };

/* "wakepath why TRACE --thread TID --from NS --to NS --story". */
static const char *pane_story_command(const struct ui_shell *shell, uint32_t row, int64_t from, int64_t to)
{
	const struct qry_row *r = qry_row(shell->q, row);
	const char *program = shell->options->program ? shell->options->program : "wakepath TRACE";
	g_autofree char *thread = g_strdup_printf("%s/%" PRId64 "@%" PRId64,
				qry_host(shell->q, r->host)->name, r->nr, r->first),
			*quoted = g_shell_quote(thread),
			*command = g_strdup_printf("wakepath why%s --thread %s --from %" PRId64
						   " --to %" PRId64 " --story",
				program + strlen("wakepath"), quoted, from, to);

	return g_intern_string(command);
}

static void pane_story_begin(struct story *s, uint32_t row, int64_t from, int64_t to)
{
	pane_story_drop(s);
	s->view = (struct list_view){ 0 };
	s->asked = (struct story_question){ row, from, to, pane_story_command(s->pane.shell, row, from, to) };
	asking_ask(&s->ask, &s->pane, &s->asked, ASK_AT_ONCE);
}

/* Set *ROW, *FROM, *TO (ns) to the thread and the time range of the wanted story.  False if the row is not a
 * thread, or is an idle thread. */
static bool pane_story_wanted(struct ui_shell *shell, uint32_t *row, int64_t *from, int64_t *to)
{
	if (!ui_pane_time(shell, row, from, to)) {
		*row = shell->view->row;
		ui_shell_selection(shell, from, to);
	}
	if (!row_has_paths(shell->q, *row))
		return false;
	row_clip(shell->q, *row, from, to);
	return *from < *to;
}

/* ---- hooks ---- */

static void story_clear(struct ui_pane *pane)
{
	struct story *s = (struct story *)pane;

	pane_story_drop(s);
	asking_clear(&s->ask, pane);
}

static void story_changed(struct ui_pane *pane, unsigned changes)
{
	if (ask_worker_start(pane, changes, &pane_story_kind) && !pane->shown)
		asking_leave(&((struct story *)pane)->ask, pane);
}

static const struct ui_field pane_story_fields[] = {
	UI_FIELD(ROW, "row", story, asked.row),
	UI_FIELD(TIME, "from", story, asked.from),
	UI_FIELD(END, "to", story, asked.to),
	UI_FIELD_LIST(story, view),
};

static bool story_to_keep(struct ui_pane *pane)
{
	return ((const struct story *)pane)->ask.has_asked;
}

static bool story_restore(struct ui_pane *pane, const char *kept, GError **error)
{
	struct story *s = (struct story *)pane;
	struct story_question before = s->asked;
	struct list_view view;

	if (!ui_fields_set(pane_story_fields, pane, pane->shell, kept, error))
		return false;
	view = s->view;
	if (s->asked.row != before.row || s->asked.from != before.from || s->asked.to != before.to ||
		!s->text) {
		if (s->asked.row == UI_NO_ROW || s->asked.from >= s->asked.to || !pane->worker)
			s->asked = before;
		else
			pane_story_begin(s, s->asked.row, s->asked.from, s->asked.to);
	}
	s->view = view;
	return true;
}

static void story_title(struct ui_pane *pane, GString *title)
{
	const struct story *s = (const struct story *)pane;

	if (s->asked.from < s->asked.to)
		scope_title(pane->shell, title, "Story",
			scope_title_whose(pane->shell, SCOPE_THREAD, s->asked.row), s->asked.from,
			s->asked.to);
	else
		g_string_append(title, "Story");
}

static unsigned story_height(G_GNUC_UNUSED struct ui_pane *pane, G_GNUC_UNUSED unsigned columns,
	unsigned rows)
{
	return rows;
}

static void pane_story_break(struct story *s, unsigned w)
{
	g_auto(GStrv) lines = g_strsplit(s->text->str, "\n", -1);

	g_clear_pointer(&s->lines, g_ptr_array_unref);
	s->lines = g_ptr_array_new_with_free_func(g_free);
	s->w = w;
	for (char **line = lines; *line && (line[1] || **line); line++) {
		if (!**line || g_str_has_suffix(*line, "|")) /* rows of the path are cut, not wrapped */
			g_ptr_array_add(s->lines, g_strdup(*line));
		else
			g_ptr_array_extend_and_steal(s->lines, term_text_rows(*line, MAX(w, 24) - 2, INDENT));
	}
}

static void story_draw(struct ui_pane *pane, const struct term_area *area)
{
	struct story *s = (struct story *)pane;
	struct term_area list;

	if (asking_draw(&s->ask, pane, area, "telling the story", s->text) || !s->text)
		return;
	if (!s->lines || s->w != area->w)
		pane_story_break(s, area->w);
	list = list_view_area(&s->view, area, 0, 0, s->lines->len);
	for (unsigned y = 0; y < s->view.seen; y++) {
		const char *line = g_ptr_array_index(s->lines, s->view.top + y);

		term_area_fit(&list, 1, y, list.w - 1,
			s->view.top + y == 0 ? TERM_ROLE_STRONG : TERM_ROLE_TEXT, line);
	}
	list_view_mark(&s->view, pane, &list);
}

static bool pane_story_open(struct story *s)
{
	struct ui_shell *shell = s->pane.shell;
	uint32_t row;
	int64_t from, to;

	g_free(ui_argument_take(shell)); /* drop the argument "on" */
	if (!pane_story_wanted(shell, &row, &from, &to)) {
		ui_shell_error(shell, "this row is not a thread: select one");
		return true;
	}
	ui_shell_set_row(shell, row);
	ui_shell_set_window(shell, from, to);
	ui_shell_show(shell, &s->pane, true);
	ui_shell_focus(shell, &s->pane);
	pane_story_begin(s, row, from, to);
	return true;
}

static bool story_command(struct ui_pane *pane, enum ui_command command)
{
	struct story *s = (struct story *)pane;
	const char *argument = pane->shell->argument;

	if (command == UI_CMD_STORY && !pane->shown && pane->worker && (!argument || !strcmp(argument, "on")))
		return pane_story_open(s);
	if (!pane->shown || !ui_pane_focused(pane))
		return false;
	if (command == UI_CMD_CLEAR) {
		if (!asking_stop(&s->ask, pane))
			ui_shell_show(pane->shell, pane, false);
		return true;
	}
	return s->lines && list_view_move(&s->view, command, s->lines->len);
}

static void story_point(struct ui_pane *pane, G_GNUC_UNUSED unsigned x, unsigned y)
{
	struct story *s = (struct story *)pane;

	if (s->lines)
		list_view_point(&s->view, y, s->lines->len);
}

static bool story_time(struct ui_pane *pane, uint32_t *row, int64_t *from, int64_t *to)
{
	const struct story *s = (const struct story *)pane;

	*row = s->asked.row;
	*from = s->asked.from;
	*to = s->asked.to;
	return s->text;
}

static bool story_result(struct ui_pane *pane, struct ui_result *result)
{
	const struct story *s = (const struct story *)pane;

	if (!s->text)
		return false;
	*result = (struct ui_result){ .name = "story",
		.file = "story.md",
		.what = g_strdup("a story"),
		.from = s->asked.from,
		.to = s->asked.to,
		.row = s->asked.row,
		.data = g_memdup2(&s->asked, sizeof s->asked),
		.free = g_free,
		.make = pane_story_make,
		.free_made = (GDestroyNotify)ana_story_free };
	return true;
}

static const struct ui_hint pane_story_hints[] = {
	{ UI_CMD_ROW_DOWN, "down" },
	{ UI_CMD_EXPORT, "write" },
	{ UI_CMD_STORY, "close" },
	{ UI_CMD_MAXIMISE, "large" },
	{ UI_CMD_FOCUS, "other pane" },
	{ UI_CMD_NONE, NULL },
};

const struct ui_pane_ops pane_story = {
	.name = "story",
	.place = UI_PLACE_LOWER,
	.hints = pane_story_hints,
	.show = UI_CMD_STORY,
	.drill = true,
	.size = sizeof(struct story),
	.clear = story_clear,
	.changed = story_changed,
	.work = ask_worker_work,
	.fields = pane_story_fields,
	.to_keep = story_to_keep,
	.restore = story_restore,
	.command = story_command,
	.point = story_point,
	.time = story_time,
	.result = story_result,
	.title = story_title,
	.height = story_height,
	.first = true,
	.draw = story_draw,
};
