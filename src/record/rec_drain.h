/* SPDX-License-Identifier: MIT */
/* Copies the pages of an instance's ring buffer into one file per CPU. */
#ifndef REC_DRAIN_H
#define REC_DRAIN_H

#include "record/rec_dat.h"

struct rec_drain;

/* Open the buffers of CPUS CPUs of the instance at the path INSTANCE, and files without names in the folder
 * that contains NEAR.  NULL with BASE_ERROR_IO.  The kernel keeps the instance while the buffers are open. */
struct rec_drain *rec_drain_new(const char *instance, unsigned cpus, const char *near, GError **error);
/* Start threads that copy new pages. */
void rec_drain_begin(struct rec_drain *d);
/* Return the errno of the first failure since then; 0: none. */
int rec_drain_problem(struct rec_drain *d);
/* Call once nothing is recorded any more: copies the rest and closes the buffers.  The instance cannot be
 * removed before. */
void rec_drain_end(struct rec_drain *d);
/* After rec_drain_end(): return the pages of each CPU. */
struct rec_dat_cpu *rec_drain_cpus(struct rec_drain *d);
void rec_drain_free(struct rec_drain *d);

#endif
