/* SPDX-License-Identifier: MIT */
#include "ui/widget/wait_find.h"

bool wait_find(struct qry *q, uint32_t row, int64_t time, struct mdl_wakeup *wakeup)
{
	struct mdl_interval interval;

	if (qry_state_at(q, row, time, &interval) && interval.state == MDL_ST_BLOCKED)
		return qry_wakeup_at(q, row, interval.to, wakeup);
	return qry_wakeup_before(q, row, time + 1, wakeup);
}

bool wait_find_cpu(struct qry *q, uint32_t row, int64_t time, int64_t *end)
{
	struct mdl_interval iv;

	struct mdl_wakeup wakeup;

	if (qry_wakeup_at(q, row, time, &wakeup) || !qry_state_at(q, row, time, &iv) ||
		(iv.state != MDL_ST_PREEMPTED && iv.state != MDL_ST_WAIT_CPU && iv.state != MDL_ST_NEW))
		return false;
	*end = iv.to;
	return true;
}
