/* SPDX-License-Identifier: MIT */
/*
 * A growing byte array.
 *
 * A row's writers own some for the whole life of the row, and 200 000 threads may live at once.  So it grows
 * by a fifth only, plus the bytes that malloc() rounds up to.
 */
#ifndef IDX_BYTES_H
#define IDX_BYTES_H

#include <glib.h>
#include <stdint.h>

/* Initialise with zeros.  Only idx_bytes_…() changes SIZE, ROOM and DATA together. */
struct idx_bytes {
	uint8_t *data; /* owned; SIZE bytes of ROOM are used */
	uint32_t size, room;
};

/* bytes; malloc() hands out multiples of it, and needs 8 bytes of the first for itself */
#define IDX_BYTES_UNIT 16u

/* Make room for at least MORE bytes.  Returns where they go; the caller adds what it writes there to
 * B->size. */
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
