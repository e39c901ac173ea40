/* SPDX-License-Identifier: MIT */
/* A budget of memory and time for one trace, in proportion to its size, because the trace may be
 * malicious. */
#ifndef TRC_BUDGET_H
#define TRC_BUDGET_H

#include "base/base_error.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

struct trc_budget {
	uint64_t left;       /* approximate bytes of memory, or work that takes the same time */
	const char *refused; /* static: the first demand that exceeded it; NULL: none */
};

/* Bytes that each file gets, because a kernel's description of its events takes some 10 MB; and bytes per
 * byte of the file. */
#define TRC_BUDGET_ANYWAY (UINT64_C(32) << 20)
#define TRC_BUDGET_TIMES 32
/* Cost of a stream: the part of its queue that is used. */
#define TRC_BUDGET_STREAM (32 * 1024)
/* Bytes of records that each file gets.  A decompressed record costs its bytes, at least RECORD: a kernel's
 * records have some 50. */
#define TRC_BUDGET_RECORDS (UINT64_C(4) << 20)
#define TRC_BUDGET_RECORD 64

/* Return the budget of a file of SIZE bytes. */
static inline struct trc_budget trc_budget_of(uint64_t size)
{
	return (struct trc_budget){ .left = TRC_BUDGET_ANYWAY + size * TRC_BUDGET_TIMES };
}

/* Return the part of B, the budget of a file of SIZE bytes, that is for its records. */
static inline struct trc_budget trc_budget_of_records(struct trc_budget b, uint64_t size)
{
	b.left = MIN(b.left, TRC_BUDGET_RECORDS + size * TRC_BUDGET_TIMES);
	return b;
}

/* Spend N on WHAT (static).  False if less is left; then nothing is left from now on. */
static inline bool trc_budget_spend(struct trc_budget *b, uint64_t n, const char *what)
{
	if (n <= b->left) {
		b->left -= n;
		return true;
	}
	b->left = 0;
	b->refused = b->refused ? b->refused : what;
	return false;
}

/* Set ERROR to BASE_ERROR_REFUSED: the trace PATH is not read, because of B->refused. */
static inline void trc_budget_set_error(const struct trc_budget *b, const char *path, GError **error)
{
	g_set_error(error, BASE_ERROR, BASE_ERROR_REFUSED,
		"cannot read the trace %s: %s: it is damaged or made to do harm; copy the trace again", path,
		b->refused);
}

#endif
