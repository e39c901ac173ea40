/* SPDX-License-Identifier: MIT */
/*
 * How the items of a critical path look, wherever it is drawn.  Time on a CPU and for a CPU looks as in the
 * control flow; a wait begins with the letter of its kind, a capital from half of the cell on, and goes on as
 * a thin line:
 *
 *   d disk   f cache flush   n network   t timer   l late timer   i other CPU
 *   v virtio   q other device   g interrupt of a guest   k input   ? not known
 *   + deeper levels   * short ones
 *
 * No letter is that of a state in the control flow, or of what is not this wait.
 */
#ifndef PATH_LOOK_H
#define PATH_LOOK_H

#include "ui/widget/path_items.h"
#include "ui/widget/state_look.h"

/* The sign of an item that looks like LOOK, where so many EIGHTHS of a cell are of its class: where it
 * begins, or goes on. */
gunichar path_look_part(const struct term_grid *grid, unsigned look, bool begins, unsigned eighths);
/* The sign that stands beside the name of LOOK; where there is no room for a NAME a letter, if it has one. */
gunichar path_look_glyph(const struct term_grid *grid, unsigned look, bool name);
enum term_role path_look_role(unsigned look);
/* What stands beside it: "wait-cpu", "deeper". */
const char *path_look_name(unsigned look);
enum state_class path_look_class(unsigned look);

#endif
