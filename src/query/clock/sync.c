/* SPDX-License-Identifier: MIT */
/*
 * How it works: packets are matched once, for all clocks that the user may ask for. The pairs go to a file
 * beside the indexes while they are found, with the clocks found. If that file cannot be written, wakepath
 * uses one in the folder for temporary files. It loses its name at once and lives while the experiment is
 * open.
 */
#include "query/clock/sync.h"

#include "base/base_error.h"
#include "base/base_file.h"
#include "base/base_io.h"
#include "base/base_progress.h"
#include "base/base_scratch.h"
#include "query/host/parts.h"
#include "sync/sync_hosts.h"
#include "sync/sync_guests.h"
#include "trace/core/trc_info.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

/* ---- matching all packets ---- */

#define READINGS 3 /* of each host: survey, packets sent, packets received */
#define TELL 4096  /* packets between two updates of the progress */

/* How many of all packets were read. */
struct reading {
	struct base_progress *progress; /* NULL: none */
	uint64_t read, all;
};

struct host_packets {
	struct qry *q;
	uint32_t host;
	const struct qry_tracer_flows *leave_out;
	struct reading *reading;
};

struct cursor {
	const struct host_packets *of;   /* weak */
	struct idx_transfers *transfers; /* by the host's own clock */
	uint64_t number;
};

static void *cursor_open(void *data)
{
	const struct host_packets *h = data;
	struct cursor *c = g_new(struct cursor, 1);

	*c = (struct cursor){ .of = h, .transfers = idx_transfers_new(qry_source(h->q, h->host)->reader) };
	idx_transfers_seek(c->transfers, INT64_MIN);
	return c;
}

/* Set *PACKET to the next one that is not left out. False at the end, or if cancelled. */
static bool cursor_next(void *cursor, struct sync_packet *packet)
{
	struct cursor *c = cursor;
	const struct host_packets *h = c->of;
	struct reading *r = h->reading;
	struct mdl_transfer t;

	do {
		if (r->progress && ++r->read % TELL == 0)
			base_progress_set(r->progress, (double)r->read / (double)r->all, r->read);
		if (base_progress_cancelled(r->progress) || !idx_transfers_next(c->transfers, &t))
			return false;
		*packet = (struct sync_packet){ .time = t.by.time,
			.number = c->number++,
			.received = t.received,
			.device = t.device,
			.packet = t.packet };
		if (t.by.thread != MDL_NONE)
			t.by.thread += qry_host(h->q, h->host)->first_row;
	} while (h->leave_out && qry_tracer_flows_have(h->leave_out, h->host, &t));
	return true;
}

static void cursor_close(void *cursor)
{
	struct cursor *c = cursor;

	idx_transfers_free(c->transfers);
	g_free(c);
}

static struct sync_span *sync_spans(const struct qry *q)
{
	struct sync_span *spans = g_new(struct sync_span, qry_host_count(q));

	for (uint32_t i = 0; i < qry_host_count(q); i++)
		spans[i] = (struct sync_span){ qry_host(q, i)->meta->from, qry_host(q, i)->meta->to };
	return spans;
}

/* Note in SOURCE the first host before HOST whose trace is from the same boot of the same machine: its
 * metadata have the same UUID of the clock. The two share this clock, whatever the hosts are called. Times of
 * each are its clock's zero plus the count of the clock. */
static void set_twin(const struct qry *q, uint32_t host, struct sync_source *source)
{
	const struct idx_meta *own = qry_host(q, host)->meta;

	for (uint32_t i = 0; i < host; i++) {
		const struct idx_meta *meta = qry_host(q, i)->meta;

		if (*meta->clock_uuid == '\0' || !g_str_equal(meta->clock_uuid, own->clock_uuid) ||
			meta->clock_frequency != own->clock_frequency)
			continue;
		source->has_twin = !__builtin_sub_overflow(own->clock_zero, meta->clock_zero, &source->ahead);
		source->twin = i;
		return;
	}
}

