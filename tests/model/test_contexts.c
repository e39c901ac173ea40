/* SPDX-License-Identifier: MIT */
/* Interrupt contexts of a CPU, and the rows of interrupt lines and softirqs. */
#include "model/mdl_feed.h"

static struct mdl_feed *feed(const char *const *events)
{
	return mdl_feed_new("6.1.0-50-amd64", events);
}

/* A softirq on the way out of a hard IRQ, a timer inside its vector: a wake-up lists all open contexts,
 * outermost first. */
static void test_nested(void)
{
	static const char *const events[] = { "90 0 switch 0 0 9", "95 0 switch 9 1 0", "100 0 switch 0 0 10",
		"110 0 softirq 4", "120 0 irq 5 virtio2-req.0", "130 0 irqret 5", "135 0 waking 9 0",
		"140 0 softirqret 4", "145 0 switch 10 0x100 9", "146 0 switch 9 1 10",
		"150 0 vector 236 local_timer", "155 0 hrtimer 0x1234", "156 0 waking 9 0",
		"160 0 hrtimerret", "165 0 vectorret 236 local_timer", "200 0 none", NULL };
	struct mdl_feed *f = feed(events);

	mdl_feed_expect(f, "10",
		"0-100 unknown, 100-110 running @0, 110-120 interrupted(softirq4:BLOCK) @0, "
		"120-130 interrupted(irq5:virtio2-req.0) @0, 130-140 interrupted(softirq4:BLOCK) @0, 140-145 running @0, "
		"145-146 preempted @0, 146-150 running @0, 150-155 interrupted(vector236:local_timer) @0, "
		"155-160 interrupted(hrtimer4660) @0, 160-165 interrupted(vector236:local_timer) @0, 165-200 running @0");
	mdl_feed_expect(f, "cpu0",
		"0-90 unknown, 90-95 running 9, 95-100 idle idle0, 100-110 running 10, "
		"110-120 interrupted(softirq4:BLOCK) 10, 120-130 interrupted(irq5:virtio2-req.0) 10, "
		"130-140 interrupted(softirq4:BLOCK) 10, 140-145 running 10, 145-146 running 9, 146-150 running 10, "
		"150-155 interrupted(vector236:local_timer) 10, 155-160 interrupted(hrtimer4660) 10, "
		"160-165 interrupted(vector236:local_timer) 10, 165-200 running 10");
	mdl_feed_expect_wakeups(f, "9",
		"135 waking #7 by 10 cpu 0>0 since 95 ran 145 in softirq4:BLOCK/110, "
		"156 waking #13 by 10 cpu 0>0 since 146 ran - in vector236:local_timer/150 hrtimer4660/155");
	mdl_feed_expect(f, "irq5", "0-120 idle, 120-130 running @0, 130-200 idle");
	mdl_feed_expect(f, "softirq4/0", "0-110 idle, 110-140 running @0, 140-200 idle");
	mdl_feed_free(f);
}

/* Vectors sent by other CPUs are IPIs. */
static void test_ipis(void)
{
	static const char *const events[] = { "100 0 switch 0 0 10", "110 0 vector 251 call_function_single",
		"115 0 vectorret 251 call_function_single", "120 0 vector 253 reschedule",
		"125 0 vectorret 253 reschedule", "130 0 vector 252 call_function",
		"135 0 vectorret 252 call_function", "140 0 vector 246 irq_work",
		"145 0 vectorret 246 irq_work", "150 0 vector 237 thermal_apic",
		"155 0 vectorret 237 thermal_apic", "160 0 ipi Rescheduling~interrupts",
		"165 0 ipiret Rescheduling~interrupts", "170 0 vector - reschedule",
		"175 0 vectorret - reschedule", "200 0 none", NULL };
	struct mdl_feed *f = feed(events);

	mdl_feed_expect(f, "10",
		"0-100 unknown, 100-110 running @0, 110-115 interrupted(ipi251:call_function_single) @0, 115-120 running @0, "
		"120-125 interrupted(ipi253:reschedule) @0, 125-130 running @0, 130-135 interrupted(ipi252:call_function) @0, "
		"135-140 running @0, 140-145 interrupted(ipi246:irq_work) @0, 145-150 running @0, "
		"150-155 interrupted(vector237:thermal_apic) @0, 155-160 running @0, "
		"160-165 interrupted(ipi-:Rescheduling~interrupts) @0, 165-170 running @0, "
		"170-175 interrupted(ipi-:reschedule) @0, 175-200 running @0");
	mdl_feed_free(f);
}

/* A missing exit: the exit of the outer context also closes the inner one. (A handler interrupts a softirq,
 * never the reverse: in_interrupt() in invoke_softirq(), kernel/softirq.c.) */
