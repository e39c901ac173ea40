/* SPDX-License-Identifier: MIT */
/* Lost events: facts that survive them, and when later facts count again. */
#include "model/mdl_feed.h"

static struct mdl_feed *feed(const char *const *events)
{
	return mdl_feed_new("6.1.0-50-amd64", events);
}

/* From the begin of the gap to the first event of its CPU after it, only threads running on other CPUs are
 * known. */
static void test_gap(void)
{
	static const char *const events[] = { "90 0 switch 0 0 9", "95 0 switch 9 1 10", /* 9 sleeps */
		"100 1 switch 0 0 11", "105 1 switch 11 0x100 12", /* 11 waits for CPU 1 */
		"106 0 switch 10 32 13",                           /* 10 has exited */
		"110 0 gap", "150 0 gapend 112", "160 1 irq 5 disk", "165 1 irqret 5", "170 0 switch 14 1 13",
		"180 1 waking 9 0", "190 0 switch 13 1 9", "200 0 none", NULL };
	struct mdl_feed *f = feed(events);

	mdl_feed_expect(f, "9",
		"0-90 unknown, 90-95 running @0, 95-110 blocked(interruptible) @0, 110-180 unknown, 180-190 wait-cpu @0, 190-200 running @0");
	mdl_feed_expect_wakeups(f, "9", "180 waking #9 by 12 cpu 1>0 since - ran 190");
	mdl_feed_expect(f, "10", "0-95 unknown, 95-106 running @0, 106-200 exited @0");
	mdl_feed_expect(f, "11", "0-100 unknown, 100-105 running @1, 105-110 preempted @1, 110-200 unknown");
	mdl_feed_expect(f, "12",
		"0-105 unknown, 105-160 running @1, 160-165 interrupted(irq5:disk) @1, 165-200 running @1");
	mdl_feed_expect(f, "13",
		"0-106 unknown, 106-110 running @0, 110-170 unknown, 170-190 running @0, 190-200 blocked(interruptible) @0");
	mdl_feed_expect(f, "14", "0-170 unknown, 170-200 blocked(interruptible) @0");
	mdl_feed_expect(f, "cpu0",
		"0-90 unknown, 90-95 running 9, 95-106 running 10, 106-110 running 13, 110-170 unknown, 170-190 running 13, 190-200 running 9");
	mdl_feed_expect(f, "cpu1",
		"0-100 unknown, 100-105 running 11, 105-160 running 12, 160-165 interrupted(irq5:disk) 12, 165-200 running 12");
	mdl_feed_free(f);
}

/* 10 is woken on its way to sleep. It was switched in while events of that CPU were lost, and kept the
 * CPU. */
static void test_woken_as_it_runs(void)
{
	static const char *const events[] = { "90 0 switch 0 0 9", "100 1 switch 0 0 11", "110 1 gap",
		"150 1 gapend 110", "160 0 waking 10 1", "161 0 wakeup 10 1", "170 1 switch 10 2 12",
		"180 0 waking 10 1", "190 1 switch 12 1 10", "200 0 none", NULL };
	struct mdl_feed *f = feed(events);

	mdl_feed_expect(f, "10",
		"0-170 unknown, 170-180 blocked(uninterruptible) @1, 180-190 wait-cpu @1, 190-200 running @1");
	mdl_feed_expect_wakeups(f, "10",
		"160 waking #3 by 9 cpu 0>1 since - ran -, 180 waking #6 by 9 cpu 0>1 since 170 ran 190");
	mdl_feed_free(f);
}

/* The end of an interrupt whose begin was lost or is older than the trace: it was being served until then. */
static void test_interrupt_before(void)
{
	static const char *const events[] = { "0 0 allseen", "100 0 first 10 a", "110 0 irqret 5",
		"120 0 switch 10 1 0", "130 0 gap", "150 0 gapend 130", "151 0 runs 0 1", "160 0 hrtimerret",
		"165 0 vectorret 236 local_timer", "170 0 switch 0 0 10", "180 0 irqret 6", "200 0 none",
		NULL };
	struct mdl_feed *f = feed(events);

	mdl_feed_expect(f, "cpu0",
		"0-110 unknown, 110-120 running 10, 120-130 idle idle0, 130-170 unknown, 170-200 running 10");
	mdl_feed_expect(f, "10",
		"0-110 unknown, 110-120 running @0, 120-130 blocked(interruptible) @0, 130-170 unknown, 170-200 running @0");
	mdl_feed_free(f);
}

