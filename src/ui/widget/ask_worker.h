/* SPDX-License-Identifier: MIT */
/*
 * Long questions, answered in a thread of their own, so that the screen never
 * waits.  The thread has an experiment of its own, opened from the same index
 * files by qry_open_again(): row numbers and times are the same as in the screen's.
 *
 * All functions are for the screen's thread.
 */
#ifndef ASK_WORKER_H
#define ASK_WORKER_H

#include "base/base_progress.h"
#include "query/qry.h"

#include <stdbool.h>

/* What a worker is asked. */
struct ask_kind {
	size_t size;		/* of the question, which is plain data and is copied */
	/* Answer QUESTION; runs in the worker's thread.  NULL with an error. */
	void *(*answer)(struct qry *q, const void *question, struct base_progress *progress, GError **error);
	void (*free)(void *answer);
};

struct ask_worker;

/* A worker for questions of KIND (static) about the experiment Q, which must outlive it.  Nothing runs until the first question. */
struct ask_worker *ask_worker_new(struct qry *q, const struct ask_kind *kind);
/* Stop and wait for the thread.  What answers borrowed from the worker's experiment (names of devices) is gone then. */
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

#endif
