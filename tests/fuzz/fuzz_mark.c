/* SPDX-License-Identifier: MIT */
/*
 * libFuzzer target: any bytes as a text that a program wrote, as the name of an event, and as the stored text
 * of a span.  Checks that the parts of a mark lie within the bytes, in order, and that a mark of a known
 * shape has its sign.
 */
#include "analysis/latency/mark.h"

#include <glib.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_part(struct ana_mark_text part, const char *from, size_t length)
{
	g_assert_true(part.length == 0 || (part.at >= from && part.at + part.length <= from + length));
}

static void check(const struct ana_mark *m, const char *from, size_t length)
{
	check_part(m->name, from, length);
	check_part(m->key, from, length);
	check_part(m->id, from, length);
	g_assert_true(m->what == ANA_MARK_NONE || m->sign);
	/* Only an end may have no name: it ends the span that its thread or its key began. */
	g_assert_true(m->what == ANA_MARK_NONE || m->what == ANA_MARK_END || m->name.length > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* A copy of exactly this length, so that AddressSanitizer reports a read behind it. */
	g_autofree char *text = size ? g_memdup2(data, size) : g_strdup(""),
			*name = g_strndup((const char *)data, size);
	struct ana_mark of_text = ana_mark_of_text(text, size), of_name = ana_mark_of_name(name);
	struct ana_mark_told told = ana_mark_split(name), again;
	g_autofree char *joined = ana_mark_join(told.name, told.key, told.source);

	check(&of_text, text, size);
	check(&of_name, name, size);
	again = ana_mark_split(joined);
	g_assert_cmpstr(again.name, ==, told.name);
	g_assert_cmpstr(again.key, ==, told.key);
	g_assert_cmpstr(again.source, ==, told.source);
	ana_mark_told_clear(&again);
	ana_mark_told_clear(&told);
	return 0;
}
