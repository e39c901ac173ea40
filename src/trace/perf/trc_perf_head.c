/* SPDX-License-Identifier: MIT */
/*
 * How it works: a file has a table of its parts; a file that came through a pipe has all parts in records.
 * All sizes are checked against the file, and what does not fit is left out (CUT). Compressed records are
 * unpacked into a file without a name, so that they can be read again. perf record --threads writes a folder
 * with a file for each thread of perf, "data.0", …. These have only records, which go after those of "data"
 * (__perf_session__process_dir_events(), tools/perf/util/session.c), into the unnamed file.
 */
#include "trace/perf/trc_perf_head.h"

#include "base/base_error.h"
#include "base/base_io.h"
#include "base/base_search.h"
#include "model/event/table.h"
#include "trace/core/trc_folders.h"

#include <errno.h>

#define MAGIC UINT64_C(0x32454c4946524550) /* "PERFILE2" */
#define PIPE_HEAD 16                       /* bytes of a pipe's head, which has only its size */
#define FILE_HEAD 104
#define ATTR_COST 256 /* bytes of memory, about */
#define FEATURES 256

enum {
	FEATURE_TRACING_DATA = 1,
	FEATURE_HOSTNAME = 3,
	FEATURE_OSRELEASE = 4,
	FEATURE_VERSION = 5,
	FEATURE_ARCH = 6,
	FEATURE_NRCPUS = 7,
	FEATURE_CMDLINE = 11,
	FEATURE_EVENT_DESC = 12,
	FEATURE_COMPRESSED = 27,
	FEATURE_CLOCK_DATA = 29
};

#define WINDOW (256 * 1024)            /* bytes */
#define UNPACKED_AT_ONCE (1024 * 1024) /* bytes */

typedef struct trc_bytes bytes;

/* ---- contents of the parts ---- */

/* An id of the samples of attr NUMBER. ID comes first, because base_search.h sorts and searches by it. */
struct id {
	int64_t id;
	uint32_t number;
};

static const struct id *id_at(const struct trc_perf_head *h, uint64_t i)
{
	return &g_array_index(h->ids, struct id, i);
}

static void add_attr(struct trc_perf_head *h, const bytes *attr, bytes *ids)
{
	struct trc_perf_attr a;

	if (!trc_perf_attr_read(&a, attr)) {
		h->cut = true;
		return;
	}
	if (!trc_budget_spend(&h->budget, ATTR_COST + (ids->size - ids->at) / 8 * sizeof(struct id),
		    "it describes more events than its size has room for"))
		return;
	while (ids->size - ids->at >= 8) {
		struct id id = { (int64_t)trc_bytes_take_number(ids, 8), h->attrs->len };

		g_array_append_val(h->ids, id);
	}
	g_array_append_val(h->attrs, a);
}

/* Read the tracing data, which begin like a trace.dat, up to the formats. */
static void read_tracing(struct trc_perf_head *h, bytes *b)
{
	unsigned long_size;

	trc_bytes_take(b, 3 + strlen("tracing"));
	trc_bytes_take_text(b); /* version */
	b->big = trc_bytes_take_number(b, 1) != 0;
	trc_bytes_take(b, 1 + 4); /* sizes of long (user space) and page */
	trc_format_read_pages(b, &long_size);
	h->cut |= !trc_format_read_events(&h->formats, b, "ftrace");
	h->cut |= !trc_format_read_systems(&h->formats, b);
	h->cut |= b->at > b->size;
}

static void read_text(bytes *b, char **text)
{
	bytes t = trc_bytes_take_bytes(b, trc_bytes_take_number(b, 4));

	if (!t.data)
		return;
	g_free(*text);
	*text = g_strndup((const char *)t.data, t.size);
}

static void read_command(struct trc_perf_head *h, bytes *b)
{
	GString *line = g_string_new(NULL);

	for (uint64_t n = trc_bytes_take_number(b, 4); n > 0 && b->at < b->size; n--) {
		g_autofree char *word = g_strdup("");

		read_text(b, &word);
		if (g_str_has_prefix(word, TRC_CUT_NAME " "))
			trc_cut_mark_read(&h->mark, word + strlen(TRC_CUT_NAME " "));
		else
			g_string_append_printf(line, "%s%s", line->len ? " " : "", word);
	}
	g_free(h->command);
	h->command = g_string_free(line, FALSE);
}

