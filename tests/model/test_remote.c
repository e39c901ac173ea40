/* SPDX-License-Identifier: MIT */
/* Traces without sched_waking: the waker is searched on other CPUs. And PREEMPT_RT, where softirqs are
 * threads. */
#include "model/mdl_feed.h"

#define BEGIN                                                                                          \
	"50 0 irq 5 disk", "51 0 irqret 5", "90 1 switch 0 0 20 idle b", "100 0 switch 0 0 10 idle a", \
		"102 0 switch 10 2 0"
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

/* The idle thread wakes no thread: the only thread on another CPU does. */
static void test_thread(void)
{
	static const char *const idle[] = { BEGIN, "220 0 wakeup 10 0", END };
	static const char *const in_ipi[] = { BEGIN, "200 0 switch 0 0 11", "210 0 vector 253 reschedule",
		"220 0 wakeup 10 0", "230 0 vectorret 253 reschedule", END };
	static const char *const user[] = { BEGIN, "200 0 switch 0 0 11", "205 0 sysret read",
		"220 0 wakeup 10 0", END };

	static const char *const some_calls[] = { /* it may have been in a call that is not recorded */
		"0 0 somecalls", BEGIN, "200 0 switch 0 0 11", "205 0 sysret read", "220 0 wakeup 10 0", END
	};
	static const char *const alone[] = { /* there is no other CPU */
		"50 0 irq 5 disk", "51 0 irqret 5", "100 0 switch 0 0 10 idle a", "102 0 switch 10 2 0",
		"200 0 switch 0 0 11", "205 0 sysret read", "220 0 wakeup 10 0", END
	};

	expect(some_calls, "220 wakeup #8 by 11 cpu 0>0 since 102 ran 900", "-");
	expect(alone, "220 wakeup #7 by 11 cpu 0>0 since 102 ran 900", "-");
	expect(idle, "220 wakeup #6 by 20 cpu 1>0 since 102 ran 900", "arrived 220 on 0");
	expect(in_ipi, "220 wakeup #8 by 20 cpu 1>0 since 102 ran 900",
		"arrived 220 on 0 in ipi253:reschedule/210");
	expect(user, "220 wakeup #8 by 20 cpu 1>0 since 102 ran 900", "arrived 220 on 0");
}

/*
 * The IRQ thread of a line is woken by its handler, also if timers were started before sched_wakeup
 * (start_rt_bandwidth()), or it arrives on another CPU. It is not woken by a handler that did not ask for it,
 * or that ran before the thread went to sleep.
 */
static void test_line_thread(void)
{
#define LINE(ret)                                                                                \
	"90 1 switch 0 0 20 idle b", "91 2 switch 0 0 0", "100 0 switch 0 0 10 idle irq/5-disk", \
		"102 0 switch 10 1 0", "200 0 irq 5 disk", "210 0 irqret 5" ret
	static const char *const next[] = { LINE(" 2"), "220 0 wakeup 10 0", END };
	static const char *const timer[] = { LINE(" 2"), "215 0 arm 0x900 0xf1", "220 0 wakeup 10 0", END };
	static const char *const elsewhere[] = { LINE(" 2"), "211 0 switch 0 0 30 - c", "220 2 wakeup 10 2",
		"900 2 switch 0 0 10", NULL };
	static const char *const handled[] = { LINE(" 1"), "211 0 switch 0 0 30 - c", "220 2 wakeup 10 2",
		"900 2 switch 0 0 10", NULL };
	static const char *const before[] = { "50 0 irq 5 disk", "51 0 irqret 5 2", LINE(" 1"),
		"215 0 arm 0x900 0xf1", "220 0 wakeup 10 0", END };

	expect_chain(next, "irq5:disk 220@0");
	expect_chain(timer, "irq5:disk 210@0?");
	expect_chain(elsewhere, "irq5:disk 210@0?");
	expect(elsewhere, "220 wakeup #8 by idle0 cpu 0>2 since 102 ran 900 in irq5:disk/200",
		"arrived 220 on 2");
	expect_chain(handled, "-");
	expect_chain(before, "-");
#undef LINE
}

