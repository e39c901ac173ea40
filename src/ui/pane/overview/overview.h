/* SPDX-License-Identifier: MIT */
/* The inside of the pane of the overview.  Only its files include it. */
#ifndef OVERVIEW_H
#define OVERVIEW_H

#include "analysis/overview/overview.h"
#include "ui/core/ui_shell.h"
#include "ui/widget/ask_worker.h"
#include "ui/widget/list_view.h"

/* A line of the screen. */
struct overview_item {
	const struct ana_overview_line *line; /* weak; NULL: it leads nowhere */
	char *text;                           /* owned: the text to show */
	bool heading;
};

struct overview {
	struct ui_pane pane;
	unsigned found_parts; /* parts that were found; the next one is being asked for */
	bool hide_tracer;     /* the question leaves out the tracer's threads */
	struct ana_overview found;
	GArray *items; /* of struct overview_item, owned */
	bool ascii;    /* ITEMS were made for an ASCII screen */
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

/* ---- overview_items.c ---- */

/* Make the lines again; the selected one stays selected. */
void overview_items_make(struct overview *o);
/* Set the lines of PART: LINES, or, if NULL, the text MISSING that says why there are none.  Takes ownership
 * of both.  The selected line stays selected. */
void overview_items_take(struct overview *o, enum ana_overview_part part, GArray *lines, char *missing);
/* Show the content of OLD, which was found before the trace was opened again, until it is found again.  Takes
 * everything out of OLD. */
void overview_items_carry(struct overview *o, struct overview *old);
/* Select the nearest line that leads somewhere, from the selected one on in direction STEP (-1 or 1). */
void overview_items_settle(struct overview *o, int step);

#endif
