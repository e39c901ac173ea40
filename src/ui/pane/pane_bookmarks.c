/* SPDX-License-Identifier: MIT */
/*
 * Bookmarks: a letter for a place, as in vi, with a note; and their list.  Each access reads the file again,
 * so that several explorers of a trace share it.
 */
#include "ui/pane/pane.h"

#include "query/bookmarks.h"
#include "ui/widget/list_pane.h"

#include <string.h>

struct bookmarks {
	struct list list;
	char letter;   /* the letter whose note is being asked for */
	bool is_typed; /* the command was typed as a line: do not ask for a note */
};

/* The bookmarks in the file now: of struct qry_bookmark; the caller unrefs.  If it cannot be read: none, and
 * an error is shown. */
static GArray *read_all(const struct bookmarks *b)
{
	GError *error = NULL;
	GArray *all = qry_bookmarks_read(b->list.pane.shell->q, &error);

	if (error)
		ui_shell_take_error(b->list.pane.shell, error);
	return all ? all : g_array_new(FALSE, FALSE, sizeof(struct qry_bookmark));
}

/* The bookmark with LETTER in ALL; NULL if there is none. */
static const struct qry_bookmark *find(const GArray *all, char letter)
{
	for (guint i = 0; i < all->len; i++)
		if (g_array_index(all, struct qry_bookmark, i).letter == letter)
			return &g_array_index(all, struct qry_bookmark, i);
	return NULL;
}

/* ---- setting ---- */

static void pane_bookmarks_set(struct bookmarks *b, char letter, const char *note)
{
	struct ui_shell *shell = b->list.pane.shell;
	struct qry_bookmark mark = { .letter = letter,
		.host = shell->view->row == UI_NO_ROW ? 0 : qry_row(shell->q, shell->view->row)->host,
		.row = shell->view->row,
		.time = shell->view->cursor,
		.from = shell->view->from,
		.to = shell->view->to };
	g_autofree char *text = g_strndup(note, QRY_BOOKMARK_NOTE_MAX);
	GError *error = NULL;

	mark.note = text;
	if (!ui_shell_selection(shell, &mark.selected_from, &mark.selected_to))
		mark.selected_from = mark.selected_to = MDL_NEVER;
	if (qry_bookmarks_set(shell->q, &mark, &error))
		ui_shell_message(shell, "bookmark %c is set here", letter);
	else
		ui_shell_take_error(shell, error);
	if (b->list.pane.shown)
		list_ask_again(&b->list);
}

static void note_answered(struct ui_pane *pane, const char *text)
{
	struct bookmarks *b = (struct bookmarks *)pane;

	pane_bookmarks_set(b, b->letter, text);
}

/* The user answered TEXT: a letter, optionally with a note after it. */
static void set_answered(struct ui_pane *pane, const char *text)
{
	struct bookmarks *b = (struct bookmarks *)pane;

	if (*text == '?') {
		ui_shell_show(pane->shell, pane, true);
	} else if (*text < 'a' || *text > 'z' || (text[1] && text[1] != ' ')) {
		ui_shell_error(pane->shell, "a bookmark has a letter from a to z");
	} else if (text[1] || b->is_typed) {
		pane_bookmarks_set(b, *text, text + 1 + strspn(text + 1, " "));
	} else {
		g_autoptr(GArray) all = read_all(b);
		const struct qry_bookmark *mark = find(all, *text);

		b->letter = *text;
		ui_shell_ask(pane->shell, pane, "note:", mark ? mark->note : "", note_answered, NULL);
	}
}

/* ---- going ---- */

static void pane_bookmarks_go(struct bookmarks *b, const struct qry_bookmark *mark)
{
	struct ui_shell *shell = b->list.pane.shell;
	struct ui_place_in_time there = { mark->from, mark->to, mark->time, mark->row };

	if (mark->host == MDL_NONE) {
		ui_shell_error(shell, "bookmark %c is of a host that is not open", mark->letter);
		return;
	}
	ui_shell_visit(shell, &there);
	if (mark->selected_from != MDL_NEVER)
		ui_shell_select(shell, mark->selected_from, mark->selected_to);
	ui_shell_message(shell, "bookmark %c%s%s", mark->letter, *mark->note ? ": " : "", mark->note);
}

static void go_to_letter(struct bookmarks *b, char letter)
{
	g_autoptr(GArray) all = read_all(b);
	const struct qry_bookmark *mark = find(all, letter);

	if (mark)
		pane_bookmarks_go(b, mark);
	else if (!b->list.pane.shell->message_is_error || !b->list.pane.shell->message)
		ui_shell_error(b->list.pane.shell, "there is no bookmark %c", letter);
}

