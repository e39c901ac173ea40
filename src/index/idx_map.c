/* SPDX-License-Identifier: MIT */
#include "index/idx_map.h"

#include "base/base_error.h"
#include "base/base_text.h"
#include "index/idx_seen.h"
#include "index/idx_types.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

const struct idx_map_kind idx_map_index = { IDX_MAGIC, IDX_FORMAT_VERSION, "index", "the trace has changed since it was built" };
const struct idx_map_kind idx_map_pairs = { IDX_PAIRS_MAGIC, IDX_PAIRS_VERSION, "file of packets", "it is of other traces, or they have changed" };

struct idx_map {
	const struct idx_map_kind *kind;
	char *path;
	char *cut_short;		/* what to say when it is, for a handler of signals */
	struct idx_map *next;		/* weak: of all that are open */
	const uint8_t *data;
	uint64_t size;
	const uint8_t *toc;
	unsigned n_chunks;
	struct idx_seen *seen;	/* blocks that were checked, inside too */
	GError *damage;
	bool scattered, advised;	/* what is expected, and what the kernel was told */
	long faults;			/* of this thread that had to wait for the disk, when last looked at */
	unsigned patience;		/* how often idx_map_waits() still says yes */
};

#define PATIENCE 64

static GMutex all_lock;
static struct idx_map *all_maps;	/* changed under ALL_LOCK, read by a handler of signals */

G_GNUC_PRINTF(3, 4)
static void set_stale(GError **error, const struct idx_map *m, const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = g_strdup_vprintf(format, args);
	va_end(args);
	g_set_error(error, BASE_ERROR, BASE_ERROR_STALE, "%s %s: %s", m->kind->name, m->path, text);
	g_free(text);
}

static bool map_fd(struct idx_map *m, int fd, bool own, GError **error)
{
	struct stat st;
	void *data;

	if (fstat(fd, &st) != 0) {
		base_error_set_errno(error, errno, "cannot read", m->path);
		return false;
	}
	m->size = (uint64_t)st.st_size;
	if (!S_ISREG(st.st_mode)) {
		set_stale(error, m, "not a regular file");
		return false;
	}
	if (own && st.st_uid != geteuid()) {
		set_stale(error, m, "belongs to another user (%u)", (unsigned)st.st_uid);
		return false;
	}
	if (m->size < IDX_HEADER_SIZE) {
		set_stale(error, m, "too short (%" G_GUINT64_FORMAT " bytes)", m->size);
		return false;
	}
	data = mmap(NULL, m->size, PROT_READ, MAP_SHARED, fd, 0);
	if (data == MAP_FAILED) {
		base_error_set_errno(error, errno, "cannot map", m->path);
		return false;
	}
	m->data = data;
	return true;
}

/* OWN: only a file of this user, and not through a link. */
static bool map_file(struct idx_map *m, bool own, GError **error)
{
	int fd = open(m->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | (own ? O_NOFOLLOW : 0));	/* a planted FIFO shall not hold us */
	bool ok;

	if (fd < 0 && errno == ENOENT) {
		g_set_error(error, BASE_ERROR, BASE_ERROR_STALE, "no %s yet", m->kind->name);
		return false;
	}
	if (fd < 0 && errno == ELOOP && own) {
		set_stale(error, m, "a symbolic link");
		return false;
	}
	if (fd < 0) {
		base_error_set_errno(error, errno, "cannot read", m->path);
		return false;
	}
	ok = map_fd(m, fd, own, error);
	close(fd);
	return ok;
}

static bool check_header(const struct idx_map *m, const char *fingerprint, GError **error)
{
	const uint8_t *h = m->data;

	if (memcmp(h, m->kind->magic, 8) != 0) {
		set_stale(error, m, "not a wakepath %s (no %s at its start)", m->kind->name, m->kind->magic);
		return false;
	}
	if (idx_get32(h + 8) != m->kind->version) {
		set_stale(error, m, "format version %u, this program writes version %u", idx_get32(h + 8), m->kind->version);
		return false;
	}
	if (XXH3_64bits(h, IDX_HEADER_HASHED) != idx_get64(h + IDX_HEADER_HASHED)) {
		set_stale(error, m, "damaged: checksum of the header is wrong");
		return false;
	}
	if (idx_get64(h + 16) != m->size) {
		set_stale(error, m, "damaged: %" G_GUINT64_FORMAT " bytes long, should be %" G_GUINT64_FORMAT,
			  m->size, (guint64)idx_get64(h + 16));
		return false;
	}
	if (fingerprint != NULL && strncmp((const char *)h + 48, fingerprint, 32) != 0) {
		set_stale(error, m, "%s", m->kind->foreign);
		return false;
	}
	return true;
}