/* Events left out of a cut trace: a blocked thread stays blocked, unless the mark lists it or the gap begins
 * after all events are there. A thread that runs or waits for a CPU does not stay so. */
static void test_cut(void)
{
	static const char *const events[] = { "0 0 cut 160 13", "90 0 switch 0 0 9", "95 0 switch 9 1 10",
		"96 0 switch 10 0x100 13", "97 0 switch 13 1 14", "98 1 switch 0 0 12", "110 0 gap",
		"112 1 gap", "120 0 gapend 98", "121 0 switch 15 2 0", "122 0 gap", "150 1 gapend 98",
		"151 1 switch 0 0 11", "155 0 gapend 121", "156 0 switch 0 0 16", "180 1 waking 9 1",
		"190 1 switch 11 1 9", "200 0 gap", "210 0 gapend 200", "220 0 none", NULL };
	struct mdl_feed *f = feed(events);

	mdl_feed_expect(f, "9",
		"0-90 unknown, 90-95 running @0, 95-180 blocked(interruptible) @0, 180-190 wait-cpu @1, 190-220 running @1");
	mdl_feed_expect_wakeups(f, "9", "180 waking #9 by 11 cpu 1>1 since 95 ran 190");
	mdl_feed_expect(f, "10", "0-95 unknown, 95-96 running @0, 96-110 preempted @0, 110-220 unknown");
	mdl_feed_expect(f, "13",
		"0-96 unknown, 96-97 running @0, 97-110 blocked(interruptible) @0, 110-220 unknown");
	mdl_feed_expect(f, "15", "0-121 unknown, 121-200 blocked(uninterruptible) @0, 200-220 unknown");
	mdl_feed_free(f);
}

/* Only calls of thread 10 are in the trace. The state of another thread follows neither from one of its calls
 * that is there nor from its parent's calls, and it may also wait for a page of its host (proofs.md R28). */
static void test_thinned(void)
{
	static const char *const events[] = { "0 0 callsof 10", "100 0 switch 0 0 10", "105 0 sys read",
		"110 0 sysret read", "115 0 sys clone", "120 0 fork 10 10 11 11 sh sh",
		"122 0 wakeup_new 11 0", "125 0 sysret clone", "130 0 switch 10 0 11", "135 0 sysret clone",
		"140 0 sys read", "150 0 switch 11 2 10", "160 0 waking 11 0", "200 0 none", NULL };
	struct mdl_feed *f = feed(events);

	mdl_feed_expect(f, "10",
		"0-100 unknown, 100-105 running @0, 105-110 syscall(read) @0, 110-115 usermode @0, 115-125 syscall(clone) @0, "
		"125-130 usermode @0, 130-150 preempted @0, 150-200 usermode @0");
	mdl_feed_expect(f, "11",
		"120-122 new, 122-130 wait-cpu @0, 130-150 running @0, 150-160 blocked(uninterruptible) @0, 160-200 wait-cpu @0");
	mdl_feed_free(f);
}

/* Without a begin, the gap starts at the last event of the CPU before it. */
static void test_end_alone(void)
{
	static const char *const events[] = { "100 0 switch 0 0 10", "105 1 switch 0 0 11",
		"110 0 irq 5 disk", "150 0 gapend 110", "160 0 irqret 5", "170 0 switch 10 1 12",
		"200 0 none", NULL };
	struct mdl_feed *f = feed(events);

	mdl_feed_expect(f, "10",
		"0-100 unknown, 100-110 running @0, 110-170 unknown, 170-200 blocked(interruptible) @0");
	mdl_feed_expect(f, "11", "0-105 unknown, 105-200 running @1");
	mdl_feed_expect(f, "cpu0", "0-100 unknown, 100-110 running 10, 110-170 unknown, 170-200 running 12");
	mdl_feed_expect(f, "irq5", "0-110 idle, 110-160 unknown, 160-200 idle");
	mdl_feed_free(f);
}

