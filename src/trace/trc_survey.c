/* SPDX-License-Identifier: MIT */
#include "trace/trc_survey.h"

#include "base/base_error.h"
#include "base/base_time.h"
#include "trace/trc_lttng_index.h"
#include "trace/trc_queue.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* ---- one stream file ---- */

enum trc_packet_status trc_survey_packet(const struct trc_survey *s, const struct trc_stream_file *f, int fd,
					 uint64_t offset, struct trc_packet *packet)
{
	const struct trc_stream_class *stream = f->stream;
	uint8_t head[TRC_PACKET_HEAD_MAX];
	size_t n = trc_files_read(fd, head, sizeof(head), offset);

	return trc_packet_read(s->layout, head, n, offset, (uint64_t)f->file->size, packet, &stream);
}

/* Widen the range of time in INFO by PACKET. */
static void widen(struct trc_info *info, const struct trc_clock *clock, const struct trc_packet *packet)
{
	int64_t begin = trc_clock_ns(clock, packet->begin), end = trc_clock_ns(clock, packet->end);

	if (packet->has_begin && (info->begin == BASE_TIME_NONE || begin < info->begin))
		info->begin = begin;
	if (packet->has_end && (info->end == BASE_TIME_NONE || end > info->end))
		info->end = end;
}

/* Take PACKET, the next of F. */
static void add_packet(struct trc_survey *s, struct trc_info *info, struct trc_stream_file *f,
		       const struct trc_packet *packet, const struct trc_stream_class *stream)
{
	const struct trc_clock *clock = trc_survey_clock(s->tsdl, stream);

	if (!f->n_packets++) {
		f->cpu = packet->cpu;
		f->first = *packet;
	}
	f->stream = stream;
	f->last = *packet;
	if (clock)
		widen(info, clock, packet);
}

/* Go through the packets of F in FD. */
static void walk(struct trc_survey *s, struct trc_info *info, struct trc_stream_file *f, int fd)
{
	uint64_t size = (uint64_t)f->file->size;
	enum trc_packet_status status = TRC_PACKET_FINE;
	struct trc_lttng_index index;

	trc_lttng_index_open(&index, s->directory, f->file->name);
	while (status == TRC_PACKET_FINE && f->good < size) {
		const struct trc_stream_class *stream = f->stream;
		uint8_t head[TRC_PACKET_HEAD_MAX];
		size_t n = trc_files_read(fd, head, sizeof(head), f->good);
		struct trc_packet packet;

		status = trc_packet_read(s->layout, head, n, f->good, size, &packet, &stream);
		if (status == TRC_PACKET_FOREIGN)
			f->stream = stream;
		if (status == TRC_PACKET_FOREIGN || status == TRC_PACKET_BAD || !packet.size)
			break;
		add_packet(s, info, f, &packet, stream);
		trc_lttng_index_compare(&index, &packet);
		if (status == TRC_PACKET_FINE)
			f->good += packet.size;
	}
	f->index_lies = trc_lttng_index_close(&index);
	if (status == TRC_PACKET_FOREIGN)
		f->state = TRC_FILE_FOREIGN;
	else if (!f->n_packets)
		f->state = TRC_FILE_UNUSABLE;
	else if (status == TRC_PACKET_CUT)
		f->state = TRC_FILE_CUT;
	else if (f->good < size)
		f->state = TRC_FILE_TAIL;
}

static void say_state(struct trc_info *info, const struct trc_stream_file *f)
{
	const char *name = f->file->name;
	guint64 rest = (guint64)f->file->size - f->good;

	if (f->state == TRC_FILE_CUT)
		trc_info_warn(info, "%s: cut short within its last packet: read up to there; copy the trace again if "
			      "the original is whole", name);
	else if (f->state == TRC_FILE_TAIL)
		trc_info_warn(info, "%s: the last %" G_GUINT64_FORMAT " bytes are damaged and were left out; "
			      "copy the trace again if the original is whole", name, rest);
	else if (f->state == TRC_FILE_UNUSABLE && !f->file->size)
		trc_info_warn(info, "%s: empty: no events of that stream; copy the trace again if the original has some", name);
	else if (f->state == TRC_FILE_UNUSABLE)
		trc_info_warn(info, "%s: left out: no stream of this trace, or cut short before its first event; "
			      "copy the trace again if the original is whole", name);
}

