/* SPDX-License-Identifier: MIT */
/* The rows of the control flow: the chosen rows and their order; the tree host → CPUs, interrupts, processes
 * with their threads, kernel threads; folded parts; pinned rows. */
#ifndef FLOW_ROWS_H
#define FLOW_ROWS_H

#include "ui/widget/ask_worker.h"

/* ---- flow_filter.c: a worker finds facts about all rows in a window, for sets, filters and orders ---- */

#define FLOW_FACTS_CPUS 8 /* maximum number of CPUs in a question */

/* A question; compared as bytes. */
struct flow_facts_question {
	int64_t from, to; /* the window, ns */
	uint32_t cpu[FLOW_FACTS_CPUS];
	uint32_t n_cpus; /* used elements of CPU; flow_fact.cpus has one bit for each */
	uint32_t late;   /* 1: find the worst latencies, too */
	uint32_t waited; /* 1: in flow_fact.waited, do not count sleeps at the ends of the window */
};

/* Facts about one row. */
struct flow_fact {
	int64_t on_cpu; /* ns on a CPU */
	/*
	 * Time blocked or waiting for a CPU, ns.  If the question has WAITED, a sleep at an end of the window
	 * counts only if it is uninterruptible or killable (a disk, or a lock in the kernel): a thread that
	 * sleeps until there is work does not wait in that sense.
	 */
	int64_t waited;
	int64_t late;    /* longest time from wake-up to running, ns; -1: none, or not asked for */
	uint32_t states; /* a bit for each state that occurred */
	uint8_t cpus;    /* a bit for each CPU of the question, on any host: it ran there */
};

struct flow_facts {
	struct flow_facts_question question;
	uint32_t n;
	struct flow_fact *rows; /* owned: one per row of the experiment */
};

/* The states that occur in CELL: a bit for each. */
static inline uint32_t flow_states(const struct qry_cell *cell)
{
	uint32_t states = 0;

	for (unsigned i = 0; i < QRY_CELL_N; i++)
		states |= cell->ns[i] > 0 ? 1U << i : 0;
	return states;
}

/* The hook answer() of struct ask_kind: find the struct flow_facts that answer QUESTION, a struct
 * flow_facts_question.  NULL with an error. */
void *flow_facts_new(struct qry *q, const void *question, struct base_progress *progress, GError **error);
void flow_facts_free(struct flow_facts *facts);

/* ---- flow_filter.c: the filter ---- */

/*
 * The filter for rows, as it is typed: words separated by blanks.  A row must match all of them.
 *
 *   host:NAME    of this host, or of those whose names contain NAME
 *   state:NAME   in this state at any time in the window ("blocked", "wait-cpu", …)
 *   cpu:N        ran on this CPU at any time in the window
 *   PATTERN      has this name: a part of a name that it has or had, case-insensitive, also as a regular
 *                expression, or the TID
 *
 * A "!" before a word negates it.
 */
struct flow_filter;

/* Make the filter TEXT for the rows of Q; the caller unrefs.  NULL with BASE_ERROR_USAGE if TEXT is not
 * valid. */
struct flow_filter *flow_filter_new(const struct qry *q, const char *text, GError **error);
/* _ref(): add a reference to FILTER, which may be NULL.  _unref(): remove one. */
struct flow_filter *flow_filter_ref(struct flow_filter *filter);
void flow_filter_unref(struct flow_filter *filter);

/* The text of FILTER; owned by it. */
const char *flow_filter_text(const struct flow_filter *filter);
/* Set the CPUs in QUESTION that the filter needs.  True if the filter depends on facts about the window. */
bool flow_filter_asks(const struct flow_filter *filter, struct flow_facts_question *question);
/* True if ROW passes.  FACT: the facts about ROW in the window; NULL: not known yet, and words about states
 * and CPUs pass. */
bool flow_filter_passes(const struct flow_filter *filter, uint32_t row, const struct flow_fact *fact);

/* ---- flow_rows.c: the choice ---- */

enum flow_kind {
	FLOW_HOST,
	FLOW_CPUS,
	FLOW_IRQS,
	FLOW_KERNEL,
	FLOW_CPU,
	FLOW_IRQ,
	FLOW_PROCESS,
	FLOW_THREAD,
	FLOW_SPANS
};

/* Sets of rows: S(ID, word, text for messages). */
#define FLOW_SETS(S)                                                 \
	S(TRACE, "active", "rows that do something in the trace")    \
	S(WINDOW, "window", "rows that do something in this window") \
	S(PATH, "path", "rows on the critical path, in its order")   \
	S(PROCESS, "process", "threads of the selected process")     \
	S(ALL, "all", "all rows")
enum flow_set {
#define FLOW_SET_ID(ID, word, said) FLOW_SET_##ID,
	FLOW_SETS(FLOW_SET_ID)
#undef FLOW_SET_ID
		FLOW_SET_N
};

/* Orders of rows: O(ID, word, text for messages).  The first is the tree.  All others list the threads first,
 * flat, then the tree of the other rows. */
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

