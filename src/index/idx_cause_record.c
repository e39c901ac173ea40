/* SPDX-License-Identifier: MIT */
/*
 * How it works: one record is a sequence of varints with only those facts that
 * are there.  Acts and times repeat (the IPI is sent where the interrupt was
 * entered), so each act says in a byte what of it differs from the one before.
 *
 * At worst: 12 acts of 51 bytes, 12 times, 10 other numbers of 10 bytes and two
 * addresses: less than IDX_CAUSE_RECORD_MAX.
 */
#include "index/idx_cause.h"

#include "base/base_varint.h"

/* The first byte of a record. */
#define HEAD_HOPS 0x07
#define HEAD_LOSSY 0x08

/* The first byte of an act. */
#define ACT_GRADE 0x03		/* only of hops */
#define ACT_DONE 0x04		/* there was one: all that follows is there */
#define ACT_CONTEXT 0x08	/* context and entry follow */
#define ACT_SAME_CPU 0x10	/* as of the act before in the record */
#define ACT_SAME_THREAD 0x20

/* The first byte of a request. */
#define REQUEST_OP 0x07
#define REQUEST_GRADE_SHIFT 3
#define REQUEST_SECTOR 0x20

/* The first byte of a packet's headers: version and whether ports follow. */
#define PACKET_VERSION 0x07
#define PACKET_PORTS 0x08

#define FACTS_ALL (MDL_FACT_REQUEST | MDL_FACT_PACKET | MDL_FACT_TIMER | MDL_FACT_WORK | MDL_FACT_SIGNAL | MDL_FACT_ARRIVAL)

G_STATIC_ASSERT(MDL_HOPS_MAX <= HEAD_HOPS && MDL_GRADES <= ACT_GRADE + 1 && MDL_OPS <= REQUEST_OP + 1 && MDL_GRADES <= 4);

/* A record being written or read. */
struct writer {
	uint8_t *p;
	int64_t base;
	uint32_t cpu, thread;	/* of the act before */
};

struct reader {
	struct base_varints in;
	int64_t base;
	uint32_t cpu, thread;
	const struct idx_limits *limits;
};

static void put(struct writer *w, uint64_t v)
{
	w->p = base_varint_put(w->p, v);
}

/* Distances that may go either way, and addresses of the kernel, which are small negative numbers. */
static void put_signed(struct writer *w, uint64_t v)
{
	put(w, base_varint_zigzag((int64_t)v));
}

static uint64_t get_signed(struct reader *r)
{
	return (uint64_t)base_varint_unzigzag(base_varints_get(&r->in));
}

static uint64_t distance(int64_t base, int64_t time)
{
	return base_varint_zigzag((int64_t)((uint64_t)base - (uint64_t)time));
}

/* 0 for MDL_NEVER, for which the distances below its own move up by one: so all 2^64 instants have a code. */
static void put_time(struct writer *w, int64_t time)
{
	uint64_t code = distance(w->base, time);

	put(w, time == MDL_NEVER ? 0 : code < distance(w->base, MDL_NEVER) ? code + 1 : code);
}

static int64_t get_time(struct reader *r)
{
	uint64_t v = base_varints_get(&r->in), code = v <= distance(r->base, MDL_NEVER) ? v - 1 : v;

	return v == 0 ? MDL_NEVER : (int64_t)((uint64_t)r->base - (uint64_t)base_varint_unzigzag(code));
}

static void put_bytes(struct writer *w, const uint8_t *bytes, size_t n)
{
	memcpy(w->p, bytes, n);
	w->p += n;
}

static void get_bytes(struct reader *r, uint8_t *bytes, size_t n)
{
	if (r->in.p == NULL || (size_t)(r->in.end - r->in.p) < n) {
		r->in.p = NULL;
		return;
	}
	memcpy(bytes, r->in.p, n);
	r->in.p += n;
}

static void put_byte(struct writer *w, unsigned byte)
{
	*w->p++ = (uint8_t)byte;
}

static unsigned get_byte(struct reader *r)
{
	uint8_t byte = 0;

	get_bytes(r, &byte, 1);
	return byte;
}

/* ---- acts ---- */

static void put_act(struct writer *w, const struct mdl_act *a, unsigned grade)
{
	bool context = a->context != MDL_NONE;

	if (a->time == MDL_NEVER) {
		put_byte(w, grade);
		return;
	}
	put_byte(w, grade | ACT_DONE | (context ? ACT_CONTEXT : 0) | (a->cpu == w->cpu ? ACT_SAME_CPU : 0) |
		 (a->thread == w->thread ? ACT_SAME_THREAD : 0));
	put_time(w, a->time);
	if (a->cpu != w->cpu)
		put(w, a->cpu + 1u);
	if (a->thread != w->thread)
		put(w, a->thread + 1u);
	if (context) {
		put(w, a->context);
		put_time(w, a->entry);
	}
	w->cpu = a->cpu;
	w->thread = a->thread;
}

