/* SPDX-License-Identifier: MIT */
/*
 * Bookmarks: a letter for a place, as in vi, with a note; and their list.  The file is read each time, so
 * that several explorers of a trace share it.
 */
#include "ui/pane/pane.h"

#include "query/bookmarks.h"
#include "ui/core/ui_fields.h"
#include "ui/widget/list_view.h"
#include "ui/widget/subject.h"

#include <string.h>

#define WHO_WIDTH 24    /* columns of the list for a row, and the blank behind it; */
#define LENGTH_WIDTH 18 /* for a length, where there are */
#define WIDE 100        /* so many */

struct bookmarks {
	struct ui_pane pane;
	GArray *all;   /* of struct qry_bookmark, owned: as the file had them last; NULL not read yet */
	char *problem; /* why they cannot be had; owned, NULL */
	char letter;   /* for which a note is asked */
	bool is_typed; /* the command was typed as a line: it asks no more */
	struct list_view view;
};

static const struct qry_bookmark *pane_bookmarks_nth(const struct bookmarks *b, unsigned i)
{
	return b->all && i < b->all->len ? &g_array_index(b->all, struct qry_bookmark, i) : NULL;
}

static void pane_bookmarks_read_all(struct bookmarks *b)
{
	GError *error = NULL;

	g_clear_pointer(&b->all, g_array_unref);
	g_clear_pointer(&b->problem, g_free);
	b->all = qry_bookmarks_read(b->pane.shell->q, &error);
	if (error)
		b->problem = g_strdup(error->message);
	g_clear_error(&error);
	b->view.line = MIN(b->view.line, b->all && b->all->len ? b->all->len - 1 : 0);
	ui_shell_redraw(b->pane.shell);
}

/* ---- setting ---- */

static void pane_bookmarks_set(struct bookmarks *b, char letter, const char *note)
{
	struct ui_shell *shell = b->pane.shell;
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
	if (b->pane.shown)
		pane_bookmarks_read_all(b);
}

static void note_answered(struct ui_pane *pane, const char *text)
{
	struct bookmarks *b = (struct bookmarks *)pane;

	pane_bookmarks_set(b, b->letter, text);
}

/* TEXT is a letter, perhaps with a note after it. */
static void set_answered(struct ui_pane *pane, const char *text)
{
	struct bookmarks *b = (struct bookmarks *)pane;
	const char *note = "";

	if (*text == '?') {
		ui_shell_show(pane->shell, pane, true);
	} else if (*text < 'a' || *text > 'z' || (text[1] && text[1] != ' ')) {
		ui_shell_error(pane->shell, "a bookmark has a letter from a to z");
	} else if (text[1] || b->is_typed) {
		pane_bookmarks_set(b, *text, text + 1 + strspn(text + 1, " "));
	} else {
		b->letter = *text;
		pane_bookmarks_read_all(b);
		for (unsigned i = 0; pane_bookmarks_nth(b, i); i++)
			if (pane_bookmarks_nth(b, i)->letter == *text)
				note = pane_bookmarks_nth(b, i)->note;
		ui_shell_ask(pane->shell, pane, "note:", note, note_answered, NULL);
	}
}

/* ---- going ---- */

static void pane_bookmarks_go(struct bookmarks *b, const struct qry_bookmark *mark)
{
	struct ui_shell *shell = b->pane.shell;
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
	pane_bookmarks_read_all(b);
	if (b->problem) {
		ui_shell_error(b->pane.shell, "%s", b->problem);
		return;
	}
	for (unsigned i = 0; pane_bookmarks_nth(b, i); i++) {
		if (pane_bookmarks_nth(b, i)->letter == letter) {
			pane_bookmarks_go(b, pane_bookmarks_nth(b, i));
			return;
		}
	}
	ui_shell_error(b->pane.shell, "there is no bookmark %c", letter);
}

static void go_answered(struct ui_pane *pane, const char *text)
{
	struct bookmarks *b = (struct bookmarks *)pane;
	struct ui_place_in_time there;

	if (*text == '?')
		ui_shell_show(pane->shell, pane, true);
	else if (*text == '\'') {
		/* To the place before the last jump; a second time goes back here. */
		if (ui_shell_last(pane->shell, &there))
			ui_shell_visit(pane->shell, &there);
		else
			ui_shell_message(pane->shell, "there was no jump yet");
	} else if (*text >= 'a' && *text <= 'z' && !text[1])
		go_to_letter(b, *text);
	else
		ui_shell_error(pane->shell, "a bookmark has a letter from a to z");
}

static void pane_bookmarks_drop(struct bookmarks *b)
{
	const struct qry_bookmark *mark = pane_bookmarks_nth(b, b->view.line);
	GError *error = NULL;

	if (!mark)
		ui_shell_message(b->pane.shell, "there is no bookmark to drop");
	else if (!qry_bookmarks_drop(b->pane.shell->q, mark->letter, &error))
		ui_shell_take_error(b->pane.shell, error);
	else
		ui_shell_message(b->pane.shell, "bookmark %c is dropped", mark->letter);
	pane_bookmarks_read_all(b);
}

/* ---- hooks ---- */

static void bookmarks_clear(struct ui_pane *pane)
{
	struct bookmarks *b = (struct bookmarks *)pane;

	if (b->all)
		g_array_unref(b->all);
	g_free(b->problem);
}

/* The pane comes: as the file is now. */
static void bookmarks_changed(struct ui_pane *pane, unsigned changes)
{
	struct bookmarks *b = (struct bookmarks *)pane;

	if (changes & UI_CHANGED_SIZE && pane->shown && pane->shell->q)
		pane_bookmarks_read_all(b);
}

