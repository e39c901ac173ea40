/* SPDX-License-Identifier: MIT */
/*
 * How it works: a timer expires where it is queued, so whoever has that CPU when it is due keeps it waiting:
 * a thread or a context that keeps interrupts off, an idle CPU that has to wake up first, the timers before
 * it in the same interrupt, and that interrupt itself. Timers that expire in a softirq wait for that to run,
 * too.
 */
#include "analysis/cpu/late.h"

#include "base/base_time.h"

int64_t ana_late_ns(const struct mdl_timer *t)
{
	int64_t late;

	if (!t->expired || t->due == MDL_NEVER || __builtin_sub_overflow(t->expired_at, t->due, &late))
		return BASE_TIME_NONE;
	return MAX(late, 0);
}

struct ana_blame *ana_late_blame(struct qry *q, uint32_t host, const struct mdl_timer *t)
{
	int64_t late = ana_late_ns(t);

	return late == BASE_TIME_NONE
		? NULL
		: ana_blame_of_cpu(q, host, t->cpu, t->expired_at - late, t->expired_at);
}

char *ana_late_resolution(const struct mdl_timer *t)
{
	g_autofree char *slack = NULL;

	if (t->due == MDL_NEVER || t->slack <= 0)
		return NULL;
	slack = base_time_format_duration(t->slack, false);
	return g_strdup_printf(t->wheel ? "the timer wheel keeps time to %s" : "with %s of slack", slack);
}

char *ana_late_text(struct qry *q, uint32_t host, const struct mdl_timer *t, int64_t from, int64_t to)
{
	struct ana_blame *blame = ana_blame_of_cpu(q, host, t->cpu, from, MAX(from, to));
	char *text = ana_blame_text(q, blame, ana_blame_part_text);

	ana_blame_free(blame);
	return text;
}
