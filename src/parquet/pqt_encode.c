/* SPDX-License-Identifier: MIT */
/*
 * A dictionary is a hash table with open addressing. A hostile trace can have texts that collide, so a search
 * ends after PROBES slots; then the dictionary counts as full, and the column has none.
 */
#include "parquet/pqt_encode.h"

#include "parquet/pqt_thrift.h"

#include <string.h>
#include <xxhash.h>

#define RUN 8 /* values that are packed together; the head of a shorter run costs more than it saves */

/* "Delta Encoding": values of a block, and its parts, each with its own width. */
#define BLOCK 128
#define PARTS 4
#define PART (BLOCK / PARTS)

/* A power of two. A dictionary is at most half full, and its numbers, which begin with 1, have 16 bits. */
#define SLOTS (1u << 15)
#define KEYS_MAX (SLOTS / 2)
#define PROBES 256
#define TEXTS_BYTES_MAX (1u << 20)

void pqt_pack(GString *out, const uint64_t *values, gsize n, unsigned width)
{
	gsize at = out->len, bytes = (n * width + 7) / 8;
	uint64_t open = 0;
	unsigned bits = 0; /* used bits of OPEN, fewer than 64 */
	char *p;

	g_string_set_size(out, at + bytes);
	p = out->str + at;
	for (gsize i = 0; i < n && width > 0; i++) {
		open |= values[i] << bits;
		bits += width;
		if (bits >= 64) {
			open = GUINT64_TO_LE(open);
			memcpy(p, &open, 8);
			p += 8;
			bits -= 64;
			/* a shift by 64 is undefined */
			open = bits > 0 ? values[i] >> (width - bits) : 0;
		}
	}
	open = GUINT64_TO_LE(open);
	memcpy(p, &open, (bits + 7) / 8);
}

/* Append N VALUES bit-packed, with zeros up to a multiple of 8 values. */
static void put_packed(GString *out, const uint64_t *values, gsize n, unsigned width)
{
	gsize whole = n / RUN * RUN;
	uint64_t rest[RUN] = { 0 };

	if (n == 0)
		return;
	pqt_put_varint(out, (n + RUN - 1) / RUN << 1 | 1);
	pqt_pack(out, values, whole, width);
	for (gsize i = whole; i < n; i++)
		rest[i - whole] = values[i];
	if (whole < n)
		pqt_pack(out, rest, RUN, width);
}

void pqt_runs(GString *out, const uint64_t *values, gsize n, unsigned width)
{
	gsize packed = 0; /* the first value that is not written yet */

	for (gsize i = 0, end; i < n; i = end) {
		gsize fill;

		for (end = i + 1; end < n && values[end] == values[i]; end++)
			;
		/* The number of packed values is a multiple of 8: some may be the first values of the run. */
		fill = (RUN - (i - packed) % RUN) % RUN;
		if (end - i < fill + RUN)
			continue;
		put_packed(out, values + packed, i + fill - packed, width);
		pqt_put_varint(out, (uint64_t)(end - i - fill) << 1);
		for (unsigned byte = 0; byte < (width + 7) / 8; byte++)
			g_string_append_c(out, (char)(values[i] >> 8 * byte));
		packed = end;
	}
	put_packed(out, values + packed, n - packed, width);
}

/* Append the N (1..BLOCK) differences of VALUES from the previous value. */
static void put_block(GString *out, const uint64_t *values, gsize n)
{
	uint64_t steps[BLOCK] = { 0 };
	int64_t least = INT64_MAX;

	for (gsize i = 0; i < n; i++) {
		steps[i] = values[i] - values[(gssize)i - 1];
		least = MIN(least, (int64_t)steps[i]);
	}
	pqt_put_zigzag(out, least);
	for (gsize i = 0; i < n; i++)
		steps[i] -= (uint64_t)least;
	for (gsize part = 0; part < BLOCK; part += PART) {
		uint64_t all = 0;

		for (gsize i = 0; i < PART; i++)
			all |= steps[part + i];
		g_string_append_c(out, (char)pqt_bits(all));
	}
	for (gsize part = 0; part < n; part += PART) {
		uint64_t all = 0;

		for (gsize i = 0; i < PART; i++)
			all |= steps[part + i];
		pqt_pack(out, steps + part, PART, pqt_bits(all));
	}
}

