/* SPDX-License-Identifier: MIT */
/* SOURCE of cli.md: what ended a wait.  Inside the library only. */
#ifndef EXP_SOURCE_H
#define EXP_SOURCE_H

#include "analysis/ana_source.h"

#include <json-glib/json-glib.h>

/* The JSON object of SOURCE, whose wake-up happened on HOST. */
JsonObject *exp_source_json(const struct qry *q, uint32_t host, const struct ana_source *source);

/* "irq" for device and local interrupts, "ipi", "softirq", "hrtimer", static. */
const char *exp_source_context_type(enum mdl_ctx_type type);

#endif
