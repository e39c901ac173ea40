/* SPDX-License-Identifier: MIT */
/*
 * How it works:
 *
 * Streams of several files. LTTng with --tracefile-size begins a new file when one is full. With
 * --tracefile-count it then overwrites the oldest. So names (k_0_0, k_0_1, …) do not give the order; times
 * do. Files with one stream number in their packets are one stream. Without that number each file is a
 * stream, as in babeltrace2. The chunks of a recording are further files of its streams. Without stream
 * numbers, files of one name belong together there.
 *
 * Packets that exist several times. A snapshot has what is in the ring buffer at that time, so it may begin
 * with packets with which another one ends. If files of several chunks overlap in time, their packets are put
 * in order. Of each packet the longest copy is kept (a snapshot may take a sub-buffer before it is full).
 * Each run of kept packets that follow each other in a file is read as one part.
 */
#include "trace/ctf/trc_survey_parts.h"

#include "base/base_error.h"
#include "base/base_io.h"
#include "base/base_search.h"

#include <string.h>
#include <unistd.h>

/* A packet of a stream that several chunks have. */
struct seen {
	struct trc_packet packet;
	const struct trc_stream_file *file; /* weak */
};

static bool is_part(const struct trc_stream_file *f)
{
	return f->n_packets && f->first.has_begin && f->last.has_end;
}

/* Order by stream: 0 if A and B belong to one. */
static int compare_streams(const struct trc_stream_file *a, const struct trc_stream_file *b)
{
	const struct trc_packet *pa = &a->first, *pb = &b->first;

	return BASE_BY(a, b, stream->id) ?: BASE_BY(pa, pb, has_instance)
		?: (pa->has_instance ? BASE_BY(pa, pb, instance) : strcmp(a->file->own, b->file->own));
}

static int compare_parts(gconstpointer a, gconstpointer b)
{
	const struct trc_stream_file *const *fa = a, *const *fb = b;
	const struct trc_packet *pa = &(*fa)->first, *pb = &(*fb)->first;
	int order = compare_streams(*fa, *fb);

	return order ?: BASE_BY(pa, pb, begin) ?: strcmp((*fa)->file->name, (*fb)->file->name);
}

/* Return the parts of S in order; the caller unrefs. */
static GPtrArray *sorted_parts(const struct trc_survey *s)
{
	GPtrArray *parts = g_ptr_array_new();

	for (unsigned i = 0; i < s->streams->len; i++)
		if (is_part(g_ptr_array_index(s->streams, i)))
			g_ptr_array_add(parts, g_ptr_array_index(s->streams, i));
	g_ptr_array_sort(parts, compare_parts);
	return parts;
}

/* ---- every packet once ---- */

/* Add the packets of F to ALL. False with an error if they cannot be read. */
static bool add_seen(const struct trc_survey *s, const struct trc_stream_file *f, GArray *all, GError **error)
{
	g_autofree char *path = g_build_filename(s->directory, f->file->name, NULL);
	int fd = base_io_open(path, 0);
	enum trc_packet_status status = fd >= 0 ? TRC_PACKET_FINE : TRC_PACKET_UNREAD;
	struct seen seen = { .file = f };

	for (uint64_t offset = f->first.offset; fd >= 0 && offset <= f->last.offset;
		offset += seen.packet.size) {
		status = trc_survey_packet(s, f, fd, offset, &seen.packet);
		if ((status != TRC_PACKET_FINE && status != TRC_PACKET_CUT) || !seen.packet.size)
			break;
		g_array_append_val(all, seen);
	}
	if (status == TRC_PACKET_UNREAD)
		base_error_set_errno(error, errno, "cannot read", path);
	if (fd >= 0)
		close(fd);
	return status != TRC_PACKET_UNREAD;
}

static int compare_copies(const struct trc_packet *a, const struct trc_packet *b)
{
	return BASE_BY(a, b, begin) ?: BASE_BY(a, b, sequence);
}

static int compare_seen(gconstpointer a, gconstpointer b)
{
	const struct seen *x = a, *y = b;
	int order = compare_copies(&x->packet, &y->packet);

	return order ?: BASE_BY(y, x, packet.content) ?: BASE_BY(x, y, file->file->folder);
}

/*
 * Return the longest copy of the packet at *AT of ALL, in which copies are neighbours; among equals that of
 * FILE. Move *AT to the next packet.
 */
static const struct seen *parts_choose(const GArray *all, unsigned *at, const struct trc_stream_file *file)
{
	const struct seen *first = &g_array_index(all, struct seen, *at), *best = first, *next;

	for (++*at; *at < all->len; ++*at) {
		next = &g_array_index(all, struct seen, *at);
		if (compare_copies(&next->packet, &first->packet) || (next->file == first->file))
			break;
		if (next->file == file && next->packet.content == first->packet.content)
			best = next;
	}
	return best;
}

/* Sort the packets of the N parts at FILES, all of one stream, into parts that have each packet once, and add
 * those parts to STREAMS. False with an error if a file cannot be read. */
