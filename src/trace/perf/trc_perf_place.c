/* SPDX-License-Identifier: MIT */
#include "trace/perf/trc_perf_head.h"

#include "base/base_time.h"

static int64_t perf_place_time_of(const struct trc_perf_head *h, uint64_t clock)
{
	return base_time_near((int64_t)MIN(clock, (uint64_t)BASE_TIME_FARTHEST) +
		(h->has_wall ? base_time_near(h->zero) : 0));
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
	if (!a->is_usable || b->size < a->fixed)
		return TRC_PERF_NO_USE;
	place->attr = a;
	place->time = perf_place_time_of(h, trc_bytes_number(b->data + a->time, 8, b->big));
	place->cpu = (uint32_t)trc_bytes_number(b->data + a->cpu, 4, b->big);
	return place->cpu < TRC_PERF_CPUS_MAX ? TRC_PERF_EVENT : TRC_PERF_NO_USE;
}

/* The number BACK bytes before the end of B. */
static uint64_t number_back(const struct trc_bytes *b, unsigned back, unsigned n)
{
	return trc_bytes_number(b->data + b->size - back, n, b->big);
}

/* The attr that B, which is no sample, names; NULL: none. */
static const struct trc_perf_attr *named_by(const struct trc_perf_head *h, const struct trc_bytes *b)
{
	return h->other_id != TRC_PERF_NOWHERE && b->size >= TRC_PERF_HEAD + h->other_id
		? trc_perf_head_attr(h, number_back(b, h->other_id, 8))
		: NULL;
}

/* What is no sample has times as that attr says, or any other, as all say the same then. */
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
	if (a->has_others && a->other_time != TRC_PERF_NOWHERE && a->other_cpu != TRC_PERF_NOWHERE &&
		b->size >= TRC_PERF_HEAD + a->other_time) {
		clock = number_back(b, a->other_time, 8);
		place->cpu = (uint32_t)number_back(b, a->other_cpu, 4);
	}
	place->time = perf_place_time_of(h, clock);
	if (place->cpu >= TRC_PERF_CPUS_MAX)
		return TRC_PERF_NO_USE;
	if (clock != 0 && clock != UINT64_MAX)
		return TRC_PERF_ASIDE;
	return r->type == TRC_PERF_LOST ? TRC_PERF_NO_USE : TRC_PERF_TASK;
}

/* Of the parts of a sample at its end the thread's numbers come right before the time; they are those of
 * `current` (__perf_event_header__init_id(), kernel/events/core.c). */
int64_t trc_perf_place_tid(const struct trc_perf_head *h, const struct trc_perf_record *r)
{
	const struct trc_bytes *b = &r->data;
	const struct trc_perf_attr *a = attr_of_other(h, b);
	int32_t tid = 0;

	if (a->has_others && a->tid != TRC_PERF_NOWHERE && a->other_time != TRC_PERF_NOWHERE &&
		b->size >= TRC_PERF_HEAD + a->other_time + 8)
		tid = (int32_t)number_back(b, a->other_time + 4, 4);
	return tid > 0 ? tid : -1;
}

enum trc_perf_use trc_perf_place(const struct trc_perf_head *h, const struct trc_perf_record *r,
	struct trc_perf_place *place)
{
	if (r->type == TRC_PERF_SAMPLE)
		return place_sample(h, r, place);
	if (r->type == TRC_PERF_FORK || r->type == TRC_PERF_COMM || r->type == TRC_PERF_LOST)
		return place_other(h, r, place);
	return TRC_PERF_NO_USE;
}

uint32_t trc_perf_place_told(const struct trc_perf_head *h, const struct trc_perf_record *r, uint64_t *lost)
{
	struct trc_bytes b = r->data;
	const struct trc_perf_attr *a = attr_of_other(h, &b), *of = named_by(h, &b);

	*lost = trc_bytes_take_number(&b, 8);
	/* What was left out, or is of an event of another kind, such as cycles, lacks nowhere. */
	if (r->misc & TRC_PERF_LOST_FILTERED || (of && !of->is_usable))
		return TRC_PERF_CPUS_MAX;
	if (!a->has_others || a->other_cpu == TRC_PERF_NOWHERE || b.size < 16 + a->other_cpu)
		return TRC_PERF_CPUS_MAX;
	return (uint32_t)MIN(number_back(&b, a->other_cpu, 4), TRC_PERF_CPUS_MAX);
}
