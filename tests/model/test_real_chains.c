/* SPDX-License-Identifier: MIT */
/* Chains from origin to wake-up, and requests, in real traces, found by hand in babeltrace2's text of
 * them. */
#include "model/mdl_feed.h"

struct known {
	const char *folder;
	const char *row;
	int64_t time;
	const char *facts; /* NULL: not checked */
	const char *chain;
};

static const struct known waits[] = {
	/* The pattern of the trace: the interrupt is over before the IPI is entered, the IPI before the
	   softirq. */
	{ "ioburst-ipi/kernel", "957", 1795169156819733140,
		"write 266338320 270336+65536 queued 1795169156819379810 inserted 1795169156819403960 issued 1795169156819423230 done 1795169156819726110 by thread 957 1795169156819379810",
		"irq28:virtio2-req.0 1795169156819687610@1? > ipi251:call_function_single 1795169156819716560@0 > softirq4:BLOCK 1795169156819733140@0" },
	/* CPU 0 polled: no IPI. */
	{ "ioburst-ipi/kernel", "957", 1795169156845820550, NULL,
		"irq28:virtio2-req.0 1795169156845791710@1? > softirq4:BLOCK 1795169156845820550@0" },
	/* A commit of the journal: flush, data, flush, done. */
	{ "ioburst-ipi/kernel", "405", 1795169156830089380,
		"write 266338320 524624+4096 queued 1795169156829179110 issued 1795169156829511030 done 1795169156830085610 by thread 405 1795169156829179110 issuer thread 127 1795169156829511030",
		"irq28:virtio2-req.0 1795169156830074510@1 > softirq4:BLOCK 1795169156830089380@1" },
	/* No IPI if the submitting CPU is that of the interrupt. */
	{ "ioburst-direct/kernel", "972", 1795169159994728660,
		"write 266338320 266240+65536 queued 1795169159994108790 inserted 1795169159994225510 issued 1795169159994345840 done 1795169159994711960 by thread 972 1795169159994108790",
		"irq28:virtio2-req.0 1795169159994660630@1 > softirq4:BLOCK 1795169159994728660@1" },
	/* Completed in the hard interrupt; the wake-up crosses CPUs. */
	{ "apt-install/kernel", "160", 1795169166201870565,
		"write 266338304 4465016+4096 queued 1795169166200874695 issued 1795169166201408865 done 1795169166201862975 by thread 160 1795169166200874695 issuer thread 140 1795169166201408865, arrived 1795169166201942255 on 1 in ipi251:call_function_single/1795169166201930195",
		"irq25:virtio1-req.0 1795169166201870565@0" },
	/* The commit that the POST waits for. */
	{ "django/db", "146", 1795169496125329022,
		"write 266338304 4467104+4096 queued 1795169496124629530 issued 1795169496125147266 done 1795169496125324555 by thread 146 1795169496124629530 issuer thread 127 1795169496125147266",
		"irq25:virtio2-req.0 1795169496125329022@0" },
	/* A single CPU gets no IPIs from others: its softirqs raise only its own work. */
	{ "rpc-chain/db", "14", 1795169454675034986, "pending RCU",
		"vector236:local_timer 1795169454674836717@0 > hrtimer-2066316704 1795169454674863606@0 > softirq9:RCU 1795169454675031521@0" },
	/* Woken by the stage on the other CPU, as shown by its migration, by the thread running there, or by
	 * the one that had just left. */
	{ "pipeline-nowaking/kernel", "564", 1795169019620445265, "arrived 1795169019620445265 on 1", "-" },
	{ "pipeline-nowaking/kernel", "561", 1795169019668950985, "arrived 1795169019668950985 on 0", "-" },
	{ "pipeline-nowaking/kernel", "561", 1795169019734613585, "arrived 1795169019734613585 on 0", "-" },
};

static void test_waits(void)
{
	struct mdl_feed *f = NULL;
	unsigned tested = 0;

	for (size_t i = 0; i < G_N_ELEMENTS(waits); i++) {
		const struct known *w = &waits[i];

		if (i == 0 || !g_str_equal(w->folder, w[-1].folder)) {
			g_clear_pointer(&f, mdl_feed_free);
			f = mdl_feed_new_sample(w->folder);
		}
		if (!f)
			continue;
		g_test_message("%s %s %" G_GINT64_FORMAT, w->folder, w->row, w->time);
		mdl_feed_expect_chain_at(f, w->row, w->time, w->chain);
		if (w->facts)
			mdl_feed_expect_facts_at(f, w->row, w->time, w->facts);
		tested++;
	}
	g_clear_pointer(&f, mdl_feed_free);
	g_assert_cmpuint(tested, >=, 6); /* the samples of the project */
}

/* The type and CPU of each step: "irq@1? ipi@0 softirq@0". */
static char *shape_of(const struct mdl_feed *f, const struct mdl_chain *chain)
{
	GString *s = g_string_new(NULL);

	for (unsigned i = 0; i < chain->n; i++) {
		const struct mdl_act *act = &chain->hops[i].act;
		const char *type = act->context == MDL_NONE
			? "thread"
			: mdl_ctx_type_name(mdl_machine_context(mdl_feed_machine(f), act->context)->type);

		g_string_append_printf(s, "%s%s@%u%s", i > 0 ? " " : "", type, act->cpu,
			chain->hops[i].doubts == 0 ? "" : "?");
	}
	return g_string_free(s, FALSE);
}

/*
 * By `grep -A1 block_rq_complete | grep sched_waking.*wk-ioburst` in the text: 41 wake-ups of wk-ioburst come
 * right after a completion, all on CPU 0; 40 after an IPI, 1 in the idle loop (at 56.845820550).
 */
