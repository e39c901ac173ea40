/* SPDX-License-Identifier: MIT */
/* What it costs to observe a host, as a part of what is told of its trace.  Inside the library only. */
#ifndef EXP_COST_H
#define EXP_COST_H

#include "analysis/ana_cost.h"
#include "export/exp_rows.h"

/* Its columns; of CSV, beside others: "observing_…". */
exp_columns exp_cost_columns, exp_cost_flat;

/* For people, a line about threads and a line about packets; NULL: nothing to tell.  The caller frees. */
char *exp_cost_threads(const struct ana_cost *cost);
char *exp_cost_packets(const struct ana_cost *cost);

#endif
