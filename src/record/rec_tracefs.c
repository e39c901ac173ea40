/* SPDX-License-Identifier: MIT */
#include "record/rec_tracefs.h"

#include "base/base_error.h"
#include "base/base_search.h"
#include "record/rec_command.h"

#include <errno.h>
#include <string.h>
#include <tracefs.h>
#include <unistd.h>

const char *rec_tracefs_problem(void)
{
	const char *top;
	g_autofree char *instances = NULL;

	if (geteuid() != 0)
		return "recording needs root: run the command with sudo";
	top = tracefs_tracing_dir();
	if (!top)
		return "this kernel has no tracefs, or it is not mounted: type mount -t tracefs nodev /sys/kernel/tracing";
	instances = g_build_filename(top, "instances", NULL);
	return access(instances, W_OK) == 0 ? NULL
					    : "tracefs has no instances here, or they cannot be written";
}

/* Write TEXT to FILE of INSTANCE.  Returns 0, or -1 with errno. */
static int tracefs_put(struct tracefs_instance *instance, const char *file, const char *text)
{
	return tracefs_instance_file_write(instance, file, text) < 0 ? -1 : 0;
}

struct tracefs_instance *rec_tracefs_new(const char *name, uint64_t buffer, GError **error)
{
	g_autofree char *size = g_strdup_printf("%" G_GUINT64_FORMAT, MAX(buffer / 1024, 4));
	const char *const settings[][2] = { { "tracing_on", "0" }, { "trace_clock", "mono" },
		{ "buffer_size_kb", size }, { "options/overwrite", "1" } };
	struct tracefs_instance *instance = tracefs_instance_create(name);

	if (!instance)
		return base_error_null_errno(error, errno, "cannot make the tracefs instance", name);
	for (gsize i = 0; i < G_N_ELEMENTS(settings); i++) {
		if (tracefs_put(instance, settings[i][0], settings[i][1]) == 0)
			continue;
		base_error_set_errno(error, errno, "cannot write in tracefs to", settings[i][0]);
		rec_tracefs_free(instance);
		return NULL;
	}
	/* Record what programs write to trace_marker; before Linux 6.16 only the top instance can. */
	tracefs_put(instance, "options/copy_trace_marker", "1");
	return instance;
}

char *rec_tracefs_path(struct tracefs_instance *instance)
{
	char *dir = tracefs_instance_get_dir(instance), *path = g_strdup(dir);

	tracefs_put_tracing_file(dir);
	return path;
}

bool rec_tracefs_enable(struct tracefs_instance *instance, GPtrArray *events, bool on, GError **error)
{
	for (guint i = 0; i < events->len;) {
		g_autofree char *file = g_strdup_printf("events/%s/enable", (char *)events->pdata[i]);

		*strchr(file, ':') = '/';
		if (tracefs_put(instance, file, on ? "1" : "0") == 0)
			i++;
		else
			g_ptr_array_remove_index(events, i);
	}
	if (events->len > 0)
		return true;
	return base_error_false(error, BASE_ERROR_IO,
		"cannot record: this kernel has none of the events (CONFIG_TRACEPOINTS, lockdown)");
}

bool rec_tracefs_record(struct tracefs_instance *instance, bool on)
{
	return tracefs_put(instance, "tracing_on", on ? "1" : "0") == 0;
}

char *rec_tracefs_stats(struct tracefs_instance *instance, unsigned cpu)
{
	g_autofree char *file = g_strdup_printf("per_cpu/cpu%u/stats", cpu);
	char *text = tracefs_instance_file_read(instance, file, NULL), *copy = g_strdup(text);

	free(text);
	return copy;
}

/* Return the number behind NAME in the lines of STATS; 0 if NAME is missing. */
static uint64_t tracefs_number_of(const char *stats, const char *name)
{
	g_autofree char *line = g_strconcat("\n", name, ": ", NULL), *text = g_strconcat("\n", stats, NULL);
	const char *at = strstr(text, line);

	return at ? g_ascii_strtoull(at + strlen(line), NULL, 10) : 0;
}

