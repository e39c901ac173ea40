/* SPDX-License-Identifier: MIT */
/* Lines of text as the kernel (TP_printk() in include/trace/events), libtraceevent (plugins) and perf print
 * them, and the events made of them. Whole texts are in tests/app/text.t. */
#include "trace/text/trc_text.h"

#include "base/base_time.h"

#include <string.h>

static struct trc_text_part part_of(const char *text)
{
	return (struct trc_text_part){ text, strlen(text) };
}

/* ---- heads ---- */

struct head {
	const char *line;
	int64_t time;
	uint32_t cpu;
	int32_t tid, pid;
	unsigned told;
	const char *comm, *event, *fields;
};

#define W MDL_TOLD_WITHIN
#define IRQ (W | MDL_TOLD_IRQ)
#define SOFT (W | MDL_TOLD_SOFTIRQ)

/* clang-format off */
static const struct head heads[] = {
	{ "          <idle>-0       [004] d.h1.   201.990388: softirq_raise: vec=1 [action=TIMER]",
		201990388000, 4, 0, -1, IRQ, "<idle>", "softirq_raise", "vec=1 [action=TIMER]" },
	{ " RenderThread-123   (  100) [002] d..3  4000.000001: sched_wakeup: comm=a",
		4000000001000, 2, 123, 100, W, "RenderThread", "sched_wakeup", "comm=a" },
	{ "           <...>-885   (-----) [001] ..s1.     1.5: x: ", 1500000000, 1, 885, -1, SOFT, "<...>", "x", "" },
	{ "a [1] b-7:-c-12      [001] dNH..     1.000001: softirq_entry: vec=9",
		1000001000, 1, 12, -1, IRQ | SOFT, "a [1] b-7:-c", "softirq_entry", "vec=9" },
	{ "       trace-cmd-659   [001]   201.990388: sched_switch:         a:1 [120] S ==> b:2 [120]",
		201990388000, 1, 659, -1, 0, "trace-cmd", "sched_switch", "a:1 [120] S ==> b:2 [120]" },
	{ "trace-cm-839     1d.h..   337.712164338: hrtimer_cancel:       hrtimer=0xff",
		337712164338, 1, 839, -1, IRQ, "trace-cm", "hrtimer_cancel", "hrtimer=0xff" },
	{ "wk:            tl.sh-631   [001]   186.031810: sched_waking:         comm=a",
		186031810000, 1, 631, -1, 0, "tl.sh", "sched_waking", "comm=a" },
	{ "       trace-cmd-839   [001]   337.712205: (+41)    softirq_exit:         vec=7",
		337712205000, 1, 839, -1, 0, "trace-cmd", "softirq_exit", "vec=7" },
	{ "       trace-cmd-420   [001] 78721373934: cpu_idle:             state=1",
		78721373934, 1, 420, -1, 0, "trace-cmd", "cpu_idle", "state=1" },
	{ "            perf     647 [000]   183.890966:       sched:sched_waking: comm=a",
		183890966000, 0, 647, -1, 0, "perf", "sched:sched_waking", "comm=a" },
	{ " kworker/0:0-mm_   9/9     [000]   183.909768123:          1 sched:sched_waking: comm=a",
		183909768123, 0, 9, 9, 0, "kworker/0:0-mm_", "sched:sched_waking", "comm=a" },
	{ "             :-1      -1 [004]   184.141535: sched:sched_stat_runtime: comm=a",
		184141535000, 4, -1, -1, 0, ":-1", "sched:sched_stat_runtime", "comm=a" },
	{ "             :-1    1008/-1      [004]   184.141535: sched:sched_stat_runtime: comm=a",
		184141535000, 4, -1, 1008, 0, ":-1", "sched:sched_stat_runtime", "comm=a" },
	{ "            bash   494 [007]   1.0:     250000 cpu-clock:pppH:  ffffffffb0e44844 f+0x2",
		1000000000, 7, 494, -1, 0, "bash", "cpu-clock:pppH", "ffffffffb0e44844 f+0x2" },
	{ "a-1 [000] ..... 1.0: sys_read(fd: 3, buf: 7ffd)", 1000000000, 0, 1, -1, W, "a", "sys_read", "(fd: 3, buf: 7ffd)" },
	{ "a-1 [000] ..... 1.0: sys_read -> 0x10", 1000000000, 0, 1, -1, W, "a", "sys_read", "-> 0x10" },
	{ "a-1 [000] d.... 1.0: <stack trace>", 1000000000, 0, 1, -1, W, "a", "<stack trace>", "" },
	/* numbers of any size */
	{ "a-99999999999999999999 [4294967296] ..... 99999999999999999999.5: x: y",
		BASE_TIME_FARTHEST, UINT32_MAX, -1, -1, W, "a", "x", "y" },
};
/* clang-format on */

