/* SPDX-License-Identifier: MIT */
/* Another reader (pqt_read.c) and, if installed, DuckDB read what the writer writes. */
#include "parquet/pqt.h"

#include "base/base_error.h"
#include "export/exp.h"
#include "parquet/pqt_read.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xxhash.h>

#define R "\357\277\275"    /* U+FFFD */
#define MORE "\342\200\246" /* U+2026 */

static const struct pqt_column columns[] = {
	{ "time", PQT_TIME },
	{ "duration", PQT_INT },
	{ "tid", PQT_INT },
	{ "share", PQT_DOUBLE },
	{ "proved", PQT_BOOL },
	{ "thread", PQT_TEXT },
	{ "place", PQT_TEXT },
	{ "nothing", PQT_INT },
};
enum { TIME, DURATION, TID, SHARE, PROVED, THREAD, PLACE, NOTHING, N };

/* A table to write, and what the reader should find. */
struct made {
	GString *out;
	struct pqt_writer *w;
	guint rows;
	GPtrArray *values[N]; /* of char *, as struct pqt_read_column has them */
};

static void begin(struct made *t, guint group_rows)
{
	GError *error = NULL;

	t->out = g_string_new(NULL);
	t->w = pqt_writer_new(t->out, columns, N, "wakepath version test", group_rows, &error);
	g_assert_no_error(error);
	t->rows = 0;
	for (guint i = 0; i < N; i++)
		t->values[i] = g_ptr_array_new_with_free_func(g_free);
}

static void note(struct made *t, guint column, char *value)
{
	g_ptr_array_add(t->values[column], value);
}

static void set_int(struct made *t, guint column, gint64 value)
{
	pqt_set_int(t->w, column, value);
	note(t, column, g_strdup_printf("%" G_GINT64_FORMAT, value));
}

static void set_double(struct made *t, double value)
{
	pqt_set_double(t->w, SHARE, value);
	note(t, SHARE, pqt_read_double(value));
}

static void set_bool(struct made *t, gboolean value)
{
	pqt_set_bool(t->w, PROVED, value);
	note(t, PROVED, g_strdup(value ? "true" : "false"));
}

static void set_text(struct made *t, guint column, const char *text, gssize length, const char *wanted)
{
	pqt_set_text(t->w, column, text, length);
	note(t, column, g_strdup(wanted));
}

static void end_row(struct made *t)
{
	pqt_end_row(t->w);
	t->rows++;
	for (guint i = 0; i < N; i++)
		g_ptr_array_set_size(t->values[i], (int)t->rows);
}

/* The statistics of CHUNK, of column C, match the values in rows FROM to TO. */
static void check_statistics(const struct pqt_read_column *c, const struct pqt_read_chunk *chunk, guint from,
	guint to)
{
	const char *least = NULL, *greatest = NULL;
	gint64 nulls = 0;

	for (guint i = from; i < to; i++) {
		const char *value = g_ptr_array_index(c->values, i);
		gboolean is_number = g_str_equal(c->type, "int64") || g_str_equal(c->type, "timestamp");

		nulls += !value;
		if (value &&
			(!least ||
				(is_number ? g_ascii_strtoll(value, NULL, 10) <
							g_ascii_strtoll(least, NULL, 10)
					   : strcmp(value, least) < 0)))
			least = value;
		if (value &&
			(!greatest ||
				(is_number ? g_ascii_strtoll(value, NULL, 10) >
							g_ascii_strtoll(greatest, NULL, 10)
					   : strcmp(value, greatest) > 0)))
			greatest = value;
	}
	g_assert_cmpint(chunk->nulls, ==, nulls);
	if (g_str_equal(c->type, "double")) /* (their texts sort differently) */
		return;
	if (least && MAX(strlen(least), strlen(greatest)) > 256) /* long bounds are left out */
		least = greatest = NULL;
	g_assert_cmpstr(chunk->least, ==, least);
	g_assert_cmpstr(chunk->greatest, ==, greatest);
}

