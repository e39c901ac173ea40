/* SPDX-License-Identifier: MIT */
/*
 * How it works: the temporary name is ".NAME.XXXXXX". The file is made with O_EXCL and mode 0600
 * (base_scratch.h), and locked while its writer lives. If a build is killed, its temporary file remains
 * unlocked; the next build finds it by name, gets the lock and removes it. Files of other users are not
 * touched. Between making a file and locking it, another build may take it for a leftover and remove it. Then
 * this build makes another one.
 *
 * A thread syncs the file while more is written, so the sync at the end waits only for the last part. If the
 * disk is slower than the build, the parts grow.
 *
 * Blocks come first, in the order in which they fill. Data that must follow them waits as spilled bytes. At
 * the end it becomes chunks, followed by their table of contents. The header is written last.
 */
#include "index/file/out.h"

#include "base/base_error.h"
#include "base/base_io.h"
#include "base/base_place.h"
#include "base/base_scratch.h"
#include "index/file/format.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#define BUFFER (256 * 1024)
#define SYNCED_AT_ONCE (8 * 1024 * 1024) /* bytes, at least */

struct idx_out {
	int fd;
	char *path;      /* final path */
	char *temporary; /* NULL once published */
	uint8_t *buffer;
	size_t filled;
	uint64_t flushed; /* bytes of the index that are written */
	uint64_t synced;  /* bytes of these that are on the disk when SYNC ends */
	GThread *sync;    /* owned; returns errno of a failure, or 0; NULL: none */
	gint is_syncing;
	/* Bytes in the file before those of the index, and the offset in the index of the first of these.
	 * Both are 0 except in a branch. */
	uint64_t lead, from;
	GError *error;
};

/* Open the regular file PATH of this user. -1 if there is none. */
static int open_ours(const char *path, int flags, struct stat *st)
{
	int fd = BASE_IO_AGAIN(open(path, flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));

	if (fd < 0 || (BASE_IO_AGAIN(fstat(fd, st)) == 0 && S_ISREG(st->st_mode) && st->st_uid == geteuid()))
		return fd;
	close(fd);
	return -1;
}

/* Remove the file PATH if its writer is gone. If the lock can be taken, no writer will rename the file. But
 * its writer may have published it before, and another file may have the name PATH now. */
static void remove_leftover(const char *path)
{
	struct stat st, now;
	int fd = open_ours(path, O_RDWR, &st);

	if (fd < 0)
		return;
	if (flock(fd, LOCK_EX | LOCK_NB) == 0 && lstat(path, &now) == 0 && now.st_dev == st.st_dev &&
		now.st_ino == st.st_ino)
		unlink(path);
	close(fd);
}

static void remove_leftovers(const char *folder, const char *prefix)
{
	g_autoptr(GPtrArray) names = base_io_names(folder);

	for (guint i = 0; names && i < names->len; i++) {
		const char *name = g_ptr_array_index(names, i);
		g_autofree char *path = NULL;

		if (!g_str_has_prefix(name, prefix) || strlen(name) != strlen(prefix) + 6)
			continue;
		path = g_build_filename(folder, name, NULL);
		remove_leftover(path);
	}
}

/* Lock the new file FD. False if another build removed it meanwhile; then FD is closed. */
static bool lock(int fd, char **temporary)
{
	struct stat st;

	(void)BASE_IO_AGAIN(flock(fd, LOCK_EX)); /* if the file system has no locks, leftovers remain */
	if (BASE_IO_AGAIN(fstat(fd, &st)) != 0 || st.st_nlink > 0)
		return true;
	close(fd);
	base_scratch_release(*temporary);
	g_clear_pointer(temporary, g_free);
	return false;
}

static int open_temporary(const char *path, char **temporary)
{
	g_autofree char *folder = g_path_get_dirname(path), *base = g_path_get_basename(path);
	g_autofree char *prefix = g_strdup_printf(".%s.", base), *start = NULL, *held = NULL;
	int place = base_place_open(folder, NULL, NULL), fd;

	if (place >= 0) {
		held = g_strdup_printf("/proc/self/fd/%d", place);
		remove_leftovers(held, prefix);
		close(place);
	}
	start = g_build_filename(folder, prefix, NULL);
	do {
		fd = base_scratch_file(start, 0600, temporary);
	} while (fd >= 0 && !lock(fd, temporary));
	return fd;
}

/* True if PATH is not a file or link of another user. */
static bool is_free(const char *path, GError **error)
{
	struct stat st;

	if (lstat(path, &st) != 0 || st.st_uid == geteuid())
		return true;
	return base_error_false(error, BASE_ERROR_IO,
		"cannot write an index at %s: the file there belongs to another user (%u); name a folder of your own with --index-dir DIR",
		path, (unsigned)st.st_uid);
}

