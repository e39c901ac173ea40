/* SPDX-License-Identifier: MIT */
/* The clocks of hosts: the state of one at an instant, and a test by packets.  The residual of a packet is
 * its time on the way, by the clocks in use.  If the clocks are right, no residual is negative, and the
 * shortest residuals limit how far a clock can be off. */
#ifndef ANA_CLOCK_H
#define ANA_CLOCK_H

#include "base/base_progress.h"
#include "query/clock/clock.h"
#include "query/clock/sync.h"

/* Selects packets: those exchanged between HOST and OTHER and received in [FROM, TO).  OTHER MDL_NONE:
 * between HOST and all; both MDL_NONE: among all. */
struct ana_residuals_window {
	uint32_t host, other;
	int64_t from, to;
};

/* Buckets of residuals: ANA_RESIDUALS_DECADE for each power of ten from 1 ns on.  The last holds all
 * residuals longer than hours. */
#define ANA_RESIDUALS_DECADE 24
#define ANA_RESIDUALS_BUCKETS (13 * ANA_RESIDUALS_DECADE)
#define ANA_RESIDUALS_WORDS ((ANA_RESIDUALS_BUCKETS + 63) / 64)

/* Packets of one direction received in one column of a window. */
struct ana_residuals_cell {
	uint64_t packets;
	uint64_t early;      /* of these, received before they were sent */
	int64_t least, most; /* ns; only if there are packets */
	/* One bit per non-empty bucket.  Negative residuals are in none. */
	uint64_t buckets[ANA_RESIDUALS_WORDS];
};

/* Packets from one host to another. */
struct ana_residuals_way {
	uint32_t sender, receiver;
	struct ana_residuals_cell all;
	struct ana_residuals_cell *cells; /* owned: one per column */
};

struct ana_residuals {
	struct ana_residuals_window window;
	uint32_t n_columns;
	/* of struct ana_residuals_way with packets, owned, sorted by sender and receiver */
	GPtrArray *ways;
};

/* Sum up the packets of WINDOW, with N_COLUMNS columns (qry_column_time()).  Costs time in the number of
 * packets, memory in columns and ways.  NULL with BASE_ERROR_CANCELLED if PROGRESS (may be NULL) was
 * cancelled. */
struct ana_residuals *ana_residuals_new(struct qry *q, const struct ana_residuals_window *window,
	uint32_t n_columns, struct base_progress *progress, GError **error);
void ana_residuals_free(struct ana_residuals *r);

/* The bucket of RESIDUAL, which is not negative. */
unsigned ana_residuals_bucket(int64_t residual);
/* True if packets of CELL have residuals in BUCKET. */
bool ana_residuals_has(const struct ana_residuals_cell *cell, unsigned bucket);
/* Add the packets of CELL to SUM, which is zero at first. */
void ana_residuals_add(struct ana_residuals_cell *sum, const struct ana_residuals_cell *cell);

/* A walk over all packets of WINDOW, receiver by receiver, in order of reception.  Q and PROGRESS (may be
 * NULL) outlive it. */
struct ana_residuals_walk;
struct ana_residuals_walk *ana_residuals_walk_new(struct qry *q, const struct ana_residuals_window *window,
	struct base_progress *progress);
void ana_residuals_walk_free(struct ana_residuals_walk *w);
/* Set *PASSAGE to the next packet and *RESIDUAL (ns) to its residual. Returns 1; 0 at the end; -1 with
 * BASE_ERROR_CANCELLED. */
int ana_residuals_walk_next(struct ana_residuals_walk *w, struct qry_passage *passage, int64_t *residual,
	GError **error);

/* ---- the state at one instant ---- */

/* The state of a host's clock at one instant. */
struct ana_clock {
	bool known;          /* it is the first host's clock, or its relation to that clock is known */
	const char *quality; /* static: as in `wakepath sync`; "own" if each host shows its own time */
	/* Static: why its relation to the first host's clock is unknown although that of others is known;
	 * NULL: no such reason. */
	const char *apart;
	/* KNOWN is false, but its start is moved to the first host's start; AHEAD is that offset. */
	bool placed;
	/* ns by which the host's own clock is ahead of the first host's; 0 if it is neither known nor
	 * placed. */
	int64_t ahead;
	double fast;          /* ppm by which it runs faster than the first host's */
	int64_t error, worst; /* ns by which it may be off at that time, and at most; INT64_MAX unknown */
	unsigned line, lines; /* number (0 …) of the linear piece that holds at that time; number of pieces */
	uint32_t by;          /* next host on the way to the first one; MDL_NONE none */
	uint64_t packets;     /* packets exchanged with others that were matched */
	/* of these, received before they were sent: by the clocks as recorded; by the clocks as corrected */
	uint64_t early_before, early;
};

/* The state of HOST's clock at TIME (shown). */
struct ana_clock ana_clock_of(const struct qry *q, uint32_t host, int64_t time);

#endif
