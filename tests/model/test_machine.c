/* SPDX-License-Identifier: MIT */
/* The scheduler's side of the state machine: switches, wake-ups, migrations. */
#include "model/mdl_feed.h"

#define KERNEL "6.1.0-50-amd64"

static struct mdl_feed *feed(const char *const *events)
{
	return mdl_feed_new(KERNEL, events);
}

static void test_switch_out(void)
{
	static const char *const events[] = { "100 0 switch 0 0 10", "110 0 switch 10 1 11", /* sleeps */
		"120 0 switch 11 0x100 12", /* pre-empted: R+ */
		"130 0 switch 12 0 13",     /* still runnable */
		"140 0 switch 13 32 14",    /* zombie */
		"150 0 switch 14 2 15", "160 0 switch 15 8 0", "200 0 none", NULL };
	struct mdl_feed *f = feed(events);

	mdl_feed_expect(f, "10", "0-100 unknown, 100-110 running @0, 110-200 blocked(interruptible) @0");
	mdl_feed_expect(f, "11", "0-110 unknown, 110-120 running @0, 120-200 preempted @0");
	mdl_feed_expect(f, "12", "0-120 unknown, 120-130 running @0, 130-200 preempted @0");
	mdl_feed_expect(f, "13", "0-130 unknown, 130-140 running @0, 140-200 exited @0");
	mdl_feed_expect(f, "14", "0-140 unknown, 140-150 running @0, 150-200 blocked(uninterruptible) @0");
	mdl_feed_expect(f, "15", "0-150 unknown, 150-160 running @0, 160-200 blocked(traced) @0");
	mdl_feed_expect(f, "idle0", "0-100 unknown, 100-160 preempted @0, 160-200 running @0");
	mdl_feed_expect(f, "cpu0",
		"0-100 unknown, 100-110 running 10, 110-120 running 11, 120-130 running 12, "
		"130-140 running 13, 140-150 running 14, 150-160 running 15, 160-200 idle idle0");
	g_assert_cmpuint(mdl_machine_switches(mdl_feed_machine(f)), ==, 7);
	mdl_feed_free(f);
}

static void test_wait(void)
{
	static const char *const events[] = { "100 0 switch 0 0 10", "110 0 switch 10 1 0",
		"115 1 switch 0 0 20", "150 1 waking 10 0", "152 1 wakeup 10 0", "160 0 switch 0 0 10",
		"200 0 none", NULL };
	struct mdl_feed *f = feed(events);

	mdl_feed_expect(f, "10",
		"0-100 unknown, 100-110 running @0, 110-150 blocked(interruptible) @0, 150-160 wait-cpu @0, 160-200 running @0");
	mdl_feed_expect_wakeups(f, "10", "150 waking #4 by 20 cpu 1>0 since 110 ran 160");
	mdl_feed_expect_wakeups(f, "20", "");
	mdl_feed_free(f);
}

/* A second wakeup, and a wakeup of a runnable or running thread change nothing. */
static void test_second_wakeup(void)
{
	static const char *const events[] = { "100 0 switch 0 0 10", "110 0 switch 10 1 0",
		"115 1 switch 0 0 20", "150 1 waking 10 0", "152 1 wakeup 10 0", "153 0 wakeup 10 0",
		"155 0 wakeup 10 1", "160 0 switch 0 0 10", "165 1 waking 10 0", /* runs: at once */
		"166 1 wakeup 10 0", "170 0 switch 10 0x100 0",                  /* preempted, in any state */
		"175 1 waking 10 0", "176 1 wakeup 10 1", "180 0 switch 0 0 10", "200 0 none", NULL };
	struct mdl_feed *f = feed(events);

	mdl_feed_expect(f, "10",
		"0-100 unknown, 100-110 running @0, 110-150 blocked(interruptible) @0, 150-160 wait-cpu @0, "
		"160-170 running @0, 170-180 preempted @0, 180-200 running @0");
	mdl_feed_expect_wakeups(f, "10", "150 waking #4 by 20 cpu 1>0 since 110 ran 160");
	mdl_feed_free(f);
}

