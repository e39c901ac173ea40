/* SPDX-License-Identifier: MIT */
/*
 * How wide a column is the last line may tell.  So cells are kept until then, one behind the other with a NUL
 * each; of a long table in a file.
 */
#include "export/exp_rows.h"

#include "base/base_text.h"
#include "base/base_time.h"
#include "export/exp.h"

#include <inttypes.h>
#include <string.h>

#define GAP 2 /* columns between two columns */

struct exp_table {
	const char *const *headers; /* static */
	guint columns, at;          /* the column of the next cell */
	unsigned *widths;           /* owned: of each */
	GString *cells;             /* owned, line by line, the headers first: those behind what is held by */
	struct exp_file *file;      /* weak; NULL: nothing is */
};

struct exp_table *exp_table_new(const char *const *headers, struct exp_file *file)
{
	struct exp_table *t = g_new(struct exp_table, 1);

	t->headers = headers;
	t->columns = g_strv_length((char **)headers);
	t->at = 0;
	t->widths = g_new0(unsigned, t->columns);
	t->cells = g_string_new(NULL);
	t->file = file;
	for (guint i = 0; i < t->columns; i++)
		exp_table_add(t, headers[i][0] == '>' ? headers[i] + 1 : headers[i]);
	return t;
}

void exp_table_add(struct exp_table *t, const char *text)
{
	g_autofree char *clean = base_text_clean(text ? text : "", -1);

	g_string_append_len(t->cells, clean, (gssize)strlen(clean) + 1);
	t->widths[t->at] = MAX(t->widths[t->at], base_text_width(clean));
	t->at = (t->at + 1) % t->columns;
	exp_file_hold(t->file, t->cells);
}

void exp_table_take(struct exp_table *t, char *text)
{
	exp_table_add(t, text);
	g_free(text);
}

void exp_table_add_int(struct exp_table *t, int64_t value)
{
	exp_table_take(t, g_strdup_printf("%" PRId64, value));
}

char *exp_table_duration(int64_t duration)
{
	return base_time_format_duration(duration, !g_get_charset(NULL));
}

char *exp_table_signed(int64_t duration)
{
	g_autofree char *length = exp_table_duration(ABS(duration));

	return g_strconcat(duration < 0 ? "-" : "+", length, NULL);
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

static void append_spaces(GString *out, unsigned n)
{
	while (n--)
		g_string_append_c(out, ' ');
}

/* The line whose cells begin at CELL; returns where the next one does. */
static const char *append_line(const struct exp_table *t, const char *cell, GString *out)
{
	for (guint c = 0; c < t->columns; c++, cell += strlen(cell) + 1) {
		unsigned pad = t->widths[c] - base_text_width(cell);

		if (t->headers[c][0] == '>')
			append_spaces(out, pad);
		g_string_append(out, cell);
		if (c + 1 < t->columns)
			append_spaces(out, GAP + (t->headers[c][0] == '>' ? 0 : pad));
	}
	while (out->len && out->str[out->len - 1] == ' ')
		g_string_truncate(out, out->len - 1);
	g_string_append_c(out, '\n');
	exp_file_take(t->file, out);
	return cell;
}

/* Is all of a line there from CELL to END? */
static bool has_line(const struct exp_table *t, const char *cell, const char *end)
{
	for (guint c = 0; c < t->columns; c++) {
		cell = memchr(cell, '\0', (size_t)(end - cell));
		if (!cell++)
			return false;
	}
	return true;
}

/* Write those lines of CELLS that are all there, and take them out of it. */
static void put_lines(const struct exp_table *t, GString *cells, GString *out, const char *indent)
{
	const char *at = cells->str;

	while (has_line(t, at, cells->str + cells->len)) {
		g_string_append(out, indent);
		at = append_line(t, at, out);
	}
	g_string_erase(cells, 0, at - cells->str);
}

void exp_table_finish(struct exp_table *t, GString *out, const char *indent)
{
	g_autoptr(GString) held = g_string_new(NULL);

	g_assert(t->at == 0);
	while (t->file && exp_file_give(t->file, held))
		put_lines(t, held, out, indent);
	g_string_append_len(held, t->cells->str, (gssize)t->cells->len);
	put_lines(t, held, out, indent);
	g_string_free(t->cells, TRUE);
	g_free(t->widths);
	g_free(t);
}

void exp_table_append_clean(GString *out, const char *text)
{
	g_autofree char *clean = base_text_clean(text, -1);

	g_string_append(out, clean);
}
