/* SPDX-License-Identifier: MIT */
/* CTF as a format among others. */
#include "trace/ctf/trc_chunks.h"
#include "trace/ctf/trc_ctf.h"
#include "trace/core/trc_files.h"
#include "trace/ctf/trc_places.h"
#include "base/base_error.h"
#include "trace/core/trc_stamp.h"

#include <stdbool.h>
#include <xxhash.h>

/* A folder with a file "metadata", which may be a link to one. */
static bool is_trace(const char *directory)
{
	g_autofree char *path = g_build_filename(directory, "metadata", NULL);

	return g_file_test(path, G_FILE_TEST_IS_REGULAR);
}

/* ---- the fingerprint: all bytes of the metadata, and the stream files ---- */

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

static bool hash_all_metadata(void *folders, XXH3_state_t *state, GError **error)
{
	for (char *const *folder = folders; *folder; folder++)
		if (!hash_metadata(state, *folder, error))
			return false;
	return true;
}

static GPtrArray *list(void *folders, GError **error)
{
	return trc_files_list(folders, error);
}

static char *fingerprint(char *const *folders, GError **error)
{
	return trc_stamp(list, hash_all_metadata, (void *)folders, error);
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

static enum trc_growth grow(void *data, char *const *folders, struct trc_info *info, GPtrArray *added)
{
	return trc_survey_grow(((struct trc_ctf_trace *)data)->survey, folders, info, added);
}

static void settle(void *data, struct trc_info *info)
{
	trc_survey_settle(((struct trc_ctf_trace *)data)->survey, info);
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
	.grow = grow,
	.settle = settle,
	.streams = usable_streams,
	.place = place,
};
