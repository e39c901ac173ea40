/* SPDX-License-Identifier: MIT */
/*
 * Small files that the program keeps for itself: groups of "key=value" (GKeyFile), the first of which says
 * what the file is.  They lie where others may write, so they are checked like a trace.
 */
#ifndef BASE_KEYFILE_H
#define BASE_KEYFILE_H

#include <glib.h>
#include <stdbool.h>

/* A kind of such files. */
struct base_keyfile_kind {
	const char *head; /* the group that says so, "wakepath view" */
	int version;
	const char *advice; /* what to do with one that is something else */
};

/*
 * The file PATH of KIND; one with nothing but its head where there is none.  The caller unrefs.  NULL with
 * BASE_ERROR_IO, or with BASE_ERROR_DATA where it is not one of the user's own, or another kind of file.
 */
GKeyFile *base_keyfile_read(const char *path, const struct base_keyfile_kind *kind, GError **error);
/* Put FILE in the place of PATH, all at once.  False with BASE_ERROR_IO; then PATH is what it was. */
bool base_keyfile_write(GKeyFile *file, const char *path, GError **error);

#endif
