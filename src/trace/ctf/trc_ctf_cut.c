/* SPDX-License-Identifier: MIT */
/*
 * How it works: a window of a CTF trace is written as a CTF trace. This file writes the folder, its files and
 * the metadata; trc_ctf_cut_packets.c writes the packets. The metadata are those of the trace as plain text,
 * with the mark as a value of env.
 */
#include "trace/ctf/trc_ctf_cut.h"

#include "base/base_error.h"
#include "base/base_io.h"
#include "base/base_place.h"
#include "base/base_scratch.h"
#include "base/base_text.h"
#include "trace/meta/trc_meta_type.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- files ---- */

static void target_free(gpointer data)
{
	struct trc_ctf_target *t = data;

	if (t->fd >= 0)
		close(t->fd);
	g_free(t->path);
	g_free(t);
}

/* Return the file for F: a new one, or the file of the stream file that F continues. */
static struct trc_ctf_target *target_of(struct trc_ctf_cutter *c, const struct trc_stream_file *f,
	GError **error)
{
	struct trc_ctf_target *t = f->before ? g_hash_table_lookup(c->targets, f->before) : NULL;
	g_autofree char *name = g_strdelimit(g_strdup(f->file->name), "/", '-');

	if (!t) {
		t = g_new0(struct trc_ctf_target, 1);
		t->path = g_build_filename(c->folder, name, NULL);
		t->fd = base_place_write(t->path, O_TRUNC, 0600);
		g_ptr_array_add(c->all, t);
		if (t->fd < 0)
			return base_error_null_errno(error, errno, "cannot write", t->path);
	}
	g_hash_table_insert(c->targets, (gpointer)(uintptr_t)f, t);
	return t;
}

static bool cut_file(struct trc_ctf_cutter *c, const struct trc_stream_file *f, GError **error)
{
	const struct trc_ctf_stream *class = trc_ctf_stream_of(c->classes, f->stream);
	struct trc_ctf_target *t;

	if (f->state == TRC_FILE_UNUSABLE || f->n_packets == 0)
		return true;
	if (f->state == TRC_FILE_FOREIGN || trc_ctf_unknown(c->classes, f) || !class->clock) {
		g_autofree char *shown = base_text_clean(f->file->name, -1);

		return base_error_false(error, BASE_ERROR_USAGE,
			"%s: only babeltrace2 can read its packets: cut the trace with babeltrace2 --begin --end",
			shown);
	}
	t = target_of(c, f, error);
	return t && trc_ctf_cut_packets(c, f, class, t, error);
}

/* Remove the files without packets; sync the others. */
static bool end_files(struct trc_ctf_cutter *c, GError **error)
{
	for (guint i = 0; i < c->all->len; i++) {
		struct trc_ctf_target *t = g_ptr_array_index(c->all, i);

		if (!t->any)
			unlink(t->path);
		else if (BASE_IO_AGAIN(fsync(t->fd)) != 0)
			return base_error_false_errno(error, errno, "cannot write", t->path);
	}
	return true;
}

/* ---- the metadata ---- */

/* Remove the value NAME from TEXT. */
static void remove_value(GString *text, const char *name)
{
	char *at = strstr(text->str, name), *end = at ? strstr(at, "\";") : NULL;

	if (end)
		g_string_erase(text, at - text->str, end + 2 - at);
}

/* Replace the value after WORDS in TEXT. */
static void hide_value(const struct trc_ctf_cutter *c, GString *text, const char *words)
{
	char *at = strstr(text->str, words), *end = at ? strchr(at + strlen(words), '"') : NULL;

	if (end)
		trc_cut_hide(c->cut->names, at + strlen(words), (size_t)(end - at) - strlen(words));
}

