/* SPDX-License-Identifier: MIT */
/* Lives of threads: fork, exec, exit, reused TIDs, names, families, the state dump. */
#include "model/mdl_feed.h"

static struct mdl_feed *feed(const char *const *events)
{
	return mdl_feed_new("6.1.0-50-amd64", events);
}

static void test_fork(void)
{
	static const char *const events[] = { "100 0 switch 0 0 10 swapper/0 parent", "110 0 sys clone",
		"120 0 fork 10 10 11 11 parent parent", "125 0 migrate 11 1", "130 0 wakeup_new 11 1",
		"140 0 sysret clone", "150 1 switch 0 0 11 swapper/1 parent", "155 1 sysret clone",
		"160 1 switch 11 1 0 child swapper/1", "200 0 none", NULL };
	struct mdl_feed *f = feed(events);
	const struct mdl_row *child = mdl_feed_row(f, "11");

	mdl_feed_expect(f, "11",
		"120-130 new @1, 130-150 wait-cpu @1, 150-155 syscall(clone) @1, 155-160 usermode @1, 160-200 blocked(interruptible) @1");
	mdl_feed_expect_wakeups(f, "11", "130 new #5 by 10 cpu 0>1 since 120 ran 150");
	mdl_feed_expect_names(f, "11", "120 parent, 160 child");
	g_assert_true(child->born);
	g_assert_false(child->died);
	g_assert_cmpint(child->pid, ==, 11);
	g_assert_cmpint(child->ppid, ==, 10);
	g_assert_true(mdl_feed_row_at(f, child->parent) == mdl_feed_row(f, "10"));
	g_assert_false(mdl_feed_row(f, "10")->born);
	mdl_feed_free(f);
}

/* A thread of the same process has the parent of its process. A process forked by a thread that is not the
 * leader has that thread's process as its parent. */
static void test_family(void)
{
	static const char *const events[] = { "90 0 dump 10 10 1 5 0 0 parent", "100 0 switch 0 0 10",
		"120 0 fork 10 10 11 10", "125 0 wakeup_new 11 0", "130 0 switch 10 1 11",
		"140 0 fork 11 10 12 12", "150 0 fork 11 - 13 13", "160 0 fork 11 10 14 -",
		"170 0 fork - - 15 15", "200 0 none", NULL };
	struct mdl_feed *f = feed(events);

	g_assert_cmpint(mdl_feed_row(f, "10")->ppid, ==, 1);
	g_assert_cmpint(mdl_feed_row(f, "11")->pid, ==, 10);
	g_assert_cmpint(mdl_feed_row(f, "11")->ppid, ==, 1);
	g_assert_cmpint(mdl_feed_row(f, "12")->ppid, ==, 10);
	g_assert_cmpint(mdl_feed_row(f, "13")->ppid, ==, 10);
	g_assert_cmpint(mdl_feed_row(f, "14")->pid, ==, -1);
	g_assert_cmpint(mdl_feed_row(f, "14")->ppid, ==, -1);
	g_assert_cmpuint(mdl_feed_row(f, "15")->parent, ==, MDL_NONE);
	mdl_feed_expect(f, "15", "170-200 new");
	mdl_feed_free(f);
}

/* The fork was not recorded: the wake-up of the new thread is its birth. */
static void test_wakeup_new_alone(void)
{
	static const char *const events[] = { "100 0 switch 0 0 10", "130 0 wakeup_new 11 1 child",
		"150 1 switch 0 0 11", "200 0 none", NULL };
	struct mdl_feed *f = feed(events);

	mdl_feed_expect(f, "11", "130-150 wait-cpu @1, 150-200 running @1");
	mdl_feed_expect_wakeups(f, "11", "130 new #2 by 10 cpu 0>1 since 130 ran 150");
	g_assert_true(mdl_feed_row_at(f, mdl_feed_row(f, "11")->parent) == mdl_feed_row(f, "10"));
	mdl_feed_free(f);
}

