/* SPDX-License-Identifier: MIT */
/* Where the parts of a file are, as it tells: no two of them lie over each other, unless somebody wants to
 * have the same bytes read again and again. */
#ifndef TRC_PLACES_H
#define TRC_PLACES_H

#include "trace/core/trc_budget.h"

#include <glib.h>

struct trc_places {
	GArray *all;   /* owned, of struct trc_place */
	uint64_t left; /* bytes of the file that they have not taken, unless they lie over each other */
};

/* Bytes of the file: OFFSET, SIZE. */
struct trc_place {
	uint64_t offset, size;
};

/* Of a file of SIZE bytes. */
struct trc_places trc_places_new(uint64_t size);
void trc_places_free(struct trc_places *places);
/* There is a part of SIZE bytes at OFFSET, which costs B.  False: B refuses it. */
bool trc_places_add(struct trc_places *places, uint64_t offset, uint64_t size, struct trc_budget *b);
/* All were added: refuse, in B, those that lie over each other. */
void trc_places_check(struct trc_places *places, struct trc_budget *b);

#endif
