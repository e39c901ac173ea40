/* SPDX-License-Identifier: MIT */
/*
 * How it works: the cursor has a place in each stream (query/events/lane.c). The next event is the earliest
 * of those after the places, the previous event the latest of those before them. Events of one time are in
 * the order of their streams' numbers, as in the merge of the reader, or of their places in the file
 * (trc_orders_by_place()). So the number of an event is one more than the number of events before the places
 * in the streams of its host.
 *
 * With a filter for a CPU, the places in packets of other CPUs are inexact: these packets are skipped as a
 * whole and not read. If the number of an event is wanted, the places in the other streams of its host are
 * made exact.
 */
#include "query/events/parts.h"

#include "base/base_error.h"
#include "model/event/table.h"

#include <string.h>

#define LOOK_EVERY 4096 /* events between two checks for cancellation */

/* ---- life ---- */

static void add_lanes(struct qry_events *e, uint32_t host)
{
	struct qry_source *source = qry_source(e->q, host);
	struct idx_reader *index = source->reader;

	for (uint32_t i = 0; i < idx_reader_stream_count(index); i++) {
		const struct idx_stream *s = idx_reader_stream(index, i);

		if (s->packets == 0)
			continue;
		e->lanes = g_renew(struct qry_lane, e->lanes, e->n_lanes + 1);
		e->lanes[e->n_lanes++] = (struct qry_lane){ .source = source,
			.host = host,
			.by_place = trc_orders_by_place(idx_reader_meta(index)->reader),
			.stream = i,
			.n_packets = s->packets,
			.packet = s->packets };
	}
}

bool qry_source_open_trace(struct qry *q, struct qry_source *s, GError **error)
{
	if (!s->trace)
		s->trace = qry_trace_open(s->recording, s->reader, q->warnings, error);
	return s->trace;
}

struct qry_events *qry_events_new(struct qry *q, const struct qry_events_filter *filter, GError **error)
{
	struct qry_events *e = g_new0(struct qry_events, 1);
	bool fine = true;

	e->q = q;
	qry_filter_init(&e->filter, filter);
	e->runs = qry_runs_new(q);
	for (uint32_t host = 0; fine && host < q->sources->len; host++) {
		if (filter->host != MDL_NONE && filter->host != host)
			continue;
		fine = qry_source_open_trace(q, qry_source(q, host), error);
		if (fine)
			add_lanes(e, host);
	}
	if (!fine || !qry_events_seek(e, filter->from, error))
		g_clear_pointer(&e, qry_events_free);
	return e;
}

bool qry_events_declared(struct qry *q, uint32_t host, const char *name)
{
	struct qry_source *source = qry_source(q, host);

	return qry_source_open_trace(q, source, NULL) && qry_trace_declares(source->trace, name);
}

void qry_events_free(struct qry_events *e)
{
	if (!e)
		return;
	qry_filter_clear(&e->filter);
	qry_runs_free(e->runs);
	g_free(e->lanes);
	g_free(e);
}

/* 1 if the line of EVENT, the last one stepped over, matches the filter's expression; 0 if not; -1 with an
 * error. */
static int filter_matches(struct qry_events *e, const struct qry_event *event, GError **error)
{
	g_autofree char *fields = NULL;

	if (!e->filter.of.match)
		return 1;
	fields = qry_trace_fields(e->last->source->trace, e->last->stream, e->last_packet, e->last_at, error);
	return fields ? qry_filter_matches(&e->filter, event->name, fields, error) : -1;
}

/* ---- all streams ---- */

/* Go to TIME (shown). In HOST (MDL_NONE: none) go to OWN by its clock. If CPU is not MDL_NONE, the places in
 * packets of other CPUs are inexact. */
static bool seek(struct qry_events *e, int64_t time, uint32_t host, int64_t own, uint32_t cpu, GError **error)
{
	bool fine = true;

	e->last = NULL;
	for (uint32_t i = 0; fine && i < e->n_lanes; i++) {
		struct qry_lane *l = &e->lanes[i];

		fine = qry_lane_seek(l, l->host == host ? own : qry_source_host(l->source, time), cpu, error);
	}
	return fine;
}

