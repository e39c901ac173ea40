/* SPDX-License-Identifier: MIT */
/* Suspends and CPUs that go off-line: waits for these, and waits that only look like it. Thread 20 suspends;
 * 10 is the child of 19, so a user thread; 11 is known only by name. */
#include "model/mdl_feed.h"

#define AWAKE \
	"0 0 allseen", "1 0 fork 19 19 10 10 shell user", "2 1 switch 0 0 10", "3 0 switch 19 1 20 shell susp"
#define ASLEEP "10 1 switch 10 1 0", "11 1 switch 0 0 11 swapper other", "12 1 switch 11 1 0"
#define FREEZE "20 0 suspend 1 freeze_processes"
#define FROZEN "30 0 suspend 0 freeze_processes"
#define THAW "90 0 suspend 1 thaw_processes"
#define THAWN "99 0 suspend 0 thaw_processes"
#define RUN(tid) "95 0 switch 20 1 " #tid, "96 0 switch " #tid " 1 20"

/* The facts of the wake-ups of WHO after EVENTS. */
static void expect_facts(const char *const *events, const char *who, const char *facts)
{
	struct mdl_feed *f = mdl_feed_new("6.14", events);

	mdl_feed_expect_facts(f, who, facts);
	mdl_feed_free(f);
}
#define EXPECT(who, facts, ...)                                            \
	G_STMT_START                                                       \
	{                                                                  \
		static const char *const events[] = { __VA_ARGS__, NULL }; \
		expect_facts(events, who, facts);                          \
	}                                                                  \
	G_STMT_END

/* R26.1: a thread asleep when all were frozen is thawed by the thread that thaws. */
static void test_thawed(void)
{
	EXPECT("10", "frozen from 20 since 20 thawed by thread 20 90", AWAKE, ASLEEP, FREEZE, FROZEN, THAW,
		"91 0 waking 10 0", "92 0 waking 11 0", RUN(10));
	/* It may be a kernel thread, and not all of them are frozen. */
	EXPECT("11", "frozen from 20 since 20 thawed by thread 20 90 perhaps", AWAKE, ASLEEP, FREEZE, FROZEN,
		THAW, "91 0 waking 10 0", "92 0 waking 11 0", RUN(11));
	/* It is a kernel thread: kthreadd created it. */
	EXPECT("10", "frozen from 20 since 20 thawed by thread 20 90 perhaps", "0 0 allseen",
		"1 0 fork 2 2 10 10 kthreadd kernel", "2 1 switch 0 0 10", "3 0 switch 19 1 20 shell susp",
		ASLEEP, FREEZE, FROZEN, THAW, "91 0 waking 10 0", RUN(10));
	/* It sleeps TASK_IDLE, as workers do. */
	EXPECT("11", "-", AWAKE, "10 1 switch 10 1 0", "11 1 switch 0 0 11 swapper other",
		"12 1 switch 11 128 0", FREEZE, FROZEN, THAW, "92 0 waking 11 0", RUN(11));
}

/* It went to sleep in the refrigerator itself; its state does not show that. */
static void test_refrigerator(void)
{
	static const char *const events[] = { AWAKE, FREEZE, "25 1 switch 10 2 0", FROZEN, THAW,
		"91 0 waking 10 0", RUN(10), NULL };
	struct mdl_feed *f = mdl_feed_new("6.14", events);

	mdl_feed_expect_facts(f, "10", "frozen from 25 since 20 thawed by thread 20 90");
	mdl_feed_expect(f, "10",
		"1-2 new, 2-25 running @1, 25-91 blocked(frozen) @1, 91-95 wait-cpu @0, 95-96 running @0");
	mdl_feed_free(f);
}

