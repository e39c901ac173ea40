/* SPDX-License-Identifier: MIT */
/*
 * The common part of all writers of results: the rows of a result, written once for all formats, and the
 * text, CSV, Markdown and JSON from which they are made.  Only for the export library.
 */
#ifndef EXP_ROWS_H
#define EXP_ROWS_H

#include "base/base_json.h"
#include "export/exp.h"
#include "table/json.h"

/* ---- text ---- */

/* A table of aligned columns. */
struct exp_table;

/* HEADERS is NULL-terminated and static; '>' before a header aligns its column to the right.  FILE (weak;
 * NULL: none) holds the cells of long tables, and takes the finished lines. */
struct exp_table *exp_table_new(const char *const *headers, struct exp_file *file);
/* Add the next cell, left to right, line by line; NULL: an empty cell.  _take() frees TEXT.  DURATION is in
 * ns. */
void exp_table_add(struct exp_table *t, const char *text);
void exp_table_take(struct exp_table *t, char *text);
void exp_table_add_int(struct exp_table *t, int64_t value);
void exp_table_add_duration(struct exp_table *t, int64_t duration);
/* Write all lines, and free T. */
void exp_table_finish(struct exp_table *t, GString *out);

/* Append TEXT without control characters. */
void exp_table_append_clean(GString *out, const char *text);
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

/*
 * ---- evidence: the events behind explanations, as JSON, each with its place in the trace.  Places are
 * looked up for many events at once, so lists of evidence are filled later than the text around them ----
 */

struct exp_evidence;

/* Evidence for the lists in OUT.  O->file takes OUT when lists are filled; O->progress can cancel the
 * look-up. */
struct exp_evidence *exp_evidence_new(struct qry *q, GString *out, const struct exp_options *o);
/* The lists of EVIDENCE, as cells ask for them; NULL if EVIDENCE is. */
struct table_evidence *exp_evidence_of(struct exp_evidence *evidence);
/* Free EVIDENCE (may be NULL).  False with an error if a trace could not be read, or O->progress was
 * cancelled; then OUT is not complete. */
bool exp_evidence_finish(struct exp_evidence *evidence, GError **error);

/* Call it if OUT contains all lists made so far.  Fills them if they or the text after them have become
 * long. */
void exp_evidence_check(struct exp_evidence *evidence);
/* Fill all lists; call it before the JSON list that contains them ends. */
void exp_evidence_flush(struct exp_evidence *evidence);

/* ---- rows ---- */

struct exp_rows;

/* Begin rows in the format of O at the end of OUT; O->file takes OUT while rows are added.  JSON: the list
 * KEY of the open object.  CSV: begins with the header line.  Q and CONTEXT are weak. */
struct exp_rows *exp_rows_new(GString *out, const char *key, table_columns *columns,
	const struct exp_options *o, struct qry *q, const void *context);
/* Add a row; ROW is passed to the columns function. */
void exp_rows_add(struct exp_rows *rows, const void *row);
/* End the rows and free ROWS. */
void exp_rows_finish(struct exp_rows *rows);

/* Append at most MOST rows for ASKED to OUT, as the list ASKED->table->list; format, progress and evidence
 * are those of O.  *LEFT (may be NULL) becomes table_left() of the other rows, if there are any.  False with
 * an error. */
bool exp_rows_asked(GString *out, const struct table_asked *asked, const struct exp_options *o, struct qry *q,
	uint64_t most, uint64_t *left, GError **error);
/* Like exp_rows_asked(), for the question in O; RESULT: the answer, if it is there already (struct
 * table_question). */
bool exp_rows_table(GString *out, const struct table *table, const struct exp_options *o, struct qry *q,
	const void *result, uint64_t most, uint64_t *left, GError **error);
/* Like exp_rows_table(), all rows. */
bool exp_rows_all(GString *out, const struct table *table, const struct exp_options *o, struct qry *q,
	const void *result, GError **error);

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

/* ---- a path ---- */

/* "Critical path of wk-client[541] from …, 12 ms, 30 segments".  The caller frees. */
GString *exp_path_title(const struct qry *q, const struct ana_path *path);

#endif