/* Finish T, and compare what is read with what was set.  The caller frees the result. */
static struct pqt_read *end(struct made *t)
{
	struct pqt_read *read;

	pqt_writer_finish(t->w);
	pqt_writer_free(t->w);
	read = pqt_read_new(t->out->str, t->out->len);
	g_assert_cmpstr(read->created_by, ==, "wakepath version test");
	g_assert_cmpint(read->rows, ==, t->rows);
	g_assert_cmpuint(read->columns->len, ==, N);
	for (guint i = 0; i < N; i++) {
		static const char *const types[] = { "int64", "timestamp", "double", "boolean", "text" };
		const struct pqt_read_column *c = g_ptr_array_index(read->columns, i);
		guint from = 0;

		g_assert_cmpstr(c->name, ==, columns[i].name);
		g_assert_cmpstr(c->type, ==, types[columns[i].type]);
		for (guint row = 0; row < t->rows; row++)
			g_assert_cmpstr(g_ptr_array_index(c->values, row), ==,
				g_ptr_array_index(t->values[i], row));
		for (guint g = 0; g < read->group_rows->len; g++) {
			guint rows = (guint)g_array_index(read->group_rows, gint64, g);

			check_statistics(c, g_ptr_array_index(c->chunks, g), from, from + rows);
			from += rows;
		}
	}
	for (guint i = 0; i < N; i++)
		g_ptr_array_unref(t->values[i]);
	return read;
}

static void end_without_reading(struct made *t)
{
	pqt_writer_free(t->w);
	for (guint i = 0; i < N; i++)
		g_ptr_array_unref(t->values[i]);
	g_string_free(t->out, TRUE);
}

static const struct pqt_read_chunk *chunk_of(const struct pqt_read *read, guint column, guint group)
{
	const struct pqt_read_column *c = g_ptr_array_index(read->columns, column);

	g_assert_cmpuint(group, <, c->chunks->len);
	return g_ptr_array_index(c->chunks, group);
}

static void finish(struct made *t, struct pqt_read *read)
{
	pqt_read_free(read);
	g_string_free(t->out, TRUE);
}

/* Rows as a trace has them: times rise, few threads, many durations, some values missing. */
static void add_rows(struct made *t, guint rows, GRand *rand)
{
	gint64 time = G_GINT64_CONSTANT(1700000000000000000) + t->rows;

	for (guint i = 0; i < rows; i++) {
		gint32 tid = g_rand_int_range(rand, 1, 40);
		char *name = g_strdup_printf("wk-thread-%d", tid);

		time += g_rand_int_range(rand, 0, 5000);
		set_int(t, TIME, time);
		if (i % 7)
			set_int(t, DURATION, g_rand_int_range(rand, 0, 10000000));
		else
			note(t, DURATION, NULL);
		set_int(t, TID, tid);
		set_double(t, g_rand_int_range(rand, -4000, 4000) / 4.0);
		if (i % 100 < 50)
			note(t, PROVED, NULL);
		else
			set_bool(t, g_rand_boolean(rand));
		set_text(t, THREAD, name, -1, name);
		if (i % 3)
			set_text(t, PLACE, i % 2 ? "" : "käfig", -1, i % 2 ? "" : "käfig");
		else
			note(t, PLACE, NULL);
		note(t, NOTHING, NULL);
		end_row(t);
		g_free(name);
	}
}

