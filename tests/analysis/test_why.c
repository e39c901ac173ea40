/* SPDX-License-Identifier: MIT */
/* Explanations of waits in real traces.  All times were read by hand in babeltrace2's text of the trace. */
#include "analysis/kind/advice.h"
#include "analysis/causes/causes.h"
#include "analysis/kind/chain.h"
#include "analysis/wait/border.h"
#include "analysis/ana_fixture.h"
#include "analysis/wait/why.h"
#include "model/event/table.h"

#include <string.h>

/* A hop: EVENTS are its events with their times, "irq_softirq_raise 10:05:56.812492430" and so on. */
struct hop {
	const char *label, *text;
	enum mdl_grade grade;
	uint32_t cpu;
	const char *from, *to, *missing;
	const char *events[4];
};

static struct ana_why *why_of(const struct ana_fixture *f, int64_t tid, const char *clock)
{
	struct qry *q = ana_fixture_qry(f);
	uint32_t row = ana_fixture_thread(f, tid);
	struct mdl_wakeup w;

	g_assert_true(qry_wakeup_at(q, row, ana_fixture_at(clock), &w));
	return ana_why_new(q, row, &w);
}

static void check_events(const struct ana_why *why, const struct ana_why_hop *hop, const struct hop *e)
{
	unsigned n = 0;

	for (; n < G_N_ELEMENTS(e->events) && e->events[n]; n++) {
		const struct ana_evidence *evidence = &g_array_index(why->evidence, struct ana_evidence,
			hop->first_evidence + n);
		char **words = g_strsplit(e->events[n], " ", 2);

		g_assert_cmpuint(n, <, hop->n_evidence);
		g_assert_cmpstr(evidence->event, ==, words[0]);
		g_assert_cmpint(evidence->time, ==, ana_fixture_at(words[1]));
		g_strfreev(words);
	}
	g_assert_cmpuint(n, ==, hop->n_evidence);
}

static void check_hops(const struct ana_why *why, const struct hop *expected, guint n)
{
	for (guint i = 0; i < MIN(n, why->hops->len); i++) {
		const struct ana_why_hop *hop = &g_array_index(why->hops, struct ana_why_hop, i);
		const struct hop *e = &expected[i];

		g_test_message("hop %u: %s: %s", i, hop->label, hop->text);
		g_assert_cmpuint(hop->level, ==, i);
		g_assert_cmpstr(hop->label, ==, e->label);
		g_assert_cmpstr(hop->text, ==, e->text);
		g_assert_cmpint(mdl_grade_of(hop->doubts), ==, e->grade);
		g_assert_cmpuint(hop->cpu, ==, e->cpu);
		g_assert_cmpint(hop->from, ==, ana_fixture_at(e->from));
		g_assert_cmpint(hop->to, ==, ana_fixture_at(e->to));
		g_assert_cmpstr(hop->missing, ==, e->missing);
		check_events(why, hop, e);
	}
	g_assert_cmpuint(why->hops->len, ==, n);
}

/*
 * The disk's interrupt occurs on CPU 1; the completion is sent to CPU 0, where the request came from.
 * The trace has no event for the sending of the IPI.
 */
