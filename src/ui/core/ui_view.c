/* SPDX-License-Identifier: MIT */
/*
 * The views: window, cursor, row and selection, and their changes.  Each change notes what it touched.
 *
 * Places of the history are never removed; each has the index of the place before it.  So the index of the
 * last place identifies the whole history of a view, and undo can restore it.
 */
#include "ui/core/ui_view.h"

#include "base/base_time.h"
#include "ui/core/ui_shell.h"

#include <math.h>

#define PAN_PART 8 /* a cursor that leaves the window moves it by 1/PAN_PART */
#define NAMES_MIN 10
#define NAMES_MAX 32
#define TIME_MIN 20 /* least columns of time */

/* ---- two views ---- */

void ui_view_init(struct ui_shell *shell)
{
	struct ui_way none = { .place.row = UI_NO_ROW };

	shell->ways = g_array_new(FALSE, FALSE, sizeof(struct ui_way));
	g_array_append_val(shell->ways, none);
	shell->columns = 1;
	shell->view = shell->views;
	for (unsigned i = 0; i < UI_VIEWS; i++)
		shell->views[i] = (struct ui_view){ .to = 1,
			.row = UI_NO_ROW,
			.mark = BASE_TIME_NONE,
			.mark_end = BASE_TIME_NONE };
}

unsigned ui_view_count(const struct ui_shell *shell)
{
	return shell->two ? UI_VIEWS : 1;
}

/* How many of COLUMNS are for names: names_share() by default, names_wanted() as the user set it. */
static int names_share(int columns)
{
	return MIN(columns * 3 / 10, NAMES_MAX);
}

static int names_wanted(const struct ui_shell *shell, int columns)
{
	return CLAMP(names_share(columns) + shell->names_extra, NAMES_MIN,
		MAX(columns - TIME_MIN, NAMES_MIN));
}

void ui_view_enter(const struct ui_pane *pane)
{
	struct ui_shell *shell = pane->shell;
	int columns = (int)MAX(pane->w, 1);

	if (pane->view)
		shell->view = pane->view;
	if (!pane->view && pane->ops->place != UI_PLACE_LOWER)
		return;
	shell->names = (unsigned)MIN(names_wanted(shell, columns), columns - 1);
	shell->columns = (unsigned)MAX(columns - (int)shell->names, 1);
}

void ui_view_leave(struct ui_shell *shell)
{
	if (shell->main)
		ui_view_enter(shell->main);
}

void ui_view_limit_names(struct ui_shell *shell)
{
	int columns = (int)shell->main->w;

	shell->names_extra = names_wanted(shell, columns) - names_share(columns);
}

void ui_view_turn_to(struct ui_pane *pane)
{
	struct ui_shell *shell = pane->shell;

	if (shell->main == pane)
		return;
	shell->main = pane;
	ui_view_leave(shell);
	ui_view_note(shell,
		UI_CHANGED_WINDOW | UI_CHANGED_CURSOR | UI_CHANGED_ROW | UI_CHANGED_SELECTION |
			UI_CHANGED_SIZE);
}

int64_t ui_view_carry_time(const struct ui_shell *shell, uint32_t row, int64_t time)
{
	return time == BASE_TIME_NONE ? time : shell->options->carry(shell->options->context, row, time);
}

uint32_t ui_view_carry_row(const struct ui_shell *shell, uint32_t row)
{
	return shell->options->carry_row(shell->options->context, row);
}

void ui_view_carry(const struct ui_shell *shell, struct ui_view *view)
{
	view->from = ui_view_carry_time(shell, view->row, view->from);
	view->to = ui_view_carry_time(shell, view->row, view->to);
	view->cursor = ui_view_carry_time(shell, view->row, view->cursor);
	view->mark = ui_view_carry_time(shell, view->row, view->mark);
	view->mark_end = ui_view_carry_time(shell, view->row, view->mark_end);
	view->row = ui_view_carry_row(shell, view->row);
}

void ui_view_link(struct ui_shell *shell)
{
	struct ui_view *here = shell->view, *other = &shell->views[here == shell->views];
	int64_t length = here->to - here->from;

	if (!shell->two || shell->linked == UI_LINK_OFF)
		return;
	shell->view = other;
	if (shell->linked == UI_LINK_TIME) {
		ui_shell_set_window(shell, here->from, here->to);
		ui_shell_set_cursor(shell, here->cursor);
	} else if (other->to - other->from != length) {
		ui_shell_zoom(shell, (double)length / (double)(other->to - other->from));
		ui_shell_set_window(shell, other->from, other->from + length);
	}
	shell->view = here;
}

/* ---- places ---- */

void ui_view_note(struct ui_shell *shell, unsigned changes)
{
	shell->changes |= changes;
	shell->dirty = true;
}

static void put_cursor(struct ui_shell *shell, int64_t cursor)
{
	cursor = CLAMP(cursor, shell->view->from, shell->view->to - 1);
	if (cursor == shell->view->cursor)
		return;
	shell->view->cursor = cursor;
	ui_view_note(shell, UI_CHANGED_CURSOR);
	if (shell->view->mark != BASE_TIME_NONE && shell->view->mark_end == BASE_TIME_NONE)
		ui_view_note(shell, UI_CHANGED_SELECTION);
}

