/* SPDX-License-Identifier: MIT */
/*
 * How it works: the packets of a host are read in order (analysis/request/talk.c).  The begin of an exchange
 * is known only if the packets before it on its connection were read, too.  So the listener starts some
 * packets before those that are asked for. If that is not enough, it starts again further back.
 *
 * UDP has no begin of a connection.  In a window, where each request may come from a port of its own, there
 * is no search all the way back: a request on a connection that was silent for long before the window is its
 * first.
 *
 * The other end of an exchange is found through the first packet that this end received: its sender and the
 * time of sending are known. The rest comes from the packets of that host on the same connection, around that
 * time.  Only lengths of time are carried over from one host to the other, so wrong clocks do no harm.
 */
#include "analysis/request/exchange.h"

#include "analysis/kind/chain.h"
#include "analysis/wait/source.h"
#include "analysis/request/bare.h"
#include "analysis/request/talk.h"
#include "base/base_time.h"

#include <netinet/in.h>
#include <string.h>

#define BACK_FIRST 256 /* packets before the wanted ones where the listener starts, at first */
#define BACK_TIMES 4   /* factor for each further attempt */
#define SILENT 65536   /* packets before a window: a connection without one in them was silent for long */
#define AT_ONCE 1024   /* exchanges that are collected before their other ends are searched */
#define SECOND INT64_C(1000000000)
/* How far to look back for a request sent on the same host, at first, in ns, */
#define LOOK_FIRST (SECOND / 1000)
#define LOOK_LAST (SECOND / 10) /* and at last: packets that stay on a host are fast */
#define LOOK_TIMES 10

/* ---- the other end ---- */

/* The connection of X from its other end. */
static struct ana_connection other_end(const struct ana_exchange *x)
{
	struct ana_connection c = x->connection;

	memcpy(c.own, x->connection.peer, sizeof c.own);
	memcpy(c.peer, x->connection.own, sizeof c.peer);
	c.own_port = x->connection.peer_port;
	c.peer_port = x->connection.own_port;
	return c;
}

/* The search for an exchange at the other end. */
struct look {
	struct qry *q;                   /* weak */
	struct ana_exchange *x;          /* weak */
	uint32_t sent, sent_end;         /* TCP: [sent, sent_end): sequence numbers that the other end sent */
	uint32_t received, received_end; /* and that it received */
	uint32_t reply_end;              /* TCP: end of the reply so far */
	uint32_t replies;                /* packets of the reply so far */
};

static struct look look_for(struct qry *q, struct ana_exchange *x)
{
	const struct ana_exchange_part *out = x->asked ? &x->request : &x->reply,
				       *in = x->asked ? &x->reply : &x->request;
	struct look l = { .q = q, .x = x };

	l.sent = x->first_in.packet.sequence;
	l.sent_end = l.sent + (uint32_t)in->bytes;
	l.received_end = x->out_end;
	l.received = l.received_end - (uint32_t)out->bytes;
	l.reply_end = x->asked ? l.sent : l.received;
	return l;
}

/* True if the reply is complete. */
static bool is_done(const struct look *l)
{
	const struct ana_exchange *x = l->x;

	if (x->reply.packets == 0)
		return x->peer_from != MDL_NEVER;
	if (x->connection.protocol != IPPROTO_TCP)
		return l->replies >= x->reply.packets;
	return l->reply_end == (x->asked ? l->sent_end : l->received_end);
}

/* True if the data of T, at the other end, belongs to this exchange. */
static bool exchange_is_of(const struct look *l, const struct mdl_transfer *t)
{
	uint32_t begin = t->packet.sequence, end = begin + t->packet.payload;

	if (t->packet.protocol != IPPROTO_TCP)
		return t->received ? l->x->asked || l->x->peer_from != MDL_NEVER
				   : l->x->asked || mdl_packet_same(&t->packet, &l->x->first_in.packet);
	if (t->received)
		return (int32_t)(end - l->received) > 0 && (int32_t)(begin - l->received_end) < 0;
	return (int32_t)(end - l->sent) > 0 && (int32_t)(begin - l->sent_end) < 0;
}

/* T carried data of the exchange at the other end. */
static void exchange_take(struct look *l, const struct mdl_transfer *t)
{
	uint32_t end = t->packet.sequence + t->packet.payload;
	struct ana_exchange *x = l->x;
	bool reply = t->received != x->asked;

	if (!exchange_is_of(l, t))
		return;
	if (!t->received && x->peer == MDL_NONE)
		x->peer = ana_sender_thread(l->q, &t->by);
	if (!reply && x->peer_from == MDL_NEVER)
		x->peer_from = t->by.time;
	if (!reply || (t->packet.protocol == IPPROTO_TCP && (int32_t)(end - l->reply_end) <= 0))
		return; /* retransmission */
	x->peer_to = t->by.time;
	l->reply_end = end;
	l->replies++;
}

