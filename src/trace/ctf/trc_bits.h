/* SPDX-License-Identifier: MIT */
/* Numbers of any size at any bit of a packet, in both byte orders. */
#ifndef TRC_BITS_H
#define TRC_BITS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* None of these shifts by 64: SIZE is at most 64, and the loops end there. */
/* NOLINTBEGIN(clang-analyzer-core.UndefinedBinaryOperatorResult) */

/* Read SIZE bits (1..64) at bit AT of P, little-endian: bit 0 is the lowest bit of the first byte. */
static inline uint64_t trc_bits_le(const uint8_t *p, uint64_t at, unsigned size)
{
	unsigned first = at % 8, done = 0;
	uint64_t value = 0;

	for (p += at / 8; done < size; p++) {
		unsigned n = MIN(8 - first, size - done);

		value |= (uint64_t)((*p >> first) & ((1u << n) - 1)) << done;
		done += n;
		first = 0;
	}
	return value;
}

/* Read SIZE bits (1..64) at bit AT of P, big-endian: bit 0 is the highest bit of the first byte. */
static inline uint64_t trc_bits_be(const uint8_t *p, uint64_t at, unsigned size)
{
	unsigned first = at % 8, done = 0;
	uint64_t value = 0;

	for (p += at / 8; done < size; p++) {
		unsigned n = MIN(8 - first, size - done);

		value = value << n | ((*p >> (8 - first - n)) & ((1u << n) - 1));
		done += n;
		first = 0;
	}
	return value;
}

/* Sign-extend VALUE from SIZE bits to 64. */
static inline int64_t trc_bits_sign(uint64_t value, unsigned size)
{
	unsigned rest = 64 - size;

	return (int64_t)(value << rest) >> rest;
}
/* NOLINTEND(clang-analyzer-core.UndefinedBinaryOperatorResult) */

/* Read a number in either byte order.  Whole bytes are read at once. */
static inline uint64_t trc_bits_read(const uint8_t *p, uint64_t at, unsigned size, bool big_endian)
{
	uint16_t v16;
	uint32_t v32;
	uint64_t v64;

	switch (at % 8 ? 0 : size) {
	case 8: return p[at / 8];
	case 16:
		memcpy(&v16, p + at / 8, sizeof(v16));
		return big_endian ? GUINT16_FROM_BE(v16) : GUINT16_FROM_LE(v16);
	case 32:
		memcpy(&v32, p + at / 8, sizeof(v32));
		return big_endian ? GUINT32_FROM_BE(v32) : GUINT32_FROM_LE(v32);
	case 64:
		memcpy(&v64, p + at / 8, sizeof(v64));
		return big_endian ? GUINT64_FROM_BE(v64) : GUINT64_FROM_LE(v64);
	default: return big_endian ? trc_bits_be(p, at, size) : trc_bits_le(p, at, size);
	}
}

/* Reverse the order of the SIZE bits of VALUE. */
static inline uint64_t trc_bits_reverse(uint64_t value, unsigned size)
{
	uint64_t reversed = 0;

	for (unsigned i = 0; i < size; i++)
		reversed |= (value >> i & 1) << (size - 1 - i);
	return reversed;
}

/* Read the LEB128 number at P, of which N bytes are there. Returns its bytes; 0 if it is not whole, or does
 * not fit in 64 bits. */
static inline unsigned trc_bits_leb(const uint8_t *p, uint64_t n, bool is_signed, uint64_t *value)
{
	unsigned shift = 0;

	*value = 0;
	for (unsigned i = 0; i < n && i < 10; i++, shift += 7) {
		uint64_t bits = p[i] & 127;

		if (i == 9 && (is_signed ? bits != 0 && bits != 127 : bits > 1))
			return 0;
		*value |= bits << shift;
		if (p[i] & 128)
			continue;
		if (is_signed && shift < 57 && bits & 64)
			*value |= UINT64_MAX << (shift + 7);
		return i + 1;
	}
	return 0;
}

/* Write SIZE bits of VALUE at bit AT of P; both are multiples of 8. */
static inline void trc_bits_write(uint8_t *p, uint64_t at, unsigned size, bool big_endian, uint64_t value)
{
	unsigned i, n = size / 8;

	for (i = 0; i < n; i++)
		p[at / 8 + i] = (uint8_t)(value >> 8 * (big_endian ? n - 1 - i : i));
}

#endif
