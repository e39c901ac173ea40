/* SPDX-License-Identifier: MIT */
#include "index/file/map.h"

#include "base/base_error.h"
#include "base/base_io.h"
#include "base/base_memory.h"
#include "base/base_text.h"
#include "index/file/types.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

const struct idx_map_kind idx_map_index = { IDX_MAGIC, IDX_FORMAT_VERSION, "index",
	"the trace has changed since it was built" };
const struct idx_map_kind idx_map_pairs = { IDX_PAIRS_MAGIC, IDX_PAIRS_VERSION, "file of packets",
	"it belongs to other traces, or these have changed" };
const struct idx_map_kind idx_map_spans = { IDX_SPANS_MAGIC, IDX_SPANS_VERSION, "file of latencies",
	"the trace has changed since it was made" };

/* A chunk that was read. */
struct chunk {
	char id[4];
	uint64_t size;
	uint8_t *data; /* owned */
};

/*
 * A file that is mapped once for all its readers. Its owner can write to it meanwhile, so content that was
 * checked may change. Therefore header, table of contents and chunks are copied, and the copies are checked.
 * Each use of a block checks the values that it follows. Pages of zeros surround the file, so a text in it
 * always ends, and a walk through the columns of one leaf, which are short, may read beyond the file.
 */
struct file {
	gint users; /* atomic */
	const struct idx_map_kind *kind;
	char *path;
	char *cut_short;   /* the line of idx_map_cut_short() */
	struct file *next; /* weak; list of all open files */
	uint8_t *room;     /* the mapped range, with the pages around the file; NULL: nothing yet */
	uint64_t room_size;
	const uint8_t *data; /* the file */
	uint64_t size;       /* bytes of the index that are mapped */
	struct stat opened;  /* its state when it was opened */
	uint8_t header[IDX_HEADER_SIZE];
	uint8_t *toc; /* owned */
	unsigned n_chunks;
	uint64_t copied; /* bytes of chunks; chunks do not overlap, so at most the size of the file */
	GArray *chunks;  /* of struct chunk; complete once the file is open */
};

/*
 * A block that was checked, exactly as its parent describes it. The offset alone does not identify it: a
 * malicious file can refer to the same bytes twice, once correctly and once with another size or in another
 * kind of series, and the second reference would be unchecked.
 */
struct seen {
	uint64_t offset, count;
	uint32_t size, checksum;
	uint8_t kind;
	/* One bit for each child of a node that was checked as a leaf. Leaves are many and used all the time.
	 * Their descriptions are part of the node's own checked bytes. */
	uint64_t leaves;
};

static struct seen seen_of(const struct idx_child *child, uint8_t kind)
{
	return (struct seen){ .offset = child->offset,
		.count = child->count,
		.size = child->size,
		.checksum = child->checksum,
		.kind = kind };
}

static guint seen_hash(gconstpointer key)
{
	return (guint)((((const struct seen *)key)->offset * 0x9e3779b97f4a7c15u) >> 32);
}

static gboolean seen_equal(gconstpointer a, gconstpointer b)
{
	const struct seen *x = a, *y = b;

	return x->offset == y->offset && x->size == y->size && x->checksum == y->checksum &&
		x->count == y->count && x->kind == y->kind;
}

struct idx_map {
	struct file *file;   /* a reference */
	const uint8_t *data; /* the file */
	uint64_t size;
	GHashTable *seen;             /* set of struct seen *, owned: blocks whose content was checked */
	GError *damage, *overwritten; /* each is set once, while the map is open */
	bool scattered, advised;      /* access that is expected; access that was advised to the kernel */
	long faults;                  /* major faults of this thread at the last check */
	unsigned patience;            /* remaining calls of idx_map_waits() that return true */
};

#define PATIENCE 64

static GMutex all_lock;
static struct file *all_files; /* changed under ALL_LOCK, read by a signal handler */

G_GNUC_PRINTF(3, 4)
static void set_stale(GError **error, const struct file *f, const char *format, ...)
{
	va_list args;
	g_autofree char *text = NULL;

	va_start(args, format);
	text = g_strdup_vprintf(format, args);
	va_end(args);
	g_set_error(error, BASE_ERROR, BASE_ERROR_STALE, "%s %s: %s", f->kind->name, f->path, text);
}

