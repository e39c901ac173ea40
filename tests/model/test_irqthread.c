/* SPDX-License-Identifier: MIT */
/*
 * Threads that finish the work of an interrupt. The histories are from real traces (Linux 6.12 with
 * threadirqs, and with PREEMPT_RT); times are cut to the digits behind the second.
 */
#include "model/mdl_feed.h"

#define VECTORS                                                                                    \
	"0 0 allseen", "10 1 vector 236 local_timer", "11 1 vectorret 236 local_timer",            \
		"12 1 vector 251 call_function_single", "13 1 vectorret 251 call_function_single", \
		"14 1 irq 1 i8042", "15 1 irqret 1 1"
#define BEGIN VECTORS, "20 0 switch 0 0 10 idle wk"

static void expect(const char *release, const char *const *events, const char *subject, const char *chain)
{
	struct mdl_feed *f = mdl_feed_new(release, events);

	mdl_feed_expect_chains(f, subject, chain);
	mdl_feed_free(f);
}

/*
 * A disk's interrupt wakes the thread of its line, which completes a request and wakes "wk":
 *
 * irq_handler_entry: { cpu_id = 0 }, { irq = 25, name = "virtio1-req.0" }
 * irq_handler_exit: { cpu_id = 0 }, { irq = 25, ret = 2 }
 * sched_waking: { cpu_id = 0 }, { comm = "irq/25-virtio1-", tid = 205, prio = -51, target_cpu = 0 }
 * sched_switch: { cpu_id = 0 }, { prev_comm = "swapper/0", …, next_comm = "irq/25-virtio1-", next_tid = 205, … }
 * block_rq_complete: { cpu_id = 0 }, …
 * sched_waking: { cpu_id = 0 }, { comm = "wk", tid = 628, prio = 20, target_cpu = 0 }
 */
#define ISSUE                                                                                 \
	"21 0 switch 10 0 205 wk irq/25-virtio1-", "22 0 switch 205 1 10 irq/25-virtio1- wk", \
		"30 0 bio 1 800 8 33", "31 0 get 1 800 8 33", "32 0 issue 1 800 8 33 4096",   \
		"33 0 switch 10 2 0 wk idle"
#define WOKEN                                                                                             \
	"513158 0 irq 25 virtio1-req.0", "513174 0 irqret 25 2", "513183 0 waking 205 0 irq/25-virtio1-", \
		"513202 0 wakeup 205 0 irq/25-virtio1-"
#define DONE                                                                            \
	"513226 0 switch 0 0 205 idle irq/25-virtio1-", "513258 0 complete 1 800 8 33", \
		"513273 0 waking 10 0 wk", "513291 0 wakeup 10 0 wk",                   \
		"513346 0 switch 205 1 10 irq/25-virtio1- wk"

static void test_line(void)
{
	static const char *const events[] = { BEGIN, ISSUE, WOKEN, DONE, NULL };
	struct mdl_feed *f = mdl_feed_new("6.12.1", events);

	mdl_feed_expect_chains(f, "205", "irq25:virtio1-req.0 513183@0");
	mdl_feed_expect_wakeups(f, "205",
		"513183 waking #16 by idle0 cpu 0>0 since 22 ran 513226 in irq25:virtio1-req.0/513158");
	mdl_feed_expect_chains(f, "10", "irq25:virtio1-req.0 513183@0 > thread 205 513273@0");
	mdl_feed_expect_facts(f, "10", "write 1 800+4096 queued 30 issued 32 done 513258 by thread 10 30");
	mdl_feed_free(f);
}

