/* SPDX-License-Identifier: MIT */
/*
 * The events of the reader "ctf" equal babeltrace2's text, for every sample trace, and the reader
 * "babeltrace2" gives the same events.
 */
#include "base/base_error.h"
#include "model/event/table.h"
#include "trace/trc_reader.h"
#include "trace/trc_test_open.h"
#include "trc_test.h"

#include <string.h>

#define BATCH 500 /* no divisor of anything */

/* Events known to the test: their names in the text, and where their fields must appear. */
static const struct known {
	const char *name;
	enum mdl_kind kind;
	const char *args[MDL_ARGS], *texts[MDL_TEXTS];
} known[] = {
	{ "sched_switch", MDL_EV_SCHED_SWITCH,
		{ "prev_tid", "prev_state", "next_tid", "prev_prio", "next_prio" },
		{ "prev_comm", "next_comm" } },
	{ "sched_waking", MDL_EV_SCHED_WAKING, { "tid", "target_cpu" }, { "comm" } },
	{ "sched_wakeup", MDL_EV_SCHED_WAKEUP, { "tid", "target_cpu" }, { "comm" } },
	{ "sched_wakeup_new", MDL_EV_SCHED_WAKEUP_NEW, { "tid", "target_cpu" }, { "comm" } },
	{ "sched_migrate_task", MDL_EV_SCHED_MIGRATE, { "tid", "dest_cpu" }, { "comm" } },
	{ "sched_process_fork", MDL_EV_FORK, { "parent_tid", "parent_pid", "child_tid", "child_pid" },
		{ "parent_comm", "child_comm" } },
	{ "sched_process_exec", MDL_EV_EXEC, { "tid", "old_tid" }, { "filename" } },
	{ "sched_process_exit", MDL_EV_EXIT, { "tid" }, { "comm" } },
	{ "sched_process_free", MDL_EV_FREE, { "tid" }, { "comm" } },
	{ "irq_handler_entry", MDL_EV_IRQ_ENTRY, { "irq" }, { "name" } },
	{ "irq_handler_exit", MDL_EV_IRQ_EXIT, { "irq", "ret" }, { NULL } },
	{ "irq_softirq_entry", MDL_EV_SOFTIRQ_ENTRY, { "vec" }, { NULL } },
	{ "irq_softirq_exit", MDL_EV_SOFTIRQ_EXIT, { "vec" }, { NULL } },
	{ "timer_hrtimer_expire_entry", MDL_EV_HRTIMER_ENTRY, { "function", "hrtimer", "now" }, { NULL } },
	{ "timer_hrtimer_start", MDL_EV_HRTIMER_START, { "hrtimer", "function", "expires", "softexpires" },
		{ NULL } },
	{ "timer_hrtimer_cancel", MDL_EV_TIMER_CANCEL, { "hrtimer" }, { NULL } },
	{ "workqueue_queue_work", MDL_EV_WORK_QUEUE, { "work", "function", "req_cpu" }, { NULL } },
	{ "workqueue_execute_start", MDL_EV_WORK_START, { "work", "function" }, { NULL } },
	{ "workqueue_execute_end", MDL_EV_WORK_END, { "work" }, { NULL } },
	{ "signal_generate", MDL_EV_SIGNAL, { "sig", "pid", "result", "code", "group" }, { NULL } },
	{ "net_dev_queue", MDL_EV_NET_QUEUE, { "skbaddr", "len" }, { "name" } },
	{ "net_if_receive_skb", MDL_EV_NET_RECEIVE, { "skbaddr", "len" }, { "name" } },
	{ "lttng_statedump_block_device", MDL_EV_DUMP_BLOCK, { "dev" }, { "diskname" } },
	{ "timer_hrtimer_expire_exit", MDL_EV_HRTIMER_EXIT, { NULL }, { NULL } },
	{ "lttng_statedump_process_state", MDL_EV_DUMP_PROCESS,
		{ "tid", "pid", "ppid", "status", "type", "cpu" }, { "name" } },
	{ "lttng_statedump_interrupt", MDL_EV_DUMP_IRQ, { "irq" }, { "name", "action" } },
	{ "lttng_statedump_end", MDL_EV_DUMP_END, { NULL }, { NULL } },
	{ "x86_irq_vectors_*_entry", MDL_EV_VECTOR_ENTRY, { "vector" }, { NULL } },
	{ "x86_irq_vectors_*_exit", MDL_EV_VECTOR_EXIT, { "vector" }, { NULL } },
	{ "syscall_entry_futex", MDL_EV_SYSCALL_ENTRY, { "uaddr", "op", "uaddr2" }, { NULL } },
	{ "syscall_entry_unknown", MDL_EV_SYSCALL_ENTRY, { NULL, NULL, NULL, "id" }, { NULL } },
	{ "syscall_entry_rt_sigreturn", MDL_EV_SYSCALL_EXIT, { NULL }, { NULL } },
	{ "syscall_entry_*", MDL_EV_SYSCALL_ENTRY, { NULL }, { NULL } },
	{ "syscall_exit_*", MDL_EV_SYSCALL_EXIT, { NULL }, { NULL } },
};

