/* SPDX-License-Identifier: MIT */
/*
 * Which file: the path that was opened, below the folder. Links are followed as if the folder were the root
 * (openat2(), RESOLVE_IN_ROOT, since Linux 5.6), so a trace cannot lead to a file elsewhere. Only regular
 * files are opened, because opening others may have effects.
 *
 * The file is not the mapped one if it was written after the recording began, or if a loader would not map
 * its executable segment as it was mapped: the same number of bytes from the same offset. The functions of a
 * stripped file are in usr/lib/debug/.build-id, or beside it under the name in .gnu_debuglink, if the build
 * id is equal (GDB's manual, Separate Debug Files).
 *
 * Its functions: libelf reads the file, and checks all offsets in it against its size. Code lies in an
 * executable segment (PT_LOAD). The offset and address of the segment give the address of a byte. The
 * function is the symbol of .symtab, else of .dynsym, that contains it.
 *
 * How segments are mapped: _dl_map_object_from_fd() and _dl_map_segments() in glibc's elf/dl-load.c and
 * elf/dl-map-segments.h, map_library() in musl's ldso/dynlink.c: first the first segment with room for all,
 * then each other one in its place, all in whole pages.
 */
#include "query/symbols/symbols.h"

#include "base/base_error.h"
#include "base/base_search.h"
#include "base/base_text.h"
#include "query/host/parts.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ROOM ((size_t)512 << 20) /* bytes of memory for all files of one host */
#define FILES_MAX 4096
#define NAME_MAX_SHOWN 512 /* bytes */
#define SEGMENTS_MAX 64
#define TEN_YEARS (INT64_C(10) * 366 * 86400 * 1000000000) /* ns; later times are times of day */

/* ---- the content of an ELF file ---- */

struct function {
	int64_t address; /* qry_symbols_order() */
	uint64_t size;   /* bytes; 0: unknown */
	uint32_t name;   /* offset of its name in NAMES */
};

struct elf {
	GElf_Phdr loads[SEGMENTS_MAX];
	unsigned n_loads;
	GArray *functions; /* of struct function, by address */
	char *names;       /* owned; NULL: no functions */
	size_t n_names;    /* bytes; the last one is NUL */
	char *build_id;    /* "1f2e…", in hexadecimal digits; owned; NULL: none */
	char *debug_name;  /* file with the stripped parts (.gnu_debuglink); owned; NULL: none */
	bool is_arm;
	bool stripped; /* has no .symtab, so only exported functions */
};

/* ---- segments ---- */

static bool read_loads(struct elf *e, Elf *elf)
{
	size_t n;
	GElf_Phdr p;

	if (elf_getphdrnum(elf, &n) != 0)
		return false;
	for (size_t i = 0; i < MIN(n, G_MAXINT) && e->n_loads < SEGMENTS_MAX; i++)
		if (gelf_getphdr(elf, (int)i, &p) && p.p_type == PT_LOAD)
			e->loads[e->n_loads++] = p;
	return e->n_loads > 0;
}

/* The length of segment P in whole pages of PAGE bytes. *OFFSET: its begin in the file. If LAST is not NULL,
 * up to the end of LAST's memory. */
static uint64_t length_of(const GElf_Phdr *p, const GElf_Phdr *last, uint64_t page, uint64_t *offset)
{
	uint64_t end = last ? last->p_vaddr + last->p_memsz : p->p_vaddr + p->p_filesz;

	*offset = p->p_offset & -page;
	return ((end + page - 1) & -page) - (p->p_vaddr & -page);
}

/* True if a loader would map LENGTH bytes from OFFSET, in whole pages, as executable. */
static bool elf_is_mapped(const struct elf *e, uint64_t offset, uint64_t length)
{
	for (unsigned i = 0; i < e->n_loads; i++) {
		const GElf_Phdr *p = &e->loads[i], *last = i == 0 ? &e->loads[e->n_loads - 1] : NULL;

		for (uint64_t page = 4096; page <= 65536 && p->p_flags & PF_X; page *= 4) {
			uint64_t begin;

			if (length_of(p, last, page, &begin) == length && begin == offset)
				return true;
		}
	}
	return false;
}

static bool address_of(const struct elf *e, uint64_t offset, uint64_t *address)
{
	for (unsigned i = 0; i < e->n_loads; i++) {
		const GElf_Phdr *p = &e->loads[i];

		if (!(p->p_flags & PF_X) || offset < p->p_offset || offset - p->p_offset >= p->p_filesz)
			continue;
		*address = p->p_vaddr + (offset - p->p_offset);
		return true;
	}
	return false;
}

