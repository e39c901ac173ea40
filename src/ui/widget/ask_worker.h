/* SPDX-License-Identifier: MIT */
/*
 * A worker answers long questions in a thread of its own, so that the screen never waits.  The thread has its
 * own experiment, opened from the same index files by qry_open_again(): row numbers and times equal those of
 * the screen.
 *
 * All functions are for the screen's thread, except ask_worker_offer().  A NULL worker has no open question.
 */
#ifndef ASK_WORKER_H
#define ASK_WORKER_H

#include "base/base_progress.h"
#include "query/qry.h"
#include "ui/core/ui_fields.h"
#include "ui/core/ui_shell.h"

#include <stdbool.h>

/* A kind of question. */
struct ask_kind {
	size_t size; /* bytes of the question, which is copied */
	/* Free what QUESTION refers to; the worker owns that once the question was asked.  NULL: plain
	 * data. */
	void (*forget)(void *question);
	/* Answer QUESTION, in the worker's thread.  Returns NULL with an error. */
	void *(*answer)(struct qry *q, const void *question, struct base_progress *progress, GError **error);
	void (*free)(void *answer);
	/* Called by ask_worker_wait().  PANE takes ownership of ANSWER; if it is NULL, of ERROR, the
	 * reason. */
	void (*taken)(struct ui_pane *pane, void *answer, GError *error);
	/* Called by ask_worker_wait() with a part that ask_worker_offer() got.  PANE takes ownership.  NULL:
	 * this kind offers no parts. */
	void (*offered)(struct ui_pane *pane, void *answer);
};

/* Offer ANSWER, the part found so far.  Only the hook answer() calls it, with its PROGRESS.  The worker takes
 * ownership; the next offer, or the whole answer, replaces it. */
void ask_worker_offer(struct base_progress *progress, void *answer);

#define ASK_AT_ONCE 30 /* ms: an answer within this time is shown without a progress message */
/* ms, for the hook "work": do not wait.  The shell waits for all workers and for keys at once. */
#define ASK_SLICE 0

struct ask_worker;

/* Make a worker for questions of KIND (static) about experiment Q, which must outlive it.  The thread starts
 * at the first question. */
struct ask_worker *ask_worker_new(struct qry *q, const struct ask_kind *kind);
/* Stop the thread and wait for it.  Data that answers borrowed from the worker's experiment (names of
 * devices) becomes invalid. */
void ask_worker_free(struct ask_worker *worker);

/* Ask QUESTION.  Drops a question that is still open. */
void ask_worker_ask(struct ask_worker *worker, const void *question);
/* Drop the open question. */
void ask_worker_cancel(struct ask_worker *worker);
/* True if a question is open: it has no answer yet, or nobody took the answer. */
bool ask_worker_busy(struct ask_worker *worker);
/* The completed part of the open question, 0..1. */
double ask_worker_share(struct ask_worker *worker);
/* Wait up to MS milliseconds for the answer.  True if it has come: the caller owns *ANSWER; NULL with an
 * error. */
bool ask_worker_take(struct ask_worker *worker, unsigned ms, void **answer, GError **error);

/* ---- for panes; most panes have one worker ---- */

/* For the hook "changed": give PANE a worker for questions of KIND once the experiment is open.  True if PANE
 * has a worker. */
bool ask_worker_start(struct ui_pane *pane, unsigned changes, const struct ask_kind *kind);
/* Ask PANE's worker QUESTION, then wait like ask_worker_wait().  Makes a worker for KIND if there is none. */
bool ask_worker_for(struct ui_pane *pane, const struct ask_kind *kind, const void *question, unsigned ms);
/* The hook "work" of a pane that only takes its worker's answer. */
bool ask_worker_work(struct ui_pane *pane);

/* Wait up to MS milliseconds for the open question, and pass the answer to PANE.  True if the question is
 * still open; then shell->waits is set, because PANE has nothing else to do (ui_shell_work()). */
bool ask_worker_wait(struct ask_worker *worker, struct ui_pane *pane, unsigned ms);
/* For a pane with the focus but without lines: if COMMAND opens a line, take it and show why it does nothing,
 * so that no other pane runs it.  False for other commands. */
bool ask_worker_holds(const struct ui_pane *pane, enum ui_command command);
/* *PROBLEM (owned, may be NULL) becomes the text of ERROR, or NULL if ERROR is NULL.  Frees ERROR. */
void ask_worker_problem(char **problem, GError *error);
/* Draw "WHAT: 12%, Esc stops it" on the first line of AREA. */
void ask_worker_draw(struct ask_worker *worker, const struct ui_pane *pane, const struct term_area *area,
	const char *what);
/* Drop the open question; *PROBLEM (owned) becomes a text that says how to ask again.  False if none is
 * open. */
bool ask_worker_stop(struct ask_worker *worker, char **problem);

/*
 * ---- panes that show the answer to one question of their worker ----
 *
 * A struct asking stores whether the question was asked, why there is no answer, and where the user went from
 * the answer: such a move is not a new question.
 */

/* Initially zeros. */
struct asking {
	char *problem; /* why there is no answer; owned, NULL: no problem */
	/* The place to which the user went from this pane: selection or window (ns), and row.  GONE: this
	 * place is set.  The question stays the same while the user is there. */
	int64_t own_from, own_to;
	uint32_t own_row;
	bool gone;
	bool has_asked; /* the question was asked or refused: do not ask it again */
};

/* Fields of a pane (ui_fields.h): where the user went.  The struct asking of struct OF is called "ask". */
#define ASKING_FIELDS(of)                                                                  \
	UI_FIELD(FLAG, "gone", of, ask.gone), UI_FIELD(TIME, "at-from", of, ask.own_from), \
		UI_FIELD(TIME, "at-to", of, ask.own_to), UI_FIELD(ROW, "at-row", of, ask.own_row)

/* Free the problem, and PANE's worker. */
void asking_clear(struct asking *a, struct ui_pane *pane);
/* Call it when PANE was hidden.  If PANE is only covered, the user's later moves start from here
 * (asking_stay()).  Otherwise a stopped or failed question is asked again when PANE is next opened. */
void asking_leave(struct asking *a, const struct ui_pane *pane);
/* Keep the question although the user moves on from this pane. */
void asking_stay(struct asking *a, const struct ui_pane *pane);
/* True if the user is still at the place where this pane led: the same selection or window, and, if OF_ROW,
 * the same row. */
bool asking_stays(const struct asking *a, const struct ui_pane *pane, bool of_row);
/* The subject of the next question: *ROW becomes the selected row (ROW NULL: no row), [*FROM, *TO) the
 * selection, else the window.  They keep their values if the user only moved on from the last answer. */
void asking_what(const struct asking *a, const struct ui_pane *pane, uint32_t *row, int64_t *from,
	int64_t *to);

/* Ask PANE's worker a new QUESTION, and wait up to MS milliseconds. */
void asking_ask(struct asking *a, struct ui_pane *pane, const void *question, unsigned ms);
/* Drop the question because there is nothing to ask; PROBLEM says why. */
void asking_refuse(struct asking *a, struct ui_pane *pane, const char *problem);
/* Stop the open question.  False if there is none. */
bool asking_stop(struct asking *a, struct ui_pane *pane);
/* Draw the progress "WHAT: 12%, Esc stops it", or the problem if there is no answer.  False if there is
 * neither. */
bool asking_draw(const struct asking *a, const struct ui_pane *pane, const struct term_area *area,
	const char *what, bool has_answer);

#endif