/* Events that were recorded while others were lost do not show which thread runs, wakes or is interrupted. */
static void test_events_inside(void)
{
	static const char *const events[] = { "90 0 switch 0 0 9", "95 0 switch 9 1 10",
		"100 1 switch 0 0 11", "110 0 gap", "115 0 switch 10 1 12", "118 0 irq 5 disk",
		"120 0 waking 11 1", /* runs on CPU 1: nothing */
		"125 0 waking 9 1", "130 1 switch 11 1 9", "150 0 gapend 126", "160 0 none",
		"170 0 switch 12 1 0", "200 0 none", NULL };
	struct mdl_feed *f = feed(events);

	mdl_feed_expect(f, "12", "0-170 unknown, 170-200 blocked(interruptible) @0");
	mdl_feed_expect(f, "9",
		"0-90 unknown, 90-95 running @0, 95-110 blocked(interruptible) @0, 110-130 unknown, 130-200 running @1");
	mdl_feed_expect(f, "11", "0-100 unknown, 100-130 running @1, 130-200 unknown");
	mdl_feed_expect_wakeups(f, "9", "125 waking #7 by - cpu 0>1 since - ran -");
	mdl_feed_expect(f, "cpu0",
		"0-90 unknown, 90-95 running 9, 95-110 running 10, 110-170 unknown, 170-200 idle idle0");
	mdl_feed_free(f);
}

/* A context open when events were lost explains nothing afterwards. */
static void test_stale_context(void)
{
	static const char *const events[] = { "90 0 switch 0 0 9", "95 0 switch 9 1 10", "105 0 irq 5 disk",
		"110 0 gap", "150 0 gapend 105", "155 0 none", "160 0 waking 9 0", "170 0 switch 10 1 9",
		"200 0 none", NULL };
	struct mdl_feed *f = feed(events);

	mdl_feed_expect_wakeups(f, "9", "160 waking #5 by - cpu 0>0 since - ran 170");
	mdl_feed_expect(f, "irq5", "0-105 idle, 105-110 running @0, 110-200 unknown");
	mdl_feed_free(f);
}

/* Two CPUs lose events, overlapping. The trace may end in a gap. */
static void test_two_cpus(void)
{
	static const char *const events[] = { "100 0 switch 0 0 10", "100 1 switch 0 0 11",
		"100 2 switch 0 0 12", "110 0 gap", "120 1 gap", "130 0 gapend 105", "140 0 switch 0 0 10",
		"150 2 switch 12 1 13", /* CPU 1 still loses: the wait is not known */
		"160 1 gapend 115", "170 1 switch 0 0 11", "180 2 gap", "200 1 none", NULL };
	struct mdl_feed *f = feed(events);

	mdl_feed_expect(f, "10", "0-100 unknown, 100-110 running @0, 110-140 unknown, 140-200 running @0");
	mdl_feed_expect(f, "11", "0-100 unknown, 100-120 running @1, 120-170 unknown, 170-200 running @1");
	mdl_feed_expect(f, "12", "0-100 unknown, 100-150 running @2, 150-200 unknown");
	mdl_feed_expect(f, "13", "0-150 unknown, 150-180 running @2, 180-200 unknown");
	mdl_feed_free(f);
}

/* A repeated begin and a repeated end: the count of open gaps stays right. */
static void test_told_twice(void)
{
	static const char *const events[] = { "100 0 switch 0 0 10", "110 0 gap", "115 0 gap",
		"120 0 gapend 105", "125 0 gapend 105", "130 0 switch 10 1 11", "140 0 switch 11 1 0",
		"150 0 waking 10 0", "160 0 switch 0 0 10", "200 0 none", NULL };
	struct mdl_feed *f = feed(events);

	mdl_feed_expect(f, "10",
		"0-100 unknown, 100-110 running @0, 110-130 unknown, 130-150 blocked(interruptible) @0, 150-160 wait-cpu @0, 160-200 running @0");
	mdl_feed_expect_wakeups(f, "10", "150 waking #4 by idle0 cpu 0>0 since 130 ran 160");
	mdl_feed_free(f);
}

