/* SPDX-License-Identifier: MIT */
/*
 * A column chunk is a dictionary page, if a dictionary pays, and data pages of version 1, which all readers
 * know. Integers without a dictionary are written as differences, because times ascend and durations are
 * small. Other values are plain. Names of structs and fields are those of parquet.thrift
 * (apache/parquet-format).
 */
#include "parquet/pqt_column.h"

#include "base/base_memory.h"

#include <math.h>
#include <string.h>
#include <zstd.h>

#define PAGE_ROWS 32768u
#define PAGE_BYTES (1u << 20) /* of plain texts; a page ends after the text that reaches it */
#define DICT_PAYS 2           /* least number of rows per entry for which numbers get a dictionary */
#define LEVEL 1               /* of zstd; higher levels save a few percent */
#define BOUND_MAX 256u        /* bytes of the longest text in statistics */

enum { CODEC_ZSTD = 6 };                                    /* enum CompressionCodec */
enum { PLAIN = 0, RLE = 3, DELTA = 5, RLE_DICTIONARY = 8 }; /* enum Encoding */
enum { DATA_PAGE = 0, DICTIONARY_PAGE = 2 };                /* enum PageType */

int pqt_column_type(enum pqt_type type)
{
	switch (type) {
	case PQT_BOOL: return PQT_AS_BOOLEAN;
	case PQT_DOUBLE: return PQT_AS_DOUBLE;
	case PQT_TEXT: return PQT_AS_BYTE_ARRAY;
	case PQT_INT:
	case PQT_TIME: break;
	}
	return PQT_AS_INT64;
}

static bool has_words(enum pqt_type type)
{
	return type != PQT_BOOL && type != PQT_TEXT;
}

gsize pqt_values_row_bytes(enum pqt_type type)
{
	return sizeof(uint8_t) + (has_words(type) ? sizeof(uint64_t) : sizeof(uint32_t));
}

void pqt_values_init(struct pqt_values *v, const char *name, enum pqt_type type, guint rows)
{
	*v = (struct pqt_values){ .type = type, .name = g_strdup(name), .present = g_new0(uint8_t, rows) };
	if (has_words(type))
		v->words = g_new(uint64_t, rows);
	else
		v->numbers = g_new(uint32_t, rows);
	if (type == PQT_TEXT)
		pqt_texts_init(&v->texts);
}

void pqt_values_clear(struct pqt_values *v)
{
	g_free(v->name);
	g_free(v->present);
	g_free(v->words);
	g_free(v->numbers);
	if (v->type == PQT_TEXT)
		pqt_texts_clear(&v->texts);
}

/* ---- pages ---- */

struct pqt_pages {
	GString *out;   /* weak */
	uint64_t size;  /* of the file so far */
	GString *plain; /* a page, uncompressed */
	GString *head;  /* its PageHeader */
	GString *packed;
	ZSTD_CCtx *zstd;
	struct pqt_dict dict;
	uint32_t *numbers; /* of the values in DICT, by row */
	uint64_t *values;  /* of a page */
};

struct pqt_pages *pqt_pages_new(GString *out, uint64_t size, guint rows)
{
	struct pqt_pages *p = g_new0(struct pqt_pages, 1);

	p->out = out;
	p->size = size;
	p->plain = g_string_new(NULL);
	p->head = g_string_new(NULL);
	p->packed = g_string_new(NULL);
	p->zstd = ZSTD_createCCtx();
	if (!p->zstd)
		base_memory_out();
	pqt_dict_init(&p->dict);
	p->numbers = g_new(uint32_t, rows);
	p->values = g_new(uint64_t, MIN(rows, PAGE_ROWS));
	return p;
}

void pqt_pages_free(struct pqt_pages *p)
{
	g_string_free(p->plain, TRUE);
	g_string_free(p->head, TRUE);
	g_string_free(p->packed, TRUE);
	ZSTD_freeCCtx(p->zstd);
	pqt_dict_clear(&p->dict);
	g_free(p->numbers);
	g_free(p->values);
	g_free(p);
}

uint64_t pqt_pages_size(const struct pqt_pages *p)
{
	return p->size;
}

