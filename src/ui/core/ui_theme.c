/* SPDX-License-Identifier: MIT */
/* A theme is read line by line.  Then roles without a line get the look of the role that they fall back to,
 * and "-" becomes the colour of the role "text". */
#include "ui/core/ui_theme.h"

#include "base/base_error.h"
#include "ui/core/ui_config.h"

#include <stdlib.h>
#include <string.h>

static const char *const attr_names[] = { "bold", "dim", "underline", "reverse", "italic" };

static bool parse_attrs(char **words, struct term_style *style, const char **bad)
{
	for (; *words; words++) {
		unsigned i = 0;

		while (i < G_N_ELEMENTS(attr_names) && strcmp(attr_names[i], *words) != 0)
			i++;
		if (i == G_N_ELEMENTS(attr_names)) {
			*bad = *words;
			return false;
		}
		style->attrs |= (uint8_t)(1u << i);
	}
	return true;
}

static void put_style(struct ui_theme *theme, enum term_role role, const struct term_style *style)
{
	theme->styles[role] = *style;
	theme->named[role] = true;
}

/* Give STYLE to the role NAME, and, if NAME is a group such as "state", to all its roles.  False if NAME is
 * neither. */
static bool set_style(struct ui_theme *theme, const char *name, const struct term_style *style)
{
	size_t length = strlen(name);
	enum term_role role;
	bool found = false;

	for (unsigned i = 0; i < TERM_ROLE_N; i++) {
		const char *other = term_role_name(i);

		if (!strncmp(other, name, length) && other[length] == '.' && !term_role_find(name, &role)) {
			put_style(theme, i, style);
			found = true;
		}
	}
	if (term_role_find(name, &role)) {
		put_style(theme, role, style);
		found = true;
	}
	return found;
}

static bool theme_add_line(struct ui_theme *theme, char **words, GError **error)
{
	struct term_style style = { 0 };
	const char *bad = NULL;

	if (!words[1] || !words[2])
		g_set_error(error, BASE_ERROR, BASE_ERROR_USAGE, "expected ROLE FOREGROUND BACKGROUND");
	else if (!term_colour_parse(words[1], &style.fg) || !term_colour_parse(words[2], &style.bg))
		g_set_error(error, BASE_ERROR, BASE_ERROR_USAGE, "no such colour in \"%s %s\"", words[1],
			words[2]);
	else if (!parse_attrs(words + 3, &style, &bad))
		g_set_error(error, BASE_ERROR, BASE_ERROR_USAGE, "no such attribute: %s", bad);
	else if (!set_style(theme, words[0], &style))
		g_set_error(error, BASE_ERROR, BASE_ERROR_USAGE, "no such role: %s", words[0]);
	else
		return true;
	return false;
}

static bool theme_load(struct ui_theme *theme, const char *name, GError **error)
{
	const struct ui_builtin *builtin = ui_builtin_themes;
	g_auto(GStrv) lines = NULL;
	bool good;

	while (builtin->name && !g_str_equal(builtin->name, name))
		builtin++;
	if (!builtin->name && !g_file_test(name, G_FILE_TEST_EXISTS)) {
		g_autofree char *names = g_strjoinv(", ", (char **)ui_theme_names());

		return base_error_false(error, BASE_ERROR_USAGE, "theme %s: neither a file nor one of %s",
			name, names);
	}
	lines = builtin->name ? g_strsplit(builtin->text, "\n", -1) : ui_files_lines("theme", name, error);
	good = lines;
	for (unsigned i = 0; good && lines[i]; i++) {
		g_autofree char **words = ui_files_words(lines[i]);

		good = !words[0] || theme_add_line(theme, words, error);
		if (!good)
			g_prefix_error(error, "theme %s:%u: ", name, i + 1);
	}
	return good;
}

/* The name of the theme that fits.  COLORFGBG, set by some terminals, is "FOREGROUND;BACKGROUND", numbers of
 * the 16 colours. */
static const char *fitting(unsigned colours)
{
	const char *no_color = g_getenv("NO_COLOR"), *hint = g_getenv("COLORFGBG");
	const char *background = hint ? strrchr(hint, ';') : NULL;

	if ((no_color && *no_color) || !colours)
		return "mono";
	if (background && (!strcmp(background, ";7") || !strcmp(background, ";15")))
		return "light";
	return "dark";
}

/* The look of ROLE: its own, or that of the role that it falls back to. */
static const struct term_style *looks(struct ui_theme *theme, enum term_role role)
{
	enum term_role as = term_role_as(role);

	if (!theme->named[role] && as != role)
		put_style(theme, role, looks(theme, as));
	return &theme->styles[role];
}

