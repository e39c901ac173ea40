/* SPDX-License-Identifier: MIT */
#include "trace/tracefs/trc_out.h"

#include "base/base_error.h"
#include "base/base_io.h"
#include "base/base_out.h"
#include "trace/tracefs/trc_bytes.h"

#include <unistd.h>

#define AT_ONCE (256 * 1024) /* bytes */

bool trc_out_open(struct trc_out *o, const char *path, bool big, GError **error)
{
	*o = (struct trc_out){ .path = path,
		.fd = base_out_new(path, error),
		.bytes = g_byte_array_new(),
		.big = big };
	return o->fd >= 0;
}

void trc_out_close(struct trc_out *o)
{
	if (o->fd >= 0)
		close(o->fd);
	g_byte_array_unref(o->bytes);
}

void trc_out_put(struct trc_out *o, const void *bytes, uint64_t size)
{
	g_byte_array_append(o->bytes, bytes, (guint)size);
	o->size += size;
}

void trc_out_number(struct trc_out *o, uint64_t number, unsigned size)
{
	uint8_t bytes[8];

	trc_bytes_set_number(bytes, number, size, o->big);
	trc_out_put(o, bytes, size);
}

static bool out_flush(struct trc_out *o, GError **error)
{
	bool fine = base_out_write(o->fd, o->bytes->data, o->bytes->len, o->path, error);

	g_byte_array_set_size(o->bytes, 0);
	return fine;
}

bool trc_out_step(struct trc_out *o, GError **error)
{
	return o->bytes->len < AT_ONCE || out_flush(o, error);
}

bool trc_out_replace(struct trc_out *o, uint64_t at, const uint64_t *numbers, unsigned count, GError **error)
{
	g_autofree uint8_t *bytes = g_malloc(count * sizeof *numbers);

	for (unsigned i = 0; i < count; i++)
		trc_bytes_set_number(bytes + i * sizeof *numbers, numbers[i], sizeof *numbers, o->big);
	return out_flush(o, error) &&
		(base_io_write(o->fd, bytes, count * sizeof *numbers, at) ||
			base_error_false_errno(error, errno, "cannot write", o->path));
}

bool trc_out_publish(struct trc_out *o, GError **error)
{
	return out_flush(o, error) && base_out_publish(o->fd, o->path, false, error);
}
