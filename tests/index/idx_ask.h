/* SPDX-License-Identifier: MIT */
/* Asks a wakepath file everything a reader can ask, whatever its bytes are. Answers may be wrong, but every
 * query returns and everything that an answer refers to exists. */
#ifndef IDX_ASK_H
#define IDX_ASK_H

#include "index/pairs/pairs.h"
#include "index/spans/spans.h"
#include "query/qry.h"

/* States, wake-ups, windows, names, labels of all rows. */
void idx_ask_experiment(struct qry *q);
/* Event times, causes, packets, transfers. */
void idx_ask_reader(struct idx_reader *r);
void idx_ask_spans(struct idx_spans *s);
void idx_ask_pairs(struct idx_pairs *p);

#endif
