/* SPDX-License-Identifier: MIT */
/* Rows of a table in memory: which are stored and which passed on, and how cells are compared. */
#include "ui/widget/list_rows.h"

#include "base/base_time.h"

struct row {
	int64_t number, duration;
	double share;
	const char *word, *decimal;
};

TABLE_COLUMNS(columns)
{
	const struct row *r = row;

	TABLE_COLUMN("number", ">NUMBER", TABLE_NUMBER, "", number = r->number);
	TABLE_COLUMN("hidden", NULL, TABLE_NUMBER, "", number = 1);
	TABLE_COLUMN("key", NULL, TABLE_NUMBER, "", number = r->number + 1);
	TABLE_COLUMN("sql", "SQL", TABLE_NUMBER | TABLE_ONLY_SQL, "", number = 1);
	TABLE_COLUMN("word", "WORD", TABLE_WORD, "", word = r->word);
	TABLE_COLUMN("share", ">SHARE", TABLE_SHARE | TABLE_LATE, "", share = r->share);
	TABLE_COLUMN("decimal", ">DECIMAL", TABLE_DECIMAL, "", word = r->decimal);
}

static const struct row *leads; /* the row that leads somewhere */

static bool lead(G_GNUC_UNUSED const struct table_cursor *c, const void *row, struct table_place *to)
{
	*to = (struct table_place){ .row = 7, .from = 1, .to = 2 };
	return row == leads;
}

static const struct table table = { .columns = columns, .lead = lead };
static const struct table_cursor cursor = { .table = &table, .in = { .format = TABLE_TEXT } };

static void test_kept(void)
{
	static const char *const keys[] = { "key", NULL };
	struct row row = { .number = 5, .share = 0.5, .word = "a\x1b[2J" };
	struct list_rows *rows = list_rows_new(&cursor, NULL, keys);
	struct list_part *part;

	leads = &row;
	g_assert_cmpuint(rows->n_columns, ==, 5);
	g_assert_cmpuint(list_rows_find(rows, "hidden"), ==, 5);
	g_assert_cmpuint(list_rows_find(rows, "sql"), ==, 5);
	g_assert_cmpuint(list_rows_find(rows, "key"), ==, 1);
	g_assert_true(list_rows_add(rows, &cursor, &row));
	part = list_part_new(rows);
	for (int i = 1; i < 3000; i++) { /* over several blocks; PART has one row */
		struct row next = { .number = -i, .share = NAN };

		g_assert_true(list_rows_add(rows, &cursor, &next));
	}
	list_rows_unref(rows);
	g_assert_cmpuint(part->n, ==, 1);
	g_assert_cmpint(part->measures[0].most, ==, 5);
	g_assert_cmpuint(list_rows_place(part->rows, 0)->row, ==, 7);
	g_assert_cmpuint(list_rows_place(part->rows, 1)->row, ==, MDL_NONE);
	g_assert_cmpint(list_rows_cell(part->rows, 0, 1)->number, ==, 6);
	g_assert_cmpint(list_rows_cell(part->rows, 2999, 0)->number, ==, -2999);
	g_assert_cmpstr(list_rows_cell(part->rows, 0, 2)->word, ==, "a\357\277\275[2J"); /* no escape */
	list_part_free(part);
}

TABLE_COLUMNS(told)
{
	TABLE_COLUMN("word", NULL, TABLE_NUMBER, "", number = 1);
	TABLE_COLUMN("", "WORD", TABLE_NUMBER, "", number = 1);
	TABLE_COLUMN("", ">AFTER", TABLE_NUMBER, "", number = 1);
	TABLE_COLUMN("", "TWO WORDS", TABLE_NUMBER, "", number = 1);
}

/* A column that only the text has is named by its heading, if that is one word, and no other column has
 * that name. */
