/* SPDX-License-Identifier: MIT */
/*
 * How it works: the compressed records of a file contain one compressed stream, in the order of the file. An
 * unpacked record may begin in one of them and end in the next. Uncompressed records (FINISHED_ROUND) may lie
 * between the two.
 *
 * The file is mapped with its largest possible size and grows within that. So unpacked bytes keep their
 * address.
 */
#include "trace/perf/trc_perf_head.h"

#include "base/base_error.h"
#include "base/base_io.h"
#include "base/base_scratch.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

struct trc_perf_unpack {
	const GArray *parts;       /* weak */
	struct trc_budget *budget; /* weak */
	guint part;                /* the current part … */
	uint64_t at;               /* … and its next byte */
	uint64_t done, all;        /* bytes of the parts before; of all parts */
	int fd;
	char *path;    /* owned: of FD, for errors */
	uint8_t *data; /* mapping of FD, MOST bytes, of which WRITTEN exist */
	uint64_t written, most;
	struct trc_unpack_stream *stream; /* owned */
	GByteArray *pending;              /* owned: unpacked, not written; after a step less than a record */
	bool ended, damaged, cut;
	int saved_errno; /* of a failed write; 0: none failed */
};

static const struct trc_perf_part *perf_unpack_part_at(const struct trc_perf_unpack *u, guint i)
{
	return &g_array_index(u->parts, struct trc_perf_part, i);
}

static bool perf_unpack_put(struct trc_perf_unpack *u, const uint8_t *data, uint64_t size)
{
	if (!trc_budget_spend(u->budget, size, "its records unpack to more than its size has room for"))
		return false;
	if (!base_io_write(u->fd, data, size, u->written)) {
		u->saved_errno = errno;
		return false;
	}
	u->written += size;
	return true;
}

/* Write the complete records in PENDING. */
static bool put_records(struct trc_perf_unpack *u)
{
	struct trc_bytes b = { .data = u->pending->data,
		.size = u->pending->len,
		.big = perf_unpack_part_at(u, u->part)->bytes.big };
	struct trc_perf_record r;
	uint64_t at = 0;

	while (trc_perf_record_next(&b, &at, b.size, &r))
		;
	if (!perf_unpack_put(u, b.data, at))
		return false;
	g_byte_array_remove_range(u->pending, 0, (guint)at);
	return u->pending->len <= UINT16_MAX;
}

static bool unpack_record(struct trc_perf_unpack *u, struct trc_perf_record *r)
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

/* Continue with the next part. False if there is none. */
static bool next_part(struct trc_perf_unpack *u)
{
	const struct trc_perf_part *p = perf_unpack_part_at(u, u->part);

	u->cut |= u->damaged || u->at != p->end || u->pending->len > 0;
	if (u->saved_errno || u->budget->refused || u->part + 1 == u->parts->len)
		return false;
	u->done += p->end - p->begin;
	u->at = perf_unpack_part_at(u, ++u->part)->begin;
	u->damaged = false;
	g_byte_array_set_size(u->pending, 0);
	trc_unpack_stream_free(u->stream);
	u->stream = trc_unpack_stream_new();
	return true;
}

/* Unpack the next record of the part. False at its end, or on damage. */
static bool perf_unpack_step(struct trc_perf_unpack *u)
{
	const struct trc_perf_part *p = perf_unpack_part_at(u, u->part);
	struct trc_perf_record r;
	uint64_t before = u->at;

	if (!trc_perf_record_next(&p->bytes, &u->at, p->end, &r))
		return false;
	if (r.type == TRC_PERF_COMPRESSED || r.type == TRC_PERF_COMPRESSED2)
		u->damaged = !unpack_record(u, &r);
	else
		u->damaged = !perf_unpack_put(u, p->bytes.data + before, u->at - before);
	return !u->damaged;
}

static void set_error(const struct trc_perf_unpack *u, GError **error)
{
	base_error_set_errno(error, u->saved_errno, "the trace is compressed: cannot unpack it to", u->path);
}

struct trc_perf_unpack *trc_perf_unpack_new(const GArray *parts, struct trc_budget *budget, GError **error)
{
	g_autofree char *prefix = g_build_filename(g_get_tmp_dir(), "wakepath-", NULL);
	struct trc_perf_unpack *u = g_new0(struct trc_perf_unpack, 1);

	u->parts = parts;
	u->budget = budget;
	u->most = budget->left;
	u->at = perf_unpack_part_at(u, 0)->begin;
	for (guint i = 0; i < parts->len; i++)
		u->all += perf_unpack_part_at(u, i)->end - perf_unpack_part_at(u, i)->begin;
	u->stream = trc_unpack_stream_new();
	u->pending = g_byte_array_new();
	u->data = MAP_FAILED;
	u->fd = base_scratch_file(prefix, 0600, &u->path);
	if (u->fd >= 0) {
		base_scratch_unlink(u->path);
		u->data = mmap(NULL, u->most, PROT_READ, MAP_SHARED, u->fd, 0);
	}
	if (u->data != MAP_FAILED)
		return u;
	u->saved_errno = errno;
	set_error(u, error);
	trc_perf_unpack_free(u);
	return NULL;
}

void trc_perf_unpack_free(struct trc_perf_unpack *u)
{
	if (!u)
		return;
	if (u->data != MAP_FAILED)
		munmap(u->data, u->most);
	if (u->fd >= 0)
		close(u->fd);
	trc_unpack_stream_free(u->stream);
	g_byte_array_unref(u->pending);
	g_free(u->path);
	g_free(u);
}

bool trc_perf_unpack_to(struct trc_perf_unpack *u, uint64_t to, GError **error)
{
	while (u->written < to && !u->ended)
		u->ended = !perf_unpack_step(u) && !next_part(u);
	if (u->saved_errno)
		set_error(u, error);
	return !u->saved_errno;
}

const uint8_t *trc_perf_unpack_bytes(const struct trc_perf_unpack *u, uint64_t *size)
{
	*size = u->written;
	return u->data;
}

int trc_perf_unpack_fd(const struct trc_perf_unpack *u)
{
	return u->fd;
}

double trc_perf_unpack_share(const struct trc_perf_unpack *u)
{
	return u->ended ? 1
			: (double)(u->done + u->at - perf_unpack_part_at(u, u->part)->begin) / (double)u->all;
}

bool trc_perf_unpack_is_all(const struct trc_perf_unpack *u, bool *cut)
{
	*cut = u->cut;
	return u->ended;
}
