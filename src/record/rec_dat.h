/* SPDX-License-Identifier: MIT */
/* Writes a trace.dat of format 6 (trace-cmd.dat.v6(5)), which every trace-cmd reads. */
#ifndef REC_DAT_H
#define REC_DAT_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

struct rec_dat;

/* Pages of one CPU's ring buffer. */
struct rec_dat_cpu {
	int fd;                /* file that contains them; weak */
	uint64_t offset, size; /* bytes of that file */
	char *stats;           /* counters of the kernel, as text; owned; NULL: unknown */
};

/* Begin the file PATH with everything known before the first event: the formats of EVENTS ("system:event"),
 * the kernel's symbols, the names of all threads.  NULL with BASE_ERROR_IO. */
struct rec_dat *rec_dat_new(const char *path, const GPtrArray *events, GError **error);
/* Append the events of COUNT CPUs with times by CLOCK (the text of trace_clock), and give the file its name.
 * REPLACE: an existing file is replaced.  False with BASE_ERROR_IO. */
bool rec_dat_finish(struct rec_dat *d, const struct rec_dat_cpu *cpus, unsigned count, const char *clock,
	bool replace, GError **error);
void rec_dat_free(struct rec_dat *d);

#endif
