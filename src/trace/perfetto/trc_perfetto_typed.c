/* SPDX-License-Identifier: MIT */
/* Events of the kernel with a message of Perfetto (protos/perfetto/trace/ftrace) that servers have. */
#include "trace/perfetto/trc_perfetto.h"

#include <string.h>

/*
 * The fields of typed events, from number 1 on, as "name/kind": i signed, u unsigned, s text, p pointer, d
 * device in the form of stat(), a arguments of a system call, x a number of unknown meaning.
 */
static const struct trc_perfetto_typed typed[] = {
#define WAKE "comm/s pid/i prio/i success/i target_cpu/i"
#define BIO "dev/d sector/u nr_sector/u rwbs/s comm/s"
#define RQ "dev/d sector/u nr_sector/u bytes/u rwbs/s comm/s cmd/s"
#define RQ_END "dev/d sector/u nr_sector/u errors/i rwbs/s cmd/s"
	{ 3, "ftrace:print", "ip/p buf/s" },
	{ TRC_PERFETTO_SWITCH, "sched:sched_switch",
		"prev_comm/s prev_pid/i prev_prio/i prev_state/i next_comm/s next_pid/i next_prio/i" },
	{ 11, "power:cpu_frequency", "state/u cpu_id/u" },
	{ 12, "power:cpu_frequency_limits", "min_freq/u max_freq/u cpu_id/u" },
	{ 13, "power:cpu_idle", "state/u cpu_id/u" },
	{ 17, "sched:sched_wakeup", WAKE },
	{ 18, "sched:sched_blocked_reason", "pid/i caller/p io_wait/u" },
	{ 19, "sched:sched_cpu_hotplug", "affected_cpu/i error/i status/i" },
	{ TRC_PERFETTO_WAKING, "sched:sched_waking", WAKE },
	{ 21, "ipi:ipi_entry", "reason/s" },
	{ 22, "ipi:ipi_exit", "reason/s" },
	{ 23, "ipi:ipi_raise", "target_cpus/x reason/s" },
	{ 24, "irq:softirq_entry", "vec/u" },
	{ 25, "irq:softirq_exit", "vec/u" },
	{ 26, "irq:softirq_raise", "vec/u" },
	{ 36, "irq:irq_handler_entry", "irq/i name/s handler/x" },
	{ 37, "irq:irq_handler_exit", "irq/i ret/i" },
	{ 45, "block:block_rq_issue", RQ },
	{ 46, "vmscan:mm_vmscan_direct_reclaim_begin", "" },
	{ 47, "vmscan:mm_vmscan_direct_reclaim_end", "" },
	{ 56, "workqueue:workqueue_activate_work", "work/p function/p" },
	{ 57, "workqueue:workqueue_execute_end", "work/p function/p" },
	{ 58, "workqueue:workqueue_execute_start", "work/p function/p" },
	{ 59, "workqueue:workqueue_queue_work", "work/p function/p workqueue/p req_cpu/i cpu/i" },
	{ 113, "power:suspend_resume", "action/s val/i start/u" },
	{ 114, "sched:sched_wakeup_new", WAKE },
	{ 115, "block:block_bio_backmerge", BIO },
	{ 116, "block:block_bio_bounce", BIO },
	{ 117, "block:block_bio_complete", "dev/d sector/u nr_sector/u error/i rwbs/s" },
	{ 118, "block:block_bio_frontmerge", BIO },
	{ 119, "block:block_bio_queue", BIO },
	{ 120, "block:block_bio_remap", "dev/d sector/u nr_sector/u old_dev/d old_sector/u rwbs/s" },
	{ 121, "block:block_dirty_buffer", "dev/d sector/u size/u" },
	{ 122, "block:block_getrq", BIO },
	{ 123, "block:block_plug", "comm/s" },
	{ 125, "block:block_rq_complete", RQ_END " error/i" },
	{ 126, "block:block_rq_insert", RQ },
	{ 128, "block:block_rq_remap", "dev/d sector/u nr_sector/u old_dev/d old_sector/u nr_bios/u rwbs/s" },
	{ 129, "block:block_rq_requeue", RQ_END },
	{ 131, "block:block_split", "dev/d sector/u new_sector/u rwbs/s comm/s" },
	{ 132, "block:block_touch_buffer", "dev/d sector/u size/u" },
	{ 133, "block:block_unplug", "nr_rq/i comm/s" },
	{ TRC_PERFETTO_NEWTASK, "task:task_newtask", "pid/i comm/s clone_flags/u oom_score_adj/i" },
	{ 236, "task:task_rename", "pid/i oldcomm/s newcomm/s oom_score_adj/i" },
	{ 237, "sched:sched_process_exec", "filename/s pid/i old_pid/i" },
	{ 238, "sched:sched_process_exit", "comm/s pid/i tgid/i prio/i" },
	{ TRC_PERFETTO_FORK, "sched:sched_process_fork",
		"parent_comm/s parent_pid/i child_comm/s child_pid/i" },
	{ 240, "sched:sched_process_free", "comm/s pid/i prio/i" },
	{ 241, "sched:sched_process_hang", "comm/s pid/i" },
	{ 242, "sched:sched_process_wait", "comm/s pid/i prio/i" },
	{ 324, "signal:signal_deliver", "code/i sa_flags/u sig/i" },
	{ 325, "signal:signal_generate", "code/i comm/s group/i pid/i result/i sig/i" },
	{ 326, "oom:oom_score_adj_update", "" },
	{ 329, "raw_syscalls:sys_enter", "id/i args/a" },
	{ 330, "raw_syscalls:sys_exit", "id/i ret/i" },
	{ 343, "cpuhp:cpuhp_exit", "cpu/u idx/i ret/i state/i" },
	{ 344, "cpuhp:cpuhp_multi_enter", "cpu/u fun/p idx/i target/i" },
	{ 345, "cpuhp:cpuhp_enter", "cpu/u fun/p idx/i target/i" },
	{ 346, "cpuhp:cpuhp_latency", "cpu/u ret/i state/u time/u" },
	{ 352, "cpuhp:cpuhp_pause", "active_cpus/u cpus/u pause/u time/u" },
	{ 353, "sched:sched_pi_setprio", "comm/s newprio/i oldprio/i pid/i" },
	{ 360, "net:netif_receive_skb", "len/u name/s skbaddr/p" },
	{ 361, "net:net_dev_xmit", "" },
	{ 367, "skb:kfree_skb", "location/p protocol/u skbaddr/p" },
	{ 369, "kvm:kvm_ack_irq", "irqchip/u pin/u" },
	{ 376, "kvm:kvm_entry", "vcpu_pc/u" },
	{ 377, "kvm:kvm_exit", "esr_ec/u ret/i vcpu_pc/u" },
	{ 383, "kvm:kvm_irq_line", "irq_num/i level/i type/u vcpu_idx/i" },
	{ 387, "kvm:kvm_set_irq", "gsi/u irq_source_id/i level/i" },
	{ 399, "kvm:kvm_userspace_exit", "reason/u" },
	{ 400, "kvm:kvm_vcpu_wakeup", "ns/u valid/u waited/u" },
	{ 403, "kvm:vgic_update_irq_pending", "irq/u level/u vcpu_id/u" },
	{ 404, "power:wakeup_source_activate", "name/s state/u" },
	{ 405, "power:wakeup_source_deactivate", "name/s state/u" },
	{ 491, "sched:sched_migrate_task", "comm/s pid/i prio/i orig_cpu/i dest_cpu/i running/i load/u" },
	{ 551, "timer:hrtimer_start", "hrtimer/p function/p expires/i softexpires/i mode/u" },
	{ 552, "timer:hrtimer_cancel", "hrtimer/p" },
	{ 553, "timer:hrtimer_expire_entry", "hrtimer/p now/i function/p" },
	{ 554, "timer:hrtimer_expire_exit", "hrtimer/p" },
	{ 555, "timer:timer_start", "timer/p function/p expires/u now/u deferrable/u flags/u" },
	{ 556, "timer:timer_cancel", "timer/p" },
	{ 557, "timer:timer_expire_entry", "timer/p now/u function/p baseclk/u" },
	{ 558, "timer:timer_expire_exit", "timer/p" },
	{ 559, "irq_vectors:local_timer_entry", "vector/i" },
	{ 560, "irq_vectors:local_timer_exit", "vector/i" },
};