static bool check_toc(struct idx_map *m, GError **error)
{
	uint64_t offset = idx_get64(m->data + 24), n = idx_get32(m->data + 32), size = n * IDX_TOC_ENTRY;

	if (offset > m->size || size > m->size - offset || m->size - offset - size < IDX_TAIL ||
	    XXH3_64bits(m->data + offset, size) != idx_get64(m->data + 40)) {
		set_stale(error, m, "damaged: table of contents at offset %" G_GUINT64_FORMAT, offset);
		return false;
	}
	m->toc = m->data + offset;
	m->n_chunks = (unsigned)n;
	return true;
}

/* ---- files that become shorter ---- */

/* No checksum can tell before it is read, and reading beyond the end of the file is a signal. */
static void remember(struct idx_map *m)
{
	char *clean = base_text_clean(m->path, -1);

	m->cut_short = g_strdup_printf("wakepath: %s %s: it was cut short while it was open: open the trace again, and it is built anew\n",
				       m->kind->name, clean);
	g_free(clean);
	g_mutex_lock(&all_lock);
	m->next = all_maps;
	g_atomic_pointer_set(&all_maps, m);
	g_mutex_unlock(&all_lock);
}

static void forget(struct idx_map *m)
{
	g_mutex_lock(&all_lock);
	for (struct idx_map **at = &all_maps; *at != NULL; at = &(*at)->next) {
		if (*at == m) {
			g_atomic_pointer_set(at, m->next);
			break;
		}
	}
	g_mutex_unlock(&all_lock);
}

const char *idx_map_cut_short(const void *address)
{
	for (struct idx_map *m = g_atomic_pointer_get(&all_maps); m != NULL; m = g_atomic_pointer_get(&m->next))
		if ((uintptr_t)address - (uintptr_t)m->data < m->size)
			return m->cut_short;
	return NULL;
}

/* ---- opening ---- */

struct idx_map *idx_map_open(const char *path, const struct idx_map_kind *kind, const char *fingerprint, GError **error)
{
	struct idx_map *m = g_new0(struct idx_map, 1);

	m->kind = kind;
	m->path = g_strdup(path);
	if (!map_file(m, fingerprint != NULL, error)) {
		idx_map_free(m);
		return NULL;
	}
	remember(m);
	if (!check_header(m, fingerprint, error) || !check_toc(m, error)) {
		idx_map_free(m);
		return NULL;
	}
	m->seen = idx_seen_new();
	return m;
}

bool idx_map_is(const char *path, const struct idx_map_kind *kind)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	char magic[8];
	bool is = fd >= 0 && read(fd, magic, sizeof magic) == sizeof magic && memcmp(magic, kind->magic, sizeof magic) == 0;

	if (fd >= 0)
		close(fd);
	return is;
}

void idx_map_free(struct idx_map *m)
{
	if (m == NULL)
		return;
	forget(m);
	if (m->data != NULL)
		munmap((void *)(uintptr_t)m->data, m->size);
	g_free(m->path);
	g_free(m->cut_short);
	idx_seen_free(m->seen);
	g_clear_error(&m->damage);
	g_free(m);
}

const char *idx_map_path(const struct idx_map *m)
{
	return m->path;
}

uint64_t idx_map_size(const struct idx_map *m)
{
	return m->size;
}

char *idx_map_fingerprint(const struct idx_map *m)
{
	return g_strndup((const char *)m->data + 48, 32);
}

