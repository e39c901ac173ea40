/* SPDX-License-Identifier: MIT */
/* Small files that wakepath keeps for itself: groups of "key=value" (GKeyFile); the first group names the
 * kind of file.  Other users may be able to write in their folder, so they are checked like a trace. */
#ifndef BASE_KEYFILE_H
#define BASE_KEYFILE_H

#include <glib.h>
#include <stdbool.h>

/* A kind of file. */
struct base_keyfile_kind {
	const char *head; /* name of the first group: "wakepath view" */
	int version;
	const char *advice; /* what the user can do with a file that is not of this kind */
};

/* Read the file PATH of KIND.  If it does not exist, the result has only the first group.  The caller
 * unrefs.  NULL with BASE_ERROR_IO, or with BASE_ERROR_DATA if the file belongs to another user or is of
 * another kind. */
GKeyFile *base_keyfile_read(const char *path, const struct base_keyfile_kind *kind, GError **error);
/* Replace PATH with FILE atomically.  False with BASE_ERROR_IO, and PATH is unchanged. */
bool base_keyfile_write(GKeyFile *file, const char *path, GError **error);

#endif
