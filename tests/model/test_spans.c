/* SPDX-License-Identifier: MIT */
/* Spans: pairs of begin and end events, and events without a counterpart. */
#include "model/mdl_feed.h"

/* A call belongs to its thread, on whatever CPU it ends. rt_sigreturn and exit_group have no exit. An exit of
 * another name, or without an entry, ends nothing. */
static void test_calls(void)
{
	static const char *const events[] = { "5 0 switch 8 1 7 w8 w7", "6 1 switch 0 0 9 - w9",
		"10 0 sys read", "12 0 switch 7 1 8", "14 0 waking 7 1", "16 1 switch 9 1 7",
		"18 1 sysret read", "20 1 sysret clone", "22 1 sys rt_sigreturn", "24 1 sys write",
		"26 1 sysret read", "28 1 sys close", "30 1 sysret close", "32 1 sys exit_group", "40 0 none",
		NULL };
	struct mdl_feed *f = mdl_feed_new("6.1", events);

	mdl_feed_expect_spans(f, MDL_SPAN_SYSCALL,
		"read 10-18 7, rt_sigreturn 22 lost 7, write 24 lost 7, close 28-30 7, exit_group 32 open 7");
	mdl_feed_free(f);
}

/* Only waits: FUTEX_WAIT, _LOCK_PI with the private flag; not FUTEX_WAKE. */
static void test_futex(void)
{
	static const char *const events[] = { "5 0 switch 8 1 7 w8 w7", "10 0 call futex 0xf0 0",
		"12 0 sysret futex", "14 0 call futex 0xf1 129", "16 0 sysret futex",
		"18 0 call futex 0xf2 134", "20 0 sysret futex", NULL };
	struct mdl_feed *f = mdl_feed_new("6.1", events);

	mdl_feed_expect_spans(f, MDL_SPAN_FUTEX, "0xf0 10-12 7, 0xf2 18-20 7");
	mdl_feed_free(f);
}

/* pthread_join() waits for a thread to end, not for a lock: its shared futex is released in the exit() of a
 * thread of its process. A thread of another process, and a private futex, do not match. */
static void test_join(void)
{
	static const char *const events[] = { "1 0 dump 7 7 1 5 0 0 w7", "1 0 dump 8 7 1 5 0 0 w8",
		"1 0 dump 9 9 1 5 0 0 w9", "5 0 switch 8 1 7 w8 w7", "6 1 switch 0 0 8 - w8",
		"10 0 call futex 0xf0 0", "12 0 switch 7 1 0", "14 1 sys exit", "16 1 waking 7 0",
		"18 0 switch 0 0 7", "20 0 sysret futex", "22 0 call futex 0xf1 128", "24 0 switch 7 1 0",
		"26 1 waking 7 0", "28 0 switch 0 0 7", "30 0 sysret futex", "32 1 switch 8 32 9",
		"34 0 call futex 0xf2 0", "36 0 switch 7 1 0", "38 1 sys exit", "40 1 waking 7 0",
		"42 0 switch 0 0 7", "44 0 sysret futex", NULL };
	struct mdl_feed *f = mdl_feed_new("6.1", events);

	mdl_feed_expect_spans(f, MDL_SPAN_FUTEX, "0xf1 22-30 7, 0xf2 34-44 7");
	mdl_feed_free(f);
}

/* If no event names processes, a thread that it created is joined, and so is one whose creator is unknown;
 * one created by another thread is not. */
static void test_join_untold(void)
{
	static const char *const events[] = { "5 0 switch 8 1 7 w8 w7", "6 1 switch 0 0 8 - w8",
		"7 0 fork 7 - 9 - w7 w9", "8 1 fork 8 - 10 - w8 w10", "10 0 call futex 0xf0 0",
		"12 0 switch 7 1 0", "14 1 sys exit", "16 1 waking 7 0", "18 0 switch 0 0 7",
		"20 0 sysret futex", "22 0 call futex 0xf1 0", "24 0 switch 7 1 0",
		"25 1 switch 8 16 9 w8 w9", "26 1 sys exit", "27 1 waking 7 0", "28 0 switch 0 0 7",
		"30 0 sysret futex", "32 0 call futex 0xf2 0", "34 0 switch 7 1 0",
		"35 1 switch 9 16 10 w9 w10", "36 1 sys exit", "37 1 waking 7 0", "38 0 switch 0 0 7",
		"40 0 sysret futex", NULL };
	struct mdl_feed *f = mdl_feed_new("6.1", events);

	mdl_feed_expect_spans(f, MDL_SPAN_FUTEX, "0xf2 32-40 7");
	mdl_feed_free(f);
}

