/* SPDX-License-Identifier: MIT */
/* Paths of indexes. */
#ifndef ING_PLACE_H
#define ING_PLACE_H

#include <glib.h>
#include <stdbool.h>

/* Return the folder of indexes: INDEX_DIR if not NULL, else as cli.md says.  Does not create it.  The caller
 * frees. */
char *ing_place_folder(const char *index_dir);

/* Return the path of the index in FOLDER for the trace in FOLDERS (see trc_folders.h): a readable part and a
 * hash of paths and user.  The caller frees. */
char *ing_place_file(const char *folder, char *const *folders);

/* Create FOLDER for its owner only.  False with BASE_ERROR_IO, or with BASE_ERROR_DATA if a symbolic link on
 * the way belongs to another user. */
bool ing_place_make(const char *folder, GError **error);

#endif
