/* SPDX-License-Identifier: MIT */
/* The table of events: the names of every tracer, and names that must not match. */
#include "model/kernel/coverage.h"
#include "model/event/table.h"

static const struct expected {
	const char *name;
	enum mdl_kind kind;
	const char *label;
	const char *arg0; /* list of fields of the first argument */
} cases[] = {
	{ "sched_switch", MDL_EV_SCHED_SWITCH, NULL, "prev_tid|prev_pid" },
	{ "sched:sched_switch", MDL_EV_SCHED_SWITCH, NULL, "prev_tid|prev_pid" },
	{ "sched_waking", MDL_EV_SCHED_WAKING, NULL, "tid|pid" },
	{ "sched:sched_wakeup", MDL_EV_SCHED_WAKEUP, NULL, "tid|pid" },
	{ "sched_wakeup_new", MDL_EV_SCHED_WAKEUP_NEW, NULL, "tid|pid" },
	{ "sched_migrate_task", MDL_EV_SCHED_MIGRATE, NULL, "tid|pid" },
	{ "task:task_rename", MDL_EV_SCHED_RENAME, NULL, "tid|pid" },
	{ "cgroup:cgroup_attach_task", MDL_EV_CGROUP, NULL, "pid" },
	{ "cgroup:cgroup_transfer_tasks", MDL_EV_CGROUP, "thread", "pid" },
	{ "sched_process_fork", MDL_EV_FORK, NULL, "parent_tid" },
	{ "sched:sched_process_fork", MDL_EV_FORK, NULL, "parent_pid" },
	{ "sched_process_exec", MDL_EV_EXEC, NULL, "tid|pid" },
	{ "irq_handler_entry", MDL_EV_IRQ_ENTRY, NULL, "irq" },
	{ "irq:irq_handler_exit", MDL_EV_IRQ_EXIT, NULL, "irq" },
	{ "softirq_entry", MDL_EV_SOFTIRQ_ENTRY, NULL, "vec" },
	{ "irq_softirq_exit", MDL_EV_SOFTIRQ_EXIT, NULL, "vec" },
	{ "irq:softirq_entry", MDL_EV_SOFTIRQ_ENTRY, NULL, "vec" },
	{ "hrtimer_expire_entry", MDL_EV_HRTIMER_ENTRY, NULL, "function" },
	{ "timer_hrtimer_expire_exit", MDL_EV_HRTIMER_EXIT, NULL, NULL },
	{ "timer:hrtimer_expire_exit", MDL_EV_HRTIMER_EXIT, NULL, NULL },
	{ "timer_hrtimer_start", MDL_EV_HRTIMER_START, NULL, "hrtimer" },
	{ "timer:hrtimer_start", MDL_EV_HRTIMER_START, NULL, "hrtimer" },
	{ "hrtimer_cancel", MDL_EV_TIMER_CANCEL, NULL, "hrtimer" },
	{ "timer_hrtimer_init", MDL_EV_TIMER_CANCEL, NULL, "hrtimer" },
	{ "timer:timer_start", MDL_EV_TIMER_START, NULL, "timer" },
	{ "timer_cancel", MDL_EV_TIMER_CANCEL, NULL, "timer" },
	{ "timer_expire_entry", MDL_EV_TIMER_ENTRY, NULL, "timer" },
	{ "timer:timer_expire_exit", MDL_EV_TIMER_EXIT, NULL, "timer" },
	{ "timer_itimer_expire", MDL_EV_NONE, NULL, NULL },
	{ "workqueue_queue_work", MDL_EV_WORK_QUEUE, NULL, "work" },
	{ "workqueue:workqueue_execute_start", MDL_EV_WORK_START, NULL, "work" },
	{ "workqueue_execute_end", MDL_EV_WORK_END, NULL, "work" },
	{ "workqueue_activate_work", MDL_EV_NONE, NULL, NULL },
	{ "signal:signal_generate", MDL_EV_SIGNAL, NULL, "sig" },
	{ "net_dev_queue", MDL_EV_NET_QUEUE, NULL, "skbaddr" },
	{ "net_if_receive_skb", MDL_EV_NET_RECEIVE, NULL, "skbaddr" },
	{ "net:netif_receive_skb", MDL_EV_NET_RECEIVE, NULL, "skbaddr" },
	{ "net_if_receive_skb_entry", MDL_EV_NONE, NULL, NULL },
	{ "inet_sock_local_out", MDL_EV_NET_QUEUE, NULL, NULL },
	{ "inet_sock_local_in", MDL_EV_NET_RECEIVE, NULL, NULL },
	{ "irq_softirq_raise", MDL_EV_SOFTIRQ_RAISE, NULL, "vec" },
	{ "irq:softirq_raise", MDL_EV_SOFTIRQ_RAISE, NULL, "vec" },
	{ "ipi:ipi_send_cpu", MDL_EV_IPI_SEND, NULL, "cpu" },
	{ "ipi_raise", MDL_EV_IPI_SEND, NULL, NULL },
	{ "block_bio_queue", MDL_EV_BIO_QUEUE, NULL, "dev" },
	{ "block:block_bio_backmerge", MDL_EV_BIO_MERGE, NULL, "dev" },
	{ "block_bio_frontmerge", MDL_EV_BIO_MERGE_FRONT, NULL, "dev" },
	{ "block_bio_remap", MDL_EV_BIO_REMAP, NULL, "dev" },
	{ "block_bio_complete", MDL_EV_NONE, NULL, NULL },
	{ "block_getrq", MDL_EV_RQ_GET, NULL, "dev" },
	{ "block:block_rq_insert", MDL_EV_RQ_INSERT, NULL, "dev" },
	{ "block_rq_issue", MDL_EV_RQ_ISSUE, NULL, "dev" },
	{ "block_rq_requeue", MDL_EV_RQ_REQUEUE, NULL, "dev" },
	{ "block_rq_merge", MDL_EV_RQ_MERGE, NULL, "dev" },
	{ "block:block_rq_complete", MDL_EV_RQ_COMPLETE, NULL, "dev" },
	{ "lttng_statedump_block_device", MDL_EV_DUMP_BLOCK, NULL, "dev" },
	{ "x86_irq_vectors_call_function_single_entry", MDL_EV_VECTOR_ENTRY, "call_function_single",
		"vector" },
	{ "irq_vectors_reschedule_exit", MDL_EV_VECTOR_EXIT, "reschedule", "vector" },
	{ "irq_vectors:local_timer_entry", MDL_EV_VECTOR_ENTRY, "local_timer", "vector" },
	{ "irq_work_exit", MDL_EV_VECTOR_EXIT, "irq_work", "vector" },
	{ "ipi_entry", MDL_EV_IPI_ENTRY, NULL, NULL },
	{ "lttng_statedump_process_state", MDL_EV_DUMP_PROCESS, NULL, "tid" },
	{ "lttng_statedump_interrupt", MDL_EV_DUMP_IRQ, NULL, "irq" },
	{ "lttng_statedump_end", MDL_EV_DUMP_END, NULL, NULL },
	{ "syscall_entry_openat", MDL_EV_SYSCALL_ENTRY, "openat", NULL },
	{ "syscall_exit_openat", MDL_EV_SYSCALL_EXIT, "openat", NULL },
	{ "compat_syscall_entry_open", MDL_EV_SYSCALL_ENTRY, "open", NULL },
	{ "sys_open", MDL_EV_SYSCALL_ENTRY, "open", NULL },
	{ "sys_exit_group", MDL_EV_SYSCALL_ENTRY, "exit_group", NULL },
	{ "sys_enter", MDL_EV_SYSCALL_ENTRY, "enter", NULL },
	{ "compat_sys_open", MDL_EV_SYSCALL_ENTRY, "open", NULL },
	{ "exit_syscall", MDL_EV_SYSCALL_EXIT, NULL, NULL },
	{ "raw_syscalls:sys_enter", MDL_EV_SYSCALL_ENTRY, NULL, NULL },
	{ "raw_syscalls:sys_exit", MDL_EV_SYSCALL_EXIT, NULL, NULL },
	{ "syscalls:sys_enter_read", MDL_EV_SYSCALL_ENTRY, "read", NULL },
	{ "syscalls:sys_exit_read", MDL_EV_SYSCALL_EXIT, "read", NULL },
	{ "syscall_entry_rt_sigreturn", MDL_EV_SYSCALL_EXIT, "rt_sigreturn", NULL },
	{ "compat_syscall_entry_sigreturn", MDL_EV_SYSCALL_EXIT, "sigreturn", NULL },
	{ "syscall_entry_unknown", MDL_EV_SYSCALL_ENTRY, "unknown", NULL },
	{ "probe:sys_open", MDL_EV_NONE, NULL, NULL },
	{ "sys_", MDL_EV_NONE, NULL, NULL },
	{ "syscall_entry_", MDL_EV_NONE, NULL, NULL },
	{ "x86_irq_vectors__entry", MDL_EV_NONE, NULL, NULL },
	{ "x86_irq_vectors_vector_activate", MDL_EV_NONE, NULL, NULL },
	{ "sched_switch2", MDL_EV_NONE, NULL, NULL },
	{ "sched_stat_runtime", MDL_EV_NONE, NULL, NULL },
	{ "workqueue_execute_entry", MDL_EV_NONE, NULL, NULL },
	{ "", MDL_EV_NONE, NULL, NULL },
	{ ":", MDL_EV_NONE, NULL, NULL },
	{ "*", MDL_EV_NONE, NULL, NULL },
};