void pqt_delta(GString *out, const uint64_t *values, gsize n)
{
	pqt_put_varint(out, BLOCK);
	pqt_put_varint(out, PARTS);
	pqt_put_varint(out, n);
	pqt_put_zigzag(out, n > 0 ? (int64_t)values[0] : 0);
	for (gsize i = 1; i < n; i += BLOCK)
		put_block(out, values + i, MIN(n - i, BLOCK));
}

/* ---- distinct values ---- */

void pqt_dict_init(struct pqt_dict *d)
{
	d->keys = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	d->slots = g_new0(uint16_t, SLOTS);
}

void pqt_dict_clear(struct pqt_dict *d)
{
	g_array_unref(d->keys);
	g_free(d->slots);
}

void pqt_dict_reset(struct pqt_dict *d)
{
	g_array_set_size(d->keys, 0);
	memset(d->slots, 0, SLOTS * sizeof *d->slots);
}

int32_t pqt_dict_add(struct pqt_dict *d, uint64_t value)
{
	/* Knuth, The Art of Computer Programming 3, 6.4: multiplication by 2^64 / golden ratio. */
	uint32_t slot = (uint32_t)(value * UINT64_C(0x9e3779b97f4a7c15) >> 49);

	for (unsigned probe = 0; probe < PROBES; probe++, slot = (slot + 1) % SLOTS) {
		uint32_t number = d->slots[slot];

		if (number > 0 && g_array_index(d->keys, uint64_t, number - 1) == value)
			return (int32_t)number - 1;
		if (number > 0)
			continue;
		if (d->keys->len == KEYS_MAX)
			return -1;
		g_array_append_val(d->keys, value);
		d->slots[slot] = (uint16_t)d->keys->len;
		return (int32_t)d->keys->len - 1;
	}
	return -1;
}

void pqt_texts_init(struct pqt_texts *t)
{
	t->bytes = g_string_new(NULL);
	t->begins = g_array_new(FALSE, TRUE, sizeof(uint32_t));
	g_array_set_size(t->begins, 1);
	t->slots = g_new0(uint16_t, SLOTS);
	t->many = false;
}

void pqt_texts_clear(struct pqt_texts *t)
{
	g_string_free(t->bytes, TRUE);
	g_array_unref(t->begins);
	g_free(t->slots);
}

void pqt_texts_reset(struct pqt_texts *t)
{
	g_string_truncate(t->bytes, 0);
	g_array_set_size(t->begins, 1);
	memset(t->slots, 0, SLOTS * sizeof *t->slots);
	t->many = false;
}

static int64_t append(struct pqt_texts *t, const char *text, uint32_t length)
{
	uint32_t size = GUINT32_TO_LE(length), end;

	g_string_append_len(t->bytes, (const char *)&size, sizeof size);
	g_string_append_len(t->bytes, text, length);
	end = (uint32_t)t->bytes->len;
	g_array_append_val(t->begins, end);
	return pqt_texts_count(t) - 1;
}

int64_t pqt_texts_find(struct pqt_texts *t, const char *text, uint32_t length, bool add)
{
	uint32_t slot = (uint32_t)XXH3_64bits(text, length) % SLOTS, there;

	for (unsigned probe = 0; probe < PROBES && !t->many; probe++, slot = (slot + 1) % SLOTS) {
		uint32_t number = t->slots[slot];

		if (number > 0) {
			const char *known = pqt_texts_get(t, number - 1, &there);

			if (there == length && memcmp(known, text, length) == 0)
				return number - 1;
			continue;
		}
		if (!add)
			return -1;
		if (pqt_texts_count(t) == KEYS_MAX || t->bytes->len + length > TEXTS_BYTES_MAX)
			break;
		t->slots[slot] = (uint16_t)(pqt_texts_count(t) + 1);
		return append(t, text, length);
	}
	if (!add)
		return -1;
	t->many = true;
	return append(t, text, length);
}
