/* SPDX-License-Identifier: MIT */
/*
 * Traces that are followed while they are written. Packets of real traces go one by one into a folder, as
 * LTTng's consumer daemon writes them, and each intermediate view is compared with the index of the whole
 * trace.
 */
#include "index/file/format.h"
#include "index/table/reader.h"
#include "index/verify/verify.h"
#include "ingest/ing.h"

#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>

#define BEGIN 32 /* in a packet of LTTng 2.x: begin in cycles; then its end, and content and size in bits */

/* A packet and its stream. */
struct packet {
	char *stream;
	guint64 begin, end;
	char *bytes;
	gsize size;
};

struct place {
	char *root, *indexes;
	GPtrArray *packets; /* of struct packet, in the order in which they ended */
	char *metadata;
	gsize metadata_size;
};

static guint64 number(const char *bytes, gsize at)
{
	guint64 value;

	memcpy(&value, bytes + at, 8);
	return GUINT64_FROM_LE(value);
}

static char *read_file(const char *path, gsize *size)
{
	GError *error = NULL;
	char *bytes;

	g_file_get_contents(path, &bytes, size, &error);
	g_assert_no_error(error);
	return bytes;
}

static void packet_free(gpointer data)
{
	struct packet *p = data;

	g_free(p->stream);
	g_free(p->bytes);
	g_free(p);
}

static void add_packets(struct place *place, const char *from, const char *stream)
{
	char *path = g_build_filename(from, stream, NULL);
	gsize size;
	char *bytes = read_file(path, &size);

	for (gsize at = 0; at < size;) {
		struct packet *p = g_new(struct packet, 1);

		p->stream = g_strdup(stream);
		p->begin = number(bytes, at + BEGIN);
		p->end = number(bytes, at + BEGIN + 8);
		p->size = number(bytes, at + BEGIN + 24) / 8;
		p->bytes = g_memdup2(bytes + at, p->size);
		at += p->size;
		g_ptr_array_add(place->packets, p);
	}
	g_free(bytes);
	g_free(path);
}

static int by_end(gconstpointer a, gconstpointer b)
{
	const struct packet *x = *(struct packet *const *)a, *y = *(struct packet *const *)b;

	return x->end != y->end ? (x->end < y->end ? -1 : 1) : strcmp(x->stream, y->stream);
}

/* The packets of the sample NAME, and folders to write them to. */
static struct place *place_new(const char *name)
{
	struct place *place = g_new0(struct place, 1);
	char *from = g_build_filename(g_getenv("SAMPLES"), name, NULL), *below, *path;
	const char *file;
	GDir *dir;

	below = g_build_filename(from, "kernel", NULL);
	if (g_file_test(below, G_FILE_TEST_IS_DIR)) {
		g_free(from);
		from = g_steal_pointer(&below);
	}
	g_free(below);
	place->root = g_build_filename(g_get_tmp_dir(), "follow-XXXXXX", NULL);
	place->indexes = g_build_filename(g_get_tmp_dir(), "indexes-XXXXXX", NULL);
	g_assert_nonnull(g_mkdtemp(place->root));
	g_assert_nonnull(g_mkdtemp(place->indexes));
	place->packets = g_ptr_array_new_with_free_func(packet_free);
	dir = g_dir_open(from, 0, NULL);
	g_assert_nonnull(dir);
	while ((file = g_dir_read_name(dir)))
		if (strcmp(file, "metadata") != 0 && strcmp(file, "index") != 0)
			add_packets(place, from, file);
	g_dir_close(dir);
	g_ptr_array_sort(place->packets, by_end);
	path = g_build_filename(from, "metadata", NULL);
	place->metadata = read_file(path, &place->metadata_size);
	g_free(path);
	g_free(from);
	return place;
}

static void remove_all(const char *path)
{
	GDir *dir = g_dir_open(path, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		char *below = g_build_filename(path, name, NULL);

		if (g_file_test(below, G_FILE_TEST_IS_DIR))
			remove_all(below);
		g_remove(below);
		g_free(below);
	}
	if (dir)
		g_dir_close(dir);
	g_rmdir(path);
}

