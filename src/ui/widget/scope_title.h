/* SPDX-License-Identifier: MIT */
/* The scope of a pane's numbers, in the same words and at the same place of every title. */
#ifndef SCOPE_TITLE_H
#define SCOPE_TITLE_H

#include "ui/core/ui_shell.h"

/* The threads that numbers are about.  SCOPE_USER: all without kernel threads, which sleep until there is
 * work.  SCOPE_ALL: also kernel threads. */
enum scope { SCOPE_THREAD, SCOPE_PROCESS, SCOPE_USER, SCOPE_ALL, SCOPE_N };
extern const char *const scope_words[SCOPE_N];

/* True if SCOPE does not depend on the selected thread. */
static inline bool scope_of_all(enum scope scope)
{
	return scope == SCOPE_USER || scope == SCOPE_ALL;
}

/* Append "WHAT of WHOSE  12.0 ms in view" to TITLE.  Frees WHOSE; NULL: no "of WHOSE". */
void scope_title(const struct ui_shell *shell, GString *title, const char *what, char *whose, int64_t from,
	int64_t to);
/* Like scope_title(), for the whole trace. */
void scope_title_whole(const struct ui_shell *shell, GString *title, const char *what, char *whose);
/* "wk-rt[547]", "process wk-rt[547]", "user threads", "all threads"; "nobody" if ROW is MDL_NONE.  The caller
 * frees. */
char *scope_title_whose(const struct ui_shell *shell, enum scope scope, uint32_t row);

#endif
