/* SPDX-License-Identifier: MIT */
/*
 * The pane of a list: it shows the rows of any table.
 *
 *   asks      its worker, about the selected thread, its process or all threads, in the selection or the
 *             window; shows the rows so far a few times a second.  Moving on from the list does not change it
 *   shows     the columns that fit: those of a command, of the configuration, or of the kind of list; bars if
 *             there is room; below the list, the cells of the selected row that do not fit
 *   arranges  rows by any column, both ways; filters rows; searches in cells
 *   leads     to the place of a row
 *
 * To add a list, define a struct list_kind, a table of fields, and a const struct ui_pane_ops with
 * LIST_HOOKS.  If it needs more, set hooks of the kind.  If it has a struct of its own, that begins with a
 * struct list.
 */
#ifndef LIST_PANE_H
#define LIST_PANE_H

#include "ui/core/ui_fields.h"
#include "ui/widget/ask_worker.h"
#include "ui/widget/list_rows.h"
#include "ui/widget/list_view.h"
#include "ui/widget/subject.h"

#define LIST_BATCH 16 /* rows that are completed together */

struct list;

struct list_kind {
	const struct table *table;
	const char *title, *narrow; /* "Causes of waiting"; "Waiting" on narrow screens */
	/* Names of columns in their order on the screen: "NAME" or "NAME=HEADING", with a "?" after it if the
	 * column is shown only if all others fit.  NULL: all columns, long texts last. */
	const char *columns;
	/* The list has only a section of all rows, so it does not sort them.  The last column can be
	 * scrolled, and is narrowed first. */
	bool is_part;
	bool whole;       /* it is about the whole trace, not about a row or a window */
	const char *sort; /* the column of the initial order; NULL: the table's order */
	/* Columns that identify a row while its other cells change, NULL-terminated; NULL: rows do not
	 * change. */
	const char *const *keys;
	/* Lines below the list for cells that do not fit; 0: one, or two if they are needed. */
	unsigned rest;
	const char *none; /* the text in an empty list */
	/* The message of the command scope for each scope; NULL: the list has no scopes.  Bit I of OF_ALL:
	 * scope I does not depend on the selected row. */
	const char *const *scopes_said;
	unsigned of_all;
	/* N_WAYS ways to group rows (BY of struct table_question), and the message of the command fold for
	 * each. */
	const char *const *ways, *const *ways_said;
	unsigned n_ways;
	/* Complete Q, whose row and time are set and can be changed.  Returns why there is no answer
	 * (static); NULL: there is one.  NULL hook: Q is complete. */
	const char *(*ask)(const struct list *l, struct table_question *q);
	char *(*whose)(const struct list *l); /* for the title; the caller frees.  NULL: nobody's */
	/* Draw below the last row, from line Y on. */
	void (*below)(const struct list *l, const struct term_area *area, unsigned y);
	bool (*command)(struct list *l, enum ui_command command); /* called before the list's own commands */
	/* True if ROW is marked, to compare it with the others.  NULL hook: no row is. */
	bool (*is_marked)(const struct list *l, guint row);
	/* Find the searched text in TEXT, that of COLUMN, from byte *TO on.  The match becomes bytes [*FROM,
	 * *TO).  False: not found.  NULL hook: the list's own search. */
	bool (*found)(const struct list *l, guint row, unsigned column, const char *text, int *from, int *to);
	/* The look of a cell; TERM_ROLE_TEXT, or a NULL hook: as in all lists. */
	enum term_role (*role)(const struct list *l, guint row, unsigned column);
	/* Rows with a smaller group number come first, in every order.  NULL hook: one group. */
	unsigned (*group)(const struct list *l, guint row);
	/* A text over the whole width in place of ROW's cells; the caller frees.  NULL: ROW has cells. */
	char *(*across)(const struct list *l, guint row);
	void (*forget)(struct list *l); /* called when the rows are replaced; NULL: nothing to forget */
	size_t at;                      /* for a part of a pane: its offset in the pane's struct, */
	struct list *(*within)(struct ui_pane *pane); /* or, if there are several, the shown one */
};

/* A column on the screen. */
struct list_place {
	unsigned column; /* of the rows */
	unsigned x, w;   /* first screen column and width of the text */
	unsigned bar;    /* width of the bar after the text; 0: none */
};

