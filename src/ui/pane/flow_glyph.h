/* SPDX-License-Identifier: MIT */
/* How a cell of the state history looks: glyph and role from the exact shares of the states in it. */
#ifndef FLOW_GLYPH_H
#define FLOW_GLYPH_H

#include "query/qry.h"
#include "ui/term/term_grid.h"

/* What a cell says about itself. */
enum flow_mix {
	FLOW_PURE,	/* one class of states fills it */
	FLOW_MIXED,	/* it hides another class */
	FLOW_BUSY,	/* it hides another class, in many intervals */
	FLOW_MIX_N
};

struct flow_look {
	gunichar ch;
	enum term_role role;
	enum flow_mix mix;
	enum mdl_state state;	/* with the largest share; MDL_ST_N: outside the row's life */
	enum mdl_state hidden;	/* the most telling of those hidden; MDL_ST_N none */
};

/* The look of CELL. */
struct flow_look flow_glyph_look(const struct qry_cell *cell);
/* The glyph of STATE. */
gunichar flow_glyph_of(enum mdl_state state, enum flow_mix mix);
/* Whether STATE is one of those in which a row does or wants to do something. */
bool flow_glyph_is_active(enum mdl_state state);

#endif
