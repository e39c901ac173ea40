/* SPDX-License-Identifier: MIT */
/* Little-endian base-128 numbers (LEB128, as in DWARF 5 section 7.6), 1 to 10 bytes.  Reading is bounded: it
 * never reads at or beyond END.  A number that does not end before END, or does not fit in 64 bits, is an
 * error. */
#ifndef BASE_VARINT_H
#define BASE_VARINT_H

#include <glib.h>
#include <stdint.h>
#include <string.h>

#define BASE_VARINT_MAX 10

/* Write V at P, which has room for BASE_VARINT_MAX bytes.  Return the byte after it. */
static inline uint8_t *base_varint_put(uint8_t *p, uint64_t v)
{
	while (v >= 0x80) {
		*p++ = (uint8_t)(v | 0x80);
		v >>= 7;
	}
	*p++ = (uint8_t)v;
	return p;
}

/* Read 8 bytes at P into *BYTES.  Return the highest bit of each byte that ends a number. */
static inline uint64_t base_varint_ends(const uint8_t *p, uint64_t *bytes)
{
	memcpy(bytes, p, sizeof *bytes);
	*bytes = GUINT64_FROM_LE(*bytes);
	return ~*bytes & UINT64_C(0x8080808080808080);
}

/* Decode the number in the low bytes of BYTES; the lowest bit of ENDS (not 0) marks its last byte.  It joins
 * the seven bits of each byte first in pairs, then in fours, then all: a branch on the length would be
 * unpredictable. */
static inline uint64_t base_varint_join(uint64_t bytes, uint64_t ends)
{
	bytes &= (ends ^ (ends - 1)) & UINT64_C(0x7f7f7f7f7f7f7f7f);
	bytes = (bytes & UINT64_C(0x007f007f007f007f)) | (bytes & UINT64_C(0x7f007f007f007f00)) >> 1;
	bytes = (bytes & UINT64_C(0x00003fff00003fff)) | (bytes & UINT64_C(0x3fff00003fff0000)) >> 2;
	return (bytes & UINT64_C(0x000000000fffffff)) | (bytes & UINT64_C(0x0fffffff00000000)) >> 4;
}

/* Read a number at P into *V.  Return the byte after it, or NULL if it is damaged. */
static inline const uint8_t *base_varint_get(const uint8_t *p, const uint8_t *end, uint64_t *v)
{
	uint64_t value = 0, bytes, ends;
	unsigned shift = 0;

	if (p < end && !(*p & 0x80)) {
		*v = *p;
		return p + 1;
	}
	if (end - p >= 8 && (ends = base_varint_ends(p, &bytes)) != 0) {
		*v = base_varint_join(bytes, ends);
		return p + __builtin_ctzll(ends) / 8 + 1;
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

/* A reader of consecutive numbers.  After damage P is NULL, and every further number is 0. */
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

/* A number above LIMIT counts as damage. */
static inline uint64_t base_varints_get_up_to(struct base_varints *in, uint64_t limit)
{
	uint64_t v = base_varints_get(in);

	if (v > limit)
		in->p = NULL;
	return in->p ? v : 0;
}

/* Skip N numbers. */
static inline void base_varints_skip(struct base_varints *in, unsigned n)
{
	uint64_t bytes;

	while (n > 0 && in->p && in->end - in->p >= 8) {
		uint64_t ends = base_varint_ends(in->p, &bytes);

		for (; ends != 0 && n > 1; n--)
			ends &= ends - 1;
		n -= ends != 0;
		in->p += ends != 0 ? __builtin_ctzll(ends) / 8 + 1 : 8;
	}
	while (n > 0 && in->p && in->p < in->end)
		n -= !(*in->p++ & 0x80);
	if (n > 0)
		in->p = NULL;
}

/* Map signed numbers to unsigned ones so that small magnitudes stay small: 0, -1, 1, -2 → 0, 1, 2, 3. */
static inline uint64_t base_varint_zigzag(int64_t v)
{
	return ((uint64_t)v << 1) ^ (uint64_t)(v >> 63);
}

static inline int64_t base_varint_unzigzag(uint64_t v)
{
	return (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
}

#endif
