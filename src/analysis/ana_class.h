/* SPDX-License-Identifier: MIT */
/* Which thread goes before which: scheduling classes, as far as priorities tell. */
#ifndef ANA_CLASS_H
#define ANA_CLASS_H

#include "query/qry.h"

/* Does thread A go before thread B at TIME whatever they did before: by its class, or by its priority within
 * real time?  False where not known. */
bool ana_class_is_before(struct qry *q, uint32_t a, uint32_t b, int64_t time);
/* "real-time 48", "fair 120"; NULL unknown.  The caller frees. */
char *ana_class_text(struct qry *q, uint32_t row, int64_t time);

#endif
