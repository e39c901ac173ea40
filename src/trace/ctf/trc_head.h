/* SPDX-License-Identifier: MIT */
/* The two event headers that LTTng writes, read without a plan. */
#ifndef TRC_HEAD_H
#define TRC_HEAD_H

#include "trace/ctf/trc_bits.h"
#include "trace/ctf/trc_plan.h"

enum trc_head {
	TRC_HEAD_OTHER,   /* needs a plan */
	TRC_HEAD_COMPACT, /* 5 bits of id, 27 of time; id 31: 32 bits of id and 64 of time follow */
	TRC_HEAD_LARGE    /* 16 bits of id, 32 of time; id 65535: the same */
};

/* Which of them the event header TYPE (may be NULL) is, in every detail; little-endian ones only. */
enum trc_head trc_head_recognise(const struct trc_type *type);

/* CLOCK carried forward to the next time at which its low BITS bits (below 64) are VALUE. */
static inline uint64_t trc_head_carry(uint64_t clock, uint64_t value, unsigned bits)
{
	uint64_t mask = (UINT64_C(1) << bits) - 1;

	if (value < (clock & mask))
		clock += mask + 1;
	return (clock & ~mask) | value;
}

/* Read a header of the kind HEAD at W, as trc_plan_run() would.  False when it is not all there. */
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
