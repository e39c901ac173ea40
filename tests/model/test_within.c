/* SPDX-License-Identifier: MIT */
/* The tracer's flags about the context of events, compared with the events themselves. */
#include "model/mdl_feed.h"

#define NEW "6.12.107+deb13-amd64"

/* Only switches and wake-ups are recorded. Outside of an interrupt by the flags, the running thread is proved
 * to be the waker; inside of one it is not the waker. */
static void test_unseen(void)
{
	static const char *const events[] = { "100 0 switch^ 0 0 10", "110 0 switch^ 10 0x100 11",
		"111 0 switch^ 11 1 10", "120 0 waking^h 11 0", "130 0 switch^ 10 0x100 11",
		"131 0 switch^ 11 1 10", "140 0 waking^s 11 0", "150 0 switch^ 10 0x100 11",
		"151 0 switch^ 11 1 10", "160 0 waking^ 11 0", "170 0 switch^ 10 0x100 11", "200 0 none",
		NULL };
	struct mdl_feed *f = mdl_feed_new(NEW, events);

	mdl_feed_expect_wakeups(f, "11",
		"120 waking #4 by 10 cpu 0>0 since 111 ran 130 in vector-:(not recorded)/120, "
		"140 waking #7 by 10 cpu 0>0 since 131 ran 150 in softirq-:(not recorded)/140, "
		"160 waking #10 by 10 cpu 0>0 since 151 ran 170");
	mdl_feed_expect_chains(f, "11",
		"vector-:(not recorded) 120@0; softirq-:(not recorded) 140@0; thread 10 160@0");
	mdl_feed_expect_states(f, "10",
		"0-100 unknown, 100-110 running, 110-111 preempted, 111-130 running, 130-131 preempted, 131-150 running, "
		"150-151 preempted, 151-170 running, 170-200 preempted");
	mdl_feed_free(f);

	/* before Linux 4.10 the bit of softirqs was also set while they were disabled */
	f = mdl_feed_new("4.4.0", events);
	mdl_feed_expect_chain_at(f, "11", 140, "thread 10 140@0?");
	mdl_feed_free(f);

	/* the release is unknown (trace-cmd split): the kernel may be older, but most likely is not */
	f = mdl_feed_new("", events);
	mdl_feed_expect_chain_at(f, "11", 140, "softirq-:(not recorded) 140@0?");
	mdl_feed_expect_chain_at(f, "11", 120, "vector-:(not recorded) 120@0");
	mdl_feed_expect_chain_at(f, "11", 160, "thread 10 160@0");
	mdl_feed_free(f);
}

/* Behind a handler its interrupt goes on; or an unrecorded one came, as an irq_work in threadirqs-ioburst at
 * 346.333607851 without vectors. */
static void test_behind_handler(void)
{
	static const char *const all[] = { "0 0 allseen", "100 0 switch^ 0 0 10", "110 0 switch^ 10 0x100 11",
		"111 0 switch^ 11 1 10", "120 0 irq^h 5 disk", "125 0 irqret^h 5", "130 0 waking^h 11 0",
		"200 0 none", NULL };
	static const char *const no_vectors[] = { "100 0 switch^ 0 0 10", "110 0 switch^ 10 0x100 11",
		"111 0 switch^ 11 1 10", "115 0 hrtimer^h 1", "116 0 hrtimerret^h", "120 0 irq^h 5 disk",
		"125 0 irqret^h 5", "130 0 waking^h 11 0", "200 0 none", NULL };
	struct mdl_feed *f = mdl_feed_new(NEW, all);

	mdl_feed_expect_chains(f, "11", "irq5:disk 130@0");
	mdl_feed_free(f);
	f = mdl_feed_new(NEW, no_vectors);
	mdl_feed_expect_chains(f, "11", "irq5:disk 130@0?");
	mdl_feed_free(f);
}

/* Softirqs are recorded, device interrupts are not. In a softirq by the flags no interrupt came in between,
 * unless the flags say so. */
