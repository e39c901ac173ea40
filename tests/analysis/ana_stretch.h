/* SPDX-License-Identifier: MIT */
/* Paths through histories made by hand, stretch by stretch. */
#ifndef ANA_STRETCH_H
#define ANA_STRETCH_H

#include "analysis/path/path.h"

/* A stretch of a path; times in ns. */
struct ana_stretch {
	int64_t from, to;
	const char *actor, *detail; /* DETAIL: its beginning; NULL: any */
	enum ana_segment_kind kind;
	uint32_t depth;
};

/* Checks that the segments of P are the N of WANTED. */
void ana_stretch_check(struct qry *q, const struct ana_path *p, const struct ana_stretch *wanted, guint n);

#endif