/* Two streams of a CPU (channels of LTTng) lose events: the gap ends when both report its end. */
static void test_two_streams(void)
{
	static const char *const events[] = { "100 0 switch 0 0 10", "105 1 switch 0 0 11", "110 0 gap",
		"115 0 gap", "120 0 gapend 105", "122 0 none", "125 1 waking 10 0", "130 0 switch 10 1 11",
		"140 0 gapend 130", "150 0 switch 12 1 13", "200 0 none", NULL };
	struct mdl_feed *f = feed(events);

	mdl_feed_expect(f, "10", "0-100 unknown, 100-110 running @0, 110-200 unknown");
	mdl_feed_expect(f, "cpu0", "0-100 unknown, 100-110 running 10, 110-150 unknown, 150-200 running 13");
	mdl_feed_free(f);
}

/* A thread forked before the loss and woken after it is the same thread. */
static void test_fork_before(void)
{
	static const char *const events[] = { "100 0 switch 0 0 10", "105 0 fork 10 10 11 11", "110 1 gap",
		"120 1 gapend 102", "125 1 none", "130 0 wakeup_new 11 1", "140 1 switch 0 0 11",
		"150 1 switch 11 1 0", "160 1 gap", "165 1 gapend 150", "170 1 none",
		"180 0 wakeup_new 11 1", /* another, whose fork was lost */
		"200 0 none", NULL };
	struct mdl_feed *f = feed(events);

	mdl_feed_expect(f, "11",
		"105-110 new, 110-130 unknown, 130-140 wait-cpu @1, 140-150 running @1, 150-160 blocked(interruptible) @1, 160-180 unknown");
	mdl_feed_expect_wakeups(f, "11", "130 new #4 by 10 cpu 0>1 since 105 ran 140");
	mdl_feed_expect(f, "11#2", "180-200 wait-cpu @1");
	mdl_feed_free(f);
}

/* A gap before any event, of a CPU without events. */
static void test_first(void)
{
	static const char *const events[] = { "0 3 gap", "10 3 gapend -", "100 0 switch 0 0 10",
		"110 0 switch 10 1 0", "150 3 switch 0 0 11", "160 0 waking 10 0", "200 0 none", NULL };
	struct mdl_feed *f = feed(events);

	mdl_feed_expect(f, "10", "0-100 unknown, 100-110 running @0, 110-160 unknown, 160-200 wait-cpu @0");
	mdl_feed_expect(f, "cpu3", "0-150 unknown, 150-200 running 11");
	mdl_feed_free(f);
}

/*
 * Only switches of some threads are recorded (set_event_pid): of 10, but not of 11, which runs without being
 * switched in. From the second time on, 11 may be running whenever it seems to wait, from its last wake-up
 * on.
 */
#define SOME                                                                                                 \
	"100 0 switch 12 1 10 x a", "110 0 waking 11 0 b", "120 0 switch 10 1 0 a idle", "200 0 runs 11 0",  \
		"220 0 runs 11 1", "220 0 waking 10 0 a", "230 0 switch 11 1 10 b a", "240 0 waking 11 0 b", \
		"250 0 switch 10 1 0 a idle", "260 0 runs 11 0", "265 0 runs 11 1", "265 0 waking 10 0 a",   \
		"270 0 switch 11 1 10 b a", "280 0 switch 10 2 0 a idle"
#define RUNS "290 0 runs 11 0", "290 0 runs 11 0", "290 0 runs 11 0"

static void test_some_threads(void)
{
	static const char *const events[] = { SOME, "310 0 none", NULL },
				 *const many[] = { SOME, RUNS, RUNS, RUNS, "310 0 none", NULL };
	struct mdl_feed *f = feed(events);

	mdl_feed_expect_states(f, "10",
		"0-100 unknown, 100-120 running, 120-220 blocked, 220-230 wait-cpu, 230-250 running, 250-265 blocked, "
		"265-270 wait-cpu, 270-280 running, 280-310 blocked");
	mdl_feed_expect_states(f, "11",
		"0-110 unknown, 110-200 wait-cpu, 200-220 unknown, 220-230 running, 230-240 blocked, 240-265 unknown, "
		"265-270 running, 270-310 unknown");
	mdl_feed_free(f);
	f = feed(many); /* 10, which switches with 11, is one of the recorded threads */
	mdl_feed_expect_states(f, "10",
		"0-100 unknown, 100-120 running, 120-220 blocked, 220-230 wait-cpu, 230-250 running, 250-265 blocked, "
		"265-270 wait-cpu, 270-280 running, 280-310 blocked");
	mdl_feed_free(f);
}

