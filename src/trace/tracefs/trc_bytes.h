/* SPDX-License-Identifier: MIT */
/* Bytes of a file, read from front to back.  Data beyond the end reads as 0, and AT > SIZE shows that in the
 * end. */
#ifndef TRC_BYTES_H
#define TRC_BYTES_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct trc_bytes {
	const uint8_t *data;
	uint64_t size, at; /* AT > SIZE: something did not fit */
	bool big;          /* big-endian */
};

/* Take N bytes; NULL if there are fewer. */
static inline const uint8_t *trc_bytes_take(struct trc_bytes *b, uint64_t n)
{
	uint64_t at = b->at;

	if (at > b->size || n > b->size - at) {
		b->at = b->size + 1;
		return NULL;
	}
	b->at += n;
	return b->data + at;
}

/* Return the number in N bytes (at most 8) at P. */
static inline uint64_t trc_bytes_number(const uint8_t *p, unsigned n, bool big)
{
	uint64_t number = 0;
	uint32_t half;

	if (n == 8) {
		memcpy(&number, p, sizeof number);
		return big ? GUINT64_FROM_BE(number) : GUINT64_FROM_LE(number);
	}
	if (n == 4) {
		memcpy(&half, p, sizeof half);
		return big ? GUINT32_FROM_BE(half) : GUINT32_FROM_LE(half);
	}
	for (unsigned i = 0; i < n; i++)
		number = number << 8 | p[big ? i : n - 1 - i];
	return number;
}

static inline uint64_t trc_bytes_take_number(struct trc_bytes *b, unsigned n)
{
	const uint8_t *p = trc_bytes_take(b, n);

	return p ? trc_bytes_number(p, n, b->big) : 0;
}

/* Take a text up to its NUL; NULL if it has none. */
static inline const char *trc_bytes_take_text(struct trc_bytes *b)
{
	const uint8_t *begin = b->at < b->size ? b->data + b->at : NULL;
	const uint8_t *end = begin ? memchr(begin, 0, b->size - b->at) : NULL;

	b->at = end ? (uint64_t)(end - b->data) + 1 : b->size + 1;
	return end ? (const char *)begin : NULL;
}

/* Take N bytes as a sequence of their own. */
static inline struct trc_bytes trc_bytes_take_bytes(struct trc_bytes *b, uint64_t n)
{
	const uint8_t *p = trc_bytes_take(b, n);

	return (struct trc_bytes){ .data = p, .size = p ? n : 0, .big = b->big };
}

#endif
