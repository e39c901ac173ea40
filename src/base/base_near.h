/* SPDX-License-Identifier: MIT */
/* The names that a mistyped word may mean.  Use: init, offer each name, text. */
#ifndef BASE_NEAR_H
#define BASE_NEAR_H

#include <stdbool.h>

#define BASE_NEAR_NAMES 3

struct base_near {
	const char *word;                    /* weak: what was typed */
	const char *names[BASE_NEAR_NAMES];  /* weak: N of the offered ones, nearest first */
	unsigned distances[BASE_NEAR_NAMES]; /* of NAMES, ascending */
	unsigned n;
	unsigned limit; /* largest distance that is near */
};

/* Begin, for WORD. A name is near if at most three letters, and at most half of those of WORD, differ, or if
 * it contains WORD. ANY: the three nearest, however far. */
void base_near_init(struct base_near *near, const char *word, bool any);
/* Offer NAME, which must live as long as NEAR.  A name that was offered before is ignored. */
void base_near_offer(struct base_near *near, const char *name);
/* Offer all of NAMES (NULL-terminated). */
void base_near_offer_all(struct base_near *near, const char *const *names);
/* "; the nearest: path, sync", to end a message; "" if none is near.  The caller frees. */
char *base_near_text(const struct base_near *near);

#endif
