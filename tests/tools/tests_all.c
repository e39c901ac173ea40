/* SPDX-License-Identifier: MIT */
/* All test programs in one, linked once: the folder and the name of the link choose the test program. */
#include <glib.h>

#define TEST(folder, name) int folder##_##name(int argc, char **argv);
#include "tests_all.h"
#undef TEST

static const struct {
	const char *path;
	int (*run)(int argc, char **argv);
} tests[] = {
#define TEST(folder, name) { #folder "/" #name, folder##_##name },
#include "tests_all.h"
#undef TEST
};

int main(int argc, char **argv)
{
	for (gsize i = 0; i < G_N_ELEMENTS(tests); i++)
		if (g_str_has_suffix(argv[0], tests[i].path))
			return tests[i].run(argc, argv);
	g_printerr("%s: no such test\n", argv[0]);
	return 2;
}
