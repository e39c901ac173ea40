/* SPDX-License-Identifier: MIT */
/* Advice about missing events, in lines of a given width, for several panes. */
#ifndef ADVICE_TEXT_H
#define ADVICE_TEXT_H

#include "query/qry.h"

/*
 * Add to LINES (char *, which owns them), for each event that the recording of HOST lacks, the command to
 * record it and what it would show.  A command wider than WIDTH columns continues on the next line, after a
 * comma.
 */
void advice_text_add(GPtrArray *lines, const struct qry *q, uint32_t host, unsigned width);

#endif
