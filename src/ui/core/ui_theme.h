/* SPDX-License-Identifier: MIT */
/*
 * Themes are text files with one role per line: "ROLE FG BG [ATTRIBUTE…]".  term_colour_parse() reads the
 * colours.  Attributes: bold dim underline reverse italic.  A word "#" begins a comment.
 *
 * A line for a group, "state", applies to all its roles, "state.new"….  A role without a line looks like the
 * role that term_role.h names for it.  "-" is the colour of the role "text"; in "text" itself it is the
 * terminal's own.  In roles that are laid over others (row, cursor, selection, found), "-" shows the colour
 * below.
 */
#ifndef UI_THEME_H
#define UI_THEME_H

#include "ui/term/term.h"

struct ui_theme {
	char *name; /* owned */
	struct term_style styles[TERM_ROLE_N];
	/* true: colours alone tell the states apart; false: panes draw states as letters */
	bool tells_states;
	/* a line of the theme names the role; other roles look as term_role_as() says */
	bool named[TERM_ROLE_N];
};

/* Read the theme called NAME; if there is none or NAME contains a "/", the file NAME.  NULL: the theme that
 * fits a terminal with COLOURS colours: "mono" if NO_COLOR is not empty or there are no colours, "light" if
 * COLORFGBG says that the background is light, else "dark".  NULL with an error that names file and line. */
struct ui_theme *ui_theme_new(const char *name, unsigned colours, GError **error);
void ui_theme_free(struct ui_theme *theme);

/* The colour of ROLE on white paper, 0xrrggbb: that of the theme "light". */
uint32_t ui_theme_on_paper(const char *role);

/* Names of the built-in themes; NULL-terminated, static. */
const char *const *ui_theme_names(void);

#endif
