/* SPDX-License-Identifier: MIT */
/*
 * Cells of states.  Two classes compete: states on a CPU, and states that want one.  The cell shows the class
 * with more time: the pattern is that of its state with the largest share, the height is the share of the
 * class.  A cell is never full if it contains anything else, and never a bare line if anything runs in it, so
 * a blip of 2 µs in a cell of 10 s is visible.
 */
#include "ui/widget/looks.h"

#include <string.h>

/* ---- states ---- */

#define MARK 0x2022 /* • */

static const struct {
	enum state_class class;
	gunichar whole;       /* the pattern of a whole cell; or a line */
	char letter;          /* a capital; 0: a line, which has no height */
	const char *words[2]; /* for the legend with little room, and with still less */
} states[QRY_CELL_N] = {
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
	[MDL_ST_VCPU_PREEMPTED] = { STATE_WANTING, 0x259a, 'O', { "stolen", "stolen" } },   /* ▚ */
	[MDL_ST_VCPU_EXIT] = { STATE_WANTING, 0x259e, 'X', { "vm-exit", "vm-exit" } },      /* ▞ */
	[MDL_ST_IDLE] = { STATE_RESTING, 0x2508, 0, { "idle", "idle" } },                   /* ┈ */
	[MDL_ST_QUEUED] = { STATE_WANTING, 0x2596, 'B', { "queued", "queue" } },            /* ▖ */
	[MDL_ST_IN_FLIGHT] = { STATE_ON_CPU, 0x259b, 'A', { "in flight", "flight" } },      /* ▛ */
	[MDL_ST_WAITING] = { STATE_RESTING, 0x2550, 0, { "waiting", "waits" } },            /* ═ */
	[QRY_CELL_THROTTLED] = { STATE_WANTING, 0x259c, 'Z', { "throttled", "throttle" } }, /* ▜ */
};

const char *state_look_name(unsigned state)
{
	return state == QRY_CELL_THROTTLED ? ana_kind_name(ANA_KIND_THROTTLED) : mdl_state_name(state);
}

bool state_look_is_active(unsigned state)
{
	return states[state].class >= STATE_WANTING;
}

unsigned state_look_eighths(int64_t part, int64_t whole)
{
	if (part >= whole)
		return STATE_WHOLE;
	return MIN((unsigned)((double)part * STATE_WHOLE / (double)whole + 0.5), STATE_WHOLE - 1);
}

gunichar state_look_part(const struct term_grid *grid, unsigned state, unsigned eighths)
{
	char letter = states[state].letter;

	if (!letter || (eighths == STATE_WHOLE && grid->letters && !grid->ascii))
		return states[state].whole;
	if (grid->ascii || grid->letters)
		return (gunichar)(eighths >= STATE_WHOLE / 2 ? letter : g_ascii_tolower(letter));
	return eighths ? 0x2580 + eighths : MARK;
}

gunichar state_look_pattern(const struct term_grid *grid, unsigned state)
{
	return grid->ascii ? state_look_glyph(grid, state) : states[state].whole;
}

gunichar state_look_glyph(const struct term_grid *grid, unsigned state)
{
	return state_look_part(grid, state, STATE_WHOLE);
}

/* The state of CLASS with the largest share in CELL; QRY_CELL_N: none.  *SUM becomes the time of CLASS. */
static unsigned largest(const struct qry_cell *cell, enum state_class class, int64_t *sum)
{
	unsigned best = QRY_CELL_N;

	*sum = 0;
	for (unsigned i = 0; i < QRY_CELL_N; i++) {
		if (cell->ns[i] <= 0 || states[i].class != class)
			continue;
		*sum += cell->ns[i];
		if (best == QRY_CELL_N || cell->ns[i] > cell->ns[best])
			best = i;
	}
	return best;
}

/* The role laid over a cell of ALL ns that shows STATE: it keeps visible both that the row ran and what took
 * its CPU. */
static enum term_role mixed_over(const struct qry_cell *cell, unsigned state, int64_t ran, int64_t all)
{
	static const struct {
		unsigned state;
		enum term_role over;
	} takes[] = { { MDL_ST_PREEMPTED, TERM_ROLE_OVER_PREEMPTED },
		{ MDL_ST_VCPU_PREEMPTED, TERM_ROLE_OVER_STOLEN },
		{ QRY_CELL_THROTTLED, TERM_ROLE_OVER_THROTTLED } };

