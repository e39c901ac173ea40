/* SPDX-License-Identifier: MIT */
/* Makes of what was asked for how it will be done. */
#ifndef REC_PLAN_H
#define REC_PLAN_H

#include "record/rec.h"

/* All tracers, the best first; NULL-terminated. */
const struct rec_tracer *const *rec_plan_tracers(void);
/*
 * Choose tracer, events, buffers and output for WISH, which must live as long.  DRY: nothing will be recorded
 * here.  NULL with BASE_ERROR_IO where nothing can record, BASE_ERROR_USAGE for a wish that cannot be had.
 */
struct rec_plan *rec_plan_new(const struct rec_wish *wish, bool dry, GError **error);
void rec_plan_free(struct rec_plan *plan);
/* What it will cost, in words: "about 3.1 MB/s as busy as it is now, low overhead (…)": it tries for a fifth
 * of a second.  The caller frees. */
char *rec_plan_cost(const struct rec_plan *plan);
/* "64M" in bytes; false with BASE_ERROR_USAGE. */
bool rec_plan_size(const char *text, uint64_t *size, GError **error);

#endif
