/* SPDX-License-Identifier: MIT */
/*
 * Requests and replies.  Of the real trace the times were read by hand in babeltrace2's text: net_dev_queue
 * and net_if_receive_skb with data, between 10.9.1.1:52978 and 10.9.1.2:7000, and from httpd to db.
 */
#include "analysis/request/exchange.h"
#include "analysis/ana_fixture.h"
#include "analysis/ana_synth.h"
#include "query/clock/clock.h"

#include <netinet/in.h>

enum { CLIENT, DB, HTTPD }; /* in the order of their folders */

#define FIN 1
#define SYN 2
#define RST 4
#define ACK 16

/* ---- a real trace ---- */

static struct ana_exchange of_wait(struct qry *q, uint32_t row, int64_t woken)
{
	struct ana_exchange x;
	struct mdl_wakeup w;

	g_assert_true(qry_wakeup_at(q, row, woken, &w));
	g_assert_true(ana_exchange_of_wait(q, row, &w, NULL, &x));
	return x;
}

/* The client's wait for the reply to request c 0. */
static void test_of_wait(void)
{
	ANA_FIXTURE_OR_SKIP(f, "rpc-chain");
	struct qry *q = ana_fixture_qry(f);
	uint32_t row = ana_fixture_find(f, "client/wk-client");
	struct ana_exchange x = of_wait(q, row, ana_fixture_at("10:05:51.301708039"));

	g_assert_true(x.asked);
	g_assert_cmpuint(x.thread, ==, row);
	g_assert_cmpuint(x.connection.own_port, ==, 52978);
	g_assert_cmpuint(x.connection.peer_port, ==, 7000);
	g_assert_cmpint(x.from, ==, ana_fixture_at("10:05:51.250794223"));
	g_assert_cmpint(x.to, ==, ana_fixture_at("10:05:51.301611754"));
	g_assert_cmpuint(x.request.packets, ==, 1);
	g_assert_cmpuint(x.request.bytes, ==, 44);
	g_assert_cmpuint(x.reply.packets, ==, 1);
	g_assert_cmpuint(x.reply.bytes, ==, 1);
	ana_exchange_peer(q, &x);
	g_assert_cmpuint(x.peer_host, ==, HTTPD);
	g_assert_cmpuint(x.peer, ==, ana_fixture_find(f, "httpd/wk-server"));
	g_assert_cmpint(x.peer_from, ==, qry_shown_time(q, HTTPD, ana_fixture_at("10:11:16.184223028")));
	g_assert_cmpint(x.peer_to, ==, qry_shown_time(q, HTTPD, ana_fixture_at("10:11:16.234256290")));
}

/* On the loopback, server and client have the same view of their requests. */
static void test_loopback(void)
{
	ANA_FIXTURE_OR_SKIP(f, "rpc-loopback");
	struct qry *q = ana_fixture_qry(f);
	uint32_t client = ana_fixture_find(f, "wk-client"), server = ana_fixture_find(f, "wk-server");
	int64_t from, to;
	GArray *asked, *served;

	qry_span(q, &from, &to);
	asked = ana_exchange_list(q, client, MDL_NONE, from, to, NULL);
	served = ana_exchange_list(q, server, MDL_NONE, from, to, NULL);
	g_assert_cmpuint(asked->len, ==, 8);
	g_assert_cmpuint(served->len, ==, 8);
	for (guint i = 0; i < 8; i++) {
		struct ana_exchange *a = &g_array_index(asked, struct ana_exchange, i),
				    *s = &g_array_index(served, struct ana_exchange, i);

		ana_exchange_peer(q, a);
		ana_exchange_peer(q, s);
		g_assert_cmpuint(a->peer, ==, server);
		g_assert_cmpuint(s->peer, ==, client);
		g_assert_cmpint(s->peer_from, ==, a->from);
		g_assert_cmpint(s->peer_to, ==, a->to);
		g_assert_cmpint(a->peer_from, ==, s->from);
		g_assert_cmpint(a->peer_to, ==, s->to);
	}
	/* The first one, by hand: net_dev_queue of the 44 bytes, and net_if_receive_skb of the
	 * reply's byte. */
	g_assert_cmpint(g_array_index(served, struct ana_exchange, 0).peer_from, ==,
		ana_fixture_at("10:03:48.966275895"));
	g_array_unref(asked);
	g_array_unref(served);
}

