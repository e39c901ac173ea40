/* SPDX-License-Identifier: MIT */
/*
 * How it works: "lttng rotate" ends a chunk of a recording and begins the next. Each chunk is a trace in a
 * folder of its own. "lttng snapshot record" writes what the ring buffers hold, so two snapshots may have
 * packets in common. LTTng gives each domain of a session one UUID (lttng-modules, lttng_session_create()
 * sets metadata_cache->uuid). All its chunks share this UUID, the session's name and time of creation, the
 * host's name and the clock.
 *
 * A changed copy may share them, too. So the metadata must agree, and so must the packets: two packets of a
 * stream with one begin time must have one sequence number, and a later packet must have a higher one
 * (packet_seq_num counts the sub-buffers of a stream).
 */
#include "trace/ctf/trc_ctf.h"

#include "base/base_error.h"
#include "base/base_io.h"
#include "base/base_search.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* A folder of the search. */
struct chunk {
	char *folder;                /* weak */
	char *apart;                 /* as in struct trc_recording; owned */
	const struct trc_meta *meta; /* weak; NULL: unknown, it is never joined */
};

/* Chunks that seem to belong to one recording. */
struct group {
	GArray *chunks;              /* of struct chunk, owned */
	const struct trc_meta *meta; /* weak: describes all of them */
	const char *of;              /* weak: the folder that META comes from */
};

/* The first packet of a stream file. */
struct head {
	const char *folder; /* weak */
	uint64_t class;
	char *stream; /* owned: distinguishes the stream from others of its class */
	struct trc_packet packet;
};

static void group_free(gpointer data)
{
	struct group *g = data;

	g_array_unref(g->chunks);
	g_free(g);
}

static void head_clear(gpointer data)
{
	g_free(((struct head *)data)->stream);
}

/* ---- metadata ---- */

/* Return a key that all chunks of a recording share; the caller frees it. NULL: T has no identity. */
static char *chunks_key_of(const struct trc_meta *t)
{
	static const char *const names[] = { "hostname", "domain", "tracer_name", "trace_name",
		"trace_creation_datetime" };
	static const uint8_t none[sizeof(t->uuid)];
	GString *key;

	if (!t || !t->has_uuid || memcmp(t->uuid, none, sizeof(none)) == 0)
		return NULL;
	key = g_string_new(NULL);
	for (unsigned i = 0; i < sizeof(t->uuid); i++)
		g_string_append_printf(key, "%02x", t->uuid[i]);
	for (unsigned i = 0; i < G_N_ELEMENTS(names); i++) {
		const struct trc_env *env = trc_meta_env(t, names[i]);

		g_string_append_printf(key, "\n%s", env && env->text ? env->text : "");
	}
	for (unsigned i = 0; i < t->clocks->len; i++)
		g_string_append_printf(key, "\n%s",
			((const struct trc_clock *)g_ptr_array_index(t->clocks, i))->uuid);
	return g_string_free(key, FALSE);
}

/* Put C into G if their metadata agree. If not, set C->apart to the reason and return false. */
static bool chunks_take(struct group *g, struct chunk *c)
{
	g_autofree char *lacks = c->meta != g->meta ? trc_meta_lacks(g->meta, c->meta) : NULL;
	g_autofree char *other = lacks ? trc_meta_lacks(c->meta, g->meta) : NULL;
	bool fine = !lacks || !other;

	if (!fine)
		c->apart = g_strdup_printf(
			"%s: not joined with %s: both have the UUID of one recording, but their metadata differ in %s",
			c->folder, g->of, other);
	if (fine && lacks) {
		g->meta = c->meta;
		g->of = c->folder;
	}
	if (fine)
		g_array_append_val(g->chunks, *c);
	return fine;
}

/* ---- packets ---- */

