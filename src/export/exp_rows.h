/* SPDX-License-Identifier: MIT */
/*
 * What the writers of results share: the rows of a result, written once for all formats, and the text, CSV,
 * Markdown and JSON from which they are made.  Only for the export library.
 */
#ifndef EXP_ROWS_H
#define EXP_ROWS_H

#include "base/base_json.h"
#include "export/exp.h"

struct ana_blame;

/* ---- text ---- */

/* A table of aligned columns. */
struct exp_table;

/* HEADERS is NULL-terminated and static; '>' before a header aligns its column to the right.  FILE (weak;
 * NULL: none) holds the cells of long tables, and takes the finished lines. */
struct exp_table *exp_table_new(const char *const *headers, struct exp_file *file);
/* Add the next cell, left to right, line by line; NULL: an empty cell.  _take() frees TEXT. */
void exp_table_add(struct exp_table *t, const char *text);
void exp_table_take(struct exp_table *t, char *text);
void exp_table_add_int(struct exp_table *t, int64_t value);
void exp_table_add_duration(struct exp_table *t, int64_t duration);
/* Write all lines, and free T. */
void exp_table_finish(struct exp_table *t, GString *out);

/* Append TEXT without control characters. */
void exp_table_append_clean(GString *out, const char *text);
/* TIME (ns) as all results show it.  The caller frees. */
char *exp_table_time(int64_t time);
/* DURATION (ns) in characters that the locale can show.  The caller frees. */
char *exp_table_duration(int64_t duration);
/* DURATION (ns) with its sign: "+1.20 ms".  The caller frees. */
char *exp_table_signed(int64_t duration);
/* A bar whose length is COUNT / MOST of LONGEST characters; at least one if COUNT is not 0.  The caller
 * frees. */
char *exp_table_bar(uint64_t count, uint64_t most, unsigned longest);

/* ---- CSV: RFC 4180, except that a line ends with LF; an unknown value is an empty field ---- */

struct exp_csv {
	GString *out; /* weak */
	bool in_line; /* the current line already has a field */
};

/* Write the header line: NAMES, separated by commas. */
struct exp_csv exp_csv_begin(GString *out, const char *names);
/* TEXT may be NULL: an empty field.  A text that a spreadsheet would take for a formula gets an apostrophe
 * before it. */
void exp_csv_text(struct exp_csv *csv, const char *text);
/* A NUMBER as text, for numbers of more digits than 64 bits hold; NULL: an empty field. */
void exp_csv_decimal(struct exp_csv *csv, const char *number);
/* Any number; BASE_TIME_NONE: an empty field. */
void exp_csv_time(struct exp_csv *csv, int64_t time);
void exp_csv_end_line(struct exp_csv *csv);

/*
 * ---- Markdown for tickets (GitHub Flavored Markdown Spec 0.29).  Text from a trace stays plain text: it
 * cannot become markup ----
 */

/* Append TEXT, cleaned; each character that could be markup gets a backslash. */
void exp_markdown_text(GString *out, const char *text);
/* The first two lines of a table.  HEADINGS is NULL-terminated; '>' before a heading aligns its column to the
 * right. */
void exp_markdown_begin(GString *out, const char *const *headings);
/* The next cell of a line.  exp_markdown_end_line() ends the line after its last cell. */
void exp_markdown_cell(GString *out, const char *text);
void exp_markdown_end_line(GString *out);
/* The lines of TEXT as a code block; empty lines are dropped. */
void exp_markdown_block(GString *out, const char *text);
/* "Made by:" and COMMAND as a code block; nothing if COMMAND is NULL. */
void exp_markdown_command(GString *out, const char *command);

/* ---- JSON ---- */

/* Append "from" and "to": the window that was asked for. */
void exp_json_window(GString *out, const struct exp_options *o);

/* {"type":"thread","host","tid","pid","name"}; similar for a CPU, an IRQ, a softirq, a virtual CPU, a
 * device. */