struct sync_hosts *qry_sync_match(struct qry *q, const struct qry_tracer_flows *leave_out,
	struct base_progress *progress, void (*pair)(void *data, const struct sync_pair *pair), void *data)
{
	uint32_t n = qry_host_count(q);
	struct host_packets *hosts = g_new(struct host_packets, n);
	struct sync_source *sources = g_new(struct sync_source, n);
	g_autofree struct sync_span *spans = sync_spans(q);
	struct reading reading = { .progress = progress };
	struct trc_guests *told = qry_guests_told(q);
	struct sync_guests *guests = qry_guests_new(q, told, progress);
	struct sync_hosts *found;

	if (progress)
		base_progress_set_label(progress, "matching packets");
	for (uint32_t i = 0; i < n; i++) {
		reading.all += READINGS * idx_reader_transfer_count(qry_source(q, i)->reader);
		hosts[i] = (struct host_packets){ q, i, leave_out, &reading };
		sources[i] = (struct sync_source){ .data = &hosts[i],
			.open = cursor_open,
			.next = cursor_next,
			.close = cursor_close };
		set_twin(q, i, &sources[i]);
		sources[i].peer = qry_guests_peer(q, told, i);
		sources[i].has_peer = sources[i].peer != MDL_NONE;
	}
	found = sync_hosts_new(sources, guests, spans, n, pair, data);
	qry_guests_free(guests);
	qry_guests_told_free(q, told);
	g_free(hosts);
	g_free(sources);
	return found;
}

uint32_t qry_sync_namesake(const struct qry *q, uint32_t host)
{
	const char *name = qry_host(q, host)->meta->host;

	for (uint32_t i = 0; i < host && *name != '\0'; i++)
		if (g_str_equal(qry_host(q, i)->meta->host, name))
			return i;
	return MDL_NONE;
}

#define GROWING ".latest" /* suffix of an index that still grows */
static const struct base_file_kind clocks_kind = { "file of clocks", 64 << 20, BASE_ERROR_DATA };

/* ---- facts about the hosts of Q ---- */

const char **qry_sync_names(const struct qry *q)
{
	const char **names = g_new(const char *, qry_host_count(q));

	for (uint32_t i = 0; i < qry_host_count(q); i++)
		names[i] = qry_host(q, i)->name;
	return names;
}

static struct idx_pairs_host *marks_of(const struct qry *q)
{
	struct idx_pairs_host *marks = g_new(struct idx_pairs_host, qry_host_count(q));

	for (uint32_t i = 0; i < qry_host_count(q); i++)
		idx_pairs_host_set(&marks[i], qry_source(q, i)->reader);
	return marks;
}

static struct sync_hosts *read_clocks(const struct qry *q, const char *text, size_t size, GError **error)
{
	const char **names = qry_sync_names(q);
	struct sync_span *spans = sync_spans(q);
	struct sync_hosts *hosts = sync_file_read(text, size, names, spans, qry_host_count(q), error);

	g_free(names);
	g_free(spans);
	return hosts;
}

struct sync_hosts *qry_sync_read(const struct qry *q, const char *path, GError **error)
{
	gsize length = 0;
	g_autofree char *text = base_file_bytes(path, &clocks_kind, &length, error);
	struct sync_hosts *hosts;

	if (!text)
		return NULL;
	hosts = read_clocks(q, text, length, error);
	if (!hosts)
		g_prefix_error(error, "%s: ", path);
	return hosts;
}

/* ---- the file ---- */

/* The path that INDEX has when it is complete. An index that still grows is named ".NAME.latest"
 * (ing_follow.c). The caller frees. */
static char *settled_path(const char *index)
{
	g_autofree char *folder = g_path_get_dirname(index), *name = g_path_get_basename(index);

	if (name[0] != '.' || !g_str_has_suffix(name, GROWING))
		return g_strdup(index);
	name[strlen(name) - strlen(GROWING)] = '\0';
	return g_build_filename(folder, name + 1, NULL);
}