/* Interrupts of "irq_vectors" on every x86 (arch/x86/include/asm/trace/irq_vectors.h); others are rare. */
static const char *const vectors[] = { "local_timer", "reschedule", "call_function", "call_function_single",
	"irq_work" };

const struct trc_perfetto_typed *trc_perfetto_typed_find(unsigned number)
{
	for (size_t i = 0; i < G_N_ELEMENTS(typed); i++)
		if (typed[i].number == number)
			return &typed[i];
	return NULL;
}

/* Names of vectors have no group here. With it they would be perf's, which cannot record irq_work
 * (model/kernel/coverage.c). */
char *trc_perfetto_typed_name(const char *group, const char *name)
{
	if (!*group && (g_str_has_prefix(name, "sys_enter_") || g_str_has_prefix(name, "sys_exit_")))
		group = "syscalls";
	return *group && !g_str_equal(group, "irq_vectors") ? g_strconcat(group, ":", name, NULL)
							    : g_strdup(name);
}

/* ---- events that the configuration names ---- */

/*
 * True if the kernel of a MACHINE (uname -m; NULL: unknown) may write the event NAME of GROUP. Since Linux
 * 6.4 all kernels declare the events of IPIs, but only arm and arm64 write them (do_handle_IPI(),
 * arch/arm64/kernel/smp.c).
 */
