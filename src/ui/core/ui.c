/* SPDX-License-Identifier: MIT */
/* ui_run(): make the terminal and the shell, open the experiment, then loop: pass changes to the panes, draw
 * if something changed, work while there is work, otherwise wait for a key. */
#include "ui/core/ui.h"

#include "base/base_error.h"
#include "base/base_stop.h"
#include "ui/core/ui_shell_parts.h"
#include "ui/core/ui_scene.h"

#define WORKERS_MS 5  /* ms between two checks whether workers are done */
#define KEYS_US 30000 /* µs: draw at least this often while keys keep coming */

/* Process KEY and the keys that came meanwhile, so that over a slow line, or with a key held down, no frames
 * queue up that nobody sees.  False at the end of the input. */
static bool take_keys(struct ui_shell *shell, uint32_t key)
{
	gint64 until = g_get_monotonic_time() + KEYS_US;

	do {
		if (key == TERM_KEY_END_OF_INPUT)
			return false;
		ui_shell_key(shell, key);
		ui_shell_tell(shell); /* the next key relies on it */
		if (key != TERM_KEY_RESIZE)
			ui_start_stop(shell);
		if (shell->quit || shell->sync_wanted || g_get_monotonic_time() > until)
			break;
		key = shell->term->ops->key(shell->term, 0, false);
	} while (key != TERM_KEY_NONE);
	return true;
}

/* The damage that makes the experiment unusable; NULL if there is none. */
static const GError *damage_of(const struct ui_shell *shell)
{
	return shell->q && shell->options->damage ? shell->options->damage(shell->q) : NULL;
}

static void loop(struct ui_shell *shell)
{
	bool more = true;

	while (!shell->quit && !base_stop_signal() && !damage_of(shell)) {
		uint32_t key;
		int wait;

		ui_reopen_run(shell);
		ui_follow_run(shell);
		wait = shell->options->follow && !shell->follow_over ? UI_FOLLOW_MS : -1;
		ui_shell_tell(shell);
		if (shell->term->error)
			break;
		if (shell->dirty) {
			ui_layout_arrange(shell);
			ui_shell_tell(shell);
			ui_layout_draw(shell);
			more = true;
			shell->waits = false;
		}
		if (!more && (ui_undo_settle(shell) || ui_start_next(shell) || ui_reason_after(shell)))
			continue;
		key = shell->term->ops->key(shell->term, !more ? wait : shell->waits ? WORKERS_MS : 0, !more);
		if (key != TERM_KEY_NONE) {
			if (!take_keys(shell, key))
				break;
		} else if (more) {
			more = ui_shell_work(shell);
		}
	}
}

int ui_run(const struct ui_options *options, GError **error)
{
	GError *why = NULL;
	struct term *term = options->script ? term_script_new(options->script, &why) : term_curses_new(&why);
	struct ui_shell *shell = term ? ui_shell_new(options, term, &why) : NULL;
	struct ui_opened opened = { 0 };
	struct ui_kept *kept = NULL;
	int status = 0;

	if (shell && ui_loading_run(shell, shell->sync, &opened, &why)) {
		ui_shell_opened(shell, &opened);
		shell->held = options->follow && !options->makes;
		ui_start_configured(shell);
		ui_layout_arrange(shell);
		if (opened.kept)
			kept = ui_kept_new(shell, opened.kept);
		ui_second_begin(shell);
		loop(shell);
		if (damage_of(shell))
			why = g_error_copy(damage_of(shell));
		else if (base_stop_signal() && !shell->term->error)
			g_set_error_literal(&why, BASE_ERROR, BASE_ERROR_CANCELLED, "interrupted");
	}
	if (shell && shell->term->error && !why)
		why = g_error_copy(shell->term->error);
	if (kept)
		ui_kept_write(kept, shell, why ? NULL : &why);
	ui_kept_free(kept);
	ui_shell_free(shell); /* restores the terminal before an error is printed */
	if (why) {
		status = base_error_exit_status(why);
		g_propagate_error(error, why);
	}
	return status;
}
