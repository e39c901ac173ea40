/* SPDX-License-Identifier: MIT */
/* The causes of waits; below them the events that the recording lacks, and how to record them. */
#include "ui/pane/pane.h"

#include "ui/widget/list_pane.h"

static void advise(const struct list *l, const struct term_area *area, unsigned y)
{
	const struct qry *q = l->pane.shell->q;
	uint32_t host = l->row == MDL_NONE ? 0 : qry_row(q, l->row)->host;
	g_autoptr(GPtrArray) lines = g_ptr_array_new_with_free_func(g_free);

	advice_text_add(lines, q, host, area->w - MIN(area->w, 4));
	if (!lines->len || y + 2 >= area->h)
		return;
	term_area_printf(area, 1, ++y, TERM_ROLE_DIM,
		"not recorded on %s; it would prove more:", qry_host(q, host)->name);
	for (unsigned i = 0; i < lines->len && ++y < area->h; i++)
		term_area_fit(area, 3, y, area->w - 3, TERM_ROLE_TEXT, g_ptr_array_index(lines, i));
}

static const char *const ways[] = { "name", "thread" },
			 *const ways_said[] = { "a line for all threads of a name",
				 "a line for each thread" },
			 *const scopes_said[SCOPE_N] = { "causes of waits of the selected thread",
				 "causes of waits of its process", "causes of waits of all user threads",
				 "causes of waits of all threads" },
			 *const keys[] = { "kind", "host", "name", "subject", NULL };

static const struct list_kind kind = {
	.table = &table_causes,
	.title = "Causes of waiting",
	.narrow = "Waiting",
	.columns =
		"time share count longest proved inferred? unknown? kind cause threads? longest_end? longest_thread?",
	.sort = "time",
	.keys = keys,
	.none = "no wait ended here",
	.scopes_said = scopes_said,
	.of_all = LIST_OF_ALL,
	.ways = ways,
	.ways_said = ways_said,
	.n_ways = G_N_ELEMENTS(ways),
	.ask = list_ask_threads,
	.whose = list_whose_threads,
	.below = advise,
};

static const struct ui_field fields[] = { LIST_FIELDS(scope_words, SCOPE_N, ways, G_N_ELEMENTS(ways)),
	LIST_PLACES };

static const struct ui_hint hints[] = { { UI_CMD_ACTIVATE, "longest" }, { UI_CMD_FOLLOW, "go there" },
	{ UI_CMD_BACK, "back" }, { UI_CMD_SCOPE, "whose" }, { UI_CMD_SORT, "order" },
	{ UI_CMD_FOLD, "each thread" }, { UI_CMD_FILTER, "only" }, { UI_CMD_SEARCH, "find" },
	{ UI_CMD_MAXIMISE, "large" }, { UI_CMD_CAUSES, "close" }, { UI_CMD_REVERSE, "reverse" },
	{ UI_CMD_COLUMNS, "columns" }, { UI_CMD_FOCUS, "other pane" }, { UI_CMD_MARK, "mark" },
	{ UI_CMD_ZOOM_FIT, "whole trace" }, { UI_CMD_WHY, "why" }, { UI_CMD_EXPORT, "export" },
	{ UI_CMD_NONE, NULL } };

const struct ui_pane_ops pane_causes = {
	LIST_HOOKS,
	.name = "causes",
	.show = UI_CMD_CAUSES,
	.kind = &kind,
	.hints = hints,
	.fields = fields,
	.lines = 11,
};
