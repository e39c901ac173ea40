/* SPDX-License-Identifier: MIT */
/* Compressed parts of files. */
#ifndef TRC_UNPACK_H
#define TRC_UNPACK_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

enum trc_unpack_kind { TRC_UNPACK_PLAIN, TRC_UNPACK_ZSTD, TRC_UNPACK_ZLIB, TRC_UNPACK_OTHER };

/* Of NAME, as the file has it: "none", "zstd", "zlib". */
enum trc_unpack_kind trc_unpack_kind_of(const char *name);
/* What the SIZE bytes at FROM hold, exactly ROOM bytes, into TO; false: they do not. */
bool trc_unpack(enum trc_unpack_kind packing, const uint8_t *from, uint64_t size, uint8_t *to, uint64_t room);

/* A stream of zstd that comes piece by piece. */
struct trc_unpack_stream;
struct trc_unpack_stream *trc_unpack_stream_new(void);
void trc_unpack_stream_free(struct trc_unpack_stream *s);
#define TRC_UNPACK_ROOM (128 * 1024) /* bytes that a step needs room for */
/*
 * Unpack of the *SIZE bytes at *FROM, which go on, as much as there is room for at TO, ROOM bytes, into *GOT.
 * All is done once nothing is left and nothing comes any more.  False: it is damaged.
 */
bool trc_unpack_stream_step(struct trc_unpack_stream *s, const uint8_t **from, uint64_t *size, uint8_t *to,
	uint64_t room, uint64_t *got);

#endif
