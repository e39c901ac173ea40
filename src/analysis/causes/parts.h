/* SPDX-License-Identifier: MIT */
/* The list of causes in the making, private to ana_causes*.c. */
#ifndef ANA_CAUSES_PARTS_H
#define ANA_CAUSES_PARTS_H

#include "analysis/causes/causes.h"

/* An entry, and its part in the wait at hand. */
struct ana_causes_sum {
	struct ana_causes_entry entry; /* first */
	bool touched;                  /* it has one: */
	int64_t ns;
	enum ana_grade grade; /* the worst of it */
};

/* What is summed up, and the wait at hand. */
struct ana_causes_table {
	struct qry *q; /* weak */
	enum ana_causes_by by;
	GHashTable *by_key; /* "kind/host/set/name", owned → struct ana_causes_sum *, owned */
	GHashTable *by_thread[ANA_KIND_N]; /* row of a thread → its entry in BY_KEY, weak */
	GArray *waits;                     /* of int64_t: each wait, where values are kept, else NULL */
	GPtrArray *touched; /* of struct ana_causes_sum, weak: those with a part in the wait at hand */
};

/* ---- analysis/causes/table.c ---- */

void ana_causes_table_init(struct ana_causes_table *t, struct qry *q, enum ana_causes_by by);
void ana_causes_table_clear(struct ana_causes_table *t);
/* The entry of THREAD, that of THREAD running GUEST, a thread of a guest, and that of what no thread is
 * behind, called TAKE_NAME (taken over) on HOST; ROW is its line or softirq, MDL_NONE none. */
struct ana_causes_sum *ana_causes_of_thread(struct ana_causes_table *t, enum ana_kind kind, uint32_t thread);
struct ana_causes_sum *ana_causes_of_guest(struct ana_causes_table *t, enum ana_kind kind, uint32_t thread,
	uint32_t guest);
struct ana_causes_sum *ana_causes_of_thing(struct ana_causes_table *t, enum ana_kind kind, uint32_t host,
	uint32_t row, char *take_name);
/* NS of the wait at hand are put down to it. */
void ana_causes_add(struct ana_causes_table *t, struct ana_causes_sum *sum, int64_t ns, enum ana_grade grade);
/* The wait at hand was one of thread ROW, until END. */
void ana_causes_end_wait(struct ana_causes_table *t, uint32_t row, int64_t end);

/* ---- analysis/causes/cpu.c ---- */

struct ana_causes_cpus;
struct ana_causes_cpus *ana_causes_cpus_new(struct ana_causes_table *t);
void ana_causes_cpus_free(struct ana_causes_cpus *c);
/* From now on waits that begin in [*FROM, *END) are looked at: *FROM moves to where something is recorded.
 * False when nothing is, up to TO. */
bool ana_causes_cpus_stretch(struct ana_causes_cpus *c, int64_t *from, int64_t to, int64_t *end);
/* How often it was looked up so far who had a CPU: a long wait on a busy one takes thousands of times. */
uint64_t ana_causes_cpus_looked(const struct ana_causes_cpus *c);
/*
 * Put down what of the wait of thread ROW for a CPU that begins with interval FIRST lies in [FROM, TO); it
 * begins in the stretch, or before FROM. Nothing where the thread does not wait for one in FIRST.  Returns
 * where the wait, or FIRST, ends.
 */
int64_t ana_causes_cpu_wait(struct ana_causes_cpus *c, uint32_t row, const struct mdl_interval *first,
	int64_t from, int64_t to);
/* Where the wait for a CPU that INTERVAL of thread ROW is in ends; where it is none, where the interval does.
 */
int64_t ana_causes_cpu_end(struct qry *q, uint32_t row, const struct mdl_interval *interval);

#endif
