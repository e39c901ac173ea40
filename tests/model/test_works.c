/* SPDX-License-Identifier: MIT */
/* Work items, signals and packets: the reason of a wake-up, and similar wake-ups without it. */
#include "model/mdl_feed.h"

/* A thread queues an item; its kworker is woken, executes it, sleeps in it, wakes others. After that nothing
 * is the thread's work any more. */
static void test_work(void)
{
	static const char *const events[] = { "5 0 switch 8 1 7 w8 w7", "6 0 switch 7 1 9 w7 kworker/0:1",
		"7 0 switch 9 128 5 kworker/0:1 queuer", "10 0 queue 0xa00 0xf1", "11 0 none",
		"12 0 waking 9 0 kworker/0:1", "13 0 waking 7 0 w7", "20 0 switch 5 1 9",
		"21 0 work 0xa00 0xf1", "22 0 waking 8 0", "23 0 switch 9 2 8", "24 0 waking 9 0",
		"25 0 switch 8 1 7", "26 0 switch 7 1 9", "27 0 waking 7 0", "28 0 irq 5 eth0",
		"29 0 waking 5 0", "30 0 irqret 5", "31 0 workret 0xa00", "32 0 waking 8 0",
		"33 0 switch 9 128 7", NULL };
	struct mdl_feed *f = mdl_feed_new("6.1", events);

	mdl_feed_expect_facts(f, "9", "work 0xf1 just queued by thread 5 10; -");
	mdl_feed_expect_facts(f, "7", "-; work 0xf1 since 21 queued by thread 5 10");
	mdl_feed_expect_facts(f, "8", "work 0xf1 since 21 queued by thread 5 10; -");
	mdl_feed_expect_facts(f, "5", "-");
	mdl_feed_free(f);
}

/* The worker goes to sleep and wakes another one of its pool for the oldest item, known from what that one
 * executes next. A worker of another pool was woken for the queued item. */
static void test_work_left(void)
{
	static const char *const events[] = { "0 0 allseen", "5 0 switch 8 1 9 w8 kworker/0:1",
		"6 0 switch 9 128 10 kworker/0:1 kworker/0:1H",
		"7 0 switch 10 128 11 kworker/0:1H kworker/0:2", "8 0 work 0xb00 0xf2",
		"10 0 queue 0xa00 0xf1", "12 0 waking 9 0 kworker/0:1", "13 0 queue 0xc00 0xf3",
		"14 0 waking 10 0 kworker/0:1H", "20 0 switch 11 1 9", NULL };
	struct mdl_feed *f = mdl_feed_new("6.1", events);

	mdl_feed_expect_chains(f, "9", "thread 11 12@0?");
	mdl_feed_expect_facts(f, "9", "work 0x0 just queued by -");
	mdl_feed_expect_chains(f, "10", "-");
	mdl_feed_free(f);
}

/*
 * A worker goes to sleep in the middle of its item, with or without a new one in the event before, and wakes
 * another of its pool: for the item which that one executes next, if it was queued before, and if no other
 * worker took one meanwhile. A worker of another pool does not count, nor one in the middle of an item.
 */
static void test_work_of_pool(void)
{
#define ASLEEP "5 0 switch 8 1 9 w8 kworker/0:1", "6 0 switch 9 128 5 kworker/0:1 w5", "7 0 queue 0xa00 0xf1"
	static const struct {
		const char *events[7]; /* after ASLEEP */
		const char *facts, *chain;
	} cases[] = {
		{ { "8 0 switch 5 1 11 w5 kworker/0:2", "9 0 work 0xb00 0xf2", "12 0 waking 9 0",
			  "13 0 switch 11 2 9", "14 0 work 0xa00 0xf1", "15 0 workret 0xa00" },
			"work 0xf1 just queued by thread 5 7", "thread 11 12@0" },
		{ { "8 0 switch 5 1 11 w5 kworker/0:2", "9 0 work 0xb00 0xf2", "10 0 queue 0xc00 0xf3",
			  "12 0 waking 9 0", "13 0 switch 11 2 9", "14 0 work 0xa00 0xf1" },
			"work 0xf1 just queued by thread 5 7", "thread 11 12@0" },
		/* When it takes an item: kworkers of no CPU, which do not count as running. */
		{ { "7 0 rename 9 kworker/u8:1", "8 0 switch 5 1 11 w5 kworker/u8:2", "12 0 waking 9 0",
			  "13 0 work 0xb00 0xf2", "14 0 switch 11 2 9 - kworker/u8:1",
			  "15 0 work 0xa00 0xf1" },
			"work 0xf1 just queued by thread 5 7", "thread 11 12@0" },
		{ { "7 0 rename 9 kworker/u8:1", "8 0 switch 5 1 11 w5 kworker/u8:2", "12 0 waking 9 0",
			  "13 0 work 0xb00 0xf2", "14 0 work 0xc00 0xf3", "14 0 switch 11 2 9 - kworker/u8:1",
			  "15 0 work 0xa00 0xf1" },
			"work 0x0 just queued by -", "thread 11 12@0" },
		/* Queued later; taken by another. */
		{ { "8 0 switch 5 1 11 w5 kworker/0:2", "9 0 work 0xb00 0xf2", "12 0 waking 9 0",
			  "12 0 queue 0xd00 0xf4", "13 0 queue 0xa00 0xf1", "14 0 switch 11 2 9",
			  "15 0 work 0xa00 0xf1" },
			"work 0x0 just queued by -", "thread 11 12@0" },
		{ { "8 0 switch 5 1 11 w5 kworker/0:2", "9 0 work 0xb00 0xf2", "12 0 waking 9 0",
			  "12 0 workret 0xb00", "12 0 work 0xc00 0xf3", "13 0 switch 11 2 9",
			  "14 0 work 0xa00 0xf1" },
			"work 0x0 just queued by -", "thread 11 12@0" },
		/* It sleeps first; it was in the middle of an item. */
		{ { "8 0 switch 5 1 11 w5 kworker/0:2", "9 0 work 0xb00 0xf2", "12 0 waking 9 0",
			  "13 0 switch 11 2 9", "14 0 switch 9 128 0", "15 0 switch 0 0 9",
			  "16 0 work 0xa00 0xf1" },
			"work 0x0 just queued by -; -", "thread 11 12@0?; -" },
		{ { "8 0 switch 5 1 11 w5 kworker/0:2", "9 0 work 0xb00 0xf2", "12 0 waking 9 0",
			  "13 0 switch 11 2 9", "14 0 workret 0xe00", "15 0 work 0xa00 0xf1" },
			"work 0x0 just queued by -", "thread 11 12@0?" },
		/* Of another CPU; another priority. */
		{ { "8 0 switch 5 1 11 w5 kworker/1:2", "9 0 work 0xb00 0xf2", "12 0 waking 9 0",
			  "13 0 switch 11 2 9", "14 0 work 0xa00 0xf1" },
			"work 0xf2 since 9 queued by -", "-" },
		{ { "8 0 switch 5 1 11 w5 kworker/0:2H", "9 0 work 0xb00 0xf2", "12 0 waking 9 0",
			  "13 0 switch 11 2 9", "14 0 work 0xa00 0xf1" },
			"work 0xf2 since 9 queued by -", "-" },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		const char *const *e = cases[i].events;
		const char *const events[] = { "0 0 allseen", "1 0 switch 3 1 4 w3 kworker/0:9",
			"2 0 work 0x900 0xf9", "3 0 workret 0x900", "4 0 switch 4 128 8 kworker/0:9 w8",
			ASLEEP, e[0], e[1], e[2], e[3], e[4], e[5], e[6], NULL };
		struct mdl_feed *f = mdl_feed_new("6.1", events);

		mdl_feed_expect_facts(f, "9", cases[i].facts);
		mdl_feed_expect_chains(f, "9", cases[i].chain);
		mdl_feed_free(f);
	}
#undef ASLEEP
}

