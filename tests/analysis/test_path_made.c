/* SPDX-License-Identifier: MIT */
/* Paths and causes in histories made by hand: cases that recorded traces do not have, and those of broken
 * traces. */
#include "analysis/ana_fixture.h"
#include "analysis/ana_synth.h"
#include "base/base_time.h"

#include <string.h>

/* A path as text: "0-10 t1 running 0 | …": from, to, actor, kind, depth. */
static char *path_text(struct qry *q, uint32_t row, int64_t from, int64_t to)
{
	GError *error = NULL;
	struct ana_path *p = ana_path_new(q, row, from, to, NULL, &error);
	GString *text = g_string_new(NULL);

	g_assert_no_error(error);
	for (guint i = 0; i < p->segments->len; i++) {
		const struct ana_segment *s = ana_fixture_segment(p, i);

		g_string_append_printf(text, "%s%d-%d %s %s %u", i ? " | " : "", (int)s->from, (int)s->to,
			ana_fixture_actor(p, s)->name, ana_segment_kind_name(s->kind), s->depth);
	}
	ana_path_free(p);
	return g_string_free(text, FALSE);
}

static void check_path(struct qry *q, uint32_t row, int64_t from, int64_t to, const char *expected)
{
	char *text = path_text(q, row, from, to);

	g_assert_cmpstr(text, ==, expected);
	g_free(text);
}

/* Three threads, each woken by the next; the third has no known waker. */
static void test_chain(void)
{
	struct ana_synth *s = ana_synth_new(100);
	uint32_t a = ana_synth_thread(s, 1, 0, MDL_NONE), b = ana_synth_thread(s, 2, 0, MDL_NONE),
		 c = ana_synth_thread(s, 3, 0, MDL_NONE);
	struct qry *q;

	ana_synth_state(s, a, 10, MDL_ST_RUNNING);
	ana_synth_state(s, a, 60, MDL_ST_BLOCKED);
	ana_synth_state(s, a, 100, MDL_ST_RUNNING);
	ana_synth_wakeup(s, a, 60, b, MDL_VIA_WAKING);
	ana_synth_state(s, b, 20, MDL_ST_RUNNING);
	ana_synth_state(s, b, 40, MDL_ST_BLOCKED);
	ana_synth_state(s, b, 100, MDL_ST_RUNNING);
	ana_synth_wakeup(s, b, 40, c, MDL_VIA_WAKING);
	ana_synth_state(s, c, 5, MDL_ST_RUNNING);
	ana_synth_state(s, c, 25, MDL_ST_BLOCKED);
	ana_synth_state(s, c, 100, MDL_ST_RUNNING);
	q = ana_synth_open(s);

	check_path(q, a, 0, 100,
		"0-10 t1 running 0 | 10-20 t2 running 1 | 20-25 t3 blocked 2 | 25-40 t3 running 2 | 40-60 t2 running 1 | 60-100 t1 running 0");
	/* windows that begin and end within the waits show parts of that path */
	check_path(q, a, 15, 50,
		"15-20 t2 running 1 | 20-25 t3 blocked 2 | 25-40 t3 running 2 | 40-50 t2 running 1");
	check_path(q, a, 22, 30, "22-25 t3 blocked 2 | 25-30 t3 running 2");
	check_path(q, a, 60, 61, "60-61 t1 running 0");
	/* the window ends exactly with the wait */
	check_path(q, a, 50, 60, "50-60 t2 running 1");
	ana_synth_free(s);
}

