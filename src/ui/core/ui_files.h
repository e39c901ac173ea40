/* SPDX-License-Identifier: MIT */
/* Names of files, where one is asked for. */
#ifndef UI_FILES_H
#define UI_FILES_H

#include <glib.h>

/* Append to WORDS (which frees its strings) the files whose names begin with START, folders with a "/"
 * behind. */
void ui_files_add(GPtrArray *words, const char *start);

#endif
