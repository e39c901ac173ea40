/* SPDX-License-Identifier: MIT */
/*
 * The kernel takes file offsets, while symbols and notes have addresses: the segment (PT_LOAD) that contains
 * an address gives its offset.  libelf checks sections against the size of the file; their contents are
 * checked here.
 *
 * A USDT note (<sys/sdt.h> of SystemTap, "UserSpaceProbeImplementation" of its wiki) has type 3 and owner
 * "stapsdt".  It has the addresses of the probe, of the section .stapsdt.base when the note was written, and
 * of the semaphore; then provider, name and arguments, each ended by a NUL.  prelink moves sections but does
 * not change notes, so all addresses of a note move by as much as .stapsdt.base did.
 */
#include "record/rec_elf.h"

#include "base/base_error.h"
#include "base/base_near.h"
#include "base/base_text.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NOTE_OWNER "stapsdt"
#define NOTE_TYPE 3

struct rec_elf {
	char *path;
	int fd;
	Elf *elf;
	GElf_Ehdr header;
	size_t names; /* number of the section that has the section names */
};

/* ---- the file ---- */

/* Open E->fd as E->elf.  Return why it cannot be probed, static; NULL if it can. */
static const char *elf_problem(struct rec_elf *e)
{
	static const unsigned char order = G_BYTE_ORDER == G_LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB;
	struct stat st;

	if (fstat(e->fd, &st) != 0 || !S_ISREG(st.st_mode))
		return "it is not a regular file";
	e->elf = elf_version(EV_CURRENT) != EV_NONE ? elf_begin(e->fd, ELF_C_READ, NULL) : NULL;
	if (!e->elf || elf_kind(e->elf) != ELF_K_ELF || !gelf_getehdr(e->elf, &e->header))
		return "it is not a program or a library (ELF)";
	if (e->header.e_ident[EI_DATA] != order)
		return "it is for another machine";
	if (elf_getshdrstrndx(e->elf, &e->names) != 0)
		return "it has no sections, so nothing in it has a name";
	return NULL;
}

struct rec_elf *rec_elf_open(const char *path, GError **error)
{
	struct rec_elf *e = g_new0(struct rec_elf, 1);
	const char *problem;

	e->path = g_strdup(path);
	e->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	problem = e->fd >= 0 ? elf_problem(e) : g_strerror(errno);
	if (!problem)
		return e;
	g_set_error(error, BASE_ERROR, BASE_ERROR_USAGE, "cannot probe %s: %s", path, problem);
	rec_elf_free(e);
	return NULL;
}

void rec_elf_free(struct rec_elf *e)
{
	elf_end(e->elf);
	if (e->fd >= 0)
		close(e->fd);
	g_free(e->path);
	g_free(e);
}

/* Find the PLACE in the file of ADDRESS, in a segment with FLAG (PF_X, PF_W). */
static bool elf_place_of(const struct rec_elf *e, uint64_t address, unsigned flag, uint64_t *place)
{
	size_t n;
	GElf_Phdr p;

	if (elf_getphdrnum(e->elf, &n) != 0)
		return false;
	for (size_t i = 0; i < MIN(n, G_MAXINT); i++) {
		if (!gelf_getphdr(e->elf, (int)i, &p) || p.p_type != PT_LOAD || !(p.p_flags & flag) ||
			address < p.p_vaddr || address - p.p_vaddr >= p.p_filesz)
			continue;
		*place = p.p_offset + (address - p.p_vaddr);
		return true;
	}
	return false;
}

/* Return the section NAME, and its header in *HEADER; NULL if there is none. */
static Elf_Scn *elf_section(const struct rec_elf *e, const char *name, GElf_Shdr *header)
{
	for (Elf_Scn *s = elf_nextscn(e->elf, NULL); s; s = elf_nextscn(e->elf, s))
		if (gelf_getshdr(s, header) &&
			g_strcmp0(elf_strptr(e->elf, e->names, header->sh_name), name) == 0)
			return s;
	return NULL;
}

bool rec_elf_is_go(const struct rec_elf *e)
{
	GElf_Shdr header;

	return elf_section(e, ".gopclntab", &header) || elf_section(e, ".note.go.buildid", &header);
}

