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

/* Is CPU, whose last event in the file of S is that of time LAST, meant later, and not only at the very end?
 */
static bool is_silent(const struct trc_perf_silent *silent, const struct trc_perf_survey *s, uint32_t cpu,
	int64_t last)
{
	uint64_t at = s->head->begin;
	struct trc_perf_record r;
	struct trc_perf_place place;

	if (silent->meant[cpu] <= last)
		return false;
	while (trc_perf_record_next(&s->head->bytes, &at, s->head->end, &r))
		if (trc_perf_place(s->head, &r, &place) == TRC_PERF_EVENT && place.time > last &&
			place.time <= s->last - SOON && meant_by(silent, &r, place.attr) == cpu)
			return true;
	return false;
}

void trc_perf_silent_find(const struct trc_perf_silent *silent, struct trc_perf_survey *s)
{
	g_autofree bool *known = g_new0(bool, TRC_PERF_CPUS_MAX);

	for (guint i = 0; i < s->absent->len; i++)
		known[g_array_index(s->absent, uint32_t, i)] = true;
	for (guint i = 0; i < s->cpus->len; i++) {
		struct trc_perf_cpu *c = g_ptr_array_index(s->cpus, i);
		const GArray *parts = c->parts;

		known[c->cpu] = true;
		c->silent = is_silent(silent, s, c->cpu,
			g_array_index(parts, struct trc_perf_part, parts->len - 1).last);
	}
	for (uint32_t cpu = 0; cpu < TRC_PERF_CPUS_MAX; cpu++)
		if (!known[cpu] && silent->meant[cpu] != BASE_TIME_NONE &&
			is_silent(silent, s, cpu, BASE_TIME_NONE))
			g_array_append_val(s->absent, cpu);
}