/* If a new thread has two wake-ups, the first counts. A thread that waits for its first CPU is TASK_RUNNING,
 * so a waking shows that it has run and sleeps. */
static void test_wakeup_new_twice(void)
{
	static const char *const events[] = { "100 0 switch 0 0 10", "120 0 fork 10 10 11 11",
		"130 0 wakeup_new 11 1", "135 0 migrate 11 2", "140 0 wakeup_new 11 1", "145 0 waking 11 3",
		"146 0 wakeup 11 3", "150 2 switch 0 0 11", "200 0 none", NULL };
	struct mdl_feed *f = feed(events);

	mdl_feed_expect(f, "11",
		"120-130 new, 130-135 wait-cpu @1, 135-145 unknown, 145-150 wait-cpu @3, 150-200 running @2");
	mdl_feed_expect_wakeups(f, "11",
		"130 new #3 by 10 cpu 0>1 since 120 ran -, 145 waking #6 by 10 cpu 0>3 since - ran 150");
	mdl_feed_free(f);
}

static void test_end(void)
{
	static const char *const events[] = { "100 0 switch 0 0 10", "110 0 exit 10 ten",
		"120 0 switch 10 32 0", "150 1 free 10 ten", "160 1 free 10 ten", "200 0 none", NULL };
	struct mdl_feed *f = feed(events);

	mdl_feed_expect(f, "10", "0-100 unknown, 100-120 running @0, 120-150 exited @0");
	g_assert_true(mdl_feed_row(f, "10")->died);
	g_assert_cmpint(mdl_feed_row(f, "10")->last, ==, 150);
	g_assert_false(mdl_feed_has_row(f, "10#2"));
	mdl_feed_free(f);
}

/* A switch of CPU 0 from 11 to 12 is missing after 120, and one from 12 to 13 after 150. The last thread
 * there and the next one are unknown meanwhile; all others, and their waits, are known. */
static void test_switches_missing(void)
{
	static const char *const events[] = { "100 0 switch 0 0 11", "105 1 switch 0 0 14",
		"110 1 switch 14 1 0", "120 0 waking 14 1", "120 0 runs 12 0", "130 0 runs 12 1",
		"130 0 none", "140 1 switch 0 0 14", "150 0 none", "150 0 runs 13 0", "160 0 switch 13 1 10",
		"200 0 none", NULL };
	struct mdl_feed *f = feed(events);

	mdl_feed_expect(f, "11", "0-100 unknown, 100-120 running @0, 120-200 unknown");
	mdl_feed_expect(f, "12", "0-130 unknown, 130-150 running @0, 150-200 unknown");
	mdl_feed_expect(f, "13", "0-160 unknown, 160-200 blocked(interruptible) @0");
	mdl_feed_expect(f, "14",
		"0-105 unknown, 105-110 running @1, 110-120 blocked(interruptible) @1, 120-140 wait-cpu @1, 140-200 running @1");
	mdl_feed_expect(f, "cpu0",
		"0-100 unknown, 100-120 running 11, 120-130 unknown, 130-150 running 12, 150-160 unknown, 160-200 running 10");
	mdl_feed_free(f);
}

/* The TID is reused before the old structure is freed: the fork ends the old life, and the late free does not
 * touch the new one. */
static void test_tid_again(void)
{
	static const char *const events[] = { "100 0 switch 0 0 11 swapper/0 first", "110 0 switch 11 32 10",
		"150 0 fork 10 10 11 11 ten second", "155 1 free 11 first", "160 0 wakeup_new 11 0",
		"165 1 free 11 first", "170 0 switch 10 1 11 ten second", "175 1 free 11 first",
		"180 0 switch 11 1 0 second swapper/0", "185 1 free 11 first", "190 0 waking 11 0",
		"200 0 none", NULL };
	struct mdl_feed *f = feed(events);

	mdl_feed_expect(f, "11", "0-100 unknown, 100-110 running @0, 110-150 exited @0");
	mdl_feed_expect(f, "11#2",
		"150-160 new, 160-170 wait-cpu @0, 170-180 running @0, 180-190 blocked(interruptible) @0, 190-200 wait-cpu @0");
	mdl_feed_expect_names(f, "11", "100 first");
	mdl_feed_expect_names(f, "11#2", "150 second");
	g_assert_true(mdl_feed_row(f, "11")->died);
	g_assert_true(mdl_feed_row(f, "11#2")->born);
	mdl_feed_free(f);
}