/* Add the first packet of FILE to HEADS if it has a begin and a number. False with an error of reading. */
static bool add_head(GArray *heads, const struct trc_packet_layout *layout, const char *folder,
	const struct trc_file *file, GError **error)
{
	const struct trc_stream_class *stream = NULL;
	g_autofree char *path = g_build_filename(folder, file->own, NULL);
	int fd = base_io_open(path, O_NONBLOCK);
	struct head head = { .folder = folder };
	enum trc_packet_status status = TRC_PACKET_UNREAD;

	if (fd >= 0)
		status = trc_packet_read_at(layout, fd, 0, (uint64_t)file->size, &head.packet, &stream);
	if (status == TRC_PACKET_UNREAD)
		base_error_set_errno(error, errno, "cannot read", path);
	if (fd >= 0)
		close(fd);
	if ((status != TRC_PACKET_FINE && status != TRC_PACKET_CUT) || !head.packet.has_begin ||
		!head.packet.has_sequence)
		return status != TRC_PACKET_UNREAD;
	head.class = stream->id;
	head.stream = head.packet.has_instance ? g_strdup_printf("%" G_GUINT64_FORMAT, head.packet.instance)
					       : g_strdup(file->own);
	g_array_append_val(heads, head);
	return true;
}

static int compare_heads(gconstpointer a, gconstpointer b)
{
	const struct head *x = a, *y = b;

	return BASE_BY(x, y, class) ?: strcmp(x->stream, y->stream)
		?: BASE_BY(x, y, packet.begin) ?: BASE_BY(x, y, packet.sequence);
}

/* Return the first packets of all stream files of G, stream by stream in order of time; only packets with
 * numbers. NULL with an error if a file cannot be read. */
static GArray *heads_of(const struct group *g, const struct trc_packet_layout *layout, GError **error)
{
	GArray *heads = g_array_new(FALSE, FALSE, sizeof(struct head));
	bool fine = true;

	g_array_set_clear_func(heads, head_clear);
	for (unsigned i = 0; fine && i < g->chunks->len; i++) {
		char *folder[] = { g_array_index(g->chunks, struct chunk, i).folder, NULL };
		g_autoptr(GPtrArray) files = trc_files_list(folder, error);

		fine = files;
		for (unsigned k = 0; fine && k < files->len; k++)
			fine = add_head(heads, layout, folder[0], g_ptr_array_index(files, k), error);
	}
	g_array_sort(heads, compare_heads);
	if (!fine)
		g_clear_pointer(&heads, g_array_unref);
	return heads;
}

/* True if A and B, its successor in order, can belong to one recording. */
static bool agree(const struct head *a, const struct head *b)
{
	if (a->class != b->class || strcmp(a->stream, b->stream) != 0)
		return true;
	if (a->packet.begin == b->packet.begin)
		return a->packet.sequence == b->packet.sequence;
	return a->packet.sequence < b->packet.sequence;
}

/* Set *AGREES if the packets of G belong to one recording, else *APART to the reason. Packets without a fixed
 * layout cannot be compared, so their chunks are not joined. False with an error if a file cannot be read. */
static bool compare_packets(const struct group *g, bool *agrees, char **apart, GError **error)
{
	struct trc_packet_layout *layout = trc_packet_layout_new(g->meta);
	g_autoptr(GArray) heads = layout ? heads_of(g, layout, error) : NULL;
	bool fine = layout;

	*apart = layout
		? NULL
		: g_strdup_printf(
			  "%s: not joined with other chunks of its recording: its packets cannot be compared",
			  g->of);
	trc_packet_layout_free(layout);
	if (fine && !heads)
		return false;
	for (unsigned i = 1; fine && i < heads->len; i++) {
		const struct head *a = &g_array_index(heads, struct head, i - 1), *b = a + 1;

		fine = agree(a, b);
		if (!fine)
			*apart = g_strdup_printf(
				"%s: not joined with %s: both have the UUID of one recording, but their packets are "
				"numbered differently",
				b->folder, a->folder);
	}
	*agrees = fine;
	return true;
}

/* ---- the whole ---- */

