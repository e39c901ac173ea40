/* SPDX-License-Identifier: MIT */
/* What `info --top` tells beside the traces themselves.  Inside the library only. */
#ifndef EXP_OVERVIEW_H
#define EXP_OVERVIEW_H

#include "analysis/ana_overview.h"
#include "export/exp.h"

/* ALL as a table for each part, or the list "top" of the open object of JSON, or as CSV. */
void exp_overview(GString *out, struct qry *q, const struct ana_overview *all, enum exp_format format);

#endif
