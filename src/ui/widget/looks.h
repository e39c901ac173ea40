/* SPDX-License-Identifier: MIT */
/* The signs that panes draw: the looks of states, of items of a critical path, of kinds and grades; bars; the
 * time ruler.  docs/cells.md gives the reasons. */
#ifndef LOOKS_H
#define LOOKS_H

#include "analysis/wait/source.h"
#include "query/qry.h"
#include "ui/core/ui_shell.h"
#include "ui/term/term_grid.h"
#include "ui/term/term_role.h"
#include "ui/widget/path_items.h"

/*
 * ---- states ----
 *
 *   height              the share of the cell, in eighths
 *   pattern, colour     the state
 *   thin line           a state at rest; a mark on it is something short
 *
 * If colours cannot show the states, letters do: a capital if the state takes at least half of the cell.
 */

#define STATE_WHOLE 8 /* eighths of a cell */

/* Classes of states: the row rests, is unknown, wants a CPU, is on a CPU. */
enum state_class { STATE_RESTING, STATE_UNKNOWING, STATE_WANTING, STATE_ON_CPU };

struct state_look {
	gunichar ch;
	enum term_role role;
	unsigned
		state; /* enum mdl_state, or QRY_CELL_THROTTLED: the state shown; QRY_CELL_N: outside the row's life */
	/* eighths of the cell in states of the same class: 0 (less than half an eighth) to STATE_WHOLE */
	unsigned eighths;
	/* laid over ROLE: the row was also preempted or throttled in this cell, or also ran; else TEXT */
	enum term_role over;
};

/* The name of STATE (enum mdl_state or QRY_CELL_THROTTLED); static. */
const char *state_look_name(unsigned state);
/* The look of CELL with the characters of GRID. */
struct state_look state_look_cell(const struct term_grid *grid, const struct qry_cell *cell);
/* PART of WHOLE (> 0) in eighths: STATE_WHOLE only if PART is all of it, 0 if it is less than half an
 * eighth. */
unsigned state_look_eighths(int64_t part, int64_t whole);
/* The character of STATE if EIGHTHS of a cell are in states of its class. */
gunichar state_look_part(const struct term_grid *grid, unsigned state, unsigned eighths);
/* The character of STATE if it fills a cell. */
gunichar state_look_glyph(const struct term_grid *grid, unsigned state);
/* Put the characters of STATES (bits), each with its name, on line Y of AREA from column X on, as far as
 * there is room.  If not all fit, the names are shortened; if these do not fit either, REST (a key) is at the
 * end. */
void state_look_legend(const struct term_area *area, unsigned x, unsigned y, unsigned states,
	const char *rest);
/* The character of STATE in a bar of several states, in addition to its colour. */
gunichar state_look_pattern(const struct term_grid *grid, unsigned state);
/* True if the row is on a CPU or wants one in STATE. */
bool state_look_is_active(unsigned state);

/*
 * ---- items of a critical path ----
 *
 * Time on a CPU and waiting for a CPU looks as in the control flow.  A wait begins with the letter of its
 * kind, a capital if it takes at least half of the cell, and continues as a thin line:
 *
 *   d disk   f cache flush   n network   t timer   l late timer   i other CPU   & IPI wait
 *   v virtio   q other device   g interrupt of a guest   k input   = suspended   ? unknown
 *   ~ wait declared by --spans   + deeper levels   * short ones
 *
 * No letter is also that of a state in the control flow, or of another kind of wait.
 */

/* The character for LOOK if EIGHTHS of a cell are of its class.  BEGINS: the item begins in this cell,
 * otherwise it continues. */
gunichar path_look_part(const struct term_grid *grid, unsigned look, bool begins, unsigned eighths);
/* The character beside the name of LOOK.  NAME false: there is no room for the name; then it is a letter, if
 * LOOK has one. */
gunichar path_look_glyph(const struct term_grid *grid, unsigned look, bool name);
enum term_role path_look_role(unsigned look);
/* The name of LOOK: "wait-cpu", "deeper". */
const char *path_look_name(unsigned look);
enum state_class path_look_class(unsigned look);

/* ---- kinds of causes, and grades: letters and colours as on the critical path ---- */

enum term_role kind_look_role(enum ana_kind kind);
/* The letter of KIND; no two kinds have the same letter. */
char kind_look_letter(enum ana_kind kind);
enum term_role kind_look_grade(enum mdl_grade grade);

/* ---- bars for histograms, with a resolution of an eighth of a line ---- */

/* Draw a bar that is HIGH eighths of a line high and stands on line Y. */
void bar_draw(const struct term_area *area, unsigned x, unsigned y, unsigned width, enum term_role role,
	unsigned high);
/* The height of a bar for COUNT in eighths of a line, if MOST takes LINES lines; at least 1 unless COUNT is
 * 0. */
unsigned bar_height(uint64_t count, uint64_t most, unsigned lines);

/* ---- the time ruler: a tick with a label at round times ---- */

/* Draw the ruler of the window, with the cursor's mark, on the first line of AREA, shell->columns wide. */
void ruler_draw(const struct ui_shell *shell, const struct term_area *area);

#endif
