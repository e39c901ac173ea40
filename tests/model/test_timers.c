/* SPDX-License-Identifier: MIT */
/* Timers: the thread that armed the one that ended a wait, and unused time-outs. */
#include "model/mdl_feed.h"

/* A thread sleeps: hrtimer_start, the tick's vector, its hrtimer, the waking. */
static void test_sleep(void)
{
	static const char *const events[] = { "10 0 switch 0 0 5", "20 0 arm 0x900 0xf1", "30 0 switch 5 1 0",
		"40 0 vector 236 local_timer", "41 0 hrtimer 0xf1 0x900", "42 0 waking 5 0",
		"43 0 hrtimerret", "44 0 vectorret 236 local_timer", "50 0 switch 0 0 5", NULL };
	struct mdl_feed *f = mdl_feed_new("6.1", events);

	mdl_feed_expect_facts(f, "5", "timer 0xf1 at 41 armed by thread 5 20");
	mdl_feed_free(f);
}

/* The tick, armed before the trace, is rearmed after each expiry: no known thread armed it, neither the idle
 * thread nor 5. */
static void test_tick(void)
{
	static const char *const events[] = { "10 0 switch 0 0 5", "20 0 vector 236 local_timer",
		"21 0 hrtimer 0xf2 0x800", "22 0 hrtimerret", "23 0 arm 0x800 0xf2",
		"24 0 vectorret 236 local_timer", "30 0 switch 5 1 0", "40 0 vector 236 local_timer",
		"41 0 hrtimer 0xf2 0x800", "42 0 waking 5 0", "43 0 hrtimerret", "44 0 arm 0x800 0xf2",
		"45 0 vectorret 236 local_timer", "50 0 switch 0 0 5", NULL };
	struct mdl_feed *f = mdl_feed_new("6.1", events);

	mdl_feed_expect_facts(f, "5", "timer 0xf2 at 41 armed by -");
	mdl_feed_free(f);
}

/* The idle thread rearms the tick when it goes idle, for no thread; a thread woken in it waited for no
 * timer. */
static void test_idle(void)
{
	static const char *const events[] = { "10 0 switch 5 1 0", "20 0 arm 0x800 0xf2",
		"30 0 hrtimer 0xf2 0x800", "31 0 waking 5 0", "32 0 hrtimerret", "40 0 switch 0 0 5", NULL };
	struct mdl_feed *f = mdl_feed_new("6.1", events);

	mdl_feed_expect_facts(f, "5", "-");
	mdl_feed_free(f);
}

/* The timer function that raises SCHED or TIMER is the tick's on all CPUs, whichever thread armed it. Before
 * its first raise, the function of a timer that no thread armed may be the tick's. */
static void test_which_is_tick(void)
{
	static const char *const events[] = { "10 0 switch 0 0 5", "11 0 arm 0x900 0xf1", "12 0 switch 5 1 0",
		"20 0 vector 236 local_timer", "21 0 hrtimer 0xf2 0x800", "22 0 waking 5 0", "23 0 raise 7",
		"24 0 hrtimerret", "25 0 vectorret 236 local_timer", "30 0 switch 0 0 5", "31 0 switch 5 1 0",
		"40 0 hrtimer 0xf3 0x700", "41 0 waking 5 0", "42 0 hrtimerret", "50 0 switch 0 0 5",
		"51 0 arm 0x800 0xf2", "52 0 switch 5 1 0", "60 1 hrtimer 0xf2 0x801", "61 1 waking 5 0",
		"62 1 hrtimerret", "70 0 switch 0 0 5", NULL };
	struct mdl_feed *f = mdl_feed_new("6.1", events);

	mdl_feed_expect_facts(f, "5", "timer 0xf2 at 21 armed by -; timer 0xf3 at 40 armed by -; -");
	mdl_feed_expect_chains(f, "5", "vector236:local_timer 21@0 > hrtimer242 22@0?; hrtimer243 41@0; -");
	mdl_feed_free(f);
}

