/* SPDX-License-Identifier: MIT */
/*
 * Which file: the path that was opened, below the folder.  Links are followed as if the folder were the root
 * (openat2(), RESOLVE_IN_ROOT), since Linux 5.6, so a trace leads to no file elsewhere; what is no regular
 * file is not opened, as that alone may do something.
 *
 * Is it the one?  It is not if it was written after the recording began, or if its segment that is run would
 * not be mapped as it was: as many bytes from the same place.  What is stripped has its functions in
 * usr/lib/debug/.build-id, or beside, by the name in .gnu_debuglink, if the build id is the same (GDB's
 * manual, Separate Debug Files).
 */
#include "query/qry_programs.h"

#include "base/base_error.h"
#include "base/base_text.h"
#include "query/qry_elf.h"
#include "query/qry_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ROOM ((size_t)512 << 20) /* bytes of memory for all files of a host */
#define FILES_MAX 4096
#define NAME_MAX_SHOWN 512                                 /* bytes of a name */
#define TEN_YEARS (INT64_C(10) * 366 * 86400 * 1000000000) /* a clock that has run longer tells the date */

struct qry_programs {
	char *folder;
	GHashTable *files; /* path → struct qry_elf, owned; NULL: no names */
	size_t bytes;      /* of memory */
};

static struct qry_programs *programs_new(const char *folder)
{
	struct qry_programs *p = g_new0(struct qry_programs, 1);

	p->folder = g_strdup(folder);
	p->files = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)qry_elf_free);
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
			"--symfs is of one machine, and these are %u hosts: ask for one of them",
			q->sources->len);
	if (!g_file_test(folder, G_FILE_TEST_IS_DIR))
		return base_error_false(error, BASE_ERROR_IO,
			"%s is no folder: --symfs takes the one that holds the usr, lib, … of the machine of the recording",
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

/* PATH below FOLDER, not opened for reading yet; -1: there is none. */
static int find(const char *folder, const char *path)
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

/* The regular file PATH below FOLDER, for reading, and what is known of it; -1: there is none. */
static int open_file(const char *folder, const char *path, struct stat *st)
{
	int place = find(folder, path), fd;
	g_autofree char *again = NULL;

	if (place < 0)
		return -1;
	again = g_strdup_printf("/proc/self/fd/%d", place);
	fd = fstat(place, st) == 0 && S_ISREG(st->st_mode) ? open(again, O_RDONLY | O_CLOEXEC) : -1;
	close(place);
	return fd;
}

/* The functions of ELF are in the file PATH, if that is of the same build. */
static bool take_debug(const struct qry_programs *p, struct qry_elf *elf, const char *path)
{
	struct stat st;
	int fd = open_file(p->folder, path, &st);
	struct qry_elf *debug = fd >= 0 ? qry_elf_new(fd, ROOM - p->bytes) : NULL;
	bool same = debug && !qry_elf_is_stripped(debug) && qry_elf_build_id(debug) &&
		g_str_equal(qry_elf_build_id(debug), qry_elf_build_id(elf));

	if (same)
		qry_elf_take(elf, debug);
	qry_elf_free(debug);
	if (fd >= 0)
		close(fd);
	return same;
}

static void find_debug(const struct qry_programs *p, struct qry_elf *elf, const char *path)
{
	const char *id = qry_elf_build_id(elf), *name = qry_elf_debug_name(elf);
	char *folder = g_path_get_dirname(path), *paths[3] = { NULL, NULL, NULL };

	if (id)
		paths[0] = g_strdup_printf("/usr/lib/debug/.build-id/%.2s/%s.debug", id, id + 2);
	if (id && name) {
		paths[1] = g_build_filename(folder, ".debug", name, NULL);
		paths[2] = g_build_filename("/usr/lib/debug", folder, name, NULL);
	}
	for (size_t i = 0; i < G_N_ELEMENTS(paths); i++)
		if (paths[i] && qry_elf_is_stripped(elf) && take_debug(p, elf, paths[i]))
			break;
	for (size_t i = 0; i < G_N_ELEMENTS(paths); i++)
		g_free(paths[i]);
	g_free(folder);
}

/* ---- is it the one? ---- */

/* Why the file with ELF and ST cannot be what PLACE is in; NULL: it can. */
static const char *why_not(const struct qry_host *h, const struct qry_elf *elf, const struct stat *st,
	const struct qry_place *place)
{
	int64_t written = (int64_t)st->st_mtime;

	if (h->meta->from > TEN_YEARS && written > h->meta->from / 1000000000)
		return "it was written after the recording began";
	if (!elf)
		return "it is no program that can be read";
	return qry_elf_is_mapped(elf, place->map_offset, place->map_length)
		? NULL
		: "another part of it would be mapped to be run";
}

static void refuse(struct qry *q, uint32_t host, const struct qry_place *place, const char *why)
{
	g_autofree char *text = g_strdup_printf(
		"%s: %s below --symfs is not the file that was mapped, so its functions have no names: %s",
		qry_host(q, host)->name, place->path, why);

	qry_warn(q, text);
}

/* The file of PLACE, as it is kept; NULL: it has no names. */
static struct qry_elf *load(struct qry *q, uint32_t host, const struct qry_place *place)
{
	struct qry_programs *p = qry_source(q, host)->programs;
	struct stat st;
	int fd = open_file(p->folder, place->path, &st);
	struct qry_elf *elf = fd >= 0 ? qry_elf_new(fd, ROOM - p->bytes) : NULL;
	const char *why = fd >= 0 ? why_not(qry_host(q, host), elf, &st, place) : NULL;

	if (fd >= 0)
		close(fd);
	if (why) {
		refuse(q, host, place, why);
		g_clear_pointer(&elf, qry_elf_free);
	} else if (elf) {
		find_debug(p, elf, place->path);
		p->bytes += qry_elf_bytes(elf);
	}
	return elf;
}

char *qry_program_function(struct qry *q, uint32_t host, const struct qry_place *place)
{
	struct qry_programs *p = qry_source(q, host)->programs;
	struct qry_elf *elf;
	const char *name;
	gpointer known;

	if (!p || !place->path)
		return NULL;
	if (!g_hash_table_lookup_extended(p->files, place->path, NULL, &known)) {
		known = g_hash_table_size(p->files) < FILES_MAX && p->bytes < ROOM ? load(q, host, place)
										   : NULL;
		g_hash_table_insert(p->files, g_strdup(place->path), known);
	}
	elf = known;
	name = elf && qry_elf_is_mapped(elf, place->map_offset, place->map_length)
		? qry_elf_function(elf, place->offset)
		: NULL;
	return name ? base_text_clean(name, (gssize)strnlen(name, NAME_MAX_SHOWN)) : NULL;
}
