/* SPDX-License-Identifier: MIT */
/* The inside of the control-flow pane, shared by its files; no other pane includes it. */
#ifndef FLOW_H
#define FLOW_H

#include "ui/core/ui_shell.h"
#include "ui/pane/flow/flow_rows.h"
#include "ui/widget/list_view.h"
#include "ui/widget/state_look.h"

struct flow {
	struct ui_pane pane;
	struct flow_rows *rows; /* owned; NULL until the experiment is there */
	struct list_view view;  /* of the lines of rows */
	bool no_arrows;
	char *needle;         /* what was searched last; owned, NULL nothing */
	uint32_t search_from; /* row where the search began */

	struct qry_cell *cells; /* owned: columns cells for each line in view that has a row */
	uint32_t *shown;        /* owned: the rows of cells, n_shown of them */
	unsigned n_shown, columns;
	int64_t from, to; /* window of cells */
};

/* The line with INDEX; NULL when there is none. */
static inline const struct flow_line *flow_line_at(const struct flow *flow, unsigned index)
{
	const GArray *lines = flow->rows ? flow_rows_lines(flow->rows) : NULL;

	return lines && index < lines->len ? &g_array_index(lines, struct flow_line, index) : NULL;
}

/* Draw the ruler and the lines in view; selection and cursor over them. */
void flow_draw(struct flow *flow, const struct term_area *area);

/* Draw the wake-ups around the cursor that the selected thread has a part in; AREA: time below the ruler. */
void flow_arrows_draw(struct flow *flow, const struct term_area *area);

#endif
