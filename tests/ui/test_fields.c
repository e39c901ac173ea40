/* SPDX-License-Identifier: MIT */
/* The fields of a struct, written as words by their table, are read back; impossible ones are refused,
 * and set no field. */
#include "base/base_time.h"
#include "ui/core/ui_fields.h"

struct thing {
	bool flag;
	unsigned number, place;
	int extra;
	int64_t length, from, to;
	uint32_t row, levels;
	enum { FIRST, SECOND, N } word;
	char *text;
};

static const char *const words[N] = { "first", "second one" };

static const struct ui_field fields[] = {
	UI_FIELD(FLAG, "flag", thing, flag),
	UI_FIELD(NUMBER, "number", thing, number),
	UI_FIELD(SIGNED, "extra", thing, extra),
	UI_FIELD(LENGTH, "length", thing, length),
	UI_FIELD(TIME, "from", thing, from),
	UI_FIELD(END, "to", thing, to),
	UI_FIELD(ROW, "row", thing, row),
	UI_FIELD(MOST, "levels", thing, levels),
	UI_FIELD_WORDS("word", thing, word, words, N),
	UI_FIELD(TEXT, "text", thing, text),
	UI_FIELD_PLACE(NUMBER, "place", thing, place),
	UI_FIELD_END,
};

static const struct ui_shell shell = { .span_from = 100, .span_to = 200, .n_rows = 7 };

static char *text_of(const char *said)
{
	struct thing t = { 0 };
	char *text = ui_fields_set(fields, &t, &shell, said, NULL) ? ui_fields_text(fields, &t) : NULL;

	g_free(t.text);
	return text;
}

static void check(const char *said, const char *expected)
{
	g_autofree char *text = text_of(said);

	g_assert_cmpstr(text, ==, expected);
}

static void test_back(void)
{
	const char *all = "flag number=3 extra=-2 length=9 from=110 to=120 row=6 levels=0 word=second%20one "
			  "text=a%20b%3B%7C%3D%25; place=4";

	check(all, all);
	check("", ";");
	check("; place=1", "; place=1");
	check("from=1 to=1000", "from=100 to=200;"); /* cut to the span */
}

static void test_refused(void)
{
	static const char *const wrong[] = { "flag=1", "number", "number=", "number=x", "number=-1",
		"number=99999999999", "row=7", "row=-1", "word=third", "word=", "from=120 to=110", "from=110",
		"to=110", "from=0 to=1", "text=%", "nothing=1", "num=1", "extra=99999", "length=-1" };
	struct thing t = { .number = 5, .row = 2 };

	for (gsize i = 0; i < G_N_ELEMENTS(wrong); i++) {
		g_autofree char *said = g_strdup_printf("number=9 %s", wrong[i]);
		GError *error = NULL;

		g_assert_false(ui_fields_set(fields, &t, &shell, said, &error));
		g_assert_nonnull(error);
		g_clear_error(&error);
		g_assert_cmpuint(t.number, ==, 5);
		g_assert_cmpuint(t.row, ==, 2);
	}
}

/* Row numbers grow by three, except that of row 5, which is gone; times grow by 1000 ns, those of row 2 by
 * 1050 ns. */
static int64_t carry(void *context, uint32_t row, int64_t time)
{
	(void)context;
	return time + 1000 + (row == 2 ? 50 : 0);
}

static uint32_t carry_row(void *context, uint32_t row)
{
	(void)context;
	return row == 5 ? UI_NO_ROW : row + 3;
}

static void test_carry(void)
{
	struct ui_options options = { .carry = carry, .carry_row = carry_row };
	struct ui_shell opened = { .options = &options };
	g_autofree char *text = ui_fields_carry_text(&opened, 2,
		"row=4 from=10 to=-20 at-cursor=7 number=8 at-row=6 text=row%3D4; line=3 mark-end=1");
	g_autofree char *gone = ui_fields_carry_text(&opened, 0, "flag row=5 end=1; top=2");

	g_assert_cmpstr(text, ==,
		"row=7 from=1060 to=1030 at-cursor=1057 number=8 at-row=9 text=row%3D4; line=3 mark-end=1051");
	g_assert_cmpstr(gone, ==, "flag  end=1001; top=2");
}

static void test_same(void)
{
	g_assert_true(ui_fields_same("a=1; line=2", "a=1; line=3"));
	g_assert_false(ui_fields_same("a=1; line=2", "a=2; line=2"));
	g_assert_false(ui_fields_same("a=1;", "a=1 b;"));
	g_assert_false(ui_fields_same(NULL, "a=1;"));
	g_assert_true(ui_fields_same(NULL, NULL));
}

static void test_numbers(void)
{
	g_autoptr(GArray) numbers = ui_fields_numbers("1,-2,9223372036854775807,x,3");
	g_autofree char *text = ui_fields_numbers_text(numbers);

	g_assert_cmpstr(text, ==, "1,-2,9223372036854775807");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/fields/back", test_back);
	g_test_add_func("/fields/refused", test_refused);
	g_test_add_func("/fields/carry", test_carry);
	g_test_add_func("/fields/same", test_same);
	g_test_add_func("/fields/numbers", test_numbers);
	return g_test_run();
}
