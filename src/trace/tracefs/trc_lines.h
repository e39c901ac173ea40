/* SPDX-License-Identifier: MIT */
/* Texts of many lines, read one line at a time: a list of all would take many times their memory. */
#ifndef TRC_LINES_H
#define TRC_LINES_H

#include "trace/core/trc_budget.h"
#include "trace/tracefs/trc_bytes.h"

#define TRC_LINE_MAX 65536 /* bytes; a longer line is cut there */
#define TRC_LINE_COST 16   /* budget that a line costs: bytes that take the same time */

/* Set LINE to the next line of B, without its end, at the cost of BUDGET.  False at the end.  A NUL ends the
 * text. */
static inline bool trc_lines_next(struct trc_bytes *b, GString *line, struct trc_budget *budget)
{
	const uint8_t *from, *end, *zero;
	uint64_t left = b->data && b->at < b->size ? b->size - b->at : 0, size;

	if (left == 0 ||
		!trc_budget_spend(budget, TRC_LINE_COST, "it has more lines than its size has room for"))
		return false;
	from = b->data + b->at;
	end = memchr(from, '\n', left);
	size = end ? (uint64_t)(end - from) : left;
	zero = memchr(from, 0, size);
	b->at = zero || !end ? b->size : b->at + size + 1;
	size = zero ? (uint64_t)(zero - from) : size;
	g_string_truncate(line, 0);
	g_string_append_len(line, (const char *)from, (gssize)MIN(size, TRC_LINE_MAX));
	return true;
}

#endif