/* A thread that was woken and did not run is woken again: it did run and sleep, unrecorded. */
static void test_woken_again(void)
{
	static const char *const events[] = { "100 0 switch 0 0 10", "110 0 switch 10 1 0",
		"120 1 waking 10 0", "121 1 wakeup 10 0", "180 1 waking 10 0", "181 1 wakeup 10 0",
		"190 0 switch 0 0 10", "200 0 none", NULL };
	struct mdl_feed *f = feed(events);

	mdl_feed_expect_states(f, "10",
		"0-100 unknown, 100-110 running, 110-120 blocked, 120-180 unknown, 180-190 wait-cpu, 190-200 running");
	mdl_feed_expect_wakeups(f, "10",
		"120 waking #3 by - cpu 1>0 since 110 ran -, 180 waking #5 by - cpu 1>0 since - ran 190");
	mdl_feed_free(f);
}

/* As in traces without sched_waking. */
static void test_wakeup_alone(void)
{
	static const char *const events[] = { "100 0 switch 0 0 10", "110 0 switch 10 2 0",
		"115 1 switch 0 0 20", "140 1 migrate 10 1", /* before the wake-up: its new CPU */
		"150 1 wakeup 10 1", "151 1 wakeup 10 0", "160 1 switch 20 0 10", "200 0 none", NULL };
	struct mdl_feed *f = feed(events);

	mdl_feed_expect(f, "10",
		"0-100 unknown, 100-110 running @0, 110-150 blocked(uninterruptible) @0, 150-160 wait-cpu @1, 160-200 running @1");
	mdl_feed_expect_wakeups(f, "10", "150 wakeup #5 by 20 cpu 1>1 since 110 ran 160");
	mdl_feed_free(f);
}

/* The waker is not in the trace. */
static void test_unseen_wakeup(void)
{
	static const char *const events[] = { "100 0 switch 0 0 10", "110 0 switch 10 1 0",
		"160 1 switch 0 0 10", "200 0 none", NULL };
	struct mdl_feed *f = feed(events);

	mdl_feed_expect(f, "10",
		"0-100 unknown, 100-110 running @0, 110-160 blocked(interruptible) @0, 160-200 running @1");
	mdl_feed_expect_wakeups(f, "10", "160 none #- by - cpu ->1 since 110 ran 160");
	mdl_feed_free(f);
}

/* A thread without earlier events is woken: the begin of its wait is unknown. */
static void test_first_seen_by_wakeup(void)
{
	static const char *const events[] = { "100 1 switch 0 0 20", "150 1 waking 10 0 ten",
		"160 0 switch 0 0 10", "200 0 none", NULL };
	struct mdl_feed *f = feed(events);

	mdl_feed_expect(f, "10", "0-150 unknown, 150-160 wait-cpu @0, 160-200 running @0");
	mdl_feed_expect_wakeups(f, "10", "150 waking #2 by 20 cpu 1>0 since - ran 160");
	mdl_feed_expect_names(f, "10", "150 ten");
	mdl_feed_free(f);
}

/* The waking and the wakeup both come while it still runs: it never left the run queue, so there was no
 * wait. */
static void test_early_waking_on_queue(void)
{
	/* Of a later wait. */
	static const char *const events[] = { "100 0 switch 0 0 10", "105 1 switch 0 0 20",
		"108 1 waking 10 0", "109 1 wakeup 10 0", "110 0 switch 10 1 0", "150 1 wakeup 10 0",
		"160 0 switch 0 0 10", "200 0 none", NULL };
	struct mdl_feed *f = feed(events);

	mdl_feed_expect(f, "10",
		"0-100 unknown, 100-110 running @0, 110-150 blocked(interruptible) @0, 150-160 wait-cpu @0, 160-200 running @0");
	mdl_feed_expect_wakeups(f, "10", "150 wakeup #6 by 20 cpu 1>0 since 110 ran 160");
	mdl_feed_free(f);
}

