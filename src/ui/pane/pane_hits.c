/* SPDX-License-Identifier: MIT */
/* What the watch kept that made this recording: its hits, the worst first.  A hit leads to its place if its recording
 * is open. */
#include "ui/pane/pane.h"

#include "ui/widget/list_pane.h"

static const char *ask(const struct list *l, struct table_question *q)
{
	/* It is about the watch: neither about a window nor a thread. */
	q->row = MDL_NONE;
	q->from = l->pane.shell->span_from;
	q->to = l->pane.shell->span_to;
	return NULL;
}

static const struct list_kind kind = {
	.table = &table_watch_hits,
	.title = "Hits of the watch",
	.narrow = "Hits",
	.columns = "date=TIME latency trigger thread tid? cases? file? sort? text",
	.whole = true,
	.rest = 2,
	.none = "the watch kept no recording",
	.ask = ask,
};

static const struct ui_field fields[] = {
	UI_FIELD(TEXT, "sort", list, sort),
	UI_FIELD(FLAG, "reversed", list, reversed),
	UI_FIELD(TEXT, "filter", list, filter),
	UI_FIELD(TEXT, "columns", list, columns),
	LIST_PLACES,
};

static const struct ui_hint hints[] = {
	{ UI_CMD_ACTIVATE, "go there" },
	{ UI_CMD_BACK, "back" },
	LIST_HINTS,
};

const struct ui_pane_ops pane_hits = {
	LIST_HOOKS,
	.name = "hits",
	.show = UI_CMD_HITS,
	.kind = &kind,
	.hints = hints,
	.fields = fields,
	.lines = 11,
};