/* ---- the text ---- */

/* The value of NAME in a part "{ a = 1, b = "x" }" of the text; the caller frees.  NULL: not there. */
static char *value_in(const char *fields, const char *name)
{
	char *key = g_strdup_printf(" %s = ", name);
	const char *at = strstr(fields, key), *end;

	at = at ? at + strlen(key) : NULL;
	g_free(key);
	if (!at)
		return NULL;
	if (*at != '"') {
		/* An enum may be printed as ( "LABEL" : container = 1 ). */
		const char *container = *at == '(' ? strstr(at, "container = ") : NULL;

		at = container ? container + strlen("container = ") : at;
		return g_strndup(at, strcspn(at, ", )}"));
	}
	for (end = ++at; *end && *end != '"'; end++)
		end += *end == '\\' && end[1];
	return g_strndup(at, (gsize)(end - at));
}

/* "1795169063.827878055" as ns. */
static gint64 parse_seconds(const char *text)
{
	char *dot;
	gint64 seconds = g_ascii_strtoll(text, &dot, 10);

	return seconds * 1000000000 + g_ascii_strtoll(dot + 1, NULL, 10);
}

static const struct known *find_known(const char *name)
{
	size_t i;

	for (i = 0; i < G_N_ELEMENTS(known); i++)
		if (g_pattern_match_simple(known[i].name, name))
			return &known[i];
	return NULL;
}

/* Add one to the count of KEY, which it takes. */
static void count(GHashTable *counts, char *key)
{
	g_hash_table_insert(counts, key,
		GUINT_TO_POINTER(GPOINTER_TO_UINT(g_hash_table_lookup(counts, key)) + 1));
}

/* A line of the text as "time cpu kind label args texts". */
static char *key_of_line(const struct known *k, const char *name, gint64 time, const char *context,
	const char *fields)
{
	GString *key = g_string_new(NULL);
	const char *star = strchr(k->name, '*');
	char *cpu = value_in(context, "cpu_id");
	int i;

	g_string_printf(key, "%" G_GINT64_FORMAT " %s %d ", time, cpu, k->kind);
	if (star)
		g_string_append_len(key, name + (star - k->name),
			(gssize)(strlen(name) - strlen(k->name) + 1));
	else if (g_str_has_prefix(k->name, "syscall_entry_")) /* with arguments, or without an exit */
		g_string_append(key, name + strlen("syscall_entry_"));
	for (i = 0; i < MDL_ARGS; i++) {
		char *value = k->args[i] ? value_in(fields, k->args[i]) : NULL;

		if (value)
			g_string_append_printf(key, " %" G_GINT64_FORMAT,
				*value == '-' ? g_ascii_strtoll(value, NULL, 10)
					      : (gint64)g_ascii_strtoull(value, NULL, 0));
		else
			g_string_append(key, " -");
		g_free(value);
	}
	for (i = 0; i < MDL_TEXTS; i++) {
		char *value = k->texts[i] ? value_in(fields, k->texts[i]) : NULL;

		g_string_append_printf(key, " %s", value ? value : "-");
		g_free(value);
	}
	g_free(cpu);
	return g_string_free(key, FALSE);
}