GString *exp_json_subject(const struct qry *q, uint32_t row);
/* {"host","tid","name"} of thread ROW, with the name it had at TIME; NULL if ROW is MDL_NONE. */
GString *exp_json_thread(const struct qry *q, uint32_t row, int64_t time);
/* null if VALUE is MDL_NONE. */
void exp_json_id(GString *o, const char *key, uint32_t value);
/* Append "PREFIXgrade", and "PREFIXdoubts": a list of words (model/event/doubt.h), empty if it is proved. */
void exp_json_grade(GString *o, const char *prefix, mdl_doubts doubts);
/* Append these members for something that is not there: null, and an empty list. */
void exp_json_no_grade(GString *o, const char *prefix);
/* The words of DOUBTS as a list. */
GString *exp_json_doubts(mdl_doubts doubts);
/* A kernel address: "0xffffffff82f68260"; null for 0. */
void exp_json_address(GString *o, const char *key, uint64_t address);

/*
 * ---- evidence: the events behind explanations, as JSON, each with its place in the trace.  Places are
 * looked up for many events at once, so lists of evidence are filled later than the text around them ----
 */

struct exp_evidence;

/* Evidence for the lists in OUT.  O->file takes OUT when lists are filled; O->progress can cancel the
 * look-up. */
struct exp_evidence *exp_evidence_new(struct qry *q, GString *out, const struct exp_options *o);
/* Free EVIDENCE.  False with an error if a trace could not be read, or O->progress was cancelled; then OUT is
 * not complete. */
bool exp_evidence_finish(struct exp_evidence *evidence, GError **error);

/* The list of N events of WHY's evidence, beginning with number FIRST.  Put these lists into OUT in the order
 * in which they were made. */
GString *exp_evidence_list(struct exp_evidence *evidence, const struct ana_why *why, guint first, guint n);
/* Call it if OUT contains all lists made so far.  Fills them if they or the text after them have become
 * long. */
void exp_evidence_check(struct exp_evidence *evidence);
/* Fill all lists; call it before the JSON list that contains them ends. */
void exp_evidence_flush(struct exp_evidence *evidence);

/*
 * ---- rows.  A function lists the columns: each column has a name and an expression that reads it from a
 * row.  The name is the key in JSON and the header in CSV; both have all columns, in the same order.  Text and
 * Markdown have only the columns with a heading; one of these tells in words what the others hold ----
 */

enum exp_type {
	EXP_NUMBER,   /* a count, an id, a TID */
	EXP_TIME,     /* ns since the Epoch; in text a clock time */
	EXP_DURATION, /* ns; in text with a unit */
	EXP_YES,      /* true or false; BASE_TIME_NONE: unknown */
	EXP_WORD,     /* text; for an object in JSON: the words for text and CSV */
	EXP_LONG,     /* like EXP_WORD, but long: text and Markdown put it after all columns of other types */
	EXP_DECIMAL,  /* a number as decimal text, with more digits than 64 bits hold */
	EXP_SHARE,    /* a part of 1; in text a percentage */
	/* Flag, or'ed to a type: CSV puts the column last, so that the numbers of older columns do not
	 * change. */
	EXP_LATE = 256,
};

/* The value of one column in one row.  The function sets the members that apply; initially all are
 * unknown. */
struct exp_cell {
	int64_t number; /* NUMBER, TIME, DURATION, YES; BASE_TIME_NONE: unknown */
	/* WORD, LONG, DECIMAL; NULL: unknown.  For other types: the words that text shows instead of the
	 * number. */
	const char *word;
	char *taken;  /* like WORD, but the row frees it; NULL: use WORD */
	double share; /* SHARE; NAN: unknown */
	/* owned: the object or list that JSON has instead of the word (exp_json.h); NULL: the word */
	GString *json;
	bool is_known; /* JSON: an empty word is the value "", not unknown */
};

/* The surroundings of a row. */
struct exp_rows_in {
	struct qry *q;
	const void *context;           /* data that all rows share; its type is the exporter's own */
	struct exp_evidence *evidence; /* of exp_rows_await(); NULL: none */
	enum exp_format format;        /* a cell needs only what this format shows */
	guint number;                  /* of the row, from 0 */
};