static const struct ui_field pane_bookmarks_fields[] = { UI_FIELD_LIST(bookmarks, view) };

static bool bookmarks_restore(struct ui_pane *pane, const char *kept, GError **error)
{
	struct bookmarks *b = (struct bookmarks *)pane;

	if (!ui_fields_set(pane_bookmarks_fields, pane, pane->shell, kept, error))
		return false;
	list_view_go(&b->view, 0, b->all ? b->all->len : 0);
	return true;
}

static void bookmarks_title(struct ui_pane *pane, GString *title)
{
	const struct bookmarks *b = (const struct bookmarks *)pane;

	scope_title_whole(pane->shell, title, "Bookmarks", NULL);
	g_string_append_printf(title, "  %u", b->all ? b->all->len : 0);
}

static void draw_mark(const struct bookmarks *b, const struct qry_bookmark *mark,
	const struct term_area *area, unsigned y)
{
	struct ui_shell *shell = b->pane.shell;
	unsigned x = 4, width = ui_shell_time_width(shell);
	bool selected = mark->selected_from != MDL_NEVER;
	g_autofree char *label = mark->host == MDL_NONE ? g_strdup("host not open")
		: mark->row == MDL_NONE                 ? g_strdup(qry_host(shell->q, mark->host)->name)
							: qry_row_label(shell->q, mark->row),
			*duration = NULL, *length = NULL, *time = NULL;

	term_area_char(area, 1, y, TERM_ROLE_KEY, (gunichar)mark->letter);
	if (mark->host != MDL_NONE) {
		time = ui_shell_time_text(shell, mark->time);
		duration = ui_shell_duration_text(shell,
			selected ? mark->selected_to - mark->selected_from : mark->to - mark->from);
		length = g_strconcat(duration, selected ? " selected" : " in view", NULL);
		term_area_fit(area, x, y, width, TERM_ROLE_TEXT, time);
	}
	x += width + 2;
	term_area_fit(area, x, y, WHO_WIDTH - 1, TERM_ROLE_NAME_THREAD, label);
	x += WHO_WIDTH;
	if (area->w >= WIDE && length)
		term_area_fit(area, x, y, LENGTH_WIDTH - 1, TERM_ROLE_DIM, length);
	x += area->w >= WIDE ? LENGTH_WIDTH : 0;
	if (x < area->w)
		term_area_fit(area, x, y, area->w - x, TERM_ROLE_TEXT, mark->note);
}

static void bookmarks_draw(struct ui_pane *pane, const struct term_area *area)
{
	struct bookmarks *b = (struct bookmarks *)pane;
	g_autofree char *key = ui_keymap_first(pane->shell->keys, UI_CMD_BOOKMARK);

	if (!b->all || !b->all->len) {
		if (b->problem)
			term_area_fit(area, 1, 0, area->w - 1, TERM_ROLE_ERROR, b->problem);
		else
			term_area_printf(area, 1, 0, TERM_ROLE_DIM, "none: %s and a letter sets one", key);
		return;
	}
	list_view_scroll(&b->view, area->h, b->all->len);
	for (unsigned i = 0; i < b->view.seen; i++)
		draw_mark(b, pane_bookmarks_nth(b, b->view.top + i), area, i);
	list_view_mark(&b->view, pane, area);
}

static bool bookmarks_command(struct ui_pane *pane, enum ui_command command)
{
	struct bookmarks *b = (struct bookmarks *)pane;

	if (command == UI_CMD_BOOKMARK) {
		b->is_typed = pane->shell->argument;
		ui_shell_ask_letter(pane->shell, pane, "bookmark: a to z", set_answered);
		return true;
	}
	if (command == UI_CMD_BOOKMARK_GO) {
		ui_shell_ask_letter(pane->shell, pane, "go to bookmark: a to z, ' where you were, ? list",
			go_answered);
		return true;
	}
	if (!pane->shown || !ui_pane_focused(pane))
		return false;
	if ((command == UI_CMD_ACTIVATE || command == UI_CMD_FOLLOW) && pane_bookmarks_nth(b, b->view.line))
		pane_bookmarks_go(b, pane_bookmarks_nth(b, b->view.line));
	else if (command == UI_CMD_BOOKMARK_DROP)
		pane_bookmarks_drop(b);
	else if (command == UI_CMD_CLEAR)
		ui_shell_show(pane->shell, pane, false);
	else
		return list_view_move(&b->view, command, b->all ? b->all->len : 0);
	return true;
}

static void bookmarks_point(struct ui_pane *pane, G_GNUC_UNUSED unsigned x, unsigned y)
{
	struct bookmarks *b = (struct bookmarks *)pane;

	list_view_point(&b->view, y, b->all ? b->all->len : 0);
}

static const struct ui_hint pane_bookmarks_hints[] = {
	{ UI_CMD_ACTIVATE, "go there" },
	{ UI_CMD_BOOKMARK_DROP, "drop" },
	{ UI_CMD_BOOKMARK, "set" },
	{ UI_CMD_BACK, "back" },
	{ UI_CMD_BOOKMARKS, "close" },
	{ UI_CMD_FOCUS, "other pane" },
	{ UI_CMD_NONE, NULL },
};

const struct ui_pane_ops pane_bookmarks = {
	.name = "bookmarks",
	.place = UI_PLACE_LOWER,
	.hints = pane_bookmarks_hints,
	.show = UI_CMD_BOOKMARKS,
	.size = sizeof(struct bookmarks),
	.clear = bookmarks_clear,
	.changed = bookmarks_changed,
	.fields = pane_bookmarks_fields,
	.restore = bookmarks_restore,
	.command = bookmarks_command,
	.point = bookmarks_point,
	.title = bookmarks_title,
	.draw = bookmarks_draw,
};