/* The handler did not ask for its thread, or another line's handler did: the running thread woke it. */
static void test_not_asked(void)
{
	static const char *const handled[] = { BEGIN, ISSUE, "40 0 switch 0 0 11 idle x",
		"50 0 irq 25 virtio1-req.0", "51 0 irqret 25 1", "52 0 waking 205 0 irq/25-virtio1-", NULL };
	static const char *const other_line[] = { BEGIN, ISSUE, "40 0 switch 0 0 11 idle x",
		"50 0 irq 26 virtio1-req.1", "51 0 irqret 26 2", "52 0 waking 205 0 irq/25-virtio1-", NULL };
	static const char *const later[] = { BEGIN, ISSUE, "40 0 switch 0 0 11 idle x",
		"50 0 irq 25 virtio1-req.0", "51 0 irqret 25 2", "52 0 raise 1",
		"53 0 waking 205 0 irq/25-virtio1-", NULL };
	static const char *const bystander[] = { BEGIN, ISSUE, "40 0 switch 0 0 11 idle x",
		"50 0 irq 25 virtio1-req.0", "51 0 irqret 25 2", "52 0 waking 10 0 wk", NULL };

	expect("6.12.1", handled, "205", "-");
	expect("6.12.1", other_line, "205", "-");
	expect("6.12.1", later, "205", "-");
	expect("6.12.1", bystander, "10", "-");
}

/* A second interrupt while the thread works for the first: the completion may be of either. */
static void test_again(void)
{
	static const char *const events[] = { BEGIN, ISSUE, WOKEN,
		"513226 0 switch 0 0 205 idle irq/25-virtio1-", "513230 1 irq 25 virtio1-req.0",
		"513231 1 irqret 25 2", "513258 0 complete 1 800 8 33", "513273 0 waking 10 0 wk",
		"513346 0 switch 205 1 10 irq/25-virtio1- wk", NULL };

	expect("6.12.1", events, "10", "irq25:virtio1-req.0 513183@0? > thread 205 513273@0");
}

/*
 * The tick raises a softirq, and ksoftirqd is woken on the way out of its interrupt:
 *
 * x86_irq_vectors_local_timer_entry, timer_hrtimer_expire_entry, irq_softirq_raise: { vec = 7 },
 * timer_hrtimer_expire_exit, x86_irq_vectors_local_timer_exit,
 * sched_waking: { comm = "ksoftirqd/0", tid = 17 }
 */
#define SLEEP                                                                              \
	"21 0 switch 10 0 17 wk ksoftirqd/0", "22 0 switch 17 1 18 ksoftirqd/0 ktimers/0", \
		"23 0 switch 18 1 10 ktimers/0 wk"
#define TICK "100 0 vector 236 local_timer", "101 0 hrtimer 9 8"
#define TOCK "110 0 hrtimerret", "111 0 vectorret 236 local_timer"

