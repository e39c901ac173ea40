/* SPDX-License-Identifier: MIT */
/*
 * How it works: one of two kernel rings records (rec_ring.c).  A meter (rec_meter.c) measures all cases of
 * the triggers' kinds.  When one is over its limit (rec_cases.c), the other ring begins to record, this one
 * stops, and a thread saves it.  So no event is missed; a hit during a save waits until a ring is free.  The
 * kernel could find latencies over a limit by itself (rec_trigger.c), but it would not report the others,
 * which the distribution, relative limits and typical cases need.
 *
 * All times are CLOCK_MONOTONIC, which nobody sets and which stops while the machine is suspended; the wall
 * clock is only written to the manifest.  The rings have all possible CPUs, so CPU hotplug changes nothing.
 */
#include "record/rec_watch.h"

#include "base/base_error.h"
#include "base/base_stop.h"
#include "base/base_text.h"
#include "model/event/wanted.h"
#include "record/rec.h"
#include "record/rec_cases.h"
#include "record/rec_command.h"
#include "record/rec_ring.h"
#include "record/rec_tracefs.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/utsname.h>
#include <unistd.h>

#define LOOK_US 20000
#define PAUSED_US 200000
#define SEEN_US (600 * G_USEC_PER_SEC)  /* between two lines "seen" of a trigger */
#define COUNT_US 1000000                /* between two counts of the events */
#define RING_LEAST (UINT64_C(64) << 10) /* bytes of a CPU */
#define RING (UINT64_C(4) << 20)        /* bytes of a CPU */
#define SHARE_OF_MEMORY 32              /* each of the two rings takes 1/32 of the available memory */

struct watch {
	const struct rec_watch_wish *wish;
	struct rec_watch_result *result;
	char *name; /* owned */
	unsigned cpus;
	uint64_t buffer;
	struct rec_rings *rings; /* owned */
	struct rec_meter *meter; /* owned */
	struct rec_cases *cases; /* owned */
	struct rec_keep *keep;   /* owned; NULL: nothing is kept */
	GArray *saving; /* of struct watch_hit, without files: hits of the save that runs; NULL: none */
	gint64 started, told, counted; /* µs: begin; last lines "seen"; last count of the events */
	int64_t told_wall;             /* ns since the Epoch: last lines "seen" */
	uint64_t meter_before;         /* events of the meter before its ring was cleared */
	struct rec_budget budget;
	bool line_said, hit_said; /* reported: a line was not written; a hit has no recording */
};

static int64_t wall_now(void)
{
	return g_get_real_time() * 1000;
}

/* ---- words ---- */

/* Return the fields wall and time of a line, for now; the caller frees. */
static char *now_fields(void)
{
	return g_strdup_printf("\twall=%" PRId64 "\ttime=%" PRId64, wall_now(),
		(int64_t)g_get_monotonic_time() * 1000);
}

/* Show the user a line, and append it to the manifest. */
static void watch_say(struct watch *w, const char *format, ...) G_GNUC_PRINTF(2, 3);
static void watch_say(struct watch *w, const char *format, ...)
{
	g_autofree char *text = NULL, *clean = NULL, *now = now_fields(), *fields = NULL;
	va_list args;

	va_start(args, format);
	text = g_strdup_vprintf(format, args);
	va_end(args);
	clean = base_text_clean(text, -1);
	if (w->wish->say)
		w->wish->say(w->wish->context, clean);
	fields = g_strdup_printf("%s\ttext=%s", now, clean);
	if (w->keep)
		(void)!rec_keep_line(w->keep, "said", fields, NULL);
}

/* Unless OK, show PROBLEM (taken): a line of the manifest could not be written yet.  Only once until OK. */
static void told_or_said(struct watch *w, bool ok, GError *problem)
{
	if (!ok && !w->line_said && w->wish->say)
		w->wish->say(w->wish->context, problem->message);
	w->line_said = !ok;
	g_clear_error(&problem);
}

static void watch_line(struct watch *w, const char *word, const char *fields)
{
	GError *problem = NULL;

	if (w->keep)
		told_or_said(w, rec_keep_line(w->keep, word, fields, &problem), problem);
}

/* Write a line "seen" for each trigger: the cases since the last such lines. */
static void tell_seen(struct watch *w)
{
	int64_t to = MAX(wall_now(), w->told_wall); /* the wall clock can be set back */

	for (unsigned i = 0; w->keep && i < w->wish->n; i++) {
		g_autoptr(GString) fields = g_string_new(NULL);

		g_string_append_printf(fields,
			"\ttrigger=%s\tfrom=%" PRId64 "\tto=%" PRId64 "\ttime=%" PRId64, w->wish->texts[i],
			(int64_t)w->told_wall, to, (int64_t)g_get_monotonic_time() * 1000);
		rec_cases_seen(w->cases, i, fields);
		watch_line(w, "seen", fields->str);
	}
	w->told_wall = to;
	w->told = g_get_monotonic_time();
}

