/* SPDX-License-Identifier: MIT */
/* Cursors over the cases of a kind of latency, for tables of interrupts, system calls, …. */
#ifndef TABLE_CASES_H
#define TABLE_CASES_H

#include "analysis/latency/kind.h"
#include "table/table.h"

/* A case that is over. */
struct table_case {
	struct mdl_span span;
	uint32_t host;
};

struct table_cases {
	struct table_cursor of;
	struct qry_spans spans;
	struct qry_spans_filter filter;
	struct mdl_span *read; /* owned: N spans of a leaf; the next is number AT */
	uint32_t leaf, host;   /* the next leaf to read; the host of the spans in READ */
	unsigned at, n;
	struct table_case now;
};

/* Begin C over the cases of KIND that C->of.ask selects.  KIND names a kind of latency, or one of RULES
 * (NULL: none).  False with an error: BASE_ERROR_NO_ANSWER if no host recorded their events. */
bool table_cases_open(struct table_cases *c, const struct ana_rules *rules, const char *kind, GError **error);
/* The hooks of a table whose cursor begins with a struct table_cases, and whose rows are struct
 * table_case.  With open() they come by the time of their end. */
int table_cases_next(struct table_cursor *c, const void **row, GError **error);
void table_cases_close(struct table_cursor *c);
uint64_t table_cases_rows(struct qry *q);

/* The members of a struct table with such a cursor, except open(). */
#define TABLE_CASES_CURSOR                                                                 \
	.size = sizeof(struct table_cases), .takes = TABLE_TAKES_ROW | TABLE_TAKES_WINDOW, \
	.rows = table_cases_rows, .next = table_cases_next, .close = table_cases_close

/* The columns that all these tables begin with: ts, dur, host, cpu. */
void table_cases_columns(struct table_row *to, const struct table_case *row, const struct table_in *in);
/* The column "utid": the thread of the case; unknown if its row is no thread. */
void table_cases_thread(struct table_row *to, const struct table_case *row, const struct table_in *in);

#endif