/* irq_work/N is woken by its own CPU, in a hard interrupt, whatever runs on other CPUs. */
static void test_own_cpu(void)
{
#define WORKER_OF(name) "90 1 switch 0 0 20 idle b", "100 0 switch 0 0 10 idle " name, "102 0 switch 10 1 0"
	static const char *const in_ipi[] = { WORKER_OF("irq_work/0"), "210 0 ipi IRQ_work",
		"220 0 wakeup 10 0", "230 0 ipiret", END };
	static const char *const unseen[] = { "50 0 irq 5 disk", "51 0 irqret 5", WORKER_OF("irq_work/0"),
		"220 0 wakeup 10 0", END };
	static const char *const other[] = { WORKER_OF("irq_work/1"), "210 0 ipi IRQ_work",
		"220 0 wakeup 10 0", "230 0 ipiret", END };

	expect_chain(in_ipi, "ipi-:IRQ_work 220@0");
	expect(unseen, "220 wakeup #6 by - cpu 0>0 since 102 ran 900", "-");
	expect_chain(other, "-");
	expect(other, "220 wakeup #5 by 20 cpu 1>0 since 102 ran 900",
		"arrived 220 on 0 in ipi-:IRQ_work/210");
#undef WORKER_OF
}

/* The state of the waker: in a context, in a system call, or moving the thread to another CPU. */
static void test_local(void)
{
	static const char *const context[] = { BEGIN, "200 0 irq 5 disk", "220 0 wakeup 10 0", END };
	static const char *const thread[] = { BEGIN, "200 0 switch 0 0 11", "205 0 sys write",
		"220 0 wakeup 10 0", END };
	static const char *const other_target[] = { BEGIN, "200 0 switch 0 0 11", "205 0 sysret write",
		"220 0 wakeup 10 1", END };

	expect(context, "220 wakeup #7 by idle0 cpu 0>0 since 102 ran 900 in irq5:disk/200", "-");
	expect(thread, "220 wakeup #8 by 11 cpu 0>0 since 102 ran 900", "-");
	expect(other_target, "220 wakeup #8 by 11 cpu 0>1 since 102 ran 900", "-");
}

/* Several other CPUs are active, or one is unknown: no waker is named. */
static void test_several(void)
{
	static const char *const two[] = { BEGIN, "200 2 switch 0 0 30", "220 0 wakeup 10 0", END };
	static const char *const unknown[] = { BEGIN, "200 2 none", "205 2 irq 5 disk", "210 2 irqret 5",
		"220 0 wakeup 10 0", END };
	static const char *const lossy[] = { BEGIN, "200 1 gap", "220 0 wakeup 10 0", "230 1 gapend 210",
		"240 1 none", END };
	static const char *const nothing_recorded[] = { /* an interrupt may be missing */
		"90 1 switch 0 0 20", "100 0 switch 0 0 10", "102 0 switch 10 2 0", "220 0 wakeup 10 0", END
	};
	static const char *const in_ipi[] = { BEGIN, "200 2 switch 0 0 30", "210 0 vector 253 reschedule",
		"220 0 wakeup 10 0", END };

	expect(two, "220 wakeup #7 by - cpu 0>0 since 102 ran 900", "-");
	expect(unknown, "220 wakeup #9 by - cpu 0>0 since 102 ran 900", "-");
	expect(lossy, "220 wakeup #6 by - cpu 0>0 since - ran -", "-");
	expect(nothing_recorded, "220 wakeup #4 by idle0 cpu 0>0 since 102 ran 900", "-");
	expect(in_ipi, "220 wakeup #8 by idle0 cpu 0>0 since 102 ran 900 in ipi253:reschedule/210", "-");
}

