/* SPDX-License-Identifier: MIT */
/*
 * Opens a trace in graphs of babeltrace2, or a copy of the trace that babeltrace2 accepts, and divides its
 * streams among the graphs.
 */
#include "trace/bt2/trc_bt2_open.h"

#include "base/base_error.h"
#include "base/base_io.h"
#include "base/base_scratch.h"
#include "base/base_search.h"
#include "trace/ctf/trc_bits.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- a copy that babeltrace2 accepts ---- */

/*
 * How it works: babeltrace2 refuses a whole trace if one of its files ends within a packet or is no stream,
 * or if the index beside a file is damaged. So it gets a folder of links, without an index:
 *
 *   - Files that cannot be used are absent.
 *   - Files of several chunks are side by side. If only a part of a file is read (trc_parts.c), the folder
 *     has a copy of that part.
 *   - A file that ends within a packet is a copy in which the sizes of its last packet are those that exist.
 *     An incomplete event then lies at the end of the packet's content, where a reader recognises it. (With
 *     older tracers babeltrace2 reads the last event's time when it opens the file, and fails there. Then the
 *     incomplete packet is left out.)
 *   - A file with other data at its end is a copy without it.
 */

/* Copy LENGTH bytes of FROM, from AT on, to the begin of TO. False with errno. */
static bool copy_bytes(int from, int to, uint64_t at, uint64_t length)
{
	static const size_t chunk = 1 << 20;
	char *buffer = g_malloc(chunk);
	uint64_t done = 0;
	bool fine = true;

	while (fine && length) {
		ssize_t got = base_io_read(from, buffer, MIN(length, chunk), at);

		if (got == 0)
			errno = ESTALE; /* FROM became shorter */
		fine = got > 0 && base_io_write(to, buffer, (size_t)got, done);
		at += (uint64_t)MAX(got, 0);
		done += (uint64_t)MAX(got, 0);
		length -= (uint64_t)MAX(got, 0);
	}
	g_free(buffer);
	return fine;
}

/* Set the field with ROLE in the context of PACKET in FD to VALUE, if it exists. */
static bool set_field(const struct trc_survey *s, const struct trc_stream_file *f,
	const struct trc_packet *packet, int fd, enum trc_role role, uint64_t value)
{
	uint64_t at = 0;
	const struct trc_type *type = trc_packet_field(s->layout, f->stream, role, &at);
	uint8_t bytes[8];

	if (!type || at % 8 || type->bits % 8)
		return true;
	trc_bits_write(bytes, 0, (unsigned)type->bits, type->big_endian, value);
	return base_io_write(fd, bytes, type->bits / 8, packet->offset - f->first.offset + at / 8);
}

/* Copy the usable part of F into the file TO. False with errno. */
static bool copy_file(const struct trc_survey *s, const struct trc_stream_file *f, bool whole_packets,
	int from, int to)
{
	const struct trc_packet *last = &f->last;

	if (whole_packets)
		return copy_bytes(from, to, f->first.offset,
			MIN(f->good, last->offset + last->size) - f->first.offset);
	if (!copy_bytes(from, to, f->first.offset, last->offset + last->size - f->first.offset))
		return false;
	return f->state != TRC_FILE_CUT ||
		(set_field(s, f, last, to, TRC_ROLE_SIZE, last->size * 8) &&
			set_field(s, f, last, to, TRC_ROLE_CONTENT, last->content));
}