/* ---- functions ---- */

/* A search for a function or a variable. */
struct search {
	const char *name;
	size_t length;
	bool variable;         /* find variables; PLACES gets addresses */
	uint64_t offset, size; /* bytes: OFFSET in the function; SIZE of the largest too short match */
	GArray *places;
	struct base_near near;
	bool guess; /* NAME does not exist: collect near names, which is slow in a large program */
	bool whole; /* there is a table of all symbols */
	/* NAME is an IFUNC, resolved when the program starts; a plain function NAME may then be an old
	 * version */
	bool chosen;
};

static void add_place(GArray *places, uint64_t place)
{
	for (guint i = 0; i < places->len; i++)
		if (g_array_index(places, uint64_t, i) == place)
			return;
	g_array_append_val(places, place);
}

/* Add SYMBOL if it matches.  Its name may end with a version: "read@@GLIBC_2.2.5". */
static void look_at(const struct rec_elf *e, struct search *s, const GElf_Sym *symbol, const char *name)
{
	unsigned type = GELF_ST_TYPE(symbol->st_info);
	uint64_t address = symbol->st_value, place;

	if (s->variable) {
		if (type == STT_OBJECT && symbol->st_shndx != SHN_UNDEF && strcmp(name, s->name) == 0)
			add_place(s->places, address);
		return;
	}
	if ((type != STT_FUNC && type != STT_GNU_IFUNC) || symbol->st_shndx == SHN_UNDEF)
		return;
	if (strncmp(name, s->name, s->length) != 0 || (name[s->length] != '\0' && name[s->length] != '@')) {
		if (s->guess)
			base_near_offer(&s->near, name);
		return;
	}
	if (e->header.e_machine == EM_ARM)
		address &= ~UINT64_C(1);
	if (type == STT_GNU_IFUNC)
		s->chosen = true;
	else if (s->offset > 0 && s->offset >= symbol->st_size)
		s->size = MAX(s->size, MAX(symbol->st_size, 1));
	else if (elf_place_of(e, address + s->offset, PF_X, &place))
		add_place(s->places, place);
}

static void look_in(const struct rec_elf *e, struct search *s, Elf_Scn *scn, const GElf_Shdr *header)
{
	Elf_Data *symbols = elf_getdata(scn, NULL);
	GElf_Sym symbol;

	if (!symbols || header->sh_entsize == 0)
		return;
	for (size_t i = 0; i < MIN(symbols->d_size / header->sh_entsize, G_MAXINT); i++) {
		const char *name = gelf_getsym(symbols, (int)i, &symbol)
			? elf_strptr(e->elf, header->sh_link, symbol.st_name)
			: NULL;

		if (name && *name)
			look_at(e, s, &symbol, name);
	}
}

static void look_everywhere(const struct rec_elf *e, struct search *s)
{
	GElf_Shdr header;

	for (Elf_Scn *scn = elf_nextscn(e->elf, NULL); scn; scn = elf_nextscn(e->elf, scn)) {
		if (!gelf_getshdr(scn, &header) ||
			(header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM))
			continue;
		s->whole |= header.sh_type == SHT_SYMTAB;
		look_in(e, s, scn, &header);
	}
}

bool rec_elf_function(const struct rec_elf *e, const char *name, uint64_t offset, GArray *places,
	GError **error)
{
	struct search s = { .name = name, .length = strlen(name), .offset = offset, .places = places };
	guint before = places->len;
	g_autofree char *near = NULL, *shown = NULL;

	base_near_init(&s.near, name, true);
	look_everywhere(e, &s);
	if (places->len > before && !s.chosen)
		return true;
	if (s.size > 0 && !s.chosen)
		return base_error_false(error, BASE_ERROR_USAGE,
			"%s: \"%s\" has %" PRIu64 " bytes, so +%" PRIu64 " is not in it", e->path, name,
			s.size, offset);
	s.guess = true;
	look_everywhere(e, &s);
	near = base_near_text(&s.near);
	shown = base_text_clean(near, -1);
	if (s.chosen)
		return base_error_false(error, BASE_ERROR_USAGE,
			"%s: \"%s\" only chooses a function when a program starts (IFUNC): probe the chosen one%s",
			e->path, name, shown);
	return base_error_false(error, BASE_ERROR_USAGE, "%s has no function \"%s\"%s%s", e->path, name,
		s.whole ? "" : " (it is stripped: only what it exports has a name)", shown);
}

