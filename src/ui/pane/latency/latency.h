/* SPDX-License-Identifier: MIT */
/* Internals of the latencies pane.  Only its files include this header. */
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
/* The part that the keys Left, Right and Enter control. */
enum latency_part { LATENCY_LIST, LATENCY_COLUMNS, LATENCY_CLASSES };

/* The parameters of a measurement. */
struct latency_measure {
	const char *kind;              /* one of ana_latency_kinds(), or the name of one of RULES */
	const struct ana_rules *rules; /* NULL: KIND is not a rule */
	enum latency_scope scope;
	uint32_t row;     /* MDL_NONE: all threads */
	int64_t from, to; /* the selection, else the window, ns */
	bool hide_tracer; /* for all threads: exclude the tracer's own */
	enum ana_latency_by by;
	const char *only; /* as in struct ana_latency_options, interned */
	uint64_t only_id;
	unsigned columns; /* 0: only figures */
	bool open;        /* include unfinished cases */
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
	char *problem; /* reason why there are no figures; owned, NULL: none */
};

struct latency {
	struct ui_pane pane;
	enum latency_what busy; /* the type of the worker's current question */
	enum latency_scope scope;
	struct latency_kind *kinds; /* owned, N_KINDS: the built-in kinds, then the rules */
	unsigned n_kinds, kind;     /* KIND: index of the current one */
	/* the last measurement asked for: LIST answers it, or the worker is busy with it */
	struct latency_measure asked;
	struct ana_latency *list;     /* owned, possibly not complete; NULL: see problem */
	struct latency_measure shown; /* the measurement of LIST, shown until the next one is ready */
	char *problem;                /* reason why there is no list; owned, NULL while it is made */

	enum latency_table table;
	struct list lists[LATENCY_TABLES];
	GArray *lines;    /* of struct latency_line: the worst of the picked cases, by rank; NULL: none */
	GArray *marks;    /* of cases to compare with the rest; owned, NULL: none */
	char *kept_marks; /* the marks as text, for a kept view; owned */
	struct compare_set *compared; /* passed to the shell; owns a reference, NULL */
	bool open;                    /* list the unfinished cases, the oldest first, instead of the worst */
	enum latency_part part;
	enum ana_latency_by by; /* the type of the groups in the table, or of the only group shown (ONLY) */
	const char *only;       /* interned; NULL: all */
	uint64_t only_id;
	int64_t pick_from, pick_to; /* if PICKED: only latencies in [pick_from, pick_to), ns, whole buckets */
	unsigned column;            /* the selected column in the part LATENCY_COLUMNS */
	unsigned pick_end;          /* the bucket at the moving end of the pick */
	unsigned classes_x, classes_y, classes_width, classes_lines; /* place of the buckets on the screen */
	unsigned columns_y, columns_lines; /* place of the columns; 0 lines: not drawn */

	struct latency_measure counted; /* the measurement of all figures, apart from its kind */

