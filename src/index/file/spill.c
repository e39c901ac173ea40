/* SPDX-License-Identifier: MIT */
/*
 * How it works: one buffer.  When it is full it goes to the file, which is made
 * then and has no name any more, so that nothing of it outlives its writer.
 * Reading first gives what is in the file, through a second buffer, then what is still in the first.
 */
#include "index/file/out.h"

#include "base/base_io.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

struct idx_spill {
	struct idx_out *out;    /* weak */
	int fd;                 /* -1: all is in the buffer */
	uint64_t flushed, read; /* bytes in the file; bytes handed out */
	size_t filled;
	uint8_t *again; /* the second buffer, NULL until needed */
	uint8_t buffer[IDX_SPILL_ROOM];
};

struct idx_spill *idx_spill_new(struct idx_out *out)
{
	struct idx_spill *s = g_new(struct idx_spill, 1);

	s->out = out;
	s->fd = -1;
	s->flushed = s->read = 0;
	s->filled = 0;
	s->again = NULL;
	return s;
}

void idx_spill_free(struct idx_spill *s)
{
	if (!s)
		return;
	if (s->fd >= 0)
		close(s->fd);
	g_free(s->again);
	g_free(s);
}

static void flush(struct idx_spill *s)
{
	if (s->fd < 0)
		s->fd = idx_out_scratch(s->out);
	if (!idx_out_error(s->out) && !base_io_write(s->fd, s->buffer, s->filled, s->flushed))
		idx_out_fail(s->out, errno);
	s->flushed += s->filled;
	s->filled = 0;
}

void idx_spill_add(struct idx_spill *s, const void *data, size_t size)
{
	g_assert(size <= IDX_SPILL_ROOM);
	if (s->filled + size > IDX_SPILL_ROOM)
		flush(s);
	memcpy(s->buffer + s->filled, data, size);
	s->filled += size;
}

uint64_t idx_spill_size(const struct idx_spill *s)
{
	return s->flushed + s->filled;
}

const uint8_t *idx_spill_next(struct idx_spill *s, size_t *size)
{
	bool in_file = s->read < s->flushed;

	*size = in_file ? (size_t)MIN(s->flushed - s->read, IDX_SPILL_ROOM)
			: (size_t)(idx_spill_size(s) - s->read);
	if (idx_out_error(s->out) || *size == 0) {
		s->read = 0;
		return NULL;
	}
	if (in_file && !s->again)
		s->again = g_malloc(IDX_SPILL_ROOM);
	if (in_file && !idx_out_read(s->fd, s->again, *size, s->read)) {
		idx_out_fail(s->out, errno);
		return NULL;
	}
	s->read += *size;
	return in_file ? s->again : s->buffer;
}