/* Queueing is not recorded: a worker at rest is woken for an item, most likely of its waker; a worker asleep
 * in the middle of an item is not. */
static void test_no_queues(void)
{
	static const char *const events[] = { "0 0 allseen", "5 0 switch 8 1 9 w8 kworker/0:1",
		"6 0 switch 9 128 7 kworker/0:1 w7", "10 0 waking 9 0 kworker/0:1", "20 0 switch 7 1 9",
		"21 0 work 0xa00 0xf1", "22 0 switch 9 2 7", "23 0 waking 9 0 kworker/0:1",
		"24 0 switch 7 1 9", "25 0 workret 0xa00", "26 0 switch 9 128 0 kworker/0:1 swapper/0",
		"30 0 irq 5 a", "31 0 raise 1", "32 0 irqret 5", "33 0 softirq 1",
		"40 0 waking 9 0 kworker/0:1", "41 0 softirqret 1", NULL };
	struct mdl_feed *f = mdl_feed_new("6.1", events);

	mdl_feed_expect_facts(f, "9",
		"work 0x0 just queued by thread 7 10; -; work 0x0 just queued by softirq1:TIMER 40");
	mdl_feed_expect_chains(f, "9", "thread 7 10@0?; -; irq5:a 31@0 > softirq1:TIMER 40@0?");
	mdl_feed_free(f);
}

/* Ends are not recorded: a worker that sleeps as at rest executes nothing any more. */
static void test_no_work_ends(void)
{
	static const char *const events[] = { "5 0 switch 8 1 9 w8 kworker/0:1", "6 0 work 0xb00 0xf2",
		"7 0 switch 9 128 7 kworker/0:1 w7", "10 0 queue 0xa00 0xf1", "12 0 waking 9 0 kworker/0:1",
		"20 0 switch 7 1 9", "21 0 waking 7 0", "22 0 work 0xa00 0xf1", "23 0 waking 8 0", NULL };
	struct mdl_feed *f = mdl_feed_new("6.1", events);

	mdl_feed_expect_facts(f, "9", "work 0xf1 just queued by thread 7 10");
	mdl_feed_expect_facts(f, "7", "-");
	mdl_feed_expect_facts(f, "8", "work 0xf1 since 22 queued by thread 7 10");
	mdl_feed_free(f);
}

/*
 * Exits of vectors or softirqs are not recorded. A context open when the worker ends its item is over, or may
 * be, and the worker is at rest. As in ioburst-ipi at 56.767303060 without x86_irq_vectors_*_exit: it was
 * woken for the item, not for the disk.
 */
static void test_work_in_stale(void)
{
#define STALE(open)                                                                                       \
	{                                                                                                 \
		"0 0 allseen", "0 0 noexits", "5 0 switch 8 1 9 w8 kworker/0:1", "6 0 work 0xb00 0xf2",   \
			open, "7 0 workret 0xb00", "8 0 switch 9 128 7 kworker/0:1 w7",                   \
			"10 0 queue 0xa00 0xf1", "12 0 waking 9 0 kworker/0:1", "20 0 switch 7 1 9", NULL \
	}
	static const char *const vector[] = STALE("6 0 vector 236 local_timer"),
				 *const softirq[] = STALE("6 0 softirq 9");
	struct mdl_feed *f = mdl_feed_new("6.1", vector);

	mdl_feed_expect_facts(f, "9", "work 0xf1 just queued by thread 7 10");
	mdl_feed_free(f);
	f = mdl_feed_new("6.1", softirq);
	mdl_feed_expect_facts(f, "9", "work 0xf1 just queued by thread 7 10");
	mdl_feed_free(f);
#undef STALE
}

/* A completion queues an item, whose worker is awake, and wakes a kworker that reads: that one did not wait
 * for the item, whether its item is known or only its sleep. */
static void test_work_not_awaited(void)
{
	static const char *const events[] = { "5 0 switch 8 1 9 w8 kworker/0:1", "6 0 work 0xb00 0xf2",
		"7 0 switch 9 2 0", "10 0 irq 5 vda", "11 0 queue 0xa00 0xf1", "12 0 waking 9 0 kworker/0:1",
		"13 0 irqret 5", "20 0 switch 0 0 9", "21 0 workret 0xb00", "22 0 switch 9 2 0",
		"30 0 irq 5 vda", "31 0 queue 0xa00 0xf1", "32 0 waking 9 0 kworker/0:1", "33 0 irqret 5",
		"40 0 switch 0 0 9", "41 0 work 0xb00 0xf2", "42 0 switch 9 1 0", "50 0 irq 5 vda",
		"51 0 queue 0xa00 0xf1", "52 0 waking 9 0 kworker/0:1", "53 0 irqret 5", "60 0 switch 0 0 9",
		NULL };
	struct mdl_feed *f = mdl_feed_new("6.1", events);

	mdl_feed_expect_facts(f, "9", "-; -; -");
	mdl_feed_free(f);
}

/* A timer's softirq queues an item for a worker, then calls a rescuer for older items
 * (pool_mayday_timeout()). */
static void test_work_rescued(void)
{
	static const char *const events[] = { "5 0 switch 8 1 9 w8 kworker/R-mm_pe",
		"6 0 switch 9 1026 7 kworker/R-mm_pe w7", "7 0 switch 7 1 0", "10 0 irq 5 eth0",
		"11 0 queue 0xa00 0xf1", "12 0 waking 9 0 kworker/R-mm_pe", "13 0 waking 8 0 kworker/0:1",
		"14 0 irqret 5", "20 0 switch 0 0 9", "21 0 switch 9 128 8", NULL };
	struct mdl_feed *f = mdl_feed_new("6.1", events);

	mdl_feed_expect_facts(f, "9", "-");
	mdl_feed_free(f);
}

/* Queued by an interrupt; queued before the trace; an item that queues itself; a kworker woken for no item.
 */
static void test_work_queued_by(void)
{
	static const char *const events[] = { "6 0 switch 5 1 9 w5 kworker/0:1", "7 0 switch 9 128 0",
		"10 0 irq 5 eth0", "11 0 queue 0xa00 0xf1", "12 0 waking 9 0 kworker/0:1", "13 0 irqret 5",
		"20 0 switch 0 0 9", "21 0 work 0xb00 0xf2", "22 0 waking 5 0", "23 0 queue 0xb00 0xf2",
		"24 0 workret 0xb00", "25 0 work 0xa00", "26 0 workret 0xa00", "27 0 work 0xb00 0xf2",
		"28 0 switch 9 2 5", "29 0 switch 5 1 0", "30 0 waking 9 0", "31 0 switch 0 0 9",
		"32 0 waking 5 0", "33 0 switch 9 128 5", NULL };
	struct mdl_feed *f = mdl_feed_new("6.1", events);

	mdl_feed_expect_facts(f, "9", "work 0xf1 just queued by irq5:eth0 11; -");
	mdl_feed_expect_facts(f, "5",
		"work 0xf2 since 21 queued by -; work 0xf2 since 27 queued by thread 9 23");
	mdl_feed_free(f);
}

