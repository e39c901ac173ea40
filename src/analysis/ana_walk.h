/* SPDX-License-Identifier: MIT */
/* The walk that finds the critical flow, private to ana_path.c. */
#ifndef ANA_WALK_H
#define ANA_WALK_H

#include "analysis/ana_pathbuf.h"
#include "base/base_progress.h"

/*
 * Follow thread ROW from TO back to FROM, within its life or with a birth in
 * between, and put all that is found into BUF.  False when PROGRESS (may be NULL) was
 * cancelled; BUF is then not covered.
 */
bool ana_walk(struct qry *q, struct ana_pathbuf *buf, uint32_t row, int64_t from, int64_t to,
	      struct base_progress *progress);

#endif
