/* SPDX-License-Identifier: MIT */
/* The futex that a waker released, and wake-ups that are none of a futex. */
#include "model/mdl_feed.h"

/* Threads 5 and 6 of process 5, and 7 of another known process. 5 waits by OP at 0x1000 (0x2000), then 6
 * runs. */
#define PEOPLE "0 0 allseen", "1 0 dump 5 5 1 2 0 0 w5", "2 0 dump 6 5 1 2 0 0 w6", "3 0 dump 7 7 1 2 0 0 w7"
#define UNTOLD "0 0 allseen", "1 0 switch 0 0 6 - w6"
#define WAITS(op) \
	"10 0 switch 6 128 5 w6 w5", "11 0 call futex 0x1000 " op " 0x2000", "12 0 switch 5 1 6 w5 w6"
#define RUNS_ON "40 0 switch 6 128 5 w6 w5", "41 0 sysret futex", NULL

static void expect(const char *const *events, const char *facts)
{
	struct mdl_feed *f = mdl_feed_new("6.1", events);

	mdl_feed_expect_facts(f, "5", facts);
	mdl_feed_free(f);
}

/* Calls that release a plain waiter: 0 FUTEX_WAIT, 9 FUTEX_WAIT_BITSET, 128 FUTEX_PRIVATE_FLAG. */
static void test_plain(void)
{
	static const char *const wake[] = { PEOPLE, WAITS("128"), "20 0 call futex 0x1000 129 0",
		"21 0 waking 5 0", "22 0 sysret futex", RUNS_ON };
	static const char *const bitset[] = { PEOPLE, WAITS("393"), "20 0 call futex 0x1000 138 0",
		"21 0 waking 5 0", "22 0 sysret futex", RUNS_ON };
	static const char *const wake_op[] = { PEOPLE, WAITS("128"), "20 0 call futex 0x3000 133 0x1000",
		"21 0 waking 5 0", "22 0 sysret futex", RUNS_ON };
	static const char *const requeue[] = { PEOPLE, WAITS("128"), "20 0 call futex 0x1000 132 0x3000",
		"21 0 waking 5 0", "22 0 sysret futex", RUNS_ON };

	expect(wake, "futex 0x1000 by wake from thread 5 11 to thread 6 20");
	expect(bitset, "futex 0x1000 by wake from thread 5 11 to thread 6 20");
	expect(wake_op, "futex 0x1000 by wake-op from thread 5 11 to thread 6 20");
	expect(requeue, "futex 0x1000 by requeue from thread 5 11 to thread 6 20");
}

/* FUTEX_LOCK_PI 6, FUTEX_UNLOCK_PI 7, FUTEX_WAIT_REQUEUE_PI 11, FUTEX_CMP_REQUEUE_PI 12. */
static void test_priority_inheritance(void)
{
	static const char *const unlock[] = { PEOPLE, WAITS("134"), "20 0 call futex 0x1000 135 0",
		"21 0 waking 5 0", "22 0 sysret futex", RUNS_ON };
	static const char *const requeue[] = { PEOPLE, WAITS("139"), "20 0 call futex 0x1000 140 0x2000",
		"21 0 waking 5 0", "22 0 sysret futex", RUNS_ON };
	static const char *const moved[] = { PEOPLE, WAITS("139"), "20 0 call futex 0x2000 135 0",
		"21 0 waking 5 0", "22 0 sysret futex", RUNS_ON };
	static const char *const mixed[] = { PEOPLE, WAITS("134"), "20 0 call futex 0x1000 129 0",
		"21 0 waking 5 0", "22 0 sysret futex", RUNS_ON };

	expect(unlock, "futex 0x1000 by unlock-pi from thread 5 11 to thread 6 20");
	expect(requeue, "futex 0x1000 by requeue-pi from thread 5 11 to thread 6 20");
	expect(moved, "futex 0x2000 by unlock-pi from thread 5 11 to thread 6 20");
	expect(mixed, "-"); /* futex_wake() refuses it: something else woke 5 */
}

/* No match: another futex, another process, another call, no call any more, an interrupt, a sleep on the way
 * to the futex. */
static void test_none(void)
{
	static const char *const elsewhere[] = { PEOPLE, WAITS("128"), "20 0 call futex 0x3000 129 0",
		"21 0 waking 5 0", "22 0 sysret futex", RUNS_ON };
	static const char *const other_process[] = { PEOPLE, WAITS("128"), "19 0 switch 6 1 7 w6 w7",
		"20 0 call futex 0x1000 129 0", "21 0 waking 5 0", "22 0 sysret futex",
		"40 0 switch 7 128 5 w7 w5", NULL };
	static const char *const write[] = { PEOPLE, WAITS("128"), "20 0 sys write", "21 0 waking 5 0",
		"22 0 sysret write", RUNS_ON };
	static const char *const over[] = { PEOPLE, WAITS("128"), "20 0 call futex 0x1000 129 0",
		"21 0 sysret futex", "22 0 waking 5 0", RUNS_ON };
	static const char *const left[] = { PEOPLE, "10 0 switch 6 128 5 w6 w5",
		"11 0 call futex 0x1000 128 0", "12 0 sysret futex", "13 0 sys read",
		"14 0 switch 5 1 6 w5 w6", "20 0 call futex 0x1000 129 0", "21 0 waking 5 0",
		"22 0 sysret futex", RUNS_ON };
	static const char *const fault[] = { PEOPLE, "10 0 switch 6 128 5 w6 w5",
		"11 0 call futex 0x1000 128 0", "12 0 switch 5 2 6 w5 w6", "20 0 call futex 0x1000 129 0",
		"21 0 waking 5 0", "22 0 sysret futex", RUNS_ON };

	expect(elsewhere, "-");
	expect(other_process, "-");
	expect(write, "-");
	expect(over, "-");
	expect(left, "-");
	expect(fault, "-");
}

