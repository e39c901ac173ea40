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
	/* The last expiries, one for each function: the trace's time less that of the timer's clock. */
	struct trc_forward_timer {
		int64_t function, ahead;
	} timers[TRC_FORWARD_TIMERS];
	unsigned n_timers;
};

/* False if no step can be found any more: then trc_forward_event() need not be called. */
static inline bool trc_forward_looks(const struct trc_forward *f)
{
	return !f->begun || f->settable;
}

/* EVENT, at its own time, comes next in the trace of INFO, SINCE ns after the event before. */
void trc_forward_event(struct trc_forward *f, struct trc_info *info, const struct mdl_event *event,
	int64_t since);

#endif
