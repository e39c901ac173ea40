/* SPDX-License-Identifier: MIT */
/* Keys, the configuration, themes, and docs/keys.md, which must agree with them. */
#include "base/base_error.h"
#include "ui/core/ui_config.h"
#include "ui/core/ui_line.h"
#include "ui/core/ui_theme.h"
#include "ui/term/term_key.h"

#include <glib/gstdio.h>
#include <string.h>

static char *write_file(const char *name, const char *text)
{
	char *path = g_build_filename(g_get_tmp_dir(), name, NULL);

	g_assert_true(g_file_set_contents(path, text, -1, NULL));
	return path;
}

static void test_names(void)
{
	static const char *const names[] = { "j", "J", "Space", "Tab", "S-Tab", "C-d", "M-x", "C-M-x",
		"Enter", "F1", "F12", "PgUp", "-", "é" };
	static const char *const wrong[] = { "", "jj", "F13", "F0", "C-", "X-a", "S-a", "Wheel", " " };
	uint32_t key;

	for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
		char *back;

		g_assert_true(term_key_parse(names[i], &key));
		back = term_key_name(key);
		g_assert_cmpstr(back, ==, names[i]);
		g_free(back);
	}
	for (gsize i = 0; i < G_N_ELEMENTS(wrong); i++)
		g_assert_false(term_key_parse(wrong[i], &key));
	g_assert_true(term_key_parse("C-A", &key));
	g_assert_cmpuint(key, ==, (TERM_KEY_CTRL | 'a'));
	g_assert_true(term_key_parse("Hash", &key));
	g_assert_cmpuint(key, ==, '#');
}

/* Every command has a key, and no key two commands. */
static void test_builtin(void)
{
	struct ui_keymap *map = ui_keymap_new();

	for (unsigned i = UI_CMD_NONE + 1; i < UI_CMD_N; i++) {
		char *name = ui_keymap_first(map, i);
		uint32_t key;

		if (!*name)
			g_error("no key for %s", ui_command_info(i)->name);
		g_assert_cmpuint(strlen(ui_command_info(i)->help), <=, 26); /* two columns of help in 80 */
		g_assert_true(term_key_parse(name, &key));
		g_assert_cmpuint(ui_keymap_command(map, key), ==, i);
		g_free(name);
	}
	ui_keymap_free(map);
}

static void test_own(void)
{
	char *path = write_file("own.config",
		"# mine\n[start]\ntheme light\n#1 is an event\n\tarrows off\n1.5s\n[keys]\nquit Q # F10 is gone\nnone j\n"
		"\tgoto  C-g \t\n");
	struct ui_config *config = ui_config_new(path, NULL, NULL);
	const struct ui_keymap *map;

	g_assert_nonnull(config);
	map = config->keys;
	g_assert_cmpuint(ui_keymap_command(map, 'Q'), ==, UI_CMD_QUIT);
	g_assert_cmpuint(ui_keymap_command(map, TERM_KEY_F1 + 9), ==, UI_CMD_NONE);
	g_assert_cmpuint(ui_keymap_command(map, 'j'), ==, UI_CMD_NONE);
	g_assert_cmpuint(ui_keymap_command(map, TERM_KEY_DOWN), ==, UI_CMD_ROW_DOWN);
	g_assert_cmpuint(ui_keymap_command(map, TERM_KEY_CTRL | 'g'), ==, UI_CMD_GOTO);
	g_assert_cmpstr(config->theme, ==, "light");
	g_assert_cmpuint(config->start->len, ==, 3);
	ui_config_free(config);
	g_free(path);
}

