/* SPDX-License-Identifier: MIT */
/* A set of intervals to compare.  A list passes it to the pane that compares (UI_LEAD_COMPARE), and that pane
 * passes it to its worker.  Also: marks on lines of a list, to compare these lines with the others. */
#ifndef COMPARE_SET_H
#define COMPARE_SET_H

#include "analysis/request/request.h"
#include "analysis/compare/set.h"
#include "ui/core/ui_shell.h"

enum compare_what {
	COMPARE_TYPED,  /* the result of ana_set_find() for SPEC */
	COMPARE_ASKED,  /* the requests that ROW sent */
	COMPARE_LISTED, /* the requests of a list: ana_request_scope_each() */
	COMPARE_CASES,  /* latencies of KIND, of ROW or of all threads */
	COMPARE_WHATS
};

/* The command line that compares slow with fast cases.  If LINE (may be NULL) is not about requests or spans,
 * the first sentence of the overview that is replaces it.  If there is none: all requests if their packets
 * were recorded, otherwise all spans.  The caller frees. */
char *compare_set_line(const struct ui_shell *shell, const struct ana_overview_line *line);

/* Reference-counted, because the screen and a worker use it.  It does not change after it was passed on. */
struct compare_set {
	enum compare_what what;
	char *name;                    /* "requests of client/wk-client[572]", for titles; owned */
	char *spec, *kind;             /* owned, NULL: none */
	const struct ana_rules *rules; /* the rules that contain KIND; weak, NULL: KIND is not a rule */
	enum ana_request_scope scope;
	uint32_t row;
	int64_t from, to;
	bool hide_tracer; /* leave out the tracer's own threads */
	/* of struct ana_set_interval: the marked ones, compared with the rest; owned, NULL: none */
	GArray *marked;
};

/* Make a set for the selection, else the window, of SHELL.  Takes ownership of NAME.  Free with
 * compare_set_unref(). */
struct compare_set *compare_set_new(const struct ui_shell *shell, enum compare_what what, char *name);
struct compare_set *compare_set_ref(struct compare_set *set);
void compare_set_unref(struct compare_set *set);
/* True if A and B describe the same set. */
bool compare_set_same(const struct compare_set *a, const struct compare_set *b);
/* Find the intervals of SET in Q.  If lines are marked, each interval gets the key "marked" or "the rest".
 * NULL with an error of ana_set_find().  The caller frees. */
struct ana_set *compare_set_find(struct qry *q, const struct compare_set *set, struct base_progress *progress,
	GError **error);

/* ---- marked lines ---- */

/* Mark the interval [FROM, TO) (ns) of ROW, or remove its mark.  *MARKS is owned; NULL: no marks.  Shows a
 * message about what marks are for. */
void compare_set_mark(const struct ui_pane *pane, GArray **marks, uint32_t row, int64_t from, int64_t to);
/* True if the interval [FROM, TO) of ROW is marked. */
bool compare_set_is_marked(const GArray *marks, uint32_t row, int64_t from, int64_t to);
/* Copy MARKS into SET if there are two or more.  False, with a message, if there is exactly one. */
bool compare_set_take_marks(struct compare_set *set, const struct ui_pane *pane, const GArray *marks);
/* _text(): MARKS as a text (ui_fields.h), NULL: none; the caller frees.  compare_set_marks() reads it
 * back. */
char *compare_set_marks_text(const GArray *marks);
GArray *compare_set_marks(const char *text);
/* Draw the sign of a marked line at column X of line Y. */
void compare_set_draw_mark(const struct term_area *area, unsigned x, unsigned y);

#endif
