/* SPDX-License-Identifier: MIT */
#include "export/exp_rows.h"

#include "base/base_time.h"

#include <inttypes.h>
#include <string.h>

struct exp_csv exp_csv_begin(GString *out, const char *names)
{
	g_string_append(out, names);
	g_string_append_c(out, '\n');
	return (struct exp_csv){ .out = out };
}

static void begin_field(struct exp_csv *csv)
{
	if (csv->in_line)
		g_string_append_c(csv->out, ',');
	csv->in_line = true;
}

/*
 * What a spreadsheet takes for a formula, and may run: a thread can be called "=HYPERLINK(...)".  Numbers are
 * not written as text, so what begins with a sign here is none.  An apostrophe before it makes it text
 * (OWASP, "CSV Injection").
 */
static bool is_formula(const char *text)
{
	return *text && strchr("=+-@\t\r", *text);
}

void exp_csv_text(struct exp_csv *csv, const char *text)
{
	const char *mark = text && is_formula(text) ? "'" : "";

	begin_field(csv);
	if (!text)
		return;
	if (!strpbrk(text, ",\"\r\n")) {
		g_string_append_printf(csv->out, "%s%s", mark, text);
		return;
	}
	g_string_append_printf(csv->out, "\"%s", mark);
	for (; *text; text++) {
		if (*text == '"')
			g_string_append_c(csv->out, '"');
		g_string_append_c(csv->out, *text);
	}
	g_string_append_c(csv->out, '"');
}

void exp_csv_decimal(struct exp_csv *csv, const char *number)
{
	begin_field(csv);
	if (number)
		g_string_append(csv->out, number);
}

void exp_csv_time(struct exp_csv *csv, int64_t time)
{
	begin_field(csv);
	if (time != BASE_TIME_NONE)
		g_string_append_printf(csv->out, "%" PRId64, time);
}

void exp_csv_end_line(struct exp_csv *csv)
{
	g_string_append_c(csv->out, '\n');
	csv->in_line = false;
}