/* A periodic timer armed by 7 keeps its owner through its expiries, with and without vectors. */
static void test_periodic(void)
{
	static const char *const events[] = { "10 0 switch 0 0 7", "11 0 arm 0x700 0xf3", "12 0 switch 7 1 5",
		"13 0 switch 5 1 6", "20 0 vector 236 local_timer", "21 0 hrtimer 0xf3 0x700",
		"22 0 hrtimerret", "23 0 arm 0x700 0xf3", "24 0 vectorret 236 local_timer",
		"30 0 hrtimer 0xf3 0x700", "31 0 hrtimerret", "32 0 arm 0x700 0xf3",
		"40 0 hrtimer 0xf3 0x700", "41 0 waking 5 0", "42 0 hrtimerret", "50 0 switch 6 0 5", NULL };
	struct mdl_feed *f = mdl_feed_new("6.1", events);

	mdl_feed_expect_facts(f, "5", "timer 0xf3 at 40 armed by thread 7 11");
	mdl_feed_free(f);
}

/* Two sleeps with one stack address; the second is by another thread, after a cancel. */
static void test_reuse(void)
{
	static const char *const events[] = { "10 0 switch 0 0 5", "11 0 arm 0x900 0xf1", "12 0 switch 5 1 6",
		"13 0 arm 0xa00 0xf1", "14 0 disarm 0xa00", "20 0 hrtimer 0xf1 0x900", "21 0 waking 5 0",
		"22 0 hrtimerret", "23 0 switch 6 1 5", "24 0 arm 0x900 0xf1", "25 0 switch 5 1 0",
		"30 0 hrtimer 0xf1 0xa00", "31 0 waking 6 0", "32 0 hrtimerret", "33 0 hrtimer 0xf1 0x900",
		"34 0 waking 5 0", "35 0 hrtimerret", "40 0 switch 0 0 5", NULL };
	struct mdl_feed *f = mdl_feed_new("6.1", events);

	mdl_feed_expect_facts(f, "5",
		"timer 0xf1 at 20 armed by thread 5 11; timer 0xf1 at 33 armed by thread 5 24");
	mdl_feed_expect_facts(f, "6", "timer 0xf1 at 30 armed by -");
	mdl_feed_free(f);
}

/* poll() with a time-out, answered by 6; later one without a time-out. */
static void test_answered(void)
{
	static const char *const events[] = { "10 0 switch 0 0 5", "11 0 sys poll", "12 0 arm 0x900 0xf1",
		"13 0 switch 5 1 6", "20 0 waking 5 0", "21 0 switch 6 1 5", "22 0 disarm 0x900",
		"23 0 sysret poll", "24 0 sys poll", "25 0 switch 5 1 6", "30 0 waking 5 0",
		"31 0 switch 6 1 5", NULL };
	struct mdl_feed *f = mdl_feed_new("6.1", events);

	mdl_feed_expect_facts(f, "5", "timer 0xf1 not needed armed by thread 5 12; -");
	mdl_feed_free(f);
}

/* A timer that a thread arms while it sends, and postpones after its wait, may be TCP's: it is only perhaps the
 * time-out of the wait. */
static void test_put_off(void)
{
	static const char *const events[] = { "10 0 switch 0 0 5", "11 0 sys sendmsg",
		"12 0 armwheel 0x900 0xf1", "13 0 switch 5 1 6", "20 0 waking 5 0", "21 0 switch 6 1 5",
		"22 0 disarm 0x900", "23 0 armwheel 0x900 0xf1", "24 0 sysret sendmsg", NULL };
	struct mdl_feed *f = mdl_feed_new("6.1", events);

	mdl_feed_expect_facts(f, "5", "timer 0xf1 perhaps not needed armed by thread 5 12");
	mdl_feed_free(f);
}

/* A timer of the wheel that epoll_wait() arms may be TCP's, too: the call may poll a card itself, and its own
 * time-out is an hrtimer. semtimedop() arms its time-out in the wheel. */
