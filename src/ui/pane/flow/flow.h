/* SPDX-License-Identifier: MIT */
/* The inside of the control-flow pane, shared by its files; no other pane includes it. */
#ifndef FLOW_H
#define FLOW_H

#include "ui/core/ui_shell.h"
#include "ui/pane/flow/flow_rows.h"
#include "ui/widget/ask_worker.h"
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

	struct ask_worker *over_worker;        /* owned; marks on latencies: NULL until any were wanted */
	struct flow_over_question *over_asked; /* owned; NULL nothing */
	struct flow_over_answer *over;         /* owned; NULL none */
};

/* The line with INDEX; NULL when there is none. */
static inline const struct flow_line *flow_line_at(const struct flow *flow, unsigned index)
{
	const GArray *lines = flow->rows ? flow_rows_lines(flow->rows) : NULL;

	return lines && index < lines->len ? &g_array_index(lines, struct flow_line, index) : NULL;
}

/* Draw the ruler and the lines in view; selection and cursor over them. */
void flow_draw(struct flow *flow, const struct term_area *area);

/* ---- flow_over.c: marks on latencies over the shell's limit ---- */

/* Have them found for the rows that are shown, unless they are or none are wanted. */
void flow_over_ask(struct flow *flow);
/* A slice of that; true: there is more. */
bool flow_over_work(struct flow *flow);
void flow_over_clear(struct flow *flow);
/* Put a sign where one begins into line Y of AREA, that of ROW. */
void flow_over_signs(const struct flow *flow, uint32_t row, const struct term_area *area, unsigned y);
/* Lay the colour of such latencies over it. */
void flow_over_draw(const struct flow *flow, uint32_t row, const struct term_area *area, unsigned y);

/* Draw the wake-ups around the cursor that the selected thread has a part in; AREA: time below the ruler. */
void flow_arrows_draw(struct flow *flow, const struct term_area *area);

#endif