/* After lost events the item of a kworker is unknown. */
static void test_work_lost(void)
{
	static const char *const events[] = { "5 0 switch 7 1 5 w7 w5", "6 0 switch 5 1 9 w5 kworker/0:1",
		"10 0 work 0xa00 0xf1", "11 0 switch 9 2 0", "12 1 gap", "14 1 gapend 11",
		"15 1 switch 0 0 6", "16 0 waking 9 0 kworker/0:1", "17 0 switch 0 0 9", "18 0 waking 5 0",
		"19 0 workret 0xa00", "20 0 work 0xa00 0xf1", "21 0 waking 7 0", "22 0 switch 9 128 7",
		NULL };
	struct mdl_feed *f = mdl_feed_new("6.1", events);

	mdl_feed_expect_facts(f, "5", "-");
	mdl_feed_expect_facts(f, "7", "work 0xf1 since 20 queued by -");
	mdl_feed_free(f);
}

/* The signal's event comes after its wake-up, with the migration and sched_wakeup of the thread between. */
static void test_signal(void)
{
	static const char *const events[] = { "1 0 dump 5 5 1 2 0 0 a", "2 0 dump 6 5 1 2 0 0 b",
		"3 0 switch 5 1 6", "4 0 switch 6 1 7", "10 0 waking 5 0", "11 0 migrate 5 1",
		"12 0 wakeup 5 1", "13 0 signal 10 5 0", "14 0 waking 6 0", "15 0 signal 12 5 0",
		"16 1 switch 0 0 5", "17 1 switch 5 1 0", "20 0 hrtimer 0xf1 0x900", "21 0 waking 5 0",
		"22 0 signal 14 5 4 128 1", "23 0 hrtimerret", "30 1 switch 0 0 5", NULL };
	struct mdl_feed *f = mdl_feed_new("6.1", events);

	mdl_feed_expect_facts(f, "5",
		"signal 10 by thread 7 13 inferred; timer 0xf1 at 20 armed by -, signal 14 by hrtimer241 22");
	mdl_feed_expect_facts(f, "6", "signal 12 by thread 7 15 inferred");
	mdl_feed_free(f);
}

/*
 * The function of an interval timer or a POSIX timer only sends its signal. Other functions wake readers
 * first, and the tick does before it sends the signals of timers that count CPU time. The context of a
 * wake-up may be known only from the tracer's flags.
 */
static void test_signal_of_timer(void)
{
	static const struct {
		bool tick;
		const char *signal, *facts;
	} cases[] = {
		{ false, "22 0 signal 10 5 0 -2 1",
			"timer 0xf1 at 20 armed by thread 6 5, signal 10 by hrtimer241 22" },
		{ false, "22 0 signal 29 5 0 128 1",
			"timer 0xf1 at 20 armed by thread 6 5, signal 29 by hrtimer241 22 inferred" },
		{ false, "22 0 signal 10 5 0",
			"timer 0xf1 at 20 armed by thread 6 5, signal 10 by hrtimer241 22 inferred" },
		{ true, "22 0 signal 10 5 0 -2 1", "signal 10 by hrtimer241 22 inferred" },
		{ true, "22 0 signal 27 5 0 128 1", "signal 27 by hrtimer241 22 inferred" },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		const char *const events[] = { "1 0 dump 5 5 1 2 0 0 a", "3 0 switch 5 1 6",
			"5 0 arm 0x900 0xf1", "10 0 hrtimer 0xf1 0x900",
			cases[i].tick ? "11 0 raise 1" : "11 0 none", "12 0 hrtimerret",
			"20 0 hrtimer 0xf1 0x900", "21 0 waking 5 0", cases[i].signal, "23 0 hrtimerret",
			"30 0 switch 6 0 5", NULL };
		struct mdl_feed *f = mdl_feed_new("5.4", events);

		mdl_feed_expect_facts(f, "5", cases[i].facts);
		mdl_feed_free(f);
	}
}

/* A softirq known from the tracer's flags, without an entry, ends nanosleep(); then kill() comes too late. */
static void test_signal_elsewhere(void)
{
	static const char *const events[] = { "1 1 switch 0 0 5", "4 1 sys nanosleep", "5 1 switch 5 1 0",
		"6 0 switch 0 0 7", "7 0 sys kill", "11 0 waking^s 5 1", "12 0 signal^ 10 5 0 0 1",
		"13 1 switch 0 0 5", NULL };
	struct mdl_feed *f = mdl_feed_new("6.1", events);

	mdl_feed_expect_facts(f, "5", "-");
	mdl_feed_free(f);
}

/* The thread runs on another CPU, and is woken again there, before the signal's event comes; another such
 * wake-up is not the signal's. */
static void test_signal_late(void)
{
	static const char *const events[] = { "1 0 switch 0 0 7", "2 1 switch 5 1 0", "10 0 waking 5 1",
		"11 1 wakeup 5 1", "12 1 switch 0 0 5", "13 0 signal 10 5 0", "14 1 switch 5 1 0",
		"20 0 waking 5 1", "21 1 wakeup 5 1", "22 1 switch 0 0 5", "23 1 switch 5 1 0",
		"24 1 waking 5 1", "25 1 switch 0 0 5", "26 0 signal 12 5 0", "27 1 switch 5 1 0",
		"30 0 waking 5 1", "31 1 wakeup 5 1", "32 1 switch 0 0 5", "33 0 sysret write",
		"34 0 signal 14 5 0", "35 1 switch 5 1 0", "40 0 waking 5 1", "41 1 wakeup 5 1",
		"42 1 switch 0 0 5", NULL };
	struct mdl_feed *f = mdl_feed_new("6.1", events);

	mdl_feed_expect_facts(f, "5",
		"signal 10 by thread 7 13 inferred, arrived 11 on 1; arrived 21 on 1; -; arrived 31 on 1; arrived 41 on 1");
	mdl_feed_expect_wakeups(f, "5",
		"10 waking #3 by 7 cpu 0>1 since 2 ran 12, 20 waking #8 by 7 cpu 0>1 since 14 ran 22, "
		"24 waking #12 by idle1 cpu 1>1 since 23 ran 25, 30 waking #16 by 7 cpu 0>1 since 27 ran 32, "
		"40 waking #22 by 7 cpu 0>1 since 35 ran 42");
	mdl_feed_free(f);
}

/* Wake-ups that are not for a signal: SIGCHLD comes before the wake-up of the parent; the signal is ignored, or
 * is for another process; another event of the CPU comes in between; an old kernel. */
static void test_no_signal(void)
{
	static const char *const events[] = { "3 0 switch 5 1 6", "4 0 switch 6 1 7", "10 0 signal 17 5 0",
		"11 0 waking 5 0", "12 0 switch 7 0 5", "13 0 switch 5 1 7", "20 0 waking 5 0",
		"21 0 signal 17 5 1", "22 0 switch 7 0 5", "23 0 switch 5 1 7", "30 0 waking 5 0",
		"31 0 signal 17 6 0", "32 0 switch 7 0 5", "33 0 switch 5 1 7", "40 0 waking 5 0",
		"41 0 sysret write", "42 0 sys kill", "43 0 signal 17 5 0", "44 0 switch 7 0 5",
		"45 0 switch 5 1 7", "50 0 waking 5 0", "51 0 signal 17 5 -", "52 0 switch 7 0 5",
		"53 0 switch 5 1 7", "60 0 waking 5 0", "61 1 signal 17 5 0", "62 0 switch 7 0 5", NULL };
	struct mdl_feed *f = mdl_feed_new("6.1", events);

	mdl_feed_expect_facts(f, "5", "-; -; -; -; -; -");
	mdl_feed_free(f);
}