/* Look through the packets of the peer's host from FROM to TO, or to the end of the reply.  Stop at BY if
 * nothing of the request came before. */
static void exchange_look(struct qry *q, struct ana_exchange *x, int64_t from, int64_t by, int64_t to)
{
	struct qry_transfers *transfers = qry_transfers_new(q, x->peer_host, from);
	struct ana_connection wanted = other_end(x), c;
	struct look l = look_for(q, x);
	struct mdl_transfer t;

	x->peer = MDL_NONE;
	x->peer_from = x->peer_to = MDL_NEVER;
	while (!is_done(&l) && qry_transfers_next(transfers, &t) &&
		t.by.time <= (x->peer_from == MDL_NEVER ? by : to))
		if (t.packet.payload > 0 && t.packet.payload != MDL_NONE && ana_talk_connection(&t, &c) &&
			memcmp(&c, &wanted, sizeof c) == 0)
			exchange_take(&l, &t);
	qry_transfers_free(transfers);
}

/* The other end is on the same host, or unknown. */
static void look_here(struct qry *q, struct ana_exchange *x)
{
	x->peer_host = x->host;
	if (x->asked)
		exchange_look(q, x, x->from, x->to, x->to);
	for (int64_t back = LOOK_FIRST;
		!x->asked && back <= LOOK_LAST && (x->peer_from == MDL_NEVER || x->peer_from > x->from);
		back *= LOOK_TIMES)
		exchange_look(q, x, x->from - back, x->first_in.time, x->to + SECOND);
	if (x->peer_from == MDL_NEVER && x->peer_to == MDL_NEVER)
		x->peer_host = MDL_NONE;
}

void ana_exchange_peer(struct qry *q, struct ana_exchange *x)
{
	const struct mdl_received *in = &x->first_in;
	struct ana_sender s = { .host = x->host };

	if (in->time == MDL_NEVER)
		return;
	if (!ana_sender_of(q, x->host, in, &s)) {
		look_here(q, x);
		return;
	}
	x->peer_host = s.host;
	/* This end asked: the server was busy no longer than this end waited for the reply. The peer asked:
	 * it received the reply soon after this end sent it. */
	if (x->asked)
		exchange_look(q, x, base_time_shift(s.by.time, x->from - in->time),
			base_time_shift(s.by.time, x->to - in->time),
			base_time_shift(s.by.time, x->to - in->time));
	else
		exchange_look(q, x, s.by.time, s.by.time,
			base_time_shift(s.by.time, x->to - x->from) + SECOND);
}

/* ---- one exchange ---- */

enum result { FOUND, CUT, NONE };

/* Find the exchange of transfer NUMBER, or the next one on connection C; listen from transfer START on. */
static enum result find_from(struct qry *q, uint32_t host, const struct ana_connection *c, uint64_t number,
	uint64_t start, struct base_progress *progress, struct ana_exchange *x)
{
	struct ana_listener *l = ana_listener_new(q, host, start, c);
	enum result result = NONE;
	struct ana_heard h;
	bool begun = false;

	while (result == NONE && ana_listener_next(l, progress, &h)) {
		if (!h.talk || h.number < number)
			continue;
		/* The last packet of the closed exchange is NUMBER, or a later one. */
		if (h.closed && (begun || !h.talk->open)) {
			*x = h.exchange;
			result = begun || h.whole ? FOUND : CUT;
		} else if (!begun && h.talk->open) {
			begun = true;
			*x = h.talk->now;
			result = h.talk->whole ? NONE : CUT;
		} else if (h.talk->open) {
			*x = h.talk->now;
		}
	}
	ana_listener_free(l);
	return result == NONE && begun && !base_progress_cancelled(progress) ? FOUND : result;
}

static bool exchange_find(struct qry *q, uint32_t host, const struct ana_connection *c, uint64_t number,
	struct base_progress *progress, struct ana_exchange *x)
{
	enum result result = CUT;

	for (uint64_t back = BACK_FIRST; result == CUT; back *= BACK_TIMES)
		result = find_from(q, host, c, number, number > back ? number - back : 0, progress, x);
	return result == FOUND;
}

/* ---- the exchange of a wait ---- */

bool ana_exchange_of_wait(struct qry *q, uint32_t row, const struct mdl_wakeup *wakeup,
	struct base_progress *progress, struct ana_exchange *x)
{
	struct ana_source source = ana_source_of(q, row, wakeup);
	struct mdl_transfer received = { .received = true };
	struct ana_connection c;
	struct mdl_cause cause;
	uint64_t number;