/*
 * All switches of 10 and 12 only are recorded (event_filter_pid_sched_switch_probe_pre(),
 * kernel/trace/trace_events.c). 11 and 13 lack some, so they are not filtered for. Nor need 14 be, which
 * occurs only in switches with these two: it was preempted by 12, and may have run at any time since.
 */
static void test_set(void)
{
	static const char *const events[] = { "100 0 switch 14 0x100 12", "110 0 switch 12 0x100 11",
		"120 0 runs 13 0", "130 0 switch 13 0x100 12", "140 0 switch 12 1 13", "145 0 runs 11 0",
		"150 0 switch 11 0x100 10", "160 0 waking 12 0", "170 0 switch 10 0x100 12",
		"180 0 switch 12 1 11", "185 0 runs 13 0", "190 0 switch 13 0x100 10", "195 0 switch 10 2 11",
		"198 0 runs 13 0", "200 0 switch 13 0x100 12", "300 0 none", NULL };
	struct mdl_feed *f = feed(events);

	mdl_feed_expect_states(f, "10",
		"0-150 unknown, 150-170 running, 170-190 preempted, 190-195 running, 195-300 blocked");
	mdl_feed_expect_states(f, "14", "0-300 unknown");
	mdl_feed_free(f);
}

/* 10 is in the set, 11, 12 and 13 are not. */
#define OF_A_SET                                                                                           \
	"100 0 switch 11 0x100 10", "105 0 switch 10 1 12", "106 0 runs 13 0", "110 0 switch 13 0x100 10", \
		"115 0 switch 10 1 12", "116 0 runs 13 0", "120 0 switch 13 0x100 10",                     \
		"125 0 switch 10 1 12", "126 0 runs 13 0", "130 0 switch 13 0x100 10",                     \
		"135 0 switch 10 1 12", "136 0 runs 13 0", "140 0 switch 13 0x100 10",                     \
		"145 0 switch 10 1 12", "146 0 runs 13 0", "150 0 switch 13 0x100 10",                     \
		"160 0 fork 10 10 20 20", "165 0 wakeup_new 20 0", "170 0 switch 10 1 20"

/* A thread created by 10 has recorded calls: it is in the set, and so is every thread created from then
 * on. */
static void test_set_forks(void)
{
	static const char *const events[] = { OF_A_SET, "175 0 call clone", "180 0 fork 20 20 21 21",
		"185 0 wakeup_new 21 0", "190 0 switch 20 0x100 21", "300 0 none", NULL };
	struct mdl_feed *f = feed(events);

	mdl_feed_expect_states(f, "20",
		"160-170 unknown, 170-175 running, 175-190 syscall, 190-300 preempted");
	mdl_feed_expect_states(f, "21", "180-185 new, 185-190 wait-cpu, 190-300 syscall");
	mdl_feed_free(f);
}

/* Like test_set_forks(), but a thread outside also has calls: switches are missing for another reason. */
static void test_filtered_forks(void)
{
	static const char *const events[] = { OF_A_SET, "175 0 call clone", "176 0 switch 20 1 12",
		"177 0 call clone", "178 0 switch 12 1 20", "180 0 fork 20 20 21 21", "185 0 wakeup_new 21 0",
		"190 0 switch 20 0x100 21", "300 0 none", NULL };
	struct mdl_feed *f = feed(events);

	mdl_feed_expect_states(f, "21", "180-190 unknown, 190-300 running");
	mdl_feed_free(f);
}

/* sched_switch is off for a while, as wake-ups show. A thread that waited since before, or went to sleep on
 * another CPU, is unknown up to its next event; later events count. */
