/* SPDX-License-Identifier: MIT */
#include "record/rec_names.h"

#include <stdlib.h>
#include <string.h>
#include <tracefs.h>

static void add_threads(GHashTable *names, const char *process)
{
	g_autofree char *folder = g_build_filename("/proc", process, "task", NULL);
	GDir *dir = g_dir_open(folder, 0, NULL);
	const char *thread;

	while (dir && (thread = g_dir_read_name(dir))) {
		g_autofree char *file = g_build_filename(folder, thread, "comm", NULL);
		char *name;

		if (!g_file_get_contents(file, &name, NULL, NULL)) /* it has ended */
			continue;
		g_hash_table_replace(names, GINT_TO_POINTER(atoi(thread)), g_strchomp(name));
	}
	if (dir)
		g_dir_close(dir);
}

static void add_all(GHashTable *names)
{
	GDir *dir = g_dir_open("/proc", 0, NULL);
	const char *process;

	while (dir && (process = g_dir_read_name(dir)))
		if (g_ascii_isdigit(*process))
			add_threads(names, process);
	if (dir)
		g_dir_close(dir);
}

/* Lines "TID NAME"; the kernel keeps some hundred. */
static void add_saved(GHashTable *names)
{
	g_autofree char *path = g_build_filename(tracefs_tracing_dir(), "saved_cmdlines", NULL), *text = NULL;
	g_auto(GStrv) lines = NULL;

	if (!g_file_get_contents(path, &text, NULL, NULL))
		return;
	lines = g_strsplit(text, "\n", -1);
	for (char **line = lines; *line; line++) {
		const char *space = strchr(*line, ' ');

		if (space && !g_str_equal(space + 1, "<...>"))
			g_hash_table_replace(names, GINT_TO_POINTER(atoi(*line)), g_strdup(space + 1));
	}
}

GHashTable *rec_names_new(void)
{
	GHashTable *names = g_hash_table_new_full(NULL, NULL, NULL, g_free);

	add_all(names);
	return names;
}

char *rec_names_text(GHashTable *names)
{
	GString *text = g_string_new(NULL);
	GHashTableIter iter;
	gpointer tid, name;

	add_saved(names);
	add_all(names);
	g_hash_table_iter_init(&iter, names);
	while (g_hash_table_iter_next(&iter, &tid, &name)) {
		g_strdelimit(name, "\n", ' ');
		g_string_append_printf(text, "%d %s\n", GPOINTER_TO_INT(tid), (char *)name);
	}
	return g_string_free(text, FALSE);
}
