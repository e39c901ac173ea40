/* SPDX-License-Identifier: MIT */
#include "model/event/wanted.h"

#include <glib.h>

#define CPU MDL_ASKS_CPU
#define DISK MDL_ASKS_DISK
#define NET MDL_ASKS_NET
#define LOCKS MDL_ASKS_LOCKS
#define ALL MDL_ASKS_ALL
#define MORE 16 /* asked only together with all questions */

/* clang-format off */
static const struct mdl_wanted table[] = {
	{ "sched_waking", "who woke a thread, on the CPU where it happened",
	  "sched_waking", "sched:sched_waking", ALL, NULL },
	{ "sched_migrate_task", "for which CPU a thread waited",
	  "sched_migrate_task", "sched:sched_migrate_task", ALL, NULL },
	{ "irq_handler_*", "which device's interrupt ended a wait",
	  "irq_handler_entry,irq_handler_exit", "irq:irq_handler_entry,irq:irq_handler_exit", ALL, NULL },
	{ "irq_softirq_*", "whether a softirq ended a wait",
	  "irq_softirq_raise,irq_softirq_entry,irq_softirq_exit",
	  "irq:softirq_raise,irq:softirq_entry,irq:softirq_exit", ALL, NULL },
	{ "irq_softirq_raise", "which interrupt or thread started a softirq",
	  "irq_softirq_raise", "irq:softirq_raise", ALL, NULL },
	/* perf uses irq_work itself, so it cannot record it (TRACE_EVENT_PERF_PERM(),
	 * arch/x86/include/asm/trace/irq_vectors.h). */
	{ "x86_irq_vectors_*", "IPIs and local timers",
	  "x86_irq_vectors_*", "irq_vectors:local_timer_*,irq_vectors:reschedule_*,irq_vectors:call_function_*",
	  ALL, "irq_vectors:*" },
	/* Each alone, if others are recorded. (call_function_* also matches the next.) */
	{ "x86_irq_vectors_local_timer_*", "local timers",
	  "x86_irq_vectors_local_timer_*", "irq_vectors:local_timer_*", 0, NULL },
	{ "x86_irq_vectors_reschedule_*", "IPIs that wake another CPU",
	  "x86_irq_vectors_reschedule_*", "irq_vectors:reschedule_*", 0, NULL },
	{ "x86_irq_vectors_call_function_single_*", "IPIs by which one CPU calls another",
	  "x86_irq_vectors_call_function_single_*", "irq_vectors:call_function_single_*", 0, NULL },
	{ "x86_irq_vectors_call_function_*", "IPIs by which one CPU calls several",
	  "x86_irq_vectors_call_function_entry,x86_irq_vectors_call_function_exit",
	  "irq_vectors:call_function_entry,irq_vectors:call_function_exit", 0, NULL },
	{ "x86_irq_vectors_irq_work_*", "work that a CPU leaves to its own interrupt",
	  "x86_irq_vectors_irq_work_*", NULL, 0, "irq_vectors:irq_work_*" },
	{ "timer_hrtimer_expire_*", "whether a timer ended a wait",
	  "timer_hrtimer_expire_entry,timer_hrtimer_expire_exit",
	  "timer:hrtimer_expire_entry,timer:hrtimer_expire_exit", ALL, NULL },
	{ "block_rq_*", "which request to which disk a thread waited for",
	  "block_getrq,block_rq_insert,block_rq_issue,block_rq_complete",
	  "block:block_getrq,block:block_rq_insert,block:block_rq_issue,block:block_rq_complete", DISK, NULL },
	{ "block_bio_*", "who asked a disk, and requests that were merged",
	  "block_bio_queue,block_bio_frontmerge,block_bio_backmerge",
	  "block:block_bio_queue,block:block_bio_frontmerge,block:block_bio_backmerge", DISK, NULL },
	/* LTTng lacks this event. A kprobe with its name shows the CPU and context that sent IPIs. */
	{ "ipi_*", "who sent an IPI",
	  "--probe=send_call_function_single_ipi ipi_send_cpu", "ipi:*", ALL, NULL },
	{ "timer_hrtimer_start", "who armed a high-resolution timer",
	  "timer_hrtimer_start,timer_hrtimer_cancel", "timer:hrtimer_start,timer:hrtimer_cancel", ALL, NULL },
	{ "timer_expire_*", "which timer expired in the softirq TIMER",
	  "timer_expire_entry,timer_expire_exit", "timer:timer_expire_entry,timer:timer_expire_exit", ALL, NULL },
	{ "timer_start", "who armed that timer",
	  "timer_start,timer_cancel", "timer:timer_start,timer:timer_cancel", ALL, NULL },
	{ "net_if_receive_skb", "which packet ended a wait",
	  "net_if_receive_skb", "net:netif_receive_skb", NET, NULL },
	{ "net_dev_queue", "who on this host sent a packet",
	  "net_dev_queue", "net:net_dev_queue", NET, NULL },
	{ "workqueue_queue_work", "who queued work for a kworker",
	  "workqueue_queue_work", "workqueue:workqueue_queue_work", DISK | NET, NULL },
	{ "workqueue_execute_*", "which work a kworker ran",
	  "workqueue_execute_start,workqueue_execute_end",
	  "workqueue:workqueue_execute_start,workqueue:workqueue_execute_end", DISK | NET, NULL },
	{ "signal_generate", "who sent a signal",
	  "signal_generate", "signal:signal_generate", ALL, NULL },
	{ "syscall_entry_*", "in which system calls both ends of a wait were",
	  "--syscall --all", "raw_syscalls:sys_enter,raw_syscalls:sys_exit", LOCKS, NULL },
	/* raw_syscalls have the number of the call, which differs for 32-bit programs. */
	{ "syscall_entry_futex", "on which futexes threads waited",
	  "--syscall futex", "syscalls:sys_enter_futex,syscalls:sys_exit_futex", 0, NULL },
	{ "sched_process_*", "when threads began and ended",
	  "sched_process_fork,sched_process_exec,sched_process_exit,sched_process_free",
	  "sched:sched_process_fork,sched:sched_process_exec,sched:sched_process_exit,sched:sched_process_free", ALL, NULL },
	{ "sched_switch", "who ran when",
	  "sched_switch", "sched:sched_switch", ALL, NULL },
	{ "lttng_statedump_*", "names of threads, disks and interrupt lines from before the recording",
	  "lttng_statedump_*", NULL, ALL, NULL },
	{ "kvm_*", "what its virtual machines did, and who took their CPUs",
	  "kvm_*", "kvm:*", MORE, NULL },
	/* These make the answers of the rows above better. Without one nothing is missing. */
	{ NULL, NULL, "sched_wakeup,sched_wakeup_new,sched_pi_setprio",
	  "sched:sched_wakeup,sched:sched_wakeup_new,sched:sched_pi_setprio,task:task_rename", ALL, NULL },
	{ NULL, NULL, "block_bio_remap,block_rq_requeue,block_rq_merge",
	  "block:block_bio_remap,block:block_rq_requeue,block:block_rq_merge", DISK, NULL },
	{ NULL, NULL, "power_cpu_frequency", "power:cpu_frequency", CPU, NULL },
	{ NULL, NULL, "power_cpu_idle", "power:cpu_idle", MORE, NULL },
	/* Only begin and end of reclaim and compaction: they are few, because each takes long. */
	{ NULL, NULL, "mm_vmscan_direct_reclaim_*,mm_vmscan_memcg_*,mm_vmscan_node_reclaim_*,mm_compaction_begin,mm_compaction_end",
	  "vmscan:mm_vmscan_direct_reclaim_begin,vmscan:mm_vmscan_direct_reclaim_end,vmscan:mm_vmscan_memcg_reclaim_begin,vmscan:mm_vmscan_memcg_reclaim_end,vmscan:mm_vmscan_node_reclaim_begin,vmscan:mm_vmscan_node_reclaim_end,compaction:mm_compaction_begin,compaction:mm_compaction_end", DISK, NULL },
	{ NULL, NULL, "napi_poll", "napi:napi_poll", NET, NULL },
	/* The instance of ftrace copies trace_marker; perf cannot record it. */
	{ NULL, NULL, "lttng_logger", NULL, MDL_ASKS_SPANS, NULL },
	{ NULL, NULL, NULL, NULL, 0, NULL },
};
/* clang-format on */

