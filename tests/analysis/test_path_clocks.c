/* SPDX-License-Identifier: MIT */
/*
 * Waits for packets of another host, in histories made by hand: who sent a packet, how it was received, and
 * clocks that are wrong.  Host "here": thread A runs, asks at 10, waits from 20 to 60, runs.  Host "there":
 * thread B waits for the question up to 25, runs, answers at 40, runs.  The answer is received at 55.
 */
#include "analysis/ana_fixture.h"
#include "analysis/ana_stretch.h"
#include "analysis/ana_synth.h"
#include "analysis/wait/why.h"

#include "query/clock/clock.h"
#include "sync/sync_clock.h"

#include <netinet/in.h>
#include <string.h>

#define SECONDS INT64_C(1000000000)

struct history {
	struct ana_synth *here, *there;
	uint32_t a, b, idle_here, idle_there;
};

static struct history begin(void)
{
	struct history h = { .here = ana_synth_new(100) };

	h.there = ana_synth_beside(h.here, "there");
	h.a = ana_synth_thread(h.here, 1, 0, MDL_NONE);
	h.idle_here = ana_synth_thread(h.here, 0, 0, MDL_NONE);
	ana_synth_state(h.here, h.a, 20, MDL_ST_RUNNING);
	ana_synth_state(h.here, h.a, 60, MDL_ST_BLOCKED);
	ana_synth_state(h.here, h.a, 100, MDL_ST_RUNNING);
	h.b = ana_synth_thread(h.there, 2, 0, MDL_NONE);
	h.idle_there = ana_synth_thread(h.there, 0, 0, MDL_NONE);
	ana_synth_state(h.there, h.b, 25, MDL_ST_BLOCKED);
	ana_synth_state(h.there, h.b, 100, MDL_ST_RUNNING);
	return h;
}

static struct mdl_packet packet(bool answer)
{
	return (struct mdl_packet){ .skb = answer ? 0x200 : 0x100,
		.length = 60,
		.version = 4,
		.protocol = IPPROTO_TCP,
		.has_ports = true,
		.source = { 10, 0, 0, answer ? 2 : 1 },
		.destination = { 10, 0, 0, answer ? 1 : 2 },
		.source_port = answer ? 80 : 4000,
		.destination_port = answer ? 4000 : 80,
		.sequence = answer ? 500 : 900,
		.acknowledgement = answer ? 910 : 500,
		.payload = 10 };
}

static void send_packet(struct ana_synth *s, bool answer, const struct mdl_act *act)
{
	struct mdl_transfer t = { .packet = packet(answer), .by = *act };

	ana_synth_transfer(s, &t);
}

/* WAKER, or (unless NULL) SOFTIRQ that interrupted it, receives the packet and wakes ROW. */
static void receive(struct ana_synth *s, bool answer, int64_t time, uint32_t row, int64_t woken,
	uint32_t waker, const char *softirq)
{
	struct mdl_act act = ana_synth_act(waker, time);
	struct mdl_transfer t = { .packet = packet(answer), .received = true };
	struct mdl_cause cause = {
		.facts = { .has = MDL_FACT_PACKET,
			.packet = { .packet = t.packet,
				.time = time,
				.sender = { .time = MDL_NEVER, .context = MDL_NONE, .thread = MDL_NONE } } }
	};

	if (softirq) {
		act.context = ana_synth_context_id(s, MDL_CTX_SOFTIRQ, 3, softirq);
		act.entry = time;
		ana_synth_context(s, MDL_CTX_SOFTIRQ, 3, softirq);
	}
	t.by = act;
	ana_synth_transfer(s, &t);
	ana_synth_cause(s, &cause);
	ana_synth_wakeup(s, row, woken, waker, MDL_VIA_WAKING);
}

static void question(const struct history *h)
{
	struct mdl_act act = ana_synth_act(h->a, 10);

	send_packet(h->here, false, &act);
	receive(h->there, false, 24, h->b, 25, h->idle_there, "NET_RX");
}

