/* SPDX-License-Identifier: MIT */
/* What commands share of JSON.  Inside the library only. */
#ifndef EXP_JSON_H
#define EXP_JSON_H

#include "base/base_json.h"
#include "export/exp.h"

/* What "from" and "to" were asked for. */
void exp_json_window(GString *out, const struct exp_options *o);

/* ---- things of the model ---- */

/* {"type":"thread","host","tid","pid","name"}, or of a CPU, an interrupt line, a softirq. */
GString *exp_json_subject(const struct qry *q, uint32_t row);
/* {"host","tid","name"} of thread ROW by the name it had at TIME; NULL for MDL_NONE. */
GString *exp_json_thread(const struct qry *q, uint32_t row, int64_t time);
/* Null for MDL_NONE. */
void exp_json_id(GString *o, const char *key, uint32_t value);
/* An address of the kernel: "0xffffffff82f68260". */
void exp_json_address(GString *o, const char *key, uint64_t address);

#endif