/* Like seek(), to TIME by HOST's own clock, and in other hosts to the shown time of that. */
static bool seek_own(struct qry_events *e, uint32_t host, int64_t time, uint32_t cpu, GError **error)
{
	return seek(e, qry_source_shown(qry_source(e->q, host), time), host, time, cpu, error);
}

bool qry_events_seek(struct qry_events *e, int64_t time, GError **error)
{
	return seek(e, time, MDL_NONE, time, e->filter.of.cpu, error);
}

/* Number of events of HOST before the cursor. */
static uint64_t host_before(const struct qry_events *e, uint32_t host)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < e->n_lanes; i++)
		if (e->lanes[i].host == host)
			n += qry_lane_before(&e->lanes[i]);
	return n;
}

/* Set *NEARER to true if the event of A comes before that of B (BY 1), or after it (BY -1). False: error. */
static bool is_nearer(const struct qry_lane *a, const struct qry_lane *b, int by, bool *nearer,
	GError **error)
{
	unsigned side = by > 0;
	uint64_t place, other;
	int64_t x, y;

	*nearer = true;
	if (!b)
		return true;
	/* Different times of one clock may have one shown time. */
	x = a->host == b->host ? a->time[side] : a->shown[side];
	y = a->host == b->host ? b->time[side] : b->shown[side];
	*nearer = by > 0 ? x < y : x > y;
	if (x != y)
		return true;
	*nearer = by > 0 ? a < b : a > b;
	if (a->host != b->host || !a->by_place)
		return true;
	if (!qry_lane_place(a, by, &place, error) || !qry_lane_place(b, by, &other, error))
		return false;
	*nearer = by > 0 ? place < other : place > other;
	return true;
}

/* Set *FOUND to L if its next event is nearer than that of *FOUND. False with an error. */
static bool consider(struct qry_lane *l, int by, struct qry_lane **found, GError **error)
{
	unsigned side = by > 0;
	bool nearer = false;

	if (!qry_lane_look(l, by, error) || (l->there[side] && !is_nearer(l, *found, by, &nearer, error)))
		return false;
	if (nearer)
		*found = l;
	return true;
}

/* Set *FOUND to the stream of the event after (BY 1) or before (BY -1) the cursor; NULL: there is none. */
static bool events_choose(struct qry_events *e, int by, struct qry_lane **found, GError **error)
{
	*found = NULL;
	for (uint32_t i = 0; i < e->n_lanes; i++)
		if (!consider(&e->lanes[i], by, found, error))
			return false;
	return true;
}

/* Like events_choose(), but only events of CPU. The first round skips no packet of another CPU. The second
 * skips those that lie before the nearest event found. */
static bool choose_cpu(struct qry_events *e, int by, uint32_t cpu, struct qry_lane **found, GError **error)
{
	static const int64_t here[2] = { INT64_MAX, INT64_MIN }; /* by side: skip no packet */

	*found = NULL;
	for (unsigned round = 0; round < 2; round++) {
		for (uint32_t i = 0; i < e->n_lanes; i++) {
			const int64_t *limit = round == 0 ? &here[by > 0]
				: *found                  ? &(*found)->shown[by > 0]
							  : NULL;
			int got = qry_lane_skip(&e->lanes[i], by, cpu, limit, error);

			if (got < 0 || (got > 0 && !consider(&e->lanes[i], by, found, error)))
				return false;
		}
	}
	return true;
}

/* Step over the event of L (NULL: there is none). Returns 1, 0 or -1 as qry_events_step(). */
static int step_lane(struct qry_events *e, struct qry_lane *l, int by, GError **error)
{
	struct idx_packet p;

	if (!l)
		return 0;
	if (qry_lane_neighbour(l, by, &e->last_packet, &e->last_at, &p, error) < 1 ||
		!qry_lane_pass(l, by, e->last_packet, e->last_at, p.events, error))
		return -1;
	e->last = l;
	e->last_cpu = p.cpu;
	return 1;
}

