/* SPDX-License-Identifier: MIT */
#include "ingest/ing_feed.h"

#include "base/base_error.h"
#include "base/base_time.h"
#include "model/event/tracer.h"

#define STOP_EVERY 16 /* batches */
#define RENAMES_MOST 100000

#define GONE_OVER_SHARE 4 /* the budget pays for so many visited threads as for a byte of memory */

/* True if the clock NAME runs on while time-keeping is stopped: CLOCK_BOOTTIME, CLOCK_TAI and CLOCK_REALTIME
 * get that time added (__timekeeping_inject_sleeptime(), kernel/time/timekeeping.c). */
static bool goes_on(const char *name)
{
	static const char *const names[] = { "boot", "boottime", "tai", "realtime" };

	for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
		if (g_str_equal(name, names[i]))
			return true;
	return false;
}

/* For mdl_machine_calls_of(). */
static bool has_calls(const void *mark, int64_t tid)
{
	return trc_cut_mark_has_calls(mark, tid);
}

/* For mdl_machine_cut(). */
static bool was_passed(const void *mark, int64_t tid, int64_t since)
{
	return trc_cut_mark_passed(mark, tid, since);
}

void ing_feed_init(struct ing_feed *f, const struct trc_reader *reader, const GArray *firsts,
	const struct ing_absent *absent, const struct mdl_sink *sink, void *data)
{
	const struct trc_info *info = trc_reader_info(reader);
	struct mdl_coverage *coverage;

	*f = (struct ing_feed){ .info = info,
		.firsts = firsts,
		.from = BASE_TIME_NONE,
		.to = BASE_TIME_NONE,
		.lost = g_array_new(FALSE, FALSE, sizeof(struct mdl_event)),
		.renames = g_array_new(FALSE, FALSE, sizeof(struct mdl_event)),
		.budget = { .left = UINT64_MAX } };
	if (!info->grows)
		f->budget = trc_budget_of(info->size);
	f->machine = mdl_machine_new(sink, data, info->release);
	if (*info->machine)
		mdl_machine_kind(f->machine, info->machine);
	coverage = mdl_machine_coverage(f->machine);
	if (info->preempt_rt)
		mdl_coverage_is_rt(coverage);
	if (info->may_be_rt)
		mdl_coverage_may_be_rt(coverage);
	mdl_coverage_declare(coverage, info->classes, info->declares_more, trc_reader_cpu_count(reader));
	mdl_coverage_machine(coverage, info->classes, info->release, info->machine,
		mdl_tracer_of(info->tracer)->dumps);
	ing_absent_init(&f->absent, reader, absent);
	for (guint i = 0; i < f->absent.cpus->len; i++) {
		struct mdl_event gap = { .kind = MDL_EV_GAP_BEGIN,
			.cpu = g_array_index(f->absent.cpus, uint32_t, i) };

		mdl_event_no_args(&gap);
		g_array_append_val(f->lost, gap);
	}
	for (guint i = 0; i < f->absent.cpus->len + f->absent.named->len; i++)
		mdl_coverage_other_cpu(coverage);
	if (g_str_equal(info->clock_name, "monotonic") && info->clock_frequency == 1000000000)
		mdl_machine_clock(f->machine, info->clock_zero);
	if (goes_on(info->clock_name))
		mdl_machine_clock_goes_on(f->machine);
	for (guint i = 0; i < info->saved->len; i++) {
		const struct trc_saved *s = &g_array_index(info->saved, struct trc_saved, i);

		mdl_machine_saved(f->machine, s->tid, s->pid, s->name);
	}
	if (!(coverage->declared & (uint64_t)1 << MDL_GROUP_SWITCH))
		mdl_machine_lacks_switches(f->machine);
	if (g_str_has_prefix(info->tracer, "lttng"))
		mdl_machine_names_nobody(f->machine);
	if (info->cut.whole != INT64_MIN)
		mdl_machine_cut(f->machine, info->cut.whole, was_passed, &info->cut);
	if (info->cut.callers)
		mdl_machine_calls_of(f->machine, has_calls, &info->cut);
	if (info->away_only)
		mdl_machine_set_away_only(f->machine);
}

static void forget_renames(struct ing_feed *f)
{
	for (guint i = 0; i < f->renames->len; i++)
		g_free((char *)(uintptr_t)g_array_index(f->renames, struct mdl_event, i).text[0]);
	g_array_set_size(f->renames, 0);
}

void ing_feed_clear(struct ing_feed *f)
{
	mdl_machine_free(f->machine);
	g_array_unref(f->lost);
	ing_absent_clear(&f->absent);
	forget_renames(f);
	g_array_unref(f->renames);
}

/* E comes before the first event: keep a rename. perf records the exec of a program before its other
 * events. */
static void note_rename(struct ing_feed *f, const struct mdl_event *e)
{
	struct mdl_event rename = *e;

	if (!f->info->some_threads || e->kind != MDL_EV_SCHED_RENAME || !e->text[0] ||
		f->renames->len == RENAMES_MOST)
		return;
	rename.text[0] = g_strndup(e->text[0], MDL_COMM - 1);
	rename.padded = false;
	g_array_append_val(f->renames, rename);
}

/* E comes before the first event.  Gaps that end before it do not matter: keep only those still open. */
static void note_lost(struct ing_feed *f, const struct mdl_event *e)
{
	if (e->kind == MDL_EV_GAP_BEGIN)
		g_array_append_val(f->lost, *e);
	for (guint i = 0; e->kind == MDL_EV_GAP_END && i < f->lost->len; i++) {
		if (g_array_index(f->lost, struct mdl_event, i).cpu != e->cpu)
			continue;
		g_array_remove_index(f->lost, i);
		return;
	}
}