static void get_act(struct reader *r, struct mdl_act *a, uint8_t *grade)
{
	unsigned flags = get_byte(r);

	*a = (struct mdl_act){ .time = MDL_NEVER, .entry = MDL_NEVER, .cpu = MDL_NONE, .context = MDL_NONE, .thread = MDL_NONE };
	*grade = flags & ACT_GRADE;
	if (*grade >= MDL_GRADES)
		r->in.p = NULL;
	if (!(flags & ACT_DONE))
		return;
	a->time = get_time(r);
	a->cpu = flags & ACT_SAME_CPU ? r->cpu : (uint32_t)base_varints_get_up_to(&r->in, UINT32_MAX) - 1u;
	a->thread = flags & ACT_SAME_THREAD ? r->thread : (uint32_t)base_varints_get_up_to(&r->in, r->limits->rows) - 1u;
	if (flags & ACT_CONTEXT) {
		a->context = (uint32_t)base_varints_get_up_to(&r->in, UINT32_MAX - 1);
		if (a->context >= r->limits->contexts)
			r->in.p = NULL;
		a->entry = get_time(r);
	}
	r->cpu = a->cpu;
	r->thread = a->thread;
}

/* Acts outside the chain have no grade. */
static void get_plain_act(struct reader *r, struct mdl_act *a)
{
	uint8_t grade;

	get_act(r, a, &grade);
	if (grade != 0)
		r->in.p = NULL;
}

static void put_chain(struct writer *w, const struct mdl_chain *c)
{
	for (unsigned i = 0; i < c->n; i++)
		put_act(w, &c->hops[i].act, c->hops[i].grade);
}

static void get_chain(struct reader *r, struct mdl_chain *c, unsigned n)
{
	c->n = n;
	if (n > MDL_HOPS_MAX) {
		r->in.p = NULL;
		return;
	}
	for (unsigned i = 0; i < n; i++) {
		get_act(r, &c->hops[i].act, &c->hops[i].grade);
		if (c->hops[i].act.time == MDL_NEVER)	/* a hop that never happened */
			r->in.p = NULL;
	}
}

/* ---- facts ---- */

static void put_request(struct writer *w, const struct mdl_request *q)
{
	bool sector = q->sector != MDL_SECTOR_NONE;

	put_byte(w, q->op | (unsigned)q->grade << REQUEST_GRADE_SHIFT | (sector ? REQUEST_SECTOR : 0));
	put(w, q->dev);
	if (sector)
		put(w, q->sector);
	put(w, q->bytes);
	put(w, q->merged);
	put_time(w, q->queued);
	put_time(w, q->inserted);
	put_time(w, q->issued);
	put_time(w, q->completed);
	put_act(w, &q->submitter, 0);
	put_act(w, &q->issuer, 0);
}

static void get_request(struct reader *r, struct mdl_request *q)
{
	unsigned flags = get_byte(r);

	q->op = flags & REQUEST_OP;
	q->grade = flags >> REQUEST_GRADE_SHIFT & 3;
	if (q->op >= MDL_OPS || q->grade >= MDL_GRADES)
		r->in.p = NULL;
	q->dev = (uint32_t)base_varints_get_up_to(&r->in, UINT32_MAX);
	q->sector = flags & REQUEST_SECTOR ? base_varints_get(&r->in) : MDL_SECTOR_NONE;
	q->bytes = base_varints_get(&r->in);
	q->merged = (uint16_t)base_varints_get_up_to(&r->in, UINT16_MAX);
	q->queued = get_time(r);
	q->inserted = get_time(r);
	q->issued = get_time(r);
	q->completed = get_time(r);
	get_plain_act(r, &q->submitter);
	get_plain_act(r, &q->issuer);
}

static void put_packet(struct writer *w, const struct mdl_packet *p)
{
	size_t address = p->version == 6 ? 16 : 4;

	put_signed(w, p->skb);
	put(w, p->length);
	put_byte(w, p->version | (p->has_ports ? PACKET_PORTS : 0));
	if (p->version == 0)
		return;
	put_byte(w, p->protocol);
	put_bytes(w, p->source, address);
	put_bytes(w, p->destination, address);
	put(w, p->id);
	if (!p->has_ports)
		return;
	put(w, p->source_port);
	put(w, p->destination_port);
	put(w, p->sequence);
	put(w, p->acknowledgement);
	put(w, p->flags);
	put(w, p->checksum);
}

