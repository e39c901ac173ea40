/* SPDX-License-Identifier: MIT */
/* SOURCE of cli.md: what ended a wait.  Inside the library only. */
#ifndef EXP_SOURCE_H
#define EXP_SOURCE_H

#include "query/qry.h"

#include <json-glib/json-glib.h>

/* The JSON object of what ended the wait of thread ROW, as WAKEUP tells. */
JsonObject *exp_source_json(struct qry *q, uint32_t row, const struct mdl_wakeup *wakeup);

#endif