static void put(struct pqt_pages *p, const GString *bytes)
{
	g_string_append_len(p->out, bytes->str, (gssize)bytes->len);
	p->size += bytes->len;
}

/* Write the page at P->plain with its head and N values, nulls included. Returns its uncompressed size. */
static uint64_t put_page(struct pqt_pages *p, int type, guint n, int encoding)
{
	struct pqt_thrift t = { .out = p->head };
	size_t size;

	g_string_set_size(p->packed, ZSTD_compressBound(p->plain->len));
	size = ZSTD_compressCCtx(p->zstd, p->packed->str, p->packed->len, p->plain->str, p->plain->len,
		LEVEL);
	if (ZSTD_isError(size)) /* there is enough room, so memory is exhausted */
		base_memory_out();
	g_string_truncate(p->packed, size);

	g_string_truncate(p->head, 0);
	pqt_thrift_begin(&t); /* PageHeader */
	pqt_thrift_i32(&t, 1, type);
	pqt_thrift_i32(&t, 2, (int32_t)p->plain->len);
	pqt_thrift_i32(&t, 3, (int32_t)size);
	pqt_thrift_begin_field(&t, type == DATA_PAGE ? 5 : 7); /* DataPageHeader, DictionaryPageHeader */
	pqt_thrift_i32(&t, 1, (int32_t)n);
	pqt_thrift_i32(&t, 2, encoding);
	if (type == DATA_PAGE) {
		pqt_thrift_i32(&t, 3, RLE);
		pqt_thrift_i32(&t, 4, RLE);
	}
	pqt_thrift_end(&t);
	pqt_thrift_end(&t);
	put(p, p->head);
	put(p, p->packed);
	return p->head->len + p->plain->len;
}

/* Find the numbers of the values of V in a dictionary. False if a dictionary does not pay. */
static bool make_dict(struct pqt_pages *p, const struct pqt_values *v, guint rows)
{
	guint n = 0;

	pqt_dict_reset(&p->dict);
	for (guint i = 0; i < rows; i++) {
		int32_t number;

		if (!v->present[i])
			continue;
		number = pqt_dict_add(&p->dict, v->words[i]);
		n++;
		if (number < 0)
			return false;
		p->numbers[i] = (uint32_t)number;
	}
	return p->dict.keys->len > 0 && p->dict.keys->len <= n / DICT_PAYS;
}

/* Return the encoding of the column. Write its dictionary page if it has one, and set *NUMBERS (by row, in
 * the dictionary) and *WIDTH (their bits). */
static int begin_chunk(struct pqt_pages *p, const struct pqt_values *v, guint rows, uint32_t **numbers,
	unsigned *width, uint64_t *uncompressed)
{
	guint n;

	g_string_truncate(p->plain, 0);
	if (v->type == PQT_BOOL)
		return PLAIN;
	if (v->type == PQT_TEXT) {
		n = pqt_texts_count(&v->texts);
		if (v->texts.many || n == 0)
			return PLAIN;
		g_string_append_len(p->plain, v->texts.bytes->str, (gssize)v->texts.bytes->len);
		*numbers = v->numbers;
	} else {
		if (!make_dict(p, v, rows))
			return v->type == PQT_DOUBLE ? PLAIN : DELTA;
		n = p->dict.keys->len;
		pqt_pack(p->plain, &g_array_index(p->dict.keys, uint64_t, 0), n, 64);
		*numbers = p->numbers;
	}
	*uncompressed += put_page(p, DICTIONARY_PAGE, n, PLAIN);
	*width = MAX(pqt_bits(n - 1), 1); /* some readers reject a width of 0 */
	return RLE_DICTIONARY;
}

/* Return the end of the page that begins at row FROM. */
static guint page_end(const struct pqt_values *v, guint from, guint rows, int encoding)
{
	guint end = MIN(rows, from + PAGE_ROWS);
	gsize bytes = 0;
	uint32_t length;

	if (v->type != PQT_TEXT || encoding != PLAIN)
		return end;
	for (guint i = from; i < end; i++) {
		if (!v->present[i])
			continue;
		pqt_texts_get(&v->texts, v->numbers[i], &length);
		bytes += length + sizeof length;
		if (bytes >= PAGE_BYTES)
			return i + 1;
	}
	return end;
}

