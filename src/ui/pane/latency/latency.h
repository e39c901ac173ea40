/* SPDX-License-Identifier: MIT */
/* The inside of the pane of latencies.  Only its files include it. */
#ifndef LATENCY_H
#define LATENCY_H

#include "analysis/latency/latency.h"
#include "ui/core/ui_shell.h"
#include "ui/widget/ask_worker.h"
#include "ui/widget/compare_set.h"
#include "ui/widget/list_pane.h"

#define LATENCY_TOP 1000    /* maximum number of cases in the list */
#define LATENCY_EXPLAINED 8 /* cases explained in one question, so that the first explanations appear soon */

/* The latencies of all threads, or of the selected one. */
enum latency_scope { LATENCY_ALL, LATENCY_THREAD, LATENCY_SCOPE_N };
/* The content of the list. */
enum latency_table { LATENCY_CASES, LATENCY_GROUPS, LATENCY_KINDS, LATENCY_TABLES };
/* The part in which the keys Left, Right and Enter work. */
enum latency_part { LATENCY_LIST, LATENCY_COLUMNS, LATENCY_CLASSES };

/* A measurement. */
struct latency_measure {
	const char *kind;              /* one of ana_latency_kinds(), or the name of one of these: */
	const struct ana_rules *rules; /* NULL: KIND is not a rule */
	enum latency_scope scope;
	uint32_t row;     /* MDL_NONE: all threads */
	int64_t from, to; /* the selection, else the window */
	bool hide_tracer; /* for all threads: leave out the tracer's own */
	enum ana_latency_by by;
	const char *only; /* as in struct ana_latency_options, interned */
	uint64_t only_id;
	unsigned columns; /* 0: only figures */
	bool open;        /* also unfinished cases */
};

/* A question for the worker. */
struct latency_question {
	enum latency_what { LATENCY_ASK_LIST, LATENCY_ASK_CAUSES, LATENCY_ASK_FIGURES } what;
	struct latency_measure measure;
	unsigned n; /* LATENCY_ASK_CAUSES: explain the first N cases */
	struct ana_latency_case cases[LATENCY_EXPLAINED];
};

/* A case of the list. */
struct latency_line {
	struct ana_latency_case c;
	bool explained;
};

/* A kind, and its line in the list of kinds. */
struct latency_kind {
	const char *name;              /* weak */
	const struct ana_rules *rules; /* weak; NULL: it is not a rule */
	bool known;
	struct base_figures f;
	char *problem; /* why there are no figures; owned, NULL */
};

struct latency {
	struct ui_pane pane;
	enum latency_what busy; /* the type of the worker's present question */
	enum latency_scope scope;
	struct latency_kind *kinds;   /* owned, N_KINDS: the built-in kinds, then the rules */
	unsigned n_kinds, kind;       /* KIND: the index of the present one */
	struct latency_measure asked; /* the measurement of the list, or of the busy worker */
	struct ana_latency *list;     /* owned, possibly not complete; NULL: see problem */
	struct latency_measure shown; /* the measurement of LIST, which stays until the next list is there */
	char *problem;                /* why there is no list; owned, NULL while it is made */

	enum latency_table table;
	struct list lists[LATENCY_TABLES];
	GArray *lines;    /* of struct latency_line: the worst of the picked cases, by rank; NULL: none */
	GArray *marks;    /* of cases to compare with the rest; owned, NULL: none */
	char *kept_marks; /* the marks as a text, for a view that is kept; owned */
	struct compare_set *compared; /* passed to the shell; owns a reference, NULL */
	bool open;                    /* cases are those that did not end, the oldest first, not the worst */
	enum latency_part part;
	enum ana_latency_by by; /* how groups are made: those in the table, or the only one that is shown: */
	const char *only;       /* interned; NULL: all */
	uint64_t only_id;
	int64_t pick_from, pick_to; /* if PICKED: only latencies in [pick_from, pick_to), ns: whole buckets */
	unsigned column;            /* the selected column in the part LATENCY_COLUMNS */
	unsigned pick_end;          /* the bucket at the moving end of the pick */
	unsigned classes_x, classes_y, classes_width, classes_lines; /* place of the buckets on the screen */
	unsigned columns_y, columns_lines; /* place of the columns; 0 lines: not drawn */

	struct latency_measure counted; /* the measurement of all figures, except for its kind */

	int pending;              /* 1, -1: "next worst", "previous worst" waits for the list; 0: neither */
	char *said;               /* the message about the case gone to, without its cause; owned, NULL */
	int64_t own_from, own_to; /* while this is the window, which going to a case made, */
	uint32_t own_row;         /* or this the row, to which an opened wait led, the list stays */
	bool has_asked, picked;   /* ASKED is valid; PICK_FROM and PICK_TO are valid */
	bool chosen;              /* a key selected the case: it stays selected while the list grows */
	bool gone; /* the selected case is on the screen: "next worst" goes to the one after it */
	const char *kept_kind, *kept_by; /* names, for a view that is kept; weak */
};

static inline const struct base_bucket *latency_bucket(const struct latency *l, unsigned i)
{
	return &g_array_index(l->list->histogram, struct base_bucket, i);
}