/* Clocks that set host "there" AHEAD ns; EXACT: to the nanosecond, otherwise with unknown error. */
static void set_clocks_for(struct qry *q, int64_t ahead, bool exact)
{
	struct sync_hosts *clocks = sync_hosts_new_empty(2);
	GArray *lines = g_array_new(FALSE, FALSE, sizeof(struct sync_line));
	struct sync_line line = { .from = INT64_MIN,
		.seen = INT64_MAX,
		.offset = (sync_wide)ahead * ((sync_wide)1 << SYNC_FRACTION_BITS) };

	g_array_append_val(lines, line);
	clocks->hosts[0].clock = sync_clock_new_shifted(0);
	clocks->hosts[1].clock = sync_clock_new(lines);
	clocks->hosts[0].error_max = 0;
	clocks->hosts[1].error_max = exact ? 0 : INT64_MAX;
	if (exact) {
		clocks->hosts[1].by = 0;
		clocks->hosts[1].bounds = sync_bounds_new();
		sync_bounds_add_exact(clocks->hosts[1].bounds, 0, ahead);
	}
	qry_set_clocks(q, clocks);
	sync_hosts_unref(clocks);
}

static void set_clocks(struct qry *q, int64_t ahead)
{
	set_clocks_for(q, ahead, false);
}

/* The path of A is WANTED; frees H. */
static void check(struct history *h, struct qry *q, const struct ana_stretch *wanted, guint n)
{
	struct ana_path *p = ana_path_new(q, h->a, 0, 100, NULL, NULL);

	ana_fixture_check_cover(p);
	ana_stretch_check(q, p, wanted, n);
	for (guint i = 0; i < n; i++) {
		const struct ana_segment *s = ana_fixture_segment(p, i);

		if (s->kind != ANA_SEG_NETWORK)
			continue;
		g_assert_true(s->crossing.crossed); /* the error of the clocks is unknown */
		g_assert_cmpint(s->crossing.error, ==, INT64_MAX);
		g_assert_cmpint(mdl_grade_of(s->crossing.doubts), ==, MDL_INFERRED);
	}
	ana_path_free(p);
	ana_synth_free(h->here);
}

/* ---- how it is received ---- */

static const struct ana_stretch through_b[] = {
	{ 0, 20, "t1", NULL, ANA_SEG_RUNNING, 0 },
	{ 20, 25, "NET_RX", "sent before the wait above; on the way 5 ns: 10.0.0.1:4000 > 10.0.0.2:80",
		ANA_SEG_NETWORK, 1 },
	{ 25, 40, "t2", NULL, ANA_SEG_RUNNING, 1 },
	{ 40, 60, NULL,
		"on the way 20 ns: 10.0.0.2:80 > 10.0.0.1:4000 seq 500, 60 bytes, from there/t2[2]; wait of host/t1[1]",
		ANA_SEG_NETWORK, 0 },
	{ 60, 100, "t1", NULL, ANA_SEG_RUNNING, 0 },
};

static void check_received(struct history *h, uint32_t waker, const char *softirq, const char *actor)
{
	struct ana_stretch wanted[G_N_ELEMENTS(through_b)];
	struct mdl_act act = ana_synth_act(h->b, 40);
	struct qry *q;

	memcpy(wanted, through_b, sizeof wanted);
	wanted[3].actor = actor;
	question(h);
	send_packet(h->there, true, &act);
	receive(h->here, true, 55, h->a, 60, waker, softirq);
	q = ana_synth_open(h->here);
	set_clocks(q, 0);
	check(h, q, wanted, G_N_ELEMENTS(wanted));
}

static void test_softirq(void)
{
	struct history h = begin();

	check_received(&h, h.idle_here, "NET_RX", "NET_RX");
}

/* ksoftirqd handles the rest of a softirq; with its softirqs recorded, and without. */
static void test_ksoftirqd(void)
{
	for (int recorded = 0; recorded < 2; recorded++) {
		struct history h = begin();
		uint32_t daemon = ana_synth_thread(h.here, 14, 0, MDL_NONE);

		ana_synth_rename(h.here, daemon, "ksoftirqd/0");
		ana_synth_state(h.here, daemon, 100, MDL_ST_RUNNING);
		check_received(&h, daemon, recorded ? "NET_RX" : NULL, recorded ? "NET_RX" : "softirq");
	}
}

/* The thread of a threaded interrupt, and of threaded NAPI: neither is the cause of A's wake-up. */
static void test_threads(void)
{
	static const char *const names[] = { "irq/30-virtio1-", "napi/eth0-8193", "backlog_napi/1",
		"ktimers/0" };

	for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
		struct history h = begin();
		uint32_t thread = ana_synth_thread(h.here, 30, 0, MDL_NONE);

		ana_synth_rename(h.here, thread, names[i]);
		ana_synth_state(h.here, thread, 100, MDL_ST_RUNNING);
		check_received(&h, thread, NULL, "softirq");
	}
}