static void test_names(void)
{
	size_t i;

	for (i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct mdl_mapping mapping;
		bool found = mdl_table_find(cases[i].name, &mapping);

		g_test_message("%s", cases[i].name);
		g_assert_cmpint(mapping.kind, ==, cases[i].kind);
		g_assert_cmpint(found, ==, cases[i].kind != MDL_EV_NONE);
		g_assert_cmpstr(mapping.label, ==, cases[i].label);
		g_assert_cmpstr(mapping.arg_fields[0], ==, cases[i].arg0);
		if (mapping.label)
			g_assert_true(mapping.label == g_intern_string(cases[i].label));
	}
}

/* perf's child_pid is the TID of the child; LTTng's is its process. */
static void test_fork_fields(void)
{
	struct mdl_mapping mapping;

	g_assert_true(mdl_table_find("sched_process_fork", &mapping));
	g_assert_cmpstr(mapping.arg_fields[MDL_FORK_CHILD_TID], ==, "child_tid");
	g_assert_cmpstr(mapping.arg_fields[MDL_FORK_CHILD_PID], ==, "child_pid");
	g_assert_true(mdl_table_find("sched:sched_process_fork", &mapping));
	g_assert_cmpstr(mapping.arg_fields[MDL_FORK_CHILD_TID], ==, "child_pid");
	g_assert_null(mapping.arg_fields[MDL_FORK_CHILD_PID]);
	g_assert_null(mapping.arg_fields[MDL_FORK_PARENT_PID]);
}

