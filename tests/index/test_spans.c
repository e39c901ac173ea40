/* SPDX-License-Identifier: MIT */
/* Files of latencies: the worst spans that they keep, against all their spans; the texts of keys; and
 * damage. */
#include "base/base_error.h"
#include "base/base_search.h"
#include "index/idx_ask.h"
#include "index/file/format.h"
#include "index/file/map.h"
#include "index/idx_mutate.h"
#include "index/idx_repair.h"
#include "index/spans/spans.h"
#include "index/verify/verify.h"

#include <glib/gstdio.h>
#include <string.h>

#define ROWS 40
#define HOSTS 2
#define BAD 40 /* bytes of one of the worst spans */
#define FINGERPRINT "0123456789abcdef0123456789abcdef"

static const struct idx_spans_of of = { .fingerprint = FINGERPRINT, .hosts = HOSTS, .rows = ROWS, .hash = 7 };
/* How many of each kind: more than are kept, fewer, none. */
static const unsigned counts[] = { 9000, 600, 0, 3000 };
static char *file;
static uint8_t *whole;
static gsize whole_size;

static bool is_tracer(uint32_t row)
{
	return row < 4;
}

/* The kind whose statistics are kept by class. */
#define CLASSED 3

static enum mdl_span_class class_of(uint32_t row)
{
	return row == MDL_NONE ? MDL_SPAN_CLASS_UNKNOWN
		: row % 3 == 0 ? MDL_SPAN_CLASS_RT
			       : MDL_SPAN_CLASS_FAIR;
}

/* Many spans have equal lengths and starts. */
static struct mdl_span make_up(GRand *random, unsigned kind)
{
	struct mdl_span s = { .start = g_rand_int_range(random, 0, 300),
		.key = g_rand_int(random),
		.row = (uint32_t)g_rand_int_range(random, 0, ROWS),
		.cpu = g_rand_boolean(random) ? MDL_NONE : 3,
		.kind = (uint8_t)kind,
		.fate = g_rand_int_range(random, 0, 9) == 0 ? MDL_SPAN_OPEN : MDL_SPAN_DONE };

	if (s.row == ROWS - 1)
		s.row = MDL_NONE;
	s.end = s.start + (s.fate == MDL_SPAN_DONE ? g_rand_int_range(random, -2, 400) : 0);
	return s;
}

/* The text of key I, unique; some are very long. */
static char *text_of(unsigned i)
{
	char *filler = g_strnfill(i % 97 == 0 ? 9000 : i % 13, 'x'),
	     *text = g_strdup_printf("%u %s", i, filler);

	g_free(filler);
	return text;
}

#define OF_TEXTS 3 /* kind whose keys are texts, each used twice */

/* Order of an outline, which has one kind: by host, row and start. */
static int as_found(const void *a, const void *b)
{
	const struct idx_spans_found *x = a, *y = b;

	return BASE_BY(x, y, host) ?: BASE_BY(x, y, span.row) ?: BASE_BY(x, y, span.start);
}

static void write_outline(struct idx_spans_writer *w, GRand *random)
{
	GArray *all = g_array_new(FALSE, FALSE, sizeof(struct idx_spans_found));

	for (unsigned i = 0; i < counts[0]; i++) {
		struct idx_spans_found f = { .span = make_up(random, 0) };

		if (f.span.row == MDL_NONE || f.span.end < f.span.start)
			continue;
		f.host = f.span.row * HOSTS / ROWS;
		g_array_append_val(all, f);
	}
	g_array_sort(all, as_found);
	for (guint i = 0; i < all->len; i++) {
		const struct idx_spans_found *f = &g_array_index(all, struct idx_spans_found, i);

		idx_spans_writer_add(w, f->host, &f->span, is_tracer(f->span.row), MDL_SPAN_NO_CLASS);
	}
	g_array_unref(all);
}

