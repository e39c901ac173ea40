/* SPDX-License-Identifier: MIT */
#include "ui/widget/ruler.h"

#define LABEL_GAP 3 /* columns between labels, the tick's own included */

/* The smallest of 1, 2, 5 × 10ⁿ ns that is at least LEAST. */
static int64_t step_at_least(int64_t least)
{
	int64_t step = 1;

	while (step < least && step < INT64_MAX / 10) {
		if (step * 2 >= least)
			return step * 2;
		if (step * 5 >= least)
			return step * 5;
		step *= 10;
	}
	return step;
}

static char *label(const struct ui_shell *shell, int64_t time, int64_t step)
{
	return shell->times->tick(time, shell->span_from, step, shell->view->to);
}

/* The step at which labels do not touch. */
static int64_t fitting_step(const struct ui_shell *shell)
{
	int64_t column = ui_shell_column(shell), step = step_at_least(MIN(column, INT64_MAX / 10) * 6);

	for (;;) {
		g_autofree char *text = label(shell, shell->view->to, step);
		unsigned width = term_text_width(text) + LABEL_GAP;

		if (step / width >= column || step >= INT64_MAX / 10)
			return step;
		step = step_at_least(step + 1);
	}
}

static int64_t later(int64_t time, int64_t step)
{
	int64_t sum;

	return __builtin_add_overflow(time, step, &sum) ? INT64_MAX : sum;
}

/* The first tick at or after FROM, where they are STEP apart and one is at BASE. */
static int64_t first_tick(int64_t from, int64_t base, int64_t step)
{
	int64_t after = (from - base) % step;

	return after > 0 ? later(from, step - after) : from - after;
}

/* Ticks are round in what the labels show: as the times are counted.  A label in the cursor's way is
 * left out. */
void ruler_draw(const struct ui_shell *shell, const struct term_area *area)
{
	int64_t step = fitting_step(shell), base = shell->times->counts_since ? shell->span_from : 0;
	int cursor = ui_shell_column_of(shell, shell->view->cursor);

	for (int64_t time = first_tick(shell->view->from, base, step); time < shell->view->to;
		time = later(time, step)) {
		int x = ui_shell_column_of(shell, time);
		g_autofree char *text = label(shell, time, step);

		term_area_char(area, (unsigned)x, 0, TERM_ROLE_RULER, 0x2502);
		if ((unsigned)x + 1 + term_text_width(text) <= area->w &&
			(cursor <= x || cursor > x + (int)term_text_width(text)))
			term_area_text(area, (unsigned)x + 1, 0, TERM_ROLE_RULER, text);
	}
	if (cursor >= 0 && cursor < (int)shell->columns)
		term_area_char(area, (unsigned)cursor, 0, TERM_ROLE_RULER_CURSOR, 0x25bc);
}