/* Step over the next event of any CPU. The places must be exact. */
static int step_any(struct qry_events *e, int by, GError **error)
{
	struct qry_lane *l;

	return events_choose(e, by, &l, error) ? step_lane(e, l, by, error) : -1;
}

/* Step over the next event of the filter's CPU, or of any CPU if the filter has none. */
static int step_cpu(struct qry_events *e, int by, GError **error)
{
	struct qry_lane *l;

	if (e->filter.of.cpu == MDL_NONE)
		return step_any(e, by, error);
	return choose_cpu(e, by, e->filter.of.cpu, &l, error) ? step_lane(e, l, by, error) : -1;
}

bool qry_events_seek_rank(struct qry_events *e, uint32_t host, uint64_t rank, GError **error)
{
	uint32_t first = MDL_NONE;
	int64_t time;

	for (uint32_t i = 0; i < e->n_lanes && first == MDL_NONE; i++)
		if (e->lanes[i].host == host)
			first = i;
	if (first == MDL_NONE || !idx_reader_event_time(qry_source(e->q, host)->reader, rank, &time))
		return base_error_false(error, BASE_ERROR_NO_ANSWER,
			"%s has no event %" G_GUINT64_FORMAT ": the last one is %" G_GUINT64_FORMAT,
			qry_source(e->q, host)->name, rank, qry_source(e->q, host)->host.meta->events);
	if (!seek_own(e, host, time, MDL_NONE, error))
		return false;
	while (host_before(e, host) + 1 < rank)
		if (step_any(e, 1, error) != 1)
			return false;
	/* Pass events of other hosts at this time, up to the first event of this host. */
	for (;;) {
		struct qry_lane *l;

		if (!events_choose(e, 1, &l, error))
			return false;
		if (!l || l->host == host)
			return true;
		if (step_any(e, 1, error) != 1)
			return false;
	}
}

/* Some events are parts of the event before them on their CPU: the stack of a switch (proofs.md R25.10). They
 * belong to the thread in their own common_pid, even if they were written after the switch. */

#define OWNERS_MOST 16 /* intervals of the CPU to search back for this thread */

static void take_common_pid(void *data, const char *name, const struct trc_value *value)
{
	int64_t *tid = data;

	if (g_str_equal(name, "common_pid") &&
		(value->type == TRC_VALUE_SIGNED || value->type == TRC_VALUE_UNSIGNED))
		*tid = (int64_t)value->number;
}

uint32_t qry_events_owner(struct qry *q, const struct qry_event *event, int64_t time, uint32_t row,
	int64_t tid)
{
	uint32_t cpu = event->cpu == MDL_NONE ? MDL_NONE : qry_cpu_row(q, event->host, event->cpu);
	struct mdl_interval i;

	if (tid < 0 || cpu == MDL_NONE || (row != MDL_NONE && qry_row(q, row)->nr == tid))
		return row;
	for (unsigned n = 0; n < OWNERS_MOST && qry_source_state_before(q, cpu, time, &i); n++) {
		if (i.aux != MDL_NONE && qry_row(q, i.aux)->nr == tid)
			return i.aux;
		time = i.from;
	}
	return MDL_NONE;
}

/* Set *ROW, the thread by the CPU's state at TIME, to the one that EVENT belongs to. False with an error. */
static bool part_thread(struct qry_events *e, const struct qry_event *event, int64_t time, uint32_t *row,
	GError **error)
{
	int64_t tid = -1;
	struct trc_taker taker = { take_common_pid, &tid };

	if (!qry_events_take(e, &taker, error))
		return false;
	*row = qry_events_owner(e->q, event, time, *row, tid);
	return true;
}

/* Set *ROW to the thread that EVENT names, at TIME by its host's own clock, or to MDL_NONE. False: error. */
static bool named_thread(struct qry_events *e, const struct qry_event *event, int64_t time, uint32_t *row,
	GError **error)
{
	struct qry_named named = QRY_NAMED_NOBODY;
	struct trc_taker taker = { qry_named_take, &named };

	if (!qry_events_take(e, &taker, error))
		return false;
	*row = qry_runs_named(e->runs, event->host, &named, time);
	return true;
}