static void write_file(bool outline)
{
	GRand *random = g_rand_new_with_seed(5);
	GError *error = NULL;
	struct idx_spans_writer *w = idx_spans_writer_new(file, outline ? IDX_SPANS_OUTLINE : IDX_SPANS_FULL,
		&error);

	g_assert_no_error(error);
	if (outline)
		write_outline(w, random);
	for (unsigned kind = 0; !outline && kind < G_N_ELEMENTS(counts); kind++)
		for (unsigned i = 0; i < counts[kind]; i++) {
			struct mdl_span s = make_up(random, kind);
			char *text = kind == OF_TEXTS ? text_of(i / 2) : NULL;

			s.key = text ? idx_spans_writer_text(w, text) : s.key;
			g_free(text);
			idx_spans_writer_add(w, (uint32_t)g_rand_int_range(random, 0, HOSTS), &s,
				is_tracer(s.row), kind == CLASSED ? class_of(s.row) : MDL_SPAN_NO_CLASS);
		}
	idx_spans_writer_finish(w, &of, &error);
	g_assert_no_error(error);
	idx_spans_writer_free(w);
	g_rand_free(random);
	g_free(whole);
	g_file_get_contents(file, (char **)&whole, &whole_size, &error);
	g_assert_no_error(error);
}

static struct idx_spans *open_file(void)
{
	GError *error = NULL;
	struct idx_spans *s = idx_spans_open(file, &of, &error);

	g_assert_no_error(error);
	return s;
}

/* ---- the worst ---- */

/* All completed spans of KIND, the worst first. */
static GArray *all_of(struct idx_spans *s, unsigned kind, bool tracer)
{
	GArray *all = g_array_new(FALSE, FALSE, sizeof(struct idx_spans_found));
	struct mdl_span *leaf = g_new(struct mdl_span, IDX_LEAF_SPANS);

	for (uint32_t i = 0; i < idx_spans_leaf_count(s); i++) {
		struct idx_spans_leaf l = idx_spans_leaf(s, i);

		for (unsigned k = 0, n = l.kind == kind ? idx_spans_read(s, i, leaf) : 0; k < n; k++) {
			struct idx_spans_found found = { leaf[k], l.host, i, k };

			if (leaf[k].fate == MDL_SPAN_DONE && is_tracer(leaf[k].row) == tracer)
				g_array_append_val(all, found);
		}
	}
	g_array_sort(all, idx_spans_worst_first);
	g_free(leaf);
	return all;
}

static void check_list(struct idx_spans *s, unsigned kind, bool tracer)
{
	GArray *all = all_of(s, kind, tracer);
	struct idx_spans_found found;
	guint i = 0;

	for (; idx_spans_worst(s, kind, tracer, i, &found); i++) {
		const struct idx_spans_found *want = &g_array_index(all, struct idx_spans_found, i);

		g_assert_cmpuint(i, <, all->len);
		g_assert_cmpint(idx_spans_worst_first(&found, want), ==, 0);
		g_assert_cmpint(found.span.end, ==, want->span.end);
		g_assert_cmpuint(found.span.key, ==, want->span.key);
		g_assert_cmpuint(found.span.cpu, ==, want->span.cpu);
		g_assert_cmpuint(found.span.kind, ==, kind);
		g_assert_cmpuint(found.host, ==, want->host);
	}
	g_assert_cmpuint(i, ==, MIN(all->len, IDX_SPANS_WORST));
	g_array_unref(all);
}

static void test_worst(void)
{
	struct idx_spans *s;
	struct idx_spans_found last;

	write_file(false);
	s = open_file();
	for (unsigned kind = 0; kind < MDL_SPAN_KINDS; kind++)
		for (unsigned tracer = 0; tracer < 2; tracer++)
			check_list(s, kind, tracer);
	g_assert_true(idx_spans_worst_last(s, 0, true, &last));
	g_assert_true(idx_spans_worst(s, 0, false, IDX_SPANS_WORST - 1, &last));
	g_assert_false(idx_spans_worst_last(s, 1, false, &last));
	g_assert_false(idx_spans_worst_last(s, 2, false, &last));
	idx_spans_free(s);
}

/* ---- texts ---- */