static void test_ksoftirqd(void)
{
	static const char *const tick[] = { BEGIN, SLEEP, TICK, "102 0 raise 1", "103 0 raise 7", TOCK,
		"112 0 waking 17 0 ksoftirqd/0", "113 0 wakeup 17 0 ksoftirqd/0",
		"114 0 waking 18 0 ktimers/0", NULL };
	/* irq_softirq_exit: { vec = 9 } directly before: the raise of the tick meanwhile stayed pending */
	static const char *const left[] = { BEGIN, SLEEP, "80 0 raise 9", "90 0 softirq 9", TICK,
		"102 0 raise 1", TOCK, "120 0 softirqret 9", "125 0 waking 17 0 ksoftirqd/0", NULL };
	/* The softirq may have run before: the bits are taken before the first entry is traced. */
	static const char *const before[] = { BEGIN, SLEEP, "80 0 raise 9", TICK, "102 0 raise 1", TOCK,
		"115 0 softirq 9", "120 0 softirqret 9", "125 0 waking 17 0 ksoftirqd/0", NULL };
	/*
	 * As in pipeline at …895337205: a round takes 1, 7 and 9. While 1 runs, another tick raises 7 and 9
	 * again, which stay pending.
	 */
	static const char *const round[] = { BEGIN, SLEEP, TICK, "102 0 raise 1", "103 0 raise 9",
		"104 0 raise 7", TOCK, "120 0 softirq 1", "130 0 vector 236 local_timer", "131 0 hrtimer 9 8",
		"132 0 raise 9", "133 0 raise 7", "134 0 hrtimerret", "135 0 vectorret 236 local_timer",
		"140 0 softirqret 1", "141 0 softirq 7", "142 0 softirqret 7", "143 0 softirq 9",
		"144 0 waking 10 0 wk", "145 0 softirqret 9", "150 0 waking 17 0 ksoftirqd/0", NULL };
	/* No softirq is known to be pending: the last one that ran did not raise it. */
	static const char *const unseen[] = { BEGIN, SLEEP, TICK, "102 0 raise 9", TOCK, "120 0 softirq 9",
		"145 0 softirqret 9", "150 0 waking 17 0 ksoftirqd/0", NULL };
	static const char *const by_thread[] = { BEGIN, SLEEP, "100 0 raise 3",
		"101 0 waking 17 0 ksoftirqd/0", NULL };
	static const char *const nothing[] = { BEGIN, SLEEP, TICK, TOCK, "125 0 waking 17 0 ksoftirqd/0",
		NULL };
	static const char *const old[] = { BEGIN, SLEEP, TICK, "102 0 raise 7", TOCK, "120 0 sys open",
		"125 0 waking 17 0 ksoftirqd/0", NULL };
	static const char *const other_cpu[] = { BEGIN, SLEEP, TICK, "102 0 raise 7", TOCK,
		"125 0 waking 17 0 ksoftirqd/1", NULL };
	/* Raises are not recorded. ktimers has the CPU, for the tick before, as in rt-timerlat at
	 * 56.810106. */
	static const char *const upon_ktimers[] = { BEGIN, SLEEP, TICK, "109 0 waking 18 0 ktimers/0", TOCK,
		"120 0 switch 10 0 18 wk ktimers/0", "130 0 vector 236 local_timer", "131 0 hrtimer 9 8",
		"132 0 hrtimerret", "133 0 vectorret 236 local_timer", "134 0 arm 8 7",
		"135 0 waking 17 0 ksoftirqd/0", NULL };
	/* Restarting its own timer is part of the interrupt, as in threadirqs-rpc/trace.dat at 387.390880757;
	 * arming another timer may be a thread's work. */
	static const char *const restarted[] = { BEGIN, SLEEP, TICK, TOCK, "120 0 hrtimer 9 8",
		"121 0 raise 1", "122 0 hrtimerret", "123 0 arm 8 9", "125 0 waking 17 0 ksoftirqd/0", NULL };
	/* It expires twice in one interrupt, as in threadirqs-ioburst at …944.620362106 and
	 * …944.620583443. */
	static const char *const twice[] = { BEGIN, SLEEP, TICK, TOCK, "120 0 hrtimer 9 8", "121 0 raise 1",
		"122 0 hrtimerret", "123 0 arm 8 9", "124 0 hrtimer 9 8", "125 0 raise 1", "126 0 hrtimerret",
		"127 0 arm 8 9", "128 0 waking 17 0 ksoftirqd/0", NULL };
	static const char *const armed[] = { BEGIN, SLEEP, TICK, TOCK, "120 0 hrtimer 9 8", "121 0 raise 1",
		"122 0 hrtimerret", "123 0 arm 7 9", "125 0 waking 17 0 ksoftirqd/0", NULL };
	struct mdl_feed *f = mdl_feed_new("6.12.1", tick);

	mdl_feed_expect_chains(f, "17", "vector236:local_timer 101@0 > hrtimer9 102@0");
	mdl_feed_expect_facts(f, "17", "pending TIMER SCHED");
	mdl_feed_expect_chains(f, "18", "vector236:local_timer 101@0 > hrtimer9 102@0");
	mdl_feed_expect_facts(f, "18", "pending TIMER");
	mdl_feed_free(f);
	expect("6.12.1", left, "17", "vector236:local_timer 101@0 > hrtimer9 102@0");
	expect("6.12.1", round, "17", "vector236:local_timer 131@0 > hrtimer9 133@0");
	expect("6.12.1", unseen, "17", "-");
	expect("6.12.1", before, "17", "vector236:local_timer 101@0? > hrtimer9 102@0?");
	expect("6.12.1", by_thread, "17", "thread 10 100@0");
	expect("6.12.1", nothing, "17", "vector236:local_timer 125@0?"); /* raises are not recorded */
	expect("6.12.1", old, "17", "vector236:local_timer 101@0? > hrtimer9 102@0?");
	expect("6.12.1", other_cpu, "17", "-");
	expect("6.12.1", upon_ktimers, "17", "-");
	expect("6.12.1", restarted, "17", "hrtimer9 121@0");
	expect("6.12.1", armed, "17", "hrtimer9 121@0?");
	expect("6.12.1", twice, "17", "hrtimer9 121@0?");
}

