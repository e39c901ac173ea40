/* SPDX-License-Identifier: MIT */
/* The frequency of the CPUs while threads ran, by cpu_frequency: the frequency that the kernel requested. */
#ifndef ANA_FREQUENCY_H
#define ANA_FREQUENCY_H

#include "base/base_progress.h"
#include "query/qry.h"

/* Sums for N times of threads of Q, numbered from 0. NULL if Q has no frequency, which is read once only. */
struct ana_frequency *ana_frequency_new(struct qry *q, guint n);
void ana_frequency_free(struct ana_frequency *f); /* may be NULL */

/* Add the time that thread ROW ran in [FROM, TO), without interrupts of it, to sum number OF. */
void ana_frequency_add(struct ana_frequency *f, guint of, uint32_t row, int64_t from, int64_t to);
/* Read the trace, after all times are added. WHOLE: ana_frequency_most() covers the whole trace. False if
 * PROGRESS (NULL: never) was cancelled. */
bool ana_frequency_read(struct ana_frequency *f, bool whole, struct base_progress *progress);

/* The mean of sum OF, weighted by time, in kHz; 0: unknown.  *KNOWN (unless NULL): ns for which it is
 * known. */
double ana_frequency_mean(const struct ana_frequency *f, guint of, int64_t *known);
/* The highest frequency of HOST, kHz; 0: not recorded. */
uint64_t ana_frequency_most(const struct ana_frequency *f, uint32_t host);

/* The frequency in one time of one thread. */
struct ana_speed {
	double mean;              /* kHz, weighted by time; 0: unknown */
	uint64_t lowest, highest; /* kHz */
	int64_t time, ran;        /* ns: with a known frequency; on a CPU */
};
/* Set *SPEED for the time that thread ROW ran in [FROM, TO).  False with BASE_ERROR_CANCELLED
 * if PROGRESS was. */
bool ana_speed_find(struct qry *q, uint32_t row, int64_t from, int64_t to, struct ana_speed *speed,
	struct base_progress *progress, GError **error);
/* "ran 18.0 ms at 1.20 to 2.40 GHz, mean 1.40 GHz; not known for 2.00 ms"; NULL: unknown.  The caller
 * frees. */
char *ana_speed_text(const struct ana_speed *speed);

#endif