static void test_heads(void)
{
	for (size_t i = 0; i < G_N_ELEMENTS(heads); i++) {
		const struct head *h = &heads[i];
		struct trc_text_line line;
		g_autofree char *comm = NULL, *event = NULL, *fields = NULL;

		g_test_message("%s", h->line);
		g_assert_cmpint(trc_text_line_read(part_of(h->line), TRC_TEXT_CONTEXT, &line), ==,
			TRC_TEXT_EVENT);
		comm = g_strndup(line.comm.at, line.comm.n);
		event = g_strndup(line.event.at, line.event.n);
		fields = g_strndup(line.fields.at, line.fields.n);
		if (h->time == BASE_TIME_FARTHEST)
			g_assert_cmpint(line.time, >, BASE_TIME_FARTHEST - 2000000000);
		else
			g_assert_cmpint(line.time, ==, h->time);
		g_assert_cmpuint(line.cpu, ==, h->cpu);
		g_assert_cmpint(line.tid, ==, h->tid);
		g_assert_cmpint(line.pid, ==, h->pid);
		g_assert_cmpuint(line.told, ==, h->told);
		g_assert_cmpstr(comm, ==, h->comm);
		g_assert_cmpstr(event, ==, h->event);
		g_assert_cmpstr(fields, ==, h->fields);
	}
}

static void test_others(void)
{
	static const struct {
		const char *line;
		enum trc_text_what what;
		uint32_t cpu;
		uint64_t lost;
	} lines[] = {
		{ "CPU:3 [LOST 12 EVENTS]", TRC_TEXT_LOST, 3, 12 },
		{ "CPU:3 [LOST EVENTS]", TRC_TEXT_LOST, 3, 0 },
		{ "CPU:0 [82 EVENTS DROPPED]", TRC_TEXT_LOST, 0, 82 },
		{ "CPU:0 [EVENTS DROPPED]", TRC_TEXT_LOST, 0, 0 },
		{ "##### CPU 7 buffer started ####", TRC_TEXT_LOST, 7, 0 },
		{ "   swapper   0 [002]   1.5: PERF_RECORD_LOST lost 5", TRC_TEXT_LOST, 2, 5 },
		{ "# tracer: nop", TRC_TEXT_COMMENT, 0, 0 },
		{ "", TRC_TEXT_COMMENT, 0, 0 },
		{ "   ", TRC_TEXT_COMMENT, 0, 0 },
		{ " => __schedule", TRC_TEXT_STACK, 0, 0 },
		{ "\tffffffff81c07b1e __schedule+0x2ae ([kernel.kallsyms])", TRC_TEXT_STACK, 0, 0 },
		{ "  perf  647   183.890966: sched:sched_switch: a:1 [120] S ==> b:2 [120]", TRC_TEXT_NO_CPU,
			0, 0 },
		{ "a-1 [000] ..... : x: y", TRC_TEXT_OTHER, 0, 0 },
		{ "a-1 [000 ..... 1.0: x: y", TRC_TEXT_OTHER, 0, 0 },
		{ "[    1.000000] usb 1-1: new device", TRC_TEXT_OTHER, 0, 0 },
		{ "cpus=8", TRC_TEXT_OTHER, 0, 0 },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(lines); i++) {
		struct trc_text_line line;

		g_test_message("%s", lines[i].line);
		g_assert_cmpint(trc_text_line_read(part_of(lines[i].line), TRC_TEXT_CONTEXT, &line), ==,
			lines[i].what);
		if (lines[i].what != TRC_TEXT_LOST)
			continue;
		g_assert_cmpuint(line.cpu, ==, lines[i].cpu);
		g_assert_cmpuint(line.lost, ==, lines[i].lost);
	}
}

/* ---- fields ---- */

/* The event made of the text "NAME: FIELDS": its class, present arguments as "INDEX=NUMBER", texts in quotes;
 * for the NUMBER of a function, its name. */