/* A thread that reaps itself gives its TID up before its last switch: that switch does not touch the new
 * owner. */
static void test_switch_out_of_the_old_life(void)
{
	static const char *const events[] = { "100 0 switch 0 0 11 swapper/0 first", "110 1 switch 0 0 10",
		"120 1 fork 10 10 11 11 ten second", "125 0 sysret", /* of either life */
		"130 0 switch 11 16 0 first swapper/0", "140 1 wakeup_new 11 0",
		"150 0 switch 0 0 11 swapper/0 second", "200 0 none", NULL };
	struct mdl_feed *f = feed(events);

	mdl_feed_expect(f, "11", "0-100 unknown, 100-120 running @0");
	mdl_feed_expect(f, "11#2", "120-140 new, 140-150 wait-cpu @0, 150-200 running @0");
	mdl_feed_expect_wakeups(f, "11#2", "140 new #6 by 10 cpu 1>0 since 120 ran 150");
	mdl_feed_expect(f, "cpu0",
		"0-100 unknown, 100-120 running 11, 120-130 unknown, 130-150 idle idle0, 150-200 running 11");
	mdl_feed_expect_names(f, "11#2", "120 second");
	g_assert_false(mdl_feed_has_row(f, "11#3"));
	mdl_feed_free(f);
}

/* Neither fork nor wake-up of the new owner is recorded. It runs, so it is another thread than the one that
 * left its CPU dead (16) or as a zombie (32), even with the same name; before that it is unknown. */
static void test_tid_again_unseen(void)
{
	static const char *const events[] = { "100 0 switch 0 0 11 swapper/0 first",
		"110 0 switch 11 16 0 first swapper/0", "150 0 switch 0 0 11 swapper/0 second",
		"160 0 switch 11 32 0 second swapper/0", "180 1 switch 0 0 11 swapper/1 second",
		"190 1 switch 11 1 0 second swapper/1", "195 1 switch 0 0 11 swapper/1 second", "200 0 none",
		NULL };
	struct mdl_feed *f = feed(events);

	mdl_feed_expect(f, "11", "0-100 unknown, 100-110 running @0");
	mdl_feed_expect(f, "11#2", "110-150 unknown, 150-160 running @0");
	mdl_feed_expect(f, "11#3",
		"160-180 unknown, 180-190 running @1, 190-195 blocked(interruptible) @1, 195-200 running @1");
	mdl_feed_expect_names(f, "11", "100 first");
	mdl_feed_expect_names(f, "11#3", "180 second");
	g_assert_cmpint(mdl_feed_row(f, "11")->last, ==, 110);
	g_assert_true(mdl_feed_row(f, "11")->died);
	g_assert_false(mdl_feed_row(f, "11#2")->born);
	g_assert_false(mdl_feed_has_row(f, "11#4"));
	mdl_feed_free(f);
}

/* Its structure is freed before: the next thread has lived at most since then. */
static void test_tid_again_freed(void)
{
	static const char *const events[] = { "100 0 switch 0 0 11 swapper/0 first",
		"110 0 switch 11 16 0 first swapper/0", "120 0 free 11 first",
		"150 0 switch 0 0 11 swapper/0 second", "200 0 none", NULL };
	struct mdl_feed *f = feed(events);

	mdl_feed_expect(f, "11", "0-100 unknown, 100-110 running @0, 110-120 exited @0");
	mdl_feed_expect(f, "11#2", "120-150 unknown, 150-200 running @0");
	mdl_feed_free(f);
}

