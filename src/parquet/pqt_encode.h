/* SPDX-License-Identifier: MIT */
/* Encodings of Parquet (Encodings.md of apache/parquet-format). */
#ifndef PQT_ENCODE_H
#define PQT_ENCODE_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* Return the number of bits that V needs; 0 for 0. */
static inline unsigned pqt_bits(uint64_t v)
{
	return v ? 64 - (unsigned)__builtin_clzll(v) : 0;
}

/* Append the N VALUES, each below 2^WIDTH (0..64), to OUT: from the lowest bit of each byte on, in whole
 * bytes. */
void pqt_pack(GString *out, const uint64_t *values, gsize n, unsigned width);
/* Append the N VALUES, each below 2^WIDTH (1..32), to OUT as runs ("Run Length Encoding / Bit-Packing
 * Hybrid"). */
void pqt_runs(GString *out, const uint64_t *values, gsize n, unsigned width);
/* Append the N (not 0) VALUES to OUT by their differences ("Delta Encoding"). */
void pqt_delta(GString *out, const uint64_t *values, gsize n);

/* ---- distinct values ---- */

/* Numbers of the distinct values of a column, in the order of their first use. */
struct pqt_dict {
	GArray *keys; /* of uint64_t: the values */
	uint16_t *slots;
};

void pqt_dict_init(struct pqt_dict *d);
void pqt_dict_clear(struct pqt_dict *d);
/* Forget all values. */
void pqt_dict_reset(struct pqt_dict *d);
/* Return the number of VALUE.  -1 if it is new and there are too many. */
int32_t pqt_dict_add(struct pqt_dict *d, uint64_t value);

/* Numbers of the distinct texts, kept in the form of a dictionary page: 4 bytes of length, then the bytes. */
struct pqt_texts {
	GString *bytes;
	GArray *begins; /* of uint32_t: where each begins in BYTES, and where the next one will */
	uint16_t *slots;
	bool many; /* there are too many to look for: each further text is a new one */
};

void pqt_texts_init(struct pqt_texts *t);
void pqt_texts_clear(struct pqt_texts *t);
void pqt_texts_reset(struct pqt_texts *t);
/* Return the number of the LENGTH bytes at TEXT. -1 if they are new and ADD is false; with ADD they are
 * added. */
int64_t pqt_texts_find(struct pqt_texts *t, const char *text, uint32_t length, bool add);

static inline guint pqt_texts_count(const struct pqt_texts *t)
{
	return t->begins->len - 1;
}

/* Return text NUMBER, of *LENGTH bytes.  T owns it. */
static inline const char *pqt_texts_get(const struct pqt_texts *t, guint number, uint32_t *length)
{
	const uint32_t *begin = &g_array_index(t->begins, uint32_t, number);

	*length = begin[1] - begin[0] - 4;
	return t->bytes->str + begin[0] + 4;
}

#endif