/* Similar waits, which the thawing of threads did not end. */
static void test_not_thawed(void)
{
	/* By another thread; by an interrupt; before the thawing; after it; fallen asleep after all were frozen. */
	EXPECT("11", "-", AWAKE, ASLEEP, FREEZE, FROZEN, THAW, "91 1 switch 0 0 12 swapper twelve",
		"92 1 waking 11 0", RUN(11));
	EXPECT("11", "-", AWAKE, ASLEEP, FREEZE, FROZEN, THAW, "91 0 irq 5 disk", "92 0 waking 11 0",
		"93 0 irqret 5", RUN(11));
	EXPECT("11", "-", AWAKE, ASLEEP, FREEZE, FROZEN, "40 0 waking 11 0", THAW, RUN(11));
	EXPECT("11", "-", AWAKE, "10 1 switch 10 1 11 user other", FREEZE, FROZEN, "40 1 switch 11 1 0", THAW,
		"92 0 waking 11 0", RUN(11));
	EXPECT("11", "-", AWAKE, ASLEEP, FREEZE, FROZEN, THAW, "93 0 suspend 0 thaw_processes",
		"94 0 waking 11 0", RUN(11));
	/* The freezing failed, or was not recorded. */
	EXPECT("10", "frozen from 20 since 20 thawed by thread 20 90 perhaps", AWAKE, ASLEEP, FREEZE, THAW,
		"91 0 waking 10 0", "93 0 suspend 0 thaw_processes", "94 0 suspend 0 freeze_processes",
		RUN(10));
	EXPECT("10", "frozen from - since - thawed by thread 20 90 perhaps", AWAKE, ASLEEP, THAW,
		"91 0 waking 10 0", RUN(10));
}

/* R26.1: a thread in interruptible sleep is woken to be frozen; a kernel thread, or one in another state,
 * need not be. */
static void test_woken_to_freeze(void)
{
	EXPECT("10", "frozen from - since 20 woken by thread 20 20", AWAKE, ASLEEP, FREEZE,
		"22 0 waking 10 1", "23 1 switch 0 0 10", "24 1 switch 10 2 0", FROZEN);
	EXPECT("10", "frozen from - since 20 woken by thread 20 20 perhaps", AWAKE, FREEZE,
		"21 1 switch 10 1 0", "22 0 waking 10 1", "23 1 switch 0 0 10", FROZEN);
	EXPECT("10", "-", AWAKE, "10 1 switch 10 2 0", FREEZE, "22 0 waking 10 1", "23 1 switch 0 0 10",
		FROZEN);
	EXPECT("11", "-", AWAKE, ASLEEP, FREEZE, "22 0 waking 11 1", "23 1 switch 0 0 11", FROZEN);
}

/* R26.3: a thread sleeps on after the suspend, until something else wakes it: it was frozen in between. */
static void test_in_between(void)
{
	EXPECT("10", "frozen from 20 since 20 in between by thread 20 90", AWAKE, ASLEEP, FREEZE, FROZEN,
		THAW, THAWN, "100 0 waking 10 0", "101 0 switch 20 1 10", "102 0 switch 10 1 20");
	/* By an interrupt; asleep since after the suspend; not surely a user thread. */
	EXPECT("10", "frozen from 20 since 20 in between by thread 20 90", AWAKE, ASLEEP, FREEZE, FROZEN,
		THAW, THAWN, "100 0 irq 5 disk", "101 0 waking 10 0", "102 0 irqret 5",
		"103 0 switch 20 1 10");
	EXPECT("10", "-", AWAKE, FREEZE, FROZEN, THAW, THAWN, "100 1 switch 10 1 0", "101 0 waking 10 0",
		"102 0 switch 20 1 10");
	EXPECT("11", "-", AWAKE, ASLEEP, FREEZE, FROZEN, THAW, THAWN, "100 0 waking 11 0",
		"101 0 switch 20 1 11");
}

/* R26.5: how long timekeeping was stopped, by a clock that goes on and by one that may not. */
static void test_stopped(void)
{
#define CORE                                                                                                 \
	"40 0 suspend 1 syscore_suspend", "42 0 suspend 0 syscore_suspend", "80 0 suspend 1 syscore_resume", \
		"85 0 suspend 0 syscore_resume"
	EXPECT("10", "frozen from 20 since 20 thawed by thread 20 90 stopped 38-45", "0 0 goeson", AWAKE,
		ASLEEP, FREEZE, FROZEN, CORE, THAW, "91 0 waking 10 0", RUN(10));
	EXPECT("10", "frozen from 20 since 20 thawed by thread 20 90 stopped 38-0", AWAKE, ASLEEP, FREEZE,
		FROZEN, CORE, THAW, "91 0 waking 10 0", RUN(10));
	/* Several suspends to idle. */
	EXPECT("10", "frozen from 20 since 20 thawed by thread 20 90 stopped 0-25", "0 0 goeson", AWAKE,
		ASLEEP, FREEZE, FROZEN, "40 0 suspend 1 timekeeping_freeze",
		"50 1 suspend 0 timekeeping_freeze", "60 1 suspend 1 timekeeping_freeze",
		"75 0 suspend 0 timekeeping_freeze", THAW, "91 0 waking 10 0", RUN(10));
	/* syscore_suspend() failed. */
	EXPECT("10", "frozen from 20 since 20 thawed by thread 20 90", "0 0 goeson", AWAKE, ASLEEP, FREEZE,
		FROZEN, "40 0 suspend 1 syscore_suspend", THAW, "91 0 waking 10 0", RUN(10));
#undef CORE
}

