/* SPDX-License-Identifier: MIT */
/*
 * How a cell of the state history looks, on every row of every pane; docs/cells.md says why so:
 *
 *   height is the share, in eighths; pattern and colour are the state; a thin line rests;
 *   a mark on it is something short.
 *
 * Where colours cannot tell the states, letters do: a capital from half of the cell on.
 */
#ifndef STATE_LOOK_H
#define STATE_LOOK_H

#include "query/qry.h"
#include "ui/term/term_grid.h"

#define STATE_WHOLE 8 /* eighths of a cell */

/* Threads and lines that have a CPU, want one, or rest; or nothing is known. */
enum state_class { STATE_RESTING, STATE_UNKNOWING, STATE_WANTING, STATE_ON_CPU };

struct state_look {
	gunichar ch;
	enum term_role role;
	enum mdl_state state; /* that is shown; MDL_ST_N: outside the row's life */
	unsigned eighths;     /* of the cell are of its class: 0, less than half of one, to STATE_WHOLE */
};

/* The look of CELL with the signs of GRID. */
struct state_look state_look_cell(const struct term_grid *grid, const struct qry_cell *cell);
/* How many eighths of WHOLE (> 0) are PART: STATE_WHOLE only if all, 0 if less than half of one. */
unsigned state_look_eighths(int64_t part, int64_t whole);
/* The sign of STATE where so many EIGHTHS of a cell are of its class. */
gunichar state_look_part(const struct term_grid *grid, enum mdl_state state, unsigned eighths);
/* The sign of STATE where it fills a cell. */
gunichar state_look_glyph(const struct term_grid *grid, enum mdl_state state);
/* Put the signs of STATES (bits), each with its name, from column X of line Y of AREA on, as far as there is
 * room; with shorter names where those of all do not fit, and where these do not REST (a key) at its end. */
void state_look_legend(const struct term_area *area, unsigned x, unsigned y, unsigned states,
	const char *rest);
/* The letter of STATE as a capital; 0: it is a line. */
char state_look_letter(enum mdl_state state);
/* The sign of STATE in a bar of several states, beside its colour. */
gunichar state_look_pattern(const struct term_grid *grid, enum mdl_state state);
enum state_class state_look_class(enum mdl_state state);
/* Whether STATE is one of those in which a row does or wants to do something. */
bool state_look_is_active(enum mdl_state state);

#endif
