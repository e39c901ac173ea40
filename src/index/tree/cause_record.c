/* SPDX-License-Identifier: MIT */
/*
 * How it works: one record is a sequence of varints with only those facts that
 * are there.  Acts and times repeat (the IPI is sent where the interrupt was
 * entered), so each act says in a byte what of it differs from the one before (index/tree/record.c).
 *
 * What a fact consists of says its struct mdl_fact_ops: this knows types of fields alone.
 *
 * At worst: 14 acts of 51 bytes, 22 times and 14 other numbers of 10 bytes, a packet's headers, 60 bytes of
 * smaller numbers and flags: less than IDX_CAUSE_RECORD_MAX.
 */
#include "index/tree/leaf.h"

#include "index/tree/record.h"

/* The first byte of a record. */
#define HEAD_HOPS 0x07
#define HEAD_LOSSY 0x08

/* The first byte of a step of a request. */
#define STEP_WHAT 0x07
#define STEP_GRADE_SHIFT 3

G_STATIC_ASSERT(MDL_HOPS_MAX <= HEAD_HOPS && MDL_GRADES <= 4 && MDL_STEPS <= STEP_WHAT + 1);

/* ---- the chain ---- */

static void put_chain(struct idx_record_out *w, const struct mdl_chain *c)
{
	for (unsigned i = 0; i < c->n; i++)
		idx_record_put_act(w, &c->hops[i].act, c->hops[i].grade);
}

static void get_chain(struct idx_record_in *r, struct mdl_chain *c, unsigned n)
{
	c->n = n;
	if (n > MDL_HOPS_MAX) {
		r->in.p = NULL;
		return;
	}
	for (unsigned i = 0; i < n; i++) {
		idx_record_get_act(r, &c->hops[i].act, &c->hops[i].grade);
		if (c->hops[i].act.time == MDL_NEVER) /* a hop that never happened */
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
		idx_record_put_byte(w, q->steps[i].what | (unsigned)q->steps[i].grade << STEP_GRADE_SHIFT);
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

		q->steps[i] = (struct mdl_step){ .what = flags & STEP_WHAT,
			.grade = (uint8_t)(flags >> STEP_GRADE_SHIFT) };
		if (q->steps[i].what >= MDL_STEPS || q->steps[i].grade >= MDL_GRADES)
			r->in.p = NULL;
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
	case MDL_FIELD_END: break;
	}
}

static void put_facts(struct idx_record_out *w, const struct mdl_facts *facts)
{
	for (unsigned i = 0; i < MDL_FACTS_N; i++)
		for (const struct mdl_field *f = mdl_fact_all[i]->fields;
			facts->has & 1u << i && f->type != MDL_FIELD_END; f++)
			put_field(w, f, mdl_fact_peek(facts, f->at));
}

static void get_facts(struct idx_record_in *r, struct mdl_facts *facts)
{
	for (unsigned i = 0; i < MDL_FACTS_N; i++)
		for (const struct mdl_field *f = mdl_fact_all[i]->fields;
			facts->has & 1u << i && f->type != MDL_FIELD_END; f++)
			get_field(r, f, mdl_fact_at(facts, f->at));
}

/* ---- the whole ---- */

int64_t idx_cause_base(const struct mdl_cause *cause)
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

uint8_t *idx_cause_put(uint8_t *p, const struct mdl_cause *cause, int64_t base)
{
	struct idx_record_out w = { .p = p, .base = base, .cpu = MDL_NONE, .thread = MDL_NONE };

	idx_record_put_byte(&w, cause->chain.n | (cause->lossy ? HEAD_LOSSY : 0));
	idx_record_put(&w, cause->facts.has);
	put_chain(&w, &cause->chain);
	put_facts(&w, &cause->facts);
	return w.p;
}

bool idx_cause_get(const uint8_t *p, const uint8_t *end, int64_t base, const struct idx_limits *limits,
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
	get_facts(&r, &cause->facts);
	return r.in.p == end;
}
