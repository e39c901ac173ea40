/* SPDX-License-Identifier: MIT */
/*
 * Opening the experiment: the first time, again with other clocks, and while it is recorded or its index is
 * built.
 *
 * One worker opens the experiment and does not touch the screen; this thread reads its progress every LOOK_MS
 * ms.  If the index is fresh, the worker is done before anything is drawn.
 *
 * After opening again, times mean something else, so all panes are made again; each copies from its
 * predecessor what does not depend on times.  Places are converted by the clock of their row's own host.
 * Rows may have other numbers: while the indexes of several hosts are built, rows are added.
 *
 * While the end is held, each index that can be opened replaces the previous one in the same way.  A window
 * that ended with the trace moves with its end; one that showed the whole trace shows the whole trace again.
 * If the user moves all windows away from the end, it is released.  While an index is built, new data is
 * always taken, and nothing moves except that a window of the whole trace stays one.  Lower panes show again
 * what they showed (ui_undo_again()).  If the user did not move at all, the cursor ends where it would have
 * begun with the whole index.
 */
#include "ui/core/ui_shell_parts.h"

#include "base/base_error.h"
#include "base/base_memory.h"
#include "base/base_stop.h"
#include "ui/core/ui_scene.h"
#include "ui/term/term_key.h"

#include <inttypes.h>
#include <signal.h>
#include <string.h>

/* ---- the first time ---- */

#define LOOK_MS 50
#define BAR_MAX 60

struct job {
	const struct ui_options *options;
	const char *sync;
	struct base_progress progress;
	GMutex lock; /* protects DONE */
	GCond cond;
	bool done;
	bool good; /* this and the rest belong to the worker until DONE */
	struct ui_opened opened;
	GError *error;
};

static gpointer loading_work(gpointer data)
{
	struct job *job = data;

	job->good = job->options->open(job->options->context, job->sync, &job->progress, &job->opened,
		&job->error);
	g_mutex_lock(&job->lock);
	job->done = true;
	g_cond_signal(&job->cond);
	g_mutex_unlock(&job->lock);
	return NULL;
}

/* Wait up to LOOK_MS.  True if the worker is done. */
static bool wait_a_moment(struct job *job)
{
	gint64 until = g_get_monotonic_time() + LOOK_MS * 1000;
	bool done;

	g_mutex_lock(&job->lock);
	while (!job->done && g_cond_wait_until(&job->cond, &job->lock, until))
		;
	done = job->done;
	g_mutex_unlock(&job->lock);
	return done;
}

/* "3.9 M events   1.2 M events/s   9 s left" */
static char *figures(const struct base_progress_view *view)
{
	GString *text = g_string_new(NULL);

	if (view->folders) {
		g_string_append_printf(text, "looking for traces: %" PRIu64 " folders", view->folders);
		return g_string_free(text, FALSE);
	}
	g_string_append_printf(text, "%.1f M events   %.2f M events/s", (double)view->events / 1e6,
		view->events_per_s / 1e6);
	if (view->seconds_left >= 0)
		g_string_append_printf(text, "   %.0f s left", view->seconds_left);
	return g_string_free(text, FALSE);
}

static void loading_draw(struct ui_shell *shell, struct job *job, bool cancelled)
{
	struct base_progress_view view = base_progress_view(&job->progress);
	unsigned columns, rows, w, x, y, full;
	struct term_area area;
	g_autofree char *text = NULL, *key = ui_keymap_first(shell->keys, UI_CMD_CLOSE);

	shell->term->ops->size(shell->term, &columns, &rows);
	if (columns != shell->grid->columns || rows != shell->grid->rows)
		term_grid_resize(shell->grid, columns, rows);
	shell->grid->ascii = shell->ascii;
	term_grid_clear(shell->grid);
	area = term_grid_area(shell->grid);
	w = MIN(columns > 12 ? columns - 12 : 1, BAR_MAX);
	x = columns > w + 7 ? (columns - w - 7) / 2 : 0;
	y = rows / 3;
	term_area_text(&area, x, y, TERM_ROLE_STRONG, "wakepath");
	term_area_fit(&area, x + 10, y, columns, TERM_ROLE_TEXT,
		cancelled            ? "stopping"
			: view.label ? view.label
				     : "opening");
	full = (unsigned)(view.share * w);
	term_area_fill(&area, x, y + 2, full, 1, TERM_ROLE_BAR, 0x2588);
	term_area_fill(&area, x + full, y + 2, w - full, 1, TERM_ROLE_BAR_EMPTY, 0x2591);
	term_area_printf(&area, x + w + 1, y + 2, TERM_ROLE_STRONG, "%3.0f %%", view.share * 100);
	text = figures(&view);
	term_area_text(&area, x, y + 4, TERM_ROLE_TEXT, text);
	if (term_area_text(&area, x, y + 6, TERM_ROLE_KEY, key) < columns)
		term_area_text(&area, x + term_text_width(key) + 1, y + 6, TERM_ROLE_DIM,
			"stops and leaves nothing half-built");
	shell->term->ops->draw(shell->term, shell->grid);
}

