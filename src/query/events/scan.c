/* SPDX-License-Identifier: MIT */
/*
 * How it works: each stream has a lane, which holds some hundred events of a packet at a time, in the order
 * of the file. The head of a lane is the next of them that the filter may select. If none of them qualifies,
 * the head is the last one, and the reader must go on after it. If the packet is not read yet, the head is
 * the begin of the packet. The scan always takes the lane with the earliest head, so no lane goes ahead of
 * the others. For each event passed it is therefore known whether it comes before or after the current one,
 * which gives the number of the current event.
 */
#include "query/events/scan.h"

#include "base/base_error.h"
#include "base/base_text.h"
#include "model/event/table.h"
#include "query/events/parts.h"

#include <string.h>

#define KNOWN 256        /* names in the hash table by address */
#define PID "common_pid" /* see qry_events_owner() */

/* The properties of an event's name. */
struct kind {
	const char *name; /* sanitised; owned by the trace */
	bool wanted, is_switch, is_part;
};

struct known {
	const char *name; /* weak; as in the trace */
	const struct kind *kind;
};

/* A stream, and some of its events. */
struct lane {
	struct qry_source *source; /* weak */
	uint32_t host, stream;
	bool by_place;              /* see trc_orders_by_place() */
	bool ended;                 /* no events are left */
	bool is_mine;               /* the filter may select events of this packet */
	uint64_t n_packets, packet; /* PACKET: the current one */
	struct idx_packet p;
	struct trc_events_page *page;          /* owned; NULL: not read yet */
	const struct trc_paging_event *events; /* N events, from number FIRST of the packet */
	uint64_t first;
	unsigned n;
	unsigned at;             /* the head: the first event that may be selected; N: none */
	unsigned counted;        /* number of EVENTS before the current event */
	int64_t own, shown;      /* time of the head, by its clock and shown */
	const struct kind *kind; /* of the head; NULL: not selected */
};

/* The readers of fields of one host. */
struct host {
	struct trc_picker *fields, *pid; /* owned; NULL until needed */
};

struct qry_scan {
	struct qry *q; /* weak */
	struct qry_filter filter;
	struct qry_scan_want want; /* its names are in NAMES */
	char **names;              /* owned */
	struct host *hosts;        /* owned; of all hosts */
	struct qry_runs *runs;     /* owned */
	struct lane *lanes;        /* owned; sorted by host and stream */
	uint32_t n_lanes;
	struct lane *now;    /* the lane whose head is the current event; NULL: none */
	int64_t others;      /* shown time; no other lane has an earlier head */
	GHashTable *kinds;   /* name in the trace → struct kind *; owned */
	struct known *known; /* owned; some of KINDS, by address */
	GString *line;       /* owned; the fields of the current event if HAS_LINE; hostile */
	char *clean;         /* owned; LINE, cleaned, if it had to be */
	bool has_line;
	const struct trc_value *values; /* weak; the wanted fields of the current event; NULL: not read */
};

/* ---- life ---- */

static bool lane_enter(const struct qry_scan *s, struct lane *l, uint64_t packet, GError **error);

static bool add_lanes(struct qry_scan *s, uint32_t host, GError **error)
{
	struct qry_source *source = qry_source(s->q, host);
	struct idx_reader *index = source->reader;

	s->lanes = g_renew(struct lane, s->lanes, s->n_lanes + idx_reader_stream_count(index));
	for (uint32_t i = 0; i < idx_reader_stream_count(index); i++) {
		struct lane *l = &s->lanes[s->n_lanes++];

		*l = (struct lane){ .source = source,
			.host = host,
			.stream = i,
			.by_place = trc_orders_by_place(idx_reader_meta(index)->reader),
			.n_packets = idx_reader_stream(index, i)->packets };
		if (!lane_enter(s, l,
			    idx_reader_packet_at(index, i, qry_source_host(source, s->filter.of.from)),
			    error))
			return false;
	}
	return true;
}

