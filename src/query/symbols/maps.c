/* SPDX-License-Identifier: MIT */
/*
 * How it works: one walk through the calls that map and unmap files and create file descriptors, for each
 * thread from entry to exit. Each process has a log of mappings. The mapping of an address at a time is the
 * last one in the log that holds it. mmap() and mremap() replace mappings (mmap_region(), mm/mmap.c), so the
 * log also has mappings without a file that may cover one. execve() ends all mappings (begin_new_exec(),
 * fs/exec.c). A process that was forked and did no execve() has the mappings of its parent at the fork.
 *
 * If events were lost, or between two chunks of a recording, any call may have happened, so older mappings
 * are unknown. All are unknown if no call that unmaps was recorded, because then not all calls were recorded.
 *
 * No event has the build id of a mapped file, so the answer is a place in the file.
 */
#include "query/symbols/symbols.h"

#include "base/base_search.h"
#include "base/base_text.h"
#include "query/events/scan.h"

#include <string.h>

#define LOG_MAX 4096       /* entries of a process; with more, its mappings are unknown */
#define FILES_MAX 100000   /* different names */
#define FDS_MAX 65536      /* of a process */
#define GENERATIONS_MAX 64 /* forks without an execve() */
#define IS_ANONYMOUS 0x20  /* MAP_ANONYMOUS, asm-generic/mman-common.h; other architectures pass FD -1 */
#define PAGE 4096          /* bytes; the smallest page size */
#define ERRORS_FROM ((uint64_t)-4095)

struct file {
	char *path, *name; /* owned; the path, and its last part */
	bool whole;        /* PATH is absolute and unchanged */
};

/* Since FROM, the byte at START is at OFFSET in FILE, up to END. */
struct map {
	int64_t from;
	uint64_t start, end, offset;
	const struct file *file; /* NULL: no file, or unknown */
};

struct opened {
	int64_t time;
	const struct file *file;
};

struct space {
	GArray *log;     /* of struct map, in order of time */
	GHashTable *fds; /* descriptor → struct opened, owned */
	bool lost;       /* its calls cannot be followed any more */
};

/* Calls by their effect, and the names of their arguments and result in LTTng. */
enum call { CALL_MMAP, CALL_MUNMAP, CALL_MREMAP, CALL_OPEN, CALL_FD, CALL_CLOSE, CALL_CLOSE_RANGE, CALLS };
enum argument { ARG_ADDR, ARG_LEN, ARG_FLAGS, ARG_FD, ARG_OFFSET, ARG_OLD_LEN, ARG_NEW_LEN, ARG_RET, ARGS };

#define NEEDED (1U << CALL_MUNMAP | 1U << CALL_CLOSE)

/* The call that a thread is in. */
struct pending {
	enum call call; /* CALLS: none */
	uint64_t args[ARGS];
	const struct file *file; /* of an opening */
};

struct qry_maps {
	struct qry *q;       /* weak */
	GHashTable *spaces;  /* row of the process → struct space, owned */
	GHashTable *pending; /* row of the thread → struct pending, owned */
	GHashTable *files;   /* path → struct file, owned */
	GArray **breaks;     /* by host: times (int64_t), ascending; older mappings are unknown after them */
	unsigned *seen;      /* by host: bits of the calls that were recorded */
	struct pending read; /* the fields of the current event */
};

static void space_free(void *data)
{
	struct space *s = data;

	g_array_unref(s->log);
	g_hash_table_unref(s->fds);
	g_free(s);
}

/* The space of thread ROW; NULL if its process is unknown. MAKE: make it if it does not exist. */
static struct space *space_of(const struct qry_maps *m, uint32_t row, bool make)
{
	uint32_t process = qry_row(m->q, row)->process;
	struct space *s = g_hash_table_lookup(m->spaces, GUINT_TO_POINTER(process));

	if (s || !make || qry_row(m->q, row)->pid < 0)
		return s;
	s = g_new0(struct space, 1);
	s->log = g_array_new(FALSE, FALSE, sizeof(struct map));
	s->fds = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	g_hash_table_insert(m->spaces, GUINT_TO_POINTER(process), s);
	return s;
}

