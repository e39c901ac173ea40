/* SPDX-License-Identifier: MIT */
/* The inside of the pane of latencies, shared by its files; no other pane includes it. */
#ifndef LATENCY_H
#define LATENCY_H

#include "analysis/latency/latency.h"
#include "ui/core/ui_shell.h"
#include "ui/widget/ask_worker.h"
#include "ui/widget/compare_set.h"
#include "ui/widget/list_view.h"

#define LATENCY_TOP 1000    /* cases in the list */
#define LATENCY_EXPLAINED 8 /* cases that are explained at once, so that the first are told soon */

/* Whose latencies. */
enum latency_scope { LATENCY_ALL, LATENCY_THREAD, LATENCY_SCOPE_N };
/* What the list is of. */
enum latency_table { LATENCY_CASES, LATENCY_GROUPS, LATENCY_KINDS, LATENCY_TABLES };
/* What the keys Left and Right move in, and Enter is about. */
enum latency_part { LATENCY_LIST, LATENCY_COLUMNS, LATENCY_CLASSES };
/* LATENCY_OPEN: not the worst but what is not over, what began first first. */
enum latency_order { LATENCY_BY_LENGTH, LATENCY_BY_TIME, LATENCY_BY_THREAD, LATENCY_OPEN, LATENCY_ORDERS };
enum latency_group_order {
	LATENCY_BY_SUM,
	LATENCY_BY_MAX,
	LATENCY_BY_COUNT,
	LATENCY_BY_NAME,
	LATENCY_GROUP_ORDERS
};

/* What is to be measured. */
struct latency_measure {
	const char *kind;              /* of ana_latency_kinds(), or the name of one of these: */
	const struct ana_rules *rules; /* NULL: a kind */
	enum latency_scope scope;
	uint32_t row;     /* MDL_NONE: all threads */
	int64_t from, to; /* the selection, else the window */
	bool hide_tracer; /* of all threads, without the tracer's own */
	enum ana_latency_by by;
	const char *only; /* as in struct ana_latency_options, interned */
	uint64_t only_id;
	unsigned columns; /* 0: figures alone */
	bool open;        /* besides, what is not over */
};

/* What is asked of the worker. */
struct latency_question {
	enum latency_what { LATENCY_ASK_LIST, LATENCY_ASK_CAUSES, LATENCY_ASK_FIGURES } what;
	struct latency_measure measure;
	unsigned n; /* causes: of these */
	struct ana_latency_case cases[LATENCY_EXPLAINED];
};

/* A case of the list. */
struct latency_line {
	struct ana_latency_case c;
	bool explained;
};

/* A kind, and what the list of kinds tells of it. */
struct latency_kind {
	const char *name;              /* weak */
	const struct ana_rules *rules; /* weak; NULL: it is none of these */
	bool known;
	struct base_figures f;
	char *problem; /* why there are none; owned, NULL */
};

struct latency {
	struct ui_pane pane;
	enum latency_what busy; /* with what, when it is */
	enum latency_scope scope;
	struct latency_kind *kinds;   /* owned, n_kinds: those that there are, then the rules */
	unsigned n_kinds, kind;       /* which one it is */
	struct latency_measure asked; /* what the list answers, or the worker is to measure */
	struct ana_latency *list;     /* owned, maybe but so far; NULL: see problem */
	struct latency_measure shown; /* what the list is of; it stays until another one is there */
	char *problem;                /* why there is none; owned, NULL while it is being made */