static bool may_write(const char *group, const char *name, const char *machine)
{
	bool arm = machine && (g_str_has_prefix(machine, "arm") || g_str_has_prefix(machine, "aarch64"));

	if (g_str_equal(group, "ipi") && !g_str_has_prefix(name, "ipi_send"))
		return arm;
	return !g_str_equal(group, "irq_vectors") ||
		(machine && (g_str_has_prefix(machine, "x86") || machine[0] == 'i'));
}

void trc_perfetto_typed_asked(const char *pattern, const char *machine, trc_perfetto_typed_func func,
	void *data)
{
	const char *slash = strchr(pattern, '/');
	g_autofree char *group = slash ? g_strndup(pattern, (gsize)(slash - pattern)) : g_strdup("");
	const char *name = slash ? slash + 1 : pattern;
	bool all = g_str_equal(name, "*");

	if (!all && slash) {
		g_autofree char *full = trc_perfetto_typed_name(group, name);

		if (may_write(group, name, machine))
			func(data, full);
		return;
	}
	for (size_t i = 0; i < G_N_ELEMENTS(typed); i++) {
		g_auto(GStrv) words = g_strsplit(typed[i].name, ":", 2);
		g_autofree char *full = trc_perfetto_typed_name(words[0], words[1]);

		if ((all ? !slash || g_str_equal(words[0], group) : g_str_equal(words[1], name)) &&
			may_write(words[0], words[1], machine))
			func(data, full);
	}
	all &= g_str_equal(group, "irq_vectors") && may_write(group, name, machine);
	for (size_t i = 0; all && i < G_N_ELEMENTS(vectors); i++) {
		g_autofree char *entry = g_strconcat(vectors[i], "_entry", NULL),
				*exit = g_strconcat(vectors[i], "_exit", NULL);

		func(data, entry);
		func(data, exit);
	}
	if (!slash && !g_str_equal(name, "*"))
		func(data, name);
}
