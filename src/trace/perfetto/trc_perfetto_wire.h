/* SPDX-License-Identifier: MIT */
/* The wire format of Protocol Buffers (protobuf.dev/programming-guides/encoding): fields, one after the
 * other, each with a number, a type and a value. Reading is bounded; it does not recurse. */
#ifndef TRC_PERFETTO_WIRE_H
#define TRC_PERFETTO_WIRE_H

#include "base/base_varint.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum trc_wire_type { TRC_WIRE_NUMBER = 0, TRC_WIRE_FIXED64 = 1, TRC_WIRE_BYTES = 2, TRC_WIRE_FIXED32 = 5 };

/* The rest of a message that was not read yet. AT is NULL after damage. */
struct trc_wire {
	const uint8_t *at, *end;
};

struct trc_wire_field {
	uint32_t number;
	enum trc_wire_type type;
	uint64_t value;        /* of a number; the length of bytes */
	struct trc_wire bytes; /* of BYTES, weak; NULL of numbers */
};

static inline struct trc_wire trc_wire_of(const uint8_t *data, size_t size)
{
	return (struct trc_wire){ data, data + size };
}

/* Number of bytes left in W. */
static inline size_t trc_wire_size(const struct trc_wire *w)
{
	return w->at ? (size_t)(w->end - w->at) : 0;
}

/* True if W was damaged: its last fields could not be read. */
static inline bool trc_wire_is_damaged(const struct trc_wire *w)
{
	return !w->at;
}

/* Read the next field of W into F.  False at the end, or if the rest is damaged. */
static inline bool trc_wire_next(struct trc_wire *w, struct trc_wire_field *f)
{
	const uint8_t *p = w->at;
	uint64_t key;
	size_t size = 0;

	if (p == w->end || !p)
		return false;
	w->at = NULL;
	p = base_varint_get(p, w->end, &key);
	if (!p || key >> 3 == 0 || key > UINT32_MAX)
		return false;
	f->number = (uint32_t)(key >> 3);
	f->type = (enum trc_wire_type)(key & 7);
	f->bytes = (struct trc_wire){ NULL, NULL };
	switch (f->type) {
	case TRC_WIRE_NUMBER: w->at = base_varint_get(p, w->end, &f->value); return w->at;
	case TRC_WIRE_BYTES:
		p = base_varint_get(p, w->end, &f->value);
		if (!p || f->value > (uint64_t)(w->end - p))
			return false;
		f->bytes = (struct trc_wire){ p, p + f->value };
		w->at = p + f->value;
		return true;
	case TRC_WIRE_FIXED64: size = 8; break;
	case TRC_WIRE_FIXED32: size = 4; break;
	default: return false;
	}
	if ((size_t)(w->end - p) < size)
		return false;
	f->value = 0;
	for (size_t i = 0; i < size; i++)
		f->value |= (uint64_t)p[i] << 8 * i;
	w->at = p + size;
	return true;
}

/* True if F is a number, of any type. */
static inline bool trc_wire_is_number(const struct trc_wire_field *f)
{
	return f->type != TRC_WIRE_BYTES;
}

#endif
