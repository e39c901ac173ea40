/* SPDX-License-Identifier: MIT */
/* The title, the commands and the export of a list. */
#include "ui/widget/list_pane.h"

#include "ui/core/ui_argument.h"

#include <string.h>

#define WIDE 110 /* columns from which on a title is not shortened */

/* ---- texts ---- */

void list_title(struct ui_pane *pane, GString *title)
{
	const struct list *l = (const struct list *)pane;
	const struct list_kind *kind = l->kind;
	guint n = l->part ? l->part->n : 0, seen = l->order->len;

	if (!l->ask.has_asked)
		return;
	scope_title(pane->shell, title, pane->w < WIDE && kind->narrow ? kind->narrow : kind->title,
		kind->whose ? kind->whose(l) : NULL, l->asked.from, l->asked.to);
	if (!l->part)
		return;
	g_string_append(title, "  ");
	if (l->part->full)
		g_string_append(title, "the first ");
	if (l->filter)
		g_string_append_printf(title, "%u of ", seen);
	g_string_append_printf(title, "%u %.*s", n,
		(int)strlen(kind->table->list) - (n == 1 && g_str_has_suffix(kind->table->list, "s")),
		kind->table->list);
	if (ask_worker_busy(pane->worker))
		g_string_append_printf(title, " (%.0f%% done)",
			100.0 * MIN(ask_worker_share(pane->worker), 0.99));
	else if (l->ask.problem)
		g_string_append(title, " (stopped)");
	if (list_lacks_rows(l))
		g_string_append_printf(title, " (%u read)", l->n_complete);
	if (l->filter)
		g_string_append_printf(title, "  only %s", l->filter);
}

void list_tell_all(const struct list *l)
{
	if (l->filter)
		ui_shell_message(l->pane.shell, "all are compared, also those without \"%s\"", l->filter);
}

/* ---- order and columns ---- */

static void list_say_order(struct list *l)
{
	unsigned column = list_sorted_by(l);
	const struct table_column *c = &l->part->rows->columns[column];
	bool falls = list_falls(c) != l->reversed;

	ui_shell_message(l->pane.shell, "sorted by %s, %s", list_rows_heading(c),
		list_rows_is_text(c)            ? falls ? "Z to A" : "A to Z"
			: c->type == TABLE_TIME ? falls ? "latest first" : "earliest first"
			: falls                 ? "largest first"
						: "smallest first");
}

/* Sort by COLUMN in its initial direction, or REVERSED. */
static void list_sort(struct list *l, unsigned column, bool reversed)
{
	char *name = g_strdup(l->part->rows->columns[column].name);

	l->reversed = reversed;
	g_free(l->sort);
	l->sort = name;
	l->view.line = l->view.top = 0;
	list_arrange(l, UINT_MAX);
	list_say_order(l);
}

/* Sort by the typed column, else by the next of the wanted ones. */
static void list_next_order(struct list *l)
{
	struct ui_shell *shell = l->pane.shell;
	g_autofree char *name = ui_argument_take(shell);
	struct list_choice chosen[TABLE_COLUMNS_MAX];
	unsigned i = 0, column, n = list_choose(l, chosen);

	if (name) {
		column = list_rows_find_typed(l->part->rows, name);
		if (column == l->part->rows->n_columns)
			ui_argument_refuse(shell, UI_CMD_SORT, name);
		else
			list_sort(l, column, false);
		return;
	}
	while (i < n && chosen[i].column != list_sorted_by(l))
		i++;
	if (n)
		list_sort(l, chosen[i + 1 < n ? i + 1 : 0].column, false);
}

static void list_reverse(struct list *l)
{
	if (list_sorted_by(l) < l->part->rows->n_columns)
		list_sort(l, list_sorted_by(l), !l->reversed);
	else
		ui_shell_message(l->pane.shell, "the list has its own order: sort it by a column first");
}

void list_words(struct ui_pane *pane, enum ui_command command, GPtrArray *words)
{
	const struct list *l = list_of(pane);

	if (command != UI_CMD_SORT || !pane->shown || !ui_pane_focused(pane) || !l->part)
		return;
	for (unsigned i = 0; i < l->part->rows->n_columns; i++)
		if (l->part->rows->columns[i].heading)
			g_ptr_array_add(words, (char *)(uintptr_t)l->part->rows->columns[i].name);
}

