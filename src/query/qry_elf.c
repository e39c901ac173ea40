/* SPDX-License-Identifier: MIT */
/*
 * How it works: libelf reads the file, which checks all places in it against its size.  A byte that runs lies
 * in a segment (PT_LOAD) that may be executed, whose place in the file and address give the address of the
 * byte; the function is the one of .symtab, else .dynsym, that has it.
 *
 * How segments are mapped: _dl_map_object_from_fd() and _dl_map_segments() in glibc's elf/dl-load.c and
 * elf/dl-map-segments.h, map_library() in musl's ldso/dynlink.c: the first one with room for all, then each
 * other one in its place, all in whole pages.
 */
#include "query/qry_elf.h"

#include "base/base_search.h"

#include <gelf.h>
#include <string.h>

#define SEGMENTS_MAX 64

/* As qry_symbols.c has them: of 64 bits, with the highest turned, so that they order as int64_t do. */
struct function {
	int64_t address;
	uint64_t size; /* 0: not told */
	uint32_t name; /* where it begins in NAMES */
};

struct qry_elf {
	GElf_Phdr loads[SEGMENTS_MAX];
	unsigned n_loads;
	GArray *functions; /* of struct function, by address */
	char *names;       /* owned; NULL: no functions */
	size_t n_names;    /* bytes, the last one a NUL */
	char *build_id, *debug_name;
	bool is_arm, stripped;
};

static int64_t key_of(uint64_t address)
{
	return (int64_t)(address ^ (UINT64_C(1) << 63));
}

/* ---- segments ---- */

static bool read_loads(struct qry_elf *e, Elf *elf)
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

/* Segment P in whole pages of PAGE bytes: from *OFFSET on, so long; LAST's memory, too, where that is not
 * NULL. */
static uint64_t length_of(const GElf_Phdr *p, const GElf_Phdr *last, uint64_t page, uint64_t *offset)
{
	uint64_t end = last ? last->p_vaddr + last->p_memsz : p->p_vaddr + p->p_filesz;

	*offset = p->p_offset & -page;
	return ((end + page - 1) & -page) - (p->p_vaddr & -page);
}

bool qry_elf_is_mapped(const struct qry_elf *e, uint64_t offset, uint64_t length)
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

static bool address_of(const struct qry_elf *e, uint64_t offset, uint64_t *address)
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

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return (x->size > y->size) - (x->size < y->size); /* the one that is found is the last */
}

static void add(struct qry_elf *e, const GElf_Sym *s)
{
	struct function f = { key_of(e->is_arm ? s->st_value & ~UINT64_C(1) : s->st_value), s->st_size,
		(uint32_t)s->st_name };
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

/* Those of the table SCN with HEADER, if there is ROOM for both its parts, and what is made of them. */
static void read_functions(struct qry_elf *e, Elf *elf, Elf_Scn *scn, const GElf_Shdr *header, size_t room)
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
			add(e, &s);
	g_array_sort(e->functions, by_address);
}

const char *qry_elf_function(const struct qry_elf *e, uint64_t offset)
{
	const struct function *first, *found;
	uint64_t address;

	if (e->functions->len == 0 || !address_of(e, offset, &address))
		return NULL;
	first = &g_array_index(e->functions, struct function, 0);
	if (key_of(address) < first->address)
		return NULL;
	found = first +
		base_search_holding(&first->address, e->functions->len, sizeof *first, key_of(address));
	if (found->size > 0 && (uint64_t)key_of(address) - (uint64_t)found->address >= found->size)
		return NULL;
	return e->names + found->name;
}

/* ---- the rest ---- */

/* The note of the GNU build id in DATA, as ld --build-id writes it. */
static void read_note(struct qry_elf *e, Elf_Data *data)
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

static void read_debug_name(struct qry_elf *e, Elf_Data *data)
{
	if (data->d_size > 0 && memchr(data->d_buf, '\0', data->d_size) && !e->debug_name &&
		!strchr(data->d_buf, '/'))
		e->debug_name = g_strdup(data->d_buf);
}

static void read_sections(struct qry_elf *e, Elf *elf, size_t room)
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
			read_debug_name(e, data);
		}
	}
	e->stripped = !whole;
	if (whole)
		read_functions(e, elf, whole, &of_whole, room);
	else if (dynamic)
		read_functions(e, elf, dynamic, &of_dynamic, room);
}

struct qry_elf *qry_elf_new(int fd, size_t room)
{
	struct qry_elf *e = g_new0(struct qry_elf, 1);
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
		g_clear_pointer(&e, qry_elf_free);
	return e;
}

void qry_elf_free(struct qry_elf *e)
{
	if (!e)
		return;
	g_array_unref(e->functions);
	g_free(e->names);
	g_free(e->build_id);
	g_free(e->debug_name);
	g_free(e);
}

size_t qry_elf_bytes(const struct qry_elf *e)
{
	return sizeof *e + e->n_names + e->functions->len * sizeof(struct function);
}

const char *qry_elf_build_id(const struct qry_elf *e)
{
	return e->build_id;
}

const char *qry_elf_debug_name(const struct qry_elf *e)
{
	return e->debug_name;
}

bool qry_elf_is_stripped(const struct qry_elf *e)
{
	return e->stripped;
}

void qry_elf_take(struct qry_elf *e, struct qry_elf *debug)
{
	struct qry_elf own = *e;

	e->functions = debug->functions;
	e->names = debug->names;
	e->n_names = debug->n_names;
	debug->functions = own.functions;
	debug->names = own.names;
	debug->n_names = own.n_names;
}
