/* SPDX-License-Identifier: MIT */
/* CTF as a format among others. */
#include "trace/ctf/trc_chunks.h"
#include "trace/ctf/trc_ctf.h"
#include "trace/ctf/trc_files.h"
#include "trace/ctf/trc_places.h"
#include "base/base_error.h"

#include <stdbool.h>
#include <string.h>
#include <xxhash.h>

#define TICK_NS (20 * G_GINT64_CONSTANT(1000000)) /* two of the longest, CONFIG_HZ=100 */

/* A folder with a file "metadata", which may be a link to one. */
static bool is_trace(const char *directory)
{
	g_autofree char *path = g_build_filename(directory, "metadata", NULL);

	return g_file_test(path, G_FILE_TEST_IS_REGULAR);
}

/* ---- the fingerprint ---- */

/*
 * How it works: of the metadata all bytes count, of a stream file its name, size and both times.  Its
 * time of change (ctime) finds what programs hide that set the time of modification back (cp -p, rsync -t).
 *
 * A file system's clock goes in ticks of up to 10 ms: of two changes within one tick the second leaves
 * no trace of its own.  So a file that changed just now is looked at again when its tick is over: from then
 * on no change goes unnoticed.
 */

/* Numbers go in as text: the same on every machine. */
static void hash_file(XXH3_state_t *state, const struct trc_file *file)
{
	g_autofree char *line = g_strdup_printf("%" G_GINT64_FORMAT " %" G_GINT64_FORMAT " %" G_GINT64_FORMAT,
		file->size, file->mtime, file->ctime);

	XXH3_128bits_update(state, file->name, strlen(file->name) + 1);
	XXH3_128bits_update(state, line, strlen(line) + 1);
}

static bool hash_metadata(XXH3_state_t *state, const char *folder, GError **error)
{
	GBytes *metadata = trc_files_metadata(folder, error);
	const void *data;
	gsize size;

	if (!metadata)
		return false;
	data = g_bytes_get_data(metadata, &size);
	XXH3_128bits_update(state, data, size);
	g_bytes_unref(metadata);
	return true;
}

/* As text; the caller frees.  NULL with an error. */
static char *hash(const GPtrArray *files, char *const *folders, GError **error)
{
	XXH3_state_t *state = XXH3_createState();
	bool fine = true;
	XXH128_hash_t sum;

	XXH3_128bits_reset(state);
	for (unsigned i = 0; fine && folders[i]; i++)
		fine = hash_metadata(state, folders[i], error);
	for (guint i = 0; i < files->len; i++)
		hash_file(state, g_ptr_array_index(files, i));
	sum = XXH3_128bits_digest(state);
	XXH3_freeState(state);
	if (!fine)
		return NULL;
	return g_strdup_printf("%016" G_GINT64_MODIFIER "x%016" G_GINT64_MODIFIER "x", (guint64)sum.high64,
		(guint64)sum.low64);
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

static char *fingerprint(char *const *folders, GError **error)
{
	GPtrArray *files = trc_files_list(folders, error);
	int64_t rest = files ? rest_of_tick(files) : 0;
	char *text;

	if (rest > 0) {
		g_usleep((gulong)(rest / 1000 + 1));
		g_ptr_array_unref(files);
		files = trc_files_list(folders, error);
	}
	if (!files)
		return NULL;
	text = hash(files, folders, error);
	g_ptr_array_unref(files);
	return text;
}

/* ---- the survey ---- */

static void *survey(char *const *folders, struct trc_info *info, GError **error)
{
	struct trc_survey *s = trc_survey_new(folders, info, error);
	struct trc_ctf_trace *trace;

	if (!s)
		return NULL;
	trace = g_new(struct trc_ctf_trace, 1);
	trace->survey = s;
	trace->places = trc_places_new(s);
	return trace;
}

static void survey_free(void *data)
{
	struct trc_ctf_trace *trace = data;

	trc_places_free(trace->places);
	trc_survey_free(trace->survey);
	g_free(trace);
}

static GPtrArray *usable_streams(const void *data, bool *known, GError **error)
{
	const struct trc_survey *s = ((const struct trc_ctf_trace *)data)->survey;
	GPtrArray *streams;
	unsigned i;

	if (g_error_matches(s->tsdl_error, BASE_ERROR, BASE_ERROR_REFUSED)) {
		trc_survey_set_metadata_error(s, error);
		return NULL;
	}
	streams = g_ptr_array_new();
	for (i = 0; i < s->streams->len; i++) {
		struct trc_stream_file *f = g_ptr_array_index(s->streams, i);

		if (f->state != TRC_FILE_UNUSABLE)
			g_ptr_array_add(streams, f);
	}
	*known = s->layout;
	return streams;
}

static void place(void *data, const char *name, struct trc_packet_seen *packet)
{
	trc_places_find(((struct trc_ctf_trace *)data)->places, name, packet);
}

const struct trc_input_ops trc_ctf_input = {
	.detect = is_trace,
	.join = trc_chunks_join,
	.fingerprint = fingerprint,
	.survey = survey,
	.survey_free = survey_free,
	.streams = usable_streams,
	.place = place,
};
