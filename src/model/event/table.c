/* SPDX-License-Identifier: MIT */
/*
 * The table of events: the names that tracers give them, and the places of their fields.
 *
 * Each row has a name as the tracer writes it; a new event is one line.
 *
 *   - A '*' in a name is the label: "syscall_entry_*" makes "openat" the label of syscall_entry_openat. Rows
 *     are tried from the top, so a specific row comes before a general one ("sys_*" comes last).
 *   - perf writes "subsystem:event". A name with a subsystem is first looked up whole, then without the
 *     subsystem. The second look-up uses only rows without '*', so that "sys_*" (LTTng 2.0 to 2.3) matches
 *     only system calls.
 *   - Alternatives of a field are in order of trust: the first one in the trace is used. perf calls the TID
 *     "pid". If a field name means something else there ("child_pid" of a fork), perf has a row of its own.
 *
 * History of the names: LTTng 2.0 to 2.3 had softirq_entry, hrtimer_expire_entry, sys_open with exit_syscall;
 * compat_sys_… are calls of 32-bit programs. Since 2.4 they are irq_softirq_entry,
 * timer_hrtimer_expire_entry, syscall_entry_open and syscall_exit_open, compat_syscall_entry_….
 */
#include "model/event/table.h"

#include "base/base_search.h"

#include <string.h>

struct row {
	const char *name;
	enum mdl_kind kind;
	const char *args[MDL_ARGS];
	const char *texts[MDL_TEXTS];
	const char *label; /* if the name has no '*' */
};

/* clang-format off */
#define WAKE_FIELDS { "tid|pid", "target_cpu", "common_pid", "success" }, { "comm" }
#define VECTOR(name)								\
	{ name "_entry", MDL_EV_VECTOR_ENTRY, { "vector" }, { NULL }, name },	\
	{ name "_exit", MDL_EV_VECTOR_EXIT, { "vector" }, { NULL }, name }
#define FUTEX(name) { name, MDL_EV_SYSCALL_ENTRY, { "uaddr", "op", "uaddr2" }, { NULL }, "futex" }
/* Their entries count as exits: mdl_event_returns(). */
#define SIGRETURN(prefix)									\
	{ prefix "rt_sigreturn", MDL_EV_SYSCALL_EXIT, { NULL }, { NULL }, "rt_sigreturn" },	\
	{ prefix "sigreturn", MDL_EV_SYSCALL_EXIT, { NULL }, { NULL }, "sigreturn" }
#define UNNAMED_CALL(name) { name, MDL_EV_SYSCALL_ENTRY, { [MDL_CALL_NR] = "id" }, { NULL }, "unknown" }
#define BLOCK_FIELDS { "dev", "sector", "nr_sector", "rwbs", "bytes" }, { "rwbs" }
#define ACCEPT_FIELDS { "vec", "apicid", "dm" }, { NULL }
/* KVM's events as LTTng names them on x86, as ftrace does, and perf. */
#define KVM_X86(name, kind, ...)				\
	{ "kvm_x86_" name, kind, __VA_ARGS__ },			\
	{ "kvm_" name, kind, __VA_ARGS__ },			\
	{ "kvm:kvm_" name, kind, __VA_ARGS__ }
#define HRTIMER_FIELDS { "hrtimer", "function", "expires", "softexpires" }, { NULL }
#define HRTIMER(verb, kind)						\
	{ "timer_hrtimer_" verb, kind, HRTIMER_FIELDS, NULL },		\
	{ "hrtimer_" verb, kind, HRTIMER_FIELDS, NULL }