static void place_free(struct place *place)
{
	remove_all(place->root);
	remove_all(place->indexes);
	g_ptr_array_unref(place->packets);
	g_free(place->metadata);
	g_free(place->root);
	g_free(place->indexes);
	g_free(place);
}

/* Make FOLDER below the root, with metadata and the empty files of all streams. */
static char *begin_folder(const struct place *place, const char *folder)
{
	char *to = g_build_filename(place->root, folder, NULL),
	     *path = g_build_filename(to, "metadata", NULL);

	g_assert_cmpint(g_mkdir_with_parents(to, 0700), ==, 0);
	g_assert_true(g_file_set_contents(path, place->metadata, (gssize)place->metadata_size, NULL));
	g_free(path);
	for (guint i = 0; i < place->packets->len; i++) {
		const struct packet *p = g_ptr_array_index(place->packets, i);

		path = g_build_filename(to, p->stream, NULL);
		fclose(g_fopen(path, "a"));
		g_free(path);
	}
	return to;
}

/* Append SIZE bytes of P, beginning at FROM, to its file in FOLDER. */
static void append(const char *folder, const struct packet *p, gsize from, gsize size)
{
	char *path = g_build_filename(folder, p->stream, NULL);
	FILE *f = g_fopen(path, "a");

	g_assert_nonnull(f);
	g_assert_cmpuint(fwrite(p->bytes + from, 1, size, f), ==, size);
	fclose(f);
	g_free(path);
}

static struct ing_follow *follow(const struct place *place)
{
	GError *error = NULL;
	struct ing_follow *f = ing_follow_new((char *[]){ place->root, NULL }, false,
		&(struct ing_options){ .index_dir = place->indexes }, &error);

	g_assert_no_error(error);
	return f;
}

static void step(struct ing_follow *f)
{
	GError *error = NULL;

	ing_follow_step(f, 0, &error);
	g_assert_no_error(error);
}

/* ---- comparing ---- */

static struct idx_reader *open_index(const char *path, const char *fingerprint)
{
	GError *error = NULL;
	struct idx_reader *r = idx_reader_open(path, fingerprint, &error);

	g_assert_no_error(error);
	return r;
}

/* ROW has the same intervals in A and B. CUT: the last one of A may end earlier. */
static void compare_row(struct idx_reader *a, struct idx_reader *b, uint32_t row, bool cut)
{
	struct idx_intervals *x = idx_intervals_new(a), *y = idx_intervals_new(b);
	struct mdl_interval i, j;
	bool more = idx_intervals_seek(x, row, INT64_MIN);
	bool others = idx_intervals_seek(y, row, INT64_MIN);

	g_assert_true(!more || others);
	while (more && idx_intervals_next(x, &i)) {
		g_assert_true(idx_intervals_next(y, &j));
		g_assert_cmpint(i.from, ==, j.from);
		if (!cut || i.to < idx_reader_row(a, row).last) {
			g_assert_cmpint(i.to, ==, j.to);
			g_assert_cmpint(i.state, ==, j.state);
			g_assert_cmpuint(i.aux, ==, j.aux);
		}
		g_assert_cmpint(i.to, <=, j.to);
	}
	if (!cut)
		g_assert_false(others && idx_intervals_next(y, &j));
	idx_intervals_free(x);
	idx_intervals_free(y);
}

/* ROW has the same wake-ups in A and B. CUT: threads of the last ones of A may not have run yet. */
static void compare_wakeups(struct idx_reader *a, struct idx_reader *b, uint32_t row, bool cut)
{
	struct idx_wakeups *x = idx_wakeups_new(a), *y = idx_wakeups_new(b);
	uint64_t n = idx_reader_wakeup_count(a, row);

	g_assert_cmpuint(n, <=, idx_reader_wakeup_count(b, row));
	g_assert_true(cut || n == idx_reader_wakeup_count(b, row));
	for (uint64_t k = 0; k < n; k++) {
		struct mdl_wakeup u, v;

		g_assert_true(idx_wakeups_get(x, row, k, &u) && idx_wakeups_get(y, row, k, &v));
		g_assert_cmpint(u.time, ==, v.time);
		if (cut && k + 1 == n)
			continue;
		g_assert_cmpint(u.since, ==, v.since);
		g_assert_cmpint(u.ran_at, ==, v.ran_at);
		g_assert_cmpuint(u.rank, ==, v.rank);
		g_assert_cmpuint(u.waker, ==, v.waker);
		g_assert_cmpuint(u.n_contexts, ==, v.n_contexts);
	}
	idx_wakeups_free(x);
	idx_wakeups_free(y);
}

