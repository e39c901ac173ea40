/* SPDX-License-Identifier: MIT */
/*
 * A table as text, CSV and Markdown. The width of a column of text is known only at the last line. So cells
 * wait until then, one after the other, each with a NUL; those of a long table wait in a file.
 */
#include "export/exp_rows.h"

#include "export/exp.h"

#include "base/base_text.h"
#include "base/base_time.h"

#include <inttypes.h>
#include <string.h>

/* ---- text ---- */

#define GAP 2 /* spaces between two columns */

struct exp_table {
	const char *const *headers; /* static */
	guint columns, at;          /* AT: the column of the next cell */
	unsigned *widths;           /* owned; of each column */
	GString *cells;             /* owned; line by line, the headers first; FILE holds earlier cells */
	struct exp_file *file;      /* weak; NULL: all cells are in CELLS */
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

void exp_table_add_duration(struct exp_table *t, int64_t duration)
{
	exp_table_take(t, table_duration_text(duration));
}

static void append_spaces(GString *out, unsigned n)
{
	while (n--)
		g_string_append_c(out, ' ');
}

/* Append the line whose cells begin at CELL. Returns the begin of the next line. */
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

/* True if all cells of a line are between CELL and END. */
static bool has_line(const struct exp_table *t, const char *cell, const char *end)
{
	for (guint c = 0; c < t->columns && cell; c++) {
		cell = memchr(cell, '\0', (size_t)(end - cell));
		cell = cell ? cell + 1 : NULL;
	}
	return cell;
}

/* Move the complete lines of CELLS to OUT. */
static void put_lines(const struct exp_table *t, GString *cells, GString *out)
{
	const char *at = cells->str;

	while (has_line(t, at, cells->str + cells->len))
		at = append_line(t, at, out);
	g_string_erase(cells, 0, at - cells->str);
}

void exp_table_finish(struct exp_table *t, GString *out)
{
	g_autoptr(GString) held = g_string_new(NULL);

	g_assert(t->at == 0);
	while (t->file && exp_file_give(t->file, held))
		put_lines(t, held, out);
	g_string_append_len(held, t->cells->str, (gssize)t->cells->len);
	put_lines(t, held, out);
	g_string_free(t->cells, TRUE);
	g_free(t->widths);
	g_free(t);
}

void exp_table_append_clean(GString *out, const char *text)
{
	g_autofree char *clean = base_text_clean(text, -1);

	g_string_append(out, clean);
}

/* ---- CSV ---- */

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

void exp_csv_text(struct exp_csv *csv, const char *text)
{
	/*
	 * A spreadsheet may execute a formula, and a thread can have the name "=HYPERLINK(...)". An
	 * apostrophe before it makes it text (OWASP, "CSV Injection"). This function does not write numbers,
	 * so a sign begins a formula here.
	 */
	const char *mark = text && *text && strchr("=+-@\t\r", *text) ? "'" : "";
	gsize plain;

	begin_field(csv);
	if (!text)
		return;
	plain = strcspn(text, ",\"\r\n");
	if (!text[plain]) {
		base_text_append(csv->out, mark, strlen(mark));
		base_text_append(csv->out, text, plain);
		return;
	}
	g_string_append_c(csv->out, '"');
	g_string_append(csv->out, mark);
	for (const char *quote; (quote = strchr(text, '"')); text = quote + 1) {
		g_string_append_len(csv->out, text, quote + 1 - text);
		g_string_append_c(csv->out, '"');
	}
	base_text_append(csv->out, text, strlen(text));
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
		base_text_append_decimal(csv->out, (uint64_t)time, time < 0);
}

void exp_csv_end_line(struct exp_csv *csv)
{
	g_string_append_c(csv->out, '\n');
	csv->in_line = false;
}

/* ---- Markdown ---- */

/* Characters that can begin markup in a line, a link, HTML, an entity, a formula or a column. */
static const char marks[] = "\\`*_[]<>|~&#$!@";

void exp_markdown_text(GString *out, const char *text)
{
	g_autofree char *clean = base_text_clean(text, -1);

	for (const char *c = clean; *c; c++) {
		if (strchr(marks, *c))
			g_string_append_c(out, '\\');
		g_string_append_c(out, *c);
	}
}

void exp_markdown_begin(GString *out, const char *const *headings)
{
	for (const char *const *h = headings; *h; h++)
		exp_markdown_cell(out, **h == '>' ? *h + 1 : *h);
	exp_markdown_end_line(out);
	for (const char *const *h = headings; *h; h++)
		g_string_append(out, **h == '>' ? "|---:" : "|---");
	exp_markdown_end_line(out);
}

void exp_markdown_cell(GString *out, const char *text)
{
	g_string_append(out, "| ");
	exp_markdown_text(out, text);
	g_string_append_c(out, ' ');
}

void exp_markdown_end_line(GString *out)
{
	g_string_append(out, "|\n");
}

/* An indented block, which no text can end. */
void exp_markdown_block(GString *out, const char *text)
{
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

	for (char **line = lines; *line; line++) {
		g_autofree char *clean = base_text_clean(*line, -1);

		if (*clean)
			g_string_append_printf(out, "    %s\n", clean);
	}
}

void exp_markdown_command(GString *out, const char *command)
{
	g_autofree char *line = command ? base_text_clean(command, -1) : NULL;

	if (!command)
		return;
	g_string_append(out, "\nMade by:\n\n");
	exp_markdown_block(out, line);
}
