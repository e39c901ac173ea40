/* SPDX-License-Identifier: MIT */
/* Matching packets: made packets of a few hosts, and the pairs that a person would draw. */
#include "sync/sync_made.h"
#include "sync/sync_match.h"

#define MS INT64_C(1000000)
#define S (1000 * MS)
#define HOSTS 4

enum { FIN = 1, SYN = 2, PSH = 8, ACK = 16 };

/* ---- a net ---- */

/* Packets of each host, named by the number that they are given. From host to host, clocks differ by
 * CLOCK_STEP. */
static GArray *packets[HOSTS];
static struct sync_counts counts[HOSTS];
#define CLOCK_STEP (100 * S)

static void begin(void)
{
	for (unsigned i = 0; i < HOSTS; i++)
		packets[i] = sync_made_new();
}

static void end(void)
{
	for (unsigned i = 0; i < HOSTS; i++)
		g_array_unref(packets[i]);
}

/* HOST sent (or received) P at TIME on DEVICE; pairs name it NAME. */
static void seen_by(unsigned device, unsigned host, bool received, int64_t time, uint64_t name,
	const struct mdl_packet *p)
{
	struct sync_packet new = { .time = time + host * CLOCK_STEP,
		.number = name,
		.received = received,
		.device = device,
		.packet = *p };

	g_array_append_val(packets[host], new);
}

static void sent(unsigned host, int64_t time, uint64_t name, const struct mdl_packet *p)
{
	seen_by(1, host, false, time, name, p);
}

static void got(unsigned host, int64_t time, uint64_t name, const struct mdl_packet *p)
{
	seen_by(1, host, true, time, name, p);
}

static void note_pair(void *data, const struct sync_pair *p)
{
	g_assert_cmpuint(p->sender, !=, p->receiver);
	g_string_append_printf(data, " %c%" G_GUINT64_FORMAT "-%c%" G_GUINT64_FORMAT, 'A' + p->sender,
		p->sent_number, 'A' + p->receiver, p->received_number);
}

static struct sync_rough rough_of(int64_t ahead)
{
	struct sync_rough_piece whole = { INT64_MIN, ahead };
	struct sync_rough rough = { g_array_new(FALSE, FALSE, sizeof whole) };

	g_array_append_val(rough.pieces, whole);
	return rough;
}

/* The pairs are EXPECTED: "A1-B1 A2-B2", in the order of reception. OFF: the error of the known clocks. */
static void expect_with(const char *expected, int64_t off)
{
	struct sync_source sources[HOSTS];
	struct sync_rough rough[HOSTS];
	GString *pairs = g_string_new(NULL);

	for (unsigned i = 0; i < HOSTS; i++) {
		sources[i] = sync_made_source(packets[i]);
		rough[i] = rough_of(i * CLOCK_STEP + (i % 2 ? off : 0));
	}
	sync_match(sources, HOSTS, rough, note_pair, pairs, counts);
	g_assert_cmpstr(pairs->len > 0 ? pairs->str + 1 : "", ==, expected);
	for (unsigned i = 0; i < HOSTS; i++)
		g_assert_cmpuint(counts[i].matched + counts[i].ambiguous + counts[i].unmatched +
				counts[i].again + counts[i].own + counts[i].nameless,
			>=, counts[i].received);
	g_string_free(pairs, TRUE);
	for (unsigned i = 0; i < HOSTS; i++)
		g_array_unref(rough[i].pieces);
}

static void expect(const char *expected)
{
	expect_with(expected, 900 * MS);
	expect_with(expected, -900 * MS);
	expect_with(expected, 0);
	end();
}

/* ---- packets ---- */

static struct mdl_packet tcp(uint16_t port, uint32_t sequence, uint32_t payload, unsigned flags)
{
	return (struct mdl_packet){ .version = 4,
		.protocol = 6,
		.has_ports = true,
		.source = { 10, 0, 0, 1 },
		.destination = { 10, 0, 0, 2 },
		.source_port = port,
		.destination_port = 80,
		.sequence = sequence,
		.payload = payload,
		.acknowledgement = 7,
		.flags = (uint16_t)(flags | ACK),
		.checksum = 1 };
}

static struct mdl_packet udp(uint16_t id, uint32_t payload, uint16_t checksum)
{
	return (struct mdl_packet){ .version = 4,
		.protocol = 17,
		.has_ports = true,
		.source = { 10, 0, 0, 1 },
		.destination = { 10, 0, 0, 2 },
		.source_port = 4000,
		.destination_port = 53,
		.id = id,
		.payload = payload,
		.checksum = checksum };
}

