/* SPDX-License-Identifier: MIT */
/* Where indexes live. */
#ifndef ING_PLACE_H
#define ING_PLACE_H

#include <glib.h>
#include <stdbool.h>

/* The folder of indexes: INDEX_DIR when given, else as cli.md says.  Not made yet.  The caller frees. */
char *ing_place_folder(const char *index_dir);

/* The index file in FOLDER of the trace in FOLDERS (as trc_folders.h says): a readable part and a hash of
 * paths and user.  The caller frees. */
char *ing_place_file(const char *folder, char *const *folders);

/* Make FOLDER, for its owner alone.  False with BASE_ERROR_IO; with BASE_ERROR_DATA when a link on the way to
 * it is another user's. */
bool ing_place_make(const char *folder, GError **error);

#endif
