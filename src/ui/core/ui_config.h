/* SPDX-License-Identifier: MIT */
/*
 * The configuration: a text file in three parts.  Below [start] stand command lines (ui_line.h) that are done
 * when the explorer has opened a trace: theme, layout, rows, whatever a command sets.  Below [columns] stand
 * the columns of lists (ui_columns.h), below [keys] keys (ui_keymap.h).
 */
#ifndef UI_CONFIG_H
#define UI_CONFIG_H

#include "ui/core/ui_columns.h"
#include "ui/core/ui_keymap.h"

struct ui_config {
	struct ui_keymap *keys; /* owned */
	GPtrArray *start;       /* of struct ui_lines_one (ui_line.h), owned: [start] without themes */
	char *theme;            /* owned: that of [start]; NULL none */
	struct ui_columns columns;
};

/*
 * The configuration of FILE, NULL: of $XDG_CONFIG_HOME/wakepath/config where that exists; what it does not
 * name is as built in.  NULL with an error, which names file and line, also where a key or a command stands
 * there twice.
 */
struct ui_config *ui_config_new(const char *file, GError **error);
void ui_config_free(struct ui_config *config);
/* CONFIG as a file that makes it again, with comments.  The caller frees. */
char *ui_config_text(const struct ui_config *config);

#endif
