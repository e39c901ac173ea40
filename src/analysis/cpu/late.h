/* SPDX-License-Identifier: MIT */
/* Timers that expired later than they were due: by how much, and who had the CPU meanwhile. */
#ifndef ANA_LATE_H
#define ANA_LATE_H

#include "analysis/cpu/blame.h"

/* ns from when T was due to its expiry, 0 when it was in time; BASE_TIME_NONE not known, or not expired. */
int64_t ana_late_ns(const struct mdl_timer *t);

/* Who had the CPU of HOST on which T was pending, from when it was due to its expiry; without parts when it
 * was in time.  NULL when that is not known. */
struct ana_blame *ana_late_blame(struct qry *q, uint32_t host, const struct mdl_timer *t);

/* The same in words for a part [FROM, TO) of that: "the idle CPU 1 2.05 ms, hrtimer 59.1 µs and 2 others";
 * NULL when it is empty.  The caller frees. */
char *ana_late_text(struct qry *q, uint32_t host, const struct mdl_timer *t, int64_t from, int64_t to);

/* How exactly T can keep time, in words: "the timer wheel keeps time to 8.00 ms", "with 50.0 µs of slack";
 * NULL where it can, or that is not known.  The caller frees. */
char *ana_late_resolution(const struct mdl_timer *t);

#endif
