/* SPDX-License-Identifier: MIT */
/* Clocks made by hand for the sample trace of three hosts, and an independent computation of what they
 * show. */
#ifndef QRY_CLOCKS_H
#define QRY_CLOCKS_H

#include "query/qry.h"

#define QRY_CLOCKS_LINES 5

/* One line: t_shown = t + OFFSET + FRACTION / 2^62 + (t − ORIGIN) · RATE / 2^62, rounded down, valid from
 * FROM. Instants (ns) count from the first event of the trace. */
struct qry_clocks_line {
	int64_t from, seen, origin, offset, fraction, rate;
};

/* The clock of a host; no lines: its own. */
struct qry_clocks_clock {
	unsigned n;
	struct qry_clocks_line lines[QRY_CLOCKS_LINES];
};

/* A set of clocks: one for each host of an experiment. */
struct qry_clocks_set {
	const char *name;
	struct qry_clocks_clock clocks[3];
};

/* An experiment by its hosts' own clocks and by the clocks of SET. */
struct qry_clocks {
	struct qry *own, *shown;
	const struct qry_clocks_set *set;
	GRand *rand;
};

/* Call CHECK with the sample trace of three hosts and each set of clocks. */
void qry_clocks_for_all(void (*check)(struct qry_clocks *c));

/* TIME of HOST as it must be shown; INT64_MIN stays. */
int64_t qry_clocks_show(const struct qry_clocks *c, uint32_t host, int64_t time);
/* The last instant of HOST shown at or before TIME, found by bisecting the years around its trace. */
int64_t qry_clocks_held(const struct qry_clocks *c, uint32_t host, int64_t time);

/* A shown time in or around the trace of HOST, often at the beginning of a line of its clock. */
int64_t qry_clocks_random(const struct qry_clocks *c, uint32_t host);

#endif
