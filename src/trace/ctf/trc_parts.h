/* SPDX-License-Identifier: MIT */
/* Selects the packets of each file that are read, and finds the files that continue another file's stream. */
#ifndef TRC_PARTS_H
#define TRC_PARTS_H

#include "trace/ctf/trc_survey.h"

/* Leave every packet of S that its chunks hold several times in one of them only: S->streams are the parts of
 * files that are left.  INFO gets warnings.  False with an error when a file cannot be read. */
bool trc_parts_once(struct trc_survey *s, struct trc_info *info, GError **error);

/* If F, which is not in S->streams yet, continues the stream of BEFORE, which ended, note that in F.  False
 * if it does not. */
bool trc_parts_follow(const struct trc_stream_file *before, struct trc_stream_file *f);
/* True if A and B are of the same stream. */
bool trc_parts_are_one(const struct trc_stream_file *a, const struct trc_stream_file *b);

/* For each of S->streams, find the one whose stream it continues. */
void trc_parts_join(const struct trc_survey *s);

#endif