/* The waking comes before the switch-out, the wakeup after it: that waking is the cause of the wait's end. */
static void test_early_waking_race(void)
{
	static const char *const events[] = { "100 0 switch 0 0 10", "105 1 switch 0 0 20",
		"106 1 irq 5 disk", "108 1 waking 10 0", "109 1 irqret 5", "110 0 switch 10 1 0",
		"112 0 wakeup 10 0", "160 0 switch 0 0 10", "200 0 none", NULL };
	struct mdl_feed *f = feed(events);

	mdl_feed_expect(f, "10",
		"0-100 unknown, 100-110 running @0, 110-112 blocked(interruptible) @0, 112-160 wait-cpu @0, 160-200 running @0");
	mdl_feed_expect_wakeups(f, "10", "112 waking #4 by 20 cpu 1>0 since 110 ran 160 in irq5:disk/106");
	mdl_feed_free(f);
}

/* Without sched_wakeup: it waits for a CPU as soon as it has left its own. If it did sleep longer, the next
 * waking shows it. */
static void test_early_waking_alone(void)
{
	static const char *const events[] = { "100 0 switch 0 0 10", "105 1 switch 0 0 20",
		"108 1 waking 10 0", "110 0 switch 10 1 11", "160 0 switch 11 0 10", "170 1 waking 10 0",
		"175 0 switch 10 1 0", "180 1 waking 10 0", "190 0 switch 0 0 10", "200 0 none", NULL };
	struct mdl_feed *f = feed(events);

	mdl_feed_expect(f, "10",
		"0-100 unknown, 100-110 running @0, 110-160 wait-cpu @0, 160-175 running @0, "
		"175-180 blocked(interruptible) @0, 180-190 wait-cpu @0, 190-200 running @0");
	mdl_feed_expect_wakeups(f, "10",
		"110 waking #3 by 20 cpu 1>0 since 110 ran 160, 180 waking #8 by 20 cpu 1>0 since 175 ran 190");
	mdl_feed_free(f);
}

/* An early waking is forgotten when the thread was pre-empted instead. */
static void test_early_waking_dropped(void)
{
	static const char *const events[] = { "100 0 switch 0 0 10", "105 1 switch 0 0 20",
		"108 1 waking 10 0", "110 0 switch 10 0x100 0", "120 0 switch 0 0 10", "130 0 switch 10 1 0",
		"150 0 switch 0 0 10", "200 0 none", NULL };
	struct mdl_feed *f = feed(events);

	mdl_feed_expect_wakeups(f, "10", "150 none #- by - cpu ->0 since 130 ran 150");
	mdl_feed_free(f);
}

/* The CPU of the wait: sched_waking names the previous CPU, migrate and wakeup the new one, and a later
 * migrate moves it. */
static void test_place(void)
{
	static const char *const events[] = { "100 0 switch 0 0 10", "110 0 switch 10 1 0",
		"150 0 waking 10 0", "151 0 migrate 10 2", "152 0 wakeup 10 2",
		"155 2 migrate 10 3", /* balanced away while it waits */
		"160 3 switch 0 0 10", "170 3 switch 10 0x100 0", "175 1 migrate 10 1", "180 1 switch 0 0 10",
		"185 1 migrate 10 2", /* it runs: no move */
		"200 0 none", NULL };
	struct mdl_feed *f = feed(events);

	mdl_feed_expect(f, "10",
		"0-100 unknown, 100-110 running @0, 110-150 blocked(interruptible) @0, 150-155 wait-cpu @2, 155-160 wait-cpu @3, "
		"160-170 running @3, 170-175 preempted @3, 175-180 preempted @1, 180-200 running @1");
	mdl_feed_expect_wakeups(f, "10", "150 waking #3 by idle0 cpu 0>2 since 110 ran 160");
	mdl_feed_free(f);
}

/* Without sched_wakeup only a migration right after sched_waking gives the CPU from the start. An example is
 * 894 in hackbench: waking …359408420, migrate …377920780 and …437955550, switch …602136470. */
static void test_place_balanced(void)
{
	static const char *const events[] = { "100 0 switch 0 0 10", "110 0 switch 10 1 0",
		"150 1 waking 10 0", "155 1 irq 5 disk", "160 1 migrate 10 1", "165 0 migrate 10 0",
		"170 0 switch 0 0 10", "180 0 switch 10 1 0", "185 1 waking 10 0", "186 1 migrate 10 1",
		"190 0 migrate 10 0", "195 0 switch 0 0 10", "200 0 none", NULL };
	struct mdl_feed *f = feed(events);

	mdl_feed_expect(f, "10",
		"0-100 unknown, 100-110 running @0, 110-150 blocked(interruptible) @0, 150-160 wait-cpu @0, 160-165 wait-cpu "
		"@1, 165-170 wait-cpu @0, 170-180 running @0, 180-185 blocked(interruptible) @0, 185-190 wait-cpu @1, 190-195 "
		"wait-cpu @0, 195-200 running @0");
	mdl_feed_free(f);
}

