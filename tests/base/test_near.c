/* SPDX-License-Identifier: MIT */
/* The names that a mistyped word may mean: the nearest ones are found, whatever the word. */
#include "base/base_near.h"

#include <glib.h>

static void expect(const char *word, bool any, const char *wanted)
{
	static const char *const names[] = { "path", "sync", "wakeups", "wk-ioburst", "kworker/0:1",
		"latency", "path", NULL };
	struct base_near near;
	char *text;

	base_near_init(&near, word, any);
	base_near_offer_all(&near, names);
	text = base_near_text(&near);
	g_assert_cmpstr(text, ==, wanted);
	g_free(text);
}

static void test_near(void)
{
	expect("paht", false, "; the nearest: path"); /* two letters swapped; each name once */
	expect("PATH", false, "; the nearest: path");
	expect("pat", false, "; the nearest: path");
	expect("ioburst", false, "; the nearest: wk-ioburst");
	expect("wk-ioburts", false, "; the nearest: wk-ioburst");
	expect("latncy", false, "; the nearest: latency");
	expect("xyzzy", false, "");
	expect("k", false, "");
	expect("", false, "");
}

static void test_any(void)
{
	expect("synx", true, "; the nearest: sync, path, latency");
	expect("", true, "; the nearest: path, sync, wakeups");
}

/* A word from a file or a shell can be of any length. */
static void test_long(void)
{
	g_autofree char *word = g_strnfill(100000, 'x');

	expect(word, false, "");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/near/letters", test_near);
	g_test_add_func("/near/any", test_any);
	g_test_add_func("/near/long", test_long);
	return g_test_run();
}