struct exp_rows;

/* Passes the columns of ROW to TO, one after the other; the columns are the same for every row.  ROW is NULL
 * when only the names are needed. */
typedef void exp_columns(struct exp_rows *to, const void *row, const struct exp_rows_in *in);

/* Begins such a function: "EXP_COLUMNS(columns) { const struct thread *t = row; EXP_COLUMN(...); ... }". */
#define EXP_COLUMNS(columns)                                                    \
	static void columns(struct exp_rows *to, G_GNUC_UNUSED const void *row, \
		G_GNUC_UNUSED const struct exp_rows_in *in)
/*
 * The next column.  NAME: static; "": only in text, where it tells other columns in another way, for example
 * a duration instead of an end.  HEADING: of text and Markdown; '>' before it aligns to the right; NULL:
 * another column tells it there.  IS sets a member of the cell: "number = t->tid".
 */
#define EXP_COLUMN(name, heading, type, is) EXP_COLUMN_BY(name, heading, type, cell->is)
/* Like EXP_COLUMN(), with statements that fill CELL. */
#define EXP_COLUMN_BY(name, heading, type, ...)                                 \
	do {                                                                    \
		struct exp_cell *cell = exp_rows_cell(to, name, heading, type); \
		if (row && cell) {                                              \
			__VA_ARGS__;                                            \
		}                                                               \
	} while (0)
/* The column "PREFIXdoubts" of a statement with DOUBTS, the last of a row; KNOWN false: there is no statement. */
#define EXP_DOUBTS(prefix, known, doubts)                                                    \
	EXP_OBJECT(prefix "doubts", NULL, EXP_WORD, exp_json_doubts((known) ? (doubts) : 0), \
		(known) ? ana_doubts_text(doubts, false) : NULL)
/* Like EXP_COLUMN(), for an object: OBJECT (owned by the cell; NULL: null) in JSON, else TEXT (owned by the
 * cell; NULL: unknown). */
#define EXP_OBJECT(name, heading, type, object, text)                                         \
	EXP_COLUMN_BY(name, heading, type, if (in->format == EXP_JSON) cell->json = (object); \
		      else cell->taken = (text))
/* A list: in JSON OBJECTS (owned by the cell), else IS sets the cell. */
#define EXP_LIST(name, heading, type, objects, is) \
	EXP_COLUMN_BY(name, heading, type, if (in->format == EXP_JSON) cell->json = (objects); else cell->is)
/* The cell of the next column, for these macros; NULL if the format does not have the column. */
struct exp_cell *exp_rows_cell(struct exp_rows *rows, const char *name, const char *heading,
	enum exp_type type);

/* Begin rows in the format of O at the end of OUT; O->file takes OUT while rows are added.  JSON: the list
 * KEY of the open object.  CSV: begins with the header line.  Q and CONTEXT are weak. */
struct exp_rows *exp_rows_new(GString *out, const char *key, exp_columns *columns,
	const struct exp_options *o, struct qry *q, const void *context);
/* The rows contain evidence, in JSON; EVIDENCE (weak) looks up the places of its events. */
void exp_rows_await(struct exp_rows *rows, struct exp_evidence *evidence);
/* Add a row; ROW is passed to the columns function. */
void exp_rows_add(struct exp_rows *rows, const void *row);
/* End the rows and free ROWS. */
void exp_rows_finish(struct exp_rows *rows);
/* exp_rows_new(), exp_rows_add() and exp_rows_finish() for at most MOST elements of ARRAY. */
void exp_rows_array(GString *out, const char *key, exp_columns *columns, const struct exp_options *o,
	struct qry *q, const void *context, const GArray *array, guint most);

/* One ROW, or all elements of ARRAY, as JSON inside other JSON.  The caller frees. */
GString *exp_rows_json(exp_columns *columns, struct qry *q, const void *context, const void *row);
GString *exp_rows_json_array(exp_columns *columns, struct qry *q, const void *context, const GArray *array);

