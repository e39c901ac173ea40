/* SPDX-License-Identifier: MIT */
/* Traces without sched_waking: the waker is looked for where it was.  And PREEMPT_RT, where softirqs are threads. */
#include "model/mdl_feed.h"

#define BEGIN "50 0 irq 5 disk", "51 0 irqret 5", "90 1 switch 0 0 20 idle b", "100 0 switch 0 0 10 idle a", "102 0 switch 10 2 0"
#define END "900 0 switch 0 0 10", NULL

static void expect(const char *const *events, const char *wakeups, const char *facts)
{
	struct mdl_feed *f = mdl_feed_new("3.16.0-4-amd64", events);

	mdl_feed_expect_wakeups(f, "10", wakeups);
	mdl_feed_expect_facts(f, "10", facts);
	mdl_feed_free(f);
}

static void expect_chain(const char *const *events, const char *chain)
{
	struct mdl_feed *f = mdl_feed_new("3.16.0-4-amd64", events);

	mdl_feed_expect_chains(f, "10", chain);
	mdl_feed_free(f);
}

/* The idle thread wakes nobody: the one thread on another CPU does. */
static void test_thread(void)
{
	static const char *const idle[] = { BEGIN, "220 0 wakeup 10 0", END };
	static const char *const in_ipi[] = {
		BEGIN, "200 0 switch 0 0 11", "210 0 vector 253 reschedule", "220 0 wakeup 10 0", "230 0 vectorret 253 reschedule", END
	};
	static const char *const user[] = { BEGIN, "200 0 switch 0 0 11", "205 0 sysret read", "220 0 wakeup 10 0", END };

	static const char *const some_calls[] = {	/* it may have been in a call that is not recorded */
		"0 0 somecalls", BEGIN, "200 0 switch 0 0 11", "205 0 sysret read", "220 0 wakeup 10 0", END
	};
	static const char *const alone[] = {	/* there is no elsewhere */
		"50 0 irq 5 disk", "51 0 irqret 5", "100 0 switch 0 0 10 idle a", "102 0 switch 10 2 0",
		"200 0 switch 0 0 11", "205 0 sysret read", "220 0 wakeup 10 0", END
	};

	expect(some_calls, "220 wakeup #8 by 11 cpu 0>0 since 102 ran 900", "-");
	expect(alone, "220 wakeup #7 by 11 cpu 0>0 since 102 ran 900", "-");
	expect(idle, "220 wakeup #6 by 20 cpu 1>0 since 102 ran 900", "arrived 220 on 0");
	expect(in_ipi, "220 wakeup #8 by 20 cpu 1>0 since 102 ran 900", "arrived 220 on 0 in ipi253:reschedule/210");
	expect(user, "220 wakeup #8 by 20 cpu 1>0 since 102 ran 900", "arrived 220 on 0");
}

/* The waker's own place: in a context, in a system call, or putting the thread on another CPU. */
static void test_local(void)
{
	static const char *const context[] = { BEGIN, "200 0 irq 5 disk", "220 0 wakeup 10 0", END };
	static const char *const thread[] = { BEGIN, "200 0 switch 0 0 11", "205 0 sys write", "220 0 wakeup 10 0", END };
	static const char *const other_target[] = { BEGIN, "200 0 switch 0 0 11", "205 0 sysret write", "220 0 wakeup 10 1", END };

	expect(context, "220 wakeup #7 by idle0 cpu 0>0 since 102 ran 900 in irq5:disk/200", "-");
	expect(thread, "220 wakeup #8 by 11 cpu 0>0 since 102 ran 900", "-");
	expect(other_target, "220 wakeup #8 by 11 cpu 0>1 since 102 ran 900", "-");
}

/* Several other CPUs do something, or one of them is not known: nobody is named. */
static void test_several(void)
{
	static const char *const two[] = { BEGIN, "200 2 switch 0 0 30", "220 0 wakeup 10 0", END };
	static const char *const unknown[] = { BEGIN, "200 2 none", "205 2 irq 5 disk", "210 2 irqret 5", "220 0 wakeup 10 0", END };
	static const char *const lossy[] = { BEGIN, "200 1 gap", "220 0 wakeup 10 0", "230 1 gapend 210", "240 1 none", END };
	static const char *const nothing_recorded[] = {	/* an interrupt may have come unseen */
		"90 1 switch 0 0 20", "100 0 switch 0 0 10", "102 0 switch 10 2 0", "220 0 wakeup 10 0", END
	};
	static const char *const in_ipi[] = { BEGIN, "200 2 switch 0 0 30", "210 0 vector 253 reschedule", "220 0 wakeup 10 0", END };

	expect(two, "220 wakeup #7 by - cpu 0>0 since 102 ran 900", "-");
	expect(unknown, "220 wakeup #9 by - cpu 0>0 since 102 ran 900", "-");
	expect(lossy, "220 wakeup #6 by - cpu 0>0 since - ran -", "-");
	expect(nothing_recorded, "220 wakeup #4 by idle0 cpu 0>0 since 102 ran 900", "-");
	expect(in_ipi, "220 wakeup #8 by idle0 cpu 0>0 since 102 ran 900 in ipi253:reschedule/210", "-");
}

/* What another CPU does may be an interrupt, with all that led to it. */
static void test_context(void)
{
	static const char *const events[] = {
		BEGIN, "200 1 irq 5 disk", "201 1 raise 4", "202 1 irqret 5", "205 1 softirq 4", "206 1 complete 1 800 8 33",
		"220 0 wakeup 10 0", END
	};

	expect(events, "220 wakeup #11 by 20 cpu 1>0 since 102 ran 900 in softirq4:BLOCK/205",
	       "inferred write 1 800+4096 done 206 by -, arrived 220 on 0");
	expect_chain(events, "irq5:disk 201@1? > softirq4:BLOCK 220@1?");
}