static void test_busy_poll(void)
{
	static const char *const events[] = { "10 0 switch 0 0 5", "11 0 sys epoll_wait",
		"12 0 armwheel 0x900 0xf1", "13 0 switch 5 1 6", "20 0 waking 5 0", "21 0 switch 6 1 5",
		"22 0 disarm 0x900", "23 0 sysret epoll_wait", "24 0 sys semtimedop",
		"25 0 armwheel 0x980 0xf2", "26 0 switch 5 1 6", "30 0 waking 5 0", "31 0 switch 6 1 5",
		"32 0 disarm 0x980", NULL };
	struct mdl_feed *f = mdl_feed_new("6.1", events);

	mdl_feed_expect_facts(f, "5",
		"timer 0xf1 perhaps not needed armed by thread 5 12; timer 0xf2 not needed armed by thread 5 25");
	mdl_feed_free(f);
}

/*
 * Timers that are not the time-out of a wait: armed in an earlier system call (timer_settime); not cancelled
 * after the wait; cancelled only after the next wait; cancelled by an interrupt or by another thread.
 */
static void test_no_deadline(void)
{
	static const char *const events[] = { "10 0 switch 0 0 5", "11 0 sys timer_settime",
		"12 0 arm 0x900 0xf1", "13 0 sysret timer_settime", "14 0 sys read", "15 0 switch 5 1 6",
		"20 0 waking 5 0", "21 0 switch 6 1 5", "22 0 arm 0x980 0xf1", "23 0 switch 5 1 6",
		"30 0 waking 5 0", "31 0 switch 6 1 5", "32 0 switch 5 1 6", "40 0 waking 5 0",
		"41 0 switch 6 1 5", "42 0 disarm 0x980", "43 0 arm 0xa00 0xf1", "44 0 switch 5 1 6",
		"50 0 waking 5 0", "51 0 switch 6 1 5", "52 0 irq 5 eth0", "53 0 disarm 0xa00",
		"54 0 irqret 5", "55 0 arm 0xb00 0xf1", "56 0 switch 5 1 6", "60 0 waking 5 0",
		"61 0 disarm 0xb00", "62 0 switch 6 1 5", NULL };
	struct mdl_feed *f = mdl_feed_new("6.1", events);

	mdl_feed_expect_facts(f, "5", "-; -; -; -; -");
	mdl_feed_free(f);
}

/* Both its time-out and a signal: the events come one after the other, on two CPUs. */
static void test_answered_by_signal(void)
{
	static const char *const events[] = { "1 1 switch 0 0 7", "10 0 switch 0 0 5", "11 0 arm 0x900 0xf1",
		"12 0 switch 5 1 0", "20 1 waking 5 0", "21 0 switch 0 0 5", "22 0 disarm 0x900",
		"23 1 signal 10 5 0", "24 0 arm 0x900 0xf1", "25 0 switch 5 1 0", "30 1 waking 5 0",
		"31 0 switch 0 0 5", "32 1 signal 12 5 0", "33 0 disarm 0x900", "34 0 switch 5 1 0", NULL };
	struct mdl_feed *f = mdl_feed_new("6.1", events);

	mdl_feed_expect_facts(f, "5",
		"timer 0xf1 perhaps not needed armed by thread 5 11, signal 10 by thread 7 23 inferred; "
		"timer 0xf1 perhaps not needed armed by thread 5 24, signal 12 by thread 7 32 inferred");
	mdl_feed_free(f);
}

/* A timer is still the time-out of a wait if the thread is preempted between arming it and waiting, but not if
 * an interrupt arms it in between. */
static void test_whose_deadline(void)
{
	static const char *const events[] = { "10 0 switch 0 0 5", "11 0 arm 0x900 0xf1", "12 0 switch 5 0 6",
		"13 0 switch 6 0 5", "14 0 switch 5 1 6", "20 0 waking 5 0", "21 0 switch 6 0 5",
		"22 0 disarm 0x900", "23 0 irq 5 eth0", "24 0 arm 0xb00 0xf5", "25 0 irqret 5",
		"26 0 switch 5 1 6", "30 0 waking 5 0", "31 0 switch 6 0 5", "32 0 switch 5 1 6",
		"40 0 hrtimer 0xf5 0xb00", "41 0 waking 5 0", "42 0 hrtimerret", "50 0 switch 6 0 5", NULL };
	struct mdl_feed *f = mdl_feed_new("6.1", events);

	mdl_feed_expect_facts(f, "5",
		"timer 0xf1 perhaps not needed armed by thread 5 11; -; timer 0xf5 at 40 armed by irq5:eth0 24");
	mdl_feed_free(f);
}

