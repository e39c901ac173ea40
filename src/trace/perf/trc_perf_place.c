/* SPDX-License-Identifier: MIT */
#include "trace/perf/trc_perf_head.h"

#include "base/base_time.h"

static int64_t perf_place_time_of(const struct trc_perf_head *h, uint64_t clock)
{
	return base_time_near((int64_t)MIN(clock, (uint64_t)BASE_TIME_FARTHEST) +
		(h->has_wall ? base_time_near(h->zero) : 0));
}

/* Return the CPU of R, which has none, by its event ID or its thread; TRC_PERF_CPUS_MAX: unknown. */
static uint32_t cpu_without(const struct trc_perf_head *h, const struct trc_perf_record *r, uint64_t id)
{
	guint cpu = h->cpus ? GPOINTER_TO_UINT(g_hash_table_lookup(h->cpus, GSIZE_TO_POINTER(id))) : 0;
	int64_t tid = h->slots ? trc_perf_place_by(h, r, NULL) : -1;

	if (tid > 0)
		cpu = GPOINTER_TO_UINT(g_hash_table_lookup(h->slots, GSIZE_TO_POINTER(tid)));
	if (h->slots)
		return MAX(cpu, 1) - 1;
	return cpu > 0 ? cpu - 1 : TRC_PERF_CPUS_MAX;
}

static enum trc_perf_use place_sample(const struct trc_perf_head *h, const struct trc_perf_record *r,
	struct trc_perf_place *place)
{
	const struct trc_bytes *b = &r->data;
	uint64_t id = h->id != TRC_PERF_NOWHERE && b->size >= h->id + 8
		? trc_bytes_number(b->data + h->id, 8, b->big)
		: 0;
	const struct trc_perf_attr *a = trc_perf_head_attr(h, id);

	if (!a)
		return TRC_PERF_STRANGER;
	if (!(a->is_usable || a->is_counter) || b->size < a->fixed)
		return TRC_PERF_NO_USE;
	place->attr = a;
	place->time = perf_place_time_of(h, trc_bytes_number(b->data + a->time, 8, b->big));
	place->cpu = a->cpu != TRC_PERF_NOWHERE ? (uint32_t)trc_bytes_number(b->data + a->cpu, 4, b->big)
						: cpu_without(h, r, id);
	return place->cpu < TRC_PERF_CPUS_MAX ? TRC_PERF_EVENT : TRC_PERF_NO_USE;
}

/* Return the number of N bytes that begins BACK bytes before the end of B. */
static uint64_t number_back(const struct trc_bytes *b, unsigned back, unsigned n)
{
	return trc_bytes_number(b->data + b->size - back, n, b->big);
}

/* Return the event id of B, which is no sample; 0: it has none. */
static uint64_t id_of_other(const struct trc_perf_head *h, const struct trc_bytes *b)
{
	return h->other_id != TRC_PERF_NOWHERE && b->size >= TRC_PERF_HEAD + h->other_id
		? number_back(b, h->other_id, 8)
		: 0;
}

/* Return the attr of B, which is no sample, by its id; NULL: it has none. */
static const struct trc_perf_attr *named_by(const struct trc_perf_head *h, const struct trc_bytes *b)
{
	uint64_t id = id_of_other(h, b);

	return id != 0 ? trc_perf_head_attr(h, id) : NULL;
}

/* Return an attr with the place of the time in B, no sample: its own, else any, because then all agree. */
static const struct trc_perf_attr *attr_of_other(const struct trc_perf_head *h, const struct trc_bytes *b)
{
	const struct trc_perf_attr *a = named_by(h, b);

	return a ? a : &g_array_index(h->attrs, struct trc_perf_attr, 0);
}

static enum trc_perf_use place_other(const struct trc_perf_head *h, const struct trc_perf_record *r,
	struct trc_perf_place *place)
{
	const struct trc_bytes *b = &r->data;
	const struct trc_perf_attr *a = attr_of_other(h, b);
	uint64_t clock = 0;

	place->cpu = 0;
	if (a->has_others && a->other_time != TRC_PERF_NOWHERE &&
		(a->other_cpu != TRC_PERF_NOWHERE || h->cpus) && b->size >= TRC_PERF_HEAD + a->other_time) {
		clock = number_back(b, a->other_time, 8);
		if (a->other_cpu != TRC_PERF_NOWHERE)
			place->cpu = (uint32_t)number_back(b, a->other_cpu, 4);
		else if (clock != 0 && clock != UINT64_MAX)
			place->cpu = cpu_without(h, r, id_of_other(h, b));
		if (a->other_cpu == TRC_PERF_NOWHERE && place->cpu == TRC_PERF_CPUS_MAX) {
			clock = 0; /* the thread in it remains valid */
			place->cpu = 0;
		}
	}
	place->time = perf_place_time_of(h, clock);
	if (place->cpu >= TRC_PERF_CPUS_MAX)
		return TRC_PERF_NO_USE;
	if (clock != 0 && clock != UINT64_MAX)
		return TRC_PERF_ASIDE;
	return r->type == TRC_PERF_LOST || r->type == TRC_PERF_EXIT ? TRC_PERF_NO_USE : TRC_PERF_TASK;
}

/* Return the thread that wrote R, `current` (__perf_event_header__init_id(), kernel/events/core.c); -1:
 * unknown. *PID: its process. At the end of a record the thread's numbers come directly before the time. */