/* Thread 7 wakes 5 and then sends the signal, with no event between. */
static void expect_signal(const char *leave, const char *before, const char *signal, const char *facts)
{
	const char *const events[] = { "1 1 dump 5 5 1 2 0 1 a", "2 1 dump 6 5 1 2 0 1 b", "3 1 switch 0 0 5",
		leave, "5 1 switch 5 1 0", "6 0 switch 0 0 7", before, "10 0 waking 5 1", "11 0 wakeup 5 1",
		signal, "13 1 switch 0 0 5", NULL };
	struct mdl_feed *f = mdl_feed_new("6.1", events);

	mdl_feed_expect_facts(f, "5", facts);
	mdl_feed_free(f);
}

/* Calls are known only by number: the end of the sender's call would be recorded, and was not. The IPI to the
 * CPU of the woken thread is part of its wake-up. */
static void test_signal_unnamed(void)
{
	static const char *const events[] = { "1 1 dump 5 5 1 2 0 1 a", "3 1 switch 0 0 5", "4 1 sys",
		"5 1 switch 5 1 0", "6 0 switch 0 0 7", "7 0 sys", "10 0 waking 5 1", "11 0 sendipi 1",
		"12 0 wakeup 5 1", "13 0 signal 10 5 0 0 1", "14 1 switch 0 0 5", "15 0 switch 7 2 8",
		"16 0 exit 8 h", "17 0 switch 8 64 7", "18 1 switch 5 1 0", "20 0 waking 5 1",
		"21 0 sendipi 1", "22 0 wakeup 5 1", "23 0 signal 10 5 0 0 1", "24 1 switch 0 0 5",
		"25 1 switch 5 1 0", "26 0 exit 7 g", "30 0 waking 5 1", "31 0 signal 10 5 0 0 1",
		"32 1 switch 0 0 5", NULL };
	struct mdl_feed *f = mdl_feed_new("6.1", events);

	mdl_feed_expect_facts(f, "5",
		"signal 10 by thread 7 13 inferred; signal 10 by thread 7 23; signal 10 by thread 7 31 inferred");
	mdl_feed_free(f);
}

/* An earlier action of the sender may have ended the wait: proved only if nothing else can have. */
static void test_signal_sure(void)
{
	static const char by_signal[] = "signal 10 by thread 7 12";
	static const char maybe[] = "signal 17 by thread 7 12 inferred";

	/* kill(), sigqueue(), tgkill() in a call; if no calls are recorded, two of them may be hidden. */
	expect_signal("4 1 sys read", "7 0 sys kill", "12 0 signal 10 5 0 0 1", by_signal);
	expect_signal("4 1 sys read", "7 0 sys rt_sigqueueinfo", "12 0 signal 10 5 0 -1 1", by_signal);
	expect_signal("4 1 sys read", "7 0 sys tgkill", "12 0 signal 10 5 0 -6 0", by_signal);
	expect_signal("4 1 sys read", "7 0 rename 7 x", "12 0 signal 10 5 0 0 1",
		"signal 10 by thread 7 12 inferred");
	expect_signal("4 1 sys read", "7 0 sys futex", "12 0 signal 10 5 0",
		"signal 10 by thread 7 12 inferred");
	/* A thread that ends sends these to its children, and closed its pipes before. */
	expect_signal("4 1 sys read", "7 0 sys exit_group", "12 0 signal 10 5 0 0 1",
		"signal 10 by thread 7 12 inferred");
	/* For another thread of the process only. */
	expect_signal("4 1 sys futex", "7 0 rename 7 x", "12 0 signal 10 6 0 -6 0", "-");
	expect_signal("4 1 sys futex", "7 0 sys kill", "12 0 signal 10 6 0 0 1", by_signal);
	/* A child ends: it closes its end of the pipe, then sends SIGCHLD. */
	expect_signal("4 1 sys read", "7 0 sys exit_group", "12 0 signal 17 5 0 1 1", maybe);
	expect_signal("4 1 sys wait4", "7 0 sys exit_group", "12 0 signal 17 5 0 1 1",
		"signal 17 by thread 7 12");
	/* A writer wakes the reader, then sends SIGIO. */
	expect_signal("4 1 sys read", "7 0 sys write", "12 0 signal 29 5 0 128 1",
		"signal 29 by thread 7 12 inferred");
}

/* A child of vfork() ends: its parent does not sleep interruptibly. SIGCONT continues a stopped thread, even
 * if ignored. */
static void test_signal_states(void)
{
	static const char *const events[] = { "1 1 switch 5 2 0", "6 0 switch 0 0 7", "10 0 waking 5 1",
		"11 0 wakeup 5 1", "12 0 signal 17 5 0 1 1", "13 1 switch 0 0 5", "14 1 switch 5 2 0",
		"20 0 waking 5 1", "21 0 wakeup 5 1", "22 0 signal 9 5 0 128 1", "23 1 switch 0 0 5",
		"24 1 switch 5 4 0", "30 0 waking 5 1", "31 0 wakeup 5 1", "32 0 signal 18 5 1 0 1",
		"33 1 switch 0 0 5", "34 1 switch 5 1 0", "40 0 waking 5 1", "41 0 wakeup 5 1",
		"42 0 signal 18 5 1 0 1", "43 1 switch 0 0 5", NULL };
	struct mdl_feed *f = mdl_feed_new("6.1", events);

	mdl_feed_expect_facts(f, "5", "-; signal 9 by thread 7 22 inferred; signal 18 by thread 7 32; -");
	mdl_feed_free(f);
}

/*
 * One signal wakes several threads before its event: 5 and 6 of process 5, and 8 of another one. BEFORE: the
 * sender's action, LEAVE: how 5 leaves its CPU.
 */
static void expect_several(const char *before, const char *leave, const char *signal, const char *first,
	const char *second, const char *other)
{
	const char *const events[] = { "1 1 dump 5 5 1 2 0 1 a", "2 1 dump 6 5 1 2 0 1 b",
		"2 1 dump 8 8 1 2 0 1 c", "2 1 switch 0 0 8", "2 1 sys read", "2 1 switch 8 1 5",
		"3 1 sys read", leave, "4 1 sys read", "5 1 switch 6 1 0", "6 0 switch 0 0 7", before,
		"9 0 waking 8 1", "9 0 wakeup 8 1", "10 0 waking 5 1", "10 0 wakeup 5 1", "11 0 waking 6 1",
		"11 0 migrate 6 1", "11 0 sendipi 1", "11 0 wakeup 6 1", signal, "13 1 switch 0 0 5",
		"14 1 switch 5 1 6", "15 1 switch 6 1 8", NULL };
	struct mdl_feed *f = mdl_feed_new("6.1", events);

	mdl_feed_expect_facts(f, "5", first);
	mdl_feed_expect_facts(f, "6", second);
	mdl_feed_expect_facts(f, "8", other);
	mdl_feed_free(f);
}

