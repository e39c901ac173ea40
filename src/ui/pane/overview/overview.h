/* SPDX-License-Identifier: MIT */
/* The inside of the pane of the overview, shared by its files; no other pane includes it. */
#ifndef OVERVIEW_H
#define OVERVIEW_H

#include "analysis/overview/overview.h"
#include "ui/core/ui_shell.h"
#include "ui/widget/ask_worker.h"
#include "ui/widget/list_view.h"

/* A line of the screen. */
struct overview_item {
	const struct ana_overview_line *line; /* weak; NULL: it leads nowhere, */
	char *text;                           /* owned: and says this */
	bool heading;
};

struct overview {
	struct ui_pane pane;
	unsigned found_parts; /* how many parts are there; the next one is asked for */
	bool hide_tracer;     /* what was asked is without the tracer's threads */
	struct ana_overview found;
	GArray *items; /* of struct overview_item, owned */
	bool ascii;    /* they are made for a screen of ASCII */
	struct list_view view;
	char *problem; /* owned; NULL none */
	/* Commands of a file are to be done: they are for the rows, and do not wait for it. */
	bool yields;
	/* It showed itself, and nobody has used it yet: it goes when one goes elsewhere than to */
	bool by_itself, has_place;
	struct ui_place_in_time place; /* where one was when it was drawn first */
};

static inline const struct overview_item *overview_item(const struct overview *o, unsigned i)
{
	return &g_array_index(o->items, struct overview_item, i);
}

/* ---- overview_items.c ---- */

/* Make the lines anew; the selected one stays so. */
void overview_items_make(struct overview *o);
/* LINES (taken over; NULL: there are none, because they are MISSING, taken over) are those of PART now; who
 * is selected stays so. */
void overview_items_take(struct overview *o, enum ana_overview_part part, GArray *lines, char *missing);
/* Show what OLD did before the trace was opened again, until it is found anew; nothing of OLD's is left. */
void overview_items_carry(struct overview *o, struct overview *old);
/* Select the nearest line that leads somewhere, from the selected one on in the direction of STEP (-1 or 1).
 */
void overview_items_settle(struct overview *o, int step);

#endif