/* True if a key asks to stop. */
static bool asked_to_stop(struct ui_shell *shell)
{
	enum ui_command command;
	uint32_t key;

	while ((key = shell->term->ops->key(shell->term, 0, false)) != TERM_KEY_NONE) {
		command = ui_keymap_command(shell->keys, key);
		if (key == TERM_KEY_END_OF_INPUT || key == TERM_KEY_ESC || ui_shell_is_two_keys(shell, key) ||
			command == UI_CMD_QUIT || command == UI_CMD_CLOSE)
			return true;
	}
	return false;
}

bool ui_loading_run(struct ui_shell *shell, const char *sync, struct ui_opened *opened, GError **error)
{
	struct job job = { .options = shell->options, .sync = sync };
	bool cancelled = false, may_end = !shell->q;
	GThread *thread;

	base_progress_init(&job.progress);
	g_mutex_init(&job.lock);
	g_cond_init(&job.cond);
	thread = base_memory_thread("open", loading_work, &job);
	while (!wait_a_moment(&job)) {
		/* Without an open experiment the program ends, even if the worker does not notice the
		 * cancellation, for example inside a library. */
		if (cancelled && may_end)
			base_stop_ask(SIGINT);
		loading_draw(shell, &job, cancelled);
		if (!cancelled && asked_to_stop(shell)) {
			base_progress_cancel(&job.progress);
			cancelled = true;
		}
	}
	g_thread_join(thread);
	g_mutex_clear(&job.lock);
	g_cond_clear(&job.cond);
	if (!job.good) {
		g_propagate_error(error, job.error);
		return false;
	}
	if (cancelled)
		return base_error_false(error, BASE_ERROR_CANCELLED, "opening was cancelled");
	*opened = job.opened;
	return true;
}

/* ---- again ---- */

void ui_shell_reopen(struct ui_shell *shell, const char *sync)
{
	g_free(shell->sync_wanted);
	shell->sync_wanted = g_strdup(sync);
}

/* ---- places ---- */

static void carry_places(struct ui_shell *shell, const struct ui_opened *opened)
{
	for (unsigned i = 1; i < shell->ways->len; i++) {
		struct ui_place_in_time *p = &g_array_index(shell->ways, struct ui_way, i).place;

		p->from = ui_view_carry_time(shell, p->row, p->from);
		p->to = ui_view_carry_time(shell, p->row, p->to);
		p->cursor = ui_view_carry_time(shell, p->row, p->cursor);
		p->row = ui_view_carry_row(shell, p->row);
	}
	ui_undo_carry(shell);
	for (unsigned i = 0; i < ui_view_count(shell); i++)
		ui_view_carry(shell, &shell->views[i]);
	shell->leads[UI_LEAD_WAIT].to = ui_view_carry_time(shell, shell->leads[UI_LEAD_WAIT].row,
		shell->leads[UI_LEAD_WAIT].to);
	shell->leads[UI_LEAD_WAIT].row = ui_view_carry_row(shell, shell->leads[UI_LEAD_WAIT].row);
	shell->leads[UI_LEAD_ACCOUNT].row = ui_view_carry_row(shell, shell->leads[UI_LEAD_ACCOUNT].row);
	for (guint i = 0; shell->path_rows && i < shell->path_rows->len; i++) {
		uint32_t *row = &g_array_index(shell->path_rows, uint32_t, i);

		*row = ui_view_carry_row(shell, *row);
	}
	shell->q = opened->q;
	shell->n_rows = opened->n_rows;
	shell->span_from = opened->from;
	shell->span_to = MAX(opened->to, opened->from + 1);
	for (unsigned i = 0; i < ui_view_count(shell); i++) { /* limit the views to the present span */
		int64_t cursor = shell->views[i].cursor;

		shell->view = &shell->views[i];
		ui_shell_set_window(shell, shell->view->from, shell->view->to);
		ui_shell_set_cursor(shell, cursor);
	}
	ui_view_leave(shell);
}

/* ---- panes ---- */

/* The pane of NOW with the index that PANE has in BEFORE. */
static struct ui_pane *again(const GPtrArray *before, const GPtrArray *now, const struct ui_pane *pane)
{
	guint i;

	return pane && g_ptr_array_find((GPtrArray *)before, pane, &i) ? g_ptr_array_index(now, i) : NULL;
}

