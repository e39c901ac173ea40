/* SPDX-License-Identifier: MIT */
/* The suspends of a whole trace, and its CPUs that go off-line and come on-line. */
#ifndef MDL_EVENT_POWER_H
#define MDL_EVENT_POWER_H

#include "model/event/event.h"

/* A thread by its TID and its name as in the trace, which is hostile and filled up with zeros. */
struct mdl_power_by {
	int64_t tid; /* -1: unknown */
	char name[MDL_COMM];
};

/* A thread takes a CPU off-line, or brings it on-line. */
struct mdl_hotplug_seen {
	uint32_t cpu;
	bool up;
	bool for_suspend; /* user threads are frozen meanwhile */
	int64_t from;     /* ns: its first step */
	struct mdl_power_by by;
};

/* User threads are frozen. */
struct mdl_suspend_seen {
	int64_t from, to; /* ns: from the begin of freezing to the end of thawing; TO MDL_NEVER: not over */
	struct mdl_power_by by;
	bool stopped;        /* time-keeping was stopped meanwhile, for … */
	int64_t least, most; /* … as in struct mdl_suspend */
};

#define MDL_POWER_KEPT 256 /* of each */

#endif