/* The sum of the addresses of udp() with 16 bytes of data: the sender's checksum if the interface completes
 * it. */
#define PARTIAL (0x0a00 + 0x0001 + 0x0a00 + 0x0002 + 17 + 16 + 8)

/* ---- TCP ---- */

/* Two connections at once, each with the sequence numbers of the other. */
static void test_connections(void)
{
	struct mdl_packet a = tcp(1000, 5000, 100, 0), b = tcp(1001, 5000, 100, 0);

	begin();
	sent(0, 10 * MS, 1, &a);
	sent(0, 11 * MS, 2, &b);
	got(1, 12 * MS, 1, &b);
	got(1, 13 * MS, 2, &a);
	expect("A2-B1 A1-B2");
}

/* A new connection on the same ports 10 ms later, with numbers within those of the old one, whose last
 * packets are still on their way. */
static void test_ports_reused(void)
{
	struct mdl_packet syn = tcp(1000, 1000, 0, SYN), data = tcp(1000, 1001, 500, 0),
			  fin = tcp(1000, 1501, 0, FIN);
	struct mdl_packet syn2 = tcp(1000, 1100, 0, SYN), data2 = tcp(1000, 1101, 500, 0);

	begin();
	sent(0, 0, 1, &syn);
	sent(0, 1 * MS, 2, &data);
	sent(0, 2 * MS, 3, &fin);
	sent(0, 12 * MS, 4, &syn2);
	sent(0, 13 * MS, 5, &data2);
	got(1, 5 * MS, 1, &syn);
	got(1, 6 * MS, 2, &data);
	got(1, 10 * MS, 3, &fin);
	got(1, 14 * MS, 4, &syn2);
	got(1, 15 * MS, 5, &data2);
	expect("A1-B1 A2-B2 A3-B3 A4-B4 A5-B5");
	g_assert_cmpuint(counts[0].aged, ==, 0);
}

/* One packet is lost, one arrives twice, and half of one is new: each reception pairs with the first sending
 * of its last new byte. */
static void test_retransmission(void)
{
	struct mdl_packet one = tcp(1000, 1000, 100, 0), two = tcp(1000, 1100, 100, 0),
			  three = tcp(1000, 1200, 100, 0), half = tcp(1000, 1250, 100, 0);

	begin();
	sent(0, 0, 1, &one);
	sent(0, 1 * MS, 2, &two);
	sent(0, 2 * MS, 3, &three);
	got(1, 3 * MS, 1, &one);
	got(1, 4 * MS, 2, &three);
	sent(0, 200 * MS, 4, &two); /* the first one was lost */
	got(1, 201 * MS, 3, &two);
	sent(0, 300 * MS, 5, &three); /* its acknowledgement was lost */
	got(1, 301 * MS, 4, &three);
	sent(0, 400 * MS, 6, &half);
	got(1, 401 * MS, 5, &half);
	expect("A1-B1 A3-B2 A2-B3 A6-B5");
	g_assert_cmpuint(counts[0].resent, ==, 2);
	g_assert_cmpuint(counts[1].again, ==, 1);
}

/* A stretch that is received late and fills a hole pairs with the sending that filled it, although it has more
 * bytes than were missing. */
static void test_hole(void)
{
	struct mdl_packet one = tcp(1000, 1000, 100, 0), two = tcp(1000, 1100, 100, 0),
			  three = tcp(1000, 1200, 100, 0), both = tcp(1000, 1100, 200, 0);

	begin();
	sent(0, 0, 1, &one);
	sent(0, 1 * MS, 2, &two);
	sent(0, 2 * MS, 3, &three);
	got(1, 3 * MS, 1, &one);
	got(1, 4 * MS, 2, &three);
	sent(0, 200 * MS, 4, &both);
	got(1, 201 * MS, 3, &both);
	got(1, 202 * MS, 4, &two);
	expect("A1-B1 A3-B2 A2-B3");
}

static void test_wrap(void)
{
	struct mdl_packet before = tcp(1000, 0xffffff00, 0x80, 0), over = tcp(1000, 0xffffff80, 0x100, 0),
			  behind = tcp(1000, 0x80, 0x100, 0);

	begin();
	sent(0, 0, 1, &before);
	sent(0, 1 * MS, 2, &over);
	sent(0, 2 * MS, 3, &behind);
	got(1, 1 * MS, 1, &before);
	got(1, 2 * MS, 2, &over);
	got(1, 3 * MS, 3, &behind);
	sent(0, 5 * MS, 4, &over);
	got(1, 6 * MS, 4, &over);
	expect("A1-B1 A2-B2 A3-B3");
}