struct qry_scan *qry_scan_new(struct qry *q, const struct qry_events_filter *filter,
	const struct qry_scan_want *want, GError **error)
{
	struct qry_scan *s = g_new0(struct qry_scan, 1);
	bool fine = true;

	s->q = q;
	qry_filter_init(&s->filter, filter);
	s->want = *want;
	s->want.thread |= filter->thread != MDL_NONE;
	s->names = g_new0(char *, want->n_fields + 1);
	for (unsigned i = 0; i < want->n_fields; i++)
		s->names[i] = g_strdup(want->fields[i]);
	s->hosts = g_new0(struct host, q->sources->len);
	s->runs = qry_runs_new(q);
	s->kinds = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	s->known = g_new0(struct known, KNOWN);
	s->line = g_string_new(NULL);
	for (uint32_t host = 0; fine && host < q->sources->len; host++) {
		if (filter->host != MDL_NONE && filter->host != host)
			continue;
		fine = qry_source_open_trace(q, qry_source(q, host), error) && add_lanes(s, host, error);
	}
	s->others = INT64_MIN;
	if (!fine)
		g_clear_pointer(&s, qry_scan_free);
	return s;
}

void qry_scan_free(struct qry_scan *s)
{
	if (!s)
		return;
	for (uint32_t i = 0; i < s->n_lanes; i++)
		trc_events_page_free(s->lanes[i].page);
	for (uint32_t host = 0; host < s->q->sources->len; host++) {
		trc_picker_free(s->hosts[host].fields);
		trc_picker_free(s->hosts[host].pid);
	}
	g_free(s->hosts);
	qry_runs_free(s->runs);
	g_free(s->lanes);
	qry_filter_clear(&s->filter);
	g_strfreev(s->names);
	g_hash_table_unref(s->kinds);
	g_free(s->known);
	g_string_free(s->line, TRUE);
	g_free(s->clean);
	g_free(s);
}

/* ---- names ---- */

static const struct kind *kind_new(struct qry_scan *s, const struct lane *l, const char *name)
{
	struct kind *kind = g_hash_table_lookup(s->kinds, name);

	if (kind)
		return kind;
	kind = g_new(struct kind, 1);
	kind->name = qry_trace_name(l->source->trace, name);
	kind->wanted = qry_filter_wants(&s->filter, kind->name);
	kind->is_switch = qry_events_is_switch(NULL, kind->name);
	kind->is_part = mdl_table_is_part(kind->name);
	g_hash_table_insert(s->kinds, (gpointer)(uintptr_t)name, kind);
	return kind;
}

/* The kind of events of L called NAME. An address has one name while the trace is open. */
static inline const struct kind *kind_of(struct qry_scan *s, const struct lane *l, const char *name)
{
	uintptr_t address = (uintptr_t)name;
	struct known *known = &s->known[(address ^ address >> 8) % KNOWN];

	if (known->name != name)
		*known = (struct known){ name, kind_new(s, l, name) };
	return known->kind;
}

/* ---- lanes ---- */

static void set_head(struct lane *l, int64_t own)
{
	l->own = own;
	l->shown = qry_source_shown(l->source, own);
}

/* Set the head of L to the first event from its place that may be selected. */
static void lane_settle(struct qry_scan *s, struct lane *l)
{
	l->kind = NULL;
	for (; l->is_mine && l->at < l->n; l->at++) {
		const struct kind *kind = kind_of(s, l, l->events[l->at].name);

		if (!kind->wanted)
			continue;
		set_head(l, l->events[l->at].time);
		if (l->shown < s->filter.of.from)
			continue;
		l->kind = kind;
		return;
	}
	l->at = l->n;
	if (l->n > 0)
		set_head(l, l->events[l->n - 1].time);
}

/* Go to the begin of PACKET. If no number of an event is wanted, skip packets without selected events. */
static bool lane_enter(const struct qry_scan *s, struct lane *l, uint64_t packet, GError **error)
{
	uint32_t cpu = s->filter.of.cpu;

	g_clear_pointer(&l->page, trc_events_page_free);
	l->first = 0;
	l->n = l->at = l->counted = 0;
	l->kind = NULL;
	for (;; packet++) {
		l->packet = packet;
		l->ended = packet >= l->n_packets;
		if (l->ended)
			return true;
		if (!qry_trace_packet(l->source->reader, l->stream, packet, &l->p, error))
			return false;
		l->is_mine = cpu == MDL_NONE || l->p.cpu == MDL_NONE || l->p.cpu == cpu;
		if (l->is_mine || s->want.rank)
			break;
	}
	set_head(l, l->p.first);
	return true;
}

