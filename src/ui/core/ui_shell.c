/* SPDX-License-Identifier: MIT */
/* The state that panes share, and its changes (places: ui_view.c).  Each change notes what it touched; before
 * the next frame, all panes are notified once.  This file draws nothing and does not use the experiment. */
#include "ui/core/ui_shell.h"

#include "base/base_time.h"
#include "ui/core/ui_config.h"
#include "ui/core/ui_line.h"
#include "ui/core/ui_prompt.h"
#include "ui/core/ui_scene.h"

#include <stdarg.h>

#define TELL_ROUNDS 8 /* panes answer changes with changes; more rounds would be a bug */

/* ---- life ---- */

static void pane_free(gpointer data)
{
	struct ui_pane *pane = data;

	if (pane->ops->clear)
		pane->ops->clear(pane);
	g_free(pane);
}

void ui_scene_free(struct ui_scene *scene)
{
	if (!scene)
		return;
	g_ptr_array_unref(scene->kept);
	g_free(scene);
}

void ui_shell_add_panes(struct ui_shell *shell)
{
	unsigned views = 0;

	shell->focus = shell->main = NULL;
	shell->panes = g_ptr_array_new_with_free_func(pane_free);
	for (const struct ui_pane_ops *const *ops = shell->options->panes; *ops; ops++) {
		struct ui_pane *pane = g_malloc0(MAX((*ops)->size, sizeof(struct ui_pane)));

		pane->ops = *ops;
		pane->shell = shell;
		pane->shown = (*ops)->shown || (*ops)->show == UI_CMD_NONE;
		g_ptr_array_add(shell->panes, pane);
		if ((*ops)->place == UI_PLACE_MAIN)
			pane->view = &shell->views[views++ % UI_VIEWS];
		if (pane->view && shell->main)
			pane->shown = false; /* until there are two windows */
		else if (pane->view)
			shell->focus = shell->main = pane;
		if ((*ops)->init)
			(*ops)->init(pane);
	}
}

struct ui_shell *ui_shell_new(const struct ui_options *options, struct term *term, GError **error)
{
	struct ui_shell *shell = g_new0(struct ui_shell, 1);

	shell->options = options;
	shell->term = term;
	shell->leads[UI_LEAD_WAIT].row = UI_NO_ROW;
	ui_view_init(shell);
	shell->times = base_time_way_next(NULL);
	shell->hide_tracer = !options->show_tracer;
	shell->ascii = options->ascii || !term->utf8;
	shell->sync = g_strdup(options->sync ? options->sync : "auto");
	shell->notes = g_ptr_array_new_with_free_func(g_free);
	shell->hinted = g_array_new(FALSE, FALSE, sizeof(struct ui_hint_place));
	shell->title_signs = g_array_new(FALSE, FALSE, sizeof(struct ui_title_sign));
	shell->lines = ui_lines_new();
	shell->grid = term_grid_new(1, 1);
	shell->prompt = ui_prompt_new();
	shell->undo = g_new0(struct ui_undo, 1);
	shell->undo->done = g_ptr_array_new_with_free_func((GDestroyNotify)ui_scene_free);
	shell->undo->undone = g_ptr_array_new_with_free_func((GDestroyNotify)ui_scene_free);
	shell->dirty = true;
	shell->config = ui_config_new(options->config, options->panes, error);
	if (shell->config) {
		shell->keys = shell->config->keys;
		shell->theme = ui_theme_new(options->theme ? options->theme : shell->config->theme,
			term->colours, error);
	}
	if (options->view) {
		g_autofree char *line = g_strconcat("view ", options->view, NULL);

		ui_lines_add(shell->lines, "--view", 1, line, NULL);
	}
	if (!shell->theme || (options->commands && !ui_lines_read(shell->lines, options->commands, error))) {
		ui_shell_free(shell);
		return NULL;
	}
	term->ops->set_styles(term, shell->theme->styles);
	term->copy = options->copy;
	term->ops->set_mouse(term, true);
	ui_shell_add_panes(shell);
	return shell;
}

void ui_shell_free(struct ui_shell *shell)
{
	if (!shell)
		return;
	if (shell->panes)
		g_ptr_array_unref(shell->panes);
	g_array_unref(shell->ways);
	g_clear_pointer(&shell->path_rows, g_array_unref);
	g_array_unref(shell->title_signs);
	g_ptr_array_unref(shell->notes);
	g_array_unref(shell->hinted);
	g_ptr_array_unref(shell->lines);
	ui_prompt_free(shell->prompt);
	ui_config_free(shell->config);
	ui_scene_free(shell->undo->now);
	g_ptr_array_unref(shell->undo->done);
	g_ptr_array_unref(shell->undo->undone);
	g_free(shell->undo);
	ui_theme_free(shell->theme);
	term_grid_free(shell->grid);
	g_free(shell->message);
	g_free(shell->argument);
	g_free(shell->file);
	g_free(shell->sync);
	g_free(shell->sync_wanted);
	g_free(shell->followed);
	shell->term->ops->free(shell->term);
	g_free(shell);
}

