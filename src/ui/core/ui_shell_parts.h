/* SPDX-License-Identifier: MIT */
/* The inside of the shell: functions that its files and ui_run() share.  Panes do not include it. */
#ifndef UI_SHELL_PARTS_H
#define UI_SHELL_PARTS_H

#include "ui/core/ui_prompt.h"
#include "ui/core/ui_shell.h"

/* ---- ui_line_do.c: at the start, the commands of the configuration, then those of a file ---- */

/* The experiment was opened: run the commands of the configuration, and name the commands that have lost
 * their last key. */
void ui_start_configured(struct ui_shell *shell);
/* Nothing else is to be done: do the next line of the file.  False if there is none. */
bool ui_start_next(struct ui_shell *shell);
/* A key came: do not run the rest of the file. */
void ui_start_stop(struct ui_shell *shell);

/* ---- ui_open.c: the screen while the experiment is opened ---- */

/* Open the experiment with the clocks SYNC in a thread of its own.  Shows the progress if it takes longer
 * than a moment; a key can cancel it.  False with the error of the opener, or BASE_ERROR_CANCELLED. */
bool ui_loading_run(struct ui_shell *shell, const char *sync, struct ui_opened *opened, GError **error);

/* ---- ui_layout.c: the second window: another MAIN pane with its own view ---- */

/* At the start: open the second window if it was open in the last run. */
void ui_second_begin(struct ui_shell *shell);
/* Open the second window as a copy of the first, with the focus; or close it. */
void ui_second_show(struct ui_shell *shell);
/* Change how the two windows move together: to the typed way, else to the next one. */
void ui_second_link(struct ui_shell *shell);

/* ---- ui_layout.c: the areas of the panes, and one frame of the screen ---- */

/* Give each pane its area on the present size of the terminal. */
void ui_layout_arrange(struct ui_shell *shell);
/* The second window: the right or lower one of the two on the screen; NULL if there are not two. */
struct ui_pane *ui_layout_second(const struct ui_shell *shell);
/* The extra rows or columns that the user can change: of the lower pane, else of the second window. */
int *ui_layout_extra(struct ui_shell *shell);
/* Draw all panes and the message line, and show the frame. */
void ui_layout_draw(struct ui_shell *shell);

/* ---- ui_message.c: useful keys on the message line; a click does them ---- */

/* ---- ui_pane.c: what "back" and "close" leave ---- */

/* True if a pane led to the present place, so that "back" shows that pane again. */
bool ui_pane_back_leads(const struct ui_shell *shell);
/* The lower pane, unless it was there before the first key; NULL: none. */
struct ui_pane *ui_pane_opened(const struct ui_shell *shell);
/* True if "close" closes something, and does not quit. */
bool ui_pane_any_opened(const struct ui_shell *shell);

/* Draw as many hints into LINE as fit: always help, search and close, then those of the pane with the
 * focus. */
void ui_hints_draw(struct ui_shell *shell, const struct term_area *line);
/* There are no hints on the screen now. */
void ui_hints_clear(struct ui_shell *shell);
/* The command of the hint at column X of line Y of the screen; UI_CMD_NONE if there is none. */
enum ui_command ui_hints_at(const struct ui_shell *shell, unsigned x, unsigned y);

/* ---- ui_mouse.c: clicks, drags and the wheel, by their place ---- */

/*
 * Process the mouse key KEY (term_key_is_mouse()) at its place in SHELL->term.  A click on a hint does its
 * command.  Any other click gives the pane below it the focus and moves its cursor there; a double click
 * opens what is there; over time, it goes to the waker.  A drag over time selects, while it moves; a drag of
 * the lower pane's title moves the border.  The wheel does its command; zooming is around the instant below
 * the mouse.  On the ruler, the first line of the main pane, the wheel does the command of Ctrl and the
 * wheel.
 *
 * Returns the command to do, *TIMES times; UI_CMD_NONE: none.
 */
enum ui_command ui_mouse_key(struct ui_shell *shell, uint32_t key, unsigned *times);

/* ---- ui_message.c: questions on the message line; the dispatch passes them keys ---- */

/* Process RESULT, which the open question returned for a key or for pasted text. */
void ui_ask_take(struct ui_shell *shell, enum ui_prompt_result result);

/* ---- ui_message.c: says why a key did nothing ---- */

/* COMMAND is about to run for a key: remember the screen. */
void ui_reason_before(struct ui_shell *shell, enum ui_command command);
/* The command is done, and the screen drawn.  If the screen did not change and there is no message, say why.
 * True if the screen must be drawn again. */
bool ui_reason_after(struct ui_shell *shell);

/* ---- ui_open.c: opens the same experiment again, with other clocks ---- */

/* Do what ui_shell_reopen() requested, if it did.  If that fails, nothing changes, and an error is shown. */
void ui_reopen_run(struct ui_shell *shell);

/* ---- ui_open.c: a trace that is followed while it is recorded ---- */

#define UI_FOLLOW_MS 100 /* between two looks */

/* Take news of a followed trace, if the end is held or an index is being made. */
void ui_follow_run(struct ui_shell *shell);

/* ---- ui_kept.c: keeps the layout from one run to the next, in a file beside the index ---- */

struct ui_kept;

/* Read the layout from the file PATH; it counts more than the configuration.  Invalid parts are left out,
 * with a note. */
struct ui_kept *ui_kept_new(struct ui_shell *shell, const char *path);
/* Write the settings that have changed since ui_kept_new(); other settings in the file stay, because another
 * explorer could have written them.  False with an error. */
bool ui_kept_write(const struct ui_kept *kept, const struct ui_shell *shell, GError **error);
void ui_kept_free(struct ui_kept *kept);

#endif
