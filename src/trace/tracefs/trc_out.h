/* SPDX-License-Identifier: MIT */
/* A file of numbers and bytes that is written from front to back, and appears when it is complete
 * (base_out.h). */
#ifndef TRC_OUT_H
#define TRC_OUT_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

struct trc_out {
	const char *path; /* weak: the name that it will get */
	int fd;
	GByteArray *bytes; /* owned: not written yet */
	uint64_t size;     /* bytes written, and in BYTES */
	bool big;          /* numbers are big-endian */
};

/* Begin the file PATH.  False with BASE_ERROR_IO.  trc_out_close() is needed in both cases. */
bool trc_out_open(struct trc_out *o, const char *path, bool big, GError **error);
/* Close the file; without trc_out_publish() nothing remains of it. */
void trc_out_close(struct trc_out *o);

/* Append SIZE bytes. */
void trc_out_put(struct trc_out *o, const void *bytes, uint64_t size);
/* Append NUMBER in SIZE bytes (at most 8). */
void trc_out_number(struct trc_out *o, uint64_t number, unsigned size);
/* Write the appended bytes if they are many, so that memory stays bounded. False with BASE_ERROR_IO. */
bool trc_out_step(struct trc_out *o, GError **error);
/* Replace the COUNT numbers of 8 bytes from the byte AT on.  False with BASE_ERROR_IO. */
bool trc_out_replace(struct trc_out *o, uint64_t at, const uint64_t *numbers, unsigned count, GError **error);
/* Write the rest, and give the file its name, which must be new.  False with BASE_ERROR_IO. */
bool trc_out_publish(struct trc_out *o, GError **error);

#endif
