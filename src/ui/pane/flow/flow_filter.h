/* SPDX-License-Identifier: MIT */
/*
 * What rows must be like to be shown, as it is typed: words with blanks between, all of which must hold.
 *
 *   host:NAME    of this host, or of those whose names hold NAME
 *   state:NAME   in this state at any time in the window ("blocked", "wait-cpu", …)
 *   cpu:N        ran on this CPU at any time in the window
 *   PATTERN      called so: a part of a name that it has or had, small and large letters alike, a regular
 *                expression as well, or the TID
 *
 * with "!" before a word that must not hold.
 */
#ifndef FLOW_FILTER_H
#define FLOW_FILTER_H

#include "ui/pane/flow/flow_facts.h"

struct flow_filter;

/* The filter that TEXT says for the rows of Q.  BASE_ERROR_USAGE with what is wrong. */
struct flow_filter *flow_filter_new(const struct qry *q, const char *text, GError **error);
/* Another owner of FILTER (may be NULL); and one less. */
struct flow_filter *flow_filter_ref(struct flow_filter *filter);
void flow_filter_unref(struct flow_filter *filter);

const char *flow_filter_text(const struct flow_filter *filter);
/* Does it depend on the window?  Then what it needs is added to QUESTION. */
bool flow_filter_asks(const struct flow_filter *filter, struct flow_facts_question *question);
/* Does ROW pass?  FACT is what it did in the window, for this filter; NULL: not known yet, which passes. */
bool flow_filter_passes(const struct flow_filter *filter, uint32_t row, const struct flow_fact *fact);

#endif
