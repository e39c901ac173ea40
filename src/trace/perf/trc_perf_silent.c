/* SPDX-License-Identifier: MIT */
/*
 * The kernel takes the events of a CPU that goes off-line from it (perf_event_exit_cpu_context(),
 * kernel/events/core.c), and perf record does not ask for them again when it comes back; of one that came
 * first while perf was at work it asked for none.  What it does from then on is not in the file, and nothing
 * says so.
 *
 * How it works: a CPU that somebody was put on (trc_aim.h) long before the end of the file, and that has no
 * record behind that, is silent.
 */
#include "trace/perf/trc_perf_silent.h"

#include "base/base_time.h"
#include "trace/tracefs/trc_aim.h"

#define SOON 10000000 /* ns: the end of the file may come before who was woken runs */

struct trc_perf_silent {
	int64_t meant[TRC_PERF_CPUS_MAX]; /* of each CPU, when it was last; BASE_TIME_NONE never */
};

struct trc_perf_silent *trc_perf_silent_new(void)
{
	struct trc_perf_silent *silent = g_new(struct trc_perf_silent, 1);

	for (uint32_t i = 0; i < TRC_PERF_CPUS_MAX; i++)
		silent->meant[i] = BASE_TIME_NONE;
	return silent;
}

void trc_perf_silent_free(struct trc_perf_silent *silent)
{
	g_free(silent);
}

uint32_t trc_perf_silent_meant(const struct trc_perf_attr *a, const struct trc_perf_sample *sample)
{
	return a->meant ? trc_aim_cpu(a->meant, &sample->record, TRC_PERF_CPUS_MAX) : TRC_PERF_CPUS_MAX;
}

/* The CPU that R, an event of A, means; TRC_PERF_CPUS_MAX: none. */
static uint32_t meant_by(const struct trc_perf_record *r, const struct trc_perf_attr *a)
{
	struct trc_perf_sample sample;

	if (!a->meant)
		return TRC_PERF_CPUS_MAX;
	trc_perf_sample_read(a, &r->data, &sample);
	return trc_perf_silent_meant(a, &sample);
}

void trc_perf_silent_note(struct trc_perf_silent *silent, const struct trc_perf_record *r,
	const struct trc_perf_place *place)
{
	uint32_t cpu = meant_by(r, place->attr);

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
			? meant_by(&r, place.attr)
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
