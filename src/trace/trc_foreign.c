/* SPDX-License-Identifier: MIT */
#include "trace/trc_foreign.h"

#include "base/base_io.h"

#include <glib.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#define BEGIN_BYTES 4096 /* of a file that are looked at */

/* How packed files begin: gzip, bzip2, xz, zstd, zip, and tar behind the name of its first file. */
static bool is_packed(const char *bytes, size_t size)
{
	static const struct {
		size_t at, size;
		const char *bytes;
	} begins[] = {
		{ 0, 2, "\x1f\x8b" },
		{ 0, 3, "BZh" },
		{ 0, 5, "\3757zXZ" },
		{ 0, 4, "\x28\xb5\x2f\xfd" },
		{ 0, 4, "PK\3\4" },
		{ 257, 5, "ustar" },
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(begins); i++)
		if (begins[i].at + begins[i].size <= size &&
			!memcmp(bytes + begins[i].at, begins[i].bytes, begins[i].size))
			return true;
	return false;
}

/* True if BYTES are text, in any encoding that contains ASCII. */
static bool foreign_is_text(const char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (g_ascii_iscntrl(bytes[i]) && !g_ascii_isspace(bytes[i]) && bytes[i] != '\x1b' &&
			bytes[i] != '\b')
			return false;
	return size > 0;
}

static bool begins(const char *bytes, size_t size, const char *with)
{
	return size >= strlen(with) && !memcmp(bytes, with, strlen(with));
}

/* ---- Perfetto ---- */

/* The fields of a TracePacket (protos/perfetto/trace/trace_packet.proto) by which it is known. */
enum { PACKET = 1, TRUSTED_UID = 3, TIMESTAMP = 8, SEQUENCE_ID = 10 };

/* Take a varint at *AT; false if there is none, or not all of it. */
static bool take_varint(const char *bytes, size_t size, size_t *at, uint64_t *value)
{
	*value = 0;
	for (unsigned shift = 0; shift < 64 && *at < size; shift += 7) {
		uint8_t byte = (uint8_t)bytes[(*at)++];

		*value |= (uint64_t)(byte & 127) << shift;
		if (!(byte & 128))
			return true;
	}
	return false;
}

/* Pass over a field of TYPE at *AT; false if it is none of Protocol Buffers. */
static bool skip_field(const char *bytes, size_t size, size_t *at, unsigned type)
{
	uint64_t value;

	switch (type) {
	case 0: return take_varint(bytes, size, at, &value);
	case 1: *at += 8; return true;
	case 2:
		if (!take_varint(bytes, size, at, &value) || value > UINT32_MAX)
			return false;
		*at += value;
		return true;
	case 5: *at += 4; return true;
	default: return false;
	}
}

/* True if the fields from AT on are those of a TracePacket that ends at END; only SIZE bytes are there. */
static bool is_trace_packet(const char *bytes, size_t size, size_t at, size_t end)
{
	bool known = false;

	while (at < MIN(end, size)) {
		uint64_t key;

		if (!take_varint(bytes, size, &at, &key) || key >> 3 == 0)
			return at >= size && known;
		known |= (key & 7) == 0 &&
			(key >> 3 == TRUSTED_UID || key >> 3 == TIMESTAMP || key >> 3 == SEQUENCE_ID);
		if (!skip_field(bytes, size, &at, key & 7))
			return at >= size && known;
	}
	return known && (at == end || at >= size);
}

/* A Perfetto trace is TracePackets one behind the other, and nothing else. */
static bool is_perfetto(const char *bytes, size_t size)
{
	size_t at = 0;
	unsigned n;

	for (n = 0; n < 3 && at < size; n++) {
		uint64_t key, length;

		if (!take_varint(bytes, size, &at, &key) || key != (PACKET << 3 | 2) ||
			!take_varint(bytes, size, &at, &length) || length > UINT32_MAX ||
			!is_trace_packet(bytes, size, at, at + length))
			return false;
		at += length;
	}
	return n > 0;
}

/* ---- what it is ---- */

/* What a recording that wakepath does not read is; NULL: BYTES are none. */
static const char *recording_of(const char *bytes, size_t size)
{
	/* Systrace and atrace put a line before what ftrace prints. */
	size_t skip = begins(bytes, size, "TRACE:\n") ? strlen("TRACE:\n") : 0;

	/* Of either byte order: this magic is text (is_perf_magic(), tools/perf/util/header.c). */
	if (begins(bytes, size, "PERFFILE"))
		return "is a perf.data of version 1, as perf of old kernels wrote it (Linux 2.6, 3.0), which "
		       "wakepath does not read: record again with a newer perf";
	if (begins(bytes + skip, size - skip, "# tracer:"))
		return "is text that ftrace printed (/sys/kernel/tracing/trace), which wakepath does not read: "
		       "give the buffers themselves: save them with trace-cmd extract as long as they are "
		       "there, or record again with trace-cmd record";
	if (is_perfetto(bytes, size))
		return "is a Perfetto trace, which wakepath does not read: "
		       "record the same with trace-cmd record, perf record or LTTng";
	return NULL;
}

const char *trc_foreign_what(const char *path)
{
	char bytes[BEGIN_BYTES];
	ssize_t size = base_io_begin(path, bytes, sizeof bytes);
	const char *what = size > 0 ? recording_of(bytes, (size_t)size) : NULL;

	if (what)
		return what;
	if (size > 0 && is_packed(bytes, (size_t)size))
		return "is packed: unpack it first (tar -xf, zstd -d, gunzip), and give what comes out";
	if (size > 0 && foreign_is_text(bytes, (size_t)size))
		return "is text: give the recording, not a text made from it "
		       "(trace.dat of trace-cmd, perf.data of perf, or the folder that LTTng wrote)";
	return "is no recording that wakepath can read: give a trace.dat, a perf.data, or the folder that LTTng wrote";
}

const char *trc_foreign_recording(const char *path)
{
	char bytes[BEGIN_BYTES];
	struct stat st;
	ssize_t size;

	if (BASE_IO_AGAIN(lstat(path, &st)) != 0 || !S_ISREG(st.st_mode))
		return NULL;
	size = base_io_begin(path, bytes, sizeof bytes);
	return size > 0 ? recording_of(bytes, (size_t)size) : NULL;
}