static void test_missing_exit(void)
{
	static const char *const events[] = { "90 0 switch 0 0 9", "95 0 switch 9 1 0", "100 0 switch 0 0 10",
		"110 0 softirq 3", "120 0 irq 5 disk", "125 0 hrtimer 7", "130 0 irqret 5",
		"140 0 softirqret 3", "150 0 waking 9 0", "200 0 none", NULL };
	struct mdl_feed *f = feed(events);

	mdl_feed_expect(f, "10",
		"0-100 unknown, 100-110 running @0, 110-120 interrupted(softirq3:NET_RX) @0, 120-125 interrupted(irq5:disk) @0, "
		"125-130 interrupted(hrtimer7) @0, 130-140 interrupted(softirq3:NET_RX) @0, 140-200 running @0");
	mdl_feed_expect_wakeups(f, "9", "150 waking #9 by 10 cpu 0>0 since 95 ran -");
	mdl_feed_free(f);
}

/* Missing exits: the first event that cannot occur in the context shows that it is over. */
static void test_shown_over(void)
{
	static const char *const events[] = { "0 0 noexits", "90 0 switch 0 0 9", "95 0 switch 9 1 0",
		"100 0 switch 0 0 10", "110 0 irq 5 disk", "115 0 waking 9 0", /* may come in it */
		"120 0 sys read", "130 0 irq 5 disk", "140 0 irq 6 gpio", "145 0 irq 7 key", /* these may nest
											      */
		"150 0 irq 6 gpio", "160 0 softirq 3", "165 0 softirq 1", "170 0 vector 253 reschedule",
		"175 0 softirq 7", /* in scheduler_ipi() */
		"176 0 vector 253 reschedule", "180 0 softirqret 7", "185 0 vectorret 253 reschedule",
		"190 0 softirqret 1", "195 0 vector 236 local_timer", "200 0 fork 10 10 11 11", "205 0 none",
		NULL };
	struct mdl_feed *f = feed(events);

	mdl_feed_expect(f, "10",
		"0-100 unknown, 100-110 running @0, 110-120 interrupted(irq5:disk) @0, 120-130 syscall(read) @0, "
		"130-140 interrupted(irq5:disk) @0, 140-145 interrupted(irq6:gpio) @0, 145-150 interrupted(irq7:key) @0, "
		"150-160 interrupted(irq6:gpio) @0, 160-165 interrupted(softirq3:NET_RX) @0, 165-170 interrupted(softirq1:TIMER) @0, "
		"170-175 interrupted(ipi253:reschedule) @0, 175-176 interrupted(softirq7:SCHED) @0, "
		"176-185 interrupted(ipi253:reschedule) @0, "
		"185-190 interrupted(softirq1:TIMER) @0, 190-195 syscall(read) @0, "
		"195-200 interrupted(vector236:local_timer) @0, 200-205 syscall(read) @0");
	mdl_feed_expect(f, "irq5",
		"0-110 idle, 110-120 running @0, 120-130 idle, 130-160 running @0, 160-205 idle");
	mdl_feed_expect(f, "irq7", "0-145 idle, 145-150 running @0, 150-205 idle");
	mdl_feed_free(f);
}

/* An exit without an entry, or of another context, is ignored. */
static void test_missing_entry(void)
{
	static const char *const events[] = { "90 0 irqret 5", "95 0 softirqret 4", "96 0 hrtimerret",
		"97 0 vectorret 236 local_timer", "100 0 switch 0 0 10", "105 0 irqret 5", "110 0 irq 5 disk",
		"115 0 irqret 6", "116 0 softirqret 5", "120 0 irqret 5", "200 0 none", NULL };
	struct mdl_feed *f = feed(events);

	mdl_feed_expect(f, "10",
		"0-100 unknown, 100-110 running @0, 110-120 interrupted(irq5:disk) @0, 120-200 running @0");
	mdl_feed_expect(f, "irq5", "0-110 idle, 110-120 running @0, 120-200 idle");
	mdl_feed_free(f);
}