/* The printed configuration is read back unchanged. */
static void test_printed(void)
{
	char *path = write_file("first.config",
		"[start]\ntheme mono\ngrow 6\n[keys]\nquit Hash C-q\nnone F1 F10\n");
	struct ui_config *config = ui_config_new(path, NULL, NULL), *other;
	char *text, *again, *back;

	g_assert_nonnull(config);
	text = ui_config_text(config);
	again = write_file("second.config", text);
	other = ui_config_new(again, NULL, NULL);
	g_assert_nonnull(other);
	back = ui_config_text(other);
	g_assert_cmpstr(text, ==, back);
	g_assert_cmpuint(ui_keymap_command(other->keys, '#'), ==, UI_CMD_QUIT);
	g_assert_cmpuint(ui_keymap_command(other->keys, TERM_KEY_F1), ==, UI_CMD_NONE);
	g_assert_cmpuint(ui_keymap_command(other->keys, '?'), ==, UI_CMD_HELP);
	g_assert_cmpstr(other->theme, ==, "mono");
	g_assert_nonnull(strstr(text, "\ngrow 6\n"));
	ui_config_free(config);
	ui_config_free(other);
	g_free(path);
	g_free(again);
	g_free(text);
	g_free(back);
}

static void assert_refused(const char *text, const char *where, const char *what)
{
	char *path = write_file("bad.config", text);
	GError *error = NULL;

	g_assert_null(ui_config_new(path, NULL, &error));
	g_assert_error(error, BASE_ERROR, BASE_ERROR_USAGE);
	g_assert_nonnull(strstr(error->message, where));
	g_assert_nonnull(strstr(error->message, what));
	g_error_free(error);
	g_free(path);
}

static void test_refused(void)
{
	GError *error = NULL;

	assert_refused("[keys]\nquit q\nfly x\n", "bad.config:3:", "fly");
	assert_refused("[keys]\nquit Q9\n", "bad.config:2:", "Q9");
	assert_refused("[keys]\nquit x\n\nsearch x\n",
		"bad.config:4:", "x has its command in line 2 already");
	assert_refused("[keys]\nquit x\nnone x\n", "bad.config:3:", "x has its command in line 2 already");
	assert_refused("[keys]\nquit x x\n", "bad.config:2:", "already");
	assert_refused("[keys]\nquit x\nquit y\n", "bad.config:3:", "quit has its keys in line 2 already");
	assert_refused("[start]\ntheme lihgt\n", "bad.config:2:", "lihgt");
	assert_refused("[start]\nzom-in\n", "bad.config:2:", "zoom-in");
	assert_refused("[colours]\n", "bad.config:1:", "[colours]");
	assert_refused("quit x\n", "bad.config:1:", "[keys]");
	assert_refused("[start]\n\xff\n", "bad.config", "UTF-8");
	g_assert_null(ui_config_new("/no/such/config", NULL, &error));
	g_assert_error(error, BASE_ERROR, BASE_ERROR_USAGE);
	g_error_free(error);
}

/* "`k` `Up`"; a bar would begin the next cell of the table. */
static void append_keys(GString *out, const struct ui_keymap *map, enum ui_command command)
{
	char *keys = ui_keymap_keys(map, command, "` `");
	GString *cell = g_string_new(keys);

	g_string_replace(cell, "|", "\\|", 0);
	if (cell->len > 0)
		g_string_append_printf(out, "`%s`", cell->str);
	g_string_free(cell, TRUE);
	g_free(keys);
}

/* docs/keys.md, made of the table of commands and MAP.  The caller frees. */
static char *manual(const struct ui_keymap *map)
{
	GString *out = g_string_new(
		"# Keys\n\n"
		"All keys and commands. `?` lists them in the explorer; `:NAME` runs a command without a key.\n"
		"`[keys]` in `~/.config/wakepath/config` changes keys; `wakepath --print-config` prints all of them.\n\n"
		"`make screens` writes this page from `src/ui/core/ui_command.h` and `src/ui/core/default.keys`.\n");
	const char *group = "";

	for (unsigned i = UI_CMD_NONE + 1; i < UI_CMD_N; i++) {
		const struct ui_command_info *info = ui_command_info(i);

		if (strcmp(group, info->group))
			g_string_append_printf(out,
				"\n## %s\n\n| key | command | what it does |\n|---|---|---|\n", info->group);
		group = info->group;
		g_string_append(out, "| ");
		append_keys(out, map, i);
		g_string_append_printf(out, " | %s | %s |\n", info->name, info->help);
	}
	g_string_append(out,
		"\n## Other words\n\nWords of other tools that `:` understands, also with the text of the command "
		"(`:save list.csv`). `?` finds them, too.\n\n| word | does |\n|---|---|\n");
	for (const struct ui_alias *a = ui_aliases; a->word; a++)
		g_string_append_printf(out, a->line ? "| `:%s` | `:%s` |\n" : "| `:%s` | says: %s |\n",
			a->word, a->line ? a->line : a->said);
	return g_string_free(out, FALSE);
}

