/* SPDX-License-Identifier: MIT */
/*
 * Bytes that become more a few at a time.  A row's writers have some of these for as long as the row lives,
 * and 200 000 threads may live at once: so they grow by a fifth only, and by what malloc() gives away anyway.
 */
#ifndef IDX_BYTES_H
#define IDX_BYTES_H

#include <glib.h>
#include <stdint.h>

/* Begins as zeros; all of them together take part in nothing but idx_bytes_…(). */
struct idx_bytes {
	uint8_t *data; /* owned */
	uint32_t size, room;
};

#define IDX_BYTES_UNIT 16u /* of malloc(), which needs 8 of the first for itself */

/* Where the next bytes go: room for at least MORE; the caller counts what it puts there into B->size. */
static inline uint8_t *idx_bytes_reserve(struct idx_bytes *b, uint32_t more)
{
	if (G_UNLIKELY(b->size + more > b->room)) {
		uint32_t needed = b->size + more;

		b->room = ((needed + needed / 5 + 8) / IDX_BYTES_UNIT + 1) * IDX_BYTES_UNIT - 8;
		b->data = g_realloc(b->data, b->room);
	}
	return b->data + b->size;
}

static inline void idx_bytes_clear(struct idx_bytes *b)
{
	g_free(b->data);
	*b = (struct idx_bytes){ 0 };
}

#endif