/* Read the names of the events, each with its attr and ids, in the order of the attrs. */
static void read_names(struct trc_perf_head *h, bytes *b)
{
	uint64_t n = trc_bytes_take_number(b, 4), size = trc_bytes_take_number(b, 4);

	for (guint i = 0; i < n && i < h->attrs->len && b->at < b->size; i++) {
		uint64_t ids;

		trc_bytes_take(b, size);
		ids = trc_bytes_take_number(b, 4);
		read_text(b, &g_array_index(h->attrs, struct trc_perf_attr, i).name);
		trc_bytes_take(b, ids > b->size ? UINT64_MAX : 8 * ids);
	}
}

static void read_feature(struct trc_perf_head *h, uint64_t feature, bytes *b)
{
	int64_t wall, then;

	switch (feature) {
	case FEATURE_TRACING_DATA: read_tracing(h, b); break;
	case FEATURE_HOSTNAME: read_text(b, &h->host); break;
	case FEATURE_OSRELEASE: read_text(b, &h->release); break;
	case FEATURE_ARCH: read_text(b, &h->machine); break;
	case FEATURE_VERSION: read_text(b, &h->version); break;
	case FEATURE_NRCPUS:
		trc_bytes_take(b, 4);
		h->online = (uint32_t)trc_bytes_take_number(b, 4);
		break;
	case FEATURE_CMDLINE: read_command(h, b); break;
	case FEATURE_EVENT_DESC: read_names(h, b); break;
	case FEATURE_CLOCK_DATA:
		trc_bytes_take(b, 8);
		wall = (int64_t)trc_bytes_take_number(b, 8);
		then = (int64_t)trc_bytes_take_number(b, 8);
		h->has_wall = b->at <= b->size && !__builtin_sub_overflow(wall, then, &h->zero);
		break;
	default: break;
	}
}

/* ---- a file ---- */

static bytes section(struct trc_perf_head *h, bytes *b)
{
	uint64_t offset = trc_bytes_take_number(b, 8), size = trc_bytes_take_number(b, 8);
	bytes all = h->bytes;

	all.at = offset;
	all = trc_bytes_take_bytes(&all, size);
	h->cut |= !all.data;
	if (all.data && !trc_places_add(&h->places, offset, size, &h->budget))
		all = (bytes){ .data = NULL };
	return all;
}

static void read_file(struct trc_perf_head *h, bytes *b)
{
	uint64_t each = trc_bytes_take_number(b, 8); /* bytes of an attr with the place of its ids */
	bytes attrs = section(h, b), features = h->bytes;
	uint64_t bits[FEATURES / 64];

	while (each >= TRC_PERF_ATTR_MIN + 16 && attrs.size - attrs.at >= each && !h->budget.refused) {
		bytes attr = trc_bytes_take_bytes(&attrs, each - 16),
		      place = trc_bytes_take_bytes(&attrs, 16);
		bytes ids = section(h, &place);

		add_attr(h, &attr, &ids);
	}
	h->begin = trc_bytes_take_number(b, 8);
	h->end = trc_bytes_take_number(b, 8);
	trc_bytes_take(b, 16); /* types of events, in old files */
	for (unsigned i = 0; i < G_N_ELEMENTS(bits); i++)
		bits[i] = trc_bytes_take_number(b, 8);
	if (h->begin > h->bytes.size || h->end > h->bytes.size - h->begin) {
		h->begin = MIN(h->begin, h->bytes.size);
		h->end = h->bytes.size - h->begin;
		h->cut = true;
	}
	trc_places_add(&h->places, h->begin, h->end, &h->budget);
	h->end += h->begin;
	features.at = h->end;
	h->is_packed = bits[0] >> FEATURE_COMPRESSED & 1;
	for (unsigned i = 0; i < FEATURES; i++) {
		bytes part;

		if (!(bits[i / 64] >> i % 64 & 1))
			continue;
		part = section(h, &features);
		read_feature(h, i, &part);
	}
}

/* ---- files that came through a pipe ---- */

static void read_record(struct trc_perf_head *h, struct trc_perf_record *r)
{
	bytes *b = &r->data, attr, behind = h->bytes;

	switch (r->type) {
	case TRC_PERF_ATTR:
		attr = *b;
		attr.at += 4;
		attr = trc_bytes_take_bytes(b, trc_bytes_take_number(&attr, 4));
		if (attr.data)
			add_attr(h, &attr, b);
		break;
	case TRC_PERF_TRACING_DATA:
		behind.at = r->offset + b->size;
		behind = trc_bytes_take_bytes(&behind, trc_bytes_take_number(b, 4));
		read_tracing(h, &behind);
		break;
	case TRC_PERF_FEATURE: read_feature(h, trc_bytes_take_number(b, 8), b); break;
	case TRC_PERF_COMPRESSED:
	case TRC_PERF_COMPRESSED2: h->is_packed = true; break;
	default: break;
	}
}