/* Read the next events of L. */
static bool lane_refill(struct qry_scan *s, struct lane *l, GError **error)
{
	l->first += l->n;
	l->at = l->counted = l->n = 0;
	if (!l->page)
		l->page = qry_trace_begin(l->source->trace, l->stream, l->packet, error);
	if (!l->page || !trc_events_next(l->page, &l->events, &l->n, error))
		return false;
	if (l->n == 0)
		return lane_enter(s, l, l->packet + 1, error);
	lane_settle(s, l);
	return true;
}

/* The place in the file of event I of L. If it is not read yet, a place at or before it. */
static uint64_t place_of(const struct lane *l, unsigned i)
{
	return l->p.offset + (l->n > 0 ? (uint64_t)l->events[i].offset : 0);
}

/* The head of L as an index into its events. */
static unsigned head_of(const struct lane *l)
{
	return l->at < l->n ? l->at : MAX(l->n, 1) - 1;
}

/* True if the head of A comes before that of B, an earlier lane. If both have one place, the lane that is not
 * read yet comes first, because only reading it decides. */
static bool is_before(const struct lane *a, const struct lane *b)
{
	if (a->host != b->host)
		return a->shown < b->shown;
	if (a->own != b->own || !a->by_place)
		return a->own < b->own;
	return place_of(a, head_of(a)) < place_of(b, head_of(b)) + (a->n == 0);
}

/* The lane with the earliest head; NULL if all have ended. */
static struct lane *choose(struct qry_scan *s)
{
	struct lane *first = NULL;

	s->others = INT64_MAX;
	for (uint32_t i = 0; i < s->n_lanes; i++) {
		struct lane *l = &s->lanes[i];

		if (l->ended)
			continue;
		if (!first) {
			first = l;
		} else if (is_before(l, first)) {
			s->others = MIN(s->others, first->shown);
			first = l;
		} else {
			s->others = MIN(s->others, l->shown);
		}
	}
	return first;
}

/* Make the earliest event that may be selected the current one. Returns 1; 0: there is none; -1: error. */
static int find_head(struct qry_scan *s, struct base_progress *progress, GError **error)
{
	if (s->now) {
		s->now->at++;
		lane_settle(s, s->now);
	}
	while (!s->now || !s->now->kind || s->now->shown >= s->others) {
		s->now = choose(s);
		if (!s->now || qry_filter_is_over(&s->filter, s->q, 1, s->now->shown)) {
			s->now = NULL;
			return 0;
		}
		if (s->now->kind)
			return 1;
		if (base_progress_cancelled(progress))
			g_set_error_literal(error, BASE_ERROR, BASE_ERROR_CANCELLED, "interrupted");
		else if (lane_refill(s, s->now, error))
			continue;
		s->now = NULL;
		return -1;
	}
	if (!qry_filter_is_over(&s->filter, s->q, 1, s->now->shown))
		return 1;
	s->now = NULL;
	return 0;
}

/* ---- the current event ---- */

static const struct trc_paging_event *event_of(const struct lane *l)
{
	return &l->events[l->at];
}

/* True if event I of L comes before the current one, which is in another lane. */
static bool is_passed(const struct qry_scan *s, const struct lane *l, unsigned i)
{
	const struct lane *now = s->now;

	if (l->events[i].time != now->own)
		return l->events[i].time < now->own;
	return l->by_place ? place_of(l, i) < place_of(now, now->at) : l < now;
}

static uint64_t rank_of(const struct qry_scan *s)
{
	uint64_t rank = 1;

	for (uint32_t i = 0; i < s->n_lanes; i++) {
		struct lane *l = &s->lanes[i];

		if (l->host != s->now->host)
			continue;
		if (l->ended) {
			rank += idx_reader_stream(l->source->reader, l->stream)->events;
			continue;
		}
		if (l == s->now)
			l->counted = l->at;
		while (l->counted < l->n && is_passed(s, l, l->counted))
			l->counted++;
		rank += l->p.before + l->first + l->counted;
	}
	return rank;
}