/* True if mappings of HOST at FROM may have changed unseen by TO: events were lost, or a chunk ended. */
static bool is_broken(const struct qry_maps *m, uint32_t host, int64_t from, int64_t to)
{
	const GArray *b = m->breaks[host];
	uint64_t next = base_search_below((const int64_t *)(const void *)b->data, b->len, sizeof(int64_t),
		from);

	return next < b->len && g_array_index(b, int64_t, next) <= to;
}

/* ---- the log ---- */

/* The mapping at ADDRESS at TIME in the log of S; NULL: none. */
static const struct map *map_at(const struct space *s, int64_t time, uint64_t address)
{
	for (guint i = s ? s->log->len : 0; i-- > 0;) {
		const struct map *map = &g_array_index(s->log, struct map, i);

		if (map->from <= time && address >= map->start && address < map->end)
			return map;
	}
	return NULL;
}

/* True if [START, END) overlaps a mapping in the log. */
static bool covers(const struct space *s, uint64_t start, uint64_t end)
{
	for (guint i = 0; i < s->log->len; i++)
		if (g_array_index(s->log, struct map, i).start < end &&
			g_array_index(s->log, struct map, i).end > start)
			return true;
	return false;
}

/* Add MAP, in whole pages. A mapping without a file is added only if it may cover another; OF_PARENT: it may
 * cover one inherited from the parent. */
static void maps_put(struct space *s, struct map map, bool of_parent)
{
	if (map.end <= UINT64_MAX - PAGE)
		map.end = (map.end + PAGE - 1) / PAGE * PAGE;
	if (map.end <= map.start || (!map.file && !of_parent && !covers(s, map.start, map.end)))
		return;
	s->lost |= s->log->len >= LOG_MAX;
	if (!s->lost)
		g_array_append_val(s->log, map);
}

/* ---- calls ---- */

static void file_free(void *data)
{
	struct file *file = data;

	g_free(file->path);
	g_free(file->name);
	g_free(file);
}

static const struct file *maps_keep(struct qry_maps *m, const char *path, size_t length)
{
	char *clean = base_text_clean(path, (gssize)length);
	struct file *file = g_hash_table_lookup(m->files, clean);

	if (file || g_hash_table_size(m->files) >= FILES_MAX) {
		g_free(clean);
		return file;
	}
	file = g_new(struct file, 1);
	*file = (struct file){ clean, g_path_get_basename(clean),
		*clean == '/' && strlen(clean) == length && memcmp(clean, path, length) == 0 };
	g_hash_table_insert(m->files, clean, file);
	return file;
}

static void maps_take(void *data, const char *name, const struct trc_value *value)
{
	static const struct {
		const char *name;
		enum argument argument;
	} known[] = { { "addr", ARG_ADDR }, { "len", ARG_LEN }, { "flags", ARG_FLAGS }, { "fd", ARG_FD },
		{ "offset", ARG_OFFSET }, { "old_len", ARG_OLD_LEN }, { "new_len", ARG_NEW_LEN },
		{ "ret", ARG_RET } };
	struct qry_maps *m = data;

	if (value->type == TRC_VALUE_TEXT && (strcmp(name, "filename") == 0 || strcmp(name, "pathname") == 0))
		m->read.file = maps_keep(m, value->text, value->length);
	for (size_t i = 0; i < G_N_ELEMENTS(known) && value->type != TRC_VALUE_TEXT; i++)
		if (strcmp(name, known[i].name) == 0)
			m->read.args[known[i].argument] = value->number;
}

static void moved(struct space *s, const struct pending *p, uint64_t to, int64_t time, bool of_parent)
{
	const struct map *was = map_at(s, time, p->args[ARG_ADDR]);
	struct map map = { time, to, to + p->args[ARG_NEW_LEN], 0, NULL };

	if (was && was->file && p->args[ARG_ADDR] + p->args[ARG_OLD_LEN] <= was->end) {
		map.offset = was->offset + (p->args[ARG_ADDR] - was->start);
		map.file = was->file;
	}
	maps_put(s,
		(struct map){ time, p->args[ARG_ADDR], p->args[ARG_ADDR] + p->args[ARG_OLD_LEN], 0, NULL },
		of_parent);
	maps_put(s, map, of_parent);
}