const struct mdl_wanted *mdl_wanted_first(void)
{
	return table;
}

const struct mdl_wanted *mdl_wanted_find(const char *event)
{
	for (const struct mdl_wanted *w = table; w->lttng; w++)
		if (!g_strcmp0(w->event, event))
			return w;
	for (const struct mdl_wanted *w = table; w->lttng; w++)
		if (w->event && g_pattern_match_simple(w->event, event))
			return w;
	return NULL;
}

const struct mdl_asked *mdl_wanted_asked(void)
{
	static const struct mdl_asked asked[] = {
		{ "cpu", CPU, "which thread ran when, and who woke it", NULL },
		{ "disk", CPU | DISK, "which requests to disks threads waited for", "block_rq_*" },
		{ "net", CPU | NET, "which packets threads waited for", "net_dev_queue" },
		{ "locks", CPU | LOCKS, "in which system calls threads waited", "syscall_entry_*" },
		{ "spans", CPU | DISK | NET | MDL_ASKS_SPANS, "the phases of programs", NULL },
		{ "counters", CPU | MDL_ASKS_COUNTERS, "what threads counted, such as cycles", NULL },
		{ "on-cpu", CPU | MDL_ASKS_ON_CPU, "in which functions threads ran", NULL },
		{ "all", ALL | MDL_ASKS_SPANS | MORE, "all events", NULL },
		{ NULL, 0, NULL, NULL },
	};

	return asked;
}

unsigned mdl_wanted_question(const char *name, unsigned not_of)
{
	for (const struct mdl_asked *a = mdl_wanted_asked(); a->name; a++)
		if (g_str_equal(a->name, name) && !(a->questions & not_of))
			return a->questions;
	return 0;
}

char *mdl_wanted_names(unsigned not_of)
{
	GString *names = g_string_new(NULL);

	for (const struct mdl_asked *a = mdl_wanted_asked(); a->name; a++)
		if (!(a->questions & not_of))
			g_string_append_printf(names, "%s%s",
				!names->len         ? ""
					: a[1].name ? ", "
						    : " or ",
				a->name);
	return g_string_free(names, FALSE);
}
