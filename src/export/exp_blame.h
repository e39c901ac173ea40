/* SPDX-License-Identifier: MIT */
/* BLAME of cli.md.  Inside the library only. */
#ifndef EXP_BLAME_H
#define EXP_BLAME_H

#include "analysis/ana_blame.h"

#include <json-glib/json-glib.h>

/* The parts of BLAME, the longest first; an empty list for an empty interval.  The caller owns the array. */
JsonArray *exp_blame_json(const struct qry *q, const struct ana_blame *blame);

#endif
