/* SPDX-License-Identifier: MIT */
/* Parts of a file with formats of tracefs: bytes, lines, places of parts, decompression. */
#ifndef TRC_BYTES_H
#define TRC_BYTES_H

#include "trace/core/trc_budget.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* ---- bytes ---- */

/* Bytes of a file, read from front to back. Data beyond the end reads as 0, and from then on AT > SIZE. */

struct trc_bytes {
	const uint8_t *data;
	uint64_t size, at; /* AT > SIZE: a read went beyond the end */
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

/* Write NUMBER into the N bytes (at most 8) at TO. */
static inline void trc_bytes_set_number(uint8_t *to, uint64_t number, unsigned n, bool big)
{
	for (unsigned i = 0; i < n; i++)
		to[big ? n - 1 - i : i] = (uint8_t)(number >> 8 * i);
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

/* ---- lines ---- */

/* Texts of many lines, read one line at a time: a list of all would take many times their memory. */

#define TRC_LINE_MAX 65536 /* bytes; a longer line is cut there */
#define TRC_LINE_COST 16   /* budget that a line costs: bytes that take the same time */

/* Set LINE to the next line of B, without its end, at the cost of BUDGET.  False at the end.  A NUL ends the
 * text. */
static inline bool trc_lines_next(struct trc_bytes *b, GString *line, struct trc_budget *budget)
{
	const uint8_t *from, *end, *zero;
	uint64_t left = b->data && b->at < b->size ? b->size - b->at : 0, size;

	if (left == 0 ||
		!trc_budget_spend(budget, TRC_LINE_COST, "it has more lines than its size has room for"))
		return false;
	from = b->data + b->at;
	end = memchr(from, '\n', left);
	size = end ? (uint64_t)(end - from) : left;
	zero = memchr(from, 0, size);
	b->at = zero || !end ? b->size : b->at + size + 1;
	size = zero ? (uint64_t)(zero - from) : size;
	g_string_truncate(line, 0);
	g_string_append_len(line, (const char *)from, (gssize)MIN(size, TRC_LINE_MAX));
	return true;
}

/* ---- places ---- */

/* Places of the parts of a file, as the file itself gives them. Parts that overlap are refused: they would
 * make wakepath read the same bytes again and again. */

struct trc_places {
	GArray *all;   /* owned, of struct trc_place */
	uint64_t left; /* bytes of the file outside of all parts, provided that no parts overlap */
};

/* A part of the file, in bytes. */
struct trc_place {
	uint64_t offset, size;
};

/* Begin with no parts of a file of SIZE bytes. */
struct trc_places trc_places_new(uint64_t size);
void trc_places_free(struct trc_places *places);
/* Add a part of SIZE bytes at OFFSET, which costs B.  False if B refuses it. */
bool trc_places_add(struct trc_places *places, uint64_t offset, uint64_t size, struct trc_budget *b);
/* Call after all parts were added: if some overlap, B refuses them. */
void trc_places_check(struct trc_places *places, struct trc_budget *b);

/* ---- decompression ---- */

enum trc_unpack_kind { TRC_UNPACK_PLAIN, TRC_UNPACK_ZSTD, TRC_UNPACK_ZLIB, TRC_UNPACK_OTHER };

/* Return the kind of the compression NAME, as files call it: "none", "zstd", "zlib". */
enum trc_unpack_kind trc_unpack_kind_of(const char *name);
/* Decompress the SIZE bytes at FROM into TO.  False if they do not give exactly ROOM bytes. */
bool trc_unpack(enum trc_unpack_kind packing, const uint8_t *from, uint64_t size, uint8_t *to, uint64_t room);

/* Decompress the SIZE bytes at FROM, one stream of PACKING, to the end of TO. False if they are damaged or
 * cut off, or give more than MOST bytes; TO then has the bytes up to there, at most MOST + 1. */
bool trc_unpack_all(enum trc_unpack_kind packing, const uint8_t *from, uint64_t size, GByteArray *to,
	uint64_t most);

/* A zstd stream that arrives in parts. */
struct trc_unpack_stream;
struct trc_unpack_stream *trc_unpack_stream_new(void);
void trc_unpack_stream_free(struct trc_unpack_stream *s);
#define TRC_UNPACK_ROOM (128 * 1024) /* least bytes of room for a step */
/* Decompress from the *SIZE bytes at *FROM, and advance both, into the ROOM bytes at TO; *GOT is the number
 * of bytes written.  The stream is complete once no input is left and *GOT is 0.  False if it is damaged. */
bool trc_unpack_stream_step(struct trc_unpack_stream *s, const uint8_t **from, uint64_t *size, uint8_t *to,
	uint64_t room, uint64_t *got);

#endif