/* Two changes at one instant: no empty interval, and equal neighbours are joined. */
static void test_same_instant(void)
{
	static const char *const events[] = { "100 0 switch 0 0 10", "110 0 switch 10 1 0",
		"110 0 waking 10 0", "110 0 switch 0 0 10", "120 0 irq 5 disk", "120 0 irqret 5",
		"120 0 softirq 4", "120 0 softirqret 4", "130 0 switch 10 0 0", "130 0 switch 0 0 10",
		"200 0 none", NULL };
	struct mdl_feed *f = feed(events);

	mdl_feed_expect(f, "10", "0-100 unknown, 100-200 running @0");
	mdl_feed_expect(f, "cpu0", "0-100 unknown, 100-200 running 10");
	mdl_feed_expect(f, "irq5", "0-200 idle");
	mdl_feed_expect(f, "idle0", "0-100 unknown, 100-200 preempted @0");
	mdl_feed_expect_wakeups(f, "10", "110 waking #3 by idle0 cpu 0>0 since 110 ran 110");
	mdl_feed_free(f);
}

/* Everything at the very first instant. */
static void test_begin(void)
{
	static const char *const events[] = { "0 0 switch 0 0 10", "0 0 switch 10 1 11", "50 0 none", NULL };
	struct mdl_feed *f = feed(events);

	mdl_feed_expect(f, "10", "0-50 blocked(interruptible) @0");
	mdl_feed_expect(f, "11", "0-50 running @0");
	mdl_feed_expect(f, "cpu0", "0-50 running 11");
	mdl_feed_free(f);
}

static void test_syscalls(void)
{
	static const char *const events[] = { "90 0 sys read", /* thread unknown */
		"100 0 switch 0 0 10", "105 0 sysret", "110 0 sys read", "120 0 switch 10 1 11",
		"130 0 sys write", "140 0 sys write", "150 0 waking 10 0", "160 0 switch 11 0x100 10",
		"170 0 sysret read", "180 0 switch 10 0x100 11", "200 0 none", NULL };
	struct mdl_feed *f = feed(events);

	mdl_feed_expect(f, "10",
		"0-100 unknown, 100-105 running @0, 105-110 usermode @0, 110-120 syscall(read) @0, 120-150 blocked(interruptible) @0, "
		"150-160 wait-cpu @0, 160-170 syscall(read) @0, 170-180 usermode @0, 180-200 preempted @0");
	mdl_feed_expect(f, "11",
		"0-120 unknown, 120-130 running @0, 130-160 syscall(write) @0, 160-180 preempted @0, 180-200 syscall(write) @0");
	mdl_feed_free(f);
}

/* sigreturn has no exit; LTTng records it only by number. */
static void test_sigreturn(void)
{
	static const char *const events[] = { "100 0 switch 0 0 10", "110 0 sys read", "120 0 sysret read",
		"130 0 call unknown - - - 15", "150 0 call unknown - - - 334", "160 0 sysret unknown",
		"200 0 none", NULL };
	struct mdl_feed *f = feed(events);

	mdl_feed_expect(f, "10",
		"0-100 unknown, 100-110 running @0, 110-120 syscall(read) @0, 120-150 usermode @0, "
		"150-160 syscall(unknown) @0, 160-200 usermode @0");
	mdl_feed_free(f);
}

