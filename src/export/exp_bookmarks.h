/* SPDX-License-Identifier: MIT */
/* What `info --bookmarks` tells beside the traces themselves.  Inside the library only. */
#ifndef EXP_BOOKMARKS_H
#define EXP_BOOKMARKS_H

#include "export/exp.h"

/* ALL (of struct qry_bookmark) as a table, or the list "bookmarks" of the open object of JSON, or as CSV. */
void exp_bookmarks(GString *out, struct qry *q, const GArray *all, enum exp_format format);

#endif
