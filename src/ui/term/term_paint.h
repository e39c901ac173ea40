/* SPDX-License-Identifier: MIT */
/*
 * Makes the bytes that change the screen from one frame to the next; few bytes.  It has no terminal: bytes
 * are appended to a string, so tests need none.  It works for terminals with the control functions of
 * ECMA-48, like the VT100 and its successors.
 */
#ifndef TERM_PAINT_H
#define TERM_PAINT_H

#include "ui/term/term.h"

/* Abilities of the terminal beyond cursor moves, erasing to the end of a line, and attributes. */
struct term_paint_can {
	unsigned colours;  /* as in struct term */
	uint8_t attrs;     /* enum term_attr: the attributes it has */
	bool repeats;      /* REP: repeats any character */
	bool scrolls;      /* SU and SD, also within margins */
	bool keeps_corner; /* a character in the last column does not scroll the screen */
	bool holds;        /* synchronised output, DEC mode 2026 */
	/* The SGR sequence for the colour RGB; static until the next call. */
	const char *(*rgb)(int32_t rgb, bool background);
};

#define TERM_PAINT_HOLD_ON "\033[?2026h"
#define TERM_PAINT_HOLD_OFF "\033[?2026l"

struct term_paint;

struct term_paint *term_paint_new(const struct term_paint_can *can);
void term_paint_free(struct term_paint *paint);
/* Set abilities that the terminal reported later.  If it HOLDS its output, it is told to do so for large
 * frames. */
void term_paint_learn(struct term_paint *paint, bool repeats, bool holds);
/* Set the looks of all TERM_ROLE_N roles (copied).  The next frame repaints everything. */
void term_paint_styles(struct term_paint *paint, const struct term_style *styles);
/* The content of the screen is not known.  The next frame repaints everything. */
void term_paint_forget(struct term_paint *paint);
/* Returns the bytes that change the screen from the previous frame to GRID.  Valid until the next call. */
const GString *term_paint_frame(struct term_paint *paint, const struct term_grid *grid);

#endif