static void test_signal_several(void)
{
	static const char kill[] = "7 0 sys kill", run[] = "3 1 switch 5 1 6", stop[] = "3 1 switch 5 4 6";
	static const char killed[] = "signal 9 by thread 7 12", usr1[] = "signal 10 by thread 7 12";
	static const char likely[] = "signal 9 by thread 7 12 inferred";

	expect_several(kill, run, "12 0 signal 9 5 0 0 1", killed, killed, "-");
	/* A signal for one thread ends all threads if it kills, unless it dumps core. */
	expect_several("7 0 sys tgkill", run, "12 0 signal 10 6 0 -6 0", usr1, usr1, "-");
	expect_several("7 0 sys tgkill", run, "12 0 signal 11 6 0 -6 0", "-", "signal 11 by thread 7 12",
		"-");
	expect_several("7 0 sys tgkill", run, "12 0 signal 18 6 0 -6 0", "-", "signal 18 by thread 7 12",
		"-");
	/* The sender may have woken them before. */
	expect_several("7 0 sys write", run, "12 0 signal 9 5 0 128 1", likely, likely, "-");
	expect_several("7 0 sys write", run, "12 0 signal 17 5 0 1 1", "-",
		"signal 17 by thread 7 12 inferred", "-");
	expect_several("7 0 sys write", stop, "12 0 signal 18 5 1 0 1", "signal 18 by thread 7 12", "-", "-");
}

/* Enqueueing a thread may start timers before its sched_wakeup; timer events after it are the sender's. */
static void test_signal_enqueue(void)
{
	static const char before[] = "1 1 dump 5 5 1 2 0 1 a", in[] = "3 1 switch 0 0 5",
			  call[] = "4 1 sys read", out[] = "5 1 switch 5 1 0", to[] = "6 0 switch 0 0 7",
			  kill[] = "7 0 sys kill", waking[] = "10 0 waking 5 1",
			  disarm[] = "11 0 disarm 0xf1", arm[] = "12 0 arm 0xf1 0x900",
			  wakeup[] = "13 0 wakeup 5 1", signal[] = "14 0 signal 10 5 0 0 1",
			  runs[] = "15 1 switch 0 0 5";
	static const char *const within[] = { before, in, call, out, to, kill, waking, disarm, "12 0 none",
		arm, wakeup, signal, runs, NULL };
	static const char *const remote[] = { before, in, call, out, to, kill, waking, arm, "13 1 wakeup 5 1",
		signal, runs, NULL };
	static const char *const behind[] = { before, in, call, out, to, kill, waking, "11 0 wakeup 5 1", arm,
		signal, runs, NULL };
	static const char *const other[] = { before, in, call, out, to, kill, waking, arm, "13 0 waking 6 0",
		signal, runs, NULL };
	static const struct {
		const char *const *events;
		const char *facts;
	} cases[] = { { within, "signal 10 by thread 7 14" }, { remote, "arrived 13 on 1" }, { behind, "-" },
		{ other, "-" } };

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct mdl_feed *f = mdl_feed_new("6.18", cases[i].events);

		mdl_feed_expect_facts(f, "5", cases[i].facts);
		mdl_feed_free(f);
	}
}

/* After lost events it is unknown whether a thread was stopped: SIGCONT, ignored, continues it. */
static void test_signal_lost(void)
{
	static const char *const events[] = { "1 1 dump 5 5 1 2 0 1 a", "2 1 switch 0 0 5", "3 1 gap",
		"4 1 gapend 3", "5 1 softirq 1", "6 1 softirqret 1", "6 0 switch 0 0 7", "7 0 sys kill",
		"10 0 waking 5 1", "11 0 wakeup 5 1", "12 0 signal 18 5 1 0 1", "13 1 switch 0 0 5", NULL };
	struct mdl_feed *f = mdl_feed_new("6.1", events);

	mdl_feed_expect_facts(f, "5", "signal 18 by thread 7 12");
	mdl_feed_free(f);
}

/*
 * Threads of unknown processes, as with ftrace and perf. kill() wakes one thread of its target process, or
 * all of them; so does a signal that continues a stopped thread or ends pause(). Any other wake-up may be for
 * another process, and so may the tick's, which also wakes readers of the kernel log.
 */
static void test_signal_unknown_process(void)
{
	static const char *const events[] = { "1 1 switch 0 0 5", "4 1 sys", "5 1 switch 5 1 0",
		"6 0 switch 0 0 7", "7 0 sys", "9 0 sysret", "10 0 sys", "11 0 waking 5 1",
		"12 0 signal 10 4 0 0 1", "13 1 switch 0 0 5", "14 0 exit 8 h", "15 1 switch 5 1 0",
		"20 0 waking 5 1", "21 0 signal 10 4 0 0 1", "22 1 switch 0 0 5", "23 1 switch 5 1 0",
		"30 0 waking 5 1", "31 0 signal 17 4 0 0 0", "32 1 switch 0 0 5", "33 1 switch 5 4 0",
		"40 0 waking 5 1", "41 0 signal 18 4 1 128 1", "42 1 switch 0 0 5", "43 1 switch 5 1 0",
		"50 0 waking 5 1", "51 0 signal 29 4 0 128 1", "52 1 switch 0 0 5", "53 1 switch 5 1 0",
		"60 0 hrtimer 0xf2 0x800", "61 0 waking 5 1", "62 0 signal 24 4 0 128 1", "63 0 hrtimerret",
		"64 1 switch 0 0 5", "65 1 switch 5 1 0", "70 0 waking 5 1", "71 0 signal 10 4 0 0 0",
		"72 1 switch 0 0 5", NULL };
	struct mdl_feed *f = mdl_feed_new("6.18", events);

	mdl_feed_expect_facts(f, "5",
		"-; signal 10 by thread 7 21; -; signal 18 by thread 7 41; -; timer 0xf2 at 60 armed by -; signal 10 by thread 7 71");
	mdl_feed_free(f);
}

#define DATA "127.0.0.1:80>127.0.0.1:4000#7"
#define ANSWER "127.0.0.1:4000>127.0.0.1:80#9"

/* Over the loopback: the thread that queued it; an acknowledgement queued in the softirq; the buffer reused
 * for another packet. */
static void test_packet(void)
{
	static const char *const events[] = { "0 0 allseen", "3 0 switch 5 1 6", "4 0 switch 6 1 7",
		"10 0 send 0x500 66 lo " DATA, "11 0 softirq 3", "12 0 receive 0x500 52 lo " DATA,
		"13 0 send 0x600 66 lo " ANSWER, "14 0 waking 5 0", "15 0 receive 0x600 52 lo " ANSWER,
		"16 0 waking 6 0", "17 0 softirqret 3", "20 0 send 0x500 66 eth0 " DATA, "21 0 switch 7 0 5",
		"22 0 switch 5 1 6", "23 0 switch 6 1 0", "30 0 softirq 3",
		"31 0 receive 0x500 52 eth0 " ANSWER, "32 0 waking 5 0", "33 0 receive 0x500 52 eth0 " DATA,
		"34 0 waking 6 0", "35 0 softirqret 3", "36 0 switch 0 0 5", "37 0 switch 5 0 6", NULL };
	struct mdl_feed *f = mdl_feed_new("6.1", events);

	mdl_feed_expect_facts(f, "5",
		"packet 80>4000#7 on lo at 12 sent by thread 7 10; packet 4000>80#9 on eth0 at 31 sent by - perhaps");
	mdl_feed_expect_facts(f, "6",
		"packet 4000>80#9 on lo at 15 sent by softirq3:NET_RX 13; packet 80>4000#7 on eth0 at 33 sent by - perhaps");
	mdl_feed_free(f);
}