void ui_shell_set_window(struct ui_shell *shell, int64_t from, int64_t to)
{
	int64_t span = shell->span_to - shell->span_from;
	int64_t length;

	if (__builtin_sub_overflow(to, from, &length))
		length = to > from ? INT64_MAX : 0;
	length = CLAMP(length, MIN(UI_SHELL_SPAN_MIN, span), span);
	from = CLAMP(from, shell->span_from, shell->span_to - length);
	if (from != shell->view->from || from + length != shell->view->to) {
		shell->view->from = from;
		shell->view->to = from + length;
		ui_view_note(shell, UI_CHANGED_WINDOW);
	}
	put_cursor(shell, shell->view->cursor);
}

/* Move the window so that TIME is in it: by a part of the window if TIME is just outside, otherwise so that
 * TIME is in the middle. */
static void pan_to(struct ui_shell *shell, int64_t time)
{
	int64_t length = shell->view->to - shell->view->from, step = length / PAN_PART + 1;
	int64_t from = shell->view->from;

	if (time >= shell->view->from && time < shell->view->to)
		return;
	if (time < from && time >= from - step)
		from -= step;
	else if (time >= shell->view->to && time < shell->view->to + step)
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
	if (row == shell->view->row)
		return;
	shell->view->row = row;
	ui_view_note(shell, UI_CHANGED_ROW);
}

/* The last place of the history; its LENGTH is 0 if there is none. */
static const struct ui_way *way_of(const struct ui_shell *shell)
{
	return &g_array_index(shell->ways, struct ui_way, shell->view->way);
}

static void view_remember(struct ui_shell *shell)
{
	const struct ui_view *v = shell->view;
	struct ui_way way = { { v->from, v->to, v->cursor, v->row }, v->way, way_of(shell)->length + 1 };

	g_array_append_val(shell->ways, way);
	shell->view->way = shell->ways->len - 1;
}

void ui_shell_go(struct ui_shell *shell, int64_t time, uint32_t row)
{
	if (time == shell->view->cursor && row == shell->view->row)
		return;
	view_remember(shell);
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
	const struct ui_view *v = shell->view;

	if (v->from == place->from && v->to == place->to && v->cursor == place->cursor &&
		v->row == place->row)
		return;
	view_remember(shell);
	put_place(shell, place);
}

bool ui_shell_back(struct ui_shell *shell)
{
	struct ui_way last = *way_of(shell);

	if (!last.length)
		return false;
	shell->view->way = last.before;
	put_place(shell, &last.place);
	return true;
}

bool ui_shell_last(const struct ui_shell *shell, struct ui_place_in_time *place)
{
	*place = way_of(shell)->place;
	return way_of(shell)->length > 0;
}

unsigned ui_shell_history_length(const struct ui_shell *shell)
{
	return way_of(shell)->length;
}

void ui_shell_zoom(struct ui_shell *shell, double factor)
{
	int64_t length = shell->view->to - shell->view->from, span = shell->span_to - shell->span_from;
	double scaled = (double)length * factor;
	int64_t wanted = scaled >= (double)span ? span : MAX(llround(scaled), MIN(UI_SHELL_SPAN_MIN, span));
	double left = (double)(shell->view->cursor - shell->view->from) * ((double)wanted / (double)length);
	int64_t from = shell->view->cursor - (int64_t)MIN(left, (double)wanted - 1);

	ui_shell_set_window(shell, from, from + wanted);
}

int64_t ui_shell_column(const struct ui_shell *shell)
{
	return MAX((shell->view->to - shell->view->from) / MAX(shell->columns, 1), 1);
}

int64_t ui_shell_column_time(const struct ui_shell *shell, unsigned c)
{
	return base_time_column(shell->view->from, shell->view->to, MAX(shell->columns, 1), c);
}

int ui_shell_column_of(const struct ui_shell *shell, int64_t time)
{
	if (time >= shell->view->to)
		return (int)shell->columns;
	return base_time_column_of(shell->view->from, shell->view->to, MAX(shell->columns, 1), time);
}

bool ui_shell_selection(const struct ui_shell *shell, int64_t *from, int64_t *to)
{
	int64_t end = shell->view->mark_end == BASE_TIME_NONE ? shell->view->cursor : shell->view->mark_end;

	*from = shell->view->from;
	*to = shell->view->to;
	if (shell->view->mark == BASE_TIME_NONE || shell->view->mark == end)
		return false;
	*from = MIN(shell->view->mark, end);
	*to = MAX(shell->view->mark, end);
	return true;
}

void ui_shell_select(struct ui_shell *shell, int64_t from, int64_t to)
{
	shell->view->mark = from;
	shell->view->mark_end = to;
	ui_view_note(shell, UI_CHANGED_SELECTION);
}

bool ui_shell_selects(const struct ui_shell *shell)
{
	return shell->view->mark != BASE_TIME_NONE && shell->view->mark_end == BASE_TIME_NONE;
}
