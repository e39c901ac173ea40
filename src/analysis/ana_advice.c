/* SPDX-License-Identifier: MIT */
#include "analysis/ana_advice.h"

/* By the names of mdl_table_missing(), the most useful first. */
static const struct ana_advice known[] = {
	{ "sched_waking", "who woke a thread, on the CPU where it happened", "lttng enable-event -k sched_waking" },
	{ "irq_handler_*", "which device's interrupt ended a wait", "lttng enable-event -k irq_handler_entry,irq_handler_exit" },
	{ "irq_softirq_*", "whether a softirq ended a wait",
	  "lttng enable-event -k irq_softirq_raise,irq_softirq_entry,irq_softirq_exit" },
	{ "irq_softirq_raise", "which interrupt or thread started a softirq", "lttng enable-event -k irq_softirq_raise" },
	{ "x86_irq_vectors_*", "IPIs and local timers", "lttng enable-event -k 'x86_irq_vectors_*'" },
	{ "timer_hrtimer_expire_*", "whether a timer ended a wait",
	  "lttng enable-event -k timer_hrtimer_expire_entry,timer_hrtimer_expire_exit" },
	{ "block_rq_*", "which request to which disk a thread waited for",
	  "lttng enable-event -k block_getrq,block_rq_insert,block_rq_issue,block_rq_complete" },
	{ "block_bio_*", "who asked a disk, and requests that were merged",
	  "lttng enable-event -k block_bio_queue,block_bio_frontmerge,block_bio_backmerge" },
	/* LTTng has no such event; a kprobe of its name shows on which CPU, and in which context, IPIs were sent. */
	{ "ipi_*", "who sent an IPI", "lttng enable-event -k --kprobe=send_call_function_single_ipi ipi_send_cpu" },
	{ "timer_hrtimer_start", "who armed a high-resolution timer", "lttng enable-event -k timer_hrtimer_start,timer_hrtimer_cancel" },
	{ "timer_expire_*", "which timer expired in the softirq TIMER", "lttng enable-event -k timer_expire_entry,timer_expire_exit" },
	{ "timer_start", "who armed that timer", "lttng enable-event -k timer_start,timer_cancel" },
	{ "net_if_receive_skb", "which packet ended a wait", "lttng enable-event -k net_if_receive_skb" },
	{ "net_dev_queue", "who on this host sent a packet", "lttng enable-event -k net_dev_queue" },
	{ "workqueue_queue_work", "who queued work for a kworker", "lttng enable-event -k workqueue_queue_work" },
	{ "workqueue_execute_*", "what a kworker was at", "lttng enable-event -k workqueue_execute_start,workqueue_execute_end" },
	{ "signal_generate", "who sent a signal", "lttng enable-event -k signal_generate" },
	{ "syscall_entry_*", "in which system calls both ends of a wait were", "lttng enable-event -k --syscall --all" },
	{ "sched_process_*", "when threads began and ended",
	  "lttng enable-event -k sched_process_fork,sched_process_exec,sched_process_exit,sched_process_free" },
	{ "sched_switch", "who ran when", "lttng enable-event -k sched_switch" },
	{ "lttng_statedump_*", "names of threads, disks and interrupt lines from before the recording",
	  "lttng enable-event -k 'lttng_statedump_*'" },
};

/* By the name of a group, else the group that EVENT belongs to. */
static const struct ana_advice *find(const char *event)
{
	for (size_t i = 0; i < G_N_ELEMENTS(known); i++)
		if (g_str_equal(known[i].event, event))
			return &known[i];
	for (size_t i = 0; i < G_N_ELEMENTS(known); i++)
		if (g_pattern_match_simple(known[i].event, event))
			return &known[i];
	return NULL;
}

static bool lacks(const struct qry *q, uint32_t host, const char *group)
{
	const GPtrArray *missing = qry_host(q, host)->meta->missing_events;

	return g_ptr_array_find_with_equal_func((GPtrArray *)(uintptr_t)missing, group, g_str_equal, NULL);
}

GArray *ana_advice_new(const struct qry *q, uint32_t host)
{
	GArray *advice = g_array_new(FALSE, FALSE, sizeof(struct ana_advice));

	for (size_t i = 0; i < G_N_ELEMENTS(known); i++)
		if (lacks(q, host, known[i].event))
			g_array_append_val(advice, known[i]);
	return advice;
}

bool ana_advice_is_missing(const struct qry *q, uint32_t host, const char *event)
{
	const struct ana_advice *advice = find(event);

	return advice && lacks(q, host, advice->event);
}

const char *ana_advice_packets(const struct qry *q, uint32_t host)
{
	bool sent = !ana_advice_is_missing(q, host, "net_dev_queue"), received = !ana_advice_is_missing(q, host, "net_if_receive_skb");

	return sent && received ? NULL : received ? "net_dev_queue" : sent ? "net_if_receive_skb" : "net_dev_queue and net_if_receive_skb";
}

const char *ana_advice_command(const char *event)
{
	const struct ana_advice *advice = find(event);

	return advice ? advice->command : NULL;
}