struct list {
	struct ui_pane pane;
	struct ui_pane *self;         /* weak: PANE, or the pane that this list is a part of */
	const struct list_kind *kind; /* weak: that of the operations, unless the pane sets another */
	unsigned scope, way;
	char *sort;             /* name of the column of the order; owned, NULL: the kind's */
	bool reversed;          /* opposite to the initial direction of this column */
	char *filter, *columns; /* owned; filter NULL: none; columns NULL: the kind's */
	char *find;             /* the searched text; owned, NULL: none */
	unsigned find_line;     /* where the search began */
	int find_by;            /* 1: downwards, -1: upwards */
	bool find_first;        /* FIND_LINE itself counts */
	bool finds;             /* search again once all rows are complete */
	struct asking ask;
	unsigned delay; /* ms before the worker begins; if not 0, the screen does not wait for it */
	uint32_t row;   /* the row of the question; MDL_NONE: all rows */
	int64_t from, to;
	struct table_question asked; /* the question as the hook ask() completed it */
	struct list_part *part;      /* owned; NULL: no rows yet */
	/* The worker that completes rows, if the table needs one (owned), and the rows it was asked for. */
	struct ask_worker *completer;
	guint completing[LIST_BATCH], n_completing;
	guint n_complete; /* rows that are complete */
	bool needs_all;   /* the order, the filter or the search needs all rows complete */
	GArray *order;    /* of guint: the shown rows, in their order */
	struct list_view view;
	unsigned scrolled;                           /* columns by which the last column is scrolled */
	struct list_place places[TABLE_COLUMNS_MAX]; /* at the last draw */
	unsigned n_places;
	unsigned heading_y; /* the line of the headings in the pane */
	bool on_heading;    /* the mouse pressed the heading */
};

/* Fields of a list that is about one thing, and of the position in it. */
#define LIST_ONE_FIELDS                                                                           \
	UI_FIELD(TEXT, "sort", list, sort), UI_FIELD(FLAG, "reversed", list, reversed),           \
		UI_FIELD(TEXT, "filter", list, filter), UI_FIELD(TEXT, "columns", list, columns), \
		LIST_PLACES
#define LIST_FIELDS(scopes, n_scopes, ways, n_ways)                                                 \
	UI_FIELD_CHOICE(SCOPE, "scope", list, scope, scopes, n_scopes),                             \
		UI_FIELD_WORDS("by", list, way, ways, n_ways), UI_FIELD(TEXT, "sort", list, sort),  \
		UI_FIELD(FLAG, "reversed", list, reversed), UI_FIELD(TEXT, "filter", list, filter), \
		UI_FIELD(TEXT, "columns", list, columns), UI_FIELD(ROW, "row", list, row),          \
		UI_FIELD(TIME, "from", list, from), UI_FIELD(END, "to", list, to), ASKING_FIELDS(list)
/* The last fields. */
#define LIST_PLACES UI_FIELD_PLACE(TEXT, "find", list, find), UI_FIELD_LIST(list, view)
/* Fields of the list MEMBER of OF, and of the position in it.  NOLINTBEGIN(bugprone-macro-parentheses) */
#define LIST_PART_FIELDS(of, member)                                                              \
	UI_FIELD(TEXT, "sort", of, member.sort), UI_FIELD(FLAG, "reversed", of, member.reversed), \
		UI_FIELD(TEXT, "filter", of, member.filter), UI_FIELD(TEXT, "columns", of, member.columns)
#define LIST_PART_PLACES(of, member) \
	UI_FIELD_PLACE(TEXT, "find", of, member.find), UI_FIELD_LIST(of, member.view)
/* NOLINTEND(bugprone-macro-parentheses) */

/* LIST_ANY_HOOKS: of every list.  LIST_VIEW_HOOKS: of a list of one table.  LIST_HOOKS: of a list without a
 * struct of its own; others wrap them. */
#define LIST_ANY_HOOKS                                                                            \
	.place = UI_PLACE_LOWER, .work = list_work, .command = list_command, .point = list_point, \
	.result = list_result, .time = list_time, .title = list_title, .draw = list_draw
#define LIST_VIEW_HOOKS \
	LIST_ANY_HOOKS, .init = list_init, .carry = list_carry, .words = list_words, .columns = list_columns
#define LIST_HOOKS                                                                                  \
	LIST_VIEW_HOOKS, .size = sizeof(struct list), .clear = list_clear, .changed = list_changed, \
			 .to_keep = list_to_keep, .restore = list_restore

/* The last hints of a list. */
#define LIST_HINTS                                                                                          \
	{ UI_CMD_SORT, "order" }, { UI_CMD_FILTER, "only" }, { UI_CMD_SEARCH, "find" },                     \
		{ UI_CMD_COLUMNS, "columns" }, { UI_CMD_MAXIMISE, "large" }, { UI_CMD_CLEAR, "close" },     \
		{ UI_CMD_REVERSE, "reverse" }, { UI_CMD_FOCUS, "other pane" }, { UI_CMD_EXPORT, "export" }, \
	{                                                                                                   \
		UI_CMD_NONE, NULL                                                                           \
	}

