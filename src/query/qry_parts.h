/* SPDX-License-Identifier: MIT */
/* The inside of an experiment, private to src/query. */
#ifndef QRY_PARTS_H
#define QRY_PARTS_H

#include "index/idx_reader.h"
#include "query/qry.h"
#include "query/qry_trace.h"

#define QRY_CURSORS 1024

struct qry_source {
	struct idx_reader *reader;
	/*
	 * Cursors, each with a decoded leaf, by row modulo their number: a path
	 * goes back and forth between a few rows.  NULL until used.
	 */
	struct idx_intervals *intervals[QRY_CURSORS];
	struct idx_wakeups *wakeups[QRY_CURSORS];
	struct qry_host host;
	const char *name;			/* weak, of the experiment's names */
	uint32_t *cpu_rows;			/* CPU → row of the experiment, MDL_NONE; n_cpus of them */
	uint32_t n_cpus;
	char *folder;				/* of the trace; NULL: not told */
	struct qry_trace *trace;		/* NULL until its events are asked for */
	uint32_t *line_rows;			/* rows of the experiment of interrupt lines and softirqs; n_lines of them */
	uint32_t n_lines;
};

struct qry {
	GPtrArray *sources;			/* of struct qry_source *, owned */
	struct qry_row *rows;
	uint32_t n_rows;
	GPtrArray *names;			/* of hosts: char *, owned */
	GPtrArray *warnings;			/* of char * */
	int64_t from, to;
	GArray **pairs;				/* for each host what it received from others (struct sync_pair), in order; NULL: not matched yet */
};

/* Forget them (qry_passage.c). */
void qry_pairs_free(struct qry *q);

struct qry_source *qry_source(const struct qry *q, uint32_t host);
/* The source of ROW, and the row's number in its index. */
struct qry_source *qry_source_of(const struct qry *q, uint32_t row, uint32_t *local);

/* The cursor to use for row LOCAL of S. */
struct idx_intervals *qry_source_intervals(struct qry_source *s, uint32_t local);
struct idx_wakeups *qry_source_wakeups(struct qry_source *s, uint32_t local);

/* Fill q->rows from the indexes (qry_rows.c). */
void qry_rows_load(struct qry *q);

#endif
