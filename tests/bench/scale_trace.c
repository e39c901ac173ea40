/* SPDX-License-Identifier: MIT */
/*
 * scale_trace IN OUT N: write a trace like that in the folder IN, N times as long, to the new folder OUT.
 *
 * Each stream is written N times, one copy after the other, with shifted clocks.  The shift is a multiple of
 * 2^32 cycles, so the low 27 or 32 bits in most event headers do not change: only the times of packets and
 * the 64 bits in extended event headers are rewritten.  A single walk over all events finds those headers.
 * Counters of packets and of lost events continue where the previous copy ended.  The metadata is copied
 * unchanged.
 */
#include "base/base_error.h"
#include "trace/core/trc_folders.h"
#include "trace/ctf/trc_plan.h"
#include "trace/ctf/trc_packet.h"
#include "trace/tsdl/trc_tsdl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define ROUND (UINT64_C(1) << 32)   /* cycles: a multiple leaves all short times as they are */
#define MARGIN UINT64_C(1000000000) /* cycles between two copies */
#define EXTENDED_BITS 96            /* only extended event headers have this length */
#define STREAM_CLASSES_MAX 64
#define COPIES_MAX 1000

/* One stream class, ready to be walked over. */
struct class
{
	const struct trc_stream_class *source; /* weak */
	enum trc_head head;
	GHashTable *plans; /* event id → struct trc_plan *, owned; contexts and fields are skipped */
};

struct stream {
	const char *name;    /* weak */
	GMappedFile *map;    /* owned */
	const uint8_t *data; /* weak: of the map */
	size_t size;
	const struct class *class;
	GArray *packets;  /* of struct trc_packet, owned */
	GArray *extended; /* of guint64: bytes from the start of the file to a time of 64 bits, owned */
};

struct scale {
	struct trc_meta *meta;
	struct trc_packet_layout *layout;
	struct class classes[STREAM_CLASSES_MAX];
	unsigned n_classes;
	GArray *streams;      /* of struct stream */
	uint64_t first, last; /* cycles, over all packets */
	uint64_t events;
};

static void set_data(GError **error, const char *name, uint64_t at, const char *what)
{
	g_set_error(error, BASE_ERROR, BASE_ERROR_DATA,
		"%s: %s at byte %" G_GUINT64_FORMAT ": only whole traces of LTTng can be scaled", name, what,
		(guint64)at);
}

static void plan_free(gpointer plan)
{
	trc_plan_free(plan);
}

/* ---- walking over the events ---- */

/* Walk over the events of P, and note extended headers.  Returns the number of events; -1 with an error. */
static int64_t walk_packet(struct stream *s, const struct trc_packet *p, GError **error)
{
	struct trc_walk w = { .data = s->data + p->offset, .at = p->events, .limit = p->content };
	int64_t n;

	for (n = 0; w.at < w.limit; n++) {
		uint64_t before = w.at;
		guint64 time_at;
		const struct trc_plan *plan;

		if (!trc_head_read(s->class->head, &w)) {
			set_data(error, s->name, p->offset + before / 8, "an event header that is not whole");
			return -1;
		}
		time_at = p->offset + w.at / 8 - sizeof(uint64_t);
		if (w.at - before >= EXTENDED_BITS)
			g_array_append_val(s->extended, time_at);
		plan = g_hash_table_lookup(s->class->plans, GUINT_TO_POINTER((guint)w.id));
		if (!plan || !trc_plan_run(plan, &w)) {
			set_data(error, s->name, p->offset + before / 8, "an event that is not known");
			return -1;
		}
	}
	return n;
}

/* The class of SOURCE, with its plans; NULL with an error. */
static const struct class *find_class(struct scale *c, const struct trc_stream_class *source, GError **error)
{
	static const struct mdl_mapping nothing;
	struct class *class = c->classes;
	struct trc_budget costs = { .left = TRC_PLAN_COSTS };

	for (; class < c->classes + c->n_classes; class ++)
		if (class->source == source)
			return class;
	if (c->n_classes == STREAM_CLASSES_MAX ||
		trc_head_recognise(source->event_header) == TRC_HEAD_OTHER) {
		g_set_error(error, BASE_ERROR, BASE_ERROR_DATA, "its event headers are not those of LTTng");
		return NULL;
	}
	c->n_classes++;
	class->source = source;
	class->head = trc_head_recognise(source->event_header);
	class->plans = g_hash_table_new_full(NULL, NULL, NULL, plan_free);
	for (unsigned i = 0; i < source->events->len; i++) {
		const struct trc_event_class *e = g_ptr_array_index(source->events, i);

		g_hash_table_insert(class->plans, GUINT_TO_POINTER((guint)e->id),
			trc_plan_new_event(source, e, &nothing, 8, NULL, &costs));
	}
	return class;
}

