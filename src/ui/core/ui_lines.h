/* SPDX-License-Identifier: MIT */
/* Lines of commands (ui_line.h) from a file, done one after the other. */
#ifndef UI_LINES_H
#define UI_LINES_H

#include <glib.h>
#include <stdbool.h>

/* A line, and the place it has in its file, "FILE:LINE".  Both owned by the list. */
struct ui_lines_one {
	char *where, *text;
};

/* An empty list, of struct ui_lines_one *.  The caller unrefs. */
GPtrArray *ui_lines_new(void);
/* Whether LINE says nothing: it is empty or a comment, "#" without a number behind. */
bool ui_lines_is_comment(const char *line);
/* Append TEXT, which stands in line N of FILE; false with an error where no command has its name. */
bool ui_lines_add(GPtrArray *lines, const char *file, unsigned n, const char *text, GError **error);
/* Append all lines of FILE; false with an error, which names file and line. */
bool ui_lines_read(GPtrArray *lines, const char *file, GError **error);

#endif
