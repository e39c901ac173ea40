/* SPDX-License-Identifier: MIT */
/* The text of the clocks in use when one of them is moved by hand: the others stay, a second move takes the
 * place of the first. */
#include "ui/pane/clocks/clocks.h"

static void test_sync_with(void)
{
	static const struct {
		const char *sync, *host, *offset, *expected;
	} cases[] = {
		{ NULL, "db", "+1s", "auto,db=+1s" },
		{ "auto", "db", "+1s", "auto,db=+1s" },
		{ "none", "db", "+1s", "none,db=+1s" },
		{ "saved/clocks.json", "db", "-2.5ms", "saved/clocks.json,db=-2.5ms" },
		{ "auto,db=+1s", "db", "-2s", "auto,db=-2s" },
		{ "auto,db=+1s,httpd=3s", "db", "-2s", "auto,httpd=3s,db=-2s" },
		{ "db=+1s", "db", "-2s", "db=-2s" },
		{ "auto,db2=+1s", "db", "-2s", "auto,db2=+1s,db=-2s" },
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		char *text = clocks_sync_with(cases[i].sync, cases[i].host, cases[i].offset);

		g_assert_cmpstr(text, ==, cases[i].expected);
		g_free(text);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/clocks/sync-with", test_sync_with);
	return g_test_run();
}