/* The trace says another thread was switched out: the assumed thread of the CPU is dropped. */
static void test_disagreement(void)
{
	static const char *const events[] = { "100 0 switch 0 0 10", "120 0 switch 11 1 12",
		"130 1 switch 0 0 12", /* it ran on CPU 0: it cannot run on both */
		"140 0 irq 5 disk", "145 0 irqret 5", "150 1 switch 12 1 0", "200 0 none", NULL };
	struct mdl_feed *f = feed(events);

	mdl_feed_expect(f, "10", "0-100 unknown, 100-120 running @0, 120-200 unknown");
	mdl_feed_expect(f, "11", "0-120 unknown, 120-200 blocked(interruptible) @0");
	mdl_feed_expect(f, "12",
		"0-120 unknown, 120-130 running @0, 130-150 running @1, 150-200 blocked(interruptible) @1");
	mdl_feed_expect(f, "cpu0",
		"0-100 unknown, 100-120 running 10, 120-130 running 12, 130-140 unknown, "
		"140-145 interrupted(irq5:disk), 145-200 unknown");
	mdl_feed_free(f);
}

/* Switched out on a CPU where the model does not have it: it does not run on the other one any more. */
static void test_out_elsewhere(void)
{
	static const char *const events[] = { "100 0 switch 0 0 10", "120 1 switch 10 1 11",
		"130 0 sys read", /* not its */
		"150 1 waking 10 1", "160 1 switch 11 0x100 10", "200 0 none", NULL };
	struct mdl_feed *f = feed(events);

	mdl_feed_expect(f, "10",
		"0-100 unknown, 100-120 running @0, 120-150 blocked(interruptible) @1, 150-160 wait-cpu @1, 160-200 running @1");
	mdl_feed_expect(f, "cpu0", "0-100 unknown, 100-120 running 10, 120-200 unknown");
	mdl_feed_free(f);
}

/* It was switched in on a CPU before the first event there (perf enables events CPU by CPU): how long it
 * waited is unknown, but its wake-up is known. */
static void test_came_unseen(void)
{
	static const char *const events[] = { "100 0 switch 0 0 10", "110 0 switch 10 0 11",
		"120 0 switch 11 1 12", "130 0 waking 11 1", "200 1 switch 10 1 11", "210 1 switch 11 0 13",
		"300 0 none", NULL };
	static const char *const woken[] = { "100 0 switch 0 0 10", "110 0 switch 10 1 11",
		"120 0 waking 10 1", "200 1 switch 10 1 0", "300 0 none", NULL };
	struct mdl_feed *f = feed(events), *g = feed(woken);

	mdl_feed_expect_states(f, "10", "0-100 unknown, 100-110 running, 110-200 unknown, 200-300 blocked");
	mdl_feed_expect_states(f, "11",
		"0-110 unknown, 110-120 running, 120-130 blocked, 130-200 wait-cpu, 200-210 running, 210-300 preempted");
	mdl_feed_expect_states(g, "10",
		"0-100 unknown, 100-110 running, 110-120 blocked, 120-200 unknown, 200-300 blocked");
	mdl_feed_expect_wakeups(g, "10", "120 waking #3 by 11 cpu 0>1 since 110 ran -");
	mdl_feed_free(f);
	mdl_feed_free(g);
}

/* Linux 4.15 to 4.19 wrote the state shifted by one, as the idle thread's 1 shows. Idle and preempted look
 * alike until the thread runs again without a wake-up. */
static void test_shifted(void)
{
	static const char *const events[] = { "100 0 switch 0 1 10", "110 0 switch 10 2 11",
		"120 0 switch 11 4 12", "130 0 switch 12 1 13", "140 0 switch 13 0x100 14",
		"150 0 switch 14 0x40 15", "160 0 waking 11 0", "170 0 switch 15 0x100 13",
		"180 0 switch 13 2 11", "200 0 none", NULL };
	struct mdl_feed *f = mdl_feed_new("4.15.0", events);

	mdl_feed_expect(f, "10", "0-100 unknown, 100-110 running @0, 110-200 blocked(interruptible) @0");
	mdl_feed_expect(f, "11",
		"0-110 unknown, 110-120 running @0, 120-160 blocked(uninterruptible) @0, 160-180 wait-cpu @0, 180-200 running @0");
	mdl_feed_expect(f, "12", "0-120 unknown, 120-130 running @0, 130-200 preempted @0");
	mdl_feed_expect_states(f, "13",
		"0-130 unknown, 130-140 running, 140-170 preempted, 170-180 running, 180-200 blocked");
	mdl_feed_expect(f, "14", "0-140 unknown, 140-150 running @0, 150-200 exited @0");
	mdl_feed_expect_states(f, "15", "0-150 unknown, 150-170 running, 170-200 unknown");
	mdl_feed_free(f);
}

