/* SPDX-License-Identifier: MIT */
/* Counters that perf reads with each thread switch: those that this machine has, and their syntax. */
#include "record/rec_counters.h"

#include "base/base_error.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define COUNTERS_MOST 15 /* MDL_COUNTERS: wakepath keeps no more */

/* Generic events of the hardware, as perf names them (enum perf_hw_id). */
static const struct {
	const char *name;
	uint64_t id;
} hardware[] = { { "cycles", PERF_COUNT_HW_CPU_CYCLES }, { "cpu-cycles", PERF_COUNT_HW_CPU_CYCLES },
	{ "instructions", PERF_COUNT_HW_INSTRUCTIONS },
	{ "cache-references", PERF_COUNT_HW_CACHE_REFERENCES },
	{ "cache-misses", PERF_COUNT_HW_CACHE_MISSES }, { "branches", PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "branch-instructions", PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "branch-misses", PERF_COUNT_HW_BRANCH_MISSES }, { "bus-cycles", PERF_COUNT_HW_BUS_CYCLES },
	{ "ref-cycles", PERF_COUNT_HW_REF_CPU_CYCLES } };

/* The software events that replace missing hardware events, and all software events that any machine has. */
static const char *const instead[] = { "cpu-clock", "page-faults" };
static const char *const software[] = { "cpu-clock", "task-clock", "page-faults", "faults", "minor-faults",
	"major-faults", "context-switches", "cs", "cpu-migrations", "migrations" };

/* True if the processor can count the hardware event ID, or if that cannot be found out. */
static bool can_count(uint64_t id)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_HARDWARE,
		.size = sizeof attr,
		.config = id,
		.disabled = 1,
		.exclude_kernel = 1 };
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd >= 0)
		close(fd);
	return fd >= 0 || (errno != ENOENT && errno != EOPNOTSUPP && errno != ENODEV);
}

/* True if this machine lacks the counter NAME, which may have a modifier ("cycles:u"). */
static bool is_missing(const char *name)
{
	size_t length = strcspn(name, ":");

	for (gsize i = 0; i < G_N_ELEMENTS(hardware); i++)
		if (strlen(hardware[i].name) == length && strncmp(hardware[i].name, name, length) == 0)
			return !can_count(hardware[i].id);
	return false;
}

/* True if NAME can be the name of a perf event, and has no character that ends the group. */
static bool is_name(const char *name)
{
	return *name != '\0' && *name != '-' &&
		name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:/=-")] ==
		'\0';
}

static void add_once(GPtrArray *all, const char *name)
{
	if (!g_ptr_array_find_with_equal_func(all, name, g_str_equal, NULL))
		g_ptr_array_add(all, g_strdup(name));
}

GPtrArray *rec_counters_new(const char *list, char **note, GError **error)
{
	g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GString) missing = g_string_new(NULL);
	g_auto(GStrv) names = g_strsplit(list, ",", -1);

	*note = NULL;
	for (char **name = names; *name; name++) {
		if (!is_name(*name)) {
			g_set_error(error, BASE_ERROR, BASE_ERROR_USAGE,
				"--counters: \"%s\" is not a counter: type names of perf list with commas between, such as cycles,instructions",
				*name);
			return NULL;
		}
		if (is_missing(*name))
			g_string_append_printf(missing, "%s%s", missing->len > 0 ? ", " : "", *name);
		else
			add_once(all, *name);
	}
	for (gsize i = 0; missing->len > 0 && i < G_N_ELEMENTS(instead); i++)
		add_once(all, instead[i]);
	if (all->len == 0 || all->len > COUNTERS_MOST) {
		g_set_error(error, BASE_ERROR, BASE_ERROR_USAGE, "--counters: type one to %d names",
			COUNTERS_MOST);
		return NULL;
	}
	if (missing->len > 0)
		*note = g_strdup_printf(
			"this machine has no hardware counter for %s: %s and %s are read instead",
			missing->str, instead[0], instead[1]);
	return g_steal_pointer(&all);
}

/*
 * The tracepoint leads the group, so each switch reads all counters.  Later versions of perf take the
 * tracepoint out of a group without hardware events; then the next event leads and samples by itself, at the
 * low rate FREQ.  (A period does not help: with one, the kernel writes each event of a software counter,
 * perf_swevent_event().)
 */
char *rec_counters_group(const GPtrArray *counters)
{
	GString *text = g_string_new("{sched:sched_switch");

	for (guint i = 0; i < counters->len; i++) {
		const char *name = counters->pdata[i];
		bool soft = false;

		for (gsize k = 0; k < G_N_ELEMENTS(software); k++)
			soft |= g_str_equal(software[k], name);
		g_string_append_printf(text, ",%s", name);
		if (soft)
			g_string_append_printf(text, "/freq=10,name=%s/", name);
	}
	return g_string_free(g_string_append(text, "}:S"), FALSE);
}

const char *rec_counters_sampler(void)
{
	return can_count(PERF_COUNT_HW_CPU_CYCLES) ? "cycles/freq=999/" : "cpu-clock/freq=999/";
}
