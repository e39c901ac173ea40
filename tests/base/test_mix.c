/* SPDX-License-Identifier: MIT */
/* SplitMix64 against the numbers that its other implementations give for the seed 1234567. */
#include "base/base_figures.h"

#include <glib.h>

static void test_known(void)
{
	static const uint64_t known[] = { 6457827717110365317u, 3203168211198807973u, 9817491932198370423u,
		4593380528125082431u, 16408922859458223821u };
	uint64_t state = 1234567;

	g_assert_cmpuint(base_mix(state), ==, known[0]);
	for (gsize i = 0; i < G_N_ELEMENTS(known); i++)
		g_assert_cmpuint(base_mix_next(&state), ==, known[i]);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/mix/known", test_known);
	return g_test_run();
}
