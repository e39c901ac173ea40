/* SPDX-License-Identifier: MIT */
/* Private to analysis/overview. */
#ifndef ANA_OVERVIEW_PARTS_H
#define ANA_OVERVIEW_PARTS_H

#include "analysis/overview/overview.h"

/* ---- lines.c ---- */

/* Free what LINE (struct ana_overview_line) owns. */
void ana_overview_line_clear(void *line);

/* The threads, or MDL_NONE, that asked and replied, and their hosts. */
struct ana_overview_ends {
	uint32_t client, client_host, server, server_host;
};
/* The requests between threads that share their names with those of ENDS, in PAIRS (text, owned → GArray of items of
 * SIZE; keys are made here): a new array, empty, if there were none. */
GArray *ana_overview_pair(const struct qry *q, GHashTable *pairs, const struct ana_overview_ends *ends,
	guint size);
/* Append PART of WHOLE: "17 %", below 1 % "0.4 %". */
void ana_overview_put_share(GString *text, int64_t part, int64_t whole);

/* ---- answers.c ---- */

/*
 * The lines of ANA_OVERVIEW_ANSWER into LINES: at most TOP (5 at most), the one that lost most time first.  Lost is
 * what lies between pieces of work of the same thread: waits for a CPU, disks, locks, late timers, and if the thread
 * works, for other threads.  Its own sleep, waits for the end of a child and for the next request are not.  Threads
 * that share a name share an answer, and the first real-time thread always has one, as have the spans of
 * ana_overview_marked().  Costs as much as the causes of those threads that can be among the first, up to a limit.  False with an error: cancelled.
 */
bool ana_overview_answers(struct qry *q, unsigned top, bool hide_tracer, struct base_progress *progress,
	GArray *lines, GError **error);

/* ---- marked.c ---- */

/* The spans of one name. */
struct ana_overview_marked {
	char *name;       /* owned, clean; NULL: there are none to tell of */
	char *who;        /* ana_group_name() of the thread of the worst one; owned */
	bool others;      /* threads of other names have some, too */
	uint64_t count;   /* at least 8 */
	int64_t p50, sum; /* ns */
	int64_t lost;     /* ns over P50, of those that took longer */
	uint32_t row;     /* of the worst one, which took more than 3 times P50 */
	int64_t from, to;
};
/*
 * Set *MARKED (_clear() frees) to the spans of the one name in which most time was lost over the median: spans of other
 * names that lie around or in these are so left out, too.  In kernel traces of more than 2 million events only those that
 * the user declared are looked for.  Spans that cannot be read are a warning.  False with an error: cancelled.
 */
bool ana_overview_marked(struct qry *q, struct ana_overview_marked *marked, struct base_progress *progress,
	GError **error);
void ana_overview_marked_clear(struct ana_overview_marked *marked);

/* ---- parts that are kept (keep.c) ---- */

struct ana_overview_keep {
	char *name, *key; /* owned */
};
/* The name and the key of the part called PART, as it is asked for. */
struct ana_overview_keep ana_overview_keep(struct qry *q, const char *part, unsigned top, bool hide_tracer);
void ana_overview_keep_clear(struct ana_overview_keep *keep);
/* Append the lines that were kept to LINES, which is empty; false: none were. */
bool ana_overview_keep_read(const struct ana_overview_keep *keep, struct qry *q, GArray *lines);
void ana_overview_keep_write(const struct ana_overview_keep *keep, struct qry *q, const GArray *lines);

#endif
