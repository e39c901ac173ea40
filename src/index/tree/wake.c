/* SPDX-License-Identifier: MIT */
#include "index/tree/leaf.h"

#include "base/base_varint.h"

#define RECORD_MAX (1 + (11 + 2 * MDL_CTX_MAX) * BASE_VARINT_MAX)

static void wake_write_leaf(struct idx_wake_writer *w, struct idx_out *o)
{
	struct idx_child child = { .count = w->count, .first = w->first, .end = w->last };

	child.sums[IDX_WAKE_EMPTY] = w->empty;
	if (!w->tree)
		w->tree = idx_tree_new(w->row);
	idx_tree_put_head(w->bytes.data, IDX_KIND_WAKEUPS, 0, w->count, w->row);
	idx_tree_add_leaf(w->tree, o, w->bytes.data, w->bytes.size, &child);
	w->count = 0;
}

static uint8_t *put_record(uint8_t *p, const struct mdl_wakeup *u, int64_t before, uint64_t rank,
	uint32_t cause)
{
	bool same = u->target_cpu == u->cpu, ran = u->ran_at != MDL_NEVER;
	bool apart = u->via != MDL_VIA_NONE && (u->event_time != u->time || u->event_cpu != u->cpu);

	*p++ = (uint8_t)(u->via | u->n_contexts << IDX_WAKE_CONTEXTS_SHIFT |
		(u->cause != 0 ? IDX_WAKE_CAUSE : 0) | (same ? IDX_WAKE_SAME_CPU : 0) |
		(ran ? IDX_WAKE_RAN : 0));
	p = base_varint_put(p, (uint64_t)u->time - (uint64_t)before);
	p = base_varint_put(p, u->since == MDL_NEVER ? 0 : (uint64_t)u->time - (uint64_t)u->since + 1);
	if (ran)
		p = base_varint_put(p, (uint64_t)u->ran_at - (uint64_t)u->time);
	p = base_varint_put(p, base_varint_zigzag((int64_t)(u->rank - rank)));
	if (u->cause != 0)
		p = base_varint_put(p, u->cause - cause - 1); /* causes ascend */
	p = base_varint_put(p, u->waker + 1u);
	p = base_varint_put(p, (uint64_t)(u->cpu + 1u) << 1 | apart);
	if (apart) {
		p = base_varint_put(p,
			base_varint_zigzag((int64_t)((uint64_t)u->time - (uint64_t)u->event_time)));
		p = base_varint_put(p, u->event_cpu + 1u);
	}
	if (!same)
		p = base_varint_put(p, u->target_cpu + 1u);
	for (unsigned i = 0; i < u->n_contexts; i++) {
		p = base_varint_put(p, u->contexts[i].context);
		p = base_varint_put(p, (uint64_t)u->time - (uint64_t)u->contexts[i].entry);
	}
	return p;
}

void idx_wake_writer_add(struct idx_wake_writer *w, struct idx_out *o, const struct mdl_wakeup *u)
{
	uint8_t record[RECORD_MAX];
	uint32_t size;

	if (w->count == IDX_LEAF_WAKEUPS)
		wake_write_leaf(w, o);
	if (w->count == 0) {
		w->first = w->last = u->time;
		w->rank = 0;
		w->cause = w->empty = 0;
		w->bytes.size = IDX_BLOCK_HEAD;
	}
	size = (uint32_t)(put_record(record, u, w->last, w->rank, w->cause) - record);
	memcpy(idx_bytes_reserve(&w->bytes, size), record, size);
	w->bytes.size += size;
	w->last = u->time;
	w->rank = u->rank;
	w->cause = u->cause != 0 ? u->cause : w->cause;
	w->empty += mdl_wakeup_is_empty(u);
	w->count++;
}

void idx_wake_writer_finish(struct idx_wake_writer *w, struct idx_out *o, struct idx_child *top)
{
	if (w->count > 0)
		wake_write_leaf(w, o);
	idx_tree_finish(w->tree, o, top);
}

/* Read the place of the wake-up, and the place and time of its event. */
static void get_place(struct base_varints *in, struct mdl_wakeup *u)
{
	uint64_t cpu = base_varints_get_up_to(in, UINT64_C(2) * UINT32_MAX + 1);

	u->cpu = (uint32_t)(cpu >> 1) - 1u;
	u->event_time = u->via == MDL_VIA_NONE ? MDL_NEVER : u->time;
	u->event_cpu = u->via == MDL_VIA_NONE ? MDL_NONE : u->cpu;
	if (!(cpu & 1))
		return;
	u->event_time = (int64_t)((uint64_t)u->time - (uint64_t)base_varint_unzigzag(base_varints_get(in)));
	u->event_cpu = (uint32_t)base_varints_get_up_to(in, UINT32_MAX) - 1u;
}