/* Find the packets of S, their events and extended headers. */
static bool look_at_stream(struct scale *c, struct stream *s, GError **error)
{
	const struct trc_stream_class *source = NULL;
	struct trc_packet p;
	int64_t n;

	for (uint64_t at = 0; at < s->size; at += p.size) {
		if (trc_packet_read(c->layout, s->data + at, MIN(TRC_PACKET_HEAD_MAX, s->size - at), at,
			    s->size, &p, &source) != TRC_PACKET_FINE ||
			!p.size || !p.has_begin || !p.has_end) {
			set_data(error, s->name, at, "no whole packet with its times");
			return false;
		}
		s->class = find_class(c, source, error);
		n = s->class ? walk_packet(s, &p, error) : -1;
		if (n < 0)
			return false;
		c->events += (uint64_t)n;
		c->first = MIN(c->first, p.begin);
		c->last = MAX(c->last, p.end);
		g_array_append_val(s->packets, p);
	}
	return true;
}

/* ---- writing ---- */

/* Add PLUS to the field with ROLE of the packet context in PACKET. */
static void add_to_field(const struct scale *c, const struct stream *s, uint8_t *packet, enum trc_role role,
	uint64_t plus)
{
	uint64_t at;
	const struct trc_type *type = trc_packet_field(c->layout, s->class->source, role, &at);

	if (type && plus)
		trc_bits_write(packet, at, (unsigned)type->bits, type->big_endian,
			plus + trc_bits_read(packet, at, (unsigned)type->bits, type->big_endian));
}

/* Add PLUS to the times of 64 bits in PACKET, which is P; *NEXT counts the extended headers of the stream. */
static void add_to_events(const struct stream *s, const struct trc_packet *p, uint8_t *packet, guint *next,
	uint64_t plus)
{
	for (; *next < s->extended->len; ++*next) {
		guint64 at = g_array_index(s->extended, guint64, *next);

		if (at >= p->offset + p->size)
			break;
		at = (at - p->offset) * 8;
		trc_bits_write(packet, at, 64, false, plus + trc_bits_read(packet, at, 64, false));
	}
}

static uint64_t shift_of(const struct scale *c)
{
	return (c->last - c->first + MARGIN + ROUND - 1) / ROUND * ROUND;
}

/* Write copy number COPY of S. */
static void write_copy(const struct scale *c, const struct stream *s, uint64_t copy, FILE *out)
{
	const struct trc_packet *first = &g_array_index(s->packets, struct trc_packet, 0);
	const struct trc_packet *last = &g_array_index(s->packets, struct trc_packet, s->packets->len - 1);
	guint next = 0;

	for (guint i = 0; i < s->packets->len; i++) {
		const struct trc_packet *p = &g_array_index(s->packets, struct trc_packet, i);
		uint8_t *packet = g_memdup2(s->data + p->offset, p->size);

		add_to_field(c, s, packet, TRC_ROLE_TIME, copy * shift_of(c));
		add_to_field(c, s, packet, TRC_ROLE_END, copy * shift_of(c));
		add_to_field(c, s, packet, TRC_ROLE_DISCARDED, copy * last->discarded);
		add_to_field(c, s, packet, TRC_ROLE_SEQUENCE, copy * (last->sequence - first->sequence + 1));
		add_to_events(s, p, packet, &next, copy * shift_of(c));
		fwrite(packet, 1, p->size, out);
		g_free(packet);
	}
}

static bool close_file(FILE *out, const char *path, GError **error)
{
	bool bad = ferror(out);

	if (!fclose(out) && !bad)
		return true;
	base_error_set_errno(error, errno, "cannot write", path);
	return false;
}

static bool write_stream(const struct scale *c, const struct stream *s, const char *folder, unsigned copies,
	GError **error)
{
	char *path = g_build_filename(folder, s->name, NULL);
	FILE *out = fopen(path, "wxe");
	bool ok = false;

	if (!out)
		base_error_set_errno(error, errno, "cannot make", path);
	for (unsigned i = 0; out && s->packets->len && i < copies; i++)
		write_copy(c, s, i, out);
	if (out)
		ok = close_file(out, path, error);
	g_free(path);
	return ok;
}