/* Until the encoding of these kernels is known, only states that all encodings share are known. */
static void test_shifted_unknown(void)
{
	static const char *const events[] = { "100 0 switch 10 1 11", "110 0 switch 11 2 12",
		"120 0 switch 12 0x20 13", "130 0 switch 13 0x100 14", "140 0 switch 14 0 15",
		"150 0 switch 15 1 16", "160 0 waking 10 0", "200 0 none", NULL };
	struct mdl_feed *f = mdl_feed_new("4.19.0-5-amd64", events), *g = mdl_feed_new("4.20.0", events);

	mdl_feed_expect_states(f, "10", "0-160 unknown, 160-200 wait-cpu");
	mdl_feed_expect_wakeups(f, "10", "160 waking #7 by 16 cpu 0>0 since - ran -");
	mdl_feed_expect(f, "11", "0-100 unknown, 100-110 running @0, 110-200 blocked(?) @0");
	mdl_feed_expect_states(f, "12", "0-110 unknown, 110-120 running, 120-200 exited");
	mdl_feed_expect_states(f, "13", "0-120 unknown, 120-130 running, 130-200 unknown");
	mdl_feed_expect_states(f, "14", "0-130 unknown, 130-140 running, 140-200 preempted");
	mdl_feed_expect(f, "15", "0-140 unknown, 140-150 running @0, 150-200 blocked(interruptible) @0");
	mdl_feed_free(f);
	mdl_feed_expect_states(g, "10", "0-100 unknown, 100-160 blocked, 160-200 wait-cpu");
	mdl_feed_expect_states(g, "13", "0-120 unknown, 120-130 running, 130-200 preempted");
	mdl_feed_free(g);
}

/* The first Linux 4.14 wrote the number of the bit. */
static void test_index(void)
{
	static const char *const events[] = { "100 0 switch 0 0 10", "110 0 switch 10 3 11",
		"120 0 switch 11 5 12", "130 0 switch 12 8 13", "140 0 switch 13 0x1000 14", "200 0 none",
		NULL };
	struct mdl_feed *f = mdl_feed_new("4.14.0", events);

	mdl_feed_expect(f, "10", "0-100 unknown, 100-110 running @0, 110-200 blocked(stopped) @0");
	mdl_feed_expect_states(f, "11", "0-110 unknown, 110-120 running, 120-200 exited");
	mdl_feed_expect(f, "12", "0-120 unknown, 120-130 running @0, 130-200 blocked(idle) @0");
	mdl_feed_expect_states(f, "13", "0-130 unknown, 130-140 running, 140-200 preempted");
	mdl_feed_free(f);
}

/* A thread that leaves its CPU as runnable and is woken was asleep: on PREEMPT_RT, for a lock. */
static void test_says_runs(void)
{
	static const char *const events[] = { "100 0 switch 0 0 10", "120 0 switch 10 0 11",
		"140 1 waking 10 0", "145 1 wakeup 10 0", "160 0 switch 11 0 10", "200 0 none", NULL };
	struct mdl_feed *f = mdl_feed_new("5.15.30-rt38", events), *g = mdl_feed_new("6.15.0", events);

	mdl_feed_expect_states(f, "10",
		"0-100 unknown, 100-120 running, 120-140 blocked, 140-160 wait-cpu, 160-200 running");
	mdl_feed_expect_wakeups(f, "10", "140 waking #3 by - cpu 1>0 since 120 ran 160");
	/* It seems preempted to the end, and may wait for a lock. */
	mdl_feed_expect_states(f, "11", "0-120 unknown, 120-160 running, 160-200 unknown");
	mdl_feed_free(f);
	/* Not such a kernel: it must have run meanwhile. */
	mdl_feed_expect_states(g, "10",
		"0-100 unknown, 100-120 running, 120-140 unknown, 140-160 wait-cpu, 160-200 running");
	mdl_feed_expect_wakeups(g, "10", "140 waking #3 by - cpu 1>0 since - ran 160");
	mdl_feed_expect_states(g, "11", "0-120 unknown, 120-160 running, 160-200 preempted");
	mdl_feed_free(g);
}

