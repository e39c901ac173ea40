/* SPDX-License-Identifier: MIT */
/* What it costs to observe a host, as a part of what is told of its trace.  Inside the library only. */
#ifndef EXP_COST_H
#define EXP_COST_H

#include "analysis/ana_cost.h"
#include "export/exp_csv.h"

#include <json-glib/json-glib.h>

JsonObject *exp_cost_json(const struct ana_cost *cost);

/* The columns of CSV, "observing_…", each after a comma, and the fields for them. */
#define EXP_COST_COLUMNS ",observing_threads,observing_cpu_time,observing_cpu_busy,observing_packets_sent,observing_bytes_sent," \
	"observing_packets_received,observing_bytes_received,packets_sent,bytes_sent,packets_received,bytes_received"
void exp_cost_csv(struct exp_csv *csv, const struct ana_cost *cost);

/* For people, a line about threads and a line about packets; NULL: there is nothing to tell.  The caller frees. */
char *exp_cost_threads(const struct ana_cost *cost);
char *exp_cost_packets(const struct ana_cost *cost);

#endif
