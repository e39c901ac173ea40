/* SPDX-License-Identifier: MIT */
/*
 * How clocks stand the test of the packets: the residual of a packet is how long it was on its way by the
 * clocks in use.  Where they are right none is negative, and the shortest ones say how far a clock could be
 * off at most.
 */
#ifndef ANA_RESIDUALS_H
#define ANA_RESIDUALS_H

#include "base/base_progress.h"
#include "query/clock/passage.h"

/* Which packets: those that HOST exchanged with OTHER and that were received in [FROM, TO); MDL_NONE for
 * OTHER or both: with, among all. */
struct ana_residuals_window {
	uint32_t host, other;
	int64_t from, to;
};

/* Residuals fall into buckets, ANA_RESIDUALS_DECADE of them for each power of ten from 1 ns on; what is
 * longer than hours is in the last one. */
#define ANA_RESIDUALS_DECADE 24
#define ANA_RESIDUALS_BUCKETS (13 * ANA_RESIDUALS_DECADE)
#define ANA_RESIDUALS_WORDS ((ANA_RESIDUALS_BUCKETS + 63) / 64)

/* Packets of one way that were received in one column of a window. */
struct ana_residuals_cell {
	uint64_t packets;
	uint64_t early;      /* of these: received before they were sent */
	int64_t least, most; /* ns, where there are packets */
	/* A bit for each bucket that holds one; those too early are in none. */
	uint64_t buckets[ANA_RESIDUALS_WORDS];
};

/* Packets from one host to another. */
struct ana_residuals_way {
	uint32_t sender, receiver;
	struct ana_residuals_cell all;
	struct ana_residuals_cell *cells; /* owned: one for each column */
};

struct ana_residuals {
	struct ana_residuals_window window;
	uint32_t n_columns;
	GPtrArray *ways; /* of struct ana_residuals_way that have packets, owned, by sender and receiver */
};

/*
 * The packets of WINDOW, whose N_COLUMNS columns are those of qry_column_time().  Costs time in their number,
 * memory in columns and ways.  NULL with BASE_ERROR_CANCELLED when PROGRESS (may be NULL) was.
 */
struct ana_residuals *ana_residuals_new(struct qry *q, const struct ana_residuals_window *window,
	uint32_t n_columns, struct base_progress *progress, GError **error);
void ana_residuals_free(struct ana_residuals *r);

/* The bucket of RESIDUAL, which is not negative. */
unsigned ana_residuals_bucket(int64_t residual);
bool ana_residuals_has(const struct ana_residuals_cell *cell, unsigned bucket);
/* Add the packets of CELL to SUM, which is all zero at first. */
void ana_residuals_add(struct ana_residuals_cell *sum, const struct ana_residuals_cell *cell);

/*
 * Call EACH for all packets of WINDOW, receiver by receiver in the order of reception.  False with
 * BASE_ERROR_CANCELLED when PROGRESS (may be NULL) was.
 */
bool ana_residuals_each(struct qry *q, const struct ana_residuals_window *window,
	struct base_progress *progress,
	void (*each)(void *data, const struct qry_passage *passage, int64_t residual), void *data,
	GError **error);

#endif