/* ---- functions ---- */

static int by_address(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	return BASE_BY(x, y, address) ?: BASE_BY(x, y, size); /* a search finds the last one of equals */
}

static void programs_add(struct elf *e, const GElf_Sym *s)
{
	struct function f = { qry_symbols_order(e->is_arm ? s->st_value & ~UINT64_C(1) : s->st_value),
		s->st_size, (uint32_t)s->st_name };
	unsigned type = GELF_ST_TYPE(s->st_info);

	if ((type == STT_FUNC || type == STT_GNU_IFUNC) && s->st_shndx != SHN_UNDEF &&
		s->st_name < e->n_names && e->names[s->st_name] != '\0')
		g_array_append_val(e->functions, f);
}

static Elf_Data *data_of(Elf *elf, size_t section, size_t room)
{
	Elf_Scn *scn = elf_getscn(elf, section);
	GElf_Shdr header;

	return scn && gelf_getshdr(scn, &header) && header.sh_size <= room &&
			!(header.sh_flags & SHF_COMPRESSED)
		? elf_getdata(scn, NULL)
		: NULL;
}

/* Read the functions of the table SCN with HEADER, if ROOM (bytes) suffices for both parts and the result. */
static void read_functions(struct elf *e, Elf *elf, Elf_Scn *scn, const GElf_Shdr *header, size_t room)
{
	Elf_Data *symbols = data_of(elf, elf_ndxscn(scn), room / 4),
		 *names = data_of(elf, header->sh_link, room / 4);
	GElf_Sym s;

	if (!symbols || !names || names->d_size == 0 || names->d_size > UINT32_MAX || header->sh_entsize == 0)
		return;
	g_free(e->names);
	e->names = g_memdup2(names->d_buf, names->d_size);
	e->n_names = names->d_size;
	e->names[e->n_names - 1] = '\0';
	g_array_set_size(e->functions, 0);
	for (size_t i = 0; i < MIN(symbols->d_size / header->sh_entsize, G_MAXINT); i++)
		if (gelf_getsym(symbols, (int)i, &s))
			programs_add(e, &s);
	g_array_sort(e->functions, by_address);
}

/* The function with the byte at OFFSET of the file; NULL: none. Owned by E. It may contain any bytes. */
static const char *elf_function_of(const struct elf *e, uint64_t offset)
{
	const struct function *first, *found;
	uint64_t address;

	if (e->functions->len == 0 || !address_of(e, offset, &address))
		return NULL;
	first = &g_array_index(e->functions, struct function, 0);
	if (qry_symbols_order(address) < first->address)
		return NULL;
	found = first +
		base_search_holding(&first->address, e->functions->len, sizeof *first,
			qry_symbols_order(address));
	if (found->size > 0 && (uint64_t)qry_symbols_order(address) - (uint64_t)found->address >= found->size)
		return NULL;
	return e->names + found->name;
}

/* ---- build id and sections ---- */

/* Read the GNU build id from the notes in DATA, as ld --build-id writes it. */
static void read_note(struct elf *e, Elf_Data *data)
{
	GElf_Nhdr note;
	size_t at = 0, name, text;

	while (!e->build_id && (at = gelf_getnote(data, at, &note, &name, &text)) > 0) {
		const unsigned char *bytes = (const unsigned char *)data->d_buf + text;
		GString *id;

		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != sizeof ELF_NOTE_GNU ||
			memcmp((const char *)data->d_buf + name, ELF_NOTE_GNU, sizeof ELF_NOTE_GNU) != 0 ||
			note.n_descsz < 2 || note.n_descsz > 64)
			continue;
		id = g_string_new(NULL);
		for (size_t i = 0; i < note.n_descsz; i++)
			g_string_append_printf(id, "%02x", bytes[i]);
		e->build_id = g_string_free(id, FALSE);
	}
}