/* ---- the context that received the packet ---- */

/* One more hop of CAUSE's chain, on CPU 0. */
static void add_hop(struct ana_synth *s, struct mdl_cause *cause, enum mdl_ctx_type type, int64_t nr,
	const char *name, int64_t entry, int64_t time)
{
	struct mdl_act act = { .time = time,
		.entry = entry,
		.cpu = 0,
		.context = ana_synth_context_id(s, type, nr, name),
		.thread = MDL_NONE };

	cause->chain.hops[cause->chain.n++] = (struct mdl_hop){ .act = act };
}

/*
 * The cause of a wake-up by a packet received at 55, sent by SENDER of the same host or (time MDL_NEVER) by
 * another host.  The card's interrupt at CARD raises NET_RX at CARD + 1.  NET_RX is entered at CARD + 4; unless
 * AGAIN is MDL_NEVER, it raises itself again at CARD + 9 and is entered once more at AGAIN.
 */
static struct mdl_cause polled(struct ana_synth *s, bool answer, int64_t card, int64_t again,
	struct mdl_act sender)
{
	struct mdl_cause cause = {
		.facts = { .has = MDL_FACT_PACKET,
			.packet = { .packet = packet(answer), .time = 55, .sender = sender } }
	};

	add_hop(s, &cause, MDL_CTX_IRQ, 30, "eth0-rx", card, card + 1);
	add_hop(s, &cause, MDL_CTX_SOFTIRQ, 3, "NET_RX", card + 4, card + 9);
	if (again != MDL_NEVER)
		add_hop(s, &cause, MDL_CTX_SOFTIRQ, 3, "NET_RX", again, 60);
	else
		cause.chain.hops[1].act.time = 60;
	return cause;
}

/* The path of A's wait for the answer, sent at 40 and received as polled() says for CARD and AGAIN, is WANTED. */
static void check_polled(int64_t card, int64_t again, const struct ana_stretch *wanted, guint n)
{
	static const struct mdl_act elsewhere = { .time = MDL_NEVER,
		.context = MDL_NONE,
		.thread = MDL_NONE };
	struct history h = begin();
	struct mdl_act sent = ana_synth_act(h.b, 40);
	struct mdl_transfer t = { .packet = packet(true),
		.received = true,
		.by = ana_synth_act(h.idle_here, 55) };
	struct mdl_cause cause = polled(h.here, true, card, again, elsewhere);
	struct qry *q;

	question(&h);
	send_packet(h.there, true, &sent);
	ana_synth_transfer(h.here, &t);
	ana_synth_cause(h.here, &cause);
	ana_synth_wakeup(h.here, h.a, 60, h.idle_here, MDL_VIA_WAKING);
	q = ana_synth_open(h.here);
	set_clocks(q, 0);
	check(&h, q, wanted, n);
}

#define ASKED                                                                             \
	{ 0, 20, "t1", NULL, ANA_SEG_RUNNING, 0 },                                        \
		{ 20, 25, "NET_RX", "sent before the wait above; ", ANA_SEG_NETWORK, 1 }, \
	{                                                                                 \
		25, 40, "t2", NULL, ANA_SEG_RUNNING, 1                                    \
	}
#define GOES_ON                                         \
	{                                               \
		60, 100, "t1", NULL, ANA_SEG_RUNNING, 0 \
	}

/* The packet left at 40: a context that began since brought it, at the latest the one that received it. */
static void test_polled(void)
{
	static const struct ana_stretch after_interrupt[] = {
		ASKED, { 40, 50, "NET_RX", "on the way 10 ns: ", ANA_SEG_NETWORK, 0 }, { 50, 60, "softirq NET_RX", "in interrupts", ANA_SEG_IRQ, 0 }, GOES_ON,
	}, within[] = {
		ASKED, { 40, 55, "NET_RX", "on the way 15 ns: ", ANA_SEG_NETWORK, 0 }, { 55, 60, "softirq NET_RX", "in interrupts", ANA_SEG_IRQ, 0 }, GOES_ON,
	}, first_poll[] = {
		ASKED, { 40, 41, "NET_RX", "on the way 1 ns: ", ANA_SEG_NETWORK, 0 }, { 41, 60, "softirq NET_RX", "in interrupts", ANA_SEG_IRQ, 0 }, GOES_ON,
	}, whole[] = {
		ASKED, { 40, 41, "NET_RX", "on the way 1 ns: ", ANA_SEG_NETWORK, 0 }, { 41, 42, "IRQ 30 eth0-rx", "in interrupts", ANA_SEG_IRQ, 0 },
		{ 42, 45, "softirq NET_RX", "softirq pending", ANA_SEG_IRQ, 0 }, { 45, 60, "softirq NET_RX", "in interrupts", ANA_SEG_IRQ, 0 }, GOES_ON,
	};

	check_polled(30, 50, after_interrupt, G_N_ELEMENTS(after_interrupt));
	check_polled(20, 38, within, G_N_ELEMENTS(within));
	check_polled(37, MDL_NEVER, first_poll, G_N_ELEMENTS(first_poll));
	check_polled(41, MDL_NEVER, whole, G_N_ELEMENTS(whole));
}

