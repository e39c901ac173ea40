/* SPDX-License-Identifier: MIT */
/*
 * The phases of the user's own programs: spans with a name, found by the shapes of analysis/latency/mark.h and by the
 * declarations "[span NAME]" in a file of rules.  They are found once, in one pass over the trace, and kept
 * (query/cases/kept.h).  Those of one name are a kind of latency, "span:NAME", and all of them
 * are "span".
 */
#ifndef ANA_PROGRAM_H
#define ANA_PROGRAM_H

#include "analysis/latency/mark.h"
#include "analysis/latency/rules.h"
#include "query/cases/spans.h"

/* Let the phases and states of Q be also those that RULES (weak; NULL: none) declare, and its threads wait where RULES
 * say so (analysis/latency/waits.c).  Its causes and paths tell the kernel's work for memory.  Before any question to Q. */
void ana_program_declare(struct qry *q, const struct ana_rules *rules);
/* Append to KEY what the states of threads depend on that RULES declare. */
void ana_program_key(struct qry *q, GString *key);
/* If RULES declare waits, find them now; without this the first question that needs them does, and nobody sees how far
 * it is.  False with an error of ana_program_open(). */
bool ana_program_prepare(struct qry *q, struct base_progress *progress, GError **error);

/* Open the phases of Q called NAME, which may leave out the part of the program before a ":" if only one is meant; NULL:
 * all.  Finds them first if they are not kept.  BASE_ERROR_USAGE for a name that no phase has: it tells near ones.
 * BASE_ERROR_NO_ANSWER if there are none at all.  Else errors of qry_kept_open(). */
bool ana_program_open(struct qry *q, const char *name, struct qry_spans *spans,
	struct base_progress *progress, GError **error);

/* The name of the phases that NAME stands for; weak.  NULL with an error of ana_program_open(). */
const char *ana_program_find(struct qry *q, const char *name, struct base_progress *progress, GError **error);

/* True if TEXT, "span:NAME=KEY", stands for a phase of Q, the first of that name and key (of thread ROW, unless MDL_NONE):
 * sets *FROM and *TO to its time.  Else false with an error of ana_program_open(), or BASE_ERROR_USAGE. */
bool ana_program_time(struct qry *q, const char *text, uint32_t row, int64_t *from, int64_t *to,
	struct base_progress *progress, GError **error);

/* The name of those of which a few took much longer than the others, among all that there are several of; weak.  NULL with an
 * error of ana_program_open(), or BASE_ERROR_NO_ANSWER. */
const char *ana_program_widest(struct qry *q, struct base_progress *progress, GError **error);

/* The share of a thread in one kind of the kernel's work for memory. */
struct ana_program_work {
	const char *name; /* "direct reclaim", as qry_work_after() has it */
	mdl_doubts doubts;
	uint64_t count;       /* how often */
	int64_t time;         /* ns, in all */
	int64_t ns[MDL_ST_N]; /* of that in each state of the thread */
};
/* The kernel's work for memory that thread ROW did in [FROM, TO), most time first: of struct ana_program_work; the caller
 * unrefs.  NULL with an error as ana_program_open(). */
GArray *ana_program_memory(struct qry *q, uint32_t row, int64_t from, int64_t to,
	struct base_progress *progress, GError **error);
/* That of all threads, as qry_spins_maker(). */
struct qry_spins *ana_program_works(struct qry *q);
/* Add to WORKS the page faults in which a thread of Q waited, at most MOST in all (faults.c).  False with an error of
 * qry_kept_open(). */
bool ana_faults_add(struct qry *q, struct qry_spins *works, guint most, GError **error);
/* True if NAME, of struct qry_spin, is that of a page fault. */
bool ana_faults_is(const char *name);

#endif