/* A pair of virtual interfaces into a bridge: received twice, sent once. The first reception counts. */
static void test_packet_bridge(void)
{
	static const char *const events[] = { "0 0 allseen", "3 0 switch 5 1 6", "4 0 switch 6 1 7",
		"10 0 send 0x500 66 veth0 " DATA, "11 0 softirq 3", "12 0 receive 0x500 52 veth1 " DATA,
		"13 0 receive 0x500 52 br0 " DATA, "14 0 waking 5 0", "15 0 softirqret 3",
		"16 0 switch 7 1 5", NULL };
	struct mdl_feed *f = mdl_feed_new("6.1", events);

	mdl_feed_expect_facts(f, "5", "packet 80>4000#7 on veth1 at 12 sent by thread 7 10");
	mdl_feed_free(f);
}

/* From another host into a container, in the same softirq or in the next one, and from a container into
 * another: the arrival at the host. */
static void test_packet_handed_on(void)
{
	static const char *const events[] = { "0 0 allseen", "3 0 switch 5 1 6", "4 0 switch 6 1 7",
		"10 0 softirq 3", "11 0 receive 0x500 52 eth0 10.0.0.1:80>10.0.0.2:4000#7",
		"12 0 send 0x500 66 veth0 10.0.0.1:80>10.0.0.2:4000#7", "13 0 softirqret 3", "14 0 softirq 3",
		"15 0 receive 0x500 52 veth1 10.0.0.1:80>10.0.0.2:4000#7", "16 0 waking 5 0",
		"17 0 softirqret 3", "20 0 send 0x600 66 veth2 10.0.0.3:80>10.0.0.2:4000#9", "21 0 softirq 3",
		"22 0 receive 0x600 52 veth3 10.0.0.3:80>10.0.0.2:4000#9",
		"23 0 send 0x600 66 veth0 10.0.0.3:80>10.0.0.2:4000#9",
		"24 0 receive 0x600 52 veth1 10.0.0.3:80>10.0.0.2:4000#9", "25 0 waking 6 0",
		"26 0 softirqret 3", "30 0 switch 7 0 5", "31 0 switch 5 0 6", NULL };
	struct mdl_feed *f = mdl_feed_new("6.1", events);

	mdl_feed_expect_facts(f, "5", "packet 80>4000#7 on eth0 at 11 sent by -");
	mdl_feed_expect_facts(f, "6", "packet 80>4000#9 on veth3 at 22 sent by thread 7 20");
	mdl_feed_free(f);
}

#define FROM(port, rest) "10.0.0.2:" port ">10.0.0.1:4000#" rest
#define TO(port, rest) "10.0.0.1:4000>10.0.0.2:" port "#" rest

/* Several packets arrive at once: the first one with data on the connection on which the thread sent last. */
static void test_packet_batch(void)
{
	static const char *const events[] = { "0 0 allseen", "2 0 switch 0 0 5",
		"3 0 send 0x100 66 eth0 " TO("80", "1"), "4 0 send 0x100 66 eth0 " TO("81", "1"),
		"5 0 switch 5 1 6", "6 0 send 0x100 66 eth0 " TO("82", "1"), "7 0 switch 6 1 8",
		"8 0 switch 8 1 7", "10 0 softirq 3", "11 0 receive 0x500 52 eth0 " FROM("80", "1"),
		"12 0 receive 0x501 52 eth0 " FROM("81", "1+0"),
		"13 0 receive 0x502 52 eth0 " FROM("81", "1+9"),
		"14 0 receive 0x503 52 eth0 " FROM("81", "10+9"),
		"15 0 receive 0x504 52 eth0 " FROM("82", "1+0"), "16 0 waking 5 0",
		"17 0 waking 6 0", /* only an acknowledgement arrived for it */
		"18 0 waking 8 0", /* it sent nothing */
		/* By itself, on another connection. */
		"19 0 receive 0x505 52 eth0 " FROM("83", "1"), "20 0 softirqret 3", "21 0 switch 7 1 5",
		"22 0 switch 5 1 6", "23 0 switch 6 1 8", "24 0 switch 8 1 0", "30 0 softirq 3",
		"31 0 receive 0x500 52 eth0 " FROM("82", "2"), "32 0 poll",
		"33 0 receive 0x501 52 eth0 " FROM("81", "20"), "34 0 waking 5 0",
		"35 0 receive 0x502 52 eth0 " FROM("83", "2"), "36 0 waking 6 0", "37 0 softirqret 3",
		"38 0 switch 0 0 5", "39 0 switch 5 0 6", NULL };
	struct mdl_feed *f = mdl_feed_new("6.1", events);

	mdl_feed_expect_facts(f, "5",
		"packet 81>4000#1 on eth0 at 13 sent by - perhaps; packet 81>4000#20 on eth0 at 33 sent by - perhaps");
	mdl_feed_expect_facts(f, "6",
		"packet 82>4000#1 on eth0 at 15 sent by - perhaps; packet 83>4000#2 on eth0 at 35 sent by - perhaps");
	mdl_feed_expect_facts(f, "8", "packet 81>4000#10 on eth0 at 14 sent by - perhaps");
	mdl_feed_free(f);
}

/* Only TCP's sequence numbers, recorded above the buffer and its interface (inet_sock_local_out and _in). */
static void test_packet_numbers(void)
{
	static const char *const events[] = { "0 0 allseen", "3 0 switch 5 1 6", "3 0 sys recvfrom",
		"4 0 switch 6 1 7", "10 0 send - - - #1000/7", "11 0 send 0x500 66 lo", "12 0 softirq 3",
		"13 0 receive 0x500 52 lo", "14 0 receive - - - #1000/7", "15 0 waking 5 0",
		"16 0 receive 0x500 52 eth0", "17 0 receive - - - #1000/8", "18 0 waking 6 0",
		"19 0 softirqret 3", "30 0 switch 7 0 5", "31 0 switch 5 0 6", NULL };
	struct mdl_feed *f = mdl_feed_new("6.1", events);

	mdl_feed_expect_facts(f, "5", "packet #1000/7 on lo at 14 sent by thread 7 10");
	mdl_feed_expect_facts(f, "6", "packet #1000/8 on eth0 at 17 sent by -");
	mdl_feed_free(f);
}

/* Headers were not recorded: on the loopback the buffer is enough proof, on a card it is not. A buffer cut
 * into others returns at addresses that others had. */
