/* SPDX-License-Identifier: MIT */
/* File helpers for configuration, keys, themes and questions.  Not in ui_config.c, which depends on those. */
#include "ui/core/ui_config.h"

#include "base/base_file.h"
#include "base/base_search.h"

#include <stdbool.h>
#include <string.h>

#define FILES_MAX 500 /* files that a question offers */

void ui_files_add(GPtrArray *words, const char *start)
{
	const char *slash = strrchr(start, '/'), *base = slash ? slash + 1 : start;
	g_autofree char *folder = slash ? g_strndup(start, (gsize)(base - start)) : g_strdup("./");
	g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL); /* NULL: there is nothing to offer */
	const char *name;

	while (dir && words->len < FILES_MAX && (name = g_dir_read_name(dir))) {
		g_autofree char *path = g_build_filename(folder, name, NULL);
		bool is_folder = g_file_test(path, G_FILE_TEST_IS_DIR);

		if (g_str_has_prefix(name, base) && (*name != '.' || *base == '.') &&
			g_utf8_validate(name, -1, NULL))
			g_ptr_array_add(words,
				g_strconcat(slash ? folder : "", name, is_folder ? "/" : "", NULL));
	}
	g_ptr_array_sort(words, base_search_by_text);
}

char **ui_files_lines(const char *what, const char *file, GError **error)
{
	const struct base_file_kind kind = { what, 1 << 20, BASE_ERROR_USAGE };
	g_autofree char *text = base_file_text(file, &kind, error);

	return text ? g_strsplit(text, "\n", -1) : NULL;
}

char **ui_files_words(char *line)
{
	GPtrArray *words = g_ptr_array_new();
	char *save = NULL;

	for (char *word = strtok_r(line, " \t\r", &save); word && strcmp(word, "#") != 0;
		word = strtok_r(NULL, " \t\r", &save))
		g_ptr_array_add(words, word);
	g_ptr_array_add(words, NULL);
	return (char **)g_ptr_array_free(words, FALSE);
}
