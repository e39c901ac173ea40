/* SPDX-License-Identifier: MIT */
/*
 * One worker opens the experiment and touches nothing of the screen; this
 * thread looks at its progress some times a second.  When the index is fresh
 * the worker is done before anything would be drawn.
 */
#include "ui/core/ui_shell_parts.h"

#include "base/base_error.h"
#include "base/base_memory.h"
#include "base/base_stop.h"
#include "ui/term/term_key.h"

#include <inttypes.h>
#include <signal.h>

#define LOOK_MS 50
#define BAR_MAX 60

struct job {
	const struct ui_options *options;
	const char *sync;
	struct base_progress progress;
	GMutex lock; /* for done */
	GCond cond;
	bool done;
	bool good; /* the rest is the worker's until done */
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

/* Wait up to LOOK_MS; true when the worker is done. */
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

static void loading_draw_bar(const struct term_area *area, unsigned x, unsigned y, unsigned w, double share)
{
	unsigned full = (unsigned)(share * w);

	term_area_fill(area, x, y, full, 1, TERM_ROLE_BAR, 0x2588);
	term_area_fill(area, x + full, y, w - full, 1, TERM_ROLE_BAR_EMPTY, 0x2591);
	term_area_printf(area, x + w + 1, y, TERM_ROLE_STRONG, "%3.0f %%", share * 100);
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
	unsigned columns, rows, w, x, y;
	struct term_area area;
	g_autofree char *text = NULL, *key = ui_keymap_first(shell->keys, UI_CMD_QUIT);

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
	loading_draw_bar(&area, x, y + 2, w, view.share);
	text = figures(&view);
	term_area_text(&area, x, y + 4, TERM_ROLE_TEXT, text);
	if (term_area_text(&area, x, y + 6, TERM_ROLE_KEY, key) < columns)
		term_area_text(&area, x + term_text_width(key) + 1, y + 6, TERM_ROLE_DIM,
			"stops and leaves nothing half-built");
	shell->term->ops->draw(shell->term, shell->grid);
}

/* True when a key says to stop. */
static bool asked_to_stop(struct ui_shell *shell)
{
	uint32_t key;

	while ((key = shell->term->ops->key(shell->term, 0, false)) != TERM_KEY_NONE) {
		if (key == TERM_KEY_END_OF_INPUT || key == TERM_KEY_ESC || ui_shell_is_two_keys(shell, key) ||
			ui_keymap_command(shell->keys, key) == UI_CMD_QUIT)
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
		/* Where there is nothing to go back to, it ends although the worker, in a library maybe,
		 * takes no notice. */
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