/* Append the definition levels of a page: 1 for a value, 0 for null; first their size, as in version 1. */
static void put_levels(struct pqt_pages *p, const uint8_t *present, guint n)
{
	gsize at = p->plain->len;
	uint32_t size;

	g_string_set_size(p->plain, at + sizeof size);
	if (n >= 8 && memcmp(present, present + 1, n - 1) == 0) { /* most columns are one run */
		pqt_put_varint(p->plain, (uint64_t)n << 1);
		g_string_append_c(p->plain, (char)*present);
	} else {
		for (guint i = 0; i < n; i++)
			p->values[i] = present[i];
		pqt_runs(p->plain, p->values, n, 1);
	}
	size = GUINT32_TO_LE((uint32_t)(p->plain->len - at - sizeof size));
	memcpy(p->plain->str + at, &size, sizeof size);
}

static void put_texts(GString *out, const struct pqt_values *v, guint from, guint to)
{
	for (guint i = from; i < to; i++) {
		const char *text;
		uint32_t length;

		if (!v->present[i])
			continue;
		text = pqt_texts_get(&v->texts, v->numbers[i], &length);
		g_string_append_len(out, text - sizeof length, (gssize)(length + sizeof length));
	}
}

/* Write the rows from FROM to TO as a page. Returns its size before compression. */
static uint64_t put_rows(struct pqt_pages *p, const struct pqt_values *v, guint from, guint to, int encoding,
	const uint32_t *numbers, unsigned width)
{
	guint n = 0;

	g_string_truncate(p->plain, 0);
	put_levels(p, v->present + from, to - from);
	if (v->type == PQT_TEXT && encoding == PLAIN) {
		put_texts(p->plain, v, from, to);
		return put_page(p, DATA_PAGE, to - from, PLAIN);
	}
	for (guint i = from; i < to; i++) {
		if (v->present[i])
			p->values[n++] = numbers ? numbers[i] : v->words[i];
	}
	switch (encoding) {
	case RLE_DICTIONARY:
		g_string_append_c(p->plain, (char)width);
		pqt_runs(p->plain, p->values, n, width);
		break;
	case DELTA: pqt_delta(p->plain, p->values, n); break;
	default: pqt_pack(p->plain, p->values, n, v->type == PQT_BOOL ? 1 : 64); break;
	}
	return put_page(p, DATA_PAGE, to - from, encoding);
}

/* ---- statistics ---- */

/* The bounds of a column chunk, in plain encoding. SIZE is 0 if it has none. */
struct bounds {
	const void *least, *greatest;
	uint32_t least_size, greatest_size;
	uint64_t low, high; /* of numbers, LEAST and GREATEST point to them; little-endian */
	guint n;            /* values that are neither null nor NaN */
	guint nulls, nans;
};

static double as_double(uint64_t word)
{
	double d;

	memcpy(&d, &word, sizeof d);
	return d;
}

static bool is_below(enum pqt_type type, uint64_t a, uint64_t b)
{
	return type == PQT_DOUBLE ? as_double(a) < as_double(b) : (int64_t)a < (int64_t)b;
}

static void find_numbers(struct bounds *b, const struct pqt_values *v, guint rows)
{
	for (guint i = 0; i < rows; i++) {
		uint64_t word;

		if (!v->present[i])
			continue;
		word = v->words ? v->words[i] : v->numbers[i];
		if (v->type == PQT_DOUBLE && isnan(as_double(word))) {
			b->nans++;
			continue;
		}
		if (b->n == 0 || is_below(v->type, word, b->low))
			b->low = word;
		if (b->n == 0 || is_below(v->type, b->high, word))
			b->high = word;
		b->n++;
	}
	/* "If the computed max value is zero, +0.0 should be written", and -0.0 for the min value (union
	 * ColumnOrder). */
	if (v->type == PQT_DOUBLE && b->n > 0) {
		b->low = as_double(b->low) == 0 ? UINT64_C(1) << 63 : b->low;
		b->high = as_double(b->high) == 0 ? 0 : b->high;
	}
	b->low = GUINT64_TO_LE(b->low);
	b->high = GUINT64_TO_LE(b->high);
	b->least = &b->low;
	b->greatest = &b->high;
	b->least_size = b->greatest_size = v->type == PQT_BOOL ? 1 : sizeof b->low;
}

