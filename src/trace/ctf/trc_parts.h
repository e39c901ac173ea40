/* SPDX-License-Identifier: MIT */
/* Which packets of which files are read, and which file goes on with the stream of which other. */
#ifndef TRC_PARTS_H
#define TRC_PARTS_H

#include "trace/ctf/trc_survey.h"

/* Leave every packet of S that its chunks hold several times in one of them only: S->streams are the parts of
 * files that are left.  INFO gets warnings. */
void trc_parts_once(struct trc_survey *s, struct trc_info *info);

/* F, which is none of S->streams yet, goes on with the stream of BEFORE, which ended: note it in F.  False
 * when it does not. */
bool trc_parts_follow(const struct trc_stream_file *before, struct trc_stream_file *f);
/* Are A and B of one stream? */
bool trc_parts_are_one(const struct trc_stream_file *a, const struct trc_stream_file *b);

/* Find which of S->streams goes on with the stream of which other. */
void trc_parts_join(const struct trc_survey *s);

#endif