#define MISSED(T) T " 0 runs 11 0", T " 0 runs 11 1", T " 0 runs 10 0", T " 0 runs 10 1"
static void test_switches_off(void)
{
	static const char *const events[] = { "100 0 switch 12 1 10", "105 1 switch 14 1 13", MISSED("110"),
		MISSED("120"), MISSED("130"), MISSED("140"), MISSED("150"), "160 0 switch 10 0x100 11",
		"170 0 switch 11 1 10", "180 0 waking 12 0", "190 0 switch 10 1 12", "195 1 switch 13 1 14",
		"300 0 none", NULL };
	struct mdl_feed *f = feed(events);

	mdl_feed_expect_states(f, "12", "0-180 unknown, 180-190 wait-cpu, 190-300 running");
	mdl_feed_expect_states(f, "14", "0-195 unknown, 195-300 running");
	mdl_feed_expect_states(f, "13", "0-105 unknown, 105-150 running, 150-195 unknown, 195-300 blocked");
	mdl_feed_expect_states(f, "cpu1", "0-105 unknown, 105-150 running, 150-195 unknown, 195-300 running");
	mdl_feed_free(f);
}

/* Switches from idle are missing, however many: each of these threads leaves the CPU by a recorded switch. */
#define FROM_IDLE(T)                                                                                        \
	T "0 0 waking 10 0", T "2 0 runs 10 0", T "3 0 runs 10 1", T "3 0 call clone", T "4 0 waking 11 0", \
		T "5 0 switch 10 0x100 11", T "6 0 call clone", T "7 0 switch 11 1 10",                     \
		T "9 0 switch 10 1 0"
static const char *const from_idle[] = { "96 0 switch 12 1 0", "97 0 runs 11 0", "97 0 runs 11 1",
	"98 0 switch 11 1 0", "99 1 switch 14 1 13", FROM_IDLE("10"), FROM_IDLE("11"), FROM_IDLE("12"),
	FROM_IDLE("13"), FROM_IDLE("14"), FROM_IDLE("15"), FROM_IDLE("16"), FROM_IDLE("17"), FROM_IDLE("18"),
	FROM_IDLE("19"), FROM_IDLE("20"), FROM_IDLE("21"), FROM_IDLE("22"), "300 0 waking 10 0",
	"310 0 runs 10 0", "320 0 runs 10 1", "330 0 switch 10 1 0", "400 0 none", NULL };

/* FIRST, then N times TURN, then LAST; NULL ends each. */
static struct mdl_feed *feed_turns(const char *const *first, unsigned n, const char *const *turn,
	const char *const *last)
{
	g_autoptr(GPtrArray) events = g_ptr_array_new();

	for (unsigned i = 0; first[i]; i++)
		g_ptr_array_add(events, (gpointer)first[i]);
	for (unsigned round = 0; round < n; round++)
		for (unsigned i = 0; turn[i]; i++)
			g_ptr_array_add(events, (gpointer)turn[i]);
	for (unsigned i = 0; last[i]; i++)
		g_ptr_array_add(events, (gpointer)last[i]);
	g_ptr_array_add(events, NULL);
	return feed((const char *const *)events->pdata);
}

static void check_from_idle(struct mdl_feed *f)
{
	mdl_feed_expect_last_states(f, "10",
		"227-229 syscall, 229-300 blocked, 300-310 wait-cpu, 310-320 unknown, 320-330 running, 330-400 blocked");
	mdl_feed_expect_last_states(f, "11",
		"217-224 blocked, 224-225 wait-cpu, 225-227 syscall, 227-400 blocked");
	mdl_feed_expect_states(f, "13", "0-99 unknown, 99-400 running");
	mdl_feed_free(f);
}

/* A thread switched in from idle unrecorded takes turns with another one before: that makes no set of
 * them. */
static void test_from_idle(void)
{
	static const char *const first[] = { "10 0 switch 12 1 0", "11 0 waking 9 0", "12 0 runs 9 0",
		"13 0 runs 9 1", "20 0 switch 9 0x100 12", NULL };
	static const char *const turn[] = { "20 0 switch 12 0x100 9", "20 0 switch 9 0x100 12", NULL };

	check_from_idle(feed(from_idle));
	check_from_idle(feed_turns(first, 200, turn, from_idle));
}