/* The call P of a thread of S, in process ROW, returned RESULT, which is no error. */
static void done(struct qry_maps *m, struct space *s, uint32_t row, const struct pending *p, uint64_t result,
	int64_t time)
{
	const struct qry_row *r = qry_row(m->q, row);
	uint64_t address = p->args[ARG_ADDR];
	struct map map = { time, result, result + p->args[ARG_LEN], p->args[ARG_OFFSET], NULL };
	struct opened *o;

	switch (p->call) {
	case CALL_MMAP:
		o = g_hash_table_lookup(s->fds, GINT_TO_POINTER((int)p->args[ARG_FD]));
		if (o && !(p->args[ARG_FLAGS] & IS_ANONYMOUS) && !is_broken(m, r->host, o->time, time))
			map.file = o->file;
		maps_put(s, map, r->born);
		break;
	case CALL_MUNMAP:
		maps_put(s, (struct map){ time, address, address + p->args[ARG_LEN], 0, NULL }, r->born);
		break;
	case CALL_MREMAP: moved(s, p, result, time, r->born); break;
	case CALL_OPEN:
		if (g_hash_table_size(s->fds) >= FDS_MAX)
			g_hash_table_remove_all(s->fds);
		o = g_new(struct opened, 1);
		*o = (struct opened){ time, p->file };
		g_hash_table_insert(s->fds, GINT_TO_POINTER((int)result), o);
		break;
	case CALL_FD: g_hash_table_remove(s->fds, GINT_TO_POINTER((int)result)); break;
	case CALL_CLOSE: g_hash_table_remove(s->fds, GINT_TO_POINTER((int)p->args[ARG_FD])); break;
	case CALL_CLOSE_RANGE: g_hash_table_remove_all(s->fds); break;
	case CALLS: break;
	}
}

/* ---- the walk ---- */

static enum call call_of(const char *name)
{
	static const struct {
		const char *name;
		enum call call;
	} known[] = { { "mmap", CALL_MMAP }, { "munmap", CALL_MUNMAP }, { "mremap", CALL_MREMAP },
		{ "open", CALL_OPEN }, { "openat", CALL_OPEN }, { "creat", CALL_OPEN },
		{ "openat2", CALL_OPEN }, { "dup", CALL_FD }, { "dup2", CALL_FD }, { "dup3", CALL_FD },
		{ "fcntl", CALL_FD }, { "close", CALL_CLOSE }, { "close_range", CALL_CLOSE_RANGE } };

	for (size_t i = 0; i < G_N_ELEMENTS(known); i++)
		if (strcmp(name, known[i].name) == 0)
			return known[i].call;
	return CALLS;
}

#define ENTRY "syscall_entry_"
#define EXIT "syscall_exit_"

/* True for calls that are followed, execve(), and 32-bit calls of a 64-bit kernel, which only end the log. */
static bool maps_is_wanted(G_GNUC_UNUSED void *data, const char *name)
{
	if (g_str_has_prefix(name, ENTRY))
		return call_of(name + strlen(ENTRY)) != CALLS;
	if (g_str_has_prefix(name, EXIT))
		return call_of(name + strlen(EXIT)) != CALLS;
	return strcmp(name, "sched_process_exec") == 0 || strncmp(name, "compat_syscall_entry_m", 22) == 0;
}

/* Process event E of space S. Its fields are in m->read. */
static void event(struct qry_maps *m, struct space *s, const struct qry_event *e)
{
	gpointer key = GUINT_TO_POINTER(e->thread);
	struct pending *p;

	if (g_str_has_prefix(e->name, ENTRY)) {
		m->read.call = call_of(e->name + strlen(ENTRY));
		g_hash_table_insert(m->pending, key, g_memdup2(&m->read, sizeof m->read));
	} else if (g_str_has_prefix(e->name, EXIT)) {
		p = g_hash_table_lookup(m->pending, key);
		m->seen[e->host] |= 1U << call_of(e->name + strlen(EXIT));
		if (p && p->call == call_of(e->name + strlen(EXIT)) && m->read.args[ARG_RET] < ERRORS_FROM)
			done(m, s, qry_row(m->q, e->thread)->process, p, m->read.args[ARG_RET], e->time);
		g_hash_table_remove(m->pending, key);
	} else if (e->name[0] == 'c') {
		s->lost = true;
	} else {
		maps_put(s, (struct map){ e->time, 0, UINT64_MAX, 0, NULL }, true);
		g_hash_table_remove_all(s->fds);
	}
}