/*
 * A round takes the pending bits and enables interrupts. An interrupt before its first entry that raises a
 * softirq again leaves it pending, as in a64-lockfight at 189.918004464 and in django/db. Two raises by one
 * interrupt do not. It is only inferred which of two softirqs, which of three raises, or in the first round
 * of the CPU, whose begin is unknown.
 */
static void test_left_in_gap(void)
{
#define ROUND "30 0 irq 9 x", "31 0 raise 3", "32 0 irqret 9", "33 0 softirq 3", "34 0 softirqret 3"
#define FIRST "40 0 irq 9 x", "41 0 raise 3", "42 0 irqret 9"
#define MORE(nr, vec) "43 0 irq " nr " y", "44 0 raise " vec, "45 0 irqret " nr
#define ENDS                                                                                \
	"50 0 softirq 3", "51 0 softirqret 3", "55 0 waking 17 0 ksoftirqd/0", "56 0 none", \
		"57 0 switch 10 0 17", "58 0 softirq 3", NULL
	static const char *const gap[] = { BEGIN, SLEEP, ROUND, FIRST, MORE("8", "3"), ENDS };
	static const char *const first[] = { BEGIN, SLEEP, FIRST, MORE("8", "3"), ENDS };
	static const char *const three[] = { BEGIN, SLEEP, ROUND, FIRST, MORE("8", "3"), "46 0 irq 7 z",
		"47 0 raise 3", "48 0 irqret 7", ENDS };
	static const char *const twice[] = { BEGIN, SLEEP, ROUND, "40 0 irq 9 x", "41 0 raise 3",
		"42 0 raise 3", "43 0 irqret 9", ENDS };
	static const char *const two[] = { BEGIN, SLEEP, ROUND, FIRST, MORE("8", "3"), "46 0 irq 7 z",
		"47 0 raise 2", "47 0 irqret 7", "48 0 irq 6 z", "48 0 raise 2", "48 0 irqret 6",
		"49 0 softirq 2", "49 0 softirqret 2", ENDS };
	/* Of an earlier round, at whose end no thread was woken. */
	static const char *const stale[] = { BEGIN, SLEEP, FIRST, MORE("8", "3"), "46 0 softirq 3",
		"46 0 softirqret 3", "47 0 irq 9 x", "47 0 raise 7", "47 0 irqret 9", "48 0 softirq 7",
		"49 0 softirqret 7", "55 0 waking 17 0 ksoftirqd/0", NULL };
	struct mdl_feed *f = mdl_feed_new("6.12.1", gap);

	mdl_feed_expect_chains(f, "17", "irq8:y 44@0");
	mdl_feed_expect_facts(f, "17", "pending NET_RX");
	mdl_feed_free(f);
	expect("6.12.1", first, "17", "irq8:y 44@0?");
	expect("6.12.1", three, "17", "irq7:z 47@0?");
	expect("6.12.1", twice, "17", "-");
	expect("6.12.1", stale, "17", "-");
	f = mdl_feed_new("6.12.1", two);
	mdl_feed_expect_chains(f, "17", "irq6:z 48@0?");
	mdl_feed_expect_facts(f, "17", "pending NET_TX NET_RX");
	mdl_feed_free(f);
#undef ROUND
#undef FIRST
#undef MORE
#undef ENDS
}