static void test_field_is(void)
{
	g_assert_true(mdl_table_field_is("prev_tid|prev_pid", "prev_tid"));
	g_assert_true(mdl_table_field_is("prev_tid|prev_pid", "prev_pid"));
	g_assert_false(mdl_table_field_is("prev_tid|prev_pid", "prev"));
	g_assert_false(mdl_table_field_is("prev_tid|prev_pid", "tid"));
	g_assert_false(mdl_table_field_is("prev_tid|prev_pid", "prev_pid_"));
	g_assert_false(mdl_table_field_is("prev_tid", ""));
	g_assert_false(mdl_table_field_is(NULL, "tid"));
}

static void assert_missing(const char *const *seen, const char *expected)
{
	GHashTable *set = g_hash_table_new(g_str_hash, g_str_equal);
	struct mdl_coverage c;
	GPtrArray *missing;
	char *text;

	for (; *seen; seen++)
		g_hash_table_add(set, (char *)*seen);
	mdl_coverage_init(&c, NULL);
	mdl_coverage_declare(&c, set, false, 4);
	missing = mdl_coverage_missing(&c);
	g_ptr_array_add(missing, NULL);
	text = g_strjoinv(" ", (char **)missing->pdata);
	g_assert_cmpstr(text, ==, expected);
	g_free(text);
	g_ptr_array_unref(missing);
	mdl_coverage_clear(&c);
	g_hash_table_unref(set);
}