/* A thread woken after it left as a zombie slept on its way to its end (exit_state is separate since 4.14),
 * unless the name is another's, or events were lost. Before 4.14 only a dead thread leaves like this. */
static void test_sleeps_at_its_end(void)
{
	static const char *const events[] = { "100 0 switch 0 0 11 swapper/0 same",
		"110 0 switch 11 32 0 same swapper/0", "115 1 waking 11 0 same", "116 1 wakeup 11 0 same",
		"120 0 switch 0 0 11 swapper/0 same", "130 0 switch 11 16 0 same swapper/0",
		"140 1 waking 11 0 other", "150 0 switch 0 0 11 swapper/0 other", "200 0 none", NULL };
	struct mdl_feed *f = feed(events);

	mdl_feed_expect(f, "11",
		"0-100 unknown, 100-110 running @0, 110-115 blocked(?) @0, 115-120 wait-cpu @0, 120-130 running @0");
	mdl_feed_expect(f, "11#2", "130-140 unknown, 140-150 wait-cpu @0, 150-200 running @0");
	mdl_feed_free(f);
	f = mdl_feed_new("4.9.0", events);
	mdl_feed_expect(f, "11", "0-100 unknown, 100-110 running @0");
	mdl_feed_expect(f, "11#2", "110-115 unknown, 115-120 wait-cpu @0, 120-130 running @0");
	mdl_feed_free(f);
}

/* Its last switch is lost, and behind the gap another thread has its TID, as the name shows. */
static void test_ends_in_a_gap(void)
{
	static const char *const events[] = { "100 0 switch 0 0 11 swapper/0 first", "110 0 exit 11 first",
		"120 0 gap", "130 0 gapend -", "140 0 switch 0 0 11 swapper/0 second", "200 0 none", NULL };
	struct mdl_feed *f = feed(events);

	mdl_feed_expect(f, "11", "0-100 unknown, 100-120 running @0, 120-140 unknown");
	mdl_feed_expect(f, "11#2", "140-200 running @0");
	mdl_feed_free(f);
}

/* A life of length 0 leaves no interval, and the next one starts clean. */
static void test_no_length(void)
{
	static const char *const events[] = { "100 0 switch 0 0 10", "120 0 fork 10 10 11 11",
		"120 0 fork 10 10 11 11", "130 0 fork 10 10 10 10", /* of itself: no kernel does that */
		"200 0 none", NULL };
	struct mdl_feed *f = feed(events);

	mdl_feed_expect(f, "11", "");
	mdl_feed_expect(f, "11#2", "120-200 new");
	mdl_feed_expect(f, "10", "0-100 unknown, 100-130 running @0");
	mdl_feed_expect(f, "10#2", "130-200 new");
	mdl_feed_free(f);
}

/* A wake-up without a following run is written when the life ends. */
static void test_pending_at_the_end(void)
{
	static const char *const events[] = { "100 0 switch 0 0 10", "120 0 fork 10 10 11 11",
		"130 0 wakeup_new 11 1", "140 0 fork 10 10 11 11", "150 0 wakeup_new 11 1", "200 0 none",
		NULL };
	struct mdl_feed *f = feed(events);

	mdl_feed_expect_wakeups(f, "11", "130 new #3 by 10 cpu 0>1 since 120 ran -");
	mdl_feed_expect_wakeups(f, "11#2", "150 new #5 by 10 cpu 0>1 since 140 ran -");
	mdl_feed_free(f);
}