/*
 * The CPU that expires a timer dequeues it first (detach_timer()). The expiring timer is still the one that
 * was armed, even if another CPU rearms it in between; the rearmed one is not the one that expires. A timer
 * cancelled before a switch is not either.
 */
static void test_taken_to_expire(void)
{
	static const char *const events[] = { "10 0 switch 0 0 5", "11 0 armwheel 0xc00 0xf6",
		"12 0 switch 5 2 6", "13 1 switch 0 0 8", "20 0 softirq 1", "21 0 disarm 0xc00",
		"22 1 armwheel 0xc00 0xf6", "23 0 wheel 0xc00 0xf6", "24 0 waking 5 0", "25 0 wheelret 0xc00",
		"26 0 softirqret 1", "30 0 switch 6 0 5", "31 0 switch 5 2 6", "40 0 softirq 1",
		"41 0 disarm 0xc00", "42 0 wheel 0xc00 0xf6", "43 0 waking 5 0", "44 0 wheelret 0xc00",
		"45 0 softirqret 1", "50 0 switch 6 0 5", "51 0 armwheel 0xc00 0xf6", "52 0 disarm 0xc00",
		"53 0 switch 5 2 6", "60 0 softirq 1", "61 0 wheel 0xc00 0xf6", "62 0 waking 5 0",
		"63 0 wheelret 0xc00", "64 0 softirqret 1", "70 0 switch 6 0 5", NULL };
	struct mdl_feed *f = mdl_feed_new("6.1", events);

	mdl_feed_expect_facts(f, "5",
		"timer 0xf6 at 23 armed by thread 5 11; timer 0xf6 at 42 armed by thread 8 22; "
		"timer 0xf6 at 61 armed by -");
	mdl_feed_free(f);
}

/* Older kernels did this for hrtimers too. A timer that a thread cancels and arms for another time becomes
 * its own. */
static void test_hrtimer_taken(void)
{
	static const char *const events[] = { "10 0 switch 0 0 5", "11 0 arm 0x900 0xf1", "12 0 switch 5 1 6",
		"20 0 vector 236 local_timer", "21 0 disarm 0x900", "22 0 hrtimer 0xf1 0x900",
		"23 0 waking 5 0", "24 0 hrtimerret", "25 0 vectorret 236 local_timer", "30 0 switch 6 0 5",
		"31 0 arm 0x900 0xf1", "32 0 switch 5 1 6", "33 0 disarm 0x900", "34 0 arm 0x900 0xf1",
		"40 0 vector 236 local_timer", "41 0 hrtimer 0xf1 0x900", "42 0 waking 5 0",
		"43 0 hrtimerret", "44 0 vectorret 236 local_timer", "50 0 switch 6 0 5", NULL };
	struct mdl_feed *f = mdl_feed_new("4.18", events);

	mdl_feed_expect_facts(f, "5",
		"timer 0xf1 at 22 armed by thread 5 11; timer 0xf1 at 41 armed by thread 6 34");
	mdl_feed_free(f);
}

/* The timer wheel: in the softirq TIMER, one timer after the other; events after a timer's exit are not its
 * work. */
static void test_wheel(void)
{
	static const char *const events[] = { "10 0 switch 0 0 5", "11 0 armwheel 0xc00 0xf6",
		"12 0 switch 5 2 6", "13 0 armwheel 0xd00 0xf7", "14 0 switch 6 2 7", "15 0 switch 7 1 0",
		"20 0 softirq 1", "21 0 wheel 0xd00 0xf7", "22 0 waking 6 0", "23 0 armwheel 0xd00 0xf7",
		"24 0 wheelret 0xd00", "25 0 wheel 0xc00", "26 0 waking 5 0", "27 0 wheelret 0xc00",
		"28 0 waking 7 0", "29 0 softirqret 1", "30 0 switch 0 0 5", "31 0 switch 5 1 6",
		"32 0 switch 6 2 7", "40 0 wheel 0xd00 0xf7", "41 0 waking 6 0", "42 0 wheelret 0xd00",
		"43 0 waking 5 0", "44 0 switch 7 0 6", NULL };
	struct mdl_feed *f = mdl_feed_new("6.1", events);

	mdl_feed_expect_facts(f, "6",
		"timer 0xf7 at 21 armed by thread 6 13; timer 0xf7 at 40 armed by thread 6 13");
	mdl_feed_expect_facts(f, "5", "timer 0xf6 at 25 armed by thread 5 11; -");
	mdl_feed_expect_facts(f, "7", "-");
	mdl_feed_free(f);
}

