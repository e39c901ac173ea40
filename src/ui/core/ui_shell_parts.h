/* SPDX-License-Identifier: MIT */
/* Functions that the files of the shell and ui_run() share.  Panes do not include this header. */
#ifndef UI_SHELL_PARTS_H
#define UI_SHELL_PARTS_H

#include "ui/core/ui_prompt.h"
#include "ui/core/ui_shell.h"

/* ---- ui_line_do.c: lines to run at the start: of the configuration, then of a file ---- */

/* Run the commands of the configuration, and note the commands that lost their last key.  Call it after the
 * experiment was opened. */
void ui_start_configured(struct ui_shell *shell);
/* Run the next line of the file.  Call it when nothing else is to be done.  False if there is none. */
bool ui_start_next(struct ui_shell *shell);
/* Skip the rest of the file, because a key was pressed. */
void ui_start_stop(struct ui_shell *shell);

/* ---- ui_open.c: the screen while the experiment is opened ---- */

/* Open the experiment with the clocks SYNC in a thread of its own.  Shows the progress if that takes more
 * than a moment; a key can cancel it.  False with the opener's error, or BASE_ERROR_CANCELLED. */
bool ui_loading_run(struct ui_shell *shell, const char *sync, struct ui_opened *opened, GError **error);

/* ---- ui_layout.c: the second window: another MAIN pane with its own view ---- */

/* Open the second window at the start, if it was open at the end of the last run. */
void ui_second_begin(struct ui_shell *shell);
/* Open the second window as a copy of the first, with the focus; or close it. */
void ui_second_show(struct ui_shell *shell);
/* Set how the two windows move together: as the typed text says, else in the next way. */
void ui_second_link(struct ui_shell *shell);

/* ---- ui_layout.c: the areas of the panes, and one frame of the screen ---- */

/* Give each pane its area on the present size of the terminal. */
void ui_layout_arrange(struct ui_shell *shell);
/* The second window: the right or lower one of the two on the screen; NULL if there are not two. */
struct ui_pane *ui_layout_second(const struct ui_shell *shell);
/* The number that the commands grow and shrink change: the extra rows of the lower pane if there is one,
 * otherwise the extra rows or columns of the second window. */
int *ui_layout_extra(struct ui_shell *shell);
/* Draw all panes and the message line, and show the frame. */
void ui_layout_draw(struct ui_shell *shell);

/* ---- ui_pane.c: the things that "back" and "close" leave ---- */

/* True if a pane led to the present place, so that "back" shows that pane again. */
bool ui_pane_back_leads(const struct ui_shell *shell);
/* The lower pane, unless it was already open before the first key; NULL: none. */
struct ui_pane *ui_pane_opened(const struct ui_shell *shell);
/* True if "close" closes something; otherwise it quits. */
bool ui_pane_any_opened(const struct ui_shell *shell);

/* ---- ui_message.c: useful keys on the message line; a click runs them ---- */

/* Draw hints into LINE, as many as fit: help, questions, path, search and close, then those of the selected
 * thing, then those of the overlay, else of the pane with the focus.  If the first five do not fit, draw only
 * their keys. */
void ui_hints_draw(struct ui_shell *shell, const struct term_area *line);
/* Forget the hints: the message line shows none now. */
void ui_hints_clear(struct ui_shell *shell);
/* The command of the hint at column X of line Y of the screen; UI_CMD_NONE if there is none. */
enum ui_command ui_hints_at(const struct ui_shell *shell, unsigned x, unsigned y);

/* ---- ui_mouse.c: clicks, drags and the wheel ---- */

/*
 * Process the mouse key KEY (term_key_is_mouse()) at its place in SHELL->term.
 *
 * A click on a hint runs its command.  Any other click gives the pane below it the focus and moves its cursor
 * there.  A double click opens the line below it; over time, it goes to the waker.  A drag over time selects
 * while it moves; a drag of a border between panes moves the border.  The wheel runs its command; before a
 * zoom, the cursor moves to the time below the mouse.  On the ruler, the first line of the main pane, the
 * wheel runs the command of C-WheelUp or C-WheelDown.
 *
 * Returns the command to run *TIMES times; UI_CMD_NONE: none.
 */
enum ui_command ui_mouse_key(struct ui_shell *shell, uint32_t key, unsigned *times);

/* ---- ui_message.c: questions on the message line; ui_dispatch.c passes keys to them ---- */

/* Process RESULT, which the open question returned for a key or pasted text. */
void ui_ask_take(struct ui_shell *shell, enum ui_prompt_result result);

/* ---- ui_message.c: the reason why a key did nothing ---- */

/* Remember the screen before COMMAND runs for a key. */
void ui_reason_before(struct ui_shell *shell, enum ui_command command);
/* If the command changed nothing on the screen and there is no message, show the reason.  Call it after the
 * screen was drawn.  True if it must be drawn again. */
bool ui_reason_after(struct ui_shell *shell);

/* ---- ui_open.c: opening the experiment again, with other clocks ---- */

/* Do what ui_shell_reopen() requested, if it was called.  On failure nothing changes, and an error is
 * shown. */
void ui_reopen_run(struct ui_shell *shell);

/* ---- ui_open.c: a trace that is followed while it is recorded ---- */

#define UI_FOLLOW_MS 100 /* ms between two checks for new data */

/* Take new data of a followed trace, if the end is held or an index is being built. */
void ui_follow_run(struct ui_shell *shell);

/* ---- ui_kept.c: the layout, kept from one run to the next in a file beside the index ---- */

struct ui_kept;

/* Read the layout from the file PATH; it overrides the configuration.  Invalid settings are left out, with a
 * note. */
struct ui_kept *ui_kept_new(struct ui_shell *shell, const char *path);
/* Write the settings that changed since ui_kept_new().  Other settings in the file stay, because another
 * explorer may have written them.  False with an error. */
bool ui_kept_write(const struct ui_kept *kept, const struct ui_shell *shell, GError **error);
void ui_kept_free(struct ui_kept *kept);

#endif
