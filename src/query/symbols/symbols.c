/* SPDX-License-Identifier: MIT */
/*
 * A line of /proc/kallsyms is "ADDRESS TYPE NAME[\t[MODULE]]" (s_show(), kernel/kallsyms.c). Functions have
 * the types t, T, w, W. If the reader may not see addresses (kptr_restrict), all are 0. A function extends to
 * the next one, but at most FUNCTION_MAX bytes, because nothing marks the end of the kernel's text and of
 * each module.
 */
#include "query/symbols/symbols.h"

#include "query/host/parts.h"

#include "base/base_error.h"
#include "base/base_file.h"
#include "base/base_search.h"
#include "base/base_stop.h"
#include "base/base_text.h"

#include "trace/trc_reader.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#define SYMBOLS_MAX (2 << 20)  /* a kernel with all its modules has about 200 000 */
#define FUNCTION_MAX (1 << 20) /* bytes; every function is shorter */

static const struct base_file_kind symbols_kind = { "file of the kernel's symbols", 64 << 20, BASE_ERROR_IO };

struct symbol {
	int64_t address; /* qry_symbols_order() */
	uint32_t name;   /* offset of its name in TEXT */
};

struct qry_symbols {
	GArray *all;   /* of struct symbol, ascending */
	GString *text; /* names, each with its NUL */
};

/* Take a line such as "ffffffff81000000 T _stext" or "ffffffffc0000000 t f\t[ext4]". */
static void take_line(struct qry_symbols *s, char *line)
{
	char *end, *name, *module;
	uint64_t address = g_ascii_strtoull(line, &end, 16);
	struct symbol symbol = { qry_symbols_order(address), (uint32_t)s->text->len };

	if (s->all->len >= SYMBOLS_MAX || address == 0 || end[0] != ' ' || !end[1] ||
		!strchr("tTwW", end[1]) || end[2] != ' ')
		return;
	module = strchr(end + 3, '\t');
	if (module)
		*module++ = '\0';
	name = base_text_clean(end + 3, -1);
	g_string_append(s->text, name);
	g_free(name);
	if (module) {
		name = base_text_clean(g_strstrip(module), -1);
		g_string_append_printf(s->text, " %s", name);
		g_free(name);
	}
	g_string_append_c(s->text, '\0');
	g_array_append_val(s->all, symbol);
}

/* The content of IN, with a NUL at the end. NULL with an error if it is unreadable or too large. The caller
 * frees. */
static char *read_rest(gzFile in, const char *path, gsize *length, GError **error)
{
	gsize room = 1 << 20, n = 0;
	char *data = g_malloc(room + 1);
	g_autofree char *most = base_text_bytes(symbols_kind.max);
	int got, wrong;
	const char *why;

	while ((got = gzread(in, data + n, (unsigned)(room - n))) > 0 && n < symbols_kind.max) {
		n += (gsize)got;
		if (n == room)
			data = g_realloc(data, (room *= 2) + 1);
	}
	why = gzerror(in, &wrong); /* only this detects a truncated packed file */
	data[n] = '\0';
	*length = n;
	if (got == 0 && wrong == Z_OK)
		return data;
	g_free(data);
	if (base_stop_signal())
		return base_error_null(error, BASE_ERROR_CANCELLED, "interrupted");
	if (got > 0)
		return base_error_null(error, symbols_kind.code, "%s: this is not a %s: it is larger than %s",
			path, symbols_kind.what, most);
	return base_error_null(error, symbols_kind.code, "cannot read the %s %s: %s", symbols_kind.what, path,
		wrong == Z_ERRNO ? g_strerror(errno) : why);
}

/* The content of the file PATH, unpacked if necessary. The caller frees. */
static char *symbols_read_all(const char *path, gsize *length, GError **error)
{
	int fd = base_file_open(path, &symbols_kind, error);
	gzFile in = fd >= 0 ? gzdopen(fd, "r") : NULL;
	char *data = in ? read_rest(in, path, length, error) : NULL;

	if (in)
		gzclose(in);
	else if (fd >= 0)
		close(fd);
	if (fd >= 0 && !in)
		base_error_set_errno(error, ENOMEM, "cannot read", path);
	return data;
}

void qry_symbols_free(struct qry_symbols *s)
{
	if (!s)
		return;
	g_array_unref(s->all);
	g_string_free(s->text, TRUE);
	g_free(s);
}

/* The functions in DATA, of LENGTH bytes and a NUL. NULL if there are none. Changes DATA. */
static struct qry_symbols *take_all(char *data, gsize length)
{
	struct qry_symbols *s = g_new(struct qry_symbols, 1);

	*s = (struct qry_symbols){ g_array_new(FALSE, FALSE, sizeof(struct symbol)), g_string_new(NULL) };
	for (char *line = data, *next; line && line < data + length; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		take_line(s, line);
	}
	g_array_sort(s->all, base_search_by_int64);
	if (s->all->len > 0)
		return s;
	qry_symbols_free(s);
	return NULL;
}