static void test_rows(void)
{
	static const guint sizes[] = { 1, 7, 8, 9, 999, 1000, 1001, 2500 };
	GRand *rand = g_rand_new_with_seed(1);
	struct pqt_read *read;
	struct made t;

	for (guint i = 0; i < G_N_ELEMENTS(sizes); i++) {
		begin(&t, 1000);
		add_rows(&t, sizes[i], rand);
		read = end(&t);
		g_assert_cmpuint(read->group_rows->len, ==, (sizes[i] + 999) / 1000);
		finish(&t, read);
	}
	/* Several pages in a group, several groups. */
	begin(&t, 34000);
	add_rows(&t, 35000, rand);
	read = end(&t);
	g_assert_cmpuint(read->group_rows->len, ==, 2);
	g_assert_cmpuint(chunk_of(read, TIME, 0)->pages, ==, 2);
	g_assert_cmpstr(chunk_of(read, TIME, 0)->encodings, ==, "delta");
	g_assert_cmpstr(chunk_of(read, DURATION, 0)->encodings, ==, "delta");
	g_assert_cmpstr(chunk_of(read, TID, 0)->encodings, ==, "dictionary");
	g_assert_cmpstr(chunk_of(read, SHARE, 0)->encodings, ==, "dictionary");
	g_assert_cmpstr(chunk_of(read, PROVED, 0)->encodings, ==, "plain");
	g_assert_cmpstr(chunk_of(read, THREAD, 0)->encodings, ==, "dictionary");
	finish(&t, read);
	g_rand_free(rand);
}

static void test_empty(void)
{
	struct pqt_read *read;
	struct made t;

	begin(&t, 0);
	read = end(&t);
	g_assert_cmpuint(read->group_rows->len, ==, 0);
	finish(&t, read);
	begin(&t, 0);
	for (guint i = 0; i < 100; i++) {
		for (guint c = 0; c < N; c++)
			note(&t, c, NULL);
		end_row(&t);
	}
	read = end(&t);
	g_assert_cmpint(chunk_of(read, THREAD, 0)->nulls, ==, 100);
	finish(&t, read);
}

/* Ends of the ranges, and doubles without an order. */
static void test_extremes(void)
{
	static const gint64 ints[] = { G_MININT64, G_MAXINT64, 0, -1, 1, G_MAXINT64, G_MININT64,
		G_MININT64 + 1 };
	static const double doubles[] = { 0.0, -0.0, INFINITY, NAN, -INFINITY, 5e-324, -1e308, 1 };
	GRand *rand = g_rand_new_with_seed(2);
	struct pqt_read *read;
	struct made t;
	char *least = pqt_read_double(-INFINITY), *greatest = pqt_read_double(INFINITY),
	     *minus = pqt_read_double(-0.0), *plus = pqt_read_double(0.0);

	begin(&t, 0);
	for (guint i = 0; i < 3000; i++) {
		set_int(&t, TIME, ints[i % 8]);
		set_int(&t, DURATION,
			i < 8 ? ints[i] : (gint64)((guint64)g_rand_int(rand) << 32 | g_rand_int(rand)));
		note(&t, TID, NULL);
		set_double(&t, doubles[i % 8]);
		end_row(&t);
	}
	read = end(&t);
	g_assert_cmpstr(chunk_of(read, TIME, 0)->encodings, ==, "dictionary");
	g_assert_cmpstr(chunk_of(read, DURATION, 0)->encodings, ==, "delta");
	g_assert_cmpstr(chunk_of(read, SHARE, 0)->least, ==, least);
	g_assert_cmpstr(chunk_of(read, SHARE, 0)->greatest, ==, greatest);
	g_assert_cmpint(chunk_of(read, SHARE, 0)->nans, ==, 375);
	finish(&t, read);
	/* One value only; zeros, whose sign the statistics ignore; no number at all. */
	begin(&t, 2);
	for (guint i = 0; i < 6; i++) {
		set_int(&t, TIME, 5);
		set_double(&t, i < 2 ? 0.0 : i < 4 ? -0.0 : NAN);
		end_row(&t);
	}
	read = end(&t);
	for (guint g = 0; g < 2; g++) {
		g_assert_cmpstr(chunk_of(read, SHARE, g)->least, ==, minus);
		g_assert_cmpstr(chunk_of(read, SHARE, g)->greatest, ==, plus);
		g_assert_cmpint(chunk_of(read, SHARE, g)->nans, ==, 0);
	}
	g_assert_null(chunk_of(read, SHARE, 2)->least);
	g_assert_cmpint(chunk_of(read, SHARE, 2)->nans, ==, 2);
	finish(&t, read);
	/* Each width of differences, and runs of each length. */
	begin(&t, 0);
	for (guint i = 0; i < 64 * 200; i++) {
		guint width = i / 200 + 1;

		set_int(&t, TIME,
			(gint64)(((guint64)g_rand_int(rand) << 32 | g_rand_int(rand)) >> (64 - width)));
		set_int(&t, TID, i % (1 + i / 300) < i / 600 ? 1 : g_rand_int_range(rand, 0, 3));
		if (i % (1 + i / 500) < i / 1000)
			note(&t, DURATION, NULL);
		else
			set_int(&t, DURATION, (gint64)((guint64)1 << i % 64));
		end_row(&t);
	}
	finish(&t, end(&t));
	g_free(least);
	g_free(greatest);
	g_free(minus);
	g_free(plus);
	g_rand_free(rand);
}

