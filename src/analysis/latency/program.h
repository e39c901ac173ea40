/* SPDX-License-Identifier: MIT */
/*
 * The phases of the user's own programs: spans with a name, found by the shapes of analysis/latency/mark.h
 * and by the declarations "[span NAME]" in a file of rules.  One pass over the trace finds them all, and they
 * are stored (query/cases/kept.h).  The phases of one name are a kind of latency, "span:NAME", and all
 * together are "span".
 */
#ifndef ANA_PROGRAM_H
#define ANA_PROGRAM_H

#include "analysis/latency/mark.h"
#include "analysis/latency/rules.h"
#include "query/cases/spans.h"

/* Add the phases and states that RULES (weak; NULL: none) declare to those of Q, and the waits of its threads
 * (analysis/latency/waits.c).  Also adds the kernel's work for memory to causes and paths.  Call it before
 * any question to Q. */
void ana_program_declare(struct qry *q, const struct ana_rules *rules);
/* Append to KEY everything in the rules of Q that states of threads depend on. */
void ana_program_key(struct qry *q, GString *key);
/* Find the waits that RULES declare, if any, with PROGRESS.  Otherwise the first question that needs them
 * does, without showing progress.  False with an error of ana_program_open(). */
bool ana_program_prepare(struct qry *q, struct base_progress *progress, GError **error);

/* Open the phases of Q called NAME (NULL: all); finds them first if they are not stored.  NAME may leave out
 * the program before a ":" if it is unambiguous.  BASE_ERROR_USAGE, with similar names, if no phase has that
 * name.  BASE_ERROR_NO_ANSWER if there are no phases at all.  Else errors of qry_kept_open(). */
bool ana_program_open(struct qry *q, const char *name, struct qry_spans *spans,
	struct base_progress *progress, GError **error);

/* The full name of the phases called NAME; weak.  NULL with an error of ana_program_open(). */
const char *ana_program_find(struct qry *q, const char *name, struct base_progress *progress, GError **error);

/* Set *FROM and *TO to the time of the phase that TEXT, "span:NAME=KEY", names: the first with that name and
 * key (of thread ROW, unless MDL_NONE).  False with an error of ana_program_open(), or BASE_ERROR_USAGE. */
bool ana_program_time(struct qry *q, const char *text, uint32_t row, int64_t *from, int64_t *to,
	struct base_progress *progress, GError **error);

/* The name with a few phases that took much longer than its others, among names with several phases; weak.
 * NULL with an error of ana_program_open(), or BASE_ERROR_NO_ANSWER. */
const char *ana_program_widest(struct qry *q, struct base_progress *progress, GError **error);

/* A thread's share of one kind of the kernel's work for memory. */
struct ana_program_work {
	const char *name; /* "direct reclaim", as qry_work_after() has it */
	mdl_doubts doubts;
	uint64_t count;       /* number of times */
	int64_t time;         /* ns, total */
	int64_t ns[MDL_ST_N]; /* part of TIME in each state of the thread */
};
/* The kernel's work for memory that thread ROW did in [FROM, TO), most time first: of struct
 * ana_program_work; the caller unrefs.  NULL with an error as ana_program_open(). */
GArray *ana_program_memory(struct qry *q, uint32_t row, int64_t from, int64_t to,
	struct base_progress *progress, GError **error);
/* The kernel's work for memory of all threads, for qry_spins_maker(). */
struct qry_spins *ana_program_works(struct qry *q);
/* Add to WORKS the page faults in which a thread of Q waited, at most MOST in all (faults.c).  False with an
 * error of qry_kept_open(). */
bool ana_faults_add(struct qry *q, struct qry_spins *works, guint most, GError **error);
/* True if NAME, of struct qry_spin, is a page fault. */
bool ana_faults_is(const char *name);

#endif