/* On one host: A waits for a packet that B sent at 40, and there is one clock. */
static void test_polled_here(void)
{
	static const struct ana_stretch wanted[] = {
		{ 0, 20, "t1", NULL, ANA_SEG_RUNNING, 0 },
		{ 20, 40, "t2", NULL, ANA_SEG_RUNNING, 1 },
		{ 40, 50, "NET_RX", "10.0.0.2:80 > ", ANA_SEG_NETWORK, 0 },
		{ 50, 60, "softirq NET_RX", "in interrupts", ANA_SEG_IRQ, 0 },
		GOES_ON,
	};
	struct ana_synth *s = ana_synth_new(100);
	uint32_t a = ana_synth_thread(s, 1, 0, MDL_NONE), b = ana_synth_thread(s, 2, 0, MDL_NONE);
	struct mdl_cause cause = polled(s, true, 30, 50, ana_synth_act(b, 40));
	struct ana_path *p;
	struct qry *q;

	ana_synth_state(s, a, 20, MDL_ST_RUNNING);
	ana_synth_state(s, a, 60, MDL_ST_BLOCKED);
	ana_synth_state(s, a, 100, MDL_ST_RUNNING);
	ana_synth_state(s, b, 100, MDL_ST_RUNNING);
	ana_synth_cause(s, &cause);
	ana_synth_wakeup(s, a, 60, b, MDL_VIA_WAKING);
	q = ana_synth_open(s);
	p = ana_path_new(q, a, 0, 100, NULL, NULL);
	ana_stretch_check(q, p, wanted, G_N_ELEMENTS(wanted));
	ana_path_free(p);
	ana_synth_free(s);
}

/* Sent at 40 in the softirq that received it, as an acknowledgement releases data over the loopback
 * device: the causes of the softirq are those of the packet. */
static void test_sent_within(void)
{
	static const struct ana_stretch wanted[] = {
		{ 0, 20, "t1", NULL, ANA_SEG_RUNNING, 0 },
		{ 20, 30, "NET_RX", "10.0.0.2:80 > ", ANA_SEG_NETWORK, 0 },
		{ 30, 31, "IRQ 30 eth0-rx", "in interrupts", ANA_SEG_IRQ, 0 },
		{ 31, 34, "softirq NET_RX", "softirq pending", ANA_SEG_IRQ, 0 },
		{ 34, 60, "softirq NET_RX", "in interrupts", ANA_SEG_IRQ, 0 },
		GOES_ON,
	};
	struct ana_synth *s = ana_synth_new(100);
	uint32_t a = ana_synth_thread(s, 1, 0, MDL_NONE), b = ana_synth_thread(s, 2, 0, MDL_NONE);
	struct mdl_cause cause = polled(s, true, 30, MDL_NEVER, ana_synth_act(b, 40));
	struct ana_path *p;
	struct qry *q;

	cause.facts.packet.sender.context = cause.chain.hops[1].act.context;
	cause.facts.packet.sender.entry = cause.chain.hops[1].act.entry;
	ana_synth_state(s, a, 20, MDL_ST_RUNNING);
	ana_synth_state(s, a, 60, MDL_ST_BLOCKED);
	ana_synth_state(s, a, 100, MDL_ST_RUNNING);
	ana_synth_state(s, b, 100, MDL_ST_RUNNING);
	ana_synth_cause(s, &cause);
	ana_synth_wakeup(s, a, 60, b, MDL_VIA_WAKING);
	q = ana_synth_open(s);
	p = ana_path_new(q, a, 0, 100, NULL, NULL);
	ana_stretch_check(q, p, wanted, G_N_ELEMENTS(wanted));
	ana_path_free(p);
	ana_synth_free(s);
}