/* A and B have the same rows. CUT: only as far as they exist before the end of A. */
static void compare(struct idx_reader *a, struct idx_reader *b, bool cut)
{
	uint32_t rows = idx_reader_row_count(a);

	g_assert_cmpuint(rows, <=, idx_reader_row_count(b));
	g_assert_true(cut || rows == idx_reader_row_count(b));
	for (uint32_t row = 0; row < rows; row++) {
		struct mdl_row x = idx_reader_row(a, row), y = idx_reader_row(b, row);

		g_assert_cmpint(x.type, ==, y.type);
		g_assert_cmpint(x.nr, ==, y.nr);
		g_assert_cmpint(x.first, ==, y.first);
		compare_row(a, b, row, cut);
		compare_wakeups(a, b, row, cut);
	}
	g_assert_null(idx_reader_damage(a));
	g_assert_null(idx_reader_damage(b));
}

static void on_finding(void *data, const char *finding)
{
	(void)data;
	g_error("%s", finding);
}

/* The index of everything below PATH, built as usual. */
static char *build(const struct place *place, const char *path, char **fingerprint)
{
	char *folder = g_build_filename(place->indexes, "fresh", NULL), *index;
	GError *error = NULL;
	GPtrArray *results = ing_prepare((char *[]){ (char *)(uintptr_t)path, NULL },
		&(struct ing_options){ .index_dir = folder, .force = true }, NULL, &error);
	const struct ing_result *r;

	g_assert_no_error(error);
	g_assert_cmpuint(results->len, ==, 1);
	r = g_ptr_array_index(results, 0);
	index = g_strdup(r->index);
	*fingerprint = g_strdup(r->fingerprint);
	g_ptr_array_unref(results);
	g_free(folder);
	return index;
}

/* The bytes before META, which holds the duration of the build. */
static char *before_meta(const char *path, gsize *size)
{
	char *bytes = read_file(path, size);
	guint64 toc = number(bytes, 24);

	while (memcmp(bytes + toc, "META", 4) != 0)
		toc += IDX_TOC_ENTRY;
	*size = number(bytes, toc + 8);
	return bytes;
}

static void expect_same_bytes(const char *a, const char *b)
{
	gsize n, m;
	char *x = before_meta(a, &n), *y = before_meta(b, &m);

	g_assert_cmpmem(x + IDX_HEADER_SIZE, n - IDX_HEADER_SIZE, y + IDX_HEADER_SIZE, m - IDX_HEADER_SIZE);
	g_free(x);
	g_free(y);
}

/* The end of the complete part, in cycles: the smallest end over all streams of their first I packets; 0 if a
 * stream has none. */
static guint64 certain(const struct place *place, guint n)
{
	GHashTable *ends = g_hash_table_new(g_str_hash, g_str_equal);
	guint64 least = G_MAXUINT64, zero = 0;
	GHashTableIter iter;
	gpointer end;

	for (guint i = 0; i < place->packets->len; i++) {
		struct packet *p = g_ptr_array_index(place->packets, i);

		if (i < n)
			g_hash_table_insert(ends, p->stream, &p->end);
		else if (!g_hash_table_contains(ends, p->stream))
			g_hash_table_insert(ends, p->stream, &zero);
	}
	g_hash_table_iter_init(&iter, ends);
	while (g_hash_table_iter_next(&iter, NULL, &end))
		least = MIN(least, *(guint64 *)end);
	g_hash_table_unref(ends);
	return least;
}

/* Compare what F shows now with WHOLE. It may reach to UNTIL, in cycles of the clock, but not further. */
static void check_shown(const struct ing_follow *f, struct idx_reader *whole, guint64 until)
{
	struct ing_follow_view view = ing_follow_view(f);
	struct idx_verify_totals totals;
	struct idx_reader *r;

	g_assert_true(idx_verify(view.index, view.fingerprint, on_finding, NULL, &totals));
	r = open_index(view.index, view.fingerprint);
	g_assert_true(idx_reader_grows(r));
	g_assert_cmpint(idx_reader_meta(r)->to, ==, view.to);
	g_assert_cmpint(view.to - idx_reader_meta(whole)->clock_zero, <=, until);
	g_assert_cmpuint(idx_reader_meta(r)->events, ==, view.events);
	compare(r, whole, true);
	idx_reader_free(r);
}

