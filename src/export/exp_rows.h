/* SPDX-License-Identifier: MIT */
/*
 * The rows of a result, written once for JSON, CSV, text and Markdown.  A function lists the columns: each
 * column has a name and an expression that reads it from a row.  The name is the key in JSON and the header
 * in CSV; both have all columns, in the same order.  Text and Markdown have only the columns with a heading;
 * one of these tells in words what the others hold.  Only for the export library.
 */
#ifndef EXP_ROWS_H
#define EXP_ROWS_H

#include "export/exp.h"
#include "export/exp_evidence.h"

enum exp_type {
	EXP_NUMBER,   /* a count, an id, a TID */
	EXP_TIME,     /* ns since the Epoch; in text a clock time */
	EXP_DURATION, /* ns; in text with a unit */
	EXP_YES,      /* true or false */
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

#endif
