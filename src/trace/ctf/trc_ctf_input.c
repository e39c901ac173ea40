/* SPDX-License-Identifier: MIT */
/* The format CTF: detection, fingerprint, survey, and places of packets. */
#include "trace/ctf/trc_ctf.h"
#include "base/base_error.h"
#include "base/base_io.h"

#include <stdbool.h>
#include <xxhash.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Set *IS if DIRECTORY has a file "metadata", or a link to one. False with errno if it cannot be read. */
static bool is_trace(const char *directory, bool *is)
{
	g_autofree char *path = g_build_filename(directory, "metadata", NULL);
	struct stat st;

	if (BASE_IO_AGAIN(stat(path, &st)) != 0) {
		*is = false;
		return errno == ENOENT || errno == ENOTDIR;
	}
	*is = S_ISREG(st.st_mode);
	return true;
}

/* ---- the fingerprint: all bytes of the metadata, and the stream files ---- */

static bool hash_all_metadata(void *folders, XXH3_state_t *state, GError **error)
{
	for (char *const *folder = folders; *folder; folder++) {
		GBytes *metadata = trc_files_metadata(*folder, error);

		if (!metadata)
			return false;
		XXH3_128bits_update(state, g_bytes_get_data(metadata, NULL), g_bytes_get_size(metadata));
		g_bytes_unref(metadata);
	}
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

/* ---- places of packets, for a reader that knows only the number of a packet within its stream ---- */

/* The progress of the walk over one file. */
struct walk {
	const struct trc_stream_file *file; /* weak */
	int fd;                             /* owned; -1: there is no further packet */
	uint64_t number;                    /* of the packet at OFFSET */
	uint64_t offset;
};

struct trc_places {
	const struct trc_survey *survey; /* weak */
	GHashTable *walks;               /* name (char *, weak) → struct walk *, both owned by this */
};

static void walk_free(gpointer data)
{
	struct walk *w = data;

	if (w->fd >= 0)
		close(w->fd);
	g_free(w);
}

/* Return the stream file NAME if its packets can be read; else NULL. */
static const struct trc_stream_file *find_file(const struct trc_survey *survey, const char *name)
{
	for (unsigned i = 0; survey->layout && i < survey->streams->len; i++) {
		const struct trc_stream_file *f = g_ptr_array_index(survey->streams, i);

		if (!strcmp(f->file->name, name))
			return f->n_packets ? f : NULL;
	}
	return NULL;
}

/* Set ERROR from errno. Returns false. */
static bool set_unread(const struct trc_places *p, const char *name, GError **error)
{
	int why = errno;
	g_autofree char *path = g_build_filename(p->survey->directory, name, NULL);

	return base_error_false_errno(error, why, "cannot read", path);
}

/* Return the walk over the file NAME. NULL if its packets cannot be read; with an error if it cannot be
 * opened. */
static struct walk *walk_of(struct trc_places *p, const char *name, GError **error)
{
	struct walk *w = g_hash_table_lookup(p->walks, name);
	const struct trc_stream_file *file = w ? NULL : find_file(p->survey, name);
	g_autofree char *path = NULL;

	if (w || !file)
		return w;
	w = g_new0(struct walk, 1);
	w->file = file;
	w->offset = file->first.offset;
	path = g_build_filename(p->survey->directory, name, NULL);
	w->fd = base_io_open(path, 0);
	if (w->fd < 0) {
		set_unread(p, name, error);
		g_free(w);
		return NULL;
	}
	g_hash_table_insert(p->walks, file->file->name, w);
	return w;
}

/*
 * Set offset and size of PACKET, by its number in the stream file NAME. Packets of a file must be asked for
 * in ascending order. SIZE stays 0 if the layout of packets is unknown or the file has no such packet. False
 * with an error if the file cannot be read.
 */
static bool places_find(struct trc_places *p, const char *name, struct trc_packet_seen *packet,
	GError **error)
{
	GError *problem = NULL;
	struct walk *w = walk_of(p, name, &problem);
	struct trc_packet head;

	if (problem) {
		g_propagate_error(error, problem);
		return false;
	}

	while (w && w->fd >= 0 && w->number <= packet->number) {
		enum trc_packet_status status = TRC_PACKET_BAD;

		if (w->offset < w->file->last.offset + w->file->last.size)
			status = trc_survey_packet(p->survey, w->file, w->fd, w->offset, &head);
		if (status == TRC_PACKET_UNREAD)
			return set_unread(p, name, error);
		if ((status != TRC_PACKET_FINE && status != TRC_PACKET_CUT) || !head.size) {
			close(w->fd);
			w->fd = -1;
			return true;
		}
		if (w->number++ == packet->number) {
			packet->offset = head.offset;
			packet->size = head.size;
		}
		w->offset += head.size;
	}
	return true;
}

/* ---- the survey ---- */

static void *survey(char *const *folders, struct trc_info *info, GError **error)
{
	struct trc_survey *s = trc_survey_new(folders, NULL, info, error);
	struct trc_ctf_trace *trace;

	if (!s)
		return NULL;
	trace = g_new(struct trc_ctf_trace, 1);
	trace->survey = s;
	trace->places = g_new0(struct trc_places, 1);
	trace->places->survey = s;
	trace->places->walks = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, walk_free);
	return trace;
}

static void survey_free(void *data)
{
	struct trc_ctf_trace *trace = data;

	g_hash_table_unref(trace->places->walks);
	g_free(trace->places);
	trc_survey_free(trace->survey);
	g_free(trace);
}

static enum trc_growth grow(void *data, char *const *folders, struct trc_info *info, GPtrArray *added,
	GError **error)
{
	return trc_survey_grow(((struct trc_ctf_trace *)data)->survey, folders, info, added, error);
}

static bool ctf_input_settle(void *data, struct trc_info *info, GError **error)
{
	return trc_survey_settle(((struct trc_ctf_trace *)data)->survey, info, error);
}

static GPtrArray *usable_streams(const void *data, bool *known, GError **error)
{
	const struct trc_survey *s = ((const struct trc_ctf_trace *)data)->survey;
	GPtrArray *streams;

	if (g_error_matches(s->meta_error, BASE_ERROR, BASE_ERROR_REFUSED) ||
		g_error_matches(s->meta_error, BASE_ERROR, BASE_ERROR_FOREIGN)) {
		trc_survey_set_metadata_error(s, error);
		return NULL;
	}
	streams = g_ptr_array_new();
	for (unsigned i = 0; i < s->streams->len; i++) {
		struct trc_stream_file *f = g_ptr_array_index(s->streams, i);

		if (f->state != TRC_FILE_UNUSABLE)
			g_ptr_array_add(streams, f);
	}
	*known = s->layout;
	return streams;
}

static bool ctf_input_place(void *data, const char *name, struct trc_packet_seen *packet, GError **error)
{
	return places_find(((struct trc_ctf_trace *)data)->places, name, packet, error);
}

const struct trc_input_ops trc_ctf_input = {
	.format = "ctf",
	.detect = is_trace,
	.join = trc_chunks_join,
	.fingerprint = fingerprint,
	.survey = survey,
	.survey_free = survey_free,
	.grow = grow,
	.settle = ctf_input_settle,
	.streams = usable_streams,
	.place = ctf_input_place,
	.cut = trc_ctf_cut,
};