/* As above, but preempted with any state, or without a wake-up. */
static void test_says_preempted(void)
{
	static const char *const events[] = { "100 0 switch 0 0 10", "120 0 switch 10 0x100 11",
		"140 1 waking 10 0", "145 1 wakeup 10 0", "150 0 switch 11 0 10", "160 0 switch 10 0 11",
		"200 0 none", NULL };
	struct mdl_feed *f = mdl_feed_new("5.15.30-rt38", events);

	mdl_feed_expect_states(f, "10",
		"0-100 unknown, 100-120 running, 120-150 preempted, 150-160 running, 160-200 unknown");
	mdl_feed_expect_wakeups(f, "10", "");
	mdl_feed_expect_states(f, "11", "0-120 unknown, 120-150 running, 150-160 preempted, 160-200 running");
	mdl_feed_free(f);
}

/* No wake-ups are recorded: under PREEMPT_RT it may have waited for a lock. */
static void test_says_runs_unwoken(void)
{
	static const char *const events[] = { "100 0 switch 0 0 10", "120 0 switch 10 0 11",
		"160 0 switch 11 0 10", "200 0 none", NULL };
	struct mdl_feed *f = mdl_feed_new("5.15.30-rt38", events), *g = mdl_feed_new("5.15.30", events);

	mdl_feed_expect_states(f, "10", "0-100 unknown, 100-120 running, 120-160 unknown, 160-200 running");
	mdl_feed_free(f);
	mdl_feed_expect_states(g, "10", "0-100 unknown, 100-120 running, 120-160 preempted, 160-200 running");
	mdl_feed_free(g);
}

/* Linux 5.8 to 5.17 read the state twice: a thread woken as it goes to sleep seems to stay runnable. */
static void test_says_runs_woken(void)
{
	static const char *const events[] = { "100 0 switch 0 0 10", "118 1 waking 10 0",
		"120 0 switch 10 0 11", "125 1 wakeup 10 0", "150 0 switch 11 1 10", "160 1 waking 10 0",
		"161 1 wakeup 10 0", "165 0 switch 10 0 11", "200 0 none", NULL };
	struct mdl_feed *f = mdl_feed_new("5.10.0-8-amd64", events);

	mdl_feed_expect_states(f, "10",
		"0-100 unknown, 100-120 running, 120-125 blocked, 125-150 wait-cpu, 150-165 running, 165-200 preempted");
	mdl_feed_expect_wakeups(f, "10", "125 waking #2 by - cpu 1>0 since 120 ran 150");
	mdl_feed_free(f);
}

static void test_old_kernel(void)
{
	/* R+ of 4.2 … 4.7. */
	static const char *const events[] = { "100 0 switch 0 0 10", "110 0 switch 10 2048 11",
		"120 0 switch 11 1026 12", /* uninterruptible without load: idle */
		"130 0 switch 12 64 13",   /* dead */
		"200 0 none", NULL };
	struct mdl_feed *f = mdl_feed_new("4.4.0-21-generic", events);

	mdl_feed_expect(f, "10", "0-100 unknown, 100-110 running @0, 110-200 preempted @0");
	mdl_feed_expect(f, "11", "0-110 unknown, 110-120 running @0, 120-200 blocked(idle) @0");
	mdl_feed_expect(f, "12", "0-120 unknown, 120-130 running @0, 130-200 exited @0");
	mdl_feed_free(f);
}

/* TID 0 is one thread per CPU. */
static void test_idle(void)
{
	static const char *const events[] = { "100 0 switch 10 1 0 ten swapper/0",
		"110 1 switch 11 1 0 eleven swapper/1", "120 1 switch 0 0 12 swapper/1 twelve", "200 0 none",
		NULL };
	struct mdl_feed *f = feed(events);

	mdl_feed_expect(f, "idle0", "0-100 unknown, 100-200 running @0");
	mdl_feed_expect(f, "idle1", "0-110 unknown, 110-120 running @1, 120-200 preempted @1");
	mdl_feed_expect(f, "cpu0", "0-100 unknown, 100-200 idle idle0");
	mdl_feed_expect(f, "cpu1", "0-110 unknown, 110-120 idle idle1, 120-200 running 12");
	mdl_feed_expect_names(f, "idle1", "110 swapper/1");
	g_assert_cmpint(mdl_feed_row(f, "idle1")->pid, ==, 0);
	g_assert_false(mdl_feed_has_row(f, "idle2"));
	mdl_feed_free(f);
}