struct idx_out *idx_out_new(const char *path, GError **error)
{
	static const uint8_t no_header[IDX_HEADER_SIZE];
	struct idx_out *o;
	char *temporary;
	int fd;

	if (!is_free(path, error))
		return NULL;
	fd = open_temporary(path, &temporary);
	if (fd < 0) {
		base_error_set_errno(error, errno, "cannot write an index at", path);
		g_free(temporary);
		return NULL;
	}
	o = g_new0(struct idx_out, 1);
	o->fd = fd;
	o->path = g_strdup(path);
	o->temporary = temporary;
	o->buffer = g_malloc(BUFFER);
	idx_out_append(o, no_header, sizeof no_header);
	return o;
}

static bool out_read(int fd, uint8_t *to, size_t size, uint64_t at)
{
	ssize_t got = base_io_read(fd, to, size, at);

	if (got >= 0 && (size_t)got < size)
		errno = EIO; /* the file is shorter than what was written */
	return got >= 0 && (size_t)got == size;
}

static void out_fail(struct idx_out *o, int error_number)
{
	if (!o->error)
		base_error_set_errno(&o->error, error_number, "cannot write the index", o->path);
}

static gpointer run_sync(gpointer data)
{
	struct idx_out *o = data;
	int failure = BASE_IO_AGAIN(fdatasync(o->fd)) == 0 ? 0 : errno;

	g_atomic_int_set(&o->is_syncing, 0);
	return GINT_TO_POINTER(failure);
}

/* The kernel reports a failure once per open file, so fsync() at the end would not report this one. */
static void end_sync(struct idx_out *o)
{
	int failure = o->sync ? GPOINTER_TO_INT(g_thread_join(o->sync)) : 0;

	o->sync = NULL;
	if (failure != 0)
		out_fail(o, failure);
}

/* Sync what is written, unless a sync runs or little was written. Without a thread, only the end syncs. */
static void begin_sync(struct idx_out *o)
{
	if (o->lead > 0 || o->flushed - o->synced < SYNCED_AT_ONCE || g_atomic_int_get(&o->is_syncing))
		return;
	end_sync(o);
	o->synced = o->flushed;
	g_atomic_int_set(&o->is_syncing, 1);
	o->sync = g_thread_try_new("wakepath-sync", run_sync, o, NULL);
	if (!o->sync)
		g_atomic_int_set(&o->is_syncing, 0);
}

static void write_buffer(struct idx_out *o)
{
	if (!o->error && !base_io_write(o->fd, o->buffer, o->filled, o->lead + o->flushed - o->from))
		out_fail(o, errno);
	o->flushed += o->filled;
	o->filled = 0;
}

void idx_out_flush(struct idx_out *o)
{
	write_buffer(o);
	end_sync(o);
}

uint64_t idx_out_size(const struct idx_out *o)
{
	return o->flushed + o->filled;
}

uint64_t idx_out_append(struct idx_out *o, const void *data, size_t size)
{
	uint64_t offset = idx_out_size(o);
	const uint8_t *from = data;

	while (size > 0) {
		size_t n = MIN(size, BUFFER - o->filled);

		memcpy(o->buffer + o->filled, from, n);
		o->filled += n;
		from += n;
		size -= n;
		if (o->filled == BUFFER) {
			write_buffer(o);
			begin_sync(o);
		}
	}
	return offset;
}

const GError *idx_out_error(const struct idx_out *o)
{
	return o->error;
}

/* A new unnamed file in the folder of O; the caller closes. -1, with the failure noted, if it cannot be made.
 * For a moment it has the name of a leftover, so the next build removes it if this one is killed. */
static int out_scratch(struct idx_out *o)
{
	g_autofree char *folder = g_path_get_dirname(o->path), *base = g_path_get_basename(o->path);
	g_autofree char *prefix = g_strdup_printf("%s/.%s.", folder, base), *name = NULL;
	int fd = base_scratch_file(prefix, 0600, &name);

	if (fd < 0)
		out_fail(o, errno);
	else
		base_scratch_unlink(name);
	return fd;
}

/* Make the new name survive a power failure. Some file systems cannot; the index is whole in any case. */
static void sync_folder(const char *path)
{
	g_autofree char *folder = g_path_get_dirname(path);
	int fd = base_io_open(folder, O_DIRECTORY);

	if (fd >= 0) {
		(void)BASE_IO_AGAIN(fsync(fd));
		close(fd);
	}
}

/* ---- a branch: the end of a growing index, in a file of its own ---- */

void idx_out_rename(struct idx_out *o, const char *path)
{
	g_free(o->path);
	o->path = g_strdup(path);
}

/*
 * The first page has the header and then the name of the other file. The bytes of the index follow, from the
 * last page of the other file, so that both can be mapped one after the other.
 */