/* The server's own waits for its requests to db, each on another connection: four times, and back. */
static void test_pair(void)
{
	static const char *const asked[] = { "10:11:16.199713817", "10:11:16.287725988", "10:11:16.374047407",
		"10:11:16.468477772" };
	static const uint16_t ports[] = { 49108, 49124, 49126, 49130 };
	ANA_FIXTURE_OR_SKIP(f, "rpc-chain");
	struct qry *q = ana_fixture_qry(f);
	uint32_t row = ana_fixture_find(f, "httpd/wk-server");
	struct ana_exchange x = of_wait(q, row,
				    qry_shown_time(q, HTTPD, ana_fixture_at("10:11:16.222921780"))),
			    next;

	for (int i = 0; i < 4; i++) {
		g_test_message("%d", i);
		g_assert_true(x.asked);
		g_assert_cmpuint(x.thread, ==, row);
		g_assert_cmpuint(x.connection.own_port, ==, ports[i]);
		g_assert_cmpint(x.from, ==, qry_shown_time(q, HTTPD, ana_fixture_at(asked[i])));
		g_assert_cmpint(ana_exchange_after(q, &x, NULL, &next), ==, i < 3);
		if (i < 3)
			x = next;
	}
	for (int i = 2; i >= 0; i--) {
		g_assert_true(ana_exchange_before(q, &x, NULL, &next));
		g_assert_cmpint(next.from, ==, qry_shown_time(q, HTTPD, ana_fixture_at(asked[i])));
		x = next;
	}
	g_assert_false(ana_exchange_before(q, &x, NULL, &next));
}

/* From the server's side: each of the twelve requests follows the previous one; none is missed going
 * back. */
static void test_served(void)
{
	ANA_FIXTURE_OR_SKIP(f, "rpc-chain");
	struct qry *q = ana_fixture_qry(f);
	uint32_t row = ana_fixture_find(f, "httpd/wk-server");
	struct ana_exchange x = of_wait(q, row,
				    qry_shown_time(q, HTTPD, ana_fixture_at("10:11:16.136112711"))),
			    next;
	int64_t from = x.from;
	int n = 1;

	g_assert_false(x.asked);
	g_assert_cmpuint(x.thread, ==, row);
	g_assert_cmpint(x.from, ==, qry_shown_time(q, HTTPD, ana_fixture_at("10:11:16.136015496")));
	g_assert_cmpint(x.to, ==, qry_shown_time(q, HTTPD, ana_fixture_at("10:11:16.154173195")));
	for (; ana_exchange_after(q, &x, NULL, &next); n++) {
		g_assert_cmpint(next.from, >, x.to);
		x = next;
	}
	g_assert_cmpint(n, ==, 12);
	for (; ana_exchange_before(q, &x, NULL, &next); n--)
		x = next;
	g_assert_cmpint(n, ==, 1);
	g_assert_cmpint(x.from, ==, from);
}

/* In connect() and in read(): each wait belongs to the request that follows, or that is answered. */
static void test_several_waits(void)
{
	ANA_FIXTURE_OR_SKIP(f, "django");
	struct qry *q = ana_fixture_qry(f);
	uint32_t row = ana_fixture_find(f, "client/641");
	GArray *wakeups = qry_wakeups(q, row, ana_fixture_marker(f, "http begin post-vote 0"),
		ana_fixture_marker(f, "http end post-vote 0"));
	unsigned waits = 0;

	for (guint i = 0; i < wakeups->len; i++) {
		const struct mdl_wakeup *w = &g_array_index(wakeups, struct mdl_wakeup, i);
		struct ana_source source = ana_source_of(q, row, w);
		struct ana_exchange x;

		if (source.kind != ANA_KIND_NETWORK)
			continue;
		waits++;
		g_assert_true(ana_exchange_of_wait(q, row, w, NULL, &x));
		g_assert_cmpuint(x.connection.own_port, ==, 40620);
		g_assert_cmpint(x.from, ==, ana_fixture_at("10:06:28.387458287"));
		g_assert_cmpuint(x.request.packets, ==, 2);
	}
	g_assert_cmpuint(waits, >=, 2);
	g_array_unref(wakeups);
}

