/* SPDX-License-Identifier: MIT */
/* The menus, over all other panes: the commands of the pane with the focus, and questions for every trace.
 * Typed text searches both, the open menu first; Enter runs the selected line. */
#include "ui/pane/pane.h"

#include "analysis/overview/overview.h"
#include "base/base_near.h"
#include "table/table.h"
#include "ui/core/ui_line.h"
#include "ui/core/ui_prompt.h"
#include "ui/term/term_key.h"
#include "ui/widget/compare_set.h"
#include "ui/widget/list_view.h"
#include "ui/widget/subject.h"

#include <string.h>

#define KEYS 12 /* columns of a command's first keys */
#define NAME 17 /* columns of its name */
#define QUESTION 23
#define ASIDE 13 /* columns of its name in this pane, or its group, if there is room */
#define HELP 40  /* maximum columns of the help text */
#define WIDE 70
#define SENTENCE 4   /* minimum lines of a sentence */
#define MENU_LINES 5 /* maximum command lines of a question, including the NULL at the end */

struct question;

/* A line: a command, or, if UI_CMD_NONE, a question. */
struct menu_item {
	enum ui_command command;
	const char *name, *help;         /* static */
	const char *aside;               /* static: the command's name in this pane, or its group */
	const char *others;              /* static: other words for the question; NULL: a command */
	bool own;                        /* it belongs to the pane with the focus */
	const struct question *question; /* NULL: a command */
};

struct menu {
	struct ui_pane pane;
	enum ui_command kind;     /* the command that opened it */
	struct ui_prompt *prompt; /* owned: the typed text */
	GArray *items;            /* of struct menu_item, owned; NULL while it is not shown */
	GArray *found;            /* of guint, owned: indices into ITEMS of matching or near lines */
	guint own;                /* the first OWN of ITEMS are of KIND; others are only searched */
	bool is_near;             /* nothing matches: FOUND has near lines */
	struct list_view view;
};

/* ---- commands and questions ---- */

#define COMPARE "compare requests"
#define REQUESTS "requests on"
#define INSIDE "scope both ends"
#define OF(kind) ANA_ANSWER_KIND(kind)
#define ANY (~0u)
#define CASES (ANA_ANSWER_REQUESTS | ANA_ANSWER_SPANS)

/*
 * Questions, OTHERS (other words for them), and the commands that answer them: the worst case comes first,
 * Enter explains it.  PART and ABOUT: the overview sentence that already answers it.  WHOSE: if the thread of
 * the question is known, this text around its label takes the place of HELP.
 */