/* ---- tests ---- */

/* The whole trace, in a folder of its own. */
static struct idx_reader *build_whole(const struct place *place, char **index)
{
	char *to = begin_folder(place, "whole"), *fingerprint;
	struct idx_reader *r;

	for (guint i = 0; i < place->packets->len; i++) {
		const struct packet *p = g_ptr_array_index(place->packets, i);

		append(to, p, 0, p->size);
	}
	*index = build(place, to, &fingerprint);
	r = open_index(*index, fingerprint);
	remove_all(to);
	g_free(fingerprint);
	g_free(to);
	return r;
}

static void close_and_compare(struct ing_follow *f, const struct place *place, bool same_bytes)
{
	char *index, *fingerprint, *fresh, *print;
	struct idx_verify_totals totals;
	struct idx_reader *a, *b;
	GError *error = NULL;

	ing_follow_close(f, &index, &fingerprint, &error);
	g_assert_no_error(error);
	ing_follow_free(f);
	fresh = build(place, place->root, &print);
	g_assert_cmpstr(print, ==, fingerprint);
	g_assert_true(idx_verify(index, fingerprint, on_finding, NULL, &totals));
	a = open_index(index, fingerprint);
	b = open_index(fresh, print);
	g_assert_false(idx_reader_grows(a));
	compare(a, b, false);
	g_assert_cmpuint(idx_reader_meta(a)->events, ==, idx_reader_meta(b)->events);
	g_assert_cmpuint(idx_reader_meta(a)->gaps->len, ==, idx_reader_meta(b)->gaps->len);
	g_assert_cmpuint(idx_reader_meta(a)->warnings->len, ==, idx_reader_meta(b)->warnings->len);
	g_assert_cmpuint(idx_reader_meta(a)->chunks->len, ==, idx_reader_meta(b)->chunks->len);
	for (guint i = 0; i < idx_reader_meta(a)->chunks->len; i++) {
		const struct idx_chunk *x = &g_array_index(idx_reader_meta(a)->chunks, struct idx_chunk, i),
				       *y = &g_array_index(idx_reader_meta(b)->chunks, struct idx_chunk, i);

		g_assert_cmpstr(x->path, ==, y->path);
		g_assert_cmpint(x->from, ==, y->from);
		g_assert_cmpint(x->to, ==, y->to);
	}
	idx_reader_free(a);
	idx_reader_free(b);
	if (same_bytes)
		expect_same_bytes(index, fresh);
	g_free(index);
	g_free(fingerprint);
	g_free(fresh);
	g_free(print);
}

/* Packets in the order in which they ended, each in two halves. */
static void test_grows(gconstpointer name)
{
	struct place *place = place_new(name);
	char *index, *to;
	struct idx_reader *whole = build_whole(place, &index);
	struct ing_follow *f = follow(place);
	unsigned shown = 0, all = 0;

	to = begin_folder(place, "");
	for (guint i = 0; i < place->packets->len; i++) {
		const struct packet *p = g_ptr_array_index(place->packets, i);

		append(to, p, 0, p->size / 2);
		step(f);
		g_assert_cmpuint(ing_follow_view(f).times, ==, all);
		append(to, p, p->size / 2, p->size - p->size / 2);
		step(f);
		shown += ing_follow_view(f).times != all;
		if (ing_follow_view(f).times != all)
			check_shown(f, whole, certain(place, i + 1));
		all = ing_follow_view(f).times;
	}
	g_assert_cmpuint(shown, >, 0);
	close_and_compare(f, place, true);
	idx_reader_free(whole);
	g_free(index);
	g_free(to);
	place_free(place);
}

/* Write the packets of STREAM, or with OTHERS those of all other streams, except the first N. */
static void append_some(const struct place *place, const char *to, const char *stream, bool others, guint n,
	struct ing_follow *f)
{
	for (guint i = 0; i < place->packets->len; i++) {
		const struct packet *p = g_ptr_array_index(place->packets, i);

		if ((strcmp(p->stream, stream) == 0) == others || (n > 0 && n--))
			continue;
		append(to, p, 0, p->size);
		step(f);
	}
}