static bool begin_branch(struct idx_out *o, int fd)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint8_t *first = g_malloc0(2 * page);
	g_autofree char *whole = g_path_get_basename(o->temporary);
	uint64_t from = o->flushed / page * page;
	bool ok;

	g_assert(o->filled == 0 && strlen(whole) < page - IDX_HEADER_SIZE);
	memcpy(first + IDX_HEADER_SIZE, whole, strlen(whole));
	ok = out_read(o->fd, first + page, o->flushed - from, from) &&
		base_io_write(fd, first, page + o->flushed - from, 0);
	g_free(first);
	o->lead = page;
	o->from = from;
	return ok;
}

bool idx_out_branch(struct idx_out *o, const char *path, GError **error)
{
	char *temporary;
	int fd;

	if (!is_free(path, error))
		return false;
	fd = open_temporary(path, &temporary);
	if (fd < 0 || !begin_branch(o, fd)) {
		base_error_set_errno(error, errno, "cannot write an index at", path);
		if (fd >= 0) {
			base_scratch_unlink(temporary);
			close(fd);
		}
		g_free(temporary);
		return false;
	}
	close(o->fd);
	o->fd = fd;
	g_free(o->temporary); /* the file itself belongs to the other writer */
	o->temporary = temporary;
	idx_out_rename(o, path);
	return true;
}

/* ---- putting the file in place ---- */

/* Let the kernel drop the pages of the index PATH, which will be replaced, in a thread of its own. Otherwise
 * rename() does that, which takes as long as the sync. */
static gpointer run_forget(gpointer path)
{
	struct stat st;
	int fd = open_ours(path, O_RDONLY, &st);

	if (fd >= 0) {
		posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
		close(fd);
	}
	return NULL;
}

/* A branch is not synced, because it is useless after its writer ends. */
static bool is_synced(const struct idx_out *o)
{
	GThread *forget;
	int failure;

	if (o->lead > 0)
		return true;
	forget = g_thread_try_new("wakepath-forget", run_forget, o->path, NULL);
	failure = BASE_IO_AGAIN(fsync(o->fd)) == 0 ? 0 : errno;
	if (forget)
		g_thread_join(forget);
	errno = failure;
	return failure == 0;
}

static bool put_in_place(struct idx_out *o, const void *header, size_t header_size, GError **error)
{
	if (base_io_write(o->fd, header, header_size, 0) && is_synced(o)) {
		if (!is_free(o->path, error))
			return false;
		if (base_scratch_publish(o->temporary, o->path) == 0) {
			g_clear_pointer(&o->temporary, g_free);
			if (o->lead == 0)
				sync_folder(o->path);
			return true;
		}
	}
	return base_error_false_errno(error, errno, "cannot write the index", o->path);
}

static void remove_temporary(struct idx_out *o)
{
	if (o->temporary)
		base_scratch_unlink(o->temporary);
	g_clear_pointer(&o->temporary, g_free);
}

bool idx_out_publish(struct idx_out *o, const void *header, size_t header_size, GError **error)
{
	idx_out_flush(o);
	if (!o->error && put_in_place(o, header, header_size, &o->error))
		return true;
	remove_temporary(o);
	g_propagate_error(error, g_error_copy(o->error));
	return false;
}

void idx_out_free(struct idx_out *o)
{
	if (!o)
		return;
	end_sync(o);
	remove_temporary(o);
	close(o->fd);
	g_free(o->path);
	g_free(o->buffer);
	g_clear_error(&o->error);
	g_free(o);
}

/*
 * ---- bytes that belong at the end of the file ----
 *
 * One buffer. When it is full, it goes to an unnamed file, so nothing remains after the writer. Reading first
 * returns the bytes in this file, through a second buffer, then those in the first.
 */

struct idx_spill {
	struct idx_out *out;    /* weak */
	int fd;                 /* -1: all bytes are in the buffer */
	uint64_t flushed, read; /* bytes in the file; bytes returned by idx_spill_next() */
	size_t filled;
	uint8_t *again; /* the second buffer, NULL until needed */
	uint8_t buffer[IDX_SPILL_ROOM];
};

struct idx_spill *idx_spill_new(struct idx_out *out)
{
	struct idx_spill *s = g_new(struct idx_spill, 1);

	s->out = out;
	s->fd = -1;
	s->flushed = s->read = 0;
	s->filled = 0;
	s->again = NULL;
	return s;
}

void idx_spill_free(struct idx_spill *s)
{
	if (!s)
		return;
	if (s->fd >= 0)
		close(s->fd);
	g_free(s->again);
	g_free(s);
}

