/* SPDX-License-Identifier: MIT */
/* The texts typed after a command: words, numbers, times.  A time without a sign counts from the start, as
 * the screen prints it ("8.500000000 s"); "+" and "-" step from the cursor. */
#include "ui/core/ui_argument.h"

#include "base/base_error.h"
#include "base/base_text.h"
#include "base/base_time.h"
#include "ui/core/ui_fields.h"

#include <string.h>

#define NUMBER_MAX 1000

static const char *const switch_words[] = { "off", "on" }, *const ascii_words[] = { "on", "off", "letters" },
			 *const layout_words[] = { "split", "stack" },
			 *const link_words[] = { "off", "time", "zoom" };

char *ui_argument_take(struct ui_shell *shell)
{
	return g_steal_pointer(&shell->argument);
}

bool ui_argument_is_switch(const struct ui_shell *shell)
{
	return shell->argument && (!strcmp(shell->argument, "on") || !strcmp(shell->argument, "off"));
}

void ui_argument_add(GPtrArray *words, const char *const *names, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		g_ptr_array_add(words, (char *)(uintptr_t)names[i]);
}

static void add_switch(GPtrArray *words)
{
	ui_argument_add(words, ascii_words, 2);
}

/* Add the words of commands that the shell itself runs. */
static void own_words(enum ui_command command, GPtrArray *words)
{
	const struct base_time_way *way = NULL;
	const char *const *themes = ui_theme_names();

	switch (command) {
	case UI_CMD_ARROWS:
	case UI_CMD_MOUSE:
	case UI_CMD_HIDE_TRACER:
	case UI_CMD_HOLD:
	case UI_CMD_SECOND:
	case UI_CMD_MAXIMISE: add_switch(words); break;
	case UI_CMD_ASCII: ui_argument_add(words, ascii_words, G_N_ELEMENTS(ascii_words)); break;
	case UI_CMD_LAYOUT: ui_argument_add(words, layout_words, G_N_ELEMENTS(layout_words)); break;
	case UI_CMD_LINK: ui_argument_add(words, link_words, G_N_ELEMENTS(link_words)); break;
	case UI_CMD_CLOCK:
		do {
			way = base_time_way_next(way);
			ui_argument_add(words, &way->name, 1);
		} while (base_time_way_next(way) != base_time_way_next(NULL));
		break;
	case UI_CMD_THEME:
		for (; *themes; themes++)
			ui_argument_add(words, themes, 1);
		break;
	default: break;
	}
}

/* The field of PANE that COMMAND chooses; NULL: none. */
static const struct ui_field *field_of(const struct ui_pane *pane, enum ui_command command)
{
	for (const struct ui_field *f = pane->ops->fields; f && f->name; f++)
		if (f->command == command)
			return f;
	return NULL;
}

static void add_words_of(struct ui_pane *pane, enum ui_command command, GPtrArray *words)
{
	const struct ui_field *f = pane->shown ? field_of(pane, command) : NULL;

	if (f)
		ui_argument_add(words, f->words, f->n);
	if (pane->ops->words)
		pane->ops->words(pane, command, words);
}

GPtrArray *ui_argument_words(struct ui_shell *shell, enum ui_command command)
{
	GPtrArray *words = g_ptr_array_new();

	if (shell->focus)
		add_words_of(shell->focus, command, words);
	for (unsigned i = 0; !words->len && i < shell->panes->len; i++) {
		struct ui_pane *pane = g_ptr_array_index(shell->panes, i);

		add_words_of(pane, command, words);
		if (pane->ops->show == command && command)
			add_switch(words);
	}
	if (!words->len)
		own_words(command, words);
	return words;
}

void ui_argument_refuse(struct ui_shell *shell, enum ui_command command, const char *text)
{
	g_autoptr(GPtrArray) words = ui_argument_words(shell, command);
	g_autofree char *list = NULL;

	g_ptr_array_add(words, NULL);
	list = g_strjoinv(", ", (char **)words->pdata);
	ui_shell_error(shell, "%s: \"%s\" is not one of: %s", ui_command_info(command)->name, text, list);
}

unsigned ui_argument_of(struct ui_shell *shell, enum ui_command command, const char *const *names, unsigned n,
	unsigned next)
{
	g_autofree char *text = ui_argument_take(shell);

	for (unsigned i = 0; text && i < n; i++)
		if (!strcmp(names[i], text))
			return i;
	if (!text)
		return next;
	ui_argument_refuse(shell, command, text);
	return n;
}

bool ui_argument_turn(struct ui_pane *pane, enum ui_command command)
{
	const struct ui_field *f = field_of(pane, command);
	uint32_t *chosen = (uint32_t *)(void *)((char *)pane + f->at);
	unsigned wanted = ui_argument_of(pane->shell, command, f->words, f->n, (*chosen + 1) % f->n);

	if (wanted < f->n)
		*chosen = wanted;
	return wanted < f->n;
}