static const struct question {
	const char *name, *help, *others, *lines[MENU_LINES];
	enum ana_overview_part part;
	unsigned about;
	const char *whose[2]; /* before and after the label; NULL: not about a thread */
} questions[] = {
	{ "slow thread", "where the time of a thread went", "why blame account story", { "story on" },
		ANA_OVERVIEW_ANSWER, ANA_ANSWER_THREADS, { "where the time of ", " went" } },
	{ "preemption", "threads that preempted others", "preempt preempted priority culprit real-time",
		{ "zoom-fit", "causes on", "scope user", "filter preempted" }, ANA_OVERVIEW_ANSWER,
		OF(PREEMPTED), { NULL } },
	{ "trace overview", "what was recorded, where the time went", "summary report info",
		{ "zoom-fit", "overview on" }, ANA_OVERVIEW_ANSWER, ANY, { NULL } },
	{ "slow requests", "requests over the net, the longest first", "rpc network", { REQUESTS, INSIDE },
		ANA_OVERVIEW_ANSWER, CASES, { NULL } },
	{ "slow wake-ups", "threads that were runnable for long after a wake-up",
		"wakeup latency late runqueue schedule scheduler",
		{ "kind wakeup", "scope all", "sort latency" }, ANA_OVERVIEW_WAKEUP, ANY, { NULL } },
	{ "slow disk requests", "disk requests that took longest", "block io storage",
		{ "kind block", "scope all", "sort latency" }, ANA_OVERVIEW_DISK, ANY, { NULL } },
	{ "slow writes", "writes and fsync that waited for a disk", "disk io storage file",
		{ "kind blocked", "scope all", "sort latency", "pick disk write flush" }, ANA_OVERVIEW_ANSWER,
		OF(BLOCK), { NULL } },
	{ "network", "packets between two hosts that took longest", "packet tcp udp socket",
		{ "kind network", "scope all", "sort latency" }, ANA_OVERVIEW_REQUEST, ANY, { NULL } },
	{ "locks", "the longest waits for futexes", "lock futex mutex contention holder",
		{ "kind futex", "scope all", "sort latency" }, ANA_OVERVIEW_ANSWER, OF(THREAD), { NULL } },
	{ "waits for a CPU", "threads that were runnable while others had the CPU",
		"runqueue schedule scheduler contention stolen",
		{ "kind wait-cpu", "scope all", "sort latency" }, ANA_OVERVIEW_TAKEN, ANY, { NULL } },
	{ "causes of waiting", "all waits by cause, the largest sum first", "waits blocked sleep",
		{ "causes on" }, ANA_OVERVIEW_WAITING, ANY, { "all waits of ", " by cause" } },
	{ "throttled threads", "threads that a CPU quota stopped", "throttling cgroup cfs bandwidth limit",
		{ "zoom-fit", "causes on", "scope user", "filter throttled" }, ANA_OVERVIEW_ANSWER,
		OF(THROTTLED), { NULL } },
	{ "spans", "phases and requests that programs marked, the longest first",
		"mark marker markers uprobe usdt ust phase region barrier",
		{ "zoom-fit", "spans on", "scope all" }, ANA_OVERVIEW_ANSWER, ANA_ANSWER_SPANS, { NULL } },
	{ "system calls", "the longest system calls", "syscall latency",
		{ "kind syscall", "scope all", "sort latency" }, ANA_OVERVIEW_ANSWER, 0, { NULL } },
	{ "IPIs", "waits until other CPUs took an IPI", "ipi interprocessor tlb shootdown membarrier spin",
		{ "zoom-fit", "causes on", "scope user", "filter ipi-wait" }, ANA_OVERVIEW_ANSWER,
		OF(IPI_WAIT), { NULL } },
	{ "suspend", "waits while the machine was suspended", "suspended freeze resume hibernate gap",
		{ "zoom-fit", "causes on", "scope all", "filter suspend" }, ANA_OVERVIEW_ANSWER, OF(SUSPEND),
		{ NULL } },
	{ "slow against fast", "steps that slow requests have and fast ones do not", "compare diff",
		{ "zoom-fit", COMPARE }, ANA_OVERVIEW_ANSWER, CASES, { NULL } },
	{ "counters", "values that programs wrote: @ draws them as lines", "cycles instructions value",
		{ "zoom-fit", "sql SELECT ts, name, value, utid FROM counter" }, ANA_OVERVIEW_ANSWER, 0,
		{ NULL } },
	{ "virtual machines", "time that hosts took from virtual CPUs", "vm kvm guest vcpu steal",
		{ "machines on" }, ANA_OVERVIEW_VCPU, ANY, { NULL } },
};

static void add_questions(GArray *items)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(questions); i++) {
		struct menu_item item = { .name = questions[i].name,
			.help = questions[i].help,
			.aside = "",
			.others = questions[i].others,
			.question = &questions[i] };

		g_array_append_val(items, item);
	}
}

/* Add COMMAND unless it is listed.  OWN: its name in the pane with the focus; NULL: not a command of that
 * pane. */
