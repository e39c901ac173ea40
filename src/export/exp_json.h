/* SPDX-License-Identifier: MIT */
/* JSON that several commands share.  Only for the export library. */
#ifndef EXP_JSON_H
#define EXP_JSON_H

#include "base/base_json.h"
#include "export/exp.h"

/* Append "from" and "to": the window that was asked for. */
void exp_json_window(GString *out, const struct exp_options *o);

/* ---- things of the model ---- */

/* {"type":"thread","host","tid","pid","name"}; similar for a CPU, an IRQ, a softirq, a virtual CPU, a
 * device. */
GString *exp_json_subject(const struct qry *q, uint32_t row);
/* {"host","tid","name"} of thread ROW, with the name it had at TIME; NULL if ROW is MDL_NONE. */
GString *exp_json_thread(const struct qry *q, uint32_t row, int64_t time);
/* JSON null if VALUE is MDL_NONE. */
void exp_json_id(GString *o, const char *key, uint32_t value);
/* A kernel address: "0xffffffff82f68260"; JSON null for 0. */
void exp_json_address(GString *o, const char *key, uint64_t address);

#endif
