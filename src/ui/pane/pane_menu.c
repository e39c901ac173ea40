/* SPDX-License-Identifier: MIT */
/* The menus, over all other panes: the commands of the pane with the focus, and questions for every trace.
 * Typed text searches, Enter does the chosen line. */
#include "ui/pane/pane.h"

#include "analysis/latency/mark.h"
#include "analysis/overview/overview.h"
#include "base/base_near.h"
#include "table/table.h"
#include "ui/core/ui_line.h"
#include "ui/core/ui_prompt.h"
#include "ui/term/term_key.h"
#include "ui/widget/list_view.h"

#include <string.h>

#define KEYS 12 /* columns for the first keys of a command, */
#define NAME 17 /* its name, or that of a question, */
#define QUESTION 23
#define ASIDE 13 /* and what it is called here, or its group, where there is room */
#define HELP 40  /* what it does, at most */
#define WIDE 70
#define SENTENCE 4   /* lines of a sentence */
#define MENU_LINES 5 /* command lines of a question, at most, with the NULL behind */

struct question;

/* A line: a command, or, if UI_CMD_NONE, a question. */
struct menu_item {
	enum ui_command command;
	const char *name, *help;         /* static */
	const char *aside;               /* static: what the command is called here, or its group */
	bool own;                        /* it is one of the pane with the focus */
	const struct question *question; /* NULL: a command */
};

struct menu {
	struct ui_pane pane;
	enum ui_command kind;     /* the command that opened it */
	struct ui_prompt *prompt; /* owned: what is typed */
	GArray *items;            /* of struct menu_item, owned; NULL while it is not shown */
	GArray *found;            /* of guint, owned: places of those in it that fit */
	struct list_view view;
};

/* ---- commands and questions ---- */

#define COMPARE "compare requests"
#define INSIDE "scope both ends"
#define OF(kind) (1u << ANA_KIND_##kind)
#define ANY (~0u)

/* Questions, and the commands that answer them: the worst case comes first, Enter explains it.  PART and KINDS: the
 * sentence that answers it already. */
static const struct question {
	const char *name, *help, *lines[MENU_LINES];
	enum ana_overview_part part;
	unsigned kinds;
} questions[] = {
	{ "slow thread", "where the time of a thread went", { "story on" }, ANA_OVERVIEW_ANSWER, ANY },
	{ "preemption", "threads that pre-empted others",
		{ "zoom-fit", "causes on", "scope user", "filter preempted" }, ANA_OVERVIEW_ANSWER,
		OF(PREEMPTED) },
	{ "trace overview", "what was recorded, where the time went", { "zoom-fit", "overview on" },
		ANA_OVERVIEW_ANSWER, ANY },
	{ "slow requests", "requests over the net, the longest first", { "requests on", INSIDE },
		ANA_OVERVIEW_ANSWER, OF(NETWORK) },
	{ "slow wake-ups", "threads that were runnable for long after a wake-up",
		{ "kind wakeup", "scope all", "sort latency" }, ANA_OVERVIEW_WAKEUP, ANY },
	{ "slow disk requests", "requests that took disks the longest",
		{ "kind block", "scope all", "sort latency" }, ANA_OVERVIEW_DISK, ANY },
	{ "slow writes", "writes and fsync that waited for a disk",
		{ "kind blocked", "scope all", "sort latency", "pick disk write flush" }, ANA_OVERVIEW_ANSWER,
		OF(BLOCK) },
	{ "network", "packets that took longest between two hosts",
		{ "kind network", "scope all", "sort latency" }, ANA_OVERVIEW_REQUEST, ANY },
	{ "locks", "the longest waits for futexes", { "kind futex", "scope all", "sort latency" },
		ANA_OVERVIEW_ANSWER, OF(THREAD) },
	{ "stolen CPU time", "threads that were runnable while others had the CPU",
		{ "kind wait-cpu", "scope all", "sort latency" }, ANA_OVERVIEW_TAKEN, ANY },
	{ "causes of waiting", "all waits by cause, the largest sum first", { "causes on" },
		ANA_OVERVIEW_WAITING, ANY },
	{ "slow against fast", "steps that slow requests have and fast ones do not", { "zoom-fit", COMPARE },
		ANA_OVERVIEW_ANSWER, OF(NETWORK) },
	{ "counters", "values that programs wrote: @ draws them as lines",
		{ "zoom-fit", "sql SELECT ts, name, value, utid FROM counter" }, ANA_OVERVIEW_ANSWER, 0 },
	{ "virtual machines", "time that their hosts took from them", { "machines on" }, ANA_OVERVIEW_VCPU,
		ANY },
};

