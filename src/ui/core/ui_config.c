/* SPDX-License-Identifier: MIT */
/* The configuration is read line by line; a heading begins a part.  The output has every setting in force, so
 * that a user can edit it. */
#include "ui/core/ui_config.h"

#include "base/base_error.h"
#include "ui/core/ui_line.h"
#include "ui/core/ui_theme.h"

#include <string.h>

enum part { NOWHERE, START, COLUMNS, QUERIES, KEYS };
static const char *const headings
	[] = { [START] = "[start]", [COLUMNS] = "[columns]", [QUERIES] = "[queries]", [KEYS] = "[keys]" };

/* Themes are checked at once, because the screen needs one before the experiment is open. */
static bool take_start(struct ui_config *config, const char *file, unsigned n, const char *line,
	GError **error)
{
	enum ui_command command;
	g_autofree char *text = NULL;
	struct ui_theme *theme;

	if (!ui_line_parse(line, &command, &text, NULL) || command != UI_CMD_THEME || !text)
		return ui_lines_add(config->start, file, n, line, error);
	theme = ui_theme_new(text, 0, error);
	if (!theme) {
		g_prefix_error(error, "%s:%u: ", file, n);
		return false;
	}
	ui_theme_free(theme);
	g_free(config->theme);
	config->theme = g_steal_pointer(&text);
	return true;
}

/* The query after the name in LINE ("NAME QUERY"). */
static const char *behind_name(const char *line)
{
	line += strcspn(line, " \t");
	return line + strspn(line, " \t");
}

static bool take_query(struct ui_config *config, const char *file, unsigned n, const char *line,
	GError **error)
{
	g_autofree char *name = g_strndup(line, strcspn(line, " \t"));

	if (!*behind_name(line))
		return base_error_false(error, BASE_ERROR_USAGE,
			"%s:%u: no query after the name \"%s\": NAME SELECT …", file, n, name);
	if (ui_config_query(config, name) != name)
		return base_error_false(error, BASE_ERROR_USAGE, "%s:%u: there are two queries \"%s\"", file,
			n, name);
	g_ptr_array_add(config->queries, g_strdup(line));
	return true;
}

/* Process LINE, line N of FILE, in part *PART; a heading changes *PART. */
static bool take_line(struct ui_config *config, enum part *part, const char *file, unsigned n,
	const char *line, GError **error)
{
	if (ui_lines_is_comment(line))
		return true;
	if (*line == '[') {
		*part = KEYS;
		while (*part != NOWHERE && strcmp(line, headings[*part]) != 0)
			(*part)--;
		if (*part == NOWHERE)
			g_set_error(error, BASE_ERROR, BASE_ERROR_USAGE,
				"%s:%u: %s: there are the parts [start], [columns], [queries] and [keys]",
				file, n, line);
		return *part != NOWHERE;
	}
	switch (*part) {
	case START: return take_start(config, file, n, line, error);
	case COLUMNS: return ui_columns_take(&config->columns, line, file, n, error);
	case QUERIES: return take_query(config, file, n, line, error);
	case KEYS: return ui_keymap_add(config->keys, line, file, n, error);
	case NOWHERE:
		g_set_error(error, BASE_ERROR, BASE_ERROR_USAGE,
			"%s:%u: a heading must be above this line: [start] for commands, [columns], [queries] or [keys]",
			file, n);
		break;
	}
	return false;
}

struct ui_config *ui_config_new(const char *file, const struct ui_pane_ops *const *panes, GError **error)
{
	struct ui_config *config = g_new0(struct ui_config, 1);
	g_autofree char *own = g_build_filename(g_get_user_config_dir(), "wakepath", "config", NULL);
	g_auto(GStrv) lines = NULL;
	enum part part = NOWHERE;
	bool good = true;

	config->keys = ui_keymap_new();
	config->start = ui_lines_new();
	config->queries = g_ptr_array_new_with_free_func(g_free);
	ui_columns_init(&config->columns, panes);
	if (!file && g_file_test(own, G_FILE_TEST_EXISTS))
		file = own;
	if (file) {
		lines = ui_files_lines("configuration", file, error);
		good = lines;
	}
	for (unsigned i = 0; good && lines && lines[i]; i++)
		good = take_line(config, &part, file, i + 1, g_strstrip(lines[i]), error);
	if (good)
		return config;
	ui_config_free(config);
	return NULL;
}

