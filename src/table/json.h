/* SPDX-License-Identifier: MIT */
/* Objects of JSON in the cells of tables, as docs/cli.md describes them. */
#ifndef TABLE_JSON_H
#define TABLE_JSON_H

#include "model/event/doubt.h"
#include "table/table.h"

struct ana_blame;

/* One ROW, or all elements of ARRAY, as JSON inside other JSON.  The caller frees. */
GString *table_json_row(table_columns *columns, struct qry *q, const void *context, const void *row);
GString *table_json_array(table_columns *columns, struct qry *q, const void *context, const GArray *array);
/* The cell of COLUMN as a member of the open object O; takes what the cell owns. */
void table_json_cell(GString *o, const struct table_column *column, struct table_cell *cell);

/* {"type":"thread","host","tid","pid","name"}; similar for a CPU, an IRQ, a softirq, a virtual CPU, a
 * device. */
GString *table_json_subject(const struct qry *q, uint32_t row);
/* {"host","tid","name"} of thread ROW, with the name it had at TIME; NULL if ROW is MDL_NONE. */
GString *table_json_thread(const struct qry *q, uint32_t row, int64_t time);
/* null if VALUE is MDL_NONE. */
void table_json_id(GString *o, const char *key, uint32_t value);
/* Append "PREFIXgrade", and "PREFIXdoubts": a list of words (model/event/doubt.h), empty if it is proved. */
void table_json_grade(GString *o, const char *prefix, mdl_doubts doubts);
/* Append these two members for a missing statement: null, and an empty list. */
void table_json_no_grade(GString *o, const char *prefix);
/* The words of DOUBTS as a list. */
GString *table_json_doubts(mdl_doubts doubts);
/* A kernel address: "0xffffffff82f68260"; null for 0. */
void table_json_address(GString *o, const char *key, uint64_t address);

/* ---- evidence: the events behind explanations; the writer of the JSON looks up their places ---- */

struct table_evidence {
	/* Return the list of N events of WHY's evidence, from number FIRST on.  Lists must be put into the
	 * result in the order in which they were made. */
	GString *(*list)(struct table_evidence *evidence, const struct ana_why *why, guint first, guint n);
};

/* ---- BLAME of cli.md ---- */

/* The columns of a part (struct ana_blame_part); their context is the struct ana_blame. */
void table_blame_columns(struct table_row *to, const void *row, const struct table_in *in);
/* The parts of BLAME, longest first; an empty list for an empty interval.  The caller frees. */
GString *table_blame_json(struct qry *q, const struct ana_blame *blame);

/* ---- SOURCE of cli.md: what ended a wait, and the facts known about its cause ---- */

/* One fact about a cause. */
struct table_fact_ops {
	const char *key; /* the name of its member in SOURCE */
	/* The JSON of the fact; WHY's cause must have it.  The caller frees. */
	GString *(*json)(struct qry *q, const struct ana_why *why);
	bool optional; /* an unknown fact is left out; otherwise it is null */
};

/* table_fact_request, … */
#define TABLE_FACT_OPS(NAME, member, type) extern const struct table_fact_ops table_fact_##member;
MDL_FACTS(TABLE_FACT_OPS)
#undef TABLE_FACT_OPS

/* The JSON object of what ended the wait of thread ROW, from WAKEUP.  EVIDENCE fills its evidence. */
GString *table_source_json(struct qry *q, uint32_t row, const struct mdl_wakeup *wakeup,
	struct table_evidence *evidence);

#endif
