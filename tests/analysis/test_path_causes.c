/* SPDX-License-Identifier: MIT */
/*
 * The segments of a path for waits with known causes, in histories made by hand.  Thread A waits from 20 to 60;
 * thread B and the idle thread run all the time.
 */
#include "analysis/causes/causes.h"
#include "analysis/ana_stretch.h"
#include "analysis/ana_synth.h"

#define NOBODY                                                                               \
	{                                                                                    \
		.time = MDL_NEVER, .entry = MDL_NEVER, .cpu = MDL_NONE, .context = MDL_NONE, \
		.thread = MDL_NONE                                                           \
	}

struct history {
	struct ana_synth *s;
	uint32_t a, b, idle;
};

static struct history begin(void)
{
	struct history h = { .s = ana_synth_new(100) };

	h.a = ana_synth_thread(h.s, 1, 0, MDL_NONE);
	h.b = ana_synth_thread(h.s, 2, 0, MDL_NONE);
	h.idle = ana_synth_thread(h.s, 0, 0, MDL_NONE);
	ana_synth_state(h.s, h.a, 20, MDL_ST_RUNNING);
	ana_synth_state(h.s, h.a, 60, MDL_ST_BLOCKED);
	ana_synth_state(h.s, h.a, 100, MDL_ST_RUNNING);
	ana_synth_state(h.s, h.b, 100, MDL_ST_RUNNING);
	ana_synth_state(h.s, h.idle, 100, MDL_ST_RUNNING);
	return h;
}

/* The wake-up at 60, with CAUSE, comes from softirq SOFTIRQ (NULL: from thread B); the path of A is WANTED. */
static void check(struct history *h, const struct mdl_cause *cause, const char *softirq,
	const struct ana_stretch *wanted, guint n)
{
	struct qry *q;
	struct ana_path *p;

	if (softirq)
		ana_synth_context(h->s, MDL_CTX_SOFTIRQ, 4, softirq);
	ana_synth_cause(h->s, cause);
	ana_synth_wakeup(h->s, h->a, 60, softirq ? h->idle : h->b, MDL_VIA_WAKING);
	q = ana_synth_open(h->s);
	p = ana_path_new(q, h->a, 0, 100, NULL, NULL);
	ana_stretch_check(q, p, wanted, n);
	ana_path_free(p);
	ana_synth_free(h->s);
}

static struct mdl_cause request(int64_t queued, int64_t issued, uint32_t submitter)
{
	struct mdl_cause c = { .facts = { .has = MDL_FACT_REQUEST,
				       .request = { .dev = 8u << 20 | 16,
					       .sector = 2048,
					       .bytes = 4096,
					       .op = MDL_OP_READ,
					       .queued = queued,
					       .inserted = MDL_NEVER,
					       .issued = issued,
					       .completed = 60,
					       .issuer = NOBODY,
					       .begin = queued,
					       .n_steps = 2,
					       .steps = { { .to = issued, .what = MDL_STEP_QUEUE },
						       { .to = 60, .what = MDL_STEP_DEVICE } } } } };

	c.facts.request.submitter = ana_synth_act(submitter, queued);
	return c;
}

/* The journal's thread sent the request, while A waited. */
static void test_request_of_another(void)
{
	static const struct ana_stretch wanted[] = {
		{ 0, 20, "t1", NULL, ANA_SEG_RUNNING, 0 },
		{ 20, 30, "t2", NULL, ANA_SEG_RUNNING, 1 },
		{ 30, 40, "8:16", "in the queue: read of 8:16, 4.0 KiB; wait of t1[1]", ANA_SEG_BLOCK, 0 },
		{ 40, 60, "8:16", "in the device: read of 8:16, 4.0 KiB; wait of t1[1]", ANA_SEG_BLOCK, 0 },
		{ 60, 100, "t1", NULL, ANA_SEG_RUNNING, 0 },
	};
	struct history h = begin();
	struct mdl_cause c = request(30, 40, h.b);

	check(&h, &c, "BLOCK", wanted, G_N_ELEMENTS(wanted));
}