/* A name is no proof: kernel threads are children of kthreadd. */
static void test_name_alone(void)
{
	static const char *const events[] = { "1 0 dump 17 17 900 5 0 0 ksoftirqd/0", BEGIN, SLEEP, TICK,
		"102 0 raise 7", TOCK, "112 0 waking 17 0 ksoftirqd/0", NULL };

	expect("6.12.1", events, "17", "-; -");
}

/* Under PREEMPT_RT softirqs belong to threads and move with them. */
static void test_softirq_of_thread(void)
{
	static const char *const events[] = { BEGIN, SLEEP, "30 0 switch 10 1 0 wk idle", TICK,
		"102 0 raise 1", TOCK, "114 0 waking 18 0 ktimers/0", "120 0 switch 0 0 18 idle ktimers/0",
		"130 0 softirq 1", "140 0 waking 10 0 wk", "150 0 switch 18 0 10 ktimers/0 wk",
		"160 0 switch 10 1 18 wk ktimers/0", "170 0 waking 10 0 wk", "180 0 softirqret 1",
		"190 0 switch 18 1 10 ktimers/0 wk", "200 0 switch 10 1 0 wk idle", NULL };

	expect("6.12.90+deb13-rt-amd64", events, "10",
		"vector236:local_timer 101@0 > hrtimer9 102@0 > softirq1:TIMER 140@0; "
		"vector236:local_timer 101@0 > hrtimer9 102@0 > softirq1:TIMER 170@0");
}

/* The release does not say PREEMPT_RT: ftrace's flags of the switch say that it is in a softirq. */
static void test_told(void)
{
#define SENDS VECTORS, "20 0 switch^ 0 0 10 idle wk", "21 0 raise^ 3", "22 0 softirq^s 3"
#define RETURNS                                                                                  \
	"24 0 switch^ 34 1 10 x wk", "25 1 switch^ 0 0 11 idle y", "26 1 switch^ 11 1 0 y idle", \
		"27 0 waking^s 11 1 y", "28 0 softirqret^s 3", "29 0 sys^ write",                \
		"30 1 switch^ 0 0 11 idle y", "31 1 switch^ 11 1 0 y idle", "32 0 waking^ 11 1 y"
	static const char *const told[] = { SENDS, "23 0 switch^s 10 256 34 wk x", RETURNS, NULL };
	static const char *const untold[] = { SENDS, "23 0 switch^ 10 256 34 wk x", RETURNS, NULL };

	expect("6.12.90", told, "11", "thread 10 21@0 > softirq3:NET_RX 27@0; -");
	expect("4.9.0", told, "11", "-; -"); /* before 4.10 the flag may only mean disabled softirqs */
	expect("6.12.90", untold, "11", "-; -");
}

/*
 * sched_switch: prev_comm = "irq/26-virtio1-", prev_state = 2, next_comm = "ktimers/1"
 * irq_softirq_exit: { vec = 1 }, irq_softirq_entry: { vec = 7 }, irq_softirq_exit: { vec = 7 }
 * sched_pi_setprio: { comm = "ktimers/1", tid = 34, oldprio = -51, newprio = -51 }
 * sched_waking: { comm = "irq/26-virtio1-", tid = 206 }
 */
