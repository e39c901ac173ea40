/* SPDX-License-Identifier: MIT */
/* From a wish to a plan: which tracer, which events, how much memory, which output. */
#include "record/rec.h"

#include "base/base_error.h"
#include "base/base_place.h"
#include "base/base_text.h"
#include "record/rec_command.h"
#include "record/rec_counters.h"
#include "record/rec_probes.h"
#include "record/rec_tracefs.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <tracefs.h>
#include <unistd.h>

#define MIB (UINT64_C(1) << 20)
#define BUFFER_LEAST (64 * 1024) /* of a CPU */
#define BUFFER_MIN MIB
#define BUFFER_MAX (16 * MIB) /* of a CPU: some seconds if it is busy */
#define SHARE_OF_MEMORY 16
#define TRY_US 200000

const struct rec_tracer *const rec_plan_tracers[] = { &rec_lttng, &rec_ftrace, &rec_perf, NULL };

/* ---- sizes ---- */

bool rec_plan_size(const char *text, uint64_t *size, GError **error)
{
	static const char units[] = "KMG";
	char *end;
	uint64_t n = g_ascii_strtoull(text, &end, 10);
	const char *unit = *end ? strchr(units, g_ascii_toupper(*end)) : NULL;
	unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;

	*size = n << shift;
	if (g_ascii_isdigit(*text) && n > 0 && (!*end || (unit && !end[1])) && *size >> shift == n)
		return true;
	return base_error_false(error, BASE_ERROR_USAGE,
		"\"%s\" is not a size: type a number with K, M or G, such as 64M", text);
}

uint64_t rec_plan_memory(void)
{
	g_autofree char *text = NULL;
	const char *at;

	if (!g_file_get_contents("/proc/meminfo", &text, NULL, NULL))
		return 256 * MIB;
	at = strstr(text, "MemAvailable:");
	return at ? g_ascii_strtoull(at + strlen("MemAvailable:"), NULL, 10) * 1024 : 256 * MIB;
}

static bool set_buffer(struct rec_plan *p, bool dry, GError **error)
{
	uint64_t memory = rec_plan_memory(), flight = p->wish->flight;

	p->cpus = (unsigned)MAX(sysconf(_SC_NPROCESSORS_CONF), 1);
	p->buffer = flight ? flight / p->cpus
			   : CLAMP(memory / SHARE_OF_MEMORY / p->cpus, BUFFER_MIN, BUFFER_MAX);
	if (flight && p->buffer < BUFFER_LEAST)
		return base_error_false(error, BASE_ERROR_USAGE,
			"--flight: %" G_GUINT64_FORMAT
			" bytes are too few for %u CPU%s: type at least %uK, such as 64M (a number alone is bytes)",
			flight, p->cpus, base_text_s(p->cpus), p->cpus * (BUFFER_LEAST / 1024));
	if (dry || flight <= memory / 2)
		return true;
	return base_error_false(error, BASE_ERROR_USAGE,
		"--flight: %" G_GUINT64_FORMAT
		" MiB are more than half of the free memory: type a smaller size",
		flight / MIB);
}

/* ---- tracer, events and output ---- */

static bool plan_choose(struct rec_plan *p, bool dry, GError **error)
{
	const char *why = NULL,
		   *with = p->wish->with               ? p->wish->with
		: p->wish->counters || p->wish->stacks ? rec_perf.name
		: p->wish->probes || p->wish->usdts    ? rec_ftrace.name
						       : NULL;

	for (const struct rec_tracer *const *t = rec_plan_tracers; *t && !p->tracer; t++) {
		const char *problem;

		if (with && !g_str_equal((*t)->name, with))
			continue;
		problem = dry && with ? NULL : (*t)->problem(with);
		if (!problem)
			p->tracer = *t;
		else if (!why || g_str_equal((*t)->name, rec_ftrace.name))
			why = problem;
	}
	if (!p->tracer && dry && !with)
		p->tracer = &rec_ftrace;
	if (p->tracer)
		return true;
	if (why)
		g_set_error_literal(error, BASE_ERROR, BASE_ERROR_IO, why);
	else
		g_set_error(error, BASE_ERROR, BASE_ERROR_USAGE,
			"there is no tracer \"%s\": type --with lttng, ftrace or perf", with);
	return false;
}

/* Only perf reads counters at switches, and records stacks with all events. */
static bool choose_counters(struct rec_plan *p, GError **error)
{
	const struct rec_wish *w = p->wish;

	if (!w->counters && !w->stacks)
		return true;
	if (p->tracer != &rec_perf)
		return base_error_false(error, BASE_ERROR_USAGE,
			"--with %s: only perf records %s: type --with perf", p->tracer->name,
			w->counters ? "counters" : "stacks with all events");
	if (w->counters)
		p->counters = rec_counters_new(w->counters, &p->note, error);
	return !w->counters || p->counters;
}