static const struct row table[] = {
	{ "sched_switch", MDL_EV_SCHED_SWITCH,
	  { "prev_tid|prev_pid", "prev_state", "next_tid|next_pid", "prev_prio", "next_prio", "prev_pid",
	    "perf_pid" },
	  { "prev_comm", "next_comm" }, NULL },
	{ "PERF_RECORD_SWITCH", MDL_EV_SCHED_SWITCH, { NULL }, { NULL }, NULL },
	{ "PERF_RECORD_SWITCH_CPU_WIDE", MDL_EV_SCHED_SWITCH, { NULL }, { NULL }, NULL },
	{ "sched_waking", MDL_EV_SCHED_WAKING, WAKE_FIELDS, NULL },
	{ "sched_wakeup", MDL_EV_SCHED_WAKEUP, WAKE_FIELDS, NULL },
	{ "sched_wakeup_new", MDL_EV_SCHED_WAKEUP_NEW, WAKE_FIELDS, NULL },
	{ "sched_migrate_task", MDL_EV_SCHED_MIGRATE, { "tid|pid", "dest_cpu" }, { "comm" }, NULL },
	{ "sched_pi_setprio", MDL_EV_PI_SETPRIO, { "tid|pid", "oldprio", "newprio", "pid" }, { NULL }, NULL },
	{ "cgroup_attach_task", MDL_EV_CGROUP, { "pid", "dst_root" }, { "dst_path" }, NULL },
	{ "cgroup_transfer_tasks", MDL_EV_CGROUP, { "pid", "dst_root" }, { "dst_path" }, "thread" },
	{ "task_rename", MDL_EV_SCHED_RENAME, { "tid|pid" }, { "newcomm" }, NULL },

	{ "sched:sched_process_fork", MDL_EV_FORK,
	  { "parent_pid", NULL, "child_pid", NULL }, { "parent_comm", "child_comm" }, NULL },
	{ "sched_process_fork", MDL_EV_FORK,
	  { "parent_tid", "parent_pid", "child_tid", "child_pid" }, { "parent_comm", "child_comm" }, NULL },
	{ "sched_process_exec", MDL_EV_EXEC, { "tid|pid", "old_tid|old_pid" }, { "filename" }, NULL },
	{ "sched_process_exit", MDL_EV_EXIT, { "tid|pid" }, { "comm" }, NULL },
	{ "sched_process_free", MDL_EV_FREE, { "tid|pid" }, { "comm" }, NULL },

	{ "irq_handler_entry", MDL_EV_IRQ_ENTRY, { "irq" }, { "name" }, NULL },
	{ "irq_handler_exit", MDL_EV_IRQ_EXIT, { "irq", "ret" }, { NULL }, NULL },
	{ "irq_softirq_entry", MDL_EV_SOFTIRQ_ENTRY, { "vec" }, { NULL }, NULL },
	{ "irq_softirq_exit", MDL_EV_SOFTIRQ_EXIT, { "vec" }, { NULL }, NULL },
	{ "softirq_entry", MDL_EV_SOFTIRQ_ENTRY, { "vec" }, { NULL }, NULL },
	{ "softirq_exit", MDL_EV_SOFTIRQ_EXIT, { "vec" }, { NULL }, NULL },
	{ "irq_softirq_raise", MDL_EV_SOFTIRQ_RAISE, { "vec" }, { NULL }, NULL },
	{ "softirq_raise", MDL_EV_SOFTIRQ_RAISE, { "vec" }, { NULL }, NULL },
	{ "timer_hrtimer_expire_entry", MDL_EV_HRTIMER_ENTRY, { "function", "hrtimer", "now" },
	  { NULL }, NULL },
	{ "timer_hrtimer_expire_exit", MDL_EV_HRTIMER_EXIT, { NULL }, { NULL }, NULL },
	{ "hrtimer_expire_entry", MDL_EV_HRTIMER_ENTRY, { "function", "hrtimer", "now" }, { NULL }, NULL },
	{ "hrtimer_expire_exit", MDL_EV_HRTIMER_EXIT, { NULL }, { NULL }, NULL },
	HRTIMER("start", MDL_EV_HRTIMER_START),
	HRTIMER("cancel", MDL_EV_TIMER_CANCEL),
	HRTIMER("init", MDL_EV_TIMER_CANCEL),
	HRTIMER("setup", MDL_EV_TIMER_CANCEL),	/* its name since Linux 6.15 */
	{ "timer_start", MDL_EV_TIMER_START,
	  { "timer", "function", "expires", "bucket_expiry", "now", "flags" },
	  { NULL }, NULL },
	{ "timer_cancel", MDL_EV_TIMER_CANCEL, { "timer" }, { NULL }, NULL },
	{ "timer_init", MDL_EV_TIMER_CANCEL, { "timer" }, { NULL }, NULL },
	{ "timer_expire_entry", MDL_EV_TIMER_ENTRY, { "timer", "function", NULL, "baseclk", "now" },
	  { NULL }, NULL },
	{ "timer_expire_exit", MDL_EV_TIMER_EXIT, { "timer" }, { NULL }, NULL },

	{ "workqueue_queue_work", MDL_EV_WORK_QUEUE, { "work", "function", "req_cpu" }, { NULL }, NULL },
	{ "workqueue_execute_start", MDL_EV_WORK_START, { "work", "function" }, { NULL }, NULL },
	{ "workqueue_execute_end", MDL_EV_WORK_END, { "work" }, { NULL }, NULL },
	{ "signal_generate", MDL_EV_SIGNAL, { "sig", "pid", "result", "code", "group" }, { NULL }, NULL },
	{ "net_dev_queue", MDL_EV_NET_QUEUE, { "skbaddr", "len" }, { "name" }, NULL },
	{ "net_if_receive_skb", MDL_EV_NET_RECEIVE, { "skbaddr", "len" }, { "name" }, NULL },
	{ "netif_receive_skb", MDL_EV_NET_RECEIVE, { "skbaddr", "len" }, { "name" }, NULL },
	{ "napi_poll", MDL_EV_NAPI_POLL, { NULL }, { NULL }, NULL },
	{ "inet_sock_local_out", MDL_EV_NET_QUEUE, { NULL },
	  { NULL }, NULL },	/* addons of LTTng 2.0: TCP's numbers alone (trc_net.c) */
	{ "inet_sock_local_in", MDL_EV_NET_RECEIVE, { NULL }, { NULL }, NULL },

	{ "x86_irq_vectors_*_entry", MDL_EV_VECTOR_ENTRY, { "vector" }, { NULL }, NULL },
	{ "x86_irq_vectors_*_exit", MDL_EV_VECTOR_EXIT, { "vector" }, { NULL }, NULL },
	{ "irq_vectors_*_entry", MDL_EV_VECTOR_ENTRY, { "vector" }, { NULL }, NULL },
	{ "irq_vectors_*_exit", MDL_EV_VECTOR_EXIT, { "vector" }, { NULL }, NULL },
	{ "irq_vectors:*_entry", MDL_EV_VECTOR_ENTRY, { "vector" }, { NULL }, NULL },
	{ "irq_vectors:*_exit", MDL_EV_VECTOR_EXIT, { "vector" }, { NULL }, NULL },
	VECTOR("local_timer"),
	VECTOR("reschedule"),
	VECTOR("call_function"),
	VECTOR("call_function_single"),
	VECTOR("irq_work"),
	VECTOR("x86_platform_ipi"),
	VECTOR("spurious_apic"),
	VECTOR("error_apic"),
	VECTOR("threshold_apic"),
	VECTOR("deferred_error_apic"),
	VECTOR("thermal_apic"),
	{ "ipi_entry", MDL_EV_IPI_ENTRY, { NULL }, { "reason" }, NULL },
	{ "ipi_exit", MDL_EV_IPI_EXIT, { NULL }, { "reason" }, NULL },
	{ "ipi_send_cpu", MDL_EV_IPI_SEND, { "cpu", NULL, "callsite" }, { NULL }, NULL },
	{ "ipi_send_cpumask", MDL_EV_IPI_SEND, { NULL, "cpumask", "callsite" }, { NULL }, NULL },
	{ "csd_queue_cpu", MDL_EV_CSD_QUEUE, { "csd", "cpu" }, { NULL }, NULL },
	{ "csd_function_entry", MDL_EV_CSD_ENTRY, { "csd" }, { NULL }, NULL },
	{ "csd_function_exit", MDL_EV_CSD_EXIT, { "csd" }, { NULL }, NULL },
	{ "ipi_raise", MDL_EV_IPI_SEND, { NULL, "target_cpus" }, { "reason" }, NULL },

	{ "block_bio_queue", MDL_EV_BIO_QUEUE, BLOCK_FIELDS, NULL },
	{ "block_bio_frontmerge", MDL_EV_BIO_MERGE_FRONT, BLOCK_FIELDS, NULL },
	{ "block_bio_backmerge", MDL_EV_BIO_MERGE, BLOCK_FIELDS, NULL },
	{ "block_bio_remap", MDL_EV_BIO_REMAP,
	  { "dev", "sector", "nr_sector", "rwbs", "old_dev", "old_sector" },
	  { "rwbs" }, NULL },
	{ "block_getrq", MDL_EV_RQ_GET, BLOCK_FIELDS, NULL },
	{ "block_rq_insert", MDL_EV_RQ_INSERT, BLOCK_FIELDS, NULL },
	{ "block_rq_issue", MDL_EV_RQ_ISSUE, BLOCK_FIELDS, NULL },
	{ "block_rq_requeue", MDL_EV_RQ_REQUEUE, BLOCK_FIELDS, NULL },
	{ "block_rq_merge", MDL_EV_RQ_MERGE, BLOCK_FIELDS, NULL },
	{ "block_rq_complete", MDL_EV_RQ_COMPLETE, BLOCK_FIELDS, NULL },

	KVM_X86("entry", MDL_EV_VCPU_ENTRY, { NULL, NULL, NULL, "vcpu_id" }, { NULL }, NULL),
	KVM_X86("exit", MDL_EV_VCPU_EXIT, { "exit_reason|ret", "isa", "esr_ec", "vcpu_id" }, { NULL }, NULL),
	KVM_X86("write_tsc_offset", MDL_EV_VCPU_TSC, { "previous_tsc_offset", "next_tsc_offset" }, { NULL },
		NULL),
	KVM_X86("msi_set_irq", MDL_EV_VIRQ_BY, { "data" }, { NULL }, "msi"),
	KVM_X86("ioapic_set_irq", MDL_EV_VIRQ_BY, { "e" }, { NULL }, "ioapic"),
	KVM_X86("set_irq", MDL_EV_VIRQ_BY, { NULL, NULL, NULL, "level" }, { NULL }, "line"),
	KVM_X86("apic_ipi", MDL_EV_VIRQ_BY, { "icr_low|icrl" }, { NULL }, "ipi"),
	KVM_X86("apic_accept_irq", MDL_EV_VIRQ_POST, ACCEPT_FIELDS, NULL),
	KVM_X86("apicv_accept_irq", MDL_EV_VIRQ_DIRECT, ACCEPT_FIELDS, NULL),
	KVM_X86("inj_virq", MDL_EV_VIRQ_INJECT, { "vector|irq", NULL, NULL, "reinjected" }, { NULL }, NULL),
	KVM_X86("eoi", MDL_EV_VIRQ_END, { "vector", "apicid" }, { NULL }, NULL),
	{ "vgic_update_irq_pending", MDL_EV_VIRQ_POST,
	  { "irq|irq_num", "vcpu_id|cpuid", NULL, "level" }, { NULL }, NULL },
	{ "kvm:vgic_update_irq_pending", MDL_EV_VIRQ_POST,
	  { "irq|irq_num", "vcpu_id|cpuid", NULL, "level" }, { NULL }, NULL },
	{ "kvm_*", MDL_EV_KVM, { NULL }, { NULL }, NULL },
	{ "kvm:*", MDL_EV_KVM, { NULL }, { NULL }, NULL },

	{ "lttng_statedump_process_state", MDL_EV_DUMP_PROCESS,
	  { "tid", "pid", "ppid", "status", "type", "cpu" }, { "name" }, NULL },
	{ "lttng_statedump_interrupt", MDL_EV_DUMP_IRQ, { "irq" }, { "name", "action" }, NULL },
	{ "lttng_statedump_block_device", MDL_EV_DUMP_BLOCK, { "dev" }, { "diskname" }, NULL },
	{ "power:suspend_resume", MDL_EV_SUSPEND, { "start", "val" }, { "action" }, NULL },
	{ "power_cpu_idle", MDL_EV_CPU_IDLE, { "state", "cpu_id" }, { NULL }, NULL },
	{ "cpu_idle", MDL_EV_CPU_IDLE, { "state", "cpu_id" }, { NULL }, NULL },
	{ "cpuhp:cpuhp_enter", MDL_EV_HOTPLUG_ENTER, { "cpu", "idx", "target", "fun" }, { NULL }, NULL },
	{ "cpuhp:cpuhp_multi_enter", MDL_EV_HOTPLUG_ENTER, { "cpu", "idx", "target", "fun" }, { NULL }, NULL },
	{ "cpuhp:cpuhp_exit", MDL_EV_HOTPLUG_EXIT, { "cpu", "idx", NULL, NULL, "ret" }, { NULL }, NULL },
	{ "lttng_statedump_cpu_topology", MDL_EV_DUMP_CPU, { "cpu_id", "family" }, { NULL }, NULL },
	{ "lttng_statedump_end", MDL_EV_DUMP_END, { NULL }, { NULL }, NULL },

	FUTEX("syscall_entry_futex"),
	FUTEX("sys_futex"),
	FUTEX("syscalls:sys_enter_futex"),
	FUTEX("compat_syscall_entry_futex"),
	SIGRETURN("syscalls:sys_enter_"),
	SIGRETURN("syscall_entry_"),
	SIGRETURN("compat_syscall_entry_"),
	SIGRETURN("sys_"),
	SIGRETURN("compat_sys_"),
	UNNAMED_CALL("syscall_entry_unknown"),
	UNNAMED_CALL("compat_syscall_entry_unknown"),
	UNNAMED_CALL("sys_unknown"),
	UNNAMED_CALL("compat_sys_unknown"),
	{ "raw_syscalls:sys_enter", MDL_EV_SYSCALL_ENTRY,
	  { [MDL_CALL_RAW] = "id", [MDL_CALL_WIDTH] = "args" }, { NULL }, NULL },
	{ "raw_syscalls:sys_exit", MDL_EV_SYSCALL_EXIT, { NULL }, { NULL }, NULL },
	{ "syscalls:sys_enter_*", MDL_EV_SYSCALL_ENTRY, { NULL }, { NULL }, NULL },
	{ "syscalls:sys_exit_*", MDL_EV_SYSCALL_EXIT, { NULL }, { NULL }, NULL },
	{ "syscall_entry_*", MDL_EV_SYSCALL_ENTRY, { NULL }, { NULL }, NULL },
	{ "syscall_exit_*", MDL_EV_SYSCALL_EXIT, { NULL }, { NULL }, NULL },
	{ "compat_syscall_entry_*", MDL_EV_SYSCALL_ENTRY, { NULL }, { NULL }, NULL },
	{ "compat_syscall_exit_*", MDL_EV_SYSCALL_EXIT, { NULL }, { NULL }, NULL },
	{ "exit_syscall", MDL_EV_SYSCALL_EXIT, { NULL }, { NULL }, NULL },
	{ "compat_sys_*", MDL_EV_SYSCALL_ENTRY, { NULL }, { NULL }, NULL },
	{ "sys_*", MDL_EV_SYSCALL_ENTRY, { NULL }, { NULL }, NULL },
};
/* clang-format on */

