/* SPDX-License-Identifier: MIT */
/* Checking what a cause says, private to idx_verify.c. */
#ifndef IDX_VERIFY_CAUSE_H
#define IDX_VERIFY_CAUSE_H

#include "model/mdl_fact.h"

/* Did ACT happen in the trace from FROM to TO, and not before its interrupt was entered? */
bool idx_verify_act(const struct mdl_act *act, int64_t from, int64_t to);
/* What in CAUSE of a trace from FROM to TO cannot be (static), or NULL. */
const char *idx_verify_cause(const struct mdl_cause *cause, int64_t from, int64_t to);

#endif
