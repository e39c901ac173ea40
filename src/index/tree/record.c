/* SPDX-License-Identifier: MIT */
#include "index/tree/record.h"

#include <string.h>

/* The first byte of an act. */
#define ACT_DOUBTS 0x01   /* only of hops: the doubts follow */
#define ACT_DONE 0x04     /* the act exists; its fields follow */
#define ACT_CONTEXT 0x08  /* context and entry follow */
#define ACT_SAME_CPU 0x10 /* as the previous act in the record */
#define ACT_SAME_THREAD 0x20

/* The first byte of a packet's headers: version, and flags for the fields that follow. */
#define PACKET_VERSION 0x07
#define PACKET_PORTS 0x08
#define PACKET_NUMBERS 0x10 /* only the numbers of TCP follow */
#define PACKET_TCP 6

void idx_record_put_signed(struct idx_record_out *w, uint64_t v)
{
	idx_record_put(w, base_varint_zigzag((int64_t)v));
}

uint64_t idx_record_get_signed(struct idx_record_in *r)
{
	return (uint64_t)base_varint_unzigzag(base_varints_get(&r->in));
}

static uint64_t record_distance(int64_t base, int64_t time)
{
	return base_varint_zigzag((int64_t)((uint64_t)base - (uint64_t)time));
}

/* MDL_NEVER has code 0. Codes below its own distance are 1 higher, so that all 2^64 instants have a code. */
void idx_record_put_time(struct idx_record_out *w, int64_t time)
{
	uint64_t code = record_distance(w->base, time);

	idx_record_put(w,
		time == MDL_NEVER                                    ? 0
			: code < record_distance(w->base, MDL_NEVER) ? code + 1
								     : code);
}

int64_t idx_record_get_time(struct idx_record_in *r)
{
	uint64_t v = base_varints_get(&r->in), code = v <= record_distance(r->base, MDL_NEVER) ? v - 1 : v;

	return v == 0 ? MDL_NEVER : (int64_t)((uint64_t)r->base - (uint64_t)base_varint_unzigzag(code));
}

static void put_bytes(struct idx_record_out *w, const uint8_t *bytes, size_t n)
{
	memcpy(w->p, bytes, n);
	w->p += n;
}

static void get_bytes(struct idx_record_in *r, uint8_t *bytes, size_t n)
{
	if (!r->in.p || (size_t)(r->in.end - r->in.p) < n) {
		r->in.p = NULL;
		return;
	}
	memcpy(bytes, r->in.p, n);
	r->in.p += n;
}

unsigned idx_record_get_byte(struct idx_record_in *r)
{
	uint8_t byte = 0;

	get_bytes(r, &byte, 1);
	return byte;
}

/* ---- acts ---- */

void idx_record_put_act(struct idx_record_out *w, const struct mdl_act *a, mdl_doubts doubts)
{
	bool context = a->context != MDL_NONE;

	if (a->time == MDL_NEVER) {
		idx_record_put_byte(w, 0);
		return;
	}
	idx_record_put_byte(w,
		(doubts ? ACT_DOUBTS : 0) | ACT_DONE | (context ? ACT_CONTEXT : 0) |
			(a->cpu == w->cpu ? ACT_SAME_CPU : 0) |
			(a->thread == w->thread ? ACT_SAME_THREAD : 0));
	if (doubts)
		idx_record_put(w, doubts);
	idx_record_put_time(w, a->time);
	if (a->cpu != w->cpu)
		idx_record_put(w, a->cpu + 1u);
	if (a->thread != w->thread)
		idx_record_put(w, a->thread + 1u);
	if (context) {
		idx_record_put(w, a->context);
		idx_record_put_time(w, a->entry);
	}
	w->cpu = a->cpu;
	w->thread = a->thread;
}

mdl_doubts idx_record_get_doubts(struct idx_record_in *r)
{
	return (mdl_doubts)base_varints_get_up_to(&r->in, ((uint64_t)1 << MDL_DOUBTS_N) - 1);
}

