/* SPDX-License-Identifier: MIT */
/* Encoding shared by the records of causes and of transfers: numbers, times, acts, network packets.
 * docs/index-format.md describes the bytes. */
#ifndef IDX_RECORD_H
#define IDX_RECORD_H

#include "base/base_varint.h"
#include "index/tree/leaf.h"

#define IDX_RECORD_ACT_MAX 51 /* bytes: one byte and five varints */
/* Bytes: flags and protocol (2), two addresses (16 each), and varints: one of 10, four of 5, five of 3. */
#define IDX_RECORD_PACKET_MAX 90

/* A record being written.  The caller makes sure that there is room. */
struct idx_record_out {
	uint8_t *p;
	int64_t base;         /* times are stored relative to it, ns */
	uint32_t cpu, thread; /* of the previous act; at first MDL_NONE */
};

/* A record being read.  After damage in.p is NULL, and all further numbers are read as 0. */
struct idx_record_in {
	struct base_varints in;
	int64_t base;
	uint32_t cpu, thread;
	const struct idx_limits *limits;
};

static inline void idx_record_put(struct idx_record_out *w, uint64_t v)
{
	w->p = base_varint_put(w->p, v);
}

static inline void idx_record_put_byte(struct idx_record_out *w, unsigned byte)
{
	*w->p++ = (uint8_t)byte;
}

unsigned idx_record_get_byte(struct idx_record_in *r);

/* For signed distances, and for kernel addresses, which are small negative numbers. */
void idx_record_put_signed(struct idx_record_out *w, uint64_t v);
uint64_t idx_record_get_signed(struct idx_record_in *r);

/* For any instant and MDL_NEVER. */
void idx_record_put_time(struct idx_record_out *w, int64_t time);
int64_t idx_record_get_time(struct idx_record_in *r);

/* DOUBTS: of a hop, else 0. */
void idx_record_put_act(struct idx_record_out *w, const struct mdl_act *a, mdl_doubts doubts);
void idx_record_get_act(struct idx_record_in *r, struct mdl_act *a, mdl_doubts *doubts);
mdl_doubts idx_record_get_doubts(struct idx_record_in *r);
/* Read an act outside the chain, which has no doubts. */
void idx_record_get_plain_act(struct idx_record_in *r, struct mdl_act *a);

void idx_record_put_packet(struct idx_record_out *w, const struct mdl_packet *p);
void idx_record_get_packet(struct idx_record_in *r, struct mdl_packet *p);

#endif