static void test_packet_bare(void)
{
	static const char *const events[] = { "0 0 allseen", "3 0 switch 5 1 6", "3 0 sys recvfrom",
		"4 0 switch 6 1 7", "10 0 send 0x500 66 lo", "11 0 send 0x600 66 eth0", "12 0 softirq 3",
		"13 0 receive 0x500 52 lo", "14 0 waking 5 0", "15 0 softirqret 3", "16 0 waking 7 0",
		"20 0 softirq 3", "21 0 receive 0x600 52 eth0", "22 0 waking 6 0", "23 0 softirqret 3",
		"30 0 switch 7 1 5", "31 0 switch 5 1 6", "32 0 switch 6 1 7", "40 0 send 0x700 66 lo",
		"41 0 send 0x800 95298 lo", "42 0 softirq 3", "43 0 receive 0x500 47668 lo",
		"44 0 waking 5 0", "45 0 receive 0x700 47668 lo", "46 0 waking 6 0", "47 0 softirqret 3",
		"50 0 switch 7 1 5", "51 0 switch 5 1 6", NULL };
	struct mdl_feed *f = mdl_feed_new("6.1", events);

	mdl_feed_expect_facts(f, "5", "packet on lo at 13 sent by thread 7 10; packet on lo at 43 sent by -");
	mdl_feed_expect_facts(f, "6", "packet on eth0 at 21 sent by -; packet on lo at 45 sent by -");
	mdl_feed_free(f);
}

/* A thread that receives what it writes (to a tun device) may wake for the packet; not after its system call,
 * nor in its next run. */
static void test_packet_in_thread(void)
{
	static const char *const events[] = { "0 0 allseen", "3 0 switch 5 1 6", "4 0 switch 6 1 7",
		"10 0 receive 0x500 52 eth0 " DATA, "11 0 waking 5 0", "12 0 sysret write", "13 0 waking 6 0",
		"14 0 receive 0x500 52 eth0 " DATA, "15 0 switch 7 0 5", "16 0 switch 5 1 7",
		"17 0 waking 5 0", "18 0 switch 7 0 5", NULL };
	struct mdl_feed *f = mdl_feed_new("6.1", events);

	mdl_feed_expect_facts(f, "5", "packet 80>4000#7 on eth0 at 10 sent by - perhaps; -");
	mdl_feed_expect_facts(f, "6", "-");
	mdl_feed_free(f);
}

/* On the loopback each packet is processed before the next. Elsewhere the previous packet may still be to
 * come, and a listener to all packets is woken first. */
static void test_packet_several(void)
{
	static const char *const events[] = { "0 0 allseen", "3 0 switch 5 1 6", "3 0 sys recvfrom",
		"4 0 switch 6 1 7", "5 0 sys recvfrom", "10 0 softirq 3", "11 0 receive 0x500 52 lo",
		"12 0 receive 0x501 52 lo", "13 0 waking 5 0", "14 0 receive 0x502 52 eth0",
		"15 0 waking 6 0", "16 0 softirqret 3", "20 0 switch 7 1 5", "21 0 switch 5 1 6",
		"22 0 switch 6 1 0", "30 0 softirq 3", "31 0 receive 0x500 52 eth0", "32 0 waking 7 0",
		"33 0 receive 0x501 52 eth0", "34 0 waking 5 0", "35 0 poll", "36 0 receive 0x502 52 eth0",
		"37 0 waking 6 0", "38 0 softirqret 3", "39 0 switch 0 0 7", "40 0 switch 7 1 5",
		"41 0 switch 5 1 6", NULL };
	struct mdl_feed *f = mdl_feed_new("6.1", events);

	mdl_feed_expect_facts(f, "5", "packet on lo at 12 sent by -; packet on eth0 at 33 sent by - perhaps");
	mdl_feed_expect_facts(f, "6", "packet on eth0 at 14 sent by -; packet on eth0 at 36 sent by -");
	mdl_feed_expect_facts(f, "7", "packet on eth0 at 31 sent by -");
	mdl_feed_free(f);
}

/* Only the softirq that polls does nothing else: a tasklet is followed by others in the same softirq. */
static void test_packet_in_tasklet(void)
{
	static const char *const events[] = { "0 0 allseen", "3 0 switch 5 1 7", "10 0 softirq 6",
		"11 0 receive 0x500 52 ifb0", "12 0 waking 5 0", "13 0 softirqret 6", "20 0 switch 7 0 5",
		NULL };
	struct mdl_feed *f = mdl_feed_new("6.1", events);

	mdl_feed_expect_facts(f, "5", "packet on ifb0 at 11 sent by - perhaps");
	mdl_feed_free(f);
}

/* If ends of polls are not recorded, the next poll of the softirq may have freed sent packets. */
static void test_packet_without_polls(void)
{
#define RX                                                                                      \
	"2 0 sys recvfrom", "3 0 switch 5 1 7", "10 0 softirq 3", "11 0 receive 0x500 52 eth0", \
		"12 0 waking 5 0"
	static const char *const unknown[] = { "0 0 nopolls", "0 0 allseen", "1 0 switch 0 0 5", RX,
		"13 0 softirqret 3", "20 0 switch 7 0 5", NULL };
	static const char *const known[] = { "0 0 nopolls", "0 0 allseen", "1 0 switch 0 0 5", "1 0 poll", RX,
		"13 0 softirqret 3", "20 0 switch 7 0 5", NULL };
	struct mdl_feed *f = mdl_feed_new("6.1", unknown);

	mdl_feed_expect_facts(f, "5", "packet on eth0 at 11 sent by - perhaps");
	mdl_feed_free(f);
	f = mdl_feed_new("6.1", known);
	mdl_feed_expect_facts(f, "5", "packet on eth0 at 11 sent by -");
	mdl_feed_free(f);
#undef RX
}

/*
 * A card's poll may free sent packets after the received ones, which wakes threads that wait for room to
 * send: not receivers, nor polls for such a packet; nor with virtio, nor a queue that only this host fills.
 */
static void test_packet_or_room(void)
{
#define SENDS "2 0 send 0x400 66 eth0 " TO("80", "1")
#define CARD "6 0 irq 5 enp3s0", "7 0 raise 3", "8 0 irqret 5"
#define VIRTIO "6 0 irq 5 virtio0-input.0", "7 0 raise 3", "8 0 irqret 5"
#define STEERED "6 0 ipi Function_call", "7 0 raise 3", "8 0 ipiret"
#define GOT                                                                                   \
	"10 0 softirq 3", "11 0 receive 0x500 52 eth0 " FROM("80", "1+9"), "12 0 waking 5 0", \
		"13 0 softirqret 3", "20 0 switch 7 0 5", NULL
	static const struct {
		const char *call, *sends, *led[3];
		bool sure;
	} cases[] = { { "sys recvmsg", "2 0 none", { CARD }, true }, { "sys sendto", SENDS, { CARD }, false },
		{ "sys epoll_wait", "2 0 none", { CARD }, false },
		{ "sys epoll_wait", SENDS, { CARD }, true }, { "none", SENDS, { CARD }, false },
		{ "sys sendto", "2 0 none", { VIRTIO }, true },
		{ "sys sendto", "2 0 none", { STEERED }, true },
		{ "sys sendto", "2 0 none", { "6 0 none", "7 0 raise 3", "8 0 none" }, true } };

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *call = g_strdup_printf("3 0 %s", cases[i].call);
		const char *const events[] = { "0 0 allseen", "1 0 switch 0 0 5", cases[i].sends, call,
			"4 0 switch 5 1 7", cases[i].led[0], cases[i].led[1], cases[i].led[2], GOT };
		struct mdl_feed *f = mdl_feed_new("6.1", events);

		mdl_feed_expect_facts(f, "5",
			cases[i].sure ? "packet 80>4000#1 on eth0 at 11 sent by -"
				      : "packet 80>4000#1 on eth0 at 11 sent by - perhaps");
		mdl_feed_free(f);
	}
