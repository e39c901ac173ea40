/* SPDX-License-Identifier: MIT */
/* From key to command.  A question on the message line gets all keys.  Otherwise the key map gives a
 * command, which is offered to the overlay, the pane with the focus, the other panes in order, and last
 * to the shell. */
#include "ui/core/ui_shell.h"

#include "base/base_time.h"
#include "ui/core/ui_argument.h"
#include "ui/core/ui_prompt.h"
#include "ui/core/ui_shell_parts.h"
#include "ui/core/ui_scene.h"
#include "ui/term/term_key.h"

#include <string.h>

/* ---- commands of the shell ---- */

/* Give the focus to the next pane that can have it, in the order of the screen. */
static void move_focus(struct ui_shell *shell)
{
	struct ui_pane *next = NULL;
	bool behind = false; /* the loop has passed the pane with the focus */

	for (unsigned i = 0; i < 2 * shell->panes->len && !next; i++) {
		struct ui_pane *pane = ui_pane_nth(shell, i % shell->panes->len);
		bool takes = pane->ops->place == UI_PLACE_MAIN || pane->ops->place == UI_PLACE_LOWER;

		if (behind && takes && pane->shown)
			next = pane;
		behind |= pane == shell->focus;
	}
	if (next == shell->focus)
		ui_shell_message(shell, "there is only one pane: show another one first");
	else if (next)
		ui_shell_focus(shell, next);
}

static void pan(struct ui_shell *shell, int direction)
{
	int64_t step = (shell->view->to - shell->view->from) / 2 * direction;
	int64_t cursor = shell->view->cursor + step;

	ui_shell_set_window(shell, shell->view->from + step, shell->view->to + step);
	ui_shell_set_cursor(shell, CLAMP(cursor, shell->view->from, shell->view->to - 1));
}

static void dispatch_mark(struct ui_shell *shell)
{
	int64_t from, to;
	g_autofree char *length = NULL;

	if (shell->view->mark == BASE_TIME_NONE || shell->view->mark_end != BASE_TIME_NONE) {
		shell->view->mark = shell->view->cursor;
		shell->view->mark_end = BASE_TIME_NONE;
		ui_shell_message(shell, "selection begins here: move the cursor, mark again to end it");
	} else {
		shell->view->mark_end = shell->view->cursor;
		if (ui_shell_selection(shell, &from, &to)) {
			length = ui_shell_duration_text(shell, to - from);
			ui_shell_message(shell, "%s selected", length);
		}
	}
	shell->changes |= UI_CHANGED_SELECTION;
}

static void dispatch_clear(struct ui_shell *shell)
{
	shell->view->mark = shell->view->mark_end = BASE_TIME_NONE;
	shell->changes |= UI_CHANGED_SELECTION;
}

static void zoom_selection(struct ui_shell *shell)
{
	int64_t from, to;

	if (!ui_shell_selection(shell, &from, &to)) {
		ui_shell_error(shell, "nothing is selected");
		return;
	}
	ui_shell_set_window(shell, from, to);
	dispatch_clear(shell);
}

/* Show the theme that was typed (a name or a file), otherwise the next theme. */
static void next_theme(struct ui_shell *shell)
{
	g_autofree char *named = ui_argument_take(shell);
	const char *const *names = ui_theme_names();
	unsigned next = 0;
	struct ui_theme *theme;
	GError *error = NULL;

	for (unsigned i = 0; names[i]; i++)
		if (!strcmp(names[i], shell->theme->name) && names[i + 1])
			next = i + 1;
	theme = ui_theme_new(named ? named : names[next], shell->term->colours, &error);
	if (!theme) {
		ui_shell_take_error(shell, error);
		return;
	}
	ui_theme_free(shell->theme);
	shell->theme = theme;
	shell->term->ops->set_styles(shell->term, theme->styles);
	shell->term->ops->repaint(shell->term);
	ui_shell_message(shell, "theme %s", theme->name);
}

static void next_times(struct ui_shell *shell)
{
	g_autofree char *name = ui_argument_take(shell);
	const struct base_time_way *times = name ? base_time_way_find(name)
						 : base_time_way_next(shell->times);

	if (times)
		shell->times = times;
	else
		ui_argument_refuse(shell, UI_CMD_CLOCK, name);
}