/* More than 4 GB wait: 65536 stretches of 64 KB use up all sequence numbers, so each later one looks like an
 * earlier one. FIRST: first received stretch; BEGUN: the connection's begin was recorded. */
static void check_wraps(unsigned first, bool begun, const char *expected)
{
	enum { SIZE = 65536, ALL = 65536 + 3000, STEP = 3000, US = 1000 };
	struct mdl_packet syn = tcp(1000, UINT32_MAX, 0, SYN), p;

	begin();
	if (begun) {
		sent(0, 0, ALL, &syn);
		got(1, 1 * MS, ALL, &syn);
	}
	for (unsigned i = 0; i < ALL; i++) {
		p = tcp(1000, i * (uint32_t)SIZE, SIZE, 0);
		sent(0, 1 * MS + i * 10 * US, i, &p);
		if (i >= first && (i - first) % STEP == 0)
			got(1, 2 * MS + i * 10 * US, i, &p);
	}
	expect(expected);
}

static void test_wraps(void)
{
	GString *all = g_string_new("A68536-B68536 A0-B0");

	for (unsigned i = 3000; i < 65536 + 3000; i += 3000)
		g_string_append_printf(all, " A%u-B%u", i, i);
	check_wraps(0, true, all->str);
	/* Received are 500 and so on, which look like 66036 and so on. */
	check_wraps(500, false, "");
	g_string_free(all, TRUE);
}

/* 64 KB go to the interface and arrive 1448 bytes at a time; small packets arrive merged. */
static void test_cut(void)
{
	struct mdl_packet large = tcp(1000, 1, 65160, PSH), small, merged;
	GString *expected = g_string_new(NULL);

	begin();
	sent(0, 0, 1, &large);
	for (unsigned i = 0; i < 45; i++) {
		small = tcp(1000, 1 + i * 1448, 1448, i == 44 ? PSH : 0);
		got(1, 1 * MS + i, i, &small);
		g_string_append_printf(expected, "%sA1-B%u", i ? " " : "", i);
	}
	for (unsigned i = 0; i < 4; i++) {
		small = tcp(1001, 1 + i * 1448, 1448, 0);
		sent(0, (2 + i) * MS, 10 + i, &small);
	}
	merged = tcp(1001, 1, 3 * 1448 + 100, 0); /* the end of the fourth comes by itself */
	got(1, 7 * MS, 100, &merged);
	merged = tcp(1001, 1 + 3 * 1448 + 100, 1348, PSH);
	got(1, 8 * MS, 101, &merged);
	g_string_append(expected, " A13-B100 A13-B101");
	expect(expected->str);
	g_string_free(expected, TRUE);
}

/* Acknowledgements: matched by number. Three equal ones are matched in order; if one of three is lost,
 * none. */
static void test_acknowledgements(void)
{
	struct mdl_packet one = tcp(1000, 9, 0, 0), two = one, three = one;

	begin();
	two.acknowledgement = 107;
	three.acknowledgement = 207;
	sent(0, 0, 1, &one);
	sent(0, 1 * MS, 2, &two);
	got(1, 2 * MS, 1, &two);
	got(1, 3 * MS, 2, &one);
	for (unsigned i = 0; i < 3; i++) {
		sent(0, (10 + i) * MS, 10 + i, &three);
		got(1, (14 + i) * MS, 10 + i, &three);
	}
	for (unsigned i = 0; i < 3; i++)
		sent(0, (3000 + i) * MS, 20 + i, &three); /* equal to those before, but long after */
	got(1, 3005 * MS, 20, &three);
	got(1, 3006 * MS, 21, &three);
	expect("A2-B1 A1-B2 A10-B10 A11-B11 A12-B12");
	g_assert_cmpuint(counts[1].ambiguous, ==, 2);
	g_assert_cmpuint(counts[0].aged, ==, 3);
}

/* ---- UDP ---- */

