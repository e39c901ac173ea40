/* SPDX-License-Identifier: MIT */
#include "trace/ctf/trc_lttng_index.h"

#include "trace/ctf/trc_bits.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC 0xc1f1dcc1u
#define HEADER_BYTES 16 /* magic, major, minor, bytes of an entry: 32 bits each, big endian */

/* An entry: numbers of 64 bits, big endian, of which these are the first. */
enum { OFFSET, PACKET_BITS, CONTENT_BITS, COMPARED };

static uint64_t number_at(const uint8_t *bytes, unsigned i)
{
	return trc_bits_read(bytes, 64 * i, 64, true);
}

static bool read_header(struct trc_lttng_index *index)
{
	uint8_t header[HEADER_BYTES];
	struct stat st;

	if (fstat(index->fd, &st) != 0 || pread(index->fd, header, HEADER_BYTES, 0) != HEADER_BYTES ||
		trc_bits_read(header, 0, 32, true) != MAGIC)
		return false;
	index->entry_size = trc_bits_read(header, 96, 32, true);
	if (index->entry_size < 8 * COMPARED || ((uint64_t)st.st_size - HEADER_BYTES) % index->entry_size)
		return false;
	index->entries = ((uint64_t)st.st_size - HEADER_BYTES) / index->entry_size;
	return true;
}

void trc_lttng_index_open(struct trc_lttng_index *index, const char *directory, const char *name)
{
	g_autofree char *file = g_strconcat(name, ".idx", NULL);
	g_autofree char *path = g_build_filename(directory, "index", file, NULL);

	memset(index, 0, sizeof(*index));
	index->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (index->fd >= 0)
		index->lies = !read_header(index);
}

void trc_lttng_index_compare(struct trc_lttng_index *index, const struct trc_packet *packet)
{
	uint8_t entry[8 * COMPARED];

	if (index->fd < 0 || index->lies)
		return;
	index->lies = pread(index->fd, entry, sizeof(entry),
			      (off_t)(HEADER_BYTES + index->n++ * index->entry_size)) !=
			(ssize_t)sizeof(entry) ||
		number_at(entry, OFFSET) != packet->offset ||
		number_at(entry, PACKET_BITS) != packet->size * 8 ||
		number_at(entry, CONTENT_BITS) != packet->content;
}

bool trc_lttng_index_close(struct trc_lttng_index *index)
{
	bool lies = index->fd >= 0 && (index->lies || index->n != index->entries);

	if (index->fd >= 0)
		close(index->fd);
	index->fd = -1;
	return lies;
}
