/* SPDX-License-Identifier: MIT */
#include "trace/ctf/trc_survey_parts.h"

#include "base/base_error.h"
#include "base/base_io.h"
#include "base/base_time.h"
#include "trace/core/trc_budget.h"
#include "trace/ctf/trc_ctf.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/*
 * ---- the floor: where a trace begins if some of its events have no time ----
 *
 * "perf data convert --all" also converts the records that perf wrote at the start about existing threads and
 * mappings (tools/perf/util/synthetic-events.c). They have no time, and perf's CTF writer (data-convert-bt.c)
 * gives them time 0. They belong to the start of the recording, like LTTng's state dump, not to the boot of
 * the host or to 1970.
 *
 * How it works: these events come before all others of their stream. Each stream is read from its start up to
 * its first event later than 0. The floor is the earliest of these.
 */

/* Set *TIME to the first time after ZERO in PACKET of F; BASE_TIME_NONE: there is none. False with an error
 * if the file cannot be read. */
static bool first_in_packet(void *pages, const struct trc_stream_file *f, const struct trc_packet *packet,
	int64_t zero, int64_t *time, GError **error)
{
	const struct trc_paging_ops *ops = &trc_ctf_paging;
	struct trc_paging_packet p = { .stream = f->file->name,
		.offset = packet->offset,
		.size = packet->size,
		.latest = INT64_MIN };
	struct trc_paging_event event = { .time = BASE_TIME_NONE };
	GError *failure = NULL;
	void *page = ops->read(pages, &p, &failure);
	uint64_t at;

	if (page && ops->find(pages, page, zero + 1, &at, &failure) && at < p.events)
		ops->event(pages, page, at, &event, &failure);
	if (page)
		ops->free_page(page);
	*time = event.time;
	return !base_error_is_io(failure, error);
}

/* Like first_in_packet(), for all of F. */
static bool first_in_file(const struct trc_survey *s, void *pages, const struct trc_stream_file *f,
	int64_t zero, int64_t *time, GError **error)
{
	g_autofree char *path = g_build_filename(s->directory, f->file->name, NULL);
	int fd = base_io_open(path, 0);
	enum trc_packet_status status = fd >= 0 ? TRC_PACKET_FINE : TRC_PACKET_UNREAD;
	bool fine = true;
	struct trc_packet packet;

	*time = BASE_TIME_NONE;
	for (uint64_t at = f->first.offset;
		fd >= 0 && fine && at <= f->last.offset && *time == BASE_TIME_NONE; at += packet.size) {
		status = trc_survey_packet(s, f, fd, at, &packet);
		if ((status != TRC_PACKET_FINE && status != TRC_PACKET_CUT) || !packet.size)
			break;
		fine = first_in_packet(pages, f, &packet, zero, time, error);
	}
	if (status == TRC_PACKET_UNREAD)
		fine = base_error_false_errno(error, errno, "cannot read", path);
	if (fd >= 0)
		close(fd);
	return fine;
}

/* Set *FLOOR to the time of the first event of S with a time, if others have none (time 0 of their clock).
 * BASE_TIME_NONE: all have one. False with an error if a file cannot be read. */
static bool find_floor(const struct trc_survey *s, int64_t *floor, GError **error)
{
	GError *failure = NULL;
	const struct trc_env *tracer = s->layout ? trc_meta_env(s->meta, "tracer_name") : NULL;
	bool is_perf = tracer && g_strcmp0(tracer->text, "perf") == 0;
	void *pages = is_perf ? trc_ctf_paging.open(s->folders, true, &failure) : NULL;
	int64_t first = INT64_MAX;
	bool has_none = false, fine = !base_error_is_io(failure, error);

	for (unsigned i = 0; fine && pages && i < s->streams->len; i++) {
		const struct trc_stream_file *f = g_ptr_array_index(s->streams, i);
		const struct trc_clock *clock = f->n_packets ? f->stream->clock : NULL;
		int64_t time = BASE_TIME_NONE;

		fine = !clock || first_in_file(s, pages, f, trc_clock_ns(clock, 0), &time, error);
		has_none |= clock && f->first.has_begin && f->first.begin == 0;
		if (time != BASE_TIME_NONE)
			first = MIN(first, time);
	}
	if (pages)
		trc_ctf_paging.free(pages);
	*floor = has_none && first < INT64_MAX ? first : BASE_TIME_NONE;
	return fine;
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
			"%s: left out: not a stream of this trace, or cut short before its first event; "
			"copy the trace again if the original is whole",
			name);
}

