/* SPDX-License-Identifier: MIT */
/* Private to src/fleet. */
#ifndef FLT_PARTS_H
#define FLT_PARTS_H

#include "fleet/flt_fleet.h"
#include "index/file/map.h"

extern const struct idx_map_kind flt_summary_file;

/* Append an element of zeros to S (or K), and return it. Valid until the next one is appended. */
struct flt_kind *flt_summary_kind(struct flt_summary *s);
struct flt_case *flt_summary_case(struct flt_kind *k);
struct flt_paths *flt_summary_paths(struct flt_summary *s);
/* Append an element of zeros to ARRAY and return it. */
void *flt_append(GArray *array);

/* ---- what is kept of each host while a fleet is read ---- */

/* The cases of one kind on one host.  TOTAL and SQUARES are without the longest case. */
struct flt_figures {
	bool recorded;
	uint64_t count;
	double total, squares;
	int64_t value[FLT_MEASURES]; /* ns; FLT_RATE only for waits, otherwise BASE_TIME_NONE */
	double spread[FLT_MEASURES]; /* standard deviation of the logarithm of VALUE by chance */
};

/* A cause, or a step, on one host. */
struct flt_seen {
	uint32_t id;          /* index in the causes, or steps, of the fleet */
	double rate, squares; /* ns per second; of a step: per path */
	double time;          /* ns, in all */
};

/* Find the hosts of F that stand out by KIND (MDL_NONE: by any kind), with their causes and differences, and
 * sort F->hosts. */
void flt_judge(struct flt_fleet *f, uint32_t kind);

#endif