static char *read_event(const char *event, enum trc_text_tool tool, bool old_letters)
{
	struct trc_budget budget = trc_budget_of(0);
	struct trc_text_classes *classes = trc_text_classes_new(&budget);
	struct trc_info *info = trc_info_new("/");
	struct trc_queue *q = trc_queue_new("cpu0", info);
	struct trc_text_ways ways = { .tool = tool, .context = TRC_TEXT_CONTEXT, .old_letters = old_letters };
	g_autofree char *text = g_strdup_printf("wk-5 [000] ..... 1.0: %s", event);
	GString *to = g_string_new(NULL);
	const struct trc_text_class *class;
	struct trc_text_line line;
	struct mdl_event *e;

	g_assert_cmpint(trc_text_line_read(part_of(text), TRC_TEXT_CONTEXT, &line), ==, TRC_TEXT_EVENT);
	class = trc_text_classes_get(classes, &line);
	e = trc_queue_add(q, line.time);
	trc_text_class_read(class, &ways, q, e, &line);
	g_string_append(to, trc_text_class_name(class));
	for (unsigned i = 0; i < MDL_ARGS && e->kind != MDL_EV_NONE; i++) {
		if (e->arg[i] == MDL_ARG_ABSENT)
			continue;
		if ((uint64_t)e->arg[i] == trc_text_address(part_of("fun")))
			g_string_append_printf(to, " %u=fun", i);
		else
			g_string_append_printf(to, " %u=%" G_GINT64_FORMAT, i, e->arg[i]);
	}
	for (unsigned i = 0; i < MDL_TEXTS && e->kind != MDL_EV_NONE; i++)
		if (e->text[i])
			g_string_append_printf(to, " \"%s\"", e->text[i]);
	trc_queue_free(q);
	trc_info_free(info);
	trc_text_classes_free(classes);
	return g_string_free(to, FALSE);
}