/* Return the time of the oldest event in STATS, ns, "oldest event ts: 4250.733761"; 0 if there is none. */
static uint64_t oldest_of(const char *stats)
{
	const char *at = strstr(stats, "\noldest event ts:");

	return at ? (uint64_t)(g_ascii_strtod(at + strlen("\noldest event ts:"), NULL) * 1e9) : 0;
}

/* (tracing_stats_read() in kernel/trace/trace.c writes the stats; "entries" are the unread events.) */
void rec_tracefs_count(struct tracefs_instance *instance, unsigned cpus, struct rec_tracefs_count *c)
{
	*c = (struct rec_tracefs_count){ .read = 0 };
	for (unsigned i = 0; i < cpus; i++) {
		g_autofree char *stats = rec_tracefs_stats(instance, i);
		uint64_t bytes;

		if (!stats)
			continue;
		bytes = tracefs_number_of(stats, "bytes");
		c->read += tracefs_number_of(stats, "read events");
		c->unread += tracefs_number_of(stats, "entries");
		c->overwritten += tracefs_number_of(stats, "overrun");
		c->refused += tracefs_number_of(stats, "commit overrun") +
			tracefs_number_of(stats, "dropped events");
		c->bytes += bytes;
		c->fullest = MAX(c->fullest, bytes);
		if (tracefs_number_of(stats, "overrun") > 0)
			c->whole = MAX(c->whole, oldest_of(stats));
	}
}

void rec_tracefs_free(struct tracefs_instance *instance)
{
	if (!instance)
		return;
	tracefs_instance_destroy(instance);
	tracefs_instance_free(instance);
}

/* ---- events ---- */

/* Add the events of SYSTEM that match PATTERN. */
static void add_fitting(GPtrArray *events, const char *system, const char *pattern)
{
	g_autofree char *path = g_build_filename(tracefs_tracing_dir(), "events", system, NULL);
	GDir *dir = g_dir_open(path, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *file = g_build_filename(path, name, "format", NULL);

		if (g_pattern_match_simple(pattern, name) && g_file_test(file, G_FILE_TEST_EXISTS))
			g_ptr_array_add(events, g_strconcat(system, ":", name, NULL));
	}
	if (dir)
		g_dir_close(dir);
}

GPtrArray *rec_tracefs_events(const char *list)
{
	GPtrArray *events = g_ptr_array_new_with_free_func(g_free);
	g_auto(GStrv) names = g_strsplit(list, ",", -1);

	for (char **name = names; *name; name++) {
		char *colon = strchr(*name, ':');

		*colon = '\0';
		add_fitting(events, *name, colon + 1);
	}
	g_ptr_array_sort(events, base_search_by_text);
	return events;
}

/* ---- what is left ---- */

GPtrArray *rec_tracefs_left(void)
{
	GPtrArray *left = g_ptr_array_new_with_free_func(g_free);
	char **names = rec_tracefs_problem() ? NULL : tracefs_instances(NULL);

	for (char **name = names; name && *name; name++)
		if (rec_name_is_left(*name))
			g_ptr_array_add(left, g_strdup(*name));
	if (names)
		tracefs_list_free(names);
	return left;
}

bool rec_tracefs_clean(GError **error)
{
	g_autoptr(GPtrArray) left = rec_tracefs_left();
	bool ok = true;

	for (guint i = 0; i < left->len; i++) {
		g_autofree char *path = g_build_filename(tracefs_tracing_dir(), "instances", left->pdata[i],
			NULL);

		/* An instance that somebody reads stays: EBUSY (instance_rmdir(), kernel/trace/trace.c). */
		if (rmdir(path) == 0 || errno == ENOENT)
			continue;
		if (ok)
			base_error_set_errno(error, errno, "cannot remove", path);
		ok = false;
	}
	return ok;
}