/* As in the metadata of real traces: recorded with "--syscall --all", with "--syscall read", by LTTng 2.1, by
 * perf. */
static void test_all_calls(void)
{
	static const char *const all[] = { "syscall_entry_unknown", "sys_unknown", "raw_syscalls:sys_enter" };
	static const char *const some[] = { "syscall_entry_read", "sys_read", "syscalls:sys_enter_read",
		"syscall_exit_unknown" };

	for (size_t i = 0; i < G_N_ELEMENTS(all) + G_N_ELEMENTS(some); i++) {
		GHashTable *set = g_hash_table_new(g_str_hash, g_str_equal);

		g_hash_table_add(set, (char *)(i < G_N_ELEMENTS(all) ? all[i] : some[i - G_N_ELEMENTS(all)]));
		g_assert_cmpint(mdl_table_has_all_calls(set), ==, i < G_N_ELEMENTS(all));
		g_hash_table_unref(set);
	}
}

static void test_own_calls(void)
{
	static const char *const own[] = { "ipi_entry", "x86_irq_vectors_irq_work_entry",
		"irq_vectors:irq_work_entry" };
	static const char *const others[] = { "x86_irq_vectors_call_function_single_entry",
		"x86_irq_vectors_irq_work_exit", "ipi_raise", "irq_handler_entry" };

	for (size_t i = 0; i < G_N_ELEMENTS(own) + G_N_ELEMENTS(others); i++) {
		GHashTable *set = g_hash_table_new(g_str_hash, g_str_equal);
		struct mdl_coverage c;

		g_hash_table_add(set,
			(char *)(i < G_N_ELEMENTS(own) ? own[i] : others[i - G_N_ELEMENTS(own)]));
		mdl_coverage_init(&c, NULL);
		mdl_coverage_declare(&c, set, false, 1);
		g_assert_cmpint(c.lone, ==, i < G_N_ELEMENTS(own));
		g_assert_cmpint(c.lone_ipis, ==, i == 0);
		mdl_coverage_declare(&c, set, false, 2);
		g_assert_false(c.lone);
		mdl_coverage_clear(&c);
		g_hash_table_unref(set);
	}
}

static void assert_some_vectors(const char *const *names, bool expected)
{
	GHashTable *set = g_hash_table_new(g_str_hash, g_str_equal);
	struct mdl_coverage c;

	for (; *names; names++)
		g_hash_table_add(set, (char *)*names);
	mdl_coverage_init(&c, NULL);
	mdl_coverage_declare(&c, set, false, 4);
	g_assert_cmpint(c.some_vectors, ==, expected);
	mdl_coverage_clear(&c);
	g_hash_table_unref(set);
}

/* With perf, irq_work may be missing; with others, only exits. */
static void test_some_vectors(void)
{
#define ENTRY(name) "x86_irq_vectors_" name "_entry"
	static const char *const none[] = { "irq_handler_entry", "ipi_entry", NULL },
				 *const all[] = { ENTRY("local_timer"), ENTRY("reschedule"),
					 ENTRY("call_function"), ENTRY("call_function_single"),
					 ENTRY("irq_work"), NULL },
				 *const perf[] = { "irq_vectors:local_timer_entry",
					 "irq_vectors:reschedule_entry", "irq_vectors:call_function_entry",
					 "irq_vectors:call_function_single_entry", NULL };

	assert_some_vectors(none, false);
	assert_some_vectors(all, false);
	assert_some_vectors(all + 1, true);
	assert_some_vectors((const char *const[]){ all[0], all[1], all[2], all[3], NULL }, true);
	assert_some_vectors(perf, false);
	assert_some_vectors(perf + 1, true);
}

#define VECTOR(name) "irq_vectors:" name "_entry", "irq_vectors:" name "_exit"