/* Open PATH and set *ST. OWN: only a file of this user, and not through a link. -1 with ERROR. */
static int map_open_file(const struct file *f, const char *path, bool own, struct stat *st, GError **error)
{
	/* O_NONBLOCK: a planted FIFO would block. */
	int fd = base_io_open(path, O_NOCTTY | O_NONBLOCK | (own ? O_NOFOLLOW : 0));
	bool known = fd >= 0 && BASE_IO_AGAIN(fstat(fd, st)) == 0;

	if (known && S_ISREG(st->st_mode) && (!own || st->st_uid == geteuid()))
		return fd;
	if (fd < 0 && errno == ENOENT)
		g_set_error(error, BASE_ERROR, BASE_ERROR_STALE, "no %s yet", f->kind->name);
	else if (fd < 0 && errno == ELOOP && own)
		set_stale(error, f, "a symbolic link");
	else if (!known)
		base_error_set_errno(error, errno, "cannot read", path);
	else if (!S_ISREG(st->st_mode))
		set_stale(error, f, "not a regular file");
	else
		set_stale(error, f, "belongs to another user (%u)", (unsigned)st->st_uid);
	if (fd >= 0)
		close(fd);
	return -1;
}

/* Reserve address space for the SIZE bytes of the index in F, filled with zeros. Large indexes are aligned so
 * that the kernel can use large pages. */
static bool reserve(struct file *f, uint64_t size, GError **error)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE),
		 unit = size < BASE_PAGES_LARGE ? page : BASE_PAGES_LARGE, room_size = size + unit + 3 * page;
	void *room = size > INT64_MAX - unit - 3 * page
		? MAP_FAILED
		: mmap(NULL, room_size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (room == MAP_FAILED)
		return base_error_false_errno(error, ENOMEM, "cannot map", f->path);
	f->room = room;
	f->room_size = room_size;
	f->data = f->room + (-((uintptr_t)room + page) & (unit - 1)) + page;
	f->size = size;
	return true;
}

/* Map SIZE bytes of FD from offset FROM at offset AT of F. */
static bool map_at(struct file *f, uint64_t at, int fd, uint64_t size, uint64_t from, GError **error)
{
	uint8_t *to = f->room + (f->data - f->room) + at;

	if (mmap(to, size, PROT_READ, MAP_SHARED | MAP_FIXED, fd, (off_t)from) == MAP_FAILED)
		return base_error_false_errno(error, errno, "cannot map", f->path);
	return true;
}

/*
 * Map an index that ends in F, the open file FD of SIZE bytes (index/file/out.c): first the bytes of the
 * other file up to FROM, then the bytes of F without its first LEAD.
 */
static bool map_both(struct file *f, int fd, uint64_t size, bool own, GError **error)
{
	uint64_t lead = idx_get64(f->header + IDX_HEADER_LEAD), from = idx_get64(f->header + IDX_HEADER_FROM),
		 page = (uint64_t)sysconf(_SC_PAGESIZE);
	g_autofree char *folder = g_path_get_dirname(f->path), *path = NULL;
	char name[256] = "";
	ssize_t got = base_io_read(fd, name, sizeof name - 1, IDX_HEADER_SIZE);
	struct stat st;
	int whole;
	bool ok;

	if (got < 0)
		return base_error_false_errno(error, errno, "cannot read", f->path);
	if (lead % page != 0 || from % page != 0 || lead >= size || from > (UINT64_C(1) << 62) || got == 0 ||
		strchr(name, '/')) {
		set_stale(error, f, "damaged: the name of the file that it continues");
		return false;
	}
	path = g_build_filename(folder, name, NULL);
	whole = map_open_file(f, path, own, &st, error);
	if (whole < 0)
		return false;
	ok = (uint64_t)st.st_size >= from;
	if (!ok)
		set_stale(error, f, "too short: %s", name);
	ok = ok && reserve(f, from + size - lead, error) &&
		(from == 0 || map_at(f, 0, whole, from, 0, error)) &&
		map_at(f, from, fd, size - lead, lead, error);
	close(whole);
	return ok;
}

static bool map_fd(struct file *f, int fd, uint64_t size, bool own, GError **error)
{
	ssize_t got = base_io_read(fd, f->header, IDX_HEADER_SIZE, 0);

	if (got < 0)
		return base_error_false_errno(error, errno, "cannot read", f->path);
	if (size < IDX_HEADER_SIZE || got != IDX_HEADER_SIZE) {
		set_stale(error, f, "too short (%" G_GUINT64_FORMAT " bytes)", size);
		return false;
	}
	if (memcmp(f->header, f->kind->magic, 8) == 0 && idx_get64(f->header + IDX_HEADER_LEAD) != 0 &&
		XXH3_64bits(f->header, IDX_HEADER_HASHED) == idx_get64(f->header + IDX_HEADER_HASHED))
		return map_both(f, fd, size, own, error);
	return reserve(f, size, error) && map_at(f, 0, fd, size, 0, error);
}

