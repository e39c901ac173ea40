/* SPDX-License-Identifier: MIT */
/* BLAME of cli.md.  Inside the library only. */
#ifndef EXP_BLAME_H
#define EXP_BLAME_H

#include "analysis/cpu/blame.h"
#include "export/exp_rows.h"

/* The columns of a part (struct ana_blame_part); their context is the struct ana_blame. */
void exp_blame_columns(struct exp_rows *to, const void *row, const struct exp_rows_in *in);
/* The parts of BLAME, the longest first; an empty list for an empty interval.  The caller owns the array. */
GString *exp_blame_json(struct qry *q, const struct ana_blame *blame);

#endif
