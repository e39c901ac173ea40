/* SPDX-License-Identifier: MIT */
/*
 * The pane of a list: it shows the rows of any table.
 *
 *   asks      a worker, for the selected thread, its process or all threads, in the selection or the window;
 *             the rows so far are shown a few times a second.  A move from here does not change the list
 *   shows     the columns that fit: those of a command, of the configuration, or of the kind of list; what
 *             has no room stands below, for the selected row; bars where there is room
 *   arranges  by any column, both ways; only the rows that a filter lets through; and searches in cells
 *   leads     to the place of a row
 *
 * A list of its own is a struct list_kind, a table of fields, a const struct ui_pane_ops with LIST_HOOKS, and if it
 * needs more, hooks in the kind.  Its struct begins with a struct list.
 */
#ifndef LIST_PANE_H
#define LIST_PANE_H

#include "ui/core/ui_fields.h"
#include "ui/widget/ask_worker.h"
#include "ui/widget/list_rows.h"
#include "ui/widget/list_view.h"
#include "ui/widget/subject.h"

#define LIST_BATCH 16 /* rows that are completed at once */

struct list;

struct list_kind {
	const struct table *table;
	const char *title, *narrow; /* "Causes of waiting"; on narrow screens "Waiting" */
	/* Names of columns in their order on the screen, "NAME" or "NAME=HEADING"; one with "?" behind it only
	 * if all others fit.  NULL: all columns, long texts last. */
	const char *columns;
	bool is_part;     /* the rows are a part of more, in their order: they are not sorted here; the
		       * last column can be scrolled, and gives way first */
	bool whole;       /* it is about the whole trace, and nobody */
	const char *sort; /* the first order, by a column; NULL: that of the table */
	/* Columns that tell a row while its other cells change, NULL-terminated; NULL: rows do not change. */
	const char *const *keys;
	/* Lines that the cells without room have below the list at most; 0: one, or two if they need them. */
	unsigned rest;
	const char *none; /* what to say of an empty list */
	/* A message of the command scope for each scope; NULL: the list has none.  Bit I of OF_ALL: scope I does
	 * not depend on the selected row. */
	const char *const *scopes_said;
	unsigned of_all;
	/* N_WAYS ways to sum up in a row (BY of struct table_question), and a message of the command fold for each. */
	const char *const *ways, *const *ways_said;
	unsigned n_ways;
	/* Complete Q, whose row and time are set and can be changed (NULL hook: nothing to do).  Returns why
	 * there is no answer (static); NULL: there is. */
	const char *(*ask)(const struct list *l, struct table_question *q);
	char *(*whose)(const struct list *l); /* for the title; the caller frees.  NULL: nobody's */
	/* Draw below the last row, from line Y on. */
	void (*below)(const struct list *l, const struct term_area *area, unsigned y);
	bool (*command)(struct list *l, enum ui_command command); /* before those of the list */
	/* True if ROW has a mark, to compare it with the others; NULL: no row has one. */
	bool (*is_marked)(const struct list *l, guint row);
	/* Find what was searched for in the TEXT of COLUMN, from byte *TO on: bytes [*FROM, *TO).  False: it is not
	 * there.  NULL: the list's own search. */
	bool (*found)(const struct list *l, guint row, unsigned column, const char *text, int *from, int *to);
	/* The look of a cell; NULL, or TERM_ROLE_TEXT: as in all lists. */
	enum term_role (*role)(const struct list *l, guint row, unsigned column);
	/* Rows of a smaller number stand before others, however they are sorted; NULL: all are of one group. */
	unsigned (*group)(const struct list *l, guint row);
	/* The text that ROW has in place of cells, over the whole width (the caller frees); NULL: it has cells. */
	char *(*across)(const struct list *l, guint row);
	void (*forget)(struct list *l); /* there are other rows; NULL: nothing to forget */
	size_t at;                      /* of a list that is a part: where it is in the struct of its pane; */
	struct list *(*within)(struct ui_pane *pane); /* or, of several, the one that is shown */
};

/* A column on the screen. */
struct list_place {
	unsigned column; /* of the rows */
	unsigned x, w;   /* of text; */
	unsigned bar;    /* and of a bar behind it */
};

struct list {
	struct ui_pane pane;
	struct ui_pane *self;         /* weak: PANE, or the pane that this list is a part of */
	const struct list_kind *kind; /* weak: that of the operations, unless the pane has another one */
	unsigned scope, way;
	char *sort;             /* name of a column; owned, NULL: the kind's */
	bool reversed;          /* the other direction than the first one of this column */
	char *filter, *columns; /* owned, NULL: none; the kind's */
	char *find;             /* what was searched for; owned, NULL: nothing */
	unsigned find_line;     /* where the search began */
	struct asking ask;
	unsigned delay; /* ms before the worker begins, and the screen does not wait for it */
	uint32_t row;   /* the selected row, for which it was asked; MDL_NONE: for all */
	int64_t from, to;
	struct table_question asked; /* with what the hook ask() made of ROW, FROM and TO */
	struct list_part *part;      /* owned; NULL: no rows yet */
	/* Completes rows, if the table needs it (owned); the rows that it is asked for. */
	struct ask_worker *completer;
	guint completing[LIST_BATCH], n_completing;
	guint n_complete; /* rows that are complete */
	bool needs_all;   /* order or filter needs all rows complete */
	GArray *order;    /* of guint: the rows that are shown, in their order */
	struct list_view view;
	unsigned scrolled; /* columns that the last column is scrolled to the left */
	struct list_place places[TABLE_COLUMNS_MAX]; /* at the last draw */
	unsigned n_places;
	unsigned heading_y; /* the line of the headings in the pane */
	bool on_heading;    /* the mouse pressed the heading */
};

