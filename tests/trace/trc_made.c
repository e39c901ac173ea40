/* SPDX-License-Identifier: MIT */
#include "trc_made.h"

#include <string.h>

void made_init(struct made *m, bool big_endian)
{
	m->bytes = g_byte_array_new();
	m->big_endian = big_endian;
}

void made_clear(struct made *m)
{
	g_byte_array_unref(m->bytes);
}

static void put(const struct made *m, uint8_t *to, uint64_t value, unsigned size)
{
	unsigned i;

	for (i = 0; i < size; i++)
		to[i] = (uint8_t)(value >> 8 * (m->big_endian ? size - 1 - i : i));
}

void made_number(struct made *m, uint64_t value, unsigned size)
{
	uint8_t bytes[8];

	put(m, bytes, value, size);
	g_byte_array_append(m->bytes, bytes, size);
}

void made_chars(struct made *m, const char *text, unsigned length)
{
	unsigned i, n = (unsigned)strlen(text);

	for (i = 0; i < length; i++)
		made_number(m, i < n ? (uint8_t)text[i] : 0, 1);
}

void made_string(struct made *m, const char *text)
{
	made_chars(m, text, (unsigned)strlen(text) + 1);
}

void made_align(struct made *m, unsigned align)
{
	while (m->bytes->len % align)
		made_number(m, 0, 1);
}

void made_patch(struct made *m, guint at, uint64_t value, unsigned size)
{
	put(m, m->bytes->data + at, value, size);
}

void made_write(const struct made *m, const char *folder, const char *name)
{
	char *path = g_build_filename(folder, name, NULL);
	GError *error = NULL;

	g_file_set_contents(path, (const char *)m->bytes->data, m->bytes->len, &error);
	g_assert_no_error(error);
	g_free(path);
}

char *made_folder(const char *text)
{
	GError *error = NULL;
	char *folder = g_dir_make_tmp("made-XXXXXX", &error), *path;

	g_assert_no_error(error);
	path = g_build_filename(folder, "metadata", NULL);
	g_assert_true(g_file_set_contents(path, text, -1, NULL));
	g_free(path);
	return folder;
}
