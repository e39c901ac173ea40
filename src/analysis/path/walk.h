/* SPDX-License-Identifier: MIT */
/* The walk that finds the critical path, for src/analysis alone. */
#ifndef ANA_WALK_H
#define ANA_WALK_H

#include "analysis/path/pathbuf.h"
#include "base/base_progress.h"

/*
 * Follow thread ROW from TO back to FROM, within its life or with a birth in
 * between, and put all that is found into BUF.  False when PROGRESS (may be NULL) was
 * cancelled; BUF is then not covered.
 */
bool ana_walk(struct qry *q, struct ana_pathbuf *buf, uint32_t row, int64_t from, int64_t to,
	struct base_progress *progress);

/* The same for the one wait of thread ROW that WAKEUP ended (its beginning is known), from its end back to
 * FROM, which is not before the wait. */
void ana_walk_one_wait(struct qry *q, struct ana_pathbuf *buf, uint32_t row, const struct mdl_wakeup *wakeup,
	int64_t from);

#endif
