/* SPDX-License-Identifier: MIT */
/*
 * Virtual CPUs of machines without a sample trace: other processors, older kernels, lost events, threads that
 * move and end. The expected results are worked out by hand from the kernel's trace points:
 * vcpu_enter_guest() (arch/x86/kvm/x86.c), svm.c, vmx.c, kvm_arch_vcpu_ioctl_run() (arch/arm64/kvm/arm.c).
 */
#include "model/mdl_feed.h"

static struct mdl_feed *feed(const char *const *events)
{
	return mdl_feed_new("6.1.0-50-amd64", events);
}

static void expect(const char *const *events, const char *row, const char *expected)
{
	struct mdl_feed *f = feed(events);

	mdl_feed_expect(f, row, expected);
	mdl_feed_free(f);
}

/* VMX: HLT and MWAIT halt; EPT_VIOLATION and the rest do not. */
static void test_intel(void)
{
	static const char *const events[] = { "100 0 switch 0 0 10", "110 0 enter", "150 0 leave 1 1",
		"155 0 enter", "170 0 leave 12 1", "180 0 switch 10 1 0", "200 0 waking 10 0",
		"201 0 wakeup 10 0", "220 0 switch 0 0 10", "225 0 kvm", "230 0 enter", "260 0 leave 48 1",
		"270 0 switch 10 2 0", "280 0 waking 10 0", "290 0 switch 0 0 10", "300 0 enter",
		"310 0 leave 36 1", "320 0 switch 10 1 0", "340 0 none", NULL };

	expect(events, "vcpu10",
		"110-150 running @0, 150-155 vcpu-exit(EXTERNAL_INTERRUPT) @0, 155-170 running @0, 170-180 vcpu-exit(HLT) @0, "
		"180-200 idle @0, 200-220 vcpu-preempted @0, 220-230 vcpu-exit(HLT) @0, 230-260 running @0, "
		"260-270 vcpu-exit(EPT_VIOLATION) @0, 270-280 blocked(uninterruptible) @0, 280-290 vcpu-preempted @0, "
		"290-300 vcpu-exit(EPT_VIOLATION) @0, 300-310 running @0, 310-320 vcpu-exit(MWAIT_INSTRUCTION) @0, "
		"320-340 idle @0");
}

/* The field is vmx->exit_reason.full: flags above the basic reason (bus lock 26, enclave 27, failed entry
 * 31). */
static void test_intel_flags(void)
{
	static const char *const events[] = { "100 0 switch 0 0 10", "110 0 enter", "120 0 leave 0x400000c 1",
		"130 0 switch 10 1 0", "140 0 waking 10 0", "150 0 switch 0 0 10", "160 0 enter",
		"170 0 leave 0x8000030 1", "180 0 enter", "190 0 none", NULL };

	expect(events, "vcpu10",
		"110-120 running @0, 120-130 vcpu-exit(HLT) @0, 130-140 idle @0, 140-150 vcpu-preempted @0, "
		"150-160 vcpu-exit(HLT) @0, 160-170 running @0, 170-180 vcpu-exit(EPT_VIOLATION) @0, 180-190 running @0");
}

/* SVM: 0x78 HLT, 0x8b and 0x8c MWAIT halt. */
static void test_amd(void)
{
	static const char *const events[] = { "100 0 switch 0 0 10", "110 0 enter", "120 0 leave 0x78 2",
		"130 0 switch 10 1 0", "140 0 waking 10 0", "150 0 switch 0 0 10", "160 0 enter",
		"170 0 leave 0x400 2", "180 0 switch 10 2 0", "190 0 waking 10 0", "200 0 switch 0 0 10",
		"210 0 enter", "220 0 leave 0x8b 2", "230 0 switch 10 1 0", "240 0 waking 10 0",
		"250 0 switch 0 0 10", "260 0 enter", "270 0 leave 0x7c 2", "280 0 enter", "290 0 none",
		NULL };

	expect(events, "vcpu10",
		"110-120 running @0, 120-130 vcpu-exit(hlt) @0, 130-140 idle @0, 140-150 vcpu-preempted @0, "
		"150-160 vcpu-exit(hlt) @0, 160-170 running @0, 170-180 vcpu-exit(npf) @0, 180-190 blocked(uninterruptible) @0, "
		"190-200 vcpu-preempted @0, 200-210 vcpu-exit(npf) @0, 210-220 running @0, 220-230 vcpu-exit(mwait) @0, "
		"230-240 idle @0, 240-250 vcpu-preempted @0, 250-260 vcpu-exit(mwait) @0, 260-270 running @0, "
		"270-280 vcpu-exit(msr) @0, 280-290 running @0");
}