/* An alias is neither a command nor a second alias, and names a command. */
static void test_aliases(void)
{
	for (const struct ui_alias *a = ui_aliases; a->word; a++) {
		g_autofree char *text = NULL, *others = NULL;
		enum ui_command command;

		g_assert_false(ui_command_find(a->word, &command));
		g_assert_true(ui_alias_find(a->word) == a);
		g_assert_true(ui_line_parse(a->word, &command, &text, NULL) == !!a->line);
		if (!a->line)
			continue;
		others = ui_alias_words(command);
		g_assert_nonnull(strstr(others, a->word));
	}
}

static void test_alias(const char *line, const char *name, const char *wanted)
{
	g_autofree char *text = NULL;
	enum ui_command command;

	g_assert_true(ui_line_parse(line, &command, &text, NULL));
	g_assert_cmpstr(ui_command_info(command)->name, ==, name);
	g_assert_cmpstr(text, ==, wanted);
}

static void test_alias_texts(void)
{
	GError *error = NULL;
	enum ui_command command;
	char *text;

	test_alias("q", "quit", NULL);
	test_alias("cpu", "kind", "wait-cpu");
	test_alias("save list.csv", "export", "list.csv");
	test_alias("blame", "account", NULL);
	g_assert_false(ui_line_parse("config", &command, &text, &error));
	g_assert_nonnull(strstr(error->message, "--print-config"));
	g_clear_error(&error);
	g_assert_false(ui_line_parse("zom-in", &command, &text, &error));
	g_assert_nonnull(strstr(error->message, "no such command; the nearest: zoom-in, "));
	g_clear_error(&error);
}

static void test_manual(void)
{
	struct ui_keymap *map = ui_keymap_new();
	char *page = manual(map),
	     *path = g_build_filename(g_getenv("TOP") ? g_getenv("TOP") : ".", "docs", "keys.md", NULL);
	char *stored = NULL;

	if (g_getenv("REWRITE_SCREENS"))
		g_assert_true(g_file_set_contents(path, page, -1, NULL));
	g_assert_true(g_file_get_contents(path, &stored, NULL, NULL));
	if (strcmp(stored, page))
		g_error("docs/keys.md is stale: make screens writes it anew");
	g_free(stored);
	g_free(path);
	g_free(page);
	ui_keymap_free(map);
}

/* ---- themes ---- */

static void test_colours(void)
{
	struct term_colour colour;

	g_assert_true(term_colour_parse("#ff0000", &colour));
	g_assert_cmpint(colour.rgb, ==, 0xff0000);
	g_assert_cmpint(colour.index256, ==, 196);
	g_assert_cmpint(colour.index8, ==, 1);
	g_assert_true(term_colour_parse("#808080/-", &colour));
	g_assert_cmpint(colour.index256, ==, 244);
	g_assert_cmpint(colour.index8, ==, -1);
	g_assert_true(term_colour_parse("bright-blue", &colour));
	g_assert_cmpint(colour.index256, ==, 12);
	g_assert_cmpint(colour.index8, ==, 4);
	g_assert_true(term_colour_parse("-", &colour));
	g_assert_cmpint(colour.rgb, ==, -1);
	g_assert_false(term_colour_parse("256", &colour));
	g_assert_false(term_colour_parse("#12345", &colour));
	g_assert_false(term_colour_parse("#12345g", &colour));
	g_assert_false(term_colour_parse("pink", &colour));
	g_assert_false(term_colour_parse("red/pink", &colour));
}

static void test_themes(void)
{
	const char *const *names = ui_theme_names();

	g_assert_true(g_strv_contains(names, "dark") && g_strv_contains(names, "light"));
	g_assert_true(g_strv_contains(names, "high-contrast") && g_strv_contains(names, "mono"));
	for (unsigned i = 0; names[i]; i++) {
		struct ui_theme *theme = ui_theme_new(names[i], 256, NULL);

		g_assert_nonnull(theme);
		for (unsigned role = 0; role < TERM_ROLE_N; role++)
			if (!strcmp(names[i], "mono"))
				g_assert_true(theme->styles[role].fg.index256 == -1 &&
					theme->styles[role].bg.index256 == -1);
		ui_theme_free(theme);
	}
}