/* The other CPU may be in an interrupt, with a whole chain behind it. */
static void test_context(void)
{
	static const char *const events[] = { BEGIN, "200 1 irq 5 disk", "201 1 raise 4", "202 1 irqret 5",
		"205 1 softirq 4", "206 1 complete 1 800 8 33", "220 0 wakeup 10 0", END };

	expect(events, "220 wakeup #11 by 20 cpu 1>0 since 102 ran 900 in softirq4:BLOCK/205",
		"inferred write 1 800+4096 done 206 by -, arrived 220 on 0");
	expect_chain(events, "irq5:disk 201@1? > softirq4:BLOCK 220@1?");
}

/* All other CPUs are idle: the waker is the thread or context that has just ended on one of them. If it ended
 * long ago, or if two have ended, no waker is named. */
static void test_ceased(void)
{
	static const char *const thread[] = { BEGIN, "200 1 switch 20 1 0", "220 0 wakeup 10 0", END };
	static const char *const context[] = { BEGIN, "200 1 switch 20 1 0", "203 1 irq 5 disk",
		"204 1 raise 9", "205 1 irqret 5", "206 1 softirq 9", "210 1 softirqret 9",
		"220 0 wakeup 10 0", END };
	static const char *const long_ago[] = { BEGIN, "200 1 switch 20 1 0", "600000 0 wakeup 10 0",
		"600900 0 switch 0 0 10", NULL };
	static const char *const two[] = { BEGIN, "150 2 switch 0 0 30", "200 1 switch 20 1 0",
		"205 2 switch 30 1 0", "220 0 wakeup 10 0", END };

	expect(thread, "220 wakeup #7 by 20 cpu 1>0 since 102 ran 900", "arrived 220 on 0");
	expect(context, "220 wakeup #12 by idle1 cpu 1>0 since 102 ran 900 in softirq9:RCU/206",
		"arrived 220 on 0");
	expect_chain(context, "irq5:disk 204@1? > softirq9:RCU 210@1?");
	expect(long_ago, "600000 wakeup #7 by - cpu 0>0 since 102 ran 600900", "-");
	expect(two, "220 wakeup #9 by - cpu 0>0 since 102 ran 900", "-");
}

/* As in pipeline-nowaking at 39.620372865: the waker moves a sleeper, although other threads also run. */
static void test_migrated(void)
{
	static const char *const events[] = { BEGIN, "200 2 switch 0 0 30", "205 1 migrate 10 0",
		"210 1 switch 20 1 21", "220 0 wakeup 10 0", END };
	static const char *const recorded[] = { /* sched_waking is recorded and names it */
		BEGIN, "110 1 waking 11 1", "200 2 switch 0 0 30", "205 1 migrate 10 0", "220 0 wakeup 10 0",
		END
	};
	static const char *const unseen[] = { BEGIN, "205 1 migrate 10 0", END };
	/* Moved by load balancing, long before; then woken, and moved for that. */
	static const char *const balanced[] = { BEGIN, "105 1 migrate 10 0", "600000 2 switch 0 0 30",
		"600010 2 wakeup 10 0", "600900 0 switch 0 0 10", NULL };
	static const char *const again[] = { BEGIN, "105 1 migrate 10 0", "600000 2 switch 0 0 30",
		"600010 2 migrate 10 1", "600020 1 wakeup 10 1", "600900 1 switch 20 1 10", NULL };

	expect(events, "220 wakeup #9 by 20 cpu 1>0 since 102 ran 900", "arrived 220 on 0");
	expect(recorded, "220 wakeup #9 by idle0 cpu 0>0 since 102 ran 900", "-");
	expect(balanced, "600010 wakeup #8 by 30 cpu 2>0 since 102 ran 600900", "-");
	expect(again, "600020 wakeup #9 by 30 cpu 2>1 since 102 ran 600900", "arrived 600020 on 1");
	expect(unseen, "900 wakeup #- by 20 cpu 1>0 since 102 ran 900", "-");
}

#define WORKER(state)                                                    \
	"50 0 irq 5 disk", "51 0 irqret 5", "90 1 switch 0 0 20 idle b", \
		"100 0 switch 0 0 10 idle kworker/0:1", "110 0 switch 10 " state " 0"
