/* SPDX-License-Identifier: MIT */
#include "ui/core/ui_config.h"

#include "base/base_error.h"
#include "ui/core/ui_files.h"
#include "ui/core/ui_line.h"
#include "ui/core/ui_theme.h"

#include <string.h>

enum part { NOWHERE, START, COLUMNS, KEYS };
static const char *const headings[] = { [START] = "[start]", [COLUMNS] = "[columns]", [KEYS] = "[keys]" };

/* A theme is wanted before anything is opened, and so known to be one now. */
static bool take_theme(struct ui_config *config, const char *name, GError **error)
{
	struct ui_theme *theme = ui_theme_new(name, 0, error);

	if (!theme)
		return false;
	ui_theme_free(theme);
	g_free(config->theme);
	config->theme = g_strdup(name);
	return true;
}

static bool take_start(struct ui_config *config, const char *file, unsigned n, const char *line,
	GError **error)
{
	enum ui_command command;
	g_autofree char *text = NULL;
	bool good;

	if (!ui_line_parse(line, &command, &text, NULL) || command != UI_CMD_THEME || !text)
		return ui_lines_add(config->start, file, n, line, error);
	good = take_theme(config, text, error);
	if (!good)
		g_prefix_error(error, "%s:%u: ", file, n);
	return good;
}

/* Line N of FILE, in PART, which it may end. */
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
				"%s:%u: %s: there are the parts [start], [columns] and [keys]", file, n,
				line);
		return *part != NOWHERE;
	}
	switch (*part) {
	case START: return take_start(config, file, n, line, error);
	case COLUMNS: return ui_columns_take(&config->columns, line, file, n, error);
	case KEYS: return ui_keymap_add(config->keys, line, file, n, error);
	case NOWHERE:
		g_set_error(error, BASE_ERROR, BASE_ERROR_USAGE,
			"%s:%u: above this must stand [start] for commands, [columns] or [keys]", file, n);
		break;
	}
	return false;
}

static bool take_file(struct ui_config *config, const char *file, GError **error)
{
	g_auto(GStrv) lines = ui_files_lines("configuration", file, error);
	enum part part = NOWHERE;
	bool good = lines;

	for (unsigned i = 0; good && lines[i]; i++)
		good = take_line(config, &part, file, i + 1, g_strstrip(lines[i]), error);
	return good;
}

struct ui_config *ui_config_new(const char *file, GError **error)
{
	struct ui_config *config = g_new0(struct ui_config, 1);
	g_autofree char *own = g_build_filename(g_get_user_config_dir(), "wakepath", "config", NULL);
	bool good = true;

	config->keys = ui_keymap_new();
	config->start = ui_lines_new();
	ui_columns_init(&config->columns);
	if (file || g_file_test(own, G_FILE_TEST_EXISTS))
		good = take_file(config, file ? file : own, error);
	if (good)
		return config;
	ui_config_free(config);
	return NULL;
}

void ui_config_free(struct ui_config *config)
{
	if (!config)
		return;
	ui_keymap_free(config->keys);
	g_ptr_array_unref(config->start);
	g_free(config->theme);
	g_free(config);
}

/* ---- as text ---- */

static void append_keys(GString *out, const struct ui_keymap *keys)
{
	const char *group = "";

	for (unsigned i = UI_CMD_NONE + 1; i < UI_CMD_N; i++) {
		const struct ui_command_info *info = ui_command_info(i);
		g_autofree char *shown = ui_keymap_keys(keys, i, " ");
		g_auto(GStrv) parts = g_strsplit(shown, "#", -1); /* which would begin a comment */
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
		"# The configuration of wakepath, as it is in force.  It is read from ~/.config/wakepath/config, or the file\n"
		"# behind --config.  What it does not name is as built in.\n\n"
		"# Commands that are done when a trace is open, as they are typed behind \":\".  Any can stand here, such as\n"
		"#   theme light       grow 6            names-wider 8      arrows off\n"
		"#   clock clock       mouse off         hide-tracer off    latency on\n"
		"#   copy on           (copies, OSC 52, also where the terminal may show it: --copy)\n"
		"[start]\n");

	if (config->theme)
		g_string_append_printf(out, "theme %s\n", config->theme);
	for (unsigned i = 0; i < config->start->len; i++)
		g_string_append_printf(out, "%s\n",
			((const struct ui_lines_one *)g_ptr_array_index(config->start, i))->text);
	g_string_append(out,
		"\n# LIST COLUMN COLUMN ...: the columns of a list, in this order; those that are not named are left out.  \"rows\" is\n"
		"# what stands behind the names of rows: the TID, time on a CPU, waiting and the worst wake-up in the window.\n"
		"# A list that is not named has all that there is room for (rows: the TID, and what they are sorted by).\n"
		"[columns]\n");
	columns = ui_columns_text(&config->columns);
	g_string_append(out, columns);
	g_string_append(out,
		"\n# COMMAND KEY KEY ...: all keys of the command; \"none KEY ...\" takes keys away.  Keys: a character, Space,\n"
		"# Tab, Enter, Esc, BackSpace, Up, Down, Left, Right, Home, End, PgUp, PgDn, Insert, Delete, F1 to F12, WheelUp,\n"
		"# WheelDown; Hash is the character that begins a comment; C- with Ctrl, M- with Alt, S- with Shift (not for\n"
		"# characters).\n"
		"[keys]\n");
	append_keys(out, config->keys);
	return g_string_free(out, FALSE);
}