/* A new thread was switched in from idle unrecorded: its states before its first event are unknown. */
static void test_new_from_idle(void)
{
	static const char *const events[] = { "90 1 switch 14 1 13", "100 0 switch 12 1 0",
		"105 1 fork 13 13 20 20", "106 1 wakeup_new 20 0", "110 0 runs 20 0", "150 0 runs 20 1",
		"200 0 switch 20 1 0", "300 0 none", NULL };
	struct mdl_feed *f = feed(events);

	mdl_feed_expect_states(f, "20",
		"105-106 new, 106-110 wait-cpu, 110-150 unknown, 150-200 running, 200-300 blocked");
	mdl_feed_free(f);
}

/* Three missing switches among hundreds, as if the kernel hides a thread, do not show a set of threads: a
 * thread never switched with the hidden one waits as recorded. */
static void test_few(void)
{
	static const char *const first[] = { "10 0 switch 14 1 10", "11 0 runs 12 0", "12 0 runs 12 1",
		"13 0 switch 12 1 11", "14 0 runs 12 0", "15 0 runs 12 1", "16 0 switch 12 1 13",
		"17 0 runs 12 0", "18 0 runs 12 1", NULL };
	static const char *const turn[] = { "20 0 switch 12 0x100 13", "20 0 switch 13 0x100 12", NULL };
	static const char *const last[] = { "30 1 switch 0 0 15", "40 1 switch 15 1 16", "50 0 waking 15 1",
		"60 1 switch 16 0x100 15", "90 0 none", NULL };
	struct mdl_feed *f = feed_turns(first, 200, turn, last);

	mdl_feed_expect_states(f, "15",
		"0-30 unknown, 30-40 running, 40-50 blocked, 50-60 wait-cpu, 60-90 running");
	mdl_feed_free(f);
}

/* Nothing was recorded from 120 to 180, and another thread ran afterwards: it is unknown which threads sleep
 * since then. */
static void test_hole(void)
{
	static const char *const events[] = { "100 0 switch 12 1 10", "105 1 switch 14 1 13",
		"110 0 switch 10 1 11", "115 0 runs 15 0", "120 1 waking 12 0", "180 1 hole 120",
		"180 1 waking 10 0", "185 0 runs 15 1", "190 0 switch 15 1 10", "195 1 switch 13 1 14",
		"300 0 none", NULL };
	struct mdl_feed *f = feed(events);

	mdl_feed_expect_states(f, "10",
		"0-100 unknown, 100-110 running, 110-120 blocked, 120-180 unknown, "
		"180-190 wait-cpu, 190-300 running");
	mdl_feed_expect_states(f, "12", "0-100 unknown, 100-120 blocked, 120-300 unknown");
	mdl_feed_expect_states(f, "13", "0-105 unknown, 105-120 running, 120-195 unknown, 195-300 blocked");
	mdl_feed_expect_states(f, "15", "0-185 unknown, 185-190 running, 190-300 blocked");
	mdl_feed_expect_states(f, "cpu1", "0-105 unknown, 105-120 running, 120-195 unknown, 195-300 running");
	mdl_feed_free(f);
}

/* If no switches are recorded, none is missing: a while without events means nothing. */
static void test_no_hole(void)
{
	static const char *const events[] = { "100 0 none", "105 0 runs 15 0", "105 0 runs 15 1",
		"120 0 irq 7 disk", "150 0 irqret 7", "180 0 hole 150", "180 0 runs 16 1", "300 0 none",
		NULL };
	struct mdl_feed *f = feed(events);

	mdl_feed_expect_states(f, "irq7", "0-120 idle, 120-150 running, 150-300 idle");
	mdl_feed_free(f);
}

/* A thread that is on the CPU when it is woken does not wait: it was on its way to sleep. */
static void test_found_awake(void)
{
	static const char *const events[] = { "0 0 gap", "50 0 gapend -", "100 0 waking! 10 0",
		"120 0 switch 10 1 0", "130 1 waking 10 0", "140 0 switch 0 0 10", "150 0 none", NULL },
				 *const other[] = { "0 0 gap", "50 0 gapend -", "100 0 waking 10 0",
					 "120 0 switch 0 0 10", "150 0 none", NULL };
	struct mdl_feed *f = feed(events);

	mdl_feed_expect(f, "10",
		"0-100 unknown, 100-120 running @0, 120-130 blocked(interruptible) @0, 130-140 wait-cpu @0, "
		"140-150 running @0");
	mdl_feed_free(f);
	f = feed(other);
	mdl_feed_expect(f, "10", "0-100 unknown, 100-120 wait-cpu @0, 120-150 running @0");
	mdl_feed_free(f);
}

