/* SPDX-License-Identifier: MIT */
#include "sync/sync_text.h"

#include <inttypes.h>

__extension__ typedef unsigned __int128 wide_positive;

/* Each digit of a fraction of 62 bits is what ten times it carries over; at most 62 of them. */
static void append_fraction(GString *text, uint64_t fraction)
{
	if (fraction == 0)
		return;
	g_string_append_c(text, '.');
	while (fraction != 0) {
		wide_positive ten = (wide_positive)fraction * 10;

		g_string_append_c(text, (char)('0' + (int)(ten >> SYNC_FRACTION_BITS)));
		fraction = (uint64_t)ten & ((UINT64_C(1) << SYNC_FRACTION_BITS) - 1);
	}
}

char *sync_text_decimal(sync_wide value)
{
	GString *text = g_string_new(value < 0 ? "-" : "");
	wide_positive size = value < 0 ? -(wide_positive)value : (wide_positive)value;

	/* Of 128 bits, 66 are whole: more than a number has that can be printed. */
	if (size >> SYNC_FRACTION_BITS > UINT64_MAX) {
		g_string_append_printf(text, "%" PRIu64, (uint64_t)((size >> SYNC_FRACTION_BITS) / 10));
		g_string_append_printf(text, "%u", (unsigned)((size >> SYNC_FRACTION_BITS) % 10));
	} else {
		g_string_append_printf(text, "%" PRIu64, (uint64_t)(size >> SYNC_FRACTION_BITS));
	}
	append_fraction(text, (uint64_t)size & ((UINT64_C(1) << SYNC_FRACTION_BITS) - 1));
	return g_string_free(text, FALSE);
}

char *sync_text_slope(const struct sync_line *line)
{
	return sync_text_decimal(((sync_wide)1 << SYNC_FRACTION_BITS) + line->rate);
}

char *sync_text_offset(const struct sync_line *line)
{
	return sync_text_decimal(line->offset - (sync_wide)line->rate * line->origin);
}
