/* SPDX-License-Identifier: MIT */
/* Filters of the list of events: by name, thread, CPU, and regular expression. */
#include "query/events/parts.h"

#include "base/base_error.h"

#include <string.h>

/* ---- regular expressions ---- */

static bool has_large_letter(const char *text)
{
	for (; *text; text = g_utf8_next_char(text)) {
		if (*text == '\\' && text[1])
			text++;
		else if (g_unichar_isupper(g_utf8_get_char(text)))
			return true;
	}
	return false;
}

GRegex *qry_events_regex(const char *text, GError **error)
{
	g_autoptr(GError) why = NULL;
	GRegex *regex = NULL;
	const char *at;

	if (!g_utf8_validate(text, -1, NULL))
		return base_error_null(error, BASE_ERROR_USAGE, "the expression is not UTF-8");
	regex = g_regex_new(text, G_REGEX_OPTIMIZE | (has_large_letter(text) ? 0 : G_REGEX_CASELESS), 0,
		&why);
	if (regex)
		return regex;
	at = strstr(why->message, "at char "); /* before that it repeats the expression */
	return base_error_null(error, BASE_ERROR_USAGE, "\"%s\" is no regular expression: %s", text,
		at ? at : why->message);
}

int qry_events_filter_matches(struct qry_events *e, const struct qry_event *event, GError **error)
{
	g_autofree char *fields = NULL;
	g_autoptr(GError) why = NULL;
	bool found;

	if (!e->filter.match)
		return 1;
	fields = qry_trace_fields(e->last->source->trace, e->last->stream, e->last_packet, e->last_at, error);
	if (!fields)
		return -1;
	g_string_assign(e->line, event->name);
	g_string_append_c(e->line, ' ');
	g_string_append(e->line, fields);
	found = g_regex_match_full(e->filter.match, e->line->str, (gssize)e->line->len, 0, 0, NULL, &why);
	if (!why)
		return found;
	g_set_error(error, BASE_ERROR, BASE_ERROR_REFUSED, "\"%s\" takes too long: use a simpler expression",
		g_regex_get_pattern(e->filter.match));
	return -1;
}

/* ---- all that is filtered by ---- */

bool qry_events_match(const char *pattern, const char *name)
{
	g_autofree char *p = g_ascii_strdown(pattern, -1), *n = g_ascii_strdown(name, -1);

	return strpbrk(p, "*?") ? g_pattern_match_simple(p, n) : !!strstr(n, p);
}

bool qry_events_filter_wants(struct qry_events *e, const char *name)
{
	const struct qry_events_filter *f = &e->filter;
	gpointer value;

	if (!f->name && !f->wants)
		return true;
	if (!g_hash_table_lookup_extended(e->passes, name, NULL, &value)) {
		value = GINT_TO_POINTER((!f->name || qry_events_match(f->name, name)) &&
			(!f->wants || f->wants(f->data, name)));
		g_hash_table_insert(e->passes, (gpointer)name, value);
	}
	return GPOINTER_TO_INT(value);
}

bool qry_events_filter_passes(struct qry_events *e, const struct qry_event *event)
{
	return event->time >= e->filter.from && (event->time < e->filter.to || e->filter.to == INT64_MAX) &&
		(e->filter.cpu == MDL_NONE || event->cpu == e->filter.cpu) &&
		(e->filter.thread == MDL_NONE || event->thread == e->filter.thread) &&
		qry_events_filter_wants(e, event->name);
}

static bool is_on_cpu(const struct mdl_interval *i)
{
	return mdl_state_runs(i->state) || i->state == MDL_ST_INTERRUPTED || i->state == MDL_ST_UNKNOWN;
}

/* True if thread ROW is on a CPU just before TIME of its host's own clock, or from then on. */
static bool runs(struct qry *q, uint32_t row, int64_t time)
{
	struct mdl_interval i;

	return (qry_source_state_before(q, row, time, &i) && is_on_cpu(&i)) ||
		(qry_source_state_at(q, row, time, &i) && is_on_cpu(&i));
}

bool qry_events_filter_is_idle(const struct qry_events *e, int by, const struct qry_event *event, int64_t *go)
{
	uint32_t local, row = e->filter.thread;
	const struct qry_source *s = qry_source_of(e->q, row, &local);
	struct mdl_row own = idx_reader_row(s->reader, local);
	int64_t time = event->host == qry_row(e->q, row)->host ? e->last_time
							       : qry_source_host(s, event->time);
	struct mdl_interval i;

	*go = time;
	if (by > 0 ? time < own.first : time > own.last)
		*go = by > 0 ? own.first : own.last;
	else if (!runs(e->q, row, time))
		while ((by > 0 ? qry_source_state_at(e->q, row, *go, &i)
			       : qry_source_state_before(e->q, row, *go, &i)) &&
			!is_on_cpu(&i))
			*go = by > 0 ? i.to : i.from;
	if (*go == time)
		return false;
	*go += by < 0;
	return true;
}

bool qry_events_filter_is_over(const struct qry_events *e, int by, int64_t time)
{
	const struct qry_row *r = e->filter.thread == MDL_NONE ? NULL : qry_row(e->q, e->filter.thread);

	if (by > 0 ? time >= e->filter.to && e->filter.to != INT64_MAX : time < e->filter.from)
		return true;
	return r && (by > 0 ? time > r->last : time < r->first);
}
