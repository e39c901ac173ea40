/* SPDX-License-Identifier: MIT */
/* Event counts by name in the selection or the window: of the selected thread or CPU, or of all of its
 * host. */
#include "ui/pane/pane.h"

#include "ui/widget/list_pane.h"

/* Threads and CPUs have events of their own; for any other row, count those of its host. */
static char *whose(const struct list *l)
{
	const struct qry *q = l->pane.shell->q;
	const struct qry_row *r = l->asked.row == MDL_NONE ? NULL : qry_row(q, l->asked.row);

	if (r && (r->type == MDL_ROW_THREAD || r->type == MDL_ROW_CPU))
		return qry_row_label(q, l->asked.row);
	return g_strconcat("all CPUs", r && qry_host_count(q) > 1 ? " of " : NULL,
		r ? qry_host(q, r->host)->name : NULL, NULL);
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