	int pending; /* 1, -1: "next worst", "previous worst" awaits the list; 0: neither */
	char *said;  /* the last message about a case, without its cause; owned, NULL: none */
	/* window to which the user went from here, ns: while it stays the same, the list stays */
	int64_t own_from, own_to;
	/* row to which an opened wait led: while it stays selected, the list stays */
	uint32_t own_row;
	bool has_asked, picked; /* ASKED is valid; PICK_FROM and PICK_TO are valid */
	bool chosen;            /* a key selected the case, which stays selected while the list grows */
	bool gone; /* the user went to the selected case: "next worst" goes to the one after it */
	const char *kept_kind, *kept_by; /* names, for a kept view; weak */
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

/* True if the list has the wanted groups. */
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

/* True if A and B are one case: several requests of a disk can begin and end together. */
static inline bool latency_is_same(const struct ana_latency_case *a, const struct ana_latency_case *b)
{
	return a->start == b->start && a->latency == b->latency && a->row == b->row && a->number == b->number;
}

/* True for the kind from wake-up to running, whose texts differ. */
static inline bool latency_is_wakeup(const struct latency *l)
{
	return l->kind == 0;
}

/* ---- latency_ask.c: the worker ---- */

/* Make the list of kinds. */
void latency_ask_init(struct latency *l);
extern const struct ask_kind latency_ask_kind;
/* Ask the worker for the list to show, unless it was asked.  If there can be none, l->problem is the
 * reason. */
void latency_ask(struct latency *l);
/* Like latency_ask(), with the time, and the row if one thread is measured, of ASKED. */
void latency_ask_again(struct latency *l, const struct latency_measure *asked);
/* Wait up to MS milliseconds for the worker, and ask the next question.  True if there is more to do. */
bool latency_ask_wait(struct latency *l, unsigned ms);
/* True if the worker is making a list. */
bool latency_ask_measures(const struct latency *l);
/* Stop making the list; an existing list stays.  False if none is being made. */
bool latency_ask_stop(struct latency *l);
/*
 * The hook make() of struct ui_result: measures again for a file.  MEASURED is a struct latency_measure.  The
 * result is a struct ana_latency with the worst cases and statistics, or the groups if MEASURED has a type of
 * groups and does not restrict cases to one of them.  NULL with an error.
 */
void *latency_ask_whole(struct qry *q, void *measured, struct base_progress *progress, GError **error);
/* Drop list and figures. */
void latency_ask_clear(struct latency *l);

/* ---- latency_ask.c: the list, and the picked part of it ---- */

/* The picked buckets, [*FIRST, *END); all buckets if none is picked. */
void latency_list_buckets(const struct latency *l, unsigned *first, unsigned *end);
/* Remake the lines for the picked buckets. */
void latency_list_make(struct latency *l);
/* Show the unfinished cases (OPEN), or the worst; remakes the lines if that changes. */
void latency_list_open(struct latency *l, bool open);
/* The line of the case of RANK; 0 if the filter hides it. */
unsigned latency_list_line(const struct latency *l, unsigned rank);

/* ---- latency_rows.c: the rows of the three lists ---- */

/* _init(): make the lists.  _clear(): free them. */
void latency_rows_init(struct latency *l);
void latency_rows_clear(struct latency *l);
/* The subject of case C: "wk-rt[547]", "IRQ 28 virtio2-req.0", "vdb write for wk-ioburst[957]".  The caller
 * frees. */
char *latency_list_label(const struct latency *l, const struct ana_latency_case *c);
/* Fill TABLE from l->lines, the groups of l->list, or l->kinds. */
void latency_rows_fill(struct latency *l, enum latency_table table);
extern const struct list_kind latency_rows_kind; /* of cases */
/* Pick the buckets FIRST to LAST. */
void latency_list_pick(struct latency *l, unsigned first, unsigned last);

/* ---- latency_go.c: going to cases, groups and kinds ---- */

/* Go to the case of RANK, or to case C, which may not be in the list. */
void latency_go(struct latency *l, unsigned rank);
void latency_go_to(struct latency *l, const struct ana_latency_case *c);
/* Go to the next (BY 1) or previous (BY -1) worst case, also if the pane is hidden. */
void latency_go_step(struct latency *l, int by);
/* Call latency_ask_wait(), then do the actions that waited for its answer: a step, a message with the
 * cause. */
bool latency_go_on(struct latency *l, unsigned ms);
/* Open the account of case C, if it has one; or, if BEFORE, the wait that ended with the wake-up of its
 * thread. */
void latency_go_open(struct latency *l, const struct ana_latency_case *c, bool before);
/* Select the next (BY 1) or previous (BY -1) column with the start of a case, or (BY 0) the one at or before
 * the cursor.  Moves the cursor to that case. */
void latency_go_column(struct latency *l, int by);

/* Use the selected line of a table: show only the cases of its group, or its kind. */
void latency_table_take(struct latency *l);
/* Show the cases of KIND, an index into l->kinds. */
void latency_table_take_kind(struct latency *l, unsigned kind);
/* Show the groups; if they are shown, those of the kind's next type. */
void latency_table_groups(struct latency *l);

/* ---- latency_draw.c ---- */

/* The hook "title": "Worst latencies of all threads  12.0 ms in view  1234 wake-ups". */
void latency_draw_title(struct ui_pane *pane, GString *title);
/* Draw statistics, histogram, columns and the list; the selected line is scrolled into view. */
void latency_draw(struct latency *l, const struct term_area *area);

/* Pick the bucket or select the column at X, Y, where the mouse points.  False if there is none. */
bool latency_plot_point(struct latency *l, unsigned x, unsigned y);

#endif
