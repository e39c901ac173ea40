/* SPDX-License-Identifier: MIT */
/* Timers that expired late: by how much, and who had the CPU meanwhile. */
#ifndef ANA_LATE_H
#define ANA_LATE_H

#include "analysis/cpu/blame.h"

/* ns between the time at which T was due and its expiry; 0: in time.  BASE_TIME_NONE if unknown, or not
 * expired. */
int64_t ana_late_ns(const struct mdl_timer *t);

/* The owners of the CPU of HOST on which T was pending, from due to expiry; without parts if it was in time.
 * NULL if that is unknown. */
struct ana_blame *ana_late_blame(struct qry *q, uint32_t host, const struct mdl_timer *t);

/* Like ana_late_blame(), as text for the part [FROM, TO) of that time: "the idle CPU 1 2.05 ms, hrtimer 59.1
 * µs and 2 others"; NULL if it is empty.  The caller frees. */
char *ana_late_text(struct qry *q, uint32_t host, const struct mdl_timer *t, int64_t from, int64_t to);

/* The resolution of T as text: "the timer wheel keeps time to 8.00 ms", "with 50.0 µs of slack"; NULL if it
 * is exact or unknown.  The caller frees. */
char *ana_late_resolution(const struct mdl_timer *t);

#endif