static void inherit(struct term_colour *colour, const struct term_colour *from)
{
	if (colour->rgb == TERM_COLOUR_DEFAULT)
		colour->rgb = from->rgb;
	if (colour->index256 == TERM_COLOUR_DEFAULT)
		colour->index256 = from->index256;
	if (colour->index8 == TERM_COLOUR_DEFAULT)
		colour->index8 = from->index8;
}

/* The colour that a terminal with COLOURS colours shows. */
static int32_t shown_colour(const struct term_colour *colour, unsigned colours)
{
	if (!colours)
		return TERM_COLOUR_DEFAULT;
	return colours >= 1 << 24 ? colour->rgb : colours >= 256 ? colour->index256 : colour->index8;
}

/* True if the states that only colour can tell apart have different colours.  Running is not among them:
 * few rows have both running and usermode (docs/cells.md).  Nor is throttled: on 8 colours, the themes dark
 * and light give it the colour of an exit of a virtual CPU. */
static bool tells_states(const struct ui_theme *theme, unsigned colours)
{
	static const enum term_role roles[] = { TERM_ROLE_STATE_USERMODE, TERM_ROLE_STATE_SYSCALL,
		TERM_ROLE_STATE_INTERRUPTED, TERM_ROLE_STATE_WAIT_CPU, TERM_ROLE_STATE_PREEMPTED,
		TERM_ROLE_STATE_VCPU_PREEMPTED, TERM_ROLE_STATE_VCPU_EXIT };

	for (unsigned i = 0; i < G_N_ELEMENTS(roles); i++)
		for (unsigned j = 0; j < i; j++)
			if (shown_colour(&theme->styles[roles[i]].fg, colours) ==
				shown_colour(&theme->styles[roles[j]].fg, colours))
				return false;
	return true;
}

/* In a cell with two states, the background has the colour of the state that is not drawn. */
static void mix_states(struct ui_theme *theme)
{
	static const enum term_role of[][2] = {
		{ TERM_ROLE_OVER_PREEMPTED, TERM_ROLE_STATE_PREEMPTED },
		{ TERM_ROLE_OVER_STOLEN, TERM_ROLE_STATE_VCPU_PREEMPTED },
		{ TERM_ROLE_OVER_THROTTLED, TERM_ROLE_STATE_THROTTLED },
		{ TERM_ROLE_OVER_RAN, TERM_ROLE_STATE_RUNNING },
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(of); i++)
		if (!theme->named[of[i][0]])
			theme->styles[of[i][0]].bg = theme->styles[of[i][1]].fg;
}

struct ui_theme *ui_theme_new(const char *name, unsigned colours, GError **error)
{
	struct ui_theme *theme = g_new0(struct ui_theme, 1);
	struct term_style plain = { 0 };

	if (!name)
		name = fitting(colours);
	theme->name = g_strdup(name);
	term_colour_parse("-", &plain.fg);
	plain.bg = plain.fg;
	for (unsigned i = 0; i < TERM_ROLE_N; i++)
		theme->styles[i] = plain;
	if (theme_load(theme, name, error)) {
		for (unsigned i = 0; i < TERM_ROLE_N; i++)
			looks(theme, i);
		/* "-" is the colour of the role "text"; in roles laid over others, the colour below. */
		for (unsigned i = 0; i < TERM_ROLE_N; i++) {
			if (i >= TERM_ROLE_OVER_ROW && i <= TERM_ROLE_OVER_FOUND)
				continue;
			inherit(&theme->styles[i].fg, &theme->styles[TERM_ROLE_TEXT].fg);
			inherit(&theme->styles[i].bg, &theme->styles[TERM_ROLE_TEXT].bg);
		}
		mix_states(theme);
		theme->tells_states = tells_states(theme, colours);
		return theme;
	}
	ui_theme_free(theme);
	return NULL;
}

void ui_theme_free(struct ui_theme *theme)
{
	if (!theme)
		return;
	g_free(theme->name);
	g_free(theme);
}

uint32_t ui_theme_on_paper(const char *name)
{
	static struct ui_theme *light;
	enum term_role role;

	if (!light)
		light = ui_theme_new("light", 1 << 24, NULL);
	return light && term_role_find(name, &role) ? (uint32_t)light->styles[role].fg.rgb : 0;
}

const char *const *ui_theme_names(void)
{
	static GPtrArray *names;

	if (!names) {
		names = g_ptr_array_new();
		for (const struct ui_builtin *b = ui_builtin_themes; b->name; b++)
			g_ptr_array_add(names, (char *)(uintptr_t)b->name);
		g_ptr_array_add(names, NULL);
	}
	return (const char *const *)names->pdata;
}