static bool maps_walk(struct qry_maps *m, struct base_progress *progress, GError **error)
{
	struct qry_events_filter filter = QRY_EVENTS_ALL;
	struct trc_taker taker = { maps_take, m };
	static const struct qry_scan_want want = { .thread = true };
	struct qry_scan *scan;
	struct qry_event ev;
	int got;

	filter.wants = maps_is_wanted;
	scan = qry_scan_new(m->q, &filter, &want, error);
	got = scan ? qry_scan_next(scan, &ev, progress, error) : -1;
	for (; got > 0; got = got > 0 ? qry_scan_next(scan, &ev, progress, error) : got) {
		struct space *s = ev.thread == MDL_NONE ? NULL : space_of(m, ev.thread, true);

		m->read = (struct pending){ .call = CALLS };
		if (s && !qry_scan_take(scan, &taker, error))
			got = -1;
		else if (s)
			event(m, s, &ev);
	}
	qry_scan_free(scan);
	return got == 0;
}

/* ---- the whole ---- */

static GArray *breaks_of(const struct qry_host *h)
{
	GArray *breaks = g_array_new(FALSE, FALSE, sizeof(int64_t));

	for (guint i = 0; i < h->gaps->len; i++)
		g_array_append_val(breaks, g_array_index(h->gaps, struct idx_gap, i).from);
	for (guint i = 1; i < h->chunks->len; i++)
		g_array_append_val(breaks, g_array_index(h->chunks, struct idx_chunk, i).from);
	g_array_sort(breaks, base_search_by_int64);
	return breaks;
}

struct qry_maps *qry_maps_new(struct qry *q, struct base_progress *progress, GError **error)
{
	struct qry_maps *m = g_new0(struct qry_maps, 1);

	m->q = q;
	m->spaces = g_hash_table_new_full(NULL, NULL, NULL, space_free);
	m->pending = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	m->files = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, file_free);
	m->seen = g_new0(unsigned, qry_host_count(q));
	m->breaks = g_new0(GArray *, qry_host_count(q));
	for (uint32_t i = 0; i < qry_host_count(q); i++)
		m->breaks[i] = breaks_of(qry_host(q, i));
	if (maps_walk(m, progress, error))
		return m;
	qry_maps_free(m);
	return NULL;
}

void qry_maps_free(struct qry_maps *m)
{
	if (!m)
		return;
	for (uint32_t i = 0; i < qry_host_count(m->q); i++)
		g_array_unref(m->breaks[i]);
	g_free(m->breaks);
	g_free(m->seen);
	g_hash_table_unref(m->spaces);
	g_hash_table_unref(m->pending);
	g_hash_table_unref(m->files);
	g_free(m);
}

bool qry_maps_find(const struct qry_maps *m, uint32_t row, int64_t time, uint64_t address,
	struct qry_mapped *place)
{
	int64_t then = time;

	for (unsigned i = 0; row != MDL_NONE && i < GENERATIONS_MAX; i++) {
		const struct qry_row *process = qry_row(m->q, qry_row(m->q, row)->process);
		const struct space *s = space_of(m, row, false);
		const struct map *map = map_at(s, then, address);

		if ((m->seen[process->host] & NEEDED) != NEEDED)
			return false;
		if ((s && s->lost) || (map && (!map->file || is_broken(m, process->host, map->from, time))))
			return false;
		if (map) {
			*place = (struct qry_mapped){ map->file->name,
				map->file->whole ? map->file->path : NULL, address - map->start + map->offset,
				map->offset, map->end - map->start };
			return true;
		}
		if (!process->born)
			return false;
		then = process->first;
		row = process->parent;
	}
	return false;
}