/* File S has all texts; *BLOCKS: the number of their blocks. */
static void check_texts(struct idx_spans *s, size_t *blocks)
{
	struct mdl_span *leaf = g_new(struct mdl_span, IDX_LEAF_SPANS);
	GHashTable *keys = g_hash_table_new(NULL, NULL), *texts = g_hash_table_new(g_str_hash, g_str_equal),
		   *numbers = g_hash_table_new(NULL, NULL);

	for (uint32_t i = 0; i < idx_spans_leaf_count(s); i++)
		for (unsigned k = 0, n = idx_spans_read(s, i, leaf); k < n; k++) {
			if (leaf[k].kind != OF_TEXTS)
				continue;
			g_assert_nonnull(idx_spans_text(s, leaf[k].key));
			g_hash_table_add(keys, (gpointer)(uintptr_t)leaf[k].key);
			g_hash_table_add(texts, (char *)(uintptr_t)idx_spans_text(s, leaf[k].key));
			g_hash_table_add(numbers, (gpointer)(uintptr_t)(leaf[k].key / 32768));
		}
	g_assert_cmpuint(g_hash_table_size(keys), ==, counts[OF_TEXTS] / 2);
	for (unsigned i = 0; i < counts[OF_TEXTS] / 2; i++) {
		char *text = text_of(i);

		g_assert_true(g_hash_table_contains(texts, text));
		g_free(text);
	}
	*blocks = g_hash_table_size(numbers);
	g_hash_table_unref(keys);
	g_hash_table_unref(texts);
	g_hash_table_unref(numbers);
	g_free(leaf);
}

static void test_texts(void)
{
	GError *error = NULL;
	struct idx_spans_writer *w;
	struct idx_spans *s;
	size_t blocks, size;
	char *longest = g_strnfill(100000, 'y');
	uint64_t key[2];

	write_file(false);
	s = open_file();
	check_texts(s, &blocks);
	g_assert_cmpuint(blocks, >, 3);
	idx_repair_chunk(whole, whole_size, "KEYS", &size);
	g_assert_cmpuint(size, ==, 16 * blocks);
	for (unsigned i = 0; i < 8; i++) /* the head of a block */
		g_assert_null(idx_spans_text(s, i));
	g_assert_null(idx_spans_text(s, blocks * 32768 + 8));
	g_assert_null(idx_spans_text(s, UINT64_MAX));
	g_assert_null(idx_spans_damage(s));
	idx_spans_free(s);

	w = idx_spans_writer_new(file, IDX_SPANS_FULL, &error);
	g_assert_no_error(error);
	key[0] = idx_spans_writer_text(w, longest);
	key[1] = idx_spans_writer_text(w, "");
	idx_spans_writer_finish(w, &of, &error);
	g_assert_no_error(error);
	idx_spans_writer_free(w);
	s = open_file();
	g_assert_cmpuint(strlen(idx_spans_text(s, key[0])), ==, 32768 - 8 - 1);
	g_assert_cmpstr(idx_spans_text(s, key[1]), ==, "");
	idx_spans_free(s);
	g_free(longest);
}

/* ---- damage ---- */

/* The statistics of a class are those of its spans. */
static void check_class(struct idx_spans *s, enum mdl_span_class class, bool without)
{
	g_autoptr(GArray) lengths = g_array_new(FALSE, FALSE, sizeof(int64_t));
	struct mdl_span *leaf = g_new(struct mdl_span, IDX_LEAF_SPANS);
	struct idx_spans_figures told;
	uint64_t open = 0;
	int64_t sum = 0;

	for (uint32_t i = 0; i < idx_spans_leaf_count(s); i++)
		for (unsigned k = 0,
			      n = idx_spans_leaf(s, i).kind == CLASSED ? idx_spans_read(s, i, leaf) : 0;
			k < n; k++) {
			int64_t length = leaf[k].end - leaf[k].start;

			if (class_of(leaf[k].row) != class || (without && is_tracer(leaf[k].row)))
				continue;
			open += leaf[k].fate == MDL_SPAN_OPEN;
			if (leaf[k].fate != MDL_SPAN_DONE)
				continue;
			sum += length;
			g_array_append_val(lengths, length);
		}
	g_array_sort(lengths, base_search_by_int64);
	idx_spans_figures_of(s, CLASSED, class, without, &told);
	g_assert_cmpuint(told.figures.count, ==, lengths->len);
	g_assert_cmpuint(told.figures.unfinished, ==, open);
	if (lengths->len > 0) {
		g_assert_cmpint(told.figures.sum, ==, sum);
		g_assert_cmpint(told.figures.min, ==, g_array_index(lengths, int64_t, 0));
		g_assert_cmpint(told.figures.p50, ==,
			g_array_index(lengths, int64_t, (lengths->len + 1) / 2 - 1));
		g_assert_cmpint(told.figures.max, ==, g_array_index(lengths, int64_t, lengths->len - 1));
	}
	idx_spans_figures_clear(&told);
	g_free(leaf);
}