static void read_pipe(struct trc_perf_head *h)
{
	struct trc_perf_record r;
	uint64_t at = PIPE_HEAD;
	bool is_sample = false;

	h->is_pipe = true;
	h->begin = PIPE_HEAD;
	h->end = h->bytes.size;
	/* Records that describe others come before the first sample (perf_event__synthesize_for_pipe(),
	 * tools/perf/util/synthetic-events.c). */
	while (!(h->is_packed || is_sample || h->budget.refused) &&
		trc_perf_record_next(&h->bytes, &at, h->end, &r)) {
		read_record(h, &r);
		is_sample = r.type == TRC_PERF_SAMPLE && g_hash_table_size(h->formats.events) > 0;
	}
}

/* ---- attrs ---- */

/* Find the place of ids. All attrs have it in one place, or it comes first in each
 * (evlist__valid_sample_type(), tools/perf/util/evlist.c). */
static bool find_id(struct trc_perf_head *h)
{
	for (guint i = 0; i < h->attrs->len; i++) {
		const struct trc_perf_attr *a = &g_array_index(h->attrs, struct trc_perf_attr, i);

		if (i > 0 && (a->id != h->id || a->other_id != h->other_id))
			return false;
		h->id = a->id;
		h->other_id = a->other_id;
	}
	return true;
}

/*
 * The kernel counts ids up from 1 (primary_event_id(), kernel/events/core.c). Unless another program opened
 * events in between, the difference of two ids is the distance of their places.
 */
const struct trc_perf_attr *trc_perf_head_attr(const struct trc_perf_head *h, uint64_t id)
{
	uint64_t n = h->ids->len, at = n ? id - (uint64_t)id_at(h, 0)->id : 0;

	if (n && (at >= n || id_at(h, at)->id != (int64_t)id))
		at = base_search_below(&id_at(h, 0)->id, n, sizeof(struct id), (int64_t)id);
	if (at < n && id_at(h, at)->id == (int64_t)id)
		return &g_array_index(h->attrs, struct trc_perf_attr, id_at(h, at)->number);
	return h->attrs->len == 1 ? &g_array_index(h->attrs, struct trc_perf_attr, 0) : NULL;
}

/* Number the attrs that record one tracepoint. */
static void find_twins(struct trc_perf_head *h)
{
	g_autoptr(GHashTable) last = g_hash_table_new(NULL, NULL);

	for (guint i = 0; i < h->attrs->len; i++) {
		struct trc_perf_attr *a = &g_array_index(h->attrs, struct trc_perf_attr, i), *before;

		if (!a->event)
			continue;
		before = g_hash_table_lookup(last, a->event);
		if (before && before->twin + 1 < TRC_PERF_TWINS) {
			before->has_twins = a->has_twins = true;
			a->twin = (uint8_t)(before->twin + 1);
		}
		g_hash_table_insert(last, (gpointer)a->event, a);
	}
}

static void find_formats(struct trc_perf_head *h)
{
	for (guint i = 0; i < h->attrs->len; i++) {
		struct trc_perf_attr *a = &g_array_index(h->attrs, struct trc_perf_attr, i);

		if (a->is_tracepoint && a->config <= UINT32_MAX)
			a->event = g_hash_table_lookup(h->formats.events, GUINT_TO_POINTER(a->config));
		if (!a->event)
			continue;
		a->is_part = mdl_table_is_part(a->event->name);
		a->common_pid = trc_format_event_field(a->event, "common_pid");
		a->meant = trc_format_aim(a->event, true);
	}
	find_twins(h);
}

/* If the file has no name for a counter, its name comes from its number (enum perf_hw_id, enum perf_sw_ids,
 * include/uapi/linux/perf_event.h). */
