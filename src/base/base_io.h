/* SPDX-License-Identifier: MIT */
/*
 * System calls on files: a signal (EINTR) never makes one fail, and a failure (-1 with errno) is never the
 * end of the data.
 */
#ifndef BASE_IO_H
#define BASE_IO_H

#include <errno.h>
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* What CALL returns, which is made again as long as it fails with EINTR.  (Not for close(): Linux has closed
 * the descriptor even then.) */
#define BASE_IO_AGAIN(call)                                       \
	__extension__({                                           \
		__typeof__(call) base_io_result;                  \
		do {                                              \
			base_io_result = (call);                  \
		} while (base_io_result == -1 && errno == EINTR); \
		base_io_result;                                   \
	})

/* Open PATH with FLAGS and O_CLOEXEC to read it.  Returns the descriptor, -1 with errno. */
int base_io_open(const char *path, int flags);

/* Read SIZE bytes at OFFSET of FD into TO.  Returns how many there are, fewer than SIZE only where the file
 * ends; -1 with errno. */
ssize_t base_io_read(int fd, void *to, size_t size, uint64_t offset);

/* Write SIZE bytes at OFFSET of FD; false with errno. */
bool base_io_write(int fd, const void *data, size_t size, uint64_t offset);

/*
 * The first bytes of the regular file PATH, up to SIZE, into TO: returns how many, 0 where there is no
 * regular file of that name; -1 with errno where that cannot be told.
 */
ssize_t base_io_begin(const char *path, void *to, size_t size);

/* The names in FOLDER (of char *), without "." and "..", for the caller to unref; NULL with errno when not
 * all can be read. */
GPtrArray *base_io_names(const char *folder);

#endif