/* A stream that is written late delays what is shown of all others. */
static void test_late(void)
{
	struct place *place = place_new("lost-events");
	const struct packet *first = g_ptr_array_index(place->packets, 0);
	char *to = begin_folder(place, "");
	struct ing_follow *f = follow(place);
	struct ing_follow_view view;
	int64_t until;

	append(to, first, 0, first->size);
	append_some(place, to, first->stream, true, 0, f);
	view = ing_follow_view(f);
	g_assert_cmpuint(view.times, ==, 1);
	g_assert_cmpstr(view.waits_for, ==, first->stream);
	until = view.to;
	step(f);
	g_assert_cmpuint(ing_follow_view(f).times, ==, 1);
	append_some(place, to, first->stream, false, 1, f);
	g_assert_cmpint(ing_follow_view(f).to, >, until);
	close_and_compare(f, place, true);
	g_free(to);
	place_free(place);
}

/* End the chunk in TO, which is freed, as number CHUNK of SESSION, and begin the next. */
static char *rotate(const struct place *place, const char *session, char *to, guint chunk)
{
	char *archive = g_strdup_printf("%s/%s/archives/%u", place->root, session, chunk);
	char *moved = g_build_filename(archive, "kernel", NULL);

	g_assert_cmpint(g_mkdir_with_parents(archive, 0700), ==, 0);
	g_assert_cmpint(g_rename(to, moved), ==, 0);
	g_free(to);
	g_free(archive);
	g_free(moved);
	to = g_build_filename(session, "kernel", NULL);
	moved = begin_folder(place, to);
	g_free(to);
	return moved;
}

/* A stream declares that it is silent up to a time, as in a live session: up to then it does not delay the
 * others. */
static void test_silent(void)
{
	struct place *place = place_new("lost-events");
	const struct packet *first = g_ptr_array_index(place->packets, 0),
			    *middle = g_ptr_array_index(place->packets, place->packets->len / 2);
	char *to = begin_folder(place, ""), *path = g_build_filename(to, ".certain", NULL),
	     *text = g_strdup_printf("other 1\n%s %" G_GUINT64_FORMAT "\n", first->stream, middle->begin);
	struct ing_follow *f = follow(place);
	int64_t until;
	guint64 cycles;
	struct idx_reader *r;

	append(to, first, 0, first->size);
	append_some(place, to, first->stream, true, 0, f);
	until = ing_follow_view(f).to;
	g_assert_true(g_file_set_contents(path, text, -1, NULL));
	step(f);
	g_assert_cmpuint(ing_follow_view(f).times, ==, 2);
	r = open_index(ing_follow_view(f).index, ing_follow_view(f).fingerprint);
	cycles = (guint64)(ing_follow_view(f).to - idx_reader_meta(r)->clock_zero);
	g_assert_cmpint(ing_follow_view(f).to, >, until);
	g_assert_cmpuint(cycles, <=, middle->begin);
	g_assert_cmpuint(cycles, >, first->end);
	idx_reader_free(r);
	ing_follow_free(f);
	g_free(text);
	g_free(path);
	g_free(to);
	place_free(place);
}

/* "lttng rotate" twice: the written folder moves below "archives". If F is not NULL, what it shows is
 * compared with WHOLE. */
static void record_rotated(const struct place *place, const char *session, struct ing_follow *f,
	struct idx_reader *whole)
{
	char *first = g_build_filename(session, "kernel", NULL), *to = begin_folder(place, first);
	guint n = place->packets->len, chunks = 0;
	unsigned times = 0;

	for (guint i = 0; i < n; i++) {
		const struct packet *p = g_ptr_array_index(place->packets, i);

		if (i == n / 3 || i == 2 * n / 3)
			to = rotate(place, session, to, chunks++);
		append(to, p, 0, p->size);
		if (!f)
			continue;
		step(f);
		if (certain(place, i + 1) > 0)
			g_assert_cmpstr(ing_follow_view(f).note, ==, NULL);
		if (ing_follow_view(f).times != times)
			check_shown(f, whole, certain(place, i + 1));
		times = ing_follow_view(f).times;
	}
	if (f)
		g_assert_cmpuint(times, >, n / 2);
	g_free(first);
	g_free(to);
}