void list_columns(const struct ui_pane_ops *ops, GPtrArray *names)
{
	const struct list_kind *kind = ops->kind;
	const struct table_cursor cursor = { .table = kind->table, .in = { .format = TABLE_TEXT } };
	struct list_rows *rows = list_rows_new(&cursor, kind->columns, NULL);

	for (unsigned i = 0; i < rows->n_columns; i++)
		if (*rows->columns[i].name)
			g_ptr_array_add(names, g_strdup(rows->columns[i].name));
	list_rows_unref(rows);
}

static void columns_answered(struct ui_pane *pane, const char *text)
{
	struct list *l = list_of(pane);
	g_auto(GStrv) words = g_strsplit_set(text, " ", -1);
	g_autoptr(GString) chosen = g_string_new(NULL);
	g_autofree char *known = NULL;
	const char *wrong = NULL;

	if (!l->part)
		return;
	for (char **word = words; *word; word++) {
		if (**word && list_rows_find(l->part->rows, *word) == l->part->rows->n_columns)
			wrong = *word;
		if (**word)
			g_string_append_printf(chosen, "%s%s", chosen->len ? " " : "", *word);
	}
	known = list_rows_names(l->part->rows, false);
	if (wrong) {
		ui_shell_error(pane->shell, "no column is called \"%s\": there are%s", wrong, known);
		return;
	}
	g_free(l->columns);
	l->columns = chosen->len ? g_strdup(chosen->str) : NULL;
	ui_shell_message(pane->shell, "columns:%s%s; of%s", chosen->len ? " " : " those that fit",
		chosen->str, known);
}

static void list_ask_columns(struct list *l)
{
	struct list_choice chosen[TABLE_COLUMNS_MAX];
	unsigned n = list_choose(l, chosen);
	g_autoptr(GString) now = g_string_new(NULL);

	for (unsigned i = 0; i < n; i++)
		g_string_append_printf(now, "%s%s", i ? " " : "",
			l->part->rows->columns[chosen[i].column].name);
	ui_shell_ask(l->pane.shell, l->self, "columns (empty: as at first)", now->str, columns_answered,
		NULL);
}

/* ---- going ---- */

/* Go to the place of the selected row; OPENS: if the row is a wait, also open it.  False if no row is
 * selected. */
static bool list_go(struct list *l, bool opens)
{
	struct ui_shell *shell = l->pane.shell;
	struct table_place place;
	guint row;

	if (!list_selected(l, &row))
		return false;
	place = *list_rows_place(l->part->rows, row);
	if (place.row == MDL_NONE && place.to == BASE_TIME_NONE) {
		ui_shell_message(shell, "this line has no place to go to");
		return true;
	}
	ui_shell_go(shell, place.is_wait ? place.to : place.from,
		place.row == MDL_NONE ? shell->view->row : place.row);
	asking_stay(&l->ask, l->self);
	if (opens && place.is_wait)
		ui_shell_lead(shell, UI_LEAD(WAIT, .row = place.row, .to = place.to));
	return true;
}

bool list_time(struct ui_pane *pane, uint32_t *row, int64_t *from, int64_t *to)
{
	const struct list *l = list_of(pane);
	const struct table_place *place;
	guint selected;

	if (!list_selected(l, &selected))
		return false;
	place = list_rows_place(l->part->rows, selected);
	*row = place->row == MDL_NONE ? UI_NO_ROW : place->row;
	*from = place->from;
	*to = place->to;
	return place->from != BASE_TIME_NONE && place->from < place->to;
}

/* ---- commands ---- */

static void list_next_scope(struct list *l)
{
	if (!ui_argument_turn(l->self, UI_CMD_SCOPE))
		return;
	l->ask.gone = false;
	list_ask(l);
	ui_shell_message(l->pane.shell, "%s", l->kind->scopes_said[l->scope]);
}

static void list_next_way(struct list *l)
{
	const struct list_kind *kind = l->kind;

	l->way = (l->way + 1) % kind->n_ways;
	list_ask(l);
	ui_shell_message(l->pane.shell, "%s", kind->ways_said[l->way]);
}

bool list_leave_search(struct list *l)
{
	guint row = UINT_MAX;

	if (l->find) {
		g_clear_pointer(&l->find, g_free);
		return true;
	}
	if (!l->filter)
		return false;
	list_selected(l, &row);
	g_clear_pointer(&l->filter, g_free);
	list_arrange(l, row);
	return true;
}