/* ---- the sender ---- */

static void check_nobody(struct history *h, const struct mdl_act *sender)
{
	static const struct ana_stretch wanted[] = {
		{ 0, 20, "t1", NULL, ANA_SEG_RUNNING, 0 },
		{ 20, 60, "NET_RX",
			"sent by the kernel, for no thread: 10.0.0.2:80 > 10.0.0.1:4000 seq 500, 60 bytes, from there;",
			ANA_SEG_NETWORK, 0 },
		{ 60, 100, "t1", NULL, ANA_SEG_RUNNING, 0 },
	};
	struct qry *q;

	question(h);
	send_packet(h->there, true, sender);
	receive(h->here, true, 55, h->a, 60, h->idle_here, "NET_RX");
	q = ana_synth_open(h->here);
	set_clocks(q, 0);
	check(h, q, wanted, G_N_ELEMENTS(wanted));
}

/* A packet sent in a softirq answers, or is released, for another thread: the thread that the softirq
 * interrupted has no part in it. */
static void test_sent_in_softirq(void)
{
	struct history h = begin();
	struct mdl_act act = ana_synth_act(h.b, 40);

	act.context = ana_synth_context_id(h.there, MDL_CTX_SOFTIRQ, 3, "NET_RX");
	act.entry = 39;
	check_nobody(&h, &act);
}

static void test_sent_by_kernel_threads(void)
{
	static const char *const names[] = { "ksoftirqd/0", "irq/30-virtio1-", "napi/eth0-8193" };

	for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
		struct history h = begin();
		uint32_t thread = ana_synth_thread(h.there, 14, 0, MDL_NONE);
		struct mdl_act act = ana_synth_act(thread, 40);

		ana_synth_rename(h.there, thread, names[i]);
		ana_synth_state(h.there, thread, 100, MDL_ST_RUNNING);
		check_nobody(&h, &act);
	}
}

/* GRADE is that of the path's link from there to A, whose wait an interrupt ended, and that of the
 * sender.  MISSING: the event that host "there" lacks; NULL: none. */
static void check_sender(const char *missing, enum mdl_grade grade)
{
	struct history h = begin();
	struct mdl_act act = ana_synth_act(h.b, 40);
	struct ana_path *p;
	struct ana_why *why;
	struct mdl_wakeup w;
	struct qry *q;

	if (missing)
		ana_synth_missing(h.there, missing);
	question(&h);
	send_packet(h.there, true, &act);
	ana_synth_context(h.here, MDL_CTX_IRQ, 30, "eth0");
	receive(h.here, true, 55, h.a, 60, h.idle_here, "NET_RX");
	q = ana_synth_open(h.here);
	set_clocks_for(q, 0, true);
	p = ana_path_new(q, h.a, 0, 100, NULL, NULL);
	for (guint i = 0; i < p->segments->len; i++) {
		const struct ana_segment *s = ana_fixture_segment(p, i);

		if (s->kind == ANA_SEG_NETWORK && s->depth == 0)
			g_assert_cmpint(mdl_grade_of(s->crossing.doubts), ==, grade);
		if (ana_fixture_actor(p, s)->row == ana_synth_row(h.there, h.b))
			g_assert_cmpint(mdl_grade_of(s->doubts), ==, grade);
	}
	ana_path_free(p);
	g_assert_true(qry_wakeup_at(q, h.a, 60, &w));
	why = ana_why_new(q, h.a, &w);
	g_assert_cmpint(g_array_index(why->hops, struct ana_why_hop, 0).row, ==, ana_synth_row(h.there, h.b));
	g_assert_cmpint(mdl_grade_of(g_array_index(why->hops, struct ana_why_hop, 0).doubts), ==, grade);
	ana_why_free(why);
	ana_synth_free(h.here);
}

/* Without softirqs recorded there, the packet may have been sent by a softirq that interrupted the
 * thread. */
static void test_softirqs_missing(void)
{
	check_sender(NULL, MDL_PROVED);
	check_sender("x86_irq_vectors_*", MDL_PROVED);
	check_sender("irq_softirq_*", MDL_INFERRED);
}

/* ---- clocks ---- */

static struct qry *open_plain(struct history *h)
{
	struct mdl_act act = ana_synth_act(h->b, 40);

