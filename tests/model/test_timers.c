/* SPDX-License-Identifier: MIT */
/* Timers: who armed the one that ended a wait, and time-outs that were not needed. */
#include "model/mdl_feed.h"

/* A thread sleeps: hrtimer_start, the tick's vector, its hrtimer, the waking. */
static void test_sleep(void)
{
	static const char *const events[] = {
		"10 0 switch 0 0 5",
		"20 0 arm 0x900 0xf1",
		"30 0 switch 5 1 0",
		"40 0 vector 236 local_timer",
		"41 0 hrtimer 0xf1 0x900",
		"42 0 waking 5 0",
		"43 0 hrtimerret",
		"44 0 vectorret 236 local_timer",
		"50 0 switch 0 0 5",
		NULL
	};
	struct mdl_feed *f = mdl_feed_new("6.1", events);

	mdl_feed_expect_facts(f, "5", "timer 0xf1 at 41 armed by thread 5 20");
	mdl_feed_free(f);
}

/* The tick, armed before the trace, is armed anew after each expiry: nobody of whom is known armed it, not the idle thread, not 5. */
static void test_tick(void)
{
	static const char *const events[] = {
		"10 0 switch 0 0 5",
		"20 0 vector 236 local_timer",
		"21 0 hrtimer 0xf2 0x800",
		"22 0 hrtimerret",
		"23 0 arm 0x800 0xf2",
		"24 0 vectorret 236 local_timer",
		"30 0 switch 5 1 0",
		"40 0 vector 236 local_timer",
		"41 0 hrtimer 0xf2 0x800",
		"42 0 waking 5 0",
		"43 0 hrtimerret",
		"44 0 arm 0x800 0xf2",
		"45 0 vectorret 236 local_timer",
		"50 0 switch 0 0 5",
		NULL
	};
	struct mdl_feed *f = mdl_feed_new("6.1", events);

	mdl_feed_expect_facts(f, "5", "timer 0xf2 at 41 armed by -");
	mdl_feed_free(f);
}

/* The idle thread arms the tick anew when it goes idle: for nobody. */
static void test_idle(void)
{
	static const char *const events[] = {
		"10 0 switch 5 1 0",
		"20 0 arm 0x800 0xf2",
		"30 0 hrtimer 0xf2 0x800",
		"31 0 waking 5 0",
		"32 0 hrtimerret",
		"40 0 switch 0 0 5",
		NULL
	};
	struct mdl_feed *f = mdl_feed_new("6.1", events);

	mdl_feed_expect_facts(f, "5", "timer 0xf2 at 30 armed by -");
	mdl_feed_free(f);
}

/* A periodic timer that 7 armed stays its own through its expiries, with vectors and without them. */
static void test_periodic(void)
{
	static const char *const events[] = {
		"10 0 switch 0 0 7",
		"11 0 arm 0x700 0xf3",
		"12 0 switch 7 1 5",
		"13 0 switch 5 1 6",
		"20 0 vector 236 local_timer",
		"21 0 hrtimer 0xf3 0x700",
		"22 0 hrtimerret",
		"23 0 arm 0x700 0xf3",
		"24 0 vectorret 236 local_timer",
		"30 0 hrtimer 0xf3 0x700",
		"31 0 hrtimerret",
		"32 0 arm 0x700 0xf3",
		"40 0 hrtimer 0xf3 0x700",
		"41 0 waking 5 0",
		"42 0 hrtimerret",
		"50 0 switch 6 0 5",
		NULL
	};
	struct mdl_feed *f = mdl_feed_new("6.1", events);

	mdl_feed_expect_facts(f, "5", "timer 0xf3 at 40 armed by thread 7 11");
	mdl_feed_free(f);
}

/* The same stack address for two sleeps; the second by another thread, after a cancel. */
static void test_reuse(void)
{
	static const char *const events[] = {
		"10 0 switch 0 0 5",
		"11 0 arm 0x900 0xf1",
		"12 0 switch 5 1 6",
		"13 0 arm 0xa00 0xf1",
		"14 0 disarm 0xa00",
		"20 0 hrtimer 0xf1 0x900",
		"21 0 waking 5 0",
		"22 0 hrtimerret",
		"23 0 switch 6 1 5",
		"24 0 arm 0x900 0xf1",
		"25 0 switch 5 1 0",
		"30 0 hrtimer 0xf1 0xa00",
		"31 0 waking 6 0",
		"32 0 hrtimerret",
		"33 0 hrtimer 0xf1 0x900",
		"34 0 waking 5 0",
		"35 0 hrtimerret",
		"40 0 switch 0 0 5",
		NULL
	};
	struct mdl_feed *f = mdl_feed_new("6.1", events);

	mdl_feed_expect_facts(f, "5", "timer 0xf1 at 20 armed by thread 5 11; timer 0xf1 at 33 armed by thread 5 24");
	mdl_feed_expect_facts(f, "6", "timer 0xf1 at 30 armed by -");
	mdl_feed_free(f);
}

