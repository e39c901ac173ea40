/* SPDX-License-Identifier: MIT */
#include "trace/tracefs/trc_bytes.h"

#include "base/base_search.h"

#include <zlib.h>
#include <zstd.h>

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
