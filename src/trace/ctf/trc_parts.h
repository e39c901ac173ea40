/* SPDX-License-Identifier: MIT */
/* Which packets of which files are read, and which file goes on with the stream of which other. */
#ifndef TRC_PARTS_H
#define TRC_PARTS_H

#include "trace/ctf/trc_survey.h"

/* Leave every packet of S that its chunks hold several times in one of them only: S->streams are the parts of
 * files that are left.  INFO gets warnings. */
void trc_parts_once(struct trc_survey *s, struct trc_info *info);

/* Find which of S->streams goes on with the stream of which other. */
void trc_parts_join(const struct trc_survey *s);

#endif
