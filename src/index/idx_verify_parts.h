/* SPDX-License-Identifier: MIT */
/* Checking a whole index: what the chunks that refer to series have in common.  Private to src/index. */
#ifndef IDX_VERIFY_PARTS_H
#define IDX_VERIFY_PARTS_H

#include "index/idx_load.h"
#include "index/idx_verify_tree.h"
#include "model/mdl_fact.h"

struct idx_verify {
	struct idx_reader *r;
	struct idx_verify_tree tree; /* the series being walked */
	struct idx_verify_totals *totals;
	uint8_t *named; /* by number of a cause: 1 when a wake-up names it */
	uint64_t n_named;
	/* of the series being walked */
	bool has_last;
	struct mdl_interval last; /* intervals: the one before */
	int64_t last_time;        /* wake-ups, times, packets: of the one before */
	uint64_t last_end;        /* packets: where the one before ends in the file */
	uint64_t events;          /* packets: in those seen */
};

/* Walk the series below REF (idx_load_series()), whose leaves LEAF checks with a struct idx_verify as OWNER.
 */
void idx_verify_walk(struct idx_verify *v, const struct idx_ref *ref, uint8_t kind, uint32_t row,
	uint8_t row_type, idx_verify_leaf leaf);
/* The next record, in the leaf that AT refers to, is of TIME: none steps back. */
void idx_verify_time(struct idx_verify *v, const struct idx_child *at, int64_t time);

/* Did ACT happen in the trace from FROM to TO, and not before its interrupt was entered? */
bool idx_verify_act(const struct mdl_act *act, int64_t from, int64_t to);
/* What in CAUSE of a trace from FROM to TO cannot be (static), or NULL. */
const char *idx_verify_cause(const struct mdl_cause *cause, int64_t from, int64_t to);

#endif