/* Names that are not UTF-8, and long ones. */
static void test_hostile(void)
{
	char *limit = g_strnfill(PQT_TEXT_MAX, 'x'), *above = g_strconcat(limit, "y", NULL), *wide, *bad,
	     *cut;
	GString *euros = g_string_new("x"), *marks = g_string_new(NULL);
	struct made t;

	while (euros->len <= PQT_TEXT_MAX)
		g_string_append(euros, "€");
	wide = g_strndup(euros->str, 1 + (PQT_TEXT_MAX - 3 - 1) / 3 * 3);
	bad = g_strnfill(PQT_TEXT_MAX, '\377');
	while (marks->len + 3 + 3 <= PQT_TEXT_MAX)
		g_string_append(marks, R);
	g_string_append(marks, MORE);
	begin(&t, 3);
	set_text(&t, THREAD, "a\0b", 3, "a" R "b");
	set_text(&t, PLACE, "", 0, "");
	end_row(&t);
	set_text(&t, THREAD, "\377\376", -1, R R);
	set_text(&t, PLACE, "\0", 1, R);
	end_row(&t);
	set_text(&t, THREAD, "\360\237", -1, R R);
	set_text(&t, PLACE, "not all of it", 3, "not");
	end_row(&t);
	set_text(&t, THREAD, limit, -1, limit);
	cut = g_strconcat(wide, MORE, NULL);
	set_text(&t, PLACE, euros->str, -1, cut);
	end_row(&t);
	g_free(cut);
	cut = g_strdup_printf("%.*s" MORE, (int)PQT_TEXT_MAX - 3, limit);
	set_text(&t, THREAD, above, -1, cut);
	set_text(&t, PLACE, bad, -1, marks->str);
	end_row(&t);
	finish(&t, end(&t));
	g_string_free(euros, TRUE);
	g_string_free(marks, TRUE);
	g_free(limit);
	g_free(above);
	g_free(wide);
	g_free(bad);
	g_free(cut);
}

/* Too many texts for a dictionary, by number and by bytes: they are written plain, and the memory of a group
 * stays bounded. */
static void test_many_texts(void)
{
	struct pqt_read *read;
	struct made t;

	begin(&t, 0);
	for (guint i = 0; i < 34000; i++) {
		char *name = g_strdup_printf("thread %u", i % 17000),
		     *place = g_strdup_printf("%01000u", i % 1000);

		set_text(&t, THREAD, name, -1, name);
		set_text(&t, PLACE, place, -1, place);
		end_row(&t);
		g_free(name);
		g_free(place);
	}
	read = end(&t);
	g_assert_cmpstr(chunk_of(read, THREAD, 0)->encodings, ==, "plain");
	g_assert_cmpstr(chunk_of(read, PLACE, 0)->encodings, ==, "dictionary");
	finish(&t, read);
	begin(&t, 0);
	for (guint i = 0; i < 9000; i++) {
		char *place = g_strdup_printf("%01000u", i);

		set_text(&t, PLACE, place, -1, place);
		end_row(&t);
		g_free(place);
	}
	read = end(&t);
	g_assert_cmpstr(chunk_of(read, PLACE, 0)->encodings, ==, "plain");
	g_assert_cmpuint(chunk_of(read, PLACE, 0)->pages, ==, 8);
	g_assert_cmpuint(read->group_rows->len, ==, 2);
	finish(&t, read);
}

