/* SPDX-License-Identifier: MIT */
#include "trace/ftrace/trc_ftrace_unpack.h"

#include <gio/gio.h>
#include <zstd.h>

enum trc_ftrace_packing trc_ftrace_packing_of(const char *name)
{
	if (g_str_equal(name, "none"))
		return TRC_FTRACE_PLAIN;
	if (g_str_equal(name, "zstd"))
		return TRC_FTRACE_ZSTD;
	return g_str_equal(name, "zlib") ? TRC_FTRACE_ZLIB : TRC_FTRACE_OTHER;
}

static bool unpack_zlib(const uint8_t *from, uint64_t size, uint8_t *to, uint64_t room)
{
	GConverter *converter = G_CONVERTER(g_zlib_decompressor_new(G_ZLIB_COMPRESSOR_FORMAT_ZLIB));
	gsize read = 0, written = 0, all = 0;
	GConverterResult result = G_CONVERTER_CONVERTED;

	while (result == G_CONVERTER_CONVERTED && all <= room) {
		result = g_converter_convert(converter, from, size, to + all, room - all,
			G_CONVERTER_INPUT_AT_END, &read, &written, NULL);
		from += read;
		size -= read;
		all += written;
	}
	g_object_unref(converter);
	return result == G_CONVERTER_FINISHED && all == room;
}

bool trc_ftrace_unpack(enum trc_ftrace_packing packing, const uint8_t *from, uint64_t size, uint8_t *to,
	uint64_t room)
{
	if (packing == TRC_FTRACE_ZSTD)
		return ZSTD_decompress(to, room, from, size) == room;
	return packing == TRC_FTRACE_ZLIB && unpack_zlib(from, size, to, room);
}