int64_t trc_perf_place_by(const struct trc_perf_head *h, const struct trc_perf_record *r, int64_t *pid)
{
	const struct trc_bytes *b = &r->data;
	const struct trc_perf_attr *a;
	int32_t tid = -1;

	if (r->type == TRC_PERF_SAMPLE) {
		a = &g_array_index(h->attrs, struct trc_perf_attr, 0); /* all have it in one place */
		return a->tid != TRC_PERF_NOWHERE && b->size >= a->tid + 8
			? (int32_t)trc_bytes_number(b->data + a->tid + 4, 4, b->big)
			: -1;
	}
	a = attr_of_other(h, b);
	if (a->has_others && a->tid != TRC_PERF_NOWHERE && a->other_time != TRC_PERF_NOWHERE &&
		b->size >= TRC_PERF_HEAD + a->other_time + 8)
		tid = (int32_t)number_back(b, a->other_time + 4, 4);
	if (pid)
		*pid = tid >= 0 ? (int32_t)number_back(b, a->other_time + 8, 4) : -1;
	return tid;
}

int64_t trc_perf_place_tid(const struct trc_perf_head *h, const struct trc_perf_record *r)
{
	int64_t tid = trc_perf_place_by(h, r, NULL);

	return tid > 0 ? tid : -1;
}

static enum trc_perf_use place_switch(const struct trc_perf_head *h, const struct trc_perf_record *r,
	struct trc_perf_place *place)
{
	place->attr = r->type == TRC_PERF_SWITCH ? &h->own : &h->wide;
	return place_other(h, r, place) == TRC_PERF_ASIDE ? TRC_PERF_EVENT : TRC_PERF_NO_USE;
}

enum trc_perf_use trc_perf_place(const struct trc_perf_head *h, const struct trc_perf_record *r,
	struct trc_perf_place *place)
{
	if (r->type == TRC_PERF_SAMPLE)
		return place_sample(h, r, place);
	if (r->type == TRC_PERF_FORK || r->type == TRC_PERF_COMM || r->type == TRC_PERF_LOST ||
		(r->type == TRC_PERF_EXIT && h->own.tells_switches))
		return place_other(h, r, place);
	if (r->type == TRC_PERF_SWITCH || (r->type == TRC_PERF_SWITCH_CPU_WIDE && h->reads_wide))
		return place_switch(h, r, place);
	return TRC_PERF_NO_USE;
}

uint32_t trc_perf_place_told(const struct trc_perf_head *h, const struct trc_perf_record *r, uint64_t *lost)
{
	struct trc_bytes b = r->data;
	const struct trc_perf_attr *a = attr_of_other(h, &b), *of = named_by(h, &b);

	*lost = trc_bytes_take_number(&b, 8);
	/* Events that a filter left out are no loss. Nor are events of a kind that is not read, as cycles. */
	if (r->misc & TRC_PERF_LOST_FILTERED || (of && !of->is_usable))
		return TRC_PERF_CPUS_MAX;
	if (!a->has_others || a->other_cpu == TRC_PERF_NOWHERE || b.size < 16 + a->other_cpu)
		return TRC_PERF_CPUS_MAX;
	return (uint32_t)MIN(number_back(&b, a->other_cpu, 4), TRC_PERF_CPUS_MAX);
}

/* ---- CPUs of records that have none ---- */

/* True if all records have their CPU. *SOME: samples of some attrs have it. */
static bool have_cpus(const struct trc_perf_head *h, bool *some)
{
	bool all = true;

	*some = false;
	for (guint i = 0; i < h->attrs->len; i++) {
		const struct trc_perf_attr *a = &g_array_index(h->attrs, struct trc_perf_attr, i);

		all &= a->cpu != TRC_PERF_NOWHERE || !(a->is_counter || a->tells_switches);
		*some |= a->cpu != TRC_PERF_NOWHERE;
	}
	return all;
}

static void note_cpus(struct trc_perf_head *h, struct trc_bytes *b)
{
	uint64_t n = trc_bytes_take_number(b, 8);

	for (; n > 0 && b->size - b->at >= 32; n--) {
		uint64_t id = trc_bytes_take_number(b, 8), cpu;

		trc_bytes_take(b, 8);
		cpu = trc_bytes_take_number(b, 8);
		trc_bytes_take(b, 8);
		if (cpu < TRC_PERF_CPUS_MAX && id != 0)
			g_hash_table_insert(h->cpus, GSIZE_TO_POINTER(id), GUINT_TO_POINTER(cpu + 1));
	}
}

/*
 * perf record opens the events of one program on each CPU, so the id of an event gives its CPU. With one
 * event only, or if it is opened per thread (perf record --per-thread), nothing gives the CPU. Then each
 * thread is shown on a CPU of its own.
 */
void trc_perf_place_find_cpus(struct trc_perf_head *h)
{
	struct trc_perf_record r;
	uint64_t at = h->begin;
	bool some, has_ids = h->other_id != TRC_PERF_NOWHERE;

	if (have_cpus(h, &some))
		return;
	h->cpus = g_hash_table_new(NULL, NULL);
	while (trc_perf_head_next(h, &at, &r) && r.type != TRC_PERF_SAMPLE)
		if (r.type == TRC_PERF_ID_INDEX)
			note_cpus(h, &r.data);
	if (some || (has_ids && g_hash_table_size(h->cpus) > 0))
		return;
	h->slots = g_hash_table_new(NULL, NULL);
	at = h->begin;
	while (trc_perf_head_next(h, &at, &r)) {
		guint n = g_hash_table_size(h->slots);
		struct trc_perf_place place;
		int64_t tid;

		if (n + 1 >= TRC_PERF_CPUS_MAX || trc_perf_place(h, &r, &place) == TRC_PERF_NO_USE)
			continue;
		tid = trc_perf_place_by(h, &r, NULL);
		if (tid > 0 && !g_hash_table_contains(h->slots, GSIZE_TO_POINTER(tid)))
			g_hash_table_insert(h->slots, GSIZE_TO_POINTER(tid), GUINT_TO_POINTER(n + 1));
	}
}