/* A wait that no packet ended has no exchange: wk-client sleeps between its requests. */
static void test_no_packet(void)
{
	ANA_FIXTURE_OR_SKIP(f, "rpc-chain");
	struct qry *q = ana_fixture_qry(f);
	uint32_t row = ana_fixture_find(f, "client/wk-client");
	struct ana_exchange x;
	struct mdl_wakeup w;

	g_assert_true(qry_wakeup_at(q, row, ana_fixture_at("10:05:51.227859212"), &w));
	g_assert_false(ana_exchange_of_wait(q, row, &w, NULL, &x));
}

/* ---- made by hand: thread T at 10.0.0.1 asks 10.0.0.2:80 ---- */

struct talk {
	struct ana_synth *s;
	uint32_t t, other;
	int64_t now;
};

static struct talk talk_new(void)
{
	struct talk k = { .s = ana_synth_new(100000) };

	k.t = ana_synth_thread(k.s, 1, 0, MDL_NONE);
	k.other = ana_synth_thread(k.s, 2, 0, MDL_NONE);
	return k;
}

/* A packet a nanosecond later, with PAYLOAD bytes from SEQUENCE on; OUT: ROW sent it, otherwise received
 * it. */
static void tell(struct talk *k, bool out, uint32_t row, uint16_t port, uint32_t sequence, uint32_t payload,
	uint16_t flags)
{
	struct mdl_transfer t = { .received = !out, .by = ana_synth_act(row, ++k->now) };

	t.packet = (struct mdl_packet){ .version = 4,
		.protocol = IPPROTO_TCP,
		.has_ports = true,
		.source = { 10, 0, 0, out ? 1 : 2 },
		.destination = { 10, 0, 0, out ? 2 : 1 },
		.source_port = out ? port : 80,
		.destination_port = out ? 80 : port,
		.sequence = sequence,
		.payload = payload,
		.flags = flags };
	ana_synth_transfer(k->s, &t);
}

static void ask(struct talk *k, uint16_t port, uint32_t sequence, uint32_t payload)
{
	tell(k, true, k->t, port, sequence, payload, ACK);
}

static void reply(struct talk *k, uint16_t port, uint32_t sequence, uint32_t payload)
{
	tell(k, false, k->other, port, sequence, payload, ACK);
}

struct expected {
	int64_t from, to;
	uint16_t port;
	uint64_t request, reply;    /* bytes */
	uint32_t requests, replies; /* packets */
};

/* The exchanges of T are WANTED, and each follows the previous one where PAIRED; frees K. */
static void check(struct talk *k, const struct expected *wanted, guint n, bool paired)
{
	struct qry *q = ana_synth_open(k->s);
	GArray *list = ana_exchange_list(q, k->t, MDL_NONE, 0, 100000, NULL);

	g_assert_cmpuint(list->len, ==, n);
	for (guint i = 0; i < n; i++) {
		const struct ana_exchange *x = &g_array_index(list, struct ana_exchange, i);
		struct ana_exchange next;

		g_test_message("%u from %d", i, (int)x->from);
		g_assert_cmpint(x->from, ==, wanted[i].from);
		g_assert_cmpint(x->to, ==, wanted[i].to);
		g_assert_cmpuint(x->connection.own_port, ==, wanted[i].port);
		g_assert_cmpuint(x->request.bytes, ==, wanted[i].request);
		g_assert_cmpuint(x->reply.bytes, ==, wanted[i].reply);
		g_assert_cmpuint(x->request.packets, ==, wanted[i].requests);
		g_assert_cmpuint(x->reply.packets, ==, wanted[i].replies);
		if (!paired)
			continue;
		g_assert_cmpint(ana_exchange_after(q, x, NULL, &next), ==, i + 1 < n);
		g_assert_true(i + 1 == n || next.from == wanted[i + 1].from);
		g_assert_cmpint(ana_exchange_before(q, x, NULL, &next), ==, i > 0);
		g_assert_true(i == 0 || (next.from == wanted[i - 1].from && next.to == wanted[i - 1].to));
	}
	g_array_unref(list);
	ana_synth_free(k->s);
}

