/* SPDX-License-Identifier: MIT */
/*
 * The two parts of the terminal of term_curses.c: the bytes that show a frame (the painter), and the keys.
 *
 * The painter turns the difference between two frames into few bytes.  It only appends them to a string, so
 * its tests need no terminal.  It works for terminals with the control functions of ECMA-48, such as the
 * VT100 and its successors.
 */
#ifndef TERM_CURSES_H
#define TERM_CURSES_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

struct term;
struct term_grid;
struct term_style;

/* ---- term_paint.c ---- */

/* Abilities of the terminal beyond cursor moves, erasing to the end of a line, and attributes. */
struct term_paint_can {
	unsigned colours;  /* as in struct term */
	uint8_t attrs;     /* enum term_attr: the attributes that it has */
	bool repeats;      /* REP: repeats any character */
	bool scrolls;      /* SU and SD, also within margins */
	bool keeps_corner; /* a character in the last column does not scroll the screen */
	bool holds;        /* synchronised output, DEC mode 2026 */
	/* The SGR sequence for the colour RGB (0xrrggbb); valid until the next call. */
	const char *(*rgb)(int32_t rgb, bool background);
};

#define TERM_PAINT_HOLD_ON "\033[?2026h"
#define TERM_PAINT_HOLD_OFF "\033[?2026l"

struct term_paint;

/* Make a painter for a terminal with the abilities CAN (copied).  Free with term_paint_free(). */
struct term_paint *term_paint_new(const struct term_paint_can *can);
void term_paint_free(struct term_paint *paint);
/* Set abilities that the terminal reported later.  HOLDS: large frames are sent as synchronised output. */
void term_paint_learn(struct term_paint *paint, bool repeats, bool holds);
/* Set the looks of all TERM_ROLE_N roles (copied).  The next frame repaints everything. */
void term_paint_styles(struct term_paint *paint, const struct term_style *styles);
/* Note that the content of the screen is unknown.  The next frame repaints everything. */
void term_paint_forget(struct term_paint *paint);
/* Returns the bytes that change the screen from the previous frame to GRID.  Valid until the next call. */
const GString *term_paint_frame(struct term_paint *paint, const struct term_grid *grid);

/* ---- term_type.c ---- */

/* True if terminfo(5) has terminals of TYPE (may be NULL) and they have the control functions of ECMA-48.
 * Reads only the description, not the terminal.  False with BASE_ERROR_USAGE. */
bool term_type_is_good(const char *type, GError **error);

/* ---- term_curses_key.c: keys, pasted text, mouse reports ---- */

/* Block the terminal's signals (stop, continue, new size); term_curses_key() takes them from now on.  Call it
 * before newterm().  False with errno. */
bool term_curses_key_catch(void);
/* Restore the usual signal handling.  Call it after endwin(). */
void term_curses_key_release(void);
/* Ask the terminal to mark pasted text, and to report its abilities.  Call it after newterm(). */
void term_curses_key_begin(void);
/* Undo term_curses_key_begin().  Call it before endwin(). */
void term_curses_key_end(void);
/* Pass to PAINT the abilities that the terminal has reported so far: synchronised output (DEC mode 2026), and
 * REP for any character. */
void term_curses_key_teach(struct term_paint *paint);
/* The sequence that undoes term_curses_key_begin() when curses cannot be called; static. */
const char *term_curses_key_off(void);
/* Turn reports of mouse moves while a button is pressed on or off.  Mouse reports must be on. */
void term_curses_key_motion(bool wanted);
#define TERM_CURSES_MOTION_OFF "\033[?1002l"
/* The hook term_ops.key. */
uint32_t term_curses_key(struct term *term, int wait, bool idle);

#endif
