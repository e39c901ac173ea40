/* SPDX-License-Identifier: MIT */
/*
 * The events behind explanations, as JSON, each with its place in the trace.  Places are looked up for many
 * at once, so lists of evidence are filled later than what stands around them.  Inside the library only.
 */
#ifndef EXP_EVIDENCE_H
#define EXP_EVIDENCE_H

#include "export/exp.h"

struct exp_evidence;

/* For objects of lists in OUT, which O->file takes as they are filled; O->progress may cancel it. */
struct exp_evidence *exp_evidence_new(struct qry *q, GString *out, const struct exp_options *o);
/* Free it.  False with an error when a trace could not be read, or PROGRESS was cancelled: then what was
 * written lacks objects. */
bool exp_evidence_finish(struct exp_evidence *evidence, GError **error);

/* N of the evidence of WHY, from number FIRST on.  Lists must come into OUT in the order in
 * which they were made. */
GString *exp_evidence_list(struct exp_evidence *evidence, const struct ana_why *why, guint first, guint n);
/* All lists made so far are in OUT now: fill them where they are many, or much waits for them. */
void exp_evidence_check(struct exp_evidence *evidence);
/* Fill all, before the list ends. */
void exp_evidence_flush(struct exp_evidence *evidence);

#endif