/* Handlers nest, and the inner one ends first; each CPU has its own; one never ends. */
static void test_handlers(void)
{
	static const char *const events[] = { "5 0 switch 8 1 7 w8 w7", "6 1 switch 9 1 5 w9 w5",
		"10 0 irq 5 disk", "12 1 irq 5 disk", "14 0 irq 6 net", "16 0 irqret 6", "18 0 irqret 5",
		"20 1 irqret 5", "22 0 irqret 9", "24 0 irq 6 net", "30 1 none", NULL };
	struct mdl_feed *f = mdl_feed_new("6.1", events);

	mdl_feed_expect_spans(f, MDL_SPAN_IRQ,
		"net 14-16 irq6, disk 10-18 irq5, disk 12-20 irq5, net 24 open irq6");
	mdl_feed_free(f);
}

/* The first raise counts, also a raise by the softirq itself; each CPU has its own. */
static void test_softirqs(void)
{
	static const char *const events[] = { "5 0 switch 8 1 7 w8 w7", "10 0 raise 4", "12 0 raise 4",
		"13 1 raise 4", "14 0 softirq 4", "16 0 raise 4", "18 0 softirqret 4", "20 0 softirq 4",
		"22 0 softirqret 4", "24 0 softirq 1", "26 0 softirqret 1", NULL };
	struct mdl_feed *f = mdl_feed_new("6.1", events);

	mdl_feed_expect_spans(f, MDL_SPAN_SOFTIRQ,
		"0x4 14-18 softirq4, 0x4 20-22 softirq4, 0x1 24-26 softirq1");
	mdl_feed_expect_spans(f, MDL_SPAN_RAISE, "0x4 10-14 softirq4, 0x4 16-20 softirq4, 0x4 13 open -");
	mdl_feed_free(f);
}

/* Timers: late; early within the slack; rearmed; cancelled; armed for a past time; overdue at the end of the trace,
 * by a clock that is known or not. */
static void test_timers(void)
{
	static const char *const events[] = { "0 0 clock 0", "5 0 switch 8 1 7 w8 w7",
		"10 0 arm 0xa1 0xf1 50 50", "60 0 hrtimer 0xf1 0xa1 58", "62 0 hrtimerret",
		"70 0 arm 0xa1 0xf1 100 80", "90 0 hrtimer 0xf1 0xa1 88", "92 0 hrtimerret",
		"94 0 arm 0xa1 0xf1 200 200", "96 0 arm 0xa1 0xf1 110 110", "120 0 hrtimer 0xf1 0xa1 118",
		"122 0 hrtimerret", "124 0 arm 0xa1 0xf1 130 130", "126 0 disarm 0xa1",
		"140 0 hrtimer 0xf1 0xa1 138", "142 0 hrtimerret", "150 0 arm 0xa1 0xf1 145 145",
		"160 0 hrtimer 0xf1 0xa1 158", "162 0 hrtimerret", "164 0 arm 0xa1 0xf1 170 170",
		"166 0 arm 0xa2 0xf1 170 170", "180 0 none", NULL };
	struct mdl_feed *f = mdl_feed_new("6.1", events);

	mdl_feed_expect_spans(f, MDL_SPAN_TIMER,
		"0xf1 50-60 cpu0, 0xf1 90-90 cpu0, 0xf1 110-120 cpu0, 0xf1 145-160 cpu0, 0xf1 170 open -");
	mdl_feed_free(f);
}

/* Queued, cancelled and queued again; executed; in a softirq the CPU is the worker; one without an end. */
static void test_work(void)
{
	static const char *const events[] = { "5 0 switch 8 1 9 w8 kworker/0:1", "10 0 queue 0xa00 0xf1",
		"12 0 queue 0xa00 0xf1", "14 0 work 0xa00 0xf1", "16 0 queue 0xa00 0xf1",
		"18 0 workret 0xa00", "20 0 work 0xa00 0xf1", "22 0 workret 0xa00", "24 0 queue 0xb00 0xf2",
		"26 0 softirq 6", "28 0 work 0xb00 0xf2", "30 0 workret 0xb00", "32 0 softirqret 6",
		"34 0 queue 0xc00 0xf3", "36 0 work 0xd00 0xf4", "40 0 none", NULL };
	struct mdl_feed *f = mdl_feed_new("6.10", events);

	mdl_feed_expect_spans(f, MDL_SPAN_QUEUE,
		"0xf1 12-14 9, 0xf1 16-20 9, 0xf2 24-28 cpu0, 0xf3 34 open -");
	mdl_feed_expect_spans(f, MDL_SPAN_WORK,
		"0xf1 14-18 9, 0xf1 20-22 9, 0xf2 28-30 cpu0, 0xf4 36 open 9");
	mdl_feed_free(f);
}

