/* SPDX-License-Identifier: MIT */
/* From the ring buffer of the kernel to a file. */
#ifndef REC_DAT_H
#define REC_DAT_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* ---- pages of the ring buffer of an instance, copied into one file per CPU ---- */

/* Pages of one CPU's ring buffer. */
struct rec_dat_cpu {
	int fd;                /* file that contains them; weak */
	uint64_t offset, size; /* bytes of that file */
	char *stats;           /* counters of the kernel, as text; owned; NULL: unknown */
};

struct rec_drain;

/* Open the buffers of CPUS CPUs of the instance at the path INSTANCE, and files without names in the folder
 * that contains NEAR.  NULL with BASE_ERROR_IO.  The kernel keeps the instance while the buffers are open. */
struct rec_drain *rec_drain_new(const char *instance, unsigned cpus, const char *near, GError **error);
/* Start threads that copy new pages. */
void rec_drain_begin(struct rec_drain *d);
/* Return the errno of the first failure; 0: none. */
int rec_drain_problem(struct rec_drain *d);
/* Copy the rest and close the buffers.  Call it when nothing is recorded any more.  The instance cannot be
 * removed before. */
void rec_drain_end(struct rec_drain *d);
/* After rec_drain_end(): return the pages of each CPU, owned by D, and the number of CPUs. */
struct rec_dat_cpu *rec_drain_cpus(struct rec_drain *d);
unsigned rec_drain_count(const struct rec_drain *d);
/* After rec_drain_end(), for rings that overwrite: cut all CPUs to the time from which no CPU has lost
 * events.  Returns that time (ns of the ring's clock); 0: nothing was lost, nothing is cut. */
uint64_t rec_drain_cut(struct rec_drain *d);
void rec_drain_free(struct rec_drain *d);

/* ---- a trace.dat of format 6 (trace-cmd.dat.v6(5)), which every trace-cmd reads ---- */

struct rec_dat;

/* Return the head of a file with EVENTS (char *, "system:event"): their formats and the kernel's symbols.
 * The caller unrefs. */
GByteArray *rec_dat_head(const GPtrArray *events);
/* Begin the file PATH with HEAD, and note the names of all threads.  NULL with BASE_ERROR_IO. */
struct rec_dat *rec_dat_new(const char *path, const GByteArray *head, GError **error);
/* Append the events of COUNT CPUs with times by CLOCK (the text of trace_clock), and give the file its name.
 * REPLACE: an existing file is replaced.  False with BASE_ERROR_IO. */
bool rec_dat_finish(struct rec_dat *d, const struct rec_dat_cpu *cpus, unsigned count, const char *clock,
	bool replace, GError **error);
/* Free D.  A file that rec_dat_finish() did not finish leaves nothing behind. */
void rec_dat_free(struct rec_dat *d);

#endif
