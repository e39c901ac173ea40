/* SPDX-License-Identifier: MIT */
#include "trace/core/trc_folders.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Is PATH the folder ROOT, or below it? */
static bool folders_is_within(const char *root, const char *path)
{
	size_t length = strlen(root);

	return !strncmp(root, path, length) &&
		(path[length] == '/' || path[length] == '\0' || !strcmp(root, "/"));
}

struct trc_recording *trc_folders_recording(char *const *folders, char *apart)
{
	struct trc_recording *r = g_new(struct trc_recording, 1);

	*r = (struct trc_recording){ .folders = g_strdupv((char **)(uintptr_t)folders), .apart = apart };
	return r;
}

struct trc_recording *trc_folders_recording_copy(const struct trc_recording *recording)
{
	struct trc_recording *copy = trc_folders_recording(recording->folders, g_strdup(recording->apart));

	copy->input = recording->input;
	return copy;
}

void trc_folders_recording_free(gpointer recording)
{
	struct trc_recording *r = recording;

	if (!r)
		return;
	g_strfreev(r->folders);
	g_free(r->apart);
	g_free(r);
}

GPtrArray *trc_folders_each(const GPtrArray *files, G_GNUC_UNUSED GError **error)
{
	GPtrArray *all = g_ptr_array_new_with_free_func(trc_folders_recording_free);

	for (guint i = 0; i < files->len; i++)
		g_ptr_array_add(all,
			trc_folders_recording((char *[]){ g_ptr_array_index(files, i), NULL }, NULL));
	return all;
}

char *trc_folders_root(char *const *folders)
{
	char *root = g_strdup(folders[0]);
	unsigned i;

	for (i = 1; folders[i]; i++) {
		while (!folders_is_within(root, folders[i])) {
			char *above = g_path_get_dirname(root);

			g_free(root);
			root = above;
		}
	}
	return root;
}

const char *trc_folders_within(const char *root, const char *path)
{
	const char *rest = path + strlen(root);

	return *rest == '/' ? rest + 1 : rest;
}