/* ---- saving ---- */

static bool look_at_cases(struct watch *w, GError **error)
{
	return rec_cases_look(w->cases, w->saving, rec_rings_since(w->rings), error);
}

/* Report that hits have no recording because of PROBLEM: only once, until a hit has one again. */
static void say_unsaved(struct watch *w, const char *problem)
{
	if (!w->hit_said)
		watch_say(w, "a hit has no recording: %s", problem);
	w->hit_said = true;
}

/* Write HITS (taken) to the manifest, with their files, if any. */
static void tell_hits(struct watch *w, GArray *hits)
{
	for (guint i = 0; i < hits->len; i++) {
		const struct watch_hit *h = &g_array_index(hits, struct watch_hit, i);
		GError *problem = NULL;

		told_or_said(w, rec_keep_hit(w->keep, h, &problem), problem);
		w->result->hits += !h->typical;
		w->result->kept += !h->typical && h->file;
	}
	g_array_unref(hits);
}

/* Let the other ring record, and save this one for HITS (taken); the first hit gives the file its name. */
static void turn(struct watch *w, GArray *hits)
{
	const struct watch_hit *first = &g_array_index(hits, struct watch_hit, 0);

	w->saving = hits;
	rec_rings_turn(w->rings, rec_keep_path(w->keep, first->number, first->typical));
}

/* True if there is room for a recording of one of the first WANTED of HITS. */
static bool has_room(struct watch *w, const GArray *hits, unsigned wanted)
{
	uint64_t size = rec_rings_size(w->rings);

	for (unsigned i = 0; i < wanted; i++) {
		const struct watch_hit *h = &g_array_index(hits, struct watch_hit, i);

		if (rec_keep_room(w->keep, size, h->trigger, h->value))
			return true;
	}
	if (wanted > 0)
		say_unsaved(w, "worse hits use all of --disk, or --disk is too small for one recording");
	return false;
}

static void save_hits(struct watch *w)
{
	GArray *hits = g_array_new(FALSE, FALSE, sizeof(struct watch_hit));
	unsigned wanted = rec_cases_take(w->cases, hits);

	if (has_room(w, hits, wanted))
		turn(w, hits);
	else
		tell_hits(w, hits);
}

/* Save a typical case for a hit that lacks one.  No recording is removed for it. */
static void save_typical(struct watch *w)
{
	struct watch_hit h;
	GArray *hits;

	if (!rec_cases_typical(w->cases, rec_rings_since(w->rings), &h) ||
		!rec_keep_room(w->keep, rec_rings_size(w->rings), h.trigger, 0))
		return;
	hits = g_array_new(FALSE, FALSE, sizeof(struct watch_hit));
	g_array_append_val(hits, h);
	turn(w, hits);
}

/* End the save, successful or not, and write its hits to the manifest. */
static void end_save(struct watch *w)
{
	GArray *hits = g_steal_pointer(&w->saving);
	const struct watch_hit *first = &g_array_index(hits, struct watch_hit, 0);
	g_autofree char *path = rec_keep_path(w->keep, first->number, first->typical),
			*file = g_path_get_basename(path);
	g_autoptr(GError) problem = NULL;
	int64_t begin;
	bool ok = rec_rings_end(w->rings, &begin, &problem);

	for (guint i = 0; ok && i < hits->len; i++) {
		struct watch_hit *h = &g_array_index(hits, struct watch_hit, i);

		h->file = g_strdup(file);
		h->whole = h->time - h->value >= begin;
	}
	if (ok) {
		w->hit_said = false;
		rec_cases_saved(w->cases, hits);
	} else
		say_unsaved(w, problem->message);
	if (!ok && first->typical)
		g_array_unref(hits);
	else
		tell_hits(w, hits);
	rec_keep_prune(w->keep);
}

static void look_at_saves(struct watch *w)
{
	struct rec_rings_count count;

	if (rec_rings_is_saved(w->rings))
		end_save(w);
	if (!w->keep || w->saving)
		return;
	if (!rec_cases_has_hits(w->cases)) {
		save_typical(w);
		return;
	}
	rec_rings_count(w->rings, &count);
	if (!rec_cases_may_wait(w->cases, count.whole))
		save_hits(w);
}

/* Save pending hits, and wait for that: the rings are about to be cleared or removed. */
static bool save_rest(struct watch *w, GError **error)
{
	bool ok = look_at_cases(w, error);

	if (w->saving)
		end_save(w);
	if (w->keep && rec_cases_has_hits(w->cases))
		save_hits(w);
	if (w->saving)
		end_save(w);
	return ok;
}

