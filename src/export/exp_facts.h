/* SPDX-License-Identifier: MIT */
/* What is known of a cause, as JSON objects of SOURCE in cli.md.  Inside the library only. */
#ifndef EXP_FACTS_H
#define EXP_FACTS_H

#include "query/qry.h"

#include <json-glib/json-glib.h>

/* Add the members "request", "packet", "timer", "work", "signal" and "remote" to O: of FACTS (NULL: none are
 * known), null where one is not. */
void exp_facts_json(JsonObject *o, struct qry *q, uint32_t host, const struct mdl_facts *facts);
/* An address of the kernel: "0xffffffff82f68260". */
void exp_facts_address(JsonObject *o, const char *key, uint64_t address);

#endif