char *qry_sync_path(const struct qry *q)
{
	g_autoptr(GPtrArray) indexes = g_ptr_array_new_with_free_func(g_free);

	for (uint32_t i = 0; i < qry_host_count(q); i++)
		g_ptr_array_add(indexes, settled_path(qry_host(q, i)->index_path));
	return idx_pairs_path(indexes);
}

void qry_set_aside(struct qry *q, const char *folder)
{
	g_free(q->aside);
	q->aside = g_strdup(folder);
}

char *qry_aside(const struct qry *q, char *path)
{
	g_autofree char *own = path, *name = g_path_get_basename(path);

	return q->aside ? g_build_filename(q->aside, name, NULL) : g_steal_pointer(&own);
}

char *qry_beside_path(const struct qry *q)
{
	return qry_host_count(q) > 1 ? qry_sync_path(q) : settled_path(qry_host(q, 0)->index_path);
}

/* Removes a damaged file, so that the next opening makes it again. */
void qry_pairs_close(struct qry *q)
{
	if (qry_sync_damage(q) && q->pairs_fd < 0)
		g_unlink(q->pairs_path);
	q->last_passage.known = false;
	g_clear_pointer(&q->pairs, idx_pairs_free);
	g_clear_pointer(&q->found, sync_hosts_unref);
	g_clear_pointer(&q->memos, g_hash_table_unref);
	g_clear_pointer(&q->pairs_path, g_free);
	if (q->pairs_fd >= 0)
		close(q->pairs_fd);
	q->pairs_fd = -1;
}

/* Open PATH, which must match MARKS. MARKS is NULL if this process wrote or checked the file. */
static bool pairs_open_file(struct qry *q, const char *path, const struct idx_pairs_host *marks,
	GError **error)
{
	const char *text;
	size_t size;

	q->pairs = idx_pairs_open(path, marks, qry_host_count(q), error);
	if (!q->pairs)
		return false;
	text = idx_pairs_clocks(q->pairs, &size);
	q->found = read_clocks(q, text, size, error);
	if (!q->found) {
		g_clear_pointer(&q->pairs, idx_pairs_free);
		return false;
	}
	q->pairs_path = g_strdup(path);
	return true;
}

bool qry_pairs_open_again(struct qry *q, const struct qry *other, GError **error)
{
	struct idx_pairs_host *marks;
	bool fine;

	if (!other->pairs)
		return true;
	if (other->pairs_fd >= 0) {
		g_autofree char *path = NULL;

		q->pairs_fd = fcntl(other->pairs_fd, F_DUPFD_CLOEXEC, 0);
		path = g_strdup_printf("/proc/self/fd/%d", q->pairs_fd);
		fine = pairs_open_file(q, path, NULL, error);
		return fine;
	}
	marks = marks_of(q);
	fine = pairs_open_file(q, other->pairs_path, marks, error);
	g_free(marks);
	return fine;
}

/* ---- making the file ---- */

static void on_pair(void *data, const struct sync_pair *p)
{
	struct idx_pair pair = { .sender = p->sender,
		.received_number = p->received_number,
		.sent_number = p->sent_number,
		.received = p->received,
		.sent = p->sent };

	idx_pairs_writer_add(data, p->receiver, &pair);
}

static bool pairs_finish(struct qry *q, struct idx_pairs_writer *w, const struct sync_hosts *found,
	GError **error)
{
	const char **names = qry_sync_names(q);
	g_autoptr(GString) text = g_string_new(NULL);
	bool written;

	sync_file_write(text, found, names, NULL);
	written = idx_pairs_writer_finish(w, text->str, text->len, error);
	g_free(names);
	return written;
}

