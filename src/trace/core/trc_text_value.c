/* SPDX-License-Identifier: MIT */
#include "trace/core/trc_paging.h"

#include "base/base_text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Return the lowest BITS bits of VALUE. BITS is rounded up to a multiple of STEP, the bits of a digit. */
static uint64_t text_value_cut(uint64_t value, unsigned bits, unsigned step)
{
	bits = (bits + step - 1) / step * step;
	return bits < 64 ? value & ((UINT64_C(1) << bits) - 1) : value;
}

void trc_text_value_integer(GString *to, bool is_signed, unsigned bits, unsigned base, uint64_t value)
{
	switch (base) {
	case 2:
		g_string_append(to, "0b");
		for (unsigned bit = bits; bit-- > 0;)
			g_string_append_c(to, value >> bit & 1 ? '1' : '0');
		break;
	case 8:
		g_string_append_printf(to, "0%" PRIo64, is_signed ? text_value_cut(value, bits, 3) : value);
		break;
	case 16: g_string_append_printf(to, "0x%" PRIX64, text_value_cut(value, bits, 4)); break;
	default: base_text_append_decimal(to, value, is_signed && (int64_t)value < 0);
	}
}

/* Return the value of a binary16 number: sign, 5 bits of exponent, 10 bits of fraction. */
static double text_value_half(uint64_t value)
{
	int exponent = (int)(value >> 10 & 31);
	double fraction = (double)(value & 1023), d;

	if (exponent == 31)
		d = fraction != 0 ? NAN : INFINITY;
	else
		d = exponent ? ldexp(fraction + 1024, exponent - 25) : ldexp(fraction, -24);
	return value >> 15 & 1 ? -d : d;
}

double trc_text_value_real(unsigned bits, uint64_t value)
{
	uint32_t low = (uint32_t)value;
	double d;
	float f;

	memcpy(&f, &low, sizeof(f));
	memcpy(&d, &value, sizeof(d));
	switch (bits) {
	case 16: return text_value_half(value);
	case 32: return (double)f;
	default: return d;
	}
}

void trc_text_value_float(GString *to, unsigned bits, uint64_t value)
{
	if (bits == 16 || bits == 32 || bits == 64)
		g_string_append_printf(to, "%g", trc_text_value_real(bits, value));
	else
		g_string_append_printf(to, "0x%" PRIX64, value);
}

/* True if C must be escaped in a string. */
static inline bool is_escaped(unsigned char c)
{
	return c < 0x20 || c == '\\' || c == '\'' || c == '"' || c == '?' || c == 0x7f;
}

/* Append C, escaped as in C source. */
static void put_char(GString *to, unsigned char c)
{
	static const char plain[] = "\\'\"?", control[] = "\a\b\033\f\n\r\t\v", letters[] = "abefnrtv";
	const char *found;

	if (strchr(plain, c)) {
		g_string_append_c(to, '\\');
		g_string_append_c(to, (char)c);
	} else if (!g_ascii_iscntrl(c)) {
		g_string_append_c(to, (char)c);
	} else if ((found = strchr(control, c))) {
		g_string_append_c(to, '\\');
		g_string_append_c(to, letters[found - control]);
	} else {
		g_string_append_printf(to, "\\x%02x", c);
	}
}

void trc_text_value_string(GString *to, const char *text, uint64_t length, gsize end)
{
	uint64_t i = 0;

	g_string_append_c(to, '"');
	while (i < length && text[i] && to->len < end) {
		uint64_t first = i;

		while (i < length && i - first < end - to->len && !is_escaped((unsigned char)text[i]))
			i++;
		base_text_append(to, text + first, i - first);
		if (i < length && text[i] && to->len < end)
			put_char(to, (unsigned char)text[i++]);
	}
	g_string_append_c(to, '"');
}