static void test_classes(void)
{
	struct idx_spans *s;

	write_file(false);
	s = open_file();
	g_assert_true(idx_spans_has_classes(s, CLASSED));
	g_assert_false(idx_spans_has_classes(s, 0));
	for (unsigned i = 0; i < 2; i++) {
		check_class(s, MDL_SPAN_CLASS_UNKNOWN, i);
		check_class(s, MDL_SPAN_CLASS_DEADLINE, i);
		check_class(s, MDL_SPAN_CLASS_RT, i);
		check_class(s, MDL_SPAN_CLASS_FAIR, i);
	}
	idx_spans_free(s);
}

static void on_finding(void *data, const char *finding)
{
	char **told = data;

	g_assert_null(strchr(finding, '\n'));
	g_free(*told);
	*told = g_strdup(finding);
}

/* The message of verify, or NULL if it finds nothing. The caller frees it. */
static char *verify(void)
{
	struct idx_verify_totals totals;
	char *told = NULL;

	g_assert_cmpint(idx_spans_verify(file, NULL, on_finding, &told, &totals), ==, !told);
	return told;
}

/* Verify reports EXPECTED for the file COPY (taken), whose checksums are right. */
static void refuse(uint8_t *copy, const char *expected)
{
	char *told;

	idx_repair_checksums(copy, whole_size, &idx_map_spans);
	g_assert_true(g_file_set_contents(file, (const char *)copy, (gssize)whole_size, NULL));
	told = verify();
	g_assert_nonnull(told);
	g_assert_nonnull(strstr(told, expected));
	g_free(told);
	g_free(copy);
}

/* Replace N bytes at OFFSET of worst span number I by BYTES, or by another worst span if BYTES is NULL:
 * verify reports EXPECTED. */
static void damage(size_t i, size_t offset, size_t n, const void *bytes, const char *expected)
{
	uint8_t *copy = g_memdup2(whole, whole_size);
	size_t size, at = idx_repair_chunk(copy, whole_size, "WRST", &size) + i * BAD + offset;

	g_assert_cmpuint((i + 1) * BAD, <=, size);
	if (bytes)
		memcpy(copy + at, bytes, n);
	else
		copy[at] ^= 1;
	refuse(copy, expected);
}

/* The chunk is N bytes shorter. */
static void shorten(size_t n, const char *expected)
{
	uint8_t *copy = g_memdup2(whole, whole_size);
	size_t toc = (size_t)idx_get64(copy + 24);

	for (; memcmp(copy + toc, "WRST", 4) != 0; toc += IDX_TOC_ENTRY)
		;
	idx_put64(copy + toc + 16, idx_get64(copy + toc + 16) - n);
	refuse(copy, expected);
}

#define INSIDE "invalid content of chunk WRST"
#define OTHERS "or the longest of kind"

static void test_damage(void)
{
	uint8_t first[BAD];
	size_t size, at;
	char *told;

	write_file(false);
	told = verify();
	g_assert_null(told);
	at = idx_repair_chunk(whole, whole_size, "WRST", &size);
	memcpy(first, whole + at, BAD);
	damage(0, 0, 8, "\0\0\0\0\0\0\0\x40", INSIDE); /* begins behind every span of its leaf */
	damage(0, 8, 8, "\xff\xff\xff\xff\xff\xff\xff\x7f", INSIDE);
	damage(3, 16, 1, NULL, OTHERS);         /* another key */
	damage(0, 24, 4, "\x28\0\0\0", INSIDE); /* a row that does not exist */
	damage(3, 28, 1, NULL, OTHERS);         /* another CPU */
	damage(0, 32, 4, "\xff\xff\xff\xff", INSIDE);
	damage(0, 36, 2, "\xff\xff", INSIDE);
	damage(0, 38, 1, "\2", INSIDE);
	damage(1, 38, 1, "\1", INSIDE);   /* another list before its time */
	damage(1, 0, BAD, first, INSIDE); /* one span twice */
	damage(size / BAD - 1, 38, 1, "\0", INSIDE);
	shorten(1, INSIDE);
	shorten(BAD, OTHERS);
}