/* Esc: undo the latest of the user's actions on the list. */
static bool list_leave(struct list *l)
{
	if (asking_stop(&l->ask, l->self)) {
		ui_shell_message(l->pane.shell, "stopped: the list is incomplete");
	} else if (list_lacks_rows(l)) {
		g_clear_pointer(&l->sort, g_free);
		g_clear_pointer(&l->filter, g_free);
		g_clear_pointer(&l->find, g_free);
		l->reversed = false;
		list_arrange(l, UINT_MAX);
		ui_shell_message(l->pane.shell, "stopped: the list is in its first order again");
	} else {
		return list_leave_search(l);
	}
	return true;
}

/* Run a command that needs rows. */
static bool list_rows_command(struct list *l, enum ui_command command)
{
	switch (command) {
	case UI_CMD_SORT: list_next_order(l); return true;
	case UI_CMD_REVERSE: list_reverse(l); return true;
	case UI_CMD_COLUMNS: list_ask_columns(l); return true;
	case UI_CMD_SEARCH: list_find_ask(l); return true;
	case UI_CMD_SEARCH_NEXT:
	case UI_CMD_SEARCH_PREV: list_find_step(l, command == UI_CMD_SEARCH_NEXT ? 1 : -1); return true;
	default: return false;
	}
}

bool list_part_command(struct list *l, enum ui_command command)
{
	bool on_heading = l->on_heading && command == UI_CMD_ACTIVATE; /* a double click on a heading sorts */

	l->on_heading = false;
	if (command == UI_CMD_FILTER) {
		list_filter_ask(l); /* also for rows that are still to come */
		return true;
	}
	return on_heading || (l->part && list_rows_command(l, command)) ||
		list_view_move(&l->view, command, l->order->len);
}

static bool list_focused_command(struct list *l, enum ui_command command)
{
	bool goes = command == UI_CMD_FOLLOW || command == UI_CMD_ACTIVATE || command == UI_CMD_WHY;

	if (l->on_heading && command == UI_CMD_ACTIVATE)
		return true; /* a double click on a heading sorts */
	if (command == UI_CMD_CLEAR && list_leave(l))
		return true;
	if (command == UI_CMD_FOLD && l->kind->n_ways) {
		list_next_way(l);
		return true;
	}
	if (goes)
		return list_go(l, command != UI_CMD_FOLLOW) || ask_worker_holds(l->self, command);
	return list_part_command(l, command);
}

bool list_command(struct ui_pane *pane, enum ui_command command)
{
	struct list *l = (struct list *)pane;
	bool taken;

	if (l->kind->command && l->kind->command(l, command))
		return true;
	if (!pane->shown)
		return false;
	if (command == UI_CMD_SCOPE && l->kind->scopes_said) {
		list_next_scope(l);
		return true;
	}
	taken = ui_pane_focused(pane) && list_focused_command(l, command);
	l->on_heading = false;
	return taken;
}

bool list_point_at(struct list *l, unsigned x, unsigned y)
{
	l->on_heading = l->part && y == l->heading_y;
	if (!l->on_heading)
		return list_view_point(&l->view, y, l->order->len);
	for (unsigned i = 0; i < l->n_places && !l->kind->is_part; i++)
		if (x >= l->places[i].x && x < l->places[i].x + l->places[i].w + l->places[i].bar + 1)
			list_sort(l, l->places[i].column,
				l->places[i].column == list_sorted_by(l) && !l->reversed);
	return true;
}

void list_point(struct ui_pane *pane, unsigned x, unsigned y)
{
	list_point_at(list_of(pane), x, y);
}

/* ---- to a file ---- */

static void *list_make_result(G_GNUC_UNUSED struct qry *q, void *data, struct base_progress *progress,
	G_GNUC_UNUSED GError **error)
{
	struct table_asked *asked = g_memdup2(data, sizeof(struct table_asked));

	asked->ask.progress = progress;
	return asked;
}

bool list_result(struct ui_pane *pane, struct ui_result *result)
{
	const struct list *l = (const struct list *)pane;
	struct table_asked asked = { l->kind->table, l->asked };

	if (!l->part)
		return false;
	asked.ask.parts = false;
	g_autofree char *file = g_strconcat(pane->ops->name, ".txt", NULL);

	*result = (struct ui_result){ .name = "table",
		.file = g_intern_string(file),
		.what = g_strdup_printf("%u %s", l->part->n, l->kind->table->list),
		.from = l->asked.from,
		.to = l->asked.to,
		.row = l->asked.row,
		.data = g_memdup2(&asked, sizeof asked),
		.free = g_free,
		.make = list_make_result,
		.free_made = g_free };
	return true;
}
