/* SPDX-License-Identifier: MIT */
#include "base/base_error.h"
#include "base/base_io.h"
#include "base/base_progress.h"
#include "base/base_text.h"
#include "trace/trc_foreign.h"
#include "trace/trc_inputs.h"
#include "trace/trc_reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEPTH_MAX 32     /* folders within folders; traces are at most a few deep */
#define FOREIGN_MAX 1000 /* files of a folder without a trace whose format is examined */
#define NAMES_MAX 100000 /* files and folders outside traces; with more, a path must be more precise */

struct search {
	GPtrArray *found; /* of struct trc_recording * of one folder each, owned */
	struct base_progress *progress;
	unsigned names;    /* examined files and folders */
	unsigned folders;  /* folders among these */
	unsigned n_locked; /* folders and files without permission to read */
	char *locked;      /* owned: the first of them; NULL: none */
	int locked_errno;
	GError *error; /* owned: the first other read error; NULL: none */
};

/* Without a progress the caller ends by itself (ing_follow). */
static bool is_cancelled(const struct search *s)
{
	return s->progress && base_progress_cancelled(s->progress);
}

static bool is_over(const struct search *s)
{
	return s->names > NAMES_MAX || is_cancelled(s);
}

static void find_walk(struct search *s, const char *directory, int depth);

/* Note that PATH cannot be read because of WHY. Below the named folder, missing permissions are skipped and
 * reported at the end. Other errors end the search: PATH could belong to the experiment. */
static void note_unread(struct search *s, const char *path, int why, int depth)
{
	if ((why != EACCES && why != EPERM) || depth == 0) {
		if (!s->error && why != EACCES && why != EPERM)
			base_error_set_errno(&s->error, why, "cannot read", path);
	} else if (s->n_locked++ == 0) {
		s->locked_errno = why;
		s->locked = g_strdup(path);
	}
}

/* True if a file with NAME may be a trace. */
static bool has_ending(const char *name)
{
	static const char *const endings[] = { ".dat", ".data", ".pftrace", ".perfetto-trace" };

	for (size_t i = 0; i < G_N_ELEMENTS(endings); i++)
		if (g_str_has_suffix(name, endings[i]))
			return true;
	return false;
}

/* Search NAME if it is a folder (no link), or a file with the name of a trace. */
static void walk_into(struct search *s, const char *directory, const char *name, int depth)
{
	g_autofree char *path = g_build_filename(directory, name, NULL);
	struct stat st;

	s->names++;
	if (is_over(s))
		return;
	if (BASE_IO_AGAIN(lstat(path, &st)) != 0) {
		if (errno != ENOENT && errno != ESRCH) /* it disappeared */
			note_unread(s, path, errno, depth);
		return;
	}
	if (S_ISDIR(st.st_mode) || (S_ISREG(st.st_mode) && has_ending(name)))
		find_walk(s, path, depth);
}

static void add_found(struct search *s, const char *path, const struct trc_input *input)
{
	struct trc_recording *r = trc_folders_recording((char *[]){ (char *)path, NULL }, NULL);

	r->input = input;
	g_ptr_array_add(s->found, r);
}

/* Add the trace PATH, or its parts. */
static void add_parts(struct search *s, const char *path, const struct trc_input *input)
{
	g_autoptr(GPtrArray) parts = g_ptr_array_new_with_free_func(g_free);

	if (input->ops->parts)
		input->ops->parts(path, parts);
	if (parts->len == 0)
		add_found(s, path, input);
	for (guint i = 0; i < parts->len; i++) {
		g_autofree char *part = g_build_filename(path, g_ptr_array_index(parts, i), NULL);

		add_found(s, part, input);
	}
}

static void find_walk(struct search *s, const char *directory, int depth)
{
	const struct trc_input *input;
	g_autoptr(GPtrArray) names = NULL;

	base_progress_set_folders(s->progress, ++s->folders);
	if (!trc_inputs_detect(directory, &input)) {
		note_unread(s, directory, errno, depth);
		return;
	}
	if (input) {
		add_parts(s, directory, input);
		return;
	}
	if (depth >= DEPTH_MAX)
		return;
	names = base_io_names(directory);
	if (!names && errno != ENOTDIR && (depth == 0 || (errno != ENOENT && errno != ESRCH)))
		note_unread(s, directory, errno, depth);
	for (guint i = 0; names && i < names->len && !s->error && !is_over(s); i++)
		walk_into(s, directory, g_ptr_array_index(names, i), depth + 1);
}