/* After lost events the thread that armed an expiring timer is unknown, and so are time-outs. */
static void test_lost(void)
{
	static const char *const events[] = { "10 0 switch 0 0 5", "11 0 arm 0x900 0xf1", "12 0 switch 5 1 0",
		"13 1 switch 0 0 6", "14 1 arm 0xa00 0xf1", "15 1 switch 6 1 0", "16 1 gap", "18 1 gapend 15",
		"19 1 switch 0 0 7", "20 0 hrtimer 0xf1 0x900", "21 0 waking 5 0", "22 0 hrtimerret",
		"23 1 waking 6 0", "24 0 switch 0 0 5", NULL };
	struct mdl_feed *f = mdl_feed_new("6.1", events);

	mdl_feed_expect_facts(f, "5", "timer 0xf1 at 20 armed by -");
	mdl_feed_expect_facts(f, "6", "-");
	mdl_feed_free(f);
}

/* Timers without an address, or with address 0, are never the same timer. */
static void test_absent(void)
{
	static const char *const events[] = { "10 0 switch 0 0 5", "11 0 arm - 0xf1", "12 0 arm 0 0xf1",
		"13 0 switch 5 1 6", "20 0 hrtimer 0xf1", "21 0 waking 5 0", "22 0 hrtimerret",
		"23 0 switch 6 0 5", "24 0 switch 5 1 6", "30 0 hrtimer - 0", "31 0 waking 5 0",
		"32 0 hrtimerret", "33 0 switch 6 0 5", NULL };
	struct mdl_feed *f = mdl_feed_new("6.1", events);

	mdl_feed_expect_facts(f, "5", "timer 0xf1 at 20 armed by -; timer 0x0 at 30 armed by -");
	mdl_feed_free(f);
}

/*
 * The due time. First by a known clock: it shows 1000 at time 0 of the trace, so the timer may expire from 1045
 * of the clock on and is late after 1055. Then by an unknown clock: the expiries show that it reached 5 000 070
 * at time 70 at the latest, 5 000 077 between 75 and 80, and 5 000 089 between 86 and 92; so its 0 is not after
 * time -5 000 000.
 */
static void test_due(void)
{
	static const char *const events[] = { "0 0 clock -1000", "10 0 switch 0 0 5",
		"20 0 arm 0x900 0xf1 1055 1045", "30 0 switch 5 1 0", "57 0 vector 236 local_timer",
		"60 0 hrtimer 0xf1 0x900 1058", "62 0 waking 5 0", "63 0 hrtimerret",
		"64 0 vectorret 236 local_timer", "65 0 switch 0 0 5", "66 0 arm 0x900 0xf1 5000069 5000069",
		"67 0 switch 5 1 0", "70 0 hrtimer 0xf1 0x900 5000070", "71 0 waking 5 0", "72 0 hrtimerret",
		"73 0 switch 0 0 5", "73 0 arm 0x900 0xf1 5000074 5000074", "74 0 switch 5 1 0",
		"75 0 vector 236 local_timer", "80 0 hrtimer 0xf1 0x900 5000077", "80 0 waking 5 0",
		"81 0 hrtimerret", "82 0 vectorret 236 local_timer", "83 0 switch 0 0 5",
		"84 0 arm 0x900 0xf1 5000085 5000085", "85 0 switch 5 1 0", "86 0 vector 236 local_timer",
		"92 0 hrtimer 0xf1 0x900 5000089", "92 0 waking 5 0", "93 0 hrtimerret",
		"94 0 vectorret 236 local_timer", "95 0 switch 0 0 5", NULL };
	struct mdl_feed *f = mdl_feed_new("6.1", events);

	mdl_feed_expect_facts(f, "5",
		"timer 0xf1 at 60 on 0 due 55-10 armed by thread 5 20; timer 0xf1 at 70 on 0 due 69-0 armed by thread 5 66; "
		"timer 0xf1 at 80 on 0 due 74-0 armed by thread 5 73; timer 0xf1 at 92 on 0 due 85-0 armed by thread 5 84");
	mdl_feed_free(f);
}