/* Cycle through heights, ASCII, letters.  Without colours that tell states apart, heights are already
 * letters. */
static void next_signs(struct ui_shell *shell)
{
	static const char *const names[] = { "off", "on", "letters" };
	unsigned n = G_N_ELEMENTS(names), now = shell->ascii ? 1 : shell->letters ? 2 : 0, wanted;

	if (!shell->term->utf8) {
		ui_shell_error(shell, "the locale has only ASCII: set LANG=C.UTF-8");
		return;
	}
	wanted = ui_argument_of(shell, UI_CMD_ASCII, names, n,
		(now + 1) % (shell->theme->tells_states ? n : n - 1));
	if (wanted == n)
		return;
	shell->ascii = wanted == 1;
	shell->letters = wanted == 2;
}

static void toggle_tracer(struct ui_shell *shell)
{
	if (!ui_argument_switch(shell, UI_CMD_HIDE_TRACER, &shell->hide_tracer))
		return;
	shell->changes |= UI_CHANGED_HIDING;
	ui_shell_message(shell, "the tracer's own threads are %s",
		shell->hide_tracer ? "hidden, and left out of lists" : "shown");
}

static void toggle_mouse(struct ui_shell *shell)
{
	bool on = !shell->no_mouse;

	if (!ui_argument_switch(shell, UI_CMD_MOUSE, &on))
		return;
	if (!shell->term->ops->set_mouse(shell->term, on)) {
		ui_shell_error(shell, "this terminal has no mouse");
		return;
	}
	shell->no_mouse = !on;
	ui_shell_message(shell, "%s",
		shell->no_mouse ? "mouse off: the terminal selects text with it"
				: "the mouse moves cursor and rows, the wheel zooms on the ruler");
}

static void maximise(struct ui_shell *shell)
{
	bool large = shell->maximised || shell->stacked;

	if (!ui_argument_switch(shell, UI_CMD_MAXIMISE, &large))
		return;
	shell->maximised = large;
	shell->stacked = shell->stacked && large;
	shell->changes |= UI_CHANGED_SIZE;
}

/* Split: two panes share the screen.  Stack: each pane gets all of it. */
static void dispatch_lay_out(struct ui_shell *shell)
{
	static const char *const names[] = { "split", "stack" };
	unsigned i = ui_argument_of(shell, UI_CMD_LAYOUT, names, G_N_ELEMENTS(names), !shell->stacked);
	g_autofree char *key = ui_keymap_first(shell->keys, UI_CMD_FOCUS);

	if (i == G_N_ELEMENTS(names))
		return;
	shell->stacked = i == 1;
	shell->maximised = false;
	shell->changes |= UI_CHANGED_SIZE;
	if (shell->stacked)
		ui_shell_message(shell, "stack: each pane has the whole screen, %s goes to the other one",
			key);
	else
		ui_shell_message(shell, "split: two panes share the screen");
}

/* Change *EXTRA, the rows or columns of a part in addition to its share. */
static void resize(struct ui_shell *shell, enum ui_command command, int *extra, bool larger)
{
	int step = ui_argument_number(shell, command, 2);

	*extra += larger ? step : -step;
	shell->resized = true;
	shell->changes |= UI_CHANGED_SIZE;
}

/* The first pane whose hints have COMMAND and that some command shows; NULL: none. */
static const struct ui_pane *hinting(const struct ui_shell *shell, enum ui_command command)
{
	for (unsigned i = 0; i < shell->panes->len; i++) {
		const struct ui_pane *pane = g_ptr_array_index(shell->panes, i);
		const struct ui_hint *hint = pane->ops->show ? pane->ops->hints : NULL;

		for (; hint && hint->command; hint++)
			if (hint->command == command)
				return pane;
	}
	return NULL;
}

static void say_other_pane(struct ui_shell *shell, enum ui_command command)
{
	g_autofree char *key = ui_keymap_first(shell->keys, UI_CMD_FOCUS);

	ui_shell_error(shell, "%s is for the other pane: %s goes there", ui_command_info(command)->name, key);
}

