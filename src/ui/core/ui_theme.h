/* SPDX-License-Identifier: MIT */
/*
 * Themes: text files with one role a line, "ROLE FG BG [ATTRIBUTE…]"; colours
 * as term_colour_parse() reads them; attributes bold dim underline reverse
 * italic; a "#" that stands alone begins a comment.  A line for a group, "state",
 * is one for all its roles, "state.new"….  A role without a line looks like the one that
 * term_role.h names for it.  "-" is the colour of the role
 * "text", there the terminal's own; in the roles that lie over others (row,
 * cursor, selection, found) it lets those shine through.
 */
#ifndef UI_THEME_H
#define UI_THEME_H

#include "ui/term/term.h"

struct ui_theme {
	char *name; /* owned */
	struct term_style styles[TERM_ROLE_N];
	bool tells_states;       /* by colours of their own: else panes draw signs that need none */
	bool named[TERM_ROLE_N]; /* by a line of the theme; the others look as term_role_as() says */
};

/*
 * The theme called NAME, or in the file NAME when that holds a "/" or no theme
 * has that name; NULL: the one that fits a terminal with COLOURS colours
 * (NO_COLOR or no colours: "mono"; COLORFGBG says a light background: "light";
 * else "dark").  NULL with an error naming file and line.
 */
struct ui_theme *ui_theme_new(const char *name, unsigned colours, GError **error);
void ui_theme_free(struct ui_theme *theme);

/* The colour of the role called ROLE on white paper, 0xrrggbb: that of the theme "light". */
uint32_t ui_theme_on_paper(const char *role);

/* Names of the built-in themes, NULL-terminated, static. */
const char *const *ui_theme_names(void);

#endif