static bool write_metadata(GBytes *metadata, const char *folder, GError **error)
{
	char *path = g_build_filename(folder, "metadata", NULL);
	gsize size;
	const char *bytes = g_bytes_get_data(metadata, &size);
	bool ok = g_file_set_contents(path, bytes, (gssize)size, error);

	g_free(path);
	return ok;
}

static bool write_all(const struct scale *c, GBytes *metadata, const char *folder, unsigned copies,
	GError **error)
{
	if (mkdir(folder, 0777)) {
		base_error_set_errno(error, errno, "cannot make", folder);
		return false;
	}
	for (guint i = 0; i < c->streams->len; i++)
		if (!write_stream(c, &g_array_index(c->streams, struct stream, i), folder, copies, error))
			return false;
	return write_metadata(metadata, folder, error);
}

/* ---- from end to end ---- */

static void stream_clear(gpointer data)
{
	struct stream *s = data;

	g_mapped_file_unref(s->map);
	g_array_unref(s->packets);
	g_array_unref(s->extended);
}

/* Look at all stream FILES of the folder IN. */
static bool look_at_all(struct scale *c, const char *in, const GPtrArray *files, GError **error)
{
	for (guint i = 0; i < files->len; i++) {
		const struct trc_file *f = g_ptr_array_index(files, i);
		char *path = g_build_filename(in, f->name, NULL);
		struct stream s = { .name = f->name, .map = g_mapped_file_new(path, FALSE, error) };

		g_free(path);
		if (!s.map)
			return false;
		s.data = (const uint8_t *)g_mapped_file_get_contents(s.map);
		s.size = g_mapped_file_get_length(s.map);
		s.packets = g_array_new(FALSE, FALSE, sizeof(struct trc_packet));
		s.extended = g_array_new(FALSE, FALSE, sizeof(guint64));
		g_array_append_val(c->streams, s);
		if (!look_at_stream(c, &g_array_index(c->streams, struct stream, i), error))
			return false;
	}
	return true;
}

static bool set_up(struct scale *c, GBytes *metadata, GError **error)
{
	gsize size;
	const void *bytes = g_bytes_get_data(metadata, &size);

	c->first = UINT64_MAX;
	c->streams = g_array_new(FALSE, FALSE, sizeof(struct stream));
	g_array_set_clear_func(c->streams, stream_clear);
	c->meta = trc_tsdl_parse(bytes, size, error);
	if (!c->meta)
		return false;
	c->layout = trc_packet_layout_new(c->meta);
	if (!c->layout)
		g_set_error(error, BASE_ERROR, BASE_ERROR_DATA, "its packets are not those of LTTng");
	return c->layout;
}

static void clear(struct scale *c)
{
	for (unsigned i = 0; i < c->n_classes; i++)
		g_hash_table_unref(c->classes[i].plans);
	g_array_unref(c->streams);
	trc_packet_layout_free(c->layout);
	if (c->meta)
		trc_meta_free(c->meta);
}

static bool run(const char *in, const char *out, unsigned copies, GError **error)
{
	GBytes *metadata = trc_files_metadata(in, error);
	GPtrArray *files = metadata ? trc_files_list((char *[]){ (char *)in, NULL }, error) : NULL;
	struct scale c = { 0 };
	bool ok = false;

	if (files) {
		ok = set_up(&c, metadata, error) && look_at_all(&c, in, files, error) &&
			write_all(&c, metadata, out, copies, error);
		if (ok)
			printf("%" G_GUINT64_FORMAT " events\n", (guint64)c.events * copies);
		clear(&c);
		g_ptr_array_unref(files);
	}
	if (metadata)
		g_bytes_unref(metadata);
	return ok;
}

int main(int argc, char **argv)
{
	int status, copies = argc == 4 ? atoi(argv[3]) : 0;
	GError *error = NULL;

	if (copies < 1 || copies > COPIES_MAX) {
		fprintf(stderr, "usage: scale_trace IN OUT N, N from 1 to %d\n", COPIES_MAX);
		return 2;
	}
	if (run(argv[1], argv[2], (unsigned)copies, &error))
		return 0;
	fprintf(stderr, "scale_trace: %s: %s\n", argv[1], error->message);
	status = base_error_exit_status(error);
	g_error_free(error);
	return status;
}
