/* SPDX-License-Identifier: MIT */
/* The quota of a control group as it was set, from what its threads used and when its timer let them go. */
#ifndef ANA_QUOTA_H
#define ANA_QUOTA_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* An expiry of the group's timer, which ends a period and fills the quota up. */
struct ana_quota_end {
	int64_t time; /* ns */
	/* ns: CPU time that the group used since the previous expiry: without and with interrupts on top */
	int64_t least, most;
	bool stopped; /* the group had no quota left before it */
	bool let_go;  /* with STOPPED: it may go on */
};

/* The period of expiries at TIMES (int64_t, ns, in order), some of which may be missing. Zero: none. */
int64_t ana_quota_period(const GArray *times);

/* The quota of ENDS (struct ana_quota_end, in order): the roundest that explains most of them, up to MOST.
 * Zero if they do not show it. */
int64_t ana_quota_of(const GArray *ends, int64_t most);

#endif
