/* SPDX-License-Identifier: MIT */
/* CPUs that went on after their last record. */
#ifndef TRC_PERF_SILENT_H
#define TRC_PERF_SILENT_H

#include "trace/perf/trc_perf_survey.h"

struct trc_perf_silent;

/* For the records of H, which outlives it. */
struct trc_perf_silent *trc_perf_silent_new(const struct trc_perf_head *h);
void trc_perf_silent_free(struct trc_perf_silent *silent);
/* R is a record of the file, an event at PLACE. */
void trc_perf_silent_note(struct trc_perf_silent *silent, const struct trc_perf_record *r,
	const struct trc_perf_place *place);
/* All were noted, of which S, whole else, knows: mark its CPUs, and add to its absent ones. */
void trc_perf_silent_find(const struct trc_perf_silent *silent, struct trc_perf_survey *s);

#endif