/* A sent the request before it waited: its wait is only the rest. */
static void test_request_of_its_own(void)
{
	static const struct ana_stretch wanted[] = {
		{ 0, 20, "t1", NULL, ANA_SEG_RUNNING, 0 },
		{ 20, 25, "8:16", "in the queue", ANA_SEG_BLOCK, 0 },
		{ 25, 60, "8:16", "in the device", ANA_SEG_BLOCK, 0 },
		{ 60, 100, "t1", NULL, ANA_SEG_RUNNING, 0 },
	};
	struct history h = begin();
	struct mdl_cause c = request(10, 25, h.a);

	check(&h, &c, "BLOCK", wanted, G_N_ELEMENTS(wanted));
}

/* Another thread sent the request before A began to wait: nothing of that thread is on A's path. */
static void test_request_from_before(void)
{
	static const struct ana_stretch wanted[] = {
		{ 0, 20, "t1", NULL, ANA_SEG_RUNNING, 0 },
		{ 20, 60, "8:16", "in the device", ANA_SEG_BLOCK, 0 },
		{ 60, 100, "t1", NULL, ANA_SEG_RUNNING, 0 },
	};
	struct history h = begin();
	struct mdl_cause c = request(5, 20, h.b);

	check(&h, &c, "BLOCK", wanted, G_N_ELEMENTS(wanted));
}

static struct mdl_act context(uint32_t context, uint32_t cpu, int64_t entry, int64_t time)
{
	return (struct mdl_act){ .time = time,
		.entry = entry,
		.cpu = cpu,
		.context = context,
		.thread = MDL_NONE };
}

static struct mdl_cause request_by_ipi(struct history *h)
{
	struct mdl_cause c = request(10, 12, h->a);

	c.chain.n = 3;
	c.chain.hops[1].act = context(ana_synth_context_id(h->s, MDL_CTX_IPI, 251, "call"), 0, 50, 51);
	c.chain.hops[0].act = context(ana_synth_context_id(h->s, MDL_CTX_IRQ, 28, "disk"), 1, 30, 33);
	c.chain.hops[2].act = context(ana_synth_context_id(h->s, MDL_CTX_SOFTIRQ, 4, "BLOCK"), 0, 53, 60);
	return c;
}

/* The disk's interrupt on one CPU, an IPI to another, its softirq: each has its own time, and the device
 * has the rest. */
static void test_request_by_ipi(void)
{
	static const struct ana_stretch wanted[] = {
		{ 0, 20, "t1", NULL, ANA_SEG_RUNNING, 0 },
		{ 20, 30, "8:16", "in the device: read of 8:16", ANA_SEG_BLOCK, 0 },
		{ 30, 33, "IRQ 28 disk", "in interrupts", ANA_SEG_IRQ, 0 },
		{ 33, 50, "ipi call", "IPI under way", ANA_SEG_IPI, 0 },
		{ 50, 51, "ipi call", "in interrupts", ANA_SEG_IRQ, 0 },
		{ 51, 53, "softirq BLOCK", "softirq pending", ANA_SEG_IRQ, 0 },
		{ 53, 60, "softirq BLOCK", "in interrupts", ANA_SEG_IRQ, 0 },
		{ 60, 100, "t1", NULL, ANA_SEG_RUNNING, 0 },
	};
	struct history h = begin();
	struct mdl_cause c = request_by_ipi(&h);

	check(&h, &c, NULL, wanted, G_N_ELEMENTS(wanted));
}

/* The causes of that wait from 25 on: device, interrupt, IPI and softirq have their own times, the way of the
 * IPI counted with its handler; they sum to the wait. */
