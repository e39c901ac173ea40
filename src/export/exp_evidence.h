/* SPDX-License-Identifier: MIT */
/*
 * The events behind explanations, as JSON, each with its place in the trace.  Places are looked up for many
 * events at once, so lists of evidence are filled later than the text around them.  Only for the export
 * library.
 */
#ifndef EXP_EVIDENCE_H
#define EXP_EVIDENCE_H

#include "export/exp.h"

struct exp_evidence;

/* Evidence for the lists in OUT.  O->file takes OUT when lists are filled; O->progress can cancel the
 * look-up. */
struct exp_evidence *exp_evidence_new(struct qry *q, GString *out, const struct exp_options *o);
/* Free EVIDENCE.  False with an error if a trace could not be read, or O->progress was cancelled; then OUT is
 * not complete. */
bool exp_evidence_finish(struct exp_evidence *evidence, GError **error);

/* The list of N events of WHY's evidence, beginning with number FIRST.  Put these lists into OUT in the order
 * in which they were made. */
GString *exp_evidence_list(struct exp_evidence *evidence, const struct ana_why *why, guint first, guint n);
/* Call it if OUT contains all lists made so far.  Fills them if they or the text after them have become
 * long. */
void exp_evidence_check(struct exp_evidence *evidence);
/* Fill all lists; call it before the JSON list that contains them ends. */
void exp_evidence_flush(struct exp_evidence *evidence);

#endif