static void test_lock(void)
{
	static const char *const events[] = { BEGIN, "21 0 switch 10 0 206 wk irq/26-virtio1-",
		"22 0 switch 206 1 34 irq/26-virtio1- ktimers/0", "30 0 softirq 1",
		"40 0 irq 26 virtio1-req.1", "41 0 irqret 26 2", "42 0 waking 206 0 irq/26-virtio1-",
		"50 0 switch 34 256 206 ktimers/0 irq/26-virtio1-", "60 0 setprio 34",
		"70 0 switch 206 2 34 irq/26-virtio1- ktimers/0", "80 0 softirqret 1", "81 0 softirq 7",
		"90 0 setprio 34", "91 0 waking 206 0 irq/26-virtio1-", "92 0 softirqret 7",
		"95 0 switch 34 1 206 ktimers/0 irq/26-virtio1-", "100 0 waking 10 0 wk", NULL };
	static const char *const sleeper[] = { BEGIN, "21 0 switch 10 1 34 wk ktimers/0", "30 0 softirq 1",
		"90 0 setprio 34", "91 0 waking 10 0 wk", NULL };
	static const char *const for_packet[] = { BEGIN, "21 0 raise 3", "22 0 switch 10 1 34 wk ktimers/0",
		"30 0 softirq 3", "90 0 setprio 34", "91 0 waking 10 0 wk", NULL };

	expect("6.12.90-rt", events, "206", "irq26:virtio1-req.1 42@0; thread 34 91@0");
	expect("6.12.90-rt", sleeper, "10", "thread 34 91@0");
	/* In 4.4-rt the event comes after the wake-up that it is about. */
	expect("4.4.302-rt", for_packet, "10", "thread 10 21@0 > softirq3:NET_RX 91@0");
}

/*
 * Like test_lock, but the waiter had no higher priority to lend. From a recording of Linux 6.12-rt, with the
 * stacks of both wake-ups (timerfd_tmrproc(): wake_up_locked_poll(), then rt_spin_unlock() of the lock that
 * the reader takes first):
 *
 * irq_softirq_raise: { vec = 8 }, sched_waking: { comm = "ktimers/1", tid = 34 }
 * irq_softirq_entry: { vec = 8 }, timer_hrtimer_expire_entry, sched_waking: { comm = "tfd0", tid = 217 }
 * sched_switch: { prev_comm = "ktimers/1", prev_state = 256, next_comm = "cyc2" } and back
 * sched_switch: { cpu_id = 0 }, { prev_comm = "tfd0", prev_tid = 217, prev_state = 2, … }
 * sched_waking: { comm = "tfd0", tid = 217 }, timer_hrtimer_expire_exit, irq_softirq_exit: { vec = 8 }
 */
#define RAISED(vec)                                                                                          \
	VECTORS, "20 0 switch 0 0 34 idle ktimers/0", "21 0 switch 34 1 10 ktimers/0 wk", "22 0 raise " vec, \
		"23 0 waking 34 0 ktimers/0", "24 0 switch 10 256 34 wk ktimers/0", "25 0 softirq " vec
#define SLEEPS(state) "26 1 switch 0 0 11 idle x", "27 1 switch 11 " state " 0 x idle"