/* poll() with a time-out, answered by 6; later one without. */
static void test_answered(void)
{
	static const char *const events[] = {
		"10 0 switch 0 0 5",
		"11 0 sys poll",
		"12 0 arm 0x900 0xf1",
		"13 0 switch 5 1 6",
		"20 0 waking 5 0",
		"21 0 switch 6 1 5",
		"22 0 disarm 0x900",
		"23 0 sysret poll",
		"24 0 sys poll",
		"25 0 switch 5 1 6",
		"30 0 waking 5 0",
		"31 0 switch 6 1 5",
		NULL
	};
	struct mdl_feed *f = mdl_feed_new("6.1", events);

	mdl_feed_expect_facts(f, "5", "timer 0xf1 not needed armed by thread 5 12; -");
	mdl_feed_free(f);
}

/*
 * No time-out of a wait: a timer armed in an earlier system call (timer_settime); one that goes on after the wait; one taken back
 * only after the next wait; one that an interrupt takes back, or somebody else.
 */
static void test_no_deadline(void)
{
	static const char *const events[] = {
		"10 0 switch 0 0 5",
		"11 0 sys timer_settime",
		"12 0 arm 0x900 0xf1",
		"13 0 sysret timer_settime",
		"14 0 sys read",
		"15 0 switch 5 1 6",
		"20 0 waking 5 0",
		"21 0 switch 6 1 5",
		"22 0 arm 0x980 0xf1",
		"23 0 switch 5 1 6",
		"30 0 waking 5 0",
		"31 0 switch 6 1 5",
		"32 0 switch 5 1 6",
		"40 0 waking 5 0",
		"41 0 switch 6 1 5",
		"42 0 disarm 0x980",
		"43 0 arm 0xa00 0xf1",
		"44 0 switch 5 1 6",
		"50 0 waking 5 0",
		"51 0 switch 6 1 5",
		"52 0 irq 5 eth0",
		"53 0 disarm 0xa00",
		"54 0 irqret 5",
		"55 0 arm 0xb00 0xf1",
		"56 0 switch 5 1 6",
		"60 0 waking 5 0",
		"61 0 disarm 0xb00",
		"62 0 switch 6 1 5",
		NULL
	};
	struct mdl_feed *f = mdl_feed_new("6.1", events);

	mdl_feed_expect_facts(f, "5", "-; -; -; -; -");
	mdl_feed_free(f);
}

/* Its time-out and a signal: the one shows after the other, on two CPUs. */
static void test_answered_by_signal(void)
{
	static const char *const events[] = {
		"1 1 switch 0 0 7",
		"10 0 switch 0 0 5",
		"11 0 arm 0x900 0xf1",
		"12 0 switch 5 1 0",
		"20 1 waking 5 0",
		"21 0 switch 0 0 5",
		"22 0 disarm 0x900",
		"23 1 signal 10 5 0",
		"24 0 arm 0x900 0xf1",
		"25 0 switch 5 1 0",
		"30 1 waking 5 0",
		"31 0 switch 0 0 5",
		"32 1 signal 12 5 0",
		"33 0 disarm 0x900",
		"34 0 switch 5 1 0",
		NULL
	};
	struct mdl_feed *f = mdl_feed_new("6.1", events);

	mdl_feed_expect_facts(f, "5", "timer 0xf1 not needed armed by thread 5 11, signal 10 by thread 7 23; "
			      "timer 0xf1 not needed armed by thread 5 24, signal 12 by thread 7 32");
	mdl_feed_free(f);
}

/* Preempted between arming and waiting: still its time-out.  Armed by an interrupt upon it: not. */
static void test_whose_deadline(void)
{
	static const char *const events[] = {
		"10 0 switch 0 0 5",
		"11 0 arm 0x900 0xf1",
		"12 0 switch 5 0 6",
		"13 0 switch 6 0 5",
		"14 0 switch 5 1 6",
		"20 0 waking 5 0",
		"21 0 switch 6 0 5",
		"22 0 disarm 0x900",
		"23 0 irq 5 eth0",
		"24 0 arm 0xb00 0xf5",
		"25 0 irqret 5",
		"26 0 switch 5 1 6",
		"30 0 waking 5 0",
		"31 0 switch 6 0 5",
		"32 0 switch 5 1 6",
		"40 0 hrtimer 0xf5 0xb00",
		"41 0 waking 5 0",
		"42 0 hrtimerret",
		"50 0 switch 6 0 5",
		NULL
	};
	struct mdl_feed *f = mdl_feed_new("6.1", events);

	mdl_feed_expect_facts(f, "5", "timer 0xf1 not needed armed by thread 5 11; -; timer 0xf5 at 40 armed by irq5:eth0 24");
	mdl_feed_free(f);
}