#define QUEUED "200 1 irq 5 disk", "201 1 queue 0xa0 0xf1", "202 1 irqret 5"
#define EXECUTED                                                                             \
	"220 0 wakeup 10 0", "230 0 switch 0 0 10 idle kworker/0:1", "240 0 work 0xa0 0xf1", \
		"250 0 workret 0xa0", "260 0 switch 10 1 0", NULL
#define BY_POSITION "220 wakeup #9 by 20 cpu 1>0 since 110 ran 230"

/*
 * As in apt-install at 166.133775035: a kworker executes an item that another CPU queued during its wait. It
 * was woken for that item, wherever sched_wakeup seems to come from.
 */
static void test_work(void)
{
	static const char *const other_cpu[] = { WORKER("1"), QUEUED, EXECUTED };
	static const char *const context[] = { /* the unrecorded IPI interrupted this context */
		WORKER("1"), "198 1 queue 0xa0 0xf1", "199 1 none", "205 0 softirq 1", "219 0 raise 9",
		EXECUTED
	};
	static const char *const other_item[] = { /* the event before the wake-up decides */
		WORKER("1"), QUEUED, "210 0 irq 6 net", "215 0 queue 0xc0 0xf3", "218 0 migrate 10 0",
		EXECUTED
	};
	static const char *const taken[] = { WORKER("1"), "215 1 queue 0xc0 0xf3", "218 1 migrate 10 1",
		"220 1 wakeup 10 1", "230 1 switch 20 0 10 b kworker/0:1", "260 1 switch 10 1 0", NULL };

	static const char *const in_softirq[] = { /* a BH workqueue's item is not the interrupted kworker's */
		WORKER("1"), "180 1 queue 0xe0 0xf5", QUEUED, "220 0 wakeup 10 0",
		"230 0 switch 0 0 10 idle kworker/0:1", "232 0 softirq 6", "233 0 work 0xe0 0xf5",
		"234 0 workret 0xe0", "235 0 softirqret 6", "240 0 work 0xa0 0xf1", NULL
	};

	expect(in_softirq, "220 wakeup #10 by 20 cpu 1>0 since 110 ran 230 in irq5:disk/200",
		"work 0xf1 just queued by irq5:disk 201, arrived 220 on 0");
	expect(other_cpu, "220 wakeup #9 by 20 cpu 1>0 since 110 ran 230 in irq5:disk/200",
		"work 0xf1 just queued by irq5:disk 201, arrived 220 on 0");
	expect_chain(other_cpu, "irq5:disk 201@1?");
	expect(context, "220 wakeup #10 by 20 cpu 1>0 since 110 ran 230",
		"work 0xf1 just queued by thread 20 198, arrived 220 on 0");
	expect_chain(context, "thread 20 198@1?");
	expect(other_item, "220 wakeup #12 by idle0 cpu 0>0 since 110 ran 230 in irq6:net/210",
		"work 0xf3 just queued by irq6:net 215");
	expect(taken, "220 wakeup #8 by 20 cpu 1>1 since 110 ran 230",
		"work 0xf3 just queued by thread 20 215");
}

/* It had other reasons: it executes nothing, or an item queued before its wait; it did not sleep for lack of
 * work; another worker of its pool woke it, for the remaining items. */
