/* SPDX-License-Identifier: MIT */
/* CPUs that went on after their last record. */
#ifndef TRC_PERF_SILENT_H
#define TRC_PERF_SILENT_H

#include "trace/perf/trc_perf_survey.h"

struct trc_perf_silent;

struct trc_perf_silent *trc_perf_silent_new(void);
void trc_perf_silent_free(struct trc_perf_silent *silent);
/* The CPU that a thread is to run on by SAMPLE, one of A; TRC_PERF_CPUS_MAX: it tells none. */
uint32_t trc_perf_silent_meant(const struct trc_perf_attr *a, const struct trc_perf_sample *sample);
/* R is a record of the file, an event at PLACE. */
void trc_perf_silent_note(struct trc_perf_silent *silent, const struct trc_perf_record *r,
	const struct trc_perf_place *place);
/* All were noted, of which S, whole else, knows: mark its CPUs, and add to its absent ones. */
void trc_perf_silent_find(const struct trc_perf_silent *silent, struct trc_perf_survey *s);

#endif