static void add_command(GArray *items, bool *listed, enum ui_command command, const char *own)
{
	const struct ui_command_info *info = ui_command_info(command);
	struct menu_item item = { command, info->name, info->help, own ? own : info->group, NULL, own, NULL };

	if (listed[command])
		return;
	listed[command] = true;
	g_array_append_val(items, item);
}

/* Add all commands, those of the pane with the focus first, with their meaning there. */
static void add_commands(const struct ui_shell *shell, GArray *items)
{
	const struct ui_hint *hint = shell->focus ? shell->focus->ops->hints : NULL;
	bool listed[UI_CMD_N] = { false };

	for (; hint && hint->command; hint++)
		add_command(items, listed, hint->command, hint->text);
	for (unsigned i = UI_CMD_NONE + 1; i < UI_CMD_N; i++)
		add_command(items, listed, i, NULL);
}

/* ---- the search ---- */

#define WORDS_END " ,.:;()" /* between words of a text */

/* How a line matches, the best first. */
enum rank {
	KEY,       /* the line of this menu whose key was typed */
	BEGINNING, /* its name begins with the typed text */
	TITLE,     /* each typed word begins a word of its name */
	WORDS,     /* … a word of its help */
	OTHERS,    /* … another word for it */
	PARTS,     /* the typed words are parts of those words */
	RANKS      /* no match */
};

/* True if each of WORDS begins a word of TEXT; PART: if each occurs anywhere in it. */
static bool has_words(const char *text, char **words, bool part)
{
	g_autofree char *folded = g_utf8_casefold(text, -1);

	for (; *words; words++) {
		const char *at = strstr(folded, *words);

		while (at && !part && at > folded && !strchr(WORDS_END "-", at[-1]))
			at = strstr(at + 1, *words);
		if (!at)
			return false;
	}
	return true;
}

/* Other words for ITEM.  The caller frees. */
static char *menu_others(const struct menu_item *item)
{
	return item->command ? ui_alias_words(item->command) : g_strdup(item->others);
}

static enum rank rank(const struct ui_shell *shell, const struct menu_item *item, bool own, const char *typed,
	char **words)
{
	g_autofree char *key = item->command ? ui_keymap_first(shell->keys, item->command) : NULL;
	g_autofree char *others = menu_others(item);
	g_autofree char *said = g_strjoin(" ", item->name, item->help, item->aside, NULL);
	g_autofree char *all = g_strjoin(" ", said, others, NULL);

	if (own && key && *typed && !strcmp(key, typed))
		return KEY;
	if (own && *typed && g_str_has_prefix(item->name, typed))
		return BEGINNING;
	return has_words(item->name, words, false) ? TITLE
		: has_words(said, words, false)    ? WORDS
		: has_words(all, words, false)     ? OTHERS
		: has_words(all, words, true)      ? PARTS
						   : RANKS;
}

/* Add the indices in ITEMS of those nearest to TYPED by name, a word of it, or another word for them. */
static void find_nearest(const GArray *items, const char *typed, GArray *found)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GArray) places = g_array_new(FALSE, FALSE, sizeof(guint)); /* of each name, its index */
	struct base_near near;

	for (guint i = 0; i < items->len; i++) {
		const struct menu_item *item = &g_array_index(items, struct menu_item, i);
		g_autofree char *others = menu_others(item), *text = g_strjoin(" ", item->name, others, NULL);
		g_auto(GStrv) words = g_strsplit_set(text, " ", -1);

		for (char **word = words; *word; word++) {
			g_ptr_array_add(names, g_strdup(*word));
			g_array_append_val(places, i);
		}
	}
	base_near_init(&near, typed, true);
	for (guint i = 0; i < names->len; i++)
		base_near_offer(&near, g_ptr_array_index(names, i));
	for (unsigned n = 0; n < near.n; n++) {
		guint at, known = 0;

		g_ptr_array_find(names, near.names[n], &at);
		at = g_array_index(places, guint, at);
		while (known < found->len && g_array_index(found, guint, known) != at)
			known++;
		if (known == found->len)
			g_array_append_val(found, at);
	}
}

