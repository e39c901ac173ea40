/* SPDX-License-Identifier: MIT */
/*
 * Interrupts that the host posts into guests. The expected results are worked out by hand from the kernel's
 * trace points: __apic_accept_irq() (lapic.c), kvm_set_msi_irq() (irq_comm.c), kvm_apic_send_ipi(),
 * vmx_inject_irq() and svm_inject_irq(), apic_set_eoi(), vmx_deliver_interrupt().
 *
 * Machine 1000: thread 10 is its APIC 0, 11 its APIC 1, 19 another thread of it.  Machine 2000: 20 is APIC 0.
 */
#include "model/mdl_feed.h"

#define PEOPLE                                                                              \
	"1 3 dump 10 1000 1 0 0 0", "1 3 dump 11 1000 1 0 0 0", "1 3 dump 19 1000 1 0 0 0", \
		"1 3 dump 20 2000 1 0 0 0", "1 3 dump 30 30 2 0 0 0"
/* 10 enters on CPU 0, handles its vector 236, which shows its APIC, and is inside from 40 on. */
#define TEN_RUNS "10 0 switch 0 0 10", "20 0 enter", "30 0 eoi 236 0", "31 0 leave 1 1", "40 0 enter"
#define TWENTY_RUNS "10 2 switch 0 0 20", "20 2 enter", "30 2 eoi 236 0", "31 2 leave 1 1", "40 2 enter"

/* All interrupts of ROW: "61 by 19 ran 80": posted when, by which thread, taken when. */
static char *posts_of(const struct mdl_feed *f, const char *row)
{
	GString *s = g_string_new(NULL);

	for (guint i = 0; i < mdl_feed_wakeup_count(f, row); i++) {
		const struct mdl_wakeup *w = mdl_feed_wakeup(f, row, i);

		g_assert_cmpint(w->since, ==, MDL_NEVER);
		g_assert_cmpint(w->event_time, ==, w->time);
		g_assert_cmpuint(w->rank, !=, 0);
		g_assert_cmpint(w->via, ==, w->cpu == MDL_NONE ? MDL_VIA_NONE : MDL_VIA_WAKING);
		g_string_append_printf(s, "%s%" G_GINT64_FORMAT " by ", s->len ? ", " : "", w->time);
		mdl_feed_append_thread(s, f, w->waker);
		if (w->ran_at != MDL_NEVER)
			g_string_append_printf(s, " ran %" G_GINT64_FORMAT, w->ran_at);
	}
	return g_string_free(s, FALSE);
}

static void expect(const char *const *events, const char *row, const char *wakeups, const char *facts)
{
	struct mdl_feed *f = mdl_feed_new("6.1.0-50-amd64", events);
	char *posts = posts_of(f, row);

	g_assert_cmpstr(posts, ==, wakeups);
	g_free(posts);
	mdl_feed_expect_facts(f, row, facts);
	mdl_feed_free(f);
}

/* Posted while it is inside, and while it is halted; the wake-up of its thread comes right after. */
static void test_msi(void)
{
	static const char *const events[] = { PEOPLE, TEN_RUNS, "50 3 switch 0 0 19", "60 3 by msi 0x4029",
		"61 3 post 41 0 0", "70 0 leave 1 1", "75 0 inject 41", "80 0 enter", "85 0 eoi 41 0",
		"90 0 leave 12 1", "95 0 switch 10 1 0", "100 3 by msi 0x4029", "101 3 post 41 0 0",
		"102 3 waking 10 0", "110 0 switch 0 0 10", "115 0 inject 41", "120 0 enter",
		"125 0 eoi 41 0", NULL };

	expect(events, "vcpu10", "61 by 19 ran 80, 101 by 19 ran 120", "vector 41 by msi; vector 41 by msi");
}

/* The waker of a halted guest's thread has posted something for it. If not, a device's interrupt, posted by
 * the processor, may have occurred (Intel: 12 1 is HLT; AMD, 0x78 2, has no such interrupt). */
