/* SPDX-License-Identifier: MIT */
/* Leaves of causes: writing and reading. */
#ifndef IDX_CAUSE_H
#define IDX_CAUSE_H

#include "index/idx_leaf.h"
#include "model/mdl_fact.h"

#define IDX_CAUSE_RECORD_MAX 1280 /* bytes; see idx_cause_record.c for what fills them at worst */

struct idx_cause_writer;

struct idx_cause_writer *idx_cause_writer_new(void);
void idx_cause_writer_free(struct idx_cause_writer *w);
/* Append the next cause. */
void idx_cause_writer_add(struct idx_cause_writer *w, struct idx_out *o, const struct mdl_cause *cause);
/* Write what is open; *TOP as idx_tree_finish(). */
void idx_cause_writer_finish(struct idx_cause_writer *w, struct idx_out *o, struct idx_child *top);

/* How many causes the leaf of SIZE bytes at BLOCK holds; 0 when their places do not hold. */
unsigned idx_cause_count(const uint8_t *block, uint32_t size);
/* Read cause number INDEX (0 …, less than their count) of the leaf.  False when it is damaged or points
 * beyond LIMITS. */
bool idx_cause_read(const uint8_t *block, uint32_t size, unsigned index, const struct idx_limits *limits,
	struct mdl_cause *cause);

/* ---- idx_cause_record.c ---- */

/* The time from which all others in CAUSE are told: of its last hop, else of the first fact there is. */
int64_t idx_cause_base(const struct mdl_cause *cause);
/* Write CAUSE at P, which has room for IDX_CAUSE_RECORD_MAX bytes; times count from BASE.  Returns the byte
 * after it. */
uint8_t *idx_cause_put(uint8_t *p, const struct mdl_cause *cause, int64_t base);
/* Read what idx_cause_put() wrote, exactly up to END.  False when it is damaged. */
bool idx_cause_get(const uint8_t *p, const uint8_t *end, int64_t base, const struct idx_limits *limits,
	struct mdl_cause *cause);

#endif