static void test_exec(void)
{
	static const char *const events[] = { "100 0 switch 0 0 10 swapper/0 sh",
		"110 0 exec 10 10 /usr/bin/make", "120 0 exec 10 - ls",
		"130 0 exec 10 10 /a/very-long-name-of-a-program",
		"140 0 switch 10 1 0 very-long-name- swapper/0", "150 0 exec 10 10 -", "160 0 exec 10 10 /",
		"200 0 none", NULL };
	struct mdl_feed *f = feed(events);

	mdl_feed_expect_names(f, "10", "100 sh, 110 make, 120 ls, 130 very-long-name-");
	mdl_feed_expect(f, "10", "0-100 unknown, 100-140 running @0, 140-200 blocked(interruptible) @0");
	mdl_feed_free(f);
}

/* The leader's TID goes to the thread that execs; the leader is gone. */
static void test_exec_by_another(void)
{
	static const char *const events[] = { "100 0 switch 0 0 10 swapper/0 main",
		"110 0 fork 10 10 11 10 main worker", "115 0 wakeup_new 11 1",
		"120 1 switch 0 0 11 swapper/1 worker", "130 0 switch 10 32 0 main swapper/0",
		"140 1 exec 10 11 /bin/new", "150 1 free 11 main", "160 1 switch 10 1 0 new swapper/1",
		"170 0 waking 10 1", "200 0 none", NULL };
	struct mdl_feed *f = feed(events);

	mdl_feed_expect(f, "10", "0-100 unknown, 100-130 running @0, 130-140 exited @0");
	mdl_feed_expect(f, "10#2",
		"110-115 new, 115-120 wait-cpu @1, 120-160 running @1, 160-170 blocked(interruptible) @1, 170-200 wait-cpu @1");
	mdl_feed_expect_names(f, "10#2", "110 worker, 140 new");
	g_assert_false(mdl_feed_has_row(f, "11"));
	g_assert_true(mdl_feed_row(f, "10")->died);
	mdl_feed_free(f);
}

/* The tracer's context already has the leader's TID before the exec event: it seemed to be another thread. */
static void test_exec_seems_another(void)
{
	static const char *const events[] = { "100 0 switch 0 0 10 swapper/0 main",
		"110 0 fork 10 10 11 10 main worker", "115 0 wakeup_new 11 1",
		"120 1 switch 0 0 11 swapper/1 worker", "130 0 switch 10 32 0 main swapper/0",
		"133 1 runs 10 0", "135 1 runs 10 1", "140 1 exec 10 11 /bin/new",
		"160 1 switch 10 1 0 new swapper/1", "200 0 none", NULL };
	struct mdl_feed *f = feed(events);

	mdl_feed_expect(f, "10#2",
		"110-115 new, 115-120 wait-cpu @1, 120-133 running @1, 133-140 unknown, 140-160 running @1, 160-200 blocked(interruptible) @1");
	mdl_feed_free(f);
}

static void test_names(void)
{
	static const char *const events[] = { "100 0 switch 0 0 10 swapper/0 one", "110 0 rename 10 two",
		"120 0 rename 10 two", "130 1 waking 10 0 three", "140 0 switch 10 1 0 one swapper/0",
		"150 1 rename 20 \033[31mred", "160 1 rename 0 idle", "200 0 none", NULL };
	struct mdl_feed *f = feed(events);
	const struct base_strings *strings = mdl_machine_strings(mdl_feed_machine(f));

	mdl_feed_expect_names(f, "10", "100 one, 110 two, 130 three, 140 one");
	g_assert_cmpstr(base_strings_get(strings, mdl_feed_row(f, "10")->name), ==, "one");
	mdl_feed_expect_names(f, "20", "150 \357\277\275[31mred");
	g_assert_false(mdl_feed_has_row(f, "idle1"));
	mdl_feed_free(f);
}

/* A wait in the dump began before it, at an unknown time. The dump cannot say for sure that a thread did not
 * run on another CPU. */