/* The timer wheel: in the softirq TIMER, one after the other; what comes after its exit is not its doing. */
static void test_wheel(void)
{
	static const char *const events[] = {
		"10 0 switch 0 0 5",
		"11 0 armwheel 0xc00 0xf6",
		"12 0 switch 5 2 6",
		"13 0 armwheel 0xd00 0xf7",
		"14 0 switch 6 2 7",
		"15 0 switch 7 1 0",
		"20 0 softirq 1",
		"21 0 wheel 0xd00 0xf7",
		"22 0 waking 6 0",
		"23 0 armwheel 0xd00 0xf7",
		"24 0 wheelret 0xd00",
		"25 0 wheel 0xc00",
		"26 0 waking 5 0",
		"27 0 wheelret 0xc00",
		"28 0 waking 7 0",
		"29 0 softirqret 1",
		"30 0 switch 0 0 5",
		"31 0 switch 5 1 6",
		"32 0 switch 6 2 7",
		"40 0 wheel 0xd00 0xf7",
		"41 0 waking 6 0",
		"42 0 wheelret 0xd00",
		"43 0 waking 5 0",
		"44 0 switch 7 0 6",
		NULL
	};
	struct mdl_feed *f = mdl_feed_new("6.1", events);

	mdl_feed_expect_facts(f, "6", "timer 0xf7 at 21 armed by thread 6 13; timer 0xf7 at 40 armed by thread 6 13");
	mdl_feed_expect_facts(f, "5", "timer 0xf6 at 25 armed by thread 5 11; -");
	mdl_feed_expect_facts(f, "7", "-");
	mdl_feed_free(f);
}

/* After lost events nobody is known to have armed what expires, and no time-out is known. */
static void test_lost(void)
{
	static const char *const events[] = {
		"10 0 switch 0 0 5",
		"11 0 arm 0x900 0xf1",
		"12 0 switch 5 1 0",
		"13 1 switch 0 0 6",
		"14 1 arm 0xa00 0xf1",
		"15 1 switch 6 1 0",
		"16 1 gap",
		"18 1 gapend 15",
		"19 1 switch 0 0 7",
		"20 0 hrtimer 0xf1 0x900",
		"21 0 waking 5 0",
		"22 0 hrtimerret",
		"23 1 waking 6 0",
		"24 0 switch 0 0 5",
		NULL
	};
	struct mdl_feed *f = mdl_feed_new("6.1", events);

	mdl_feed_expect_facts(f, "5", "timer 0xf1 at 20 armed by -");
	mdl_feed_expect_facts(f, "6", "-");
	mdl_feed_free(f);
}

/* A trace without addresses of timers, or with 0 for one, makes no two timers the same. */
static void test_absent(void)
{
	static const char *const events[] = {
		"10 0 switch 0 0 5",
		"11 0 arm - 0xf1",
		"12 0 arm 0 0xf1",
		"13 0 switch 5 1 6",
		"20 0 hrtimer 0xf1",
		"21 0 waking 5 0",
		"22 0 hrtimerret",
		"23 0 switch 6 0 5",
		"24 0 switch 5 1 6",
		"30 0 hrtimer - 0",
		"31 0 waking 5 0",
		"32 0 hrtimerret",
		"33 0 switch 6 0 5",
		NULL
	};
	struct mdl_feed *f = mdl_feed_new("6.1", events);

	mdl_feed_expect_facts(f, "5", "timer 0xf1 at 20 armed by -; timer 0x0 at 30 armed by -");
	mdl_feed_free(f);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/timers/sleep", test_sleep);
	g_test_add_func("/timers/tick", test_tick);
	g_test_add_func("/timers/idle", test_idle);
	g_test_add_func("/timers/periodic", test_periodic);
	g_test_add_func("/timers/reuse", test_reuse);
	g_test_add_func("/timers/answered", test_answered);
	g_test_add_func("/timers/answered-by-signal", test_answered_by_signal);
	g_test_add_func("/timers/no-deadline", test_no_deadline);
	g_test_add_func("/timers/whose-deadline", test_whose_deadline);
	g_test_add_func("/timers/wheel", test_wheel);
	g_test_add_func("/timers/lost", test_lost);
	g_test_add_func("/timers/absent", test_absent);
	return g_test_run();
}
