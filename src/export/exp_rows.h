/* SPDX-License-Identifier: MIT */
/*
 * The rows of a result, written once for JSON, CSV, text and Markdown: a function lists the columns, a line
 * each: what it is called and how it is had from a row.  A column's name is the key of JSON and the header of
 * CSV; both have all columns, in the same order.  What is told to people (text, Markdown) has those with a
 * heading; what the others hold is told in words by one that has.  Inside the library only.
 */
#ifndef EXP_ROWS_H
#define EXP_ROWS_H

#include "export/exp.h"
#include "export/exp_evidence.h"

enum exp_type {
	EXP_NUMBER,   /* a count, an id, a TID */
	EXP_TIME,     /* ns since the Epoch; in the text a clock time */
	EXP_DURATION, /* ns; in the text with a unit */
	EXP_YES,      /* true or false */
	EXP_WORD, /* text; of a thing of several parts, which is an object in JSON, what a person is told */
	EXP_LONG, /* the same, long: in the text behind all columns that are not */
	EXP_DECIMAL, /* a number as decimal text, with more digits than 64 bits hold */
	EXP_SHARE,   /* a part of 1; in the text in percent */
	/* or'ed to one of these: in CSV behind all columns that are not, for who counts columns. */
	EXP_LATE = 256,
};

/* What a row has in a column: what there is is set; all begins as unknown. */
struct exp_cell {
	int64_t number; /* NUMBER, TIME, DURATION, YES; BASE_TIME_NONE: unknown */
	/* WORD, LONG, DECIMAL; NULL: unknown.  Of the others what the text has in place of the number. */
	const char *word;
	char *taken;   /* the same, to be freed; NULL: WORD says it */
	double share;  /* SHARE; NAN: unknown */
	GString *json; /* owned: the object or list that JSON has in the place of a word (exp_json.h); NULL:
			  the word */
	bool is_known; /* "" is the word, and not unknown */
};

/* Where a row stands. */
struct exp_rows_in {
	struct qry *q;
	const void *context;           /* what the rows have in common; the exporter's own */
	struct exp_evidence *evidence; /* of exp_rows_await(); NULL none */
	enum exp_format format;        /* a cell need only have what that takes */
	guint number;                  /* of the row, from 0 on */
};

struct exp_rows;

/* The columns of a ROW, told to TO one after the other, the same ones for each row.  NULL: they are asked for
 * their names, and no value is had. */
typedef void exp_columns(struct exp_rows *to, const void *row, const struct exp_rows_in *in);

/* Begins such a function: "EXP_COLUMNS(columns) { const struct thread *t = row; EXP_COLUMN(...); ... }". */
#define EXP_COLUMNS(columns)                                                    \
	static void columns(struct exp_rows *to, G_GNUC_UNUSED const void *row, \
		G_GNUC_UNUSED const struct exp_rows_in *in)
/*
 * The next column.  NAME: static; "" of the text only, where it tells others in another way, as a length for
 * an end.  HEADING: of the text; '>' before it: to the right; NULL: the text tells it in another column.  IS
 * sets the cell: "number = t->tid".
 */
#define EXP_COLUMN(name, heading, type, is) EXP_COLUMN_BY(name, heading, type, cell->is)
/* The same, by statements that fill CELL. */
#define EXP_COLUMN_BY(name, heading, type, ...)                                 \
	do {                                                                    \
		struct exp_cell *cell = exp_rows_cell(to, name, heading, type); \
		if (row && cell) {                                              \
			__VA_ARGS__;                                            \
		}                                                               \
	} while (0)
/* The same, of a thing of several parts: OBJECT (taken over; NULL: null) in JSON, else TEXT (taken over;
 * NULL: unknown). */
#define EXP_OBJECT(name, heading, type, object, text)                                         \
	EXP_COLUMN_BY(name, heading, type, if (in->format == EXP_JSON) cell->json = (object); \
		      else cell->taken = (text))
/* A list: its OBJECTS (taken over) in JSON; else IS sets the cell. */
#define EXP_LIST(name, heading, type, objects, is) \
	EXP_COLUMN_BY(name, heading, type, if (in->format == EXP_JSON) cell->json = (objects); else cell->is)
/* The cell of the next column, for these; NULL: the format has it not. */
struct exp_cell *exp_rows_cell(struct exp_rows *rows, const char *name, const char *heading,
	enum exp_type type);

/* Begin rows in the format of O at the end of OUT, which O->file takes while they are added: in JSON the list
 * KEY of the open object, in CSV with the line of headers.  Q and CONTEXT are weak. */
struct exp_rows *exp_rows_new(GString *out, const char *key, exp_columns *columns,
	const struct exp_options *o, struct qry *q, const void *context);
/* Rows in JSON have events as evidence, whose places EVIDENCE (weak) looks up. */
void exp_rows_await(struct exp_rows *rows, struct exp_evidence *evidence);
/* The next ROW, which is handed to the getters. */
void exp_rows_add(struct exp_rows *rows, const void *row);
/* End them and free ROWS. */
void exp_rows_finish(struct exp_rows *rows);
/* All of these at once: the elements of ARRAY, no more than the first MOST. */
void exp_rows_array(GString *out, const char *key, exp_columns *columns, const struct exp_options *o,
	struct qry *q, const void *context, const GArray *array, guint most);

/* A ROW alone, and each element of ARRAY, as JSON, for things within others.  The caller owns it. */
GString *exp_rows_json(exp_columns *columns, struct qry *q, const void *context, const void *row);
GString *exp_rows_json_array(exp_columns *columns, struct qry *q, const void *context, const GArray *array);

/* ---- for writers ---- */

/* Begins the writer of a result, which need not write the "{" and "}" around its JSON, nor below its Markdown
 * the command line. */
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

/* Is it for people, who are told each thing once? */
bool exp_rows_told(enum exp_format format);

/* BASE_TIME_NONE for MDL_NONE; for what is below 0; for INT64_MAX. */
int64_t exp_rows_id(uint32_t id);
int64_t exp_rows_natural(int64_t number);
int64_t exp_rows_bound(int64_t error);
/* Of ROW the TID, or the number of the interrupt; the name that it had at TIME; and of HOST its name: unknown
 * for MDL_NONE. */
int64_t exp_rows_nr(const struct qry *q, uint32_t row);
const char *exp_rows_name(const struct qry *q, uint32_t row, int64_t time);
const char *exp_rows_host(const struct qry *q, uint32_t host);
/* TEXTS (of char *): a list in JSON, else joined by BETWEEN. */
void exp_rows_texts(struct exp_cell *cell, enum exp_format format, const GPtrArray *texts,
	const char *between);

#endif
