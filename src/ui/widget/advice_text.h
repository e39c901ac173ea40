/* SPDX-License-Identifier: MIT */
/* What was not recorded, in lines of a given width: shared by the panes that give this advice. */
#ifndef ADVICE_TEXT_H
#define ADVICE_TEXT_H

#include "query/qry.h"

/*
 * Add to LINES (of char *, which it owns) what to type for each event that the
 * recording of HOST lacks, and what that would show.  A command that is wider
 * than WIDTH goes on in the next line, after a comma.
 */
void advice_text_add(GPtrArray *lines, const struct qry *q, uint32_t host, unsigned width);

#endif
