/* SPDX-License-Identifier: MIT */
/* A wait for a CPU in words. */
#include "analysis/ana_cpuwait.h"

#include "analysis/ana_class.h"
#include "base/base_time.h"

#include <inttypes.h>

#define NAMED 2 /* so many threads are named in the sum */

char *ana_turn_who(const struct qry *q, const struct ana_turn *turn)
{
	if (!turn->known)
		return g_strdup("not recorded");
	if (turn->row == MDL_NONE)
		return turn->cpu == MDL_NONE ? g_strdup("the idle thread")
					     : g_strdup_printf("the idle CPU %" PRIu32, turn->cpu);
	return qry_row_label(q, turn->row);
}

/* "woken 133 µs before", nothing where it was not woken for this. */
static void append_woken(GString *text, const struct ana_turn *turn)
{
	char *before;

	if (turn->woken == MDL_NEVER)
		return;
	before = base_time_format_duration(turn->from - turn->woken, false);
	g_string_append_printf(text, "%swoken %s before", text->len > 0 ? ", " : "", before);
	g_free(before);
}

/* "; class real-time before fair": what decided. */
static void append_classes(GString *text, struct qry *q, const struct ana_turn *turn)
{
	char *its = ana_class_text(q, turn->row, turn->from),
	     *others = ana_class_text(q, turn->before, turn->from);

	if (its && others)
		g_string_append_printf(text, ": %s goes before %s", its, others);
	g_free(its);
	g_free(others);
}

char *ana_turn_text(struct qry *q, const struct ana_turn *turn)
{
	GString *text = g_string_new(NULL);
	char *before = turn->before != MDL_NONE ? qry_row_label(q, turn->before) : g_strdup("nobody");

	switch (turn->why) {
	case ANA_TURN_HAD_IT: g_string_append(text, "had the CPU already"); break;
	case ANA_TURN_HIGHER:
		append_woken(text, turn);
		append_classes(text, q, turn);
		break;
	case ANA_TURN_WOKEN:
		append_woken(text, turn);
		g_string_append_printf(text, ", taken before %s", before);
		break;
	case ANA_TURN_YIELDED:
		g_string_append_printf(text, "%s yielded", before);
		append_woken(text, turn);
		break;
	case ANA_TURN_CAME:
		g_string_append_printf(text, "came from another CPU, taken before %s", before);
		break;
	case ANA_TURN_TICK: g_string_append_printf(text, "the slice of %s was over", before); break;
	case ANA_TURN_NEXT:
		g_string_append_printf(text, turn->before != MDL_NONE ? "next after %s" : "next after nobody",
			before);
		append_woken(text, turn);
		break;
	case ANA_TURN_IDLE: g_string_append(text, "no thread ran"); break;
	case ANA_TURN_UNKNOWN:
	case ANA_TURN_N:
		g_string_append(text, "what was before is not recorded");
		append_woken(text, turn);
		break;
	}
	g_free(before);
	return g_string_free(text, FALSE);
}

static const struct ana_turn *turn_of(const struct ana_cpuwait *wait, guint i)
{
	return &g_array_index(wait->turns, struct ana_turn, i);
}

/* "preempted by wk-rt[547], woken 133 µs before": how it began. */
static void append_begin(GString *text, struct qry *q, const struct ana_cpuwait *wait)
{
	const struct ana_turn *first = turn_of(wait, 0);
	char *who = ana_turn_who(q, first), *why = ana_turn_text(q, first);

	if (!wait->preempted)
		g_string_append_printf(text, "waited for CPU %" PRIu32, first->cpu);
	else if (first->why == ANA_TURN_YIELDED && first->before == wait->row)
		g_string_append_printf(text, "yielded to %s", who);
	else
		g_string_append_printf(text, "preempted by %s: %s", who, why);
	g_free(who);
	g_free(why);
}

char *ana_cpuwait_text(struct qry *q, const struct ana_cpuwait *wait)
{
	GString *text = g_string_new(NULL);
	int64_t length = wait->to - wait->from;
	guint n = wait->blame->parts->len;

	append_begin(text, q, wait);
	for (guint i = 0; i < MIN(n, NAMED); i++) {
		const struct ana_blame_part *p = &g_array_index(wait->blame->parts, struct ana_blame_part, i);
		char *who = ana_blame_part_text(q, p), *time = base_time_format_duration(p->time, false);

		g_string_append_printf(text, "%s%s %s (%.0f %%)", i == 0 ? "; had it: " : ", ", who, time,
			100 * (double)p->time / (double)length);
		g_free(who);
		g_free(time);
	}
	if (n > NAMED)
		g_string_append_printf(text, " and %u other%s", n - NAMED, n - NAMED == 1 ? "" : "s");
	return g_string_free(text, FALSE);
}