/* Two threads wake each other at the same instant: one wake-up is wrong, and the walk must still end. */
static void test_cycle(void)
{
	struct ana_synth *s = ana_synth_new(100);
	uint32_t a = ana_synth_thread(s, 1, 0, MDL_NONE), b = ana_synth_thread(s, 2, 0, MDL_NONE),
		 c = ana_synth_thread(s, 3, 0, MDL_NONE);
	uint32_t d = ana_synth_thread(s, 4, 50, 0);
	struct qry *q;
	char *text;

	for (uint32_t row = a; row <= c; row++) {
		ana_synth_state(s, row, 10, MDL_ST_RUNNING);
		ana_synth_state(s, row, 60, MDL_ST_BLOCKED);
		ana_synth_state(s, row, 100, MDL_ST_RUNNING);
	}
	ana_synth_wakeup(s, a, 60, b, MDL_VIA_WAKING);
	ana_synth_wakeup(s, b, 60, a, MDL_VIA_WAKING);
	ana_synth_wakeup(s, c, 60, c, MDL_VIA_WAKING);
	ana_synth_state(s, d, 100, MDL_ST_RUNNING);
	q = ana_synth_open(s);

	text = path_text(q, a, 0, 100);
	g_assert_true(g_str_has_prefix(text, "0-10 t1 running 0 | 10-60 t"));
	g_assert_nonnull(strstr(text, " blocked "));
	g_free(text);
	text = path_text(q, c, 0, 100);
	g_assert_true(g_str_has_prefix(text, "0-10 t3 running 0 | 10-60 t3 blocked "));
	g_free(text);
	/* the creator is not a thread: before its creation the thread did not exist */
	check_path(q, d, 0, 100, "50-100 t4 running 0");
	ana_synth_free(s);
}

/* A waker that was itself asleep at that instant: the walk does not follow its wait, and counts no time
 * twice. */
static void test_sleeping_waker(void)
{
	struct ana_synth *s = ana_synth_new(100);
	uint32_t a = ana_synth_thread(s, 1, 0, MDL_NONE), b = ana_synth_thread(s, 2, 0, MDL_NONE);
	struct qry *q;

	ana_synth_state(s, a, 10, MDL_ST_RUNNING);
	ana_synth_state(s, a, 60, MDL_ST_BLOCKED);
	ana_synth_state(s, a, 100, MDL_ST_RUNNING);
	ana_synth_wakeup(s, a, 60, b, MDL_VIA_WAKING);
	ana_synth_state(s, b, 50, MDL_ST_RUNNING);
	ana_synth_state(s, b, 80, MDL_ST_BLOCKED);
	ana_synth_state(s, b, 100, MDL_ST_RUNNING);
	ana_synth_wakeup(s, b, 80, a, MDL_VIA_WAKING);
	q = ana_synth_open(s);
	check_path(q, a, 0, 100,
		"0-10 t1 running 0 | 10-50 t2 running 1 | 50-60 t2 blocked 1 | 60-100 t1 running 0");
	ana_synth_free(s);
}

/* The idle thread wakes no thread, and the second has no known waker. */
static void test_unresolved(void)
{
	struct ana_synth *s = ana_synth_new(100);
	uint32_t idle = ana_synth_thread(s, 0, 0, MDL_NONE), a = ana_synth_thread(s, 1, 0, MDL_NONE),
		 b = ana_synth_thread(s, 2, 0, MDL_NONE);
	uint32_t c = ana_synth_thread(s, 3, 30, idle);
	struct qry *q;

	ana_synth_state(s, idle, 100, MDL_ST_RUNNING);
	ana_synth_state(s, a, 60, MDL_ST_BLOCKED);
	ana_synth_state(s, a, 100, MDL_ST_RUNNING);
	ana_synth_wakeup(s, a, 60, idle, MDL_VIA_WAKING);
	ana_synth_state(s, b, 60, MDL_ST_BLOCKED);
	ana_synth_state(s, b, 100, MDL_ST_RUNNING);
	ana_synth_state(s, c, 100, MDL_ST_RUNNING);
	q = ana_synth_open(s);
	check_path(q, a, 0, 100, "0-60 t1 blocked 0 | 60-100 t1 running 0");
	check_path(q, b, 0, 100, "0-60 t2 blocked 0 | 60-100 t2 running 0");
	check_path(q, c, 0, 100, "30-100 t3 running 0"); /* the idle thread created it */
	ana_synth_free(s);
}