static void assert_theme(const char *name, unsigned colours, const char *expected)
{
	struct ui_theme *theme = ui_theme_new(name, colours, NULL);

	g_assert_nonnull(theme);
	g_assert_cmpstr(theme->name, ==, expected);
	ui_theme_free(theme);
}

static void test_fitting(void)
{
	g_unsetenv("NO_COLOR");
	g_unsetenv("COLORFGBG");
	assert_theme(NULL, 256, "dark");
	assert_theme(NULL, 0, "mono");
	g_setenv("COLORFGBG", "0;15", TRUE);
	assert_theme(NULL, 256, "light");
	g_setenv("NO_COLOR", "1", TRUE);
	assert_theme(NULL, 256, "mono");
	assert_theme("light", 256, "light");
	g_unsetenv("NO_COLOR");
	g_unsetenv("COLORFGBG");
}

/* No role falls back to itself through others. */
static void test_fallbacks(void)
{
	for (unsigned role = 0; role < TERM_ROLE_N; role++) {
		enum term_role as = role;

		for (unsigned i = 0; i < TERM_ROLE_N && as != term_role_as(as); i++)
			as = term_role_as(as);
		g_assert_cmpuint(as, ==, term_role_as(as));
	}
}

static void test_theme_file(void)
{
	char *path = write_file("own.theme",
		"# mine\nstate red -\nstate.blocked #010203 blue bold # and more\n");
	struct ui_theme *theme = ui_theme_new(path, 256, NULL);
	GError *error = NULL;

	g_assert_nonnull(theme);
	g_assert_cmpint(theme->styles[TERM_ROLE_STATE_NEW].fg.index256, ==, 1);
	g_assert_cmpint(theme->styles[TERM_ROLE_STATE_BLOCKED].fg.rgb, ==, 0x010203);
	g_assert_cmpint(theme->styles[TERM_ROLE_STATE_BLOCKED].bg.index256, ==, 4);
	g_assert_cmpuint(theme->styles[TERM_ROLE_STATE_BLOCKED].attrs, ==, TERM_BOLD);
	g_assert_cmpint(theme->styles[TERM_ROLE_TEXT].fg.index256, ==, -1);
	/* not named: like the role it falls back to, or the terminal's own */
	g_assert_cmpint(theme->styles[TERM_ROLE_PATH_BLOCKED].fg.rgb, ==, 0x010203);
	g_assert_cmpuint(theme->styles[TERM_ROLE_PATH_BLOCKED].attrs, ==, TERM_BOLD);
	g_assert_cmpint(theme->styles[TERM_ROLE_PATH_NETWORK].fg.index256, ==, 1);
	g_assert_cmpint(theme->styles[TERM_ROLE_KEY].fg.index256, ==, -1);
	ui_theme_free(theme);
	g_free(path);
	path = write_file("bad.theme", "text - -\nstate.sleepy red -\n");
	g_assert_null(ui_theme_new(path, 256, &error));
	g_assert_nonnull(strstr(error->message, "bad.theme:2: no such role: state.sleepy"));
	g_error_free(error);
	g_free(path);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/keys/names", test_names);
	g_test_add_func("/keys/builtin", test_builtin);
	g_test_add_func("/keys/own", test_own);
	g_test_add_func("/keys/printed", test_printed);
	g_test_add_func("/keys/refused", test_refused);
	g_test_add_func("/keys/aliases", test_aliases);
	g_test_add_func("/keys/alias-texts", test_alias_texts);
	g_test_add_func("/keys/manual", test_manual);
	g_test_add_func("/themes/colours", test_colours);
	g_test_add_func("/themes/all", test_themes);
	g_test_add_func("/themes/fitting", test_fitting);
	g_test_add_func("/themes/file", test_theme_file);
	g_test_add_func("/themes/fallbacks", test_fallbacks);
	return g_test_run();
}
