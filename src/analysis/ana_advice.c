/* SPDX-License-Identifier: MIT */
#include "analysis/ana_advice.h"

#include <string.h>

/* Who records, and how its command begins.  trace-cmd has the events that perf has. */
enum recorder { LTTNG, PERF, RECORDERS };

#define BY_LTTNG "lttng enable-event -k "
#define BY_PERF "perf record -a -e "
#define BY_FTRACE "trace-cmd record -C mono"

/* By the names of mdl_table_missing(), the most useful first. */
static const struct known {
	const char *event, *why;
	const char *commands[RECORDERS]; /* NULL: it has no such event */
} known[] = {
	{ "sched_waking", "who woke a thread, on the CPU where it happened",
		{ BY_LTTNG "sched_waking", BY_PERF "sched:sched_waking" } },
	{ "sched_migrate_task", "for which CPU a thread waited",
		{ BY_LTTNG "sched_migrate_task", BY_PERF "sched:sched_migrate_task" } },
	{ "irq_handler_*", "which device's interrupt ended a wait",
		{ BY_LTTNG "irq_handler_entry,irq_handler_exit",
			BY_PERF "irq:irq_handler_entry,irq:irq_handler_exit" } },
	{ "irq_softirq_*", "whether a softirq ended a wait",
		{ BY_LTTNG "irq_softirq_raise,irq_softirq_entry,irq_softirq_exit",
			BY_PERF "irq:softirq_raise,irq:softirq_entry,irq:softirq_exit" } },
	{ "irq_softirq_raise", "which interrupt or thread started a softirq",
		{ BY_LTTNG "irq_softirq_raise", BY_PERF "irq:softirq_raise" } },
	{ "x86_irq_vectors_*", "IPIs and local timers",
		{ BY_LTTNG "'x86_irq_vectors_*'", BY_PERF "'irq_vectors:*'" } },
	{ "timer_hrtimer_expire_*", "whether a timer ended a wait",
		{ BY_LTTNG "timer_hrtimer_expire_entry,timer_hrtimer_expire_exit",
			BY_PERF "timer:hrtimer_expire_entry,timer:hrtimer_expire_exit" } },
	{ "block_rq_*", "which request to which disk a thread waited for",
		{ BY_LTTNG "block_getrq,block_rq_insert,block_rq_issue,block_rq_complete",
			BY_PERF
			"block:block_getrq,block:block_rq_insert,block:block_rq_issue,block:block_rq_complete" } },
	{ "block_bio_*", "who asked a disk, and requests that were merged",
		{ BY_LTTNG "block_bio_queue,block_bio_frontmerge,block_bio_backmerge",
			BY_PERF
			"block:block_bio_queue,block:block_bio_frontmerge,block:block_bio_backmerge" } },
	/* LTTng has no such event; a kprobe of its name shows on which CPU, and in which context, IPIs were
	   sent. */
	{ "ipi_*", "who sent an IPI",
		{ BY_LTTNG "--kprobe=send_call_function_single_ipi ipi_send_cpu", BY_PERF "'ipi:*'" } },
	{ "timer_hrtimer_start", "who armed a high-resolution timer",
		{ BY_LTTNG "timer_hrtimer_start,timer_hrtimer_cancel",
			BY_PERF "timer:hrtimer_start,timer:hrtimer_cancel" } },
	{ "timer_expire_*", "which timer expired in the softirq TIMER",
		{ BY_LTTNG "timer_expire_entry,timer_expire_exit",
			BY_PERF "timer:timer_expire_entry,timer:timer_expire_exit" } },
	{ "timer_start", "who armed that timer",
		{ BY_LTTNG "timer_start,timer_cancel", BY_PERF "timer:timer_start,timer:timer_cancel" } },
	{ "net_if_receive_skb", "which packet ended a wait",
		{ BY_LTTNG "net_if_receive_skb", BY_PERF "net:netif_receive_skb" } },
	{ "net_dev_queue", "who on this host sent a packet",
		{ BY_LTTNG "net_dev_queue", BY_PERF "net:net_dev_queue" } },
	{ "workqueue_queue_work", "who queued work for a kworker",
		{ BY_LTTNG "workqueue_queue_work", BY_PERF "workqueue:workqueue_queue_work" } },
	{ "workqueue_execute_*", "what a kworker was at",
		{ BY_LTTNG "workqueue_execute_start,workqueue_execute_end",
			BY_PERF "workqueue:workqueue_execute_start,workqueue:workqueue_execute_end" } },
	{ "signal_generate", "who sent a signal",
		{ BY_LTTNG "signal_generate", BY_PERF "signal:signal_generate" } },
	{ "syscall_entry_*", "in which system calls both ends of a wait were",
		{ BY_LTTNG "--syscall --all", BY_PERF "raw_syscalls:sys_enter,raw_syscalls:sys_exit" } },
	{ "sched_process_*", "when threads began and ended",
		{ BY_LTTNG "sched_process_fork,sched_process_exec,sched_process_exit,sched_process_free",
			BY_PERF
			"sched:sched_process_fork,sched:sched_process_exec,sched:sched_process_exit,sched:sched_process_free" } },
	{ "sched_switch", "who ran when", { BY_LTTNG "sched_switch", BY_PERF "sched:sched_switch" } },
	{ "lttng_statedump_*", "names of threads, disks and interrupt lines from before the recording",
		{ BY_LTTNG "'lttng_statedump_*'", NULL } },
};

/* By the name of a group, else the group that EVENT belongs to. */
static const struct known *find(const char *event)
{
	for (size_t i = 0; i < G_N_ELEMENTS(known); i++)
		if (g_str_equal(known[i].event, event))
			return &known[i];
	for (size_t i = 0; i < G_N_ELEMENTS(known); i++)
		if (g_pattern_match_simple(known[i].event, event))
			return &known[i];
	return NULL;
}