static void test_sum_by_ipi(void)
{
	static const struct {
		enum ana_kind kind;
		const char *name;
		int64_t total;
	} wanted[] = {
		{ ANA_KIND_IPI, "ipi call", 18 },
		{ ANA_KIND_SOFTIRQ, "softirq BLOCK", 9 },
		{ ANA_KIND_BLOCK, "8:16", 5 },
		{ ANA_KIND_IRQ, "IRQ 28 disk", 3 },
	};
	struct history h = begin();
	struct mdl_cause c = request_by_ipi(&h);
	const struct ana_causes_entry *e;
	struct ana_causes *causes;
	const GArray *entries;

	ana_synth_cause(h.s, &c);
	ana_synth_since(h.s, 20);
	ana_synth_wakeup(h.s, h.a, 60, h.b, MDL_VIA_WAKING);
	causes = ana_causes_new(ana_synth_open(h.s), &h.a, 1, ANA_CAUSES_BY_NAME, 25, 100);
	g_assert_false(ana_causes_work(causes, 10));
	entries = ana_causes_entries(causes);
	g_assert_cmpuint(entries->len, ==, G_N_ELEMENTS(wanted));
	for (guint i = 0; i < entries->len; i++) {
		e = &g_array_index(entries, struct ana_causes_entry, i);
		g_assert_cmpstr(e->name, ==, wanted[i].name);
		g_assert_cmpint(e->kind, ==, wanted[i].kind);
		g_assert_cmpint(e->total, ==, wanted[i].total);
		g_assert_cmpuint(e->count, ==, 1);
	}
	ana_causes_free(causes);
	ana_synth_free(h.s);
}

/* Work before the request itself: flushes of the device's cache, and a requeue. */
static void test_request_with_flushes(void)
{
	static const struct ana_stretch wanted[] = {
		{ 0, 20, "t1", NULL, ANA_SEG_RUNNING, 0 },
		{ 20, 22, "8:16", "in the queue", ANA_SEG_BLOCK, 0 },
		{ 22, 35, "8:16", "in the flush before", ANA_SEG_FLUSH, 0 },
		{ 35, 36, "8:16", "requeued by the driver", ANA_SEG_BLOCK, 0 },
		{ 36, 40, "8:16", "in the device", ANA_SEG_BLOCK, 0 },
		{ 40, 57, "8:16", "in the flush after", ANA_SEG_FLUSH, 0 },
		{ 57, 60, "IRQ 28 disk", "in interrupts", ANA_SEG_IRQ, 0 },
		{ 60, 100, "t1", NULL, ANA_SEG_RUNNING, 0 },
	};
	struct history h = begin();
	struct mdl_cause c = request(10, 36, h.a);
	const struct mdl_step steps[] = {
		{ .to = 22, .what = MDL_STEP_QUEUE },
		{ .to = 35, .what = MDL_STEP_FLUSH_BEFORE },
		{ .to = 36, .what = MDL_STEP_REQUEUE },
		{ .to = 40, .what = MDL_STEP_DEVICE },
		{ .to = 60, .what = MDL_STEP_FLUSH_AFTER },
	};

	memcpy(c.facts.request.steps, steps, sizeof steps);
	c.facts.request.n_steps = G_N_ELEMENTS(steps);
	c.chain.n = 1;
	c.chain.hops[0].act = context(ana_synth_context_id(h.s, MDL_CTX_IRQ, 28, "disk"), 1, 57, 60);
	check(&h, &c, NULL, wanted, G_N_ELEMENTS(wanted));
}

/* A thread of the interrupt line had to run before A could be woken: the path goes through it, and back
 * to the device. */
static void test_request_by_thread(void)
{
	static const struct ana_stretch wanted[] = {
		{ 0, 20, "t1", NULL, ANA_SEG_RUNNING, 0 },
		{ 20, 25, "8:16", "in the queue", ANA_SEG_BLOCK, 0 },
		{ 25, 30, "8:16", "in the device", ANA_SEG_BLOCK, 0 },
		{ 30, 33, "IRQ 28 disk", "in interrupts", ANA_SEG_IRQ, 0 },
		{ 33, 45, "t3", NULL, ANA_SEG_WAIT_CPU, 1 },
		{ 45, 60, "t3", NULL, ANA_SEG_RUNNING, 1 },
		{ 60, 100, "t1", NULL, ANA_SEG_RUNNING, 0 },
	};
	struct history h = begin();
	struct mdl_cause c = request(10, 25, h.a);
	uint32_t thread = ana_synth_thread(h.s, 3, 0, MDL_NONE);

	ana_synth_state(h.s, thread, 33, MDL_ST_BLOCKED);
	ana_synth_state(h.s, thread, 45, MDL_ST_WAIT_CPU);
	ana_synth_state(h.s, thread, 100, MDL_ST_RUNNING);
	c.chain.n = 2;
	c.chain.hops[0].act = context(ana_synth_context_id(h.s, MDL_CTX_IRQ, 28, "disk"), 1, 30, 33);
	c.chain.hops[1].act = ana_synth_act(thread, 60);
	check(&h, &c, NULL, wanted, G_N_ELEMENTS(wanted));
}

