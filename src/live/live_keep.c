/* SPDX-License-Identifier: MIT */
/*
 * How it works: packets are written as the relay sends them, so the folder equals one that LTTng writes. A
 * stream without packets reports this in each period of the live timer, with the time up to which it has
 * none. The hidden file ".certain" beside the streams has a line "NAME CYCLES" for each (trc_survey_grow.c
 * reads it). It is written after all packets that came before. So a reader that reads it before the streams
 * misses none of these packets.
 *
 * (babeltrace2's sink.ctf.fs would write the metadata last, so the trace could not be read before its end.)
 */
#include "live/live_relay.h"

#include "base/base_error.h"
#include "base/base_io.h"
#include "base/base_place.h"
#include "base/base_scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <unistd.h>

#define PACKETS_AT_ONCE 64 /* of a stream, then other streams have their turn */

/* A stream that is kept. */
struct kept {
	const struct live_stream *stream; /* weak */
	char *name;                       /* of its file, owned */
	uint64_t silent;                  /* cycles; 0: unknown */
	bool over;
};

struct live_keep {
	struct live_relay *relay;
	char *folder, *ended;
	GArray *kept;      /* of struct kept: the first streams of the relay, as far as they were examined */
	GHashTable *names; /* set of char *, weak: of KEPT */
	uint64_t trace;    /* the kept trace of the session, once there is a stream … */
	bool is_kernel;    /* … and whether it is the kernel's */
	bool silence;      /* KEPT[].silent changed since it was written */
};

bool live_keep_is_url(const char *text)
{
	return g_str_has_prefix(text, "net://") || g_str_has_prefix(text, "net4://") ||
		g_str_has_prefix(text, "net6://");
}

static void kept_clear(gpointer data)
{
	g_free(((struct kept *)data)->name);
}

/* Return TEXT as the name of a file that is not hidden: other characters become '_'. The caller frees it. */
static char *plain(const char *text)
{
	char *name = g_strdup(text);

	for (char *p = name; *p != '\0'; p++)
		if (!g_ascii_isalnum(*p) && *p != '-' && *p != '_' && (*p != '.' || p == name))
			*p = '_';
	return name;
}

/* Make the folder $XDG_DATA_HOME/wakepath/HOST-SESSION-DATE. */
static char *make_folder(const struct live_relay *r, GError **error)
{
	g_autoptr(GDateTime) now = g_date_time_new_now_local();
	g_autofree char *date = g_date_time_format(now, "%Y%m%d-%H%M%S"), *host = plain(live_relay_host(r)),
			*session = plain(live_relay_session(r)),
			*name = g_strdup_printf("%s-%s-%s", host, session, date);
	char *folder = g_build_filename(g_get_user_data_dir(), "wakepath", name, NULL);

	if (base_place_make(folder) == 0)
		return folder;
	base_error_set_errno(error, errno, "cannot keep the session in", folder);
	g_free(folder);
	return NULL;
}

struct live_keep *live_keep_new(const char *url, GError **error)
{
	struct live_relay *relay = live_relay_open(url, error);
	char *folder = relay ? make_folder(relay, error) : NULL;
	struct live_keep *k;

	if (!folder) {
		live_relay_free(relay);
		return NULL;
	}
	k = g_new0(struct live_keep, 1);
	k->relay = relay;
	k->folder = folder;
	k->kept = g_array_new(FALSE, TRUE, sizeof(struct kept));
	g_array_set_clear_func(k->kept, kept_clear);
	k->names = g_hash_table_new(g_str_hash, g_str_equal);
	return k;
}

void live_keep_free(struct live_keep *k)
{
	if (!k)
		return;
	live_relay_free(k->relay);
	g_hash_table_unref(k->names);
	g_array_unref(k->kept);
	g_free(k->folder);
	g_free(k->ended);
	g_free(k);
}

const char *live_keep_folder(const struct live_keep *k)
{
	return k->folder;
}

const char *live_keep_ended(const struct live_keep *k)
{
	return k->ended;
}

