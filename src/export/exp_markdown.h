/* SPDX-License-Identifier: MIT */
/*
 * Markdown as tickets read it (GitHub Flavored Markdown Spec 0.29): tables and paragraphs, in which what
 * comes from a trace is text and nothing else.  Inside the library only.
 */
#ifndef EXP_MARKDOWN_H
#define EXP_MARKDOWN_H

#include <glib.h>

/* TEXT appended, cleaned, each character that could mean something behind a backslash. */
void exp_markdown_text(GString *out, const char *text);
/* The two lines that begin a table: HEADINGS (NULL-terminated); '>' before one: to the right. */
void exp_markdown_begin(GString *out, const char *const *headings);
/* The next cell of a line; the last one ends it with exp_markdown_end_line(). */
void exp_markdown_cell(GString *out, const char *text);
void exp_markdown_end_line(GString *out);
/* The lines of TEXT as they are, a block of code. */
void exp_markdown_block(GString *out, const char *text);
/* "Made by" and COMMAND, as a block of code; nothing for NULL. */
void exp_markdown_command(GString *out, const char *command);

#endif