/* A number has another meaning on the other processor: 12, HLT of Intel, is read_cr12 of AMD; 0x78, HLT of AMD,
 * has no name on Intel. */
static void test_isa(void)
{
	static const char *const amd[] = { "100 0 switch 0 0 10", "110 0 enter", "120 0 leave 12 2",
		"130 0 switch 10 1 0", "140 0 none", NULL };
	static const char *const intel[] = { "100 0 switch 0 0 10", "110 0 enter", "120 0 leave 0x78 1",
		"130 0 switch 10 1 0", "140 0 none", NULL };

	expect(amd, "vcpu10",
		"110-120 running @0, 120-130 vcpu-exit(read_cr12) @0, 130-140 blocked(interruptible) @0");
	expect(intel, "vcpu10",
		"110-120 running @0, 120-130 vcpu-exit(exit 120) @0, 130-140 blocked(interruptible) @0");
}

/* ARM: ret 2 is a trap of the class esr_ec, 1 is WFx; ret 0 an interrupt, whose class is 0. */
static void test_arm(void)
{
	static const char *const events[] = { "100 0 switch 0 0 10", "110 0 enter", "120 0 leave 2 - 1",
		"130 0 switch 10 1 0", "140 0 waking 10 0", "150 0 switch 0 0 10", "160 0 enter",
		"170 0 irq 5 disk", "180 0 irqret 5", "185 0 leave 0 - 0", "190 0 enter",
		"200 0 leave 2 - 0x24", "210 0 switch 10 2 0", "220 0 waking 10 0", "230 0 switch 0 0 10",
		"240 0 enter", "250 0 none", NULL };

	expect(events, "vcpu10",
		"110-120 running @0, 120-130 vcpu-exit(WFx) @0, 130-140 idle @0, 140-150 vcpu-preempted @0, "
		"150-160 vcpu-exit(WFx) @0, 160-170 running @0, 170-180 interrupted(irq5:disk) @0, "
		"180-190 vcpu-exit(IRQ) @0, 190-200 running @0, 200-210 vcpu-exit(DABT_LOW) @0, 210-220 blocked(uninterruptible) @0, "
		"220-230 vcpu-preempted @0, 230-240 vcpu-exit(DABT_LOW) @0, 240-250 running @0");
}

/* EXIT_FASTPATH_REENTER_GUEST of older kernels: two kvm_entry without a kvm_exit between; the time between is
 * not recorded. */
static void test_entered_twice(void)
{
	static const char *const events[] = { "100 0 switch 0 0 10", "110 0 enter", "140 0 enter",
		"170 0 leave 32 1", "180 0 enter", "190 0 none", NULL };

	expect(events, "vcpu10", "110-170 running @0, 170-180 vcpu-exit(MSR_WRITE) @0, 180-190 running @0");
}

/* Two kvm_exit without an entry: its event was lost, or is not recorded. */
static void test_left_twice(void)
{
	static const char *const events[] = { "100 0 switch 0 0 10", "110 0 enter", "120 0 leave 48 1",
		"140 0 leave 12 1", "150 0 switch 10 1 0", "160 0 none", NULL };

	expect(events, "vcpu10",
		"110-120 running @0, 120-140 vcpu-exit(EPT_VIOLATION) @0, 140-150 vcpu-exit(HLT) @0, 150-160 idle @0");
}