static void test_fields(void)
{
	/* clang-format off */
	static const struct {
		const char *event, *is;
	} events[] = {
		{ "sched_switch: prev_comm=a b prev_pid=1 prev_prio=120 prev_state=D|K ==> next_comm=c next_pid=2 next_prio=98",
			"sched:sched_switch 0=1 1=65538 2=2 3=120 4=98 5=1 \"a b\" \"c\"" },
		{ "sched_switch: prev_comm=x prev_pid=3 prev_pid=1 prev_prio=120 prev_state=R+ ==> next_comm= ==> next_pid=2 next_prio=-1",
			"sched:sched_switch 0=1 1=256 2=2 3=120 4=-1 5=1 \"x prev_pid=3\" \" ==>\"" },
		{ "sched_switch:         kworker/0:0:9 [120] I ==> a [1] S ==> b:3:7 [98]",
			"sched:sched_switch 0=9 1=128 2=7 3=120 4=98 5=9 \"kworker/0:0\" \"a [1] S ==> b:3\"" },
		{ "sched_switch:         a:1 [120] R ==> b:2 [120]", "sched:sched_switch 0=1 1=256 2=2 3=120 4=120 5=1 \"a\" \"b\"" },
		{ "sched_switch:         prev_comm=a prev_pid=1 prev_prio=120 prev_state=1 next_comm=b next_pid=2 next_prio=120",
			"sched:sched_switch 0=1 1=1 2=2 3=120 4=120 5=1 \"a\" \"b\"" },
		{ "sched_waking: comm=a pid=7 prio=120 target_cpu=010", "sched:sched_waking 0=7 1=10 2=5 \"a\"" },
		{ "sched_wakeup: comm=a pid=7 prio=120 success=0 target_cpu=002", "sched:sched_wakeup 0=7 1=2 2=5 3=0 \"a\"" },
		{ "sched_wakeup:         a:b:7 [120] CPU:003", "sched:sched_wakeup 0=7 1=3 2=5 \"a:b\"" },
		{ "sched_wakeup_new:     a:7 [120] success=1 CPU:003", "sched:sched_wakeup_new 0=7 1=3 2=5 3=1 \"a\"" },
		{ "sched_migrate_task: comm=a pid=7 prio=120 orig_cpu=1 dest_cpu=2", "sched:sched_migrate_task 0=7 1=2 \"a\"" },
		{ "sched_pi_setprio: comm=a pid=7 oldprio=120 newprio=98", "sched:sched_pi_setprio 0=7 1=120 2=98 3=7" },
		{ "sched_process_fork: comm=a pid=7 child_comm=b c child_pid=8", "sched:sched_process_fork 0=7 2=8 \"a\" \"b c\"" },
		{ "sched_process_exec: filename=/bin/a b pid=7 old_pid=8", "sched:sched_process_exec 0=7 1=8 \"/bin/a b\"" },
		{ "sched_process_exit: comm=a pid=7 prio=120 group_dead=true", "sched:sched_process_exit 0=7 \"a\"" },
		{ "task_rename: pid=7 oldcomm=a newcomm=b oom_score_adj=0", "task:task_rename 0=7 \"b\"" },
		{ "irq_handler_entry: irq=11 name=ahci [0000:00]", "irq:irq_handler_entry 0=11 \"ahci [0000:00]\"" },
		{ "irq_handler_exit: irq=11 ret=handled", "irq:irq_handler_exit 0=11" },
		{ "irq_handler_exit: irq=11 ret=unhandled", "irq:irq_handler_exit 0=11 1=0" },
		{ "softirq_entry: vec=1 [action=TIMER]", "irq:softirq_entry 0=1" },
		{ "hrtimer_expire_entry: hrtimer=000000000000001f function=fun now=5", "timer:hrtimer_expire_entry 0=fun 1=31 2=5" },
		{ "hrtimer_expire_entry: hrtimer=0x1f now=5 function=fun/0x0", "timer:hrtimer_expire_entry 0=fun 1=31 2=5" },
		{ "hrtimer_start: hrtimer=0x1f function=0xffffffff839b8b20 expires=7 softexpires=6 mode=ABS", "timer:hrtimer_start 0=31 1=-2086958304 2=7 3=6" },
		{ "timer_start: timer=0x1f function=fun expires=4294939595 [timeout=1] bucket_expiry=4294939596 cpu=1 idx=12 flags=D|P|I",
			"timer:timer_start 0=31 1=fun 2=4294939595 3=4294939596 4=4294939594 5=3670017" },
		{ "timer_start: timer=000000000000001f function=fun expires=10 [timeout=-2] flags=", "timer:timer_start 0=31 1=fun 2=10 4=12 5=0" },
		{ "timer_start: timer=000000000000001f function=fun expires=10 [timeout=3]", "timer:timer_start 0=31 1=fun 2=10 4=7" },
		{ "timer_expire_entry: timer=0x1f function=fun now=9 baseclk=8", "timer:timer_expire_entry 0=31 1=fun 3=8 4=9" },
		{ "workqueue_queue_work: work struct=0x1f function=fun workqueue=events req_cpu=512 cpu=-1", "workqueue:workqueue_queue_work 0=31 1=fun 2=512" },
		{ "workqueue_execute_start: work struct 000000000000001f: function fun", "workqueue:workqueue_execute_start 0=31 1=fun" },
		{ "workqueue_execute_end: work struct 000000000000001f", "workqueue:workqueue_execute_end 0=31" },
		{ "signal_generate: sig=17 errno=0 code=1 comm=a pid=7 grp=1 res=2", "signal:signal_generate 0=17 1=7 2=2 3=1 4=1" },
		{ "net_dev_queue: dev=eth0 skbaddr=00000000000000ff len=66", "net:net_dev_queue 0=255 1=66 \"eth0\"" },
		{ "napi_poll: napi poll on napi struct 00000000000000ff for device eth0 work 1 budget 64", "napi:napi_poll" },
		{ "local_timer_entry: vector=236", "irq_vectors:local_timer_entry 0=236" },
		{ "ipi_entry: (Rescheduling interrupts)", "ipi:ipi_entry \"Rescheduling interrupts\"" },
		{ "ipi_raise: target_mask=00000000,0000000c (Function call interrupts)", "ipi:ipi_raise 1=12 \"Function call interrupts\"" },
		{ "ipi_send_cpu: cpu=2 callsite=fun+0x33 callback=fun+0x0", "ipi:ipi_send_cpu 0=2 2=fun" },
		{ "csd_function_entry: func=fun csd=000000000000001f", "csd:csd_function_entry 0=31" },
		{ "csd_queue_cpu: cpu=1 callsite=fun+0x1 func=fun csd=000000000000001f", "csd:csd_queue_cpu 0=31 1=1" },
		{ "block_rq_issue: 8,16 WS 4096 () 123 + 8 [comm x]", "block:block_rq_issue 0=8388624 1=123 2=8 4=4096 \"WS\"" },
		{ "block_rq_issue: 8,0 N 0 (a3 00) 0 + 0 none,0,0 [a]", "block:block_rq_issue 0=8388608 1=0 2=0 4=0 \"N\"" },
		{ "block_rq_complete: 8,0 WS () 123 + 8 [0]", "block:block_rq_complete 0=8388608 1=123 2=8 \"WS\"" },
		{ "block_rq_complete: 8,0 WS () 123 + 8 be,0,4 [0]", "block:block_rq_complete 0=8388608 1=123 2=8 \"WS\"" },
		{ "block_bio_queue: 8,0 R 123 + 8 [a]", "block:block_bio_queue 0=8388608 1=123 2=8 \"R\"" },
		{ "block_bio_remap: 8,0 R 123 + 8 <- (253,1) 100", "block:block_bio_remap 0=8388608 1=123 2=8 4=265289729 5=100 \"R\"" },
		{ "kvm_entry: vcpu 3, rip 0xffff", "kvm:kvm_entry 3=3" },
		{ "kvm_exit: vcpu 1 reason HLT rip 0xff info 0 0", "kvm:kvm_exit 0=12 1=1 3=1" },
		{ "kvm_exit: reason hlt rip 0xff info 0 0", "kvm:kvm_exit 0=120 1=2" },
		{ "kvm_exit: reason EXIT_INTR rip 0xff info 0 0", "kvm:kvm_exit 0=96 1=2" },
		{ "kvm_inj_virq: IRQ 0xec", "kvm:kvm_inj_virq 0=236" },
		{ "kvm_inj_virq: IRQ 0xec [reinjected]", "kvm:kvm_inj_virq 0=236 3=1" },
		{ "suspend_resume: suspend_enter[3] begin",
			"power:suspend_resume 0=1 1=3 \"suspend_enter\"" },
		{ "suspend_resume: suspend_enter[3] end",
			"power:suspend_resume 0=0 1=3 \"suspend_enter\"" },
		{ "sys_enter: NR 0 (3, 7ffd12345678, 0, 0, 0, 0)", "raw_syscalls:sys_enter 4=0 5=1" },
		{ "sys_enter: NR 0 (3, 4, 0, 0, 0, 0)", "raw_syscalls:sys_enter 4=0 5=0" },
		{ "sys_exit: NR 0 = 10", "raw_syscalls:sys_exit" },
		{ "sys_futex(uaddr: 7f10, op: 80, val: 2, utime: 0, uaddr2: 1f, val3: 0)", "syscalls:sys_enter_futex 0=32528 1=128 2=31" },
		{ "sys_enter_futex:      uaddr: 0x00007f10, op: 0x00000080, val: 0x00000002", "syscalls:sys_enter_futex 0=32528 1=128" },
		{ "sys_enter_futex:      op=FUTEX_WAKE|FUTEX_PRIVATE_FLAG uaddr=0x7f10 val=0x00000001", "syscalls:sys_enter_futex 0=32528 1=129" },
		{ "sys_futex -> 0x0", "syscalls:sys_exit_futex" },
		{ "sys_enter_read: fd: 0x00000003, buf: 0x7ffd, count: 0x10", "syscalls:sys_enter_read" },
		{ "tracing_mark_write: B|7|x: y=z", "ftrace:print" },
		{ "schedule <-worker_thread", "ftrace:function" },
		{ "my_probe: (4036b0) id=7", "my_probe" },
		/* a number of more than 64 bits becomes the largest one */
		{ "softirq_entry: vec=99999999999999999999 [action=X]", "irq:softirq_entry 0=-1" },
		/* fields of another form give no arguments; the head still does */
		{ "sched_waking: nothing of it", "sched:sched_waking 2=5" },
	};
	/* clang-format on */

	for (size_t i = 0; i < G_N_ELEMENTS(events); i++) {
		g_autofree char *is = read_event(events[i].event, TRC_TEXT_TRACE_CMD, false);

		g_test_message("%s", events[i].event);
		g_assert_cmpstr(is, ==, events[i].is);
	}
}

