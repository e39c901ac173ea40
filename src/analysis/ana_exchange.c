/* SPDX-License-Identifier: MIT */
/*
 * How it works: a host's packets are listened to in order (ana_talk.c).  Where an exchange began is only
 * known when what came before it on its connection was heard too; so the listener starts some packets before
 * those that are asked for, and further back as long as that was not enough.
 *
 * UDP knows no begin.  In a window, where each request may come from a port of its own, nobody looks for one
 * all the way back: a request on a connection that was silent for long before the window is its first.
 */
#include "analysis/ana_exchange.h"

#include "analysis/ana_source.h"
#include "analysis/ana_talk.h"

#include <netinet/in.h>

#define BACK_FIRST 256 /* packets to start before what is asked for, at first */
#define BACK_TIMES 4   /* and how much further each time */
#define SILENT 65536   /* packets before a window: who is not heard in them was silent for long */
#define AT_ONCE 1024   /* exchanges of which the other ends are looked for one after the other */

/* ---- one exchange ---- */

enum result { FOUND, CUT, NONE };

/* The exchange of transfer NUMBER, or after it on connection C; listening from transfer START on. */
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
		if (h.closed && (begun || !h.talk->open)) { /* the last packet of it is NUMBER itself, or
							       comes later */
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

static bool find(struct qry *q, uint32_t host, const struct ana_connection *c, uint64_t number,
	struct base_progress *progress, struct ana_exchange *x)
{
	enum result result = CUT;

	for (uint64_t back = BACK_FIRST; result == CUT; back *= BACK_TIMES)
		result = find_from(q, host, c, number, number > back ? number - back : 0, progress, x);
	return result == FOUND;
}

/* ---- of a wait ---- */

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
		find(q, source.host, &c, number, progress, x);
}

/* ---- of the same pair ---- */

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

/* Does packet H show an exchange of the thread of X?  True once for each. */
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
			find(q, x->host, &h.talk->connection, h.number, progress, next) &&
			next->from > x->from;
	ana_listener_free(l);
	return found;
}

/* The last packet among transfers START to END that shows an exchange of X's pair, and its connection. */
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
			return find(q, x->host, &c, number, progress, previous) && previous->from < x->from;
	}
	return false;
}

/* ---- all of a thread, or a host ---- */

struct list {
	struct qry *q;
	struct base_progress *progress;
	uint32_t row, hosts; /* MDL_NONE: all */
	int64_t from, to;
	ana_exchange_visit *visit;
	void *data;
	uint32_t host;               /* that is listened to … */
	struct ana_listener *before; /* … and what was heard of it before the window; NULL: not asked yet */
	GArray *found;               /* of struct ana_exchange: not handed out yet, without the other ends */
};

static bool is_wanted(const struct list *list, const struct ana_exchange *x)
{
	return list->row == MDL_NONE || x->thread == list->row;
}

/* Was X served to an end of these hosts?  Then it is there as what that end asked. */
static bool is_twice(const struct list *list, const struct ana_exchange *x)
{
	return list->row == MDL_NONE && !x->asked && x->peer_host != MDL_NONE &&
		(list->hosts == MDL_NONE || x->peer_host == list->hosts);
}

static void hand_out(struct list *list)
{
	for (guint i = 0; i < list->found->len && !base_progress_cancelled(list->progress); i++) {
		struct ana_exchange *x = &g_array_index(list->found, struct ana_exchange, i);

		ana_exchange_peer(list->q, x);
		if (!is_twice(list, x))
			list->visit(list->data, x);
	}
	g_array_set_size(list->found, 0);
}

/* Was connection C heard in the packets before the window? */
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

/* Does X, of which no more was heard, begin with the first request there was on its connection? */
static bool is_first(struct list *list, const struct ana_exchange *x)
{
	return x->connection.protocol == IPPROTO_UDP && x->request.from == x->from &&
		!is_old(list, &x->connection);
}

/* X may have begun earlier where it is not WHOLE. */
static void add(struct list *list, const struct ana_exchange *x, bool whole)
{
	struct ana_exchange all = *x;

	if (!is_wanted(list, x) || x->from >= list->to)
		return;
	if (!whole && !is_first(list, x) &&
		!find(list->q, list->host, &x->connection, ana_talk_number(list->q, list->host, x->from),
			list->progress, &all))
		return;
	if (all.from < list->from)
		return;
	g_array_append_val(list->found, all);
	if (list->found->len == AT_ONCE)
		hand_out(list);
}

/* Is X one that began before the window's end, of its thread or of one not known yet? */
static bool is_pending(const struct list *list, const struct ana_exchange *x)
{
	return x->from < list->to && (is_wanted(list, x) || x->thread == MDL_NONE);
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
			add(list, &talk->now, talk->whole);
	}
}

/* How many fewer are pending with packet H. */
static unsigned count_over(const struct list *list, const struct ana_heard *h)
{
	const struct ana_exchange *now = h->talk && h->talk->open ? &h->talk->now : NULL;

	return (h->closed && is_pending(list, &h->exchange)) +
		(h->named && now && now->from < list->to && !is_wanted(list, now));
}

/* Listen to all that begins in the window, until it ends. */
static void listen_to_host(struct list *list)
{
	struct ana_listener *l = ana_listener_new(list->q, list->host,
		ana_talk_number(list->q, list->host, list->from), NULL);
	unsigned pending = UINT_MAX; /* counted at the window's end */
	struct ana_heard h;

	while (pending > 0 && ana_listener_next(l, list->progress, &h)) {
		if (h.closed)
			add(list, &h.exchange, h.whole);
		if (h.time >= list->to)
			pending = pending == UINT_MAX ? count_pending(list, l)
						      : pending - count_over(list, &h);
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
		}
	g_array_unref(list.found);
	return !base_progress_cancelled(progress);
}

static void append(void *data, const struct ana_exchange *x)
{
	g_array_append_vals(data, x, 1);
}

static int by_begin(const void *a, const void *b)
{
	const struct ana_exchange *x = a, *y = b;

	return x->from < y->from ? -1 : x->from > y->from;
}

GArray *ana_exchange_list(struct qry *q, uint32_t row, uint32_t host, int64_t from, int64_t to,
	struct base_progress *progress)
{
	GArray *found = g_array_new(FALSE, FALSE, sizeof(struct ana_exchange));

	if (ana_exchange_each(q, row, host, from, to, progress, append, found))
		g_array_sort(found, by_begin);
	else
		g_clear_pointer(&found, g_array_unref);
	return found;
}