/* No exits are recorded: an interrupt on an idle CPU does not last until the next one. */
static void test_idle_without_exits(void)
{
	static const char *const events[] = { "0 0 noexits", "90 0 switch 0 0 9", "95 0 switch 9 1 0",
		"110 0 irq 5 disk", "115 0 waking 9 0", "130 0 switch 0 0 9", "140 0 switch 9 1 0",
		"150 0 vector 253 reschedule", "155 0 raise 7", "170 0 vector 236 local_timer",
		"180 0 softirq 7", "190 0 irq 5 disk", "200 0 vector 253 reschedule", "205 0 raise 7",
		"250 0 hrtimer 7 0 0", "260 0 vector 253 reschedule", "265 0 hrtimer 7 0 0", /* the tick,
												passed on */
		"270 0 none", NULL };
	struct mdl_feed *f = feed(events);

	mdl_feed_expect(f, "cpu0",
		"0-90 unknown, 90-95 running 9, 95-110 idle idle0, 110-115 interrupted(irq5:disk) idle0, 115-130 idle idle0, "
		"130-140 running 9, 140-150 idle idle0, 150-155 interrupted(ipi253:reschedule) idle0, 155-200 idle idle0, "
		"200-205 interrupted(ipi253:reschedule) idle0, 205-260 idle idle0, 260-265 interrupted(ipi253:reschedule) idle0, "
		"265-270 interrupted(hrtimer7) idle0");
	mdl_feed_free(f);
}

/* A line with an instance per CPU is busy until the last CPU leaves it. */
static void test_line_on_two_cpus(void)
{
	static const char *const events[] = { "90 0 switch 0 0 9", "90 1 switch 0 0 10", "100 0 irq 5 timer",
		"105 2 irqret 5", /* its entry is older than the trace */
		/* Its exit is missing, but a switch shows that it happened, at an unknown time. */
		"110 1 irq 5 timer", "120 0 irqret 5", "130 1 irqret 5", "140 1 irq 5 timer",
		"145 0 irq 5 timer", "150 0 irqret 5", "160 1 irqret 5", "170 0 irq 5 timer",
		"175 0 switch 9 0 11", "180 1 irq 5 timer", "190 1 irqret 5", "200 0 none", NULL };
	struct mdl_feed *f = feed(events);

	mdl_feed_expect(f, "irq5",
		"0-100 idle, 100-120 running @0, 120-130 running @1, 130-140 idle, 140-160 running @1, "
		"160-170 idle, 170-175 running @0, 175-180 idle, 180-190 running @1, 190-200 idle");
	mdl_feed_expect(f, "9",
		"0-90 unknown, 90-100 running @0, 100-120 interrupted(irq5:timer) @0, 120-145 running @0, "
		"145-150 interrupted(irq5:timer) @0, 150-170 running @0, 170-175 unknown, 175-200 preempted @0");
	mdl_feed_free(f);
}

/* Events lost on one CPU make a line unknown, unless another CPU still runs it. */
static void test_line_on_two_cpus_lost(void)
{
	static const char *const events[] = { "90 0 switch 0 0 9", "90 1 switch 0 0 10", "100 0 irq 5 timer",
		"110 1 irq 5 timer", "120 0 gap", "130 0 gapend 112", "140 1 irqret 5", "150 1 irq 5 timer",
		"160 1 gap", "170 1 gapend 155", "180 0 irq 5 timer", "190 0 irqret 5", "200 0 none", NULL };
	struct mdl_feed *f = feed(events);

	mdl_feed_expect(f, "irq5",
		"0-100 idle, 100-120 running @0, 120-140 running @1, 140-150 idle, 150-160 running @1, "
		"160-180 unknown, 180-190 running @0, 190-200 idle");
	mdl_feed_free(f);
}

/* No thread switch happens inside a context: one that is still open is stale. */
static void test_reset_at_switch(void)
{
	static const char *const events[] = { "90 0 switch 0 0 9", "95 0 switch 9 1 10", "110 0 irq 5 disk",
		"120 0 switch 10 1 11", "130 0 waking 9 0", "140 0 irqret 5", "200 0 none", NULL };
	struct mdl_feed *f = feed(events);

	mdl_feed_expect(f, "11", "0-120 unknown, 120-200 running @0");
	mdl_feed_expect_wakeups(f, "9", "130 waking #5 by 11 cpu 0>0 since 95 ran -");
	mdl_feed_free(f);
}

/* Contexts are those of the CPU of the event. */
static void test_per_cpu(void)
{
	static const char *const events[] = { "90 0 switch 0 0 9", "95 0 switch 9 1 10",
		"100 1 switch 0 0 11", "110 1 irq 5 disk", "115 0 softirq 4", "120 0 softirqret 4",
		"125 0 waking 9 0", "130 1 irqret 5", "130 1 softirq 4", "135 1 softirqret 4", "200 0 none",
		NULL };
	struct mdl_feed *f = feed(events);

	mdl_feed_expect(f, "10",
		"0-95 unknown, 95-115 running @0, 115-120 interrupted(softirq4:BLOCK) @0, 120-200 running @0");
	mdl_feed_expect(f, "11",
		"0-100 unknown, 100-110 running @1, 110-130 interrupted(irq5:disk) @1, 130-135 interrupted(softirq4:BLOCK) @1, 135-200 running @1");
	mdl_feed_expect_wakeups(f, "9", "125 waking #7 by 10 cpu 0>0 since 95 ran -");
	mdl_feed_expect(f, "softirq4/0", "0-115 idle, 115-120 running @0, 120-200 idle");
	mdl_feed_expect(f, "softirq4/1", "0-130 idle, 130-135 running @1, 135-200 idle");
	mdl_feed_free(f);
}

