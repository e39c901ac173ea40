/* SPDX-License-Identifier: MIT */
/* Check a whole index: state shared by the chunks that refer to series.  Private to src/index. */
#ifndef IDX_VERIFY_PARTS_H
#define IDX_VERIFY_PARTS_H

#include "index/table/parts.h"
#include "index/verify/tree.h"
#include "model/mdl_fact.h"

struct idx_verify {
	struct idx_reader *r;
	struct idx_verify_tree tree; /* the series being walked */
	struct idx_verify_totals *totals;
	uint8_t *named; /* by number of a cause: 1 if a wake-up names it */
	uint64_t n_named;
	/* Of the series being walked: */
	bool has_last;
	struct mdl_interval last; /* intervals: the previous one */
	int64_t last_time;        /* wake-ups, times, packets: time of the previous one, ns */
	uint64_t last_end;        /* packets: end of the previous one in the stream's file */
	uint64_t events;          /* packets: events in those seen so far */
};

/* Check all blocks that the chunks refer to. */
void idx_verify_chunks(struct idx_verify *v);

/* Walk the series below REF (idx_load_series()).  LEAF checks each leaf; its OWNER is V. */
void idx_verify_walk(struct idx_verify *v, const struct idx_ref *ref, uint8_t kind, uint32_t row,
	uint8_t row_type, idx_verify_leaf leaf);
/* Check that TIME, of the next record in the leaf AT, does not step back. */
void idx_verify_time(struct idx_verify *v, const struct idx_child *at, int64_t time);

/* True if ACT lies in the trace's span [FROM, TO] and not before the entry of its interrupt. */
bool idx_verify_act(const struct mdl_act *act, int64_t from, int64_t to);
/* Returns what is impossible in CAUSE, in a trace from FROM to TO (static text), or NULL. */
const char *idx_verify_cause(const struct mdl_cause *cause, int64_t from, int64_t to);

#endif
