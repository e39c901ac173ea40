/* SPDX-License-Identifier: MIT */
/*
 * The filter for rows, as it is typed: words separated by blanks.  A row must match all of them.
 *
 *   host:NAME    of this host, or of those whose names contain NAME
 *   state:NAME   in this state at any time in the window ("blocked", "wait-cpu", …)
 *   cpu:N        ran on this CPU at any time in the window
 *   PATTERN      has this name: a part of a name that it has or had, case-insensitive, also as a regular
 *                expression, or the TID
 *
 * A "!" before a word negates it.
 */
#ifndef FLOW_FILTER_H
#define FLOW_FILTER_H

#include "ui/pane/flow/flow_facts.h"

struct flow_filter;

/* Make the filter TEXT for the rows of Q.  BASE_ERROR_USAGE if TEXT is not valid. */
struct flow_filter *flow_filter_new(const struct qry *q, const char *text, GError **error);
/* _ref(): add a reference to FILTER, which may be NULL.  _unref(): remove one. */
struct flow_filter *flow_filter_ref(struct flow_filter *filter);
void flow_filter_unref(struct flow_filter *filter);

const char *flow_filter_text(const struct flow_filter *filter);
/* True if the filter depends on the window; then the facts that it needs are added to QUESTION. */
bool flow_filter_asks(const struct flow_filter *filter, struct flow_facts_question *question);
/* True if ROW passes.  FACT: the facts about it in the window; NULL: not known yet, and tests of facts
 * pass. */
bool flow_filter_passes(const struct flow_filter *filter, uint32_t row, const struct flow_fact *fact);

#endif
