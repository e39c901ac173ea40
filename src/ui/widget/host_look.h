/* SPDX-License-Identifier: MIT */
/* The looks of hosts in all panes: a mark of one character, a short name, a colour.  Colours repeat after the
 * sixth host; marks and names do not, so no information depends on colour alone. */
#ifndef HOST_LOOK_H
#define HOST_LOOK_H

#include "query/qry.h"
#include "ui/term/term_grid.h"

#define HOST_LOOK_MARKS 61 /* hosts with a mark of their own */

/* The colour of HOST. */
enum term_role host_look_role(uint32_t host);

/* The mark of HOST: the first letter of its name if the first letters of all hosts differ, else 1 … 9, a … z,
 * A … Z; '+' from the 62nd host on. */
gunichar host_look_mark(const struct qry *q, uint32_t host);

/* A name of HOST in at most WIDTH columns (a smaller WIDTH than 4 counts as 4): the whole name if it fits;
 * otherwise the first of these that no other host could have: the name up to the first dot, its beginning,
 * its end; otherwise its number ("#12").  The caller frees. */
char *host_look_tag(const struct qry *q, uint32_t host, unsigned width);

/* LABEL (of qry_row_label()) without the host's name at its beginning; a pointer into LABEL. */
const char *host_look_without(const struct qry *q, uint32_t host, const char *label);

/*
 * Put LABEL, of a thing on HOST, in at most WIDTH columns.  LABEL is that of qry_row_label(), with or without
 * the host ("httpd/wk-server[1234]").  If there are several hosts, "HOST/" comes first in the host's colour.
 * HOST is the whole name if everything fits; otherwise the mark; for hosts without a mark of their own, the
 * short name.  Returns the column after it.
 */
unsigned host_look_label(const struct term_area *area, unsigned x, unsigned y, unsigned width,
	enum term_role role, const struct qry *q, uint32_t host, const char *label);

#endif
