/* SPDX-License-Identifier: MIT */
/* Selects the packets of each file that are read, and finds the files that continue another file's stream. */
#ifndef TRC_PARTS_H
#define TRC_PARTS_H

#include "trace/ctf/trc_survey.h"

/* If several chunks of S have the same packet, keep it in one of them: afterwards S->streams are the parts of
 * files that remain.  INFO gets warnings. */
void trc_parts_once(struct trc_survey *s, struct trc_info *info);

/* If F, which is not in S->streams yet, continues the stream of BEFORE, which ended, note that in F.  False
 * if it does not. */
bool trc_parts_follow(const struct trc_stream_file *before, struct trc_stream_file *f);
/* True if A and B are of the same stream. */
bool trc_parts_are_one(const struct trc_stream_file *a, const struct trc_stream_file *b);

/* For each of S->streams, find the one whose stream it continues. */
void trc_parts_join(const struct trc_survey *s);

#endif
