/* SPDX-License-Identifier: MIT */
/* The causes of the waits of a set of threads: the time of their waits by kind and by actor, as on the
 * critical path; for waits for a CPU (preempted or woken), by the thread that had it. */
#ifndef ANA_CAUSES_H
#define ANA_CAUSES_H

#include "analysis/latency/latency.h"

/* Groups of threads that were waited for: by name on one host (ana_group_name()); single threads; by last
 * control group; single threads, and if one ran a CPU of a guest, by thread of the guest. */
enum ana_causes_by { ANA_CAUSES_BY_NAME, ANA_CAUSES_BY_THREAD, ANA_CAUSES_BY_CGROUP, ANA_CAUSES_BY_GUEST };

struct ana_causes_entry {
	enum ana_kind kind;
	uint32_t host; /* host of the actor */
	char *name;    /* owned: "vdb", "wk-stage0" (ana_group_name()), "eth1", "own sleep"; never empty */
	/* owned: as shown, "wk-stage0[12]", "hackbench (40 threads)"; with "HOST/" for threads if there are
	 * several hosts */
	char *label;
	/* The actor: a thread, IRQ or softirq; MDL_NONE none, or several threads. */
	uint32_t row;
	uint32_t guest;   /* by guest, wait for a CPU: the guest's thread that ROW ran; MDL_NONE none */
	uint32_t threads; /* number of threads in it; 0: not a thread */
	uint32_t count;   /* number of waits with a part in it */
	uint32_t grades[MDL_GRADES]; /* number of these waits by enum mdl_grade */
	/* ns of its parts of waits within the window.  The totals of all entries sum to the total of the
	 * waits. */
	int64_t total, longest;
	/* Of int64_t: each such part, ns (ana_causes_keep_values()); owned; NULL: not kept. */
	GArray *values;
	uint32_t longest_row; /* thread of the wait with its longest part, and the end of that wait */
	int64_t longest_end;
};

/* True if E is the threads' own sleep, which their own timers end. They wait for nobody then. */
bool ana_causes_is_own_sleep(const struct ana_causes_entry *e);

struct ana_causes;

/* Leave out waits for a CPU, which take most of the running time.  Call it before any work. */
void ana_causes_only_blocked(struct ana_causes *c);
/* Leave out all waits except those for a CPU.  Call it before any work. */
void ana_causes_only_cpu(struct ana_causes *c);
/* Keep the time of each wait, too: 8 bytes for each cause of it.  Call it before any work. */
void ana_causes_keep_values(struct ana_causes *c);
/* The result as a measurement: each wait is a case; each cause, called "KIND: NAME", is a group of its parts.
 * Call it after all work; C loses its values.  The caller frees it with ana_latency_free(). */
struct ana_latency *ana_causes_measured(struct ana_causes *c);

/* Call ana_causes_new(), ana_causes_work() until nothing is left, ana_causes_entries() at any time, and
 * ana_causes_free() (NULL: nothing). ROWS are copied; rows that are no threads are ignored. Waits count as
 * far as they lie in the window [FROM, TO), shown times in ns. */
struct ana_causes *ana_causes_new(struct qry *q, const uint32_t *rows, uint32_t n_rows, enum ana_causes_by by,
	int64_t from, int64_t to);
void ana_causes_free(struct ana_causes *c);

/* The question of ana_causes_asked(): the waits of which threads in [FROM, TO), ns. */
struct ana_causes_asked {
	enum ana_causes_by by;
	uint32_t row;    /* only this thread; MDL_NONE: all */
	bool of_process; /* also the other threads of the process ROW */
	int64_t from, to;
	/* If ROW is MDL_NONE: leave out the tracer's threads; leave out kernel threads. */
	bool hide_tracer, user_threads;
};

/* Like ana_causes_new(), for the threads that ASKED selects. */
struct ana_causes *ana_causes_asked(struct qry *q, const struct ana_causes_asked *asked);
/* Work until nothing is left.  False with BASE_ERROR_CANCELLED if PROGRESS (may be NULL) was cancelled. */
bool ana_causes_finish(struct ana_causes *c, struct base_progress *progress, GError **error);
/* Parse "name", "thread" or "cgroup"; NULL: by name.  False with BASE_ERROR_USAGE. */
bool ana_causes_by_parse(const char *text, enum ana_causes_by *by, GError **error);

/* Process at least one further wake-up or state, about STEPS in all, including states of threads that had a
 * CPU meanwhile.  True: there is more to do. */
bool ana_causes_work(struct ana_causes *c, unsigned steps);
/* The part of the work that is done, about, 0..1. */
double ana_causes_share(const struct ana_causes *c);

/* The result so far: struct ana_causes_entry, longest total first.  Owned by C, valid until the next call. */
const GArray *ana_causes_entries(struct ana_causes *c);

#endif