/* ---- missing streams ---- */

/*
 * Return the channel of F: its name without "_CPU" and the rest; the caller frees it. Set *CPU. NULL if the
 * name has no channel. If F has no packets, the number at the end is its CPU.
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

/* Warn of CPUs below the highest that have no file in CHANNEL; CPUS[i] is 1 if CPU i has one. */
static void say_missing(struct trc_info *info, const char *channel, const GByteArray *cpus)
{
	for (unsigned cpu = 0; cpu < cpus->len; cpu++)
		if (!cpus->data[cpu])
			trc_info_warn(info,
				"no stream file for CPU %u in channel %s: that CPU is unknown; copy "
				"the whole folder if the original has it",
				cpu, channel);
}

/* Tracers write a file per CPU and channel, even for an idle CPU. Look for missing ones. */
static void find_missing(const struct trc_survey *s, struct trc_info *info)
{
	g_autoptr(GHashTable) channels = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
		(GDestroyNotify)g_byte_array_unref);
	GHashTableIter iter;
	gpointer key, value;

	for (unsigned i = 0; i < s->streams->len; i++) {
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
	bool refused = g_error_matches(s->meta_error, BASE_ERROR, BASE_ERROR_REFUSED);

	if (g_error_matches(s->meta_error, BASE_ERROR, BASE_ERROR_FOREIGN))
		g_set_error(error, BASE_ERROR, s->meta_error->code, "cannot read %s/metadata: %s",
			s->metadata_of, s->meta_error->message);
	else
		g_set_error(error, BASE_ERROR, s->meta_error->code,
			"cannot read %s/metadata: %s: it is damaged or %s; copy the trace again",
			s->metadata_of, s->meta_error->message, refused ? "made to do harm" : "cut short");
}

/* Return the time of day at 0 of T's clock; BASE_TIME_NONE: it has no clock, or several. */
static int64_t clock_zero(const struct trc_meta *t)
{
	return t->clocks->len == 1 ? trc_clock_ns(g_ptr_array_index(t->clocks, 0), 0) : BASE_TIME_NONE;
}

/* Warn of differences: "lttng regenerate metadata" reads the clock against the time of day again. */
static bool compare_clocks(const struct trc_survey *s, struct trc_info *info, GError **error)
{
	for (unsigned i = 0; s->meta && s->folders[i]; i++) {
		const struct trc_meta *other;
		const GError *problem;

		if (!trc_metadata_read(s->metadata, s->folders[i], &other, &problem, error))
			return false;
		if (!other || clock_zero(other) == clock_zero(s->meta))
			continue;
		trc_info_warn(info,
			"%s: its metadata gives the clock another time of day: times are as %s has it",
			s->folders[i], s->metadata_of);
	}
	return true;
}

/* Survey the files of folder number FOLDER. False if one cannot be read. */
static bool survey_folder(struct trc_survey *s, struct trc_info *info, unsigned folder, GError **error)
{
	struct trc_range all = { .begin = info->begin, .end = info->end }, own;
	struct trc_times times;
	bool fine = true;

	trc_times_init(&times);
	for (unsigned i = 0; fine && s->layout && i < s->files->len; i++) {
		const struct trc_file *file = g_ptr_array_index(s->files, i);
		struct trc_stream_file *f;

		if (file->folder != folder)
			continue;
		f = g_new0(struct trc_stream_file, 1);
		f->file = file;
		f->cpu = TRC_CPU_UNKNOWN;
		f->open = s->known;
		g_ptr_array_add(s->streams, f);
		fine = trc_survey_walk(s, &times, f, error);
	}
	own = trc_survey_believed(s, &times);
	trc_times_clear(&times);
	if (s->known)
		trc_survey_know(s, s->folders[folder], &own);
	trc_info_add_chunk(info, s->folders[folder], own.begin, own.end);
	trc_survey_widen(&all, &own);
	info->begin = all.begin;
	info->end = all.end;
	return fine;
}