	enum latency_table table;
	struct list_view views[LATENCY_TABLES];
	GArray *lines;    /* of struct latency_line: the worst of what is picked, by rank; NULL none */
	GArray *marks;    /* of cases to be compared with the rest; owned, NULL none */
	char *kept_marks; /* the same as a text, of a view; owned */
	struct compare_set *compared; /* handed to the shell; a reference, NULL */
	GArray *ranks; /* of guint: the rank in each line of the list as it is sorted; with lines */
	enum latency_order order;
	enum latency_group_order group_order;
	enum latency_part part;
	enum ana_latency_by by; /* of groups: of the table, or of the one that alone is shown: */
	const char *only;       /* interned; NULL all */
	uint64_t only_id;
	int64_t pick_from, pick_to; /* with picked: only latencies in [pick_from, pick_to), ns: whole buckets
				     */
	unsigned column;            /* in the part of columns */
	unsigned pick_end;          /* the bucket that moves when the pick is made wider */
	unsigned classes_x, classes_y, classes_width, classes_lines; /* where buckets are drawn */
	unsigned columns_y, columns_lines;                           /* where columns are; 0 lines: nowhere */

	struct latency_measure counted; /* what the figures of kinds are of, but for the kind */

	int pending; /* 1, -1: "next worst", "previous worst" waits for the list; 0 neither */
	char *said;  /* what was said of the case gone to, before its cause was known; owned, NULL */
	int64_t own_from, own_to; /* while the window is this one, made by going to a case, or */
	uint32_t own_row; /* the row the one that a wait opened here led to, the list stays what it is */
	bool has_asked, picked; /* ASKED, PICK_FROM and PICK_TO mean something */
	bool chosen;            /* the selected case was, by a key: it stays selected while the list grows */
	bool gone; /* the selected case is on the screen: "next worst" goes to the one after it */
	char *kept_kind, *kept_only, *kept_by; /* names for the time while it is kept; owned */
};

static inline const struct base_bucket *latency_bucket(const struct latency *l, unsigned i)
{
	return &g_array_index(l->list->histogram, struct base_bucket, i);
}

/* The case of RANK, from 0. */
static inline struct latency_line *latency_line(const struct latency *l, unsigned rank)
{
	return &g_array_index(l->lines, struct latency_line, rank);
}

/* The rank of what is in LINE of the list. */
static inline unsigned latency_rank(const struct latency *l, unsigned line)
{
	return g_array_index(l->ranks, guint, line);
}

static inline struct list_view *latency_view(struct latency *l)
{
	return &l->views[l->table];
}

/* Is the list of what is not over? */
static inline bool latency_shows_open(const struct latency *l)
{
	return l->table == LATENCY_CASES && l->order == LATENCY_OPEN;
}

static inline bool latency_is_open(const struct ana_latency_case *c)
{
	return c->end == MDL_NEVER;
}

/* Is it the kind from a wake-up to running, for which there are words of its own? */
static inline bool latency_is_wakeup(const struct latency *l)
{
	return l->kind == 0;
}

/* ---- latency_ask.c: the worker ---- */

/* Have the list of kinds. */
void latency_ask_init(struct latency *l);
extern const struct ask_kind latency_ask_kind;
/* Ask for what should be there, unless it is or was asked for; where there can be none l->problem says why.
 */
void latency_ask(struct latency *l);
/* The same, of the row and the time of ASKED. */
void latency_ask_again(struct latency *l, const struct latency_measure *asked);
/* Wait up to MS milliseconds for the worker, and ask it what is wanted next.  True: there is more to do. */
bool latency_ask_wait(struct latency *l, unsigned ms);
/* Is there a list on the way? */
bool latency_ask_measures(const struct latency *l);
/* Stop what is on the way; a list that is there stays.  False: nothing is. */
bool latency_ask_stop(struct latency *l);
/* The pane is not looked at any more: stop it, too; a list that is not whole is asked for anew. */
void latency_ask_leave(struct latency *l);
/* Of struct ui_result: the list of a struct latency_measure as it is written to a file: the worst, and
 * statistics; groups where that makes them. */
void *latency_ask_whole(struct qry *q, void *measured, struct base_progress *progress, GError **error);
/* Forget list and figures. */
void latency_ask_clear(struct latency *l);

/* ---- latency_list.c: the list, and what of it is picked ---- */