static void test_untold(void)
{
	static const char *const intel[] = { PEOPLE, TEN_RUNS, "50 3 switch 0 0 19", "60 0 leave 12 1",
		"65 0 switch 10 1 0", "70 3 post 41 0 0", "71 3 waking 10 0", "80 0 switch 0 0 10",
		"85 0 inject 41", "90 0 enter", "95 0 leave 12 1", "96 0 switch 10 1 0", "100 3 waking 10 0",
		"110 0 switch 0 0 10", NULL };
	static const char *const amd[] = { PEOPLE, TEN_RUNS, "50 3 switch 0 0 19", "95 0 leave 120 2",
		"96 0 switch 10 1 0", "100 3 waking 10 0", "110 0 switch 0 0 10", NULL };
	/* No entry into a guest is recorded: recognised by its name, and by its wait in ioctl(). */
	static const char *const unseen[] = { "10 0 switch 0 0 12 idle vcpu0", "20 0 switch 12 1 0",
		"50 3 switch 0 0 19", "100 3 waking 12 0", "110 0 switch 0 0 12", "120 0 sys ioctl",
		"130 0 switch 12 1 0", "140 3 waking 12 0", "150 0 switch 0 0 12", "160 0 sysret ioctl",
		"161 0 sys futex", "170 0 switch 12 1 0", "180 3 waking 12 0", NULL };
	struct mdl_feed *f = mdl_feed_new("6.1.0-50-amd64", intel);

	mdl_feed_expect_chains(f, "10", "-; thread 19 100@3?");
	mdl_feed_free(f);
	f = mdl_feed_new("6.1.0-50-amd64", amd);
	mdl_feed_expect_chains(f, "10", "-");
	mdl_feed_free(f);
	f = mdl_feed_new("6.1.0-50-amd64", unseen);
	mdl_feed_expect_chains(f, "12", "thread 19 100@3?; thread 19 140@3?; -");
	mdl_feed_free(f);
}

/* The entry is aborted and repeated; the guest exits before it has taken the interrupt (no EOI between). The
 * next one of that vector is another. */
static void test_again(void)
{
	static const char *const events[] = { PEOPLE, TEN_RUNS, "50 3 switch 0 0 19", "61 3 post 41 0 0",
		"70 0 leave 1 1", "75 0 inject 41", "76 0 inject 41", "80 0 enter", "81 0 leave 48 1",
		"82 0 inject 41", "90 0 enter", "95 0 eoi 41 0", "96 0 leave 1 1", "97 3 post 41 0 0",
		"98 0 inject 41", "99 0 enter", "105 0 none", NULL };

	expect(events, "vcpu10", "61 by 19 ran 90, 97 by 19 ran 99", "vector 41; vector 41");
}

/* Two pending interrupts of one vector are one for the guest; one of lower priority is taken after one posted
 * later. */
static void test_coalesced(void)
{
	static const char *const events[] = { PEOPLE, TEN_RUNS, "50 3 switch 0 0 19", "61 3 post 41 0 0",
		"62 3 post 45 0 0", "63 3 post 41 0 0", "70 0 leave 1 1", "75 0 inject 45", "80 0 enter",
		"85 0 eoi 45 0", "86 0 leave 1 1", "87 0 inject 41", "90 0 enter", "95 0 eoi 41 0", NULL };

	expect(events, "vcpu10", "61 by 19 ran 90, 62 by 19 ran 80, 63 by 19 ran 90",
		"vector 41; vector 45; vector 41");
}

/* An IPI from one virtual CPU to two, one of them the sender; the guest's own timer. */
static void test_ipi(void)
{
	static const char *const ipi[] = { PEOPLE, "10 0 switch 0 0 10", "10 1 switch 0 0 11", "20 0 enter",
		"20 1 enter", "30 0 eoi 236 0", "30 1 eoi 236 1", "31 0 leave 1 1", "31 1 leave 1 1",
		"40 1 enter", "50 0 by ipi 0xfd", "51 0 post 253 1 0", "52 0 post 253 0 0",
		"53 0 post 236 0 0", "55 0 inject 253", "60 0 enter", "65 1 leave 1 1", "66 1 inject 253",
		"70 1 enter", "75 0 eoi 253 0", "76 0 leave 1 1", "77 0 inject 236", "80 0 enter",
		"81 1 none", NULL };

	expect(ipi, "vcpu11", "51 by 10 ran 70", "vector 253 by ipi");
	expect(ipi, "vcpu10", "52 by 10 ran 60, 53 by 10 ran 80", "vector 253 by ipi; vector 236");
}

/* Both machines have an APIC 0. A thread of machine 1000 posts for that machine. A vhost thread belongs to
 * none, so the injected vector decides; if two interrupts of vhost match, neither is assigned. */
