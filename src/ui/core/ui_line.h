/* SPDX-License-Identifier: MIT */
/* Commands as lines of text: the name of a command, then the text that it would ask for ("goto 1.5s", "search
 * mysqld", "theme light").  A time or "#EVENT" alone means "goto".  Lines are typed, read from files, and
 * used by menus. */
#ifndef UI_LINE_H
#define UI_LINE_H

#include "ui/core/ui_shell.h"

/* *COMMAND becomes the command that LINE names by its name, a unique prefix of it, or an alias (ui_aliases).
 * *TEXT becomes the text after it, owned by the caller; NULL: none.  False with an error that names the most
 * similar commands. */
bool ui_line_parse(const char *line, enum ui_command *command, char **text, GError **error);
/* Run LINE.  False with an error: LINE is not valid, or the error of the command. */
bool ui_line_do(struct ui_shell *shell, const char *line, GError **error);
/* Words that can replace LINE from byte *FROM on: names of commands, or the words that a command accepts. Of
 * char *, owned; the caller unrefs.  *NOTE becomes a static text about the command, or NULL. */
GPtrArray *ui_line_choices(struct ui_shell *shell, const char *line, gsize *from, const char **note);

/* ---- lines of a file, run one after the other ---- */

/* A line, and its place "FILE:LINE".  The list owns both. */
struct ui_lines_one {
	char *where, *text;
};

/* An empty list of struct ui_lines_one *.  The caller unrefs. */
GPtrArray *ui_lines_new(void);
/* True if LINE is empty or a comment: "#" not followed by a digit. */
bool ui_lines_is_comment(const char *line);
/* Append TEXT, line N of FILE.  False with an error if it names no command. */
bool ui_lines_add(GPtrArray *lines, const char *file, unsigned n, const char *text, GError **error);
/* Append all lines of FILE.  False with an error that names file and line. */
bool ui_lines_read(GPtrArray *lines, const char *file, GError **error);

#endif