/* Whose case C is: "wk-rt[547]", "IRQ 28 virtio2-req.0", "vdb write for wk-ioburst[957]".  The caller frees.
 */
char *latency_list_label(const struct latency *l, const struct ana_latency_case *c);
/* The buckets from *FIRST up to before *END that are picked; all where nothing is. */
void latency_list_buckets(const struct latency *l, unsigned *first, unsigned *end);
/* Make the lines anew, as picked. */
void latency_list_make(struct latency *l);
/* Show them in ORDER; where that is of other cases, these are asked for. */
void latency_list_order(struct latency *l, enum latency_order order);
/* Sort the groups. */
void latency_list_sort_groups(struct latency *l);
void latency_list_drop(struct latency *l);
/* What is selected and marked is in the list that is there. */
void latency_list_settle(struct latency *l);
/* Select C, if it is in the list, on the line of the screen where it was in VIEW, and GONE as it was. */
void latency_list_select(struct latency *l, const struct ana_latency_case *c, const struct list_view *view,
	bool gone);
/* The line of the list in which the case of RANK is. */
unsigned latency_list_line(const struct latency *l, unsigned rank);
/* Pick the buckets from FIRST to LAST, or (CLEAR) all. */
void latency_list_pick(struct latency *l, unsigned first, unsigned last);
void latency_list_pick_all(struct latency *l);

/* ---- latency_go.c: going to cases ---- */

/* Go to the case of RANK; to C, which may not be in the list. */
void latency_go(struct latency *l, unsigned rank);
void latency_go_to(struct latency *l, const struct ana_latency_case *c);
/* To the next (1) or previous (-1) worst, from anywhere. */
void latency_go_step(struct latency *l, int by);
/* latency_ask_wait(), and what waited for its answer: a step, the cause of the case gone to. */
bool latency_go_on(struct latency *l, unsigned ms);
/* Open the account of case C, if it has one, or the wait BEFORE it, from which its thread was woken. */
void latency_go_open(struct latency *l, const struct ana_latency_case *c, bool before);
/* Select the next column (1), or the one before (-1) or at (0) the selected one, in which a case begins; put
 * the cursor there. */
void latency_go_column(struct latency *l, int by);

/* ---- latency_draw.c ---- */

/* Of the hook "title": "Worst latencies of all threads  12.0 ms in view  1234 wake-ups". */
void latency_draw_title(struct ui_pane *pane, GString *title);
/* Statistics, histogram, columns and the list, which is scrolled so that the selected line is in view. */
void latency_draw(struct latency *l, const struct term_area *area);

/* ---- latency_plot.c ---- */

/* Draw the histogram WIDTH columns a bucket, with its feet on line Y + LINES - 1. */
void latency_plot_classes(struct latency *l, const struct term_area *area, unsigned x, unsigned y,
	unsigned width, unsigned lines);
/* Draw the worst of each column from line Y on. */
void latency_plot_columns(struct latency *l, const struct term_area *area, unsigned y, unsigned lines);
/* The mouse points at X, Y: pick the bucket or select the column there.  False: there is none. */
bool latency_plot_point(struct latency *l, unsigned x, unsigned y);

/* ---- latency_table.c: groups and kinds ---- */

unsigned latency_table_count(const struct latency *l);
/* Draw the groups or the kinds from line Y of AREA on. */
void latency_table_draw(struct latency *l, const struct term_area *area, unsigned y);
/* Take what is selected: only its cases, or its kind. */
void latency_table_take(struct latency *l);
/* Show the cases of this kind, an index of l->kinds. */
void latency_table_take_kind(struct latency *l, unsigned kind);
/* Show the groups, or those of the next sort that there is for the kind. */
void latency_table_groups(struct latency *l);
/* Show only the cases of groups BY a text whose names begin with one of WORDS. */
void latency_table_pick(struct latency *l, enum ana_latency_by by, const char *words);
/* Show the list of kinds. */
void latency_table_kinds(struct latency *l);

#endif