void ui_shell_opened(struct ui_shell *shell, const struct ui_opened *opened)
{
	shell->q = opened->q;
	shell->n_rows = opened->n_rows;
	shell->span_from = opened->from;
	shell->span_to = MAX(opened->to, opened->from + 1);
	shell->view->cursor = opened->from;
	ui_shell_set_window(shell, shell->span_from, shell->span_to);
	if (opened->begins)
		ui_shell_begin(shell, opened);
	shell->changes |= UI_CHANGED_EXPERIMENT | UI_CHANGED_CURSOR | UI_CHANGED_ROW;
	if (opened->note)
		ui_shell_message(shell, "%s", opened->note);
}

void ui_shell_begin(struct ui_shell *shell, const struct ui_opened *opened)
{
	shell->view->row = opened->row;
	shell->view->cursor = CLAMP(opened->time, opened->from, opened->to);
	shell->changes |= UI_CHANGED_CURSOR | UI_CHANGED_ROW;
}

void ui_shell_tell(struct ui_shell *shell)
{
	for (unsigned round = 0; shell->changes && round < TELL_ROUNDS; round++) {
		unsigned changes = shell->changes;

		shell->changes = 0;
		shell->dirty = true;
		if (changes & (UI_CHANGED_WINDOW | UI_CHANGED_CURSOR))
			ui_view_link(shell);
		for (unsigned i = 0; i < shell->panes->len; i++) {
			struct ui_pane *pane = g_ptr_array_index(shell->panes, i);

			if (!pane->ops->changed)
				continue;
			ui_view_enter(pane);
			pane->ops->changed(pane, changes);
			ui_view_leave(shell);
		}
	}
}

bool ui_shell_work(struct ui_shell *shell)
{
	bool more = false, works = false;

	if (!shell->q)
		return false;
	for (unsigned i = 0; i < shell->panes->len; i++) {
		struct ui_pane *pane = g_ptr_array_index(shell->panes, i);

		if (!pane->shown || !pane->ops->work)
			continue;
		ui_view_enter(pane);
		shell->waits = false;
		if (pane->ops->work(pane)) {
			more = true;
			works |= !shell->waits;
		}
		ui_view_leave(shell);
	}
	shell->waits = more && !works;
	return more;
}

/* ---- requests to panes ---- */

void ui_shell_lead(struct ui_shell *shell, const struct ui_lead *lead)
{
	static const unsigned changed[UI_LEADS] = { [UI_LEAD_WAIT] = UI_CHANGED_WAIT,
		[UI_LEAD_REQUEST] = UI_CHANGED_REQUEST,
		[UI_LEAD_EXCHANGE] = UI_CHANGED_EXCHANGE,
		[UI_LEAD_ACCOUNT] = UI_CHANGED_ACCOUNT,
		[UI_LEAD_EVENT] = UI_CHANGED_EVENT,
		[UI_LEAD_PATH] = UI_CHANGED_PATH,
		[UI_LEAD_COMPARE] = UI_CHANGED_COMPARED,
		[UI_LEAD_SPANS] = UI_CHANGED_SPANS };

	shell->leads[lead->opens] = *lead;
	ui_view_note(shell, changed[lead->opens]);
}

void ui_shell_mark_over(struct ui_shell *shell, const struct ana_rules *rules, const char *kind,
	int64_t limit)
{
	shell->over_rules = rules;
	shell->over_kind = kind;
	shell->over_limit = limit;
	ui_view_note(shell, UI_CHANGED_OVER);
}

void ui_shell_set_path_rows(struct ui_shell *shell, GArray *rows, bool anew)
{
	g_clear_pointer(&shell->path_rows, g_array_unref);
	shell->path_rows = rows;
	shell->path_anew = anew;
	ui_view_note(shell, UI_CHANGED_PATH_ROWS);
}

char *ui_shell_time_text(const struct ui_shell *shell, int64_t time)
{
	return time == BASE_TIME_NONE ? g_strdup("-") : shell->times->text(time, shell->span_from);
}

unsigned ui_shell_time_width(const struct ui_shell *shell)
{
	return shell->times->width;
}

char *ui_shell_duration_text(const struct ui_shell *shell, int64_t duration)
{
	return base_time_format_duration(duration, shell->grid->ascii);
}

/* ---- messages ---- */

static void shell_say(struct ui_shell *shell, bool is_error, char *text)
{
	g_free(shell->message);
	shell->message = text;
	shell->message_is_error = is_error;
	shell->dirty = true;
}

void ui_shell_message(struct ui_shell *shell, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	shell_say(shell, false, g_strdup_vprintf(format, args));
	va_end(args);
}

void ui_shell_note(struct ui_shell *shell, const char *text)
{
	if (!g_ptr_array_find_with_equal_func(shell->notes, text, g_str_equal, NULL))
		g_ptr_array_add(shell->notes, g_strdup(text));
	ui_shell_message(shell, "%s", text);
}

void ui_shell_error(struct ui_shell *shell, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	shell_say(shell, true, g_strdup_vprintf(format, args));
	va_end(args);
}

void ui_shell_take_error(struct ui_shell *shell, GError *error)
{
	shell_say(shell, true, g_strdelimit(g_strdup(error->message), "\n", ' '));
	g_error_free(error);
}

void ui_shell_fail(struct ui_shell *shell, GError *error)
{
	if (shell->term->error)
		g_error_free(error);
	else
		shell->term->error = error;
}

void ui_shell_redraw(struct ui_shell *shell)
{
	shell->dirty = true;
}