/* Replace N bytes at OFFSET of chunk ID by BYTES: verify reports EXPECTED. */
static void damage_in(const char *id, size_t offset, size_t n, const void *bytes, const char *expected)
{
	uint8_t *copy = g_memdup2(whole, whole_size);
	size_t size, at = idx_repair_chunk(copy, whole_size, id, &size) + offset;

	g_assert_cmpuint(offset + n, <=, size);
	memcpy(copy + at, bytes, n);
	refuse(copy, expected);
}

/* Offset in FIGS of the statistics of CLASS. */
static size_t figures_of_class(enum mdl_span_class class)
{
	size_t size, chunk = idx_repair_chunk(whole, whole_size, "FIGS", &size);

	/* Their histograms have no classes. */
	for (size_t at = 0; at + 24 <= size; at += 8)
		if (idx_get64(whole + chunk + at) == (CLASSED << 4 | (unsigned)class << 1) &&
			idx_get64(whole + chunk + at + 8) == 0 && idx_get64(whole + chunk + at + 16) == 0)
			return at;
	g_assert_not_reached();
}

/* The tables other than that of the worst spans. */
static void test_tables(void)
{
	uint8_t first[64];
	size_t size, at;

	write_file(false);
	damage_in("FIGS", 0, 1, "\xc1",
		"invalid content of chunk FIGS"); /* the last of all kinds comes first */
	damage_in("FIGS", 0, 1, "\xd0", "invalid content of chunk FIGS"); /* a kind that does not exist */
	damage_in("FIGS", 0, 1, "\x0a", "invalid content of chunk FIGS"); /* a class that does not exist */
	at = figures_of_class(MDL_SPAN_CLASS_FAIR);
	damage_in("FIGS", at + 24, 1, "\1", "do not match its spans"); /* the number of completed spans */
	damage_in("FIGS", at + 80, 1, "\1", "do not match its spans"); /* their sum */
	damage_in("FIGS", at, 1, "\x33",
		"invalid content of chunk FIGS"); /* the statistics of another class */
	damage_in("LEAF", 16, 4, "\x01\x04\0\0", "invalid content of chunk LEAF");
	damage_in("LEAF", 20, 1, "\x0d", "invalid content of chunk LEAF");
	damage_in("LEAF", 24, 4, "\2\0\0\0", "invalid content of chunk LEAF");   /* a host */
	damage_in("LEAF", 32, 4, "\x28\0\0\0", "invalid content of chunk LEAF"); /* a row */
	damage_in("LEAF", 36, 1, "\1", "invalid content of chunk LEAF");
	damage_in("KEYS", 8, 4, "\x01\x80\0\0",
		"invalid content of chunk KEYS"); /* a block that is too large */
	damage_in("KEYS", 8, 4, "\x08\0\0\0", "invalid content of chunk KEYS"); /* one without a text */
	damage_in("KEYS", 24, 1, "\x11", "invalid block of texts"); /* its last text does not end */
	at = idx_repair_chunk(whole, whole_size, "KEYS", &size);
	memcpy(first, whole + at, 16);
	damage_in("KEYS", 16, 16, first, "a block of another row or kind"); /* a block twice */
	write_file(true);
	damage_in("LEAF", 32, 4, "\x28\0\0\0", "invalid content of chunk LEAF");
	damage_in("LEAF", 16, 4, "\x01\x01\0\0", "invalid content of chunk LEAF");
	damage_in("LEAF", 20, 1, "\1", "invalid content of chunk LEAF");
	at = idx_repair_chunk(whole, whole_size, "LEAF", &size);
	memcpy(first, whole + at, sizeof first);
	damage_in("LEAF", sizeof first, sizeof first, first,
		"invalid content of chunk LEAF"); /* the same cases twice
										       */
}