/* True if NAME matches PATTERN "before*after". *LABEL is then the interned, non-empty text of the '*'. */
static bool match_pattern(const char *pattern, const char *star, const char *name, const char **label)
{
	size_t before = (size_t)(star - pattern), after = strlen(star + 1), length = strlen(name);
	g_autofree char *text = NULL;

	if (length <= before + after || strncmp(name, pattern, before) != 0 ||
		strcmp(name + length - after, star + 1) != 0)
		return false;
	text = g_strndup(name + before, length - before - after);
	*label = g_intern_string(text);
	return true;
}

/* Find NAME in the table. WILD: also in rows with '*'. */
static bool table_find_row(const char *name, bool wild, struct mdl_mapping *mapping)
{
	size_t i;

	for (i = 0; i < G_N_ELEMENTS(table); i++) {
		const struct row *row = &table[i];
		const char *star, *label = row->label;

		if (row->name[0] != name[0]) /* no row begins with '*' */
			continue;
		star = strchr(row->name, '*');
		if (star ? !wild || !match_pattern(row->name, star, name, &label)
			 : strcmp(row->name, name) != 0)
			continue;
		mapping->kind = row->kind;
		mapping->label = label ? g_intern_string(label) : NULL;
		memcpy(mapping->arg_fields, row->args, sizeof(mapping->arg_fields));
		memcpy(mapping->text_fields, row->texts, sizeof(mapping->text_fields));
		return true;
	}
	return false;
}

