/* SPDX-License-Identifier: MIT */
/* Writes a trace.dat, as trace-cmd.dat.v6(5) has it: format 6, which every trace-cmd reads. */
#ifndef REC_DAT_H
#define REC_DAT_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

struct rec_dat;

/* Pages of the ring buffer of one CPU. */
struct rec_dat_cpu {
	int fd;                /* file that holds them; weak */
	uint64_t offset, size; /* bytes of it */
	char *stats;           /* what the kernel counted, text; owned, NULL unknown */
};

/*
 * Begin the file PATH with what is known before the first event: the formats of EVENTS ("system:event"), the
 * kernel's symbols, the names of all threads.  NULL with BASE_ERROR_IO.
 */
struct rec_dat *rec_dat_new(const char *path, const GPtrArray *events, GError **error);
/* Put the events of COUNT CPUs behind it, by CLOCK (the text of trace_clock), and give it its name.  False
 * with BASE_ERROR_IO. */
bool rec_dat_finish(struct rec_dat *d, const struct rec_dat_cpu *cpus, unsigned count, const char *clock,
	bool replace, GError **error);
void rec_dat_free(struct rec_dat *d);

#endif
