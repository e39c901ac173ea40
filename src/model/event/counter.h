/* SPDX-License-Identifier: MIT */
/* Names of perf's counters. */
#ifndef MDL_COUNTER_H
#define MDL_COUNTER_H

#include <stdbool.h>

/* True if NAME is counter WHAT ("cycles"), or WHAT with a PMU or modifiers: "cycles:u", "cpu-cycles",
 * "cpu_core/cycles/", "cycles/freq=999/". */
bool mdl_counter_is(const char *name, const char *what);

#endif