static void test_missing(void)
{
	static const char *const none[] = { NULL };
	static const char *const some[] = { "sched:sched_switch", "sched_waking", "irq:irq_handler_entry",
		"irq:irq_handler_exit", "softirq_entry", "sys_open", "block_rq_issue", VECTOR("local_timer"),
		VECTOR("reschedule"), VECTOR("call_function"), VECTOR("call_function_single"), NULL };
	static const char *const part[] = { "sched_migrate_task", VECTOR("local_timer"), VECTOR("reschedule"),
		VECTOR("call_function"), "irq_vectors:call_function_single_entry", NULL };
	static const char *const rest[] = { "sched_switch", "sched_wakeup", "sched_process_exit",
		"sched_migrate_task", "irq_handler_entry", "irq_handler_exit", "softirq_entry",
		"softirq_exit", "hrtimer_expire_entry", "hrtimer_expire_exit", "timer:hrtimer_start",
		"ipi_entry", "net:netif_receive_skb", "workqueue:workqueue_queue_work",
		"lttng_statedump_process_state", "syscall_entry_read", NULL };

	assert_missing(none,
		"sched_switch sched_waking sched_migrate_task sched_process_* irq_handler_* irq_softirq_* irq_softirq_raise "
		"timer_hrtimer_expire_* timer_hrtimer_start timer_start timer_expire_* workqueue_queue_work "
		"workqueue_execute_* signal_generate net_dev_queue net_if_receive_skb x86_irq_vectors_* "
		"ipi_* block_rq_* block_bio_* lttng_statedump_* syscall_entry_*");
	assert_missing(some,
		"sched_migrate_task sched_process_* irq_softirq_* irq_softirq_raise timer_hrtimer_expire_* timer_hrtimer_start timer_start "
		"timer_expire_* workqueue_queue_work workqueue_execute_* signal_generate net_dev_queue net_if_receive_skb "
		"ipi_* block_bio_* lttng_statedump_*");
	/* Some vectors only, or entries without exits, do not cover all interrupts of threads. */
	assert_missing(part,
		"sched_switch sched_waking sched_process_* irq_handler_* irq_softirq_* irq_softirq_raise "
		"timer_hrtimer_expire_* timer_hrtimer_start timer_start timer_expire_* workqueue_queue_work "
		"workqueue_execute_* signal_generate net_dev_queue net_if_receive_skb "
		"ipi_* block_rq_* block_bio_* lttng_statedump_* syscall_entry_* "
		"x86_irq_vectors_call_function_single_*");
	assert_missing(rest,
		"sched_waking irq_softirq_raise timer_start timer_expire_* workqueue_execute_* signal_generate net_dev_queue "
		"ipi_* block_rq_* block_bio_*");
}

/* The vectors, IPIs and sched_waking that CLASSES lacks, which MORE were not asked for, for a kernel of
 * RELEASE on MACHINE; PROBES: recorded by LTTng. */
static char *missing_on(const char *const *classes, bool more, const char *release, const char *machine,
	bool probes)
{
	GHashTable *set = g_hash_table_new(g_str_hash, g_str_equal);
	GString *text = g_string_new(NULL);
	struct mdl_coverage c;
	GPtrArray *missing;

	for (; *classes; classes++)
		g_hash_table_add(set, (char *)*classes);
	mdl_coverage_init(&c, release);
	mdl_coverage_declare(&c, set, more, 4);
	mdl_coverage_machine(&c, set, release, machine, probes);
	missing = mdl_coverage_missing(&c);
	for (guint i = 0; i < missing->len; i++)
		if (strstr(missing->pdata[i], "ipi") || strstr(missing->pdata[i], "vectors") ||
			strstr(missing->pdata[i], "waking"))
			g_string_append_printf(text, "%s ", (char *)missing->pdata[i]);
	g_ptr_array_unref(missing);
	mdl_coverage_clear(&c);
	g_hash_table_unref(set);
	return g_string_free(text, FALSE);
}

