/* SPDX-License-Identifier: MIT */
/*
 * The state that panes share and how it changes.  Each change notes what it
 * touched; before the next frame all panes are told once.  Nothing is drawn or
 * asked of the experiment here.
 */
#include "ui/core/ui_shell.h"

#include "base/base_time.h"
#include "ui/core/ui_config.h"
#include "ui/core/ui_lines.h"
#include "ui/core/ui_prompt.h"
#include "ui/core/ui_views.h"

#include <math.h>
#include <stdarg.h>

#define HISTORY_MAX 1000 /* steps back that are remembered */
#define TELL_ROUNDS 8    /* panes answer changes with changes; more rounds than this would be a bug */
#define PAN_PART 8       /* a cursor that leaves the window moves it by this part */

/* ---- life ---- */

static void pane_free(gpointer data)
{
	struct ui_pane *pane = data;

	if (pane->ops->clear)
		pane->ops->clear(pane);
	g_free(pane);
}

void ui_shell_add_panes(struct ui_shell *shell)
{
	shell->focus = NULL;
	shell->panes = g_ptr_array_new_with_free_func(pane_free);
	for (const struct ui_pane_ops *const *ops = shell->options->panes; *ops; ops++) {
		struct ui_pane *pane = g_malloc0(MAX((*ops)->size, sizeof(struct ui_pane)));

		pane->ops = *ops;
		pane->shell = shell;
		pane->shown = (*ops)->shown || (*ops)->show == UI_CMD_NONE;
		g_ptr_array_add(shell->panes, pane);
		if ((*ops)->place == UI_PLACE_MAIN && !shell->focus)
			shell->focus = pane;
		if ((*ops)->init)
			(*ops)->init(pane);
	}
}

struct ui_shell *ui_shell_new(const struct ui_options *options, struct term *term, GError **error)
{
	struct ui_shell *shell = g_new0(struct ui_shell, 1);

