/* SPDX-License-Identifier: MIT */
/*
 * kernel/sched/core.c, pick_next_task(): a class that has a thread to run goes first, deadline before real
 * time before fair; rt_sched_class runs the lowest prio.  Among fair threads the priority is a weight, and
 * says not who goes first.
 */
#include "analysis/ana_class.h"

static bool is_real_time(int priority)
{
	return priority > MDL_PRIORITY_DEADLINE && priority < MDL_PRIORITY_FAIR;
}

bool ana_class_is_before(struct qry *q, uint32_t a, uint32_t b, int64_t time)
{
	int first = qry_priority_at(q, a, time), second = qry_priority_at(q, b, time);

	if (first == MDL_PRIORITY_NONE || second == MDL_PRIORITY_NONE)
		return false;
	if (mdl_class_name(first) == mdl_class_name(second))
		return is_real_time(first) && first < second;
	return first < second;
}

char *ana_class_text(struct qry *q, uint32_t row, int64_t time)
{
	int priority = qry_priority_at(q, row, time);

	return priority == MDL_PRIORITY_NONE ? NULL
					     : g_strdup_printf("%s %d", mdl_class_name(priority), priority);
}
