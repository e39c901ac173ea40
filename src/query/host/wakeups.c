/* SPDX-License-Identifier: MIT */
#include "query/host/parts.h"

static void wakeups_show(const struct qry_source *s, struct mdl_wakeup *w)
{
	w->time = qry_source_shown(s, w->time);
	w->since = qry_source_shown(s, w->since);
	w->ran_at = qry_source_shown(s, w->ran_at);
	w->event_time = qry_source_shown(s, w->event_time);
	for (unsigned i = 0; i < w->n_contexts; i++)
		w->contexts[i].entry = qry_source_shown(s, w->contexts[i].entry);
}

bool qry_wakeup_get(struct qry *q, uint32_t row, uint64_t index, struct mdl_wakeup *w)
{
	uint32_t local;
	struct qry_source *s = qry_source_of(q, row, &local);

	if (!idx_wakeups_get(qry_source_wakeups(s, local), local, index, w))
		return false;
	if (w->waker != MDL_NONE)
		w->waker += s->host.first_row;
	if (s->clock)
		wakeups_show(s, w);
	return true;
}

uint64_t qry_wakeup_seek(struct qry *q, uint32_t row, int64_t time)
{
	uint32_t local;
	struct qry_source *s = qry_source_of(q, row, &local);

	return idx_wakeups_seek(qry_source_wakeups(s, local), local, qry_source_host(s, time));
}

bool qry_wakeup_after(struct qry *q, uint32_t row, int64_t time, struct mdl_wakeup *wakeup)
{
	return qry_wakeup_get(q, row, qry_wakeup_seek(q, row, time), wakeup);
}

bool qry_wakeup_at(struct qry *q, uint32_t row, int64_t time, struct mdl_wakeup *wakeup)
{
	return qry_wakeup_after(q, row, time, wakeup) && wakeup->time == time;
}

bool qry_wakeup_before(struct qry *q, uint32_t row, int64_t time, struct mdl_wakeup *wakeup)
{
	uint64_t index = qry_wakeup_seek(q, row, time);

	return index > 0 && qry_wakeup_get(q, row, index - 1, wakeup);
}

GArray *qry_wakeups(struct qry *q, uint32_t row, int64_t from, int64_t to)
{
	GArray *wakeups = g_array_new(FALSE, FALSE, sizeof(struct mdl_wakeup));
	uint64_t index = qry_wakeup_seek(q, row, from);
	struct mdl_wakeup w;

	while (qry_wakeup_get(q, row, index++, &w) && w.time < to)
		g_array_append_val(wakeups, w);
	return wakeups;
}

uint64_t qry_wakeup_count(const struct qry *q, uint32_t row)
{
	uint32_t local;
	const struct qry_source *s = qry_source_of(q, row, &local);

	return idx_reader_wakeup_count(s->reader, local);
}
