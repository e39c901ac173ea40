/* SPDX-License-Identifier: MIT */
/* A plan: a short program that walks over one part of a packet (an event header, or the rest of an event) and
 * fetches values from it.  It is compiled once from the types. */
#ifndef TRC_PLAN_H
#define TRC_PLAN_H

#include "model/event/table.h"
#include "trace/core/trc_budget.h"
#include "trace/core/trc_queue.h"
#include "trace/ctf/trc_bits.h"
#include "trace/ctf/trc_net.h"
#include "trace/meta/trc_meta.h"

struct trc_plan;

#define TRC_PLAN_CPU "perf_cpu" /* the field in which perf stores the CPU of an event */
#define TRC_REGISTERS 32        /* lengths and tags that a walk can store */

/* The value of a field that trc_plan_new_fields() was asked for: a number or a text. */
struct trc_taken {
	uint64_t number;  /* sign-extended to 64 bits if it is signed */
	const char *text; /* weak: in the data, … */
	uint64_t length;  /* … bytes, which may have a NUL in them */
};

/* Position and results of a walk. */
struct trc_walk {
	const uint8_t *data; /* weak: AT and LIMIT are bits from here */
	uint64_t at, limit;
	uint64_t id;               /* of the event */
	uint64_t clock;            /* cycles */
	uint32_t cpu;              /* of the event itself (TRC_PLAN_CPU); unchanged if it has none */
	struct trc_queue *queue;   /* weak: stores texts */
	struct mdl_event *event;   /* weak: receives arguments and texts */
	struct trc_taken *taken;   /* weak: receives what trc_plan_new_fields() was asked for */
	struct mdl_counts *counts; /* weak: of EVENT, if that has some */
	uint64_t leb;              /* the LEB128 number read last, … */
	unsigned leb_bits;         /* … and how many bits its bytes have */
	uint32_t known;            /* the registers that have a value, a bit each; a plan adds to them */
	uint32_t before;           /* the registers that the head of the packet set */
	uint64_t registers[TRC_REGISTERS];
	/* The head of a packet: its numbers by role (for the UUID its place, in bits); HEADS has the roles
	 * that exist. */
	uint64_t head[TRC_ROLES];
	uint32_t heads;     /* set of enum trc_role */
	struct trc_net net; /* for events with packet headers */
};

/* approximate number of steps and cases that all plans of a trace together may have */
#define TRC_PLAN_COSTS (1u << 20)

/*
 * The values in the head of a packet and in the header of an event to which fields of events refer. Each has
 * a register. The plans for packets and for headers fill these registers; the plans for the rest of an event
 * do not change them.
 */
#define TRC_AROUND_MAX 8 /* registers */

struct trc_around {
	const struct trc_meta *t;              /* weak */
	const struct trc_stream_class *stream; /* weak */
	GHashTable *names; /* owned: last parts of the references to these values (const char *, weak) */
	GHashTable *known; /* owned: path → struct trc_known *; complete once an event has a plan */
};

/* A field to whose value later fields refer. */
struct trc_known {
	uint16_t slot;               /* register */
	const struct trc_type *type; /* weak */
};

/* Return what is around the events of STREAM; NULL if they refer to nothing there. */
struct trc_around *trc_around_new(const struct trc_meta *t, const struct trc_stream_class *stream);
void trc_around_free(struct trc_around *around);

/* Make a plan for the event headers of STREAM; AROUND may be NULL. NULL if a type in them is not supported,
 * or if it costs too much: then COSTS->refused is set. */
struct trc_plan *trc_plan_new_header(const struct trc_stream_class *stream, struct trc_around *around,
	struct trc_budget *costs);

/* Make a plan for the packet header of T, and for the packet context of STREAM unless that is NULL. NULL as
 * above. */
struct trc_plan *trc_plan_new_packet(const struct trc_meta *t, const struct trc_stream_class *stream,
	struct trc_around *around, struct trc_budget *costs);

/* Make a plan for contexts and fields of EVENT; NULL as above.  MAPPING selects the values to fetch.
 * ALIGNED: all headers end at a multiple of that many bits (1: anywhere). */
struct trc_plan *trc_plan_new_event(const struct trc_stream_class *stream,
	const struct trc_event_class *event, const struct mdl_mapping *mapping, uint32_t aligned,
	struct trc_around *around, struct trc_budget *costs);

/* A field of ROOT, a struct: one of the contexts of an event, or the struct with the event's own fields. */
struct trc_plan_field {
	const struct trc_type *root;   /* weak */
	const struct trc_field *field; /* weak; NULL: none */
};

/* Like trc_plan_new_event(), but the plan puts the value of FIELDS[i], for each of N different fields, into
 * taken[i] of its walk. The fields are numbers, or texts in UTF-8. */
struct trc_plan *trc_plan_new_fields(const struct trc_stream_class *stream,
	const struct trc_event_class *event, const struct trc_plan_field *fields, unsigned n,
	uint32_t aligned, struct trc_around *around, struct trc_budget *costs);
void trc_plan_free(struct trc_plan *plan);

/* Run PLAN from W->at, with the registers that W->known names. False if it would go beyond W->limit or the
 * data is invalid; W is then undefined. */
bool trc_plan_run(const struct trc_plan *plan, struct trc_walk *w);

/* ---- the two event headers that LTTng writes, read without a plan ---- */

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

/* ---- references ---- */

/* Names in types that refer to the value of an earlier field: the length of a sequence, the tag of a variant.
 * trc_type.up says how the field is found: in CTF 1.8 from the innermost struct outwards, up to
 * "event.fields.a.b". */

/* Add the last component of every reference below TYPE (may be NULL) to WANTED, a set of const char *: only
 * fields of these names must be stored. */
void trc_reference_collect(const struct trc_type *type, GHashTable *wanted);

/* Resolve the reference (may be NULL) of TYPE, the type of the field with the path SCOPE. Returns the value
 * in KNOWN (path → anything), or NULL. */
gpointer trc_reference_find(GHashTable *known, const char *scope, const struct trc_type *type);

#endif
