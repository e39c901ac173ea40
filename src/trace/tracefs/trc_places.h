/* SPDX-License-Identifier: MIT */
/* Places of the parts of a file, as the file tells them.  Parts that overlap are refused: they would make
 * wakepath read the same bytes again and again. */
#ifndef TRC_PLACES_H
#define TRC_PLACES_H

#include "trace/core/trc_budget.h"

#include <glib.h>

struct trc_places {
	GArray *all;   /* owned, of struct trc_place */
	uint64_t left; /* bytes of the file that no part has taken, if none overlap */
};

/* A part of the file, in bytes. */
struct trc_place {
	uint64_t offset, size;
};

/* Begin with no parts of a file of SIZE bytes. */
struct trc_places trc_places_new(uint64_t size);
void trc_places_free(struct trc_places *places);
/* Add a part of SIZE bytes at OFFSET, which costs B.  False if B refuses it. */
bool trc_places_add(struct trc_places *places, uint64_t offset, uint64_t size, struct trc_budget *b);
/* Call after all parts were added: if some overlap, B refuses them. */
void trc_places_check(struct trc_places *places, struct trc_budget *b);

#endif
