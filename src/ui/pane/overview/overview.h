/* SPDX-License-Identifier: MIT */
/* The inside of the pane of the overview.  Only its file includes it, and the test of opening a trace
 * again. */
#ifndef OVERVIEW_H
#define OVERVIEW_H

#include "analysis/overview/overview.h"
#include "ui/core/ui_shell.h"
#include "ui/widget/ask_worker.h"
#include "ui/widget/list_view.h"

/* A line of the screen. */
struct overview_item {
	const struct ana_overview_line *line; /* weak; NULL: it leads nowhere */
	char *text; /* owned; of a list its details, or what of them had no room; NULL: a heading */
	enum ana_overview_part part; /* of a heading */
	bool heading, sentence, of_line;
	bool goes_on; /* it is a row of the line above it */
};

struct overview {
	struct ui_pane pane;
	unsigned found_parts; /* parts that were found; the next one is being asked for */
	bool hide_tracer;     /* the question leaves out the tracer's threads */
	struct ana_overview found;
	GArray *items; /* of struct overview_item, owned */
	bool ascii;    /* ITEMS were made for an ASCII screen, */
	unsigned w;    /* and for so many columns */
	struct list_view view;
	char *problem; /* owned; NULL: none */
	/* Commands of a file wait to be run; they are for the rows, so they do not wait for this pane. */
	bool yields;
	/* BY_ITSELF: it opened by itself, and was not used yet; it closes when the user leaves PLACE. */
	bool by_itself, has_place;
	struct ui_place_in_time place; /* at its first draw; valid if HAS_PLACE */
};

static inline const struct overview_item *overview_item(const struct overview *o, unsigned i)
{
	return &g_array_index(o->items, struct overview_item, i);
}

#endif