	if (!ana_source_cause(q, &source, &cause) || !(cause.facts.has & MDL_FACT_PACKET))
		return false;
	received.packet = cause.facts.packet.packet;
	return ana_talk_connection(&received, &c) &&
		qry_transfer_of(q, source.host, &cause.facts.packet, &number) &&
		exchange_find(q, source.host, &c, number, progress, x);
}

/* ---- other exchanges of the same pair ---- */

/* All connections of X's pair. */
static struct ana_connection pair_of(const struct ana_exchange *x)
{
	struct ana_connection c = x->connection;

	if (x->asked)
		c.own_port = 0;
	else
		c.peer_port = 0;
	return c;
}

/* True, once for each exchange, if packet H shows an exchange of the thread of X. */
static bool shows(const struct ana_heard *h, const struct ana_exchange *x)
{
	if (!h->talk || !h->talk->open || h->talk->now.asked != x->asked)
		return false;
	if (x->thread == MDL_NONE)
		return h->time == h->talk->now.from;
	return h->named && h->talk->now.thread == x->thread;
}

bool ana_exchange_after(struct qry *q, const struct ana_exchange *x, struct base_progress *progress,
	struct ana_exchange *next)
{
	struct ana_connection pair = pair_of(x);
	struct ana_listener *l = ana_listener_new(q, x->host, ana_talk_number(q, x->host, x->from), &pair);
	struct ana_heard h;
	bool found = false;

	while (!found && ana_listener_next(l, progress, &h))
		found = shows(&h, x) && h.talk->now.from > x->from &&
			exchange_find(q, x->host, &h.talk->connection, h.number, progress, next) &&
			next->from > x->from;
	ana_listener_free(l);
	return found;
}

/* Find the last packet among transfers START to END that shows an exchange of X's pair, and its
 * connection. */
static bool find_last(struct qry *q, const struct ana_exchange *x, uint64_t start, uint64_t end,
	struct base_progress *progress, uint64_t *number, struct ana_connection *c)
{
	struct ana_connection pair = pair_of(x);
	struct ana_listener *l = ana_listener_new(q, x->host, start, &pair);
	struct ana_heard h;
	bool found = false;

	while (ana_listener_next(l, progress, &h) && h.number < end) {
		if (!shows(&h, x))
			continue;
		*number = h.number;
		*c = h.talk->connection;
		found = true;
	}
	ana_listener_free(l);
	return found;
}

bool ana_exchange_before(struct qry *q, const struct ana_exchange *x, struct base_progress *progress,
	struct ana_exchange *previous)
{
	uint64_t end = ana_talk_number(q, x->host, x->from), start = end, number;
	struct ana_connection c;

	for (uint64_t back = BACK_FIRST; start > 0 && !base_progress_cancelled(progress);
		back *= BACK_TIMES) {
		start = end > back ? end - back : 0;
		if (find_last(q, x, start, end, progress, &number, &c))
			return exchange_find(q, x->host, &c, number, progress, previous) &&
				previous->from < x->from;
	}
	return false;
}

/* ---- all exchanges of a thread, or a host ---- */

struct list {
	struct qry *q;
	struct base_progress *progress;
	uint32_t row, hosts; /* MDL_NONE: all */
	int64_t from, to;
	ana_exchange_visit *visit;
	void *data;
	uint32_t host;               /* the current host */
	struct ana_listener *before; /* what was heard of it before the window; NULL: not listened yet */
	GArray *found;               /* of struct ana_exchange: not passed on yet, without the other ends */
};

static bool exchange_is_wanted(const struct list *list, const struct ana_exchange *x)
{
	return list->row == MDL_NONE || x->thread == list->row;
}

static void hand_out(struct list *list)
{
	for (guint i = 0; i < list->found->len && !base_progress_cancelled(list->progress); i++) {
		struct ana_exchange *x = &g_array_index(list->found, struct ana_exchange, i);

		ana_exchange_peer(list->q, x);
		/* If both ends are on these hosts, pass on only what the client saw. */
		if (list->row != MDL_NONE || x->asked || x->peer_host == MDL_NONE ||
			(list->hosts != MDL_NONE && x->peer_host != list->hosts))
			list->visit(list->data, x);
	}
	g_array_set_size(list->found, 0);
}

/* True if the packets before the window have connection C. */
static bool is_old(struct list *list, const struct ana_connection *c)
{
	uint64_t end = ana_talk_number(list->q, list->host, list->from);
	struct ana_heard h = { .number = 0 };

	if (!list->before) {
		list->before = ana_listener_new(list->q, list->host, end > SILENT ? end - SILENT : 0, NULL);
		while (h.number + 1 < end && ana_listener_next(list->before, list->progress, &h))
			;
	}
	return g_hash_table_contains(ana_listener_talks(list->before), c);
}