bool mdl_table_find(const char *name, struct mdl_mapping *mapping)
{
	const char *colon = strchr(name, ':');

	memset(mapping, 0, sizeof(*mapping));
	return table_find_row(name, true, mapping) || (colon && table_find_row(colon + 1, false, mapping));
}

bool mdl_table_field_is(const char *list, const char *field)
{
	size_t length = strlen(field);

	while (list) {
		if (!strncmp(list, field, length) && (list[length] == '|' || list[length] == '\0'))
			return length > 0;
		list = strchr(list, '|');
		if (list)
			list++;
	}
	return false;
}

/*
 * A stack is written together with its event (__ftrace_trace_stack(), ftrace_trace_userstack(),
 * kernel/trace/trace.c), the others in probes of sched_switch (thread_exit(), kernel/trace/trace_osnoise.c;
 * tracing_sched_switch_trace(), kernel/trace/trace_sched_wakeup.c; proofs.md R25.10).
 */
bool mdl_table_is_part(const char *name)
{
	static const char *const names[] = { "ftrace:kernel_stack", "ftrace:user_stack",
		"ftrace:context_switch", "osnoise:thread_noise" };

	for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
		if (g_str_equal(name, names[i]))
			return true;
	return false;
}

/*
 * LTTng makes an event for calls without a name if all calls are recorded, never for some
 * (lttng_create_syscall_event_if_missing(), lttng_syscalls_register() in lttng-syscalls.c of lttng-modules).
 * raw_syscalls of perf has all calls.
 */
