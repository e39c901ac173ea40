/* SPDX-License-Identifier: MIT */
/*
 * How it works: readers look causes up by number, in any order. So a leaf begins with the end of each of its
 * records, and a reader can read one record alone: its times are relative to its own base, which is relative
 * to the leaf's base.
 *
 * A record is a sequence of varints that has only the facts that are present. Acts and times repeat (the IPI
 * is sent when the interrupt is entered), so a byte before each act says how it differs from the previous one
 * (index/tree/record.c). struct mdl_fact_ops lists the fields of each fact; this file knows only their types.
 *
 * The largest record: 14 acts of 51 bytes, 22 times, 14 other numbers and 24 sets of doubts of 10 bytes, a
 * packet's headers, 60 bytes of smaller numbers and flags: less than RECORD_MAX.
 */
#include "index/tree/leaf.h"

#include "base/base_varint.h"
#include "index/tree/record.h"

#include <string.h>

#define HEAD (IDX_BLOCK_HEAD + 8) /* the block's head, and the leaf's base */
#define RECORD_MAX 1536           /* bytes; the comment at the top counts the largest record */
#define PLACE 2                   /* bytes of a record's end in a leaf */

G_STATIC_ASSERT(IDX_LEAF_CAUSES *RECORD_MAX <= UINT16_MAX);

/* The first byte of a record. */
#define HEAD_HOPS 0x07
#define HEAD_LOSSY 0x08

/* The first byte of a step of a request. */
#define STEP_WHAT 0x07
#define STEP_DOUBTS 0x08 /* its doubts follow */

G_STATIC_ASSERT(MDL_HOPS_MAX <= HEAD_HOPS && MDL_STEPS <= STEP_WHAT + 1);

static void get_chain(struct idx_record_in *r, struct mdl_chain *c, unsigned n)
{
	c->n = n;
	if (n > MDL_HOPS_MAX) {
		r->in.p = NULL;
		return;
	}
	for (unsigned i = 0; i < n; i++) {
		idx_record_get_act(r, &c->hops[i].act, &c->hops[i].doubts);
		if (c->hops[i].act.time == MDL_NEVER) /* a hop must have a time */
			r->in.p = NULL;
	}
}

/* ---- facts ---- */

static void put_steps(struct idx_record_out *w, const struct mdl_request *q)
{
	idx_record_put_byte(w, q->n_steps);
	if (q->n_steps > 0)
		idx_record_put_time(w, q->begin);
	for (unsigned i = 0; i < q->n_steps; i++) {
		idx_record_put_byte(w, q->steps[i].what | (q->steps[i].doubts ? STEP_DOUBTS : 0u));
		if (q->steps[i].doubts)
			idx_record_put(w, q->steps[i].doubts);
		idx_record_put_time(w, q->steps[i].to);
	}
}

static void get_steps(struct idx_record_in *r, struct mdl_request *q)
{
	q->n_steps = idx_record_get_byte(r);
	if (q->n_steps > MDL_STEPS_MAX) {
		q->n_steps = 0;
		r->in.p = NULL;
	}
	q->begin = q->n_steps > 0 ? idx_record_get_time(r) : MDL_NEVER;
	for (unsigned i = 0; i < q->n_steps; i++) {
		unsigned flags = idx_record_get_byte(r);

		q->steps[i] = (struct mdl_step){ .what = flags & STEP_WHAT };
		if (q->steps[i].what >= MDL_STEPS || flags & ~(unsigned)(STEP_WHAT | STEP_DOUBTS))
			r->in.p = NULL;
		if (flags & STEP_DOUBTS)
			q->steps[i].doubts = idx_record_get_doubts(r);
		q->steps[i].to = idx_record_get_time(r);
	}
}

static void put_field(struct idx_record_out *w, const struct mdl_field *field, const void *p)
{
	switch ((enum mdl_field_type)field->type) {
	case MDL_FIELD_FLAG: idx_record_put_byte(w, *(const bool *)p); break;
	case MDL_FIELD_CHOICE: idx_record_put_byte(w, *(const uint8_t *)p); break;
	case MDL_FIELD_U16: idx_record_put(w, *(const uint16_t *)p); break;
	case MDL_FIELD_U32:
	case MDL_FIELD_STRING: idx_record_put(w, *(const uint32_t *)p); break;
	case MDL_FIELD_CPU:
	case MDL_FIELD_CONTEXT: idx_record_put(w, *(const uint32_t *)p + 1u); break;
	case MDL_FIELD_U64: idx_record_put(w, *(const uint64_t *)p); break;
	case MDL_FIELD_WORD: idx_record_put_signed(w, *(const uint64_t *)p); break;
	case MDL_FIELD_LENGTH: idx_record_put(w, (uint64_t) * (const int64_t *)p); break;
	case MDL_FIELD_TIME: idx_record_put_time(w, *(const int64_t *)p); break;
	case MDL_FIELD_ACT: idx_record_put_act(w, p, 0); break;
	case MDL_FIELD_PACKET: idx_record_put_packet(w, p); break;
	case MDL_FIELD_STEPS: put_steps(w, p); break;
	case MDL_FIELD_DOUBTS: idx_record_put(w, *(const mdl_doubts *)p); break;
	case MDL_FIELD_END: break;
	}
}

