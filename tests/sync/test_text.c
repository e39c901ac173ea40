/* SPDX-License-Identifier: MIT */
/* Lines of clocks as decimal text: exact, to the last digit. */
#include "sync/sync_text.h"

__extension__ typedef unsigned __int128 wide_positive;

#define ONE ((sync_wide)1 << SYNC_FRACTION_BITS)

/* Expected texts: the fraction of 2^62 times 5^62 has the same digits, reckoned with whole numbers of any length. */
static void test_decimal(void)
{
	const struct { sync_wide value; const char *text; } all[] = {
		{ ONE, "1" },
		{ -ONE, "-1" },
		{ ONE / 2, "0.5" },
		{ -ONE / 2, "-0.5" },
		{ 0, "0" },
		{ 1, "0.00000000000000000021684043449710088680149056017398834228515625" },
		{ -1, "-0.00000000000000000021684043449710088680149056017398834228515625" },
		{ ONE - 1, "0.99999999999999999978315956550289911319850943982601165771484375" },
		{ ONE + 1, "1.00000000000000000021684043449710088680149056017398834228515625" },
		{ INT64_C(1795169151152347756) * ONE + 12345, "1795169151152347756.00000000000000267689516386671044756440096534788608551025390625" },
		{ (sync_wide)(~(wide_positive)0 >> 1), "36893488147419103231.99999999999999999978315956550289911319850943982601165771484375" },
		{ -(sync_wide)(~(wide_positive)0 >> 1) - 1, "-36893488147419103232" },
	};

	for (gsize i = 0; i < G_N_ELEMENTS(all); i++) {
		char *text = sync_text_decimal(all[i].value);

		g_assert_cmpstr(text, ==, all[i].text);
		g_free(text);
	}
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
	g_test_add_func("/sync/text/line", test_line);
	return g_test_run();
}