static struct qry_symbols *read_symbols(const char *path, GError **error)
{
	struct qry_symbols *s;
	gsize length;
	g_autofree char *data = symbols_read_all(path, &length, error);

	if (!data)
		return NULL;
	s = take_all(data, length);
	if (!s)
		g_set_error(error, BASE_ERROR, BASE_ERROR_DATA,
			"%s: it has no addresses of functions: copy /proc/kallsyms as root on the recorded machine",
			path);
	return s;
}

/* ---- which file ---- */

/* The first regular file named START plus one of ENDINGS. NULL if there is none. The caller frees. */
static char *symbols_file_of(const char *start, const char *const *endings)
{
	for (; *endings; endings++) {
		char *path = g_strconcat(start, *endings, NULL);

		if (g_file_test(path, G_FILE_TEST_IS_REGULAR))
			return path;
		g_free(path);
	}
	return NULL;
}

static bool symbols_is_called(const char *folder, const char *name)
{
	g_autofree char *base = g_path_get_basename(folder);

	return g_str_equal(base, name);
}

/* The file in the folder of LTTng's session around FOLDER, which is SESSION/kernel or
 * SESSION/archives/CHUNK/kernel. It is not in FOLDER, because a reader would take it for a stream. NULL if
 * there is none. */
static char *file_around(const char *folder)
{
	static const char *const endings[] = { "", ".txt", ".gz", ".txt.gz", NULL };
	char *around = g_path_get_dirname(folder), *archives = g_path_get_dirname(around),
	     *session = g_path_get_dirname(archives), *found = NULL;
	g_autofree char *start = g_build_filename(symbols_is_called(archives, "archives") ? session : around,
		"kallsyms", NULL);

	if (symbols_is_called(folder, "kernel"))
		found = symbols_file_of(start, endings);
	g_free(around);
	g_free(archives);
	g_free(session);
	return found;
}

/* The file beside the trace of S. NULL if there is none. The caller frees. */
static char *file_beside(const struct qry_source *s)
{
	static const char *const endings[] = { ".kallsyms", ".kallsyms.gz", NULL };
	char *found = NULL;

	for (char **folder = s->recording ? s->recording->folders : NULL; folder && *folder && !found;
		folder++) {
		found = file_around(*folder);
		if (!found)
			found = symbols_file_of(*folder, endings);
	}
	return found;
}

bool qry_set_kallsyms(struct qry *q, const char *path, GError **error)
{
	struct qry_source *s = qry_source(q, 0);
	struct qry_symbols *symbols;

	if (q->sources->len != 1)
		return base_error_false(error, BASE_ERROR_USAGE,
			"--kallsyms is for one kernel, but %u hosts are open: put a copy of each beside its trace, as FOLDER.kallsyms",
			q->sources->len);
	symbols = read_symbols(path, error);
	if (!symbols)
		return false;
	qry_symbols_free(s->symbols);
	s->symbols = symbols;
	s->symbols_looked = true;
	g_free(s->kallsyms);
	s->kallsyms = g_strdup(path);
	return true;
}

/* Read the symbols of HOST at the first call. NULL if there are none. */
static struct qry_symbols *symbols_of(struct qry *q, uint32_t host)
{
	struct qry_source *s = qry_source(q, host);
	GError *problem = NULL;
	g_autofree char *path = NULL, *data = NULL;
	gsize length = 0;

	if (s->symbols_looked)
		return s->symbols;
	s->symbols_looked = true;
	path = s->kallsyms ? g_strdup(s->kallsyms) : file_beside(s);
	if (path)
		s->symbols = read_symbols(path, &problem);
	else if (s->recording && (data = trc_kallsyms(s->recording, &length, &problem)))
		s->symbols = take_all(data, length);
	if (problem && path)
		qry_warn(q, problem->message);
	else if (problem)
		qry_fail(q, g_steal_pointer(&problem));
	g_clear_error(&problem);
	return s->symbols;
}

bool qry_has_symbols(struct qry *q, uint32_t host)
{
	return symbols_of(q, host);
}

const char *qry_symbol(struct qry *q, uint32_t host, uint64_t address)
{
	const struct qry_symbols *s = symbols_of(q, host);
	const struct symbol *first, *found;
	const char *name;

	if (!s || qry_symbols_order(address) < g_array_index(s->all, struct symbol, 0).address)
		return NULL;
	first = &g_array_index(s->all, struct symbol, 0);
	found = first +
		base_search_holding(&first->address, s->all->len, sizeof *first, qry_symbols_order(address));
	if ((uint64_t)qry_symbols_order(address) - (uint64_t)found->address >= FUNCTION_MAX)
		return NULL;
	name = s->text->str + found->name;
	/* These mark the ends of text sections (include/asm-generic/sections.h). */
	return strcmp(name, "_etext") == 0 || strcmp(name, "_einittext") == 0 ? NULL : name;
}