bool ui_argument_switch(struct ui_shell *shell, enum ui_command command, bool *on)
{
	unsigned n = G_N_ELEMENTS(switch_words), i = ui_argument_of(shell, command, switch_words, n, !*on);

	*on = i == n ? *on : i == 1;
	return i < n;
}

int ui_argument_number(struct ui_shell *shell, enum ui_command command, int normal)
{
	g_autofree char *text = ui_argument_take(shell);
	guint64 n;

	if (!text)
		return normal;
	if (g_ascii_string_to_unsigned(text, 10, 1, NUMBER_MAX, &n, NULL))
		return (int)n;
	ui_shell_error(shell, "%s: \"%s\" is not a number from 1 to %d", ui_command_info(command)->name, text,
		NUMBER_MAX);
	return 0;
}

/* ---- times ---- */

#define PERCENT_SCALE 1000000000 /* parts of one percent: the resolution */

static bool all_of(const char *text, const char *allowed)
{
	return *text && strspn(text, allowed) == strlen(text);
}

/* A number with a unit, with or without a blank between them.  Without a unit: seconds. */
static bool parse_amount(const char *text, int64_t *ns)
{
	gsize digits = strspn(text, "0123456789.");
	const char *unit = text + digits + strspn(text + digits, " ");
	g_autofree char *typed = g_strdup_printf("%.*s%s", (int)digits, text, *unit ? unit : "s");

	return base_time_parse_duration(typed, ns, NULL);
}

/* "50%" of the experiment. */
static bool parse_share(const struct ui_shell *shell, const char *text, int64_t *time)
{
	gsize digits = strspn(text, "0123456789.");
	/* Parse the percentage as seconds. */
	g_autofree char *number = g_strdup_printf("%.*ss", (int)digits, text);
	int64_t share, span = shell->span_to - shell->span_from;
	bool good = all_of(text + digits, " %") && base_time_parse_duration(number, &share, NULL) &&
		share <= INT64_C(100) * PERCENT_SCALE;

	if (good)
		*time = shell->span_from +
			(int64_t)((__extension__(__int128) span) * share / (INT64_C(100) * PERCENT_SCALE));
	return good;
}

/* Local time without a date: on the cursor's day, else on the first or the last day, if it is inside the
 * experiment then; otherwise on the first day. */
static bool parse_wall(const struct ui_shell *shell, const char *text, int64_t *time)
{
	const int64_t days[] = { shell->view->cursor, shell->span_from, shell->span_to };

	for (unsigned i = 0; i < G_N_ELEMENTS(days); i++)
		if (base_time_parse(text, days[i], shell->span_to, time, NULL) && *time >= shell->span_from &&
			*time < shell->span_to)
			return true;
	return base_time_parse(text, shell->span_from, shell->span_to, time, NULL);
}

/* A whole number without a unit: seconds from the start if that is inside the experiment, otherwise ns since
 * the Epoch. */
static bool parse_whole(const struct ui_shell *shell, const char *text, int64_t *time)
{
	int64_t since;

	if (parse_amount(text, &since) && since <= shell->span_to - shell->span_from) {
		*time = shell->span_from + since;
		return true;
	}
	return base_time_parse(text, shell->span_from, shell->span_to, time, NULL);
}

static bool parse_signed(const struct ui_shell *shell, const char *text, int64_t *time)
{
	int64_t amount;

	if (!parse_amount(text + 1, &amount))
		return false;
	if (*text == '-')
		return !__builtin_sub_overflow(shell->view->cursor, amount, time);
	return !__builtin_add_overflow(shell->view->cursor, amount, time);
}

static bool when_parse(const struct ui_shell *shell, const char *text, int64_t *time)
{
	int64_t amount;

	if (strchr(text, ':'))
		return parse_wall(shell, text, time);
	if (g_str_has_suffix(text, "%"))
		return parse_share(shell, text, time);
	if (*text == '+' || *text == '-')
		return parse_signed(shell, text, time);
	if (all_of(text, "0123456789"))
		return parse_whole(shell, text, time);
	return parse_amount(text, &amount) && !__builtin_add_overflow(shell->span_from, amount, time);
}

bool ui_when_parse(const struct ui_shell *shell, const char *text, int64_t *time, GError **error)
{
	g_autofree char *clean = g_strstrip(base_text_clean(text, -1));
	bool good = when_parse(shell, clean, time);

	if (good)
		*time = base_time_near(*time);
	else
		g_set_error(error, BASE_ERROR, BASE_ERROR_USAGE,
			"\"%s\" is not a time: type 8.5s 50%% 10:03:04.9 #9, or +2ms -2ms from the cursor",
			clean);
	return good;
}