/* Values chosen to share a slot in a dictionary. */
static void test_collisions(void)
{
	/* 1 / 0x9e3779b97f4a7c15, modulo 2^64: the hashes are 0, 1, 2, … */
	const guint64 inverse = G_GUINT64_CONSTANT(0xf1de83e19937733d);
	struct pqt_read *read;
	struct made t;

	g_assert_cmpuint(inverse * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15), ==, 1);
	begin(&t, 0);
	for (guint i = 0, n = 0; n < 514; i++) {
		char name[8] = { 0 };

		for (guint digit = 0; digit < 7; digit++)
			name[digit] = (char)('a' + (i >> 4 * digit & 15));
		if (n >= 257 || XXH3_64bits(name, 7) % 32768 == 5) {
			set_int(&t, TID, (gint64)(n / 2 * inverse));
			set_int(&t, DURATION, n < 2 * 256 ? (gint64)(n / 2 * inverse) : 0);
			if (n < 257)
				set_text(&t, THREAD, name, -1, name);
			if (n < 256)
				set_text(&t, PLACE, name, -1, name);
			for (guint c = 0; c < N; c++)
				if (t.values[c]->len == t.rows)
					note(&t, c, NULL);
			end_row(&t);
			n++;
		}
	}
	read = end(&t);
	g_assert_cmpstr(chunk_of(read, TID, 0)->encodings, ==, "delta");
	g_assert_cmpstr(chunk_of(read, DURATION, 0)->encodings, ==, "dictionary");
	g_assert_cmpstr(chunk_of(read, THREAD, 0)->encodings, ==, "plain");
	g_assert_cmpstr(chunk_of(read, PLACE, 0)->encodings, ==, "dictionary");
	finish(&t, read);
}

static void refuse(const struct pqt_column *all, guint n, const char *why)
{
	GString *out = g_string_new(NULL);
	GError *error = NULL;

	g_assert_null(pqt_writer_new(out, all, n, "x", 0, &error));
	g_assert_error(error, BASE_ERROR, BASE_ERROR_NO_ANSWER);
	g_assert_nonnull(strstr(error->message, why));
	g_assert_cmpuint(out->len, ==, 0);
	g_error_free(error);
	g_string_free(out, TRUE);
}

static void test_columns(void)
{
	struct pqt_column all[PQT_COLUMNS_MAX + 1];
	char *names[PQT_COLUMNS_MAX + 1];
	GString *out = g_string_new(NULL);
	struct pqt_writer *w;
	struct pqt_read *read;

	for (guint i = 0; i <= PQT_COLUMNS_MAX; i++) {
		names[i] = g_strdup_printf("column %u\377", i);
		all[i] = (struct pqt_column){ names[i], PQT_BOOL };
	}
	refuse(all, 0, "has from 1 to 256 columns, this table has 0");
	refuse(all, PQT_COLUMNS_MAX + 1, "has from 1 to 256 columns, this table has 257");
	w = pqt_writer_new(out, all, PQT_COLUMNS_MAX, "x", 0, NULL);
	g_assert_nonnull(w);
	for (guint i = 0; i < 100; i++) {
		pqt_set_bool(w, i, true);
		pqt_end_row(w);
	}
	pqt_writer_finish(w);
	pqt_writer_free(w);
	read = pqt_read_new(out->str, out->len);
	g_assert_cmpstr(((struct pqt_read_column *)g_ptr_array_index(read->columns, 255))->name, ==,
		"column 255" R);
	pqt_read_free(read);
	all[7].name = names[3];
	refuse(all, 8, "two columns of the Parquet file have the name column 3");
	all[7].name = "";
	refuse(all, 8, "column 8 of the Parquet file has no name");
	for (guint i = 0; i <= PQT_COLUMNS_MAX; i++)
		g_free(names[i]);
	g_string_free(out, TRUE);
}

/* ---- as files ---- */

static char *folder; /* of the test at hand */

static guint count_files(void)
{
	GDir *dir = g_dir_open(folder, 0, NULL);
	guint n = 0;

	while (g_dir_read_name(dir))
		n++;
	g_dir_close(dir);
	return n;
}