/* A span touched by a gap is lost: those of a CPU by its own gaps, all others by any gap. A span that begins
 * afterwards is whole. */
static void test_gap(void)
{
	static const char *const events[] = { "5 0 switch 8 1 7 w8 w7", "6 1 switch 9 1 5 w9 w5",
		"10 0 irq 5 disk", "11 1 irq 6 net", "12 1 sys read", "13 0 raise 4", "14 0 gap",
		"16 0 irqret 5", "17 0 irq 5 disk", "18 0 irqret 5", "20 0 gapend 18", "22 1 irqret 6",
		"24 1 sysret read", "30 0 irq 5 disk", "32 0 irqret 5", "34 0 irq 5 disk", "36 0 irqret 5",
		"38 1 sys write", "40 1 sysret write", NULL };
	struct mdl_feed *f = mdl_feed_new("6.1", events);

	mdl_feed_expect_spans(f, MDL_SPAN_IRQ,
		"disk 10 lost irq5, disk 17 lost irq5, net 11-22 irq6, disk 30 lost irq5, disk 34-36 irq5");
	mdl_feed_expect_spans(f, MDL_SPAN_RAISE, "0x4 13 lost -");
	mdl_feed_expect_spans(f, MDL_SPAN_SYSCALL, "read 12 lost 5, write 38-40 5");
	mdl_feed_free(f);
}

/* Woken in a call: by a line's handler; by a softirq, counted from the line that raised it first; by a vector
 * in which a timer expires; by the outer of two contexts. */
static void test_returns(void)
{
	static const char *const events[] = { "5 0 switch 8 1 7 w8 w7", "10 0 sys read",
		"12 0 switch 7 1 0 w7 -", "20 0 irq 5 disk", "22 0 waking 7 0", "23 0 wakeup 7 0",
		"24 0 irqret 5", "30 0 switch 0 0 7", "34 0 sysret read", "40 0 sys recv",
		"42 0 switch 7 1 0", "50 0 irq 6 net", "51 0 raise 3", "52 0 irqret 6", "53 0 irq 5 disk",
		"54 0 raise 3", "55 0 irqret 5", "56 0 softirq 3", "57 0 waking 7 0", "58 0 softirqret 3",
		"60 0 switch 0 0 7", "64 0 sysret recv", "70 0 sys sleep", "72 0 switch 7 1 0",
		"80 0 vector 236 local_timer", "81 0 hrtimer 0xf1", "82 0 waking 7 0", "83 0 hrtimerret",
		"84 0 vectorret 236", "86 0 switch 0 0 7", "87 0 switch 7 0 9", "88 0 switch 9 1 7",
		"90 0 sysret sleep", "92 0 sys read", "93 0 switch 7 1 0", "94 0 irq 7 gpio",
		"95 0 irq 8 key", "96 0 waking 7 0", "97 0 irqret 8", "98 0 irqret 7", "99 0 switch 0 0 7",
		NULL };
	struct mdl_feed *f = mdl_feed_new("6.1", events);

	mdl_feed_expect_spans(f, MDL_SPAN_RETURN,
		"disk 20-34 7, net 50-64 7, local_timer 80-90 7, gpio 94 open 7");
	mdl_feed_free(f);
}

/* No case: woken by a thread; outside of a call; by a softirq that a thread raised; a thread that sleeps
 * again before it returns (the next waking counts); one that dies. */
static void test_no_returns(void)
{
	static const char *const events[] = { "5 0 switch 8 1 7 w8 w7", "6 1 switch 9 1 5 w9 w5",
		"10 0 sys read", "12 0 switch 7 1 0", "14 1 waking 7 0", "16 0 switch 0 0 7",
		"18 0 sysret read", "20 0 switch 7 1 0", "22 0 irq 5 disk", "24 0 waking 7 0",
		"25 0 irqret 5", "26 0 switch 0 0 7", "28 0 sys recv", "29 0 switch 7 1 6", "30 0 raise 3",
		"31 0 softirq 3", "32 0 waking 7 0", "33 0 softirqret 3", "34 0 switch 6 1 7",
		"35 0 sysret recv", "40 0 sys wait", "41 0 switch 7 1 0", "42 0 irq 5 disk",
		"43 0 waking 7 0", "44 0 irqret 5", "45 0 switch 0 0 7", "46 0 switch 7 1 0",
		"50 0 irq 6 net", "51 0 waking 7 0", "52 0 irqret 6", "53 0 switch 0 0 7", "54 0 sysret wait",
		"60 0 sys read", "61 0 switch 7 1 0", "62 0 irq 5 disk", "63 0 waking 7 0", "64 0 irqret 5",
		"65 0 switch 0 0 7", "66 0 exit 7", "67 0 switch 7 64 0", "70 0 none", NULL };
	struct mdl_feed *f = mdl_feed_new("6.1", events);

	mdl_feed_expect_spans(f, MDL_SPAN_RETURN, "net 50-54 7");
	mdl_feed_free(f);
}