/* Worst span number I is replaced by another one, at the end of its list. */
static void replace(size_t i, size_t n, const struct idx_spans_found *other)
{
	uint8_t *list = g_malloc(n * BAD), *p = list + (n - 1) * BAD;
	size_t size, at = idx_repair_chunk(whole, whole_size, "WRST", &size);

	memcpy(list, whole + at, i * BAD);
	memcpy(list + i * BAD, whole + at + (i + 1) * BAD, (n - 1 - i) * BAD);
	memset(p, 0, BAD);
	idx_put64(p, (uint64_t)other->span.start);
	idx_put64(p + 8, (uint64_t)(other->span.end - other->span.start));
	idx_put64(p + 16, other->span.key);
	idx_put32(p + 24, other->span.row);
	idx_put32(p + 28, other->span.cpu);
	idx_put32(p + 32, other->leaf);
	idx_put16(p + 36, (uint16_t)other->number);
	damage(0, 0, n * BAD, list, OTHERS);
	g_free(list);
}

/* One worst span is missing, and all others are there. */
static void test_left_out(void)
{
	struct idx_spans *s;
	GArray *all;

	write_file(false);
	s = open_file();
	all = all_of(s, 0, false);
	idx_spans_free(s);
	for (size_t i = 0; i < IDX_SPANS_WORST; i += 341)
		replace(i, IDX_SPANS_WORST, &g_array_index(all, struct idx_spans_found, IDX_SPANS_WORST));
	g_array_unref(all);
}

static int64_t length_of(const struct idx_spans_found *found)
{
	return found->span.end - found->span.start;
}

/* The number of kept spans of FOUND's leaf that are as long as its longest span; 0 if FOUND is shorter. */
static unsigned as_long(struct idx_spans *s, const struct idx_spans_found *found)
{
	int64_t longest = idx_spans_leaf(s, found->leaf).longest;
	struct idx_spans_found other;
	unsigned n = 0;

	for (unsigned tracer = 0; tracer < 2; tracer++)
		for (uint32_t i = 0; idx_spans_worst(s, found->span.kind, tracer, i, &other); i++)
			n += other.leaf == found->leaf && length_of(&other) == longest;
	return length_of(found) == longest ? n : 0;
}

/* Damage of an outline; also a leaf whose longest span is missing. */
static void test_outline(void)
{
	struct idx_spans_found found, last;
	struct idx_spans *s;
	unsigned n = 0;
	char *told;

	write_file(true);
	told = verify();
	g_assert_null(told);
	shorten(BAD, OTHERS);
	write_file(true);
	damage(0, 24, 4, "\xff\xff\xff\xff", INSIDE); /* a case of no thread */
	write_file(true);
	s = open_file();
	g_assert_true(idx_spans_worst(s, 0, false, IDX_SPANS_WORST - 1, &last));
	last.span.start++;
	last.span.end++;
	for (uint32_t i = 0; n < 5 && idx_spans_worst(s, 0, false, i, &found); i++)
		if (length_of(&found) > length_of(&last) && as_long(s, &found) == 1) {
			replace(i, IDX_SPANS_WORST, &last);
			n++;
		}
	g_assert_cmpuint(n, ==, 5);
	idx_spans_free(s);
}

/* ---- one change, with right checksums ---- */

static void tell_case(GByteArray *told, const struct mdl_span *span)
{
	g_byte_array_append(told, (const guint8 *)&span->start, sizeof span->start);
	g_byte_array_append(told, (const guint8 *)&span->end, sizeof span->end);
	g_byte_array_append(told, (const guint8 *)&span->key, sizeof span->key);
	g_byte_array_append(told, (const guint8 *)&span->row, sizeof span->row);
	g_byte_array_append(told, (const guint8 *)&span->cpu, sizeof span->cpu);
}

