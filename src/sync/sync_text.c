/* SPDX-License-Identifier: MIT */
#include "sync/sync_hosts.h"

#include <inttypes.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide_positive;

/* Each digit of a fraction of 62 bits is the carry of ten times the fraction; there are at most 62. */
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

	/* 66 of 128 bits are whole, more than PRIu64 can print. */
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

/* ---- parsing ---- */

#define GROUP 9 /* digits kept in one number */
#define GROUP_END 1000000000
#define GROUPS_MAX 14 /* of a fraction; the digits after them do not matter */

/* Multiply the number after the point by 2^BITS; returns the carry. BITS is at most 31. */
static uint64_t times(uint32_t *groups, unsigned n, unsigned bits)
{
	uint64_t carry = 0;

	for (unsigned i = n; i-- > 0;) {
		uint64_t v = ((uint64_t)groups[i] << bits) + carry;

		groups[i] = (uint32_t)(v % GROUP_END);
		carry = v / GROUP_END;
	}
	return carry;
}

/* The N digits after the point at TEXT in units of 2^-62: the carry of 2^62 times the number. 2^62 if it
 * rounds up to 1. */
static uint64_t parse_fraction(const char *text, size_t n)
{
	uint32_t groups[GROUPS_MAX] = { 0 };
	uint64_t fraction;

	for (size_t i = 0; i < GROUPS_MAX * GROUP; i++)
		groups[i / GROUP] = groups[i / GROUP] * 10 + (i < n ? (uint32_t)(text[i] - '0') : 0);
	fraction = times(groups, GROUPS_MAX, 31) << 31;
	fraction += times(groups, GROUPS_MAX, 31);
	return fraction + times(groups, GROUPS_MAX, 1);
}

bool sync_text_parse(const char *text, sync_wide *value)
{
	bool negative = *text == '-';
	const char *p = negative ? text + 1 : text;
	size_t whole = strspn(p, "0123456789"),
	       fraction = p[whole] == '.' ? strspn(p + whole + 1, "0123456789") : 0;
	wide_positive sum = 0, most = ~(wide_positive)0 >> 1;

	if (whole == 0 || p[whole + (p[whole] == '.') + fraction] != '\0' ||
		(p[whole] == '.' && fraction == 0))
		return false;
	for (size_t i = 0; i < whole; i++) {
		sum = sum * 10 + (unsigned)(p[i] - '0');
		if (sum > (most >> SYNC_FRACTION_BITS) + 1)
			return false;
	}
	sum = (sum << SYNC_FRACTION_BITS) + parse_fraction(p + whole + 1, fraction);
	if (sum > most + negative)
		return false;
	*value = negative ? (sync_wide)(-sum) : (sync_wide)sum;
	return true;
}

const char *sync_text_apart(const struct sync_hosts *hosts, unsigned host)
{
	const struct sync_host *h = &hosts->hosts[host];
	bool any = false; /* a host after the first has a clock */

	if (h->clock)
		return NULL;
	for (unsigned i = 1; i < hosts->n; i++)
		any = any || hosts->hosts[i].clock;
	switch (h->quality) {
	case SYNC_NONE: return any ? "no clock was given for it" : NULL;
	case SYNC_PENDING: return "its packets are matched when all indexes are made";
	case SYNC_ABSENT: return "no packets in common with other hosts";
	case SYNC_INCOMPLETE:
		return "no host with a common clock exchanged packets with it in both directions: try another trace first";
	default: return "its packets contradict each other";
	}
}
