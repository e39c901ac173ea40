/* SPDX-License-Identifier: MIT */
/* How much may be made of a file that somebody may have made to do harm: so much, in proportion to its size.
 */
#ifndef TRC_BUDGET_H
#define TRC_BUDGET_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

struct trc_budget {
	uint64_t left;       /* bytes of memory, about, or what takes as long as these */
	const char *refused; /* static: what was more than that; NULL: nothing */
};

/* So many bytes in any case, as what a kernel tells of its events fills some 10 MB; and so many times the
 * file's. */
#define TRC_BUDGET_ANYWAY (UINT64_C(32) << 20)
#define TRC_BUDGET_TIMES 32
/* What a stream costs: its queue, as far as that is touched. */
#define TRC_BUDGET_STREAM (32 * 1024)
/* Bytes of records in any case.  One that was unpacked costs its bytes, or RECORD, where it has fewer: those
 * of a kernel have some 50. */
#define TRC_BUDGET_RECORDS (UINT64_C(4) << 20)
#define TRC_BUDGET_RECORD 64

/* That of a file of SIZE bytes. */
static inline struct trc_budget trc_budget_of(uint64_t size)
{
	return (struct trc_budget){ .left = TRC_BUDGET_ANYWAY + size * TRC_BUDGET_TIMES };
}

/* What of B, of a file of SIZE bytes, is for its records. */
static inline struct trc_budget trc_budget_of_records(struct trc_budget b, uint64_t size)
{
	b.left = MIN(b.left, TRC_BUDGET_RECORDS + size * TRC_BUDGET_TIMES);
	return b;
}

/* Spend N on WHAT (static).  False: that is more than is left, and nothing is from then on. */
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

/* Set ERROR to BASE_ERROR_REFUSED: the trace PATH is not read because of what B refused. */
void trc_budget_set_error(const struct trc_budget *b, const char *path, GError **error);

#endif