static void test_dump(void)
{
	static const char *const events[] = { "100 0 switch 0 0 10",
		"110 0 dump 10 10 1 5 0 0 ten",    /* seen running: the dump is wrong or late */
		"111 0 dump 11 11 1 5 0 0 eleven", /* waits, and CPU 0 runs another */
		"112 0 dump 12 12 1 5 0 1 twelve", /* waits, but CPU 1 may run it */
		"113 0 dump 13 13 1 4 0 0 zombie", "114 0 dump 14 14 1 1 0 0 ready",
		"115 0 dump 15 15 1 5 0 - fifteen", /* on some CPU, and all of them are known */
		"116 0 dump 0 0 0 1 0 0 swapper/0", "120 0 dump 11 11 1 5 0 0 again", "150 0 waking 11 0",
		"160 0 switch 10 1 11", "200 0 none", NULL };
	struct mdl_feed *f = feed(events);

	mdl_feed_expect(f, "10", "0-100 unknown, 100-160 running @0, 160-200 blocked(interruptible) @0");
	mdl_feed_expect(f, "11",
		"0-111 unknown, 111-150 blocked(?), 150-160 wait-cpu @0, 160-200 running @0");
	mdl_feed_expect_wakeups(f, "11", "150 waking #10 by 10 cpu 0>0 since - ran 160");
	mdl_feed_expect(f, "12", "0-200 unknown");
	mdl_feed_expect(f, "13", "0-113 unknown, 113-200 exited");
	mdl_feed_expect(f, "14", "0-200 unknown");
	mdl_feed_expect(f, "15", "0-115 unknown, 115-200 blocked(?)");
	mdl_feed_expect_names(f, "11", "111 eleven");
	g_assert_cmpint(mdl_feed_row(f, "11")->pid, ==, 11);
	mdl_feed_free(f);
}

/* The thread that runs as the trace begins is known before its first switch: it wakes others, makes calls, is
 * interrupted. The dump finds others asleep. */
static void test_first(void)
{
	static const char *const events[] = { "0 0 first 10 ten", "20 0 irq 5 disk", "25 0 waking 30 0",
		"30 0 irqret 5", "40 0 waking 31 0", "50 1 first 0 swapper/1", /* its stream begins later */
		/* On its way to sleep. */
		"55 1 irq 6 net", "60 0 dump 32 32 1 5 0 0 asleep", "61 0 dump 10 10 1 5 0 0 ten",
		"62 0 dump 33 33 1 5 0 - anywhere", "100 0 switch 10 1 31", "105 1 irqret 6",
		"110 1 switch 0 0 30", "120 0 first 33 -", /* nonsense: its first switch is over */
		"200 0 none", NULL };
	struct mdl_feed *f = feed(events);

	mdl_feed_expect(f, "cpu0",
		"0-20 running 10, 20-30 interrupted(irq5:disk) 10, 30-100 running 10, 100-200 running 31");
	mdl_feed_expect(f, "cpu1",
		"0-50 unknown, 50-55 idle idle1, 55-105 interrupted(irq6:net) idle1, 105-110 idle idle1, 110-200 running 30");
	mdl_feed_expect(f, "10",
		"0-20 running @0, 20-30 interrupted(irq5:disk) @0, 30-100 running @0, 100-200 blocked(interruptible) @0");
	mdl_feed_expect_wakeups(f, "30", "25 waking #2 by 10 cpu 0>0 since - ran 110 in irq5:disk/20");
	mdl_feed_expect_wakeups(f, "31", "40 waking #4 by 10 cpu 0>0 since - ran 100");
	mdl_feed_expect(f, "32", "0-60 unknown, 60-200 blocked(?)");
	mdl_feed_expect(f, "33", "0-62 unknown, 62-200 blocked(?)");
	mdl_feed_expect_names(f, "10", "0 ten");
	mdl_feed_free(f);
}

/* In a flight recorder the events of CPU 1 begin later: they are newer than those of CPU 0, and when the
 * thread came to CPU 1 is unknown. */
