/* SPDX-License-Identifier: MIT */
/*
 * The key map: pairs of key and command in the order in which the files name
 * them, so that help shows the key that stands first.  There are a hundred at
 * most, looked up once for each key pressed; a list is enough.
 */
#include "ui/core/ui_keymap.h"

#include "base/base_error.h"
#include "ui/term/term_key.h"
#include "ui_resources.h"

#include <string.h>

struct binding {
	uint32_t key;
	enum ui_command command;
};

struct ui_keymap {
	GArray *bindings; /* of struct binding */
};

static void unbind(struct ui_keymap *map, uint32_t key)
{
	for (unsigned i = map->bindings->len; i-- > 0;)
		if (g_array_index(map->bindings, struct binding, i).key == key)
			g_array_remove_index(map->bindings, i);
}

/* A file that names a command sets all keys of it anew. */
static void unbind_command(struct ui_keymap *map, enum ui_command command)
{
	for (unsigned i = map->bindings->len; i-- > 0;)
		if (g_array_index(map->bindings, struct binding, i).command == command)
			g_array_remove_index(map->bindings, i);
}

/* WORDS: a command and its keys. */
static bool add_line(struct ui_keymap *map, char **words, const char *where, GError **error)
{
	struct binding binding = { 0, UI_CMD_NONE };

	if (strcmp(words[0], "none") != 0 && !ui_command_find(words[0], &binding.command)) {
		g_set_error(error, BASE_ERROR, BASE_ERROR_USAGE, "%s: no such command: %s", where, words[0]);
		return false;
	}
	if (binding.command)
		unbind_command(map, binding.command);
	for (unsigned i = 1; words[i]; i++) {
		if (!term_key_parse(words[i], &binding.key)) {
			g_set_error(error, BASE_ERROR, BASE_ERROR_USAGE, "%s: no such key: %s", where,
				words[i]);
			return false;
		}
		unbind(map, binding.key);
		if (binding.command)
			g_array_append_val(map->bindings, binding);
	}
	return true;
}

/* The words of LINE up to a comment.  The caller frees. */
static char **split_words(const char *line)
{
	char **words = g_strsplit_set(line, " \t\r", -1);
	unsigned kept = 0;

	for (unsigned i = 0; words[i]; i++) {
		if (words[i][0] && (kept || words[i][0] != '#') && strcmp(words[i], "#") != 0) {
			words[kept++] = words[i];
			continue;
		}
		if (words[i][0]) { /* a comment: the rest goes */
			for (; words[i]; i++)
				g_free(words[i]);
			break;
		}
		g_free(words[i]);
	}
	words[kept] = NULL;
	return words;
}

static bool add_text(struct ui_keymap *map, const char *text, const char *name, GError **error)
{
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
	bool good = true;

	for (unsigned i = 0; lines[i] && good; i++) {
		g_auto(GStrv) words = split_words(lines[i]);
		g_autofree char *where = g_strdup_printf("%s:%u", name, i + 1);

		if (words[0])
			good = add_line(map, words, where, error);
	}
	return good;
}

static bool add_file(struct ui_keymap *map, const char *file, GError **error)
{
	GError *why = NULL;
	char *text;
	bool good;

	if (!g_file_get_contents(file, &text, NULL, &why)) {
		g_set_error(error, BASE_ERROR, BASE_ERROR_USAGE, "key file: %s", why->message);
		g_error_free(why);
		return false;
	}
	good = add_text(map, text, file, error);
	g_free(text);
	return good;
}

static void add_builtin(struct ui_keymap *map)
{
	g_autoptr(GBytes) bytes = g_resource_lookup_data(ui_resources_get_resource(),
		"/wakepath/keys/default.keys", 0, NULL);
	GError *error = NULL;

	g_assert(bytes);
	if (!add_text(map, g_bytes_get_data(bytes, NULL), "default.keys", &error))
		g_error("%s", error->message);
}

struct ui_keymap *ui_keymap_new(const char *file, GError **error)
{
	struct ui_keymap *map = g_new0(struct ui_keymap, 1);
	g_autofree char *own = g_build_filename(g_get_user_config_dir(), "wakepath", "keys", NULL);
	bool good = true;

	map->bindings = g_array_new(FALSE, FALSE, sizeof(struct binding));
	add_builtin(map);
	if (file || g_file_test(own, G_FILE_TEST_EXISTS))
		good = add_file(map, file ? file : own, error);
	if (good)
		return map;
	ui_keymap_free(map);
	return NULL;
}

void ui_keymap_free(struct ui_keymap *map)
{
	if (!map)
		return;
	g_array_unref(map->bindings);
	g_free(map);
}

enum ui_command ui_keymap_command(const struct ui_keymap *map, uint32_t key)
{
	for (unsigned i = 0; i < map->bindings->len; i++)
		if (g_array_index(map->bindings, struct binding, i).key == key)
			return g_array_index(map->bindings, struct binding, i).command;
	return UI_CMD_NONE;
}

char *ui_keymap_keys(const struct ui_keymap *map, enum ui_command command, const char *separator)
{
	GString *text = g_string_new(NULL);

	for (unsigned i = 0; i < map->bindings->len; i++) {
		const struct binding *binding = &g_array_index(map->bindings, struct binding, i);
		char *name;

		if (binding->command != command)
			continue;
		name = term_key_name(binding->key);
		g_string_append_printf(text, "%s%s", text->len ? separator : "", name);
		g_free(name);
	}
	return g_string_free(text, FALSE);
}

char *ui_keymap_first(const struct ui_keymap *map, enum ui_command command)
{
	for (unsigned i = 0; i < map->bindings->len; i++)
		if (g_array_index(map->bindings, struct binding, i).command == command)
			return term_key_name(g_array_index(map->bindings, struct binding, i).key);
	return g_strdup("");
}
