/* SPDX-License-Identifier: MIT */
/* The cells of a list as texts, its order, its columns, its selected row. */
#include "ui/widget/list_pane.h"

#include "base/base_time.h"
#include "ui/core/ui_config.h"

#include <inttypes.h>
#include <string.h>

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

struct list *list_of(struct ui_pane *pane)
{
	const struct list_kind *kind = pane->ops->kind;

	return kind->within ? kind->within(pane) : (struct list *)(void *)((char *)pane + kind->at);
}

bool list_selected(const struct list *l, guint *row)
{
	if (!l->part || l->view.line >= l->order->len)
		return false;
	*row = g_array_index(l->order, guint, l->view.line);
	return true;
}

const char *list_selected_word(const struct list *l, const char *name)
{
	guint row;

	return list_selected(l, &row)
		? list_rows_cell(l->part->rows, row, list_rows_find(l->part->rows, name))->word
		: NULL;
}

unsigned list_sorted_by(const struct list *l)
{
	return list_rows_find(l->part->rows, l->sort ? l->sort : l->kind->sort);
}

bool list_falls(const struct table_column *column)
{
	return !list_rows_is_text(column) && column->type != TABLE_TIME;
}

/* ---- columns ---- */

/* Append the column called NAME (up to "=" or "?") to the N chosen ones.  Returns their new number. */
static unsigned choose_one(const struct list *l, const char *name, struct list_choice *chosen, unsigned n)
{
	g_autofree char *plain = g_strndup(name, strcspn(name, "=?"));
	unsigned column = list_rows_find(l->part->rows, plain);

	if (!*plain || column == l->part->rows->n_columns || n == TABLE_COLUMNS_MAX)
		return n;
	chosen[n] = (struct list_choice){ column, g_str_has_suffix(name, "?") };
	return n + 1;
}

unsigned list_choose(const struct list *l, struct list_choice *chosen)
{
	const struct ui_columns_of *of = ui_columns_set(&l->pane.shell->config->columns, l->pane.ops->name);
	const struct list_rows *rows = l->part->rows;
	const char *text = l->columns ? l->columns : of ? NULL : l->kind->columns;
	g_auto(GStrv) names = g_strsplit(text ? text : "", " ", -1);
	unsigned n = 0;

	for (char **name = names; *name; name++)
		n = choose_one(l, *name, chosen, n);
	for (unsigned i = 0; !text && of && i < of->n; i++)
		n = choose_one(l, of->known[of->shown[i]], chosen, n);
	for (unsigned pass = n ? 2 : 0; pass < 2; pass++) /* all columns, long texts last */
		for (unsigned i = 0; i < rows->n_columns; i++)
			if (rows->columns[i].heading && (rows->columns[i].type == TABLE_LONG) == !!pass)
				chosen[n++] = (struct list_choice){ i, false };
	return n;
}