/* A chain of waits, each within the one before: 2000 deep, in and out again. */
static void test_deep(void)
{
	const int n = 2000, end = 20 * n;
	struct ana_synth *s = ana_synth_new(end);
	uint32_t row[2001];
	struct ana_path *p;
	struct qry *q;

	for (int i = 0; i <= n; i++)
		row[i] = ana_synth_thread(s, i + 1, 0, MDL_NONE);
	for (int i = 0; i < n; i++) {
		ana_synth_state(s, row[i], i + 1, MDL_ST_RUNNING);
		ana_synth_state(s, row[i], end - i - 1, MDL_ST_BLOCKED);
		ana_synth_state(s, row[i], end, MDL_ST_RUNNING);
		ana_synth_wakeup(s, row[i], end - i - 1, row[i + 1], MDL_VIA_WAKING);
	}
	ana_synth_state(s, row[n], end, MDL_ST_RUNNING);
	q = ana_synth_open(s);
	p = ana_path_new(q, row[0], 0, end, NULL, NULL);
	g_assert_cmpuint(p->segments->len, ==, 2 * n + 1);
	g_assert_cmpuint(p->links->len, ==, n);
	for (int i = 0; i <= 2 * n; i++) {
		const struct ana_segment *seg = ana_fixture_segment(p, i);

		g_assert_cmpuint(seg->depth, ==, i <= n ? i : 2 * n - i);
		g_assert_cmpuint(ana_fixture_actor(p, seg)->row, ==, row[seg->depth]);
		g_assert_cmpint(seg->kind, ==, ANA_SEG_RUNNING);
	}
	ana_path_free(p);
	ana_synth_free(s);
}

/* Two threads that wait for each other by turns: the chain stays two deep whatever its length. */
static void test_turns(void)
{
	const int turns = 20000;
	struct ana_synth *s = ana_synth_new(10 * turns);
	uint32_t player[2] = { ana_synth_thread(s, 1, 0, MDL_NONE), ana_synth_thread(s, 2, 0, MDL_NONE) };
	struct ana_path *p;
	struct qry *q;

	for (int i = 0; i < turns; i++) {
		uint32_t runs = player[i % 2], waits = player[(i + 1) % 2];

		ana_synth_state(s, runs, 10 * (i + 1), MDL_ST_RUNNING);
		ana_synth_state(s, waits, 10 * (i + 1), MDL_ST_BLOCKED);
		ana_synth_wakeup(s, waits, 10 * (i + 1), runs, MDL_VIA_WAKING);
	}
	q = ana_synth_open(s);
	p = ana_path_new(q, player[1], 0, 10 * turns, NULL, NULL);
	g_assert_cmpuint(p->segments->len, ==, turns);
	g_assert_cmpuint(p->links->len, ==, turns / 2);
	for (int i = 0; i < turns; i++) {
		const struct ana_segment *seg = ana_fixture_segment(p, i);

		g_assert_cmpint(seg->from, ==, 10 * i);
		g_assert_cmpuint(ana_fixture_actor(p, seg)->row, ==, player[i % 2]);
		g_assert_cmpuint(seg->depth, ==, i % 2 ? 0 : 1);
	}
	ana_path_free(p);
	ana_synth_free(s);
}

/* ---- causes by context ---- */

struct cause {
	struct {
		enum mdl_ctx_type type;
		const char *name;
	} contexts[3]; /* outermost first */
	enum ana_kind kind;
	enum mdl_grade grade;
	const char *device;
	enum ana_segment_kind segment;
};