void idx_spill_add(struct idx_spill *s, const void *data, size_t size)
{
	g_assert(size <= IDX_SPILL_ROOM);
	if (s->filled + size > IDX_SPILL_ROOM) {
		if (s->fd < 0)
			s->fd = out_scratch(s->out);
		if (!s->out->error && !base_io_write(s->fd, s->buffer, s->filled, s->flushed))
			out_fail(s->out, errno);
		s->flushed += s->filled;
		s->filled = 0;
	}
	memcpy(s->buffer + s->filled, data, size);
	s->filled += size;
}

uint64_t idx_spill_size(const struct idx_spill *s)
{
	return s->flushed + s->filled;
}

const uint8_t *idx_spill_next(struct idx_spill *s, size_t *size)
{
	bool in_file = s->read < s->flushed;

	*size = in_file ? (size_t)MIN(s->flushed - s->read, IDX_SPILL_ROOM)
			: (size_t)(idx_spill_size(s) - s->read);
	if (s->out->error || *size == 0) {
		s->read = 0;
		return NULL;
	}
	if (in_file && !s->again)
		s->again = g_malloc(IDX_SPILL_ROOM);
	if (in_file && !out_read(s->fd, s->again, *size, s->read)) {
		out_fail(s->out, errno);
		return NULL;
	}
	s->read += *size;
	return in_file ? s->again : s->buffer;
}

/* ---- chunks, their table of contents, the header ---- */

static void chunks_begin(struct idx_chunks *c)
{
	static const uint8_t zeros[8];

	idx_out_append(c->out, zeros, -idx_out_size(c->out) & 7);
}

static void enter(struct idx_chunks *c, const char *id, uint64_t offset, uint64_t size, uint64_t checksum)
{
	uint8_t *entry = c->toc + c->n * IDX_TOC_ENTRY;

	g_assert(c->n < IDX_CHUNKS_MAX);
	memset(entry, 0, IDX_TOC_ENTRY);
	memcpy(entry, id, 4);
	idx_put64(entry + 8, offset);
	idx_put64(entry + 16, size);
	idx_put64(entry + 24, checksum);
	c->n++;
}

void idx_chunks_put(struct idx_chunks *c, const char *id, const void *data, size_t size)
{
	chunks_begin(c);
	enter(c, id, idx_out_append(c->out, data, size), size, XXH3_64bits(data, size));
}

void idx_chunks_put_ref(struct idx_chunks *c, const char *id, const struct idx_child *top)
{
	uint8_t ref[IDX_REF_SIZE];

	idx_put_ref(ref, top);
	idx_chunks_put(c, id, ref, sizeof ref);
}

void idx_chunks_put_spilled(struct idx_chunks *c, const char *id, struct idx_spill *spill)
{
	XXH3_state_t *hash = XXH3_createState();
	uint64_t offset;
	const uint8_t *piece;
	size_t size;

	XXH3_64bits_reset(hash);
	chunks_begin(c);
	offset = idx_out_size(c->out);
	while ((piece = idx_spill_next(spill, &size))) {
		XXH3_64bits_update(hash, piece, size);
		idx_out_append(c->out, piece, size);
	}
	enter(c, id, offset, idx_spill_size(spill), XXH3_64bits_digest(hash));
	XXH3_freeState(hash);
}

static void make_header(uint8_t *h, const struct idx_chunks *c, const struct idx_map_kind *kind, uint64_t toc,
	const char *fingerprint)
{
	memset(h, 0, IDX_HEADER_SIZE);
	memcpy(h, kind->magic, 8);
	idx_put32(h + 8, kind->version);
	idx_put32(h + 12, IDX_HEADER_SIZE);
	idx_put64(h + 16, idx_out_size(c->out));
	idx_put64(h + 24, toc);
	idx_put32(h + 32, c->n);
	idx_put64(h + 40, XXH3_64bits(c->toc, (size_t)c->n * IDX_TOC_ENTRY));
	memcpy(h + 48, fingerprint, MIN(strlen(fingerprint), 32));
	idx_put64(h + IDX_HEADER_LEAD, c->out->lead);
	idx_put64(h + IDX_HEADER_FROM, c->out->from);
	idx_put64(h + IDX_HEADER_HASHED, XXH3_64bits(h, IDX_HEADER_HASHED));
}

bool idx_chunks_finish(struct idx_chunks *c, const struct idx_map_kind *kind, const char *fingerprint,
	GError **error)
{
	static const uint8_t tail[IDX_TAIL];
	uint8_t header[IDX_HEADER_SIZE];
	uint64_t toc = idx_out_append(c->out, c->toc, (size_t)c->n * IDX_TOC_ENTRY);

	idx_out_append(c->out, tail, sizeof tail);
	make_header(header, c, kind, toc, fingerprint);
	return idx_out_publish(c->out, header, sizeof header, error);
}