/*
 * The indices in ITEMS of the lines that match TYPED, best first.  Lines that match by parts of words are
 * there only if no others match.  If nothing was typed, all of the first OWN lines.  If nothing matches,
 * *IS_NEAR becomes true and the result has the nearest lines.  A GArray of guint; the caller unrefs.
 */
static GArray *find_items(const struct ui_shell *shell, const GArray *items, guint own, const char *typed,
	bool *is_near)
{
	GArray *found = g_array_new(FALSE, FALSE, sizeof(guint));
	g_autofree char *folded = g_utf8_casefold(typed, -1);
	g_auto(GStrv) words = g_strsplit(folded, " ", -1);
	guint n = *typed ? items->len : own;

	for (enum rank wanted = KEY; wanted < RANKS && !(wanted == PARTS && found->len); wanted++)
		for (guint i = 0; i < n; i++)
			if (rank(shell, &g_array_index(items, struct menu_item, i), i < own, typed, words) ==
				wanted)
				g_array_append_val(found, i);
	*is_near = !found->len;
	if (*is_near)
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
	m->found = find_items(m->pane.shell, m->items, m->own, ui_prompt_text(m->prompt), &m->is_near);
	m->view.line = m->view.top = 0;
}

static void open_menu(struct menu *m, enum ui_command kind)
{
	pane_menu_forget(m);
	m->kind = kind;
	m->items = g_array_new(FALSE, FALSE, sizeof(struct menu_item));
	if (kind == UI_CMD_QUESTIONS)
		add_questions(m->items);
	else
		add_commands(m->pane.shell, m->items);
	m->own = m->items->len;
	if (kind == UI_CMD_QUESTIONS)
		add_commands(m->pane.shell, m->items);
	else
		add_questions(m->items);
	ui_prompt_open(m->prompt, ">", NULL);
	pane_menu_find(m);
	ui_shell_show(m->pane.shell, &m->pane, true);
}

/* The menu stays open when the trace is reopened. */
static void menu_carry(struct ui_pane *pane, struct ui_pane *old_pane)
{
	struct menu *m = (struct menu *)pane, *old = (struct menu *)old_pane;
	struct ui_prompt *prompt = m->prompt;

	m->kind = old->kind;
	m->prompt = old->prompt;
	m->items = g_steal_pointer(&old->items);
	m->found = g_steal_pointer(&old->found);
	m->own = old->own;
	m->is_near = old->is_near;
	m->view = old->view;
	old->prompt = prompt;
}

/* The menu may be shown by other means than its command. */
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

/* True if spans of programs are known, but no requests over the network. */
static bool has_only_spans(const struct ui_shell *shell)
{
	return !ui_pane_found(shell, ANA_OVERVIEW_ANSWER, ANA_ANSWER_REQUESTS) &&
		ui_pane_found(shell, ANA_OVERVIEW_ANSWER, ANA_ANSWER_SPANS);
}

/*
 * LINE, a command of a question, adapted to the recording.  If requests with both ends can exist, the list of
 * requests is limited to them.  If only spans are known, the list of spans takes its place.  The caller
 * frees; NULL: nothing to do.
 */
static char *requests_line(const struct ui_shell *shell, const char *line)
{
	const struct ana_overview_line *found = ui_pane_found(shell, ANA_OVERVIEW_ANSWER,
		ANA_ANSWER_REQUESTS);

	if (g_str_equal(line, COMPARE))
		return compare_set_line(shell, NULL);
	if (g_str_equal(line, REQUESTS) && has_only_spans(shell))
		return g_strdup("spans on");
	if (!g_str_equal(line, INSIDE))
		return g_strdup(line);
	if (has_only_spans(shell))
		return g_strdup("sort duration");
	return found || qry_host_count(shell->q) > 1 ? g_strdup(line) : NULL;
}