static bool put_metadata(const struct trc_ctf_cutter *c, GError **error)
{
	static const char *const named[] = { "\thostname = \"", "\thost = \"", "\tprocname = \"",
		"\ttrace_name = \"" };
	g_autofree char *path = g_build_filename(c->folder, "metadata", NULL),
			*mark = trc_cut_mark_text(&c->cut->mark),
			*line = g_strdup_printf("\n\t" TRC_CUT_NAME " = \"%s\";", mark);
	GBytes *old = trc_files_metadata(c->survey->metadata_of, error);
	GString *text = old ? trc_meta_text(g_bytes_get_data(old, NULL), g_bytes_get_size(old), error) : NULL;
	const char *env;
	bool fine;
	int why;

	if (old)
		g_bytes_unref(old);
	if (!text)
		return false;
	remove_value(text, TRC_CUT_NAME " = \"");
	for (unsigned i = 0; c->cut->names && i < G_N_ELEMENTS(named); i++)
		hide_value(c, text, named[i]);
	env = strstr(text->str, "\nenv {");
	if (env)
		g_string_insert(text, env + strlen("\nenv {") - text->str, line);
	else
		g_string_append_printf(text, "\nenv {%s\n};\n", line);
	if (!g_str_has_prefix(text->str, "/* CTF 1.8"))
		g_string_prepend(text, "/* CTF 1.8 */\n");
	fine = base_scratch_write(path, text->str, text->len) == 0;
	why = errno;
	g_string_free(text, TRUE);
	return fine || base_error_false_errno(error, why, "cannot write", path);
}

/* ---- all of it ---- */

static uint32_t most_aligned(const struct trc_meta *t)
{
	uint32_t most = 1;

	for (guint i = 0; i < t->types->len; i++)
		most = MAX(most, ((const struct trc_type *)g_ptr_array_index(t->types, i))->align);
	return most;
}

static bool cut_all(struct trc_ctf_cutter *c, GError **error)
{
	if (!strcmp(c->survey->meta->format, "ctf 2"))
		return base_error_false(error, BASE_ERROR_USAGE,
			"%s: wakepath writes no metadata of CTF 2: record with lttng create --trace-format=ctf-1.8 to cut it",
			c->survey->metadata_of);
	if (!trc_ctf_compile(c->survey->meta, false, c->classes, error))
		return false;
	c->whole_packets = most_aligned(c->survey->meta) != 8;
	for (guint i = 0; i < c->survey->streams->len; i++)
		if (!cut_file(c, g_ptr_array_index(c->survey->streams, i), error))
			return false;
	if (!c->any)
		return trc_cut_nothing(c->cut, error);
	return end_files(c, error) && put_metadata(c, error);
}

static bool cut_to_folder(struct trc_ctf_cutter *c, GError **error)
{
	g_autofree char *prefix = g_strconcat(c->cut->path, ".", NULL);
	int why = base_scratch_folder_at(prefix, &c->folder) == 0 ? 0 : errno;
	bool fine;

	if (why != 0)
		return base_error_false_errno(error, why, "cannot make the folder", c->cut->path);
	fine = cut_all(c, error);
	if (fine && base_scratch_publish_folder(c->folder, c->cut->path) != 0)
		fine = base_error_false_errno(error, errno, "cannot make the folder", c->cut->path);
	if (!fine)
		base_scratch_remove(c->folder);
	return fine;
}

bool trc_ctf_cut(char *const *folders, struct trc_cut *cut, GError **error)
{
	struct trc_info *info = trc_info_new(folders[0]);
	struct trc_survey *survey = trc_survey_new(folders, NULL, info, error);
	struct trc_ctf_cutter c = { .cut = cut, .survey = survey };
	bool fine = survey;

	if (fine && !survey->layout) {
		trc_survey_set_metadata_error(survey, error);
		fine = false;
	}
	if (fine) {
		trc_learn(info, survey->meta);
		trc_cut_mark_narrow(&cut->mark, &info->cut);
		c.classes = g_ptr_array_new_with_free_func(trc_ctf_stream_free);
		c.text = trc_text_new();
		c.targets = g_hash_table_new(NULL, NULL);
		c.all = g_ptr_array_new_with_free_func(target_free);
		fine = cut_to_folder(&c, error);
		g_ptr_array_unref(c.all);
		g_hash_table_unref(c.targets);
		g_ptr_array_unref(c.classes);
	}
	trc_text_free(c.text);
	g_free(c.packet);
	g_free(c.folder);
	if (survey)
		trc_survey_free(survey);
	trc_info_free(info);
	return fine;
}
