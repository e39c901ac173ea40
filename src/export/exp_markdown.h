/* SPDX-License-Identifier: MIT */
/* Markdown for tickets (GitHub Flavored Markdown Spec 0.29): tables and paragraphs.  Text from a trace stays
 * plain text: it cannot become markup.  Only for the export library. */
#ifndef EXP_MARKDOWN_H
#define EXP_MARKDOWN_H

#include <glib.h>

/* Append TEXT, cleaned; each character that could be markup gets a backslash. */
void exp_markdown_text(GString *out, const char *text);
/* The first two lines of a table.  HEADINGS is NULL-terminated; '>' before a heading aligns its column to the
 * right. */
void exp_markdown_begin(GString *out, const char *const *headings);
/* The next cell of a line.  exp_markdown_end_line() ends the line after its last cell. */
void exp_markdown_cell(GString *out, const char *text);
void exp_markdown_end_line(GString *out);
/* The lines of TEXT as a code block; empty lines are dropped. */
void exp_markdown_block(GString *out, const char *text);
/* "Made by:" and COMMAND as a code block; nothing if COMMAND is NULL. */
void exp_markdown_command(GString *out, const char *command);

#endif