/* False when the file cannot be read. */
static bool survey_file(struct trc_survey *s, struct trc_info *info, const struct trc_file *file, GError **error)
{
	struct trc_stream_file *f = g_new0(struct trc_stream_file, 1);
	char *path = g_build_filename(s->directory, file->name, NULL);
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	f->file = file;
	f->cpu = TRC_CPU_UNKNOWN;
	g_ptr_array_add(s->streams, f);
	if (fd < 0) {
		base_error_set_errno(error, errno, "cannot read", path);
		g_free(path);
		return false;
	}
	walk(s, info, f, fd);
	close(fd);
	g_free(path);
	s->damaged |= !trc_stream_file_is_whole(f);
	s->index_lies |= f->index_lies;
	say_state(info, f);
	return true;
}

/* ---- streams of several files ---- */

/*
 * LTTng with --tracefile-size begins a new file when one is full, and with --tracefile-count takes the oldest again then: so names
 * (k_0_0, k_0_1, …) do not tell the order, but times do.  That files are of one stream is told by the number of the
 * stream in each packet; as babeltrace2 does it, without that number each file is a stream.
 */
static bool is_part(const struct trc_stream_file *f)
{
	return f->n_packets && f->first.has_instance && f->first.has_begin && f->last.has_end;
}

static int compare_parts(gconstpointer a, gconstpointer b)
{
	const struct trc_stream_file *const *fa = a, *const *fb = b;
	const struct trc_packet *pa = &(*fa)->first, *pb = &(*fb)->first;

	if ((*fa)->stream->id != (*fb)->stream->id)
		return (*fa)->stream->id < (*fb)->stream->id ? -1 : 1;
	if (pa->instance != pb->instance)
		return pa->instance < pb->instance ? -1 : 1;
	if (pa->begin != pb->begin)
		return pa->begin < pb->begin ? -1 : 1;
	return strcmp((*fa)->file->name, (*fb)->file->name);
}

/* Does B go on where A, the part before it in order, ends? */
static bool continues(const struct trc_stream_file *a, const struct trc_stream_file *b)
{
	return a->stream == b->stream && a->first.instance == b->first.instance && b->first.begin >= a->last.end;
}

/* Find which file goes on with the stream of which other. */
static void join_files(const struct trc_survey *s)
{
	GPtrArray *parts = g_ptr_array_new();
	unsigned i;

	for (i = 0; i < s->streams->len; i++)
		if (is_part(g_ptr_array_index(s->streams, i)))
			g_ptr_array_add(parts, g_ptr_array_index(s->streams, i));
	g_ptr_array_sort(parts, compare_parts);
	for (i = 1; i < parts->len; i++) {
		const struct trc_stream_file *before = g_ptr_array_index(parts, i - 1);
		struct trc_stream_file *f = g_ptr_array_index(parts, i);

		if (continues(before, f))
			f->before = before;
	}
	g_ptr_array_unref(parts);
}

/* ---- streams that are not there ---- */

/*
 * The channel of F: its name without "_CPU" and what follows; the caller
 * frees.  NULL when its name does not tell.  Without packets the number at the
 * end counts.
 */
static char *channel_of(const struct trc_stream_file *f, uint64_t *cpu)
{
	const char *name = f->file->name, *dash;

	for (dash = strchr(name, '_'); dash; dash = strchr(dash + 1, '_')) {
		char *end;

		*cpu = g_ascii_isdigit(dash[1]) ? g_ascii_strtoull(dash + 1, &end, 10) : UINT64_MAX;
		if (*cpu < TRC_CPUS_MAX && (*end == '_' || !*end) && (f->cpu == *cpu || (!f->n_packets && !*end)))
			return g_strndup(name, (gsize)(dash - name));
	}
	return NULL;
}

