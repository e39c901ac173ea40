/* SPDX-License-Identifier: MIT */
/*
 * What panes have in common that show the answer to one question, of the pane's worker: whether it was
 * asked, why there is no answer; and where the user went on to from there, which is no new question.
 */
#ifndef ASKING_H
#define ASKING_H

#include "ui/core/ui_fields.h"
#include "ui/widget/ask_worker.h"

/* Begins as zeros. */
struct asking {
	char *problem;            /* why there is no answer; owned, NULL */
	int64_t own_from, own_to; /* while the selection, else the window, */
	uint32_t own_row;         /* and the row are these, */
	bool gone;                /* which the user went to from here, the question stays what it was */
	bool has_asked;           /* it was asked, or refused, and need not be asked again */
};

/* Of a pane's fields (ui_fields.h): where the user went on to; struct OF calls it "ask". */
#define ASKING_FIELDS(of)                                                                  \
	UI_FIELD(FLAG, "gone", of, ask.gone), UI_FIELD(TIME, "at-from", of, ask.own_from), \
		UI_FIELD(TIME, "at-to", of, ask.own_to), UI_FIELD(ROW, "at-row", of, ask.own_row)

void asking_clear(struct asking *a, struct ui_pane *pane);
/* Of the same, where PANE is not to be seen: opened again it asks anew what was stopped or failed, unless it
 * is only covered: what the user does above it leads on from here. */
void asking_leave(struct asking *a, const struct ui_pane *pane);
/* The user went on from here. */
void asking_stay(struct asking *a, const struct ui_pane *pane);
/* Is the user still where this led: the same selection or window, and, for a question that is OF a ROW, the
 * same row? */
bool asking_stays(const struct asking *a, const struct ui_pane *pane, bool of_row);
/* What a question is about: the selected row (ROW NULL: of none), the selection, else the window; what these
 * were for the last question where the user only went on from there. */
void asking_what(const struct asking *a, const struct ui_pane *pane, uint32_t *row, int64_t *from,
	int64_t *to);

/* Ask QUESTION of PANE, a new one, and wait a moment. */
void asking_ask(struct asking *a, struct ui_pane *pane, const void *question);
/* There is nothing to ask, as PROBLEM says. */
void asking_refuse(struct asking *a, struct ui_pane *pane, const char *problem);
/* The command that stops: false: there is nothing to stop. */
bool asking_stop(struct asking *a, struct ui_pane *pane);
/* Instead of an answer: "WHAT: 12%, Esc stops it", or where HAS_ANSWER is false why there is none.  False:
 * nothing of that. */
bool asking_draw(const struct asking *a, const struct ui_pane *pane, const struct term_area *area,
	const char *what, bool has_answer);

#endif
