/* SPDX-License-Identifier: MIT */
/*
 * OSC 52 of xterm's control sequences ("Manipulate Selection Data"): ESC ] 52 ; c ; BASE64 BEL.  A terminal
 * that knows no OSC, as those of the VT100's time, would show the text.
 */
#include "ui/term/term_copy.h"

#include <string.h>

#define SCREEN_PIECE 700 /* bytes; screen gives up on longer ones than 768 */

bool term_copy_is_taken(const char *type)
{
	/* By how their names begin: emulators that parse OSC, whether or not their settings allow this one.
	 */
	static const char *const known[] = { "xterm", "tmux", "screen", "rxvt", "alacritty", "kitty", "foot",
		"wezterm", "ghostty", "contour", "iterm", "mintty", "putty", "konsole", "vte", "gnome", "st-",
		"st" };

	for (gsize i = 0; type && i < G_N_ELEMENTS(known); i++)
		if (g_str_has_prefix(type, known[i]) && (strcmp(known[i], "st") != 0 || !type[2]))
			return true;
	return false;
}

/* SEQUENCE within the device control string that tmux passes on: each ESC of it doubled. */
static void append_for_tmux(GString *out, const char *sequence)
{
	g_string_append(out, "\033Ptmux;");
	for (const char *c = sequence; *c; c++) {
		if (*c == '\033')
			g_string_append_c(out, '\033');
		g_string_append_c(out, *c);
	}
	g_string_append(out, "\033\\");
}

static void append_for_screen(GString *out, const char *sequence)
{
	for (gsize length = strlen(sequence), at = 0; at < length; at += SCREEN_PIECE) {
		g_string_append(out, "\033P");
		g_string_append_len(out, sequence + at, (gssize)MIN(SCREEN_PIECE, length - at));
		g_string_append(out, "\033\\");
	}
}

char *term_copy_sequence(const char *text, bool tmux, bool screen)
{
	g_autofree char *encoded = g_base64_encode((const guchar *)text, strlen(text)),
			*sequence = g_strconcat("\033]52;c;", encoded, "\a", NULL);
	GString *out = g_string_new(NULL);

	if (tmux) {
		g_string_append(out, sequence);
		append_for_tmux(out, sequence);
	} else if (screen) {
		append_for_screen(out, sequence);
	} else {
		g_string_append(out, sequence);
	}
	return g_string_free(out, FALSE);
}
