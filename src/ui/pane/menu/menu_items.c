/* SPDX-License-Identifier: MIT */
#include "ui/pane/menu/menu.h"

#include <string.h>

/* What somebody wants to know, and the commands that answer it: the worst comes first, Enter explains it. */
static const struct question {
	const char *name, *help, *lines[MENU_LINES];
} questions[] = {
	{ "what is in this trace", "what was recorded, where the time went", { "zoom-fit", "overview on" } },
	{ "slow request", "who asked whom over the net, the longest first", { "requests on" } },
	{ "slow wake-up", "woken, but not running for long", { "kind wakeup", "scope all", "sort length" } },
	{ "slow disk", "the requests that disks took longest for",
		{ "kind block", "scope all", "sort length" } },
	{ "slow write", "writes and fsync, as long as they waited for a disk",
		{ "kind blocked", "scope all", "sort length", "pick disk write flush" } },
	{ "network", "the packets that were longest under way",
		{ "kind network", "scope all", "sort length" } },
	{ "locks", "the longest waits for futexes", { "kind futex", "scope all", "sort length" } },
	{ "who stole my CPU", "ready to run, while others had the CPU",
		{ "kind wait-cpu", "scope all", "sort length" } },
	{ "what was waited for", "causes of all waits, the largest sum first", { "causes on" } },
	{ "why are the slow ones slow", "what slow requests have that fast ones have not",
		{ "zoom-fit", "compare requests" } },
	{ "virtual machines", "what their hosts took from them", { "machines on" } },
};

GArray *menu_items_questions(void)
{
	GArray *items = g_array_new(FALSE, FALSE, sizeof(struct menu_item));

	for (unsigned i = 0; i < G_N_ELEMENTS(questions); i++) {
		struct menu_item item = { UI_CMD_NONE, questions[i].name, questions[i].help, "", false,
			questions[i].lines };

		g_array_append_val(items, item);
	}
	return items;
}

/* Unless it is there; OWN is what the pane with the focus calls it, NULL: it is not one of its own. */
static void add_command(GArray *items, bool *listed, enum ui_command command, const char *own)
{
	const struct ui_command_info *info = ui_command_info(command);
	struct menu_item item = { command, info->name, info->help, own ? own : info->group, own, NULL };

	if (listed[command])
		return;
	listed[command] = true;
	g_array_append_val(items, item);
}

GArray *menu_items_commands(const struct ui_shell *shell)
{
	const struct ui_hint *hint = shell->focus ? shell->focus->ops->hints : NULL;
	GArray *items = g_array_new(FALSE, FALSE, sizeof(struct menu_item));
	bool listed[UI_CMD_N] = { false };

	for (; hint && hint->command; hint++)
		add_command(items, listed, hint->command, hint->text);
	for (unsigned i = UI_CMD_NONE + 1; i < UI_CMD_N; i++)
		add_command(items, listed, i, NULL);
	return items;
}

/* ---- what was typed ---- */

enum rank { KEY, BEGINNING, WORDS, RANKS };

static bool has_words(const struct menu_item *item, char **words)
{
	g_autofree char *text = g_strjoin(" ", item->name, item->help, item->aside, NULL);
	g_autofree char *folded = g_utf8_casefold(text, -1);

	for (; *words; words++)
		if (!strstr(folded, *words))
			return false;
	return true;
}

/* How well ITEM fits; RANKS: it does not. */
static enum rank rank(const struct ui_shell *shell, const struct menu_item *item, const char *typed,
	char **words)
{
	g_autofree char *key = item->command ? ui_keymap_first(shell->keys, item->command) : NULL;

	if (key && *typed && !strcmp(key, typed))
		return KEY;
	if (*typed && g_str_has_prefix(item->name, typed))
		return BEGINNING;
	return has_words(item, words) ? WORDS : RANKS;
}

GArray *menu_items_find(const struct ui_shell *shell, const GArray *items, const char *typed)
{
	GArray *found = g_array_new(FALSE, FALSE, sizeof(guint));
	g_autofree char *folded = g_utf8_casefold(typed, -1);
	g_auto(GStrv) words = g_strsplit(folded, " ", -1);

	for (enum rank wanted = KEY; wanted < RANKS; wanted++)
		for (guint i = 0; i < items->len; i++)
			if (rank(shell, &g_array_index(items, struct menu_item, i), typed, words) == wanted)
				g_array_append_val(found, i);
	return found;
}