static const struct cause causes[] = {
	{ { { MDL_CTX_SOFTIRQ, "BLOCK" } }, ANA_KIND_BLOCK, MDL_PROVED, NULL, ANA_SEG_BLOCK },
	{ { { MDL_CTX_SOFTIRQ, "NET_RX" } }, ANA_KIND_NETWORK, MDL_PROVED, NULL, ANA_SEG_NETWORK },
	{ { { MDL_CTX_SOFTIRQ, "NET_TX" } }, ANA_KIND_NETWORK, MDL_PROVED, NULL, ANA_SEG_NETWORK },
	{ { { MDL_CTX_SOFTIRQ, "TIMER" } }, ANA_KIND_TIMER, MDL_PROVED, NULL, ANA_SEG_TIMER },
	{ { { MDL_CTX_SOFTIRQ, "HRTIMER" } }, ANA_KIND_TIMER, MDL_PROVED, NULL, ANA_SEG_TIMER },
	{ { { MDL_CTX_SOFTIRQ, "TASKLET" } }, ANA_KIND_SOFTIRQ, MDL_PROVED, NULL, ANA_SEG_IRQ },
	{ { { MDL_CTX_SOFTIRQ, "" } }, ANA_KIND_SOFTIRQ, MDL_PROVED, NULL, ANA_SEG_IRQ },
	/* an hrtimer without a fact is the tick; the vector may be */
	{ { { MDL_CTX_HRTIMER, "" } }, ANA_KIND_IRQ, MDL_PROVED, NULL, ANA_SEG_IRQ },
	{ { { MDL_CTX_VECTOR, "local_timer" } }, ANA_KIND_TIMER, MDL_INFERRED, NULL, ANA_SEG_TIMER },
	{ { { MDL_CTX_VECTOR, "thermal_apic" } }, ANA_KIND_IRQ, MDL_PROVED, NULL, ANA_SEG_IRQ },
	{ { { MDL_CTX_IPI, "call_function_single" } }, ANA_KIND_IPI, MDL_PROVED, NULL, ANA_SEG_IPI },
	{ { { MDL_CTX_IPI, "reschedule" } }, ANA_KIND_IPI, MDL_PROVED, NULL, ANA_SEG_IPI },
	{ { { MDL_CTX_IPI, "Rescheduling interrupts" } }, ANA_KIND_IPI, MDL_PROVED, NULL, ANA_SEG_IPI },
	{ { { MDL_CTX_IPI, "Timer broadcast interrupts" } }, ANA_KIND_TIMER, MDL_INFERRED, NULL,
		ANA_SEG_TIMER },
	{ { { MDL_CTX_IRQ, "virtio2-req.0" } }, ANA_KIND_BLOCK, MDL_INFERRED, "virtio2-req.0",
		ANA_SEG_BLOCK },
	{ { { MDL_CTX_IRQ, "nvme0q3" } }, ANA_KIND_BLOCK, MDL_INFERRED, "nvme0q3", ANA_SEG_BLOCK },
	{ { { MDL_CTX_IRQ, "ahci[0000:00:1f.2]" } }, ANA_KIND_BLOCK, MDL_INFERRED, "ahci[0000:00:1f.2]",
		ANA_SEG_BLOCK },
	{ { { MDL_CTX_IRQ, "ata_piix" } }, ANA_KIND_BLOCK, MDL_INFERRED, "ata_piix", ANA_SEG_BLOCK },
	{ { { MDL_CTX_IRQ, "mmc0" } }, ANA_KIND_BLOCK, MDL_INFERRED, "mmc0", ANA_SEG_BLOCK },
	{ { { MDL_CTX_IRQ, "virtio0-input.0" } }, ANA_KIND_NETWORK, MDL_INFERRED, "virtio0-input.0",
		ANA_SEG_NETWORK },
	{ { { MDL_CTX_IRQ, "virtio0-output.0" } }, ANA_KIND_NETWORK, MDL_INFERRED, "virtio0-output.0",
		ANA_SEG_NETWORK },
	{ { { MDL_CTX_IRQ, "eth0-TxRx-1" } }, ANA_KIND_NETWORK, MDL_INFERRED, "eth0-TxRx-1",
		ANA_SEG_NETWORK },
	{ { { MDL_CTX_IRQ, "enp3s0f1" } }, ANA_KIND_NETWORK, MDL_INFERRED, "enp3s0f1", ANA_SEG_NETWORK },
	{ { { MDL_CTX_IRQ, "i8042" } }, ANA_KIND_USER_INPUT, MDL_INFERRED, "i8042", ANA_SEG_USER_INPUT },
	{ { { MDL_CTX_IRQ, "ttyS0" } }, ANA_KIND_USER_INPUT, MDL_INFERRED, "ttyS0", ANA_SEG_USER_INPUT },
	{ { { MDL_CTX_IRQ, "xhci_hcd" } }, ANA_KIND_USER_INPUT, MDL_INFERRED, "xhci_hcd",
		ANA_SEG_USER_INPUT },
	{ { { MDL_CTX_IRQ, "ehci_hcd:usb1" } }, ANA_KIND_USER_INPUT, MDL_INFERRED, "ehci_hcd:usb1",
		ANA_SEG_USER_INPUT },
	{ { { MDL_CTX_IRQ, "acpi" } }, ANA_KIND_IRQ, MDL_PROVED, "acpi", ANA_SEG_IRQ },
	{ { { MDL_CTX_IRQ, "" } }, ANA_KIND_IRQ, MDL_PROVED, NULL, ANA_SEG_IRQ },
	/* a softirq at the end of its interrupt: the softirq gives the kind, the interrupt the device */
	{ { { MDL_CTX_IRQ, "eth0" }, { MDL_CTX_SOFTIRQ, "NET_RX" } }, ANA_KIND_NETWORK, MDL_PROVED, "eth0",
		ANA_SEG_NETWORK },
	/* a context that was interrupted by chance is no evidence */
	{ { { MDL_CTX_SOFTIRQ, "NET_RX" }, { MDL_CTX_VECTOR, "local_timer" }, { MDL_CTX_HRTIMER, "" } },
		ANA_KIND_IRQ, MDL_PROVED, NULL, ANA_SEG_IRQ },
	{ { { MDL_CTX_SOFTIRQ, "BLOCK" }, { MDL_CTX_IPI, "reschedule" } }, ANA_KIND_IPI, MDL_PROVED, NULL,
		ANA_SEG_IPI },
	{ { { MDL_CTX_SOFTIRQ, "RCU" }, { MDL_CTX_IRQ, "nvme0q1" } }, ANA_KIND_BLOCK, MDL_INFERRED, "nvme0q1",
		ANA_SEG_BLOCK },
};