void ui_config_free(struct ui_config *config)
{
	if (!config)
		return;
	ui_columns_clear(&config->columns);
	ui_keymap_free(config->keys);
	g_ptr_array_unref(config->start);
	g_ptr_array_unref(config->queries);
	g_free(config->theme);
	g_free(config);
}

/* ---- queries ---- */

const char *ui_config_query(const struct ui_config *config, const char *text)
{
	gsize n = strlen(text);

	for (guint i = 0; i < config->queries->len; i++) {
		const char *line = g_ptr_array_index(config->queries, i);

		if (strcspn(line, " \t") == n && memcmp(line, text, n) == 0)
			return behind_name(line);
	}
	return text;
}

void ui_config_query_names(const struct ui_config *config, GPtrArray *words)
{
	for (guint i = 0; i < config->queries->len; i++) {
		const char *line = g_ptr_array_index(config->queries, i);

		g_ptr_array_add(words, g_strndup(line, strcspn(line, " \t")));
	}
}

/* ---- as text ---- */

static void append_keys(GString *out, const struct ui_keymap *keys)
{
	const char *group = "";

	for (unsigned i = UI_CMD_NONE + 1; i < UI_CMD_N; i++) {
		const struct ui_command_info *info = ui_command_info(i);
		g_autofree char *shown = ui_keymap_keys(keys, i, " ");
		g_auto(GStrv) parts = g_strsplit(shown, "#", -1); /* "#" would begin a comment */
		g_autofree char *names = g_strjoinv("Hash", parts);

		if (strcmp(group, info->group) != 0)
			g_string_append_printf(out, "\n# %s\n", info->group);
		group = info->group;
		g_string_append_printf(out, "%-16s%-24s # %s\n", info->name, names, info->help);
	}
}

char *ui_config_text(const struct ui_config *config)
{
	g_autofree char *columns = NULL;
	GString *out = g_string_new(
		"# The configuration of wakepath, as it is in force.  wakepath reads it from ~/.config/wakepath/config, or from\n"
		"# the file after --config.  Settings that it does not name have their built-in values.\n\n"
		"# Commands that run when a trace is open, as they are typed after \":\".  Any command is possible, for example\n"
		"#   theme light       grow 6            names-wider 8      arrows off\n"
		"#   clock clock       mouse off         hide-tracer off    latency on\n"
		"#   copy on           (copies by OSC 52, also on terminals that may print it: --copy)\n"
		"[start]\n");

	if (config->theme)
		g_string_append_printf(out, "theme %s\n", config->theme);
	for (unsigned i = 0; i < config->start->len; i++)
		g_string_append_printf(out, "%s\n",
			((const struct ui_lines_one *)g_ptr_array_index(config->start, i))->text);
	g_string_append(out,
		"\n# LIST COLUMN COLUMN ...: the columns of a list, in this order; other columns are left out.  \"rows\" has the\n"
		"# columns after the names of rows: the TID, time on a CPU, waiting and the worst wake-up in the window.\n"
		"# A list that is not named has all columns that fit (rows: the TID, and the column that sorts them).\n"
		"[columns]\n");
	columns = ui_columns_text(&config->columns);
	g_string_append(out, columns);
	g_string_append(out,
		"\n# NAME SELECT ...: queries for the command sql, which takes the name instead of a query.  $from and $to are the\n"
		"# selection or the window, $utid the selected thread, $cpu the selected CPU.\n"
		"[queries]\n");
	for (guint i = 0; i < config->queries->len; i++)
		g_string_append_printf(out, "%s\n", (const char *)g_ptr_array_index(config->queries, i));
	g_string_append(out,
		"\n# COMMAND KEY KEY ...: all keys of the command; \"none KEY ...\" takes keys away.  Keys: a character, Space,\n"
		"# Tab, Enter, Esc, BackSpace, Up, Down, Left, Right, Home, End, PgUp, PgDn, Insert, Delete, F1 to F12, WheelUp,\n"
		"# WheelDown; Hash is the character that begins a comment; C- with Ctrl, M- with Alt, S- with Shift (not for\n"
		"# characters).\n"
		"[keys]\n");
	append_keys(out, config->keys);
	return g_string_free(out, FALSE);
}