/* Show the error that COMMAND belongs to a pane that is not shown or does not have the focus, and which. */
static void say_elsewhere(struct ui_shell *shell, enum ui_command command)
{
	const struct ui_pane *pane = hinting(shell, command);
	const char *name = ui_command_info(command)->name;
	g_autofree char *key = pane ? ui_keymap_first(shell->keys, pane->ops->show) : NULL;

	if (!pane)
		ui_shell_error(shell, "%s: no pane here has this command", name);
	else if (pane->shown)
		say_other_pane(shell, command);
	else
		ui_shell_error(shell, "%s is for another pane (%s): %s shows it", name,
			ui_command_info(pane->ops->show)->help, key);
}

static void do_look(struct ui_shell *shell, enum ui_command command)
{
	switch (command) {
	case UI_CMD_FOCUS: move_focus(shell); break;
	case UI_CMD_SECOND: ui_second_show(shell); break;
	case UI_CMD_LINK: ui_second_link(shell); break;
	case UI_CMD_MAXIMISE: maximise(shell); break;
	case UI_CMD_LAYOUT: dispatch_lay_out(shell); break;
	case UI_CMD_GROW:
	case UI_CMD_SHRINK: resize(shell, command, ui_layout_extra(shell), command == UI_CMD_GROW); break;
	case UI_CMD_NAMES_WIDER:
	case UI_CMD_NAMES_NARROWER:
		resize(shell, command, &shell->names_extra, command == UI_CMD_NAMES_WIDER);
		break;
	case UI_CMD_HIDE_TRACER: toggle_tracer(shell); break;
	case UI_CMD_CLOCK: next_times(shell); break;
	case UI_CMD_THEME: next_theme(shell); break;
	case UI_CMD_ASCII: next_signs(shell); break;
	case UI_CMD_MOUSE: toggle_mouse(shell); break;
	case UI_CMD_REPAINT: shell->term->ops->repaint(shell->term); break;
	case UI_CMD_QUIT: shell->quit = true; break;
	default: say_elsewhere(shell, command);
	}
}

/* Hold or release the end.  While it is held, new events are taken and the end stays in view (ui_open.c). */
static void dispatch_hold(struct ui_shell *shell)
{
	int64_t length = shell->view->to - shell->view->from;

	if (!shell->options->follow || shell->options->makes) {
		ui_shell_error(shell, "this trace is not followed: open it with --follow");
		return;
	}
	if (!ui_argument_switch(shell, UI_CMD_HOLD, &shell->held))
		return;
	if (shell->held)
		ui_shell_set_window(shell, shell->span_to - length, shell->span_to);
	ui_shell_message(shell, "%s",
		shell->held ? "the end is held: new events come into view"
			    : "the end is released: nothing moves");
}

/* Close the thing that was opened last: a place to which a pane led, the lower pane, or the second window.
 * If nothing is open, quit. */
static void dispatch_close(struct ui_shell *shell)
{
	struct ui_pane *lower = ui_pane_opened(shell);

	if (ui_pane_back_leads(shell) && ui_shell_back(shell))
		return;
	if (shell->two && (!lower || shell->two_last))
		ui_second_show(shell);
	else if (lower)
		ui_shell_show(shell, lower, false);
	else
		shell->quit = true;
}

/* Leave the first of these that exists: the selection, the place to which a pane led, the lower pane with the
 * focus. */
static void dispatch_leave(struct ui_shell *shell)
{
	if (shell->view->mark != BASE_TIME_NONE) {
		dispatch_clear(shell);
	} else if (!(ui_pane_back_leads(shell) && ui_shell_back(shell)) &&
		shell->focus->ops->place == UI_PLACE_LOWER) {
		ui_shell_show(shell, shell->focus, false);
	}
}

/* Go back to the last place; if there is none, to the pane that the focus covers. */
static void dispatch_back(struct ui_shell *shell)
{
	if (ui_shell_back(shell))
		return;
	if (shell->focus->covers)
		ui_shell_show(shell, shell->focus, false);
	else
		ui_shell_message(shell, "there is no place to go back to");
}