static void test_lock_unlent(void)
{
	static const char *const timer[] = { RAISED("8"), SLEEPS("2"), "30 0 hrtimer 9 5",
		"31 0 waking 11 1 x", NULL };
	static const char *const resumed[] = { RAISED("8"), "26 0 hrtimer 9 5",
		"27 0 switch 34 256 10 ktimers/0 wk", "28 1 switch 0 0 11 idle x",
		"29 1 switch 11 2 0 x idle", "30 0 switch 10 1 34 wk ktimers/0", "31 0 waking 11 1 x", NULL };
	static const char *const packet[] = { RAISED("3"), SLEEPS("2"),
		"30 0 receive 0x500 52 lo 10.0.0.1:80>10.0.0.2:4000#1", "31 0 waking 11 1 x", NULL };
	static const char *const interruptible[] = { RAISED("3"), SLEEPS("1"), "31 0 waking 11 1 x", NULL };
	static const char *const running[] = { RAISED("3"), "26 1 switch 0 0 11 idle x", "31 0 waking 11 1 x",
		"32 1 switch 11 2 0 x idle", "33 0 wakeup 11 1 x", NULL };
	static const char *const tasklet[] = { RAISED("6"), SLEEPS("2"), "31 0 waking 11 1 x", NULL };
	/* Hard interrupts hold no such locks. */
	static const char *const hard[] = { RAISED("3"), SLEEPS("2"), "30 0 irq 5 y", "31 0 waking 11 1 x",
		NULL };
	/* The lent priority is only for the thread that is woken next. */
	static const char *const second[] = { RAISED("3"), SLEEPS("2"), "28 1 switch 0 0 12 idle z",
		"29 1 switch 12 1 0 z idle", "30 0 setprio 34", "31 0 waking 11 1 x", "32 0 wakeup 11 1 x",
		"33 0 waking 12 1 z", NULL };

	expect("6.12.90-rt", timer, "11", "thread 34 31@0?");
	expect("6.12.90-rt", resumed, "11", "thread 34 31@0?");
	expect("6.12.90-rt", packet, "11", "thread 34 31@0?");
	expect("6.12.90-rt", interruptible, "11", "thread 10 22@0 > softirq3:NET_RX 31@0");
	expect("6.12.90-rt", running, "11", "thread 10 22@0? > softirq3:NET_RX 31@0?");
	expect("6.12.90-rt", tasklet, "11", "thread 10 22@0? > softirq6:TASKLET 31@0?");
	expect("6.12.90-rt", hard, "11", "-");
	expect("6.12.90-rt", second, "11", "thread 34 31@0");
	expect("6.12.90-rt", second, "12", "thread 10 22@0 > softirq3:NET_RX 33@0");
	expect("6.12.90", tasklet, "11", "thread 10 22@0 > softirq6:TASKLET 31@0");
}

/*
 * A thread in this sleep, for its own request or timer, may also wait for a lock that is held meanwhile. It
 * does not if the thread that completes the request was at rest when the sleep began, and has not waited for
 * a lock since, neither asleep nor spinning (which shows as a wake-up while awake).
 */
static void test_lock_or_answer(void)
{
#define RUNS "513226 0 switch 0 0 205 idle irq/25-virtio1-"
#define COMPLETES "513258 0 complete 1 800 8 33", "513273 0 waking 10 0 wk", NULL
	static const char *const request[] = { BEGIN, ISSUE, WOKEN, DONE, NULL };
	static const char *const before[] = { BEGIN, "21 0 switch 10 0 205 wk irq/25-virtio1-",
		"22 0 switch 205 1 0 irq/25-virtio1- idle", "23 1 switch 0 0 10 idle wk",
		"30 1 bio 1 800 8 33", "31 1 get 1 800 8 33", "32 1 issue 1 800 8 33 4096", WOKEN, RUNS,
		"513240 1 switch 10 2 0 wk idle", COMPLETES };
	static const char *const slept[] = { BEGIN, ISSUE, WOKEN, RUNS, "513230 0 switch 205 2 0",
		"513235 1 waking 205 0", "513240 0 switch 0 0 205", COMPLETES };
	static const char *const spun[] = { BEGIN, ISSUE, WOKEN, RUNS, "513230 1 waking 205 0",
		"513231 1 wakeup 205 0", COMPLETES };
	static const char *const by_other[] = { BEGIN, ISSUE, "513158 0 irq 25 virtio1-req.0",
		"513174 0 irqret 25 1", "513175 1 none", "513183 1 waking 205 0 irq/25-virtio1-", RUNS,
		COMPLETES };
	static const char *const timer[] = { VECTORS, "20 0 switch 0 0 34 idle ktimers/0",
		"21 0 switch 34 1 10 ktimers/0 wk", "22 0 arm 0x5 0x9", "23 0 switch 10 2 0 wk idle",
		"24 0 vector 236 local_timer", "24 0 raise 8", "24 0 vectorret 236 local_timer",
		"25 0 waking 34 0 ktimers/0", "26 0 switch 0 0 34 idle ktimers/0", "27 0 softirq 8",
		"28 0 hrtimer 0x9 0x5", "29 0 waking 10 0 wk", NULL };

	expect("6.12.90-rt", request, "10", "irq25:virtio1-req.0 513183@0 > thread 205 513273@0");
	expect("6.12.90-rt", before, "10", "irq25:virtio1-req.0 513183@0? > thread 205 513273@0?");
	expect("6.12.90-rt", slept, "10", "irq25:virtio1-req.0 513183@0? > thread 205 513273@0?");
	expect("6.12.90-rt", spun, "10", "irq25:virtio1-req.0 513183@0? > thread 205 513273@0?");
	expect("6.12.90-rt", by_other, "10", "thread 205 513273@0?");
	expect("6.12.90-rt", timer, "10",
		"vector236:local_timer 24@0? > softirq8:HRTIMER 28@0? > hrtimer9 29@0?");
#undef RUNS
#undef COMPLETES
}