/* Put C into the group of KEY (NULL: none), or into a new one. */
static void add_chunk(GPtrArray *groups, GHashTable *by_key, const char *key, struct chunk *c)
{
	struct group *g = key ? g_hash_table_lookup(by_key, key) : NULL;
	bool known;

	if (g && chunks_take(g, c))
		return;
	known = g;
	g = g_new0(struct group, 1);
	g->chunks = g_array_new(FALSE, FALSE, sizeof(struct chunk));
	g->meta = c->meta;
	g->of = c->folder;
	g_array_append_val(g->chunks, *c);
	g_ptr_array_add(groups, g);
	if (key && !known)
		g_hash_table_insert(by_key, g_strdup(key), g);
}

/* Return the key of each of FOLDERS, and count in COUNTS how many folders have each key. The key is NULL if
 * the metadata are damaged or of another version; opening that folder reports it. The caller unrefs. NULL
 * with an error of the file system. */
static GPtrArray *keys_of(struct trc_metadata *m, const GPtrArray *folders, GHashTable *counts,
	GError **error)
{
	GPtrArray *keys = g_ptr_array_new_with_free_func(g_free);
	GError *failure = NULL;

	/* A lone folder is never joined with another. */
	for (unsigned i = 0; !failure && i < folders->len; i++) {
		GError *problem = NULL;
		const struct trc_meta *head = folders->len > 1
			? trc_metadata_head(m, g_ptr_array_index(folders, i), &problem)
			: NULL;
		char *key = chunks_key_of(head);
		guint n = key ? GPOINTER_TO_UINT(g_hash_table_lookup(counts, key)) : 0;

		g_ptr_array_add(keys, key);
		if (key)
			g_hash_table_insert(counts, key, GUINT_TO_POINTER(n + 1));
		base_error_is_io(problem, &failure);
	}
	if (!failure)
		return keys;
	g_propagate_error(error, failure);
	g_ptr_array_unref(keys);
	return NULL;
}

/* Return the groups of FOLDERS; the caller unrefs. NULL with an error if metadata cannot be read. */
static GPtrArray *make_groups(struct trc_metadata *m, const GPtrArray *folders, GError **error)
{
	GPtrArray *groups = g_ptr_array_new_with_free_func(group_free);
	g_autoptr(GHashTable) by_key = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	g_autoptr(GHashTable) counts = g_hash_table_new(g_str_hash, g_str_equal);
	g_autoptr(GPtrArray) keys = keys_of(m, folders, counts, error);
	bool fine = keys;

	for (unsigned i = 0; fine && i < folders->len; i++) {
		struct chunk c = { .folder = g_ptr_array_index(folders, i) };
		const char *key = g_ptr_array_index(keys, i);
		GError *failure = NULL;
		const GError *problem;

		/* Read all metadata only if they must agree with those of another folder. */
		if (key && GPOINTER_TO_UINT(g_hash_table_lookup(counts, key)) > 1)
			trc_metadata_read(m, c.folder, &c.meta, &problem, &failure);
		fine = !base_error_is_io(failure, error);
		add_chunk(groups, by_key, c.meta ? key : NULL, &c);
	}
	if (!fine)
		g_clear_pointer(&groups, g_ptr_array_unref);
	return groups;
}

/* Add the recording in the folders of G to TO, or each folder if they do not belong together. */
static bool add_recordings(GPtrArray *to, const struct group *g, GError **error)
{
	g_autoptr(GPtrArray) folders = g_ptr_array_new();
	char *apart = NULL;
	bool joined = false;

	if (g->chunks->len > 1 && !compare_packets(g, &joined, &apart, error))
		return false;
	for (unsigned i = 0; i < g->chunks->len; i++) {
		struct chunk *c = &g_array_index(g->chunks, struct chunk, i);

		g_ptr_array_add(folders, c->folder);
		if (joined && i + 1 < g->chunks->len)
			continue;
		g_ptr_array_sort(folders, base_search_by_text);
		g_ptr_array_add(folders, NULL);
		g_ptr_array_add(to,
			trc_folders_recording((char *const *)folders->pdata,
				i && apart ? g_steal_pointer(&apart) : g_steal_pointer(&c->apart)));
		g_ptr_array_set_size(folders, 0);
	}
	return true;
}

