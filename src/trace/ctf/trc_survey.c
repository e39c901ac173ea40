/* SPDX-License-Identifier: MIT */
#include "trace/ctf/trc_survey.h"

#include "base/base_error.h"
#include "base/base_time.h"
#include "trace/core/trc_folders.h"
#include "trace/core/trc_queue.h"
#include "trace/ctf/trc_floor.h"
#include "trace/ctf/trc_lttng_index.h"
#include "trace/ctf/trc_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* ---- one stream file ---- */

/* A range of time. */
struct range {
	int64_t begin, end; /* ns, BASE_TIME_NONE unknown */
};

/* Widen RANGE by OTHER. */
static void widen(struct range *range, const struct range *other)
{
	if (other->begin != BASE_TIME_NONE && (range->begin == BASE_TIME_NONE || other->begin < range->begin))
		range->begin = other->begin;
	if (other->end != BASE_TIME_NONE && (range->end == BASE_TIME_NONE || other->end > range->end))
		range->end = other->end;
}

bool trc_survey_bounds(const struct trc_survey *s, const struct trc_clock *clock, struct trc_packet *packet,
	struct trc_bounds *bounds)
{
	return trc_bounds_of_packet(packet, clock, bounds) &&
		(!packet->has_begin || !packet->begin ||
			trc_bounds_hold(&s->bounds, trc_clock_ns(clock, packet->begin)));
}

/* When the packets of a trace began and ended. */
struct times {
	GArray *begins, *ends; /* of int64_t, owned */
	int64_t newest;        /* begin in the current file */
};

static void add_times(struct times *times, const struct trc_clock *clock, struct trc_packet packet)
{
	int64_t begin = trc_clock_ns(clock, packet.begin), end = trc_clock_ns(clock, packet.end);
	struct trc_bounds bounds;

	if (!trc_bounds_of_packet(&packet, clock, &bounds) ||
		!trc_bounds_follow(&packet, clock, &times->newest))
		return;
	if (packet.has_begin && packet.begin)
		g_array_append_val(times->begins, begin);
	if (packet.has_end)
		g_array_append_val(times->ends, end);
}

/* The range of the packets of TIMES that can be believed; the bounds of S hold them. */
static struct range believed(struct trc_survey *s, const struct times *times)
{
	struct range range = { .begin = BASE_TIME_NONE, .end = BASE_TIME_NONE };
	g_autoptr(GArray) all = g_array_copy(times->begins);
	struct trc_bounds bounds;
	unsigned i;

	g_array_append_vals(all, times->ends->data, times->ends->len);
	bounds = trc_bounds_of_all(all);
	for (i = 0; i < times->begins->len; i++) {
		int64_t begin = g_array_index(times->begins, int64_t, i);
		struct range one = { .begin = begin, .end = BASE_TIME_NONE };

		if (trc_bounds_hold(&bounds, begin))
			widen(&range, &one);
	}
	for (i = 0; i < times->ends->len; i++) {
		int64_t end = g_array_index(times->ends, int64_t, i);
		struct range one = { .begin = BASE_TIME_NONE, .end = end };

		if (trc_bounds_hold(&bounds, end))
			widen(&range, &one);
	}
	s->bounds.from = MIN(s->bounds.from, bounds.from);
	s->bounds.to = MAX(s->bounds.to, bounds.to);
	return range;
}

/* Take PACKET, the next of F. */
static void add_packet(struct times *times, struct trc_stream_file *f, const struct trc_packet *packet,
	const struct trc_stream_class *stream)
{
	if (!f->n_packets++) {
		f->cpu = packet->cpu;
		f->first = *packet;
	}
	f->stream = stream;
	f->last = *packet;
	if (stream->clock)
		add_times(times, stream->clock, *packet);
}