static void renew_panes(struct ui_shell *shell)
{
	g_autoptr(GPtrArray) before = shell->panes;
	struct ui_pane *focus = shell->focus, *main = shell->main, *asking = shell->asking;

	ui_shell_add_panes(shell);
	for (guint i = 0; i < before->len; i++) {
		struct ui_pane *old = g_ptr_array_index(before, i),
			       *pane = g_ptr_array_index(shell->panes, i);

		pane->shown = old->shown;
		pane->w = old->w; /* until the next layout */
		pane->covers = again(before, shell->panes, old->covers);
		if (!pane->ops->carry)
			continue;
		ui_view_enter(pane);
		pane->ops->carry(pane, old);
		ui_view_leave(shell);
	}
	shell->main = again(before, shell->panes, main);
	ui_view_leave(shell);
	shell->focus = again(before, shell->panes, focus);
	shell->asking = again(before, shell->panes, asking);
}

/* Replace the open experiment by OPENED.  options->carry() converts places; all panes are made again. */
static void reopen_take(struct ui_shell *shell, const struct ui_opened *opened)
{
	shell->reopened = true;
	carry_places(shell, opened);
	renew_panes(shell);
	shell->changes |= UI_CHANGED_EXPERIMENT | UI_CHANGED_WINDOW | UI_CHANGED_CURSOR | UI_CHANGED_ROW |
		UI_CHANGED_SELECTION | UI_CHANGED_SIZE;
	shell->dirty = true;
}

void ui_reopen_run(struct ui_shell *shell)
{
	g_autofree char *sync = g_steal_pointer(&shell->sync_wanted);
	struct ui_opened opened = { 0 };
	GError *error = NULL;
	bool good;

	if (!sync)
		return;
	good = ui_loading_run(shell, sync, &opened, &error);
	if (good) {
		g_free(shell->sync);
		shell->sync = g_steal_pointer(&sync);
		reopen_take(shell, &opened);
		ui_shell_message(shell, "clocks: %s", shell->sync);
	} else {
		ui_shell_take_error(shell, error);
	}
	shell->options->settle(shell->options->context, good);
}

/* ---- while it is recorded ---- */

/* The view was BEFORE when the trace was [START, END): move the window so that the end stays in place on the
 * screen. */
static void follow_move(struct ui_shell *shell, const struct ui_view *before, int64_t start, int64_t end)
{
	int64_t length = before->to - before->from;
	bool all = before->from == start && before->to == end,
	     moves = all || (!shell->options->makes && before->to == end);

	if (moves)
		ui_shell_set_window(shell, all ? shell->span_from : shell->span_to - length, shell->span_to);
	if (moves && !all)
		ui_shell_set_cursor(shell, before->cursor + (shell->span_to - end));
}

/* Show OPENED, a newer state of the followed trace. */
static void follow_take(struct ui_shell *shell, const struct ui_opened *opened)
{
	struct ui_view before[UI_VIEWS];
	int64_t start = shell->span_from, end = shell->span_to;

	ui_shell_tell(shell); /* the first opening, if this one came before anything was drawn */
	ui_shell_note_place(shell);
	memcpy(before, shell->views, sizeof before);
	ui_undo_note(shell);
	reopen_take(shell, opened);
	for (unsigned i = 0; i < ui_view_count(shell); i++) {
		shell->view = &shell->views[i];
		follow_move(shell, &before[i], start, end);
	}
	ui_view_leave(shell);
	if (opened->begins && !shell->moved)
		ui_shell_begin(shell, opened);
	shell->found = *shell->view;
	if (shell->moved)
		ui_undo_again(shell);
	else
		ui_undo_accept(shell);
	shell->options->settle(shell->options->context, true);
}

void ui_follow_run(struct ui_shell *shell)
{
	const char *text = NULL, *note = NULL;
	struct ui_opened opened;
	enum ui_followed did;
	bool at_end = false;

	if (!shell->options->follow || shell->follow_over)
		return;
	for (unsigned i = 0; i < ui_view_count(shell); i++)
		at_end |= shell->views[i].to >= shell->span_to;
	shell->held &= at_end;
	did = shell->options->follow(shell->options->context, shell->held || shell->options->makes, &opened,
		&text, &note);
	shell->follow_over = did == UI_FOLLOWED_OVER;
	if (did == UI_FOLLOWED_OPENED)
		follow_take(shell, &opened);
	if (note)
		ui_shell_note(shell, note);
	if (g_strcmp0(text, shell->followed) != 0) {
		g_free(shell->followed);
		shell->followed = g_strdup(text);
		shell->dirty = true;
	}
}