	for (unsigned i = 0; i < G_N_ELEMENTS(takes); i++)
		if (states[state].class == STATE_ON_CPU &&
			state_look_eighths(cell->ns[takes[i].state], all) > 0)
			return takes[i].over;
		else if (state == takes[i].state && state_look_eighths(ran, all) > 0)
			return TERM_ROLE_OVER_RAN;
	return TERM_ROLE_TEXT;
}

struct state_look state_look_cell(const struct term_grid *grid, const struct qry_cell *cell)
{
	int64_t sums[STATE_ON_CPU + 1];
	unsigned best[STATE_ON_CPU + 1];
	enum state_class class = STATE_ON_CPU;
	struct state_look look = { ' ', TERM_ROLE_TEXT, QRY_CELL_N, 0, TERM_ROLE_TEXT };
	int64_t all = 0;

	for (unsigned i = 0; i <= STATE_ON_CPU; i++) {
		best[i] = largest(cell, i, &sums[i]);
		all += sums[i];
	}
	if (!all)
		return look;
	look.eighths = state_look_eighths(MAX(sums[STATE_ON_CPU], sums[STATE_WANTING]), all);
	/* If both are rare, being on a CPU matters more than wanting one. */
	if (sums[STATE_WANTING] > sums[STATE_ON_CPU] && (look.eighths || !sums[STATE_ON_CPU]))
		class = STATE_WANTING;
	/* Among lines, "unknown" wins: a resting state would hide that a part is unknown. */
	look.state = sums[class]                      ? best[class]
		: best[STATE_UNKNOWING] != QRY_CELL_N ? best[STATE_UNKNOWING]
						      : best[STATE_RESTING];
	look.ch = state_look_part(grid, look.state, look.eighths);
	look.role = TERM_ROLE_STATE_UNKNOWN + look.state;
	look.over = mixed_over(cell, look.state, sums[STATE_ON_CPU], all);
	return look;
}

/* ---- the legend ---- */

#define LEGEND_SHORTEST 2

/* Active states come first. */
static const unsigned order[] = { MDL_ST_USERMODE, MDL_ST_SYSCALL, MDL_ST_RUNNING, MDL_ST_INTERRUPTED,
	MDL_ST_WAIT_CPU, MDL_ST_PREEMPTED, QRY_CELL_THROTTLED, MDL_ST_VCPU_PREEMPTED, MDL_ST_VCPU_EXIT,
	MDL_ST_IN_FLIGHT, MDL_ST_QUEUED, MDL_ST_WAITING, MDL_ST_BLOCKED, MDL_ST_IDLE, MDL_ST_NEW,
	MDL_ST_UNKNOWN };

/* The word for STATE.  SHORTER: 0 (the whole name) to LEGEND_SHORTEST. */
static const char *word_of(unsigned state, unsigned shorter)
{
	return shorter ? states[state].words[shorter - 1] : state_look_name(state);
}

/* Columns of the signs of STATE: its pattern, and the letter before it if states are shown as letters. */
static unsigned sign_width(const struct term_grid *grid, unsigned state)
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