/* Fill *EVENT with the event stepped over last, except its rank. False with an error. */
static bool describe(struct qry_events *e, struct qry_event *event, GError **error)
{
	struct qry_trace_event source;

	if (!qry_trace_event(e->last->source->trace, e->last->stream, e->last_packet, e->last_at, &source,
		    error))
		return false;
	e->last_time = source.time;
	event->host = e->last->host;
	event->time = qry_source_shown(e->last->source, source.time);
	event->cpu = qry_events_cpu(e->last_cpu, source.cpu);
	event->name = source.name;
	event->thread = MDL_NONE;
	if (!qry_filter_wants(&e->filter, event->name))
		return true;
	if (e->last_cpu == IDX_CPU_NONE)
		return named_thread(e, event, source.time, &event->thread, error);
	event->thread = qry_runs_thread(e->runs, event->host, event->cpu, source.time,
		qry_events_is_switch(NULL, event->name));
	return !mdl_table_is_part(event->name) || part_thread(e, event, source.time, &event->thread, error);
}

/* Move L, another stream of this host, to the event that was stepped over last. */
static bool follow(const struct qry_events *e, struct qry_lane *l, GError **error)
{
	uint64_t place, other, packet, at;
	int64_t offset;
	struct idx_packet p;

	if (!l->by_place)
		return l < e->last ? qry_lane_seek_behind(l, e->last_time, error)
				   : qry_lane_seek(l, e->last_time, MDL_NONE, error);
	if (!qry_trace_packet(e->last->source->reader, e->last->stream, e->last_packet, &p, error) ||
		!qry_trace_offset(e->last->source->trace, e->last->stream, e->last_packet, e->last_at,
			&offset, error) ||
		!qry_lane_seek(l, e->last_time, MDL_NONE, error))
		return false;
	place = p.offset + (uint64_t)offset;
	for (;;) {
		if (!qry_lane_look(l, 1, error))
			return false;
		if (!l->there[1] || l->time[1] > e->last_time)
			return true;
		if (!qry_lane_place(l, 1, &other, error))
			return false;
		if (other > place)
			return true;
		if (qry_lane_neighbour(l, 1, &packet, &at, &p, error) < 1 ||
			!qry_lane_pass(l, 1, packet, at, p.events, error))
			return false;
	}
}

/* Set the rank of EVENT, the event stepped over last. BY is 1 if the cursor is after it. */
static bool number(struct qry_events *e, int by, struct qry_event *event, GError **error)
{
	bool fine = true;

	for (uint32_t i = 0; fine && e->filter.of.cpu != MDL_NONE && i < e->n_lanes; i++) {
		struct qry_lane *l = &e->lanes[i];

		if (l->host == event->host && l != e->last)
			fine = follow(e, l, error);
	}
	event->rank = host_before(e, event->host) + (by > 0 ? 0 : 1);
	return fine;
}

bool qry_events_seek_exact(struct qry_events *e, uint32_t host, int64_t time, uint32_t cpu, GError **error)
{
	struct qry_event event;

	if (!seek(e, time, MDL_NONE, time, MDL_NONE, error))
		return false;
	for (;;) {
		int got = step_any(e, 1, error);

		if (got < 0 || (got > 0 && !describe(e, &event, error)))
			return false;
		if (got == 0 || event.time != time)
			break;
		if (event.host == host && event.cpu == cpu)
			return step_any(e, -1, error) == 1;
	}
	return base_error_false(error, BASE_ERROR_NO_ANSWER, "%s has no event on CPU %u at %" G_GINT64_FORMAT,
		qry_source(e->q, host)->name, cpu, time);
}

/* ---- steps ---- */

