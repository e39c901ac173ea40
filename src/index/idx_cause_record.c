/* SPDX-License-Identifier: MIT */
/*
 * How it works: one record is a sequence of varints with only those facts that
 * are there.  Acts and times repeat (the IPI is sent where the interrupt was
 * entered), so each act says in a byte what of it differs from the one before (idx_record.c).
 *
 * At worst: 12 acts of 51 bytes, 26 times, 12 other numbers of 10 bytes, 13 bytes of steps and two
 * addresses: less than IDX_CAUSE_RECORD_MAX.
 */
#include "index/idx_cause.h"

#include "index/idx_record.h"

/* The first byte of a record. */
#define HEAD_HOPS 0x07
#define HEAD_LOSSY 0x08

/* The first byte of a step of a request. */
#define STEP_WHAT 0x07
#define STEP_GRADE_SHIFT 3

/* The first byte of a request. */
#define REQUEST_OP 0x07
#define REQUEST_GRADE_SHIFT 3
#define REQUEST_SECTOR 0x20

/* The first byte of a timer. */
#define TIMER_EXPIRED 0x01
#define TIMER_WHEEL 0x02

#define FACTS_ALL                                                                                \
	(MDL_FACT_REQUEST | MDL_FACT_PACKET | MDL_FACT_TIMER | MDL_FACT_WORK | MDL_FACT_SIGNAL | \
		MDL_FACT_ARRIVAL | MDL_FACT_PENDING)

G_STATIC_ASSERT(MDL_HOPS_MAX <= HEAD_HOPS && MDL_OPS <= REQUEST_OP + 1 && MDL_GRADES <= 4 &&
	MDL_STEPS <= STEP_WHAT + 1);

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

static void put_request(struct idx_record_out *w, const struct mdl_request *q)
{
	bool sector = q->sector != MDL_SECTOR_NONE;

	idx_record_put_byte(w,
		q->op | (unsigned)q->grade << REQUEST_GRADE_SHIFT | (sector ? REQUEST_SECTOR : 0));
	idx_record_put(w, q->dev);
	if (sector)
		idx_record_put(w, q->sector);
	idx_record_put(w, q->bytes);
	idx_record_put(w, q->merged);
	idx_record_put_time(w, q->queued);
	idx_record_put_time(w, q->inserted);
	idx_record_put_time(w, q->issued);
	idx_record_put_time(w, q->completed);
	idx_record_put_act(w, &q->submitter, 0);
	idx_record_put_act(w, &q->issuer, 0);
	put_steps(w, q);
}

static void get_request(struct idx_record_in *r, struct mdl_request *q)
{
	unsigned flags = idx_record_get_byte(r);

	q->op = flags & REQUEST_OP;
	q->grade = flags >> REQUEST_GRADE_SHIFT & 3;
	if (q->op >= MDL_OPS || q->grade >= MDL_GRADES)
		r->in.p = NULL;
	q->dev = (uint32_t)base_varints_get_up_to(&r->in, UINT32_MAX);
	q->sector = flags & REQUEST_SECTOR ? base_varints_get(&r->in) : MDL_SECTOR_NONE;
	q->bytes = base_varints_get(&r->in);
	q->merged = (uint16_t)base_varints_get_up_to(&r->in, UINT16_MAX);
	q->queued = idx_record_get_time(r);
	q->inserted = idx_record_get_time(r);
	q->issued = idx_record_get_time(r);
	q->completed = idx_record_get_time(r);
	idx_record_get_plain_act(r, &q->submitter);
	idx_record_get_plain_act(r, &q->issuer);
	get_steps(r, q);
}

static void get_timer(struct idx_record_in *r, struct mdl_timer *t)
{
	uint64_t flags = base_varints_get_up_to(&r->in, TIMER_EXPIRED | TIMER_WHEEL);

	t->expired = (flags & TIMER_EXPIRED) != 0;
	t->wheel = (flags & TIMER_WHEEL) != 0;
	t->function = idx_record_get_signed(r);
	t->expired_at = idx_record_get_time(r);
	t->due = idx_record_get_time(r);
	t->slack = (int64_t)base_varints_get_up_to(&r->in, INT64_MAX);
	t->cpu = (uint32_t)base_varints_get_up_to(&r->in, UINT32_MAX) - 1u;
	idx_record_get_plain_act(r, &t->armed);
}