/* Several packets both ways, some sent again and some without data, with sequence numbers that wrap at
 * 2^32. */
static void test_several_packets(void)
{
	static const struct expected wanted[] = {
		{ 1, 9, 4000, 150, 300, 2, 3 },
		{ 10, 11, 4000, 10, 20, 1, 1 },
	};
	struct talk k = talk_new();

	ask(&k, 4000, 0xffffff80, 100);
	ask(&k, 4000, 0xffffffe4, 50);  /* up to 22 */
	ask(&k, 4000, 0xffffff80, 100); /* again */
	reply(&k, 4000, 500, 0);
	reply(&k, 4000, 500, 100);
	ask(&k, 4000, 22, 0);
	reply(&k, 4000, 500, 150);     /* the first 100 once more */
	ask(&k, 4000, 0xffffffe4, 50); /* again: no new question */
	reply(&k, 4000, 650, 150);
	ask(&k, 4000, 22, 10);
	reply(&k, 4000, 800, 20);
	check(&k, wanted, G_N_ELEMENTS(wanted), true);
}

/* ROW sends, and the other end receives 2 ns later, on one host; the end at port 4000 asks. */
static void pass(struct talk *k, uint32_t row, bool request, uint32_t sequence, uint32_t payload)
{
	struct mdl_transfer t = { .by = ana_synth_act(row, ++k->now) };

	t.packet = (struct mdl_packet){ .version = 4,
		.protocol = IPPROTO_TCP,
		.has_ports = true,
		.source = { 127, 0, 0, 1 },
		.destination = { 127, 0, 0, 1 },
		.source_port = request ? 4000 : 80,
		.destination_port = request ? 80 : 4000,
		.sequence = sequence,
		.payload = payload,
		.flags = ACK };
	ana_synth_transfer(k->s, &t);
	t.received = true;
	t.by.time = k->now += 2;
	ana_synth_transfer(k->s, &t);
}

/* The server's side has its own exchange, not the previous one, and without retransmissions. */
static void test_peer_again(void)
{
	struct talk k = talk_new();
	struct ana_exchange *x;
	struct qry *q;
	GArray *list;

	pass(&k, k.other, true, 100, 10); /* 1, 3 */
	pass(&k, k.t, false, 500, 20);    /* 4, 6 */
	pass(&k, k.other, true, 110, 10); /* 7, 9 */
	pass(&k, k.other, true, 120, 10); /* 10, 12 */
	pass(&k, k.t, false, 520, 20);    /* 13, 15 */
	pass(&k, k.t, false, 540, 20);    /* 16, 18 */
	pass(&k, k.t, false, 520, 20);    /* again: 19, 21 */
	q = ana_synth_open(k.s);
	list = ana_exchange_list(q, k.t, MDL_NONE, 0, 100000, NULL);
	g_assert_cmpuint(list->len, ==, 2);
	x = &g_array_index(list, struct ana_exchange, 1);
	g_assert_cmpint(x->from, ==, 9);
	g_assert_cmpint(x->to, ==, 16);
	ana_exchange_peer(q, x);
	g_assert_cmpuint(x->peer, ==, k.other);
	g_assert_cmpint(x->peer_from, ==, 7);
	g_assert_cmpint(x->peer_to, ==, 18);
	g_array_unref(list);
	ana_synth_free(k.s);
}

