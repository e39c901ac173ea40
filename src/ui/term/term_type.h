/* SPDX-License-Identifier: MIT */
/* Kinds of terminals, before one is touched.  Private to term_curses.c. */
#ifndef TERM_TYPE_H
#define TERM_TYPE_H

#include <glib.h>
#include <stdbool.h>

/* Whether terminals of TYPE (may be NULL) are known, and take the control functions of ECMA-48; false with
 * BASE_ERROR_USAGE. */
bool term_type_good(const char *type, GError **error);

#endif