/* The case of RANK, counted from 0. */
static inline struct latency_line *latency_line(const struct latency *l, unsigned rank)
{
	return &g_array_index(l->lines, struct latency_line, rank);
}

/* The rank of LINE of the list. */
static inline unsigned latency_rank(const struct latency *l, unsigned line)
{
	return g_array_index(l->lists[LATENCY_CASES].order, guint, line);
}

/* True if the list has the groups that are wanted. */
static inline bool latency_has_groups(const struct latency *l)
{
	return l->list && l->list->by == l->by;
}

/* True if the list shows unfinished cases. */
static inline bool latency_shows_open(const struct latency *l)
{
	return l->table == LATENCY_CASES && l->open;
}

static inline bool latency_is_open(const struct ana_latency_case *c)
{
	return c->end == MDL_NEVER;
}

/* True for the kind from wake-up to running, which has its own words. */
static inline bool latency_is_wakeup(const struct latency *l)
{
	return l->kind == 0;
}

/* ---- latency_ask.c: the worker ---- */

/* Make the list of kinds. */
void latency_ask_init(struct latency *l);
extern const struct ask_kind latency_ask_kind;
/* Ask the worker for the list that should be shown, unless that was done.  If there can be none, l->problem
 * says why. */
void latency_ask(struct latency *l);
/* Like latency_ask(), for the row and the time of ASKED. */
void latency_ask_again(struct latency *l, const struct latency_measure *asked);
/* Wait up to MS milliseconds for the worker, and ask it the next question.  True if there is more to do. */
bool latency_ask_wait(struct latency *l, unsigned ms);
/* True if the worker makes a list. */
bool latency_ask_measures(const struct latency *l);
/* Stop making the list; an existing list stays.  False if none is being made. */
bool latency_ask_stop(struct latency *l);
/* The hook make() of struct ui_result: the result of the struct latency_measure MEASURED for a file: worst
 * cases and statistics, or groups if it makes groups. */
void *latency_ask_whole(struct qry *q, void *measured, struct base_progress *progress, GError **error);
/* Forget list and figures. */
void latency_ask_clear(struct latency *l);

/* ---- latency_ask.c: the list, and the picked part of it ---- */

/* The picked buckets, [*FIRST, *END); all of them if none is picked. */
void latency_list_buckets(const struct latency *l, unsigned *first, unsigned *end);
/* Make the lines again for the picked buckets. */
void latency_list_make(struct latency *l);
/* Show the cases that did not end (OPEN), or the worst; makes the lines again if these are others. */
void latency_list_open(struct latency *l, bool open);
/* The line of the case of RANK; 0 if the filter hides it. */
unsigned latency_list_line(const struct latency *l, unsigned rank);

/* ---- latency_rows.c: the rows of the three lists ---- */

/* Make the lists; clear them. */
void latency_rows_init(struct latency *l);
void latency_rows_clear(struct latency *l);
/* The subject of case C: "wk-rt[547]", "IRQ 28 virtio2-req.0", "vdb write for wk-ioburst[957]".  The caller
 * frees. */
char *latency_list_label(const struct latency *l, const struct ana_latency_case *c);
/* Fill TABLE with what there is: l->lines; the groups of l->list; l->kinds. */
void latency_rows_fill(struct latency *l, enum latency_table table);
extern const struct list_kind latency_rows_kind; /* of cases */
/* Pick the buckets FIRST to LAST. */
void latency_list_pick(struct latency *l, unsigned first, unsigned last);

/* ---- latency_go.c: going to cases, groups and kinds ---- */

/* Go to the case of RANK, or to case C, which may not be in the list. */
void latency_go(struct latency *l, unsigned rank);
void latency_go_to(struct latency *l, const struct ana_latency_case *c);
/* Go to the next (BY 1) or previous (BY -1) worst case, from anywhere. */
void latency_go_step(struct latency *l, int by);
/* Call latency_ask_wait(), then do what waited for its answer: a step, a message with the cause. */
bool latency_go_on(struct latency *l, unsigned ms);
/* Open the account of case C, if it has one; or, if BEFORE, the wait that ended with the wake-up of its
 * thread. */
void latency_go_open(struct latency *l, const struct ana_latency_case *c, bool before);
/* Select the next (BY 1) or previous (BY -1) column in which a case begins, or (BY 0) the one at or before
 * the cursor.  The cursor goes to that case. */
void latency_go_column(struct latency *l, int by);

/* Use the selected line of a table: show only the cases of its group, or its kind. */
void latency_table_take(struct latency *l);
/* Show the cases of KIND, an index into l->kinds. */
void latency_table_take_kind(struct latency *l, unsigned kind);
/* Show the groups; if they are shown, those of the next type that the kind has. */
void latency_table_groups(struct latency *l);

/* ---- latency_draw.c ---- */

/* The hook "title": "Worst latencies of all threads  12.0 ms in view  1234 wake-ups". */
void latency_draw_title(struct ui_pane *pane, GString *title);
/* Draw statistics, histogram, columns and the list; the selected line is scrolled into view. */
void latency_draw(struct latency *l, const struct term_area *area);

/* The mouse points at X, Y: pick the bucket or select the column there.  False if there is none. */
bool latency_plot_point(struct latency *l, unsigned x, unsigned y);

#endif