/* A TID beyond any kernel, a CPU beyond any machine, an absent field. */
static void test_hostile(void)
{
	static const char *const events[] = { "100 0 switch 0 0 10", "110 0 switch 10 1 -5",
		"120 0 switch -5 1 4194304", "130 0 switch 4194304 0 4194303",
		"140 0 waking 9223372036854775807 0", "141 0 waking - -", "142 0 wakeup 10 -7",
		"143 0 migrate 10 -1", "144 0 migrate 10 4294967295", "145 4294967295 switch 0 0 77",
		"146 8192 waking 10 0", "147 0 fork 10 10 - -", "148 0 fork -1 -1 -3 -3", "149 0 free -1",
		"150 0 exec - - -", "151 0 rename 5000000 x", "152 0 dump -8 - - - - -", "153 0 irq - -",
		"154 0 softirq -", "200 0 none", NULL };
	struct mdl_feed *f = feed(events);

	mdl_feed_expect(f, "10",
		"0-100 unknown, 100-110 running @0, 110-142 blocked(interruptible) @0, 142-200 wait-cpu @0");
	g_assert_true(mdl_feed_has_row(f, "4194303"));
	g_assert_false(mdl_feed_has_row(f, "4194304"));
	g_assert_false(mdl_feed_has_row(f, "77"));
	g_assert_false(mdl_feed_has_row(f, "cpu1"));
	g_assert_cmpuint(mdl_machine_bad_tids(mdl_feed_machine(f)), >=, 10);
	mdl_feed_free(f);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/machine/switch-out", test_switch_out);
	g_test_add_func("/machine/wait", test_wait);
	g_test_add_func("/machine/second-wakeup", test_second_wakeup);
	g_test_add_func("/machine/woken-again", test_woken_again);
	g_test_add_func("/machine/wakeup-alone", test_wakeup_alone);
	g_test_add_func("/machine/unseen-wakeup", test_unseen_wakeup);
	g_test_add_func("/machine/first-seen-by-wakeup", test_first_seen_by_wakeup);
	g_test_add_func("/machine/early-waking-on-queue", test_early_waking_on_queue);
	g_test_add_func("/machine/early-waking-race", test_early_waking_race);
	g_test_add_func("/machine/early-waking-alone", test_early_waking_alone);
	g_test_add_func("/machine/early-waking-dropped", test_early_waking_dropped);
	g_test_add_func("/machine/place", test_place);
	g_test_add_func("/machine/place-balanced", test_place_balanced);
	g_test_add_func("/machine/same-instant", test_same_instant);
	g_test_add_func("/machine/begin", test_begin);
	g_test_add_func("/machine/syscalls", test_syscalls);
	g_test_add_func("/machine/disagreement", test_disagreement);
	g_test_add_func("/machine/out-elsewhere", test_out_elsewhere);
	g_test_add_func("/machine/came-unseen", test_came_unseen);
	g_test_add_func("/machine/shifted", test_shifted);
	g_test_add_func("/machine/shifted-unknown", test_shifted_unknown);
	g_test_add_func("/machine/index", test_index);
	g_test_add_func("/machine/says-runs", test_says_runs);
	g_test_add_func("/machine/says-preempted", test_says_preempted);
	g_test_add_func("/machine/says-runs-unwoken", test_says_runs_unwoken);
	g_test_add_func("/machine/says-runs-woken", test_says_runs_woken);
	g_test_add_func("/machine/sigreturn", test_sigreturn);
	g_test_add_func("/machine/old-kernel", test_old_kernel);
	g_test_add_func("/machine/idle", test_idle);
	g_test_add_func("/machine/hostile", test_hostile);
	return g_test_run();
}
