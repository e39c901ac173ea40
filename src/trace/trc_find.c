/* SPDX-License-Identifier: MIT */
#include "base/base_error.h"
#include "base/base_search.h"
#include "base/base_text.h"
#include "trace/trc_inputs.h"
#include "trace/trc_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEPTH_MAX 32 /* folders within folders; a trace lies at most a few deep */

struct search {
	GPtrArray *found; /* of char *, owned */
	char *locked;     /* the first folder within that cannot be read; owned, NULL none */
	int locked_errno;
};

static void walk(struct search *s, const char *directory, int depth);

/* Go into NAME when it is a folder and no link; a file may be a trace itself when it is called as one. */
static void walk_into(struct search *s, const char *directory, const char *name, int depth)
{
	g_autofree char *path = g_build_filename(directory, name, NULL);
	struct stat st;

	if (lstat(path, &st) == 0 &&
		(S_ISDIR(st.st_mode) ||
			(S_ISREG(st.st_mode) &&
				(g_str_has_suffix(name, ".dat") || g_str_has_suffix(name, ".data")))))
		walk(s, path, depth);
}

/* A folder within that cannot be read is passed over, but for the message when nothing is found. */
static void walk(struct search *s, const char *directory, int depth)
{
	const char *name;
	GDir *dir;

	if (trc_inputs_detect(directory)) {
		g_ptr_array_add(s->found, g_strdup(directory));
		return;
	}
	if (depth >= DEPTH_MAX)
		return;
	dir = g_dir_open(directory, 0, NULL);
	if (!dir) {
		/* g_dir_open() does not keep errno. */
		if (!s->locked && depth > 0 && access(directory, R_OK | X_OK)) {
			s->locked_errno = errno;
			s->locked = g_strdup(directory);
		}
		return;
	}
	while ((name = g_dir_read_name(dir)))
		walk_into(s, directory, name, depth + 1);
	g_dir_close(dir);
}

/* How packed files begin: gzip, bzip2, xz, zstd, zip, and tar behind the name of its first file. */
static bool is_packed(const char *bytes, size_t size)
{
	static const struct {
		size_t at, size;
		const char *bytes;
	} begins[] = {
		{ 0, 2, "\x1f\x8b" },
		{ 0, 3, "BZh" },
		{ 0, 5, "\3757zXZ" },
		{ 0, 4, "\x28\xb5\x2f\xfd" },
		{ 0, 4, "PK\3\4" },
		{ 257, 5, "ustar" },
	};
	unsigned i;

	for (i = 0; i < G_N_ELEMENTS(begins); i++)
		if (begins[i].at + begins[i].size <= size &&
			!memcmp(bytes + begins[i].at, begins[i].bytes, begins[i].size))
			return true;
	return false;
}

/* Lines of characters, of any encoding that has those of ASCII? */
static bool is_text(const char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (g_ascii_iscntrl(bytes[i]) && !g_ascii_isspace(bytes[i]) && bytes[i] != '\x1b' &&
			bytes[i] != '\b')
			return false;
	return size > 0;
}

/* What the file PATH, which is no trace, is by its first bytes, and what to give instead. */
static const char *what_instead(const char *path)
{
	g_autofree char *folder = g_path_get_dirname(path);
	char bytes[512];
	ssize_t size;
	int fd;

	if (trc_inputs_detect(folder))
		return "is one file of a trace: give its folder";
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	size = fd < 0 ? 0 : read(fd, bytes, sizeof(bytes));
	if (fd >= 0)
		close(fd);
	if (size > 0 && is_packed(bytes, size))
		return "is packed: unpack it first (tar -xf, zstd -d, gunzip), and give what comes out";
	if (size > 0 && is_text(bytes, (size_t)size))
		return "is text: give the recording, not what was printed of it "
		       "(trace.dat of trace-cmd, perf.data of perf, or the folder that LTTng wrote)";
	return "is no recording that wakepath knows: give a trace.dat, a perf.data, or the folder that LTTng wrote";
}

/* Why nothing was found at the canonical PATH. */
static void set_nothing_found(const struct search *s, const char *path, GError **error)
{
	g_autofree char *shown = base_text_clean(path, -1);

	if (s->locked)
		base_error_set_errno(error, s->locked_errno,
			"no trace that can be read: cannot read the folder", s->locked);
	else if (access(path, g_file_test(path, G_FILE_TEST_IS_DIR) ? R_OK | X_OK : R_OK))
		base_error_set_errno(error, errno, "cannot read", path);
	else if (!g_file_test(path, G_FILE_TEST_IS_DIR))
		g_set_error(error, BASE_ERROR, BASE_ERROR_DATA, "%s %s", shown, what_instead(path));
	else
		g_set_error(error, BASE_ERROR, BASE_ERROR_DATA,
			"no trace in %s: no file \"metadata\", and no trace.dat or perf.data, there or in a "
			"folder below; give what a tracer wrote",
			shown);
}

/* The trace folders at or below PATH, in sorted order; the caller unrefs. */
static GPtrArray *find_below(const char *path, GError **error)
{
	char *canonical = realpath(path, NULL);
	struct search s = { 0 };

	if (!canonical)
		return base_error_null_errno(error, errno, "cannot open", path);
	s.found = g_ptr_array_new_with_free_func(g_free);
	walk(&s, canonical, 0);
	if (!s.found->len) {
		set_nothing_found(&s, canonical, error);
		g_clear_pointer(&s.found, g_ptr_array_unref);
	} else {
		g_ptr_array_sort(s.found, base_search_by_text);
	}
	g_free(s.locked);
	free(canonical);
	return s.found;
}

/* Add to FOLDERS those below PATH that are new. */
static bool add_below(GPtrArray *folders, GHashTable *known, const char *path, GError **error)
{
	GPtrArray *found = find_below(path, error);
	guint i;

	for (i = 0; found && i < found->len; i++) {
		char *folder;

		if (g_hash_table_contains(known, g_ptr_array_index(found, i)))
			continue;
		folder = g_strdup(g_ptr_array_index(found, i));
		g_hash_table_add(known, folder);
		g_ptr_array_add(folders, folder);
	}
	if (found)
		g_ptr_array_unref(found);
	return found;
}

/* Those of FOLDERS that have the format INPUT, put together to recordings. */
static GPtrArray *join(const GPtrArray *folders, const struct trc_input *input)
{
	GPtrArray *own = g_ptr_array_new(), *recordings;
	unsigned i;

	for (i = 0; i < folders->len; i++)
		if (trc_inputs_of((char *[]){ g_ptr_array_index(folders, i), NULL }) == input)
			g_ptr_array_add(own, g_ptr_array_index(folders, i));
	recordings = input->ops->join(own);
	g_ptr_array_unref(own);
	return recordings;
}

GPtrArray *trc_find(char *const *paths, GError **error)
{
	g_autoptr(GHashTable) known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	GPtrArray *folders = g_ptr_array_new(), *recordings = NULL;
	bool fine = true;
	unsigned i;

	for (i = 0; fine && paths[i]; i++)
		fine = add_below(folders, known, paths[i], error);
	if (fine)
		recordings = join(folders, &trc_inputs[0]);
	for (i = 1; recordings && i < TRC_INPUTS; i++)
		g_ptr_array_extend_and_steal(recordings, join(folders, &trc_inputs[i]));
	g_ptr_array_unref(folders);
	return recordings;
}
