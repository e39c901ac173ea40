/* SPDX-License-Identifier: MIT */
#include "trace/trc_files.h"
#include "trace/trc_reader.h"

#include <string.h>
#include <xxhash.h>

/* Numbers go in as text: the same on every machine. */
static void hash_file(XXH3_state_t *state, const struct trc_file *file)
{
	char *line = g_strdup_printf("%" G_GINT64_FORMAT " %" G_GINT64_FORMAT, file->size, file->mtime);

	XXH3_128bits_update(state, file->name, strlen(file->name) + 1);
	XXH3_128bits_update(state, line, strlen(line) + 1);
	g_free(line);
}

char *trc_fingerprint(const char *directory, GError **error)
{
	GBytes *metadata = trc_files_metadata(directory, error);
	GPtrArray *files = metadata ? trc_files_list(directory, error) : NULL;
	char *text = NULL;

	if (files) {
		XXH3_state_t *state = XXH3_createState();
		XXH128_hash_t hash;
		gsize size;
		const void *data = g_bytes_get_data(metadata, &size);
		unsigned i;

		XXH3_128bits_reset(state);
		XXH3_128bits_update(state, data, size);
		for (i = 0; i < files->len; i++)
			hash_file(state, g_ptr_array_index(files, i));
		hash = XXH3_128bits_digest(state);
		text = g_strdup_printf("%016" G_GINT64_MODIFIER "x%016" G_GINT64_MODIFIER "x", (guint64)hash.high64,
				       (guint64)hash.low64);
		XXH3_freeState(state);
		g_ptr_array_unref(files);
	}
	if (metadata)
		g_bytes_unref(metadata);
	return text;
}
