/* SPDX-License-Identifier: MIT */
/*
 * Of those on a CPU and those wanting one the larger class is shown, by the
 * state with the largest share in it, as high as the class has of the cell.  It is
 * never full while anything else is there, and a cell is never a bare line while
 * anything runs in it: so a blip of 2 µs in a cell of 10 s shows.
 */
#include "ui/widget/state_look.h"

#include <string.h>

#define MARK 0x2022 /* • */

static const struct {
	enum state_class class;
	gunichar whole;       /* pattern of a whole cell, beside letters; or a line */
	char letter;          /* as a capital; 0: a line, which has no height */
	const char *words[2]; /* for the legend where there is little room, and where there is less */
} states[MDL_ST_N] = {
	[MDL_ST_UNKNOWN] = { STATE_UNKNOWING, 0xb7, 0, { "unknown", "unknown" } },     /* · */
	[MDL_ST_USERMODE] = { STATE_ON_CPU, 0x25a0, 'U', { "user", "user" } },         /* ■ */
	[MDL_ST_SYSCALL] = { STATE_ON_CPU, 0x2593, 'S', { "syscall", "sys" } },        /* ▓ */
	[MDL_ST_RUNNING] = { STATE_ON_CPU, 0x2588, 'R', { "running", "run" } },        /* █ */
	[MDL_ST_INTERRUPTED] = { STATE_ON_CPU, 0x258c, 'H', { "intr", "intr" } },      /* ▌ */
	[MDL_ST_WAIT_CPU] = { STATE_WANTING, 0x2591, 'W', { "wait-cpu", "wait" } },    /* ░ */
	[MDL_ST_PREEMPTED] = { STATE_WANTING, 0x2592, 'P', { "preempt", "preempt" } }, /* ▒ */
	[MDL_ST_BLOCKED] = { STATE_RESTING, 0x2500, 0, { "blocked", "block" } },       /* ─ */
	[MDL_ST_NEW] = { STATE_RESTING, 0x254c, 0, { "new", "new" } },                 /* ╌ */
	[MDL_ST_EXITED] = { STATE_RESTING, ' ', 0, { "exited", "exited" } },
	[MDL_ST_VCPU_PREEMPTED] = { STATE_WANTING, 0x259a, 'O', { "stolen", "stolen" } }, /* ▚ */
	[MDL_ST_VCPU_EXIT] = { STATE_WANTING, 0x259e, 'X', { "vm-exit", "vm-exit" } },    /* ▞ */
	[MDL_ST_IDLE] = { STATE_RESTING, 0x2508, 0, { "idle", "idle" } },                 /* ┈ */
	[MDL_ST_QUEUED] = { STATE_WANTING, 0x2596, 'B', { "queued", "queue" } },          /* ▖ */
	[MDL_ST_IN_FLIGHT] = { STATE_ON_CPU, 0x259b, 'A', { "in flight", "flight" } },    /* ▛ */
};

enum state_class state_look_class(enum mdl_state state)
{
	return states[state].class;
}

bool state_look_is_active(enum mdl_state state)
{
	return states[state].class >= STATE_WANTING;
}

unsigned state_look_eighths(int64_t part, int64_t whole)
{
	if (part >= whole)
		return STATE_WHOLE;
	return MIN((unsigned)((double)part * STATE_WHOLE / (double)whole + 0.5), STATE_WHOLE - 1);
}

gunichar state_look_part(const struct term_grid *grid, enum mdl_state state, unsigned eighths)
{
	char letter = states[state].letter;

	if (!letter || (eighths == STATE_WHOLE && grid->letters && !grid->ascii))
		return states[state].whole;
	if (grid->ascii || grid->letters)
		return (gunichar)(eighths >= STATE_WHOLE / 2 ? letter : g_ascii_tolower(letter));
	return eighths ? 0x2580 + eighths : MARK;
}

char state_look_letter(enum mdl_state state)
{
	return states[state].letter;
}

gunichar state_look_pattern(const struct term_grid *grid, enum mdl_state state)
{
	return grid->ascii ? state_look_glyph(grid, state) : states[state].whole;
}

gunichar state_look_glyph(const struct term_grid *grid, enum mdl_state state)
{
	return state_look_part(grid, state, STATE_WHOLE);
}

/* The state of CLASS with the largest share in CELL, and in *SUM the time of all of them. */
static enum mdl_state largest(const struct qry_cell *cell, enum state_class class, int64_t *sum)
{
	enum mdl_state best = MDL_ST_N;

	*sum = 0;
	for (unsigned i = 0; i < MDL_ST_N; i++) {
		if (cell->ns[i] <= 0 || states[i].class != class)
			continue;
		*sum += cell->ns[i];
		if (best == MDL_ST_N || cell->ns[i] > cell->ns[best])
			best = i;
	}
	return best;
}