static bool merge(const struct trc_survey *s, gpointer *files, unsigned n, GPtrArray *streams, GError **error)
{
	g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(struct seen));
	const struct trc_stream_file *file = NULL;
	struct trc_stream_file *part = NULL;
	unsigned i, at = 0;

	for (i = 0; i < n; i++)
		if (!add_seen(s, files[i], all, error))
			return false;
	g_array_sort(all, compare_seen);
	while (at < all->len) {
		const struct seen *seen = parts_choose(all, &at, file);

		if (!part || seen->file != file ||
			seen->packet.offset != part->last.offset + part->last.size) {
			part = g_new(struct trc_stream_file, 1);
			*part = *seen->file;
			part->first = seen->packet;
			part->n_packets = 0;
			part->state = TRC_FILE_FINE;
			g_ptr_array_add(streams, part);
		}
		file = seen->file;
		part->last = seen->packet;
		part->n_packets++;
		if (seen->packet.offset == seen->file->last.offset) /* damage is at the end of a file */
			part->state = seen->file->state;
	}
	return true;
}

/* Return how many PARTS of one stream from AT on overlap in time. *SEVERAL: they are of several chunks. */
static unsigned overlap(const GPtrArray *parts, unsigned at, bool *several)
{
	const struct trc_stream_file *first = g_ptr_array_index(parts, at);
	uint64_t last = first->last.begin;
	unsigned n = 1;

	*several = false;
	for (; at + n < parts->len; n++) {
		const struct trc_stream_file *f = g_ptr_array_index(parts, at + n);

		if (compare_streams(first, f) || f->first.begin > last)
			break;
		last = MAX(last, f->last.begin);
		*several |= f->file->folder != first->file->folder;
	}
	return n;
}

/* Remove an empty file of a stream of which another chunk has packets. */
static void remove_empty(struct trc_survey *s)
{
	g_autoptr(GHashTable) names = g_hash_table_new(g_str_hash, g_str_equal);

	for (unsigned i = 0; i < s->streams->len; i++) {
		const struct trc_stream_file *f = g_ptr_array_index(s->streams, i);

		if (f->n_packets)
			g_hash_table_add(names, (gpointer)f->file->own);
	}
	for (unsigned i = s->streams->len; i-- > 0;) {
		const struct trc_stream_file *f = g_ptr_array_index(s->streams, i);

		if (!f->file->size && g_hash_table_contains(names, f->file->own))
			g_ptr_array_remove_index(s->streams, i);
	}
}

/* Warn of chunks whose packets all exist in others: name the first, count the others. */
static void say_copies(const struct trc_survey *s, struct trc_info *info)
{
	unsigned n = g_strv_length(s->folders), first = n, more = 0, i;
	bool *used = g_new0(bool, n);

	for (i = 0; i < s->streams->len; i++)
		used[((const struct trc_stream_file *)g_ptr_array_index(s->streams, i))->file->folder] = true;
	for (i = 0; i < n; i++) {
		more += !used[i] && first < n;
		first = !used[i] && first == n ? i : first;
	}
	if (first < n && !more)
		trc_info_warn(info,
			"%s: the other chunks of the recording have all of its packets: it can be left out",
			s->folders[first]);
	else if (first < n)
		trc_info_warn(info,
			"%s and %u other folders: the other chunks of the recording have all of their packets: they can be left out",
			s->folders[first], more);
	g_free(used);
}

bool trc_parts_once(struct trc_survey *s, struct trc_info *info, GError **error)
{
	g_autoptr(GPtrArray) parts = sorted_parts(s), merged = g_ptr_array_new_with_free_func(g_free);
	unsigned n;
	bool several;

	for (unsigned i = 0; i < parts->len; i += n) {
		n = overlap(parts, i, &several);
		if (!several)
			continue;
		if (!merge(s, parts->pdata + i, n, merged, error))
			return false;
		for (unsigned k = i; k < i + n; k++)
			g_ptr_array_remove(s->streams, parts->pdata[k]);
	}
	g_ptr_array_extend_and_steal(s->streams, g_steal_pointer(&merged));
	if (s->folders[1]) {
		remove_empty(s);
		say_copies(s, info);
	}
	return true;
}

/* ---- which follows which ---- */

bool trc_parts_are_one(const struct trc_stream_file *a, const struct trc_stream_file *b)
{
	return is_part(a) && is_part(b) && compare_streams(a, b) == 0;
}

bool trc_parts_follow(const struct trc_stream_file *before, struct trc_stream_file *f)
{
	if (compare_streams(before, f) != 0 || f->first.begin < before->last.end)
		return false;
	f->before = before;
	/* Without numbers it is unknown whether packets are missing between two chunks. If F does not begin
	 * with its file, it had a copy of the end of the file before, so none are. */
	f->after_gap = before->file->folder != f->file->folder && !f->first.has_sequence &&
		f->first.offset == 0;
	return true;
}

void trc_parts_join(const struct trc_survey *s)
{
	g_autoptr(GPtrArray) parts = sorted_parts(s);

	for (unsigned i = 1; i < parts->len; i++)
		trc_parts_follow(g_ptr_array_index(parts, i - 1), g_ptr_array_index(parts, i));
}
