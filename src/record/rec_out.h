/* SPDX-License-Identifier: MIT */
/*
 * Files that nobody sees before they are whole: they have no name until then, so nothing is left of them
 * whatever ends the program, and another user who owns the folder can do nothing with them.  They are
 * written with root's rights, so no name in that folder is ever opened (base_place.h).
 */
#ifndef REC_OUT_H
#define REC_OUT_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* A new file without a name in the folder of PATH, for reading and writing, of mode 0600; -1 with
 * BASE_ERROR_IO. */
int rec_out_new(const char *path, GError **error);
/* Write SIZE bytes at the place where FD is; false with BASE_ERROR_IO, which names PATH. */
bool rec_out_write(int fd, const void *bytes, size_t size, const char *path, GError **error);
/* Move what FROM holds from byte OFFSET on, SIZE bytes, to the place where TO is.  The room in FROM is given
 * back as it goes, where the file system can.  False with BASE_ERROR_IO, which names PATH. */
bool rec_out_move(int to, int from, uint64_t offset, uint64_t size, const char *path, GError **error);
/* Give FD the name PATH, which must be free unless REPLACE; and to who called sudo.  False with
 * BASE_ERROR_IO. */
bool rec_out_publish(int fd, const char *path, bool replace, GError **error);

#endif
