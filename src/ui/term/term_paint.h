/* SPDX-License-Identifier: MIT */
/*
 * From what a terminal shows to what it shall show, in few bytes.  Pure: bytes go into a string, so that they
 * can be tested without a terminal.  For terminals that take the control functions of ECMA-48, as those of
 * the VT100 and of all that came after it.
 */
#ifndef TERM_PAINT_H
#define TERM_PAINT_H

#include "ui/term/term.h"

/* What the terminal can, beyond moving its cursor, erasing to the end of a line and attributes. */
struct term_paint_can {
	unsigned colours;  /* as struct term has them */
	uint8_t attrs;     /* enum term_attr: those it has */
	bool repeats;      /* REP: any character as often again */
	bool scrolls;      /* SU and SD, within margins */
	bool keeps_corner; /* a character in the last column does not scroll the screen */
	bool holds;        /* synchronised output, DEC mode 2026 */
	const char *(*rgb)(int32_t rgb, bool background); /* SGR that sets it, static until the next call */
};

#define TERM_PAINT_HOLD_ON "\033[?2026h"
#define TERM_PAINT_HOLD_OFF "\033[?2026l"

struct term_paint;

struct term_paint *term_paint_new(const struct term_paint_can *can);
void term_paint_free(struct term_paint *paint);
/* The terminal has told more of what it can.  One that holds is told to where a frame is large. */
void term_paint_learn(struct term_paint *paint, bool repeats, bool holds);
/* The look of all TERM_ROLE_N roles, copied; all is painted anew. */
void term_paint_styles(struct term_paint *paint, const struct term_style *styles);
/* What the terminal shows is not known: all is painted anew. */
void term_paint_forget(struct term_paint *paint);
/* The bytes that make the terminal, which shows what the call before made it, show GRID; good until the next
 * call. */
const GString *term_paint_frame(struct term_paint *paint, const struct term_grid *grid);

#endif