/* R26.4: 20 takes CPU 7 off-line, in a step in which cpuhp/7 takes part. */
static void test_hotplug(void)
{
#define OFF                                                                                    \
	"0 0 allseen", "1 7 switch 0 0 5 swapper cpuhp/7", "2 6 switch 0 0 6 swapper cpuhp/6", \
		"3 0 switch 19 1 20 shell susp", "4 0 cpuhp 7 236 143 0xf1"
#define BACK "16 0 switch 0 0 20"
	EXPECT("20", "cpu 7 down step 236 since 4", OFF, "10 0 switch 20 2 0", "15 7 waking 20 0", BACK);
	EXPECT("20", "cpu 7 up step 83 since 5", OFF, "4 0 cpuhpret 7 236", "5 0 cpuhp 7 83 236",
		"10 0 switch 20 2 0", "15 7 waking 20 0", BACK);
	/* By the idle thread, only while the CPU comes up. */
	EXPECT("20", "cpu 7 up step 83 since 5", OFF, "5 0 cpuhp 7 83 236", "6 7 switch 5 1 0",
		"10 0 switch 20 2 0", "15 7 waking 20 0", BACK);
	EXPECT("20", "-", OFF, "6 7 switch 5 1 0", "10 0 switch 20 2 0", "15 7 waking 20 0", BACK);
	/* By the idle thread of another CPU; by an interrupt; in another state; after the step; asleep since
	 * before it. */
	EXPECT("20", "-", OFF, "10 0 switch 20 2 0", "15 6 waking 20 0", BACK);
	EXPECT("20", "-", OFF, "10 0 switch 20 2 0", "14 7 irq 5 disk", "15 7 waking 20 0", "16 7 irqret 5",
		BACK);
	EXPECT("20", "-", OFF, "10 0 switch 20 1 0", "15 7 waking 20 0", BACK);
	EXPECT("20", "-", OFF, "9 0 cpuhpret 7 236", "10 0 switch 20 2 0", "15 7 waking 20 0", BACK);
	EXPECT("20", "-", "0 0 allseen", "1 7 switch 0 0 5 swapper cpuhp/7", "3 0 switch 19 1 20 shell susp",
		"10 0 switch 20 2 0", "15 7 waking 20 0", BACK);
#undef OFF
#undef BACK
}

/* Suspends and CPUs are kept up to a limit. */
static void test_kept(void)
{
	for (guint more = 0; more < 2; more++) {
		g_autoptr(GPtrArray) events = g_ptr_array_new_with_free_func(g_free);
		guint n = MDL_POWER_KEPT + more;
		struct mdl_feed *f;

		g_ptr_array_add(events, g_strdup("1 0 switch 0 0 20 swapper susp"));
		for (guint i = 0; i < n; i++) {
			g_ptr_array_add(events, g_strdup_printf("%u 0 suspend 1 freeze_processes", 10 + i));
			g_ptr_array_add(events,
				g_strdup_printf("%u 0 cpuhp 7 %s", 10 + i, i % 2 ? "1 236" : "236 0"));
			g_ptr_array_add(events, g_strdup_printf("%u 0 suspend 0 thaw_processes", 10 + i));
		}
		g_ptr_array_add(events, NULL);
		f = mdl_feed_new("6.14", (const char *const *)events->pdata);
		g_assert_cmpuint(mdl_machine_suspends(mdl_feed_machine(f))->len, ==, MDL_POWER_KEPT);
		g_assert_cmpuint(mdl_machine_hotplugs(mdl_feed_machine(f))->len, ==, MDL_POWER_KEPT);
		mdl_feed_free(f);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/power/thawed", test_thawed);
	g_test_add_func("/power/refrigerator", test_refrigerator);
	g_test_add_func("/power/not-thawed", test_not_thawed);
	g_test_add_func("/power/woken-to-freeze", test_woken_to_freeze);
	g_test_add_func("/power/in-between", test_in_between);
	g_test_add_func("/power/stopped", test_stopped);
	g_test_add_func("/power/hotplug", test_hotplug);
	g_test_add_func("/power/kept", test_kept);
	return g_test_run();
}