/* Say which CPUs below the highest have no file in CHANNEL; CPUS is a bit array of those that have. */
static void say_missing(struct trc_info *info, const char *channel, const GByteArray *cpus)
{
	unsigned cpu;

	for (cpu = 0; cpu < cpus->len; cpu++)
		if (!cpus->data[cpu])
			trc_info_warn(info, "no stream file for CPU %u in channel %s: nothing is known of that CPU; copy "
				      "the whole folder if the original has it", cpu,
				      channel);
}

static void unref_bytes(gpointer bytes)
{
	g_byte_array_unref(bytes);
}

/* Tracers write a file per CPU and channel, also for CPUs where nothing happened: look for holes. */
static void find_missing(const struct trc_survey *s, struct trc_info *info)
{
	GHashTable *channels = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, unref_bytes);
	GHashTableIter iter;
	gpointer key, value;
	unsigned i;

	for (i = 0; i < s->streams->len; i++) {
		uint64_t cpu;
		char *channel = channel_of(g_ptr_array_index(s->streams, i), &cpu);
		GByteArray *cpus = channel ? g_hash_table_lookup(channels, channel) : NULL;

		if (channel && !cpus) {
			cpus = g_byte_array_new();
			g_hash_table_insert(channels, g_strdup(channel), cpus);
		}
		if (channel) {
			static const guint8 zero;

			while (cpus->len <= cpu)
				g_byte_array_append(cpus, &zero, 1);
			cpus->data[cpu] = 1;
		}
		g_free(channel);
	}
	g_hash_table_iter_init(&iter, channels);
	while (g_hash_table_iter_next(&iter, &key, &value))
		say_missing(info, key, value);
	g_hash_table_unref(channels);
}

/* ---- the whole ---- */

/* The first field of the tree below TYPE that is mapped to a clock. */
static const char *find_clock(const struct trc_type *type)
{
	const char *name = type ? type->clock : NULL;
	unsigned i;

	for (i = 0; type && !name && i < type->n_fields; i++)
		name = find_clock(type->fields[i].type);
	return name;
}

const struct trc_clock *trc_survey_clock(const struct trc_tsdl *t, const struct trc_stream_class *stream)
{
	const char *name = find_clock(stream->event_header);

	if (!name)
		name = find_clock(stream->packet_context);
	return name ? trc_tsdl_clock(t, name) : NULL;
}

/* babeltrace2 2.0 never comes back from metadata whose packets are not whole: so it is not left to others. */
bool trc_survey_metadata(const char *directory, struct trc_tsdl **tsdl, GError **problem, GError **error)
{
	GBytes *metadata = trc_files_metadata(directory, error);
	GString *text = NULL;
	const void *data;
	gsize size;

	if (!metadata)
		return false;
	data = g_bytes_get_data(metadata, &size);
	text = trc_tsdl_text(data, size, error);
	g_bytes_unref(metadata);
	if (!text) {
		g_prefix_error(error, "cannot read %s/", directory);
		return false;
	}
	*tsdl = trc_tsdl_parse(text->str, text->len, problem);
	g_string_free(text, TRUE);
	return true;
}

struct trc_survey *trc_survey_new(const char *directory, struct trc_info *info, GError **error)
{
	struct trc_survey *s = g_new0(struct trc_survey, 1);
	bool fine;
	unsigned i;

	s->directory = g_strdup(directory);
	s->streams = g_ptr_array_new_with_free_func(g_free);
	s->files = trc_files_list(directory, error);
	fine = s->files && trc_survey_metadata(directory, &s->tsdl, &s->tsdl_error, error);
	if (s->tsdl)
		s->layout = trc_packet_layout_new(s->tsdl);
	for (i = 0; fine && s->layout && i < s->files->len; i++)
		fine = survey_file(s, info, g_ptr_array_index(s->files, i), error);
	if (!fine) {
		trc_survey_free(s);
		return NULL;
	}
	join_files(s);
	find_missing(s, info);
	return s;
}

void trc_survey_free(struct trc_survey *s)
{
	if (!s)
		return;
	g_free(s->directory);
	g_clear_error(&s->tsdl_error);
	g_ptr_array_unref(s->streams);
	g_clear_pointer(&s->files, g_ptr_array_unref);
	trc_packet_layout_free(s->layout);
	trc_tsdl_free(s->tsdl);
	g_free(s);
}
