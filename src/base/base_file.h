/* SPDX-License-Identifier: MIT */
/*
 * Text files that people and other programs write.  A name may lead to anything: each is read as a whole, up
 * to a limit in bytes, from a file or a pipe, and without waiting for somebody who might write.
 */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/base_error.h"

#include <glib.h>

/* A kind of such files. */
struct base_file_kind {
	const char *what;     /* "file of rules", for messages */
	gsize max;            /* bytes of the largest that is taken */
	enum base_error code; /* of the error when one cannot be read or is no such file */
};

/*
 * The bytes of PATH with a NUL behind them; *LENGTH is without that.  The caller frees.  NULL with the error
 * of KIND, or with BASE_ERROR_CANCELLED when a signal asks the program to stop.
 */
char *base_file_bytes(const char *path, const struct base_file_kind *kind, gsize *length, GError **error);
/* Like base_file_bytes() for UTF-8 text, which has no NUL. */
char *base_file_text(const char *path, const struct base_file_kind *kind, GError **error);

/* Like base_file_bytes(), from what PATH is open as; FD stays open. */
char *base_file_rest(int fd, const char *path, const struct base_file_kind *kind, gsize *length,
	GError **error);
/* Open PATH for reading, a FIFO without waiting for a writer; -1 with the error of KIND. */
int base_file_open(const char *path, const struct base_file_kind *kind, GError **error);

#endif