static void test_no_work(void)
{
	static const char *const nothing[] = { WORKER("1"), QUEUED, "220 0 wakeup 10 0",
		"230 0 switch 0 0 10 idle kworker/0:1", "260 0 switch 10 1 0", "270 0 wakeup 10 0",
		"280 0 switch 0 0 10", "290 0 work 0xa0 0xf1", NULL };
	static const char *const end[] = { WORKER("1"), QUEUED, "220 0 wakeup 10 0",
		"230 0 switch 0 0 10 idle kworker/0:1", NULL };
	static const char *const before[] = { "40 1 queue 0xa0 0xf1", WORKER("1"), "200 1 none",
		"220 0 wakeup 10 0", "230 0 switch 0 0 10 idle kworker/0:1", "240 0 work 0xa0 0xf1", NULL };
	static const char *const after[] = { WORKER("1"), "200 1 none", "201 1 none", "220 0 wakeup 10 0",
		"225 1 queue 0xa0 0xf1", "230 0 switch 0 0 10 idle kworker/0:1", "240 0 work 0xa0 0xf1",
		NULL };
	static const char *const in_work[] = { "50 0 irq 5 disk", "51 0 irqret 5",
		"90 1 switch 0 0 20 idle b", "100 0 switch 0 0 10 idle kworker/0:1", "105 0 work 0xb0 0xf2",
		"110 0 switch 10 1 0", QUEUED, "220 0 wakeup 10 0", "230 0 switch 0 0 10 idle kworker/0:1",
		"235 0 workret 0xb0", "240 0 work 0xa0 0xf1", NULL };
	static const char *const manager[] = { WORKER("2"), QUEUED, EXECUTED };
	static const char *const by_worker[] = { WORKER("1"), QUEUED, "210 0 switch 0 0 11 idle kworker/0:2",
		EXECUTED };
	static const char *const rescuer[] = { "50 0 irq 5 disk", "51 0 irqret 5",
		"90 1 switch 0 0 20 idle b", "100 0 switch 0 0 10 idle kworker/R-a", "110 0 switch 10 1 0",
		QUEUED, "220 0 wakeup 10 0 kworker/R-a", "230 0 switch 0 0 10 idle kworker/R-a",
		"240 0 work 0xa0 0xf1", NULL };
	static const char *const told[] = { WORKER("1"), QUEUED, "210 1 waking 11 1", EXECUTED };

	expect(nothing, BY_POSITION ", 270 wakeup #12 by 20 cpu 1>0 since 260 ran 280",
		"arrived 220 on 0; arrived 270 on 0");
	expect(end, BY_POSITION, "arrived 220 on 0");
	expect(before, "220 wakeup #8 by 20 cpu 1>0 since 110 ran 230", "arrived 220 on 0");
	expect(after, "220 wakeup #8 by 20 cpu 1>0 since 110 ran 230",
		"work 0x0 just queued by thread 20 220, arrived 220 on 0"); /* none was recorded so far */
	expect(in_work, "220 wakeup #10 by 20 cpu 1>0 since 110 ran 230", "arrived 220 on 0");
	expect(manager, BY_POSITION, "arrived 220 on 0");
	expect(by_worker, "220 wakeup #10 by 11 cpu 0>0 since 110 ran 230", "work 0x0 just queued by -");
	expect(rescuer, BY_POSITION, "arrived 220 on 0");
	expect(told, "220 wakeup #10 by idle0 cpu 0>0 since 110 ran 230", "-");
}

/*
 * As in apt-install without its IPIs, at 166.261740275: a softirq runs with interrupts on, so it need not be
 * the waker. Nor need the vector be that another CPU has entered meanwhile (166.705626275, with IPIs).
 */
static void test_hit(void)
{
	static const char *const softirq[] = { BEGIN, "200 0 irq 5 disk", "201 0 raise 1", "202 0 irqret 5",
		"210 0 softirq 1", "220 0 wakeup 10 0", END };
	static const char *const recorded[] = { BEGIN, "180 0 vector 251 call_function_single",
		"181 0 vectorret 251 call_function_single", "189 0 irq 0 timer", "190 0 hrtimer 0xf4",
		"191 0 hrtimerret", "192 0 irqret 0", "200 0 irq 5 disk", "201 0 raise 1", "202 0 irqret 5",
		"210 0 softirq 1", "220 0 wakeup 10 0", END };
	static const char *const hard[] = { BEGIN, "210 0 irq 5 disk", "220 0 wakeup 10 0", END };
	static const char *const other_vector[] = { BEGIN, "200 1 vector 236 local_timer",
		"220 0 wakeup 10 0", END };

	expect_chain(softirq, "irq5:disk 201@0? > softirq1:TIMER 220@0?");
	expect_chain(recorded, "irq5:disk 201@0 > softirq1:TIMER 220@0");
	expect_chain(hard, "-");
	expect_chain(other_vector, "vector236:local_timer 220@1?");
}

