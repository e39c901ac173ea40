/* SPDX-License-Identifier: MIT */
/* BLAME of cli.md.  Only for the export library. */
#ifndef EXP_BLAME_H
#define EXP_BLAME_H

#include "analysis/cpu/blame.h"
#include "export/exp_rows.h"

/* The columns of a part (struct ana_blame_part); their context is the struct ana_blame. */
void exp_blame_columns(struct exp_rows *to, const void *row, const struct exp_rows_in *in);
/* The parts of BLAME, longest first; an empty list for an empty interval.  The caller frees. */
GString *exp_blame_json(struct qry *q, const struct ana_blame *blame);

#endif