/* Read "[time] (+delta) host name: { context }, { fields }"; add a key if the event is known. */
static void read_line(char *line, GHashTable *counts)
{
	char *name, *colon = strstr(line, ": {"), *fields;
	const struct known *k;

	g_assert_nonnull(colon);
	*colon = '\0';
	name = strrchr(line, ' ') + 1;
	k = find_known(name);
	fields = strstr(colon + 1, "}, {");
	if (k)
		count(counts,
			key_of_line(k, name, parse_seconds(line + 1), colon + 1, fields ? fields + 2 : ""));
}

/* Keys of all events of FOLDER that the test knows, and the number of lines. */
static GHashTable *read_text(const char *folder, guint64 *lines, char **errors)
{
	const char *argv[] = { "babeltrace2", "--clock-seconds", folder, NULL };
	GHashTable *counts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	char *text = trc_test_run(argv, errors), *line = text, *end;

	for (*lines = 0; (end = strchr(line, '\n')); line = end + 1) {
		*end = '\0';
		++*lines;
		read_line(line, counts);
	}
	g_free(text);
	return counts;
}

/* ---- the reader ---- */

/* A text as babeltrace2 prints it. */
static char *as_printed(const char *text)
{
	GString *out = g_string_new(NULL);

	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			g_string_append_c(out, '\\');
		g_string_append_c(out, *text);
	}
	return g_string_free(out, FALSE);
}

static char *key_of_event(const struct mdl_event *e)
{
	GString *key = g_string_new(NULL);
	int i;

	g_string_printf(key, "%" G_GINT64_FORMAT " %u %u %s", e->time, e->cpu, e->kind,
		e->label ? e->label : "");
	for (i = 0; i < MDL_ARGS; i++) {
		if (e->arg[i] == MDL_ARG_ABSENT ||
			(e->kind == MDL_EV_SCHED_SWITCH && i == MDL_SWITCH_SINCE)) /* the reader's own */
			g_string_append(key, " -");
		else
			g_string_append_printf(key, " %" G_GINT64_FORMAT, e->arg[i]);
	}
	for (i = 0; i < MDL_TEXTS; i++) {
		char *text = e->text[i] ? as_printed(e->text[i]) : NULL;

		g_string_append_printf(key, " %s", text ? text : "-");
		g_free(text);
	}
	return g_string_free(key, FALSE);
}

static bool is_mark(const struct mdl_event *e)
{
	return e->kind == MDL_EV_GAP_BEGIN || e->kind == MDL_EV_GAP_END;
}

/* Remove E from COUNTS, which must have it; events unknown to the test are skipped. */
static void take(GHashTable *counts, const struct mdl_event *e)
{
	char *key;
	guint n;
	size_t i;

	for (i = 0; i < G_N_ELEMENTS(known); i++)
		if (known[i].kind == (enum mdl_kind)e->kind)
			break;
	if (i == G_N_ELEMENTS(known))
		return;
	key = key_of_event(e);
	n = GPOINTER_TO_UINT(g_hash_table_lookup(counts, key));
	if (!n)
		g_error("not in the text: %s", key);
	if (n == 1)
		g_hash_table_remove(counts, key);
	else
		g_hash_table_insert(counts, g_strdup(key), GUINT_TO_POINTER(n - 1));
	g_free(key);
}

/* ---- the comparison ---- */

static void check_order(const struct mdl_event *e, gint64 *time, guint64 *rank)
{
	g_assert_cmpint(e->time, >=, *time);
	*time = e->time;
	if (is_mark(e)) {
		g_assert_cmpuint(e->rank, ==, 0);
		return;
	}
	g_assert_cmpuint(e->rank, >, *rank);
	*rank = e->rank;
}

/* The sum and number of "Tracer discarded N events" in ERRORS. */
static guint64 sum_lost(const char *errors, guint *stretches)
{
	static const char words[] = "Tracer discarded ";
	guint64 sum = 0;

	for (*stretches = 0; (errors = strstr(errors, words)); ++*stretches) {
		errors += strlen(words);
		sum += g_ascii_strtoull(errors, NULL, 10);
	}
	return sum;
}

/* ERRORS has each gap of INFO with its number, and INFO has no others, except gaps before a stream begins or
 * after it ended, which babeltrace2 does not report. */
