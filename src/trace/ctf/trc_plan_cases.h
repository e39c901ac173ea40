/* SPDX-License-Identifier: MIT */
/* Which option of a variant a value of its tag chooses; for the compiler of plans. */
#ifndef TRC_PLAN_CASES_H
#define TRC_PLAN_CASES_H

#include "trace/tsdl/trc_tsdl.h"

/*
 * The cases for labels of TAG, an enum, that name an option of TYPE, a variant; they go to what STARTS has
 * for it.  Of struct trc_case, in their order, none of them overlaps another; the caller unrefs.  NULL: they
 * do overlap.
 */
GArray *trc_plan_cases_new(const struct trc_type *tag, const struct trc_type *type, const uint32_t *starts);

#endif