static void test_upon_softirq(void)
{
	static const char *const events[] = { "100 0 switch^ 0 0 10", "110 0 switch^ 10 0x100 11",
		"111 0 switch^ 11 1 10", "120 0 softirq^s 9", "121 0 waking^s 11 0", "125 0 softirqret^s 9",
		"130 0 switch^ 10 0x100 11", "131 0 switch^ 11 1 10", "140 0 softirq^s 9",
		"141 0 waking^hs 11 0", "145 0 softirqret^s 9", "150 0 switch^ 10 0x100 11",
		"151 0 switch^ 11 1 10", "160 0 softirq^s 9", "161 0 waking 11 0", "165 0 softirqret^s 9",
		"200 0 none", NULL };
	struct mdl_feed *f = mdl_feed_new(NEW, events);

	mdl_feed_expect_chain_at(f, "11", 121, "-"); /* its contexts are complete */
	mdl_feed_expect_chain_at(f, "11", 141, "-");
	mdl_feed_expect_wakeups(f, "11",
		"121 waking #5 by 10 cpu 0>0 since 111 ran 130 in softirq9:RCU/120, "
		"141 waking #10 by 10 cpu 0>0 since 131 ran 150 in softirq9:RCU/140 vector-:(not recorded)/141, "
		"161 waking #15 by 10 cpu 0>0 since 151 ran - in softirq9:RCU/160");
	mdl_feed_expect_chain_at(f, "11", 161, "softirq9:RCU 161@0?");
	mdl_feed_free(f);
}

/* A request completes in an unrecorded interrupt, and a wake-up follows: nothing shows that both are of one
 * interrupt. */
static void test_facts(void)
{
	static const char *const events[] = { "100 0 switch^ 0 0 10", "101 0 insert^ 8 64 8 1 4096",
		"102 0 issue^ 8 64 8 1 4096", "110 0 switch^ 10 2 0", "120 0 complete^h 8 64 8 1",
		"125 0 waking^h 10 0", "130 0 switch^ 0 0 10", "200 0 none", NULL };
	struct mdl_feed *f = mdl_feed_new(NEW, events);

	mdl_feed_expect_chain_at(f, "10", 125, "vector-:(not recorded) 125@0?");
	mdl_feed_free(f);
}

/* Timers armed by an interrupt are not those of the interrupted thread. */
static void test_arms(void)
{
	static const char *const events[] = { "100 0 switch^ 0 0 10", "105 0 arm^h 0x77 0x5",
		"110 0 switch^ 10 1 0", "120 0 hrtimer^h 0x5 0x77", "121 0 waking^h 10 0",
		"125 0 hrtimerret^h", "130 0 switch^ 0 0 10", "200 0 none", NULL };
	struct mdl_feed *f = mdl_feed_new(NEW, events);

	mdl_feed_expect_facts_at(f, "10", 121, "timer 0x5 at 120 armed by vector-:(not recorded) 105");
	mdl_feed_free(f);
}

/* ksoftirqd is woken on the way out of an interrupt, after the flags have left it: not by the thread. */
static void test_daemon(void)
{
	static const char *const events[] = { "90 0 switch^ 0 0 12 - ksoftirqd/0",
		"95 0 switch^ 12 1 10 ksoftirqd/0 -", "120 0 waking^ 12 0 ksoftirqd/0",
		"130 0 switch^ 10 0x100 12", "200 0 none", NULL };
	struct mdl_feed *f = mdl_feed_new(NEW, events);

	mdl_feed_expect_chain_at(f, "12", 120, "-");
	mdl_feed_free(f);
}

/* A sched_wakeup within a hard interrupt may come from an IPI of another CPU. */
static void test_remote(void)
{
	static const char *const events[] = { "100 0 switch^ 0 0 10", "110 0 switch^ 10 0x100 11",
		"111 0 switch^ 11 1 10", "120 0 wakeup^h 11 0", "130 0 switch^ 10 0x100 11", "200 0 none",
		NULL };
	struct mdl_feed *f = mdl_feed_new(NEW, events);

	mdl_feed_expect_chain_at(f, "11", 120, "vector-:(not recorded) 120@0?");
	mdl_feed_free(f);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/within/unseen", test_unseen);
	g_test_add_func("/within/behind-handler", test_behind_handler);
	g_test_add_func("/within/upon-softirq", test_upon_softirq);
	g_test_add_func("/within/facts", test_facts);
	g_test_add_func("/within/arms", test_arms);
	g_test_add_func("/within/daemon", test_daemon);
	g_test_add_func("/within/remote", test_remote);
	return g_test_run();
}
