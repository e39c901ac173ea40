/* SPDX-License-Identifier: MIT */
#include "base/base_error.h"
#include "base/base_progress.h"
#include "base/base_search.h"
#include "base/base_text.h"
#include "trace/core/trc_folders.h"
#include "trace/trc_inputs.h"
#include "trace/trc_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEPTH_MAX 32     /* folders within folders; a trace lies at most a few deep */
#define NAMES_MAX 100000 /* files and folders outside traces: who gives more has not named the recordings */

struct search {
	GPtrArray *found; /* of char *, owned */
	struct base_progress *progress;
	unsigned names;    /* that were looked at */
	unsigned folders;  /* of these */
	unsigned n_locked; /* folders within that cannot be read, */
	char *locked;      /* the first of them; owned, NULL none */
	int locked_errno;
};

static bool is_over(const struct search *s)
{
	return s->names > NAMES_MAX || base_progress_cancelled(s->progress);
}

static void note_locked(struct search *s, const char *directory, int saved_errno)
{
	if (s->n_locked++ > 0)
		return;
	s->locked_errno = saved_errno;
	s->locked = g_strdup(directory);
}

static void walk(struct search *s, const char *directory, int depth);

/* Go into NAME when it is a folder and no link; a file may be a trace itself when it is called as one. */
static void walk_into(struct search *s, const char *directory, const char *name, int depth)
{
	g_autofree char *path = g_build_filename(directory, name, NULL);
	struct stat st;

	s->names++;
	if (!is_over(s) && lstat(path, &st) == 0 &&
		(S_ISDIR(st.st_mode) ||
			(S_ISREG(st.st_mode) &&
				(g_str_has_suffix(name, ".dat") || g_str_has_suffix(name, ".data")))))
		walk(s, path, depth);
}

/* A folder within that cannot be read is passed over, and told in the end.  (g_dir_open() does not keep
 * errno.) */
static void walk(struct search *s, const char *directory, int depth)
{
	const char *name;
	GDir *dir;

	base_progress_set_folders(s->progress, ++s->folders);
	if (trc_inputs_detect(directory)) {
		g_ptr_array_add(s->found, g_strdup(directory));
		return;
	}
	if (depth >= DEPTH_MAX)
		return;
	dir = g_dir_open(directory, 0, NULL);
	if (!dir) {
		if (depth > 0 && access(directory, R_OK | X_OK) && errno != ENOENT)
			note_locked(s, directory, errno);
		return;
	}
	while (!is_over(s) && (name = g_dir_read_name(dir)))
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
	g_autofree char *shown = base_text_clean(path, -1), *doing = NULL;

	if (s->n_locked > 0) {
		doing = s->n_locked == 1
			? g_strdup("no trace that can be read: cannot read the folder")
			: g_strdup_printf("no trace that can be read: cannot read %u folders, the first is",
				  s->n_locked);
		base_error_set_errno(error, s->locked_errno, doing, s->locked);
	} else if (access(path, g_file_test(path, G_FILE_TEST_IS_DIR) ? R_OK | X_OK : R_OK))
		base_error_set_errno(error, errno, "cannot read", path);
	else if (!g_file_test(path, G_FILE_TEST_IS_DIR))
		g_set_error(error, BASE_ERROR, BASE_ERROR_DATA, "%s %s", shown, what_instead(path));
	else
		g_set_error(error, BASE_ERROR, BASE_ERROR_DATA,
			"no trace in %s: no file \"metadata\", and no trace.dat or perf.data, there or in a "
			"folder below; give what a tracer wrote",
			shown);
}

/* Why the search at the canonical PATH ended early, if it did. */
static bool ended_early(const struct search *s, const char *path, GError **error)
{
	g_autofree char *shown = base_text_clean(path, -1);

	if (base_progress_cancelled(s->progress))
		g_set_error_literal(error, BASE_ERROR, BASE_ERROR_CANCELLED, "interrupted");
	else if (s->names > NAMES_MAX)
		g_set_error(error, BASE_ERROR, BASE_ERROR_DATA,
			"%s: looked for traces in %u folders, and there is more than %u files and folders: name the folder "
			"or the file that the tracer wrote",
			shown, s->folders, NAMES_MAX);
	return is_over(s);
}

/* Have in S the trace folders at or below PATH, in sorted order. */
static bool find_below(struct search *s, const char *path, GError **error)
{
	char *canonical = realpath(path, NULL);
	bool fine;

	if (!canonical)
		return base_error_false_errno(error, errno, "cannot open", path);
	g_ptr_array_set_size(s->found, 0);
	walk(s, canonical, 0);
	fine = !ended_early(s, canonical, error);
	if (fine && !s->found->len) {
		set_nothing_found(s, canonical, error);
		fine = false;
	}
	g_ptr_array_sort(s->found, base_search_by_text);
	free(canonical);
	return fine;
}

/* Add to FOLDERS those below PATH that are new. */
static bool add_below(struct search *s, GPtrArray *folders, GHashTable *known, const char *path,
	GError **error)
{
	if (!find_below(s, path, error))
		return false;
	for (guint i = 0; i < s->found->len; i++) {
		char *folder;

		if (g_hash_table_contains(known, g_ptr_array_index(s->found, i)))
			continue;
		folder = g_strdup(g_ptr_array_index(s->found, i));
		g_hash_table_add(known, folder);
		g_ptr_array_add(folders, folder);
	}
	return true;
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

bool trc_find_is(const char *path)
{
	return trc_inputs_detect(path);
}

/* Say with the first of RECORDINGS which folders could not be looked into. */
static void tell_locked(const struct search *s, const GPtrArray *recordings)
{
	struct trc_recording *first = g_ptr_array_index(recordings, 0);
	g_autofree char *before = first->apart;

	first->apart =
		g_strdup_printf("%s%sno trace was looked for in %u folder%s that cannot be read: %s%s: %s",
			before ? before : "", before ? "; " : "", s->n_locked, s->n_locked == 1 ? "" : "s",
			s->locked, s->n_locked == 1 ? "" : " is the first", g_strerror(s->locked_errno));
}

GPtrArray *trc_find(char *const *paths, struct base_progress *progress, GError **error)
{
	g_autoptr(GHashTable) known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	struct search s = { .found = g_ptr_array_new_with_free_func(g_free), .progress = progress };
	GPtrArray *folders = g_ptr_array_new(), *recordings = NULL;
	bool fine = true;
	unsigned i;

	for (i = 0; fine && paths[i]; i++)
		fine = add_below(&s, folders, known, paths[i], error);
	base_progress_set_folders(progress, 0);
	if (fine)
		recordings = join(folders, &trc_inputs[0]);
	for (i = 1; recordings && i < TRC_INPUTS; i++)
		g_ptr_array_extend_and_steal(recordings, join(folders, &trc_inputs[i]));
	if (recordings && recordings->len && s.n_locked > 0)
		tell_locked(&s, recordings);
	g_ptr_array_unref(folders);
	g_ptr_array_unref(s.found);
	g_free(s.locked);
	return recordings;
}
