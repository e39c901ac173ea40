/* SPDX-License-Identifier: MIT */
/* Lets the rings of all CPUs begin at one instant: each was overwritten up to another. */
#ifndef REC_CUT_H
#define REC_CUT_H

#include "record/rec_dat.h"

/* Of pages that were read from a ring in overwrite mode leave only what came after the last event that was
 * lost before the oldest page of any of COUNT CPUs. */
void rec_cut(struct rec_dat_cpu *cpus, unsigned count);

#endif