/* The address made up for function "f", which has no address in the text. */
#define F " 2=-141029693422280688"

/* Text that looks alike has another meaning by the program that printed it. */
static void test_ways(void)
{
	static const char mask[] = "ipi_send_cpumask: cpumask=12 callsite=f callback=g",
			  idle[] = "sched_switch: a:1 [120] W ==> b:2 [120]",
			  parked[] = "sched_switch: a:1 [120] x ==> b:2 [120]";
	static const struct {
		const char *event;
		enum trc_text_tool tool;
		bool old_letters;
		const char *is;
	} ways[] = { { mask, TRC_TEXT_KERNEL, false, "ipi:ipi_send_cpumask 1=18" F },
		{ mask, TRC_TEXT_TRACE_CMD, false, "ipi:ipi_send_cpumask 1=4096" F },
		{ "ipi_send_cpumask: cpumask=0-2,5 callsite=f callback=g", TRC_TEXT_PERF, false,
			"ipi:ipi_send_cpumask 1=39" F },
		{ "ipi_send_cpumask: cpumask=63 callsite=f callback=g", TRC_TEXT_PERF, false,
			"ipi:ipi_send_cpumask" F },
		{ idle, TRC_TEXT_TRACE_CMD, true,
			"sched:sched_switch 0=1 1=128 2=2 3=120 4=120 5=1 \"a\" \"b\"" },
		{ parked, TRC_TEXT_TRACE_CMD, true,
			"sched:sched_switch 0=1 1=64 2=2 3=120 4=120 5=1 \"a\" \"b\"" },
		{ parked, TRC_TEXT_TRACE_CMD, false,
			"sched:sched_switch 0=1 1=16 2=2 3=120 4=120 5=1 \"a\" \"b\"" } };

	for (size_t i = 0; i < G_N_ELEMENTS(ways); i++) {
		g_autofree char *is = read_event(ways[i].event, ways[i].tool, ways[i].old_letters);

		g_test_message("%s", ways[i].event);
		g_assert_cmpstr(is, ==, ways[i].is);
	}
}