static bool check_header(const struct idx_map *m, const char *fingerprint, GError **error)
{
	const uint8_t *h = m->file->header;

	if (memcmp(h, m->file->kind->magic, 8) != 0) {
		set_stale(error, m->file, "not a wakepath %s (no %s at its start)", m->file->kind->name,
			m->file->kind->magic);
		return false;
	}
	if (idx_get32(h + 8) != m->file->kind->version) {
		set_stale(error, m->file, "format version %u, this program writes version %u",
			idx_get32(h + 8), m->file->kind->version);
		return false;
	}
	if (XXH3_64bits(h, IDX_HEADER_HASHED) != idx_get64(h + IDX_HEADER_HASHED)) {
		set_stale(error, m->file, "damaged: the checksum of the header is wrong");
		return false;
	}
	if (idx_get64(h + 16) != m->size) {
		set_stale(error, m->file,
			"damaged: %" G_GUINT64_FORMAT " bytes long, should be %" G_GUINT64_FORMAT, m->size,
			(guint64)idx_get64(h + 16));
		return false;
	}
	if (fingerprint && strncmp((const char *)h + 48, fingerprint, 32) != 0) {
		set_stale(error, m->file, "%s", m->file->kind->foreign);
		return false;
	}
	return true;
}

#define PIECE (1u << 20) /* bytes to copy at once */

/* A copy of SIZE bytes at OFFSET of F, with a NUL at the end.  Lets the kernel drop the pages read, but only of
 * a large copy: with several threads each call interrupts other processors. */
static uint8_t *copy_of(const struct file *f, uint64_t offset, uint64_t size)
{
	uint8_t *copy = g_malloc(size + 1);

	for (uint64_t at = 0; at < size; at += PIECE) {
		uint64_t n = MIN(size - at, PIECE);

		memcpy(copy + at, f->data + offset + at, n);
		if (size >= PIECE)
			base_pages_advise(f->data + offset + at, n, MADV_DONTNEED);
	}
	copy[size] = '\0';
	return copy;
}

static bool check_toc(const struct idx_map *m, GError **error)
{
	struct file *f = m->file;
	uint64_t offset = idx_get64(f->header + 24), n = idx_get32(f->header + 32), size = n * IDX_TOC_ENTRY;
	bool inside = offset <= m->size && size <= m->size - offset && m->size - offset - size >= IDX_TAIL;

	if (inside)
		f->toc = copy_of(f, offset, size);
	if (!inside || XXH3_64bits(f->toc, size) != idx_get64(f->header + 40)) {
		set_stale(error, f, "damaged: table of contents at offset %" G_GUINT64_FORMAT, offset);
		return false;
	}
	f->n_chunks = (unsigned)n;
	return true;
}

/* ---- files that change while they are open ---- */

/* True if the file was written to. If it was replaced, the mapped file is still unchanged. */
static bool is_overwritten(const struct file *f)
{
	struct stat now;

	return idx_get64(f->header + IDX_HEADER_LEAD) == 0 && f->opened.st_ino != 0 &&
		stat(f->path, &now) == 0 && now.st_dev == f->opened.st_dev &&
		now.st_ino == f->opened.st_ino &&
		(now.st_size != f->opened.st_size || now.st_mtim.tv_sec != f->opened.st_mtim.tv_sec ||
			now.st_mtim.tv_nsec != f->opened.st_mtim.tv_nsec);
}

/* Register F. Reading beyond the end of a file that became shorter, or a block that the disk cannot read,
 * raises a signal. No check can prevent it. */
static void map_remember(struct file *f)
{
	g_autofree char *clean = base_text_clean(f->path, -1);

	f->cut_short = g_strdup_printf(
		"wakepath: %s %s: it was cut short while it was open, or the disk cannot read it: open the trace again to rebuild it\n",
		f->kind->name, clean);
	g_mutex_lock(&all_lock);
	f->next = all_files;
	g_atomic_pointer_set(&all_files, f);
	g_mutex_unlock(&all_lock);
}

