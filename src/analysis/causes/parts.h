/* SPDX-License-Identifier: MIT */
/* The list of causes under construction.  Private to analysis/causes. */
#ifndef ANA_CAUSES_PARTS_H
#define ANA_CAUSES_PARTS_H

#include "analysis/causes/causes.h"

/* An entry, and its part in the current wait. */
struct ana_causes_sum {
	struct ana_causes_entry entry; /* must be the first member */
	bool touched;                  /* it has a part in the current wait: NS, DOUBTS */
	int64_t ns;
	mdl_doubts doubts; /* about that part */
};

/* The sums, and the current wait. */
struct ana_causes_table {
	struct qry *q; /* weak */
	enum ana_causes_by by;
	GHashTable *by_key; /* "kind/host/set/name", owned → struct ana_causes_sum *, owned */
	GHashTable *by_thread[ANA_KIND_N]; /* row of a thread → its entry in BY_KEY, weak */
	GArray *waits;                     /* of int64_t: each wait, ns; NULL unless values are kept */
	GPtrArray *touched; /* of struct ana_causes_sum, weak: those with a part in the current wait */
};

/* ---- analysis/causes/table.c ---- */

void ana_causes_table_init(struct ana_causes_table *t, struct qry *q, enum ana_causes_by by);
void ana_causes_table_clear(struct ana_causes_table *t);
/* Look up, or make, an entry: of THREAD; of THREAD running GUEST, a thread of a guest; of something that is
 * no thread, called TAKE_NAME (ownership is taken) on HOST, whose IRQ or softirq is ROW (MDL_NONE: none). */
struct ana_causes_sum *ana_causes_of_thread(struct ana_causes_table *t, enum ana_kind kind, uint32_t thread);
struct ana_causes_sum *ana_causes_of_guest(struct ana_causes_table *t, enum ana_kind kind, uint32_t thread,
	uint32_t guest);
struct ana_causes_sum *ana_causes_of_thing(struct ana_causes_table *t, enum ana_kind kind, uint32_t host,
	uint32_t row, char *take_name);
/* Put NS of the current wait down to SUM. */
void ana_causes_add(struct ana_causes_table *t, struct ana_causes_sum *sum, int64_t ns, mdl_doubts doubts);
/* End the current wait: it was a wait of thread ROW, until END. */
void ana_causes_end_wait(struct ana_causes_table *t, uint32_t row, int64_t end);

/* ---- analysis/causes/cpu.c ---- */

struct ana_causes_cpus;
struct ana_causes_cpus *ana_causes_cpus_new(struct ana_causes_table *t);
void ana_causes_cpus_free(struct ana_causes_cpus *c);
/* Prepare for waits that begin in [*FROM, *END).  Moves *FROM to where something is recorded.  False if
 * nothing is, up to TO. */
bool ana_causes_cpus_stretch(struct ana_causes_cpus *c, int64_t *from, int64_t to, int64_t *end);
/* How often the owner of a CPU was looked up so far: a long wait for a busy CPU takes thousands of
 * look-ups. */
uint64_t ana_causes_cpus_looked(const struct ana_causes_cpus *c);
/* Put down the part in [FROM, TO) of the wait for a CPU of thread ROW that begins with interval FIRST, in the
 * current stretch or before FROM.  Does nothing if FIRST is no wait for a CPU.  Returns the end of the wait,
 * or of FIRST. */
int64_t ana_causes_cpu_wait(struct ana_causes_cpus *c, uint32_t row, const struct mdl_interval *first,
	int64_t from, int64_t to);
/* The end of the wait for a CPU that INTERVAL of thread ROW is in; if it is in none, the end of INTERVAL. */
int64_t ana_causes_cpu_end(struct qry *q, uint32_t row, const struct mdl_interval *interval);

#endif