const char *trc_perf_head_name(const struct trc_perf_attr *a)
{
	static const char *const hardware[] = { "cycles", "instructions", "cache-references", "cache-misses",
		"branches", "branch-misses", "bus-cycles", "stalled-cycles-frontend",
		"stalled-cycles-backend", "ref-cycles" },
				 *const software[] = { "cpu-clock", "task-clock", "page-faults",
					 "context-switches", "cpu-migrations", "minor-faults", "major-faults",
					 "alignment-faults", "emulation-faults", "dummy", "bpf-output",
					 "cgroup-switches" };

	if (a->event)
		return a->event->name;
	if (a->name && *a->name)
		return a->name;
	if (a->type == 0 && a->config < G_N_ELEMENTS(hardware))
		return hardware[a->config];
	if (a->type == 1 && a->config < G_N_ELEMENTS(software))
		return software[a->config];
	return a->is_counter ? "counter" : "unknown";
}

/*
 * perf can write switches as records (perf_event_switch_output(), kernel/events/core.c; Linux 4.3):
 * PERF_RECORD_SWITCH for threads, PERF_RECORD_SWITCH_CPU_WIDE for CPUs. If the CPU's sched_switch is
 * recorded, it has more detail, so it is used.
 */
static void find_switches(struct trc_perf_head *h)
{
	bool has_event = false;

	h->own = h->wide = (struct trc_perf_attr){ .is_switch = true };
	h->own.name = g_strdup("PERF_RECORD_SWITCH");
	h->wide.name = g_strdup("PERF_RECORD_SWITCH_CPU_WIDE");
	for (guint i = 0; i < h->attrs->len; i++) {
		const struct trc_perf_attr *a = &g_array_index(h->attrs, struct trc_perf_attr, i);

		h->own.tells_switches |= a->tells_switches && a->other_time != TRC_PERF_NOWHERE;
		has_event |= a->event && a->is_usable && !a->is_sampled &&
			g_str_equal(a->event->name, "sched:sched_switch");
	}
	h->reads_wide = h->own.tells_switches && !has_event;
}

static bool has_usable(const struct trc_perf_head *h)
{
	for (guint i = 0; i < h->attrs->len; i++)
		if (g_array_index(h->attrs, struct trc_perf_attr, i).is_usable)
			return true;
	return h->own.tells_switches;
}

static bool has_tracepoints(const struct trc_perf_head *h)
{
	for (guint i = 0; i < h->attrs->len; i++)
		if (g_array_index(h->attrs, struct trc_perf_attr, i).is_tracepoint)
			return true;
	return false;
}

/* ---- life ---- */

/* True if DATA, of SIZE bytes, begins like a perf.data. *BIG: its numbers are big endian. */
static bool is_magic(const uint8_t *data, uint64_t size, bool *big)
{
	if (size < PIPE_HEAD)
		return false;
	*big = trc_bytes_number(data, 8, true) == MAGIC;
	return *big || trc_bytes_number(data, 8, false) == MAGIC;
}

bool trc_perf_head_detect(const char *path, bool *is)
{
	g_autofree char *within = g_build_filename(path, "data", NULL);
	uint8_t begin[PIPE_HEAD];
	ssize_t got = base_io_begin(path, begin, sizeof begin);
	bool big;

	if (got == 0)
		got = base_io_begin(within, begin, sizeof begin);
	*is = got > 0 && is_magic(begin, (uint64_t)got, &big);
	return got >= 0;
}

static void perf_head_read_all(struct trc_perf_head *h)
{
	bytes b = h->bytes;
	uint64_t size;

	b.at = 8;
	size = trc_bytes_take_number(&b, 8);
	if (size == PIPE_HEAD)
		read_pipe(h);
	else if (size >= FILE_HEAD)
		read_file(h, &b);
	trc_places_check(&h->places, &h->budget);
	find_formats(h);
	find_switches(h);
	g_array_sort(h->ids, base_search_by_int64);
}

/* Return why H cannot be used; NULL: it can. */
static const char *problem_of(struct trc_perf_head *h)
{
	if (!h->is_pipe && h->others->len == 0 && h->begin > 0 && h->end == h->begin)
		return "perf record was interrupted: the file does not say where its events are; record again";
	if (!has_usable(h))
		return "it has no tracepoints with their times and CPUs; record with perf record -a -k mono -e 'sched:*'";
	if (!find_id(h))
		return "its events have their ids in different places; record with a newer perf";
	if (g_hash_table_size(h->formats.events) == 0 && has_tracepoints(h))
		return "it lacks the formats of its events; copy it again";
	return NULL;
}

