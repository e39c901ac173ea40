/* SPDX-License-Identifier: MIT */
/* Until when events were lost, as time goes on; inside src/analysis. */
#ifndef ANA_RULES_LOST_H
#define ANA_RULES_LOST_H

#include "query/qry.h"

struct ana_rules_lost;

struct ana_rules_lost *ana_rules_lost_new(const struct qry *q);
void ana_rules_lost_free(struct ana_rules_lost *l);

/* It is NOW: gaps that begin before that count.  Calls come in the order of time. */
void ana_rules_lost_go(struct ana_rules_lost *l, int64_t now);
/* When the last gap was over, of CPU of HOST; MDL_NONE: of any CPU, any host.  INT64_MIN: there was none. */
int64_t ana_rules_lost_until(const struct ana_rules_lost *l, uint32_t host, uint32_t cpu);

#endif