	question(h);
	send_packet(h->there, true, &act);
	receive(h->here, true, 55, h->a, 60, h->idle_here, "NET_RX");
	return ana_synth_open(h->here);
}

static void check_ahead(int64_t ahead, const struct ana_stretch *wanted, guint n)
{
	struct history h = begin();
	struct qry *q = open_plain(&h);

	g_test_message("ahead by %d", (int)ahead);
	set_clocks(q, ahead);
	check(&h, q, wanted, n);
}

/* By the clocks B answered later than its answer arrived: the path goes on at the reception. */
static void test_sent_too_late(void)
{
	static const struct ana_stretch running[] = {	/* B is at its 35 then, and was woken at 45 as shown */
		{ 0, 20, "t1", NULL, ANA_SEG_RUNNING, 0 }, { 20, 45, "NET_RX", "sent before the wait", ANA_SEG_NETWORK, 1 },
		{ 45, 55, "t2", NULL, ANA_SEG_RUNNING, 1 },
		{ 55, 60, "NET_RX", "sent later than it arrived by the clocks; on the way 5 ns: ", ANA_SEG_NETWORK, 0 },
		{ 60, 100, "t1", NULL, ANA_SEG_RUNNING, 0 },
	}, waiting[] = {				/* B is at its 15, and waits: the question ended that */
		{ 0, 20, "t1", NULL, ANA_SEG_RUNNING, 0 }, { 20, 40, "t2", "not seen yet", ANA_SEG_UNKNOWN, 1 },
		{ 40, 55, "NET_RX", "sent before the wait; on the way 15 ns: ", ANA_SEG_NETWORK, 1 },
		{ 55, 60, "NET_RX", "sent later than it arrived by the clocks; on the way 5 ns: ", ANA_SEG_NETWORK, 0 },
		{ 60, 100, "t1", NULL, ANA_SEG_RUNNING, 0 },
	}, unborn[] = {					/* B's trace begins seconds later */
		{ 0, 20, "t1", NULL, ANA_SEG_RUNNING, 0 }, { 20, 55, "t2", "not seen yet", ANA_SEG_UNKNOWN, 1 },
		{ 55, 60, "NET_RX", "sent later than it arrived by the clocks; on the way 5 ns: ", ANA_SEG_NETWORK, 0 },
		{ 60, 100, "t1", NULL, ANA_SEG_RUNNING, 0 },
	};

	check_ahead(20, running, G_N_ELEMENTS(running));
	check_ahead(40, waiting, G_N_ELEMENTS(waiting));
	check_ahead(5 * SECONDS, unborn, G_N_ELEMENTS(unborn));
}

static void test_sent_too_early(void)
{
	static const struct ana_stretch within[] = {
		{ 0, 20, "t1", NULL, ANA_SEG_RUNNING, 0 }, { 20, 25, "t2", NULL, ANA_SEG_RUNNING, 1 },
		{ 25, 60, "NET_RX", "on the way 35 ns: ", ANA_SEG_NETWORK, 0 }, { 60, 100, "t1", NULL, ANA_SEG_RUNNING, 0 },
	}, before[] = {
		{ 0, 20, "t1", NULL, ANA_SEG_RUNNING, 0 }, { 20, 60, "NET_RX", "sent before the wait; on the way 40 ns: ", ANA_SEG_NETWORK, 0 },
		{ 60, 100, "t1", NULL, ANA_SEG_RUNNING, 0 },
	};

	check_ahead(-15, within, G_N_ELEMENTS(within));
	check_ahead(-20, before, G_N_ELEMENTS(before));
	check_ahead(-5 * SECONDS, before, G_N_ELEMENTS(before));
}

/* Each host shows its own time, and the offset between them is unknown. */
static void test_no_clock(void)
{
	static const struct ana_stretch wanted[] = {
		{ 0, 20, "t1", NULL, ANA_SEG_RUNNING, 0 },
		{ 20, 60, "NET_RX", "sent on a host with an unrelated clock: ", ANA_SEG_NETWORK, 0 },
		{ 60, 100, "t1", NULL, ANA_SEG_RUNNING, 0 },
	};
	struct history h = begin();
	struct qry *q = open_plain(&h);

	check(&h, q, wanted, G_N_ELEMENTS(wanted));
}

/* Number I of the packets in one direction: sent by SENT, received as in RECEIVED, which wakes ROW at
 * once. */
