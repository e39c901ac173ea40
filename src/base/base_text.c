/* SPDX-License-Identifier: MIT */
#include "base/base_text.h"

#include <stdbool.h>
#include <string.h>

#define REPLACEMENT "\357\277\275" /* U+FFFD */

/* True for characters that put ink or a plain gap on the screen and do nothing else. */
static bool is_harmless(gunichar c)
{
	if (c < 0x80)
		return c >= 0x20 && c != 0x7f;
	switch (g_unichar_type(c)) {
	case G_UNICODE_LINE_SEPARATOR:
	case G_UNICODE_PARAGRAPH_SEPARATOR: return false;
	default: return g_unichar_isprint(c);
	}
}

/* How many of the LENGTH bytes of TEXT are plain ASCII, which nearly all text is, before another comes. */
static gsize plain(const char *text, gsize length)
{
	gsize n = 0;

	while (n < length && text[n] >= 0x20 && text[n] < 0x7f)
		n++;
	return n;
}

char *base_text_clean(const char *text, gssize length)
{
	gsize left = length < 0 ? strlen(text) : (gsize)length;
	GString *out = g_string_sized_new(left + 1);

	for (;;) {
		gsize used = plain(text, left);
		gunichar c;

		g_string_append_len(out, text, (gssize)used);
		text += used;
		left -= used;
		if (!left)
			break;
		c = *text ? g_utf8_get_char_validated(text, (gssize)left) : 0;
		used = 1;
		if (c == (gunichar)-1 || c == (gunichar)-2) {
			g_string_append(out, REPLACEMENT);
		} else {
			used = c ? (gsize)g_unichar_to_utf8(c, NULL) : 1;
			if (is_harmless(c))
				g_string_append_len(out, text, (gssize)used);
			else
				g_string_append(out, REPLACEMENT);
		}
		text += used;
		left -= used;
	}
	return g_string_free(out, FALSE);
}

static unsigned char_width(gunichar c)
{
	if (g_unichar_iszerowidth(c))
		return 0;
	return g_unichar_iswide(c) ? 2 : 1;
}

unsigned base_text_width(const char *text)
{
	unsigned width = 0;

	for (; *text; text = g_utf8_next_char(text))
		width += char_width(g_utf8_get_char(text));
	return width;
}

char *base_text_join(const GPtrArray *texts, const char *between)
{
	GString *joined = g_string_new(NULL);

	for (guint i = 0; i < texts->len; i++)
		g_string_append_printf(joined, "%s%s", i ? between : "",
			(const char *)g_ptr_array_index(texts, i));
	return g_string_free(joined, FALSE);
}

char *base_text_bytes(guint64 bytes)
{
	static const char *const units[] = { "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	double value = (double)bytes / 1024;
	gsize unit = 0;

	if (bytes < 1024)
		return g_strdup_printf("%u bytes", (unsigned)bytes);
	for (; value >= 1023.95 && unit + 1 < G_N_ELEMENTS(units); unit++)
		value /= 1024;
	return g_strdup_printf("%.1f %s", value, units[unit]);
}
