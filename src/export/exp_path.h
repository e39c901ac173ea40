/* SPDX-License-Identifier: MIT */
/* What several formats of a path tell alike.  Inside the library only. */
#ifndef EXP_PATH_H
#define EXP_PATH_H

#include "analysis/path/path.h"

/* "Critical path of wk-client[541] from …, 12 ms, 30 segments".  The caller frees. */
GString *exp_path_title(const struct qry *q, const struct ana_path *path);
/* How sure it is that the path comes from there: as is what ended the wait, of a packet as is its way; where
 * it has none of its own, the worst of all by which the path came to its sender. */
enum ana_grade exp_path_link_grade(const struct ana_path *path, const struct ana_link *link);

#endif