/* A CPU that goes off-line records no switch from its stopper: the running thread is unknown from the last
 * event to the next switch. A stopper that runs for a while only, or that belongs to another CPU, did run. */
static void test_offline(void)
{
	static const char *const down[] = { "0 0 namesnobody", "100 1 switch 0 0 30 idle migration/1",
		"110 1 waking 9 0", "60000000 1 irq 5 disk", "60000010 1 irqret 5",
		"60000020 1 switch 0 0 31", "60000100 0 none", NULL };
	static const char *const ends[] = { "0 0 namesnobody", "100 1 switch 0 0 30 idle migration/1",
		"110 1 waking 9 0", "60000100 0 none", NULL };
	static const char *const stays[] = { "0 0 namesnobody", "100 1 switch 0 0 30 idle migration/1",
		"110 1 waking 9 0", "9000000 1 waking 8 0", "9000020 1 switch 30 1 31", "9000100 0 none",
		NULL };
	static const char *const other[] = { "0 0 namesnobody", "100 1 switch 0 0 30 idle migration/0",
		"60000020 1 switch 30 1 31", "60000100 0 none", NULL };
	struct mdl_feed *f = feed(down);

	mdl_feed_expect(f, "30", "0-100 unknown, 100-110 running @1, 110-60000100 unknown");
	mdl_feed_expect_states(f, "cpu1",
		"0-100 unknown, 100-110 running, 110-60000000 unknown, 60000000-60000010 interrupted, 60000010-60000020 unknown, 60000020-60000100 running");
	mdl_feed_free(f);
	f = feed(ends);
	mdl_feed_expect(f, "30", "0-100 unknown, 100-110 running @1, 110-60000100 unknown");
	mdl_feed_free(f);
	f = feed(stays);
	mdl_feed_expect(f, "30",
		"0-100 unknown, 100-9000020 running @1, 9000020-9000100 blocked(interruptible) @1");
	mdl_feed_free(f);
	f = feed(other);
	mdl_feed_expect(f, "30",
		"0-100 unknown, 100-60000020 running @1, 60000020-60000100 blocked(interruptible) @1");
	mdl_feed_free(f);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/gaps/gap", test_gap);
	g_test_add_func("/gaps/interrupt-before", test_interrupt_before);
	g_test_add_func("/gaps/woken-as-it-runs", test_woken_as_it_runs);
	g_test_add_func("/gaps/cut", test_cut);
	g_test_add_func("/gaps/thinned", test_thinned);
	g_test_add_func("/gaps/end-alone", test_end_alone);
	g_test_add_func("/gaps/events-inside", test_events_inside);
	g_test_add_func("/gaps/stale-context", test_stale_context);
	g_test_add_func("/gaps/two-cpus", test_two_cpus);
	g_test_add_func("/gaps/told-twice", test_told_twice);
	g_test_add_func("/gaps/two-streams", test_two_streams);
	g_test_add_func("/gaps/fork-before", test_fork_before);
	g_test_add_func("/gaps/first", test_first);
	g_test_add_func("/gaps/some-threads", test_some_threads);
	g_test_add_func("/gaps/set", test_set);
	g_test_add_func("/gaps/set-forks", test_set_forks);
	g_test_add_func("/gaps/filtered-forks", test_filtered_forks);
	g_test_add_func("/gaps/switches-off", test_switches_off);
	g_test_add_func("/gaps/from-idle", test_from_idle);
	g_test_add_func("/gaps/new-from-idle", test_new_from_idle);
	g_test_add_func("/gaps/few", test_few);
	g_test_add_func("/gaps/hole", test_hole);
	g_test_add_func("/gaps/found-awake", test_found_awake);
	g_test_add_func("/gaps/no-hole", test_no_hole);
	g_test_add_func("/gaps/offline", test_offline);
	return g_test_run();
}
