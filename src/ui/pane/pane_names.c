/* SPDX-License-Identifier: MIT */
/* The events of the selection or the window by their names: of the selected thread or CPU, or of all of its host. */
#include "ui/pane/pane.h"

#include "ui/widget/list_pane.h"

static char *whose(const struct list *l)
{
	return l->row == MDL_NONE ? g_strdup("all CPUs") : qry_row_label(l->pane.shell->q, l->row);
}

static const struct list_kind kind = {
	.table = &table_event_names,
	.title = "Events",
	.columns = "count share name",
	.none = "no events here",
	.whose = whose,
};

static const struct ui_field fields[] = { LIST_FIELDS(NULL, 0, NULL, 0), LIST_PLACES };

static const struct ui_hint hints[] = { { UI_CMD_SUMS, "close" }, LIST_HINTS };

const struct ui_pane_ops pane_names = {
	LIST_HOOKS,
	.name = "names",
	.show = UI_CMD_SUMS,
	.kind = &kind,
	.hints = hints,
	.fields = fields,
	.lines = 11,
};