static void map_forget(struct file *f)
{
	g_mutex_lock(&all_lock);
	for (struct file **at = &all_files; *at; at = &(*at)->next) {
		if (*at == f) {
			g_atomic_pointer_set(at, f->next);
			break;
		}
	}
	g_mutex_unlock(&all_lock);
}

const char *idx_map_cut_short(const void *address)
{
	for (struct file *f = g_atomic_pointer_get(&all_files); f; f = g_atomic_pointer_get(&f->next))
		if ((uintptr_t)address - (uintptr_t)f->data < f->size)
			return f->cut_short;
	return NULL;
}

/* ---- opening ---- */

static void file_unref(struct file *f)
{
	if (!g_atomic_int_dec_and_test(&f->users))
		return;
	map_forget(f);
	if (f->room)
		munmap(f->room, f->room_size);
	for (guint i = 0; i < f->chunks->len; i++)
		g_free(g_array_index(f->chunks, struct chunk, i).data);
	g_array_unref(f->chunks);
	g_free(f->toc);
	g_free(f->path);
	g_free(f->cut_short);
	g_free(f);
}

/* OWN: as for map_open_file(). */
static struct file *file_open(const char *path, const struct idx_map_kind *kind, bool own, GError **error)
{
	struct file *f = g_new0(struct file, 1);
	bool ok;
	int fd;

	f->users = 1;
	f->kind = kind;
	f->path = g_strdup(path);
	f->chunks = g_array_new(FALSE, FALSE, sizeof(struct chunk));
	fd = map_open_file(f, path, own, &f->opened, error);
	ok = fd >= 0 && map_fd(f, fd, (uint64_t)f->opened.st_size, own, error);
	if (fd >= 0)
		close(fd);
	if (!ok) {
		file_unref(f);
		return NULL;
	}
	map_remember(f);
	return f;
}

/* Takes ownership of F. */
static struct idx_map *map_new(struct file *f)
{
	struct idx_map *m = g_new0(struct idx_map, 1);

	m->file = f;
	m->data = f->data;
	m->size = f->size;
	m->seen = g_hash_table_new_full(seen_hash, seen_equal, g_free, NULL);
	return m;
}

struct idx_map *idx_map_open(const char *path, const struct idx_map_kind *kind, const char *fingerprint,
	GError **error)
{
	struct file *f = file_open(path, kind, fingerprint, error);
	struct idx_map *m = f ? map_new(f) : NULL;

	if (m && (!check_header(m, fingerprint, error) || !check_toc(m, error)))
		g_clear_pointer(&m, idx_map_free);
	return m;
}

struct idx_map *idx_map_again(const struct idx_map *m)
{
	g_atomic_int_inc(&m->file->users);
	return map_new(m->file);
}

bool idx_map_is(const char *path, const struct idx_map_kind *kind)
{
	char magic[8];

	return base_io_begin(path, magic, sizeof magic) == sizeof magic &&
		memcmp(magic, kind->magic, sizeof magic) == 0;
}

void idx_map_free(struct idx_map *m)
{
	if (!m)
		return;
	file_unref(m->file);
	g_hash_table_unref(m->seen);
	g_clear_error(&m->damage);
	g_clear_error(&m->overwritten);
	g_free(m);
}

const char *idx_map_path(const struct idx_map *m)
{
	return m->file->path;
}

bool idx_map_grows(const struct idx_map *m)
{
	return idx_get64(m->file->header + IDX_HEADER_LEAD) != 0;
}

uint64_t idx_map_size(const struct idx_map *m)
{
	return m->size;
}

uint64_t idx_map_checksum(const struct idx_map *m)
{
	return idx_get64(m->file->header + 40);
}

char *idx_map_fingerprint(const struct idx_map *m)
{
	return g_strndup((const char *)m->file->header + 48, 32);
}

/* The chunk of entry E in the table of contents. NULL if its bytes lie outside the file, its checksum is
 * wrong, or all chunks together are larger than the file. */
static const uint8_t *take_chunk(struct file *f, const uint8_t *e)
{
	uint64_t offset = idx_get64(e + 8);
	struct chunk c = { .size = idx_get64(e + 16) };

	if (offset > f->size || c.size > f->size - offset || c.size > f->size - f->copied)
		return NULL;
	memcpy(c.id, e, sizeof c.id);
	c.data = copy_of(f, offset, c.size);
	f->copied += c.size;
	g_array_append_val(f->chunks, c);
	return XXH3_64bits(c.data, c.size) == idx_get64(e + 24) ? c.data : NULL;
}