/* ---- the budget ---- */

/* Return the number of events of the rings and of the meter so far. */
static uint64_t count_events(struct watch *w)
{
	struct rec_rings_count count;

	rec_rings_count(w->rings, &count);
	return count.events + w->meter_before + rec_meter_count(w->meter);
}

/* Record at the level of the budget; BEFORE: the level until now. */
static bool set_level(struct watch *w, enum rec_level before, GError **error)
{
	enum rec_level level = w->budget.level;
	g_autofree char *now = now_fields(),
			*fields = g_strdup_printf("%s\tname=%s", now, rec_budget_name(level)),
			*share = g_strdup_printf("%.2f %%", 100 * w->budget.share);

	if ((before != REC_LEVEL_PAUSED && !save_rest(w, error)) ||
		!rec_rings_set_level(w->rings, level, error))
		return false;
	if (level == REC_LEVEL_PAUSED || before == REC_LEVEL_PAUSED) {
		w->meter_before += level == REC_LEVEL_PAUSED ? rec_meter_count(w->meter) : 0;
		if (!rec_meter_pause(w->meter, level == REC_LEVEL_PAUSED, error))
			return false;
	}
	watch_line(w, "level", fields);
	if (level == REC_LEVEL_PAUSED)
		watch_say(w,
			"the watch used %s of the CPUs, more than --cpu allows: recording pauses for %.0f s",
			share, (double)(w->budget.until - g_get_monotonic_time()) / 1e6);
	else
		watch_say(w, "the watch used %s of the CPUs: it now records %s", share,
			level == REC_LEVEL_ALL           ? "all events again"
				: level == REC_LEVEL_CPU ? "threads, interrupts and timers only"
							 : "switches and the events of the triggers only");
	return true;
}

static bool look_at_budget(struct watch *w, GError **error)
{
	enum rec_level before = w->budget.level;
	gint64 now = g_get_monotonic_time();

	if (now - w->counted < COUNT_US)
		return true;
	w->counted = now;
	w->result->events = count_events(w);
	return !rec_budget_look(&w->budget, w->result->events) || set_level(w, before, error);
}

/* ---- life ---- */

/* The events of each level. */
static void choose_events(struct watch *w, GPtrArray *levels[REC_LEVEL_PAUSED])
{
	g_autoptr(GPtrArray) own = rec_meter_events(w->meter);
	const unsigned questions[] = { w->wish->questions, w->wish->questions & MDL_ASKS_CPU };

	for (unsigned level = 0; level < REC_LEVEL_PAUSED; level++) {
		GPtrArray *events = level < G_N_ELEMENTS(questions)
			? rec_ftrace.events(questions[level])
			: rec_tracefs_events("sched:sched_switch,sched:sched_waking");

		for (guint i = 0; i < own->len; i++)
			if (!g_ptr_array_find_with_equal_func(events, own->pdata[i], g_str_equal, NULL))
				g_ptr_array_add(events, g_strdup(own->pdata[i]));
		levels[level] = events;
	}
}

static void tell_start(struct watch *w)
{
	struct utsname u = { .sysname = "" };
	g_autofree char *now = now_fields(), *fields = NULL, *host = NULL, *kernel = NULL;

	uname(&u);
	host = base_text_clean(u.nodename, -1);
	kernel = base_text_clean(u.release, -1);
	w->told_wall = wall_now();
	fields = g_strdup_printf("%s\thost=%s\tkernel=%s", now, host, kernel);
	watch_line(w, "start", fields);
}

static bool set_rings(struct watch *w, GError **error)
{
	uint64_t memory = rec_plan_memory(), ring = w->wish->ring;

	w->buffer = ring ? ring / w->cpus : CLAMP(memory / SHARE_OF_MEMORY / w->cpus, RING_LEAST, RING);
	if (w->buffer < RING_LEAST)
		return base_error_false(error, BASE_ERROR_USAGE,
			"--flight: %" PRIu64 " bytes are too few for %u CPU%s: type at least %" PRIu64 "K",
			ring, w->cpus, base_text_s(w->cpus), w->cpus * (RING_LEAST >> 10));
	return ring <= memory / 4 ||
		base_error_false(error, BASE_ERROR_USAGE,
			"--flight: two rings of %" PRIu64
			" MiB are more than half of the free memory: type a smaller size",
			ring >> 20);
}

/* True if CLOCK_MONOTONIC of this process is that of the kernel's events (time_namespaces(7)). */
static bool has_clock_of_kernel(void)
{
	g_autofree char *text = NULL;
	int64_t seconds, ns;

	return !g_file_get_contents("/proc/self/timens_offsets", &text, NULL, NULL) ||
		sscanf(text, "monotonic %" SCNd64 " %" SCNd64, &seconds, &ns) != 2 ||
		(seconds == 0 && ns == 0);
}

