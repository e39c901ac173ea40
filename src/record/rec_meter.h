/* SPDX-License-Identifier: MIT */
/* Measures latencies while they happen. */
#ifndef REC_METER_H
#define REC_METER_H

#include "record/rec_until.h"

/* A latency that ended. */
struct rec_case {
	unsigned of;     /* number of its struct rec_until */
	int64_t latency; /* ns */
	int64_t end;     /* ns, CLOCK_MONOTONIC, like the times of the recordings */
	int tid;      /* the thread; for a disk request the thread that issued it; 0: no thread, or unknown */
	unsigned cpu; /* the CPU on which it ended */
};

struct rec_meter;

/*
 * Measure the kinds of N UNTILS in a tracefs instance NAME-watch that records only the events of these kinds.
 * ENDS: N is 1, and if the kernel can, it stops the instance NAME by itself at the first latency above the
 * limit; then only latencies above the limit are reported.  NULL with BASE_ERROR_IO.
 */
struct rec_meter *rec_meter_new(const char *name, const struct rec_until *untils, unsigned n, bool ends,
	GError **error);
/* Append to CASES (of struct rec_case) the latencies that ended since the last call, for each kind in order
 * of time.  Latencies of this process' own threads are left out if they are above the limit.  False with
 * BASE_ERROR_IO if the measurement has failed. */
bool rec_meter_poll(struct rec_meter *m, GArray *cases, GError **error);
/* Change the limit of kind number OF, ns. */
void rec_meter_set_limit(struct rec_meter *m, unsigned of, int64_t limit);
/* Return the number of cases of kind number OF that had been open for [FROM, TO) ns at the last poll. */
unsigned rec_meter_open(const struct rec_meter *m, unsigned of, int64_t from, int64_t to);
/* Stop measuring (PAUSE), which then costs the machine nothing, or continue.  Open cases are dropped.  False
 * with BASE_ERROR_IO. */
bool rec_meter_pause(struct rec_meter *m, bool pause, GError **error);
/* Return the events of the measured kinds, a new array of char * ("system:event"); the caller unrefs. */
GPtrArray *rec_meter_events(const struct rec_meter *m);
/* Return the number of polls that found lost events in the meter's ring and therefore dropped all open
 * cases. */
uint64_t rec_meter_lost(const struct rec_meter *m);
/* Return the number of events recorded in the meter's ring since the last rec_meter_pause(). */
uint64_t rec_meter_count(const struct rec_meter *m);
/* Stop measuring, remove the instance and its triggers from the kernel, and free M. */
void rec_meter_free(struct rec_meter *m);

#endif
