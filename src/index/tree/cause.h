/* SPDX-License-Identifier: MIT */
/* Leaves of causes: write and read. */
#ifndef IDX_CAUSE_H
#define IDX_CAUSE_H

#include "index/tree/leaf.h"
#include "model/mdl_fact.h"

#define IDX_CAUSE_RECORD_MAX \
	1280 /* bytes; index/tree/cause_record.c lists what fills them in the worst case */

struct idx_cause_writer;

struct idx_cause_writer *idx_cause_writer_new(void);
void idx_cause_writer_free(struct idx_cause_writer *w);
/* Append the next cause. */
void idx_cause_writer_add(struct idx_cause_writer *w, struct idx_out *o, const struct mdl_cause *cause);
/* Write the open leaf.  *TOP: see idx_tree_finish(). */
void idx_cause_writer_finish(struct idx_cause_writer *w, struct idx_out *o, struct idx_child *top);

/* Returns how many causes the leaf of SIZE bytes at BLOCK holds; 0 if its offsets are invalid. */
unsigned idx_cause_count(const uint8_t *block, uint32_t size);
/* Read cause number INDEX (0 …, below idx_cause_count()) of the leaf.  False if it is damaged or an id
 * exceeds LIMITS. */
bool idx_cause_read(const uint8_t *block, uint32_t size, unsigned index, const struct idx_limits *limits,
	struct mdl_cause *cause);

/* ---- index/tree/cause_record.c ---- */

/* The time that all other times in CAUSE are stored relative to (ns): that of its last hop, or else of its
 * first fact. */
int64_t idx_cause_base(const struct mdl_cause *cause);
/* Write CAUSE at P, which has room for IDX_CAUSE_RECORD_MAX bytes; times are relative to BASE.  Returns the
 * end of the record. */
uint8_t *idx_cause_put(uint8_t *p, const struct mdl_cause *cause, int64_t base);
/* Read what idx_cause_put() wrote; it must end exactly at END.  False if it is damaged. */
bool idx_cause_get(const uint8_t *p, const uint8_t *end, int64_t base, const struct idx_limits *limits,
	struct mdl_cause *cause);

#endif