static void test_two_machines(void)
{
	static const char *const own[] = { PEOPLE, TEN_RUNS, TWENTY_RUNS, "50 3 switch 0 0 19",
		"61 3 post 41 0 0", "62 2 leave 1 1", "65 2 inject 41", "66 2 enter", "70 0 leave 1 1",
		"75 0 inject 41", "80 0 enter", "81 0 none", NULL };
	static const char *const vhost[] = { PEOPLE, TEN_RUNS, TWENTY_RUNS, "50 3 switch 0 0 30",
		"61 3 post 41 0 0", "62 2 leave 1 1", "65 2 inject 41", "66 2 enter", "70 3 post 41 0 0",
		"71 3 post 41 0 0", "75 0 leave 1 1", "76 0 inject 41", "80 0 enter", "81 0 none", NULL };
	struct mdl_feed *f;

	expect(own, "vcpu10", "61 by 19 ran 80", "vector 41");
	expect(own, "vcpu20", "65 by - ran 66", "vector 41 of nobody known");
	expect(vhost, "vcpu20", "61 by 30 ran 66", "vector 41 perhaps");
	expect(vhost, "vcpu10", "76 by - ran 80", "vector 41 of nobody known");
	f = mdl_feed_new("6.1.0-50-amd64", vhost);
	g_assert_cmpuint(mdl_machine_lost_virqs(mdl_feed_machine(f)), ==, 2);
	mdl_feed_free(f);
}

/* The thread woken by the very next event is the target. */
static void test_woken(void)
{
	static const char *const events[] = { PEOPLE, "10 0 switch 0 0 10", "11 2 switch 0 0 20",
		"20 0 enter", "21 2 enter", "30 0 leave 12 1", "40 0 switch 10 1 0", "50 3 switch 0 0 30",
		"60 3 by msi 41", "61 3 post 41 0 0", "62 3 waking 10 0", "63 3 post 42 0 0", "64 3 sys read",
		"65 3 waking 20 2", "70 0 switch 0 0 10", "75 0 inject 41", "80 0 enter", "85 0 none", NULL };

	expect(events, "vcpu10", "61 by 30 ran 80", "vector 41 by msi");
	expect(events, "vcpu20", "", "");
}

/* The processor delivers it: at once if the guest runs, else at its entry. */
static void test_direct(void)
{
	static const char *const events[] = { PEOPLE, TEN_RUNS, "50 3 switch 0 0 19", "61 3 post 41 0 0",
		"62 3 direct 41 0", "70 0 leave 12 1", "75 0 switch 10 1 0", "81 3 post 42 0 0",
		"82 3 waking 10 0", "83 3 direct 42 0", "90 0 switch 0 0 10", "95 0 enter", "99 0 none",
		NULL };

	expect(events, "vcpu10", "61 by 19 ran 61, 81 by 19 ran 95", "vector 41 perhaps; vector 42 perhaps");
}

/* No injection is recorded (an older kernel with APICv, or the event is not in the trace). */
static void test_no_injection(void)
{
	static const char *const events[] = { PEOPLE, TEN_RUNS, "50 3 switch 0 0 19", "61 3 post 41 0 0",
		"70 0 leave 1 1", "71 3 post 42 0 0", "75 0 enter", "76 0 leave 1 1", "80 3 post 43 0 0",
		NULL };

	expect(events, "vcpu10", "61 by 19 ran 61, 71 by 19 ran 75, 80 by 19",
		"vector 41 perhaps; vector 42 perhaps; vector 43");
}

/* vgic_update_irq_pending: raised and lowered; the guest must be entered to take it. */
static void test_arm(void)
{
	static const char *const events[] = { PEOPLE, "10 0 switch 0 0 10", "20 0 enter", "30 0 leave 1 - 1",
		"35 0 switch 10 1 0", "40 3 switch 0 0 19", "41 3 post 79 0 - 1", "42 3 waking 10 0",
		"50 0 switch 0 0 10", "55 0 enter", "60 3 post 79 0 - 0", "61 3 post 80 0 - 1",
		"70 0 leave 0 - -", "75 0 enter", "80 0 none", NULL };

	expect(events, "vcpu10", "41 by 19 ran 55, 61 by 19 ran 75", "vector 79 perhaps; vector 80 perhaps");
}