/* Add X; if it is not WHOLE, it may have begun earlier. */
static void exchange_add(struct list *list, const struct ana_exchange *x, bool whole)
{
	struct ana_exchange all = *x;
	bool first;

	if (!exchange_is_wanted(list, x) || x->from >= list->to)
		return;
	/* If nothing more of X was heard, it may begin with the first request on its connection. */
	first = x->connection.protocol == IPPROTO_UDP && x->request.from == x->from;
	if (!whole && !(first && !is_old(list, &x->connection)) &&
		!exchange_find(list->q, list->host, &x->connection,
			ana_talk_number(list->q, list->host, x->from), list->progress, &all))
		return;
	if (all.from < list->from)
		return;
	g_array_append_val(list->found, all);
	if (list->found->len == AT_ONCE)
		hand_out(list);
}

/* True if X began before the window's end, and its thread is the wanted one, or still unknown. */
static bool is_pending(const struct list *list, const struct ana_exchange *x)
{
	return x->from < list->to && (exchange_is_wanted(list, x) || x->thread == MDL_NONE);
}

static unsigned count_pending(const struct list *list, const struct ana_listener *l)
{
	GHashTableIter iter;
	unsigned pending = 0;
	void *value;

	g_hash_table_iter_init(&iter, ana_listener_talks(l));
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		const struct ana_talk *talk = value;

		pending += talk->open && is_pending(list, &talk->now);
	}
	return pending;
}

static void add_open(struct list *list, const struct ana_listener *l)
{
	GHashTableIter iter;
	void *value;

	g_hash_table_iter_init(&iter, ana_listener_talks(l));
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		const struct ana_talk *talk = value;

		if (talk->open)
			exchange_add(list, &talk->now, talk->whole);
	}
}

/* Listen to all exchanges that begin in the window, until they end. */
static void listen_to_host(struct list *list)
{
	struct ana_listener *l = ana_listener_new(list->q, list->host,
		ana_talk_number(list->q, list->host, list->from), NULL);
	unsigned pending = UINT_MAX; /* counted at the window's end */
	const struct ana_exchange *now;
	struct ana_heard h;

	while (pending > 0 && ana_listener_next(l, list->progress, &h)) {
		if (h.closed)
			exchange_add(list, &h.exchange, h.whole);
		now = h.talk && h.talk->open ? &h.talk->now : NULL;
		if (h.time >= list->to && pending == UINT_MAX)
			pending = count_pending(list, l);
		else if (h.time >= list->to)
			pending -= (h.closed && is_pending(list, &h.exchange)) +
				(h.named && now && now->from < list->to && !exchange_is_wanted(list, now));
	}
	if (pending > 0)
		add_open(list, l);
	ana_listener_free(l);
	g_clear_pointer(&list->before, ana_listener_free);
}

bool ana_exchange_each(struct qry *q, uint32_t row, uint32_t host, int64_t from, int64_t to,
	struct base_progress *progress, ana_exchange_visit *visit, void *data)
{
	struct list list = { .q = q,
		.progress = progress,
		.row = row,
		.hosts = row == MDL_NONE ? host : qry_row(q, row)->host,
		.from = from,
		.to = to,
		.visit = visit,
		.data = data,
		.found = g_array_new(FALSE, FALSE, sizeof(struct ana_exchange)) };

	for (list.host = 0; list.host < qry_host_count(q); list.host++)
		if (list.hosts == MDL_NONE || list.host == list.hosts) {
			listen_to_host(&list);
			hand_out(&list);
			ana_bare_each(q, row, list.host, from, to, progress, visit, data);
		}
	g_array_unref(list.found);
	return !base_progress_cancelled(progress);
}

static void exchange_append(void *data, const struct ana_exchange *x)
{
	g_array_append_vals(data, x, 1);
}

static int exchange_by_begin(const void *a, const void *b)
{
	const struct ana_exchange *x = a, *y = b;

	return x->from < y->from ? -1 : x->from > y->from;
}

GArray *ana_exchange_list(struct qry *q, uint32_t row, uint32_t host, int64_t from, int64_t to,
	struct base_progress *progress)
{
	GArray *found = g_array_new(FALSE, FALSE, sizeof(struct ana_exchange));

	if (ana_exchange_each(q, row, host, from, to, progress, exchange_append, found))
		g_array_sort(found, exchange_by_begin);
	else
		g_clear_pointer(&found, g_array_unref);
	return found;
}
