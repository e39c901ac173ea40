/* SPDX-License-Identifier: MIT */
/*
 * Long questions, answered in a thread of their own, so that the screen never
 * waits.  The thread has an experiment of its own, opened from the same index
 * files by qry_open_again(): row numbers and times are the same as in the screen's.
 *
 * All functions are for the screen's thread.  No worker (NULL) has no question open.
 */
#ifndef ASK_WORKER_H
#define ASK_WORKER_H

#include "base/base_progress.h"
#include "query/qry.h"
#include "ui/core/ui_shell.h"

#include <stdbool.h>

/* What a worker is asked. */
struct ask_kind {
	size_t size; /* of the question, which is copied */
	/* Let go of what QUESTION refers to, which is the worker's from when it was asked; NULL: it is plain
	 * data. */
	void (*forget)(void *question);
	/* Answer QUESTION; runs in the worker's thread.  NULL with an error. */
	void *(*answer)(struct qry *q, const void *question, struct base_progress *progress, GError **error);
	void (*free)(void *answer);
	/* Whoever waits with ask_worker_wait(): ANSWER is there for PANE, which owns it now; NULL: ERROR,
	 * PANE's as well, says why not. */
	void (*taken)(struct ui_pane *pane, void *answer, GError *error);
	/* The same of what ask_worker_offer() gave; NULL: it gives nothing. */
	void (*offered)(struct ui_pane *pane, void *answer);
};

/* For whoever answers, with the PROGRESS that is given there: ANSWER is what there is so far; it is taken
 * over, and gives way to the next, or to the whole. */
void ask_worker_offer(struct base_progress *progress, void *answer);

#define ASK_AT_ONCE 30 /* ms: what comes within this is shown without a word */
/* Of the hook "work": nothing is waited for; the shell waits for all workers at once, and for keys. */
#define ASK_SLICE 0

struct ask_worker;

/* A worker for questions of KIND (static) about the experiment Q, which must outlive it.  Nothing runs until
 * the first question. */
struct ask_worker *ask_worker_new(struct qry *q, const struct ask_kind *kind);
/* Stop and wait for the thread.  What answers borrowed from the worker's experiment (names of devices) is
 * gone then. */
void ask_worker_free(struct ask_worker *worker);

/* Ask QUESTION; a question still open is dropped. */
void ask_worker_ask(struct ask_worker *worker, const void *question);
/* Drop the open question. */
void ask_worker_cancel(struct ask_worker *worker);
/* Whether a question is open: not yet answered, or its answer not yet taken. */
bool ask_worker_busy(struct ask_worker *worker);
/* How much of the open question is done, 0..1. */
double ask_worker_share(struct ask_worker *worker);
/*
 * Wait up to MS milliseconds for the open question.  True when it is answered:
 * *ANSWER is the caller's, NULL with an error when there is none.
 */
bool ask_worker_take(struct ask_worker *worker, unsigned ms, void **answer, GError **error);

/* ---- for panes, of which most have one worker ---- */

/* Of the hook "changed": PANE gets its worker, for questions of KIND, as soon as there is an experiment.  Has
 * it one? */
bool ask_worker_start(struct ui_pane *pane, unsigned changes, const struct ask_kind *kind);
/* Ask QUESTION, of KIND, of PANE's worker, which is made where there is none, and wait so long as below. */
bool ask_worker_for(struct ui_pane *pane, const struct ask_kind *kind, const void *question, unsigned ms);
/* The hook "work" of a pane that does nothing in it but to take its worker's answer. */
bool ask_worker_work(struct ui_pane *pane);

/* Wait up to MS milliseconds for the open question and hand its answer to PANE.  True: it is still open, and
 * PANE has nothing to do for it (ui_shell_work()). */
bool ask_worker_wait(struct ask_worker *worker, struct ui_pane *pane, unsigned ms);
/* Where PANE has the focus and no line: COMMAND that would open one says why it does not, lest another pane
 * does something else.  False: it is none of these. */
bool ask_worker_holds(const struct ui_pane *pane, enum ui_command command);
/* *PROBLEM (owned, may be NULL) becomes what ERROR says, which is freed; NULL for NULL. */
void ask_worker_problem(char **problem, GError *error);
/* "WHAT: 12%, Esc stops it" on the first line of AREA. */
void ask_worker_draw(struct ask_worker *worker, const struct ui_pane *pane, const struct term_area *area,
	const char *what);
/* Drop the open question, and say in *PROBLEM (as above) how to ask it again.  False: none is open. */
bool ask_worker_stop(struct ask_worker *worker, char **problem);

#endif
