/* SPDX-License-Identifier: MIT */
/*
 * How several hosts are told apart, alike in all panes: each has a mark of one
 * character, a short name and a colour.  The colours come again after the sixth
 * host, the others do not, so that nothing is told by colour alone.
 */
#ifndef HOST_LOOK_H
#define HOST_LOOK_H

#include "query/qry.h"
#include "ui/term/term_grid.h"

#define HOST_LOOK_MARKS 61 /* hosts that have a mark of their own */

enum term_role host_look_role(uint32_t host);

/* The first letters of the hosts where those differ, else 1 … 9, a … z, A … Z; '+' for further ones. */
gunichar host_look_mark(const struct qry *q, uint32_t host);

/*
 * The name of HOST in at most WIDTH columns (4 at least) that no other host has, too:
 * whole, up to its first dot, its beginning or its end, else its number ("#12").  The caller frees.
 */
char *host_look_tag(const struct qry *q, uint32_t host, unsigned width);

/* LABEL of something on HOST, as of qry_row_label(), without the host it may begin with; within LABEL. */
const char *host_look_without(const struct qry *q, uint32_t host, const char *label);

/*
 * Put LABEL of something on HOST ("httpd/wk-server[1234]", as of qry_row_label(), or without the host) in at
 * most WIDTH columns; with several hosts "HOST/" stands before it in the host's colour: its short name, or
 * its mark where there is not room for that.  Returns the column after it.
 */
unsigned host_look_label(const struct term_area *area, unsigned x, unsigned y, unsigned width,
	enum term_role role, const struct qry *q, uint32_t host, const char *label);

#endif