/*
 * A CPU goes off-line and comes back. cpuhp/0 parks ksoftirqd, which is unrelated to pending softirqs, and
 * wakes it again; nothing that it does then comes from a softirq. The tracer misses switches while the CPU is
 * off-line: another thread than the last recorded one runs, and states based on that one end.
 */
static void test_hotplug(void)
{
	static const char *const events[] = { BEGIN, SLEEP, TICK, "102 0 raise 9", TOCK,
		"120 0 switch 10 2 20 wk cpuhp/0", "130 0 waking 17 0 ksoftirqd/0",
		"140 0 switch 20 2 17 cpuhp/0 ksoftirqd/0", "145 0 waking 20 0 cpuhp/0",
		"150 0 switch 17 64 0 ksoftirqd/0 idle", "200 0 ipi reschedule", "201 0 ipiret",
		"201 0 runs 20 0", "210 0 runs 20 1", "210 0 waking 17 0 ksoftirqd/0",
		"220 0 switch 20 2 17 cpuhp/0 ksoftirqd/0", "225 0 waking 11 0 x", NULL };
	static const char *const raised[] = { BEGIN, SLEEP, "120 0 switch 10 2 20 wk cpuhp/0",
		"129 0 raise 9", "130 0 waking 17 0 ksoftirqd/0", "140 0 switch 20 2 17 cpuhp/0 ksoftirqd/0",
		"150 0 waking 11 0 x", NULL };

	expect("6.18.0", events, "17", "thread 20 130@0; thread 20 210@0");
	expect("6.18.0", events, "20", "-");
	expect("6.18.0", events, "11", "-");
	expect("6.18.0", raised, "17", "thread 20 129@0");
	expect("6.18.0", raised, "11", "thread 20 129@0 > thread 17 150@0");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/irqthread/line", test_line);
	g_test_add_func("/irqthread/not-asked", test_not_asked);
	g_test_add_func("/irqthread/again", test_again);
	g_test_add_func("/irqthread/ksoftirqd", test_ksoftirqd);
	g_test_add_func("/irqthread/left-in-gap", test_left_in_gap);
	g_test_add_func("/irqthread/name-alone", test_name_alone);
	g_test_add_func("/irqthread/softirq-of-thread", test_softirq_of_thread);
	g_test_add_func("/irqthread/told", test_told);
	g_test_add_func("/irqthread/lock", test_lock);
	g_test_add_func("/irqthread/lock-unlent", test_lock_unlent);
	g_test_add_func("/irqthread/lock-or-answer", test_lock_or_answer);
	g_test_add_func("/irqthread/hotplug", test_hotplug);
	return g_test_run();
}
