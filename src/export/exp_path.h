/* SPDX-License-Identifier: MIT */
/* Text that several formats of a path share.  Only for the export library. */
#ifndef EXP_PATH_H
#define EXP_PATH_H

#include "analysis/path/path.h"

/* "Critical path of wk-client[541] from …, 12 ms, 30 segments".  The caller frees. */
GString *exp_path_title(const struct qry *q, const struct ana_path *path);
/*
 * How sure it is that the path continues at the other end of LINK.  A network link has the grade of the
 * packet's way between hosts.  Other links have the grade of what ended the wait.  Without these, it is the
 * grade of the segment at the link's FROM: the worst grade of all steps by which the path reached the sender.
 */
enum ana_grade exp_path_link_grade(const struct ana_path *path, const struct ana_link *link);

#endif