static void empty_folder(void)
{
	GDir *dir = g_dir_open(folder, 0, NULL);
	const char *name;

	while ((name = g_dir_read_name(dir))) {
		char *path = g_build_filename(folder, name, NULL);

		g_unlink(path);
		g_free(path);
	}
	g_dir_close(dir);
	g_rmdir(folder);
	g_clear_pointer(&folder, g_free);
}

/* Write ROWS rows to PATH, freeing memory on the way. *MOST: the most bytes of the file that were in
 * memory. */
static bool write_file(const char *path, guint rows, gsize *most, GError **error)
{
	struct exp_file *file = exp_file_new(path);
	GRand *rand = g_rand_new_with_seed(3);
	struct made t;
	bool fine;

	*most = 0;
	begin(&t, 1000);
	for (guint i = 0; i < rows; i += 100) {
		add_rows(&t, 100, rand);
		*most = MAX(*most, t.out->len);
		exp_file_take(file, t.out);
	}
	pqt_writer_finish(t.w);
	fine = exp_file_finish(file, t.out, true, error);
	exp_file_free(file);
	end_without_reading(&t);
	g_rand_free(rand);
	return fine;
}

static void test_file(void)
{
	GError *error = NULL;
	char *path, *bytes;
	gsize size, most;
	struct pqt_read *read;

	folder = g_dir_make_tmp("pqt-XXXXXX", NULL);
	path = g_build_filename(folder, "t.parquet", NULL);
	g_assert_true(write_file(path, 100000, &most, &error));
	g_assert_no_error(error);
	g_assert_cmpuint(count_files(), ==, 1);
	g_assert_true(g_file_get_contents(path, &bytes, &size, NULL));
	g_assert_cmpuint(most, <, size / 2);
	read = pqt_read_new(bytes, size);
	g_assert_cmpint(read->rows, ==, 100000);
	pqt_read_free(read);
	g_free(bytes);
	g_free(path);
	empty_folder();
}

static void test_full_disk(void)
{
	GError *error = NULL;
	char *path;
	gsize most;

	g_assert_false(write_file("/dev/full", 5000, &most, &error));
	g_assert_error(error, BASE_ERROR, BASE_ERROR_IO);
	g_clear_error(&error);
	folder = g_dir_make_tmp("pqt-XXXXXX", NULL);
	if (mount("none", folder, "tmpfs", 0, "size=256k")) {
		g_test_skip("needs the right to mount a tmpfs");
	} else {
		path = g_build_filename(folder, "t.parquet", NULL);
		g_assert_false(write_file(path, 40000, &most, &error));
		g_assert_error(error, BASE_ERROR, BASE_ERROR_IO);
		g_assert_nonnull(strstr(error->message, path));
		g_clear_error(&error);
		g_assert_cmpuint(count_files(), ==, 0);
		g_assert_true(write_file(path, 1000, &most, NULL));
		g_assert_cmpuint(count_files(), ==, 1);
		g_free(path);
		g_assert_cmpint(umount(folder), ==, 0);
	}
	empty_folder();
}

/* ---- DuckDB ---- */

/* Return DuckDB's answer to SQL; NULL if it is not installed. */
static char *ask(const char *sql)
{
	char *script = g_test_build_filename(G_TEST_DIST, "tools", "duckdb.js", NULL), *out = NULL,
	     *err = NULL;
	const char *argv[] = { "node", script, sql, NULL };
	int status = 0;
	gboolean there = g_spawn_sync(NULL, (char **)(uintptr_t)argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL,
		&out, &err, &status, NULL);

	if (there && WIFEXITED(status) && WEXITSTATUS(status) == 77)
		there = FALSE;
	if (there && status)
		g_error("%s: %s", sql, err);
	if (!there)
		g_clear_pointer(&out, g_free);
	g_free(script);
	g_free(err);
	return out;
}

