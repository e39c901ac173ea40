/* SPDX-License-Identifier: MIT */
/* Names of files, where one is asked for; files of lines. */
#ifndef UI_FILES_H
#define UI_FILES_H

#include <glib.h>

/* Append to WORDS (which frees its strings) the files whose names begin with START, folders with a "/"
 * behind. */
void ui_files_add(GPtrArray *words, const char *start);

/* The lines of FILE, a WHAT ("file of commands") of UTF-8 text; the caller frees (g_strfreev()).  NULL with
 * BASE_ERROR_USAGE. */
char **ui_files_lines(const char *what, const char *file, GError **error);
/* The words of LINE up to a "#" that stands alone.  Only the vector is freed: the words are parts of LINE. */
char **ui_files_words(char *line);

#endif
