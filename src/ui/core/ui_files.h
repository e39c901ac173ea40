/* SPDX-License-Identifier: MIT */
/* File names, for questions; lines of files. */
#ifndef UI_FILES_H
#define UI_FILES_H

#include <glib.h>

/* Append to WORDS (which frees its strings) the files whose names begin with START; folders end with "/". */
void ui_files_add(GPtrArray *words, const char *start);

/* Read the lines of FILE, UTF-8 text.  WHAT names its purpose in errors ("file of commands").  NULL with
 * BASE_ERROR_USAGE.  The caller frees with g_strfreev(). */
char **ui_files_lines(const char *what, const char *file, GError **error);
/* The words of LINE, up to a word that is "#".  They are parts of LINE, so the caller frees only the
 * vector. */
char **ui_files_words(char *line);

#endif