static void go_answered(struct ui_pane *pane, const char *text)
{
	struct bookmarks *b = (struct bookmarks *)pane;
	struct ui_place_in_time there;

	if (*text == '?')
		ui_shell_show(pane->shell, pane, true);
	else if (*text == '\'') {
		/* Go to the place before the last jump; a second time returns here. */
		if (ui_shell_last(pane->shell, &there))
			ui_shell_visit(pane->shell, &there);
		else
			ui_shell_message(pane->shell, "there was no jump yet");
	} else if (*text >= 'a' && *text <= 'z' && !text[1])
		go_to_letter(b, *text);
	else
		ui_shell_error(pane->shell, "a bookmark has a letter from a to z");
}

/* The letter of the selected line; 0 if there is none. */
static char selected(const struct list *l)
{
	const char *letter = list_selected_word(l, "letter");

	return letter ? *letter : 0;
}

static void pane_bookmarks_drop(struct bookmarks *b)
{
	char letter = selected(&b->list);
	GError *error = NULL;

	if (!letter)
		ui_shell_message(b->list.pane.shell, "there is no bookmark to drop");
	else if (!qry_bookmarks_drop(b->list.pane.shell->q, letter, &error))
		ui_shell_take_error(b->list.pane.shell, error);
	else
		ui_shell_message(b->list.pane.shell, "bookmark %c is dropped", letter);
	list_ask_again(&b->list);
}

/* ---- hooks ---- */

/* When the pane is shown, read the file. */
static void bookmarks_changed(struct ui_pane *pane, unsigned changes)
{
	struct list *l = (struct list *)pane;

	if (changes & UI_CHANGED_SIZE && pane->shown && l->part)
		list_ask_again(l);
	else
		list_changed(pane, changes);
}

static void how_to_set(const struct list *l, const struct term_area *area, unsigned y)
{
	g_autofree char *key = ui_keymap_first(l->pane.shell->keys, UI_CMD_BOOKMARK);

	if (!l->part->n)
		term_area_printf(area, 1, y, TERM_ROLE_DIM, "%s and a letter sets one", key);
}

static bool command(struct list *l, enum ui_command command)
{
	struct bookmarks *b = (struct bookmarks *)l;
	struct ui_shell *shell = l->pane.shell;

	if (command == UI_CMD_BOOKMARK) {
		b->is_typed = shell->argument;
		ui_shell_ask_letter(shell, &l->pane, "bookmark: a to z", set_answered);
		return true;
	}
	if (command == UI_CMD_BOOKMARK_GO) {
		ui_shell_ask_letter(shell, &l->pane, "go to bookmark: a to z, ' where you were, ? list",
			go_answered);
		return true;
	}
	if (!l->pane.shown || !ui_pane_focused(&l->pane))
		return false;
	if (command == UI_CMD_BOOKMARK_DROP) {
		pane_bookmarks_drop(b);
		return true;
	}
	if ((command != UI_CMD_ACTIVATE && command != UI_CMD_FOLLOW) || l->on_heading || !selected(l))
		return false;
	go_to_letter(b, selected(l));
	return true;
}

static const struct list_kind kind = {
	.table = &table_bookmarks,
	.title = "Bookmarks",
	.columns = "letter=KEY time row from? to? note",
	.whole = true,
	.none = "none",
	.below = how_to_set,
	.command = command,
};

static const struct ui_field fields[] = { LIST_FIELDS(NULL, 0, NULL, 0), LIST_PLACES };

static const struct ui_hint hints[] = { { UI_CMD_ACTIVATE, "go there" }, { UI_CMD_BOOKMARK_DROP, "drop" },
	{ UI_CMD_BOOKMARK, "set" }, { UI_CMD_BACK, "back" }, { UI_CMD_BOOKMARKS, "close" },
	{ UI_CMD_FOCUS, "other pane" }, { UI_CMD_SORT, "order" }, { UI_CMD_FILTER, "only" },
	{ UI_CMD_SEARCH, "find" }, { UI_CMD_NONE, NULL } };

const struct ui_pane_ops pane_bookmarks = {
	LIST_VIEW_HOOKS,
	.name = "bookmarks",
	.show = UI_CMD_BOOKMARKS,
	.kind = &kind,
	.hints = hints,
	.fields = fields,
	.size = sizeof(struct bookmarks),
	.clear = list_clear,
	.changed = bookmarks_changed,
	.to_keep = list_to_keep,
	.restore = list_restore,
};
