/* SPDX-License-Identifier: MIT */
/* Internals of a survey, private to trc_survey.c, trc_survey_file.c and trc_survey_grow.c. */
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

/* Walk over the packets of F, open as FD, from the last position on, and add their times to TIMES.  If F is
 * open, its last packet waits until it is complete. */
void trc_survey_walk(const struct trc_survey *s, struct trc_times *times, struct trc_stream_file *f, int fd);

/* Return the range of the plausible packets in TIMES, and set the bounds of S. */
struct trc_range trc_survey_believed(struct trc_survey *s, const struct trc_times *times);

/* ---- traces that grow ---- */

/* Note that the packets in FOLDER are in OWN. */
void trc_survey_know(struct trc_survey *s, const char *folder, const struct trc_range *own);
/* True if each stream has begun (it has a packet, or is known to be silent), so that all streams are known.
 * False with an error. */
bool trc_survey_all_began(const struct trc_survey *s, GError **error);
/* Keep only those files of S open that have packets and that no other file continues. */
void trc_survey_leave_open(struct trc_survey *s);
/* Note that F gets no more packets. */
void trc_survey_close(struct trc_survey *s, struct trc_stream_file *f);

#endif