static void read_sections(struct elf *e, Elf *elf, size_t room)
{
	Elf_Scn *dynamic = NULL, *whole = NULL;
	GElf_Shdr header, of_dynamic, of_whole;
	size_t names;

	if (elf_getshdrstrndx(elf, &names) != 0)
		return;
	for (Elf_Scn *scn = elf_nextscn(elf, NULL); scn; scn = elf_nextscn(elf, scn)) {
		bool small;
		Elf_Data *data;

		if (!gelf_getshdr(scn, &header))
			continue;
		small = header.sh_type == SHT_NOTE ||
			g_strcmp0(elf_strptr(elf, names, header.sh_name), ".gnu_debuglink") == 0;
		data = small ? data_of(elf, elf_ndxscn(scn), 65536) : NULL;
		if (header.sh_type == SHT_SYMTAB) {
			whole = scn;
			of_whole = header;
		} else if (header.sh_type == SHT_DYNSYM) {
			dynamic = scn;
			of_dynamic = header;
		} else if (data && header.sh_type == SHT_NOTE) {
			read_note(e, data);
		} else if (data) {
			const char *name = data->d_buf;

			if (data->d_size > 0 && memchr(name, '\0', data->d_size) && !e->debug_name &&
				!strchr(name, '/'))
				e->debug_name = g_strdup(name);
		}
	}
	e->stripped = !whole;
	if (whole)
		read_functions(e, elf, whole, &of_whole, room);
	else if (dynamic)
		read_functions(e, elf, dynamic, &of_dynamic, room);
}

static void elf_free(struct elf *e)
{
	if (!e)
		return;
	g_array_unref(e->functions);
	g_free(e->names);
	g_free(e->build_id);
	g_free(e->debug_name);
	g_free(e);
}

/* Read the open file FD, which remains open, with at most ROOM bytes of memory. NULL if it is no ELF file or
 * needs more. */
static struct elf *elf_new(int fd, size_t room)
{
	struct elf *e = g_new0(struct elf, 1);
	Elf *elf = elf_version(EV_CURRENT) != EV_NONE ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
	GElf_Ehdr header;
	bool fine = elf && elf_kind(elf) == ELF_K_ELF && gelf_getehdr(elf, &header) && read_loads(e, elf);

	e->functions = g_array_new(FALSE, FALSE, sizeof(struct function));
	if (fine) {
		e->is_arm = header.e_machine == EM_ARM;
		read_sections(e, elf, room);
	}
	elf_end(elf);
	if (!fine)
		g_clear_pointer(&e, elf_free);
	return e;
}

/* Exchange the functions of E for those of DEBUG, which has the same build id. */
static void elf_take(struct elf *e, struct elf *debug)
{
	struct elf own = *e;

	e->functions = debug->functions;
	e->names = debug->names;
	e->n_names = debug->n_names;
	debug->functions = own.functions;
	debug->names = own.names;
	debug->n_names = own.n_names;
}

/* ---- all programs of a host ---- */

struct qry_programs {
	char *folder;
	GHashTable *files; /* path → struct elf, owned; NULL: it has no names */
	size_t bytes;      /* of memory, for FILES */
};

static struct qry_programs *programs_new(const char *folder)
{
	struct qry_programs *p = g_new0(struct qry_programs, 1);

	p->folder = g_strdup(folder);
	p->files = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)elf_free);
	return p;
}

struct qry_programs *qry_programs_again(const struct qry_programs *p)
{
	return p ? programs_new(p->folder) : NULL;
}

void qry_programs_free(struct qry_programs *p)
{
	if (!p)
		return;
	g_hash_table_unref(p->files);
	g_free(p->folder);
	g_free(p);
}

bool qry_set_symfs(struct qry *q, const char *folder, GError **error)
{
	struct qry_source *s = qry_source(q, 0);

	if (q->sources->len != 1)
		return base_error_false(error, BASE_ERROR_USAGE,
			"--symfs is for one machine, but %u hosts are open: open one of them",
			q->sources->len);
	if (!g_file_test(folder, G_FILE_TEST_IS_DIR))
		return base_error_false(error, BASE_ERROR_IO,
			"%s is not a folder: --symfs takes the folder that contains usr, lib, … of the recorded machine",
			folder);
	qry_programs_free(s->programs);
	s->programs = programs_new(folder);
	return true;
}

bool qry_has_symfs(const struct qry *q)
{
	return q->sources->len == 1 && qry_source(q, 0)->programs;
}

/* ---- files ---- */

/* Open PATH below FOLDER with O_PATH; -1: there is none. */
static int programs_find(const char *folder, const char *path)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };
	int root = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC), found;
	g_autofree char *whole = NULL;

	if (root < 0)
		return -1;
	found = (int)syscall(SYS_openat2, root, path, &how, sizeof how);
	close(root);
	if (found >= 0 || (errno != ENOSYS && errno != EPERM))
		return found;
	whole = g_build_filename(folder, path, NULL);
	found = strstr(path, "..") ? -1 : open(whole, O_PATH | O_CLOEXEC);
	return found;
}

