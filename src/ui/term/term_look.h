/* SPDX-License-Identifier: MIT */
/* The looks of cells on a terminal: a number for each look, and the SGR sequence from one look to another.
 * Private to term_paint.c. */
#ifndef TERM_LOOK_H
#define TERM_LOOK_H

#include "ui/term/term_paint.h"

/* The initial look of a terminal: its own colours, no attributes. */
#define TERM_LOOK_PLAIN 0

struct term_looks;

struct term_looks *term_looks_new(const struct term_paint_can *can);
void term_looks_free(struct term_looks *looks);
void term_looks_set(struct term_looks *looks, const struct term_style *styles);
/* The number of the look of ROLE with OVER laid over it.  Equal looks have the same number. */
unsigned term_looks_of(struct term_looks *looks, unsigned role, unsigned over);
/* True if a blank of LOOK looks like an erased cell. */
bool term_looks_erased(const struct term_looks *looks, unsigned look);
/* The better order to paint looks A and B, as strcmp() returns it: looks with the same background and the
 * same attributes follow each other.  0: the order does not matter. */
int term_looks_compare(const struct term_looks *looks, unsigned a, unsigned b);
/* Append to OUT the sequence that changes look FROM into look TO. */
void term_looks_change(const struct term_looks *looks, GString *out, unsigned from, unsigned to);

#endif