/* All that the worst spans and the statistics hold, of each kind, with and without the tracer's threads. */
static GByteArray *all_told(const struct idx_spans *s, bool outline)
{
	GByteArray *told = g_byte_array_new();
	struct idx_spans_found found;
	struct idx_spans_figures f;

	for (uint32_t i = 0; !outline && i < idx_spans_leaf_count(s); i++) {
		struct idx_spans_leaf l = idx_spans_leaf(s, i);

		g_byte_array_append(told, (const guint8 *)&l.first_row, sizeof l.first_row);
		g_byte_array_append(told, (const guint8 *)&l.last_row, sizeof l.last_row);
		g_byte_array_append(told, (const guint8 *)&l.first, sizeof l.first);
		g_byte_array_append(told, (const guint8 *)&l.last, sizeof l.last);
		g_byte_array_append(told, (const guint8 *)&l.longest, sizeof l.longest);
	}
	for (unsigned kind = 0; kind < MDL_SPAN_KINDS; kind++) {
		idx_spans_figures(s, kind, false, &f);
		g_byte_array_append(told, (const guint8 *)f.fates,
			outline ? sizeof f.fates[0] : sizeof f.fates);
		g_byte_array_append(told, (const guint8 *)&f.figures.max, sizeof f.figures.max);
		for (unsigned i = 0; !outline && i < f.powers->len; i++)
			g_byte_array_append(told,
				(const guint8 *)&g_array_index(f.powers, struct base_bucket, i),
				sizeof(struct base_bucket));
		if (!outline) {
			g_byte_array_append(told, (const guint8 *)&f.figures.sum, sizeof f.figures.sum);
			g_byte_array_append(told, (const guint8 *)&f.figures.p99, sizeof f.figures.p99);
			g_byte_array_append(told, (const guint8 *)&f.figures.outliers,
				sizeof f.figures.outliers);
		}
		idx_spans_figures_clear(&f);
		/* (Whether a span is of the tracer is recorded only by its place.) */
		for (unsigned tracer = 0; !outline && tracer < 2; tracer++)
			for (uint32_t i = 0; idx_spans_worst(s, kind, tracer, i, &found); i++)
				tell_case(told, &found.span);
	}
	return told;
}

static void check_mutants(bool outline)
{
	struct idx_mutate *m;
	struct idx_spans *s;
	GByteArray *right;
	const char *what;

	write_file(outline);
	s = open_file();
	right = all_told(s, outline);
	idx_spans_free(s);
	m = idx_mutate_new(whole, whole_size, &idx_map_spans, 1 + outline);
	for (unsigned i = 0; i < idx_mutate_count(200); i++) {
		uint8_t *bytes = idx_mutate_next(m, true, &what);
		char *found;

		g_assert_true(g_file_set_contents_full(file, (const char *)bytes, (gssize)whole_size,
			G_FILE_SET_CONTENTS_NONE, 0600, NULL));
		found = verify();
		s = idx_spans_open(file, NULL, NULL);
		if (s) {
			GByteArray *told = all_told(s, outline);

			idx_ask_spans(s);
			if (!found &&
				(told->len != right->len || memcmp(told->data, right->data, told->len) != 0))
				g_error("%s, outline %d: another answer, and verify finds nothing", what,
					outline);
			if (idx_spans_damage(s))
				g_assert_nonnull(found);
			g_byte_array_unref(told);
		}
		idx_spans_free(s);
		g_free(found);
		g_free(bytes);
	}
	idx_mutate_free(m);
	g_byte_array_unref(right);
}

static void test_mutants(void)
{
	check_mutants(false);
	check_mutants(true);
}

/* ---- bare and full files ---- */

/* Spans of one host, all kinds mixed, as FORM; returns the bytes of the file. */
static GBytes *write_mixed(enum idx_spans_form form, unsigned n)
{
	const struct idx_spans_of one = { .fingerprint = of.fingerprint,
		.hosts = 1,
		.rows = ROWS,
		.hash = of.hash };
	GRand *random = g_rand_new_with_seed(7);
	GError *error = NULL;
	struct idx_spans_writer *w = idx_spans_writer_new(file, form, &error);
	char *bytes;
	gsize size;

	g_assert_no_error(error);
	for (unsigned i = 0; i < n; i++) {
		struct mdl_span s = make_up(random,
			(unsigned)g_rand_int_range(random, 0, i % 2 ? 2 : MDL_SPAN_KINDS));

		idx_spans_writer_add(w, 0, &s, form != IDX_SPANS_BARE && is_tracer(s.row), MDL_SPAN_NO_CLASS);
	}
	idx_spans_writer_finish(w, &one, &error);
	g_assert_no_error(error);
	idx_spans_writer_free(w);
	g_rand_free(random);
	g_assert_true(g_file_get_contents(file, &bytes, &size, NULL));
	return g_bytes_new_take(bytes, size);
}

static void count_found(void *data, G_GNUC_UNUSED const struct mdl_span *span)
{
	++*(unsigned *)data;
}

