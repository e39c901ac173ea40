/* SPDX-License-Identifier: MIT */
/*
 * Commands as lines of text: the name of one, with the text that it would ask for ("goto 1.5s", "search
 * mysqld", "theme light"); a time or "#EVENT" alone is gone to.  They are typed, stand in files, and behind
 * the lines of menus.
 */
#ifndef UI_LINE_H
#define UI_LINE_H

#include "ui/core/ui_shell.h"

/*
 * The command that LINE names, by its name or a beginning that no other has, and the text behind it, owned,
 * *TEXT NULL: none.  False with an error, which names the nearest one.
 */
bool ui_line_parse(const char *line, enum ui_command *command, char **text, GError **error);
/* Do what LINE says.  False with an error: what is wrong with it, or what the command itself said. */
bool ui_line_do(struct ui_shell *shell, const char *line, GError **error);
/*
 * What may stand in LINE from byte *FROM on in place of what does: names of commands, or what one takes as a
 * text.  Of char *, owned; the caller unrefs.  *NOTE becomes what is to be said of the command named, static,
 * else NULL.
 */
GPtrArray *ui_line_choices(struct ui_shell *shell, const char *line, gsize *from, const char **note);

/* ---- ui_lines.c: lines from a file, done one after the other ---- */

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