static void test_datagrams(void)
{
	struct mdl_packet a = udp(1, 16, 77), b = udp(2, 16, 77), c = udp(1, 17, 77), d = udp(1, 16, 78),
			  other = a;

	begin();
	other.source_port = 4001;
	sent(0, 0, 1, &a);
	sent(0, 1 * MS, 2, &b);
	sent(0, 2 * MS, 3, &c);
	sent(0, 3 * MS, 4, &d);
	sent(0, 4 * MS, 5, &other);
	got(1, 5 * MS, 1, &other);
	got(1, 6 * MS, 2, &d);
	got(1, 7 * MS, 3, &c);
	got(1, 8 * MS, 4, &b);
	got(1, 9 * MS, 5, &a);
	expect("A5-B1 A4-B2 A3-B3 A2-B4 A1-B5");
}

/* The sender's interface completes the checksum. Without an identification, only the length is left. */
static void test_offload(void)
{
	struct mdl_packet out = udp(0, 16, PARTIAL), in;

	begin();
	for (unsigned i = 0; i < 100; i++) {
		in = udp(0, 16, (uint16_t)(1000 + i));
		sent(0, i * 5 * MS, i, &out);
		if (i != 60)
			got(1, (i * 5 + 2) * MS, i, &in);
	}
	expect(""); /* one was lost, and it is unknown which */
	g_assert_cmpuint(counts[1].ambiguous, ==, 99);
	begin();
	for (unsigned i = 0; i < 3; i++) {
		in = udp(0, 16, (uint16_t)(1000 + i));
		sent(0, i * 5 * MS, i, &out);
		got(1, (i * 5 + 2) * MS, i, &in);
	}
	in = udp(0, 16, PARTIAL);
	sent(0, 5 * S, 9, &out);
	got(1, 5 * S + MS, 9, &in); /* of another virtual machine: the sum is never completed */
	expect("A0-B0 A1-B1 A2-B2 A9-B9");
	begin();
	for (unsigned i = 0; i < 3; i++) {
		out = udp((uint16_t)(50 + i), 16, PARTIAL);
		in = udp((uint16_t)(50 + i), 16, (uint16_t)(1000 + i));
		sent(0, i * 5 * MS, i, &out);
		if (i != 1)
			got(1, (i * 5 + 2) * MS, i, &in);
	}
	expect("A0-B0 A2-B2"); /* matched by the identification */
}

/* The checksum distinguishes packets of one length, also if one of them is lost. A packet not sent here has
 * no pair. */
static void test_checksums(void)
{
	struct mdl_packet p;

	begin();
	for (unsigned i = 0; i < 5; i++) {
		p = udp(0, 16, (uint16_t)(1000 + i));
		if (i != 3)
			sent(0, i * 5 * MS, i, &p);
		if (i != 1)
			got(1, (i * 5 + 2) * MS, i, &p);
	}
	expect("A0-B0 A2-B2 A4-B4");
	g_assert_cmpuint(counts[1].unmatched, ==, 1);
	g_assert_cmpuint(counts[0].aged, ==, 1);
}

/* The first fragment has ports, later ones do not. */
static void test_fragments(void)
{
	struct mdl_packet first = udp(5, 1472, 99), later = udp(5, 1472, 99);

	begin();
	later.has_ports = false;
	later.payload = MDL_NONE;
	sent(0, 0, 1, &first);
	sent(0, 1, 2, &later);
	got(1, 1 * MS, 1, &first);
	got(1, 1 * MS + 1, 2, &later);
	expect("A1-B1");
	g_assert_cmpuint(counts[0].nameless, ==, 1);
	g_assert_cmpuint(counts[1].nameless, ==, 1);
}

static void test_ipv6(void)
{
	struct mdl_packet a = udp(0, 16, 77), b = tcp(1000, 1, 100, 0), c = a, extended = a;

	begin();
	a.version = b.version = c.version = extended.version = 6;
	a.source[15] = b.source[15] = 9;
	c.source[15] = 8;
	extended.protocol = 0; /* an extension header comes first: the tracer gives no ports */
	extended.has_ports = false;
	sent(0, 0, 1, &a);
	sent(0, 1 * MS, 2, &b);
	sent(0, 2 * MS, 3, &c);
	sent(0, 3 * MS, 4, &extended);
	got(1, 4 * MS, 1, &c);
	got(1, 5 * MS, 2, &b);
	got(1, 6 * MS, 3, &a);
	got(1, 7 * MS, 4, &extended);
	expect("A3-B1 A2-B2 A1-B3");
	g_assert_cmpuint(counts[1].nameless, ==, 1);
}

