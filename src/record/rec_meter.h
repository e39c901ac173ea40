/* SPDX-License-Identifier: MIT */
/* Measures latencies while they happen. */
#ifndef REC_METER_H
#define REC_METER_H

#include "record/rec_until.h"

/* A latency that ended. */
struct rec_case {
	unsigned of;     /* number of its struct rec_until */
	int64_t latency; /* ns */
	int64_t end;     /* ns, CLOCK_MONOTONIC, as the recordings have it */
	int tid; /* the thread; of a request to a disk the one that issued it; 0: of no thread, or unknown */
	unsigned cpu; /* on which it ended */
};

struct rec_meter;

/*
 * Measure the kinds of N UNTILS in a tracefs instance whose name is NAME plus a suffix; it records only the
 * events of these kinds.  ENDS: N is 1, and the kernel stops the instance NAME by itself at the first latency above
 * the limit, if it can; only latencies above the limit are reported then.  NULL with BASE_ERROR_IO.
 */
struct rec_meter *rec_meter_new(const char *name, const struct rec_until *untils, unsigned n, bool ends,
	GError **error);
/* Append to CASES (of struct rec_case) the latencies that ended since the last call, earliest first of each kind.
 * Those above their limit are not of this process' threads.  False with BASE_ERROR_IO if they can no longer be
 * measured. */
bool rec_meter_poll(struct rec_meter *m, GArray *cases, GError **error);
/* Change the limit of kind number OF, ns. */
void rec_meter_set_limit(struct rec_meter *m, unsigned of, int64_t limit);
/* Return the number of cases of kind number OF that are open for FROM to TO (ns) at the last look. */
unsigned rec_meter_open(const struct rec_meter *m, unsigned of, int64_t from, int64_t to);
/* Stop measuring, at no cost for the machine, or go on.  Cases that are open then are forgotten.  False with
 * BASE_ERROR_IO. */
bool rec_meter_pause(struct rec_meter *m, bool pause, GError **error);
/* Return the events that it measures by, a new array of char *; the caller unrefs. */
GPtrArray *rec_meter_events(const struct rec_meter *m);
/* Return how often its ring overflowed, and what was open was forgotten. */
uint64_t rec_meter_lost(const struct rec_meter *m);
/* Return the number of events that its ring had so far (since it was paused last). */
uint64_t rec_meter_count(const struct rec_meter *m);
void rec_meter_free(struct rec_meter *m);

#endif
