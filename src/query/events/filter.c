/* SPDX-License-Identifier: MIT */
/* How it works: the filter decides about each name once. Then it compares times and CPUs. The regular
 * expression comes last, because it needs the fields as text. */
#include "query/events/parts.h"

#include "base/base_error.h"

#include <string.h>

/* ns. A part of an event, like the stack of a switch, is written right after it with interrupts disabled. By
 * the state of the CPU the thread has left it then. */
#define LATE INT64_C(1000000)

void qry_filter_init(struct qry_filter *f, const struct qry_events_filter *of)
{
	f->of = *of;
	f->of.name = g_strdup(of->name);
	f->passes = g_hash_table_new(NULL, NULL);
	f->line = g_string_new(NULL);
}

void qry_filter_clear(struct qry_filter *f)
{
	g_hash_table_unref(f->passes);
	g_string_free(f->line, TRUE);
	g_free((char *)(uintptr_t)f->of.name);
}

/* ---- names and expressions ---- */

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
	at = strstr(why->message, "at char "); /* the message repeats the expression before that */
	return base_error_null(error, BASE_ERROR_USAGE, "\"%s\" is not a regular expression: %s", text,
		at ? at : why->message);
}

int qry_filter_matches(struct qry_filter *f, const char *name, const char *fields, GError **error)
{
	g_autoptr(GError) why = NULL;
	bool found;

	g_string_assign(f->line, name);
	g_string_append_c(f->line, ' ');
	g_string_append(f->line, fields);
	found = g_regex_match_full(f->of.match, f->line->str, (gssize)f->line->len, 0, 0, NULL, &why);
	if (!why)
		return found;
	g_set_error(error, BASE_ERROR, BASE_ERROR_REFUSED, "\"%s\" takes too long: use a simpler expression",
		g_regex_get_pattern(f->of.match));
	return -1;
}

bool qry_events_match(const char *pattern, const char *name)
{
	g_autofree char *p = g_ascii_strdown(pattern, -1), *n = g_ascii_strdown(name, -1);

	return strpbrk(p, "*?") ? g_pattern_match_simple(p, n) : !!strstr(n, p);
}

bool qry_events_is_switch(G_GNUC_UNUSED void *data, const char *name)
{
	return g_str_has_suffix(name, "sched_switch") || g_str_has_prefix(name, "PERF_RECORD_SWITCH");
}

bool qry_filter_wants(struct qry_filter *f, const char *name)
{
	gpointer value;

	if (!f->of.name && !f->of.wants)
		return true;
	if (!g_hash_table_lookup_extended(f->passes, name, NULL, &value)) {
		value = GINT_TO_POINTER((!f->of.name || qry_events_match(f->of.name, name)) &&
			(!f->of.wants || f->of.wants(f->of.data, name)));
		g_hash_table_insert(f->passes, (gpointer)name, value);
	}
	return GPOINTER_TO_INT(value);
}

/* ---- times ---- */

bool qry_filter_passes(struct qry_filter *f, const struct qry_event *event)
{
	return event->time >= f->of.from && (event->time < f->of.to || f->of.to == INT64_MAX) &&
		(f->of.cpu == MDL_NONE || event->cpu == f->of.cpu) &&
		(f->of.thread == MDL_NONE || event->thread == f->of.thread) &&
		qry_filter_wants(f, event->name);
}

static bool is_on_cpu(const struct mdl_interval *i)
{
	return mdl_state_has_cpu(i->state) || i->state == MDL_ST_UNKNOWN;
}

/* True if thread ROW is on a CPU at TIME (its host's own clock), just before it, or less than LATE before
 * it. */
static bool runs(struct qry *q, uint32_t row, int64_t time)
{
	struct mdl_interval i;
	bool before = qry_source_state_before(q, row, time, &i);

	for (int64_t from = time; before; before = qry_source_state_before(q, row, from, &i)) {
		if (is_on_cpu(&i))
			return true;
		from = i.from;
		if (from < time - LATE)
			break;
	}
	return qry_source_state_at(q, row, time, &i) && is_on_cpu(&i);
}

bool qry_filter_is_idle(const struct qry_filter *f, struct qry *q, int by, const struct qry_event *event,
	int64_t here, int64_t *go)
{
	uint32_t local, row = f->of.thread;
	const struct qry_source *s = qry_source_of(q, row, &local);
	struct mdl_row own = idx_reader_row(s->reader, local);
	int64_t time = event->host == qry_row(q, row)->host ? here : qry_source_host(s, event->time);
	struct mdl_interval i;

	*go = time;
	if (by > 0 ? time < own.first : time > own.last + LATE)
		*go = by > 0 ? own.first : own.last;
	else if (!runs(q, row, time))
		while ((by > 0 ? qry_source_state_at(q, row, *go, &i)
			       : qry_source_state_before(q, row, *go, &i)) &&
			!is_on_cpu(&i))
			*go = by > 0 ? i.to : i.from;
	if (*go == time)
		return false;
	*go += by < 0 ? 1 + LATE : 0;
	return by > 0 || *go < time;
}

bool qry_filter_is_over(const struct qry_filter *f, const struct qry *q, int by, int64_t time)
{
	const struct qry_row *r = f->of.thread == MDL_NONE ? NULL : qry_row(q, f->of.thread);

	if (by > 0 ? time >= f->of.to && f->of.to != INT64_MAX : time < f->of.from)
		return true;
	return r && (by > 0 ? time > r->last + LATE : time < r->first);
}
