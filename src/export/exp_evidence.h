/* SPDX-License-Identifier: MIT */
/*
 * The events behind explanations, as JSON, each with its place in the trace.  Places are looked up for many
 * at once, so lists of evidence are filled later than what stands around them.  Inside the library only.
 */
#ifndef EXP_EVIDENCE_H
#define EXP_EVIDENCE_H

#include "analysis/ana_why.h"
#include "base/base_progress.h"

struct exp_evidence;

/* For objects of the list that is open in OUT.  PROGRESS may be NULL. */
struct exp_evidence *exp_evidence_new(struct qry *q, GString *out, struct base_progress *progress);
/* Free it.  False with an error when a trace could not be read, or PROGRESS was cancelled: then what was
 * written lacks objects. */
bool exp_evidence_finish(struct exp_evidence *evidence, GError **error);

/* N of the evidence of WHY, from number FIRST on.  Lists must come into OUT by exp_evidence_put(), in the
 * order in which they were made. */
GString *exp_evidence_list(struct exp_evidence *evidence, const struct ana_why *why, guint first, guint n);
/* As base_json_put_line(), with all the lists made since the last one in O. */
void exp_evidence_put(struct exp_evidence *evidence, GString *o);
/* Fill all, before the list ends. */
void exp_evidence_flush(struct exp_evidence *evidence);

#endif