static void test_rotated(gconstpointer name)
{
	struct place *place = place_new(name);
	char *index, *fingerprint, *to = g_build_filename(place->root, "whole", NULL);
	struct idx_reader *whole;
	struct ing_follow *f;

	record_rotated(place, "whole", NULL, NULL);
	index = build(place, to, &fingerprint);
	whole = open_index(index, fingerprint);
	g_assert_cmpuint(idx_reader_meta(whole)->chunks->len, ==, 3);
	remove_all(to);
	f = follow(place);
	record_rotated(place, "", f, whole);
	close_and_compare(f, place, false);
	idx_reader_free(whole);
	g_free(fingerprint);
	g_free(index);
	g_free(to);
	place_free(place);
}

/* The metadata grows, and a file is written anew: everything is read again, correctly. */
static void test_other(void)
{
	struct place *place = place_new("lost-events");
	char *index, *to, *path;
	struct idx_reader *whole = build_whole(place, &index);
	struct ing_follow *f = follow(place);
	guint n = place->packets->len;
	bool again = false;

	to = begin_folder(place, "");
	path = g_build_filename(to, "metadata", NULL);
	for (guint i = 0; i < n; i++) {
		const struct packet *p = g_ptr_array_index(place->packets, i);

		append(to, p, 0, p->size);
		step(f);
		if (i == n / 2) {
			/* A second equal packet of metadata would be a redefinition: write an empty line in
			 * place of it. */
			char *grown = g_malloc0(place->metadata_size + 1);

			memcpy(grown, place->metadata, place->metadata_size);
			g_assert_true(
				g_file_set_contents(path, grown, (gssize)place->metadata_size - 1, NULL));
			step(f);
			again = ing_follow_view(f).note;
			g_assert_true(g_file_set_contents(path, place->metadata, (gssize)place->metadata_size,
				NULL));
			step(f);
			g_free(grown);
		}
	}
	g_assert_true(again);
	close_and_compare(f, place, true);
	idx_reader_free(whole);
	g_free(path);
	g_free(index);
	g_free(to);
	place_free(place);
}

/* After following has ended, only the index can be opened, not the intermediate files. */
static void test_nothing_left(void)
{
	struct place *place = place_new("lost-events");
	char *to = begin_folder(place, ""), *name, *index, *fingerprint;
	struct ing_follow *f = follow(place);
	struct idx_reader *r;
	GError *error = NULL;

	for (guint i = 0; i < place->packets->len; i++) {
		const struct packet *p = g_ptr_array_index(place->packets, i);

		append(to, p, 0, p->size);
	}
	step(f);
	g_assert_nonnull(ing_follow_view(f).index);
	name = g_strdup(ing_follow_view(f).index);
	r = open_index(name, ing_follow_view(f).fingerprint);
	ing_follow_close(f, &index, &fingerprint, &error);
	g_assert_no_error(error);
	ing_follow_free(f);
	g_assert_false(g_file_test(name, G_FILE_TEST_EXISTS));
	/* A reader that has it open can still read all of it. */
	for (uint32_t row = 0; row < idx_reader_row_count(r); row++)
		compare_row(r, r, row, false);
	g_assert_null(idx_reader_damage(r));
	idx_reader_free(r);
	g_free(index);
	g_free(fingerprint);
	g_free(name);
	g_free(to);
	place_free(place);
}

/* The packet before packet I in its stream; NULL if I is the first one. */
static const struct packet *packet_before(const struct place *place, guint i)
{
	const struct packet *p = g_ptr_array_index(place->packets, i), *before = NULL;

	for (guint k = 0; k < i; k++)
		if (strcmp(((struct packet *)g_ptr_array_index(place->packets, k))->stream, p->stream) == 0)
			before = g_ptr_array_index(place->packets, k);
	return before;
}

/*
 * The shown part ends within a packet, and a leaf of packets is full before that. To fill it, the first
 * packet of the stream occurs many times.
 */