/* True if the size of the trace has room for its streams. False with BASE_ERROR_REFUSED. */
static bool has_room(const struct trc_survey *s, struct trc_info *info, GError **error)
{
	struct trc_budget budget;
	uint64_t n = 0;

	for (guint i = 0; i < s->files->len; i++) {
		const struct trc_file *f = g_ptr_array_index(s->files, i);

		info->size += (uint64_t)f->size;
		n += f->size > 0;
	}
	budget = trc_budget_of(info->size);
	if (trc_budget_spend(&budget, n * TRC_BUDGET_STREAM,
		    "it has more streams than its size has room for"))
		return true;
	trc_budget_set_error(&budget, info->path, error);
	return false;
}

/* Survey files, metadata and all folders. False with ERROR. */
static bool survey_all(struct trc_survey *s, struct trc_info *info, GError **error)
{
	s->files = trc_files_list(s->folders, error);
	if (!s->files ||
		!trc_metadata_choose(s->metadata, s->folders, &s->meta, &s->metadata_of, &s->meta_error,
			error) ||
		!compare_clocks(s, info, error))
		return false;
	if (s->meta)
		s->layout = trc_packet_layout_new(s->meta);
	trc_info_set_text(&info->format, s->meta ? s->meta->format : NULL);
	if (!has_room(s, info, error))
		return false;
	for (unsigned i = 0; s->folders[i]; i++)
		if (!survey_folder(s, info, i, error))
			return false;
	return true;
}

/* Find the parts of each stream, and where the trace begins. False with ERROR. */
static bool put_together(struct trc_survey *s, struct trc_info *info, GError **error)
{
	if (s->known && !trc_survey_all_began(s, error))
		return false;
	if (!trc_parts_once(s, info, error))
		return false;
	trc_parts_join(s);
	if (!(s->known ? trc_survey_leave_open(s, error) : trc_survey_settle(s, info, error)) ||
		!find_floor(s, &info->floor, error))
		return false;
	trc_info_begin_at_floor(info);
	return true;
}

struct trc_survey *trc_survey_new(char *const *folders, const struct trc_clock *like, struct trc_info *info,
	GError **error)
{
	struct trc_survey *s = g_new0(struct trc_survey, 1);

	s->bounds = (struct trc_bounds){ .from = INT64_MAX, .to = INT64_MIN };
	s->folders = g_strdupv((char **)folders);
	s->directory = trc_folders_root(folders);
	s->metadata = trc_metadata_new();
	if (like)
		trc_metadata_set_clock(s->metadata, like);
	if (info->grows)
		s->known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	s->streams = g_ptr_array_new_with_free_func(g_free);
	if (!survey_all(s, info, error) || !put_together(s, info, error))
		g_clear_pointer(&s, trc_survey_free);
	return s;
}

bool trc_survey_settle(struct trc_survey *s, struct trc_info *info, GError **error)
{
	for (unsigned i = 0; i < s->streams->len; i++) {
		struct trc_stream_file *f = g_ptr_array_index(s->streams, i);

		if (f->open && !trc_survey_close(s, f, error))
			return false;
		s->damaged |= !trc_stream_file_is_whole(f);
		s->index_lies |= f->index_lies;
		say_state(info, f);
	}
	find_missing(s, info);
	return true;
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
	g_clear_pointer(&s->known, g_hash_table_unref);
	g_free(s);
}
