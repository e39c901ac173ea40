/* SPDX-License-Identifier: MIT */
#include "query/qry_events_parts.h"

#include <string.h>

bool qry_events_match(const char *pattern, const char *name)
{
	char *p = g_ascii_strdown(pattern, -1), *n = g_ascii_strdown(name, -1);
	bool match = strpbrk(p, "*?") != NULL ? g_pattern_match_simple(p, n) : strstr(n, p) != NULL;

	g_free(p);
	g_free(n);
	return match;
}

static bool name_passes(struct qry_events *e, const char *name)
{
	gpointer value;

	if (e->filter.name == NULL)
		return true;
	if (!g_hash_table_lookup_extended(e->passes, name, NULL, &value)) {
		value = GINT_TO_POINTER(qry_events_match(e->filter.name, name));
		g_hash_table_insert(e->passes, (gpointer)name, value);
	}
	return GPOINTER_TO_INT(value);
}

bool qry_events_filter_passes(struct qry_events *e, const struct qry_event *event)
{
	return event->time >= e->filter.from && (event->time < e->filter.to || e->filter.to == INT64_MAX) &&
	       (e->filter.cpu == MDL_NONE || event->cpu == e->filter.cpu) &&
	       (e->filter.thread == MDL_NONE || event->thread == e->filter.thread) && name_passes(e, event->name);
}

static bool is_on_cpu(const struct mdl_interval *i)
{
	return i->state == MDL_ST_USERMODE || i->state == MDL_ST_SYSCALL || i->state == MDL_ST_RUNNING || i->state == MDL_ST_INTERRUPTED ||
	       i->state == MDL_ST_UNKNOWN;
}

bool qry_events_filter_skip_idle(struct qry_events *e, int by, int64_t time, GError **error)
{
	const struct qry_row *r = qry_row(e->q, e->filter.thread);
	struct mdl_interval i;
	int64_t at = time;

	if (by > 0 && time < r->first)
		return qry_events_seek(e, r->first, error);
	if (by < 0 && time > r->last)
		return r->last == INT64_MAX || qry_events_seek(e, r->last + 1, error);
	if ((qry_state_before(e->q, r->id, time, &i) && is_on_cpu(&i)) || (qry_state_at(e->q, r->id, time, &i) && is_on_cpu(&i)))
		return true;
	if (by > 0) {
		while (qry_state_at(e->q, r->id, at, &i) && !is_on_cpu(&i))
			at = i.to;
		return at <= time || qry_events_seek(e, at, error);
	}
	while (qry_state_before(e->q, r->id, at, &i) && !is_on_cpu(&i))
		at = i.from;
	return at >= time || at == INT64_MAX || qry_events_seek(e, at + 1, error);
}

bool qry_events_filter_is_over(const struct qry_events *e, int by, int64_t time)
{
	const struct qry_row *r = e->filter.thread == MDL_NONE ? NULL : qry_row(e->q, e->filter.thread);

	if (by > 0 ? time >= e->filter.to && e->filter.to != INT64_MAX : time < e->filter.from)
		return true;
	return r != NULL && (by > 0 ? time > r->last : time < r->first);
}
