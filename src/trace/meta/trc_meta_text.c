/* SPDX-License-Identifier: MIT */
#include "trace/meta/trc_meta.h"

#include "base/base_error.h"

#include <string.h>

/*
 * How it works: a metadata file is plain text (TSDL or JSON), or this text in packets. A packet has a header
 * of 37 bytes (magic, uuid, checksum, sizes of content and packet in bits, five single bytes), text, and
 * padding.
 */

#define MAGIC 0x75d11d57u
#define HEADER_BYTES 37
#define CONTENT_SIZE_AT 24 /* after magic, uuid and checksum */
#define PACKET_SIZE_AT 28

static uint32_t read_u32(const uint8_t *p, bool big_endian)
{
	uint32_t value;

	memcpy(&value, p, sizeof(value));
	return big_endian ? GUINT32_FROM_BE(value) : GUINT32_FROM_LE(value);
}

/* Append the text of the packet at P; LEFT bytes remain. Returns the packet's size; 0 with an error. */
static size_t meta_add_packet(GString *text, const uint8_t *p, size_t left, bool big_endian, GError **error)
{
	size_t content, packet;

	if (left < HEADER_BYTES || read_u32(p, big_endian) != MAGIC) {
		g_set_error(error, BASE_ERROR, BASE_ERROR_DATA,
			"metadata: it ends within a packet, or a packet is "
			"damaged; copy the trace again");
		return 0;
	}
	content = read_u32(p + CONTENT_SIZE_AT, big_endian) / 8;
	packet = read_u32(p + PACKET_SIZE_AT, big_endian) / 8;
	if (content < HEADER_BYTES || packet < content || packet > left || p[32] || p[33]) {
		g_set_error(error, BASE_ERROR, BASE_ERROR_DATA,
			"metadata: it is cut short or damaged (a packet of "
			"%zu bytes where %zu are left); copy the trace again",
			packet, left);
		return 0;
	}
	g_string_append_len(text, (const char *)p + HEADER_BYTES, (gssize)(content - HEADER_BYTES));
	return packet;
}

GString *trc_meta_text(const void *data, size_t size, GError **error)
{
	GString *text = g_string_sized_new(size + 1); /* once, because each growth copies it */
	const uint8_t *p = data;
	bool big_endian;

	if (size < 4 || (read_u32(p, false) != MAGIC && read_u32(p, true) != MAGIC))
		return g_string_append_len(text, data, (gssize)size);
	big_endian = read_u32(p, true) == MAGIC;
	while (size) {
		size_t used = meta_add_packet(text, p, size, big_endian, error);

		if (!used) {
			g_string_free(text, TRUE);
			return NULL;
		}
		p += used;
		size -= used;
	}
	return text;
}
