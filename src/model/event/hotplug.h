/* SPDX-License-Identifier: MIT */
/* A thread that takes a CPU off-line, or brings it on-line. */
#ifndef MDL_HOTPLUG_H
#define MDL_HOTPLUG_H

#include "model/event/event.h"

struct mdl_hotplug_seen {
	uint32_t cpu;
	bool up;
	bool for_suspend; /* user threads are frozen meanwhile */
	int64_t from;     /* ns: its first step */
	int64_t tid;
	char name[MDL_COMM]; /* as in the trace, hostile; filled up with zeros */
};
#define MDL_HOTPLUGS_KEPT 1024

#endif