static void test_first_later(void)
{
	static const char *const events[] = { "10 0 switch 0 0 20", "20 0 switch 20 1 0", "50 1 first 20 -",
		"60 1 waking 30 1", "90 1 switch 20 1 0", "200 0 none", NULL };
	struct mdl_feed *f = feed(events);

	mdl_feed_expect(f, "20",
		"0-10 unknown, 10-20 running @0, 20-50 unknown, 50-90 running @1, 90-200 blocked(interruptible) @1");
	mdl_feed_expect_wakeups(f, "30", "60 waking #3 by 20 cpu 1>1 since - ran -");
	mdl_feed_free(f);
}

/* The dump has no CPU of a thread: the first switches of all CPUs decide, and events of the thread meanwhile
 * decide more. */
static void test_dump_anywhere(void)
{
	static const char *const events[] = { "100 0 switch 0 0 10", "105 1 irq 5 disk", "106 1 irqret 5",
		"112 0 dump 12 12 1 5 0 - ran", "113 0 dump 13 13 1 5 0 - waited",
		"114 0 dump 15 15 1 5 0 - woken", "120 0 waking 15 1", "140 1 switch 12 1 18", "200 0 none",
		NULL };
	struct mdl_feed *f = feed(events);

	mdl_feed_expect(f, "12", "0-140 unknown, 140-200 blocked(interruptible) @1");
	mdl_feed_expect(f, "13", "0-113 unknown, 113-200 blocked(?)");
	mdl_feed_expect(f, "15", "0-120 unknown, 120-200 wait-cpu @1");
	mdl_feed_free(f);
}

/* The first switch of a CPU names the thread that ran since the begin of the trace: all others waited as the
 * dump says. */
static void test_dump_settled(void)
{
	static const char *const events[] = { "100 0 switch 0 0 10", "112 0 dump 12 12 1 5 0 1 ran",
		"113 0 dump 13 13 1 5 0 1 waited", "114 0 dump 14 14 1 5 0 2 elsewhere",
		"115 0 dump 15 15 1 5 0 1 woken", "116 0 dump 16 16 1 5 0 1 freed",
		"117 0 dump 17 17 1 5 0 1 again", "120 0 waking 15 1", "125 0 free 16",
		"130 0 fork 10 10 17 17", "140 1 switch 12 1 18", "145 0 waking 13 1", "150 1 switch 18 1 13",
		"200 0 none", NULL };
	struct mdl_feed *f = feed(events);

	mdl_feed_expect(f, "12", "0-140 unknown, 140-200 blocked(interruptible) @1");
	mdl_feed_expect(f, "13",
		"0-113 unknown, 113-145 blocked(?), 145-150 wait-cpu @1, 150-200 running @1");
	mdl_feed_expect_wakeups(f, "13", "145 waking #12 by 10 cpu 0>1 since - ran 150");
	mdl_feed_expect(f, "14", "0-200 unknown");
	mdl_feed_expect(f, "15", "0-120 unknown, 120-200 wait-cpu @1");
	mdl_feed_expect(f, "16", "0-125 unknown");
	mdl_feed_expect(f, "17", "0-130 unknown");
	mdl_feed_expect(f, "17#2", "130-200 new");
	mdl_feed_free(f);
}

