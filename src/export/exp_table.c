/* SPDX-License-Identifier: MIT */
#include "export/exp_table.h"

#include "base/base_text.h"
#include "base/base_time.h"

#include <inttypes.h>

#define GAP 2 /* columns between two columns */

struct exp_table {
	const char *const *headers; /* static */
	guint columns;
	GPtrArray *cells; /* of char *, owned, line by line, the headers first */
};

struct exp_table *exp_table_new(const char *const *headers)
{
	struct exp_table *t = g_new(struct exp_table, 1);

	t->headers = headers;
	t->columns = g_strv_length((char **)headers);
	t->cells = g_ptr_array_new_with_free_func(g_free);
	for (guint i = 0; i < t->columns; i++)
		exp_table_add(t, headers[i][0] == '>' ? headers[i] + 1 : headers[i]);
	return t;
}

void exp_table_add(struct exp_table *t, const char *text)
{
	g_ptr_array_add(t->cells, text ? base_text_clean(text, -1) : g_strdup(""));
}

void exp_table_take(struct exp_table *t, char *text)
{
	exp_table_add(t, text);
	g_free(text);
}

void exp_table_add_int(struct exp_table *t, int64_t value)
{
	g_ptr_array_add(t->cells, g_strdup_printf("%" PRId64, value));
}

char *exp_table_duration(int64_t duration)
{
	return base_time_format_duration(duration, !g_get_charset(NULL));
}

char *exp_table_bar(uint64_t count, uint64_t most, unsigned longest)
{
	gsize columns = count ? (gsize)((double)count / (double)most * longest + 0.5) : 0;

	return g_strnfill(count ? CLAMP(columns, 1, longest) : 0, '#');
}

void exp_table_add_duration(struct exp_table *t, int64_t duration)
{
	exp_table_take(t, exp_table_duration(duration));
}

char *exp_table_time(int64_t time)
{
	return base_time_format_clock(time, 9);
}

void exp_table_add_time(struct exp_table *t, int64_t time)
{
	exp_table_take(t, exp_table_time(time));
}

static void append_spaces(GString *out, unsigned n)
{
	while (n--)
		g_string_append_c(out, ' ');
}

static void append_line(const struct exp_table *t, guint first, const unsigned *widths, GString *out)
{
	for (guint c = 0; c < t->columns; c++) {
		const char *cell = g_ptr_array_index(t->cells, first + c);
		unsigned pad = widths[c] - base_text_width(cell);

		if (t->headers[c][0] == '>')
			append_spaces(out, pad);
		g_string_append(out, cell);
		if (c + 1 < t->columns)
			append_spaces(out, GAP + (t->headers[c][0] == '>' ? 0 : pad));
	}
	while (out->len && out->str[out->len - 1] == ' ')
		g_string_truncate(out, out->len - 1);
	g_string_append_c(out, '\n');
}

void exp_table_finish(struct exp_table *t, GString *out, const char *indent)
{
	unsigned *widths = g_new0(unsigned, t->columns);

	g_assert(t->cells->len % t->columns == 0);
	for (guint i = 0; i < t->cells->len; i++) {
		unsigned width = base_text_width(g_ptr_array_index(t->cells, i));

		widths[i % t->columns] = MAX(widths[i % t->columns], width);
	}
	for (guint i = 0; i < t->cells->len; i += t->columns) {
		g_string_append(out, indent);
		append_line(t, i, widths, out);
	}
	g_free(widths);
	g_ptr_array_unref(t->cells);
	g_free(t);
}

void exp_table_append_clean(GString *out, const char *text)
{
	g_autofree char *clean = base_text_clean(text, -1);

	g_string_append(out, clean);
}
