/* SPDX-License-Identifier: MIT */
/* The inside of a survey, private to trc_survey.c and trc_survey_grow.c. */
#ifndef TRC_SURVEY_PARTS_H
#define TRC_SURVEY_PARTS_H

#include "trace/ctf/trc_survey.h"

/* A range of time. */
struct trc_range {
	int64_t begin, end; /* ns, BASE_TIME_NONE unknown */
};

/* Widen RANGE by OTHER. */
void trc_survey_widen(struct trc_range *range, const struct trc_range *other);

/* When packets began and ended. */
struct trc_times {
	GArray *begins, *ends; /* of int64_t, owned */
	int64_t newest;        /* begin in the current file */
};
void trc_times_init(struct trc_times *times);
void trc_times_clear(struct trc_times *times);

/* Go through the packets of F, whose file is FD, from where that ended last; their times go to TIMES.  Where
 * F is open the last one is left until it is whole. */
void trc_survey_walk(const struct trc_survey *s, struct trc_times *times, struct trc_stream_file *f, int fd);

/* The range of the packets of TIMES that can be believed; the bounds of S hold them. */
struct trc_range trc_survey_believed(struct trc_survey *s, const struct trc_times *times);

/* ---- of a trace that grows ---- */

/* The packets in FOLDER are in OWN. */
void trc_survey_know(struct trc_survey *s, const char *folder, const struct trc_range *own);
/* Is there a packet in each stream, so that it is known which streams there are?  False with an error. */
bool trc_survey_all_began(const struct trc_survey *s, GError **error);
/* Leave only those files of S open with which no other goes on. */
void trc_survey_leave_open(struct trc_survey *s);
/* No more of F will come. */
void trc_survey_close(struct trc_survey *s, struct trc_stream_file *f);

#endif
