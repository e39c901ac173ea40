/* SPDX-License-Identifier: MIT */
/* The state of a host's clock at one instant, for display. */
#ifndef ANA_CLOCK_H
#define ANA_CLOCK_H

#include "query/clock/clock.h"

struct ana_clock {
	bool known;          /* it is the first host's, or expressed in the first host's */
	const char *quality; /* static: as in `wakepath sync`; "own" if each host shows its own time */
	const char *apart;   /* static: why it stands apart while others do not; NULL: it does not */
	/* KNOWN is false, but its start is moved to the first host's start; AHEAD is that offset. */
	bool placed;
	/* ns by which the host's own clock is ahead of the first host's; 0 if it is neither known nor
	 * placed. */
	int64_t ahead;
	double fast;          /* ppm by which it runs faster than the first host's */
	int64_t error, worst; /* ns by which it may be off at that time, and at most; INT64_MAX unknown */
	unsigned line, lines; /* number (0 …) of the line that holds at that time; number of lines */
	uint32_t by;          /* next host on the way to the first one; MDL_NONE none */
	uint64_t packets;     /* packets exchanged with others that were matched */
	/* of these, received before they were sent: by the clocks as recorded; as found */
	uint64_t early_before, early;
};

/* The state of HOST's clock at TIME (shown). */
struct ana_clock ana_clock_of(const struct qry *q, uint32_t host, int64_t time);

#endif
