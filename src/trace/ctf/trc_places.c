/* SPDX-License-Identifier: MIT */
/* How it works: one walk over the packet headers of each file, in step with what was asked for. */
#include "trace/ctf/trc_places.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* How far the walk over one file is. */
struct walk {
	const struct trc_stream_file *file; /* weak */
	int fd;                             /* owned; -1: it cannot be walked, or not any further */
	uint64_t number;                    /* of the packet at: */
	uint64_t offset;
};

struct trc_places {
	const struct trc_survey *survey; /* weak */
	GHashTable *walks;               /* name (char *, weak) → struct walk *, both as long as this */
};

static void walk_free(gpointer data)
{
	struct walk *w = data;

	if (w->fd >= 0)
		close(w->fd);
	g_free(w);
}

struct trc_places *trc_places_new(const struct trc_survey *survey)
{
	struct trc_places *p = g_new0(struct trc_places, 1);

	p->survey = survey;
	p->walks = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, walk_free);
	return p;
}

void trc_places_free(struct trc_places *p)
{
	g_hash_table_unref(p->walks);
	g_free(p);
}

/* The file NAME of the trace whose packets can be told apart; NULL: there is none. */
static const struct trc_stream_file *find_file(const struct trc_survey *survey, const char *name)
{
	unsigned i;

	for (i = 0; survey->layout && i < survey->streams->len; i++) {
		const struct trc_stream_file *f = g_ptr_array_index(survey->streams, i);

		if (!strcmp(f->file->name, name))
			return f->n_packets ? f : NULL;
	}
	return NULL;
}

/* The walk over the file NAME; NULL when it cannot be walked. */
static struct walk *walk_of(struct trc_places *p, const char *name)
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
	w->fd = open(path, O_RDONLY | O_CLOEXEC);
	g_hash_table_insert(p->walks, file->file->name, w);
	return w;
}

void trc_places_find(struct trc_places *p, const char *name, struct trc_packet_seen *packet)
{
	struct walk *w = walk_of(p, name);
	struct trc_packet head;

	while (w && w->fd >= 0 && w->number <= packet->number) {
		enum trc_packet_status status = TRC_PACKET_BAD;

		if (w->offset < w->file->last.offset + w->file->last.size)
			status = trc_survey_packet(p->survey, w->file, w->fd, w->offset, &head);
		if ((status != TRC_PACKET_FINE && status != TRC_PACKET_CUT) || !head.size) {
			close(w->fd);
			w->fd = -1;
			return;
		}
		if (w->number++ == packet->number) {
			packet->offset = head.offset;
			packet->size = head.size;
		}
		w->offset += head.size;
	}
}