static GArray *questions_list(void)
{
	GArray *items = g_array_new(FALSE, FALSE, sizeof(struct menu_item));

	for (unsigned i = 0; i < G_N_ELEMENTS(questions); i++) {
		struct menu_item item = { UI_CMD_NONE, questions[i].name, questions[i].help, "", false,
			&questions[i] };

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

/* All commands, those of the pane with the focus first, with what they do there.  Of struct menu_item; the
 * caller unrefs. */
static GArray *commands_of(const struct ui_shell *shell)
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

/* ---- the search ---- */

enum rank { KEY, BEGINNING, WORDS, RANKS };

static bool has_words(const struct menu_item *item, char **words)
{
	g_autofree char *others = item->command ? ui_alias_words(item->command) : g_strdup("");
	g_autofree char *text = g_strjoin(" ", item->name, item->help, item->aside, others, NULL);
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

/* Add the places in ITEMS of those whose names are nearest to what was TYPED. */
static void find_nearest(const GArray *items, const char *typed, GArray *found)
{
	struct base_near near;

	base_near_init(&near, typed, true);
	for (guint i = 0; i < items->len; i++)
		base_near_offer(&near, g_array_index(items, struct menu_item, i).name);
	for (unsigned n = 0; n < near.n; n++)
		for (guint i = 0; i < items->len; i++)
			if (g_array_index(items, struct menu_item, i).name == near.names[n])
				g_array_append_val(found, i);
}

/*
 * The places in ITEMS of those that fit what was TYPED: each of its words stands in name, help, aside or another word
 * for the command.  Before all others the one whose key was typed, then those whose names begin with it.  If none
 * fits, the nearest.  Of guint; the caller unrefs.
 */
static GArray *find_items(const struct ui_shell *shell, const GArray *items, const char *typed)
{
	GArray *found = g_array_new(FALSE, FALSE, sizeof(guint));
	g_autofree char *folded = g_utf8_casefold(typed, -1);
	g_auto(GStrv) words = g_strsplit(folded, " ", -1);

	for (enum rank wanted = KEY; wanted < RANKS; wanted++)
		for (guint i = 0; i < items->len; i++)
			if (rank(shell, &g_array_index(items, struct menu_item, i), typed, words) == wanted)
				g_array_append_val(found, i);
	if (!found->len)
		find_nearest(items, typed, found);
	return found;
}

/* ---- opening ---- */

static void menu_init(struct ui_pane *pane)
{
	((struct menu *)pane)->prompt = ui_prompt_new();
}

static void pane_menu_forget(struct menu *m)
{
	g_clear_pointer(&m->items, g_array_unref);
	g_clear_pointer(&m->found, g_array_unref);
}

static void menu_clear(struct ui_pane *pane)
{
	struct menu *m = (struct menu *)pane;

	pane_menu_forget(m);
	ui_prompt_free(m->prompt);
}

static const struct menu_item *item_at(const struct menu *m, unsigned line)
{
	return &g_array_index(m->items, struct menu_item, g_array_index(m->found, guint, line));
}

static void pane_menu_find(struct menu *m)
{
	g_clear_pointer(&m->found, g_array_unref);
	m->found = find_items(m->pane.shell, m->items, ui_prompt_text(m->prompt));
	m->view.line = m->view.top = 0;
}

static void open_menu(struct menu *m, enum ui_command kind)
{
	pane_menu_forget(m);
	m->kind = kind;
	m->items = kind == UI_CMD_HELP ? commands_of(m->pane.shell) : questions_list();
	ui_prompt_open(m->prompt, ">", NULL);
	pane_menu_find(m);
	ui_shell_show(m->pane.shell, &m->pane, true);
}

/* The trace was opened again: it stays as it is. */
static void menu_carry(struct ui_pane *pane, struct ui_pane *old_pane)
{
	struct menu *m = (struct menu *)pane, *old = (struct menu *)old_pane;
	struct ui_prompt *prompt = m->prompt;

	m->kind = old->kind;
	m->prompt = old->prompt;
	m->items = g_steal_pointer(&old->items);
	m->found = g_steal_pointer(&old->found);
	m->view = old->view;
	old->prompt = prompt;
}

/* It may be shown by others than its command. */
static void menu_changed(struct ui_pane *pane, G_GNUC_UNUSED unsigned changes)
{
	struct menu *m = (struct menu *)pane;

	if (pane->shown && !m->items)
		open_menu(m, UI_CMD_HELP);
}

static void close_menu(struct menu *m)
{
	ui_shell_show(m->pane.shell, &m->pane, false);
	pane_menu_forget(m);
}

/* The first answer of PART that a pane has; see found() of struct ui_pane_ops. */
static char *menu_found(const struct ui_shell *shell, unsigned part, unsigned kinds, uint32_t *row)
{
	char *text = NULL;

	for (unsigned i = 0; !text && i < shell->panes->len; i++) {
		struct ui_pane *pane = ui_pane_nth(shell, i);

		if (pane->ops->found)
			text = pane->ops->found(pane, part, kinds, row);
	}
	return text;
}

/*
 * LINE as the recording allows it.  Requests are compared if packets were recorded, those of the client with the widest
 * spread if one with both ends recorded was found; else spans of programs are.  The list is limited to such requests if
 * there can be any.  The caller frees; NULL: nothing to do.
 */
static char *requests_line(const struct ui_shell *shell, const char *line)
{
	bool compares = g_str_equal(line, COMPARE);
	uint32_t row = UI_NO_ROW;
	g_autofree char *pair = NULL;
	const struct qry_row *r;

	if (!compares && !g_str_equal(line, INSIDE))
		return g_strdup(line);
	if (compares && !table_needs_packets(shell->q, NULL))
		return g_strdup("compare " ANA_PROGRAM_ALL);
	pair = menu_found(shell, ANA_OVERVIEW_ANSWER, OF(NETWORK), &row);
	r = pair && row != UI_NO_ROW ? qry_row(shell->q, row) : NULL;
	if (compares && r)
		return g_strdup_printf("%s:%s/%" G_GINT64_FORMAT, line, qry_host(shell->q, r->host)->name,
			r->nr);
	return compares || r || qry_host_count(shell->q) > 1 ? g_strdup(line) : NULL;
}

/* The answer is on the screen when all commands of the question were done. */
static void pane_menu_ask(struct ui_shell *shell, const char *const *lines)
{
	GError *error = NULL;

	for (; *lines; lines++) {
		g_autofree char *line = requests_line(shell, *lines);

		if (line && !ui_line_do(shell, line, &error)) {
			ui_shell_take_error(shell, error);
			return;
		}
		ui_shell_tell(shell); /* the next one counts on it */
	}
}

static void pane_menu_choose(struct menu *m)
{
	struct ui_shell *shell = m->pane.shell;
	struct menu_item item = *item_at(m, m->view.line);

	close_menu(m);
	if (item.command)
		ui_shell_command(shell, item.command);
	else
		pane_menu_ask(shell, item.question->lines);
}

/* ---- keys ---- */

/* Keys that move in the list; all others are typed. */
static bool pane_menu_move(struct menu *m, uint32_t key)
{
	static const struct {
		uint32_t key;
		enum ui_command command;
	} moves[] = {
		{ TERM_KEY_UP, UI_CMD_ROW_UP },
		{ TERM_KEY_DOWN, UI_CMD_ROW_DOWN },
		{ TERM_KEY_TAB | TERM_KEY_SHIFT, UI_CMD_ROW_UP },
		{ TERM_KEY_TAB, UI_CMD_ROW_DOWN },
		{ TERM_KEY_CTRL | 'p', UI_CMD_ROW_UP },
		{ TERM_KEY_CTRL | 'n', UI_CMD_ROW_DOWN },
		{ TERM_KEY_PGUP, UI_CMD_PAGE_UP },
		{ TERM_KEY_PGDN, UI_CMD_PAGE_DOWN },
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(moves); i++)
		if (moves[i].key == key)
			return list_view_move(&m->view, moves[i].command, m->found->len);
	return false;
}

static bool menu_key(struct ui_pane *pane, uint32_t key)
{
	struct menu *m = (struct menu *)pane;

	if (term_key_is_mouse(key))
		return false;
	if (pane_menu_move(m, key))
		return true;
	if (key >= TERM_KEY_F1 && key <= TERM_KEY_F12 &&
		ui_keymap_command(pane->shell->keys, key) == m->kind) {
		close_menu(m);
		return true;
	}
	switch (ui_prompt_key(m->prompt, key)) {
	case UI_PROMPT_DONE: pane_menu_choose(m); break;
	case UI_PROMPT_DROPPED: close_menu(m); break;
	case UI_PROMPT_CHANGED: pane_menu_find(m); break;
	case UI_PROMPT_MOVED: break;
	}
	return true;
}

static bool menu_command(struct ui_pane *pane, enum ui_command command)
{
	struct menu *m = (struct menu *)pane;

	if (pane->shown) { /* by the wheel */
		list_view_move(&m->view, command, m->found->len);
		return true;
	}
	if (command != UI_CMD_HELP && command != UI_CMD_QUESTIONS)
		return false;
	open_menu(m, command);
	return true;
}

/* A click chooses a line; on the one that is chosen it does it. */
static void menu_point(struct ui_pane *pane, G_GNUC_UNUSED unsigned x, unsigned y)
{
	struct menu *m = (struct menu *)pane;
	unsigned before = m->view.line;

	if (list_view_point(&m->view, y, m->found->len) && m->view.line == before)
		pane_menu_choose(m);
}

/* ---- drawing ---- */

static void pane_menu_draw_line(const struct menu *m, const struct term_area *area, unsigned y,
	const struct menu_item *item)
{
	bool wide = area->w >= WIDE && *item->aside;
	unsigned name = item->command ? KEYS + 1 : 1, help = name + (item->command ? NAME : QUESTION),
		 end = wide ? MIN(area->w - ASIDE - 1, help + HELP) : area->w;
	g_autofree char *keys = item->command ? ui_keymap_keys(m->pane.shell->keys, item->command, " ")
					      : NULL;

	if (keys)
		term_area_fit(area, 1, y, KEYS - 1, TERM_ROLE_KEY, keys);
	term_area_fit(area, name, y, MIN(help - name, area->w) - 1, TERM_ROLE_STRONG, item->name);
	if (help < end)
		term_area_fit(area, help, y, end - help, TERM_ROLE_TEXT, item->help);
	if (wide)
		term_area_fit(area, end + 1, y, ASIDE, item->own ? TERM_ROLE_TITLE : TERM_ROLE_DIM,
			item->aside);
}

/* The sentence that answers the selected question; the caller frees.  NULL: none, or it is not found yet. */
static char *menu_sentence(const struct menu *m)
{
	const struct question *of = m->found->len ? item_at(m, m->view.line)->question : NULL;
	uint32_t row;

	return of ? menu_found(m->pane.shell, of->part, of->kinds, &row) : NULL;
}

static void menu_draw(struct ui_pane *pane, const struct term_area *area)
{
	struct menu *m = (struct menu *)pane;
	g_autofree char *sentence = menu_sentence(m);
	bool has_room = sentence && area->h > 2 * SENTENCE;
	struct term_area list,
		below = term_area_part(area, 1, area->h - MIN(area->h, SENTENCE), area->w - MIN(area->w, 2),
			SENTENCE);

	ui_prompt_draw(m->prompt, area);
	list = list_view_area(&m->view, area, 1, has_room ? SENTENCE + 1 : 0, m->found->len);
	if (has_room)
		term_area_rows(&below, TERM_ROLE_STRONG, sentence);
	for (unsigned i = 0; i < m->view.seen; i++)
		pane_menu_draw_line(m, &list, i, item_at(m, m->view.top + i));
	list_view_mark(&m->view, pane, &list);
}

static void menu_title(struct ui_pane *pane, GString *title)
{
	const struct menu *m = (const struct menu *)pane;

	g_string_append_printf(title, "%s   type to search, Enter runs it, Esc closes",
		m->kind == UI_CMD_HELP ? "Commands, first those of this pane" : "Questions");
}

const struct ui_pane_ops pane_menu = {
	.name = "menu",
	.place = UI_PLACE_OVERLAY,
	.show = UI_CMD_HELP,
	.size = sizeof(struct menu),
	.init = menu_init,
	.clear = menu_clear,
	.carry = menu_carry,
	.changed = menu_changed,
	.key = menu_key,
	.command = menu_command,
	.point = menu_point,
	.title = menu_title,
	.draw = menu_draw,
};