static struct mdl_cause packet(uint32_t sender, int64_t sent)
{
	struct mdl_cause c = { .facts = { .has = MDL_FACT_PACKET,
				       .packet = { .packet.length = 52, .time = 58 } } };

	c.facts.packet.sender = ana_synth_act(sender, sent);
	return c;
}

static void test_packet(void)
{
	static const struct ana_stretch wanted[] = {
		{ 0, 20, "t1", NULL, ANA_SEG_RUNNING, 0 },
		{ 20, 50, "t2", NULL, ANA_SEG_RUNNING, 1 },
		{ 50, 60, "NET_RX", "52 bytes, from t2[2]; wait of t1[1]", ANA_SEG_NETWORK, 0 },
		{ 60, 100, "t1", NULL, ANA_SEG_RUNNING, 0 },
	};
	struct history h = begin();
	struct mdl_cause c = packet(h.b, 50);

	check(&h, &c, "NET_RX", wanted, G_N_ELEMENTS(wanted));
}

/* A packet on its way before A waited, and one that the idle thread's softirq sent: the path follows no
 * thread. */
static void test_packet_of_nobody(void)
{
	static const struct ana_stretch wanted[] = {
		{ 0, 20, "t1", NULL, ANA_SEG_RUNNING, 0 },
		{ 20, 60, "NET_RX", NULL, ANA_SEG_NETWORK, 0 },
		{ 60, 100, "t1", NULL, ANA_SEG_RUNNING, 0 },
	};
	struct history h = begin();
	struct mdl_cause c = packet(h.b, 15);

	check(&h, &c, "NET_RX", wanted, G_N_ELEMENTS(wanted));
	h = begin();
	c = packet(h.idle, 50);
	check(&h, &c, "NET_RX", wanted, G_N_ELEMENTS(wanted));
}

/* B raised the softirq that woke A. */
static void test_raised(void)
{
	static const struct ana_stretch wanted[] = {
		{ 0, 20, "t1", NULL, ANA_SEG_RUNNING, 0 },
		{ 20, 45, "t2", NULL, ANA_SEG_RUNNING, 1 },
		{ 45, 50, "softirq TASKLET", "softirq pending; wait of t1[1]", ANA_SEG_IRQ, 0 },
		{ 50, 60, "softirq TASKLET", "in interrupts; wait of t1[1]", ANA_SEG_IRQ, 0 },
		{ 60, 100, "t1", NULL, ANA_SEG_RUNNING, 0 },
	};
	struct history h = begin();
	struct mdl_cause c = { .chain = { .n = 2 } };

	c.chain.hops[0].act = ana_synth_act(h.b, 45);
	c.chain.hops[1].act =
		(struct mdl_act){ .time = 60, .entry = 50, .cpu = 0, .context = 0, .thread = h.idle };
	check(&h, &c, "TASKLET", wanted, G_N_ELEMENTS(wanted));
}

/* A timer that B armed for A. */
static void test_armed(void)
{
	static const struct ana_stretch wanted[] = {
		{ 0, 20, "t1", NULL, ANA_SEG_RUNNING, 0 },
		{ 20, 35, "t2", NULL, ANA_SEG_RUNNING, 1 },
		{ 35, 60, "TIMER", "expired 24 ns after thread t2[2] armed it", ANA_SEG_TIMER, 0 },
		{ 60, 100, "t1", NULL, ANA_SEG_RUNNING, 0 },
	};
	struct history h = begin();
	struct mdl_cause c = {
		.facts = { .has = MDL_FACT_TIMER,
			.timer = { .function = 1, .expired = true, .expired_at = 59, .due = MDL_NEVER } }
	};

	c.facts.timer.armed = ana_synth_act(h.b, 35);
	check(&h, &c, "TIMER", wanted, G_N_ELEMENTS(wanted));
}

