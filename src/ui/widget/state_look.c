/* SPDX-License-Identifier: MIT */
/*
 * States fall into classes: on a CPU, wanting a CPU, resting, unknown.  The
 * state with the largest share gives a cell its glyph and colour.  When any
 * time at all in the cell belongs to another class, the glyph changes:
 *
 *   resting: the line gets a foot (┴), a double one (╨) when there is much
 *            coming and going; its colour is that of what it hides;
 *   on or wanting a CPU: the block shrinks (▄ ▀ ▐ ╫ ╪), or becomes a small
 *            square (■) when there is much coming and going.
 *
 * So a blip of 2 µs in a cell of 10 s shows, and what it is stands in the
 * detail lines.  All glyphs but ╌ are in every terminal font since code page 437.
 */
#include "ui/widget/state_look.h"

#define BUSY_INTERVALS 12 /* from so many intervals on a mixed cell is busy */

enum class { RESTING, UNKNOWN, WANTING, ON_CPU };

static const struct {
	enum class class;
	gunichar ch[STATE_MIX_N];
} states[MDL_ST_N] = {
	[MDL_ST_UNKNOWN] = { UNKNOWN, { 0xb7, ':', ':' } },            /* · */
	[MDL_ST_USERMODE] = { ON_CPU, { 0x2588, 0x2584, 0x25a0 } },    /* █ ▄ ■ */
	[MDL_ST_SYSCALL] = { ON_CPU, { 0x2593, 0x2580, 0x25a0 } },     /* ▓ ▀ ■ */
	[MDL_ST_RUNNING] = { ON_CPU, { 0x2588, 0x2584, 0x25a0 } },     /* █ ▄ ■ */
	[MDL_ST_INTERRUPTED] = { ON_CPU, { 0x258c, 0x2590, 0x25a0 } }, /* ▌ ▐ ■ */
	[MDL_ST_WAIT_CPU] = { WANTING, { 0x2591, 0x256b, 0x25a0 } },   /* ░ ╫ ■ */
	[MDL_ST_PREEMPTED] = { WANTING, { 0x2592, 0x256a, 0x25a0 } },  /* ▒ ╪ ■ */
	[MDL_ST_BLOCKED] = { RESTING, { 0x2500, 0x2534, 0x2568 } },    /* ─ ┴ ╨ */
	[MDL_ST_NEW] = { RESTING, { 0x254c, 0x2534, 0x2568 } },        /* ╌ ┴ ╨ */
	[MDL_ST_EXITED] = { RESTING, { ' ', 0x2534, 0x2568 } },
	[MDL_ST_VCPU_PREEMPTED] = { WANTING, { 0x2592, 0x256a, 0x25a0 } },
	[MDL_ST_VCPU_EXIT] = { WANTING, { 0x2591, 0x256b, 0x25a0 } },
	[MDL_ST_IDLE] = { RESTING, { 0x2500, 0x2534, 0x2568 } }, /* ─ ┴ ╨ */
};

gunichar state_look_glyph(enum mdl_state state, enum state_mix mix)
{
	return states[state].ch[mix];
}

bool state_look_is_active(enum mdl_state state)
{
	return states[state].class == ON_CPU || states[state].class == WANTING;
}

static enum mdl_state largest(const struct qry_cell *cell)
{
	enum mdl_state best = MDL_ST_N;

	for (unsigned i = 0; i < MDL_ST_N; i++)
		if (cell->ns[i] > 0 && (best == MDL_ST_N || cell->ns[i] > cell->ns[best]))
			best = i;
	return best;
}

/* The state of another class than SHOWN that says most: the highest class, in it the largest share. */
static enum mdl_state hidden_below(const struct qry_cell *cell, enum mdl_state shown)
{
	enum mdl_state best = MDL_ST_N;

	for (unsigned i = 0; i < MDL_ST_N; i++) {
		if (cell->ns[i] <= 0 || states[i].class == states[shown].class)
			continue;
		if (best == MDL_ST_N || states[i].class > states[best].class ||
			(states[i].class == states[best].class && cell->ns[i] > cell->ns[best]))
			best = i;
	}
	return best;
}

struct state_look state_look_cell(const struct qry_cell *cell)
{
	struct state_look look = { ' ', TERM_ROLE_TEXT, STATE_PURE, largest(cell), MDL_ST_N };

	if (look.state == MDL_ST_N)
		return look;
	look.hidden = hidden_below(cell, look.state);
	if (look.hidden != MDL_ST_N)
		look.mix = cell->intervals >= BUSY_INTERVALS ? STATE_BUSY : STATE_MIXED;
	look.ch = state_look_glyph(look.state, look.mix);
	look.role = TERM_ROLE_STATE_UNKNOWN + look.state;
	if (look.mix != STATE_PURE && states[look.state].class == RESTING)
		look.role = TERM_ROLE_STATE_UNKNOWN + look.hidden;
	return look;
}