static void check_gaps(const struct trc_info *info, const char *errors)
{
	guint stretches, i, told = 0;

	g_assert_cmpuint(info->discarded, ==, sum_lost(errors, &stretches));
	for (i = 0; i < info->gaps->len; i++) {
		const struct trc_gap *gap = &g_array_index(info->gaps, struct trc_gap, i);
		char *text;

		if (!gap->count) {
			g_assert_true(trc_test_is_late(info, gap) || gap->to == info->last);
			continue;
		}
		told++;
		text = g_strdup_printf("Tracer discarded %" G_GUINT64_FORMAT
				       " events between [%" G_GINT64_FORMAT ".%09" G_GINT64_FORMAT
				       "] and [%" G_GINT64_FORMAT ".%09" G_GINT64_FORMAT "]",
			gap->count, gap->from / 1000000000, gap->from % 1000000000, gap->to / 1000000000,
			gap->to % 1000000000);

		if (!strstr(errors, text))
			g_error("babeltrace2 does not say \"%s\"", text);
		g_free(text);
	}
	g_assert_cmpuint(told, ==, stretches);
}

static void check_rest(GHashTable *counts)
{
	GHashTableIter iter;
	gpointer key;

	g_hash_table_iter_init(&iter, counts);
	if (g_hash_table_iter_next(&iter, &key, NULL))
		g_error("%u events of the text did not come out, such as %s", g_hash_table_size(counts),
			(char *)key);
}

static void check_sample(const char *folder, gpointer data)
{
	struct mdl_event events[BATCH];
	char *errors = NULL;
	guint64 lines, rank = 0;
	GHashTable *counts = read_text(folder, &lines, &errors);
	GError *error = NULL;
	struct trc_reader *r = trc_test_open(folder, "ctf", &error);
	gint64 time = G_MININT64;
	int n, i;

	(void)data;
	g_assert_no_error(error);
	while ((n = trc_reader_read(r, events, BATCH, &error)) > 0) {
		for (i = 0; i < n; i++) {
			check_order(&events[i], &time, &rank);
			if (!is_mark(&events[i]))
				take(counts, &events[i]);
		}
	}
	g_assert_no_error(error);
	g_assert_cmpint(n, ==, 0);
	g_assert_cmpuint(trc_reader_info(r)->events, ==, lines);
	check_rest(counts);
	check_gaps(trc_reader_info(r), errors);
	trc_reader_free(r);
	g_hash_table_unref(counts);
	g_free(errors);
}

static void test_samples(void)
{
	g_assert_cmpuint(trc_test_each_sample(check_sample, NULL), >, 0);
}

static void check_info(const char *folder, gpointer data)
{
	GError *error = NULL;
	struct trc_reader *r = trc_test_open(folder, data, &error);
	const struct trc_info *info;

	g_assert_no_error(error);
	info = trc_reader_info(r);
	g_assert_cmpuint(strlen(info->uuid), ==, 36);
	g_assert_true(g_str_has_prefix(info->tracer, "lttng-modules 2."));
	g_assert_cmpstr(info->host, !=, "");
	g_assert_cmpstr(info->release, !=, "");
	g_assert_cmpint(info->begin, <, info->end);
	g_assert_true(g_hash_table_contains(info->classes, "sched_switch"));
	g_assert_true(g_path_is_absolute(info->path));
	g_assert_cmpuint(info->warnings->len, ==, 0);
	trc_reader_free(r);
}

static void test_info(gconstpointer reader)
{
	trc_test_each_sample(check_info, (gpointer)reader);
}

/* Both readers give the same events in the same order, and the same facts about the trace. */
static void check_same(const char *folder, gpointer data)
{
	char *difference = trc_test_compare(folder, folder);

	(void)data;
	g_assert_cmpstr(difference, ==, NULL);
}

static void test_same(void)
{
	trc_test_each_sample(check_same, NULL);
}

static void test_unknown_reader(void)
{
	GError *error = NULL;

	g_assert_null(trc_test_open("/", "tea leaves", &error));
	g_assert_error(error, BASE_ERROR, BASE_ERROR_USAGE);
	g_error_free(error);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_data_func("/reader/info/ctf", "ctf", test_info);
	g_test_add_data_func("/reader/info/babeltrace2", "babeltrace2", test_info);
	g_test_add_func("/reader/samples", test_samples);
	g_test_add_func("/reader/same", test_same);
	g_test_add_func("/reader/unknown", test_unknown_reader);
	return g_test_run();
}