/* The host's interrupt interrupts the guest: inside ends with it, although kvm_exit is recorded after it,
 * with interrupts on. */
static void test_interrupted(void)
{
	static const char *const events[] = { "100 0 switch 0 0 10", "110 0 enter",
		"130 0 vector 236 local_timer", "132 0 hrtimer 7", "136 0 hrtimerret",
		"140 0 vectorret 236 local_timer", "142 0 softirq 1", "150 0 softirqret 1", "155 0 leave 1 1",
		"160 0 enter", "170 0 none", NULL };

	expect(events, "vcpu10",
		"110-130 running @0, 130-132 interrupted(vector236:local_timer) @0, 132-136 interrupted(hrtimer7) @0, "
		"136-140 interrupted(vector236:local_timer) @0, 140-142 vcpu-exit(?) @0, 142-150 interrupted(softirq1:TIMER) @0, "
		"150-160 vcpu-exit(EXTERNAL_INTERRUPT) @0, 160-170 running @0");
}

/* preempt_enable() comes before handle_exit(), where kernels up to 5.14 (SVM: later) record kvm_exit. */
static void test_preempted_before_exit(void)
{
	static const char *const events[] = { "100 0 switch 0 0 10", "110 0 enter", "150 0 irq 5 disk",
		"155 0 waking 11 0", "160 0 irqret 5", "165 0 switch 10 0 11", "200 0 switch 11 1 10",
		"205 0 leave 1 1", "210 0 enter", "240 0 none", NULL };
	struct mdl_feed *f = feed(events);

	mdl_feed_expect(f, "vcpu10",
		"110-150 running @0, 150-160 interrupted(irq5:disk) @0, 160-165 vcpu-exit(?) @0, 165-200 vcpu-preempted @0, "
		"200-210 vcpu-exit(EXTERNAL_INTERRUPT) @0, 210-240 running @0");
	mdl_feed_expect(f, "10",
		"0-100 unknown, 100-150 running @0, 150-160 interrupted(irq5:disk) @0, 160-165 running @0, "
		"165-200 preempted @0, 200-240 running @0");
	mdl_feed_free(f);
}

/* Any event on its CPU shows that the guest was left; events on other CPUs do not. */
static void test_any_event(void)
{
	static const char *const events[] = { "90 1 switch 0 0 20", "100 0 switch 0 0 10", "110 0 enter",
		"120 1 waking 30 1", "125 1 irq 6 net", "128 1 irqret 6", "129 1 enter", "140 0 raise 1",
		"150 0 leave 1 1", "155 0 enter", "160 0 kvm", "165 0 leave 32 1", "170 0 enter",
		"180 0 sendipi 1", "190 0 none", NULL };

	expect(events, "vcpu10",
		"110-140 running @0, 140-155 vcpu-exit(EXTERNAL_INTERRUPT) @0, 155-160 running @0, "
		"160-170 vcpu-exit(MSR_WRITE) @0, 170-180 running @0, 180-190 vcpu-exit(?) @0");
}

/* The events show it switched out while inside: it is preempted, then in exit handling until it enters
 * again. */
static void test_switched_inside(void)
{
	static const char *const events[] = { "100 0 switch 0 0 10", "110 0 enter",
		"130 0 switch 10 0x100 11", "150 0 switch 11 1 10", "160 0 leave 52 1", "170 0 enter",
		"180 0 none", NULL };

	expect(events, "vcpu10",
		"110-130 running @0, 130-150 vcpu-preempted @0, 150-170 vcpu-exit(PREEMPTION_TIMER) @0, 170-180 running @0");
}

/* Events are lost while it is inside: unknown until a switch shows that its thread has the CPU; the exit
 * reason stays unknown. */