const uint8_t *idx_map_chunk(const struct idx_map *m, const char *id, uint64_t *size, GError **error)
{
	struct file *f = m->file;
	const uint8_t *e = f->toc, *end = e + (size_t)f->n_chunks * IDX_TOC_ENTRY, *data;

	while (e < end && memcmp(e, id, 4) != 0)
		e += IDX_TOC_ENTRY;
	if (e == end) {
		set_stale(error, f, "damaged: chunk %s is missing", id);
		return NULL;
	}
	*size = idx_get64(e + 16);
	data = take_chunk(f, e);
	if (!data)
		set_stale(error, f, "damaged: chunk %s at offset %" G_GUINT64_FORMAT, id,
			(guint64)idx_get64(e + 8));
	return data;
}

bool idx_map_bad_chunk(const struct idx_map *m, const char *id, GError **error)
{
	set_stale(error, m->file, "damaged: invalid content of chunk %s", id);
	return false;
}

const uint8_t *idx_map_records(const struct idx_map *m, const char *id, size_t size, uint32_t *count,
	GError **error)
{
	uint64_t bytes;
	const uint8_t *data = idx_map_chunk(m, id, &bytes, error);

	if (!data)
		return NULL;
	if (bytes % size != 0 || bytes / size >= MDL_NONE) {
		idx_map_bad_chunk(m, id, error);
		return NULL;
	}
	*count = (uint32_t)(bytes / size);
	return data;
}

/* ---- unused bytes ---- */

static bool is_zero(const struct idx_map *m, uint64_t from, uint64_t to)
{
	for (; from < to; from++)
		if (m->data[from] != 0)
			return false;
	return true;
}

/* True if all header bytes that no reader uses are 0. */
static bool is_plain_header(const struct idx_map *m)
{
	const uint8_t *h = m->file->header;
	bool grows = idx_map_grows(m);

	if (idx_get32(h + 12) != IDX_HEADER_SIZE || idx_get32(h + 36) != 0)
		return false;
	for (unsigned i = grows ? IDX_HEADER_FROM + 8 : IDX_HEADER_LEAD; i < IDX_HEADER_HASHED; i++)
		if (h[i] != 0)
			return false;
	return true;
}

/* True if an entry with the id of E comes before it in the table of contents. */
static bool is_known(const struct file *f, const uint8_t *e)
{
	for (const uint8_t *other = f->toc; other < e; other += IDX_TOC_ENTRY)
		if (memcmp(other, e, 4) == 0)
			return true;
	return false;
}

/* The number of the first chunk that begins after OFFSET; the number of chunks if there is none. */
static unsigned region_of(const struct file *f, uint64_t offset)
{
	unsigned i = 0;

	while (i < f->n_chunks && i < IDX_MAP_CHUNKS &&
		idx_get64(f->toc + (size_t)i * IDX_TOC_ENTRY + 8) <= offset)
		i++;
	return i;
}

void idx_map_use_block(const struct idx_map *m, struct idx_map_use *use, const struct idx_child *child)
{
	unsigned region = region_of(m->file, child->offset);

	use->bytes[region] += child->size;
	use->across |= region != region_of(m->file, child->offset + child->size - 1);
}

const char *idx_map_layout(const struct idx_map *m, const struct idx_map_use *use)
{
	const struct file *f = m->file;
	uint64_t at = IDX_HEADER_SIZE;

	if (!is_plain_header(m))
		return "the header has unused bytes that are not 0";
	if (f->n_chunks > IDX_MAP_CHUNKS || use->across)
		return "blocks and chunks overlap";
	for (unsigned i = 0; i < f->n_chunks; i++) {
		const uint8_t *e = f->toc + (size_t)i * IDX_TOC_ENTRY;
		uint64_t offset = idx_get64(e + 8), size = idx_get64(e + 16);

		if (is_known(f, e) || idx_get32(e + 4) != 0)
			return "the table of contents names a chunk twice";
		if (offset < at || offset > m->size || size > m->size - offset || use->bytes[i] > offset - at)
			return "blocks and chunks overlap";
		if (offset - at - use->bytes[i] > 7 || !is_zero(m, at + use->bytes[i], offset))
			return "bytes of the file are in no block and no chunk";
		at = offset + size;
	}
	return use->bytes[f->n_chunks] == 0 && idx_get64(f->header + 24) == at &&
			m->size - at - (uint64_t)f->n_chunks * IDX_TOC_ENTRY == IDX_TAIL &&
			is_zero(m, m->size - IDX_TAIL, m->size)
		? NULL
		: "bytes of the file are in no block and no chunk";
}

