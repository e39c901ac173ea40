/* SPDX-License-Identifier: MIT */
/* A file being written: it lies beside its place under a temporary name until it is complete. */
#ifndef IDX_OUT_H
#define IDX_OUT_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

struct idx_out;

/* Begin the file that will become PATH.  Its folder must exist.  Removes temporary files that dead builds of
 * PATH by this user left.  NULL with BASE_ERROR_IO, also if a file of another user is in the place. */
struct idx_out *idx_out_new(const char *path, GError **error);

/* Append SIZE bytes.  Returns their offset.  After a failed write it does nothing; idx_out_error() and
 * idx_out_publish() report that. */
uint64_t idx_out_append(struct idx_out *o, const void *data, size_t size);

/* Bytes appended so far, plus those of the header. */
uint64_t idx_out_size(const struct idx_out *o);

/* Write all appended bytes to the file, so that others can read them.  O has no thread after it.  Failures:
 * idx_out_error(). */
void idx_out_flush(struct idx_out *o);
/* For the child of a fork(), right after idx_out_flush(): it appends to a file of its own, which will become
 * PATH in the folder of the parent's file.  The parent's file is untouched.  False with BASE_ERROR_IO. */
bool idx_out_branch(struct idx_out *o, const char *path, GError **error);
/* Bytes in the file before those of the index, and the offset in the index of the first of these.  Both are 0
 * unless O is a branch. */
uint64_t idx_out_lead(const struct idx_out *o);
uint64_t idx_out_from(const struct idx_out *o);
/* The file will become PATH instead, in the same folder. */
void idx_out_rename(struct idx_out *o, const char *path);

/* The first failed write, or NULL.  Owned by O. */
const GError *idx_out_error(const struct idx_out *o);
/* Note that a write failed with errno ERROR_NUMBER.  Only the first note is kept. */
void idx_out_fail(struct idx_out *o, int error_number);

/* Returns a new unnamed file in the folder of O; the caller closes. -1, with the failure noted, if it cannot
 * be created. */
int idx_out_scratch(struct idx_out *o);
/* Read SIZE bytes at AT of FD.  False with errno, also if the file is shorter. */
bool idx_out_read(int fd, uint8_t *to, size_t size, uint64_t at);

/* Write HEADER to the start of the file, sync it and rename it into place.  False with BASE_ERROR_IO; then
 * the temporary file is removed. */
bool idx_out_publish(struct idx_out *o, const void *header, size_t header_size, GError **error);

/* Free O, and remove the file unless it was published. */
void idx_out_free(struct idx_out *o);

#endif
