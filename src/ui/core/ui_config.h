/* SPDX-License-Identifier: MIT */
/*
 * The configuration: a text file in three parts.  [start] has command lines (ui_line.h) that run when a trace
 * was opened: theme, layout, rows, and any other command.  [columns] has the columns of lists (ui_columns.h),
 * [keys] the keys (ui_keymap.h).
 */
#ifndef UI_CONFIG_H
#define UI_CONFIG_H

#include "ui/core/ui_columns.h"
#include "ui/core/ui_keymap.h"

struct ui_config {
	struct ui_keymap *keys; /* owned */
	GPtrArray *start; /* of struct ui_lines_one (ui_line.h), owned: the lines of [start] without themes */
	char *theme;      /* owned: the theme of [start]; NULL: none */
	struct ui_columns columns;
};

/*
 * Read the configuration FILE; NULL: $XDG_CONFIG_HOME/wakepath/config, if it exists.  Parts that are not set
 * have the built-in values.  NULL with an error, which names file and line; a key or command that is bound
 * twice is an error, too.
 */
struct ui_config *ui_config_new(const char *file, GError **error);
void ui_config_free(struct ui_config *config);
/* CONFIG as a file that reproduces it, with comments.  The caller frees. */
char *ui_config_text(const struct ui_config *config);

#endif
