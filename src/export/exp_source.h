/* SPDX-License-Identifier: MIT */
/* SOURCE of cli.md: what ended a wait.  Inside the library only. */
#ifndef EXP_SOURCE_H
#define EXP_SOURCE_H

#include "analysis/ana_source.h"

#include <json-glib/json-glib.h>

/* The JSON object of SOURCE. */
JsonObject *exp_source_json(struct qry *q, const struct ana_source *source);

#endif