static void test_ioburst(void)
{
	struct mdl_feed *f = mdl_feed_new_sample("ioburst-ipi/kernel");
	unsigned by_ipi = 0, polled = 0;

	for (guint i = 0; i < mdl_feed_wakeup_count(f, "957"); i++) {
		const struct mdl_wakeup *w = mdl_feed_wakeup(f, "957", i);
		const struct mdl_cause *cause = mdl_feed_cause(f, w->cause);
		char *shape;

		if (!cause || !(cause->facts.has & MDL_FACT_REQUEST))
			continue;
		g_assert_cmphex(cause->facts.request.doubts, ==, 0);
		g_assert_cmpuint(cause->facts.request.dev, ==, 266338320);
		g_assert_cmpint(cause->facts.request.queued, >, 0);
		g_assert_cmpint(cause->facts.request.issued, >, cause->facts.request.queued);
		g_assert_cmpint(cause->facts.request.completed, <=, w->time);
		shape = shape_of(f, &cause->chain);
		by_ipi += g_str_equal(shape, "irq@1? ipi@0 softirq@0");
		polled += g_str_equal(shape, "irq@1? softirq@0");
		g_free(shape);
	}
	g_assert_cmpuint(by_ipi, ==, 40);
	g_assert_cmpuint(polled, ==, 1);
	mdl_feed_free(f);
}

/* The number of wake-ups of thread ROW by thread TID. */
static unsigned count_woken_by(const struct mdl_feed *f, const char *row, int64_t tid)
{
	unsigned n = 0;

	for (guint i = 0; i < mdl_feed_wakeup_count(f, row); i++) {
		const struct mdl_wakeup *w = mdl_feed_wakeup(f, row, i);

		if (w->via == MDL_VIA_WAKEUP && w->n_contexts == 0 && w->waker != MDL_NONE)
			n += mdl_feed_row_at(f, w->waker)->nr == tid;
	}
	return n;
}

/*
 * 8 items go from wk-pipe-main (561) through the stages (562 … 565) and back, without any sched_waking. The
 * first one arrives before wk-stage0 has run, so that one waits 7 times.
 */
static void test_nowaking(void)
{
	static const char *const threads[] = { "561", "562", "563", "564", "565" };
	struct mdl_feed *f = mdl_feed_new_sample("pipeline-nowaking/kernel");

	for (size_t i = 0; i < G_N_ELEMENTS(threads); i++) {
		const char *next = threads[(i + 1) % G_N_ELEMENTS(threads)];

		g_test_message("%s wakes %s", threads[i], next);
		g_assert_cmpuint(count_woken_by(f, next, g_ascii_strtoll(threads[i], NULL, 10)), ==,
			i == 0 ? 7 : 8);
	}
	mdl_feed_free(f);
}

static void check_cause(const struct mdl_wakeup *w, const struct mdl_cause *cause)
{
	const struct mdl_request *r = &cause->facts.request;

	for (unsigned i = 0; i < cause->chain.n; i++) {
		const struct mdl_act *act = &cause->chain.hops[i].act,
				     *before = i > 0 ? &cause->chain.hops[i - 1].act : NULL;

		g_assert_cmpint(act->time, <=, w->time);
		g_assert_cmpint(act->entry, <=, act->time);
		if (before) /* a step begins the next one */
			g_assert_cmpint(before->time, <=, act->context != MDL_NONE ? act->entry : act->time);
	}
	if (cause->facts.has & MDL_FACT_REQUEST) {
		g_assert_cmpint(r->completed, <=, w->time);
		g_assert_cmpint(r->issued, <=, r->completed);
		g_assert_true(r->issued == MDL_NEVER || r->queued <= r->issued);
		g_assert_true(r->inserted == MDL_NEVER || r->queued <= r->inserted);
	}
	if (cause->facts.has & MDL_FACT_ARRIVAL)
		g_assert_cmpint(cause->facts.arrival.time, >=,
			cause->chain.n > 0 ? cause->chain.hops[cause->chain.n - 1].act.time : w->since);
	if (cause->lossy)
		for (unsigned i = 0; i < cause->chain.n; i++)
			g_assert_cmphex(cause->chain.hops[i].doubts, !=, 0);
}

/* Times increase along every chain. */
static void test_order(void)
{
	static const char *const names[] = { "ioburst-ipi/kernel", "ioburst-direct/kernel",
		"lost-events/kernel", "pipeline/kernel", "pipeline-nowaking/kernel", "rpc-chain/db",
		"apt-install/kernel", "django/db", "django/httpd", "mpi-busywait/kernel",
		"rpc-loopback/kernel", "vm-preempt/guest" };
	unsigned checked = 0;

	for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
		struct mdl_feed *f = mdl_feed_new_sample(names[i]);

		for (uint32_t row = 0; f && row < mdl_feed_row_count(f); row++) {
			const struct mdl_wakeup *w;

			for (guint j = 0; (w = mdl_feed_wakeup_at(f, row, j)); j++) {
				if (w->cause == 0)
					continue;
				check_cause(w, mdl_feed_cause(f, w->cause));
				checked++;
			}
		}
		g_clear_pointer(&f, mdl_feed_free);
	}
	g_assert_cmpuint(checked, >, 500);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/real-chains/waits", test_waits);
	g_test_add_func("/real-chains/ioburst", test_ioburst);
	g_test_add_func("/real-chains/nowaking", test_nowaking);
	g_test_add_func("/real-chains/order", test_order);
	return g_test_run();
}
