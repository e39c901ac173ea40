/* SPDX-License-Identifier: MIT */
/*
 * How it works: the state at a shown time is the one at the last instant of the host that is shown at it or
 * before; so a state whose two ends are shown as one is no answer.  Of things at instants all are answers:
 * those of [FROM, TO) are those from the first instant shown at FROM or later.
 *
 * A leaf: it calls nothing of this folder.
 */
#include "query/host/parts.h"

struct qry_source *qry_source(const struct qry *q, uint32_t host)
{
	return g_ptr_array_index(q->sources, host);
}

struct qry_source *qry_source_of(const struct qry *q, uint32_t row, uint32_t *local)
{
	struct qry_source *s = qry_source(q, q->rows[row].host);

	*local = row - s->host.first_row;
	return s;
}

struct idx_intervals *qry_source_intervals(struct qry_source *s, uint32_t local)
{
	struct idx_intervals **cursor = &s->intervals[local % QRY_CURSORS];

	if (!*cursor)
		*cursor = idx_intervals_new(s->reader);
	return *cursor;
}

struct idx_wakeups *qry_source_wakeups(struct qry_source *s, uint32_t local)
{
	struct idx_wakeups **cursor = &s->wakeups[local % QRY_CURSORS];

	if (!*cursor)
		*cursor = idx_wakeups_new(s->reader);
	return *cursor;
}

int64_t qry_source_held(const struct qry_source *s, int64_t shown)
{
	int64_t next;

	if (!s->clock || shown == INT64_MAX)
		return shown;
	next = qry_source_host(s, shown + 1);
	return next > INT64_MIN ? next - 1 : next;
}

void qry_source_show_act(const struct qry_source *s, struct mdl_act *act)
{
	act->time = qry_source_shown(s, act->time);
	act->entry = qry_source_shown(s, act->entry);
	if (act->thread != MDL_NONE)
		act->thread += s->host.first_row;
}

uint32_t qry_host_count(const struct qry *q)
{
	return q->sources->len;
}

const struct qry_host *qry_host(const struct qry *q, uint32_t host)
{
	return &qry_source(q, host)->host;
}