/* The order of UTF8 is "unsigned byte-wise comparison". */
static int compare(const void *a, uint32_t a_size, const void *b, uint32_t b_size)
{
	int order = memcmp(a, b, MIN(a_size, b_size));

	return order ? order : (a_size > b_size) - (a_size < b_size);
}

static void find_texts(struct bounds *b, const struct pqt_texts *t)
{
	for (b->n = 0; b->n < pqt_texts_count(t); b->n++) {
		uint32_t size;
		const char *text = pqt_texts_get(t, b->n, &size);

		if (b->n == 0 || compare(text, size, b->least, b->least_size) < 0) {
			b->least = text;
			b->least_size = size;
		}
		if (b->n == 0 || compare(text, size, b->greatest, b->greatest_size) > 0) {
			b->greatest = text;
			b->greatest_size = size;
		}
	}
	if (b->least_size > BOUND_MAX || b->greatest_size > BOUND_MAX)
		b->n = 0;
}

static void put_statistics(struct pqt_thrift *t, const struct pqt_values *v, guint rows)
{
	struct bounds b = { 0 };

	for (guint i = 0; i < rows; i++)
		b.nulls += !v->present[i];
	if (v->type == PQT_TEXT)
		find_texts(&b, &v->texts);
	else
		find_numbers(&b, v, rows);
	pqt_thrift_begin_field(t, 12); /* Statistics */
	pqt_thrift_i64(t, 3, b.nulls);
	if (b.n > 0) {
		pqt_thrift_binary(t, 5, b.greatest, b.greatest_size);
		pqt_thrift_binary(t, 6, b.least, b.least_size);
		pqt_thrift_bool(t, 7, true);
		pqt_thrift_bool(t, 8, true);
	}
	if (v->type == PQT_DOUBLE)
		pqt_thrift_i64(t, 9, b.nans);
	pqt_thrift_end(t);
}

/* ---- column chunks ---- */

void pqt_pages_write(struct pqt_pages *p, struct pqt_values *v, guint rows, struct pqt_thrift *into,
	uint64_t *uncompressed)
{
	uint64_t begin = p->size, plain = 0, data;
	uint32_t *numbers = v->type == PQT_BOOL ? v->numbers : NULL;
	unsigned width = 0;
	int encoding = begin_chunk(p, v, rows, &numbers, &width, &plain);

	data = p->size;
	for (guint from = 0, to; from < rows; from = to) {
		to = page_end(v, from, rows, encoding);
		plain += put_rows(p, v, from, to, encoding, numbers, width);
	}

	pqt_thrift_begin(into);          /* ColumnChunk */
	pqt_thrift_i64(into, 2, 0);      /* "Writers should set this field to 0" */
	pqt_thrift_begin_field(into, 3); /* ColumnMetaData */
	pqt_thrift_i32(into, 1, pqt_column_type(v->type));
	pqt_thrift_list(into, 2, PQT_THRIFT_I32, encoding == RLE_DICTIONARY ? 3 : 2);
	pqt_thrift_item_i32(into, RLE); /* of the levels */
	pqt_thrift_item_i32(into, encoding);
	if (encoding == RLE_DICTIONARY)
		pqt_thrift_item_i32(into, PLAIN);
	pqt_thrift_list(into, 3, PQT_THRIFT_BINARY, 1);
	pqt_thrift_item_text(into, v->name);
	pqt_thrift_i32(into, 4, CODEC_ZSTD);
	pqt_thrift_i64(into, 5, rows);
	pqt_thrift_i64(into, 6, (int64_t)plain);
	pqt_thrift_i64(into, 7, (int64_t)(p->size - begin));
	pqt_thrift_i64(into, 9, (int64_t)data);
	if (encoding == RLE_DICTIONARY)
		pqt_thrift_i64(into, 11, (int64_t)begin);
	put_statistics(into, v, rows);
	pqt_thrift_end(into);
	pqt_thrift_end(into);

	*uncompressed += plain;
	memset(v->present, 0, rows);
	if (v->type == PQT_TEXT)
		pqt_texts_reset(&v->texts);
}
