/* SPDX-License-Identifier: MIT */
/* Types of terminals, checked before the terminal is touched.  Private to term_curses.c. */
#ifndef TERM_TYPE_H
#define TERM_TYPE_H

#include <glib.h>
#include <stdbool.h>

/* True if terminals of TYPE (may be NULL) are known and have the control functions of ECMA-48.  False with
 * BASE_ERROR_USAGE. */
bool term_type_good(const char *type, GError **error);

#endif