static void perf_head_add_part(struct trc_perf_head *h, const struct trc_bytes *b, uint64_t begin,
	uint64_t end)
{
	struct trc_perf_part part = { *b, begin, end };

	if (begin < end)
		g_array_append_val(h->parts, part);
}

/* Prepare to unpack the records if some are compressed or in other files. */
static bool perf_head_unpack(struct trc_perf_head *h, GError **error)
{
	if (!h->is_packed && h->others->len == 0)
		return true;
	perf_head_add_part(h, &h->bytes, h->begin, h->end);
	for (guint i = 0; i < h->others->len; i++) {
		GMappedFile *file = g_ptr_array_index(h->others, i);
		bytes b = { .data = (const uint8_t *)g_mapped_file_get_contents(file),
			.size = g_mapped_file_get_length(file),
			.big = h->bytes.big };

		perf_head_add_part(h, &b, 0, b.size);
	}
	if (h->parts->len == 0)
		return true;
	h->unpacked = trc_perf_unpack_new(h->parts, &h->budget, error);
	if (!h->unpacked)
		return false;
	h->bytes.data = trc_perf_unpack_bytes(h->unpacked, &h->bytes.size);
	h->begin = h->end = 0;
	close(h->fd);
	h->fd = dup(trc_perf_unpack_fd(h->unpacked));
	return true;
}

/* Unpack up to TO bytes of records. False if there are no more. */
static bool unpack_to(struct trc_perf_head *h, uint64_t to)
{
	uint64_t before = h->end;
	bool cut;

	if (!h->unpacked || h->problem || !trc_perf_unpack_to(h->unpacked, to, &h->problem))
		return false;
	if (h->budget.refused) {
		trc_budget_set_error(&h->budget, h->path, &h->problem);
		return false;
	}
	trc_perf_unpack_bytes(h->unpacked, &h->end);
	h->bytes.size = h->end;
	if (trc_perf_unpack_is_all(h->unpacked, &cut))
		h->cut |= cut;
	return h->end > before;
}

bool trc_perf_head_copy(const struct trc_perf_head *h, uint64_t at, uint64_t size, uint8_t *to)
{
	return base_io_read(h->fd, to, size, at) == (ssize_t)size;
}

/* Copy the bytes from AT on. Reading a large file is several times faster than mapping its pages, and leaves
 * them in the processor's caches. */
static void move_window(struct trc_perf_head *h, uint64_t at)
{
	uint64_t size = MIN(h->end - at, WINDOW);
	uint8_t *copy = (uint8_t *)(uintptr_t)h->window.data;

	if (!copy)
		copy = g_malloc(WINDOW);
	h->window = (struct trc_bytes){ .data = copy, .size = size, .big = h->bytes.big };
	h->window_at = at;
	if (!trc_perf_head_copy(h, at, size, copy))
		h->window.size = 0;
}

static bool next_in_window(const struct trc_perf_head *h, uint64_t *at, struct trc_perf_record *record)
{
	uint64_t inside = *at - h->window_at;

	if (*at < h->window_at || !trc_perf_record_next(&h->window, &inside, h->window.size, record))
		return false;
	record->offset = *at;
	*at = h->window_at + inside;
	return true;
}

bool trc_perf_head_next(struct trc_perf_head *h, uint64_t *at, struct trc_perf_record *record)
{
	if (next_in_window(h, at, record))
		return true;
	if (*at < h->end) {
		move_window(h, *at);
		if (next_in_window(h, at, record))
			return true;
	}
	/* Records larger than the window, and records that must be unpacked first. */
	while (!h->problem) {
		if (trc_perf_record_next(&h->bytes, at, h->end, record))
			return true;
		if (!unpack_to(h, h->end + UNPACKED_AT_ONCE))
			break;
	}
	return false;
}

double trc_perf_head_share(const struct trc_perf_head *h, uint64_t at)
{
	double of = h->end > h->begin ? (double)(at - h->begin) / (double)(h->end - h->begin) : 1;

	return h->unpacked ? of * trc_perf_unpack_share(h->unpacked) : of;
}