/* Woken while still running: a case if its sched_wakeup comes after the switch-out. Without sched_waking, an
 * IPI does not show the waker. */
static void test_return_races(void)
{
	static const char *const early[] = { "5 0 switch 8 1 7 w8 w7", "6 1 switch 9 1 5 w9 w5",
		"10 0 sys read", "12 1 irq 5 disk", "14 1 waking 7 0", "16 0 switch 7 1 0", "17 1 wakeup 7 0",
		"18 1 irqret 5", "20 0 switch 0 0 7", "22 0 sysret read", "30 0 sys read", "32 1 irq 5 disk",
		"34 1 waking 7 0", "35 1 wakeup 7 0", "36 0 switch 7 1 0", "37 1 irqret 5", "38 1 waking 7 0",
		"40 0 switch 0 0 7", "42 0 sysret read", NULL };
	static const char *const plain[] = { "5 0 switch 8 1 7 w8 w7", "10 0 sys read", "12 0 switch 7 1 0",
		"14 0 vector 251 call_function_single", "15 0 wakeup 7 0", "16 0 vectorret 251",
		"18 0 switch 0 0 7", "20 0 sysret read", "30 0 sys read", "32 0 switch 7 1 0",
		"34 0 irq 5 disk", "35 0 wakeup 7 0", "36 0 irqret 5", "38 0 switch 0 0 7",
		"40 0 sysret read", NULL };
	struct mdl_feed *f = mdl_feed_new("6.1", early);

	mdl_feed_expect_spans(f, MDL_SPAN_RETURN, "disk 12-22 7");
	mdl_feed_free(f);
	f = mdl_feed_new("6.1", plain);
	mdl_feed_expect_spans(f, MDL_SPAN_RETURN, "disk 34-40 7");
	mdl_feed_free(f);
}

/* Events of some threads only (test_gaps.c, "set"): raises, arming and queueing by other threads are missing,
 * and so are entries and expiries that interrupt others. */
static void test_set(void)
{
	static const char *const events[] = { "100 0 switch 14 0x100 12", "110 0 switch 12 0x100 11",
		"120 0 runs 13 0", "130 0 switch 13 0x100 12", "140 0 switch 12 1 13", "145 0 runs 11 0",
		"150 0 switch 11 0x100 10", "160 0 waking 12 0", "170 0 switch 10 0x100 12",
		"180 0 switch 12 1 11", "185 0 runs 13 0", "190 0 switch 13 0x100 10", "195 0 switch 10 2 11",
		"198 0 runs 13 0", "200 0 switch 13 0x100 12", "210 0 raise 4", "220 0 queue 0xa 0xb",
		"230 0 sys read", "240 0 sysret read", "250 0 softirq 4", "260 0 softirqret 4",
		"270 0 work 0xa 0xb", "280 0 workret 0xa", "300 0 none", NULL };
	struct mdl_feed *f = mdl_feed_new("6.1", events);

	mdl_feed_expect_spans(f, MDL_SPAN_RAISE, "0x4 210 lost softirq4");
	mdl_feed_expect_spans(f, MDL_SPAN_QUEUE, "0xb 220 lost 12");
	mdl_feed_expect_spans(f, MDL_SPAN_SOFTIRQ, "0x4 250-260 softirq4");
	mdl_feed_expect_spans(f, MDL_SPAN_WORK, "0xb 270-280 12");
	mdl_feed_expect_spans(f, MDL_SPAN_SYSCALL, "read 230-240 12");
	mdl_feed_free(f);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/spans/calls", test_calls);
	g_test_add_func("/spans/futex", test_futex);
	g_test_add_func("/spans/join", test_join);
	g_test_add_func("/spans/join-untold", test_join_untold);
	g_test_add_func("/spans/handlers", test_handlers);
	g_test_add_func("/spans/softirqs", test_softirqs);
	g_test_add_func("/spans/timers", test_timers);
	g_test_add_func("/spans/work", test_work);
	g_test_add_func("/spans/gap", test_gap);
	g_test_add_func("/spans/set", test_set);
	g_test_add_func("/spans/returns", test_returns);
	g_test_add_func("/spans/no-returns", test_no_returns);
	g_test_add_func("/spans/return-races", test_return_races);
	return g_test_run();
}
