/* SPDX-License-Identifier: MIT */
/* For panes that show the answer to one question of the pane's worker.  It knows if the question was asked,
 * why there is no answer, and where the user went from the answer: such a move is not a new question. */
#ifndef ASKING_H
#define ASKING_H

#include "ui/core/ui_fields.h"
#include "ui/widget/ask_worker.h"

/* Initially zeros. */
struct asking {
	char *problem;            /* why there is no answer; owned, NULL: no problem */
	int64_t own_from, own_to; /* the place the user went to from this pane: selection or window, */
	uint32_t own_row;         /* and row.  While they are selected, */
	bool gone;                /* and this is set, the question stays the same */
	bool has_asked;           /* it was asked or refused, and must not be asked again */
};

/* Fields of a pane (ui_fields.h): where the user went.  Struct OF calls its struct asking "ask". */
#define ASKING_FIELDS(of)                                                                  \
	UI_FIELD(FLAG, "gone", of, ask.gone), UI_FIELD(TIME, "at-from", of, ask.own_from), \
		UI_FIELD(TIME, "at-to", of, ask.own_to), UI_FIELD(ROW, "at-row", of, ask.own_row)

void asking_clear(struct asking *a, struct ui_pane *pane);
/* PANE was hidden.  If it is only covered, later moves of the user start from here (asking_stay()).
 * Otherwise, a question that was stopped or failed is asked again when PANE is next opened. */
void asking_leave(struct asking *a, const struct ui_pane *pane);
/* The user went on from this pane; keep the question. */
void asking_stay(struct asking *a, const struct ui_pane *pane);
/* True if the user is still at the place where this pane led: the same selection or window, and, if OF_ROW,
 * the same row. */
bool asking_stays(const struct asking *a, const struct ui_pane *pane, bool of_row);
/* The subject of the next question: *ROW is the selected row (ROW NULL: no row), [*FROM, *TO) the selection,
 * else the window.  Does not change them if the user only went on from the last answer. */
void asking_what(const struct asking *a, const struct ui_pane *pane, uint32_t *row, int64_t *from,
	int64_t *to);

/* Ask PANE's worker a new QUESTION, and wait ASK_AT_ONCE ms. */
void asking_ask(struct asking *a, struct ui_pane *pane, const void *question);
/* There is nothing to ask; PROBLEM says why. */
void asking_refuse(struct asking *a, struct ui_pane *pane, const char *problem);
/* Stop the open question.  False if there is none. */
bool asking_stop(struct asking *a, struct ui_pane *pane);
/* Draw the progress "WHAT: 12%, Esc stops it", or the problem if there is no answer.  False if neither
 * applies. */
bool asking_draw(const struct asking *a, const struct ui_pane *pane, const struct term_area *area,
	const char *what, bool has_answer);

#endif