/* Return what the file PATH (no trace) is by its first bytes, and what to give instead. */
static const char *what_instead(const char *path)
{
	g_autofree char *folder = g_path_get_dirname(path);
	const struct trc_input *input;

	if (trc_inputs_detect(folder, &input) && input)
		return "is one file of a trace: give its folder";
	return trc_foreign_what(path);
}

bool trc_find_is(const char *path)
{
	const struct trc_input *input;

	return trc_inputs_detect(path, &input) && input;
}

/* Set the error of the folder PATH without a trace. It names another format, or text of a trace, in it. */
static void set_none_in(const char *path, const char *shown, GError **error)
{
	g_autoptr(GPtrArray) names = base_io_names(path);

	for (guint i = 0; names && i < MIN(names->len, FOREIGN_MAX); i++) {
		g_autofree char *file = g_build_filename(path, g_ptr_array_index(names, i), NULL);
		g_autofree char *clean = base_text_clean(file, -1);
		const char *what = g_file_test(file, G_FILE_TEST_IS_REGULAR) && trc_find_is(file)
			? "is text of a trace: give the file itself"
			: trc_foreign_recording(file);

		if (what) {
			g_set_error(error, BASE_ERROR, BASE_ERROR_DATA, "no trace in %s: %s %s", shown, clean,
				what);
			return;
		}
	}
	g_set_error(error, BASE_ERROR, BASE_ERROR_DATA,
		"no trace in %s: no file \"metadata\", and no trace.dat, perf.data or .pftrace, "
		"there or in a folder below; give what a tracer wrote",
		shown);
}

/* Set the error of the canonical PATH at which nothing was found. */
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
		set_none_in(path, shown, error);
}

/* True with an error if the search at the canonical PATH ended early. */
static bool ended_early(struct search *s, const char *path, GError **error)
{
	g_autofree char *shown = base_text_clean(path, -1);

	if (s->error)
		g_propagate_error(error, g_steal_pointer(&s->error));
	else if (is_cancelled(s))
		g_set_error_literal(error, BASE_ERROR, BASE_ERROR_CANCELLED, "interrupted");
	else if (s->names > NAMES_MAX)
		g_set_error(error, BASE_ERROR, BASE_ERROR_DATA,
			"%s: looked for traces in %u folders, and there are more than %u files and folders: name the folder "
			"or the file that the tracer wrote",
			shown, s->folders, NAMES_MAX);
	else
		return false;
	return true;
}

static int by_folder(gconstpointer a, gconstpointer b)
{
	const struct trc_recording *const *ra = a, *const *rb = b;

	return strcmp((*ra)->folders[0], (*rb)->folders[0]);
}

/* Keep only the part PART in S. */
static void keep_part(struct search *s, const char *part)
{
	for (guint i = s->found->len; i-- > 0;) {
		const struct trc_recording *r = g_ptr_array_index(s->found, i);

		if (g_strcmp0(trc_folders_part(r->folders[0]), part) != 0)
			g_ptr_array_remove_index(s->found, i);
	}
}

/* Find the traces at or below PATH, each a recording of one folder, sorted. False with an error. */
static bool find_below(struct search *s, const char *path, GError **error)
{
	const char *part = trc_folders_part(path);
	g_autofree char *file = trc_folders_file(path);
	char *canonical;
	struct stat st;
	bool fine;

	if (BASE_IO_AGAIN(stat(file, &st)) == 0 && S_ISFIFO(st.st_mode)) {
		g_autofree char *shown = base_text_clean(path, -1);

		return base_error_false(error, BASE_ERROR_USAGE,
			"%s is a pipe, and a trace is read several times: give the file, or - to read standard input",
			shown);
	}
	canonical = realpath(file, NULL);
	if (!canonical)
		return base_error_false_errno(error, errno, "cannot open", path);
	g_ptr_array_set_size(s->found, 0);
	find_walk(s, canonical, 0);
	fine = !ended_early(s, canonical, error);
	if (fine && part) {
		keep_part(s, part);
		fine = s->found->len > 0 || base_error_false_errno(error, ENOTDIR, "cannot open", path);
	}
	if (fine && !s->found->len) {
		set_nothing_found(s, canonical, error);
		fine = false;
	}
	g_ptr_array_sort(s->found, by_folder);
	free(canonical);
	return fine;
}

