/* SPDX-License-Identifier: MIT */
/* Commands, and the key map: pairs of key and command, in the order of the files, so that help shows the
 * first key of a command.  There are about a hundred, with one lookup per pressed key, so a list is
 * enough. */
#include "ui/core/ui_command.h"

#include "base/base_error.h"
#include "ui/core/ui_config.h"
#include "ui/term/term_key.h"

#include <string.h>

static const struct ui_command_info commands[UI_CMD_N] = {
#define UI_COMMAND_ROW(id, name, group, help) [UI_CMD_##id] = { name, group, help },
	UI_COMMANDS(UI_COMMAND_ROW)
#undef UI_COMMAND_ROW
};

const struct ui_command_info *ui_command_info(enum ui_command command)
{
	g_assert(command > UI_CMD_NONE && command < UI_CMD_N);
	return &commands[command];
}

bool ui_command_find(const char *name, enum ui_command *command)
{
	for (unsigned i = UI_CMD_NONE + 1; i < UI_CMD_N; i++) {
		if (!strcmp(commands[i].name, name)) {
			*command = i;
			return true;
		}
	}
	return false;
}

/* ---- words of other tools ---- */

#define OF_KIND(word, kind)              \
	{                                \
		word, "kind " kind, NULL \
	}
#define LIKE(word, command)         \
	{                           \
		word, command, NULL \
	}

/* In the order of the commands of UI_COMMANDS. */
const struct ui_alias ui_aliases[] = { LIKE("scroll", "pan-right"), LIKE("time", "goto"),
	LIKE("seek", "goto"), LIKE("reset", "zoom-fit"), LIKE("grep", "search"), LIKE("lane", "rows"),
	LIKE("hide", "filter"), LIKE("save", "export"), LIKE("write", "export"), LIKE("trim", "cut"),
	LIKE("report", "overview"), LIKE("critical-path", "path"), LIKE("histogram", "latency"),
	OF_KIND("cpu", "wait-cpu"), OF_KIND("schedule", "wait-cpu"), OF_KIND("runqueue", "wait-cpu"),
	OF_KIND("preempt", "preempted"), OF_KIND("off-cpu", "off-cpu"), OF_KIND("sleep", "blocked"),
	OF_KIND("disk", "block"), OF_KIND("io", "block"), OF_KIND("irq", "irq"), OF_KIND("interrupt", "irq"),
	OF_KIND("softirq", "softirq"), OF_KIND("timer", "timer"), OF_KIND("syscall", "syscall"),
	OF_KIND("lock", "futex"), OF_KIND("futex", "futex"), OF_KIND("network", "network"),
	LIKE("waits", "causes"), LIKE("throttled", "causes"), LIKE("quota", "causes"), LIKE("watch", "hits"),
	LIKE("flame", "stacks"), LIKE("backtrace", "stacks"), LIKE("vm", "machines"), LIKE("kvm", "machines"),
	LIKE("guest", "machines"), LIKE("rpc", "requests"), LIKE("barrier", "spans"), LIKE("marks", "spans"),
	LIKE("phase", "spans"), LIKE("usdt", "spans"), LIKE("ust", "spans"), LIKE("diff", "compare"),
	LIKE("blame", "account"), LIKE("query", "sql"), LIKE("errors", "warnings"), LIKE("notes", "warnings"),
	LIKE("run", "help"), LIKE("man", "help"), LIKE("color", "theme"), LIKE("colour", "theme"),
	LIKE("exit", "quit"), LIKE("q", "quit"), LIKE("x", "quit"), LIKE("wq", "quit"),
	{ "config", NULL, "\"wakepath --print-config\" prints it, the file is ~/.config/wakepath/config" },
	{ "record", NULL, "\"wakepath record\" records, in a shell" }, { NULL, NULL, NULL } };

const struct ui_alias *ui_alias_find(const char *word)
{
	for (const struct ui_alias *a = ui_aliases; a->word; a++)
		if (!strcmp(a->word, word))
			return a;
	return NULL;
}

char *ui_alias_words(enum ui_command command)
{
	const char *name = ui_command_info(command)->name;
	GString *words = g_string_new(NULL);

	for (const struct ui_alias *a = ui_aliases; a->word; a++)
		if (a->line && g_str_has_prefix(a->line, name) &&
			strchr(" ", a->line[strlen(name)])) /* a blank, or the end */
			g_string_append_printf(words, "%s%s", words->len ? " " : "", a->word);
	return g_string_free(words, FALSE);
}

/* ---- keys ---- */

struct binding {
	uint32_t key;
	enum ui_command command; /* UI_CMD_NONE: the key was unbound */
	unsigned line;           /* of the user's file; 0: built in */
};

struct ui_keymap {
	GArray *bindings; /* of struct binding */
	char *lost
		[UI_CMD_N]; /* owned: how the command lost a built-in key to another one; NULL: it did not */
};

/* Unbind the key of TAKER, a binding of line WHERE, from its present command. */
static void unbind(struct ui_keymap *map, const struct binding *taker, const char *where)
{
	g_autofree char *key = term_key_name(taker->key);

	for (unsigned i = map->bindings->len; i-- > 0;) {
		enum ui_command loser = g_array_index(map->bindings, struct binding, i).command;

		if (g_array_index(map->bindings, struct binding, i).key != taker->key)
			continue;
		if (taker->line && taker->command && loser) {
			g_free(map->lost[loser]);
			map->lost[loser] = g_strdup_printf("%s: %s is now %s, and %s has no key", where, key,
				ui_command_info(taker->command)->name, ui_command_info(loser)->name);
		}
		g_array_remove_index(map->bindings, i);
	}
}

/* True with an error if the user's file already has a line for COMMAND; COMMAND NONE: if it already has
 * KEY. */
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
	if (binding.command) { /* the line replaces all keys of the command */
		for (unsigned i = map->bindings->len; i-- > 0;)
			if (g_array_index(map->bindings, struct binding, i).command == binding.command)
				g_array_remove_index(map->bindings, i);
		g_clear_pointer(&map->lost[binding.command], g_free);
	}
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