/* Like find_thread(), for an event without a CPU. */
static bool find_named(struct qry_scan *s, const struct qry_event *event, uint32_t *thread, GError **error)
{
	struct qry_named named = QRY_NAMED_NOBODY;
	const struct trc_taker taker = { qry_named_take, &named };

	if (!qry_scan_take(s, &taker, error))
		return false;
	*thread = qry_runs_named(s->runs, event->host, &named, s->now->own);
	return true;
}

/* Set *THREAD to the thread of EVENT, the current one. False with an error. */
static bool find_thread(struct qry_scan *s, const struct qry_event *event, uint32_t *thread, GError **error)
{
	static const char *const names[] = { PID };
	struct host *h = &s->hosts[event->host];
	const struct lane *l = s->now;
	const struct trc_value *pid;

	if (l->p.cpu == IDX_CPU_NONE)
		return find_named(s, event, thread, error);
	*thread = qry_runs_thread(s->runs, event->host, event->cpu, l->own, l->kind->is_switch);
	if (!l->kind->is_part)
		return true;
	s->values = NULL;
	if (!h->pid)
		h->pid = qry_trace_picker(l->source->trace, names, 1);
	pid = trc_picker_pick(h->pid, l->page, l->first + l->at, error);
	if (pid && (pid->type == TRC_VALUE_SIGNED || pid->type == TRC_VALUE_UNSIGNED))
		*thread = qry_events_owner(s->q, event, l->own, *thread, (int64_t)pid->number);
	return pid;
}

/* ---- steps ---- */

const char *qry_scan_text(struct qry_scan *s, GError **error)
{
	if (!s->has_line && !qry_scan_take(s, NULL, error))
		return NULL;
	if (base_text_is_plain(s->line->str, s->line->len))
		return s->line->str;
	g_free(s->clean);
	s->clean = base_text_clean(s->line->str, (gssize)s->line->len);
	return s->clean;
}

const struct trc_value *qry_scan_values(struct qry_scan *s, GError **error)
{
	const struct lane *l = s->now;
	struct host *h = &s->hosts[l->host];

	if (!h->fields)
		h->fields = qry_trace_picker(l->source->trace, (const char *const *)s->names,
			s->want.n_fields);
	if (!s->values)
		s->values = trc_picker_pick(h->fields, l->page, l->first + l->at, error);
	return s->values;
}

bool qry_scan_thread(struct qry_scan *s, struct qry_event *event, GError **error)
{
	return find_thread(s, event, &event->thread, error);
}

bool qry_scan_take(struct qry_scan *s, const struct trc_taker *taker, GError **error)
{
	const struct lane *l = s->now;

	g_string_truncate(s->line, 0);
	s->values = NULL;
	s->has_line = trc_events_fields(l->page, l->first + l->at, s->line, taker, error);
	return s->has_line;
}

/* Fill *EVENT with the current event. Returns 1 if the filter selects it; 0 if not; -1 with an error. */
static int select_event(struct qry_scan *s, struct qry_event *event, GError **error)
{
	const struct lane *l = s->now;
	const char *text;

	*event = (struct qry_event){ .host = l->host,
		.time = l->shown,
		.cpu = qry_events_cpu(l->p.cpu, event_of(l)->cpu),
		.thread = MDL_NONE,
		.name = l->kind->name };
	if (s->filter.of.cpu != MDL_NONE && event->cpu != s->filter.of.cpu)
		return 0;
	if (s->want.thread && !find_thread(s, event, &event->thread, error))
		return -1;
	if (s->filter.of.thread != MDL_NONE && event->thread != s->filter.of.thread)
		return 0;
	if (!s->filter.of.match)
		return 1;
	text = qry_scan_text(s, error);
	return text ? qry_filter_matches(&s->filter, event->name, text, error) : -1;
}

int qry_scan_next(struct qry_scan *s, struct qry_event *event, struct base_progress *progress, GError **error)
{
	for (;;) {
		int got = find_head(s, progress, error);

		s->has_line = false;
		s->values = NULL;
		if (got > 0)
			got = select_event(s, event, error);
		else
			return got;
		if (got > 0 && s->want.rank)
			event->rank = rank_of(s);
		if (got != 0)
			return got;
		/* A regular expression may take long for one event. */
		if (s->filter.of.match && base_progress_cancelled(progress)) {
			g_set_error_literal(error, BASE_ERROR, BASE_ERROR_CANCELLED, "interrupted");
			return -1;
		}
	}
}