static void test_interrupt(void)
{
	static const char *const events[] = { PEOPLE, WAITS("128"), "20 0 call futex 0x1000 129 0",
		"21 0 irq 5 eth0", "22 0 waking 5 0", "23 0 irqret 5", "24 0 sysret futex", RUNS_ON };

	expect(events, "-");
}

/* If no event names processes, a thread woken in the call waits for the futex of that call if it is
 * private. */
static void test_untold(void)
{
	static const char *const one[] = { UNTOLD, WAITS("128"), "20 0 call futex 0x1000 129 0",
		"21 0 waking 5 0", "22 0 sysret futex", RUNS_ON };
	static const char *const elsewhere[] = { UNTOLD, WAITS("128"), "20 0 call futex 0x3000 129 0",
		"21 0 waking 5 0", "22 0 sysret futex", RUNS_ON };

	expect(one, "futex 0x1000 by wake from thread 5 11 to thread 6 20");
	expect(elsewhere, "-");
}

/* A shared futex may have another address in another process; and a thread that ends releases the one that
 * joins it. */
static void test_shared(void)
{
	static const char *const own[] = { PEOPLE, WAITS("0"), "20 0 call futex 0x1000 1 0",
		"21 0 waking 5 0", "22 0 sysret futex", RUNS_ON };
	static const char *const half[] = { PEOPLE, WAITS("0"), "20 0 call futex 0x1000 129 0",
		"21 0 waking 5 0", "22 0 sysret futex", RUNS_ON };
	static const char *const other_process[] = { PEOPLE, WAITS("0"), "19 0 switch 6 1 7 w6 w7",
		"20 0 call futex 0x9000 1 0", "21 0 waking 5 0", "22 0 sysret futex",
		"40 0 switch 7 128 5 w7 w5", NULL };
	static const char *const joined[] = { PEOPLE, WAITS("265"), "20 0 sys exit", "21 0 waking 5 0",
		"40 0 switch 6 16 5 w6 w5", NULL };
	static const char *const killed[] = { PEOPLE, WAITS("265"), "20 0 sys exit_group", "21 0 waking 5 0",
		"40 0 switch 6 16 5 w6 w5", NULL };

	expect(own, "futex 0x1000 by wake from thread 5 11 to thread 6 20 perhaps");
	expect(half, "-");
	expect(other_process, "futex 0x1000 by wake from thread 5 11 to thread 7 20 perhaps");
	expect(joined, "futex 0x1000 by exit from thread 5 11 to - perhaps");
	expect(killed, "-"); /* by a signal */
}

/* If a call may have ended unrecorded, nothing is proved; nor under PREEMPT_RT, nor for a thread that did not
 * sleep yet. */
static void test_unsure(void)
{
	static const char *const some[] = { "0 0 somecalls", PEOPLE, WAITS("128"),
		"20 0 call futex 0x1000 129 0", "21 0 waking 5 0", "22 0 sysret futex", RUNS_ON };
	static const char *const early[] = { PEOPLE, "10 1 switch 0 0 5 - w5", "11 1 call futex 0x1000 128 0",
		"15 0 switch 0 0 6 - w6", "20 0 call futex 0x1000 129 0", "21 0 waking 5 1",
		"22 1 switch 5 1 0", "23 0 sysret futex", "40 1 switch 0 0 5", "41 1 sysret futex", NULL };
	static const char *const rt[] = { PEOPLE, WAITS("128"), "20 0 call futex 0x1000 129 0",
		"21 0 waking 5 0", "22 0 sysret futex", RUNS_ON };
	static const char perhaps[] = "futex 0x1000 by wake from thread 5 11 to thread 6 20 perhaps";
	struct mdl_feed *f = mdl_feed_new("6.1.0-50-rt-amd64", rt);

	mdl_feed_expect_facts(f, "5", perhaps);
	mdl_feed_free(f);
	expect(some, perhaps);
	expect(early, perhaps);
}

/* Events lost since then on another CPU may include the end of the call and another entry. */
static void test_lost(void)
{
	static const char *const events[] = { PEOPLE, "4 1 switch 0 0 7 - w7", "10 0 switch 6 128 5 w6 w5",
		"11 0 call futex 0x1000 128 0", "13 1 gap", "14 1 gapend 13", "15 1 switch 7 1 0",
		"16 0 switch 5 1 6 w5 w6", "20 0 call futex 0x1000 129 0", "21 0 waking 5 0",
		"22 0 sysret futex", RUNS_ON };

	expect(events, "futex 0x1000 by wake from thread 5 11 to thread 6 20 perhaps");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/model/futex/plain", test_plain);
	g_test_add_func("/model/futex/priority-inheritance", test_priority_inheritance);
	g_test_add_func("/model/futex/none", test_none);
	g_test_add_func("/model/futex/interrupt", test_interrupt);
	g_test_add_func("/model/futex/shared", test_shared);
	g_test_add_func("/model/futex/untold", test_untold);
	g_test_add_func("/model/futex/unsure", test_unsure);
	g_test_add_func("/model/futex/lost", test_lost);
	return g_test_run();
}