static void expect_of(const char *what, const char *path, const char *where, const char *wanted)
{
	char *sql = g_strdup_printf("%s FROM read_parquet('%s')%s", what, path, where), *answer = ask(sql);

	g_assert_cmpstr(answer, ==, wanted);
	g_free(answer);
	g_free(sql);
}

/* All rows, as both sides format them. */
static void compare_rows(struct made *t, const char *path)
{
	char *sql = g_strdup_printf(
		     "SELECT concat_ws('|', coalesce(epoch_us(time)::VARCHAR, '-'), "
		     "coalesce(duration::VARCHAR, '-'), coalesce(tid::VARCHAR, '-'), "
		     "coalesce((share * 4)::BIGINT::VARCHAR, '-'), coalesce(proved::VARCHAR, '-'), "
		     "coalesce(thread, '-'), coalesce(place, '-'), coalesce(nothing::VARCHAR, '-')) FROM read_parquet('%s')",
		     path),
	     *answer = ask(sql);
	char **lines = g_strsplit(answer, "\n", -1);

	g_assert_cmpuint(g_strv_length(lines), ==, t->rows + 1);
	for (guint row = 0; row < t->rows; row++) {
		GString *line = g_string_new("[\"");

		for (guint c = 0; c < N; c++) {
			const char *value = g_ptr_array_index(t->values[c], row);
			guint64 word;
			double share;

			g_string_append(line, c ? "|" : "");
			if (!value) {
				g_string_append_c(line, '-');
			} else if (c == TIME) {
				g_string_append_printf(line, "%" G_GINT64_FORMAT,
					g_ascii_strtoll(value, NULL, 10) / 1000);
			} else if (c == SHARE) {
				word = g_ascii_strtoull(value + strlen("double "), NULL, 16);
				memcpy(&share, &word, sizeof share);
				g_string_append_printf(line, "%.0f", share * 4);
			} else {
				g_string_append(line, value);
			}
		}
		g_string_append(line, "\"]");
		g_assert_cmpstr(lines[row], ==, line->str);
		g_string_free(line, TRUE);
	}
	g_strfreev(lines);
	g_free(answer);
	g_free(sql);
}

/* The file of T in the folder. The caller frees the name. */
static char *put_file(struct made *t, const char *name)
{
	char *path = g_build_filename(folder, name, NULL);

	g_assert_true(g_file_set_contents(path, t->out->str, (gssize)t->out->len, NULL));
	return path;
}

/* Widths of differences up to 64 bits, and nulls in pages of each encoding. */
static void add_odd_rows(struct made *t, GRand *rand)
{
	for (guint i = 0; i < 33000; i++) {
		set_int(t, DURATION,
			(gint64)(((guint64)g_rand_int(rand) << 32 | g_rand_int(rand)) >> i % 64));
		/* Nulls only in the pages before the last one. */
		if (i == 32999) {
			set_int(t, TIME, 1000);
			set_int(t, TID, -7);
			set_double(t, 1.25);
			set_bool(t, true);
			set_text(t, THREAD, "last", -1, "last");
			set_text(t, PLACE, "a\0b\377", 4, "a" R "b" R);
		}
		for (guint c = 0; c < N; c++)
			if (t->values[c]->len == t->rows)
				note(t, c, NULL);
		end_row(t);
	}
}

