/* SPDX-License-Identifier: MIT */
/* System calls on files. They are repeated after a signal (EINTR), and a failure (-1 with errno) differs from
 * the end of the data. */
#ifndef BASE_IO_H
#define BASE_IO_H

#include <errno.h>
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Repeat CALL while it fails with EINTR, and return its result.  Not for close(): Linux has closed the
 * descriptor even then. */
#define BASE_IO_AGAIN(call)                                       \
	__extension__({                                           \
		__typeof__(call) base_io_result;                  \
		do {                                              \
			base_io_result = (call);                  \
		} while (base_io_result == -1 && errno == EINTR); \
		base_io_result;                                   \
	})

/* Open PATH for reading with FLAGS and O_CLOEXEC.  Returns the descriptor; -1 with errno. */
int base_io_open(const char *path, int flags);

/* Read SIZE bytes at OFFSET of FD into TO.  Returns the number of bytes, less than SIZE only at the
 * end of the file; -1 with errno. */
ssize_t base_io_read(int fd, void *to, size_t size, uint64_t offset);

/* Write SIZE bytes at OFFSET of FD.  False with errno. */
bool base_io_write(int fd, const void *data, size_t size, uint64_t offset);
/* Write SIZE bytes at the current offset of FD, which may be a pipe or a terminal. False with errno: EINTR if
 * a signal came and STOP (may be NULL) then returned something other than 0. */
bool base_io_put(int fd, const void *data, size_t size, int (*stop)(void));

/* Read the first bytes of the regular file PATH, up to SIZE, into TO. Returns their number; 0 if there is no
 * regular file of that name; -1 with errno if that is unknown. */
ssize_t base_io_begin(const char *path, void *to, size_t size);

/* Return the names in FOLDER (of char *), without "." and "..".  The caller unrefs.  NULL with errno if not
 * all can be read. */
GPtrArray *base_io_names(const char *folder);

#endif