/* True if the user is still at the place where the explorer opened. */
static bool is_at_begin(const struct ui_shell *shell)
{
	const struct ui_view *is = shell->view, *found = &shell->found;

	return !shell->used ||
		(!shell->two && is->row == found->row && is->cursor == found->cursor &&
			is->from == found->from && is->to == found->to);
}

/* The thread of a question: that of the selected line in the pane with the focus; else, if the user has not
 * moved yet, the subject of the first sentence; else the selected row.  UI_NO_ROW: no thread. */
static uint32_t menu_thread(const struct ui_shell *shell)
{
	const struct ana_overview_line *first = ui_pane_found(shell, ANA_OVERVIEW_ANSWER, ANY);
	uint32_t row;
	int64_t from, to;

	if (ui_pane_time(shell, &row, &from, &to) && row_has_paths(shell->q, row))
		return row;
	if (first && is_at_begin(shell) && row_has_paths(shell->q, first->row))
		return first->row;
	return row_has_paths(shell->q, shell->view->row) ? shell->view->row : UI_NO_ROW;
}

/* Select the thread of the question.  The answer is about the selected time, else about the life of the
 * thread: the window may still be that of an answer about another thread. */
static void menu_select_thread(struct ui_shell *shell)
{
	uint32_t row = menu_thread(shell);
	struct ui_place_in_time life;
	int64_t from, to;

	if (row == UI_NO_ROW)
		return;
	life = (struct ui_place_in_time){ qry_row(shell->q, row)->first, qry_life_end(shell->q, row),
		shell->view->cursor, row };
	if (ui_shell_selection(shell, &from, &to)) {
		ui_shell_go(shell, shell->view->cursor, row);
	} else {
		life.cursor = CLAMP(life.cursor, life.from, MAX(life.to - 1, life.from));
		ui_shell_visit(shell, &life);
	}
	/* Focus the main pane: the line selected in another pane may be about a part of this time only. */
	ui_shell_focus(shell, shell->main);
}

/* Run all commands of the question; then the answer is on the screen.  If they moved to another place, "back"
 * shows the pane again that was in the lower part before. */
static void pane_menu_ask(struct ui_shell *shell, const struct question *asked)
{
	const char *const *lines = asked->lines;
	struct ui_pane *lower = ui_pane_at(shell, UI_PLACE_LOWER);
	unsigned places = ui_shell_history_length(shell);
	GError *error = NULL;

	if (*asked->whose)
		menu_select_thread(shell);
	for (; *lines; lines++) {
		g_autofree char *line = requests_line(shell, *lines);

		if (line && !ui_line_do(shell, line, &error)) {
			ui_shell_take_error(shell, error);
			return;
		}
		ui_shell_tell(shell); /* the next command depends on it */
	}
	if (lower && ui_shell_history_length(shell) > places)
		ui_shell_comes_back(shell, lower);
}

static void pane_menu_choose(struct menu *m)
{
	struct ui_shell *shell = m->pane.shell;
	struct menu_item item = *item_at(m, m->view.line);

	close_menu(m);
	if (item.command)
		ui_shell_command(shell, item.command);
	else
		pane_menu_ask(shell, item.question);
}

/* ---- keys ---- */

/* Handle keys that move in the list; all others are typed. */
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
	/* A key that opens the menu also closes it, unless it is a letter of a longer text. */
	if (((key >= TERM_KEY_F1 && key <= TERM_KEY_F12) || !*ui_prompt_text(m->prompt)) &&
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

	if (pane->shown) { /* mouse wheel */
		list_view_move(&m->view, command, m->found->len);
		return true;
	}
	if (command != UI_CMD_HELP && command != UI_CMD_QUESTIONS)
		return false;
	open_menu(m, command);
	return true;
}