static void turn(struct ana_synth *from, struct ana_synth *to, bool answer, int i, struct mdl_act sent,
	struct mdl_act received, uint32_t row)
{
	struct mdl_transfer t = { .packet = packet(answer), .by = sent };
	struct mdl_cause cause = { .facts = { .has = MDL_FACT_PACKET } };

	t.packet.sequence += 10 * (uint32_t)i;
	t.packet.skb = 0x1000 + (uint64_t)i;
	ana_synth_transfer(from, &t);
	t.received = true;
	t.by = received;
	t.by.thread = MDL_NONE;
	ana_synth_transfer(to, &t);
	cause.facts.packet = (struct mdl_received){ .packet = t.packet,
		.time = received.time,
		.sender = { .time = MDL_NEVER } };
	ana_synth_cause(to, &cause);
	ana_synth_wakeup(to, row, received.time, MDL_NONE, MDL_VIA_WAKING);
}

/*
 * Two threads ask each other TURNS times, a nanosecond each way and a nanosecond of work, while the
 * other waits.  Whatever the error of the clocks, the walk ends, soon, and covers all.
 */
static void test_ping_pong(void)
{
	enum { TURNS = 2000 };
	static const int64_t ahead[] = { 0, 1, -1, 2, -2, 3, -3, 4, -4, 7, -7, 1000, -1000, 5 * SECONDS,
		-5 * SECONDS };
	struct history h = { .here = ana_synth_new(4 * TURNS + 10) };
	struct qry *q;

	h.there = ana_synth_beside(h.here, "there");
	h.a = ana_synth_thread(h.here, 1, 0, MDL_NONE);
	h.b = ana_synth_thread(h.there, 2, 0, MDL_NONE);
	ana_synth_state(h.there, h.b, 2, MDL_ST_BLOCKED);
	for (int i = 0; i < TURNS; i++) {
		/* A runs, sends at +1, B gets it at +2, runs, sends at +3, A gets it at +4. */
		int64_t t = 4 * i;

		ana_synth_state(h.here, h.a, t + 1, MDL_ST_RUNNING);
		ana_synth_state(h.here, h.a, t + 4, MDL_ST_BLOCKED);
		ana_synth_state(h.there, h.b, t + 3, MDL_ST_RUNNING);
		ana_synth_state(h.there, h.b, t + 6, MDL_ST_BLOCKED);
		turn(h.here, h.there, false, i, ana_synth_act(h.a, t + 1), ana_synth_act(h.b, t + 2), h.b);
		turn(h.there, h.here, true, i, ana_synth_act(h.b, t + 3), ana_synth_act(h.a, t + 4), h.a);
	}
	ana_synth_state(h.here, h.a, 4 * TURNS + 10, MDL_ST_RUNNING);
	q = ana_synth_open(h.here);
	for (size_t i = 0; i < G_N_ELEMENTS(ahead); i++) {
		struct ana_path *p;

		set_clocks(q, ahead[i]);
		p = ana_path_new(q, h.a, 0, 4 * TURNS + 10, NULL, NULL);
		g_test_message("ahead by %d: %u segments", (int)ahead[i], p->segments->len);
		ana_fixture_check_cover(p);
		if (ahead[i] == 0) /* A, to B, B, to A, each a nanosecond, and A's end */
			g_assert_cmpuint(p->segments->len, ==, 4 * TURNS + 1);
		ana_path_free(p);
	}
	ana_synth_free(h.here);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/path-clocks/softirq", test_softirq);
	g_test_add_func("/path-clocks/ksoftirqd", test_ksoftirqd);
	g_test_add_func("/path-clocks/threads", test_threads);
	g_test_add_func("/path-clocks/polled", test_polled);
	g_test_add_func("/path-clocks/polled-here", test_polled_here);
	g_test_add_func("/path-clocks/sent-within", test_sent_within);
	g_test_add_func("/path-clocks/sent-in-softirq", test_sent_in_softirq);
	g_test_add_func("/path-clocks/sent-by-kernel-threads", test_sent_by_kernel_threads);
	g_test_add_func("/path-clocks/softirqs-missing", test_softirqs_missing);
	g_test_add_func("/path-clocks/sent-too-late", test_sent_too_late);
	g_test_add_func("/path-clocks/sent-too-early", test_sent_too_early);
	g_test_add_func("/path-clocks/no-clock", test_no_clock);
	g_test_add_func("/path-clocks/ping-pong", test_ping_pong);
	return g_test_run();
}
