/* SPDX-License-Identifier: MIT */
/* Making types with their sizes; for the parser only. */
#ifndef TRC_TSDL_TYPE_H
#define TRC_TSDL_TYPE_H

#include "trace/tsdl/trc_tsdl.h"

#define TRC_BITS_MAX (UINT64_C(1) << 40) /* no fixed size is larger: far beyond any packet */
#define TRC_NODES_MAX 50000 /* no type unfolds to more: structs of structs of … double each time */
#define TRC_DEPTH_MAX 32    /* types within types, in braces or through names */
#define TRC_ALIGN_MAX 65536 /* bits */

/* OFFSET rounded up to ALIGN (a power of two). */
static inline uint64_t trc_align(uint64_t offset, uint32_t align)
{
	return (offset + align - 1) & ~((uint64_t)align - 1);
}

/* A new type of KIND, owned by T, with alignment 1 and size 0. */
struct trc_type *trc_type_new(struct trc_tsdl *t, enum trc_type_kind kind);

/* A new type like OTHER, with the same fields and labels. */
struct trc_type *trc_type_copy(struct trc_tsdl *t, const struct trc_type *other);

/* Arrays and sequences of ELEMENT.  NULL when it is beyond TRC_BITS_MAX, TRC_NODES_MAX or TRC_DEPTH_MAX. */
struct trc_type *trc_type_array(struct trc_tsdl *t, struct trc_type *element, uint64_t length);
struct trc_type *trc_type_sequence(struct trc_tsdl *t, struct trc_type *element, const char *reference);

/*
 * Give TYPE, a struct or variant, its FIELDS (array of struct trc_field, whose
 * memory it takes over), and work out offsets, size and an alignment of at
 * least ALIGN.  False when it is beyond TRC_BITS_MAX, TRC_NODES_MAX or TRC_DEPTH_MAX.
 */
bool trc_type_set_fields(struct trc_type *type, GArray *fields, uint32_t align);

/* Free one type, without those it refers to. */
void trc_type_free(gpointer type);

#endif