static void test_gap_inside(void)
{
	static const char *const events[] = { "100 0 switch 0 0 10", "105 0 enter", "108 0 leave 12 1",
		"110 0 enter", "130 0 gap", "160 0 gapend 130", "170 0 leave 12 1", "180 0 switch 11 1 10",
		"190 0 enter", "200 0 leave 48 1", "210 0 none", NULL };

	expect(events, "vcpu10",
		"105-108 running @0, 108-110 vcpu-exit(HLT) @0, 110-130 running @0, 130-180 unknown, 180-190 vcpu-exit(?) @0, "
		"190-200 running @0, 200-210 vcpu-exit(EPT_VIOLATION) @0");
}

/* Events lost on another CPU do not matter for this one. */
static void test_gap_elsewhere(void)
{
	static const char *const events[] = { "90 1 switch 0 0 20", "100 0 switch 0 0 10", "110 0 enter",
		"130 1 gap", "160 1 gapend 130", "165 1 irq 6 net", "168 1 irqret 6", "170 0 leave 12 1",
		"180 0 switch 10 1 0", "190 0 none", NULL };

	expect(events, "vcpu10", "110-170 running @0, 170-180 vcpu-exit(HLT) @0, 180-190 idle @0");
}

/* It sleeps, and its last kvm_exit was lost: the earlier HLT does not show that it halts. */
static void test_gap_before_sleep(void)
{
	static const char *const events[] = { "100 0 switch 0 0 10", "105 0 enter", "108 0 leave 12 1",
		"110 0 enter", "130 0 gap", "160 0 gapend 130", "180 0 switch 10 1 11", "200 0 waking 10 0",
		"210 0 switch 11 1 10", "220 0 enter", "230 0 none", NULL };

	expect(events, "vcpu10",
		"105-108 running @0, 108-110 vcpu-exit(HLT) @0, 110-130 running @0, 130-180 unknown, 180-200 blocked(interruptible) @0, "
		"200-210 vcpu-preempted @0, 210-220 vcpu-exit(?) @0, 220-230 running @0");
}

/* The thread is killed: the row of its virtual CPU ends with it. */
static void test_dies(void)
{
	static const char *const events[] = { "100 0 switch 0 0 10", "110 0 enter", "150 0 leave 1 1",
		"160 0 exit 10", "170 0 switch 10 16 0", "180 0 free 10", "200 0 none", NULL };
	static const char *const inside[] = { "100 0 switch 0 0 10", "110 0 enter", "170 0 switch 10 16 0",
		"180 0 free 10", "200 0 none", NULL };

	expect(events, "vcpu10", "110-150 running @0, 150-170 vcpu-exit(EXTERNAL_INTERRUPT) @0");
	expect(inside, "vcpu10", "110-170 running @0");
}

/* A reused TID runs another virtual CPU, or none. */
static void test_second_life(void)
{
	static const char *const events[] = { "100 0 switch 0 0 10", "110 0 enter", "120 0 leave 12 1",
		"130 0 switch 10 16 20", "140 0 free 10", "150 0 fork 20 20 10 10", "155 0 wakeup_new 10 0",
		"160 0 switch 20 0 10", "170 0 enter", "180 0 switch 10 1 20", "190 0 none", NULL };
	struct mdl_feed *f = feed(events);

	mdl_feed_expect(f, "vcpu10", "110-120 running @0, 120-130 vcpu-exit(HLT) @0");
	mdl_feed_expect(f, "vcpu10#2", "170-180 running @0, 180-190 blocked(interruptible) @0");
	mdl_feed_free(f);
}