static void test_named(void)
{
	static const struct table of = { .columns = told };
	static const struct table_cursor c = { .table = &of, .in = { .format = TABLE_TEXT } };
	struct list_rows *rows = list_rows_new(&c, "after=SINCE", NULL);

	g_assert_cmpuint(rows->n_columns, ==, 3);
	g_assert_cmpuint(list_rows_find(rows, "after"), ==, 1);
	g_assert_cmpstr(rows->columns[1].heading, ==, "SINCE");
	g_assert_cmpuint(list_rows_find(rows, "word"), ==, 3);
	g_assert_cmpstr(rows->columns[2].name, ==, "");
	list_rows_unref(rows);
}

/* Rows beyond the limit are not stored, and the list reports that. */
static void test_bound(void)
{
	struct list_rows *rows = list_rows_new(&cursor, NULL, NULL);
	struct row row = { .share = NAN };
	struct list_part *part;
	guint n = 0;

	while (list_rows_add(rows, &cursor, &row))
		n++;
	part = list_part_new(rows);
	g_assert_true(part->full);
	g_assert_cmpuint(part->n, ==, n);
	g_assert_cmpuint(n, >, 100000);
	g_assert_cmpuint(n, <=, LIST_ROWS_MAX);
	g_assert_cmpuint(rows->bytes, <=, LIST_BYTES_MAX);
	g_assert_false(list_rows_add(rows, &cursor, &row));
	list_rows_unref(rows);
	list_part_free(part);
}

static int compare(unsigned type, struct list_cell a, struct list_cell b, bool reversed)
{
	const struct table_column column = { .type = type };
	int there = list_rows_compare(&column, &a, &b, reversed),
	    back = list_rows_compare(&column, &b, &a, reversed);

	g_assert_true((there > 0) == (back < 0));
	g_assert_true((there == 0) == (back == 0));
	return there;
}

#define NUMBER(n) ((struct list_cell){ .number = (n) })
#define SHARE(s) ((struct list_cell){ .share = (s) })
#define WORD(w) ((struct list_cell){ .word = (w) })

static void test_compare(void)
{
	g_assert_cmpint(compare(TABLE_NUMBER, NUMBER(-3), NUMBER(2), false), <, 0);
	g_assert_cmpint(compare(TABLE_NUMBER, NUMBER(-3), NUMBER(2), true), >, 0);
	g_assert_cmpint(compare(TABLE_DURATION, NUMBER(2), NUMBER(2), true), ==, 0);
	g_assert_cmpint(compare(TABLE_NUMBER, NUMBER(INT64_MIN + 1), NUMBER(INT64_MAX), false), <, 0);
	g_assert_cmpint(compare(TABLE_SHARE, SHARE(0.1), SHARE(0.2), false), <, 0);
	g_assert_cmpint(compare(TABLE_WORD, WORD("a"), WORD("b"), false), <, 0);
	g_assert_cmpint(compare(TABLE_DECIMAL, WORD("9"), WORD("18446744073709551615"), false), <, 0);
	g_assert_cmpint(compare(TABLE_DECIMAL, WORD("-18446744073709551615"), WORD("-9"), false), <, 0);
	g_assert_cmpint(compare(TABLE_DECIMAL, WORD("-1"), WORD("0"), false), <, 0);
	for (int reversed = 0; reversed < 2; reversed++) { /* unknown is always last */
		g_assert_cmpint(compare(TABLE_NUMBER, NUMBER(-3), NUMBER(BASE_TIME_NONE), reversed), <, 0);
		g_assert_cmpint(compare(TABLE_SHARE, SHARE(1), SHARE(NAN), reversed), <, 0);
		g_assert_cmpint(compare(TABLE_WORD, WORD("z"), WORD(NULL), reversed), <, 0);
		g_assert_cmpint(compare(TABLE_WORD, WORD(NULL), WORD(NULL), reversed), ==, 0);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/list/kept", test_kept);
	g_test_add_func("/list/named", test_named);
	g_test_add_func("/list/bound", test_bound);
	g_test_add_func("/list/compare", test_compare);
	return g_test_run();
}