const char *rec_watch_problem(void)
{
	const char *problem = rec_tracefs_problem();

	if (!problem && !has_clock_of_kernel())
		problem =
			"this time namespace has its own CLOCK_MONOTONIC, and events use the kernel's: watch outside of it";
	return problem;
}

static bool watch_begin(struct watch *w, GError **error)
{
	const struct rec_watch_wish *wish = w->wish;
	const char *problem = rec_watch_problem();
	GPtrArray *events[REC_LEVEL_PAUSED];

	if (problem) {
		g_set_error_literal(error, BASE_ERROR, BASE_ERROR_IO, problem);
		return false;
	}
	w->cpus = (unsigned)MAX(sysconf(_SC_NPROCESSORS_CONF), 1);
	if (!set_rings(w, error))
		return false;
	w->keep = wish->folder ? rec_keep_new(wish->folder, wish->keep, wish->disk, error) : NULL;
	if (wish->folder && !w->keep)
		return false;
	rec_budget_init(&w->budget, wish->cpu, (unsigned)MAX(sysconf(_SC_NPROCESSORS_ONLN), 1), w->name);
	/* The meter is made first, for its events, but measures last, so that all its cases are in a ring. */
	w->meter = rec_meter_new(w->name, wish->untils, wish->n, false, error);
	if (!w->meter || !rec_meter_pause(w->meter, true, error))
		return false;
	w->cases = rec_cases_new(wish, w->meter, w->keep);
	choose_events(w, events);
	w->rings = rec_rings_new(w->name, w->buffer, w->cpus, events, error);
	if (!w->rings || !rec_rings_set_level(w->rings, REC_LEVEL_ALL, error))
		return false;
	w->started = w->told = g_get_monotonic_time();
	return rec_meter_pause(w->meter, false, error);
}

static bool watch_is_over(const struct watch *w)
{
	const struct rec_watch_wish *wish = w->wish;

	return base_stop_signal() || (wish->ends && wish->ends(wish->context)) ||
		(wish->duration > 0 && (g_get_monotonic_time() - w->started) * 1000 >= wish->duration);
}

static bool watch_go_on(struct watch *w, GError **error)
{
	while (!watch_is_over(w)) {
		bool is_paused = w->budget.level == REC_LEVEL_PAUSED;

		g_usleep(is_paused ? PAUSED_US : LOOK_US);
		if (!is_paused) {
			if (!look_at_cases(w, error))
				return false;
			look_at_saves(w);
		}
		if (g_get_monotonic_time() - w->told >= SEEN_US)
			tell_seen(w);
		if (!look_at_budget(w, error))
			return false;
	}
	return true;
}

static void watch_finish(struct watch *w)
{
	g_autofree char *fields = NULL;

	if (w->budget.level != REC_LEVEL_PAUSED)
		(void)!save_rest(w, NULL);
	tell_seen(w);
	fields = now_fields();
	watch_line(w, "end", fields);
	w->result->events = count_events(w);
	w->result->cases = rec_cases_count(w->cases);
}

static void watch_close(struct watch *w)
{
	rec_cases_free(w->cases);
	if (w->meter)
		rec_meter_free(w->meter);
	rec_rings_free(w->rings);
	rec_keep_free(w->keep);
	g_free(w->name);
}

/* Remove the leftovers of killed recordings, also of "record".  Those in use stay; the watch goes on. */
static void clean_left(const struct rec_watch_wish *wish)
{
	const struct rec_tracer *const of_tracefs[] = { &rec_ftrace, &rec_perf }; /* instances, probes */

	for (gsize i = 0; i < G_N_ELEMENTS(of_tracefs); i++) {
		g_autoptr(GError) problem = NULL;

		if (!of_tracefs[i]->clean(&problem) && wish->say)
			wish->say(wish->context, problem->message);
	}
}

bool rec_watch_run(const struct rec_watch_wish *wish, struct rec_watch_result *result, GError **error)
{
	struct watch w = { .wish = wish, .result = result, .name = rec_name_new() };
	double cpu = 0;
	bool ok;

	*result = (struct rec_watch_result){ .hits = 0 };
	clean_left(wish);
	ok = watch_begin(&w, error);
	if (ok) {
		cpu = rec_budget_cpu();
		tell_start(&w);
		if (wish->ready)
			wish->ready(wish->context, &w.budget);
		ok = watch_go_on(&w, error);
		watch_finish(&w);
		result->signal = base_stop_signal();
		result->seconds = (double)(g_get_monotonic_time() - w.started) / 1e6;
		result->cpu = rec_budget_cpu() - cpu;
	}
	watch_close(&w);
	return ok;
}
