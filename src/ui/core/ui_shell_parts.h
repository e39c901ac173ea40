/* SPDX-License-Identifier: MIT */
/* The inside of the shell: what its files do for each other and for ui_run(); no pane includes it. */
#ifndef UI_SHELL_PARTS_H
#define UI_SHELL_PARTS_H

#include "ui/core/ui_shell.h"

/* ---- ui_start.c: at the start: the commands of the configuration, then those of a file ---- */

/* The experiment was opened: do the commands of the configuration, and name those that it leaves without a
 * key. */
void ui_start_configured(struct ui_shell *shell);
/* Nothing is left to be done: do the next line of the file.  False: there is none. */
bool ui_start_next(struct ui_shell *shell);
/* A key came: what is left of the file is not done. */
void ui_start_stop(struct ui_shell *shell);

/* ---- ui_loading.c: the screen while the experiment is being opened ---- */

/*
 * Open the experiment with the clocks SYNC in a thread of its own; show its progress as soon as it
 * takes longer than a moment; let a key cancel it.  False with the error of
 * the opener, or BASE_ERROR_CANCELLED.
 */
bool ui_loading_run(struct ui_shell *shell, const char *sync, struct ui_opened *opened, GError **error);

/* ---- ui_second.c: the second window: another MAIN pane with a view of its own ---- */

/* The shell begins: the second window is there where it was the last time. */
void ui_second_begin(struct ui_shell *shell);
/* Open it as a copy of what is shown, with the focus, or close it. */
void ui_second_show(struct ui_shell *shell);
/* Whether, and how, the two move together: the next way, or the one that was typed. */
void ui_second_link(struct ui_shell *shell);

/* ---- ui_layout.c: where each pane stands, and one frame of the screen ---- */

/* Give each pane its area for the size the terminal has now. */
void ui_layout_arrange(struct ui_shell *shell);
/* The second window, which begins where the first one ends; NULL: not both are on the screen. */
struct ui_pane *ui_layout_second(const struct ui_shell *shell);
/* What is made larger and smaller, in rows or columns: the lower pane, else the second window. */
int *ui_layout_extra(struct ui_shell *shell);
/* Draw all panes and the message line, and show them. */
void ui_layout_draw(struct ui_shell *shell);

/* ---- ui_hints.c: the keys worth knowing now, on the message line; a click does them ---- */

/* Draw into LINE as many as fit: help, search and quit always, then those of the pane with the focus. */
void ui_hints_draw(struct ui_shell *shell, const struct term_area *line);
/* No hints are on the screen now. */
void ui_hints_clear(struct ui_shell *shell);
/* The command whose hint stands at column X of line Y of the screen; UI_CMD_NONE: there is none. */
enum ui_command ui_hints_at(const struct ui_shell *shell, unsigned x, unsigned y);

/* ---- ui_mouse.c: clicks, drags and turns of the wheel, by where they happen ---- */

/*
 * KEY is one of the mouse's (term_key_is_mouse()), at its place in SHELL->term.  A click on a hint is that
 * hint's command.  Else the pane under it gets the focus; a click puts its cursor there, a second one opens
 * what is there: in time, who ended the wait.  A drag over time selects it, as it goes; one of the lower
 * pane's title moves the border.  The wheel does the command bound to it, zooming around the instant under
 * the mouse; on the ruler, the first line of the main pane, it does what it does with Ctrl.
 *
 * Returns the command that is to be done, *TIMES times; NONE: none.
 */
enum ui_command ui_mouse_key(struct ui_shell *shell, uint32_t key, unsigned *times);

/* ---- ui_ask.c: questions on the message line: the dispatch hands them keys ---- */

/* Take KEY for the question that is open. */
void ui_ask_key(struct ui_shell *shell, uint32_t key);
/* Take TEXT that was pasted for it. */
void ui_ask_paste(struct ui_shell *shell, const char *text);

/* ---- ui_reason.c: a key that did nothing says why ---- */

/* COMMAND is about to be done for a key: remember the screen. */
void ui_reason_before(struct ui_shell *shell, enum ui_command command);
/* All is done and drawn: where the screen is as it was, and nothing was said, say why.  True: that is to be
 * drawn. */
bool ui_reason_after(struct ui_shell *shell);

/* ---- ui_reopen.c: the same experiment once more, with other clocks ---- */

/* Do what ui_shell_reopen() asked for, if it did.  Where that fails all stays as it is, and it is said. */
void ui_reopen_run(struct ui_shell *shell);
/* Show OPENED instead of what is open: places stay as options->carry() says, panes are made anew. */
void ui_reopen_take(struct ui_shell *shell, const struct ui_opened *opened);

/* ---- ui_follow.c: a trace that is followed while it is recorded ---- */

#define UI_FOLLOW_MS 100 /* between two looks */

/* Take what is new, where a trace is followed and its end is held. */
void ui_follow_run(struct ui_shell *shell);

/* ---- ui_kept.c: how it looks, from one run to the next, in a file beside the index ---- */

struct ui_kept;

/*
 * What the file PATH keeps becomes how SHELL looks, whatever the configuration said.  What of it cannot be is
 * left out, and noted.
 */
struct ui_kept *ui_kept_new(struct ui_shell *shell, const char *path);
/* Keep what is different now; what another explorer kept meanwhile stays, but for that.  False with an error.
 */
bool ui_kept_write(const struct ui_kept *kept, const struct ui_shell *shell, GError **error);
void ui_kept_free(struct ui_kept *kept);

#endif
