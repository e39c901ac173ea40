/* SPDX-License-Identifier: MIT */
/*
 * How it works: ftrace and perf record address and length of a packet's buffer, and no headers.  On the
 * loopback a packet is received in the buffer in which a thread queued it (proofs.md R5.5), and the wake-up
 * that it causes identifies the other end.  Of two threads that wake each other by packets, the one that sent
 * first is the client.  So a request is all that the client sent since the last reply, and the reply is the
 * packets by which the other thread then woke it.  A packet that wakes nobody belongs to the client, unless
 * it may be an acknowledgement, or the thread also replies to others.
 *
 * A connection's first packet, and one of the length of an acknowledgement that wakes nobody, carry no data.
 * An exchange without a reply is left out: nothing shows the receiver of the packet.
 */
#include "analysis/request/bare.h"

#include "analysis/kind/chain.h"
#include "model/event/tracer.h"

#define LOOPBACK "lo"

/* A packet that a thread sent. */
struct bare_send {
	int64_t time, received; /* RECEIVED: MDL_NEVER if it was not received */
	uint32_t thread, woke;  /* WOKE: MDL_NONE nobody */
	uint32_t length;
};

/* The open exchange of a thread that asks. */
struct bare_talk {
	struct ana_exchange x;
	bool open;
};

struct bare {
	struct qry *q; /* weak */
	uint32_t host;
	GArray *sends;       /* of struct bare_send, in order of time */
	GHashTable *by_time; /* time → index + 1 in SENDS */
	GHashTable *askers;  /* pair (uint64_t) → row + 1 of the thread that asks */
	GHashTable *asks;    /* set of rows + 1: threads that ask … */
	GHashTable *answers; /* … and that reply */
	GHashTable *talks;   /* row + 1 → struct bare_talk *, owned */
	uint32_t row;        /* MDL_NONE: all */
	int64_t from, to;
	ana_exchange_visit *visit;
	void *data;
};

static struct bare_send *send_at(const struct bare *b, guint i)
{
	return &g_array_index(b->sends, struct bare_send, i);
}

/* True if a packet of LENGTH bytes, with 14 of Ethernet, may be a TCP packet without data: IPv4 or IPv6, with
 * and without time stamps, acknowledgement or SYN (tcp_established_options(), tcp_syn_options() in
 * net/ipv4/tcp_output.c). */
static bool may_be_empty(uint32_t length)
{
	return length == 54 || length == 66 || length == 74 || length == 86 || length == 94;
}

static bool is_bare(const struct bare *b, const struct mdl_packet *p, uint32_t device)
{
	return p->version == 0 && !mdl_packet_is_numbers(p) && p->skb != 0 &&
		g_str_equal(qry_string(b->q, b->host, device), LOOPBACK);
}

/* Collect the packets that threads sent. */
static void find_sends(struct bare *b, struct base_progress *progress)
{
	struct qry_transfers *transfers = qry_transfers_new_at(b->q, b->host, 0);
	g_autoptr(GHashTable) on_way = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
	struct mdl_transfer t;

	while (qry_transfers_next(transfers, &t) && !base_progress_cancelled(progress)) {
		gint64 skb = (gint64)t.packet.skb;
		guint i;

		if (!is_bare(b, &t.packet, t.device))
			continue;
		i = GPOINTER_TO_UINT(g_hash_table_lookup(on_way, &skb));
		if (t.received) {
			if (i > 0 && send_at(b, i - 1)->length == t.packet.length + 14)
				send_at(b, i - 1)->received = t.by.time;
			g_hash_table_remove(on_way, &skb);
		} else {
			uint32_t thread = t.by.context == MDL_NONE ? ana_sender_thread(b->q, &t.by)
								   : MDL_NONE;
			struct bare_send s = { t.by.time, MDL_NEVER, thread, MDL_NONE, t.packet.length };

			g_hash_table_remove(on_way, &skb);
			if (thread == MDL_NONE)
				continue;
			g_array_append_val(b->sends, s);
			g_hash_table_insert(on_way, g_memdup2(&skb, sizeof skb),
				GUINT_TO_POINTER(b->sends->len));
			g_hash_table_insert(b->by_time, g_memdup2(&s.time, sizeof s.time),
				GUINT_TO_POINTER(b->sends->len));
		}
	}
	qry_transfers_free(transfers);
}

/* Note the packets that ended waits of thread ROW. */
static void find_woken(struct bare *b, uint32_t row)
{
	uint64_t n = qry_wakeup_count(b->q, row);

	for (uint64_t k = 0; k < n; k++) {
		struct mdl_wakeup w;
		struct mdl_cause cause;
		const struct mdl_received *r = &cause.facts.packet;
		gint64 sent;
		guint i;

		if (!qry_wakeup_get(b->q, row, k, &w) || w.cause == 0 ||
			!qry_cause(b->q, b->host, w.cause, &cause) || !(cause.facts.has & MDL_FACT_PACKET) ||
			r->sender.time == MDL_NEVER || !is_bare(b, &r->packet, r->device))
			continue;
		sent = r->sender.time;
		i = GPOINTER_TO_UINT(g_hash_table_lookup(b->by_time, &sent));
		if (i > 0 && send_at(b, i - 1)->thread != row)
			send_at(b, i - 1)->woke = row;
	}
}

