/* SPDX-License-Identifier: MIT */
/* Decompression of parts of files. */
#ifndef TRC_UNPACK_H
#define TRC_UNPACK_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

enum trc_unpack_kind { TRC_UNPACK_PLAIN, TRC_UNPACK_ZSTD, TRC_UNPACK_ZLIB, TRC_UNPACK_OTHER };

/* Return the kind of the compression NAME, as files call it: "none", "zstd", "zlib". */
enum trc_unpack_kind trc_unpack_kind_of(const char *name);
/* Decompress the SIZE bytes at FROM into TO.  False if they do not give exactly ROOM bytes. */
bool trc_unpack(enum trc_unpack_kind packing, const uint8_t *from, uint64_t size, uint8_t *to, uint64_t room);

/* A zstd stream that arrives in parts. */
struct trc_unpack_stream;
struct trc_unpack_stream *trc_unpack_stream_new(void);
void trc_unpack_stream_free(struct trc_unpack_stream *s);
#define TRC_UNPACK_ROOM (128 * 1024) /* least bytes of room for a step */
/* Decompress from the *SIZE bytes at *FROM, and advance both, into the ROOM bytes at TO; *GOT is the number
 * of bytes written.  The stream is complete once no input is left and *GOT is 0.  False if it is damaged. */
bool trc_unpack_stream_step(struct trc_unpack_stream *s, const uint8_t **from, uint64_t *size, uint8_t *to,
	uint64_t room, uint64_t *got);

#endif
