/* SPDX-License-Identifier: MIT */
/* Rows of tables that are needed elsewhere as more than their cells, and cursors over lists of rows. */
#ifndef TABLE_ROWS_H
#define TABLE_ROWS_H

#include "analysis/cpu/blame.h"
#include "analysis/path/path.h"
#include "table/table.h"

struct ana_compare;
struct ana_compare_row;
struct ana_moments;

/* A row of table_states. */
struct table_state {
	const struct qry_row *r;
	struct mdl_interval interval;
	const char *throttled;    /* static: by what quota; NULL: it is not */
	struct qry_counts counts; /* what counters counted in it */
};

/* Make the virtual machines (GArray of struct ana_machine) for the tables about them. NULL with an error. */
void *table_machines_make(struct table_cursor *c, GError **error);

/* table_trace_warnings(): the warnings (of char *) about the trace of HOST and its clock; the caller unrefs.
 * table_trace_clock_error(): the largest error of HOST's clock against the clock of the first host, in ns;
 * BASE_TIME_NONE if it is unknown, HOST has no clock, or there is only one host. */
GPtrArray *table_trace_warnings(const struct qry *q, uint32_t host);
int64_t table_trace_clock_error(const struct qry *q, uint32_t host);
/* Return the filter for the events that the other members of ASK describe, for an ASK without a filter.  It
 * points to texts of ASK. */
struct qry_events_filter table_events_filter(const struct qry *q, const struct table_question *ask);
/* Return the rows of table_notes about Q. SINCE (of char *; NULL: none): notes made since Q was opened. The
 * caller unrefs. */
GArray *table_notes_new(const struct qry *q, const GPtrArray *since, bool hide_tracer);
/* The index as a whole as JSON: with several hosts their common folder, and sums.  The caller frees. */
GString *table_index_json(struct qry *q);

/*
 * How sure it is that the path continues at the other end of LINK.  A network link has the grade of the
 * packet's way between hosts.  Other links have the grade of what ended the wait.  Without these, it is the
 * grade of the segment at the link's FROM: the worst grade of all steps by which the path reached the sender.
 */
mdl_doubts table_link_doubts(const struct ana_path *path, const struct ana_link *link);

/* table_compare_what(): the step of R, a row of a comparison: "db/wk-server running"; the caller frees.
 * table_compare_is_only(): true if the paths of only one side have the step. */
char *table_compare_what(const struct ana_compare *c, const struct ana_compare_row *r);
bool table_compare_is_only(const struct ana_compare_row *r);
/* _takes(): the time of R, "40.0 µs > 2.90 ms" or "only in slow". _in(): the number of paths that have R, "6
 * of 8 > 4 of 4"; NULL: all. ARROW is put between fast and slow. _p(): the probability P, "p < 0.01"; NULL:
 * not tested. The caller frees. */
char *table_compare_takes(const struct ana_compare *c, const struct ana_compare_row *r, const char *arrow);
char *table_compare_in(const struct ana_compare *c, const struct ana_compare_row *r, const char *arrow);
char *table_compare_p(double p);

/* The result of table_account. */
struct table_account {
	struct ana_blame blame; /* weak copy; the first member, as the context of BLAME's columns */
	struct ana_moments *moments;
	GArray *resched; /* of ana_resched_new() */
};

/* ---- cursors over lists ---- */

/* The cursor of a table whose rows are a list. */
struct table_list {
	struct table_cursor of;
	const void *rows; /* weak: GArray or GPtrArray, as the table says; NULL: none */
	guint next;       /* row */
	void *made;       /* what the table's make() returned, and free() takes at the end; NULL: nothing */
};

/* The next row of the list. */
int table_list_next(struct table_cursor *c, const void **row, GError **error);

#endif