/*
 * A timer armed for a past time is due at once. One rearmed by its own expiry is due by that expiry. One that
 * expired within its slack was due later. A timer armed before the trace, or whose expiry has no time, has an
 * unknown due time.
 */
static void test_due_when(void)
{
	static const char *const events[] = { "0 0 clock -1000", "10 0 switch 0 0 5",
		"20 0 arm 0x900 0xf1 1005 1005", "21 0 switch 5 1 0", "22 0 hrtimer 0xf1 0x900 1022",
		"23 0 waking 5 0", "24 0 hrtimerret", "24 0 arm 0x900 0xf1 1028 1028", "25 0 switch 0 0 5",
		"26 0 switch 5 1 0", "30 0 hrtimer 0xf1 0x900 1030", "31 0 waking 5 0", "32 0 hrtimerret",
		"33 0 switch 0 0 5", "34 0 arm 0x900 0xf1 1050 1040", "35 0 switch 5 1 0",
		"42 0 hrtimer 0xf1 0x900 1042", "43 0 waking 5 0", "44 0 hrtimerret", "45 0 switch 0 0 5",
		"46 0 switch 5 1 0", "47 0 hrtimer 0xf2 0x800 1047", "48 0 waking 5 0", "49 0 hrtimerret",
		"50 0 switch 0 0 5", "51 0 arm 0x900 0xf1 1052 1052", "52 0 switch 5 1 0",
		"53 0 hrtimer 0xf1 0x900", "54 0 waking 5 0", "55 0 hrtimerret", "56 0 switch 0 0 5", NULL };
	struct mdl_feed *f = mdl_feed_new("6.1", events);

	mdl_feed_expect_facts(f, "5",
		"timer 0xf1 at 22 on 0 due 20-0 armed by thread 5 20; timer 0xf1 at 30 on 0 due 28-0 armed by thread 5 20; "
		"timer 0xf1 at 42 on 0 due 50-10 armed by thread 5 34; timer 0xf2 at 47 armed by -; timer 0xf1 at 53 armed by thread 5 51");
	mdl_feed_free(f);
}

/* While events of another CPU are being lost the timer may have been rearmed: its due time is unknown. */
static void test_due_lost(void)
{
	static const char *const events[] = { "0 0 clock -1000", "10 0 switch 0 0 5", "12 1 switch 0 0 6",
		"19 1 gap", "20 0 arm 0x900 0xf1 1025 1025", "21 0 switch 5 1 0",
		"30 0 hrtimer 0xf1 0x900 1030", "31 0 waking 5 0", "32 0 hrtimerret", "32 1 gapend 19",
		"33 0 switch 0 0 5", "33 1 switch 6 1 0", "34 0 arm 0x900 0xf1 1036 1036",
		"35 0 switch 5 1 0", "37 0 hrtimer 0xf1 0x900 1037", "38 0 waking 5 0", "39 0 hrtimerret",
		"40 0 switch 0 0 5", NULL };
	struct mdl_feed *f = mdl_feed_new("6.1", events);

	mdl_feed_expect_facts(f, "5",
		"timer 0xf1 at 30 armed by thread 5 20, lossy; timer 0xf1 at 37 on 0 due 36-0 armed by thread 5 34");
	mdl_feed_free(f);
}

/* Ticks at 1000, 1000 + 4 ms, …: after 128 of them HZ is known to be 250. The last timer is armed at
 * 1 000 005 000 by the event ARM, and expires at 1 056 004 000 by the event EXPIRE. */