#undef SENDS
#undef CARD
#undef VIRTIO
#undef STEERED
#undef GOT
}

/* Threaded NAPI polls and does nothing else, if the end of its polls is recorded; its name alone is not
 * enough. */
static void test_packet_of_poller(void)
{
	static const char *const events[] = { "0 0 nopolls", "0 0 allseen",
		"1 0 dump 7 7 2 5 0 0 napi/eth0-258", "2 0 dump 8 8 1 5 0 0 napi/eth0-259",
		"3 0 switch 5 1 6", "3 0 sys recvfrom", "4 0 switch 6 1 7 - napi/eth0-258",
		"10 0 receive 0x500 52 eth0", "11 0 waking 5 0", "12 0 poll", "13 0 receive 0x501 52 eth0",
		"14 0 waking 6 0", "15 0 poll", "20 0 switch 7 0 5", "21 0 switch 5 1 8",
		"22 0 receive 0x502 52 eth0", "23 0 waking 5 0", "24 0 switch 8 0 5", NULL };
	struct mdl_feed *f = mdl_feed_new("6.1", events);

	mdl_feed_expect_facts(f, "5",
		"packet on eth0 at 10 sent by - perhaps; packet on eth0 at 22 sent by - perhaps");
	mdl_feed_expect_facts(f, "6", "packet on eth0 at 13 sent by -");
	mdl_feed_free(f);
}

/*
 * Without softirqs and system calls the loopback's packets are received within the run of their sender, and
 * so are its other wake-ups. The end of the poll that brought a packet ends its time; but a thread may have
 * received it by itself: perhaps.
 */
static void test_packet_in_run(void)
{
	/* A futex. */
	/* By the next poll, which found sent packets. */
	static const char *const events[] = { "0 0 allseen", "3 0 switch 5 1 6", "4 0 switch 6 1 7",
		"10 0 receive 0x500 52 lo " DATA, "11 0 waking 5 0", "12 0 poll", "13 0 waking 6 0",
		"20 0 switch 7 0 5", "21 0 switch 5 1 6", "22 0 switch 6 1 7",
		"23 0 receive 0x501 52 lo " FROM("80", "9"), "24 0 waking 5 0", "25 0 poll", "26 0 softirq 3",
		"27 0 receive 0x502 52 lo " FROM("80", "10"), "28 0 poll", "29 0 waking 6 0",
		"30 0 softirqret 3", "31 0 switch 7 0 5", "32 0 switch 5 0 6", NULL };
	struct mdl_feed *f = mdl_feed_new("6.1", events);

	mdl_feed_expect_facts(f, "5",
		"packet 80>4000#7 on lo at 10 sent by - perhaps; packet 80>4000#9 on lo at 23 sent by - perhaps");
	mdl_feed_expect_facts(f, "6", "-; -");
	mdl_feed_free(f);
}

/* If softirqs run in threads (PREEMPT_RT), a packet received in one does not last beyond its exit. */
static void test_packet_threaded(void)
{
	static const char *const events[] = { "0 0 allseen", "1 0 softirq 3", "2 0 switch 0 0 5",
		"3 0 switch 5 1 6", "4 0 softirqret 3", "5 0 softirq 3", "6 0 switch 6 1 7",
		"7 0 softirqret 3", "8 0 softirq 3", "10 0 receive 0x500 52 lo " DATA, "11 0 waking 5 0",
		"12 0 softirqret 3", "13 0 waking 6 0", "20 0 switch 7 0 5", "21 0 switch 5 0 6", NULL };
	struct mdl_feed *f = mdl_feed_new("6.1", events);

	mdl_feed_expect_facts(f, "5", "packet 80>4000#7 on lo at 10 sent by -");
	mdl_feed_expect_facts(f, "6", "-");
	mdl_feed_free(f);
}

/* In order of number, without repeats. */
static void test_devices(void)
{
	static const char *const events[] = { "0 0 allseen", "1 0 dumpblock 266338320 vdb",
		"2 0 dumpblock 2097152 fd0", "3 0 dumpblock 266338304 vda", "4 0 dumpblock 2097152 fd1",
		"5 0 dumpblock - none", "6 0 dumpblock 5 -", NULL };
	struct mdl_feed *f = mdl_feed_new("6.1", events);
	const GArray *devices = mdl_machine_devices(mdl_feed_machine(f));
	GString *s = g_string_new(NULL);

	for (guint i = 0; i < devices->len; i++) {
		const struct mdl_device *d = &g_array_index(devices, struct mdl_device, i);

		g_string_append_printf(s, "%u %s ", d->dev,
			base_strings_get(mdl_machine_strings(mdl_feed_machine(f)), d->name));
	}
	g_assert_cmpstr(s->str, ==, "2097152 fd0 266338304 vda 266338320 vdb ");
	g_string_free(s, TRUE);
	mdl_feed_free(f);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/works/work", test_work);
	g_test_add_func("/works/left", test_work_left);
	g_test_add_func("/works/pool", test_work_of_pool);
	g_test_add_func("/works/no-queues", test_no_queues);
	g_test_add_func("/works/no-ends", test_no_work_ends);
	g_test_add_func("/works/work-in-stale", test_work_in_stale);
	g_test_add_func("/works/queued-by", test_work_queued_by);
	g_test_add_func("/works/not-awaited", test_work_not_awaited);
	g_test_add_func("/works/rescued", test_work_rescued);
	g_test_add_func("/works/lost", test_work_lost);
	g_test_add_func("/signals/signal", test_signal);
	g_test_add_func("/signals/signal-of-timer", test_signal_of_timer);
	g_test_add_func("/signals/signal-elsewhere", test_signal_elsewhere);
	g_test_add_func("/signals/late", test_signal_late);
	g_test_add_func("/signals/none", test_no_signal);
	g_test_add_func("/signals/sure", test_signal_sure);
	g_test_add_func("/signals/unnamed", test_signal_unnamed);
	g_test_add_func("/signals/states", test_signal_states);
	g_test_add_func("/signals/several", test_signal_several);
	g_test_add_func("/signals/enqueue", test_signal_enqueue);
	g_test_add_func("/signals/lost", test_signal_lost);
	g_test_add_func("/signals/unknown-process", test_signal_unknown_process);
	g_test_add_func("/packets/headers", test_packet);
	g_test_add_func("/packets/bridge", test_packet_bridge);
	g_test_add_func("/packets/packet handed on", test_packet_handed_on);
	g_test_add_func("/packets/packets at once", test_packet_batch);
	g_test_add_func("/packets/packets of one poll", test_packet_several);
	g_test_add_func("/packets/or room to send", test_packet_or_room);
	g_test_add_func("/packets/packet in a tasklet", test_packet_in_tasklet);
	g_test_add_func("/packets/packet without polls", test_packet_without_polls);
	g_test_add_func("/packets/packet of a poller", test_packet_of_poller);
	g_test_add_func("/packets/packet numbers", test_packet_numbers);
	g_test_add_func("/packets/bare", test_packet_bare);
	g_test_add_func("/packets/thread", test_packet_in_thread);
	g_test_add_func("/packets/run of who sent", test_packet_in_run);
	g_test_add_func("/packets/threaded softirq", test_packet_threaded);
	g_test_add_func("/devices", test_devices);
	return g_test_run();
}