/* Match all packets and write the file PATH. False with BASE_ERROR_IO if it cannot be written. */
static bool make_file(struct qry *q, const char *path, const struct idx_pairs_host *marks,
	struct base_progress *progress, GError **error)
{
	struct idx_pairs_writer *w = idx_pairs_writer_new(path, marks, qry_host_count(q), error);
	struct sync_hosts *found;
	bool made = false;

	if (!w)
		return false;
	found = qry_sync_match(q, NULL, progress, on_pair, w);
	if (base_progress_cancelled(progress))
		g_set_error_literal(error, BASE_ERROR, BASE_ERROR_CANCELLED, "interrupted");
	else if (qry_damage(q))
		g_propagate_error(error, g_error_copy(qry_damage(q)));
	else
		made = pairs_finish(q, w, found, error);
	if (made)
		idx_spans_remove_beside(path);
	sync_hosts_unref(found);
	idx_pairs_writer_free(w);
	return made;
}

/* Like make_file(), for this process alone: the file loses its name as soon as it is open. */
static bool make_nameless(struct qry *q, const struct idx_pairs_host *marks, struct base_progress *progress,
	GError **error)
{
	g_autofree char *folder = base_scratch_folder(error), *path = NULL, *open_path = NULL;
	bool fine;

	if (!folder)
		return false;
	path = g_build_filename(folder, "sync.wpx", NULL);
	fine = make_file(q, path, marks, progress, error);
	if (fine) {
		q->pairs_fd = base_io_open(path, 0);
		open_path = g_strdup_printf("/proc/self/fd/%d", q->pairs_fd);
		fine = pairs_open_file(q, open_path, NULL, error);
	}
	base_scratch_remove(folder);
	return fine;
}

/* The file beside the indexes cannot be made, because of PROBLEM. Make one for this process alone. */
static bool make_for_now(struct qry *q, const struct idx_pairs_host *marks, struct base_progress *progress,
	const GError *problem, GError **error)
{
	GError *again = NULL;
	char *text;

	if (make_nameless(q, marks, progress, &again)) {
		text = g_strdup_printf(
			"wakepath finds clocks and packets between hosts again each time, because it cannot store them: %s; make that folder "
			"writable, or choose another one with --index-dir",
			problem->message);
		qry_warn(q, text);
		g_free(text);
		return true;
	}
	if (g_error_matches(again, BASE_ERROR, BASE_ERROR_CANCELLED) ||
		g_error_matches(again, BASE_ERROR, BASE_ERROR_DATA)) {
		g_propagate_error(error, again);
		return false;
	}
	g_set_error(error, BASE_ERROR, BASE_ERROR_IO, "%s; a temporary file failed, too: %s",
		problem->message, again->message);
	g_error_free(again);
	return false;
}

static bool make_and_open(struct qry *q, const char *path, const struct idx_pairs_host *marks,
	struct base_progress *progress, GError **error)
{
	GError *problem = NULL;
	bool fine;

	if (make_file(q, path, marks, progress, &problem) && pairs_open_file(q, path, marks, &problem))
		return true;
	if (g_error_matches(problem, BASE_ERROR, BASE_ERROR_CANCELLED) ||
		g_error_matches(problem, BASE_ERROR, BASE_ERROR_DATA) || qry_damage(q)) {
		g_propagate_error(error, problem);
		return false;
	}
	fine = make_for_now(q, marks, progress, problem, error);
	g_error_free(problem);
	return fine;
}

struct sync_hosts *qry_sync_open(struct qry *q, bool force, struct base_progress *progress, GError **error)
{
	struct idx_pairs_host *marks;
	g_autofree char *path = NULL;
	bool fine;

	if (q->found && !force)
		return sync_hosts_ref(q->found);
	qry_pairs_close(q);
	marks = marks_of(q);
	path = qry_aside(q, qry_sync_path(q));
	fine = (!force && pairs_open_file(q, path, marks, NULL)) ||
		make_and_open(q, path, marks, progress, error);
	g_free(marks);
	return fine ? sync_hosts_ref(q->found) : NULL;
}
