/* SPDX-License-Identifier: MIT */
/* Internals of the control-flow pane.  Only its files include this header. */
#ifndef FLOW_H
#define FLOW_H

#include "ui/core/ui_shell.h"
#include "ui/pane/flow/flow_rows.h"
#include "ui/widget/ask_worker.h"
#include "ui/widget/list_view.h"
#include "ui/widget/looks.h"

/* A slice: a thread has a CPU without a switch, in cells that show nothing else. */
struct flow_slice {
	gsize cell;       /* index of its first cell, among all */
	unsigned columns; /* its length */
	uint32_t thread;  /* its row */
	bool begins;      /* the previous cell is not entirely of this thread */
};

struct flow {
	struct ui_pane pane;
	struct flow_rows *rows; /* owned; NULL until the experiment is open */
	struct list_view view;  /* of the lines of rows; its top does not count the pinned lines */
	/* number of lines at the top that do not scroll; at most the pinned lines */
	unsigned pinned;
	/* owned; finds the facts about the rows in the window; NULL until asked */
	struct ask_worker *facts_worker;
	struct flow_choice before;   /* the previous choice; owns its filter */
	struct flow_choice off_path; /* the choice to return to after a path; owns its filter */
	bool on_path;                /* off_path is valid */
	bool chosen;          /* a choice was made: if the selected row does not pass, select another one */
	bool to_first;        /* CHOSEN selects the first row */
	uint32_t search_from; /* where the search began: the row */
	unsigned search_line; /* its line */
	int64_t search_time;  /* the cursor, ns */
	char *search_rows;    /* flow_rows_text() when the search began; owned, NULL: none yet */
	char *needle;         /* the last search text; owned, NULL: none */

	struct qry_cell *cells; /* owned: COLUMNS cells for each visible line that has a row */
	uint32_t *shown;        /* owned: the rows of CELLS, N_SHOWN of them */
	unsigned n_shown, columns;
	unsigned states;  /* bits: the states in CELLS */
	GArray *slices;   /* of struct flow_slice: those with room for a name; owned, NULL: none */
	int64_t from, to; /* the window of CELLS, ns */

	struct ask_worker *spans_worker; /* owned; finds spans; NULL until asked */
	bool turned, quiet;              /* TURNED: a command asked for spans; QUIET: show no message about
	                                  * them */

	struct ask_worker
		*throttled_worker; /* owned; finds the throttled times of all threads; NULL until asked */
	bool throttled_asked;

	struct ask_worker *over_worker;        /* owned; finds marks of latencies; NULL until asked */
	struct flow_over_question *over_asked; /* owned; NULL: none */
	struct flow_over_answer *over;         /* owned; NULL: none */
};

/* The line with INDEX; NULL if there is none. */
static inline const struct flow_line *flow_line_at(const struct flow *flow, unsigned index)
{
	const GArray *lines = flow->rows ? flow->rows->lines : NULL;

	return lines && index < lines->len ? &g_array_index(lines, struct flow_line, index) : NULL;
}

/* The index of the line that is drawn on line Y below the ruler. */
static inline unsigned flow_line_shown(const struct flow *flow, unsigned y)
{
	return y < flow->pinned ? y : flow->view.top + y;
}

/* The screen line, counted from below the ruler, of the line with INDEX; -1 if it is above. */
static inline int flow_line_place(const struct flow *flow, unsigned index)
{
	return index < flow->pinned                     ? (int)index
		: index < flow->pinned + flow->view.top ? -1
							: (int)(index - flow->view.top);
}

/* ---- flow_choose.c: the choice of rows and their order ---- */

/* Select the line with INDEX, limited to the last line, and scroll it into view. */
void flow_choose_select(struct flow *flow, unsigned index);
/* Like flow_choose_select(), for moves of the user: if the rows are those of a path, the path stays open. */
void flow_choose_walk(struct flow *flow, unsigned index);
/* Do COMMAND if it chooses rows; false if it does not. */
bool flow_choose_command(struct flow *flow, enum ui_command command);
/* For the hook "words": the names of sets and orders. */
void flow_choose_words(struct ui_pane *pane, enum ui_command command, GPtrArray *words);
/* For the hook "changed": follow changes of the window, of the path, and of the hiding of the tracer. */
void flow_choose_changed(struct flow *flow, unsigned changes);
/* The lines have changed: find the selected row again.  If it is gone, select one near it. */
void flow_choose_settle(struct flow *flow);
/* An earlier choice was restored: ask for the facts that it needs. */
void flow_choose_again(struct flow *flow);
/* The choice in words, for the line above the names: "12/34 path &state:blocked by cpu".  The caller
 * frees. */
char *flow_choose_text(const struct flow *flow);

/* ---- flow_draw.c ---- */

/* The times that the configuration shows after names: bits of enum flow_order. */
unsigned flow_draw_times(const struct ui_shell *shell);
/* Draw the ruler and the visible lines, with selection and cursor over them. */
void flow_draw(struct flow *flow, const struct term_area *area);

/* ---- flow_throttled.c: the throttled times in cells ---- */

/* Ask for the throttled times, unless they are known. */
void flow_throttled_ask(struct flow *flow);

/* ---- flow_spans.c ---- */

/* Show the spans of QUESTION; if they are already the wanted ones, remove them. */
void flow_spans_turn(struct flow *flow, const struct flow_spans_question *question);
/* Find the wanted spans, unless they are there. */
void flow_spans_ask(struct flow *flow);
/* Draw the spans of LINE on line Y of AREA. */
void flow_spans_draw(const struct flow *flow, const struct flow_line *line, const struct term_area *area,
	unsigned y);
/* The name of the span at the cursor on LINE; between spans, a text for the whole line.  For values: their
 * name, and the value at the cursor.  The caller frees. */
char *flow_spans_name(const struct flow *flow, const struct flow_line *line);
/* The span or value at the cursor on the selected line, for the detail lines.  NULL if the line has neither
 * spans nor values.  The caller frees. */
char *flow_spans_text(const struct flow *flow);
/* Set *ROW (MDL_NONE: no thread), *FROM, *TO (ns) to the span at the cursor on the selected line.  False if
 * there is none, or it is an instant. */
bool flow_spans_time(const struct flow *flow, uint32_t *row, int64_t *from, int64_t *to);
/* Do COMMAND if it is one for spans and the selected line has some: select the time of the span at the
 * cursor, go to the next one with its name, or a command of span_command().  False if it is not. */
bool flow_spans_command(struct flow *flow, enum ui_command command);

/* ---- flow_over.c: marks of latencies over the shell's limit, and arrows ---- */

/* Ask for the marks of the shown rows, unless they are known or not wanted. */
void flow_over_ask(struct flow *flow);
/* Free the marks and their worker. */
void flow_over_clear(struct flow *flow);
/* Put a sign at each start of a marked latency of ROW, on line Y of AREA. */
void flow_over_signs(const struct flow *flow, uint32_t row, const struct term_area *area, unsigned y);
/* Lay the colour of marked latencies over line Y of AREA, that of ROW. */
void flow_over_draw(const struct flow *flow, uint32_t row, const struct term_area *area, unsigned y);

/* Draw the wake-ups around the cursor in which the selected thread is waker or wakee.  AREA: time, below the
 * ruler. */
void flow_arrows_draw(struct flow *flow, const struct term_area *area);

#endif
