/* SPDX-License-Identifier: MIT */
#include "trace/tracefs/trc_bytes.h"

#include <zlib.h>
#include <zstd.h>

enum trc_unpack_kind trc_unpack_kind_of(const char *name)
{
	if (g_str_equal(name, "none"))
		return TRC_UNPACK_PLAIN;
	if (g_str_equal(name, "zstd"))
		return TRC_UNPACK_ZSTD;
	return g_str_equal(name, "zlib") ? TRC_UNPACK_ZLIB : TRC_UNPACK_OTHER;
}

static bool unpack_zlib(const uint8_t *from, uint64_t size, uint8_t *to, uint64_t room)
{
	uLongf got = room;

	return uncompress(to, &got, from, size) == Z_OK && got == room;
}

bool trc_unpack(enum trc_unpack_kind packing, const uint8_t *from, uint64_t size, uint8_t *to, uint64_t room)
{
	if (packing == TRC_UNPACK_ZSTD)
		return ZSTD_decompress(to, room, from, size) == room;
	return packing == TRC_UNPACK_ZLIB && unpack_zlib(from, size, to, room);
}

struct trc_unpack_stream {
	ZSTD_DStream *z;
};

struct trc_unpack_stream *trc_unpack_stream_new(void)
{
	struct trc_unpack_stream *s = g_new(struct trc_unpack_stream, 1);

	s->z = ZSTD_createDStream();
	ZSTD_initDStream(s->z);
	return s;
}

void trc_unpack_stream_free(struct trc_unpack_stream *s)
{
	ZSTD_freeDStream(s->z);
	g_free(s);
}

bool trc_unpack_stream_step(struct trc_unpack_stream *s, const uint8_t **from, uint64_t *size, uint8_t *to,
	uint64_t room, uint64_t *got)
{
	ZSTD_inBuffer in = { *from, *size, 0 };
	ZSTD_outBuffer out = { to, room, 0 };
	bool fine = !ZSTD_isError(ZSTD_decompressStream(s->z, &out, &in));

	*from += in.pos;
	*size -= in.pos;
	*got = out.pos;
	return fine;
}