/* Under PREEMPT_RT the thread that runs a softirq is the waker. */
static void expect_rt(const char *release, const char *const *events, const char *wakeups)
{
	struct mdl_feed *f = mdl_feed_new(release, events);

	mdl_feed_expect_wakeups(f, "10", wakeups);
	mdl_feed_free(f);
}

static void test_rt(void)
{
	static const char *const events[] = { "100 0 switch 0 0 10", "102 0 switch 10 2 15 a ksoftirqd/0",
		"200 0 softirq 3", "205 0 switch 15 256 16 ksoftirqd/0 x",
		"206 0 switch 16 1 15 x ksoftirqd/0", "210 0 waking 10 0", "215 0 softirqret 3", END };
	static const char *const interrupt[] = { "100 0 switch 0 0 10", "102 0 switch 10 2 0",
		"200 0 irq 5 a", "210 0 waking 10 0", END };
	static const char *const seen[] = { "100 0 switch 0 0 10", "102 0 switch 10 2 15", "110 0 softirq 3",
		"111 0 switch 15 256 16", "112 0 switch 16 1 15", "113 0 softirqret 3", "120 0 softirq 3",
		"121 0 switch 15 256 16", "122 0 switch 16 1 15", "123 0 softirqret 3", "200 0 softirq 3",
		"210 0 waking 10 0", END };
	static const char *const once[] = { "100 0 switch 0 0 10", "102 0 switch 10 2 15", "110 0 softirq 3",
		"111 0 switch 15 256 16", "200 0 softirq 3", "210 0 waking 10 0", END };

	expect_rt("6.1.0-50-rt-amd64", events, "210 waking #6 by 15 cpu 0>0 since 102 ran 900");
	expect_rt("5.15.49-rt47", events, "210 waking #6 by 15 cpu 0>0 since 102 ran 900");
	expect_rt("5.14.0-503.11.1.el9_5.x86_64+rt", events, "210 waking #6 by 15 cpu 0>0 since 102 ran 900");
	expect_rt("4.18.0-553.rt7.342.el8_10.x86_64", events,
		"210 waking #6 by 15 cpu 0>0 since 102 ran 900");
	expect_rt("6.8.1-1015-realtime", events, "210 waking #6 by 15 cpu 0>0 since 102 ran 900");
	expect_rt("6.1.0-rtkernel", interrupt,
		"210 waking #4 by idle0 cpu 0>0 since 102 ran 900 in irq5:a/200");
	expect_rt("6.1.0-50-rt-amd64", interrupt,
		"210 waking #4 by idle0 cpu 0>0 since 102 ran 900 in irq5:a/200");
	expect_rt("6.1.0-50-amd64", seen, "210 waking #12 by 15 cpu 0>0 since 102 ran 900");
	expect_rt("6.1.0-50-amd64", once,
		"210 waking #6 by 16 cpu 0>0 since 102 ran 900 in softirq3:NET_RX/200");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/remote/thread", test_thread);
	g_test_add_func("/remote/line-thread", test_line_thread);
	g_test_add_func("/remote/own-cpu", test_own_cpu);
	g_test_add_func("/remote/local", test_local);
	g_test_add_func("/remote/several", test_several);
	g_test_add_func("/remote/context", test_context);
	g_test_add_func("/remote/ceased", test_ceased);
	g_test_add_func("/remote/migrated", test_migrated);
	g_test_add_func("/remote/rt", test_rt);
	g_test_add_func("/remote/work", test_work);
	g_test_add_func("/remote/no work", test_no_work);
	g_test_add_func("/remote/hit", test_hit);
	return g_test_run();
}