/* It moves to another CPU: events on its previous CPU do not concern it any more. */
static void test_migrates(void)
{
	static const char *const events[] = { "90 1 switch 0 0 20", "100 0 switch 0 0 10", "110 0 enter",
		"120 0 leave 1 1", "130 0 switch 10 0 11", "135 1 migrate 10 1", "140 1 switch 20 1 10",
		"150 1 enter", "160 0 irq 5 disk", "165 0 irqret 5", "170 0 switch 11 1 12",
		"180 1 leave 12 1", "190 1 switch 10 1 0", "200 0 waking 10 0", "205 0 switch 12 1 10",
		"210 0 enter", "220 1 irq 6 net", "225 1 irqret 6", "230 0 none", NULL };

	expect(events, "vcpu10",
		"110-120 running @0, 120-130 vcpu-exit(EXTERNAL_INTERRUPT) @0, 130-135 vcpu-preempted @0, "
		"135-140 vcpu-preempted @1, 140-150 vcpu-exit(EXTERNAL_INTERRUPT) @1, 150-180 running @1, "
		"180-190 vcpu-exit(HLT) @1, 190-200 idle @1, 200-205 vcpu-preempted @0, 205-210 vcpu-exit(HLT) @0, "
		"210-230 running @0");
}

/* Two machines take turns on a CPU. */
static void test_two_guests(void)
{
	static const char *const events[] = { "100 0 switch 0 0 10", "110 0 enter", "120 0 leave 12 1",
		"130 0 switch 10 1 20", "140 0 enter", "150 0 vector 236 local_timer", "152 0 waking 10 0",
		"155 0 vectorret 236 local_timer", "158 0 leave 0x60 2", "160 0 switch 20 0 10",
		"170 0 enter", "180 0 leave 12 1", "190 0 switch 10 1 20", "200 0 enter", "210 0 none",
		NULL };
	struct mdl_feed *f = feed(events);

	mdl_feed_expect(f, "vcpu10",
		"110-120 running @0, 120-130 vcpu-exit(HLT) @0, 130-152 idle @0, 152-160 vcpu-preempted @0, "
		"160-170 vcpu-exit(HLT) @0, 170-180 running @0, 180-190 vcpu-exit(HLT) @0, 190-210 idle @0");
	mdl_feed_expect(f, "vcpu20",
		"140-150 running @0, 150-155 interrupted(vector236:local_timer) @0, 155-160 vcpu-exit(interrupt) @0, "
		"160-190 vcpu-preempted @0, 190-200 vcpu-exit(interrupt) @0, 200-210 running @0");
	mdl_feed_free(f);
}

/* It returns to its monitor, which sleeps there: that is no halt. */
static void test_monitor(void)
{
	static const char *const events[] = { "100 0 switch 0 0 10", "102 0 sys ioctl", "110 0 enter",
		"120 0 leave 0x7b 2", "125 0 kvm", "130 0 sysret ioctl", "135 0 sys futex",
		"140 0 switch 10 1 0", "160 0 waking 10 0", "165 0 switch 0 0 10", "170 0 sysret futex",
		"175 0 sys ioctl", "180 0 enter", "190 0 none", NULL };

	expect(events, "vcpu10",
		"110-120 running @0, 120-140 vcpu-exit(io) @0, 140-160 blocked(interruptible) @0, 160-165 vcpu-preempted @0, "
		"165-180 vcpu-exit(io) @0, 180-190 running @0");
}

/* The trace begins while it runs: the row begins with the first event of a guest. */
static void test_begins(void)
{
	static const char *const amidst[] = { "100 0 first 10 qemu", "120 0 leave 120 2", "130 0 enter",
		"140 0 none", NULL };
	static const char *const nobody[] = { "100 0 enter", "120 0 leave 120 2", "130 0 switch 10 1 0",
		"140 0 none", NULL };
	static const char *const idle[] = { "100 0 switch 10 1 0", "110 0 enter", "120 0 leave 12 1",
		"140 0 none", NULL };
	struct mdl_feed *f;

	expect(amidst, "vcpu10", "120-130 vcpu-exit(hlt) @0, 130-140 running @0");
	f = feed(nobody); /* the running thread is known only later */
	g_assert_false(mdl_feed_has_row(f, "vcpu10"));
	g_assert_false(mdl_feed_has_row(f, "vcpu0"));
	mdl_feed_free(f);
	f = feed(idle); /* an idle thread runs no guest */
	g_assert_false(mdl_feed_has_row(f, "vcpu0"));
	mdl_feed_free(f);
}