/* Two connections at once, by two threads; those of the other thread are not T's. */
static void test_two_connections(void)
{
	static const struct expected wanted[] = { { 1, 4, 4000, 10, 30, 1, 1 },
		{ 6, 7, 4000, 11, 31, 1, 1 } };
	struct talk k = talk_new();

	ask(&k, 4000, 100, 10);
	tell(&k, true, k.other, 4001, 100, 20, ACK);
	reply(&k, 4001, 700, 40);
	reply(&k, 4000, 700, 30);
	tell(&k, true, k.other, 4001, 120, 20, ACK);
	ask(&k, 4000, 110, 11);
	reply(&k, 4000, 730, 31);
	check(&k, wanted, G_N_ELEMENTS(wanted), true);
}

/* A connection for each request, the second with the port of the first and lower sequence numbers; one is
 * refused in between. */
static void test_new_connections(void)
{
	static const struct expected wanted[] = {
		{ 3, 4, 4000, 10, 20, 1, 1 },
		{ 8, 9, 4000, 10, 25, 1, 1 },
		{ 11, 11, 4002, 7, 0, 1, 0 },
		{ 14, 15, 4003, 9, 1, 1, 1 },
	};
	struct talk k = talk_new();

	tell(&k, true, k.t, 4000, 1000, 0, SYN);
	tell(&k, false, k.other, 4000, 5000, 0, SYN | ACK);
	ask(&k, 4000, 1001, 10);
	tell(&k, false, k.other, 4000, 5001, 20, ACK | FIN);
	tell(&k, true, k.t, 4000, 1011, 0, ACK | FIN);
	tell(&k, true, k.t, 4000, 100, 0, SYN);
	tell(&k, false, k.other, 4000, 200, 0, SYN | ACK);
	ask(&k, 4000, 101, 10);
	reply(&k, 4000, 201, 25);
	tell(&k, true, k.t, 4002, 100, 0, SYN);
	ask(&k, 4002, 101, 7);
	tell(&k, false, k.other, 4002, 500, 0, RST);
	tell(&k, true, k.t, 4003, 100, 0, SYN);
	ask(&k, 4003, 101, 9);
	reply(&k, 4003, 700, 1);
	check(&k, wanted, G_N_ELEMENTS(wanted), true);
}

/* Exchanges far apart: looking back does not stop at the begin, and half a question is not taken for a
 * whole one. */
static void test_far_apart(void)
{
	enum { OTHERS = 3000 };
	static const struct expected wanted[] = {
		{ 1, OTHERS + 3, 4000, 30, 20, 2, 1 },
		{ 2 * OTHERS + 4, 2 * OTHERS + 5, 4000, 5, 6, 1, 1 },
	};
	struct talk k = talk_new();

	ask(&k, 4000, 100, 10);
	for (int i = 0; i < OTHERS; i++)
		tell(&k, true, k.other, 5000, (uint32_t)i, 1, ACK);
	ask(&k, 4000, 110, 20);
	reply(&k, 4000, 700, 20);
	for (int i = 0; i < OTHERS; i++)
		tell(&k, true, k.other, 5001, (uint32_t)i, 1, ACK);
	ask(&k, 4000, 130, 5);
	reply(&k, 4000, 720, 6);
	check(&k, wanted, G_N_ELEMENTS(wanted), true);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/exchange/of-wait", test_of_wait);
	g_test_add_func("/exchange/loopback", test_loopback);
	g_test_add_func("/exchange/pair", test_pair);
	g_test_add_func("/exchange/served", test_served);
	g_test_add_func("/exchange/several-waits", test_several_waits);
	g_test_add_func("/exchange/no-packet", test_no_packet);
	g_test_add_func("/exchange/several-packets", test_several_packets);
	g_test_add_func("/exchange/peer-again", test_peer_again);
	g_test_add_func("/exchange/two-connections", test_two_connections);
	g_test_add_func("/exchange/new-connections", test_new_connections);
	g_test_add_func("/exchange/far-apart", test_far_apart);
	return ana_fixture_run();
}