/* NMI and similar are skipped. An interrupt without a post is the old PIC's, or was posted before the
 * trace. */
static void test_others(void)
{
	static const char *const events[] = { PEOPLE, TEN_RUNS, "50 3 switch 0 0 19", "61 3 post 2 0 0x400",
		"62 3 post 0 0 0x500", "70 0 leave 1 1", "75 0 inject 48", "80 0 enter", "81 0 none", NULL };

	expect(events, "vcpu10", "75 by - ran 80", "vector 48 of nobody known");
}

/* kvm_set_irq has no vector: it belongs to the next post, unless a virtual CPU's own thread raised it. */
static void test_lines(void)
{
	static const char *const events[] = { PEOPLE, TEN_RUNS, "41 0 leave 1 1", "42 0 inject 48",
		"43 0 enter", "50 3 switch 0 0 19", "60 3 by line - - - 0", "61 3 post 41 0 0",
		"62 3 by line - - - 1", "63 3 post 40 0 0", "64 3 post 45 0 0", "65 3 by ioapic 0x1002e",
		"66 3 post 46 0 0", "70 0 leave 1 1", "71 0 by line - - - 1", "72 0 post 236 0 0",
		"75 0 none", NULL };

	expect(events, "vcpu10",
		"42 by - ran 43, 61 by 19, 63 by 19, 64 by 19, "
		"66 by 19, 72 by 10",
		"vector 48 of nobody known; vector 41; vector 40 by line; vector 45; vector 46 by line; vector 236");
}

/* Events of its CPU were lost: pending interrupts may have been taken or not. */
static void test_lost(void)
{
	static const char *const events[] = { PEOPLE, TEN_RUNS, "41 0 leave 1 1", "42 0 inject 48",
		"43 0 enter", "50 3 switch 0 0 19", "61 3 post 41 0 0", "70 0 gap", "90 0 gapend 70",
		"91 0 switch 0 0 10", "92 0 inject 41", "95 0 enter", "95 0 eoi 41 0", "96 3 post 41 0 0",
		"97 0 leave 1 1", "98 0 inject 41", "99 0 enter", "100 0 none", NULL };

	expect(events, "vcpu10", "42 by - ran 43, 61 by 19, 92 by - ran 95, 96 by 19 ran 99",
		"vector 48 of nobody known; vector 41 perhaps; vector 41 of nobody known; vector 41");
}

/* Many that are never taken are written out in time, and the rest when the thread ends. */
static void test_many(void)
{
	GPtrArray *events = g_ptr_array_new_with_free_func(g_free);
	static const char *const begin[] = { PEOPLE, TEN_RUNS, "50 3 switch 0 0 19" };
	struct mdl_feed *f;

	for (size_t i = 0; i < G_N_ELEMENTS(begin); i++)
		g_ptr_array_add(events, g_strdup(begin[i]));
	for (unsigned i = 0; i < 200; i++)
		g_ptr_array_add(events, g_strdup_printf("%u 3 post %u 0 0", 60 + i, 32 + i));
	g_ptr_array_add(events, g_strdup("300 0 switch 10 16 0"));
	g_ptr_array_add(events, g_strdup("310 0 free 10"));
	g_ptr_array_add(events, NULL);
	f = mdl_feed_new("6.1.0-50-amd64", (const char *const *)events->pdata);
	g_assert_cmpuint(mdl_feed_wakeup_count(f, "vcpu10"), ==, 200);
	mdl_feed_free(f);
	g_ptr_array_unref(events);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/virq/msi", test_msi);
	g_test_add_func("/virq/untold", test_untold);
	g_test_add_func("/virq/again", test_again);
	g_test_add_func("/virq/coalesced", test_coalesced);
	g_test_add_func("/virq/ipi", test_ipi);
	g_test_add_func("/virq/two-machines", test_two_machines);
	g_test_add_func("/virq/woken", test_woken);
	g_test_add_func("/virq/direct", test_direct);
	g_test_add_func("/virq/no-injection", test_no_injection);
	g_test_add_func("/virq/arm", test_arm);
	g_test_add_func("/virq/others", test_others);
	g_test_add_func("/virq/lines", test_lines);
	g_test_add_func("/virq/lost", test_lost);
	g_test_add_func("/virq/many", test_many);
	return g_test_run();
}
