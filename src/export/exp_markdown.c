/* SPDX-License-Identifier: MIT */
#include "export/exp_rows.h"

#include "base/base_text.h"

#include <string.h>

/* What is no letter and can begin a mark inside a line, a link, HTML, an entity, a formula or a column. */
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

/* Indented, which no text can end. */
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