	shell->options = options;
	shell->term = term;
	shell->row = shell->wait_row = UI_NO_ROW;
	shell->mark = shell->mark_end = BASE_TIME_NONE;
	shell->to = 1;
	shell->columns = 1;
	shell->times = base_time_way_next(NULL);
	shell->hide_tracer = !options->show_tracer;
	shell->ascii = options->ascii || !term->utf8;
	shell->sync = g_strdup(options->sync ? options->sync : "auto");
	shell->history = g_array_new(FALSE, FALSE, sizeof(struct ui_place_in_time));
	shell->notes = g_ptr_array_new_with_free_func(g_free);
	shell->hinted = g_array_new(FALSE, FALSE, sizeof(struct ui_hint_place));
	shell->title_signs = g_array_new(FALSE, FALSE, sizeof(struct ui_title_sign));
	shell->lines = ui_lines_new();
	shell->grid = term_grid_new(1, 1);
	shell->prompt = ui_prompt_new();
	shell->undo = ui_undo_new();
	shell->dirty = true;
	shell->config = ui_config_new(options->config, error);
	if (shell->config) {
		shell->keys = shell->config->keys;
		shell->theme = ui_theme_new(options->theme ? options->theme : shell->config->theme,
			term->colours, error);
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
	g_array_unref(shell->history);
	g_clear_pointer(&shell->path_rows, g_array_unref);
	g_array_unref(shell->title_signs);
	g_ptr_array_unref(shell->notes);
	g_array_unref(shell->hinted);
	g_ptr_array_unref(shell->lines);
	ui_prompt_free(shell->prompt);
	ui_config_free(shell->config);
	ui_undo_free(shell->undo);
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
	shell->span_from = opened->from;
	shell->span_to = MAX(opened->to, opened->from + 1);
	shell->cursor = opened->from;
	ui_shell_set_window(shell, shell->span_from, shell->span_to);
	if (opened->begins)
		ui_shell_begin(shell, opened);
	shell->changes |= UI_CHANGED_EXPERIMENT | UI_CHANGED_CURSOR | UI_CHANGED_ROW;
	if (opened->note)
		ui_shell_message(shell, "%s", opened->note);
}

void ui_shell_begin(struct ui_shell *shell, const struct ui_opened *opened)
{
	shell->row = opened->row;
	shell->cursor = CLAMP(opened->time, opened->from, opened->to);
	shell->changes |= UI_CHANGED_CURSOR | UI_CHANGED_ROW;
}

void ui_shell_tell(struct ui_shell *shell)
{
	for (unsigned round = 0; shell->changes && round < TELL_ROUNDS; round++) {
		unsigned changes = shell->changes;

		shell->changes = 0;
		shell->dirty = true;
		for (unsigned i = 0; i < shell->panes->len; i++) {
			struct ui_pane *pane = g_ptr_array_index(shell->panes, i);

			if (pane->ops->changed)
				pane->ops->changed(pane, changes);
		}
	}
}

bool ui_shell_work(struct ui_shell *shell)
{
	bool more = false;

	if (!shell->q)
		return false;
	for (unsigned i = 0; i < shell->panes->len; i++) {
		struct ui_pane *pane = g_ptr_array_index(shell->panes, i);

		if (pane->shown && pane->ops->work)
			more |= pane->ops->work(pane);
	}
	return more;
}

/* ---- where ---- */

static void note(struct ui_shell *shell, unsigned changes)
{
	shell->changes |= changes;
	shell->dirty = true;
}

static void put_cursor(struct ui_shell *shell, int64_t cursor)
{
	cursor = CLAMP(cursor, shell->from, shell->to - 1);
	if (cursor == shell->cursor)
		return;
	shell->cursor = cursor;
	note(shell, UI_CHANGED_CURSOR);
	if (shell->mark != BASE_TIME_NONE && shell->mark_end == BASE_TIME_NONE)
		note(shell, UI_CHANGED_SELECTION);
}

void ui_shell_set_window(struct ui_shell *shell, int64_t from, int64_t to)
{
	int64_t span = shell->span_to - shell->span_from;
	int64_t length = to > from ? to - from : 0;

	length = CLAMP(length, MIN(UI_SHELL_SPAN_MIN, span), span);
	from = CLAMP(from, shell->span_from, shell->span_to - length);
	if (from != shell->from || from + length != shell->to) {
		shell->from = from;
		shell->to = from + length;
		note(shell, UI_CHANGED_WINDOW);
	}
	put_cursor(shell, shell->cursor);
}

/* Move the window so that TIME is in it: a little when it is just outside, else TIME comes to the middle. */
static void pan_to(struct ui_shell *shell, int64_t time)
{
	int64_t length = shell->to - shell->from, step = length / PAN_PART + 1;
	int64_t from = shell->from;

	if (time >= shell->from && time < shell->to)
		return;
	if (time < from && time >= from - step)
		from -= step;
	else if (time >= shell->to && time < shell->to + step)
		from += step;
	else
		from = time - length / 2;
	ui_shell_set_window(shell, from, from + length);
}

void ui_shell_set_cursor(struct ui_shell *shell, int64_t time)
{
	time = CLAMP(time, shell->span_from, shell->span_to - 1);
	pan_to(shell, time);
	put_cursor(shell, time);
}

void ui_shell_set_row(struct ui_shell *shell, uint32_t row)
{
	if (row == shell->row)
		return;
	shell->row = row;
	note(shell, UI_CHANGED_ROW);
}

static void remember(struct ui_shell *shell)
{
	struct ui_place_in_time here = { shell->from, shell->to, shell->cursor, shell->row };

	if (shell->history->len == HISTORY_MAX)
		g_array_remove_index(shell->history, 0);
	g_array_append_val(shell->history, here);
}

void ui_shell_go(struct ui_shell *shell, int64_t time, uint32_t row)
{
	if (time == shell->cursor && row == shell->row)
		return;
	remember(shell);
	ui_shell_set_cursor(shell, time);
	ui_shell_set_row(shell, row);
}

static void put_place(struct ui_shell *shell, const struct ui_place_in_time *place)
{
	ui_shell_set_window(shell, place->from, place->to);
	ui_shell_set_cursor(shell, place->cursor);
	ui_shell_set_row(shell, place->row);
}

void ui_shell_visit(struct ui_shell *shell, const struct ui_place_in_time *place)
{
	remember(shell);
	put_place(shell, place);
}

bool ui_shell_back(struct ui_shell *shell)
{
	struct ui_place_in_time last;

	if (!shell->history->len)
		return false;
	last = g_array_index(shell->history, struct ui_place_in_time, shell->history->len - 1);
	g_array_set_size(shell->history, shell->history->len - 1);
	put_place(shell, &last);
	return true;
}

void ui_shell_open_wait(struct ui_shell *shell, uint32_t row, int64_t end)
{
	shell->wait_row = row;
	shell->wait_end = end;
	note(shell, UI_CHANGED_WAIT);
}

void ui_shell_open_account(struct ui_shell *shell, uint32_t row, int64_t from, int64_t to)
{
	shell->account_row = row;
	shell->account_from = from;
	shell->account_to = to;
	note(shell, UI_CHANGED_ACCOUNT);
}

void ui_shell_mark_over(struct ui_shell *shell, const struct ana_rules *rules, const char *kind,
	int64_t limit)
{
	shell->over_rules = rules;
	shell->over_kind = kind;
	shell->over_limit = limit;
	note(shell, UI_CHANGED_OVER);
}

void ui_shell_open_request(struct ui_shell *shell, uint32_t row, int64_t end)
{
	shell->wait_row = row;
	shell->wait_end = end;
	note(shell, UI_CHANGED_REQUEST);
}

void ui_shell_open_exchange(struct ui_shell *shell, const struct ana_exchange *exchange)
{
	shell->exchange = exchange;
	note(shell, UI_CHANGED_EXCHANGE);
}

void ui_shell_open_path(struct ui_shell *shell)
{
	note(shell, UI_CHANGED_PATH);
}

void ui_shell_set_path_rows(struct ui_shell *shell, GArray *rows, uint32_t subject, bool anew)
{
	g_clear_pointer(&shell->path_rows, g_array_unref);
	shell->path_rows = rows;
	shell->path_subject = subject;
	shell->path_anew = anew;
	note(shell, UI_CHANGED_PATH_ROWS);
}

void ui_shell_open_event(struct ui_shell *shell, uint32_t host, int64_t time, uint32_t cpu)
{
	shell->event_host = host;
	shell->event_time = time;
	shell->event_cpu = cpu;
	note(shell, UI_CHANGED_EVENT);
}

unsigned ui_shell_history_length(const struct ui_shell *shell)
{
	return shell->history->len;
}

void ui_shell_zoom(struct ui_shell *shell, double factor)
{
	int64_t length = shell->to - shell->from, span = shell->span_to - shell->span_from;
	double scaled = (double)length * factor;
	int64_t wanted = scaled >= (double)span ? span : MAX(llround(scaled), MIN(UI_SHELL_SPAN_MIN, span));
	double left = (double)(shell->cursor - shell->from) * ((double)wanted / (double)length);
	int64_t from = shell->cursor - (int64_t)MIN(left, (double)wanted - 1);

	ui_shell_set_window(shell, from, from + wanted);
}

int64_t ui_shell_column(const struct ui_shell *shell)
{
	return MAX((shell->to - shell->from) / MAX(shell->columns, 1), 1);
}

int64_t ui_shell_column_time(const struct ui_shell *shell, unsigned c)
{
	return base_time_column(shell->from, shell->to, MAX(shell->columns, 1), c);
}

int ui_shell_column_of(const struct ui_shell *shell, int64_t time)
{
	unsigned c;

	if (time < shell->from)
		return -1;
	if (time >= shell->to)
		return (int)shell->columns;
	c = (unsigned)((__extension__(__int128) 1) * (time - shell->from) * shell->columns /
		(shell->to - shell->from));
	while (c > 0 && ui_shell_column_time(shell, c) > time)
		c--;
	while (c + 1 < shell->columns && ui_shell_column_time(shell, c + 1) <= time)
		c++;
	return (int)c;
}

bool ui_shell_selection(const struct ui_shell *shell, int64_t *from, int64_t *to)
{
	int64_t end = shell->mark_end == BASE_TIME_NONE ? shell->cursor : shell->mark_end;

	*from = shell->from;
	*to = shell->to;
	if (shell->mark == BASE_TIME_NONE || shell->mark == end)
		return false;
	*from = MIN(shell->mark, end);
	*to = MAX(shell->mark, end);
	return true;
}

void ui_shell_select(struct ui_shell *shell, int64_t from, int64_t to)
{
	shell->mark = from;
	shell->mark_end = to;
	note(shell, UI_CHANGED_SELECTION);
}

bool ui_shell_selects(const struct ui_shell *shell)
{
	return shell->mark != BASE_TIME_NONE && shell->mark_end == BASE_TIME_NONE;
}

char *ui_shell_scope_text(const struct ui_shell *shell, int64_t from, int64_t to)
{
	char *length = ui_shell_duration_text(shell, to - from), *start = ui_shell_time_text(shell, from),
	     *text;
	int64_t own_from, own_to;
	bool selected = ui_shell_selection(shell, &own_from, &own_to),
	     here = from == own_from && to == own_to;

	if (selected && here)
		text = g_strconcat(length, " selected", NULL);
	else if (from <= shell->span_from && to >= shell->span_to)
		text = g_strconcat("whole trace, ", length, NULL);
	else if (here)
		text = g_strconcat(length, " in view", NULL);
	else
		text = g_strdup_printf("%s from %s on", length, start);
	g_free(length);
	g_free(start);
	return text;
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

/* ---- talking ---- */

static void say(struct ui_shell *shell, bool is_error, char *text)
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
	say(shell, false, g_strdup_vprintf(format, args));
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
	say(shell, true, g_strdup_vprintf(format, args));
	va_end(args);
}

void ui_shell_take_error(struct ui_shell *shell, GError *error)
{
	say(shell, true, g_strdelimit(g_strdup(error->message), "\n", ' '));
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