/* Only TCP's sequence numbers are recorded (inet_sock_local_out and _in): no addresses, no length. */
static void test_numbers(void)
{
	struct mdl_packet a = { .protocol = 6,
		.payload = MDL_NONE,
		.sequence = 1000,
		.acknowledgement = 5,
		.flags = ACK | PSH },
			  b = a, piece = a;

	begin();
	b.sequence = 2000;
	piece.flags = ACK; /* received in pieces: the first has no PSH */
	sent(0, 0, 1, &a);
	sent(0, 1 * MS, 2, &b);
	got(1, 2 * MS, 1, &piece);
	piece.sequence = 1500;
	got(1, 3 * MS, 2, &piece);
	got(1, 4 * MS, 3, &b);
	expect("A1-B1 A2-B3");
	g_assert_cmpuint(counts[1].unmatched, ==, 1);
}

/* ---- the path through hosts ---- */

/* Packets on a host's loopback stay on that host, although another host sends and receives equal ones. */
static void test_loopback(void)
{
	struct mdl_packet p[] = { tcp(1000, 1, 100, 0), tcp(1000, 101, 0, 0), udp(0, 16, PARTIAL) };

	begin();
	for (unsigned i = 0; i < G_N_ELEMENTS(p); i++)
		for (unsigned host = 0; host < 2; host++) {
			p[i].source[0] = p[i].destination[0] = 127;
			sent(host, i * 10 * MS, i, &p[i]);
			got(host, (i * 10 + 1) * MS, i, &p[i]);
			p[i].source[0] = p[i].destination[0] = 172; /* a bridge, named alike on all hosts */
			sent(host, (100 + i * 10) * MS, 10 + i, &p[i]);
			got(host, (101 + i * 10) * MS, 10 + i, &p[i]);
		}
	expect("");
	g_assert_cmpuint(counts[0].own, ==, 9); /* including the three sent on the loopback */
}

/* From a container by a bridge to the network, and on the other host from the network by a bridge to a
 * container. */
static void test_bridges(void)
{
	struct mdl_packet p[] = { tcp(1000, 1, 100, 0), tcp(1000, 101, 0, 0), udp(0, 16, 99) };

	begin();
	for (unsigned i = 0; i < G_N_ELEMENTS(p); i++)
		for (unsigned n = 0; n < 2; n++) { /* the latter two twice, alike */
			int64_t t = i * 10 * MS + n * 3 * MS;
			uint64_t name = i * 10 + n * 4;

			p[i].sequence += n && i == 0 ? 100 : 0;
			seen_by(1, 0, false, t, name, &p[i]);            /* veth */
			seen_by(2, 0, true, t + 1000, name + 1, &p[i]);  /* its other end, in the bridge */
			seen_by(3, 0, false, t + 2000, name + 2, &p[i]); /* eth0 */
			seen_by(1, 1, true, t + MS, name, &p[i]);        /* eth0 */
			seen_by(2, 1, true, t + MS + 1000, name + 1, &p[i]);  /* br0 */
			seen_by(3, 1, false, t + MS + 2000, name + 2, &p[i]); /* veth */
			seen_by(4, 1, true, t + MS + 3000, name + 3, &p[i]);  /* its other end */
		}
	expect("A0-B0 A4-B4 A10-B10 A14-B14 A20-B20 A24-B24");
}

/* C lies between A and B: each hop, and the whole path. */
static void test_router(void)
{
	struct mdl_packet p[] = { tcp(1000, 1, 100, 0), tcp(1000, 101, 0, 0), udp(0, 16, 99) };

	begin();
	for (unsigned i = 0; i < G_N_ELEMENTS(p); i++) {
		sent(0, i * 10 * MS, i, &p[i]);
		got(2, (i * 10 + 1) * MS, i, &p[i]);
		seen_by(2, 2, false, (i * 10 + 2) * MS, 10 + i, &p[i]);
		got(1, (i * 10 + 3) * MS, i, &p[i]);
	}
	expect_with("A0-C0 A0-B0 C10-B0 A1-C1 A1-B1 C11-B1 A2-C2 A2-B2 C12-B2", 0);
	end();
}

/* ---- clocks ---- */

static void count_pair(void *data, const struct sync_pair *p)
{
	g_assert_cmpuint(p->sent_number, ==, p->received_number);
	++*(unsigned *)data;
}

/* Packets both ways every 50 ms. Host B's clock is set 1000 s ahead; C's stops for an hour while it is
 * suspended. */
