/* SPDX-License-Identifier: MIT */
/*
 * The kernel takes the events of a CPU that goes off-line from it (perf_event_exit_cpu_context(),
 * kernel/events/core.c), and perf record does not ask for them again when it comes back; of one that came
 * first while perf was at work it asked for none.  What it does from then on is not in the file, and nothing
 * says so.
 *
 * How it works: who is woken for a CPU, or moved to it, runs there soon; where it was idle, a switch follows
 * at once.  So a CPU that was meant long before the end of the file, and has no record behind that, is
 * silent.
 */
#include "trace/perf/trc_perf_silent.h"

#include "base/base_time.h"

#define SOON 10000000 /* ns: the end of the file may come before who was woken runs */

struct trc_perf_silent {
	const struct trc_perf_head *head; /* weak */
	unsigned *at;   /* owned: of each attr, where in its record the CPU is that is meant; 0:
			   none is */
	int64_t *meant; /* owned: of each CPU, when it was last; BASE_TIME_NONE never */
};

/* Where EVENT names the CPU that a thread is to run on. */
static unsigned place_of(const struct trc_format_event *event)
{
	static const char *const names[][2] = { { "sched:sched_waking", "target_cpu" },
		{ "sched:sched_wakeup", "target_cpu" }, { "sched:sched_wakeup_new", "target_cpu" },
		{ "sched:sched_migrate_task", "dest_cpu" } };
	const struct trc_format_field *field = NULL;

	for (size_t i = 0; event && i < G_N_ELEMENTS(names); i++)
		if (g_str_equal(event->name, names[i][0]))
			field = trc_format_event_field(event, names[i][1]);
	return field && field->shape == TRC_FORMAT_NUMBER && field->size == 4 ? field->offset : 0;
}

struct trc_perf_silent *trc_perf_silent_new(const struct trc_perf_head *h)
{
	struct trc_perf_silent *silent = g_new(struct trc_perf_silent, 1);

	silent->head = h;
	silent->at = g_new(unsigned, h->attrs->len + 1);
	silent->meant = g_new(int64_t, TRC_PERF_CPUS_MAX);
	for (guint i = 0; i < h->attrs->len; i++)
		silent->at[i] = place_of(g_array_index(h->attrs, struct trc_perf_attr, i).event);
	for (uint32_t i = 0; i < TRC_PERF_CPUS_MAX; i++)
		silent->meant[i] = BASE_TIME_NONE;
	return silent;
}

void trc_perf_silent_free(struct trc_perf_silent *silent)
{
	g_free(silent->at);
	g_free(silent->meant);
	g_free(silent);
}

/* The CPU that R, an event of A, means; TRC_PERF_CPUS_MAX: none. */
static uint32_t meant_by(const struct trc_perf_silent *silent, const struct trc_perf_record *r,
	const struct trc_perf_attr *a)
{
	unsigned at = silent->at[a - (const struct trc_perf_attr *)(const void *)silent->head->attrs->data];
	struct trc_perf_sample sample;

	if (at == 0)
		return TRC_PERF_CPUS_MAX;
	trc_perf_sample_read(a, &r->data, &sample);
	if (!sample.record.data || sample.record.size < at + 4)
		return TRC_PERF_CPUS_MAX;
	return MIN((uint32_t)trc_bytes_number(sample.record.data + at, 4, sample.record.big),
		TRC_PERF_CPUS_MAX);
}

void trc_perf_silent_note(struct trc_perf_silent *silent, const struct trc_perf_record *r,
	const struct trc_perf_place *place)
{
	uint32_t cpu = meant_by(silent, r, place->attr);

	if (cpu < TRC_PERF_CPUS_MAX)
		silent->meant[cpu] = MAX(silent->meant[cpu], place->time);
}

/* Of each CPU, when its last event in the file of S was; BASE_TIME_NONE: it has none.  Of those that are
 * known not to be recorded it is the end.  The caller frees. */
static int64_t *last_of(const struct trc_perf_survey *s)
{
	int64_t *last = g_new(int64_t, TRC_PERF_CPUS_MAX);

	for (uint32_t cpu = 0; cpu < TRC_PERF_CPUS_MAX; cpu++)
		last[cpu] = BASE_TIME_NONE;
	for (guint i = 0; i < s->absent->len; i++)
		last[g_array_index(s->absent, uint32_t, i)] = s->last;
	for (guint i = 0; i < s->cpus->len; i++) {
		const struct trc_perf_cpu *c = g_ptr_array_index(s->cpus, i);

		last[c->cpu] = g_array_index(c->parts, struct trc_perf_part, c->parts->len - 1).last;
	}
	return last;
}

/* Is any CPU meant behind its LAST event, which is not at the very end? */
static bool may_be_one(const struct trc_perf_silent *silent, const struct trc_perf_survey *s,
	const int64_t *last)
{
	for (uint32_t cpu = 0; cpu < TRC_PERF_CPUS_MAX; cpu++)
		if (silent->meant[cpu] > last[cpu] && last[cpu] < s->last - SOON)
			return true;
	return false;
}

void trc_perf_silent_find(const struct trc_perf_silent *silent, struct trc_perf_survey *s)
{
	int64_t *last = last_of(s);
	bool *found = g_new0(bool, TRC_PERF_CPUS_MAX);
	uint64_t at = s->head->begin;
	struct trc_perf_record r;
	struct trc_perf_place place;
	/* Most files have none, and are not looked through again. */
	bool any = may_be_one(silent, s, last);

	while (any && trc_perf_record_next(&s->head->bytes, &at, s->head->end, &r)) {
		uint32_t cpu = trc_perf_place(s->head, &r, &place) == TRC_PERF_EVENT &&
				place.time <= s->last - SOON
			? meant_by(silent, &r, place.attr)
			: TRC_PERF_CPUS_MAX;

		if (cpu < TRC_PERF_CPUS_MAX && place.time > last[cpu])
			found[cpu] = true;
	}
	for (guint i = 0; i < s->cpus->len; i++) {
		struct trc_perf_cpu *c = g_ptr_array_index(s->cpus, i);

		c->silent = found[c->cpu];
		found[c->cpu] = false;
	}
	for (uint32_t cpu = 0; cpu < TRC_PERF_CPUS_MAX; cpu++)
		if (found[cpu])
			g_array_append_val(s->absent, cpu);
	g_free(found);
	g_free(last);
}
