/* SPDX-License-Identifier: MIT */
#include "trace/ctf/trc_unicode.h"

#include "trace/ctf/trc_bits.h"

#define REPLACEMENT 0xfffd

/* Return the bytes of a unit. A character is one unit; in UTF-16 it may be two. */
static unsigned unicode_unit(enum trc_encoding encoding)
{
	switch (encoding) {
	case TRC_ENCODING_UTF16LE:
	case TRC_ENCODING_UTF16BE: return 2;
	case TRC_ENCODING_UTF32LE:
	case TRC_ENCODING_UTF32BE: return 4;
	default: return 1;
	}
}

static uint32_t unicode_read(const uint8_t *p, enum trc_encoding encoding)
{
	return (uint32_t)trc_bits_read(p, 0, 8 * unicode_unit(encoding),
		encoding == TRC_ENCODING_UTF16BE || encoding == TRC_ENCODING_UTF32BE);
}

bool trc_unicode_length(const uint8_t *p, uint64_t size, enum trc_encoding encoding, uint64_t *length,
	uint64_t *whole)
{
	const unsigned unit = unicode_unit(encoding);
	const uint8_t *end = unit == 1 ? memchr(p, '\0', size) : NULL;

	*length = end ? (uint64_t)(end - p) : size;
	for (uint64_t at = 0; unit > 1 && size - at >= unit && *length == size; at += unit)
		if (!unicode_read(p + at, encoding))
			*length = at;
	*whole = *length + unit;
	return *length < size;
}

/* Return the character at *AT and move *AT after it. */
static gunichar unicode_take(const uint8_t *p, uint64_t length, enum trc_encoding encoding, uint64_t *at)
{
	const unsigned unit = unicode_unit(encoding);
	gunichar c = unicode_read(p + *at, encoding);

	*at += unit;
	if (unit == 2 && c >= 0xd800 && c < 0xdc00 && length - *at >= unit) {
		gunichar low = unicode_read(p + *at, encoding);

		if (low >= 0xdc00 && low < 0xe000) {
			*at += unit;
			c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
		}
	}
	return g_unichar_validate(c) ? c : REPLACEMENT;
}

void trc_unicode_append(GString *to, const uint8_t *p, uint64_t length, enum trc_encoding encoding, gsize end)
{
	for (uint64_t at = 0; length - at >= unicode_unit(encoding) && to->len < end;) {
		gunichar c = unicode_take(p, length, encoding, &at);

		if (!c)
			return;
		g_string_append_unichar(to, c);
	}
}
