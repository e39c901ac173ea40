/* SPDX-License-Identifier: MIT */
/* The inside of the control-flow pane, shared by its files; no other pane includes it. */
#ifndef FLOW_H
#define FLOW_H

#include "ui/core/ui_shell.h"
#include "ui/pane/flow/flow_rows.h"
#include "ui/widget/ask_worker.h"
#include "ui/widget/list_view.h"
#include "ui/widget/state_look.h"

/* What one thread had of a CPU at once, as far as whole cells show nothing else. */
struct flow_slice {
	gsize cell;       /* its first one, of all */
	unsigned columns; /* of them */
	uint32_t thread;  /* row */
	bool begins;      /* it had not all of the cell before */
};

struct flow {
	struct ui_pane pane;
	struct flow_rows *rows; /* owned; NULL until the experiment is there */
	struct list_view view;  /* of the lines of rows; its top counts from behind the pinned ones */
	unsigned pinned;        /* so many of these stand above the view, whatever it shows */
	struct ask_worker *facts_worker; /* owned; what the rows have to know of the window: NULL until asked
					  */
	struct flow_choice before;       /* what was chosen last before; its filter is owned */
	struct flow_choice off_path;     /* what to go back to behind a path; its filter is owned */
	bool on_path;                    /* there is such a thing */
	bool chosen;                     /* something was chosen: what no longer fits gives way, */
	bool to_first;                   /* and the first one is selected */
	uint32_t search_from;            /* row where the search began, */
	unsigned search_line;            /* its line, */
	char *search_rows;               /* and the rows then; owned, NULL: there was none yet */
	char *needle;                    /* what was searched last; owned, NULL nothing */

	struct qry_cell *cells; /* owned: columns cells for each line in view that has a row */
	uint32_t *shown;        /* owned: the rows of cells, n_shown of them */
	unsigned n_shown, columns;
	unsigned states;  /* bits: those in cells */
	GArray *slices;   /* of struct flow_slice: those in cells with room for a name; owned, NULL none */
	int64_t from, to; /* window of cells */

	struct ask_worker *over_worker;        /* owned; marks on latencies: NULL until any were wanted */
	struct flow_over_question *over_asked; /* owned; NULL nothing */
	struct flow_over_answer *over;         /* owned; NULL none */
};

/* The line with INDEX; NULL when there is none. */
static inline const struct flow_line *flow_line_at(const struct flow *flow, unsigned index)
{
	const GArray *lines = flow->rows ? flow->rows->lines : NULL;

	return lines && index < lines->len ? &g_array_index(lines, struct flow_line, index) : NULL;
}

/* The index of the line that stands on line Y below the ruler. */
static inline unsigned flow_line_shown(const struct flow *flow, unsigned y)
{
	return y < flow->pinned ? y : flow->view.top + y;
}

/* The line on which the line with INDEX stands, counted from below the ruler; -1: above. */
static inline int flow_line_place(const struct flow *flow, unsigned index)
{
	return index < flow->pinned                     ? (int)index
		: index < flow->pinned + flow->view.top ? -1
							: (int)(index - flow->view.top);
}

/* ---- flow_choose.c: which rows, in which order ---- */

/* Select the line with INDEX, or the last one, and bring it into view. */
void flow_choose_select(struct flow *flow, unsigned index);
/* The same from the line that is selected: while the lines are those of a path it stays. */
void flow_choose_walk(struct flow *flow, unsigned index);
/* Do COMMAND, if it chooses rows. */
bool flow_choose_command(struct flow *flow, enum ui_command command);
/* Of the hook "words": the names of sets and orders. */
void flow_choose_words(struct ui_pane *pane, enum ui_command command, GPtrArray *words);
/* Of the hook "changed": the window, hiding, the path. */
void flow_choose_changed(struct flow *flow, unsigned changes);
bool flow_choose_work(struct flow *flow);
/* The lines have changed: find the selected row again; when it is gone, stay near. */
void flow_choose_settle(struct flow *flow);
/* What is chosen was so before: have known what it needs. */
void flow_choose_again(struct flow *flow);
/* Of the hook "carry": what is to come back behind a path. */
void flow_choose_carry(struct flow *flow, struct flow *old);
void flow_choose_clear(struct flow *flow);
/* What is chosen, as it stands above the names: "12/34 path &state:blocked by cpu".  The caller frees. */
char *flow_choose_text(const struct flow *flow);

/* The times that the configuration shows behind names: bits of enum flow_order. */
unsigned flow_draw_times(const struct ui_shell *shell);
/* Draw the ruler and the lines in view; selection and cursor over them. */
void flow_draw(struct flow *flow, const struct term_area *area);

/* ---- flow_slices.c: the names of threads on the rows of CPUs ---- */

/* Find flow->slices of the cells. */
void flow_slices_find(struct flow *flow);
/* Put the names over line Y of AREA, that of the row whose first cell is FIRST of all. */
void flow_slices_draw(const struct flow *flow, gsize first, const struct term_area *area, unsigned y);
/* Take what lies over names in AREA away, but the cursor: their colour is for the background of a slice. */
void flow_slices_keep(const struct term_area *area);

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