const uint8_t *idx_map_chunk(const struct idx_map *m, const char *id, uint64_t *size, GError **error)
{
	for (unsigned i = 0; i < m->n_chunks; i++) {
		const uint8_t *e = m->toc + (size_t)i * IDX_TOC_ENTRY;
		uint64_t offset = idx_get64(e + 8);

		if (memcmp(e, id, 4) != 0)
			continue;
		*size = idx_get64(e + 16);
		if (offset > m->size || *size > m->size - offset || XXH3_64bits(m->data + offset, *size) != idx_get64(e + 24)) {
			set_stale(error, m, "damaged: chunk %s at offset %" G_GUINT64_FORMAT, id, offset);
			return NULL;
		}
		return m->data + offset;
	}
	set_stale(error, m, "damaged: chunk %s is missing", id);
	return NULL;
}

uint64_t idx_map_chunk_bytes(const struct idx_map *m)
{
	uint64_t bytes = (uint64_t)m->n_chunks * IDX_TOC_ENTRY + IDX_TAIL;

	for (unsigned i = 0; i < m->n_chunks; i++)
		bytes += idx_get64(m->toc + (size_t)i * IDX_TOC_ENTRY + 16);
	return bytes;
}

void idx_map_note_damage(struct idx_map *m, uint64_t offset, const char *what)
{
	if (m->damage == NULL)
		g_set_error(&m->damage, BASE_ERROR, BASE_ERROR_DATA,
			    "%s %s: damaged: %s at offset %" G_GUINT64_FORMAT "; build it again with: wakepath index --force",
			    m->kind->name, m->path, what, offset);
}

const GError *idx_map_damage(const struct idx_map *m)
{
	return m->damage;
}

void idx_map_expect(struct idx_map *m, bool scattered)
{
	m->scattered = scattered;
}

/* A hint, given when blocks that were never touched may have to come from the disk; it may fail. */
static void advise(struct idx_map *m)
{
	if (m->scattered != m->advised)
		madvise((void *)(uintptr_t)m->data, m->size, m->scattered ? MADV_RANDOM : MADV_NORMAL);
	m->advised = m->scattered;
}

/* What is fetched in time causes no more faults, so it is said for a while. */
bool idx_map_waits(struct idx_map *m)
{
	struct rusage used;

	if (getrusage(RUSAGE_THREAD, &used) == 0 && used.ru_majflt != m->faults) {
		m->faults = used.ru_majflt;
		m->patience = PATIENCE;
	}
	if (m->patience == 0)
		return false;
	m->patience--;
	return true;
}

void idx_map_fetch(const struct idx_map *m, const struct idx_child *child)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = (uintptr_t)m->data + child->offset;

	if (child->offset <= m->size && child->size <= m->size - child->offset)
		madvise((void *)(from & ~(page - 1)), child->size + (from & (page - 1)), MADV_WILLNEED);
}

uint64_t *idx_map_trust(struct idx_map *m, const struct idx_child *child, uint8_t kind)
{
	return idx_seen_add(m->seen, kind, child);
}

const uint8_t *idx_map_trusted(const struct idx_map *m, const struct idx_child *child)
{
	return m->data + child->offset;
}

void idx_map_prefetch(const struct idx_map *m, const struct idx_child *child, uint32_t from, uint32_t to)
{
	if (child->offset > m->size || child->size > m->size - child->offset)
		return;
	for (uint32_t at = from; at < MIN(child->size, to); at += 64)
		__builtin_prefetch(m->data + child->offset + at);
}

const uint8_t *idx_map_block(struct idx_map *m, const struct idx_child *child, uint8_t kind, uint32_t row, uint64_t **leaves)
{
	const uint8_t *block;

	if (child->offset < IDX_HEADER_SIZE || child->offset > m->size || child->size < IDX_BLOCK_HEAD ||
	    child->size > IDX_MAX_BLOCK || m->size - child->offset < (uint64_t)child->size + IDX_TAIL) {
		idx_map_note_damage(m, child->offset, "a reference out of bounds");
		return NULL;
	}
	block = m->data + child->offset;
	*leaves = idx_seen_find(m->seen, kind, child);
	if (*leaves == NULL)
		advise(m);
	if (*leaves == NULL && (uint32_t)XXH3_64bits(block, child->size) != child->checksum) {
		idx_map_note_damage(m, child->offset, "checksum of a block");
		return NULL;
	}
	if ((block[0] != kind && block[0] != IDX_KIND_NODE) || idx_get32(block + 4) != row) {
		idx_map_note_damage(m, child->offset, "a block of another row or kind");
		return NULL;
	}
	return block;
}
