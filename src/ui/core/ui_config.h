/* SPDX-License-Identifier: MIT */
/* The configuration: a text file in four parts.  [start]: command lines (ui_line.h) that run after a trace
 * was opened, such as theme, layout or rows.  [columns]: the columns of lists (ui_columns.h).  [queries]:
 * named SQL queries.  [keys]: the keys (struct ui_keymap). */
#ifndef UI_CONFIG_H
#define UI_CONFIG_H

#include "ui/core/ui_columns.h"
#include "ui/core/ui_command.h"

#include <glib.h>

struct ui_config {
	struct ui_keymap *keys; /* owned */
	GPtrArray *start;       /* of struct ui_lines_one (ui_line.h), owned: [start] without its themes */
	char *theme;            /* owned: the theme of [start]; NULL: none */
	struct ui_columns columns;
	GPtrArray *queries; /* of char *, owned: "NAME QUERY" */
};

/* Read the configuration FILE; NULL: $XDG_CONFIG_HOME/wakepath/config, if it exists.  Settings that it lacks
 * have their built-in values.  NULL with an error that names file and line; binding a key or command twice is
 * an error.  PANES: as in struct ui_options; NULL: the lists of panes are unknown. */
struct ui_config *ui_config_new(const char *file, const struct ui_pane_ops *const *panes, GError **error);
void ui_config_free(struct ui_config *config);
/* The text of a file that reproduces CONFIG, with comments.  The caller frees. */
char *ui_config_text(const struct ui_config *config);

/* The query called TEXT; TEXT itself if there is none. */
const char *ui_config_query(const struct ui_config *config, const char *text);
/* Append the names of all queries to WORDS (of char *, which owns them). */
void ui_config_query_names(const struct ui_config *config, GPtrArray *words);

/* ---- ui_files.c: file names, for questions; lines of files ---- */

/* Append to WORDS (which frees its strings) the files whose names begin with START; folders end with "/". */
void ui_files_add(GPtrArray *words, const char *start);

/* Read the lines of FILE, UTF-8 text.  WHAT names its purpose in errors ("file of commands").  NULL with
 * BASE_ERROR_USAGE.  The caller frees with g_strfreev(). */
char **ui_files_lines(const char *what, const char *file, GError **error);
/* The words of LINE, up to a word "#".  Cuts LINE into them; the caller frees only the vector. */
char **ui_files_words(char *line);

/* ---- texts compiled into the program ---- */

struct ui_builtin {
	const char *name; /* of the file */
	const char *text;
};

/* Arrays that end with a NULL NAME. */
extern const struct ui_builtin ui_builtin_themes[], ui_builtin_keys[];

#endif
