/* SPDX-License-Identifier: MIT */
/*
 * Which intervals are to be compared: what a list hands to the pane that compares (ui_shell_open_compare()),
 * and that to its worker; and the lines of a list that were marked to be compared with the others.
 */
#ifndef COMPARE_SET_H
#define COMPARE_SET_H

#include "analysis/request/request.h"
#include "analysis/compare/set.h"
#include "ui/core/ui_shell.h"

enum compare_what {
	COMPARE_TYPED,  /* what ana_set_find() makes of SPEC */
	COMPARE_ASKED,  /* the requests that ROW asked */
	COMPARE_LISTED, /* requests as a list has them: ana_request_scope_each() */
	COMPARE_CASES,  /* of latencies of KIND, of ROW or all threads */
	COMPARE_WHATS
};

/* Counted, as the screen and a worker look at it; never changed once it is handed on. */
struct compare_set {
	enum compare_what what;
	char *name;                    /* "requests of client/wk-client[572]", for titles; owned */
	char *spec, *kind;             /* owned, NULL */
	const struct ana_rules *rules; /* that KIND is one of; weak, NULL: of none */
	enum ana_request_scope scope;
	uint32_t row;
	int64_t from, to;
	bool hide_tracer; /* without those of the tracer's own threads */
	GArray *marked;   /* of struct ana_set_interval: these against the rest; owned, NULL: none are */
};

/* Of the selection, else the window of SHELL; NAME is taken over. */
struct compare_set *compare_set_new(const struct ui_shell *shell, enum compare_what what, char *name);
struct compare_set *compare_set_ref(struct compare_set *set);
void compare_set_unref(struct compare_set *set);
/* Are they the same? */
bool compare_set_same(const struct compare_set *a, const struct compare_set *b);
/* The intervals, asked of Q, which the caller frees; with marks they are the keys.  NULL with an error as of
 * ana_set_find(). */
struct ana_set *compare_set_find(struct qry *q, const struct compare_set *set, struct base_progress *progress,
	GError **error);

/* ---- marked lines ---- */

/* Mark the interval [FROM, TO) of ROW, or take the mark away; *MARKS is owned, NULL: there is none.  PANE
 * says what can be done with them. */
void compare_set_mark(const struct ui_pane *pane, GArray **marks, uint32_t row, int64_t from, int64_t to);
/* Is it marked? */
bool compare_set_is_marked(const GArray *marks, uint32_t row, int64_t from, int64_t to);
/* Put the marks of a list, as far as there are two, into SET; false: there is one, which was said. */
bool compare_set_take_marks(struct compare_set *set, const struct ui_pane *pane, const GArray *marks);
/* Marks as a text (ui_fields.h), NULL: none; the caller frees.  And back. */
char *compare_set_marks_text(const GArray *marks);
GArray *compare_set_marks(const char *text);
/* The sign of a marked line, at column X of line Y. */
void compare_set_draw_mark(const struct term_area *area, unsigned x, unsigned y);

#endif
