/* SPDX-License-Identifier: MIT */
/*
 * The screen as cells.  Everything above draws into a grid through an area, a
 * rectangle with coordinates of its own: what does not fit is cut, so that no
 * pane can draw over another.
 *
 * All text passes the same fence here: control characters, bytes that are not
 * UTF-8 and format characters become U+FFFD; combining marks are dropped; a
 * wide character takes two cells; with ASCII set each character becomes one
 * of ASCII.  Panes always draw UTF-8.
 */
#ifndef TERM_GRID_H
#define TERM_GRID_H

#include "ui/term/term_role.h"

#include <glib.h>
#include <stdint.h>

struct term_cell {
	gunichar ch;  /* 0: the right half of a wide character */
	uint8_t role; /* enum term_role: colours and attributes */
	/* enum term_role: its background and attributes lie over those of ROLE; TERM_ROLE_TEXT none. */
	uint8_t over;
};

struct term_grid {
	unsigned columns, rows;
	bool ascii;
	bool letters;            /* states are told by letters and patterns, as colours cannot */
	struct term_cell *cells; /* rows × columns, row by row; owned */
};

/* A part of a grid (weak); x, y of its first cell. */
struct term_area {
	struct term_grid *grid;
	unsigned x, y, w, h;
};

struct term_grid *term_grid_new(unsigned columns, unsigned rows);
void term_grid_free(struct term_grid *grid);
/* Change the size; the content is cleared. */
void term_grid_resize(struct term_grid *grid, unsigned columns, unsigned rows);
/* All cells become spaces of role TEXT. */
void term_grid_clear(struct term_grid *grid);
/* The cell in column X of row Y, which must exist. */
struct term_cell *term_grid_cell(const struct term_grid *grid, unsigned x, unsigned y);

/* The whole of GRID. */
struct term_area term_grid_area(struct term_grid *grid);
/* The part of AREA at X, Y with W columns and H rows, cut to AREA. */
struct term_area term_area_part(const struct term_area *area, unsigned x, unsigned y, unsigned w, unsigned h);

/* Put one character; outside the area nothing happens. */
void term_area_char(const struct term_area *area, unsigned x, unsigned y, enum term_role role, gunichar ch);
/* Put TEXT from column X on, cut at the edge.  Returns the column after it. */
unsigned term_area_text(const struct term_area *area, unsigned x, unsigned y, enum term_role role,
	const char *text);
/* The same with printf. */
unsigned term_area_printf(const struct term_area *area, unsigned x, unsigned y, enum term_role role,
	const char *format, ...) G_GNUC_PRINTF(5, 6);
/* TEXT in at most WIDTH columns, "…" at its end when it is longer.  Returns the column after it. */
unsigned term_area_fit(const struct term_area *area, unsigned x, unsigned y, unsigned width,
	enum term_role role, const char *text);
/* TEXT with its last column at the right edge less RIGHT.  Returns the column where it begins. */
unsigned term_area_right(const struct term_area *area, unsigned right, unsigned y, enum term_role role,
	const char *text);
/* TEXT with its last column before column END; from column 0 on when it is longer. */
void term_area_before(const struct term_area *area, unsigned end, unsigned y, enum term_role role,
	const char *text);
/* The same of a DURATION ("1.25 ms"), and with printf. */
void term_area_duration(const struct term_area *area, unsigned end, unsigned y, enum term_role role,
	int64_t duration);
void term_area_number(const struct term_area *area, unsigned end, unsigned y, enum term_role role,
	const char *format, ...) G_GNUC_PRINTF(5, 6);
/* Fill a rectangle with CH. */
void term_area_fill(const struct term_area *area, unsigned x, unsigned y, unsigned w, unsigned h,
	enum term_role role, gunichar ch);
/* Lay the background and attributes of ROLE over a rectangle; what stands there stays. */
void term_area_over(const struct term_area *area, unsigned x, unsigned y, unsigned w, unsigned h,
	enum term_role role);

/* Append W columns from X on of line Y of GRID to OUT, without spaces at their end. */
void term_grid_text(const struct term_grid *grid, unsigned x, unsigned y, unsigned w, GString *out);
/* Columns that TEXT takes when drawn. */
unsigned term_text_width(const char *text);
/* CH as a single ASCII character. */
char term_ascii(gunichar ch);

#endif
