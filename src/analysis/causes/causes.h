/* SPDX-License-Identifier: MIT */
/*
 * What a set of threads waited for most: the time of their waits by kind and by whose it was, as the critical
 * path finds it; and of their waits for a CPU, preempted or woken, by who had it.
 */
#ifndef ANA_CAUSES_H
#define ANA_CAUSES_H

#include "analysis/latency/latency.h"

/* Threads that the time of waits was spent in: those of one name on one host together (ana_group_name()), or
 * each of its own; or each, and where it ran a CPU of a guest each thread of that. */
enum ana_causes_by { ANA_CAUSES_BY_NAME, ANA_CAUSES_BY_THREAD, ANA_CAUSES_BY_GUEST };

struct ana_causes_entry {
	enum ana_kind kind;
	uint32_t host; /* of what is behind it */
	char *name;    /* owned: "vdb", "wk-stage0" (ana_group_name()), "eth1", "own sleep"; never empty */
	char *label; /* owned: the same for people, "wk-stage0[12]", "hackbench (40 threads)"; with HOST/ for
			threads of one of several hosts */
	/* What is behind it: a thread, an interrupt line, a softirq; MDL_NONE none, or several threads. */
	uint32_t row;
	uint32_t guest;   /* by guest, of a wait for a CPU: the guest's thread that ROW ran; MDL_NONE none */
	uint32_t threads; /* how many threads are behind it; 0 where no thread is */
	uint32_t count;   /* waits that it has a part in */
	uint32_t grades[3]; /* how many of them by enum ana_grade */
	/* ns of its parts of waits within the window; of all entries they sum to the waits'. */
	int64_t total, longest;
	GArray *values; /* of int64_t: each such part, as ana_causes_keep_values(); owned; NULL: not kept */
	uint32_t longest_row; /* in whose wait it had the longest, and when that ended */
	int64_t longest_end;
};

struct ana_causes;

/* Leave out waits for a CPU, which take by far the most of the time.  To be said before any work. */
void ana_causes_only_blocked(struct ana_causes *c);
/* Keep the time of each wait, too, 8 bytes for each cause that it has.  To be said before any work. */
void ana_causes_keep_values(struct ana_causes *c);
/* What was found as a measurement: each wait is a case, and of each cause, called "KIND: NAME", its part of
 * each wait. After all work; C keeps no values.  The caller frees it with ana_latency_free(). */
struct ana_latency *ana_causes_measured(struct ana_causes *c);

/* Life: new, work until nothing is left, entries at any time, free.  ROWS (threads; others are left out) are
 * copied.  The window is [FROM, TO). */
struct ana_causes *ana_causes_new(struct qry *q, const uint32_t *rows, uint32_t n_rows, enum ana_causes_by by,
	int64_t from, int64_t to);
void ana_causes_free(struct ana_causes *c);

/* Look at some more wake-ups and states: STEPS together with those who had a CPU meanwhile, at least one.
 * True: there is more to do. */
bool ana_causes_work(struct ana_causes *c, unsigned steps);
/* At how many wake-ups and states it looked so far. */
uint64_t ana_causes_looked(const struct ana_causes *c);

/* What was found so far: of struct ana_causes_entry, longest total first.  Owned by C, valid until the next
 * call. */
const GArray *ana_causes_entries(struct ana_causes *c);

#endif
