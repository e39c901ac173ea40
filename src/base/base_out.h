/* SPDX-License-Identifier: MIT */
/*
 * Output files that become visible only when they are complete.  Until then they have no name, so nothing
 * remains however the program ends, and another user who owns the folder cannot touch them.  They may be
 * written as root, so no name in that folder is ever opened (base_place.h). */
#ifndef BASE_OUT_H
#define BASE_OUT_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Create a file without a name in the folder of PATH, open for reading and writing, mode 0600.  Returns the
 * descriptor, or -1 with BASE_ERROR_IO. */
int base_out_new(const char *path, GError **error);
/* Write SIZE bytes at the current offset of FD.  False with BASE_ERROR_IO, which names PATH. */
bool base_out_write(int fd, const void *bytes, size_t size, const char *path, GError **error);
/* Move SIZE bytes from OFFSET (bytes) of FROM to the current offset of TO.  Frees the space in FROM on the
 * way if the file system can.  False with BASE_ERROR_IO, which names PATH. */
bool base_out_move(int to, int from, uint64_t offset, uint64_t size, const char *path, GError **error);
/* Give FD the name PATH, which must not exist unless REPLACE, and, under sudo, the user who called it as
 * owner.  False with BASE_ERROR_IO. */
bool base_out_publish(int fd, const char *path, bool replace, GError **error);

#endif