/* All idle: what one of them has just ceased to do. */
static void test_ceased(void)
{
	static const char *const thread[] = { BEGIN, "200 1 switch 20 1 0", "220 0 wakeup 10 0", END };
	static const char *const context[] = {
		BEGIN, "200 1 switch 20 1 0", "203 1 irq 5 disk", "204 1 raise 9", "205 1 irqret 5", "206 1 softirq 9", "210 1 softirqret 9",
		"220 0 wakeup 10 0", END
	};
	static const char *const long_ago[] = {
		BEGIN, "200 1 switch 20 1 0", "600000 0 wakeup 10 0", "600900 0 switch 0 0 10", NULL
	};
	static const char *const two[] = { BEGIN, "150 2 switch 0 0 30", "200 1 switch 20 1 0", "205 2 switch 30 1 0", "220 0 wakeup 10 0", END };

	expect(thread, "220 wakeup #7 by 20 cpu 1>0 since 102 ran 900", "arrived 220 on 0");
	expect(context, "220 wakeup #12 by idle1 cpu 1>0 since 102 ran 900 in softirq9:RCU/206", "arrived 220 on 0");
	expect_chain(context, "irq5:disk 204@1? > softirq9:RCU 210@1?");
	expect(long_ago, "600000 wakeup #7 by - cpu 0>0 since 102 ran 600900", "-");
	expect(two, "220 wakeup #9 by - cpu 0>0 since 102 ran 900", "-");
}

/* As in pipeline-nowaking at 39.620372865: a sleeper is moved by who wakes it, although others run, too. */
static void test_migrated(void)
{
	static const char *const events[] = {
		BEGIN, "200 2 switch 0 0 30", "205 1 migrate 10 0", "210 1 switch 20 1 21", "220 0 wakeup 10 0", END
	};
	static const char *const recorded[] = {	/* with sched_waking that tells it */
		BEGIN, "110 1 waking 11 1", "200 2 switch 0 0 30", "205 1 migrate 10 0", "220 0 wakeup 10 0", END
	};
	static const char *const unseen[] = { BEGIN, "205 1 migrate 10 0", END };

	expect(events, "220 wakeup #9 by 20 cpu 1>0 since 102 ran 900", "arrived 220 on 0");
	expect(recorded, "220 wakeup #9 by idle0 cpu 0>0 since 102 ran 900", "-");
	expect(unseen, "900 wakeup #- by 20 cpu 1>0 since 102 ran 900", "-");
}

/* Under PREEMPT_RT the thread that runs a softirq is who wakes. */
static void expect_rt(const char *release, const char *const *events, const char *wakeups)
{
	struct mdl_feed *f = mdl_feed_new(release, events);

	mdl_feed_expect_wakeups(f, "10", wakeups);
	mdl_feed_free(f);
}

static void test_rt(void)
{
	static const char *const events[] = {
		"100 0 switch 0 0 10", "102 0 switch 10 2 15 a ksoftirqd/0", "200 0 softirq 3", "205 0 switch 15 256 16 ksoftirqd/0 x",
		"206 0 switch 16 1 15 x ksoftirqd/0", "210 0 waking 10 0", "215 0 softirqret 3", END
	};
	static const char *const interrupt[] = { "100 0 switch 0 0 10", "102 0 switch 10 2 0", "200 0 irq 5 a", "210 0 waking 10 0", END };
	static const char *const seen[] = {
		"100 0 switch 0 0 10", "102 0 switch 10 2 15",
		"110 0 softirq 3", "111 0 switch 15 256 16", "112 0 switch 16 1 15", "113 0 softirqret 3",
		"120 0 softirq 3", "121 0 switch 15 256 16", "122 0 switch 16 1 15", "123 0 softirqret 3",
		"200 0 softirq 3", "210 0 waking 10 0", END
	};
	static const char *const once[] = {
		"100 0 switch 0 0 10", "102 0 switch 10 2 15", "110 0 softirq 3", "111 0 switch 15 256 16",
		"200 0 softirq 3", "210 0 waking 10 0", END
	};

	expect_rt("6.1.0-50-rt-amd64", events, "210 waking #6 by 15 cpu 0>0 since 102 ran 900");
	expect_rt("5.15.49-rt47", events, "210 waking #6 by 15 cpu 0>0 since 102 ran 900");
	expect_rt("6.1.0-rtkernel", interrupt, "210 waking #4 by idle0 cpu 0>0 since 102 ran 900 in irq5:a/200");
	expect_rt("6.1.0-50-rt-amd64", interrupt, "210 waking #4 by idle0 cpu 0>0 since 102 ran 900 in irq5:a/200");
	expect_rt("6.1.0-50-amd64", seen, "210 waking #12 by 15 cpu 0>0 since 102 ran 900");
	expect_rt("6.1.0-50-amd64", once, "210 waking #6 by 16 cpu 0>0 since 102 ran 900 in softirq3:NET_RX/200");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/remote/thread", test_thread);
	g_test_add_func("/remote/local", test_local);
	g_test_add_func("/remote/several", test_several);
	g_test_add_func("/remote/context", test_context);
	g_test_add_func("/remote/ceased", test_ceased);
	g_test_add_func("/remote/migrated", test_migrated);
	g_test_add_func("/remote/rt", test_rt);
	return g_test_run();
}