void idx_record_get_act(struct idx_record_in *r, struct mdl_act *a, mdl_doubts *doubts)
{
	unsigned flags = idx_record_get_byte(r);

	*a = (struct mdl_act){ .time = MDL_NEVER,
		.entry = MDL_NEVER,
		.cpu = MDL_NONE,
		.context = MDL_NONE,
		.thread = MDL_NONE };
	*doubts = 0;
	if (!(flags & ACT_DONE)) {
		if (flags & ACT_DOUBTS)
			r->in.p = NULL;
		return;
	}
	if (flags & ACT_DOUBTS)
		*doubts = idx_record_get_doubts(r);
	a->time = idx_record_get_time(r);
	a->cpu = flags & ACT_SAME_CPU ? r->cpu : (uint32_t)base_varints_get_up_to(&r->in, UINT32_MAX) - 1u;
	a->thread = flags & ACT_SAME_THREAD ? r->thread
					    : (uint32_t)base_varints_get_up_to(&r->in, r->limits->rows) - 1u;
	if (flags & ACT_CONTEXT) {
		a->context = (uint32_t)base_varints_get_up_to(&r->in, UINT32_MAX - 1);
		if (a->context >= r->limits->contexts)
			r->in.p = NULL;
		a->entry = idx_record_get_time(r);
	}
	r->cpu = a->cpu;
	r->thread = a->thread;
}

void idx_record_get_plain_act(struct idx_record_in *r, struct mdl_act *a)
{
	mdl_doubts doubts;

	idx_record_get_act(r, a, &doubts);
	if (doubts != 0)
		r->in.p = NULL;
}

/* ---- packets of the net ---- */

static void put_numbers(struct idx_record_out *w, const struct mdl_packet *p)
{
	idx_record_put(w, p->sequence);
	idx_record_put(w, p->acknowledgement);
	idx_record_put(w, p->flags);
	idx_record_put(w, p->checksum);
}

void idx_record_put_packet(struct idx_record_out *w, const struct mdl_packet *p)
{
	size_t address = p->version == 6 ? 16 : 4;

	idx_record_put_signed(w, p->skb);
	idx_record_put(w, p->length);
	idx_record_put_byte(w,
		p->version | (p->has_ports ? PACKET_PORTS : 0) |
			(mdl_packet_is_numbers(p) ? PACKET_NUMBERS : 0));
	if (mdl_packet_is_numbers(p))
		put_numbers(w, p);
	if (p->version == 0)
		return;
	idx_record_put_byte(w, p->protocol);
	put_bytes(w, p->source, address);
	put_bytes(w, p->destination, address);
	idx_record_put(w, p->id);
	if (!p->has_ports)
		return;
	idx_record_put(w, p->source_port);
	idx_record_put(w, p->destination_port);
	put_numbers(w, p);
	idx_record_put(w, p->payload + 1u);
}

/* Fields of the packet that are not read yet must be 0. */
static void get_numbers(struct idx_record_in *r, struct mdl_packet *p)
{
	p->sequence = (uint32_t)base_varints_get_up_to(&r->in, UINT32_MAX);
	p->acknowledgement = (uint32_t)base_varints_get_up_to(&r->in, UINT32_MAX);
	p->flags = (uint16_t)base_varints_get_up_to(&r->in, UINT16_MAX);
	p->checksum = (uint16_t)base_varints_get_up_to(&r->in, UINT16_MAX);
}

void idx_record_get_packet(struct idx_record_in *r, struct mdl_packet *p)
{
	unsigned flags;
	size_t address;

	p->payload = MDL_NONE;
	p->skb = idx_record_get_signed(r);
	p->length = (uint32_t)base_varints_get_up_to(&r->in, UINT32_MAX);
	flags = idx_record_get_byte(r);
	p->version = flags & PACKET_VERSION;
	p->has_ports = (flags & PACKET_PORTS) != 0;
	if (flags == PACKET_NUMBERS) {
		p->protocol = PACKET_TCP;
		get_numbers(r, p);
		return;
	}
	if (flags == 0)
		return;
	if (p->version != 4 && p->version != 6) {
		r->in.p = NULL;
		return;
	}
	address = p->version == 6 ? 16 : 4;
	p->protocol = (uint8_t)idx_record_get_byte(r);
	get_bytes(r, p->source, address);
	get_bytes(r, p->destination, address);
	p->id = (uint16_t)base_varints_get_up_to(&r->in, UINT16_MAX);
	if (!p->has_ports)
		return;
	p->source_port = (uint16_t)base_varints_get_up_to(&r->in, UINT16_MAX);
	p->destination_port = (uint16_t)base_varints_get_up_to(&r->in, UINT16_MAX);
	get_numbers(r, p);
	p->payload = (uint32_t)base_varints_get_up_to(&r->in, UINT32_MAX) - 1u;
}
