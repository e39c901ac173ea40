/* SPDX-License-Identifier: MIT */
/* SOURCE of cli.md: what ended a wait.  Inside the library only. */
#ifndef EXP_SOURCE_H
#define EXP_SOURCE_H

#include "export/exp_evidence.h"

/* The JSON object of what ended the wait of thread ROW, as WAKEUP tells; its evidence comes later, through
 * EVIDENCE. */
GString *exp_source_json(struct qry *q, uint32_t row, const struct mdl_wakeup *wakeup,
	struct exp_evidence *evidence);

#endif
