/* SPDX-License-Identifier: MIT */
/* The bytes sent to a terminal for its clipboard: no part of the text can control the terminal. */
#include "ui/term/term.h"

#include <string.h>

#define HOSTILE "a\033]0;evil\007b\033\\c\n\302\233d\377"

/* The text within the one OSC 52 of SEQUENCE, from its first byte to its last; fails if it is none. */
static char *text_of(const char *sequence)
{
	gsize length = strlen(sequence);
	g_autofree char *encoded = NULL;
	g_autofree guchar *decoded = NULL;
	gsize n;

	g_assert_true(g_str_has_prefix(sequence, "\033]52;c;"));
	g_assert_cmpint(sequence[length - 1], ==, '\a');
	encoded = g_strndup(sequence + strlen("\033]52;c;"), length - strlen("\033]52;c;") - 1);
	for (const char *c = encoded; *c; c++)
		g_assert_true(g_ascii_isalnum(*c) || strchr("+/=", *c));
	decoded = g_base64_decode(encoded, &n);
	return g_strndup((const char *)decoded, n);
}

static void test_plain(void)
{
	g_autofree char *sequence = term_copy_sequence(HOSTILE, false, false), *text = text_of(sequence);

	g_assert_cmpstr(text, ==, HOSTILE);
}

/* The plain sequence first, then one wrapped for tmux, in which each ESC is doubled. */
static void test_tmux(void)
{
	g_autofree char *sequence = term_copy_sequence(HOSTILE, true, false);
	char *wrapped = strstr(sequence, "\033Ptmux;");
	g_autofree char *plain = NULL, *inside = NULL, *text = NULL, *again = NULL;

	g_assert_nonnull(wrapped);
	plain = g_strndup(sequence, (gsize)(wrapped - sequence));
	text = text_of(plain);
	g_assert_cmpstr(text, ==, HOSTILE);
	g_assert_true(g_str_has_suffix(wrapped, "\a\033\\"));
	inside = g_strndup(wrapped + strlen("\033Ptmux;"), strlen(wrapped) - strlen("\033Ptmux;\033\\"));
	g_assert_true(g_str_has_prefix(inside, "\033\033]52;"));
	again = text_of(inside + 1);
	g_assert_cmpstr(again, ==, HOSTILE);
}

/* Pieces short enough for screen, which together are the sequence. */
static void test_screen(void)
{
	g_autofree char *long_text = g_strnfill(5000, 'x'),
			*sequence = term_copy_sequence(long_text, false, true), *text = NULL;
	g_autoptr(GString) whole = g_string_new(NULL);
	g_auto(GStrv) pieces = g_strsplit(sequence, "\033\\", -1);
	unsigned n = g_strv_length(pieces) - 1;

	g_assert_cmpstr(pieces[n], ==, "");
	for (unsigned i = 0; i < n; i++) {
		g_assert_true(g_str_has_prefix(pieces[i], "\033P"));
		g_assert_cmpuint(strlen(pieces[i]), <, 768);
		g_string_append(whole, pieces[i] + 2);
	}
	text = text_of(whole->str);
	g_assert_cmpstr(text, ==, long_text);
}

static void test_terminals(void)
{
	static const char *const takes[] = { "xterm", "xterm-256color", "tmux-256color",
		"screen.xterm-256color", "alacritty", "st-256color", "st", "foot", "rxvt-unicode-256color" };
	static const char *const may_show[] = { "linux", "dumb", "vt100", "vt220", "ansi", "", "stterm9",
		"cons25" };

	for (gsize i = 0; i < G_N_ELEMENTS(takes); i++)
		g_assert_true(term_copy_is_taken(takes[i]));
	for (gsize i = 0; i < G_N_ELEMENTS(may_show); i++)
		g_assert_false(term_copy_is_taken(may_show[i]));
	g_assert_false(term_copy_is_taken(NULL));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/copy/plain", test_plain);
	g_test_add_func("/copy/tmux", test_tmux);
	g_test_add_func("/copy/screen", test_screen);
	g_test_add_func("/copy/terminals", test_terminals);
	return g_test_run();
}
