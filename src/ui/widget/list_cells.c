/* SPDX-License-Identifier: MIT */
/* The cells of a list as texts, its order, its selected row. */
#include "ui/widget/list_pane.h"

#include "base/base_time.h"

#include <inttypes.h>

const char *list_heading(const struct table_column *column)
{
	return column->heading ? column->heading + (*column->heading == '>') : column->name;
}

char *list_text(const struct list *l, unsigned column, const struct list_cell *cell)
{
	const struct table_column *c = &l->part->rows->columns[column];
	struct ui_shell *shell = l->pane.shell;

	if (cell->word)
		return g_strdup(cell->word);
	if (list_rows_is_unknown(c, cell))
		return g_strdup("");
	switch (c->type) {
	case TABLE_TIME: return ui_shell_time_text(shell, cell->number);
	case TABLE_DURATION: return ui_shell_duration_text(shell, cell->number);
	case TABLE_SHARE: return g_strdup_printf("%.1f%%", 100 * cell->share);
	case TABLE_YES: return g_strdup(cell->number ? "yes" : "no");
	default: return g_strdup_printf("%" PRId64, cell->number);
	}
}

bool list_selected(const struct list *l, guint *row)
{
	if (!l->part || l->view.line >= l->order->len)
		return false;
	*row = g_array_index(l->order, guint, l->view.line);
	return true;
}

unsigned list_sorted_by(const struct list *l)
{
	return list_rows_find(l->part->rows, l->sort ? l->sort : list_kind(l)->sort);
}

bool list_falls(const struct table_column *column)
{
	return !list_rows_is_text(column) && column->type != TABLE_TIME;
}