static void put_facts(struct idx_record_out *w, const struct mdl_facts *f)
{
	if (f->has & MDL_FACT_REQUEST)
		put_request(w, &f->request);
	if (f->has & MDL_FACT_PACKET) {
		idx_record_put_packet(w, &f->packet.packet);
		idx_record_put(w, f->packet.device);
		idx_record_put_time(w, f->packet.time);
		idx_record_put_act(w, &f->packet.sender, f->packet.grade);
	}
	if (f->has & MDL_FACT_TIMER) {
		idx_record_put_byte(w,
			(f->timer.expired ? TIMER_EXPIRED : 0) | (f->timer.wheel ? TIMER_WHEEL : 0));
		idx_record_put_signed(w, f->timer.function);
		idx_record_put_time(w, f->timer.expired_at);
		idx_record_put_time(w, f->timer.due);
		idx_record_put(w, (uint64_t)f->timer.slack);
		idx_record_put(w, f->timer.cpu + 1u);
		idx_record_put_act(w, &f->timer.armed, 0);
	}
	if (f->has & MDL_FACT_WORK) {
		idx_record_put_signed(w, f->work.function);
		idx_record_put_time(w, f->work.started);
		idx_record_put_act(w, &f->work.queued, 0);
	}
	if (f->has & MDL_FACT_SIGNAL) {
		idx_record_put(w, f->signal.number);
		idx_record_put_act(w, &f->signal.sender, 0);
	}
	if (f->has & MDL_FACT_ARRIVAL) {
		idx_record_put_time(w, f->arrival.time);
		idx_record_put(w, f->arrival.cpu + 1u);
		idx_record_put(w, f->arrival.context + 1u);
		idx_record_put_time(w, f->arrival.entry);
	}
	if (f->has & MDL_FACT_PENDING)
		idx_record_put(w, f->pending);
}

static void get_facts(struct idx_record_in *r, struct mdl_facts *f)
{
	if (f->has & MDL_FACT_REQUEST)
		get_request(r, &f->request);
	if (f->has & MDL_FACT_PACKET) {
		idx_record_get_packet(r, &f->packet.packet);
		f->packet.device = (uint32_t)base_varints_get_up_to(&r->in, (uint64_t)r->limits->strings - 1);
		f->packet.time = idx_record_get_time(r);
		idx_record_get_act(r, &f->packet.sender, &f->packet.grade);
	}
	if (f->has & MDL_FACT_TIMER) {
		get_timer(r, &f->timer);
	}
	if (f->has & MDL_FACT_WORK) {
		f->work.function = idx_record_get_signed(r);
		f->work.started = idx_record_get_time(r);
		idx_record_get_plain_act(r, &f->work.queued);
	}
	if (f->has & MDL_FACT_SIGNAL) {
		f->signal.number = (uint32_t)base_varints_get_up_to(&r->in, UINT32_MAX);
		idx_record_get_plain_act(r, &f->signal.sender);
	}
	if (f->has & MDL_FACT_ARRIVAL) {
		f->arrival.time = idx_record_get_time(r);
		f->arrival.cpu = (uint32_t)base_varints_get_up_to(&r->in, UINT32_MAX) - 1u;
		f->arrival.context = (uint32_t)base_varints_get_up_to(&r->in, r->limits->contexts) - 1u;
		f->arrival.entry = idx_record_get_time(r);
	}
	if (f->has & MDL_FACT_PENDING)
		f->pending = (uint32_t)base_varints_get_up_to(&r->in, UINT32_MAX);
}

/* ---- the whole ---- */

int64_t idx_cause_base(const struct mdl_cause *cause)
{
	const struct mdl_facts *f = &cause->facts;

	if (cause->chain.n > 0)
		return cause->chain.hops[cause->chain.n - 1].act.time;
	if (f->has & MDL_FACT_REQUEST)
		return f->request.completed;
	if (f->has & MDL_FACT_PACKET)
		return f->packet.time;
	if (f->has & MDL_FACT_TIMER)
		return f->timer.armed.time;
	if (f->has & MDL_FACT_WORK)
		return f->work.queued.time;
	if (f->has & MDL_FACT_SIGNAL)
		return f->signal.sender.time;
	return f->has & MDL_FACT_ARRIVAL ? f->arrival.time : 0;
}

uint8_t *idx_cause_put(uint8_t *p, const struct mdl_cause *cause, int64_t base)
{
	struct idx_record_out w = { .p = p, .base = base, .cpu = MDL_NONE, .thread = MDL_NONE };

	idx_record_put_byte(&w, cause->chain.n | (cause->lossy ? HEAD_LOSSY : 0));
	idx_record_put_byte(&w, cause->facts.has);
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
	cause->facts.has = idx_record_get_byte(&r);
	if ((head & ~(HEAD_HOPS | HEAD_LOSSY)) != 0 || (cause->facts.has & ~(unsigned)FACTS_ALL) != 0)
		return false;
	get_chain(&r, &cause->chain, head & HEAD_HOPS);
	get_facts(&r, &cause->facts);
	return r.in.p == end;
}
