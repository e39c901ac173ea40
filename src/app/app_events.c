/* SPDX-License-Identifier: MIT */
#include "app/app_command.h"
#include "app/app_session.h"

#include "base/base_time.h"
#include "query/events/events.h"

/* Where to list from. */
struct place {
	bool is_rank;
	uint32_t host;
	uint64_t rank;
	int64_t time;
};

/* Which events are asked for; its regular expression is the caller's. */
static bool read_filter(const struct app_session *s, struct qry_events_filter *f, GError **error)
{
	uint32_t row;

	*f = QRY_EVENTS_ALL;
	if (s->args->thread) {
		if (!app_session_thread(s, &f->thread, error))
			return false;
		f->host = qry_row(s->q, f->thread)->host;
	}
	if (s->args->cpu) {
		if (!qry_find_line(s->q, MDL_ROW_CPU, s->args->cpu, &row, error))
			return false;
		f->cpu = (uint32_t)qry_row(s->q, row)->nr;
		f->host = qry_row(s->q, row)->host;
	}
	f->name = s->args->name;
	f->match = s->args->match ? qry_events_regex(s->args->match, error) : NULL;
	if (s->args->match && !f->match)
		return false;
	return app_session_instants(s, MDL_NONE, &f->from, &f->to, error);
}

/* "--at TIME" or "--at [HOST/]#N"; without HOST an event of FILTER's host, or the first one. */
static bool read_place(const struct app_session *s, const struct qry_events_filter *filter, struct place *p,
	GError **error)
{
	int64_t from, to;

	qry_span(s->q, &from, &to);
	p->host = filter->host == MDL_NONE ? 0 : filter->host;
	p->is_rank = qry_event_parse(s->q, s->args->at, &p->host, &p->rank);
	return p->is_rank || base_time_parse(s->args->at, from, to, &p->time, error);
}

/* Go there; events of other CPUs and names are passed over from there on. */
static bool events_go(struct qry_events *e, const struct place *p, GError **error)
{
	return p->is_rank ? qry_events_seek_rank(e, p->host, p->rank, error)
			  : qry_events_seek(e, p->time, error);
}

/* As many events as are asked for; one more when there are more (not around an instant). */
static GArray *list(struct app_session *s, const struct qry_events_filter *filter, GError **error)
{
	struct qry_events *e = qry_events_new(s->q, filter, error);
	unsigned top = s->args->top ? (unsigned)s->args->top : UINT_MAX - 1,
		 before = s->args->at ? top / 2 : 0;
	GArray *lines = NULL;
	struct place place;

	if (e && (!s->args->at || (read_place(s, filter, &place, error) && events_go(e, &place, error))))
		lines = qry_events_list(e, before, s->args->at ? top - before : top + 1, s->progress, error);
	qry_events_free(e);
	return lines;
}

static bool events_answer(struct app_session *s, GString *out, GError **error)
{
	struct qry_events_filter filter;
	bool ok = read_filter(s, &filter, error);
	g_autoptr(GArray) lines = ok ? list(s, &filter, error) : NULL;

	if (filter.match)
		g_regex_unref((GRegex *)(uintptr_t)filter.match);
	if (!lines)
		return false;
	if (!s->args->at && s->args->top && lines->len > (guint)s->args->top) {
		g_array_set_size(lines, (guint)s->args->top);
		s->options.more = true;
	}
	app_session_warn(s->q);
	return app_session_write(s, lines, out, error);
}

const struct app_command app_events = {
	.name = "events",
	.operands = "TRACE...",
	.summary = "List events with all fields, around an instant or in a window.",
	.examples = "  wakepath events sample-traces/pipeline --at +430ms --top 5\n"
		    "  wakepath events sample-traces/rpc-chain --name 'net_*' --thread client/wk-client\n",
	.options = APP_TAKES_EVENTS | APP_TAKES_THREAD | APP_TAKES_WINDOW | APP_TAKES_TOP | APP_TAKES_OUTPUT,
	.answer = events_answer,
};
