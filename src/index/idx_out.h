/* SPDX-License-Identifier: MIT */
/* The file an index is written to: beside its place, under a temporary name, until it is whole. */
#ifndef IDX_OUT_H
#define IDX_OUT_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

struct idx_out;

/*
 * Begin the file that will become PATH.  Its folder must exist.  Removes
 * leftovers of this user's builds of PATH that died.  NULL with BASE_ERROR_IO, also when somebody else's file
 * stands there.
 */
struct idx_out *idx_out_new(const char *path, GError **error);

/*
 * Append SIZE bytes; returns their offset.  After a failure to write it does
 * nothing more; idx_out_publish() and idx_out_error() tell.
 */
uint64_t idx_out_append(struct idx_out *o, const void *data, size_t size);

/* Bytes appended so far, the header's place included. */
uint64_t idx_out_size(const struct idx_out *o);

/* Write what was appended to the file, for others to read; idx_out_error() tells of failures.  O has no
 * thread then. */
void idx_out_flush(struct idx_out *o);
/*
 * For a process that goes its own way from here on (fork()), right after idx_out_flush(): what it appends
 * goes to a file of its own, which will become PATH in the folder of the other, and the other file stays as
 * it is.  False with BASE_ERROR_IO.
 */
bool idx_out_branch(struct idx_out *o, const char *path, GError **error);
/* Bytes in the file before those of the index, and which of these comes first; both 0 but in a branch. */
uint64_t idx_out_lead(const struct idx_out *o);
uint64_t idx_out_from(const struct idx_out *o);
/* The file will become PATH, in the same folder. */
void idx_out_rename(struct idx_out *o, const char *path);

/* The first failure to write, or NULL.  Owned by O. */
const GError *idx_out_error(const struct idx_out *o);
/* Note that writing failed with errno ERROR_NUMBER; the first note stays. */
void idx_out_fail(struct idx_out *o, int error_number);

/* A new file without name in the folder of O; the caller closes.  -1, and the failure noted, when there is
 * none to be had. */
int idx_out_scratch(struct idx_out *o);
/* Write SIZE bytes at offset AT of FD; false with errno. */
bool idx_out_write(int fd, const uint8_t *data, size_t size, uint64_t at);
/* Read them; false with errno, also where the file is shorter. */
bool idx_out_read(int fd, uint8_t *to, size_t size, uint64_t at);

/*
 * Write HEADER to the start of the file, sync it and rename it into place.
 * False with BASE_ERROR_IO; the temporary file is gone then.
 */
bool idx_out_publish(struct idx_out *o, const void *header, size_t header_size, GError **error);

/* Ends; what was not published is removed. */
void idx_out_free(struct idx_out *o);

#endif
