/* SPDX-License-Identifier: MIT */
/* Makes descriptions, and computes the sizes of types; for the parsers only. */
#ifndef TRC_META_TYPE_H
#define TRC_META_TYPE_H

#include "trace/meta/trc_meta.h"

#define TRC_ENTRIES_MAX 100000           /* events, streams, … of each kind */
#define TRC_CLOCKS_MAX 64                /* a host has one, or a few */
#define TRC_TYPES_MAX (1u << 20)         /* in all; 1 200 LTTng events have 20 000 */
#define TRC_BITS_MAX (UINT64_C(1) << 40) /* largest fixed size, in bits: far beyond any packet */
#define TRC_NODES_MAX 50000 /* most nodes of a type: structs of structs of … double each time */
#define TRC_DEPTH_MAX 32    /* most levels of nested types, in braces or through names */
#define TRC_ALIGN_MAX 65536 /* bits */

/* Return OFFSET rounded up to ALIGN (a power of two). */
static inline uint64_t trc_align(uint64_t offset, uint32_t align)
{
	return (offset + align - 1) & ~((uint64_t)align - 1);
}

/* Make empty metadata. */
struct trc_meta *trc_meta_new(void);

/* Make a stream class, owned by T, which trc_meta_stream() does not find yet. */
struct trc_stream_class *trc_meta_new_stream(struct trc_meta *t);

/* Note that T uses a type with NODES nodes once more. False if T then has too many nodes. */
bool trc_meta_unfold(struct trc_meta *t, uint32_t nodes);

/* Set CLOCK->astray, and take its offset away, if that is too far from 1970. */
void trc_meta_check_clock(struct trc_clock *clock);

/* Make a type of KIND, owned by T, with alignment 1 and size 0. */
struct trc_type *trc_type_new(struct trc_meta *t, enum trc_type_kind kind);

/* Make a copy of OTHER that shares its fields and labels. */
struct trc_type *trc_type_copy(struct trc_meta *t, const struct trc_type *other);

/* Make an array, a sequence or an optional of ELEMENT.  NULL if it exceeds TRC_BITS_MAX, TRC_NODES_MAX or
 * TRC_DEPTH_MAX. */
struct trc_type *trc_type_array(struct trc_meta *t, struct trc_type *element, uint64_t length);
struct trc_type *trc_type_sequence(struct trc_meta *t, struct trc_type *element, const char *reference);
struct trc_type *trc_type_optional(struct trc_meta *t, struct trc_type *element, const char *reference);

/* Give TYPE, a struct or variant, its FIELDS (array of struct trc_field, whose memory it takes), and compute
 * offsets, size and an alignment of at least ALIGN bits.  False if it exceeds TRC_BITS_MAX, TRC_NODES_MAX or
 * TRC_DEPTH_MAX. */
bool trc_type_set_fields(struct trc_type *type, GArray *fields, uint32_t align);

/* Free one type, but not the types that it refers to. */
void trc_type_free(gpointer type);

#endif
