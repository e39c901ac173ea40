/* SPDX-License-Identifier: MIT */
/* What the numbers of a pane are over, in the same words and at the same place of each title. */
#ifndef SCOPE_TITLE_H
#define SCOPE_TITLE_H

#include "ui/core/ui_shell.h"

/* Append "WHAT of WHOSE  12.0 ms in view" to TITLE.  WHOSE is
 * freed; NULL: nobody's in particular. */
void scope_title(const struct ui_shell *shell, GString *title, const char *what, char *whose, int64_t from,
	int64_t to);
/* The same of the whole trace. */
void scope_title_whole(const struct ui_shell *shell, GString *title, const char *what, char *whose);
/* "wk-rt[547]", "process wk-rt[547]"; of MDL_NONE "nobody".  The caller frees. */
char *scope_title_whose(const struct ui_shell *shell, uint32_t row, bool process);

#endif