static uint64_t below(struct idx_record_in *r, uint64_t limit)
{
	return limit > 0 ? base_varints_get_up_to(&r->in, limit - 1) : (r->in.p = NULL, 0);
}

static void get_field(struct idx_record_in *r, const struct mdl_field *field, void *p)
{
	switch ((enum mdl_field_type)field->type) {
	case MDL_FIELD_FLAG: *(bool *)p = below(r, 2) != 0; break;
	case MDL_FIELD_CHOICE: *(uint8_t *)p = (uint8_t)below(r, field->limit); break;
	case MDL_FIELD_U16: *(uint16_t *)p = (uint16_t)base_varints_get_up_to(&r->in, UINT16_MAX); break;
	case MDL_FIELD_U32: *(uint32_t *)p = (uint32_t)base_varints_get_up_to(&r->in, UINT32_MAX); break;
	case MDL_FIELD_STRING: *(uint32_t *)p = (uint32_t)below(r, r->limits->strings); break;
	case MDL_FIELD_CPU: *(uint32_t *)p = (uint32_t)base_varints_get_up_to(&r->in, UINT32_MAX) - 1u; break;
	case MDL_FIELD_CONTEXT:
		*(uint32_t *)p = (uint32_t)base_varints_get_up_to(&r->in, r->limits->contexts) - 1u;
		break;
	case MDL_FIELD_U64: *(uint64_t *)p = base_varints_get(&r->in); break;
	case MDL_FIELD_WORD: *(uint64_t *)p = idx_record_get_signed(r); break;
	case MDL_FIELD_LENGTH: *(int64_t *)p = (int64_t)base_varints_get_up_to(&r->in, INT64_MAX); break;
	case MDL_FIELD_TIME: *(int64_t *)p = idx_record_get_time(r); break;
	case MDL_FIELD_ACT: idx_record_get_plain_act(r, p); break;
	case MDL_FIELD_PACKET: idx_record_get_packet(r, p); break;
	case MDL_FIELD_STEPS: get_steps(r, p); break;
	case MDL_FIELD_DOUBTS: *(mdl_doubts *)p = idx_record_get_doubts(r); break;
	case MDL_FIELD_END: break;
	}
}

/* ---- records ---- */

/* The time (ns) to which all times in CAUSE are relative: that of its last hop, or else of its first fact. */
static int64_t cause_base(const struct mdl_cause *cause)
{
	const struct mdl_facts *f = &cause->facts;

	if (cause->chain.n > 0)
		return cause->chain.hops[cause->chain.n - 1].act.time;
	for (unsigned i = 0; i < MDL_FACTS_N; i++)
		if (f->has & 1u << i)
			return mdl_fact_all[i]->when != 0
				? *(const int64_t *)mdl_fact_peek(f, mdl_fact_all[i]->when)
				: 0;
	return 0;
}

/* Write CAUSE at P, which has room for RECORD_MAX bytes, with times relative to BASE. Returns the end. */
static uint8_t *cause_put(uint8_t *p, const struct mdl_cause *cause, int64_t base)
{
	struct idx_record_out w = { .p = p, .base = base, .cpu = MDL_NONE, .thread = MDL_NONE };

	idx_record_put_byte(&w, cause->chain.n | (cause->lossy ? HEAD_LOSSY : 0));
	idx_record_put(&w, cause->facts.has);
	for (unsigned i = 0; i < cause->chain.n; i++)
		idx_record_put_act(&w, &cause->chain.hops[i].act, cause->chain.hops[i].doubts);
	for (unsigned i = 0; i < MDL_FACTS_N; i++)
		for (const struct mdl_field *f = mdl_fact_all[i]->fields;
			cause->facts.has & 1u << i && f->type != MDL_FIELD_END; f++)
			put_field(&w, f, mdl_fact_peek(&cause->facts, f->at));
	return w.p;
}

/* Read what cause_put() wrote. False if it is damaged or does not end exactly at END. */
static bool cause_get(const uint8_t *p, const uint8_t *end, int64_t base, const struct idx_limits *limits,
	struct mdl_cause *cause)
{
	struct idx_record_in r = { .in = { p, end },
		.base = base,
		.cpu = MDL_NONE,
		.thread = MDL_NONE,
		.limits = limits };
	unsigned head = idx_record_get_byte(&r);