static void test_clock_set(void)
{
	struct sync_source sources[HOSTS];
	struct sync_rough *rough;
	unsigned pairs = 0;

	begin();
	for (unsigned i = 0; i < 2000; i++) {
		unsigned from = i % 2, to = 1 - from;
		int64_t awake = i * 50 * MS, t = awake + (i >= 1200 ? 3600 * S : 0),
			set = i >= 700 ? 1000 * S : 0;
		struct mdl_packet p = tcp((uint16_t)(1000 + from), i * 100, 100, 0),
				  q = tcp((uint16_t)(2000 + from), i * 100, 100, 0);

		sent(from, t + (from == 1 ? set : 0), i, &p);
		got(to, t + MS + (to == 1 ? set : 0), i, &p);
		seen_by(1, from == 1 ? 1 : 2, false, (from == 1 ? t + set : awake) + 2 * MS, i, &q);
		seen_by(1, from == 1 ? 2 : 1, true, (from == 1 ? awake : t + set) + 3 * MS, i, &q);
	}
	for (unsigned i = 0; i < HOSTS; i++)
		sources[i] = sync_made_source(packets[i]);
	rough = sync_rough_new(sources, HOSTS);
	sync_match(sources, HOSTS, rough, count_pair, &pairs, counts);
	g_test_message("%u pairs", pairs);
	g_assert_cmpuint(pairs, >=, 4000 - 4 * 9); /* packets next to a clock change may have no pair */
	sync_rough_free(rough, HOSTS);
	end();
}

/* ---- packets without a receiver ---- */

/* Millions of packets that no host receives are forgotten, and counted. */
static void test_aged(void)
{
	enum { N = 300000 };
	struct mdl_packet p;

	begin();
	for (uint32_t i = 0; i < N; i++) {
		p = i % 2 ? tcp(1000, i * 100, 100, 0) : udp((uint16_t)i, 16, (uint16_t)(i >> 16));
		sent(0, i * MS, i, &p);
	}
	got(1, 20 * S, 0, &p);
	expect_with("", 0);
	g_assert_cmpuint(counts[0].aged, ==, N);
	g_assert_cmpuint(counts[1].unmatched, ==, 1);
	end();
}

/* More packets that look alike than can be kept: none is matched, but a packet a minute later is. */
static void test_crowd(void)
{
	struct mdl_packet p = udp(0, 16, 99);

	begin();
	for (unsigned i = 0; i < 5000; i++) {
		sent(0, i * MS, i, &p);
		got(1, i * MS + 100, i, &p);
	}
	sent(0, 200 * S, 9000, &p);
	got(1, 200 * S + MS, 9000, &p);
	expect_with("A9000-B9000", 0);
	g_assert_cmpuint(counts[1].ambiguous, ==, 5000);
	end();
}

/* Times whose difference exceeds 64 bits. */
static void test_ends_of_time(void)
{
	struct mdl_packet ack = tcp(1000, 1, 0, 0);

	begin();
	sent(0, INT64_MIN / 2 - S, 1, &ack);
	seen_by(2, 0, false, INT64_MAX / 2 + S, 2, &ack);
	got(1, INT64_MAX / 2 + S + MS, 2, &ack);
	expect("A2-B2");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/match/two connections", test_connections);
	g_test_add_func("/match/ports used again", test_ports_reused);
	g_test_add_func("/match/retransmission", test_retransmission);
	g_test_add_func("/match/hole", test_hole);
	g_test_add_func("/match/numbers wrap", test_wrap);
	g_test_add_func("/match/numbers used again", test_wraps);
	g_test_add_func("/match/cut and merged", test_cut);
	g_test_add_func("/match/acknowledgements", test_acknowledgements);
	g_test_add_func("/match/datagrams", test_datagrams);
	g_test_add_func("/match/checksum offload", test_offload);
	g_test_add_func("/match/checksums", test_checksums);
	g_test_add_func("/match/fragments", test_fragments);
	g_test_add_func("/match/IPv6", test_ipv6);
	g_test_add_func("/match/numbers alone", test_numbers);
	g_test_add_func("/match/loopback", test_loopback);
	g_test_add_func("/match/bridges", test_bridges);
	g_test_add_func("/match/router", test_router);
	g_test_add_func("/match/clock set", test_clock_set);
	g_test_add_func("/match/aged", test_aged);
	g_test_add_func("/match/crowd", test_crowd);
	g_test_add_func("/match/ends of time", test_ends_of_time);
	return g_test_run();
}