/* Open the regular file PATH below FOLDER for reading and set *ST; -1: there is none. */
static int programs_open_file(const char *folder, const char *path, struct stat *st)
{
	int place = programs_find(folder, path), fd;
	g_autofree char *again = NULL;

	if (place < 0)
		return -1;
	again = g_strdup_printf("/proc/self/fd/%d", place);
	fd = fstat(place, st) == 0 && S_ISREG(st->st_mode) ? open(again, O_RDONLY | O_CLOEXEC) : -1;
	close(place);
	return fd;
}

/* Take the functions of ELF from the file PATH if it has the same build id. True if it did. */
static bool take_debug(const struct qry_programs *p, struct elf *elf, const char *path)
{
	struct stat st;
	int fd = programs_open_file(p->folder, path, &st);
	struct elf *debug = fd >= 0 ? elf_new(fd, ROOM - p->bytes) : NULL;
	bool same = debug && !debug->stripped && debug->build_id &&
		g_str_equal(debug->build_id, elf->build_id);

	if (same)
		elf_take(elf, debug);
	elf_free(debug);
	if (fd >= 0)
		close(fd);
	return same;
}

static void find_debug(const struct qry_programs *p, struct elf *elf, const char *path)
{
	const char *id = elf->build_id, *name = elf->debug_name;
	char *folder = g_path_get_dirname(path), *paths[3] = { NULL, NULL, NULL };

	if (id)
		paths[0] = g_strdup_printf("/usr/lib/debug/.build-id/%.2s/%s.debug", id, id + 2);
	if (id && name) {
		paths[1] = g_build_filename(folder, ".debug", name, NULL);
		paths[2] = g_build_filename("/usr/lib/debug", folder, name, NULL);
	}
	for (size_t i = 0; i < G_N_ELEMENTS(paths); i++)
		if (paths[i] && elf->stripped && take_debug(p, elf, paths[i]))
			break;
	for (size_t i = 0; i < G_N_ELEMENTS(paths); i++)
		g_free(paths[i]);
	g_free(folder);
}

/* ---- is it the mapped file ---- */

/* Why the file with ELF and ST cannot be the one mapped at PLACE; NULL: it can. */
static const char *why_not(const struct qry_host *h, const struct elf *elf, const struct stat *st,
	const struct qry_mapped *place)
{
	int64_t written = (int64_t)st->st_mtime;

	if (h->meta->from > TEN_YEARS && written > h->meta->from / 1000000000)
		return "it was written after the recording began";
	if (!elf)
		return "it is not a readable program";
	return elf_is_mapped(elf, place->map_offset, place->map_length)
		? NULL
		: "a loader would map another part of it as executable";
}

/* Read the file of PLACE. NULL if it has no usable names. */
static struct elf *programs_load(struct qry *q, uint32_t host, const struct qry_mapped *place)
{
	struct qry_programs *p = qry_source(q, host)->programs;
	struct stat st;
	int fd = programs_open_file(p->folder, place->path, &st);
	struct elf *elf = fd >= 0 ? elf_new(fd, ROOM - p->bytes) : NULL;
	const char *why = fd >= 0 ? why_not(qry_host(q, host), elf, &st, place) : NULL;

	if (fd >= 0)
		close(fd);
	if (why) {
		g_autofree char *text = g_strdup_printf(
			"%s: %s below --symfs is not the file that was mapped, so its functions have no names: %s",
			qry_host(q, host)->name, place->path, why);

		qry_warn(q, text);
		g_clear_pointer(&elf, elf_free);
	} else if (elf) {
		find_debug(p, elf, place->path);
		p->bytes += sizeof *elf + elf->n_names + elf->functions->len * sizeof(struct function);
	}
	return elf;
}

char *qry_program_function(struct qry *q, uint32_t host, const struct qry_mapped *place)
{
	struct qry_programs *p = qry_source(q, host)->programs;
	struct elf *elf;
	const char *name;
	gpointer known;

	if (!p || !place->path)
		return NULL;
	if (!g_hash_table_lookup_extended(p->files, place->path, NULL, &known)) {
		known = g_hash_table_size(p->files) < FILES_MAX && p->bytes < ROOM
			? programs_load(q, host, place)
			: NULL;
		g_hash_table_insert(p->files, g_strdup(place->path), known);
	}
	elf = known;
	name = elf && elf_is_mapped(elf, place->map_offset, place->map_length)
		? elf_function_of(elf, place->offset)
		: NULL;
	return name ? base_text_clean(name, (gssize)strnlen(name, NAME_MAX_SHOWN)) : NULL;
}
