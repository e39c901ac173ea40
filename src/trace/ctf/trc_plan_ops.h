/* SPDX-License-Identifier: MIT */
/* The steps of a plan; for its compiler (trc_plan.c) and its interpreter (trc_plan_run.c). */
#ifndef TRC_PLAN_OPS_H
#define TRC_PLAN_OPS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#define TRC_NO_SLOT UINT16_MAX
#define TRC_LOOPS 8 /* loops within loops */

enum trc_op_code {
	TRC_OP_NEED,      /* N bits from here must be there */
	TRC_OP_SKIP,      /* go on by N bits */
	TRC_OP_ALIGN,     /* go on to a multiple of N */
	TRC_OP_ARG,       /* the number OFFSET bits on → argument SLOT */
	TRC_OP_ARG_S32,   /* ... of 32 bits with sign, little endian, at a whole byte */
	TRC_OP_ARG_64,    /* ... of 64 bits, likewise */
	TRC_OP_REGISTER,  /* ... → register SLOT */
	TRC_OP_ID,        /* ... → the event's id */
	TRC_OP_CPU,       /* ... → the event's CPU */
	TRC_OP_CLOCK,     /* ... → the clock, of which these are the low bits */
	TRC_OP_NET_BEGIN, /* no field of a packet is known yet */
	TRC_OP_NET,       /* ... → field SLOT of the packet */
	/* N numbers, OFFSET bits on, each in COUNT bits, are address SLOT of the packet. */
	TRC_OP_NET_ADDRESS,
	TRC_OP_NET_END,  /* the event gets the packet */
	TRC_OP_CHARS,    /* N bytes, OFFSET bits on, are text SLOT */
	TRC_OP_STRING,   /* bytes up to a NUL, text SLOT; go past it */
	TRC_OP_SEQUENCE, /* as many elements of OFFSET bits (with padding), N (without), as register COUNT
			    says; text SLOT */
	/* Do what follows as often as register COUNT says, or N times; go to JUMP when that is 0. */
	TRC_OP_LOOP,
	TRC_OP_NEXT,   /* end of a loop that starts after JUMP */
	TRC_OP_SWITCH, /* go to where the N cases from JUMP, in order, say for register COUNT */
	TRC_OP_JUMP,   /* go to JUMP */
	TRC_OP_END
};

struct trc_op {
	uint8_t code;
	uint8_t bits; /* size of the number */
	bool is_signed, big_endian;
	uint16_t slot;  /* TRC_NO_SLOT: fetch nothing */
	uint16_t count; /* a register; TRC_NO_SLOT: the constant N */
	uint32_t jump;
	uint64_t offset, n;
};

/* Values of a tag, and the step to go on with. */
struct trc_case {
	uint64_t low, high; /* as trc_case_value() has them */
	uint32_t jump;
};

/* VALUE so that all values are in the order of numbers without sign. */
static inline uint64_t trc_case_value(bool is_signed, uint64_t value)
{
	return is_signed ? value ^ UINT64_C(1) << 63 : value;
}

struct trc_plan {
	GArray *ops;   /* of struct trc_op */
	GArray *cases; /* of struct trc_case */
};

#endif
