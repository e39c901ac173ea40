/* SPDX-License-Identifier: MIT */
/* Moves the pages of an instance's ring buffer into a file for each CPU. */
#ifndef REC_DRAIN_H
#define REC_DRAIN_H

#include "record/rec_dat.h"

struct rec_drain;

/*
 * Open the buffers of CPUS CPUs of the instance at the path INSTANCE, and files without names in the folder
 * of NEAR.  NULL with BASE_ERROR_IO.  While they are open, the kernel keeps the instance.
 */
struct rec_drain *rec_drain_new(const char *instance, unsigned cpus, const char *near, GError **error);
/* Threads move what comes from now on. */
void rec_drain_begin(struct rec_drain *d);
/* The errno of what went wrong since; 0 nothing. */
int rec_drain_problem(struct rec_drain *d);
/* Nothing is recorded any more: move the rest, close the buffers.  Not before that may the instance go away.
 */
void rec_drain_end(struct rec_drain *d);
/* After that: the pages of each CPU. */
struct rec_dat_cpu *rec_drain_cpus(struct rec_drain *d);
void rec_drain_free(struct rec_drain *d);

#endif