/* A click selects a line; a click on the selected line runs it. */
static void menu_point(struct ui_pane *pane, G_GNUC_UNUSED unsigned x, unsigned y)
{
	struct menu *m = (struct menu *)pane;
	unsigned before = m->view.line;

	if (list_view_point(&m->view, y, m->found->len) && m->view.line == before)
		pane_menu_choose(m);
}

/* ---- drawing ---- */

/* The help of ITEM for the present place; the caller frees. */
static char *menu_help(const struct ui_shell *shell, const struct menu_item *item)
{
	const struct question *of = item->question;
	uint32_t row = of && *of->whose ? menu_thread(shell) : UI_NO_ROW;
	g_autofree char *label = row == UI_NO_ROW ? NULL : qry_row_label(shell->q, row);

	if (label)
		return g_strconcat(of->whose[0], label, of->whose[1], NULL);
	if (of && g_str_equal(*of->lines, REQUESTS) && has_only_spans(shell))
		return g_strdup("spans of programs, the longest first");
	return g_strdup(item->help);
}

static void pane_menu_draw_line(const struct menu *m, const struct term_area *area, unsigned y,
	const struct menu_item *item)
{
	bool wide = area->w >= WIDE && *item->aside;
	bool keys_first = m->kind == UI_CMD_HELP;
	unsigned name = keys_first ? KEYS + 1 : 1, help = name + (keys_first ? NAME : QUESTION),
		 end = wide ? MIN(area->w - ASIDE - 1, help + HELP) : area->w;
	g_autofree char *help_text = menu_help(m->pane.shell, item);
	g_autofree char *keys = ui_keymap_keys(m->pane.shell->keys,
		item->command ? item->command : UI_CMD_QUESTIONS, " ");

	if (keys_first)
		term_area_fit(area, 1, y, KEYS - 1, TERM_ROLE_KEY, keys);
	help = MAX(help,
		term_area_fit(area, name, y, area->w - MIN(name, area->w), TERM_ROLE_STRONG, item->name) + 1);
	if (help < end)
		term_area_fit(area, help, y, end - help, TERM_ROLE_TEXT, help_text);
	if (wide)
		term_area_fit(area, end + 1, y, ASIDE, item->own ? TERM_ROLE_TITLE : TERM_ROLE_DIM,
			item->aside);
}

/* The sentence that answers the selected question; the caller frees.  NULL: none, or it is not found yet. */
static char *menu_sentence(const struct menu *m)
{
	const struct question *of = m->found->len ? item_at(m, m->view.line)->question : NULL;
	const struct ana_overview_line *line = of ? ui_pane_found(m->pane.shell, of->part, of->about) : NULL;
	g_autofree char *time = line ? ui_shell_duration_text(m->pane.shell, line->time) : NULL;

	if (!line || (*of->whose && line->row != menu_thread(m->pane.shell)))
		return NULL;
	if (line->answer)
		return g_strdup(line->answer->text);
	return g_strdup_printf("%s: %s%s%s", line->name, time, line->what ? ", " : "",
		line->what ? line->what : "");
}

static void menu_draw(struct ui_pane *pane, const struct term_area *area)
{
	struct menu *m = (struct menu *)pane;
	g_autofree char *sentence = menu_sentence(m);
	unsigned w = area->w - MIN(area->w, 2), rows = 0;
	struct term_area list, below;

	if (sentence && area->h > 2 * SENTENCE) {
		g_autoptr(GPtrArray) broken = term_text_rows(sentence, MAX(w, 1), 0);

		rows = CLAMP(broken->len, SENTENCE, area->h - SENTENCE);
	}
	below = term_area_part(area, 1, area->h - rows, w, rows);

	ui_prompt_draw(m->prompt, area);
	if (m->is_near)
		term_area_fit(area, 1, 1, w, TERM_ROLE_DIM, "nothing matches; the nearest:");
	list = list_view_area(&m->view, area, 1 + m->is_near, rows ? rows + 1 : 0, m->found->len);
	if (rows)
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