static void test_duckdb(void)
{
	char *version = ask("SELECT version()"), *path;
	GRand *rand;
	struct made t;

	if (!version) {
		g_test_skip("needs DuckDB: tests/tools/duckdb.js says how to get it");
		return;
	}
	g_free(version);
	rand = g_rand_new_with_seed(4);
	folder = g_dir_make_tmp("pqt-XXXXXX", NULL);

	begin(&t, 3000);
	add_rows(&t, 10000, rand);
	pqt_writer_finish(t.w);
	path = put_file(&t, "rows");
	compare_rows(&t, path);
	expect_of("SELECT typeof(time), typeof(duration), typeof(share), typeof(proved), typeof(thread)",
		path, " LIMIT 1",
		"[\"TIMESTAMP WITH TIME ZONE\",\"BIGINT\",\"DOUBLE\",\"BOOLEAN\",\"VARCHAR\"]\n");
	/* Row groups are left out by their statistics. */
	expect_of("SELECT count(*)", path, " WHERE tid = 40 OR thread > 'x' OR share < -1000 OR duration < 0",
		"[\"0\"]\n");
	end_without_reading(&t);
	g_free(path);

	begin(&t, 0);
	pqt_writer_finish(t.w);
	path = put_file(&t, "empty");
	expect_of("SELECT count(*), max(time), min(thread)", path, "", "[\"0\",null,null]\n");
	end_without_reading(&t);
	g_free(path);

	begin(&t, 0);
	add_odd_rows(&t, rand);
	pqt_writer_finish(t.w);
	path = put_file(&t, "odd");
	compare_rows(&t, path);
	end_without_reading(&t);
	g_free(path);

	path = g_build_filename(folder, "*", NULL);
	expect_of("SELECT count(*)", path, "", "[\"43000\"]\n");
	g_free(path);
	empty_folder();
	g_rand_free(rand);
}

/* ---- speed: test_writer -m perf ---- */

static void test_speed(void)
{
	static const struct pqt_column six[] = { { "time", PQT_TIME }, { "end", PQT_TIME },
		{ "duration", PQT_INT }, { "tid", PQT_INT }, { "thread", PQT_TEXT }, { "cpu", PQT_INT } };
	static const char *const names[] = { "kworker/0:1", "ksoftirqd/0", "postgres", "nginx",
		"wk-pipe-main", "systemd" };
	const guint rows = 10 * 1000 * 1000;
	GString *out = g_string_new(NULL);
	struct pqt_writer *w = pqt_writer_new(out, six, G_N_ELEMENTS(six), "x", 0, NULL);
	GRand *rand = g_rand_new_with_seed(5);
	guint32 noise[4096];
	gint64 time = G_GINT64_CONSTANT(1700000000000000000), began;
	gsize bytes = 0;
	double seconds;

	if (!g_test_perf()) {
		g_test_skip("measures with -m perf");
		pqt_writer_free(w);
		g_string_free(out, TRUE);
		g_rand_free(rand);
		return;
	}
	for (guint i = 0; i < G_N_ELEMENTS(noise); i++)
		noise[i] = g_rand_int(rand);
	began = g_get_monotonic_time();
	for (guint i = 0; i < rows; i++) {
		guint32 n = noise[i % 4096] ^ noise[i / 4096 % 4096];

		time += n % 5000;
		pqt_set_int(w, 0, time);
		pqt_set_int(w, 1, time + n % 100000);
		pqt_set_int(w, 2, n % 100000);
		pqt_set_int(w, 3, 1000 + n % 60);
		pqt_set_text(w, 4, names[n % 6], -1);
		if (n % 8)
			pqt_set_int(w, 5, n % 4);
		pqt_end_row(w);
		if (out->len > 1 << 18) {
			bytes += out->len;
			g_string_truncate(out, 0);
		}
	}
	pqt_writer_finish(w);
	bytes += out->len;
	seconds = (double)(g_get_monotonic_time() - began) / 1e6;
	g_test_maximized_result(rows / seconds, "%.2f M rows/s, %.1f bytes/row", rows / seconds / 1e6,
		(double)bytes / rows);
	pqt_writer_free(w);
	g_string_free(out, TRUE);
	g_rand_free(rand);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/parquet/rows", test_rows);
	g_test_add_func("/parquet/empty", test_empty);
	g_test_add_func("/parquet/extremes", test_extremes);
	g_test_add_func("/parquet/hostile", test_hostile);
	g_test_add_func("/parquet/many-texts", test_many_texts);
	g_test_add_func("/parquet/collisions", test_collisions);
	g_test_add_func("/parquet/columns", test_columns);
	g_test_add_func("/parquet/file", test_file);
	g_test_add_func("/parquet/full-disk", test_full_disk);
	g_test_add_func("/parquet/duckdb", test_duckdb);
	g_test_add_func("/parquet/speed", test_speed);
	return g_test_run();
}
