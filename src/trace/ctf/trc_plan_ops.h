/* SPDX-License-Identifier: MIT */
/* The steps of a plan, for its compiler (trc_plan.c) and its interpreter (trc_plan_run.c). */
#ifndef TRC_PLAN_OPS_H
#define TRC_PLAN_OPS_H

#include "model/event/types.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#define TRC_NO_SLOT UINT16_MAX
#define TRC_LOOPS 8 /* most nested loops */

enum trc_op_code {
	TRC_OP_NEED,      /* fail unless N more bits exist */
	TRC_OP_SKIP,      /* advance by N bits */
	TRC_OP_ALIGN,     /* advance to a multiple of N bits */
	TRC_OP_LEB,       /* read the LEB128 number here, and advance past it: TRC_FROM_LEB has it */
	TRC_OP_ARG,       /* the number OFFSET bits ahead → argument SLOT */
	TRC_OP_ARG_S32,   /* … of 32 bits, signed, little-endian, at a whole byte */
	TRC_OP_ARG_64,    /* … of 64 bits, little-endian, at a whole byte */
	TRC_OP_TAKE,      /* … → what was taken of field SLOT */
	TRC_OP_COUNT,     /* … → counter SLOT of the event */
	TRC_OP_REGISTER,  /* … → register SLOT */
	TRC_OP_ID,        /* … → the event's id */
	TRC_OP_HEAD,      /* … → number SLOT of the head of a packet */
	TRC_OP_PLACE,     /* the place OFFSET bits ahead → number SLOT of the head of a packet */
	TRC_OP_CPU,       /* … → the event's CPU */
	TRC_OP_CLOCK,     /* … → the low bits of the clock */
	TRC_OP_NET_BEGIN, /* forget all fields of a packet */
	TRC_OP_NET,       /* … → field SLOT of the packet */
	/* N numbers of COUNT bits each, OFFSET bits ahead → address SLOT of the packet. */
	TRC_OP_NET_ADDRESS,
	TRC_OP_NET_END, /* give the packet to the event */
	TRC_OP_CHARS,   /* N bytes, OFFSET bits ahead → text SLOT */
	TRC_OP_STRING,  /* bytes up to a NUL → text SLOT; advance past it */
	/* as many elements as register COUNT says → text SLOT; an element has N bits, and OFFSET bits with
	 * its padding */
	TRC_OP_SEQUENCE,
	/* Repeat the steps that follow as often as register COUNT says, or N times; if that is 0, go to
	 * JUMP. */
	TRC_OP_LOOP,
	TRC_OP_NEXT, /* end of the loop that starts after JUMP */
	/* find the value of register COUNT in the N sorted cases from index JUMP on, and go to the step of
	 * that case. If no case has it, go to step OFFSET, or fail if OFFSET is 0 */
	TRC_OP_SWITCH,
	TRC_OP_JUMP, /* go to JUMP */
	TRC_OP_END
};

/* How a number is read. */
enum trc_op_from {
	TRC_FROM_BITS,     /* BITS bits, OFFSET bits ahead */
	TRC_FROM_REVERSED, /* … and their order reversed */
	TRC_FROM_LEB       /* by the last TRC_OP_LEB */
};

struct trc_op {
	uint8_t code;
	uint8_t bits; /* size of the number */
	bool is_signed, big_endian;
	uint8_t from;     /* enum trc_op_from */
	uint8_t encoding; /* of a text: enum trc_encoding */
	bool is_taken;    /* the text is that of field SLOT, no text of the event */
	uint16_t slot;    /* TRC_NO_SLOT: fetch nothing */
	uint16_t count;   /* a register; TRC_NO_SLOT: the constant N */
	uint32_t jump;
	uint64_t offset, n;
};

/* An interval of tag values, and the step to continue with. */
struct trc_case {
	uint64_t low, high; /* as returned by trc_case_value() */
	uint32_t jump;
};

/* Map VALUE so that unsigned comparison orders all values. */
static inline uint64_t trc_case_value(bool is_signed, uint64_t value)
{
	return is_signed ? value ^ UINT64_C(1) << 63 : value;
}

struct trc_plan {
	GArray *ops;   /* of struct trc_op */
	GArray *cases; /* of struct trc_case */
	/* Counters that the contexts of the event have: their names, interned. */
	const char *counters[MDL_COUNTERS];
	unsigned n_counters;
	bool own; /* they count one thread, not a CPU */
};

#endif
