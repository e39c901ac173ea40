/* SPDX-License-Identifier: MIT */
/*
 * The configuration: a text file in four parts.  [start] has command lines (ui_line.h) that run when a trace
 * was opened: theme, layout, rows, and any other command.  [columns] has the columns of lists (ui_columns.h),
 * [queries] queries in SQL by their names, [keys] the keys (ui_keymap.h).
 */
#ifndef UI_CONFIG_H
#define UI_CONFIG_H

#include "ui/core/ui_columns.h"
#include "ui/core/ui_command.h"

#include <glib.h>

struct ui_config {
	struct ui_keymap *keys; /* owned */
	GPtrArray *start; /* of struct ui_lines_one (ui_line.h), owned: the lines of [start] without themes */
	char *theme;      /* owned: the theme of [start]; NULL: none */
	struct ui_columns columns;
	GPtrArray *queries; /* of char *, owned: "NAME QUERY" */
};

/*
 * Read the configuration FILE; NULL: $XDG_CONFIG_HOME/wakepath/config, if it exists.  Parts that are not set
 * have the built-in values.  NULL with an error, which names file and line; a key or command that is bound
 * twice is an error, too.  PANES: as in struct ui_options; NULL: their lists are not known.
 */
struct ui_config *ui_config_new(const char *file, const struct ui_pane_ops *const *panes, GError **error);
void ui_config_free(struct ui_config *config);
/* CONFIG as a file that reproduces it, with comments.  The caller frees. */
char *ui_config_text(const struct ui_config *config);

/* The query that is called TEXT; TEXT itself if none is. */
const char *ui_config_query(const struct ui_config *config, const char *text);
/* Append the names of all queries to WORDS (of char *, which owns them). */
void ui_config_query_names(const struct ui_config *config, GPtrArray *words);

/* ---- ui_files.c: file names, for questions; lines of files ---- */

/* Append to WORDS (which frees its strings) the files whose names begin with START; folders end with "/". */
void ui_files_add(GPtrArray *words, const char *start);

/* Read the lines of FILE, UTF-8 text.  WHAT names its purpose in errors ("file of commands").  NULL with
 * BASE_ERROR_USAGE.  The caller frees with g_strfreev(). */
char **ui_files_lines(const char *what, const char *file, GError **error);
/* The words of LINE, up to a word that is "#".  They are parts of LINE, so the caller frees only the
 * vector. */
char **ui_files_words(char *line);

/* ---- texts that are part of the program ---- */

struct ui_builtin {
	const char *name; /* of the file */
	const char *text;
};

/* Arrays, ended by an element whose NAME is NULL. */
extern const struct ui_builtin ui_builtin_themes[], ui_builtin_keys[];

#endif