/* Ways to match a row.  All except the first also match its TID. */
enum flow_match {
	FLOW_MATCH_WHOLE, /* the whole name that is shown */
	FLOW_MATCH_SHOWN, /* a part of the name that is shown */
	FLOW_MATCH_EVER,  /* a part of any name that it had */
	FLOW_MATCH_N
};

/* A choice of rows. */
struct flow_choice {
	enum flow_set set;
	enum flow_order order;
	struct flow_filter *filter; /* NULL: none */
};

/* One line of the list. */
struct flow_line {
	enum flow_kind kind;
	uint32_t host;
	uint32_t row; /* MDL_NONE: a heading */
	unsigned depth;
	unsigned children; /* lines below it that pass the choice, folded or not */
	bool folded;
	const struct flow_lane *lane; /* FLOW_SPANS: its spans; weak */
};

/* ---- flow_span_find.c: spans (times with a name) in lines above the threads; values in lines below ---- */

#define FLOW_SPANS_MOST 1000000 /* spans that are shown */
#define FLOW_LEVELS 8           /* lines above one thread; further concurrent spans are drawn over others */
#define FLOW_LINES_MOST 1000    /* lines of values */

/* A span; or a value of a counter, valid from FROM until the next one. */
struct flow_span {
	int64_t from, to; /* ns; equal: an instant */
	const char *name;
	double value; /* finite; 0 for a span */
};

/* The spans of one line, in order of their start. */
struct flow_lane {
	uint32_t row; /* the spans' (above) or values' (below) thread; MDL_NONE: above all */
	guint first, n;
	double low, high; /* values: the minimum and maximum, including 0 */
};

/* A query whose rows are shown above or below the threads.  Spans need the columns ts and dur (ns) and name;
 * with utid they are above that thread.  Values need ts, value and name, and no dur. */
struct flow_spans_question {
	const char *query;             /* interned; NULL: none are shown */
	int64_t from, to;              /* $from, $to, ns */
	uint32_t row;                  /* $utid or $cpu */
	const struct ana_rules *rules; /* weak; NULL: none */
};

struct flow_spans {
	struct flow_spans_question question;
	GArray *spans;       /* of struct flow_span, by line */
	GArray *lanes;       /* of struct flow_lane: those of a thread together, outer spans first */
	GStringChunk *names; /* of the spans */
	bool full;           /* more were found than are shown */
	bool is_values;      /* values, not spans: one line per name */
};

/* The hook answer() of struct ask_kind: find the struct flow_spans that answer QUESTION, a struct
 * flow_spans_question.  NULL with an error. */
void *flow_spans_new(struct qry *q, const void *question, struct base_progress *progress, GError **error);
void flow_spans_free(void *spans);

/* Other files only read LINES, N_PINNED and CHOICE.  The functions below change them. */
struct flow_rows {
	struct qry *q;      /* weak */
	GArray *items;      /* of struct flow_item */
	uint32_t *item_of;  /* owned: for each row the index of its item */
	GArray *lines;      /* of struct flow_line; any function below can change them */
	unsigned n_pinned;  /* number of pinned lines, the first ones */
	GHashTable *folded; /* set of fold keys, see fold_key() */
	struct flow_choice choice;
	struct flow_facts *facts; /* owned; NULL: not known */
	bool facts_fit;           /* FACTS answer the choice's question, perhaps for another window */
	GArray *path;             /* of uint32_t: rows; NULL: none */
	GHashTable *on_path;      /* set of the rows in PATH */
	uint32_t process;         /* FLOW_SET_PROCESS: the main thread of the process */
	GArray *pins;             /* of uint32_t: rows */
	uint32_t kept;            /* a row that is shown although it does not pass; MDL_NONE: none */
	bool hide_tracer;
	unsigned shown;                   /* bits of enum flow_order: times shown in any order */
	struct flow_spans_question asked; /* the wanted spans */
	struct flow_spans *spans;         /* owned; NULL: none, or not known yet */
};

struct ui_shell;

/* Make the rows of Q.  HIDE_TRACER: exclude the tracer's own threads.  SHOWN: bits of enum flow_order, times
 * shown in any order. */
struct flow_rows *flow_rows_new(struct qry *q, bool hide_tracer, unsigned shown);
void flow_rows_free(struct flow_rows *rows);
/* Copy choice, pins and folds from OLD to ROWS, which is new.  Each row of OLD must exist in ROWS. */
void flow_rows_carry(struct flow_rows *rows, const struct flow_rows *old);

/* The visible part: the first line, the selected line, the search text (NULL: none). */
struct flow_seen {
	unsigned top, line;
	bool on_path; /* rows of a path are chosen */
	char *needle;
};

/* _text(): choice, pins and folds of ROWS, and SEEN, as a text; the caller frees.  _set_text(): restore them
 * from TEXT; the caller frees SEEN's needle.  False with an error; then nothing has changed. */
char *flow_rows_text(const struct flow_rows *rows, const struct flow_seen *seen);
bool flow_rows_set_text(struct flow_rows *rows, const struct ui_shell *shell, const char *text,
	struct flow_seen *seen, GError **error);

