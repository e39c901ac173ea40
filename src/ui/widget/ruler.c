/* SPDX-License-Identifier: MIT */
#include "ui/widget/ruler.h"

#include "base/base_time.h"

#include <string.h>

#define NS_PER_S G_GINT64_CONSTANT(1000000000)
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

/* Digits after the point that a number of STEP ns has, counted in UNIT ns. */
static unsigned digits(int64_t step, int64_t unit)
{
	unsigned n = 0;

	while (step % unit && unit > 1) {
		unit /= 10;
		n++;
	}
	return n;
}

/*
 * The label of a tick SINCE ns from the start of the trace where ticks are STEP
 * apart and times go up to MOST: one unit for all, as many digits as STEP needs.
 * The caller frees.
 */
static char *label_of(int64_t since, int64_t step, int64_t most)
{
	static const struct {
		int64_t ns;
		const char *name;
	} units[] = { { NS_PER_S, "s" }, { 1000000, "ms" }, { 1000, "µs" }, { 1, "ns" } };
	unsigned i = 0, n;
	int64_t scale = 1, whole;

	while (i + 1 < G_N_ELEMENTS(units) && most < units[i].ns)
		i++;
	n = digits(step, units[i].ns);
	whole = since / units[i].ns;
	for (unsigned k = 0; k < n; k++)
		scale *= 10;
	if (!n)
		return g_strdup_printf("%" G_GINT64_FORMAT " %s", whole, units[i].name);
	return g_strdup_printf("%" G_GINT64_FORMAT ".%0*" G_GINT64_FORMAT " %s", whole, (int)n,
		since % units[i].ns / MAX(units[i].ns / scale, 1), units[i].name);
}

static char *label(const struct ui_shell *shell, int64_t time, int64_t step)
{
	if (shell->clock)
		return base_time_format_clock(time, digits(step, NS_PER_S));
	return label_of(time - shell->span_from, step, shell->to - shell->span_from);
}

/* The step at which labels do not touch. */
static int64_t fitting_step(const struct ui_shell *shell)
{
	int64_t column = ui_shell_column(shell), step = step_at_least(MIN(column, INT64_MAX / 10) * 6);

	for (;;) {
		char *text = label(shell, shell->to, step);
		unsigned width = term_text_width(text) + LABEL_GAP;

		g_free(text);
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

/* Ticks are round in what the labels show: time from the start, or the clock.  A label in the cursor's way is
 * left out. */
void ruler_draw(const struct ui_shell *shell, const struct term_area *area)
{
	int64_t step = fitting_step(shell), base = shell->clock ? 0 : shell->span_from;
	int cursor = ui_shell_column_of(shell, shell->cursor);

	for (int64_t time = first_tick(shell->from, base, step); time < shell->to; time = later(time, step)) {
		int x = ui_shell_column_of(shell, time);
		char *text = label(shell, time, step);

		term_area_char(area, (unsigned)x, 0, TERM_ROLE_RULER, 0x2502);
		if ((unsigned)x + 1 + term_text_width(text) <= area->w &&
			(cursor <= x || cursor > x + (int)term_text_width(text)))
			term_area_text(area, (unsigned)x + 1, 0, TERM_ROLE_RULER, text);
		g_free(text);
	}
	if (cursor >= 0 && cursor < (int)shell->columns)
		term_area_char(area, (unsigned)cursor, 0, TERM_ROLE_RULER_CURSOR, 0x25bc);
}
