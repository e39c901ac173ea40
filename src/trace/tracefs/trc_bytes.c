/* SPDX-License-Identifier: MIT */
#include "trace/tracefs/trc_bytes.h"

#include "base/base_search.h"

#include <zlib.h>
#include <zstd.h>

#define UNPACK_ROOM ((uint64_t)TRC_UNPACK_ROOM) /* bytes of a step */

/* ---- places ---- */

struct trc_places trc_places_new(uint64_t size)
{
	return (struct trc_places){ g_array_new(FALSE, FALSE, sizeof(struct trc_place)), size };
}

void trc_places_free(struct trc_places *places)
{
	g_clear_pointer(&places->all, g_array_unref);
}

static bool places_refuse(struct trc_budget *b)
{
	return trc_budget_spend(b, UINT64_MAX, "parts of it overlap");
}

bool trc_places_add(struct trc_places *places, uint64_t offset, uint64_t size, struct trc_budget *b)
{
	struct trc_place place = { offset, size };

	if (size > places->left)
		return places_refuse(b);
	if (!trc_budget_spend(b, sizeof place * 2, "it has too many parts for its size"))
		return false;
	places->left -= size;
	if (size > 0)
		g_array_append_val(places->all, place);
	return true;
}

static int by_offset(const void *a, const void *b)
{
	const struct trc_place *x = a, *y = b;

	return BASE_BY(x, y, offset);
}

void trc_places_check(struct trc_places *places, struct trc_budget *b)
{
	g_array_sort(places->all, by_offset);
	for (guint i = 1; i < places->all->len; i++) {
		const struct trc_place *p = &g_array_index(places->all, struct trc_place, i - 1);

		if (p[1].offset - p[0].offset < p[0].size)
			places_refuse(b);
	}
}

/* ---- decompression ---- */

enum trc_unpack_kind trc_unpack_kind_of(const char *name)
{
	if (g_str_equal(name, "none"))
		return TRC_UNPACK_PLAIN;
	if (g_str_equal(name, "zstd"))
		return TRC_UNPACK_ZSTD;
	return g_str_equal(name, "zlib") ? TRC_UNPACK_ZLIB : TRC_UNPACK_OTHER;
}

bool trc_unpack(enum trc_unpack_kind packing, const uint8_t *from, uint64_t size, uint8_t *to, uint64_t room)
{
	uLongf got = room;

	if (packing == TRC_UNPACK_ZSTD)
		return ZSTD_decompress(to, room, from, size) == room;
	return packing == TRC_UNPACK_ZLIB && uncompress(to, &got, from, size) == Z_OK && got == room;
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

/* A step of trc_unpack_all(), into the ROOM bytes at TO. *OVER: the stream ends. False if it is damaged. */
static bool unpack_zlib(z_stream *z, uint8_t *to, uInt room, uInt *got, bool *over)
{
	int result;

	z->next_out = to;
	z->avail_out = room;
	result = inflate(z, Z_NO_FLUSH);
	*got = room - z->avail_out;
	*over = result == Z_STREAM_END;
	return *over || (result == Z_OK && (*got > 0 || z->avail_in > 0));
}

static bool unpack_zstd(struct trc_unpack_stream *s, const uint8_t **from, uint64_t *size, uint8_t *to,
	uInt room, uInt *got, bool *over)
{
	uint64_t n;
	bool fine = trc_unpack_stream_step(s, from, size, to, room, &n);

	*got = (uInt)n;
	*over = fine && *size == 0 && n < room;
	return fine;
}

bool trc_unpack_all(enum trc_unpack_kind packing, const uint8_t *from, uint64_t size, GByteArray *to,
	uint64_t most)
{
	z_stream z = { .next_in = (Bytef *)(uintptr_t)from, .avail_in = (uInt)MIN(size, UINT32_MAX) };
	struct trc_unpack_stream *s = NULL;
	guint begin = to->len;
	bool over = false,
	     fine = packing == TRC_UNPACK_ZLIB ? inflateInit(&z) == Z_OK : packing == TRC_UNPACK_ZSTD;

	if (fine && packing == TRC_UNPACK_ZSTD)
		s = trc_unpack_stream_new();
	while (fine && !over && to->len - begin <= most) {
		guint had = to->len;
		uInt room = (uInt)MIN(UNPACK_ROOM, most + 1 - (had - begin)), got = 0;

		g_byte_array_set_size(to, had + room);
		fine = s ? unpack_zstd(s, &from, &size, to->data + had, room, &got, &over)
			 : unpack_zlib(&z, to->data + had, room, &got, &over);
		g_byte_array_set_size(to, had + got);
		fine &= over || got > 0;
	}
	if (s)
		trc_unpack_stream_free(s);
	else if (packing == TRC_UNPACK_ZLIB)
		inflateEnd(&z);
	return fine && over && to->len - begin <= most;
}
