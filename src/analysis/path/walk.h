/* SPDX-License-Identifier: MIT */
/* The walk that finds the critical path.  Private to src/analysis. */
#ifndef ANA_WALK_H
#define ANA_WALK_H

#include "analysis/path/pathbuf.h"
#include "base/base_progress.h"

/* Follow thread ROW from TO back to FROM, within its life or across its birth, and add all segments to BUF.
 * False if PROGRESS (may be NULL) was cancelled; then BUF is not covered. */
bool ana_walk(struct qry *q, struct ana_pathbuf *buf, uint32_t row, int64_t from, int64_t to,
	struct base_progress *progress);

/* Follow only the wait of thread ROW that WAKEUP ended (the begin of the wait is known), from its end back to
 * FROM, which is not before the wait. */
void ana_walk_one_wait(struct qry *q, struct ana_pathbuf *buf, uint32_t row, const struct mdl_wakeup *wakeup,
	int64_t from);

#endif