/* The client of the pair of thread A, which sends, and thread TO.  *FIRST: this is their first packet. */
static uint32_t asker_of(struct bare *b, uint32_t a, uint32_t to, bool *first)
{
	gint64 pair = (gint64)((uint64_t)MIN(a, to) << 32 | MAX(a, to));
	guint known = GPOINTER_TO_UINT(g_hash_table_lookup(b->askers, &pair));

	*first = known == 0;
	if (known > 0)
		return known - 1;
	g_hash_table_insert(b->askers, g_memdup2(&pair, sizeof pair), GUINT_TO_POINTER(a + 1));
	g_hash_table_add(b->asks, GUINT_TO_POINTER(a + 1));
	g_hash_table_add(b->answers, GUINT_TO_POINTER(to + 1));
	return a;
}

static struct bare_talk *bare_talk_of(struct bare *b, uint32_t row)
{
	struct bare_talk *t = g_hash_table_lookup(b->talks, GUINT_TO_POINTER(row + 1));

	if (!t) {
		t = g_new0(struct bare_talk, 1);
		g_hash_table_insert(b->talks, GUINT_TO_POINTER(row + 1), t);
	}
	return t;
}

/* The exchange X as the thread that replied saw it. */
static struct ana_exchange from_server(const struct ana_exchange *x)
{
	struct ana_exchange s = *x;

	s.asked = false;
	s.thread = x->peer;
	s.peer = x->thread;
	s.from = s.request.from = s.request.to = x->peer_from;
	s.to = s.reply.from = s.reply.to = x->peer_to;
	s.peer_from = x->from;
	s.peer_to = x->to;
	return s;
}

/* End the exchange of T. */
static void close_talk(const struct bare *b, struct bare_talk *t)
{
	struct ana_exchange x = t->x;

	if (t->open && x.reply.packets > 0 && x.peer_from != MDL_NEVER) {
		if (b->row != MDL_NONE && x.thread != b->row)
			x = from_server(&x);
		if (x.from >= b->from && x.from < b->to && (b->row == MDL_NONE || x.thread == b->row))
			b->visit(b->data, &x);
	}
	t->open = false;
}

static void add_request(struct bare *b, const struct bare_send *s)
{
	struct bare_talk *t = bare_talk_of(b, s->thread);

	if (t->open && t->x.reply.packets > 0)
		close_talk(b, t);
	if (!t->open)
		t->x = (struct ana_exchange){ .host = b->host,
			.thread = s->thread,
			.asked = true,
			.from = s->time,
			.request = { .from = s->time },
			.peer_host = b->host,
			.peer = MDL_NONE,
			.peer_from = s->received,
			.peer_to = MDL_NEVER,
			.first_in = { .time = MDL_NEVER } };
	t->open = true;
	t->x.request.to = t->x.to = s->time;
	t->x.request.packets++;
	if (s->woke != MDL_NONE)
		t->x.peer = s->woke;
}

static void add_reply(struct bare *b, const struct bare_send *s)
{
	struct bare_talk *t = bare_talk_of(b, s->woke);

	if (!t->open || s->received == MDL_NEVER || (t->x.peer != MDL_NONE && t->x.peer != s->thread))
		return;
	t->x.peer = s->thread;
	t->x.peer_to = s->time;
	if (t->x.reply.packets++ == 0)
		t->x.reply.from = s->received;
	t->x.reply.to = t->x.to = s->received;
}

static void bare_take(struct bare *b, const struct bare_send *s)
{
	bool first = false;

	if (s->woke == MDL_NONE) {
		if (!may_be_empty(s->length) &&
			g_hash_table_contains(b->asks, GUINT_TO_POINTER(s->thread + 1)) &&
			!g_hash_table_contains(b->answers, GUINT_TO_POINTER(s->thread + 1)))
			add_request(b, s);
	} else if (asker_of(b, s->thread, s->woke, &first) != s->thread) {
		add_reply(b, s);
	} else if (!(first && may_be_empty(s->length))) {
		add_request(b, s);
	}
}

static void close_all(const struct bare *b)
{
	GHashTableIter iter;
	gpointer t;

	g_hash_table_iter_init(&iter, b->talks);
	while (g_hash_table_iter_next(&iter, NULL, &t))
		close_talk(b, t);
}

void ana_bare_each(struct qry *q, uint32_t row, uint32_t host, int64_t from, int64_t to,
	struct base_progress *progress, ana_exchange_visit *visit, void *data)
{
	const struct qry_host *h = qry_host(q, host);
	struct bare b;

	if (mdl_tracer_of(h->meta->tracer)->headers)
		return;
	b = (struct bare){ .q = q,
		.host = host,
		.sends = g_array_new(FALSE, FALSE, sizeof(struct bare_send)),
		.by_time = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL),
		.askers = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL),
		.asks = g_hash_table_new(NULL, NULL),
		.answers = g_hash_table_new(NULL, NULL),
		.talks = g_hash_table_new_full(NULL, NULL, NULL, g_free),
		.row = row,
		.from = from,
		.to = to,
		.visit = visit,
		.data = data };

	find_sends(&b, progress);
	for (uint32_t i = h->first_row; b.sends->len > 0 && i < h->first_row + h->n_rows; i++)
		if (qry_row(q, i)->type == MDL_ROW_THREAD && !base_progress_cancelled(progress))
			find_woken(&b, i);
	for (guint i = 0; i < b.sends->len && !base_progress_cancelled(progress); i++)
		bare_take(&b, send_at(&b, i));
	if (!base_progress_cancelled(progress))
		close_all(&b);
	g_array_unref(b.sends);
	g_hash_table_unref(b.by_time);
	g_hash_table_unref(b.askers);
	g_hash_table_unref(b.asks);
	g_hash_table_unref(b.answers);
	g_hash_table_unref(b.talks);
}
