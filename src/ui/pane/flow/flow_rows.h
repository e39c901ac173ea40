/* SPDX-License-Identifier: MIT */
/*
 * The rows of the control flow: which of them are shown, in which order, in the tree host → CPUs, interrupts,
 * processes with their threads, kernel threads; what of it is folded; what is pinned above all.
 */
#ifndef FLOW_ROWS_H
#define FLOW_ROWS_H

#include "ui/pane/flow/flow_filter.h"

enum flow_kind {
	FLOW_HOST,
	FLOW_CPUS,
	FLOW_IRQS,
	FLOW_KERNEL,
	FLOW_CPU,
	FLOW_IRQ,
	FLOW_PROCESS,
	FLOW_THREAD
};

/*
 * Which rows are there: S(ID, word, what is said).
 */
#define FLOW_SETS(S)                                                   \
	S(TRACE, "active", "rows that do something in the trace")      \
	S(WINDOW, "window", "rows that do something in this window")   \
	S(PATH, "path", "rows on the critical path, in its order")     \
	S(PROCESS, "process", "threads of the selected one's process") \
	S(ALL, "all", "all rows")
enum flow_set {
#define FLOW_SET_ID(ID, word, said) FLOW_SET_##ID,
	FLOW_SETS(FLOW_SET_ID)
#undef FLOW_SET_ID
		FLOW_SET_N
};

/* In which order: O(ID, word, what is said).  All but the first put threads before all else, without a tree.
 */
#define FLOW_ORDERS(O)                                                            \
	O(TRACE, "trace", "sorted by host and process")                           \
	O(TID, "tid", "sorted by TID")                                            \
	O(NAME, "name", "sorted by name")                                         \
	O(CPU, "cpu", "sorted by time on a CPU in this window")                   \
	O(WAIT, "wait", "sorted by time waiting between own work in this window") \
	O(LATE, "latency", "sorted by worst wake-up in this window")              \
	O(FIRST, "first", "sorted by first appearance")
enum flow_order {
#define FLOW_ORDER_ID(ID, word, said) FLOW_ORDER_##ID,
	FLOW_ORDERS(FLOW_ORDER_ID)
#undef FLOW_ORDER_ID
		FLOW_ORDER_N
};

/* What was chosen. */
struct flow_choice {
	enum flow_set set;
	enum flow_order order;
	struct flow_filter *filter; /* NULL none */
};

/* One line of the list. */
struct flow_line {
	enum flow_kind kind;
	uint32_t host;
	uint32_t row; /* MDL_NONE: a heading */
	unsigned depth;
	unsigned children; /* lines below it that pass, folded or not */
	bool folded;
};

/* What others read of it: the lines, how many of them are pinned, the choice; it is changed by the calls
 * below. */
struct flow_rows {
	struct qry *q;      /* weak */
	GArray *items;      /* of struct flow_item */
	uint32_t *item_of;  /* owned: of each row, the index of its item */
	GArray *lines;      /* of struct flow_line; any of the calls below may change them */
	unsigned n_pinned;  /* of them: the first ones */
	GHashTable *folded; /* set of fold keys, see fold_key() */
	struct flow_choice choice;
	struct flow_facts *facts; /* owned; NULL: none are known */
	bool facts_fit;           /* they answer what the choice asks, maybe of another window */
	GArray *path;             /* of uint32_t: rows; NULL none */
	GHashTable *on_path;      /* set of them */
	uint32_t process;         /* the main thread of the process of FLOW_SET_PROCESS */
	GArray *pins;             /* of uint32_t: rows */
	uint32_t kept;            /* shown whatever is chosen; MDL_NONE: none */
	bool hide_tracer;
	unsigned shown; /* bits of enum flow_order: times that are shown whatever is chosen */
};

struct ui_shell;

/* HIDE_TRACER: without the threads of the tracer itself.  SHOWN: bits of enum flow_order, of times that are
 * shown whatever rows are sorted by. */
struct flow_rows *flow_rows_new(struct qry *q, bool hide_tracer, unsigned shown);
void flow_rows_free(struct flow_rows *rows);
/* Choose, pin and fold in ROWS, which are new, as in OLD, whose rows are among them. */
void flow_rows_carry(struct flow_rows *rows, const struct flow_rows *old);

