/* SPDX-License-Identifier: MIT */
/* The kernel function in which a thread waited, if the kernel records it, and its work for memory. */
#ifndef ANA_BLOCKED_H
#define ANA_BLOCKED_H

#include "query/qry.h"

struct ana_blocked {
	char *function; /* "filemap_fault", or its address; owned; NULL: not recorded */
	bool io;        /* the thread waited for I/O (io_schedule()) */
	/* The work for memory around the wait, "memcg reclaim"; NULL: none.  Owned like qry_work_after(). */
	const char *memory;
	mdl_doubts doubts; /* of MEMORY */
};

/* The kernel's work for memory (reclaim, compaction, page fault) of thread ROW that contains all of [FROM,
 * TO); NULL: none (proofs.md R32). Owned like qry_work_after(). */
const struct qry_spin *ana_blocked_memory(struct qry *q, uint32_t row, int64_t from, int64_t to);
/* "in memcg reclaim (inferred), in the kernel's function folio_wait_bit_common, for I/O". NULL if nothing is
 * known. The caller frees. */
char *ana_blocked_text(const struct ana_blocked *blocked);

/* Set *BLOCKED for the wait of thread ROW from FROM (ns) that WAKEUP ended.  The caller frees FUNCTION.
 * False with an error if the trace cannot be read. */
bool ana_blocked_find(struct qry *q, uint32_t row, int64_t from, const struct mdl_wakeup *wakeup,
	struct ana_blocked *blocked, GError **error);

#endif