__attribute__((cold)) void idx_map_note_damage(struct idx_map *m, uint64_t offset, const char *what)
{
	if (!m->damage)
		g_set_error(&m->damage, BASE_ERROR, BASE_ERROR_DATA,
			"%s %s: damaged: %s at offset %" G_GUINT64_FORMAT
			"; rebuild it with: wakepath index --force",
			m->file->kind->name, m->file->path, what, offset);
}

const GError *idx_map_damage(struct idx_map *m)
{
	if (!m->overwritten && is_overwritten(m->file))
		g_set_error(&m->overwritten, BASE_ERROR, BASE_ERROR_DATA,
			"%s %s: it was overwritten or cut short while it was open: open the trace again to rebuild it",
			m->file->kind->name, m->file->path);
	return m->overwritten ? m->overwritten : m->damage;
}

void idx_map_remove(const struct idx_map *m)
{
	struct stat now;

	if (lstat(m->file->path, &now) == 0 && now.st_dev == m->file->opened.st_dev &&
		now.st_ino == m->file->opened.st_ino)
		unlink(m->file->path);
}

void idx_map_expect(struct idx_map *m, bool scattered)
{
	m->scattered = scattered;
}

void idx_map_let_go(const struct idx_map *m)
{
	madvise((void *)(uintptr_t)m->data, m->size,
		MADV_DONTNEED); /* the page cache keeps pages of a shared mapping */
}

/* Blocks that are fetched early cause no more faults, so it continues to return true for a while. */
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

/* True if the bytes of CHILD lie within the blocks of the file, with an 8-byte load at its last byte. */
static inline bool is_inside(const struct idx_map *m, const struct idx_child *child)
{
	return child->offset >= IDX_HEADER_SIZE && child->offset <= m->size &&
		child->size >= IDX_BLOCK_HEAD && child->size <= IDX_MAX_BLOCK &&
		m->size - child->offset >= (uint64_t)child->size + IDX_TAIL;
}

void idx_map_fetch(const struct idx_map *m, const struct idx_child *child)
{
	if (is_inside(m, child))
		base_pages_advise(m->data + child->offset, child->size, MADV_WILLNEED);
}

uint64_t *idx_map_trust(struct idx_map *m, const struct idx_child *child, uint8_t kind)
{
	struct seen *s = g_new(struct seen, 1);

	*s = seen_of(child, kind);
	g_hash_table_add(m->seen, s);
	return &s->leaves;
}

const uint8_t *idx_map_trusted(struct idx_map *m, const struct idx_child *child)
{
	if (G_LIKELY(is_inside(m, child)))
		return m->data + child->offset;
	idx_map_note_damage(m, child->offset, "a reference out of bounds");
	return NULL;
}

void idx_map_prefetch(const struct idx_map *m, const struct idx_child *child, uint32_t from, uint32_t to)
{
	if (!is_inside(m, child))
		return;
	for (uint32_t at = from; at < MIN(child->size, to); at += 64)
		__builtin_prefetch(m->data + child->offset + at);
}

const uint8_t *idx_map_block(struct idx_map *m, const struct idx_child *child, uint8_t kind, uint32_t row,
	uint64_t **leaves)
{
	struct seen key = seen_of(child, kind), *seen;
	const uint8_t *block = idx_map_trusted(m, child);

	if (!block)
		return NULL;
	seen = g_hash_table_lookup(m->seen, &key);
	*leaves = seen ? &seen->leaves : NULL;
	if (!seen) {
		/* The block may have to come from the disk. This is a hint and may fail. */
		if (m->scattered != m->advised)
			madvise((void *)(uintptr_t)m->data, m->size,
				m->scattered ? MADV_RANDOM : MADV_NORMAL);
		m->advised = m->scattered;
		if ((uint32_t)XXH3_64bits(block, child->size) != child->checksum) {
			idx_map_note_damage(m, child->offset, "wrong checksum of a block");
			return NULL;
		}
	}
	if ((block[0] != kind && block[0] != IDX_KIND_NODE) || idx_get32(block + 4) != row) {
		idx_map_note_damage(m, child->offset, "a block of another row or kind");
		return NULL;
	}
	return block;
}
