/* SPDX-License-Identifier: MIT */
/* What the numbers of a pane are over, in the same words and at the same place of each title. */
#ifndef SCOPE_TITLE_H
#define SCOPE_TITLE_H

#include "ui/core/ui_shell.h"

/* Whose threads something is about.  Of all: without kernel threads, which rest until there is work, or with
 * them. */
enum scope { SCOPE_THREAD, SCOPE_PROCESS, SCOPE_USER, SCOPE_ALL, SCOPE_N };
extern const char *const scope_words[SCOPE_N];

/* Whether SCOPE is about all threads, whichever is selected. */
static inline bool scope_of_all(enum scope scope)
{
	return scope == SCOPE_USER || scope == SCOPE_ALL;
}

/* Append "WHAT of WHOSE  12.0 ms in view" to TITLE.  WHOSE is
 * freed; NULL: nobody's in particular. */
void scope_title(const struct ui_shell *shell, GString *title, const char *what, char *whose, int64_t from,
	int64_t to);
/* The same of the whole trace. */
void scope_title_whole(const struct ui_shell *shell, GString *title, const char *what, char *whose);
/* "wk-rt[547]", "process wk-rt[547]", "user threads", "all threads"; of MDL_NONE "nobody".  The caller frees.
 */
char *scope_title_whose(const struct ui_shell *shell, enum scope scope, uint32_t row);

#endif