bool mdl_table_has_all_calls(GHashTable *seen)
{
	static const char *const of_all[] = { "syscall_entry_unknown", "sys_unknown",
		"raw_syscalls:sys_enter" };
	size_t i;

	for (i = 0; i < G_N_ELEMENTS(of_all); i++)
		if (g_hash_table_contains(seen, of_all[i]))
			return true;
	return false;
}

/* Return the name of events of KIND in LTTng since 2.4: that of the kind's first row, without a subsystem.
 * The three events that send IPIs keep the name in CLASS, because their content differs. The caller frees
 * it. */
static char *usual_name(enum mdl_kind kind, const char *label, const char *class)
{
	size_t i;

	if (kind == MDL_EV_IPI_SEND)
		return g_strdup(strchr(class, ':') ? strchr(class, ':') + 1 : class);
	for (i = 0; i < G_N_ELEMENTS(table); i++) {
		const char *colon = strchr(table[i].name, ':'), *name = colon ? colon + 1 : table[i].name,
			   *star = strchr(name, '*');

		if (table[i].kind == kind && star)
			return g_strdup_printf("%.*s%s%s", (int)(star - name), name, label ? label : "",
				star + 1);
		if (table[i].kind == kind &&
			(kind != MDL_EV_SYSCALL_ENTRY || strcmp(table[i].label, label) == 0))
			return g_strdup(name);
	}
	g_assert_not_reached();
}

GPtrArray *mdl_table_names(GHashTable *seen)
{
	GPtrArray *names = g_ptr_array_new_with_free_func(g_free), *classes = g_ptr_array_new();
	struct mdl_mapping mapping;
	GHashTableIter iter;
	gpointer name;
	guint i;

	g_hash_table_iter_init(&iter, seen);
	while (g_hash_table_iter_next(&iter, &name, NULL))
		g_ptr_array_add(classes, name);
	g_ptr_array_sort(classes, base_search_by_text);
	for (i = 0; i < classes->len; i++) {
		char *usual;

		if (!mdl_table_find(classes->pdata[i], &mapping) || mapping.kind == MDL_EV_SYSCALL_EXIT ||
			mapping.kind == MDL_EV_KVM ||
			(mapping.kind == MDL_EV_SYSCALL_ENTRY && !mapping.arg_fields[0]))
			continue;
		usual = usual_name(mapping.kind, mapping.label, classes->pdata[i]);
		if (g_hash_table_contains(seen, usual)) {
			g_free(usual);
			continue;
		}
		g_ptr_array_add(names, usual);
		g_ptr_array_add(names, g_strdup(classes->pdata[i]));
	}
	g_ptr_array_unref(classes);
	return names;
}