/* ---- traces of user programs beside that of the kernel ---- */

static bool has_env(const struct trc_meta *meta, const char *name, const char *text)
{
	const struct trc_env *env = meta ? trc_meta_env(meta, name) : NULL;

	return env && g_strcmp0(env->text, text) == 0;
}

/* True if A and B have one session of LTTng, one machine and one clock. */
static bool is_one_session(const struct trc_meta *a, const struct trc_meta *b)
{
	static const char *const names[] = { "hostname", "trace_name", "trace_creation_datetime" };

	for (unsigned i = 0; i < G_N_ELEMENTS(names); i++) {
		const struct trc_env *env = trc_meta_env(a, names[i]);

		if (!env || !env->text || !has_env(b, names[i], env->text))
			return false;
	}
	return a->clocks->len == 1 && b->clocks->len == 1 &&
		trc_clock_is_one(g_ptr_array_index(a->clocks, 0), g_ptr_array_index(b->clocks, 0));
}

/* Put each trace of user programs in RECORDINGS beside that of the kernel, if exactly one has its session. */
static void put_beside(GPtrArray *recordings, struct trc_metadata *m)
{
	g_autoptr(GPtrArray) metas = g_ptr_array_new(); /* of const struct trc_meta *, NULL: unknown */

	for (guint i = 0; recordings->len > 1 && i < recordings->len; i++) {
		const struct trc_recording *r = g_ptr_array_index(recordings, i);

		g_ptr_array_add(metas, (void *)(uintptr_t)trc_metadata_head(m, r->folders[0], NULL));
	}
	for (guint i = metas->len; i-- > 0;) {
		const struct trc_recording *user = g_ptr_array_index(recordings, i);
		const struct trc_meta *of_user = metas->pdata[i];
		struct trc_recording *kernel = NULL;
		unsigned n = 0;

		if (!has_env(of_user, "domain", "ust"))
			continue;
		for (guint k = 0; k < recordings->len; k++) {
			const struct trc_meta *of = metas->pdata[k];

			if (!has_env(of, "domain", "kernel") || !is_one_session(of, of_user))
				continue;
			kernel = g_ptr_array_index(recordings, k);
			n++;
		}
		if (n != 1)
			continue;
		for (unsigned k = 0; user->folders[k]; k++) {
			n = kernel->beside ? g_strv_length(kernel->beside) : 0;
			kernel->beside = g_renew(char *, kernel->beside, n + 2);
			kernel->beside[n] = g_strdup(user->folders[k]);
			kernel->beside[n + 1] = NULL;
		}
		g_ptr_array_remove_index(recordings, i);
		g_ptr_array_remove_index(metas, i);
	}
	for (guint i = 0; i < recordings->len; i++) {
		const struct trc_recording *r = g_ptr_array_index(recordings, i);

		if (r->beside)
			qsort(r->beside, g_strv_length(r->beside), sizeof *r->beside, base_search_by_text);
	}
}

GPtrArray *trc_chunks_join(const GPtrArray *folders, GError **error)
{
	GPtrArray *recordings = g_ptr_array_new_with_free_func(trc_folders_recording_free);
	struct trc_metadata *m = trc_metadata_new();
	g_autoptr(GPtrArray) groups = make_groups(m, folders, error);
	bool fine = groups;

	for (unsigned i = 0; fine && i < groups->len; i++)
		fine = add_recordings(recordings, g_ptr_array_index(groups, i), error);
	if (fine)
		put_beside(recordings, m);
	trc_metadata_free(m);
	if (!fine)
		g_clear_pointer(&recordings, g_ptr_array_unref);
	return recordings;
}
