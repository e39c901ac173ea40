/* SPDX-License-Identifier: MIT */
/*
 * How fast clocks are where packets do not tell: least squares over the hosts' oscillators.
 *
 * Each oscillator runs at the pace it was made for but for some ppm, which nobody knows beforehand and which
 * are as likely too much as too little.  Packets tell by how much two hosts differ, not which of them is
 * right.  Hosts whose rates are known against each other, if only by way of others, form a group; of all the
 * ways in which its oscillators may be off, that of the least sum of squares has the mean 0.  So the mean
 * pace of each group is taken as true, and the rate between hosts of two groups follows.  It is a guess that
 * the packets may cut, never one that they are bent to.
 */
#ifndef SYNC_RATES_H
#define SYNC_RATES_H

#include "sync/sync_fit.h"

struct sync_rates;

/* For N hosts. */
struct sync_rates *sync_rates_new(unsigned n);
void sync_rates_free(struct sync_rates *rates);

/* HOST and BY exchanged packets; PIECES (of struct sync_piece) of their fit. */
void sync_rates_add(struct sync_rates *rates, unsigned host, unsigned by, const GArray *pieces);
/* No more hosts exchanged packets. */
void sync_rates_finish(struct sync_rates *rates);

/* The lines (of struct sync_line) for the PIECES of HOST in the clock of BY, which are bounded by BOUNDS.
 * After finish.  The caller frees. */
GArray *sync_rates_lines(const struct sync_rates *rates, unsigned host, unsigned by, const GArray *pieces,
	const GArray *bounds);

#endif
