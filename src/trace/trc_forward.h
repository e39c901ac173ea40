/* SPDX-License-Identifier: MIT */
/* Finds where a clock that can be set was set forward. */
#ifndef TRC_FORWARD_H
#define TRC_FORWARD_H

#include "model/event/event.h"
#include "trace/core/trc_info.h"

#define TRC_FORWARD_TIMERS 8

struct trc_forward {
	bool begun;    /* an event came */
	bool settable; /* the clock is CLOCK_REALTIME or CLOCK_TAI */
	bool switches; /* a switch came */
	int64_t quiet; /* ns: pauses of all CPUs since the last timer */
	/* The last expiry of timers with each FUNCTION: time of the trace minus time of the timer's clock,
	 * ns. */
	struct trc_forward_timer {
		int64_t function, ahead;
	} timers[TRC_FORWARD_TIMERS];
	unsigned n_timers;
};

/* False if the clock of the trace cannot be set: then trc_forward_event() need not be called. */
static inline bool trc_forward_looks(const struct trc_forward *f)
{
	return !f->begun || f->settable;
}

/* EVENT, with its time in the trace, comes next in the trace of INFO, SINCE ns after the event before. A step
 * forward is counted in INFO. */
void trc_forward_event(struct trc_forward *f, struct trc_info *info, const struct mdl_event *event,
	int64_t since);

#endif