/* ---- files ---- */

/* A file to which bytes are appended. */
struct file {
	char *path;
	int fd;
	off_t begin; /* bytes that it had before */
	uint64_t written;
};

static bool set_cannot_write(const struct file *f, GError **error)
{
	return base_error_false_errno(error, errno, "cannot write", f->path);
}

/* Open NAME to append to it. It is made if it is missing. */
static bool begin_file(const struct live_keep *k, const char *name, struct file *f, GError **error)
{
	*f = (struct file){ .path = g_build_filename(k->folder, name, NULL) };
	f->fd = base_place_write(f->path, O_APPEND, 0666);
	f->begin = f->fd >= 0 ? lseek(f->fd, 0, SEEK_END) : -1;
	if (f->begin >= 0)
		return true;
	set_cannot_write(f, error);
	if (f->fd >= 0)
		close(f->fd);
	g_free(f->path);
	return false;
}

static bool write_some(void *file, const uint8_t *bytes, size_t size, GError **error)
{
	struct file *f = file;

	f->written += size;
	return base_io_put(f->fd, bytes, size, NULL) || set_cannot_write(f, error);
}

/* Close F. If not OK (ERROR is set), remove the bytes of this call. Returns OK, unless closing fails. */
static bool end_file(struct file *f, bool ok, GError **error)
{
	if (!ok && ftruncate(f->fd, f->begin) != 0)
		g_prefix_error(error, "%s ends with a part of a packet: ", f->path);
	if (close(f->fd) != 0 && ok)
		ok = set_cannot_write(f, error);
	g_free(f->path);
	return ok;
}

/* ---- streams ---- */

/* Return a name that no other stream has; the caller frees it. */
static char *keep_name_of(const struct live_keep *k, const struct live_stream *stream, GError **error)
{
	g_autofree char *name = stream->is_metadata ? g_strdup("metadata") : plain(stream->channel);

	if (!stream->is_metadata &&
		(g_hash_table_contains(k->names, name) || g_str_equal(name, "metadata"))) {
		g_free(name);
		name = g_strdup_printf("stream_%" G_GUINT64_FORMAT, stream->id);
	}
	if (g_hash_table_contains(k->names, name))
		return base_error_null(error, BASE_ERROR_IO, "the relay has two streams with the name %s",
			name);
	return g_steal_pointer(&name);
}

/* Choose the trace of the session (kernel, programs) that is kept: the kernel's, if there is one. */
static void choose_trace(struct live_keep *k)
{
	const GPtrArray *all = live_relay_streams(k->relay);

	for (guint i = k->kept->len; i < all->len && !k->is_kernel; i++) {
		const struct live_stream *s = g_ptr_array_index(all, i);

		if (i > 0 && !s->is_kernel)
			continue;
		k->trace = s->trace;
		k->is_kernel = s->is_kernel;
	}
}

static bool take_stream(struct live_keep *k, const struct live_stream *stream, GError **error)
{
	struct kept kept = { .stream = stream, .over = stream->trace != k->trace };
	struct file file;

	kept.name = kept.over ? NULL : keep_name_of(k, stream, error);
	if (kept.name)
		g_hash_table_add(k->names, kept.name);
	g_array_append_val(k->kept, kept);
	return kept.over ||
		(kept.name && begin_file(k, kept.name, &file, error) && end_file(&file, true, error));
}

/* Take new streams. Their files are made at once, so that a reader sees them. */
static bool take_streams(struct live_keep *k, GError **error)
{
	const GPtrArray *all = live_relay_streams(k->relay);

	choose_trace(k);
	for (guint i = k->kept->len; i < all->len; i++)
		if (!take_stream(k, g_ptr_array_index(all, i), error))
			return false;
	return true;
}

/* ---- data ---- */