/* Numbers without a known reason: reported as such, and no halt. */
static void test_nameless(void)
{
	static const char *const reasons[] = { "200 1", "0x300 2", "-1 2", "-1 1", "12 7", "12 -", "- -",
		"- 1", "0x7fffffffffffffff 2", "-9223372036854775807 1", "2 - -1", "2 - 77", "7 - 1",
		"-1 -1 -1" };

	for (size_t i = 0; i < G_N_ELEMENTS(reasons); i++) {
		char *leave = g_strdup_printf("120 0 leave %s", reasons[i]);
		const char *const events[] = { "100 0 switch 0 0 10", "110 0 enter", leave,
			"130 0 switch 10 1 0", "140 0 none", NULL };
		struct mdl_feed *f = feed(events);

		g_test_message("%s", reasons[i]);
		if (i < 2)
			mdl_feed_expect(f, "vcpu10",
				i == 0 ? "110-120 running @0, 120-130 vcpu-exit(exit 200) @0, 130-140 blocked(interruptible) @0"
				       : "110-120 running @0, 120-130 vcpu-exit(exit 768) @0, 130-140 blocked(interruptible) @0");
		mdl_feed_expect_states(f, "vcpu10", "110-120 running, 120-130 vcpu-exit, 130-140 blocked");
		mdl_feed_free(f);
		g_free(leave);
	}
}

/* The thread's own row ignores guests: it runs. */
static void test_thread_row(void)
{
	static const char *const events[] = { "100 0 switch 0 0 10", "110 0 enter", "120 0 leave 12 1",
		"130 0 switch 10 1 0", "140 0 waking 10 0", "150 0 switch 0 0 10", "160 0 enter",
		"170 0 none", NULL };

	expect(events, "10",
		"0-100 unknown, 100-130 running @0, 130-140 blocked(interruptible) @0, 140-150 wait-cpu @0, 150-170 running @0");
	expect(events, "cpu0", "0-100 unknown, 100-130 running 10, 130-150 idle idle0, 150-170 running 10");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/vcpu/intel", test_intel);
	g_test_add_func("/vcpu/intel-flags", test_intel_flags);
	g_test_add_func("/vcpu/amd", test_amd);
	g_test_add_func("/vcpu/isa", test_isa);
	g_test_add_func("/vcpu/arm", test_arm);
	g_test_add_func("/vcpu/entered-twice", test_entered_twice);
	g_test_add_func("/vcpu/left-twice", test_left_twice);
	g_test_add_func("/vcpu/interrupted", test_interrupted);
	g_test_add_func("/vcpu/preempted-before-exit", test_preempted_before_exit);
	g_test_add_func("/vcpu/any-event", test_any_event);
	g_test_add_func("/vcpu/switched-inside", test_switched_inside);
	g_test_add_func("/vcpu/gap-inside", test_gap_inside);
	g_test_add_func("/vcpu/gap-elsewhere", test_gap_elsewhere);
	g_test_add_func("/vcpu/gap-before-sleep", test_gap_before_sleep);
	g_test_add_func("/vcpu/dies", test_dies);
	g_test_add_func("/vcpu/second-life", test_second_life);
	g_test_add_func("/vcpu/migrates", test_migrates);
	g_test_add_func("/vcpu/two-guests", test_two_guests);
	g_test_add_func("/vcpu/monitor", test_monitor);
	g_test_add_func("/vcpu/begins", test_begins);
	g_test_add_func("/vcpu/nameless", test_nameless);
	g_test_add_func("/vcpu/thread-row", test_thread_row);
	return g_test_run();
}
