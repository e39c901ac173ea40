/* SPDX-License-Identifier: MIT */
/* Measurements that are made of numbers alone, for comparisons: they have no cases. */
#ifndef ANA_MEASURED_H
#define ANA_MEASURED_H

#include "analysis/ana_latency.h"

/* Of all VALUES (of int64_t, ns), without groups yet; called KIND (static).  VALUES are taken over. */
struct ana_latency *ana_measured_new(const char *kind, GArray *values);
/* One more group, called NAME, of VALUES; both are taken over. */
void ana_measured_add(struct ana_latency *l, char *name, GArray *values);

#endif
