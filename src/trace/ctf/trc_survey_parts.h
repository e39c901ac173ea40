/* SPDX-License-Identifier: MIT */
/* Internals of a survey, private to trc_survey*.c and trc_parts.c. */
#ifndef TRC_SURVEY_PARTS_H
#define TRC_SURVEY_PARTS_H

#include "trace/ctf/trc_survey.h"

/* An interval of time. */
struct trc_range {
	int64_t begin, end; /* ns, BASE_TIME_NONE: unknown */
};

/* Extend RANGE to include OTHER. */
void trc_survey_widen(struct trc_range *range, const struct trc_range *other);

/* Begins and ends of packets, in ns. */
struct trc_times {
	GArray *begins, *ends; /* of int64_t, owned */
	int64_t newest;        /* latest begin in the current file */
};
void trc_times_init(struct trc_times *times);
void trc_times_clear(struct trc_times *times);

/* Walk over the packets of F from where the last walk ended, and add their times to TIMES. If F is open, an
 * incomplete last packet is left for the next walk. False with an error when the file cannot be read. */
bool trc_survey_walk(const struct trc_survey *s, struct trc_times *times, struct trc_stream_file *f,
	GError **error);

/* Return the range of the plausible packets in TIMES, and set the bounds of S. */
struct trc_range trc_survey_believed(struct trc_survey *s, const struct trc_times *times);

/* ---- traces that grow ---- */

/* Note that FOLDER is known, and that its packets are in the time range OWN. */
void trc_survey_know(struct trc_survey *s, const char *folder, const struct trc_range *own);
/* True if each stream has begun (it has a packet, or is known to be silent), so that all streams are known.
 * False with an error. */
bool trc_survey_all_began(const struct trc_survey *s, GError **error);
/* Leave only those files of S open that no other file continues. False with an error. */
bool trc_survey_leave_open(struct trc_survey *s, GError **error);
/* F will not grow any more. False with an error when it cannot be read to its end. */
bool trc_survey_close(struct trc_survey *s, struct trc_stream_file *f, GError **error);

/* ---- the packets of each file that are read, and the files that continue a stream (trc_parts.c) ---- */

/* If several chunks of S have the same packet, keep it in one of them only. S->streams then has the parts of
 * files that are kept. INFO gets warnings. False with an error when a file cannot be read. */
bool trc_parts_once(struct trc_survey *s, struct trc_info *info, GError **error);

/* If F, which is not in S->streams yet, continues the stream of BEFORE, which ended, note that in F.  False
 * if it does not. */
bool trc_parts_follow(const struct trc_stream_file *before, struct trc_stream_file *f);
/* True if A and B are of the same stream. */
bool trc_parts_are_one(const struct trc_stream_file *a, const struct trc_stream_file *b);

/* For each of S->streams, find the one whose stream it continues. */
void trc_parts_join(const struct trc_survey *s);

#endif