/* A woken thread has no context of its previous CPU, and the idle thread is interrupted like any other. */
static void test_idle_interrupted(void)
{
	static const char *const events[] = { "90 0 switch 0 0 9", "95 0 switch 9 1 0", "110 0 irq 5 disk",
		"115 0 waking 9 0", "120 0 irqret 5", "130 0 switch 0 0 9", "200 0 none", NULL };
	struct mdl_feed *f = feed(events);

	mdl_feed_expect(f, "9",
		"0-90 unknown, 90-95 running @0, 95-115 blocked(interruptible) @0, 115-130 wait-cpu @0, 130-200 running @0");
	mdl_feed_expect(f, "idle0",
		"0-90 unknown, 90-95 preempted @0, 95-110 running @0, 110-120 interrupted(irq5:disk) @0, 120-130 running @0, 130-200 preempted @0");
	mdl_feed_expect(f, "cpu0",
		"0-90 unknown, 90-95 running 9, 95-110 idle idle0, 110-120 interrupted(irq5:disk) idle0, 120-130 idle idle0, 130-200 running 9");
	mdl_feed_expect_wakeups(f, "9", "115 waking #4 by idle0 cpu 0>0 since 95 ran 130 in irq5:disk/110");
	mdl_feed_free(f);
}

/* The names of lines: from the event, else from the state dump. */
static void test_names(void)
{
	static const char *const events[] = { "10 0 dumpirq 5 IO-APIC disk", "11 0 dumpirq 6 IO-APIC -",
		"12 0 dumpirq 5 IO-APIC later", "100 0 switch 0 0 10", "110 0 irq 5", "111 0 irqret 5",
		"120 0 irq 6", "121 0 irqret 6", "130 0 irq 7 \033card", "131 0 irqret 7", "140 0 softirq 77",
		"141 0 softirqret 77", "200 0 none", NULL };
	struct mdl_feed *f = feed(events);

	mdl_feed_expect(f, "10",
		"0-100 unknown, 100-110 running @0, 110-111 interrupted(irq5:disk) @0, 111-120 running @0, "
		"120-121 interrupted(irq6:IO-APIC) @0, 121-130 running @0, 130-131 interrupted(irq7:\357\277\275card) @0, "
		"131-140 running @0, 140-141 interrupted(softirq77) @0, 141-200 running @0");
	mdl_feed_free(f);
}

/* Deeper nesting than in any kernel: exits were lost, and nothing overflows. */
static void test_deep(void)
{
	static const char *const events[] = { "90 0 switch 0 0 9", "95 0 switch 9 1 10", "101 0 irq 1 a",
		"102 0 irq 2 b", "103 0 irq 3 c", "104 0 irq 4 d", "105 0 irq 5 e", "106 0 irq 6 f",
		"107 0 irq 7 g", "109 0 irq 9 i", "110 0 waking 9 0", "120 0 irqret 9", "200 0 none", NULL };
	struct mdl_feed *f = feed(events);

	mdl_feed_expect_wakeups(f, "9", "110 waking #11 by 10 cpu 0>0 since 95 ran - in irq9:i/109");
	mdl_feed_free(f);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/contexts/nested", test_nested);
	g_test_add_func("/contexts/idle-without-exits", test_idle_without_exits);
	g_test_add_func("/contexts/ipis", test_ipis);
	g_test_add_func("/contexts/missing-exit", test_missing_exit);
	g_test_add_func("/contexts/shown-over", test_shown_over);
	g_test_add_func("/contexts/missing-entry", test_missing_entry);
	g_test_add_func("/contexts/line-on-two-cpus", test_line_on_two_cpus);
	g_test_add_func("/contexts/line-on-two-cpus-lost", test_line_on_two_cpus_lost);
	g_test_add_func("/contexts/reset-at-switch", test_reset_at_switch);
	g_test_add_func("/contexts/per-cpu", test_per_cpu);
	g_test_add_func("/contexts/idle-interrupted", test_idle_interrupted);
	g_test_add_func("/contexts/names", test_names);
	g_test_add_func("/contexts/deep", test_deep);
	return g_test_run();
}