/* What of them is in view: the first line, the selected one; and what was searched, NULL nothing. */
struct flow_seen {
	unsigned top, line;
	bool on_path; /* there are rows of a path */
	char *needle;
};

/* What is chosen, pinned and folded in ROWS, and SEEN, as words, which the caller frees.  And that again,
 * where the needle is the caller's to free; false with an error, and nothing has changed. */
char *flow_rows_text(const struct flow_rows *rows, const struct flow_seen *seen);
bool flow_rows_set_text(struct flow_rows *rows, const struct ui_shell *shell, const char *text,
	struct flow_seen *seen, GError **error);

/* How many threads are shown, and how many there are. */
void flow_rows_count(const struct flow_rows *rows, unsigned *shown, unsigned *all);
/* Whether any row is shown, pinned or not, by what is chosen. */
bool flow_rows_pass_any(const struct flow_rows *rows);

/* Choose as CHOICE says, whose filter gets one more owner; row KEEP (MDL_NONE: none) is shown in any case. */
void flow_rows_choose(struct flow_rows *rows, const struct flow_choice *choice, uint32_t keep);
/* The rows on the path, in its order: of uint32_t, referenced; NULL: there is none. */
void flow_rows_set_path(struct flow_rows *rows, GArray *path, uint32_t keep);
/* The process is that of thread ROW. */
void flow_rows_set_process(struct flow_rows *rows, uint32_t row);
/* Hide the threads of the tracer itself, or show them. */
void flow_rows_hide_tracer(struct flow_rows *rows, bool hide, uint32_t keep);
/* Pin ROW, or no longer. */
void flow_rows_pin(struct flow_rows *rows, uint32_t row);

/* What must be known of the window [FROM, TO); false: nothing is wanted, or it is there. */
bool flow_rows_wants(const struct flow_rows *rows, int64_t from, int64_t to,
	struct flow_facts_question *question);
/* FACTS, an answer to that, are taken over. */
void flow_rows_take(struct flow_rows *rows, struct flow_facts *facts, uint32_t keep);

/* Fold or unfold the line with index LINE; a line that cannot fold: the one above that can.  Returns the
 * line's new index. */
unsigned flow_rows_fold(struct flow_rows *rows, unsigned line);
/* Fold all processes and groups, or unfold them when all are folded. */
void flow_rows_fold_all(struct flow_rows *rows);

/* Unfold whatever something is in that is shown. */
void flow_rows_unfold_all(struct flow_rows *rows);

/* The index of the line of ROW, below the pinned ones where it is there too; UINT32_MAX when there is none.
 */
unsigned flow_rows_find(const struct flow_rows *rows, uint32_t row);
/*
 * The same; it is unfolded and unhidden when it must be (and those unhidden before are hidden again), or its
 * process takes the place of the one shown.
 */
unsigned flow_rows_reveal(struct flow_rows *rows, uint32_t row);
/*
 * The next row after (STEP 1) or before (-1) ROW in the order of the tree, around its end, that
 * is called NEEDLE: a TID, or a part of one of its names, small and large
 * letters alike; "HOST/" before it asks for that host only.  Hidden ones count.  MDL_NONE when there is none.
 */
uint32_t flow_rows_search(const struct flow_rows *rows, uint32_t row, const char *needle, int step);
/* The first one, ROW itself or one behind it: which is shown with this name, else with one of which it is a
 * part, else which had such a name, as a thread has its creator's until it is given another one. */
uint32_t flow_rows_search_first(const struct flow_rows *rows, uint32_t row, const char *needle);

/* ---- flow_lines.c: the lines that are made of what is chosen ---- */

struct flow_item;

/* Make the lines anew. */
void flow_lines_make(struct flow_rows *rows);
/* Whether ITEM is shown, pinned or not. */
bool flow_lines_passes(const struct flow_rows *rows, const struct flow_item *item);
/* By what ORDER sorts ROW, where that is a time, ns; MDL_NEVER: it is not, or not known. */
int64_t flow_lines_measure(const struct flow_rows *rows, uint32_t row, enum flow_order order);
/* Fold a heading, or the process ROW. */
void flow_lines_fold(struct flow_rows *rows, enum flow_kind kind, uint32_t host, uint32_t row, bool folded);
/* What is folded by KEY in OLD is so in ROWS by this one; the caller frees. */
gint64 *flow_lines_key_again(const struct flow_rows *rows, const struct flow_rows *old, gint64 key);

#endif