/* *SHOWN becomes the number of shown threads, *ALL the number of all. */
void flow_rows_count(const struct flow_rows *rows, unsigned *shown, unsigned *all);
/* True if any row passes the choice, pinned or not. */
bool flow_rows_pass_any(const struct flow_rows *rows);

/* Apply CHOICE; adds a reference to its filter.  KEEP, here and below: a row that is shown although it does
 * not pass (MDL_NONE: none). */
void flow_rows_choose(struct flow_rows *rows, const struct flow_choice *choice, uint32_t keep);
/* Set PATH, the rows on the path in its order (of uint32_t); adds a reference.  NULL: there is no path. */
void flow_rows_set_path(struct flow_rows *rows, GArray *path, uint32_t keep);
/* Set the process to that of thread ROW. */
void flow_rows_set_process(struct flow_rows *rows, uint32_t row);
/* Hide or show the tracer's own threads. */
void flow_rows_hide_tracer(struct flow_rows *rows, bool hide, uint32_t keep);
/* Pin ROW, or unpin it. */
void flow_rows_pin(struct flow_rows *rows, uint32_t row);
/* Show SPANS (takes ownership; NULL: none). */
void flow_rows_set_spans(struct flow_rows *rows, struct flow_spans *spans);

/* Set *QUESTION to the question about the window [FROM, TO), ns.  False if no facts are needed, or all are
 * known. */
bool flow_rows_wants(const struct flow_rows *rows, int64_t from, int64_t to,
	struct flow_facts_question *question);
/* Use FACTS, the answer to flow_rows_wants(); takes ownership. */
void flow_rows_take(struct flow_rows *rows, struct flow_facts *facts, uint32_t keep);

/* Fold or unfold the line with index LINE; if it cannot fold, the nearest line above that can.  Returns the
 * new index of that line. */
unsigned flow_rows_fold(struct flow_rows *rows, unsigned line);
/* Fold all processes and groups; if all are folded, unfold them. */
void flow_rows_fold_all(struct flow_rows *rows);

/* Unfold all parents of the shown rows. */
void flow_rows_unfold_all(struct flow_rows *rows);

/* The index of the line of ROW; if it is also pinned, the line below the pinned ones.  UINT32_MAX if there is
 * none. */
unsigned flow_rows_find(const struct flow_rows *rows, uint32_t row);
/* Like flow_rows_find(), but makes ROW visible if it is not: unfolds its parents; changes the shown process
 * to its process; or shows it although it does not pass, in place of the row shown before in this way. */
unsigned flow_rows_reveal(struct flow_rows *rows, uint32_t row);
/*
 * The next row after (STEP 1) or before (STEP -1) ROW that matches NEEDLE in the way HOW: by its TID or a
 * part of one of its names, case-insensitive.  The search is in tree order, wraps around, and includes hidden
 * rows.  "HOST/" before NEEDLE limits it to that host.  MDL_NONE if there is none.
 */
uint32_t flow_rows_search(const struct flow_rows *rows, uint32_t row, const char *needle, enum flow_match how,
	int step);
/*
 * The first match from ROW itself on, in this order of preference: a row shown with exactly this name, one
 * that contains it, one that had such a name earlier. (A new thread has the name of its creator until it gets
 * its own.)
 */
uint32_t flow_rows_search_first(const struct flow_rows *rows, uint32_t row, const char *needle);

/* ---- flow_lines.c: all rows in the order of the tree, and the lines made from them by the choice ---- */

/* A row in the order of the tree. */
struct flow_item {
	uint32_t host;
	enum flow_kind group; /* FLOW_CPUS, FLOW_IRQS, FLOW_PROCESS (user), FLOW_KERNEL */
	uint32_t head;   /* threads: the row of the main thread of its process in the tree; else MDL_NONE */
	int64_t head_nr; /* the TID of HEAD */
	uint32_t row;
	int64_t nr;
	bool tracer;   /* qry_is_tracer() */
	bool in_trace; /* active in the trace */
};

/* The rows of Q, sorted into the order of the tree: a GArray of struct flow_item; the caller unrefs. */
GArray *flow_items_new(struct qry *q);

/* True if ROW matches NEEDLE in the way HOW, case-insensitive.  "HOST/" before NEEDLE limits it to that
 * host. */
bool flow_items_match(const struct qry *q, uint32_t row, const char *needle, enum flow_match how);

/* Remake the lines from items, choice, pins and folds. */
void flow_lines_make(struct flow_rows *rows);
/* True if ITEM passes the choice, pinned or not. */
bool flow_lines_passes(const struct flow_rows *rows, const struct flow_item *item);
/* The time in ns by which ORDER sorts ROW; MDL_NEVER if ORDER does not sort by time, or the time is not
 * known. */
int64_t flow_lines_measure(const struct flow_rows *rows, uint32_t row, enum flow_order order);
/* Fold or unfold a heading, or the process ROW. */
void flow_lines_fold(struct flow_rows *rows, enum flow_kind kind, uint32_t host, uint32_t row, bool folded);
/* The fold key in ROWS that corresponds to KEY of OLD.  The caller frees. */
gint64 *flow_lines_key_again(const struct flow_rows *rows, const struct flow_rows *old, gint64 key);

#endif