/* Check that spans are recorded: programs write them to trace_marker of the top instance. */
static bool find_marks(struct rec_plan *p, bool dry, GError **error)
{
	if (!g_str_equal(p->wish->question, "spans"))
		return true;
	if (p->tracer == &rec_perf && !p->probes)
		return base_error_false(error, BASE_ERROR_USAGE,
			"--with perf records only spans of --probe and --usdt: name some, or type --with ftrace for those of trace_marker");
	if (!dry && p->tracer == &rec_ftrace && !p->note &&
		!tracefs_file_exists(NULL, "options/copy_trace_marker"))
		p->note = g_strdup(
			"this kernel (before Linux 6.16) does not copy trace_marker into a recording: type --with lttng, and write to /proc/lttng-logger");
	return true;
}

/* Find the probes.  LTTng is refused: it has no return probes, and no USDT probes with semaphores. */
static bool find_probes(struct rec_plan *p, bool dry, GError **error)
{
	if (!p->wish->probes && !p->wish->usdts)
		return true;
	if (p->tracer == &rec_lttng)
		return base_error_false(error, BASE_ERROR_USAGE,
			"--with lttng records no probes: type --with ftrace or perf; it records the tracepoints of LTTng-UST");
	p->probes = rec_probes_new(p->wish, dry ? NULL : p->name, &p->note, error);
	return p->probes;
}

/* True if PATH exists, even as a dangling link. */
static bool is_there(const char *path)
{
	int folder = base_place_folder(path);
	struct stat st;
	bool there = folder >= 0 && fstatat(folder, base_place_name(path), &st, AT_SYMLINK_NOFOLLOW) == 0;

	if (folder >= 0)
		close(folder);
	return there;
}

static bool set_output(struct rec_plan *p, GError **error)
{
	GDateTime *now;

	p->output = g_strdup(p->wish->output);
	if (!p->output) {
		now = g_date_time_new_now_local();
		g_autofree char *time = g_date_time_format(now, "wakepath-%Y%m%d-%H%M%S");

		p->output = g_strconcat(time, p->tracer->suffix, NULL);
		g_date_time_unref(now);
	}
	if (p->wish->replace || !is_there(p->output))
		return true;
	return base_error_false(error, BASE_ERROR_USAGE,
		"%s exists already: choose another name with -o, or type --force to replace it", p->output);
}

struct rec_plan *rec_plan_new(const struct rec_wish *wish, bool dry, GError **error)
{
	struct rec_plan *p = g_new0(struct rec_plan, 1);

	p->wish = wish;
	p->name = rec_name_new();
	if (plan_choose(p, dry, error) && choose_counters(p, error) && find_probes(p, dry, error) &&
		find_marks(p, dry, error) && set_buffer(p, dry, error) && set_output(p, error))
		p->events = p->tracer->events(wish->questions);
	else
		g_clear_pointer(&p, rec_plan_free);
	if (p && p->probes)
		rec_probes_add_events(p->probes, p->events);
	return p;
}

void rec_plan_free(struct rec_plan *p)
{
	g_free(p->output);
	g_free(p->name);
	g_free(p->note);
	if (p->events)
		g_ptr_array_unref(p->events);
	if (p->counters)
		g_ptr_array_unref(p->counters);
	rec_probes_free(p->probes);
	g_free(p);
}

void rec_plan_tell(const struct rec_plan *p, GString *out)
{
	if (p->probes)
		rec_probes_tell(p->probes, true, out);
	p->tracer->tell(p, out);
	if (p->probes)
		rec_probes_tell(p->probes, false, out);
}

/* ---- cost ---- */

/* Record for TRY_US and drop the events: sets *EVENTS and *BYTES per second.  False if tracefs cannot be
 * used, or nothing was recorded. */
static bool try_it(const struct rec_plan *p, double *events, double *bytes)
{
	g_autofree char *name = g_strconcat(p->name, "-try", NULL);
	g_autoptr(GPtrArray) wanted = NULL;
	struct tracefs_instance *instance = rec_tracefs_problem() ? NULL : rec_tracefs_new(name, MIB, NULL);
	struct rec_tracefs_count c = { .unread = 0 };
	gint64 begun;

	if (!instance)
		return false;
	wanted = rec_ftrace.events(p->wish->questions);
	if (rec_tracefs_enable(instance, wanted, true, NULL) && rec_tracefs_record(instance, true)) {
		begun = g_get_monotonic_time();
		g_usleep(TRY_US);
		rec_tracefs_record(instance, false);
		rec_tracefs_count(instance, p->cpus, &c);
		*events = (double)(c.unread + c.overwritten + c.refused) * 1e6 /
			(double)(g_get_monotonic_time() - begun);
	}
	rec_tracefs_free(instance);
	*bytes = c.unread ? *events * (double)c.bytes / (double)c.unread : 0;
	return c.unread > 0;
}

/* An event takes some 0.3 µs of a CPU (EVENT_COST in rec_budget.c). */
char *rec_plan_cost(const struct rec_plan *p)
{
	double events = 0, bytes = 0, share;

	if (!try_it(p, &events, &bytes))
		return g_strdup("cost unknown");
	share = events * 0.3e-6 / p->cpus;
	return g_strdup_printf("about %.1f MB/s as busy as it is now, %s overhead (%.0f events/s)",
		bytes / 1e6,
		share < 0.01           ? "low"
			: share < 0.05 ? "moderate"
				       : "high",
		events);
}