	memset(cause, 0, sizeof *cause);
	cause->lossy = (head & HEAD_LOSSY) != 0;
	cause->facts.has = (unsigned)base_varints_get_up_to(&r.in, (1u << MDL_FACTS_N) - 1);
	if ((head & ~(HEAD_HOPS | HEAD_LOSSY)) != 0)
		return false;
	get_chain(&r, &cause->chain, head & HEAD_HOPS);
	for (unsigned i = 0; i < MDL_FACTS_N; i++)
		for (const struct mdl_field *f = mdl_fact_all[i]->fields;
			cause->facts.has & 1u << i && f->type != MDL_FIELD_END; f++)
			get_field(&r, f, mdl_fact_at(&cause->facts, f->at));
	return r.in.p == end;
}

/* ---- leaves ---- */

struct idx_cause_writer {
	struct idx_tree *tree;
	uint64_t total; /* records written before this leaf */
	unsigned count;
	uint16_t ends[IDX_LEAF_CAUSES]; /* of each record, from the begin of the first */
	int64_t base;                   /* of the first record of the leaf */
	GByteArray *bytes;              /* the records */
};

struct idx_cause_writer *idx_cause_writer_new(void)
{
	struct idx_cause_writer *w = g_new0(struct idx_cause_writer, 1);

	w->tree = idx_tree_new(MDL_NONE);
	w->bytes = g_byte_array_new();
	return w;
}

void idx_cause_writer_free(struct idx_cause_writer *w)
{
	if (!w)
		return;
	idx_tree_free(w->tree);
	g_byte_array_unref(w->bytes);
	g_free(w);
}

static void cause_write_leaf(struct idx_cause_writer *w, struct idx_out *o)
{
	struct idx_child child = { .count = w->count,
		.first = (int64_t)w->total,
		.end = (int64_t)(w->total + w->count) };
	size_t head = HEAD + (size_t)w->count * PLACE;
	uint8_t block[HEAD + IDX_LEAF_CAUSES * (PLACE + RECORD_MAX)];

	idx_tree_put_head(block, IDX_KIND_CAUSES, 0, w->count, MDL_NONE);
	idx_put64(block + IDX_BLOCK_HEAD, (uint64_t)w->base);
	for (unsigned i = 0; i < w->count; i++)
		idx_put16(block + HEAD + i * PLACE, w->ends[i]);
	memcpy(block + head, w->bytes->data, w->bytes->len);
	idx_tree_add_leaf(w->tree, o, block, head + w->bytes->len, &child);
	g_byte_array_set_size(w->bytes, 0);
	w->total += w->count;
	w->count = 0;
}

void idx_cause_writer_add(struct idx_cause_writer *w, struct idx_out *o, const struct mdl_cause *cause)
{
	uint8_t record[RECORD_MAX], *end;
	int64_t base = cause_base(cause);

	if (w->count == IDX_LEAF_CAUSES)
		cause_write_leaf(w, o);
	if (w->count == 0)
		w->base = base;
	end = base_varint_put(record, base_varint_zigzag((int64_t)((uint64_t)base - (uint64_t)w->base)));
	end = cause_put(end, cause, base);
	g_byte_array_append(w->bytes, record, (guint)(end - record));
	w->ends[w->count++] = (uint16_t)w->bytes->len;
}

void idx_cause_writer_finish(struct idx_cause_writer *w, struct idx_out *o, struct idx_child *top)
{
	if (w->count > 0)
		cause_write_leaf(w, o);
	idx_tree_finish(w->tree, o, top);
}

unsigned idx_cause_count(const uint8_t *block, uint32_t size)
{
	unsigned count = idx_get16(block + 2), before = 0;
	size_t head = HEAD + (size_t)count * PLACE;

	if (count > IDX_LEAF_CAUSES || head > size)
		return 0;
	for (unsigned i = 0; i < count; i++) {
		unsigned end = idx_get16(block + HEAD + i * PLACE);

		if (end <= before)
			return 0;
		before = end;
	}
	return head + before == size ? count : 0;
}

bool idx_cause_read(const uint8_t *block, uint32_t size, unsigned index, const struct idx_limits *limits,
	struct mdl_cause *cause)
{
	unsigned count = idx_cause_count(block, size);
	const uint8_t *places = block + HEAD, *records = places + (size_t)count * PLACE, *p, *end;
	uint64_t distance;
	unsigned from, to;

	if (index >= count)
		return false;
	from = index > 0 ? idx_get16(places + (size_t)(index - 1) * PLACE) : 0;
	to = idx_get16(places + (size_t)index * PLACE);
	if (from > to || to > (size_t)(block + size - records)) /* the file was overwritten meanwhile */
		return false;
	end = records + to;
	p = base_varint_get(records + from, end, &distance);
	return p &&
		cause_get(p, end,
			(int64_t)(idx_get64(block + IDX_BLOCK_HEAD) +
				(uint64_t)base_varint_unzigzag(distance)),
			limits, cause);
}
