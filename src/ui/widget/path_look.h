/* SPDX-License-Identifier: MIT */
/*
 * The looks of the items of a critical path, in all panes.  Time on a CPU and for a CPU looks as in the
 * control flow.  A wait begins with the letter of its kind, a capital if it takes at least half of the cell,
 * and continues as a thin line:
 *
 *   d disk   f cache flush   n network   t timer   l late timer   i other CPU
 *   v virtio   q other device   g interrupt of a guest   k input   ? not known
 *   + deeper levels   * short ones
 *
 * No letter is also that of a state in the control flow, or of another kind of wait.
 */
#ifndef PATH_LOOK_H
#define PATH_LOOK_H

#include "ui/widget/path_items.h"
#include "ui/widget/state_look.h"

/* The character for LOOK if EIGHTHS of a cell are of its class.  BEGINS: the item begins in this cell;
 * otherwise it continues. */
gunichar path_look_part(const struct term_grid *grid, unsigned look, bool begins, unsigned eighths);
/* The character beside the name of LOOK.  NAME false: there is no room for the name, so it is a letter if
 * LOOK has one. */
gunichar path_look_glyph(const struct term_grid *grid, unsigned look, bool name);
enum term_role path_look_role(unsigned look);
/* The name of LOOK: "wait-cpu", "deeper". */
const char *path_look_name(unsigned look);
enum state_class path_look_class(unsigned look);

#endif