/* Nothing of what rests says that part of the time is not known. */
static enum mdl_state state_look_line_of(enum mdl_state resting, enum mdl_state unknown)
{
	return unknown != MDL_ST_N ? unknown : resting;
}

struct state_look state_look_cell(const struct term_grid *grid, const struct qry_cell *cell)
{
	int64_t sums[STATE_ON_CPU + 1];
	enum mdl_state best[STATE_ON_CPU + 1];
	enum state_class class = STATE_ON_CPU;
	struct state_look look = { ' ', TERM_ROLE_TEXT, MDL_ST_N, 0 };
	int64_t all = 0;

	for (unsigned i = 0; i <= STATE_ON_CPU; i++) {
		best[i] = largest(cell, i, &sums[i]);
		all += sums[i];
	}
	if (!all)
		return look;
	look.eighths = state_look_eighths(MAX(sums[STATE_ON_CPU], sums[STATE_WANTING]), all);
	/* Of what is rare, being on a CPU says more than wanting one. */
	if (sums[STATE_WANTING] > sums[STATE_ON_CPU] && (look.eighths || !sums[STATE_ON_CPU]))
		class = STATE_WANTING;
	look.state = sums[class] ? best[class]
				 : state_look_line_of(best[STATE_RESTING], best[STATE_UNKNOWING]);
	look.ch = state_look_part(grid, look.state, look.eighths);
	look.role = TERM_ROLE_STATE_UNKNOWN + look.state;
	return look;
}

/* ---- the legend ---- */

#define LEGEND_SHORTEST 2

/* What is active first. */
static const enum mdl_state order[] = { MDL_ST_USERMODE, MDL_ST_SYSCALL, MDL_ST_RUNNING, MDL_ST_INTERRUPTED,
	MDL_ST_WAIT_CPU, MDL_ST_PREEMPTED, MDL_ST_VCPU_PREEMPTED, MDL_ST_VCPU_EXIT, MDL_ST_IN_FLIGHT,
	MDL_ST_QUEUED, MDL_ST_BLOCKED, MDL_ST_IDLE, MDL_ST_NEW, MDL_ST_UNKNOWN };

/* SHORTER: 0 whole, to LEGEND_SHORTEST. */
static const char *word_of(enum mdl_state state, unsigned shorter)
{
	return shorter ? states[state].words[shorter - 1] : mdl_state_name(state);
}

/* Columns of the signs of STATE: beside its pattern the letter, where there are letters. */
static unsigned sign_width(const struct term_grid *grid, enum mdl_state state)
{
	return 1 + (states[state].letter && grid->letters && !grid->ascii);
}

static unsigned legend_width(const struct term_grid *grid, unsigned wanted, unsigned shorter)
{
	unsigned width = 0;

	for (unsigned i = 0; i < G_N_ELEMENTS(order); i++)
		if (wanted & 1u << order[i])
			width += sign_width(grid, order[i]) + (unsigned)strlen(word_of(order[i], shorter)) +
				2;
	return width;
}

/* What heights, and large and small letters, say. */
static void draw_rule(const struct term_area *area, unsigned x, unsigned y)
{
	const struct term_grid *grid = area->grid;
	const char *rule = grid->ascii || grid->letters
		? "CAPITAL: half of the cell or more"
		: "\342\226\201\342\226\204\342\226\210 share  \342\200\242 rare"; /* ▁▄█ share  • rare */

	if (x + term_text_width(rule) < area->w)
		term_area_text(area, x + 1, y, TERM_ROLE_DIM, rule);
}

void state_look_legend(const struct term_area *area, unsigned x, unsigned y, unsigned wanted,
	const char *rest)
{
	unsigned shorter = 0, end = area->w;

	while (shorter < LEGEND_SHORTEST && x + legend_width(area->grid, wanted, shorter) > area->w + 1)
		shorter++;
	if (x + legend_width(area->grid, wanted, shorter) > area->w + 1) {
		end -= MIN(end, term_text_width(rest) + 2);
		term_area_text(area, end + 1, y, TERM_ROLE_KEY, rest);
	}

	for (unsigned i = 0; i < G_N_ELEMENTS(order); i++) {
		enum mdl_state state = order[i];
		const char *word = word_of(state, shorter);
		unsigned sign = sign_width(area->grid, state);

		if (!(wanted & 1u << state) || x + sign + 1 + strlen(word) > end)
			continue;
		if (sign > 1)
			term_area_char(area, x, y, TERM_ROLE_STATE_UNKNOWN + state,
				(gunichar)states[state].letter);
		term_area_char(area, x + sign - 1, y, TERM_ROLE_STATE_UNKNOWN + state,
			state_look_glyph(area->grid, state));
		x = term_area_text(area, x + sign + 1, y, TERM_ROLE_DIM, word) + 1;
	}
	if (end == area->w)
		draw_rule(area, x, y);
}