/* Of a list that is about one thing, and its place. */
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
/* Those of the list MEMBER of OF, and the last ones.  NOLINTBEGIN(bugprone-macro-parentheses) */
#define LIST_PART_FIELDS(of, member)                                                              \
	UI_FIELD(TEXT, "sort", of, member.sort), UI_FIELD(FLAG, "reversed", of, member.reversed), \
		UI_FIELD(TEXT, "filter", of, member.filter), UI_FIELD(TEXT, "columns", of, member.columns)
#define LIST_PART_PLACES(of, member) \
	UI_FIELD_PLACE(TEXT, "find", of, member.find), UI_FIELD_LIST(of, member.view)
/* NOLINTEND(bugprone-macro-parentheses) */

/* The hooks that a list has in any case; those that one of a certain table has; those that one with a struct of its
 * own can wrap. */
#define LIST_ANY_HOOKS                                                                            \
	.place = UI_PLACE_LOWER, .work = list_work, .command = list_command, .point = list_point, \
	.result = list_result, .time = list_time, .title = list_title, .draw = list_draw
#define LIST_VIEW_HOOKS \
	LIST_ANY_HOOKS, .init = list_init, .carry = list_carry, .words = list_words, .columns = list_columns
#define LIST_HOOKS                                                                                  \
	LIST_VIEW_HOOKS, .size = sizeof(struct list), .clear = list_clear, .changed = list_changed, \
			 .to_keep = list_to_keep, .restore = list_restore

/* The last hints of a list of any columns. */
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

/* Ask what is wanted now, unless it was. */
void list_ask(struct list *l);
/* Ask again: the answer is another one by now.  The selected line stays where it is. */
void list_ask_again(struct list *l);
/* Another question was typed: show the pane, and ask.  Order, filter and columns are those of the kind again, and
 * the first line is selected. */
void list_begin(struct list *l);

/* ---- lists that are parts of a pane, which finds the rows itself ---- */

/* L, of zeros, becomes a list of PANE.  _clear(): release what it has. */
void list_embed(struct list *l, struct ui_pane *pane, const struct list_kind *kind);
void list_embed_clear(struct list *l);
/* For the hook "carry": L is sorted as BEFORE was. */
void list_carry_order(struct list *l, const struct list *before);
/* Show the rows of PART (takes ownership; NULL: none).  The row with the number of the selected one stays selected. */
void list_show(struct list *l, struct list_part *part);
/* All rows of TABLE for the question ASK, as far as there is room, as a list of KIND has them; the caller frees.  NULL
 * with an error. */
struct list_part *list_read_all(const struct list_kind *kind, struct qry *q, const struct table_question *ask,
	GError **error);
/* Show N elements of SIZE bytes from ROWS on: rows of the table of L's kind, whose columns have CONTEXT. */
void list_fill(struct list *l, const void *context, const void *rows, guint n, gsize size);
/* Do COMMAND, which sorts, filters, searches or moves in the rows.  False: it does nothing of that. */
bool list_part_command(struct list *l, enum ui_command command);
/* Drop the search, else the filter.  False: there is none. */
bool list_leave_search(struct list *l);
/* The mouse points at X, Y of the pane's area: sort by a heading, or select a line.  False: nothing of L is there. */
bool list_point_at(struct list *l, unsigned x, unsigned y);
/* Draw headings and rows from line Y of AREA, the pane's area, on. */
void list_draw_at(struct list *l, const struct term_area *area, unsigned y);

/* ---- list_cells.c ---- */

/* The list that is shown in PANE. */
struct list *list_of(struct ui_pane *pane);
/* The selected row; its number among all rows in *ROW.  False: there is none. */
bool list_selected(const struct list *l, guint *row);
/* The text of the column called NAME in the selected row; NULL: none.  Weak. */
const char *list_selected_word(const struct list *l, const char *name);
/* The number of the column by which rows are sorted; the number of columns: by none. */
unsigned list_sorted_by(const struct list *l);
/* True if rows are sorted downwards by COLUMN at first: the largest number is the first row. */
bool list_falls(const struct table_column *column);
/* The text of CELL of COLUMN on the screen; "" if it is unknown.  The caller frees. */
char *list_text(const struct list *l, unsigned column, const struct list_cell *cell);
/* The heading of COLUMN, without the sign of its alignment. */
const char *list_heading(const struct table_column *column);

struct list_choice {
	unsigned column;
	bool is_spared; /* it is shown only if all others fit */
};

/* Put the columns that are wanted into CHOSEN (TABLE_COLUMNS_MAX), in order; returns how many they are: those of
 * the command columns, else of the configuration, else of the kind. */
unsigned list_choose(const struct list *l, struct list_choice *chosen);

/* ---- hooks of kinds whose scopes are those of subject.h ---- */

#define LIST_OF_ALL (1u << SCOPE_USER | 1u << SCOPE_ALL)
const char *list_ask_threads(const struct list *l, struct table_question *q);
char *list_whose_threads(const struct list *l);

/* ---- list_find.c: which rows are shown, and search ---- */

/* Filter and sort the rows again.  SELECTED (UINT_MAX: none) is the row that stays selected, if it is shown. */
void list_arrange(struct list *l, guint selected);
/* Ask for a filter; ask for a text to find; go to the next (BY 1) or previous (BY -1) row with it. */
void list_filter_ask(struct list *l);
void list_find_ask(struct list *l);
void list_find_step(struct list *l, int by);

/* ---- list_draw.c ---- */

void list_draw(struct ui_pane *pane, const struct term_area *area);

#endif
