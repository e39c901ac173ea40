/* SPDX-License-Identifier: MIT */
/* The hits of the watch that made this recording, worst first.  A hit leads to its place if its recording is
 * open. */
#include "ui/pane/pane.h"

#include "ui/widget/list_pane.h"

static const struct list_kind kind = {
	.table = &table_watch_hits,
	.title = "Hits of the watch",
	.narrow = "Hits",
	.columns = "date=TIME latency trigger thread tid? cases? file? sort? text",
	.whole = true,
	.rest = 2,
	.none = "the watch kept no recording",
};

static const struct ui_field fields[] = { LIST_ONE_FIELDS };

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