static struct mdl_feed *feed_wheel(const char *arm, const char *expire)
{
	char *armed = g_strdup_printf("1000005000 0 %s", arm),
	     *expired = g_strdup_printf("1056004000 0 %s", expire);
	const char *const events[] = { "10 0 switch 0 0 5",
		"1500 0 armwheel 0x700 0xf7 4294900000 4294900001 4294800000 0x0",
		"4001200 0 armwheel 0x700 0xf7 4294900000 4294900001 4294800001 0x0",
		"600001100 0 armwheel 0x700 0xf7 4294900000 4294900001 4294800150 0x0",
		"1000005000 0 switch 0 0 5", armed, "1000006000 0 switch 5 1 0", "1056003000 0 softirq 1",
		expired, "1056005000 0 waking 5 0", "1056006000 0 wheelret 0x900",
		"1056007000 0 softirqret 1", "1056008000 0 switch 0 0 5", NULL };
	struct mdl_feed *f = mdl_feed_new("6.1", events);

	g_free(armed);
	g_free(expired);
	return f;
}

/*
 * Jiffy 4294800000 began at 1100 at the latest, as 4294800150 was recorded 600 ms later. A timer for
 * 4294800260 is in the bucket behind it, …261, which began at 1 044 001 100. Another CPU may count that tick
 * one tick late, so the timer is late from 1 048 001 100 on: two ticks behind the requested time.
 */
static void test_wheel_due(void)
{
	struct mdl_feed *f = feed_wheel("armwheel 0x900 0xf1 4294800260 4294800261 4294800250 0x0",
		"wheel 0x900 0xf1 - 4294800261 4294800264");

	mdl_feed_expect_facts(f, "5",
		"timer 0xf1 at 1056004000 on 0 due 1048001100-8000000 armed by thread 5 1000005000");
	mdl_feed_free(f);
	/* Older kernels record neither the bucket nor the base's clock: 70 jiffies away the wheel has steps
	 * of 8, and 4294800328 is the next one. */
	f = feed_wheel("armwheel 0x900 0xf1 4294800320 - 4294800250 0x0", "wheel 0x900 0xf1 - - 4294800264");
	mdl_feed_expect_facts(f, "5",
		"timer 0xf1 at 1056004000 on 0 due 1316001100-36000000 armed by thread 5 1000005000");
	mdl_feed_free(f);
}

/* A deferrable timer, which waits until its CPU is busy anyway, was never due; without flags this is
 * unknown. */
static void test_wheel_deferrable(void)
{
	struct mdl_feed *f = feed_wheel("armwheel 0x900 0xf1 4294800260 4294800261 4294800250 0x80000",
		"wheel 0x900 0xf1 - 4294800261 4294800264");

	mdl_feed_expect_facts(f, "5", "timer 0xf1 at 1056004000 armed by thread 5 1000005000");
	mdl_feed_free(f);
	f = feed_wheel("armwheel 0x900 0xf1 4294800260", "wheel 0x900 0xf1 - 4294800261 4294800264");
	mdl_feed_expect_facts(f, "5", "timer 0xf1 at 1056004000 armed by thread 5 1000005000");
	mdl_feed_free(f);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/timers/sleep", test_sleep);
	g_test_add_func("/timers/tick", test_tick);
	g_test_add_func("/timers/idle", test_idle);
	g_test_add_func("/timers/which-is-tick", test_which_is_tick);
	g_test_add_func("/timers/periodic", test_periodic);
	g_test_add_func("/timers/reuse", test_reuse);
	g_test_add_func("/timers/answered", test_answered);
	g_test_add_func("/timers/answered-by-signal", test_answered_by_signal);
	g_test_add_func("/timers/put-off", test_put_off);
	g_test_add_func("/timers/busy-poll", test_busy_poll);
	g_test_add_func("/timers/no-deadline", test_no_deadline);
	g_test_add_func("/timers/whose-deadline", test_whose_deadline);
	g_test_add_func("/timers/taken", test_taken_to_expire);
	g_test_add_func("/timers/hrtimer-taken", test_hrtimer_taken);
	g_test_add_func("/timers/wheel", test_wheel);
	g_test_add_func("/timers/lost", test_lost);
	g_test_add_func("/timers/absent", test_absent);
	g_test_add_func("/timers/due", test_due);
	g_test_add_func("/timers/due-when", test_due_when);
	g_test_add_func("/timers/due-lost", test_due_lost);
	g_test_add_func("/timers/wheel-due", test_wheel_due);
	g_test_add_func("/timers/wheel-deferrable", test_wheel_deferrable);
	return g_test_run();
}