/* ---- lines of any length ---- */

static void test_long_lines(void)
{
	g_autofree char *text = g_malloc(3 * TRC_TEXT_LINE_MAX);
	struct trc_text_part rest = { text, 3 * TRC_TEXT_LINE_MAX }, line;

	memset(text, 'x', 3 * TRC_TEXT_LINE_MAX);
	text[TRC_TEXT_LINE_MAX] = '\n';
	g_assert_true(trc_text_next(&rest, &line));
	g_assert_cmpuint(line.n, ==, TRC_TEXT_LINE_MAX); /* at the limit: all of it */
	g_assert_cmpuint(rest.n, ==, 2 * TRC_TEXT_LINE_MAX - 1);
	g_assert_true(trc_text_next(&rest, &line));
	g_assert_cmpuint(line.n, ==, TRC_TEXT_LINE_MAX); /* beyond it: the rest is passed over */
	g_assert_false(trc_text_next(&rest, &line));
}

/* A thread name that fits at every place costs no more than STEPS_MAX tries. */
static void test_steps(void)
{
	GString *text = g_string_new("prev_comm=");
	struct trc_text_field fields[TRC_TEXT_FIELDS_MAX];
	unsigned n;
	const char *const *forms = trc_text_forms("sched_process_exec", &n);
	gint64 begin = g_get_monotonic_time();

	for (unsigned i = 0; i < 5000; i++)
		g_string_append(text, "filename=a pid=1 ");
	for (unsigned i = 0; i < n; i++)
		g_assert_cmpint(trc_text_form_read(forms[i], (struct trc_text_part){ text->str, text->len },
					fields),
			==, -1);
	g_string_erase(text, 0, strlen("prev_comm="));
	for (unsigned i = 0; i < n; i++)
		g_assert_cmpint(trc_text_form_read(forms[i], (struct trc_text_part){ text->str, text->len },
					fields),
			==, -1);
	g_assert_cmpint(g_get_monotonic_time() - begin, <, 5 * G_USEC_PER_SEC);
	g_string_free(text, TRUE);
}

/* When the budget is used up, no name of an event is added; known names still work. */
static void test_classes(void)
{
	struct trc_budget budget = { .left = 5000 };
	struct trc_text_classes *classes = trc_text_classes_new(&budget);
	const struct trc_text_class *first = NULL;
	unsigned n = 0;

	for (unsigned i = 0; i < 100; i++) {
		g_autofree char *text = g_strdup_printf("a-1 [000] ..... 1.0: event%u: x", i);
		struct trc_text_line line;

		trc_text_line_read(part_of(text), TRC_TEXT_CONTEXT, &line);
		n += !!trc_text_classes_get(classes, &line);
		if (i == 0)
			first = trc_text_classes_get(classes, &line);
	}
	g_assert_cmpuint(n, ==, 3);
	g_assert_nonnull(budget.refused);
	g_assert_cmpstr(trc_text_class_name(first), ==, "event0");
	trc_text_classes_free(classes);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/text/heads", test_heads);
	g_test_add_func("/text/others", test_others);
	g_test_add_func("/text/fields", test_fields);
	g_test_add_func("/text/ways", test_ways);
	g_test_add_func("/text/long-lines", test_long_lines);
	g_test_add_func("/text/steps", test_steps);
	g_test_add_func("/text/classes", test_classes);
	return g_test_run();
}
