/* SPDX-License-Identifier: MIT */
/* Internals of the overview pane.  Included only by pane_overview.c and the test that reopens a trace. */
#ifndef OVERVIEW_H
#define OVERVIEW_H

#include "analysis/overview/overview.h"
#include "ui/core/ui_shell.h"
#include "ui/widget/ask_worker.h"
#include "ui/widget/list_view.h"

/* One line of the screen. */
struct overview_item {
	const struct ana_overview_line *line; /* weak; NULL: the line leads nowhere */
	char *text; /* owned; details of a list line, or the rest that did not fit; NULL: a heading */
	enum ana_overview_part part; /* of a heading */
	bool heading, sentence, of_line;
	bool goes_on; /* continues the line above */
};

struct overview {
	struct ui_pane pane;
	unsigned found_parts; /* number of parts found so far; the worker searches the next one */
	bool hide_tracer;     /* the question excludes the tracer's threads */
	struct ana_overview found;
	GArray *items; /* of struct overview_item, owned */
	bool ascii;    /* ITEMS were made for an ASCII screen */
	unsigned w;    /* ITEMS were made for this many columns */
	struct list_view view;
	char *problem; /* owned; NULL: none */
	/* A command file has commands left: they run in the main pane, which has the focus, and do not wait
	 * for this pane. */
	bool yields;
	/* BY_ITSELF: the pane opened by itself and was not used yet.  It closes when the user leaves
	 * PLACE. */
	bool by_itself, has_place;
	struct ui_place_in_time place; /* the place at the pane's first draw; valid if HAS_PLACE */
};

static inline const struct overview_item *overview_item(const struct overview *o, unsigned i)
{
	return &g_array_index(o->items, struct overview_item, i);
}

#endif