bool rec_elf_variable(const struct rec_elf *e, const char *name, uint64_t *address)
{
	g_autoptr(GArray) found = g_array_new(FALSE, FALSE, sizeof *address);
	struct search s = { .name = name, .variable = true, .places = found };

	look_everywhere(e, &s);
	if (found->len == 1)
		*address = g_array_index(found, uint64_t, 0);
	return found->len == 1;
}

unsigned rec_elf_machine(const struct rec_elf *e)
{
	return e->header.e_ident[EI_CLASS] == ELFCLASS64 ? e->header.e_machine : EM_NONE;
}

/* ---- USDT probes ---- */

static void free_usdt(gpointer data)
{
	struct rec_elf_usdt *u = data;

	g_free(u->provider);
	g_free(u->name);
	g_free(u->arguments);
	g_free(u);
}

/* Return address number I of the note at BYTES. */
static uint64_t address_in(const struct rec_elf *e, const char *bytes, unsigned i)
{
	uint32_t small;
	uint64_t large;

	if (e->header.e_ident[EI_CLASS] == ELFCLASS32) {
		memcpy(&small, bytes + i * sizeof small, sizeof small);
		return small;
	}
	memcpy(&large, bytes + i * sizeof large, sizeof large);
	return large;
}

/* Add the probe of the note of LENGTH bytes at BYTES.  BASE: present address of .stapsdt.base; 0: unknown. */
static void add_usdt(const struct rec_elf *e, GPtrArray *probes, const char *bytes, size_t length,
	uint64_t base)
{
	size_t addresses = e->header.e_ident[EI_CLASS] == ELFCLASS32 ? 12 : 24;
	const char *provider = bytes + addresses, *end = bytes + length, *name, *arguments;
	uint64_t moved, semaphore, place, counter = 0;

	if (length <= addresses)
		return;
	name = memchr(provider, '\0', (size_t)(end - provider));
	arguments = name && ++name < end ? memchr(name, '\0', (size_t)(end - name)) : NULL;
	if (!arguments || !*provider || !*name)
		return;
	arguments++;
	moved = base ? base - address_in(e, bytes, 1) : 0;
	semaphore = address_in(e, bytes, 2);
	if (!elf_place_of(e, address_in(e, bytes, 0) + moved, PF_X, &place) ||
		(semaphore && !elf_place_of(e, semaphore + moved, PF_W, &counter)))
		return;
	struct rec_elf_usdt u = { g_strdup(provider), g_strdup(name),
		g_strndup(arguments, (gsize)(end - arguments)), place, address_in(e, bytes, 0) + moved,
		counter };

	g_ptr_array_add(probes, g_memdup2(&u, sizeof u));
}

GPtrArray *rec_elf_usdts(const struct rec_elf *e)
{
	GPtrArray *probes = g_ptr_array_new_with_free_func(free_usdt);
	GElf_Shdr header;
	GElf_Nhdr note;
	uint64_t base = elf_section(e, ".stapsdt.base", &header) ? header.sh_addr : 0;
	Elf_Scn *scn = elf_section(e, ".note.stapsdt", &header);
	Elf_Data *data = scn && header.sh_type == SHT_NOTE ? elf_getdata(scn, NULL) : NULL;
	size_t at = 0, owner, text;

	while (data && (at = gelf_getnote(data, at, &note, &owner, &text)) > 0)
		if (note.n_type == NOTE_TYPE && note.n_namesz == sizeof NOTE_OWNER &&
			memcmp((const char *)data->d_buf + owner, NOTE_OWNER, sizeof NOTE_OWNER) == 0)
			add_usdt(e, probes, (const char *)data->d_buf + text, note.n_descsz, base);
	return probes;
}
