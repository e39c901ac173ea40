/* SPDX-License-Identifier: MIT */
/*
 * Little-endian base-128 numbers (LEB128, as in DWARF 5 section 7.6), 1 to 10
 * bytes.  Reading is bounded: it never looks at or beyond END, and a number
 * that does not end there, or does not fit in 64 bits, is an error.
 */
#ifndef BASE_VARINT_H
#define BASE_VARINT_H

#include <glib.h>
#include <stdint.h>

#define BASE_VARINT_MAX 10

/* Write V at P, which has room for BASE_VARINT_MAX bytes.  Returns the byte after it. */
static inline uint8_t *base_varint_put(uint8_t *p, uint64_t v)
{
	while (v >= 0x80) {
		*p++ = (uint8_t)(v | 0x80);
		v >>= 7;
	}
	*p++ = (uint8_t)v;
	return p;
}

/* Read a number at P.  Returns the byte after it, or NULL when it is damaged. */
static inline const uint8_t *base_varint_get(const uint8_t *p, const uint8_t *end, uint64_t *v)
{
	uint64_t value = 0;
	unsigned shift = 0;

	if (p < end && !(*p & 0x80)) {
		*v = *p;
		return p + 1;
	}
	while (p < end) {
		uint64_t byte = *p++;

		if (shift == 63 && byte > 1)
			return NULL;
		value |= (byte & 0x7f) << shift;
		if (!(byte & 0x80)) {
			*v = value;
			return p;
		}
		shift += 7;
		if (shift > 63)
			return NULL;
	}
	return NULL;
}

/* A run of numbers being read.  After damage p is NULL, and every further number is 0. */
struct base_varints {
	const uint8_t *p, *end;
};

static inline uint64_t base_varints_get(struct base_varints *in)
{
	uint64_t v = 0;

	if (in->p)
		in->p = base_varint_get(in->p, in->end, &v);
	return in->p ? v : 0;
}

/* A number above LIMIT is damage. */
static inline uint64_t base_varints_get_up_to(struct base_varints *in, uint64_t limit)
{
	uint64_t v = base_varints_get(in);

	if (v > limit)
		in->p = NULL;
	return in->p ? v : 0;
}

/* Signed numbers with small magnitude become small unsigned ones: 0, -1, 1, -2 → 0, 1, 2, 3. */
static inline uint64_t base_varint_zigzag(int64_t v)
{
	return ((uint64_t)v << 1) ^ (uint64_t)(v >> 63);
}

static inline int64_t base_varint_unzigzag(uint64_t v)
{
	return (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
}

#endif