void list_init(struct ui_pane *pane);
void list_clear(struct ui_pane *pane);
void list_changed(struct ui_pane *pane, unsigned changes);
bool list_work(struct ui_pane *pane);
bool list_to_keep(struct ui_pane *pane);
void list_carry(struct ui_pane *pane, struct ui_pane *old);
bool list_restore(struct ui_pane *pane, const char *kept, GError **error);
bool list_command(struct ui_pane *pane, enum ui_command command);
void list_words(struct ui_pane *pane, enum ui_command command, GPtrArray *words);
void list_columns(const struct ui_pane_ops *ops, GPtrArray *names);
void list_point(struct ui_pane *pane, unsigned x, unsigned y);
bool list_result(struct ui_pane *pane, struct ui_result *result);
bool list_time(struct ui_pane *pane, uint32_t *row, int64_t *from, int64_t *to);
void list_title(struct ui_pane *pane, GString *title);

/* Ask the present question, unless it was asked already. */
void list_ask(struct list *l);
/* Ask the same question again, because the answer may have changed.  The selected line keeps its number. */
void list_ask_again(struct list *l);
/* Begin a new question: show the pane, and ask.  Order, filter and columns become those of the kind, and the
 * first line is selected. */
void list_begin(struct list *l);

/* ---- lists that are parts of a pane; the pane itself finds the rows ---- */

/* Make L, initially zeros, a list of PANE.  _clear(): free what it owns. */
void list_embed(struct list *l, struct ui_pane *pane, const struct list_kind *kind);
void list_embed_clear(struct list *l);
/* For the hook "carry": sort L like BEFORE. */
void list_carry_order(struct list *l, const struct list *before);
/* Show the rows of PART (takes ownership; NULL: none).  The number of the selected row stays. */
void list_show(struct list *l, struct list_part *part);
/* The rows of KIND's table for the question ASK, up to the limits of list_rows.h.  The caller frees.  NULL
 * with an error. */
struct list_part *list_read_all(const struct list_kind *kind, struct qry *q, const struct table_question *ask,
	GError **error);
/* Show N elements of SIZE bytes from ROWS on: rows of the table of L's kind.  CONTEXT is passed to its
 * columns. */
void list_fill(struct list *l, const void *context, const void *rows, guint n, gsize size);
/* Run COMMAND if it sorts, filters, searches or moves in the rows.  False if it does not. */
bool list_part_command(struct list *l, enum ui_command command);
/* Drop the search, else the filter.  False if there is neither. */
bool list_leave_search(struct list *l);
/* Handle the mouse at X, Y of the pane's area: sort by a heading, or select a line.  False if nothing of L is
 * there. */
bool list_point_at(struct list *l, unsigned x, unsigned y);
/* Draw headings and rows from line Y of AREA (the pane's area) on. */
void list_draw_at(struct list *l, const struct term_area *area, unsigned y);

/* ---- list_cells.c ---- */

/* The shown list of PANE. */
struct list *list_of(struct ui_pane *pane);
/* *ROW becomes the number of the selected row, among all rows.  False if none is selected. */
bool list_selected(const struct list *l, guint *row);
/* The text of the column called NAME in the selected row, weak; NULL: none. */
const char *list_selected_word(const struct list *l, const char *name);
/* The number of the column by which rows are sorted; the number of columns if none. */
unsigned list_sorted_by(const struct list *l);
/* True if COLUMN's initial order has the largest number first. */
bool list_falls(const struct table_column *column);
/* The text of CELL of COLUMN on the screen; "" if unknown.  The caller frees. */
char *list_text(const struct list *l, unsigned column, const struct list_cell *cell);

struct list_choice {
	unsigned column;
	bool is_spared; /* shown only if all other columns fit */
};

/* Put the wanted columns into CHOSEN (TABLE_COLUMNS_MAX), in order: those of the command columns, else of the
 * configuration, else of the kind.  Returns their number. */
unsigned list_choose(const struct list *l, struct list_choice *chosen);

/* Tell the user of a comparison of all rows, if the list has a filter. */
void list_tell_all(const struct list *l);

/* ---- hooks of kinds with the scopes of subject.h ---- */

#define LIST_OF_ALL (1u << SCOPE_USER | 1u << SCOPE_ALL)
/* The hooks ask() and whose() of struct list_kind. */
const char *list_ask_threads(const struct list *l, struct table_question *q);
char *list_whose_threads(const struct list *l);

/* ---- list_find.c: filter, order and search ---- */

/* Filter and sort the rows again.  Row SELECTED (UINT_MAX: none) stays selected if it is still shown. */
void list_arrange(struct list *l, guint selected);
/* True if rows must still be completed for the order, the filter or the search. */
static inline bool list_lacks_rows(const struct list *l)
{
	return l->part && l->needs_all && l->n_complete < l->part->n;
}
/* N rows are complete now.  After the last one, filter, sort and search again. */
void list_know_rows(struct list *l, guint n);
/* Ask the user for a filter. */
void list_filter_ask(struct list *l);
/* Ask the user for a text to find. */
void list_find_ask(struct list *l);
/* Go to the next (BY 1) or previous (BY -1) row that has the searched text. */
void list_find_step(struct list *l, int by);

/* ---- list_draw.c ---- */

void list_draw(struct ui_pane *pane, const struct term_area *area);

#endif