/* Add the traces below PATH that are new to ALL. */
static bool add_below(struct search *s, GPtrArray *all, GHashTable *known, const char *path, GError **error)
{
	if (!find_below(s, path, error))
		return false;
	for (guint i = 0; i < s->found->len; i++) {
		struct trc_recording *r = g_ptr_array_index(s->found, i);

		if (g_hash_table_contains(known, r->folders[0]))
			continue;
		r = trc_folders_recording_copy(r);
		g_hash_table_add(known, r->folders[0]);
		g_ptr_array_add(all, r);
	}
	return true;
}

/* Join the folders of ALL with the format INPUT to RECORDINGS. False with an error. */
static bool find_join(GPtrArray *recordings, const GPtrArray *all, const struct trc_input *input,
	GError **error)
{
	g_autoptr(GPtrArray) own = g_ptr_array_new();
	GPtrArray *joined;

	for (guint i = 0; i < all->len; i++) {
		const struct trc_recording *r = g_ptr_array_index(all, i);

		if (r->input == input)
			g_ptr_array_add(own, r->folders[0]);
	}
	joined = input->ops->join(own, error);
	if (!joined)
		return false;
	for (guint i = 0; i < joined->len; i++)
		((struct trc_recording *)g_ptr_array_index(joined, i))->input = input;
	g_ptr_array_extend_and_steal(recordings, joined);
	return true;
}

GPtrArray *trc_find(char *const *paths, struct base_progress *progress, GError **error)
{
	g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func(trc_folders_recording_free);
	g_autoptr(GHashTable) known = g_hash_table_new(g_str_hash, g_str_equal);
	struct search s = { .found = g_ptr_array_new_with_free_func(trc_folders_recording_free),
		.progress = progress };
	GPtrArray *recordings = g_ptr_array_new_with_free_func(trc_folders_recording_free);
	bool fine = true;

	for (unsigned i = 0; fine && paths[i]; i++)
		fine = add_below(&s, all, known, paths[i], error);
	base_progress_set_folders(progress, 0);
	for (unsigned i = 0; fine && i < TRC_INPUTS; i++)
		fine = find_join(recordings, all, &trc_inputs[i], error);
	if (!fine)
		g_clear_pointer(&recordings, g_ptr_array_unref);
	if (recordings && recordings->len && s.n_locked > 0) { /* reported with the first one */
		struct trc_recording *first = g_ptr_array_index(recordings, 0);
		g_autofree char *before = first->apart;

		first->apart =
			g_strdup_printf("%s%s%u folder%s cannot be read, and may have traces: %s%s: %s",
				before ? before : "", before ? "; " : "", s.n_locked, base_text_s(s.n_locked),
				s.locked, s.n_locked == 1 ? "" : " is the first", g_strerror(s.locked_errno));
	}
	g_ptr_array_unref(s.found);
	g_free(s.locked);
	return recordings;
}

/* ---- for another process, which does not search again ---- */

#define BESIDE "beside " /* precedes each such folder; no path of a trace begins so */

char *trc_recording_tell(const struct trc_recording *recording)
{
	g_autofree char *folders = g_strjoinv("\n", recording->folders),
			*beside = recording->beside ? g_strjoinv("\n" BESIDE, recording->beside) : NULL;

	return g_strconcat(recording->input->readers[0]->name, "\n", folders, beside ? "\n" BESIDE : NULL,
		beside, NULL);
}

/* Return the first N of LINES without PREFIX, which each of them has. The caller frees. */
static char **texts_behind(char *const *lines, unsigned n, const char *prefix)
{
	char **texts = g_new0(char *, n + 1);

	for (unsigned i = 0; i < n; i++)
		texts[i] = g_strdup(lines[i] + strlen(prefix));
	return texts;
}

struct trc_recording *trc_recording_told(const char *text)
{
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
	unsigned n = 1;
	struct trc_recording *r;

	for (unsigned i = 0; lines[0] && lines[1] && i < TRC_INPUTS; i++) {
		if (strcmp(trc_inputs[i].readers[0]->name, lines[0]) != 0)
			continue;
		while (lines[n] && !g_str_has_prefix(lines[n], BESIDE))
			n++;
		r = g_new0(struct trc_recording, 1);
		r->input = &trc_inputs[i];
		r->folders = texts_behind(lines + 1, n - 1, "");
		r->beside = lines[n] ? texts_behind(lines + n, g_strv_length(lines + n), BESIDE) : NULL;
		return r;
	}
	return NULL;
}