/* Go through the packets of F in FD. */
static void walk(struct trc_survey *s, struct times *times, struct trc_stream_file *f, int fd)
{
	uint64_t size = (uint64_t)f->file->size;
	enum trc_packet_status status = TRC_PACKET_FINE;
	struct trc_lttng_index index;

	times->newest = -BASE_TIME_FARTHEST;
	trc_lttng_index_open(&index, s->folders[f->file->folder], f->file->own);
	while (status == TRC_PACKET_FINE && f->good < size) {
		const struct trc_stream_class *stream = f->stream;
		struct trc_packet packet;

		status = trc_packet_read_at(s->layout, fd, f->good, size, &packet, &stream);
		if (status == TRC_PACKET_FOREIGN)
			f->stream = stream;
		if (status == TRC_PACKET_FOREIGN || status == TRC_PACKET_BAD || !packet.size)
			break;
		add_packet(times, f, &packet, stream);
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
		trc_info_warn(info,
			"%s: cut short within its last packet: read up to there; copy the trace again if "
			"the original is whole",
			name);
	else if (f->state == TRC_FILE_TAIL)
		trc_info_warn(info,
			"%s: the last %" G_GUINT64_FORMAT " bytes are damaged and were left out; "
			"copy the trace again if the original is whole",
			name, rest);
	else if (f->state == TRC_FILE_UNUSABLE && !f->file->size)
		trc_info_warn(info,
			"%s: empty: no events of that stream; copy the trace again if the original has some",
			name);
	else if (f->state == TRC_FILE_UNUSABLE)
		trc_info_warn(info,
			"%s: left out: no stream of this trace, or cut short before its first event; "
			"copy the trace again if the original is whole",
			name);
}

/* Add the times of FILE; false when it cannot be read. */
static bool survey_file(struct trc_survey *s, struct times *times, const struct trc_file *file,
	GError **error)
{
	struct trc_stream_file *f = g_new0(struct trc_stream_file, 1);
	g_autofree char *path = g_build_filename(s->directory, file->name, NULL);
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	f->file = file;
	f->cpu = TRC_CPU_UNKNOWN;
	g_ptr_array_add(s->streams, f);
	if (fd < 0) {
		base_error_set_errno(error, errno, "cannot read", path);
		return false;
	}
	walk(s, times, f, fd);
	close(fd);
	return true;
}

/* ---- streams that are not there ---- */

/*
 * The channel of F: its name without "_CPU" and what follows; the caller
 * frees.  NULL when its name does not tell.  Without packets the number at the
 * end counts.
 */
static char *channel_of(const struct trc_stream_file *f, uint64_t *cpu)
{
	const char *name = f->file->own, *dash;

	for (dash = strchr(name, '_'); dash; dash = strchr(dash + 1, '_')) {
		char *end;

		*cpu = g_ascii_isdigit(dash[1]) ? g_ascii_strtoull(dash + 1, &end, 10) : UINT64_MAX;
		if (*cpu < TRC_CPUS_MAX && (*end == '_' || !*end) &&
			(f->cpu == *cpu || (!f->n_packets && !*end)))
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
			trc_info_warn(info,
				"no stream file for CPU %u in channel %s: nothing is known of that CPU; copy "
				"the whole folder if the original has it",
				cpu, channel);
}

static void unref_bytes(gpointer bytes)
{
	g_byte_array_unref(bytes);
}

/* Tracers write a file per CPU and channel, also for CPUs where nothing happened: look for holes. */
static void find_missing(const struct trc_survey *s, struct trc_info *info)
{
	g_autoptr(GHashTable) channels = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, unref_bytes);
	GHashTableIter iter;
	gpointer key, value;
	unsigned i;

	for (i = 0; i < s->streams->len; i++) {
		uint64_t cpu;
		g_autofree char *channel = channel_of(g_ptr_array_index(s->streams, i), &cpu);
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
	}
	g_hash_table_iter_init(&iter, channels);
	while (g_hash_table_iter_next(&iter, &key, &value))
		say_missing(info, key, value);
}

/* ---- the whole ---- */

void trc_survey_set_metadata_error(const struct trc_survey *s, GError **error)
{
	bool refused = g_error_matches(s->tsdl_error, BASE_ERROR, BASE_ERROR_REFUSED);

	g_set_error(error, BASE_ERROR, s->tsdl_error->code,
		"cannot read %s/metadata: %s: it is damaged or %s; copy the trace again", s->metadata_of,
		s->tsdl_error->message, refused ? "made to do harm" : "cut short");
}

/* The time of day at which the clock of T began; BASE_TIME_NONE: it has none, or several. */
static int64_t clock_zero(const struct trc_tsdl *t)
{
	return t->clocks->len == 1 ? trc_clock_ns(g_ptr_array_index(t->clocks, 0), 0) : BASE_TIME_NONE;
}

/* "lttng regenerate metadata" reads the clock against the time of day again, in the middle of a recording. */
static bool compare_clocks(const struct trc_survey *s, struct trc_info *info, GError **error)
{
	unsigned i;

	for (i = 0; s->tsdl && s->folders[i]; i++) {
		const struct trc_tsdl *other;
		const GError *problem;

		if (!trc_metadata_read(s->metadata, s->folders[i], &other, &problem, error))
			return false;
		if (!other || clock_zero(other) == clock_zero(s->tsdl))
			continue;
		trc_info_warn(info,
			"%s: its metadata gives the clock another time of day: times are as %s has it",
			s->folders[i], s->metadata_of);
	}
	return true;
}

/* The files of folder number FOLDER; false when one cannot be read. */
static bool survey_folder(struct trc_survey *s, struct trc_info *info, unsigned folder, GError **error)
{
	struct range all = { .begin = info->begin, .end = info->end }, own;
	struct times times = { g_array_new(FALSE, FALSE, sizeof(int64_t)),
		g_array_new(FALSE, FALSE, sizeof(int64_t)), 0 };
	bool fine = true;
	unsigned i;

	for (i = 0; fine && s->layout && i < s->files->len; i++) {
		const struct trc_file *file = g_ptr_array_index(s->files, i);

		if (file->folder == folder)
			fine = survey_file(s, &times, file, error);
	}
	own = believed(s, &times);
	g_array_unref(times.begins);
	g_array_unref(times.ends);
	trc_info_add_chunk(info, s->folders[folder], own.begin, own.end);
	widen(&all, &own);
	info->begin = all.begin;
	info->end = all.end;
	return fine;
}

/* Look at all there is; false with ERROR. */
static bool survey_all(struct trc_survey *s, struct trc_info *info, GError **error)
{
	unsigned i;

	s->files = trc_files_list(s->folders, error);
	if (!s->files ||
		!trc_metadata_choose(s->metadata, s->folders, &s->tsdl, &s->metadata_of, &s->tsdl_error,
			error) ||
		!compare_clocks(s, info, error))
		return false;
	if (s->tsdl)
		s->layout = trc_packet_layout_new(s->tsdl);
	for (i = 0; s->folders[i]; i++)
		if (!survey_folder(s, info, i, error))
			return false;
	return true;
}

struct trc_survey *trc_survey_new(char *const *folders, struct trc_info *info, GError **error)
{
	struct trc_survey *s = g_new0(struct trc_survey, 1);
	unsigned i;

	s->bounds = (struct trc_bounds){ .from = INT64_MAX, .to = INT64_MIN };
	s->folders = g_strdupv((char **)folders);
	s->directory = trc_folders_root(folders);
	s->metadata = trc_metadata_new();
	s->streams = g_ptr_array_new_with_free_func(g_free);
	if (!survey_all(s, info, error)) {
		trc_survey_free(s);
		return NULL;
	}
	trc_parts_once(s, info);
	for (i = 0; i < s->streams->len; i++) {
		const struct trc_stream_file *f = g_ptr_array_index(s->streams, i);

		s->damaged |= !trc_stream_file_is_whole(f);
		s->index_lies |= f->index_lies;
		say_state(info, f);
	}
	trc_parts_join(s);
	find_missing(s, info);
	info->floor = trc_floor_find(s);
	trc_info_begin_at_floor(info);
	return s;
}

void trc_survey_free(struct trc_survey *s)
{
	if (!s)
		return;
	g_strfreev(s->folders);
	g_free(s->directory);
	g_ptr_array_unref(s->streams);
	g_clear_pointer(&s->files, g_ptr_array_unref);
	trc_packet_layout_free(s->layout);
	trc_metadata_free(s->metadata);
	g_free(s);
}