static void do_own(struct ui_shell *shell, enum ui_command command)
{
	switch (command) {
	case UI_CMD_HOLD: dispatch_hold(shell); break;
	case UI_CMD_TIME_LEFT:
		ui_shell_set_cursor(shell, shell->view->cursor - ui_shell_column(shell));
		break;
	case UI_CMD_TIME_RIGHT:
		ui_shell_set_cursor(shell, shell->view->cursor + ui_shell_column(shell));
		break;
	case UI_CMD_PAN_LEFT: pan(shell, -1); break;
	case UI_CMD_PAN_RIGHT: pan(shell, 1); break;
	case UI_CMD_TIME_START: ui_shell_set_cursor(shell, shell->span_from); break;
	case UI_CMD_TIME_END: ui_shell_set_cursor(shell, shell->span_to - 1); break;
	case UI_CMD_ZOOM_IN: ui_shell_zoom(shell, 0.5); break;
	case UI_CMD_ZOOM_OUT: ui_shell_zoom(shell, 2); break;
	case UI_CMD_ZOOM_FIT: ui_shell_set_window(shell, shell->span_from, shell->span_to); break;
	case UI_CMD_ZOOM_SELECTION: zoom_selection(shell); break;
	case UI_CMD_MARK: dispatch_mark(shell); break;
	case UI_CMD_CLEAR: dispatch_leave(shell); break;
	case UI_CMD_CLOSE: dispatch_close(shell); break;
	case UI_CMD_UNDO:
	case UI_CMD_REDO: ui_undo_go(shell, command == UI_CMD_REDO); break;
	case UI_CMD_BACK: dispatch_back(shell); break;
	default: do_look(shell, command);
	}
}

/* ---- dispatch ---- */

/* Of two main panes, only shell->main gets commands. */
static bool offer(struct ui_pane *pane, enum ui_command command)
{
	bool taken;

	if (!pane || !pane->ops->command || (pane->view && pane != pane->shell->main))
		return false;
	ui_view_enter(pane);
	taken = pane->ops->command(pane, command);
	ui_view_leave(pane->shell);
	return taken;
}

/* Show or hide the pane that COMMAND shows.  A lower pane that is shown already gets the focus.  False if
 * COMMAND shows no pane. */
static bool toggle_pane(struct ui_shell *shell, enum ui_command command)
{
	for (unsigned i = 0; i < shell->panes->len; i++) {
		struct ui_pane *pane = ui_pane_nth(shell, i);
		bool shown = pane->shown;

		if (pane->ops->show != command)
			continue;
		if (!ui_argument_switch(shell, command, &shown))
			return true;
		if (shown && pane->shown && pane->ops->place == UI_PLACE_LOWER)
			ui_shell_focus(shell, pane);
		ui_shell_show(shell, pane, shown);
		return true;
	}
	return false;
}

void ui_shell_comes_back(struct ui_shell *shell, const struct ui_pane *pane)
{
	shell->back_pane = 1;
	while (ui_pane_nth(shell, shell->back_pane - 1) != pane)
		shell->back_pane++;
	shell->back_length = ui_shell_history_length(shell);
}

/* Refuse a key that arranges rows if the pane with the focus has none to arrange: the rows above would change
 * while the user looks below.  True if it was refused. */
static bool is_out_of_sight(struct ui_shell *shell, const struct ui_pane *focus, enum ui_command command)
{
	if ((command != UI_CMD_FILTER && command != UI_CMD_SORT) || shell->argument ||
		focus->ops->place != UI_PLACE_LOWER)
		return false;
	say_other_pane(shell, command);
	return true;
}

static void dispatch(struct ui_shell *shell, enum ui_command command)
{
	/* Read now: a pane's command may hide panes and move the focus. */
	struct ui_pane *overlay = ui_pane_at(shell, UI_PLACE_OVERLAY), *focus = shell->focus;

	shell->dirty = true;
	ui_undo_command(shell, command);
	if (!shell->q) {
		shell->quit |= command == UI_CMD_QUIT || command == UI_CMD_CLOSE;
		return;
	}
	if (overlay && offer(overlay, command))
		return;
	if (offer(focus, command) || is_out_of_sight(shell, focus, command))
		return;
	for (unsigned i = 0; i < shell->panes->len; i++)
		if (ui_pane_nth(shell, i) != focus && ui_pane_nth(shell, i) != overlay &&
			offer(ui_pane_nth(shell, i), command))
			return;
	if (!toggle_pane(shell, command))
		do_own(shell, command);
}