/* Settle the file in place. */
static bool settle(unsigned *found, struct base_progress *progress, GError **error)
{
	struct idx_spans *bare = idx_spans_open(file, NULL, error);
	bool tracer[ROWS], fine;

	for (uint32_t i = 0; i < ROWS; i++)
		tracer[i] = is_tracer(i);
	fine = bare && idx_spans_settle(bare, file, tracer, count_found, found, progress, error);
	idx_spans_free(bare);
	return fine;
}

static void on_bare_finding(G_GNUC_UNUSED void *data, const char *finding)
{
	g_error("%s", finding);
}

/* A bare file that is settled equals the file written when the tracer's threads are known from the start. */
static void test_settle(void)
{
	static const unsigned numbers[] = { 0, 1, 20000 };

	for (unsigned i = 0; i < G_N_ELEMENTS(numbers); i++) {
		g_autoptr(GBytes) full = write_mixed(IDX_SPANS_FULL, numbers[i]), bare = NULL;
		struct idx_spans *before = idx_spans_open(file, NULL, NULL), *opened;
		struct idx_verify_totals totals;
		GError *error = NULL;
		g_autofree char *bytes = NULL;
		unsigned found = 0;
		gsize size;

		g_assert_false(idx_spans_is_bare(before));
		bare = write_mixed(IDX_SPANS_BARE, numbers[i]);
		g_assert_true(g_bytes_equal(bare, full) == (numbers[i] == 0));
		g_assert_true(idx_spans_verify(file, NULL, on_bare_finding, NULL, &totals));
		g_assert_cmpuint(totals.spans, ==, numbers[i]);
		opened = idx_spans_open(file, NULL, NULL);
		g_assert_true(idx_spans_is_bare(opened) == (numbers[i] > 0));
		g_assert_true(idx_spans_are_alike(before, opened));
		idx_spans_free(opened);
		idx_spans_free(before);
		settle(&found, NULL, &error);
		g_assert_no_error(error);
		g_assert_cmpuint(found, ==, numbers[i]);
		g_assert_true(g_file_get_contents(file, &bytes, &size, NULL));
		g_assert_cmpmem(bytes, size, g_bytes_get_data(full, NULL), g_bytes_get_size(full));
	}
}

/* Cancelled, or with a damaged leaf, settling writes nothing. */
static void test_unsettled(void)
{
	g_autoptr(GBytes) bare = write_mixed(IDX_SPANS_BARE, 20000);
	struct base_progress progress;
	GError *error = NULL;
	g_autofree char *bytes = NULL;
	unsigned found = 0;
	gsize size;

	base_progress_init(&progress);
	base_progress_cancel(&progress);
	g_assert_false(settle(&found, &progress, &error));
	g_assert_error(error, BASE_ERROR, BASE_ERROR_CANCELLED);
	g_clear_error(&error);
	g_assert_true(g_file_get_contents(file, &bytes, &size, NULL));
	g_assert_cmpmem(bytes, size, g_bytes_get_data(bare, NULL), g_bytes_get_size(bare));
	bytes[size / 3] ^= 1; /* in a leaf */
	g_assert_true(g_file_set_contents(file, bytes, (gssize)size, NULL));
	g_assert_false(settle(&found, NULL, &error));
	g_assert_error(error, BASE_ERROR, BASE_ERROR_DATA);
	g_clear_error(&error);
}

int main(int argc, char **argv)
{
	char *folder;
	int result;

	g_test_init(&argc, &argv, NULL);
	folder = g_dir_make_tmp("wakepath-spans-XXXXXX", NULL);
	file = g_build_filename(folder, "it.wps", NULL);
	g_test_add_func("/spans/worst", test_worst);
	g_test_add_func("/spans/classes", test_classes);
	g_test_add_func("/spans/texts", test_texts);
	g_test_add_func("/spans/damage", test_damage);
	g_test_add_func("/spans/tables", test_tables);
	g_test_add_func("/spans/left-out", test_left_out);
	g_test_add_func("/spans/outline", test_outline);
	g_test_add_func("/spans/mutants", test_mutants);
	g_test_add_func("/spans/settle", test_settle);
	g_test_add_func("/spans/unsettled", test_unsettled);
	result = g_test_run();
	g_unlink(file);
	g_rmdir(folder);
	g_free(file);
	g_free(folder);
	g_free(whole);
	return result;
}