/* Events that the kernel does not have are not missing. */
static void test_impossible(void)
{
	static const char *const plain[] = { "sched:sched_switch", NULL };
	static const char *const waking[] = { "sched:sched_waking", NULL };
	static const char *const whole[] = { "sched:sched_switch", "sched:sched_kthread_stop",
		"sched:sched_process_wait", "sched:sched_stat_runtime", NULL };
	static const char *const arm[] = { "sched:sched_switch", "ipi:ipi_raise", "ipi:ipi_entry",
		"ipi:ipi_exit", NULL };
	static const char *const lttng[] = { "x86_irq_vectors_local_timer_entry",
		"x86_irq_vectors_local_timer_exit", "x86_irq_vectors_reschedule_entry",
		"x86_irq_vectors_reschedule_exit", "x86_irq_vectors_call_function_entry",
		"x86_irq_vectors_call_function_exit", "x86_irq_vectors_call_function_single_entry",
		"x86_irq_vectors_call_function_single_exit", NULL };
	static const struct {
		const char *const *classes;
		bool more;
		const char *release, *machine;
		bool probes;
		const char *expected;
	} kernels[] = {
		{ plain, false, "4.14.15", "armv6l", false, "sched_waking ipi_* " },
		{ plain, false, "3.16.0", "armv7l", false, "" },
		{ plain, false, "6.12.1", "riscv64", false, "sched_waking ipi_* " },
		{ plain, false, "6.1.0-50-amd64", "x86_64", false, "sched_waking x86_irq_vectors_* " },
		{ plain, false, "6.12.1+deb13-amd64", "x86_64", false,
			"sched_waking x86_irq_vectors_* ipi_* " },
		{ plain, false, "4.2.0", "x86_64", false, "x86_irq_vectors_* " },
		{ plain, false, "3.10.0", "i686", false, "" },
		{ waking, false, "3.10.0-1160.el7.x86_64", "", false, "" },
		{ plain, false, "6.5.6-300.fc39.aarch64", "", true, "sched_waking ipi_* " },
		{ plain, false, "6.1.0-50-amd64", "", true, "sched_waking x86_irq_vectors_* ipi_* " },
		{ plain, false, "5.4.0", "", true, "sched_waking x86_irq_vectors_* " },
		{ plain, false, "", "", false, "sched_waking x86_irq_vectors_* ipi_* " },
		{ whole, true, "4.14.15", "armv6l", false, "ipi_* " },
		{ arm, false, "4.14.15", "armv6l", false, "sched_waking " },
		{ lttng, false, "6.12.1", "", true, "sched_waking ipi_* x86_irq_vectors_irq_work_* " },
		{ lttng + 2, false, "6.12.1", "", true,
			"sched_waking ipi_* x86_irq_vectors_local_timer_* x86_irq_vectors_irq_work_* " },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(kernels); i++) {
		char *text = missing_on(kernels[i].classes, kernels[i].more, kernels[i].release,
			kernels[i].machine, kernels[i].probes);

		g_assert_cmpstr(text, ==, kernels[i].expected);
		g_free(text);
	}
}

static void test_own_names(void)
{
	static const char *const seen[] = { "sched:sched_waking", "irq:softirq_raise", "irq_softirq_entry",
		"irq_vectors:call_function_entry", "block_rq_issue", "block_bio_frontmerge",
		"raw_syscalls:sys_enter", "foreign", NULL };
	GHashTable *set = g_hash_table_new(g_str_hash, g_str_equal);
	GPtrArray *names;
	char *text;

	for (const char *const *name = seen; *name; name++)
		g_hash_table_add(set, (char *)*name);
	names = mdl_table_names(set);
	g_ptr_array_add(names, NULL);
	text = g_strjoinv(" ", (char **)names->pdata);
	g_assert_cmpstr(text, ==,
		"irq_softirq_raise irq:softirq_raise x86_irq_vectors_call_function_entry irq_vectors:call_function_entry "
		"sched_waking sched:sched_waking");
	g_free(text);
	g_ptr_array_unref(names);
	g_hash_table_unref(set);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/table/names", test_names);
	g_test_add_func("/table/fork-fields", test_fork_fields);
	g_test_add_func("/table/field-is", test_field_is);
	g_test_add_func("/table/all-calls", test_all_calls);
	g_test_add_func("/table/own-calls", test_own_calls);
	g_test_add_func("/table/some-vectors", test_some_vectors);
	g_test_add_func("/table/impossible", test_impossible);
	g_test_add_func("/table/missing", test_missing);
	g_test_add_func("/table/own-names", test_own_names);
	return g_test_run();
}
