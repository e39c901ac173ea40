/* SPDX-License-Identifier: MIT */
/* What a person wants to know of a host's clock at one instant. */
#ifndef ANA_CLOCK_H
#define ANA_CLOCK_H

#include "query/clock/clock.h"

struct ana_clock {
	bool known;          /* it is the first host's, or one in terms of that */
	const char *quality; /* static: as of `wakepath sync`; "own" where each host shows its own time */
	const char *apart;   /* static: why it has none, where others may have one; NULL */
	/* Not known, but its start is put to the first host's: AHEAD says where its own times are shown. */
	bool placed;
	int64_t ahead; /* ns by which the host's own clock shows more than the first host's; 0 when neither
			  known nor placed */
	double fast;   /* ppm by which it runs faster */
	int64_t error, worst;         /* ns by which it may be off then, and at most; INT64_MAX unknown */
	unsigned line, lines;         /* the line that holds then, from 0 on, of how many */
	uint32_t by;                  /* host next to it on the way to the first one; MDL_NONE none */
	uint64_t packets;             /* that it exchanged with others and that were matched */
	uint64_t early_before, early; /* of these: received before they were sent, by the clocks as recorded,
					 and as found */
};

/* The clock of HOST at TIME (shown). */
struct ana_clock ana_clock_of(const struct qry *q, uint32_t host, int64_t time);

#endif
