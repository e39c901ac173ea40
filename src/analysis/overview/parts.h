/* SPDX-License-Identifier: MIT */
/* Parts of an overview that are kept.  Private to analysis/overview. */
#ifndef ANA_OVERVIEW_PARTS_H
#define ANA_OVERVIEW_PARTS_H

#include "analysis/overview/overview.h"

struct ana_overview_keep {
	char *name, *key; /* owned */
};
/* Of the part called PART, as it is asked for. */
struct ana_overview_keep ana_overview_keep(struct qry *q, const char *part, unsigned top, bool hide_tracer);
void ana_overview_keep_clear(struct ana_overview_keep *keep);
/* Append the lines that were kept to LINES, which is empty; false: none were. */
bool ana_overview_keep_read(const struct ana_overview_keep *keep, struct qry *q, GArray *lines);
void ana_overview_keep_write(const struct ana_overview_keep *keep, struct qry *q, const GArray *lines);

#endif
