/* SPDX-License-Identifier: MIT */
/* Files of command lines, for --command and the configuration. */
#include "ui/core/ui_line.h"

#include "ui/core/ui_files.h"

static void one_free(gpointer data)
{
	struct ui_lines_one *one = data;

	g_free(one->where);
	g_free(one->text);
	g_free(one);
}

GPtrArray *ui_lines_new(void)
{
	return g_ptr_array_new_with_free_func(one_free);
}

bool ui_lines_is_comment(const char *line)
{
	while (g_ascii_isspace(*line))
		line++;
	return !*line || (*line == '#' && !g_ascii_isdigit(line[1]));
}

bool ui_lines_add(GPtrArray *lines, const char *file, unsigned n, const char *text, GError **error)
{
	struct ui_lines_one *one;
	enum ui_command command;
	g_autofree char *given = NULL;

	if (!ui_line_parse(text, &command, &given, error)) {
		g_prefix_error(error, "%s:%u: ", file, n);
		return false;
	}
	one = g_new(struct ui_lines_one, 1);
	one->where = g_strdup_printf("%s:%u", file, n);
	one->text = g_strdup(text);
	g_ptr_array_add(lines, one);
	return true;
}

bool ui_lines_read(GPtrArray *lines, const char *file, GError **error)
{
	g_auto(GStrv) all = ui_files_lines("file of commands", file, error);

	if (!all)
		return false;
	for (unsigned i = 0; all[i]; i++)
		if (!ui_lines_is_comment(all[i]) && !ui_lines_add(lines, file, i + 1, all[i], error))
			return false;
	return true;
}
