/* SPDX-License-Identifier: MIT */
/*
 * How it works: of a file its name, size and both times count.  Its time of change (ctime) finds what
 * programs hide that set the time of modification back (cp -p, rsync -t).
 *
 * A file system's clock goes in ticks of up to 10 ms: of two changes within one tick the second leaves
 * no trace of its own.  So a file that changed just now is looked at again when its tick is over: from then
 * on no change goes unnoticed.
 */
#include "trace/core/trc_folders.h"

#include <string.h>
#include <xxhash.h>

#define TICK_NS (20 * G_GINT64_CONSTANT(1000000)) /* two of the longest, CONFIG_HZ=100 */

/* Numbers go in as text: the same on every machine. */
static void hash_file(XXH3_state_t *state, const struct trc_file *file)
{
	g_autofree char *line = g_strdup_printf("%" G_GINT64_FORMAT " %" G_GINT64_FORMAT " %" G_GINT64_FORMAT,
		file->size, file->mtime, file->ctime);

	XXH3_128bits_update(state, file->name, strlen(file->name) + 1);
	XXH3_128bits_update(state, line, strlen(line) + 1);
}

/* How long until a change to any of FILES would show, in ns. */
static int64_t rest_of_tick(const GPtrArray *files)
{
	int64_t now = g_get_real_time() * 1000, rest = 0;

	for (guint i = 0; i < files->len; i++) {
		const struct trc_file *file = g_ptr_array_index(files, i);

		if (file->ctime <= now && now - file->ctime < TICK_NS)
			rest = MAX(rest, TICK_NS - (now - file->ctime));
	}
	return rest;
}

/* As text; the caller frees. */
static char *digest(const XXH3_state_t *state)
{
	XXH128_hash_t sum = XXH3_128bits_digest(state);

	return g_strdup_printf("%016" G_GINT64_MODIFIER "x%016" G_GINT64_MODIFIER "x", (guint64)sum.high64,
		(guint64)sum.low64);
}

char *trc_stamp(GPtrArray *(*list)(void *data, GError **error),
	bool (*more)(void *data, XXH3_state_t *state, GError **error), void *data, GError **error)
{
	GPtrArray *files = list(data, error);
	int64_t rest = files ? rest_of_tick(files) : 0;
	XXH3_state_t *state;
	char *text = NULL;

	if (rest > 0) {
		g_usleep((gulong)(rest / 1000 + 1));
		g_ptr_array_unref(files);
		files = list(data, error);
	}
	if (!files)
		return NULL;
	state = XXH3_createState();
	XXH3_128bits_reset(state);
	if (!more || more(data, state, error)) {
		for (guint i = 0; i < files->len; i++)
			hash_file(state, g_ptr_array_index(files, i));
		text = digest(state);
	}
	XXH3_freeState(state);
	g_ptr_array_unref(files);
	return text;
}

static GPtrArray *list_one(void *data, GError **error)
{
	return trc_files_one(data, error);
}

char *trc_stamp_file(char *const *files, GError **error)
{
	return trc_stamp(list_one, NULL, files[0], error);
}