/* Map the non-empty files "data.…" in FOLDER, which have records beside "data". */
static GPtrArray *map_others(const char *folder, GError **error)
{
	GPtrArray *others = g_ptr_array_new_with_free_func((GDestroyNotify)g_mapped_file_unref);
	g_autoptr(GPtrArray) all = trc_files_list((char *[]){ (char *)(uintptr_t)folder, NULL }, error);
	bool fine = all;

	for (guint i = 0; fine && i < all->len; i++) {
		const struct trc_file *f = g_ptr_array_index(all, i);
		g_autofree char *path = g_build_filename(folder, f->own, NULL);
		GMappedFile *file = NULL;

		if (!g_str_has_prefix(f->own, "data.") || f->size == 0)
			continue;
		file = trc_files_map(path, error);
		fine = file;
		if (file)
			g_ptr_array_add(others, file);
	}
	if (!fine)
		g_clear_pointer(&others, g_ptr_array_unref);
	return others;
}

static void free_attr(void *attr)
{
	g_free(((struct trc_perf_attr *)attr)->name);
}

static struct trc_perf_head *head_new(GMappedFile *file, int fd)
{
	struct trc_perf_head *h = g_new(struct trc_perf_head, 1);
	GArray *attrs = g_array_new(FALSE, FALSE, sizeof(struct trc_perf_attr));

	g_array_set_clear_func(attrs, free_attr);
	*h = (struct trc_perf_head){ .file = file,
		.fd = fd,
		.parts = g_array_new(FALSE, FALSE, sizeof(struct trc_perf_part)),
		.bytes = { .data = (const uint8_t *)g_mapped_file_get_contents(file),
			.size = g_mapped_file_get_length(file) },
		.attrs = attrs,
		.ids = g_array_new(FALSE, FALSE, sizeof(struct id)),
		.places = trc_places_new(g_mapped_file_get_length(file)),
		.formats = trc_formats_new(&h->budget),
		.host = g_strdup(""),
		.release = g_strdup(""),
		.machine = g_strdup(""),
		.version = g_strdup(""),
		.command = g_strdup("") };
	trc_cut_mark_init(&h->mark);
	return h;
}

struct trc_perf_head *trc_perf_head_open(const char *path, GError **error)
{
	bool is_folder = g_file_test(path, G_FILE_TEST_IS_DIR);
	g_autofree char *name = is_folder ? g_build_filename(path, "data", NULL) : g_strdup(path);
	struct trc_perf_head *h;
	g_autoptr(GError) problem = NULL;
	int fd = base_io_open(name, 0);
	GMappedFile *file;

	if (fd < 0)
		return base_error_null_errno(error, errno, "cannot read the trace", name);
	file = g_mapped_file_new_from_fd(fd, FALSE, &problem);
	if (!file) {
		close(fd);
		return base_error_null(error, BASE_ERROR_IO, "cannot read the trace: %s", problem->message);
	}
	h = head_new(file, fd);
	h->path = g_strdup(path);
	h->others = is_folder ? map_others(path, error) : g_ptr_array_new();
	if (!h->others) {
		trc_perf_head_free(h);
		return NULL;
	}
	h->size = h->bytes.size;
	for (guint i = 0; i < h->others->len; i++)
		h->size += g_mapped_file_get_length(g_ptr_array_index(h->others, i));
	h->budget = trc_budget_of(h->size);
	if (is_magic(h->bytes.data, h->bytes.size, &h->bytes.big))
		perf_head_read_all(h);
	if (!h->budget.refused && !problem_of(h) && perf_head_unpack(h, error))
		return h;
	if (h->budget.refused)
		trc_budget_set_error(&h->budget, path, error);
	else if (problem_of(h))
		g_set_error(error, BASE_ERROR, BASE_ERROR_DATA, "cannot read the trace %s: %s", path,
			problem_of(h));
	trc_perf_head_free(h);
	return NULL;
}

void trc_perf_head_free(struct trc_perf_head *h)
{
	trc_cut_mark_clear(&h->mark);
	g_free(h->path);
	g_free(h->host);
	g_free(h->release);
	g_free(h->machine);
	g_free(h->version);
	g_free(h->command);
	trc_formats_free(&h->formats);
	trc_places_free(&h->places);
	g_array_unref(h->ids);
	g_array_unref(h->attrs);
	g_free(h->own.name);
	g_free(h->wide.name);
	g_clear_pointer(&h->cpus, g_hash_table_unref);
	g_clear_pointer(&h->slots, g_hash_table_unref);
	trc_perf_unpack_free(h->unpacked);
	g_array_unref(h->parts);
	if (h->others)
		g_ptr_array_unref(h->others);
	g_clear_error(&h->problem);
	g_mapped_file_unref(h->file);
	close(h->fd);
	g_free((uint8_t *)(uintptr_t)h->window.data);
	g_free(h);
}