void ui_shell_command(struct ui_shell *shell, enum ui_command command)
{
	bool leads = (command == UI_CMD_BACK || command == UI_CMD_CLEAR || command == UI_CMD_CLOSE) &&
		ui_pane_back_leads(shell);
	struct ui_pane *pane, *lower;

	dispatch(shell, command);
	if (!leads || !shell->back_pane || ui_shell_history_length(shell) >= shell->back_length)
		return;
	/* "Back" left the place to which a pane led: show that pane again, in place of the lower pane. */
	pane = ui_pane_nth(shell, shell->back_pane - 1);
	lower = ui_pane_at(shell, UI_PLACE_LOWER);
	shell->back_pane = 0;
	if (lower && ui_pane_covered(pane))
		ui_shell_show(shell, lower, false);
	ui_shell_show(shell, pane, true);
	ui_shell_focus(shell, pane);
}

/* ---- keys ---- */

/* Pasted text goes into the open question, and never counts as keys. */
static void paste(struct ui_shell *shell, const char *text)
{
	g_autofree char *search = NULL, *go = NULL;

	if (ui_prompt_active(shell->prompt)) {
		ui_ask_take(shell, ui_prompt_paste(shell->prompt, text));
		return;
	}
	search = ui_keymap_first(shell->keys, UI_CMD_SEARCH);
	go = ui_keymap_first(shell->keys, UI_CMD_GOTO);
	ui_shell_error(shell, "pasted text does not act as keys: press %s or %s, and paste at the prompt",
		search, go);
}

bool ui_shell_is_two_keys(const struct ui_shell *shell, uint32_t key)
{
	return key & TERM_KEY_ALT && !term_key_is_mouse(key) &&
		(ui_prompt_active(shell->prompt) || ui_keymap_command(shell->keys, key) == UI_CMD_NONE);
}

static void take_key(struct ui_shell *shell, uint32_t key)
{
	struct ui_pane *overlay = ui_pane_at(shell, UI_PLACE_OVERLAY);
	uint32_t last = shell->last_key;
	enum ui_command command;
	g_autofree char *name = NULL, *help = NULL;

	shell->last_key = key;
	if (ui_prompt_active(shell->prompt)) {
		ui_ask_take(shell, ui_prompt_key(shell->prompt, key));
		return;
	}
	if (overlay && overlay->ops->key && overlay->ops->key(overlay, key))
		return;
	command = ui_keymap_command(shell->keys, key);
	/* ZZ quits, as in vi.  On a followed trace, the first Z also holds or releases the end. */
	if (command == UI_CMD_HOLD && key == 'Z' && last == key)
		command = UI_CMD_QUIT;
	ui_reason_before(shell, command);
	if (command) {
		ui_shell_command(shell, command);
		return;
	}
	name = term_key_name(key);
	help = ui_keymap_first(shell->keys, UI_CMD_HELP);
	ui_shell_error(shell, "%s has no command; %s lists the keys", name, help);
}

void ui_shell_key(struct ui_shell *shell, uint32_t key)
{
	enum ui_command command;
	unsigned times;

	shell->dirty = true;
	if (key == TERM_KEY_RESIZE) {
		shell->changes |= UI_CHANGED_SIZE;
		return;
	}
	ui_shell_note_place(shell);
	shell->used = true;
	if (term_key_is_mouse(key) && ui_prompt_active(shell->prompt))
		return;
	ui_undo_note(shell);
	g_clear_pointer(&shell->message, g_free);
	if (term_key_is_mouse(key)) {
		command = ui_mouse_key(shell, key, &times);
		for (unsigned i = 0; command && i < times; i++)
			ui_shell_command(shell, command);
	} else if (key == TERM_KEY_PASTE) {
		paste(shell, shell->term->pasted->str);
	} else if (ui_shell_is_two_keys(shell, key)) {
		ui_shell_key(shell, TERM_KEY_ESC);
		ui_shell_tell(shell); /* the next key relies on it */
		ui_shell_key(shell, key & ~TERM_KEY_ALT);
	} else {
		take_key(shell, key);
	}
}
