/* SPDX-License-Identifier: MIT */
/* How cells look on a terminal: a number for each look that there is, and SGR from one to another.  Private
 * to term_paint.c. */
#ifndef TERM_LOOK_H
#define TERM_LOOK_H

#include "ui/term/term_paint.h"

/* The look that terminals begin with: its own colours, no attribute. */
#define TERM_LOOK_PLAIN 0

struct term_looks;

struct term_looks *term_looks_new(const struct term_paint_can *can);
void term_looks_free(struct term_looks *looks);
void term_looks_set(struct term_looks *looks, const struct term_style *styles);
/* The look of ROLE below OVER; what looks alike has the same. */
unsigned term_looks_of(struct term_looks *looks, unsigned role, unsigned over);
/* Whether a blank of LOOK looks like what was erased. */
bool term_looks_erased(const struct term_looks *looks, unsigned look);
/* Which of two is better painted first, as strcmp(): those of one background and with the same attributes
 * come together; 0: it does not matter. */
int term_looks_compare(const struct term_looks *looks, unsigned a, unsigned b);
/* Append what changes look FROM to look TO. */
void term_looks_change(const struct term_looks *looks, GString *out, unsigned from, unsigned to);

#endif