static void get_packet(struct reader *r, struct mdl_packet *p)
{
	unsigned flags;
	size_t address;

	p->skb = get_signed(r);
	p->length = (uint32_t)base_varints_get_up_to(&r->in, UINT32_MAX);
	flags = get_byte(r);
	p->version = flags & PACKET_VERSION;
	p->has_ports = (flags & PACKET_PORTS) != 0;
	if (p->version == 0 && !p->has_ports)
		return;
	if (p->version != 4 && p->version != 6) {
		r->in.p = NULL;
		return;
	}
	address = p->version == 6 ? 16 : 4;
	p->protocol = (uint8_t)get_byte(r);
	get_bytes(r, p->source, address);
	get_bytes(r, p->destination, address);
	p->id = (uint16_t)base_varints_get_up_to(&r->in, UINT16_MAX);
	if (!p->has_ports)
		return;
	p->source_port = (uint16_t)base_varints_get_up_to(&r->in, UINT16_MAX);
	p->destination_port = (uint16_t)base_varints_get_up_to(&r->in, UINT16_MAX);
	p->sequence = (uint32_t)base_varints_get_up_to(&r->in, UINT32_MAX);
	p->acknowledgement = (uint32_t)base_varints_get_up_to(&r->in, UINT32_MAX);
	p->flags = (uint16_t)base_varints_get_up_to(&r->in, UINT16_MAX);
	p->checksum = (uint16_t)base_varints_get_up_to(&r->in, UINT16_MAX);
}

static void put_facts(struct writer *w, const struct mdl_facts *f)
{
	if (f->has & MDL_FACT_REQUEST)
		put_request(w, &f->request);
	if (f->has & MDL_FACT_PACKET) {
		put_packet(w, &f->packet.packet);
		put(w, f->packet.device);
		put_time(w, f->packet.time);
		put_act(w, &f->packet.sender, 0);
	}
	if (f->has & MDL_FACT_TIMER) {
		put_byte(w, f->timer.expired);
		put_signed(w, f->timer.function);
		put_time(w, f->timer.expired_at);
		put_act(w, &f->timer.armed, 0);
	}
	if (f->has & MDL_FACT_WORK) {
		put_signed(w, f->work.function);
		put_time(w, f->work.started);
		put_act(w, &f->work.queued, 0);
	}
	if (f->has & MDL_FACT_SIGNAL) {
		put(w, f->signal.number);
		put_act(w, &f->signal.sender, 0);
	}
	if (f->has & MDL_FACT_ARRIVAL) {
		put_time(w, f->arrival.time);
		put(w, f->arrival.cpu + 1u);
		put(w, f->arrival.context + 1u);
		put_time(w, f->arrival.entry);
	}
}

static void get_facts(struct reader *r, struct mdl_facts *f)
{
	if (f->has & MDL_FACT_REQUEST)
		get_request(r, &f->request);
	if (f->has & MDL_FACT_PACKET) {
		get_packet(r, &f->packet.packet);
		f->packet.device = (uint32_t)base_varints_get_up_to(&r->in, (uint64_t)r->limits->strings - 1);
		f->packet.time = get_time(r);
		get_plain_act(r, &f->packet.sender);
	}
	if (f->has & MDL_FACT_TIMER) {
		f->timer.expired = base_varints_get_up_to(&r->in, 1) != 0;
		f->timer.function = get_signed(r);
		f->timer.expired_at = get_time(r);
		get_plain_act(r, &f->timer.armed);
	}
	if (f->has & MDL_FACT_WORK) {
		f->work.function = get_signed(r);
		f->work.started = get_time(r);
		get_plain_act(r, &f->work.queued);
	}
	if (f->has & MDL_FACT_SIGNAL) {
		f->signal.number = (uint32_t)base_varints_get_up_to(&r->in, UINT32_MAX);
		get_plain_act(r, &f->signal.sender);
	}
	if (f->has & MDL_FACT_ARRIVAL) {
		f->arrival.time = get_time(r);
		f->arrival.cpu = (uint32_t)base_varints_get_up_to(&r->in, UINT32_MAX) - 1u;
		f->arrival.context = (uint32_t)base_varints_get_up_to(&r->in, r->limits->contexts) - 1u;
		f->arrival.entry = get_time(r);
	}
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
	struct writer w = { .p = p, .base = base, .cpu = MDL_NONE, .thread = MDL_NONE };

	put_byte(&w, cause->chain.n | (cause->lossy ? HEAD_LOSSY : 0));
	put_byte(&w, cause->facts.has);
	put_chain(&w, &cause->chain);
	put_facts(&w, &cause->facts);
	return w.p;
}

bool idx_cause_get(const uint8_t *p, const uint8_t *end, int64_t base, const struct idx_limits *limits, struct mdl_cause *cause)
{
	struct reader r = { .in = { p, end }, .base = base, .cpu = MDL_NONE, .thread = MDL_NONE, .limits = limits };
	unsigned head = get_byte(&r);

	memset(cause, 0, sizeof *cause);
	cause->lossy = (head & HEAD_LOSSY) != 0;
	cause->facts.has = get_byte(&r);
	if ((head & ~(HEAD_HOPS | HEAD_LOSSY)) != 0 || (cause->facts.has & ~(unsigned)FACTS_ALL) != 0)
		return false;
	get_chain(&r, &cause->chain, head & HEAD_HOPS);
	get_facts(&r, &cause->facts);
	return r.in.p == end;
}
