/* SPDX-License-Identifier: MIT */
/*
 * The look of a cell of the state history, in every row of every pane; docs/cells.md gives the reasons:
 *
 *   height is the share, in eighths; pattern and colour are the state; a thin line rests;
 *   a mark on it is something short.
 *
 * If colours cannot show the states, letters do: a capital if the state takes at least half of the cell.
 */
#ifndef STATE_LOOK_H
#define STATE_LOOK_H

#include "query/qry.h"
#include "ui/term/term_grid.h"

#define STATE_WHOLE 8 /* eighths of a cell */

/* Classes of states of a row: it rests, nothing is known, it wants a CPU, it is on a CPU. */
enum state_class { STATE_RESTING, STATE_UNKNOWING, STATE_WANTING, STATE_ON_CPU };

struct state_look {
	gunichar ch;
	enum term_role role;
	enum mdl_state state; /* the state shown; MDL_ST_N: outside the row's life */
	/* eighths of the cell that are of its class: 0 (less than half an eighth) to STATE_WHOLE */
	unsigned eighths;
};

/* The look of CELL with the characters of GRID. */
struct state_look state_look_cell(const struct term_grid *grid, const struct qry_cell *cell);
/* PART of WHOLE (> 0) in eighths: STATE_WHOLE only if PART is all, 0 if it is less than half an eighth. */
unsigned state_look_eighths(int64_t part, int64_t whole);
/* The character of STATE if EIGHTHS of a cell are of its class. */
gunichar state_look_part(const struct term_grid *grid, enum mdl_state state, unsigned eighths);
/* The character of STATE if it fills a cell. */
gunichar state_look_glyph(const struct term_grid *grid, enum mdl_state state);
/*
 * Put the characters of STATES (bits), each with its name, from column X of line Y of AREA on, as far as
 * there is room.  If not all fit, the names are shorter; if these do not fit either, REST (a key) is at the
 * end.
 */
void state_look_legend(const struct term_area *area, unsigned x, unsigned y, unsigned states,
	const char *rest);
/* The letter of STATE, a capital; 0: the state is drawn as a line. */
char state_look_letter(enum mdl_state state);
/* The character of STATE in a bar of several states, in addition to its colour. */
gunichar state_look_pattern(const struct term_grid *grid, enum mdl_state state);
enum state_class state_look_class(enum mdl_state state);
/* True if the row does something, or wants to, in STATE. */
bool state_look_is_active(enum mdl_state state);

#endif