int qry_events_step(struct qry_events *e, int by, struct qry_event *event, struct base_progress *progress,
	GError **error)
{
	/* A regular expression may take long for one event. */
	unsigned look_every = e->filter.of.match ? 1 : LOOK_EVERY;
	int64_t go;

	for (unsigned n = 1;; n++) {
		int got = step_cpu(e, by, error);

		if (got <= 0)
			return got;
		if (!describe(e, event, error))
			return -1;
		if (qry_filter_is_over(&e->filter, e->q, by, event->time))
			return step_cpu(e, -by, error) < 0 ? -1 : 0;
		got = qry_filter_passes(&e->filter, event) ? filter_matches(e, event, error) : 0;
		if (got)
			return got > 0 && number(e, by, event, error) ? 1 : -1;
		if (e->filter.of.thread != MDL_NONE &&
			qry_filter_is_idle(&e->filter, e->q, by, event, e->last_time, &go) &&
			!seek_own(e, qry_row(e->q, e->filter.of.thread)->host, go, e->filter.of.cpu, error))
			return -1;
		if (n % look_every == 0 && base_progress_cancelled(progress)) {
			g_set_error_literal(error, BASE_ERROR, BASE_ERROR_CANCELLED, "interrupted");
			return -1;
		}
	}
}

char *qry_events_fields(struct qry_events *e, GError **error)
{
	return e->last
		? qry_trace_fields(e->last->source->trace, e->last->stream, e->last_packet, e->last_at, error)
		: NULL;
}

bool qry_events_take(struct qry_events *e, const struct trc_taker *taker, GError **error)
{
	return e->last &&
		qry_trace_take(e->last->source->trace, e->last->stream, e->last_packet, e->last_at, taker,
			error);
}

/* ---- lists ---- */

static void list_line_clear(gpointer data)
{
	g_free(((struct qry_events_line *)data)->fields);
}

/* Append up to N events after the cursor. False with an error. */
static bool list_append(struct qry_events *e, GArray *list, unsigned n, struct base_progress *progress,
	GError **error)
{
	struct qry_events_line line;

	while (n-- > 0) {
		int got = qry_events_step(e, 1, &line.event, progress, error);

		if (got <= 0)
			return got == 0;
		line.fields = qry_events_fields(e, error);
		if (!line.fields)
			return false;
		g_array_append_val(list, line);
	}
	return true;
}

GArray *qry_events_list(struct qry_events *e, unsigned before, unsigned after, struct base_progress *progress,
	GError **error)
{
	GArray *list = g_array_new(FALSE, FALSE, sizeof(struct qry_events_line));
	struct qry_event event;
	unsigned back = 0;
	int got = 1;

	g_array_set_clear_func(list, list_line_clear);
	while (back < before && (got = qry_events_step(e, -1, &event, progress, error)) == 1)
		back++;
	if (got < 0 ||
		!list_append(e, list, after > UINT_MAX - back ? UINT_MAX : back + after, progress, error))
		g_clear_pointer(&list, g_array_unref);
	return list;
}

/* ---- numbers ---- */

/* Parse "#123" or "123#". */
static bool parse_rank(const char *text, uint64_t *rank)
{
	const char *digits = text[0] == '#' ? text + 1 : text;
	char *end;

	if (!g_ascii_isdigit(*digits))
		return false;
	*rank = g_ascii_strtoull(digits, &end, 10);
	return digits == text ? !strcmp(end, "#") : *end == '\0';
}

bool qry_event_parse(const struct qry *q, const char *text, uint32_t *host, uint64_t *rank)
{
	const char *slash = strrchr(text, '/');

	if (!slash)
		return parse_rank(text, rank);
	for (uint32_t i = 0; i < q->sources->len; i++) {
		const char *name = qry_source(q, i)->name;

		if (strlen(name) != (size_t)(slash - text) || strncmp(name, text, strlen(name)) != 0)
			continue;
		*host = i;
		return parse_rank(slash + 1, rank);
	}
	return false;
}

bool qry_event_time(struct qry *q, uint32_t host, uint64_t rank, int64_t *time, GError **error)
{
	struct qry_events_filter only = QRY_EVENTS_ALL;
	struct qry_events *e;
	struct qry_event event;
	bool fine;

	only.host = host;
	e = qry_events_new(q, &only, error);
	fine = e && qry_events_seek_rank(e, host, rank, error) &&
		qry_events_step(e, 1, &event, NULL, error) == 1;
	if (fine)
		*time = event.time;
	qry_events_free(e);
	return fine;
}