static bool is_ftrace(const struct qry *q, uint32_t host)
{
	return g_str_has_prefix(qry_host(q, host)->meta->tracer, "ftrace");
}

/* What perf's COMMAND records, by trace-cmd, which wants an option for each event; static. */
static const char *by_ftrace(const char *command)
{
	char **events = g_strsplit(command + strlen(BY_PERF), ",", -1);
	char *list = g_strjoinv(" -e ", events), *text = g_strconcat(BY_FTRACE " -e ", list, NULL);
	const char *kept = g_intern_string(text);

	g_free(list);
	g_free(text);
	g_strfreev(events);
	return kept;
}

static enum recorder recorder_of(const struct qry *q, uint32_t host)
{
	return is_ftrace(q, host) || g_str_has_prefix(qry_host(q, host)->meta->tracer, "perf") ? PERF : LTTNG;
}

/* That of COMMANDS which records on HOST; NULL: its tracer has no such event. */
static const char *command_of(const struct qry *q, uint32_t host, const char *const commands[RECORDERS])
{
	const char *command = commands[recorder_of(q, host)];

	return command && is_ftrace(q, host) ? by_ftrace(command) : command;
}

static bool lacks(const struct qry *q, uint32_t host, const char *group)
{
	const GPtrArray *missing = qry_host(q, host)->meta->missing_events;

	return g_ptr_array_find_with_equal_func((GPtrArray *)(uintptr_t)missing, group, g_str_equal, NULL);
}

/* Threads of HOST that run virtual CPUs, by what monitors call them, but no virtual CPU: KVM was not
 * recorded. */
static bool has_unseen_vcpus(const struct qry *q, uint32_t host)
{
	/* QEMU (-name …,debug-threads=on), Firecracker, kvmtool, crosvm, Cloud Hypervisor */
	static const char *const names[] = { "CPU */KVM", "fc_vcpu *", "kvm-vcpu-*", "crosvm_vcpu*",
		"vcpu*" };
	const struct qry_host *h = qry_host(q, host);
	bool found = false;

	for (uint32_t i = h->first_row; i < h->first_row + h->n_rows; i++) {
		const struct qry_row *r = qry_row(q, i);

		if (r->type == MDL_ROW_VCPU)
			return false;
		for (size_t k = 0; r->type == MDL_ROW_THREAD && !found && k < G_N_ELEMENTS(names); k++)
			found = g_pattern_match_simple(names[k], r->name);
	}
	return found;
}

/* HOST runs virtual CPUs, and none ever got an interrupt: these were not recorded. */
static bool has_deaf_vcpus(const struct qry *q, uint32_t host)
{
	const struct qry_host *h = qry_host(q, host);
	bool any = false;

	for (uint32_t i = h->first_row; i < h->first_row + h->n_rows; i++) {
		any |= qry_row(q, i)->type == MDL_ROW_VCPU;
		if (qry_row(q, i)->type == MDL_ROW_VCPU && qry_wakeup_count(q, i) > 0)
			return false;
	}
	return any;
}

GArray *ana_advice_new(const struct qry *q, uint32_t host)
{
	GArray *all = g_array_new(FALSE, FALSE, sizeof(struct ana_advice));

	for (size_t i = 0; i < G_N_ELEMENTS(known); i++) {
		struct ana_advice advice = { known[i].event, known[i].why,
			command_of(q, host, known[i].commands) };

		if (advice.command && lacks(q, host, known[i].event))
			g_array_append_val(all, advice);
	}
	if (has_unseen_vcpus(q, host)) {
		struct ana_advice advice = { "kvm_*",
			"what its virtual machines did, and who took their CPUs",
			ana_advice_machines(q, host) };

		g_array_append_val(all, advice);
	}
	if (has_deaf_vcpus(q, host)) {
		struct ana_advice advice = { "kvm_apic_accept_irq",
			"which interrupts its virtual machines got, from whom, and when they took them",
			recorder_of(q, host) == PERF ? BY_PERF "'kvm:*'" : BY_LTTNG "'kvm_*'" };

		g_array_append_val(all, advice);
	}
	return all;
}

const char *ana_advice_machines(const struct qry *q, uint32_t host)
{
	static const char *const commands[RECORDERS] = { BY_LTTNG "'kvm_*'", BY_PERF "'kvm:*'" };

	return command_of(q, host, commands);
}

bool ana_advice_is_missing(const struct qry *q, uint32_t host, const char *event)
{
	const struct known *k = find(event);

	return k && lacks(q, host, k->event);
}

const char *ana_advice_packets(const struct qry *q, uint32_t host)
{
	bool sent = !ana_advice_is_missing(q, host, "net_dev_queue"),
	     received = !ana_advice_is_missing(q, host, "net_if_receive_skb");

	return sent && received ? NULL
		: received      ? "net_dev_queue"
		: sent          ? "net_if_receive_skb"
				: "net_dev_queue and net_if_receive_skb";
}

const char *ana_advice_command(const struct qry *q, uint32_t host, const char *event)
{
	const struct known *k = find(event);

	return k ? command_of(q, host, k->commands) : NULL;
}

const char *ana_advice_switches(const struct qry *q, uint32_t host)
{
	static const char *const commands[RECORDERS] = { BY_LTTNG "sched_switch,sched_waking,sched_wakeup",
		BY_PERF "sched:sched_switch,sched:sched_waking,sched:sched_wakeup" };

	return lacks(q, host, "sched_switch") ? command_of(q, host, commands) : NULL;
}
