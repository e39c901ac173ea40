/* SPDX-License-Identifier: MIT */
/*
 * How it works: all compressed records hold one stream, in the order of the file.  A record may begin in one
 * and end in the next; others that are not compressed (FINISHED_ROUND) may stand between the two.
 */
#include "trace/perf/trc_perf_unpack.h"

#include "base/base_error.h"
#include "base/base_scratch.h"
#include "trace/perf/trc_perf_record.h"
#include "trace/tracefs/trc_unpack.h"

#include <errno.h>
#include <unistd.h>

#define RATIO_MAX 200 /* times as many bytes as there were; perf's own are some 10 */
#define SURELY (64 * 1024 * 1024)

struct unpacking {
	int fd;
	struct trc_unpack_stream *stream;
	GByteArray *pending;    /* unpacked, not written: less than a record, after each step */
	uint64_t written, most; /* bytes */
	bool big;
	int saved_errno; /* of writing; 0: none failed */
};

static bool put(struct unpacking *u, const uint8_t *data, uint64_t size)
{
	while (size > 0) {
		ssize_t n = write(u->fd, data, size);

		if (n < 0 && errno != EINTR) {
			u->saved_errno = errno;
			return false;
		}
		data += MAX(n, 0);
		size -= (uint64_t)MAX(n, 0);
		u->written += (uint64_t)MAX(n, 0);
	}
	return u->written <= u->most;
}

/* Write the whole records that are pending. */
static bool put_records(struct unpacking *u)
{
	struct trc_bytes b = { .data = u->pending->data, .size = u->pending->len, .big = u->big };
	struct trc_perf_record r;
	uint64_t at = 0;

	while (trc_perf_record_next(&b, &at, b.size, &r))
		;
	if (!put(u, b.data, at))
		return false;
	g_byte_array_remove_range(u->pending, 0, (guint)at);
	return u->pending->len <= UINT16_MAX;
}

static bool unpack_record(struct unpacking *u, struct trc_perf_record *r)
{
	uint64_t size = r->data.size - TRC_PERF_HEAD, got = 1;
	const uint8_t *from;

	if (r->type == TRC_PERF_COMPRESSED2)
		size = trc_bytes_take_number(&r->data, 8);
	from = trc_bytes_take(&r->data, size);
	while (from && (size > 0 || got > 0)) {
		guint before = u->pending->len;
		bool fine;

		g_byte_array_set_size(u->pending, before + TRC_UNPACK_ROOM);
		fine = trc_unpack_stream_step(u->stream, &from, &size, u->pending->data + before,
			TRC_UNPACK_ROOM, &got);
		g_byte_array_set_size(u->pending, before + (guint)got);
		if (!fine || !put_records(u))
			return false;
	}
	return from;
}

/* False: it ends before all is unpacked. */
static bool unpack_all(struct unpacking *u, const struct trc_bytes *b, uint64_t begin, uint64_t end)
{
	struct trc_perf_record r;
	uint64_t at = begin, before = begin;
	bool fine = true;

	while (fine && trc_perf_record_next(b, &at, end, &r)) {
		if (r.type == TRC_PERF_COMPRESSED || r.type == TRC_PERF_COMPRESSED2)
			fine = unpack_record(u, &r);
		else
			fine = put(u, b->data + before, at - before);
		before = at;
	}
	return fine && at == end && u->pending->len == 0;
}

GMappedFile *trc_perf_unpack(const struct trc_bytes *b, uint64_t begin, uint64_t end, bool *cut,
	GError **error)
{
	g_autofree char *prefix = g_build_filename(g_get_tmp_dir(), "wakepath-", NULL), *path = NULL;
	struct unpacking u = { .fd = base_scratch_file(prefix, 0600, &path), .big = b->big };
	GMappedFile *file = NULL;

	if (u.fd < 0) {
		base_error_set_errno(error, errno, "the trace is compressed: cannot unpack it to", path);
		return NULL;
	}
	base_scratch_unlink(path);
	u.most = (end - begin) * RATIO_MAX + SURELY;
	u.stream = trc_unpack_stream_new();
	u.pending = g_byte_array_new();
	*cut |= !unpack_all(&u, b, begin, end);
	trc_unpack_stream_free(u.stream);
	g_byte_array_unref(u.pending);
	if (u.saved_errno)
		base_error_set_errno(error, u.saved_errno, "the trace is compressed: cannot unpack it to",
			path);
	else
		file = g_mapped_file_new_from_fd(u.fd, FALSE, error);
	close(u.fd);
	return file;
}