static void check_cause(const struct cause *c)
{
	struct ana_synth *s = ana_synth_new(100);
	uint32_t a = ana_synth_thread(s, 1, 0, MDL_NONE), bystander = ana_synth_thread(s, 2, 0, MDL_NONE);
	struct ana_source source;
	struct mdl_wakeup w;
	struct ana_path *p;
	struct qry *q;

	ana_synth_state(s, a, 60, MDL_ST_BLOCKED);
	ana_synth_state(s, a, 100, MDL_ST_RUNNING);
	ana_synth_state(s, bystander, 100, MDL_ST_RUNNING);
	for (size_t i = 0; i < G_N_ELEMENTS(c->contexts) && c->contexts[i].name; i++)
		ana_synth_context(s, c->contexts[i].type, 1, c->contexts[i].name);
	ana_synth_wakeup(s, a, 60, bystander, MDL_VIA_WAKING);
	q = ana_synth_open(s);

	g_assert_true(qry_wakeup_at(q, a, 60, &w));
	source = ana_source_of(q, a, &w);
	g_assert_cmpstr(ana_kind_name(source.kind), ==, ana_kind_name(c->kind));
	g_assert_cmpint(mdl_grade_of(source.doubts), ==, c->grade);
	g_assert_cmpstr(source.device, ==, c->device);
	g_assert_cmpuint(source.thread, ==, MDL_NONE);
	g_assert_cmpuint(source.interrupted, ==, bystander);

	p = ana_path_new(q, a, 0, 100, NULL, NULL);
	g_assert_cmpuint(p->segments->len, ==, 2);
	g_assert_cmpstr(ana_segment_kind_name(ana_fixture_segment(p, 0)->kind), ==,
		ana_segment_kind_name(c->segment));
	g_assert_cmpint(ana_fixture_actor(p, ana_fixture_segment(p, 0))->type, !=, ANA_ACTOR_THREAD);
	g_assert_cmpuint(p->links->len, ==, 1);
	g_assert_cmpint(g_array_index(p->links, struct ana_link, 0).kind, ==,
		c->kind == ANA_KIND_IPI ? ANA_LINK_IPI : ANA_LINK_WAKEUP);
	ana_path_free(p);
	ana_synth_free(s);
}