static bool fetch_metadata(const struct live_keep *k, GError **error)
{
	bool ok = true;

	for (guint i = 0; ok && i < k->kept->len; i++) {
		const struct kept *m = &g_array_index(k->kept, struct kept, i);
		struct file file;

		if (m->over || !m->stream->is_metadata)
			continue;
		ok = begin_file(k, m->name, &file, error) &&
			end_file(&file,
				live_relay_metadata(k->relay, m->stream->id, write_some, &file, error),
				error);
	}
	return ok;
}

static bool fetch_packet(struct live_keep *k, guint i, const struct live_index *index, GError **error)
{
	const struct kept *s = &g_array_index(k->kept, struct kept, i);
	struct file file;

	for (unsigned tries = 0; tries < 2; tries++) {
		if (!begin_file(k, s->name, &file, error) ||
			!end_file(&file,
				live_relay_packet(k->relay, s->stream->id, index, write_some, &file, error),
				error))
			return false;
		if (file.written > 0)
			return true;
		if (!fetch_metadata(k, error)) /* the packet needs it */
			return false;
	}
	return base_error_false(error, BASE_ERROR_IO, "the relay does not send a packet of %s", s->name);
}

/* Fetch the packets of stream I, at most PACKETS_AT_ONCE. */
static bool fetch_stream(struct live_keep *k, guint i, GError **error)
{
	struct live_index index = { .next = LIVE_PACKET };

	for (unsigned n = 0; n < PACKETS_AT_ONCE && index.next == LIVE_PACKET; n++) {
		struct kept *s = &g_array_index(k->kept, struct kept, i);
		bool over;

		if (!live_relay_next(k->relay, s->stream->id, &index, error) ||
			(index.new_streams && !live_relay_more(k->relay, &over, error)) ||
			!take_streams(k, error) || (index.new_metadata && !fetch_metadata(k, error)) ||
			(index.next == LIVE_PACKET && !fetch_packet(k, i, &index, error)))
			return false;
		s = &g_array_index(k->kept, struct kept, i);
		s->over = index.next == LIVE_OVER;
		k->silence |= index.next == LIVE_INACTIVE && index.end != s->silent;
		s->silent = index.next == LIVE_INACTIVE ? index.end : s->silent;
	}
	return true;
}

static bool write_silence(struct live_keep *k, GError **error)
{
	g_autoptr(GString) text = g_string_new(NULL);
	g_autofree char *path = g_build_filename(k->folder, ".certain", NULL);

	if (!k->silence)
		return true;
	k->silence = false;
	for (guint i = 0; i < k->kept->len; i++) {
		const struct kept *s = &g_array_index(k->kept, struct kept, i);

		if (s->name && s->silent > 0)
			g_string_append_printf(text, "%s %" G_GUINT64_FORMAT "\n", s->name, s->silent);
	}
	return base_scratch_write(path, text->str, text->len) == 0 ||
		base_error_false_errno(error, errno, "cannot write", path);
}

/* Fetch all that the relay has. *OVER: no stream has more. */
static bool fetch_all(struct live_keep *k, bool *over, GError **error)
{
	bool is_over = false;

	if (live_relay_streams(k->relay)->len == 0 && !live_relay_more(k->relay, &is_over, error))
		return false;
	if (live_relay_streams(k->relay)->len > 0 && (!take_streams(k, error) || !fetch_metadata(k, error)))
		return false;
	*over = is_over || k->kept->len > 0;
	for (guint i = 0; i < k->kept->len; i++) {
		if (g_array_index(k->kept, struct kept, i).over ||
			g_array_index(k->kept, struct kept, i).stream->is_metadata)
			continue;
		if (!fetch_stream(k, i, error))
			return false;
		*over &= g_array_index(k->kept, struct kept, i).over;
	}
	return write_silence(k, error);
}

void live_keep_fetch(struct live_keep *k)
{
	GError *error = NULL;
	bool over = false;

	if (k->ended)
		return;
	if (!fetch_all(k, &over, &error))
		k->ended = g_strdup_printf("%s; the data until then is kept in %s", error->message,
			k->folder);
	else if (over)
		k->ended = g_strdup_printf("the session has ended; it is kept in %s", k->folder);
	g_clear_error(&error);
}
