/* SPDX-License-Identifier: MIT */
/*
 * The screen as cells.  All drawing goes through an area: a rectangle of a grid with its own coordinates.
 * Text that does not fit is cut, so no pane can draw over another.
 *
 * All text is filtered here.  Control characters, format characters and bytes that are not UTF-8 become
 * U+FFFD.  Combining marks are dropped.  A wide character takes two cells.  If the grid's ASCII is set, each
 * character becomes one ASCII character.  Panes always draw UTF-8.
 */
#ifndef TERM_GRID_H
#define TERM_GRID_H

#include "ui/term/term_role.h"

#include <glib.h>
#include <stdint.h>

struct term_cell {
	gunichar ch;  /* 0: the right half of a wide character */
	uint8_t role; /* enum term_role: colours and attributes */
	/* enum term_role whose background and attributes are laid over those of ROLE; TERM_ROLE_TEXT: none */
	uint8_t over;
};

struct term_grid {
	unsigned columns, rows;
	bool ascii;
	bool letters; /* states are drawn as letters and patterns, because colours cannot show them */
	struct term_cell *cells; /* rows × columns, row by row; owned */
};

/* A part of a grid (weak), in cells.  X, Y: its first cell. */
struct term_area {
	struct term_grid *grid;
	unsigned x, y, w, h;
};

/* Make an empty grid.  Free with term_grid_free(). */
struct term_grid *term_grid_new(unsigned columns, unsigned rows);
void term_grid_free(struct term_grid *grid);
/* Change the size and clear the content. */
void term_grid_resize(struct term_grid *grid, unsigned columns, unsigned rows);
/* Set all cells to spaces of role TEXT. */
void term_grid_clear(struct term_grid *grid);
/* The cell in column X of row Y; it must exist. */
struct term_cell *term_grid_cell(const struct term_grid *grid, unsigned x, unsigned y);

/* The area of the whole GRID. */
struct term_area term_grid_area(struct term_grid *grid);
/* The part of AREA at X, Y with W columns and H rows, clipped to AREA. */
struct term_area term_area_part(const struct term_area *area, unsigned x, unsigned y, unsigned w, unsigned h);

/* Put one character; does nothing outside the area. */
void term_area_char(const struct term_area *area, unsigned x, unsigned y, enum term_role role, gunichar ch);
/* Put TEXT from column X on, cut at the edge.  Returns the column after it. */
unsigned term_area_text(const struct term_area *area, unsigned x, unsigned y, enum term_role role,
	const char *text);
/* Like term_area_text(), with printf() arguments. */
unsigned term_area_printf(const struct term_area *area, unsigned x, unsigned y, enum term_role role,
	const char *format, ...) G_GNUC_PRINTF(5, 6);
/* TEXT wrapped into rows of at most COLUMNS columns; all rows except the first are indented by INDENT
 * columns.  Rows break at blanks, but not between a number and its unit.  Of char *; the caller unrefs. */
GPtrArray *term_text_rows(const char *text, unsigned columns, unsigned indent);
/* Put TEXT into AREA, wrapped in the same way without indent, with "…" at the end if it is longer. */
void term_area_rows(const struct term_area *area, enum term_role role, const char *text);
/* Put TEXT in at most WIDTH columns, with "…" at the end if it is longer.  Returns the column after it. */
unsigned term_area_fit(const struct term_area *area, unsigned x, unsigned y, unsigned width,
	enum term_role role, const char *text);
/* Put TEXT so that it ends RIGHT columns before the right edge.  Returns its first column. */
unsigned term_area_right(const struct term_area *area, unsigned right, unsigned y, enum term_role role,
	const char *text);
/* Put TEXT so that it ends before column END; if it is longer, from column 0 on. */
void term_area_before(const struct term_area *area, unsigned end, unsigned y, enum term_role role,
	const char *text);
/* Like term_area_before(), for a DURATION in ns ("1.25 ms"), and for printf() arguments. */
void term_area_duration(const struct term_area *area, unsigned end, unsigned y, enum term_role role,
	int64_t duration);
void term_area_number(const struct term_area *area, unsigned end, unsigned y, enum term_role role,
	const char *format, ...) G_GNUC_PRINTF(5, 6);
/* Fill a rectangle with CH. */
void term_area_fill(const struct term_area *area, unsigned x, unsigned y, unsigned w, unsigned h,
	enum term_role role, gunichar ch);
/* Lay the background and attributes of ROLE over a rectangle; the characters stay. */
void term_area_over(const struct term_area *area, unsigned x, unsigned y, unsigned w, unsigned h,
	enum term_role role);

/* Append W columns of line Y of GRID from column X on to OUT, without trailing spaces. */
void term_grid_text(const struct term_grid *grid, unsigned x, unsigned y, unsigned w, GString *out);
/* The number of columns that TEXT takes on the screen. */
unsigned term_text_width(const char *text);
/* The ASCII character that replaces CH. */
char term_ascii(gunichar ch);

#endif