/* Read the times and the kind, which come first. Returns the flags for the rest; 0 if it is damaged. */
static unsigned get_times(struct base_varints *in, int64_t before, struct mdl_wakeup *u)
{
	unsigned flags;
	uint64_t since;

	if (!in->p || in->p == in->end) {
		in->p = NULL;
		return 0;
	}
	flags = *in->p++;
	u->via = flags & IDX_WAKE_VIA;
	u->n_contexts = flags >> IDX_WAKE_CONTEXTS_SHIFT & IDX_WAKE_CONTEXTS;
	u->time = (int64_t)((uint64_t)before + base_varints_get(in));
	since = base_varints_get(in);
	u->since = since == 0 ? MDL_NEVER : (int64_t)((uint64_t)u->time - (since - 1));
	u->ran_at = flags & IDX_WAKE_RAN ? (int64_t)((uint64_t)u->time + base_varints_get(in)) : MDL_NEVER;
	return flags;
}

/* Read the fields after those of get_times(). CAUSE: the last cause number before, at most limits->causes. */
static void get_rest(struct base_varints *in, const struct idx_limits *limits, unsigned flags, uint64_t rank,
	uint32_t cause, struct mdl_wakeup *u)
{
	u->rank = rank + (uint64_t)base_varint_unzigzag(base_varints_get(in));
	u->cause = 0;
	if (flags & IDX_WAKE_CAUSE) {
		uint64_t distance = base_varints_get(in);

		if (distance >= limits->causes - cause)
			in->p = NULL;
		else if (in->p)
			u->cause = cause + 1 + (uint32_t)distance;
	}
	u->waker = (uint32_t)base_varints_get_up_to(in, limits->rows) - 1u;
	get_place(in, u);
	u->target_cpu = flags & IDX_WAKE_SAME_CPU ? u->cpu
						  : (uint32_t)base_varints_get_up_to(in, UINT32_MAX) - 1u;
	if (u->n_contexts > MDL_CTX_MAX || (u->n_contexts > 0 && limits->contexts == 0))
		in->p = NULL;
	for (unsigned i = 0; in->p && i < u->n_contexts; i++) {
		u->contexts[i].context = (uint32_t)base_varints_get_up_to(in, (uint64_t)limits->contexts - 1);
		u->contexts[i].entry = (int64_t)((uint64_t)u->time - base_varints_get(in));
	}
}

unsigned idx_wake_count(const uint8_t *block)
{
	unsigned count = idx_get16(block + 2);

	return count <= IDX_LEAF_WAKEUPS ? count : 0;
}

unsigned idx_wake_read_times(const uint8_t *block, uint32_t size, unsigned count, int64_t first,
	struct mdl_wakeup *wakeups)
{
	struct base_varints in = { block + IDX_BLOCK_HEAD, block + size };
	int64_t before = first;

	for (unsigned i = 0; i < count && in.p; i++) {
		unsigned flags = get_times(&in, before, &wakeups[i]);

		/* skip the fields that get_rest() reads */
		base_varints_skip(&in, flags & IDX_WAKE_CAUSE ? 3 : 2);
		get_place(&in, &wakeups[i]);
		base_varints_skip(&in, (flags & IDX_WAKE_SAME_CPU ? 0 : 1) + 2u * wakeups[i].n_contexts);
		before = wakeups[i].time;
	}
	return in.p == in.end ? count : 0;
}

unsigned idx_wake_read(const uint8_t *block, uint32_t size, unsigned count, int64_t first,
	const struct idx_limits *limits, struct mdl_wakeup *wakeups)
{
	struct base_varints in = { block + IDX_BLOCK_HEAD, block + size };
	uint64_t rank = 0;
	uint32_t cause = 0;
	int64_t before = first;

	for (unsigned i = 0; i < count && in.p; i++) {
		unsigned flags = get_times(&in, before, &wakeups[i]);

		get_rest(&in, limits, flags, rank, cause, &wakeups[i]);
		before = wakeups[i].time;
		rank = wakeups[i].rank;
		cause = wakeups[i].cause != 0 ? wakeups[i].cause : cause;
	}
	return in.p == in.end ? count : 0;
}