/* Begin at TIME, the time of the first event. */
static void feed_begin(struct ing_feed *f, int64_t time)
{
	f->from = time;
	mdl_machine_begin(f->machine, time);
	for (guint i = 0; i < f->lost->len; i++) {
		struct mdl_event *gap = &g_array_index(f->lost, struct mdl_event, i);

		gap->time = time;
		mdl_machine_event(f->machine, gap);
	}
	for (guint i = 0; i < f->renames->len; i++) {
		struct mdl_event *rename = &g_array_index(f->renames, struct mdl_event, i);

		rename->time = time;
		mdl_machine_event(f->machine, rename);
	}
	forget_renames(f);
}

/* CPU was found to be absent: tell the model. */
static void feed_absent(struct ing_feed *f, uint32_t cpu)
{
	struct mdl_event gap = { .kind = MDL_EV_GAP_BEGIN, .cpu = cpu, .time = f->to };

	mdl_event_no_args(&gap);
	mdl_coverage_other_cpu(mdl_machine_coverage(f->machine));
	mdl_machine_event(f->machine, &gap);
}

static void feed(struct ing_feed *f, const struct mdl_event *e)
{
	guint named = f->absent.named->len;
	uint32_t absent;

	if (f->from == BASE_TIME_NONE && e->rank == 0) {
		note_lost(f, e);
		note_rename(f, e);
		return;
	}
	if (f->from == BASE_TIME_NONE)
		feed_begin(f, e->time);
	for (; f->first < f->firsts->len &&
		g_array_index(f->firsts, struct mdl_event, f->first).time <= e->time;
		f->first++)
		mdl_machine_event(f->machine, &g_array_index(f->firsts, struct mdl_event, f->first));
	f->to = e->time;
	f->events = MAX(f->events, e->rank);
	if (e->kind != MDL_EV_NONE)
		mdl_machine_event(f->machine, e);
	absent = ing_absent_see(&f->absent, e);
	if (absent != MDL_NONE)
		feed_absent(f, absent);
	if (f->absent.named->len > named)
		mdl_coverage_other_cpu(mdl_machine_coverage(f->machine));
	if (mdl_machine_gone_over(f->machine) != f->gone_over) {
		trc_budget_spend(&f->budget,
			(mdl_machine_gone_over(f->machine) - f->gone_over) / GONE_OVER_SHARE,
			"it has more threads and gaps than its size has room for");
		f->gone_over = mdl_machine_gone_over(f->machine);
	}
}

void ing_feed_events(struct ing_feed *f, const struct mdl_event *events, int n,
	const struct ing_feed_hooks *hooks, void *data)
{
	for (int i = 0; i < n && !f->budget.refused; i++) {
		if (hooks->time && events[i].rank % TRC_EVENT_STEP == 1)
			hooks->time(data, events[i].time);
		feed(f, &events[i]);
	}
}

/* True if the budget has room for the rows so far; otherwise false with BASE_ERROR_REFUSED. */
static bool has_room(struct ing_feed *f, GError **error)
{
	uint64_t memory = mdl_machine_memory(f->machine);

	trc_budget_spend(&f->budget, memory - f->memory,
		"it tells of more threads and CPUs than its size has room for");
	f->memory = memory;
	if (f->budget.refused)
		trc_budget_set_error(&f->budget, f->info->path, error);
	return !f->budget.refused;
}

static bool feed_ahead(struct ing_feed *f, struct trc_ahead *ahead, const struct ing_feed_hooks *hooks,
	void *data, GError **error)
{
	const struct mdl_event *events;
	unsigned batches = 0;
	int n;

	while ((n = trc_ahead_read(ahead, &events, error)) != 0) {
		if (n < 0)
			return false;
		ing_feed_events(f, events, n, hooks, data);
		if (!has_room(f, error))
			return false;
		if (hooks->batch)
			hooks->batch(data, ahead);
		if (++batches % STOP_EVERY == 0 && hooks->stop(data, error))
			return false;
	}
	if (hooks->batch)
		hooks->batch(data, ahead);
	return !hooks->stop(data, error);
}

void ing_feed_end(struct ing_feed *f)
{
	f->to = MAX(f->to, f->info->last);   /* the last events may be of no use to the model */
	f->to = MAX(f->to, f->info->cut.to); /* in a cut all is known up to there */
}

bool ing_feed_all(struct ing_feed *f, struct trc_reader *reader, const struct ing_feed_hooks *hooks,
	void *data, GError **error)
{
	struct trc_ahead *ahead = trc_ahead_new(reader);
	bool ok = feed_ahead(f, ahead, hooks, data, error);

	trc_ahead_free(ahead);
	ing_feed_end(f);
	return ok;
}

double ing_feed_share(const struct ing_feed *f)
{
	double all = (double)f->info->end - (double)f->info->begin;

	if (f->info->begin == BASE_TIME_NONE || all <= 0 || f->to == BASE_TIME_NONE)
		return 0;
	return ((double)f->to - (double)f->info->begin) / all;
}

bool ing_feed_is_whole(const struct ing_feed *f, const struct trc_recording *recording,
	const char *fingerprint, GError **error)
{
	g_autofree char *now = f->info->problem ? NULL : trc_fingerprint(recording, error);
	bool same = now && g_str_equal(now, fingerprint);

	if (f->info->problem)
		g_propagate_error(error, g_error_copy(f->info->problem));
	if (now && !same)
		g_set_error(error, BASE_ERROR, BASE_ERROR_DATA,
			"%s: the trace changed while it was read: end its recording (lttng stop), or wait until it is copied, and try again",
			f->info->path);
	return same;
}
