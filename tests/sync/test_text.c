/* SPDX-License-Identifier: MIT */
/* Lines of clocks as decimal text: exact, to the last digit. */
#include "sync/sync_hosts.h"

__extension__ typedef unsigned __int128 wide_positive;

#define ONE ((sync_wide)1 << SYNC_FRACTION_BITS)

/* Expected texts: the fraction of 2^62 times 5^62 has the same digits, computed with integers of any
 * length. */
static void test_decimal(void)
{
	const struct {
		sync_wide value;
		const char *text;
	} all[] = {
		{ ONE, "1" },
		{ -ONE, "-1" },
		{ ONE / 2, "0.5" },
		{ -ONE / 2, "-0.5" },
		{ 0, "0" },
		{ 1, "0.00000000000000000021684043449710088680149056017398834228515625" },
		{ -1, "-0.00000000000000000021684043449710088680149056017398834228515625" },
		{ ONE - 1, "0.99999999999999999978315956550289911319850943982601165771484375" },
		{ ONE + 1, "1.00000000000000000021684043449710088680149056017398834228515625" },
		{ INT64_C(1795169151152347756) * ONE + 12345,
			"1795169151152347756.00000000000000267689516386671044756440096534788608551025390625" },
		{ (sync_wide)(~(wide_positive)0 >> 1),
			"36893488147419103231.99999999999999999978315956550289911319850943982601165771484375" },
		{ -(sync_wide)(~(wide_positive)0 >> 1) - 1, "-36893488147419103232" },
	};

	for (gsize i = 0; i < G_N_ELEMENTS(all); i++) {
		char *text = sync_text_decimal(all[i].value);
		sync_wide back;

		g_assert_cmpstr(text, ==, all[i].text);
		g_free(text);
		g_assert_true(sync_text_parse(all[i].text, &back));
		g_assert_true(back == all[i].value);
	}
}

/* Text not written by the program: rounded to the nearest 2^-62, or refused. */
static void test_parse(void)
{
	const struct {
		const char *text;
		sync_wide value;
	} fine[] = {
		{ "0.000000000000000000108420217248550443", 0 }, /* a little less than half of 2^-62 */
		{ "0.000000000000000000108420217248550444", 1 }, /* a little more */
		{ "-0.000000000000000000108420217248550444", -1 },
		{ "0.9999999999999999999999999999999999999999", ONE },
		{ "007.250", 7 * ONE + ONE / 4 },
		{ "-0", 0 },
		{ "0.0", 0 },
		{ "0.1", INT64_C(461168601842738790) },
	};
	static const char *const wrong[] = { "", "-", "+1", " 1", "1 ", ".5", "5.", "-.5", "1e3", "0x1",
		"1,5", "--1", "1.5.2", "nan", "36893488147419103232",
		"36893488147419103231.9999999999999999999999", "-36893488147419103232.1",
		"99999999999999999999999999999999999999999999999999999999" };
	sync_wide value;

	for (gsize i = 0; i < G_N_ELEMENTS(fine); i++) {
		g_assert_true(sync_text_parse(fine[i].text, &value));
		g_assert_true(value == fine[i].value);
	}
	for (gsize i = 0; i < G_N_ELEMENTS(wrong); i++)
		g_assert_false(sync_text_parse(wrong[i], &value));
}

/* 1 + 2^-20, and 7.5 ns at 2^20 ns after the Epoch: 6.5 ns at the Epoch. */
static void test_line(void)
{
	struct sync_line line = { .origin = 1 << 20, .offset = 15 * (ONE / 2), .rate = INT64_C(1) << 42 };
	char *slope = sync_text_slope(&line), *offset = sync_text_offset(&line);

	g_assert_cmpstr(slope, ==, "1.00000095367431640625");
	g_assert_cmpstr(offset, ==, "6.5");
	g_free(slope);
	g_free(offset);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/sync/text/decimal", test_decimal);
	g_test_add_func("/sync/text/parse", test_parse);
	g_test_add_func("/sync/text/line", test_line);
	return g_test_run();
}
