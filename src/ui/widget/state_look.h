/* SPDX-License-Identifier: MIT */
/* How a cell of the state history looks: glyph and role from the exact shares of the states in it. */
#ifndef STATE_LOOK_H
#define STATE_LOOK_H

#include "query/qry.h"
#include "ui/term/term_grid.h"

/* What a cell says about itself. */
enum state_mix {
	STATE_PURE,  /* one class of states fills it */
	STATE_MIXED, /* it hides another class */
	STATE_BUSY,  /* it hides another class, in many intervals */
	STATE_MIX_N
};

struct state_look {
	gunichar ch;
	enum term_role role;
	enum state_mix mix;
	enum mdl_state state;  /* with the largest share; MDL_ST_N: outside the row's life */
	enum mdl_state hidden; /* the most telling of those hidden; MDL_ST_N none */
};

/* The look of CELL. */
struct state_look state_look_cell(const struct qry_cell *cell);
/* The glyph of STATE. */
gunichar state_look_glyph(enum mdl_state state, enum state_mix mix);
/* Whether STATE is one of those in which a row does or wants to do something. */
bool state_look_is_active(enum mdl_state state);

#endif
