/* SPDX-License-Identifier: MIT */
/* Text files that people and other programs write.  A path may name anything, so each file or pipe is read
 * whole, up to a limit in bytes, and without waiting for a writer. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/base_error.h"

#include <glib.h>
#include <stdbool.h>

/* A kind of file, for its limit and its errors. */
struct base_file_kind {
	const char *what;     /* for messages: "file of rules" */
	gsize max;            /* bytes of the largest file that is accepted */
	enum base_error code; /* of the error if the file cannot be read or is of another kind */
};

/* Return the bytes of PATH followed by a NUL; *LENGTH does not count the NUL.  The caller frees.  NULL with
 * the error of KIND, or with BASE_ERROR_CANCELLED if a signal asks the program to stop. */
char *base_file_bytes(const char *path, const struct base_file_kind *kind, gsize *length, GError **error);
/* Like base_file_bytes(), for UTF-8 text without NUL bytes. */
char *base_file_text(const char *path, const struct base_file_kind *kind, GError **error);

/* Open PATH for reading; a FIFO does not wait for a writer.  Returns the descriptor, or -1 with the error of
 * KIND. */
int base_file_open(const char *path, const struct base_file_kind *kind, GError **error);

/* ---- small files that wakepath keeps for itself ---- */

/* A kind of file with groups of "key=value" (GKeyFile); the first group names the kind.  Other users may be
 * able to write in its folder, so the file is checked like a trace. */
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
