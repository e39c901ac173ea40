/* SPDX-License-Identifier: MIT */
/*
 * The key map: pairs of key and command in the order in which the files name
 * them, so that help shows the key that stands first.  There are a hundred at
 * most, looked up once for each key pressed; a list is enough.
 */
#include "ui/core/ui_keymap.h"

#include "base/base_error.h"
#include "ui/core/ui_builtin.h"
#include "ui/core/ui_files.h"
#include "ui/term/term_key.h"

#include <string.h>

struct binding {
	uint32_t key;
	enum ui_command command; /* UI_CMD_NONE: the key was taken away */
	unsigned line;           /* of the user's file; 0: built in */
};

struct ui_keymap {
	GArray *bindings;     /* of struct binding */
	char *lost[UI_CMD_N]; /* owned: how a built-in key of the command became another's; NULL */
};

/* The key of TAKER, which stands in WHERE, was that of LOSER as built in. */
static void note_loss(struct ui_keymap *map, const struct binding *loser, const struct binding *taker,
	const char *where)
{
	g_autofree char *key = term_key_name(taker->key);

	g_free(map->lost[loser->command]);
	map->lost[loser->command] = g_strdup_printf("%s: %s is now %s, and %s has no key", where, key,
		ui_command_info(taker->command)->name, ui_command_info(loser->command)->name);
}

/* Take the key of TAKER from the command that has it. */
static void unbind(struct ui_keymap *map, const struct binding *taker, const char *where)
{
	for (unsigned i = map->bindings->len; i-- > 0;) {
		const struct binding *b = &g_array_index(map->bindings, struct binding, i);

		if (b->key != taker->key)
			continue;
		if (taker->line && taker->command && b->command)
			note_loss(map, b, taker, where);
		g_array_remove_index(map->bindings, i);
	}
}

/* A file that names a command sets all keys of it anew. */
static void unbind_command(struct ui_keymap *map, enum ui_command command)
{
	for (unsigned i = map->bindings->len; i-- > 0;)
		if (g_array_index(map->bindings, struct binding, i).command == command)
			g_array_remove_index(map->bindings, i);
	g_clear_pointer(&map->lost[command], g_free);
}

/* Is KEY, or COMMAND, in the user's file already? */
static bool is_twice(const struct ui_keymap *map, const char *where, const char *name, uint32_t key,
	enum ui_command command, GError **error)
{
	for (unsigned i = 0; i < map->bindings->len; i++) {
		const struct binding *b = &g_array_index(map->bindings, struct binding, i);

		if (b->line && (command ? b->command == command : b->key == key)) {
			g_set_error(error, BASE_ERROR, BASE_ERROR_USAGE, "%s: %s has %s in line %u already",
				where, name, command ? "its keys" : "its command", b->line);
			return true;
		}
	}
	return false;
}

/* WORDS: a command and its keys. */
static bool keymap_add_line(struct ui_keymap *map, char **words, const char *where, unsigned line,
	GError **error)
{
	struct binding binding = { 0, UI_CMD_NONE, line };

	if (strcmp(words[0], "none") != 0 && !ui_command_find(words[0], &binding.command))
		return base_error_false(error, BASE_ERROR_USAGE, "%s: no such command: %s", where, words[0]);
	if (binding.command && is_twice(map, where, words[0], 0, binding.command, error))
		return false;
	if (binding.command)
		unbind_command(map, binding.command);
	for (unsigned i = 1; words[i]; i++) {
		if (!term_key_parse(words[i], &binding.key))
			return base_error_false(error, BASE_ERROR_USAGE, "%s: no such key: %s", where,
				words[i]);
		if (is_twice(map, where, words[i], binding.key, UI_CMD_NONE, error))
			return false;
		unbind(map, &binding, where);
		g_array_append_val(map->bindings, binding);
	}
	return true;
}

bool ui_keymap_add(struct ui_keymap *map, const char *text, const char *file, unsigned line, GError **error)
{
	g_autofree char *copy = g_strdup(text), *where = g_strdup_printf("%s:%u", file, line);
	g_autofree char **words = ui_files_words(copy);

	return !words[0] || words[0][0] == '#' || keymap_add_line(map, words, where, line, error);
}

struct ui_keymap *ui_keymap_new(void)
{
	struct ui_keymap *map = g_new0(struct ui_keymap, 1);
	g_auto(GStrv) lines = g_strsplit(ui_builtin_keys->text, "\n", -1); /* there is one file of keys */
	GError *error = NULL;

	map->bindings = g_array_new(FALSE, FALSE, sizeof(struct binding));
	for (unsigned i = 0; lines[i]; i++)
		if (!ui_keymap_add(map, lines[i], "default.keys", 0, &error))
			g_error("%s", error->message);
	return map;
}

void ui_keymap_free(struct ui_keymap *map)
{
	if (!map)
		return;
	g_array_unref(map->bindings);
	for (unsigned i = 0; i < UI_CMD_N; i++)
		g_free(map->lost[i]);
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
		g_autofree char *name = NULL;

		if (binding->command != command)
			continue;
		name = term_key_name(binding->key);
		g_string_append_printf(text, "%s%s", text->len ? separator : "", name);
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

const char *ui_keymap_lost(const struct ui_keymap *map, enum ui_command command)
{
	for (unsigned i = 0; i < map->bindings->len; i++)
		if (g_array_index(map->bindings, struct binding, i).command == command)
			return NULL;
	return map->lost[command];
}