static void test_causes(void)
{
	for (size_t i = 0; i < G_N_ELEMENTS(causes); i++) {
		g_test_message("cause %u: %s", (unsigned)i, causes[i].contexts[0].name);
		check_cause(&causes[i]);
	}
}

/* Whatever context woke it, ksoftirqd waited for softirqs. */
static void test_daemon_in_tick(void)
{
	struct ana_synth *s = ana_synth_new(100);
	uint32_t daemon = ana_synth_thread(s, 1, 0, MDL_NONE),
		 bystander = ana_synth_thread(s, 2, 0, MDL_NONE);
	struct ana_source source;
	struct mdl_wakeup w;
	struct qry *q;

	ana_synth_rename(s, daemon, "ksoftirqd/0");
	ana_synth_state(s, daemon, 60, MDL_ST_BLOCKED);
	ana_synth_state(s, daemon, 100, MDL_ST_RUNNING);
	ana_synth_state(s, bystander, 100, MDL_ST_RUNNING);
	ana_synth_context(s, MDL_CTX_HRTIMER, 1, "");
	ana_synth_wakeup(s, daemon, 60, bystander, MDL_VIA_WAKING);
	q = ana_synth_open(s);
	g_assert_true(qry_wakeup_at(q, daemon, 60, &w));
	source = ana_source_of(q, daemon, &w);
	g_assert_cmpint(source.kind, ==, ANA_KIND_SOFTIRQ);
	g_assert_cmpint(mdl_grade_of(source.doubts), ==, MDL_PROVED);
	ana_synth_free(s);
}

/* A packet received during a thread's run has the model's grade for being the cause of what follows. */
static void test_packet_in_run(void)
{
	for (unsigned sure = 0; sure < 2; sure++) {
		struct ana_synth *s = ana_synth_new(100);
		uint32_t a = ana_synth_thread(s, 1, 0, MDL_NONE), waker = ana_synth_thread(s, 2, 0, MDL_NONE);
		struct mdl_cause cause = { .facts = { .has = MDL_FACT_PACKET } };
		struct ana_source source;
		struct mdl_wakeup w;
		struct qry *q;

		cause.facts.packet = (struct mdl_received){ .time = 50,
			.sender = { .time = MDL_NEVER },
			.doubts = sure ? 0 : MDL_DOUBT(SHARED) };
		ana_synth_state(s, a, 60, MDL_ST_BLOCKED);
		ana_synth_state(s, a, 100, MDL_ST_RUNNING);
		ana_synth_state(s, waker, 100, MDL_ST_RUNNING);
		ana_synth_cause(s, &cause);
		ana_synth_wakeup(s, a, 60, waker, MDL_VIA_WAKING);
		q = ana_synth_open(s);
		g_assert_true(qry_wakeup_at(q, a, 60, &w));
		source = ana_source_of(q, a, &w);
		g_assert_cmpint(source.kind, ==, ANA_KIND_NETWORK);
		g_assert_cmpint(mdl_grade_of(source.doubts), ==, sure ? MDL_PROVED : MDL_INFERRED);
		ana_synth_free(s);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/path-made/chain", test_chain);
	g_test_add_func("/path-made/daemon-in-tick", test_daemon_in_tick);
	g_test_add_func("/path-made/cycle", test_cycle);
	g_test_add_func("/path-made/sleeping-waker", test_sleeping_waker);
	g_test_add_func("/path-made/unresolved", test_unresolved);
	g_test_add_func("/path-made/deep", test_deep);
	g_test_add_func("/path-made/turns", test_turns);
	g_test_add_func("/path-made/causes", test_causes);
	g_test_add_func("/path-made/packet-in-run", test_packet_in_run);
	return g_test_run();
}