static void test_ipi(void)
{
	static const struct hop expected[] = {
		{ "thread wk-ioburst[957]", "submitted it", MDL_PROVED, 0, "10:05:56.811826160",
			"10:05:56.811826160", NULL, { "block_bio_queue 10:05:56.811826160" } },
		{ "request write vdb 266240 +64.0 KiB",
			"353 µs in the device, 191 µs in the queue (shares inferred)", MDL_PROVED, MDL_NONE,
			"10:05:56.811826160", "10:05:56.812517500", NULL,
			{ "block_rq_insert 10:05:56.811936310", "block_rq_issue 10:05:56.812016930",
				"block_rq_complete 10:05:56.812517500" } },
		{ "IRQ 28 virtio2-req.0", "sent the IPI", MDL_INFERRED, 1, "10:05:56.812369840",
			"10:05:56.812464320", "ipi_send_cpu", { "irq_handler_entry 10:05:56.812369840" } },
		{ "ipi call_function_single", "raised the softirq", MDL_PROVED, 0, "10:05:56.812482440",
			"10:05:56.812492430", NULL,
			{ "x86_irq_vectors_call_function_single_entry 10:05:56.812482440",
				"irq_softirq_raise 10:05:56.812492430" } },
		{ "softirq BLOCK", "completed the request and sent the wake-up", MDL_PROVED, 0,
			"10:05:56.812500600", "10:05:56.812540230", NULL,
			{ "irq_softirq_entry 10:05:56.812500600", "sched_waking 10:05:56.812540230" } },
	};
	ANA_FIXTURE_OR_SKIP(f, "ioburst-ipi");
	struct ana_why *why = why_of(f, 957, "10:05:56.812540230");
	uint32_t row;
	int64_t time;

	check_hops(why, expected, G_N_ELEMENTS(expected));
	g_assert_cmpstr(why->headline, ==,
		"block: write of vdb, 64.0 KiB: 353 µs in the device, 191 µs in the queue, 144 µs in interrupts, "
		"18.1 µs IPI under way to CPU 0, 8.17 µs softirq pending (shares inferred)");
	g_assert_cmpint(why->from, ==, ana_fixture_at("10:05:56.812210470"));
	g_assert_cmpstr(why->source.device, ==, "vdb");
	/* the thread sent the request itself, so the origin of its wake-up is the interrupt line */
	g_assert_true(ana_source_origin(ana_fixture_qry(f), &why->source, &row, &time));
	g_assert_cmpint(qry_row(ana_fixture_qry(f), row)->type, ==, MDL_ROW_IRQ);
	g_assert_cmpint(qry_row(ana_fixture_qry(f), row)->nr, ==, 28);
	g_assert_cmpint(time, ==, ana_fixture_at("10:05:56.812369840"));
	ana_why_free(why);
}

/* net_dev_queue of wk-server, the same buffer in net_if_receive_skb, the wake-up in the same softirq, which
 * wk-server itself raised. */
static void test_packet(void)
{
	ANA_FIXTURE_OR_SKIP(f, "rpc-loopback");
	struct qry *q = ana_fixture_qry(f);
	struct ana_why *why = why_of(f, 595, "10:03:49.002861695");
	const struct ana_why_hop *hop = &g_array_index(why->hops, struct ana_why_hop, 0);
	uint32_t row;
	int64_t time;

	g_assert_cmpint(why->source.kind, ==, ANA_KIND_NETWORK);
	g_assert_cmpint(mdl_grade_of(why->source.doubts), ==, MDL_PROVED);
	g_assert_cmpstr(why->source.device, ==, "lo");
	g_assert_cmpstr(hop->label, ==, "thread wk-server[583]");
	g_assert_cmpstr(hop->text, ==, "sent the packet");
	g_assert_cmpint(hop->from, ==, ana_fixture_at("10:03:49.002352795"));
	hop++;
	g_assert_cmpstr(hop->label, ==, "packet 127.0.0.1:7000 > 127.0.0.1:52816 seq 3767766971");
	g_assert_cmpint(hop->to, ==, ana_fixture_at("10:03:49.002454985"));
	g_assert_true(ana_source_origin(q, &why->source, &row, &time));
	g_assert_cmpuint(row, ==, ana_fixture_thread(f, 583));
	g_assert_cmpint(time, ==, ana_fixture_at("10:03:49.002352795"));
	ana_why_free(why);
}

/* futex(FUTEX_WAKE) of the one ends futex(FUTEX_WAIT) of the other. */
static void test_calls(void)
{
	ANA_FIXTURE_OR_SKIP(f, "lockfight");
	struct ana_why *why = why_of(f, 471, "10:03:14.037947225");

	g_assert_cmpuint(why->hops->len, ==, 1);
	/* babeltrace2: uaddr = 4977504 (0x4bf360) in syscall_entry_futex of both, with op 128 and 129. */
	g_assert_cmpstr(g_array_index(why->hops, struct ana_why_hop, 0).text, ==,
		"released the futex 0x4bf360");
	g_assert_cmpstr(why->waiter_call, ==, "futex");
	g_assert_cmpstr(why->waker_call, ==, "futex");
	ana_why_free(why);
}

/*
 * True if the event at TIME was over before WHY's wait began.  False if the interrupt in which it occurred
 * sent the wake-up, or if the wake-up was sent before the thread fell asleep, and found it sleeping
 * (sched_wakeup after sched_switch).
 */
static bool was_over(const struct ana_why *why, const struct mdl_chain *chain, int64_t time)
{
	const struct mdl_act *last = chain->n > 0 ? &chain->hops[chain->n - 1].act : NULL;

	if (time >= why->from || (last && last->time < why->from))
		return false;
	return !(last && last->context != MDL_NONE && last->entry <= time && last->time == why->to);
}

