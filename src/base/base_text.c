/* SPDX-License-Identifier: MIT */
#include "base/base_text.h"

#include <stdbool.h>
#include <string.h>

#define REPLACEMENT "\357\277\275" /* U+FFFD */

/* True for characters that draw a glyph or a plain gap and do nothing else. */
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

/* The number of printable ASCII characters at the start of the LENGTH bytes of TEXT. Nearly all text consists
 * of these. */
static gsize plain(const char *text, gsize length)
{
	gsize n = 0;

	while (n < length && text[n] >= 0x20 && text[n] < 0x7f)
		n++;
	return n;
}

bool base_text_is_plain(const char *text, gsize length)
{
	return plain(text, length) == length;
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

static unsigned width(gunichar c)
{
	return g_unichar_iszerowidth(c) ? 0 : g_unichar_iswide(c) ? 2 : 1;
}

unsigned base_text_width(const char *text)
{
	unsigned columns = 0;

	for (; *text; text = g_utf8_next_char(text))
		columns += width(g_utf8_get_char(text));
	return columns;
}

/* True if TEXT begins with a word that must stay on one row with the number before it: a unit, "%",
 * "times". */
static bool begins_with_unit(const char *text)
{
	static const char *const units[] = { "s", "ms", "\302\265s", "ns", "%", "times", "time" };
	size_t n = strcspn(text, " ,;:)");

	for (size_t i = 0; i < G_N_ELEMENTS(units); i++)
		if (strlen(units[i]) == n && !strncmp(text, units[i], n))
			return true;
	return false;
}

size_t base_text_row(const char *text, unsigned columns)
{
	const char *at = text, *next;
	size_t blank = 0;

	for (unsigned x = 0; *at; at = next) {
		gunichar c = g_utf8_get_char_validated(at, -1);
		bool bad = c == (gunichar)-1 || c == (gunichar)-2;

		next = bad ? at + 1 : g_utf8_next_char(at);
		x += bad || !is_harmless(c) ? 1 : width(c); /* it is shown as one U+FFFD */
		if (x > columns && at > text)
			break;
		if (!*next || (*next == ' ' && !begins_with_unit(next + 1)))
			blank = (size_t)(next - text);
	}
	return *at && blank ? blank : (size_t)(at - text);
}

void base_text_append_decimal(GString *to, uint64_t number, bool is_below_zero)
{
	static const char pairs[] =
		"0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849"
		"5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899";
	char digits[24], *p = digits + sizeof digits;

	number = is_below_zero ? -number : number;
	for (; number >= 100; number /= 100) {
		p -= 2;
		memcpy(p, pairs + number % 100 * 2, 2);
	}
	if (number >= 10)
		memcpy(p -= 2, pairs + number * 2, 2);
	else
		*--p = (char)('0' + number);
	if (is_below_zero)
		*--p = '-';
	base_text_append(to, p, (gsize)(digits + sizeof digits - p));
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

struct base_strings {
	GPtrArray *texts;    /* by number: char *, owned */
	GHashTable *numbers; /* char * (weak, of texts) → number */
};

struct base_strings *base_strings_new(void)
{
	struct base_strings *s = g_new(struct base_strings, 1);

	s->texts = g_ptr_array_new_with_free_func(g_free);
	s->numbers = g_hash_table_new(g_str_hash, g_str_equal);
	base_strings_add(s, "");
	return s;
}

void base_strings_free(struct base_strings *s)
{
	if (!s)
		return;
	g_hash_table_destroy(s->numbers);
	g_ptr_array_unref(s->texts);
	g_free(s);
}

uint32_t base_strings_add(struct base_strings *s, const char *text)
{
	gpointer found;
	char *copy;

	if (g_hash_table_lookup_extended(s->numbers, text, NULL, &found))
		return GPOINTER_TO_UINT(found);
	copy = g_strdup(text);
	g_ptr_array_add(s->texts, copy);
	g_hash_table_insert(s->numbers, copy, GUINT_TO_POINTER(s->texts->len - 1));
	return s->texts->len - 1;
}

uint32_t base_strings_add_hostile(struct base_strings *s, const char *text, gssize length)
{
	g_autofree char *clean = NULL;

	if (length < 0 && !text[plain(text, G_MAXSIZE)])
		return base_strings_add(s, text); /* clean without a copy */
	clean = base_text_clean(text, length);
	return base_strings_add(s, clean);
}

const char *base_strings_get(const struct base_strings *s, uint32_t id)
{
	g_assert(id < s->texts->len);
	return g_ptr_array_index(s->texts, id);
}

uint32_t base_strings_count(const struct base_strings *s)
{
	return s->texts->len;
}