void state_look_legend(const struct term_area *area, unsigned x, unsigned y, unsigned wanted,
	const char *rest)
{
	const char *rule = area->grid->ascii || area->grid->letters
		? "CAPITAL: half of the cell or more"
		: "\342\226\201\342\226\204\342\226\210 share  \342\200\242 rare"; /* ▁▄█ share  • rare */
	unsigned shorter = 0, end = area->w;

	while (shorter < LEGEND_SHORTEST && x + legend_width(area->grid, wanted, shorter) > area->w + 1)
		shorter++;
	if (x + legend_width(area->grid, wanted, shorter) > area->w + 1) {
		end -= MIN(end, term_text_width(rest) + 2);
		term_area_text(area, end + 1, y, TERM_ROLE_KEY, rest);
	}

	for (unsigned i = 0; i < G_N_ELEMENTS(order); i++) {
		unsigned state = order[i];
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
	if (end == area->w && x + term_text_width(rule) < area->w)
		term_area_text(area, x + 1, y, TERM_ROLE_DIM, rule);
}

/* ---- items of a critical path ---- */

static const struct {
	gunichar letter; /* 0: looks like STATE in the control flow */
	unsigned state;
	enum term_role role;
} looks[PATH_LOOK_N] = {
	[ANA_SEG_RUNNING] = { 0, MDL_ST_RUNNING, TERM_ROLE_PATH_RUNNING },
	[ANA_SEG_SYSCALL] = { 0, MDL_ST_SYSCALL, TERM_ROLE_PATH_SYSCALL },
	[ANA_SEG_INTERRUPTED] = { 0, MDL_ST_INTERRUPTED, TERM_ROLE_PATH_INTERRUPTED },
	[ANA_SEG_WAIT_CPU] = { 0, MDL_ST_WAIT_CPU, TERM_ROLE_PATH_WAIT_CPU },
	[ANA_SEG_PREEMPTED] = { 0, MDL_ST_PREEMPTED, TERM_ROLE_PATH_PREEMPTED },
	[ANA_SEG_THROTTLED] = { 0, QRY_CELL_THROTTLED, TERM_ROLE_PATH_THROTTLED },
	[ANA_SEG_BLOCK] = { 'd', QRY_CELL_N, TERM_ROLE_PATH_BLOCK },
	[ANA_SEG_FLUSH] = { 'f', QRY_CELL_N, TERM_ROLE_PATH_FLUSH },
	[ANA_SEG_NETWORK] = { 'n', QRY_CELL_N, TERM_ROLE_PATH_NETWORK },
	[ANA_SEG_TIMER] = { 't', QRY_CELL_N, TERM_ROLE_PATH_TIMER },
	[ANA_SEG_TIMER_LATE] = { 'l', QRY_CELL_N, TERM_ROLE_PATH_TIMER_LATE },
	[ANA_SEG_IPI] = { 'i', QRY_CELL_N, TERM_ROLE_PATH_IPI },
	[ANA_SEG_IPI_WAIT] = { '&', QRY_CELL_N, TERM_ROLE_PATH_IPI_WAIT },
	[ANA_SEG_WAITING] = { '~', QRY_CELL_N, TERM_ROLE_PATH_WAITING },
	[ANA_SEG_IRQ] = { 'q', QRY_CELL_N, TERM_ROLE_PATH_IRQ },
	[ANA_SEG_USER_INPUT] = { 'k', QRY_CELL_N, TERM_ROLE_PATH_USER_INPUT },
	[ANA_SEG_VCPU_PREEMPTED] = { 0, MDL_ST_VCPU_PREEMPTED, TERM_ROLE_PATH_VCPU_PREEMPTED },
	[ANA_SEG_VCPU_EXIT] = { 0, MDL_ST_VCPU_EXIT, TERM_ROLE_PATH_VCPU_EXIT },
	[ANA_SEG_VM_INTERRUPT] = { 'g', QRY_CELL_N, TERM_ROLE_PATH_VM_INTERRUPT },
	[ANA_SEG_SUSPEND] = { '=', QRY_CELL_N, TERM_ROLE_PATH_SUSPEND },
	[ANA_SEG_BLOCKED] = { '?', QRY_CELL_N, TERM_ROLE_PATH_BLOCKED },
	[ANA_SEG_UNKNOWN] = { 0, MDL_ST_UNKNOWN, TERM_ROLE_PATH_UNKNOWN },
	[PATH_LOOK_USERMODE] = { 0, MDL_ST_USERMODE, TERM_ROLE_PATH_USERMODE },
	[PATH_LOOK_VIRTIO] = { 'v', QRY_CELL_N, TERM_ROLE_PATH_VIRTIO },
	[PATH_LOOK_DEEPER] = { '+', QRY_CELL_N, TERM_ROLE_PATH_DEEPER },
	[PATH_LOOK_SHORT] = { '*', QRY_CELL_N, TERM_ROLE_PATH_SHORT },
};

gunichar path_look_part(const struct term_grid *grid, unsigned look, bool begins, unsigned eighths)
{
	gunichar letter = looks[look].letter;

	if (!letter)
		return state_look_part(grid, looks[look].state, eighths);
	if (look == PATH_LOOK_SHORT || look == PATH_LOOK_DEEPER)
		return letter;
	if (!begins)
		return state_look_glyph(grid, MDL_ST_BLOCKED);
	return eighths >= STATE_WHOLE / 2 ? g_unichar_toupper(letter) : letter;
}

gunichar path_look_glyph(const struct term_grid *grid, unsigned look, bool name)
{
	gunichar letter = looks[look].letter;

	if (!letter && !name)
		letter = (gunichar)states[looks[look].state].letter;
	return letter ? letter : state_look_glyph(grid, looks[look].state);
}

enum term_role path_look_role(unsigned look)
{
	return looks[look].role;
}

const char *path_look_name(unsigned look)
{
	switch (look) {
	case PATH_LOOK_USERMODE: return mdl_state_name(MDL_ST_USERMODE);
	case PATH_LOOK_VIRTIO: return "virtio";
	case PATH_LOOK_DEEPER: return "deeper";
	case PATH_LOOK_SHORT: return "folded";
	default: return ana_segment_kind_name(look);
	}
}

enum state_class path_look_class(unsigned look)
{
	return looks[look].letter ? STATE_RESTING : states[looks[look].state].class;
}

/* ---- kinds and grades ---- */

#define ROLE(NAME, word, letter, role, ...) [ANA_KIND_##NAME] = TERM_ROLE_PATH_##role,
static const enum term_role roles[ANA_KIND_N] = { ANA_KINDS(ROLE) };

enum term_role kind_look_role(enum ana_kind kind)
{
	return roles[kind];
}

char kind_look_letter(enum ana_kind kind)
{
	return ana_kind_look(kind)->letter;
}

enum term_role kind_look_grade(enum mdl_grade grade)
{
	return TERM_ROLE_GRADE_PROVED + grade;
}

/* ---- bars ---- */

void bar_draw(const struct term_area *area, unsigned x, unsigned y, unsigned width, enum term_role role,
	unsigned high)
{
	for (unsigned k = 0; high > k * 8; k++)
		term_area_fill(area, x, y - k, width, 1, role, 0x2580 + MIN(high - k * 8, 8)); /* ▁ to █ */
}

unsigned bar_height(uint64_t count, uint64_t most, unsigned lines)
{
	if (!count)
		return 0;
	return MAX((unsigned)((double)count * lines * 8 / (double)MAX(most, 1) + 0.5), 1);
}

/* ---- the time ruler ---- */

#define LABEL_GAP 3 /* columns between labels, including the tick's */

/* The smallest of 1, 2, 5 × 10ⁿ ns that is at least LEAST. */
static int64_t step_at_least(int64_t least)
{
	int64_t step = 1;

	while (step < least && step < INT64_MAX / 10) {
		if (step * 2 >= least)
			return step * 2;
		if (step * 5 >= least)
			return step * 5;
		step *= 10;
	}
	return step;
}

static char *label(const struct ui_shell *shell, int64_t time, int64_t step)
{
	return shell->times->tick(time, shell->span_from, step, shell->view->to);
}

/* The smallest round step at which labels do not touch. */
static int64_t fitting_step(const struct ui_shell *shell)
{
	int64_t column = ui_shell_column(shell), step = step_at_least(MIN(column, INT64_MAX / 10) * 6);

	for (;;) {
		g_autofree char *text = label(shell, shell->view->to, step);
		unsigned width = term_text_width(text) + LABEL_GAP;

		if (step / width >= column || step >= INT64_MAX / 10)
			return step;
		step = step_at_least(step + 1);
	}
}

/* TIME + STEP; INT64_MAX if it overflows. */
static int64_t later(int64_t time, int64_t step)
{
	int64_t sum;

	return __builtin_add_overflow(time, step, &sum) ? INT64_MAX : sum;
}

/* Ticks are at times that are round in the notation of the labels.  No label covers the cursor's mark. */
void ruler_draw(const struct ui_shell *shell, const struct term_area *area)
{
	int64_t step = fitting_step(shell), base = shell->times->counts_since ? shell->span_from : 0;
	int64_t from = shell->view->from, after = (from - base) % step; /* a tick is at BASE */
	int cursor = ui_shell_column_of(shell, shell->view->cursor);

	for (int64_t time = after > 0 ? later(from, step - after) : from - after; time < shell->view->to;
		time = later(time, step)) {
		int x = ui_shell_column_of(shell, time);
		g_autofree char *text = label(shell, time, step);

		term_area_char(area, (unsigned)x, 0, TERM_ROLE_RULER, 0x2502);
		if ((unsigned)x + 1 + term_text_width(text) <= area->w &&
			(cursor <= x || cursor > x + (int)term_text_width(text)))
			term_area_text(area, (unsigned)x + 1, 0, TERM_ROLE_RULER, text);
	}
	if (cursor >= 0 && cursor < (int)shell->columns)
		term_area_char(area, (unsigned)cursor, 0, TERM_ROLE_RULER_CURSOR, 0x25bc);
}