/*
 * The cause of a wait was not over before it began.  Seen in django: net_if_receive_skb 10:11:54.505078761 on
 * CPU 1, apache2 begins to wait on CPU 0 at …190198, and is woken at …380129 in that same softirq.
 */
static void check_times(const struct ana_why *why, const struct mdl_chain *chain)
{
	const struct mdl_facts *f = &why->cause.facts;

	if (!why->has_cause || why->from == MDL_NEVER || why->from >= why->to)
		return;
	if (f->has & MDL_FACT_REQUEST)
		g_assert_true(!was_over(why, chain, f->request.completed) && f->request.completed <= why->to);
	if (f->has & MDL_FACT_PACKET)
		g_assert_true(!was_over(why, chain, f->packet.time) && f->packet.time <= why->to);
	if ((f->has & MDL_FACT_TIMER) && f->timer.expired)
		g_assert_true(!was_over(why, chain, f->timer.expired_at) && f->timer.expired_at <= why->to);
}

/* Only threads other than the idle one, and interrupts, act. */
static void check_actors(const struct qry *q, const struct ana_why *why)
{
	g_assert_true(why->source.thread == MDL_NONE || qry_row(q, why->source.thread)->nr != 0);
	for (guint i = 0; i < why->hops->len; i++) {
		uint32_t row = g_array_index(why->hops, struct ana_why_hop, i).row;

		g_assert_true(row == MDL_NONE || qry_row(q, row)->type != MDL_ROW_THREAD ||
			qry_row(q, row)->nr != 0);
	}
}

/* While an interrupt is on the CPU of a virtual CPU inside its guest, no thread of the guest is the actor
 * for the virtual CPU. */
static void test_inside_interrupt(void)
{
	ANA_FIXTURE_OR_SKIP(f, "vm-preempt");
	struct qry *q = ana_fixture_qry(f);
	unsigned interrupted = 0, threads = 0;

	for (uint32_t cpu = 0; cpu < qry_row_count(q); cpu++) {
		const struct qry_row *r = qry_row(q, cpu);
		uint32_t vcpu = r->type == MDL_ROW_CPU ? qry_vcpu_of(q, r->host, (uint32_t)r->nr) : MDL_NONE;
		struct mdl_interval iv;

		for (int64_t t = r->first; vcpu != MDL_NONE && qry_kernel_state_at(q, cpu, t, &iv);
			t = iv.to) {
			struct ana_inside in;

			if (!ana_border_inside(q, qry_row(q, vcpu)->parent, iv.to, &in))
				continue;
			if (iv.state == MDL_ST_INTERRUPTED) {
				g_assert_cmpuint(in.guest, ==, MDL_NONE);
				interrupted++;
			}
			threads += in.guest != MDL_NONE;
		}
	}
	g_assert_cmpuint(interrupted, >, 100);
	g_assert_cmpuint(threads, >, 100);
}

/* True if HOST runs a CPU of GUEST. */
static bool is_of_host(struct qry *q, uint32_t guest, uint32_t host)
{
	uint32_t vcpu = qry_vcpu_of(q, guest, 0);

	return vcpu != MDL_NONE && qry_row(q, vcpu)->host == host;
}

/* Every hop of every wait has its words, and lies before the wake-up, except the arrival; a proved hop
 * has its evidence. */
static void test_all(void)
{
	unsigned waits = 0;

	for (char **name = ana_fixture_names(); *name; name++) {
		struct qry *q = ana_fixture_qry(ana_fixture_open(*name));

		for (uint32_t row = 0; row < qry_row_count(q); row++) {
			uint64_t n = qry_row(q, row)->type == MDL_ROW_THREAD
				? MIN(qry_wakeup_count(q, row), 200)
				: 0;
			struct mdl_wakeup w;

			for (uint64_t i = 0; i < n && qry_wakeup_get(q, row, i, &w); i++, waits++) {
				struct ana_why *why = ana_why_new(q, row, &w);
				struct mdl_chain chain;

				g_test_message("%s: %s until %" G_GINT64_FORMAT, *name, qry_row(q, row)->name,
					w.time);
				g_assert_cmpuint(why->hops->len, >, 0);
				for (guint h = 0; h < why->hops->len; h++) {
					const struct ana_why_hop *hop = &g_array_index(why->hops,
						struct ana_why_hop, h);

					g_assert_true(hop->label && *hop->label && hop->text && *hop->text);
					g_assert_true(hop->from == MDL_NEVER || hop->to == MDL_NEVER ||
						hop->from <= hop->to);
					g_assert_true(hop->row == MDL_NONE ||
						qry_row(q, hop->row)->host == hop->host);
					/* only a packet leaves its
					 * sender's host, and an
					 * interrupt that of a guest */
					g_assert_true(hop->host == why->source.host ||
						(h == 0 && (why->cause.facts.has & MDL_FACT_PACKET)) ||
						is_of_host(q, why->source.host, hop->host));
					g_assert_true(
						mdl_grade_of(hop->doubts) != MDL_PROVED || !hop->missing);
				}
				chain = ana_chain_of(q, row, &w, why->has_cause ? &why->cause : NULL);
				check_times(why, &chain);
				check_actors(q, why);
				ana_why_free(why);
			}
		}
	}
	g_assert_cmpuint(waits, >, 500);
}

