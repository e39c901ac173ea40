/* SPDX-License-Identifier: MIT */
#include "ui/widget/wait_find.h"

#define LEVELS 4 /* of guests in guests */

bool wait_find(struct qry *q, uint32_t row, int64_t time, struct mdl_wakeup *wakeup)
{
	struct mdl_interval interval;

	if (qry_state_at(q, row, time, &interval) && interval.state == MDL_ST_BLOCKED)
		return qry_wakeup_at(q, row, interval.to, wakeup);
	return qry_wakeup_before(q, row, time + 1, wakeup);
}

/* The virtual CPU that ROW, in IV, had a CPU of; MDL_NONE: none. */
static uint32_t vcpu_of(struct qry *q, const struct qry_row *row, const struct mdl_interval *iv)
{
	uint32_t cpu = row->type == MDL_ROW_CPU ? (uint32_t)row->nr : iv->aux;

	return row->type == MDL_ROW_VCPU ? row->id
		: cpu == MDL_NONE        ? MDL_NONE
					 : qry_vcpu_of(q, row->host, cpu);
}

uint32_t wait_find_waiter(struct qry *q, uint32_t row, int64_t time)
{
	struct mdl_interval iv;

	for (unsigned level = 0; level < LEVELS; level++) {
		uint32_t vcpu = qry_state_at(q, row, time, &iv) && iv.state == MDL_ST_VCPU_PREEMPTED
			? vcpu_of(q, qry_row(q, row), &iv)
			: MDL_NONE;

		if (vcpu == MDL_NONE || qry_row(q, vcpu)->parent == MDL_NONE)
			break;
		row = qry_row(q, vcpu)->parent;
	}
	return row;
}

bool wait_find_cpu(struct qry *q, uint32_t row, int64_t time, uint32_t *waiter, int64_t *end)
{
	struct mdl_interval iv;
	struct mdl_wakeup wakeup;

	*waiter = wait_find_waiter(q, row, time);
	if ((*waiter == row && qry_wakeup_at(q, row, time, &wakeup)) ||
		!qry_state_at(q, *waiter, time, &iv) ||
		(iv.state != MDL_ST_PREEMPTED && iv.state != MDL_ST_WAIT_CPU && iv.state != MDL_ST_NEW))
		return false;
	*end = iv.to;
	return true;
}
