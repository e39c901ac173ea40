/* SPDX-License-Identifier: MIT */
/*
 * The events behind explanations, as JSON, each with its place in the trace.  Places are looked up for many
 * at once, so objects with evidence wait until all have theirs.  Inside the library only.
 */
#ifndef EXP_EVIDENCE_H
#define EXP_EVIDENCE_H

#include "analysis/ana_why.h"
#include "base/base_progress.h"

#include <json-glib/json-glib.h>

struct exp_evidence;

/* For objects of the list that is open in OUT.  PROGRESS may be NULL. */
struct exp_evidence *exp_evidence_new(struct qry *q, GString *out, struct base_progress *progress);
/* Free it.  False with an error when a trace could not be read, or PROGRESS was cancelled: then what was
 * written lacks objects. */
bool exp_evidence_finish(struct exp_evidence *evidence, GError **error);

/* N of the evidence of WHY, from number FIRST on: the list is filled before the object in which it stands is
 * written.  The caller owns it. */
JsonArray *exp_evidence_list(struct exp_evidence *evidence, const struct ana_why *why, guint first, guint n);
/* As exp_json_put() of an element, when the evidence is there: now, or with later objects.  Takes O over. */
void exp_evidence_put(struct exp_evidence *evidence, JsonObject *o);
/* Write those that wait, before the list ends. */
void exp_evidence_flush(struct exp_evidence *evidence);

#endif