/* Every event that can be reported as missing has a command to record it. */
static void test_advice(void)
{
	ANA_FIXTURE_OR_SKIP(f, "ioburst-ipi");
	const struct qry *q = ana_fixture_qry(f);
	const struct mdl_coverage nothing = { 0 };
	GPtrArray *missing = mdl_coverage_missing(&nothing);

	for (guint i = 0; i < missing->len; i++) {
		const char *command = ana_advice_command(q, 0, missing->pdata[i]);

		g_test_message("%s", (const char *)missing->pdata[i]);
		g_assert_nonnull(command);
		g_assert_true(g_str_has_prefix(command, "lttng enable-event -k "));
	}
	g_assert_null(ana_advice_command(q, 0, "nothing"));
	g_assert_null(ana_advice_switches(q, 0));
	g_ptr_array_unref(missing);
}

/* Computed in slices or at once, the sums are those of all waits. */
static void test_causes(void)
{
	ANA_FIXTURE_OR_SKIP(f, "ioburst-ipi");
	struct qry *q = ana_fixture_qry(f);
	uint32_t row = ana_fixture_thread(f, 957);
	struct ana_causes *c = ana_causes_new(q, &row, 1, ANA_CAUSES_BY_NAME, INT64_MIN, INT64_MAX);
	GArray *wakeups = qry_wakeups(q, row, INT64_MIN, INT64_MAX);
	const struct ana_causes_entry *first;
	int64_t total = 0, sum = 0;
	guint waits = 0, counted = 0;

	while (ana_causes_work(c, 3))
		;
	for (guint i = 0; i < wakeups->len; i++) {
		const struct mdl_wakeup *w = &g_array_index(wakeups, struct mdl_wakeup, i);

		if (w->since == MDL_NEVER)
			continue;
		total += w->time - w->since;
		waits++;
	}
	for (guint i = 0; i < ana_causes_entries(c)->len; i++) {
		const struct ana_causes_entry *e = &g_array_index(ana_causes_entries(c),
			struct ana_causes_entry, i);

		if (e->kind == ANA_KIND_PREEMPTED || e->kind == ANA_KIND_WAIT_CPU)
			continue;
		sum += e->total;
		counted += e->count;
	}
	g_assert_cmpint(sum, ==, total);
	/* A wait counts once for each that has a part of it: the disk, its interrupt, the thread that kept a
	 * timer waiting. */
	g_assert_cmpuint(counted, >=, waits);
	first = &g_array_index(ana_causes_entries(c), struct ana_causes_entry, 0);
	g_assert_cmpint(first->kind, ==, ANA_KIND_BLOCK);
	g_assert_cmpstr(first->label, ==, "vdb");
	/*
	 * In babeltrace2's text, 41 times a block_rq_complete of vdb comes right before a sched_waking of
	 * 957. In 12 of these, irq_handler_entry came before 957 was switched out, so the disk had no part
	 * in the wait. One more is a wait of 405, for which 957 waits.
	 */
	g_assert_cmpuint(first->count, ==, 30);
	g_assert_cmpuint(first->grades[MDL_PROVED], ==, 30);
	g_array_unref(wakeups);
	ana_causes_free(c);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/why/ipi", test_ipi);
	g_test_add_func("/why/packet", test_packet);
	g_test_add_func("/why/calls", test_calls);
	g_test_add_func("/why/causes", test_causes);
	g_test_add_func("/why/advice", test_advice);
	g_test_add_func("/why/inside-interrupt", test_inside_interrupt);
	g_test_add_func("/why/all", test_all);
	return ana_fixture_run();
}