static void test_full_leaf(void)
{
	struct place *place = place_new("lost-events");
	char *to = begin_folder(place, "grows");
	struct ing_follow *f = follow(place);
	const struct packet *first = NULL, *part = NULL;
	guint n = 1;

	for (; !first && n < place->packets->len; n++) {
		part = g_ptr_array_index(place->packets, n);
		first = packet_before(place, n);
		if (first && (certain(place, n + 1) <= part->begin || certain(place, n + 1) >= part->end))
			first = NULL;
	}
	g_assert_nonnull(first);
	for (unsigned i = 0; i < IDX_LEAF_PACKETS; i++)
		append(to, first, 0, first->size);
	append(to, part, 0, part->size);
	for (guint i = 0; i < n; i++) {
		const struct packet *p = g_ptr_array_index(place->packets, i);

		if (strcmp(p->stream, part->stream) != 0)
			append(to, p, 0, p->size);
	}
	step(f);
	g_assert_nonnull(ing_follow_view(f).index);
	ing_follow_free(f);
	g_free(to);
	place_free(place);
}

/* A recording at PATH that is being written is shown many times while its index is built, and that index
 * equals the index of the whole recording. */
static void follow_whole(const char *path)
{
	struct place place = { .indexes = g_build_filename(g_get_tmp_dir(), "indexes-XXXXXX", NULL) };
	char *paths[] = { (char *)(uintptr_t)path, NULL }, *index, *fingerprint, *fresh, *print;
	struct ing_options options = { .index_dir = g_mkdtemp(place.indexes) };
	struct idx_verify_totals totals;
	struct idx_reader *a, *b;
	GError *error = NULL;
	struct ing_follow *f = ing_follow_new(paths, true, &options, &error);

	g_assert_no_error(error);
	do {
		ing_follow_step(f, 1, &error);
		g_assert_no_error(error);
	} while (ing_follow_view(f).more);
	g_assert_cmpuint(ing_follow_view(f).times, >, 2);
	ing_follow_close(f, &index, &fingerprint, &error);
	g_assert_no_error(error);
	ing_follow_free(f);
	fresh = build(&place, path, &print);
	g_assert_cmpstr(print, ==, fingerprint);
	g_assert_true(idx_verify(index, fingerprint, on_finding, NULL, &totals));
	a = open_index(index, fingerprint);
	b = open_index(fresh, print);
	compare(a, b, false);
	g_assert_cmpuint(idx_reader_meta(a)->events, ==, idx_reader_meta(b)->events);
	g_assert_cmpint(idx_reader_meta(a)->to, ==, idx_reader_meta(b)->to);
	idx_reader_free(a);
	idx_reader_free(b);
	g_free(index);
	g_free(fingerprint);
	g_free(fresh);
	g_free(print);
	remove_all(place.indexes);
	g_free(place.indexes);
}

static void test_whole_sample(gconstpointer name)
{
	char *path = g_build_filename(g_getenv("SAMPLES"), name, NULL);

	follow_whole(path);
	g_free(path);
}

static void test_whole_input(gconstpointer name)
{
	const char *shared = g_getenv("SHARED_TRACES");
	char *path = g_build_filename(shared ? shared : "", "inputs", name, NULL);

	if (shared && g_file_test(path, G_FILE_TEST_EXISTS))
		follow_whole(path);
	else
		g_test_skip("no such recording here");
	g_free(path);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_data_func("/follow/grows/lost-events", "lost-events", test_grows);
	g_test_add_data_func("/follow/grows/pipeline", "pipeline", test_grows);
	g_test_add_data_func("/follow/grows/preempt", "preempt", test_grows);
	g_test_add_func("/follow/late", test_late);
	g_test_add_func("/follow/full-leaf", test_full_leaf);
	g_test_add_data_func("/follow/whole/ctf", "lost-events", test_whole_sample);
	g_test_add_data_func("/follow/whole/trace.dat", "typed/typed-big.dat", test_whole_input);
	g_test_add_data_func("/follow/whole/perf.data", "lockfight/perf.data", test_whole_input);
	g_test_add_func("/follow/silent", test_silent);
	g_test_add_data_func("/follow/rotated/lost-events", "lost-events", test_rotated);
	g_test_add_func("/follow/other", test_other);
	g_test_add_func("/follow/nothing-left", test_nothing_left);
	return g_test_run();
}