/* The timer of B, due at DUE and expired at 57: the part of the lateness within the wait is on the path. */
static void check_late(int64_t due, const struct ana_stretch *wanted, guint n)
{
	struct history h = begin();
	struct mdl_cause c = {
		.facts = { .has = MDL_FACT_TIMER,
			.timer = { .function = 1, .expired = true, .expired_at = 57, .due = due } }
	};

	c.facts.timer.armed = ana_synth_act(h.b, 35);
	check(&h, &c, "TIMER", wanted, n);
}

static void test_late(void)
{
	static const struct ana_stretch late[] = {
		{ 0, 20, "t1", NULL, ANA_SEG_RUNNING, 0 },
		{ 20, 35, "t2", NULL, ANA_SEG_RUNNING, 1 },
		{ 35, 50, "TIMER", "expired 22 ns after thread t2[2] armed it, 7 ns late", ANA_SEG_TIMER, 0 },
		{ 50, 57, "TIMER", "late: the idle CPU 0 7 ns", ANA_SEG_TIMER_LATE, 0 },
		{ 57, 60, "TIMER", "expired 22 ns after thread t2[2] armed it, 7 ns late", ANA_SEG_TIMER, 0 },
		{ 60, 100, "t1", NULL, ANA_SEG_RUNNING, 0 },
	};
	static const struct ana_stretch in_time[] = {
		{ 0, 20, "t1", NULL, ANA_SEG_RUNNING, 0 },
		{ 20, 35, "t2", NULL, ANA_SEG_RUNNING, 1 },
		{ 35, 60, "TIMER", "expired 22 ns after thread t2[2] armed it", ANA_SEG_TIMER, 0 },
		{ 60, 100, "t1", NULL, ANA_SEG_RUNNING, 0 },
	};

	check_late(50, late, G_N_ELEMENTS(late));
	check_late(57, in_time, G_N_ELEMENTS(in_time));
	check_late(58, in_time, G_N_ELEMENTS(in_time)); /* within its slack */
}

/* B queued work for the worker A; a request that completed before is no cause of A's wait. */
static void test_queued(void)
{
	static const struct ana_stretch wanted[] = {
		{ 0, 20, "t1", NULL, ANA_SEG_RUNNING, 0 },
		{ 20, 60, "t2", NULL, ANA_SEG_RUNNING, 1 },
		{ 60, 100, "t1", NULL, ANA_SEG_RUNNING, 0 },
	};
	struct history h = begin();
	struct mdl_cause c = request(30, 40, h.idle);

	c.facts.has |= MDL_FACT_WORK;
	c.facts.work = (struct mdl_work){ .function = 1,
		.started = MDL_NEVER,
		.queued = ana_synth_act(h.b, 59) };
	check(&h, &c, NULL, wanted, G_N_ELEMENTS(wanted));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/path-causes/request/of-another", test_request_of_another);
	g_test_add_func("/path-causes/request/of-its-own", test_request_of_its_own);
	g_test_add_func("/path-causes/request/from-before", test_request_from_before);
	g_test_add_func("/path-causes/request/by-ipi", test_request_by_ipi);
	g_test_add_func("/path-causes/request/sum-by-ipi", test_sum_by_ipi);
	g_test_add_func("/path-causes/request/with-flushes", test_request_with_flushes);
	g_test_add_func("/path-causes/request/by-thread", test_request_by_thread);
	g_test_add_func("/path-causes/packet", test_packet);
	g_test_add_func("/path-causes/packet/of-nobody", test_packet_of_nobody);
	g_test_add_func("/path-causes/raised", test_raised);
	g_test_add_func("/path-causes/armed", test_armed);
	g_test_add_func("/path-causes/late", test_late);
	g_test_add_func("/path-causes/queued", test_queued);
	return g_test_run();
}
