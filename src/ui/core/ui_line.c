/* SPDX-License-Identifier: MIT */
/* Command lines as text: the command that a line names, and lines of files.  ui_line_do.c runs them. */
#include "ui/core/ui_line.h"

#include "base/base_error.h"
#include "base/base_near.h"
#include "ui/core/ui_config.h"

#include <string.h>

/* ---- names ---- */

/* The command that ALIAS stands for.  *TEXT becomes its text, or NULL. */
static bool line_of_alias(const struct ui_alias *alias, enum ui_command *command, const char **text,
	GError **error)
{
	g_autofree char *name = alias->line ? g_strndup(alias->line, strcspn(alias->line, " ")) : NULL;
	const char *rest = name ? alias->line + strlen(name) : "";

	if (!name)
		return base_error_false(error, BASE_ERROR_USAGE, "%s: %s", alias->word, alias->said);
	*text = *rest ? rest + 1 : NULL;
	return ui_command_find(name, command);
}

static bool line_find(const char *word, enum ui_command *command, const char **text, GError **error)
{
	g_autoptr(GString) names = g_string_new(NULL); /* commands that begin with WORD */
	g_autofree char *nearest = NULL;
	const struct ui_alias *alias = ui_alias_find(word);
	struct base_near near;
	unsigned n = 0;

	if (ui_command_find(word, command))
		return true;
	if (alias)
		return line_of_alias(alias, command, text, error);
	for (unsigned i = UI_CMD_NONE + 1; i < UI_CMD_N; i++) {
		if (!g_str_has_prefix(ui_command_info(i)->name, word))
			continue;
		if (n++ == 0)
			*command = i;
		g_string_append_printf(names, "%s%s", names->len ? ", " : "", ui_command_info(i)->name);
	}
	if (n > 1)
		g_set_error(error, BASE_ERROR, BASE_ERROR_USAGE, "%s is ambiguous: %s", word, names->str);
	if (n)
		return n == 1;
	base_near_init(&near, word, true);
	for (unsigned i = UI_CMD_NONE + 1; i < UI_CMD_N; i++)
		base_near_offer(&near, ui_command_info(i)->name);
	for (alias = ui_aliases; alias->word; alias++)
		base_near_offer(&near, alias->word);
	nearest = base_near_text(&near);
	return base_error_false(error, BASE_ERROR_USAGE, "%s: no such command%s", word, nearest);
}

bool ui_line_parse(const char *line, enum ui_command *command, char **text, GError **error)
{
	g_autofree char *clean = g_strstrip(g_strdup(line));
	gsize end = strcspn(clean, " \t");
	g_autofree char *word = g_strndup(clean, end);
	const char *rest = clean + end + strspn(clean + end, " \t"), *given = NULL;

	*text = NULL;
	/* A time or an event without a command: no command's name has one of these characters. */
	if (strpbrk(word, "0123456789#%+")) {
		*command = UI_CMD_GOTO;
		*text = g_steal_pointer(&clean);
		return true;
	}
	if (!line_find(word, command, &given, error))
		return false;
	*text = *rest ? g_strdup(rest) : g_strdup(given);
	return true;
}

/* ---- lines of files ---- */

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