/* Thousands of lives with few TIDs, freed or not, in any order: every row is consistent, and none is lost. */
static void test_many(void)
{
	GPtrArray *lines = g_ptr_array_new_with_free_func(g_free);
	GRand *rand = g_rand_new_with_seed(7);
	struct mdl_feed *f;
	unsigned forks = 0;

	for (int time = 1; time < 20000; time++) {
		int cpu = g_rand_int_range(rand, 0, 3), tid = g_rand_int_range(rand, 0, 12),
		    other = g_rand_int_range(rand, 1, 12);

		switch (g_rand_int_range(rand, 0, 15)) {
		case 0:
			g_ptr_array_add(lines,
				g_strdup_printf("%d %d fork %d %d %d %d", time, cpu, other, other, tid + 1,
					tid + 1));
			forks++;
			break;
		case 1:
			g_ptr_array_add(lines,
				g_strdup_printf("%d %d wakeup_new %d %d", time, cpu, tid, cpu));
			break;
		case 2: g_ptr_array_add(lines, g_strdup_printf("%d %d free %d", time, cpu, other)); break;
		case 3:
			g_ptr_array_add(lines,
				g_strdup_printf("%d %d exec %d %d /x/%d", time, cpu, tid, other, tid));
			break;
		case 4:
			g_ptr_array_add(lines, g_strdup_printf("%d %d waking %d %d", time, cpu, tid, cpu));
			break;
		case 5:
			g_ptr_array_add(lines, g_strdup_printf("%d %d wakeup %d %d", time, cpu, other, tid));
			break;
		case 6:
			g_ptr_array_add(lines, g_strdup_printf("%d %d migrate %d %d", time, cpu, other, tid));
			break;
		case 7:
			g_ptr_array_add(lines,
				g_strdup_printf("%d %d dump %d %d 1 %d 0 %d", time, cpu, other, tid, tid,
					cpu));
			break;
		case 8:
			g_ptr_array_add(lines,
				g_strdup_printf("%d %d irq%s %d", time, cpu, tid % 2 ? "ret" : "", other));
			break;
		case 9:
			g_ptr_array_add(lines,
				g_strdup_printf(time % 500 > 20 ? "%d %d sys read"
						: tid % 2       ? "%d %d gap"
								: "%d %d gapend -",
					time, cpu));
			break;
		default:
			g_ptr_array_add(lines,
				g_strdup_printf("%d %d switch %d %d %d", time, cpu, other,
					1 << g_rand_int_range(rand, 0, 9), tid));
		}
		if (time % 2 == 0) /* and one more at the same instant */
			g_ptr_array_add(lines,
				g_strdup_printf("%d %d switch %d 1 %d", time, cpu, tid, other));
	}
	g_ptr_array_add(lines, NULL);
	f = feed((const char *const *)lines->pdata);
	g_assert_cmpuint(mdl_feed_row_count(f), >=, forks);
	mdl_feed_free(f);
	g_ptr_array_unref(lines);
	g_rand_free(rand);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/lives/fork", test_fork);
	g_test_add_func("/lives/family", test_family);
	g_test_add_func("/lives/wakeup-new-alone", test_wakeup_new_alone);
	g_test_add_func("/lives/wakeup-new-twice", test_wakeup_new_twice);
	g_test_add_func("/lives/end", test_end);
	g_test_add_func("/lives/tid-again", test_tid_again);
	g_test_add_func("/lives/tid-again-unseen", test_tid_again_unseen);
	g_test_add_func("/lives/tid-again-freed", test_tid_again_freed);
	g_test_add_func("/lives/sleeps-at-its-end", test_sleeps_at_its_end);
	g_test_add_func("/lives/ends-in-a-gap", test_ends_in_a_gap);
	g_test_add_func("/lives/switch-out-of-the-old-life", test_switch_out_of_the_old_life);
	g_test_add_func("/lives/switches-missing", test_switches_missing);
	g_test_add_func("/lives/no-length", test_no_length);
	g_test_add_func("/lives/pending-at-the-end", test_pending_at_the_end);
	g_test_add_func("/lives/exec", test_exec);
	g_test_add_func("/lives/exec-seems-another", test_exec_seems_another);
	g_test_add_func("/lives/exec-by-another", test_exec_by_another);
	g_test_add_func("/lives/names", test_names);
	g_test_add_func("/lives/dump", test_dump);
	g_test_add_func("/lives/first", test_first);
	g_test_add_func("/lives/first-later", test_first_later);
	g_test_add_func("/lives/dump-anywhere", test_dump_anywhere);
	g_test_add_func("/lives/dump-settled", test_dump_settled);
	g_test_add_func("/lives/many", test_many);
	return g_test_run();
}
