/* SPDX-License-Identifier: MIT */
/* The two event headers that LTTng writes, read without a plan. */
#ifndef TRC_HEAD_H
#define TRC_HEAD_H

#include "trace/ctf/trc_bits.h"
#include "trace/ctf/trc_plan.h"

enum trc_head {
	TRC_HEAD_OTHER,   /* read with a plan */
	TRC_HEAD_COMPACT, /* 5 bits id, 27 bits time; after id 31: 32 bits id, 64 bits time */
	TRC_HEAD_LARGE    /* 16 bits id, 32 bits time; after id 65535: 32 bits id, 64 bits time */
};

/* Return the kind of the event header TYPE (may be NULL), compared in every detail; only little-endian
 * ones. */
enum trc_head trc_head_recognise(const struct trc_type *type);

/* Advance CLOCK to the next time at which its low BITS bits (below 64) are VALUE. */
static inline uint64_t trc_head_carry(uint64_t clock, uint64_t value, unsigned bits)
{
	uint64_t mask = (UINT64_C(1) << bits) - 1;

	if (value < (clock & mask))
		clock += mask + 1;
	return (clock & ~mask) | value;
}

/* Read a header of kind HEAD at W, like trc_plan_run().  False if it is incomplete. */
static inline bool trc_head_read(enum trc_head head, struct trc_walk *w)
{
	unsigned first = head == TRC_HEAD_COMPACT ? 8 : 16, all;
	const uint8_t *p;

	w->at = (w->at + 7) & ~UINT64_C(7);
	p = w->data + w->at / 8;
	all = head == TRC_HEAD_COMPACT ? 32 : 48;
	if (w->at > w->limit || w->limit - w->at < all)
		return false;
	w->id = head == TRC_HEAD_COMPACT ? *p & 31u : trc_bits_read(p, 0, 16, false);
	if (w->id != (head == TRC_HEAD_COMPACT ? 31 : 65535)) {
		if (head == TRC_HEAD_COMPACT)
			w->clock = trc_head_carry(w->clock, trc_bits_read(p, 0, 32, false) >> 5, 27);
		else
			w->clock = trc_head_carry(w->clock, trc_bits_read(p, 16, 32, false), 32);
		w->at += all;
		return true;
	}
	if (w->limit - w->at < first + 96)
		return false;
	w->id = trc_bits_read(p, first, 32, false);
	w->clock = trc_bits_read(p, first + 32, 64, false);
	w->at += first + 96;
	return true;
}

#endif
