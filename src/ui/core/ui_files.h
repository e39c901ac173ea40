/* SPDX-License-Identifier: MIT */
/* Names of files, where one is asked for; files of lines. */
#ifndef UI_FILES_H
#define UI_FILES_H

#include <glib.h>

/* Append to WORDS (which frees its strings) the files whose names begin with START, folders with a "/"
 * behind. */
void ui_files_add(GPtrArray *words, const char *start);

/* The lines of FILE, which has to be UTF-8; the caller frees (g_strfreev()).  NULL with an error that begins
 * with "WHAT: ". */
char **ui_files_lines(const char *what, const char *file, GError **error);
/* The words of LINE up to a "#" that stands alone.  Only the vector is freed: the words are parts of LINE. */
char **ui_files_words(char *line);

#endif
