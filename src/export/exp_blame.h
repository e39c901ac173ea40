/* SPDX-License-Identifier: MIT */
/* BLAME of cli.md.  Inside the library only. */
#ifndef EXP_BLAME_H
#define EXP_BLAME_H

#include "analysis/ana_blame.h"
#include "export/exp_rows.h"

/* The columns of a part (struct ana_blame_part); their context is the struct ana_blame. */
void exp_blame_columns(struct exp_rows *to, const void *row, const struct exp_rows_in *in);
/* The parts of BLAME, the longest first; an empty list for an empty interval.  The caller owns the array. */
JsonArray *exp_blame_json(struct qry *q, const struct ana_blame *blame);
/* "late: the idle CPU 1", "wk-server[12] ran": whose a part is, in words.  The caller frees. */
char *exp_blame_words(const struct qry *q, const struct ana_blame_part *part);
/* By what letter the part at PLACE stands in a drawing. */
char exp_blame_letter(guint place);

#endif