/* ---- for writers ---- */

/* Begins the writer of a result.  The macro adds "{" and "}" around its JSON, and the command line below its
 * Markdown. */
#define EXP_WRITER(writer)                                                                         \
	static exp_writer writer##_within;                                                         \
	bool writer(GString *out, struct qry *q, const void *result, const struct exp_options *o,  \
		GError **error)                                                                    \
	{                                                                                          \
		return exp_rows_whole(writer##_within, out, q, result, o, error);                  \
	}                                                                                          \
	static bool writer##_within(GString *out, struct qry *q, G_GNUC_UNUSED const void *result, \
		const struct exp_options *o, G_GNUC_UNUSED GError **error)
bool exp_rows_whole(exp_writer *within, GString *out, struct qry *q, const void *result,
	const struct exp_options *o, GError **error);

/* ---- for cells ---- */

/* True if FORMAT is read by people (text, Markdown), and tells each thing once. */
bool exp_rows_told(enum exp_format format);

/* The number for a cell.  BASE_TIME_NONE (unknown) replaces MDL_NONE in _id(), numbers below 0 in _natural(),
 * INT64_MAX in _bound(). */
int64_t exp_rows_id(uint32_t id);
int64_t exp_rows_natural(int64_t number);
int64_t exp_rows_bound(int64_t error);
/* _nr(): the TID or the interrupt number of ROW.  _name(): the name that ROW had at TIME.  _host(): the name
 * of HOST.  Unknown (BASE_TIME_NONE or NULL) for MDL_NONE. */
int64_t exp_rows_nr(const struct qry *q, uint32_t row);
const char *exp_rows_name(const struct qry *q, uint32_t row, int64_t time);
const char *exp_rows_host(const struct qry *q, uint32_t host);
/* TEXTS (char *): a list in JSON, else one text joined by BETWEEN. */
void exp_rows_texts(struct exp_cell *cell, enum exp_format format, const GPtrArray *texts,
	const char *between);

/* ---- BLAME of cli.md ---- */

/* The columns of a part (struct ana_blame_part); their context is the struct ana_blame. */
void exp_blame_columns(struct exp_rows *to, const void *row, const struct exp_rows_in *in);
/* The parts of BLAME, longest first; an empty list for an empty interval.  The caller frees. */
GString *exp_blame_json(struct qry *q, const struct ana_blame *blame);

/* ---- SOURCE of cli.md: what ended a wait, and the facts known about its cause ---- */

/* One fact about a cause. */
struct exp_fact_ops {
	const char *key; /* the name of its member in SOURCE */
	/* The JSON of the fact; WHY's cause must have it.  The caller frees. */
	GString *(*json)(struct qry *q, const struct ana_why *why);
	bool optional; /* an unknown fact is left out; otherwise it is null */
};

/* exp_fact_request, … */
#define EXP_FACT_OPS(NAME, member, type) extern const struct exp_fact_ops exp_fact_##member;
MDL_FACTS(EXP_FACT_OPS)
#undef EXP_FACT_OPS

/* The JSON object of what ended the wait of thread ROW, from WAKEUP.  EVIDENCE fills its evidence later. */
GString *exp_source_json(struct qry *q, uint32_t row, const struct mdl_wakeup *wakeup,
	struct exp_evidence *evidence);

/* ---- a path ---- */

/* "Critical path of wk-client[541] from …, 12 ms, 30 segments".  The caller frees. */
GString *exp_path_title(const struct qry *q, const struct ana_path *path);
/*
 * How sure it is that the path continues at the other end of LINK.  A network link has the grade of the
 * packet's way between hosts.  Other links have the grade of what ended the wait.  Without these, it is the
 * grade of the segment at the link's FROM: the worst grade of all steps by which the path reached the sender.
 */
mdl_doubts exp_path_link_doubts(const struct ana_path *path, const struct ana_link *link);

#endif