static bool add_copy(const struct trc_survey *s, const struct trc_stream_file *f, const char *source,
	const char *target, bool whole_packets, GError **error)
{
	int from = base_io_open(source, 0);
	int to = BASE_IO_AGAIN(open(target, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
	bool fine = from >= 0 && to >= 0 && copy_file(s, f, whole_packets, from, to);

	if (!fine)
		base_error_set_errno(error, errno, "cannot make a repaired copy as", target);
	if (from >= 0)
		close(from);
	if (to >= 0)
		close(to);
	return fine;
}

static bool add_link(const char *source, const char *target, GError **error)
{
	if (symlink(source, target) == 0)
		return true;
	return base_error_false_errno(error, errno, "cannot make a repaired copy as", target);
}

/* Return the name in the folder of F, number NUMBER of the read streams; the caller frees it. */
static char *repair_name(const struct trc_survey *s, const struct trc_stream_file *f, unsigned number)
{
	return s->folders[1] ? g_strdup_printf("%u-%s", number, f->file->own) : g_strdup(f->file->own);
}

/* Put all of STREAMS into FOLDER: as a link, or as a copy if only a part is read. */
static bool add_files(const struct trc_survey *s, const char *folder, const GPtrArray *streams,
	bool whole_packets, GError **error)
{
	bool fine = true;

	for (unsigned i = 0; fine && i < streams->len; i++) {
		const struct trc_stream_file *f = g_ptr_array_index(streams, i);
		bool whole = trc_stream_file_is_whole(f);
		g_autofree char *name = repair_name(s, f, i);
		g_autofree char *source = g_build_filename(s->directory, f->file->name, NULL),
				*target = g_build_filename(folder, name, NULL);

		if (!whole && f->good <= f->first.offset && whole_packets)
			continue;
		if (f->n_packets)
			whole &= !f->first.offset && f->last.offset + f->last.size == (uint64_t)f->file->size;
		fine = whole ? add_link(source, target, error)
			     : add_copy(s, f, source, target, whole_packets, error);
	}
	return fine;
}

/* Remove the folder PATH and free PATH. */
static void repair_remove(char *path)
{
	if (path)
		base_scratch_remove(path);
	g_free(path);
}

/* Make a folder (0700, in the folder for temporary files) with STREAMS (of struct trc_stream_file *, usable
 * ones of S). WHOLE_PACKETS: without incomplete packets. Returns its path, for repair_remove(); NULL with
 * BASE_ERROR_IO. */
static char *repair_new(const struct trc_survey *s, const GPtrArray *streams, bool whole_packets,
	GError **error)
{
	g_autoptr(GError) local = NULL;
	g_autofree char *source = g_build_filename(s->metadata_of, "metadata", NULL), *target = NULL;
	char *folder = base_scratch_folder(&local);

	if (!folder)
		return base_error_null(error, BASE_ERROR_IO,
			"cannot make a repaired copy: %s: set TMPDIR to a folder "
			"with free space",
			local->message);
	target = g_build_filename(folder, "metadata", NULL);
	if (add_link(source, target, error) && add_files(s, folder, streams, whole_packets, error))
		return folder;
	repair_remove(folder);
	return NULL;
}

/* ---- streams for each graph ---- */

/*
 * How it works: the largest remaining stream goes to the graph with the smallest load. babeltrace2 names a
 * stream "trace | class | number" or "trace | class | path", and leaves out the class if there is only one.
 * If these names change, only the balance suffers.
 */

struct deal {
	unsigned name; /* index */
	int64_t size;  /* bytes; 0: unknown */
};

/* Add SIZE to the sum in SIZES of the stream X (number or file) of class CLASS. */
static void add_size(GHashTable *sizes, const char *class, const char *x, int64_t size)
{
	g_autofree char *key = g_strdup_printf("%s|%s", class, x);
	int64_t *sum = g_hash_table_lookup(sizes, key);

	if (!sum) {
		sum = g_new0(int64_t, 1);
		g_hash_table_insert(sizes, g_strdup(key), sum);
	}
	*sum += size;
}

/* Return the sizes of STREAMS in bytes (int64_t *), by their names in babeltrace2; see size_of(). */
static GHashTable *sizes_of(const GPtrArray *streams)
{
	GHashTable *sizes = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);

	for (unsigned i = 0; i < streams->len; i++) {
		const struct trc_stream_file *f = g_ptr_array_index(streams, i);
		g_autofree char *class = g_strdup_printf("%" G_GUINT64_FORMAT, f->stream->id);
		g_autofree char *x = f->last.has_instance
			? g_strdup_printf("%" G_GUINT64_FORMAT, f->last.instance)
			: g_strdup(f->file->name);

		add_size(sizes, class, x, f->file->size);
		add_size(sizes, "", x, f->file->size);
	}
	return sizes;
}

/* Return the size of the stream "trace | class | number or path", whose class may be missing; 0: unknown. */
static int64_t size_of(GHashTable *sizes, const char *name)
{
	g_auto(GStrv) parts = g_strsplit(name, " | ", -1);
	unsigned n = g_strv_length(parts);
	g_autofree char *x = g_path_get_basename(n ? parts[n - 1] : ""), *key = NULL;
	const int64_t *size;

	key = g_strdup_printf("%s|%s", n > 2 ? parts[n - 2] : "", x);
	size = g_hash_table_lookup(sizes, key);
	return size ? *size : 0;
}

static int compare_sizes(gconstpointer a, gconstpointer b)
{
	const struct deal *da = a, *db = b;

	return BASE_BY(db, da, size) ?: BASE_BY(da, db, name);
}

/* Return the names in descending order of size, as struct deal; the caller unrefs. */
static GArray *sort_by_size(const GPtrArray *names, const GPtrArray *streams)
{
	GArray *deals = g_array_new(FALSE, FALSE, sizeof(struct deal));
	g_autoptr(GHashTable) sizes = sizes_of(streams);
	struct deal deal;

	for (deal.name = 0; deal.name < names->len; deal.name++) {
		deal.size = size_of(sizes, g_ptr_array_index(names, deal.name));
		g_array_append_val(deals, deal);
	}
	g_array_sort(deals, compare_sizes);
	return deals;
}

unsigned *trc_bt2_deal(const GPtrArray *names, const GPtrArray *streams, unsigned n_graphs)
{
	g_autoptr(GArray) deals = sort_by_size(names, streams);
	int64_t *loads = g_new0(int64_t, n_graphs);
	unsigned *graphs = g_new0(unsigned, names->len + 1), i, g;

	for (i = 0; i < deals->len; i++) {
		const struct deal *deal = &g_array_index(deals, struct deal, i);
		unsigned least = 0;

		for (g = 1; g < n_graphs; g++)
			if (loads[g] < loads[least])
				least = g;
		loads[least] += deal->size + 1;
		graphs[deal->name] = least;
	}
	g_free(loads);
	return graphs;
}

/* ---- the graphs ---- */

/* Limit on the unfolded types (struct trc_meta): babeltrace2 takes about 3 KB for each, and compares all
 * labels with each other. */
#define UNFOLDED_MAX (1u << 17)
/* Each graph holds all types of the trace, so a small trace has one graph. */
#define BYTES_PER_GRAPH (UINT64_C(4) << 20)

static GMutex lock; /* see the header */

/* Add a queue for the stream NAME, which graph number GRAPH fills. */
static void bt2_open_add_stream(struct trc_bt2_open *b, const char *name, unsigned graph)
{
	struct trc_info *info = trc_info_new(b->info->path);
	struct trc_queue *q = trc_queue_new(name, info);

	info->begin = b->info->begin;
	info->end = b->info->end;
	info->floor = b->info->floor;
	q->index = graph;
	trc_bt2_graph_add(b->graphs[graph], q);
	g_ptr_array_add(b->infos, info);
	g_ptr_array_add(b->backs, q);
}

/* Make graphs for all streams of the trace in DIRECTORY; STREAMS are known. False with babeltrace2's
 * error. */
static bool open_graphs(struct trc_bt2_open *b, const char *directory, const GPtrArray *streams)
{
	g_autoptr(GPtrArray) names = NULL;
	unsigned *graphs;
	bool fine = true;

	if (bt_plugin_find("ctf", BT_TRUE, BT_FALSE, BT_TRUE, BT_TRUE, BT_FALSE, &b->plugin) !=
		BT_PLUGIN_FIND_STATUS_OK)
		return false;
	b->graphs[0] = trc_bt2_graph_new(b->plugin, directory, b->info, b->names, b->cut);
	if (!b->graphs[0])
		return false;
	names = trc_bt2_graph_streams(b->graphs[0]);
	b->n_graphs = CLAMP(MIN(names->len, b->n_graphs), 1, TRC_BT2_GRAPHS_MAX);
	for (unsigned i = 1; fine && i < b->n_graphs; i++) {
		b->graphs[i] = trc_bt2_graph_new(b->plugin, directory, b->info, b->names, b->cut);
		fine = b->graphs[i];
	}
	graphs = fine ? trc_bt2_deal(names, streams, b->n_graphs) : NULL;
	for (unsigned i = 0; fine && i < names->len; i++)
		bt2_open_add_stream(b, g_ptr_array_index(names, i), graphs[i]);
	g_free(graphs);
	for (unsigned i = 0; fine && names->len && i < b->n_graphs; i++)
		fine = trc_bt2_graph_start(b->graphs[i]);
	return fine;
}

/* Note which of STREAMS are damaged, and the original names of files of several chunks. */
static void find_names(struct trc_bt2_open *b, const struct trc_survey *survey, const GPtrArray *streams)
{
	for (unsigned i = 0; i < streams->len; i++) {
		const struct trc_stream_file *f = g_ptr_array_index(streams, i);
		bool whole = trc_stream_file_is_whole(f);

		if (survey->folders[1])
			g_hash_table_insert(b->names, repair_name(survey, f, i), g_strdup(f->file->name));
		while (f->before) /* babeltrace2 names a stream by its first file */
			f = f->before;
		if (!whole)
			g_hash_table_add(b->cut, g_strdup(f->file->name));
	}
}

/* Free all graphs and their streams. */
static void close_graphs(struct trc_bt2_open *b)
{
	g_mutex_lock(&lock);
	trc_bt2_guard_enter(b->guard);
	for (unsigned i = 0; i < TRC_BT2_GRAPHS_MAX; i++)
		g_clear_pointer(&b->graphs[i], trc_bt2_graph_free);
	if (b->plugin)
		bt_plugin_put_ref(b->plugin);
	b->plugin = NULL;
	trc_bt2_guard_leave();
	g_mutex_unlock(&lock);
	g_ptr_array_set_size(b->backs, 0);
	g_ptr_array_set_size(b->infos, 0);
}

/* Open the trace itself, or a copy of STREAMS if needed. False with ERROR or babeltrace2's error. */
static bool try_open(struct trc_bt2_open *b, const struct trc_survey *survey, const GPtrArray *streams,
	bool whole_packets, GError **error)
{
	bool fine;

	/* babeltrace2 trusts the sizes of files and the folder "index". It reads one whole folder. */
	if (survey->layout &&
		(survey->folders[1] || survey->damaged || survey->index_lies ||
			streams->len < survey->streams->len)) {
		b->repaired = repair_new(survey, streams, whole_packets, error);
		if (!b->repaired)
			return false;
	}
	g_mutex_lock(&lock);
	trc_bt2_guard_enter(b->guard);
	fine = open_graphs(b, b->repaired ? b->repaired : survey->directory, streams);
	trc_bt2_guard_leave();
	g_mutex_unlock(&lock);
	return fine;
}

/* Open again, without incomplete last packets. */
static bool try_whole_packets(struct trc_bt2_open *b, const struct trc_survey *survey,
	const GPtrArray *streams, GError **error)
{
	close_graphs(b);
	repair_remove(b->repaired);
	b->repaired = NULL;
	for (unsigned i = 0; i < streams->len; i++) {
		const struct trc_stream_file *f = g_ptr_array_index(streams, i);

		if (f->state == TRC_FILE_CUT)
			trc_info_warn(b->info,
				"%s: its last packet is left out: babeltrace2 cannot read parts of it; copy the trace again "
				"if the original is whole",
				f->file->name);
	}
	return try_open(b, survey, streams, true, error);
}

static bool open_streams(struct trc_bt2_open *b, const struct trc_survey *survey, const GPtrArray *streams,
	GError **error)
{
	g_autofree char *reason = NULL;
	GError *local = NULL;
	bool fine;

	find_names(b, survey, streams);
	fine = try_open(b, survey, streams, false, &local);
	if (!fine && !local)
		reason = trc_bt2_stream_error();
	if (reason && g_hash_table_size(b->cut) && !trc_bt2_stream_is_io(reason)) {
		fine = try_whole_packets(b, survey, streams, &local);
		g_free(reason);
		reason = fine || local ? NULL : trc_bt2_stream_error();
	}
	if (local) {
		g_propagate_error(error, local);
	} else if (!fine && survey->meta_error && !trc_bt2_stream_is_io(reason)) {
		trc_survey_set_metadata_error(survey, error); /* it is clearer than babeltrace2's error */
	} else if (!fine) {
		g_set_error(error, BASE_ERROR, trc_bt2_stream_is_io(reason) ? BASE_ERROR_IO : BASE_ERROR_DATA,
			"cannot read the trace %s: %s", survey->directory, reason);
	} else if (!b->backs->len) {
		fine = base_error_false(error, BASE_ERROR_DATA,
			"cannot read the trace %s: there is no stream file in "
			"it; copy the trace again",
			survey->directory);
	}
	return fine;
}

/* False with an error if SURVEY is of CTF 2, which babeltrace2 reads since 2.1. */
static bool open_knows(const struct trc_survey *survey, GError **error)
{
	unsigned major = bt_version_get_major(), minor = bt_version_get_minor();

	if (major > 2 || (major == 2 && minor >= 1) || !trc_metadata_is_ctf2(survey->metadata_of))
		return true;
	if (survey->meta_error) /* this is the actual problem */
		trc_survey_set_metadata_error(survey, error);
	else
		g_set_error(error, BASE_ERROR, BASE_ERROR_DATA,
			"cannot read the trace %s: it is of CTF 2, which babeltrace2 reads from version 2.1 on, and "
			"this one is %u.%u: record it with lttng create --trace-format=ctf-1.8",
			survey->directory, major, minor);
	return false;
}

struct trc_bt2_open *trc_bt2_open_new(const struct trc_survey *survey, const GPtrArray *streams,
	struct trc_info *info, unsigned n_graphs, GError **error)
{
	g_autofree char *metadata = g_build_filename(survey->metadata_of, "metadata", NULL);
	struct stat st;
	uint64_t bytes = stat(metadata, &st) == 0 ? (uint64_t)st.st_size : 0; /* of all files */
	struct trc_bt2_open *b;

	if (!open_knows(survey, error))
		return NULL;
	if (survey->meta && survey->meta->unfolded > UNFOLDED_MAX)
		return base_error_null(error, BASE_ERROR_REFUSED,
			"cannot read %s/metadata: its events have too many fields in all for babeltrace2: "
			"it is damaged or made to do harm; copy the trace again",
			survey->metadata_of);
	for (guint i = 0; i < survey->files->len; i++)
		bytes += (uint64_t)((const struct trc_file *)g_ptr_array_index(survey->files, i))->size;
	b = g_new0(struct trc_bt2_open, 1);
	b->guard = trc_bt2_guard_new(survey->directory, bytes);
	b->info = info;
	b->n_graphs = (unsigned)MIN(n_graphs, 1 + bytes / BYTES_PER_GRAPH);
	b->backs = g_ptr_array_new_with_free_func((GDestroyNotify)trc_queue_free);
	b->infos = g_ptr_array_new_with_free_func((GDestroyNotify)trc_info_free);
	b->names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	b->cut = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	if (!open_streams(b, survey, streams, error))
		g_clear_pointer(&b, trc_bt2_open_free);
	return b;
}

void trc_bt2_open_free(struct trc_bt2_open *b)
{
	if (!b)
		return;
	close_graphs(b);
	repair_remove(b->repaired);
	g_ptr_array_unref(b->backs);
	g_ptr_array_unref(b->infos);
	g_hash_table_unref(b->names);
	g_hash_table_unref(b->cut);
	trc_bt2_guard_free(b->guard);
	g_free(b);
}

void trc_bt2_open_fill(const struct trc_bt2_open *b, struct trc_queue *q)
{
	trc_bt2_guard_enter(b->guard);
	trc_bt2_graph_fill(b->graphs[q->index], q);
	trc_bt2_guard_leave();
}

void trc_bt2_open_rewind(const struct trc_bt2_open *b, struct trc_queue *q)
{
	trc_bt2_guard_enter(b->guard);
	trc_bt2_graph_rewind(b->graphs[q->index], q);
	trc_bt2_guard_leave();
}

void trc_bt2_open_begin(struct trc_bt2_open *b)
{
	bool learned = false;

	for (unsigned i = 0; i < b->backs->len; i++) {
		struct trc_queue *q = g_ptr_array_index(b->backs, i);
		struct trc_bt2_trace *trace = trc_bt2_graph_trace(b->graphs[q->index]);

		trace->learned = learned;
		trc_bt2_open_fill(b, q);
		learned = trace->learned;
	}
}
