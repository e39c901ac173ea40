/* SPDX-License-Identifier: MIT */
/* The inside of the menus, shared by their files; no other pane includes it. */
#ifndef MENU_H
#define MENU_H

#include "ui/core/ui_command.h"
#include "ui/core/ui_shell.h"

#define MENU_LINES 5 /* command lines of a question, at most, with the NULL behind */

/* What can be chosen: a command, or, UI_CMD_NONE, a question. */
struct menu_item {
	enum ui_command command;
	const char *name, *help;  /* static */
	const char *aside;        /* static: what the command is called here, or its group */
	bool own;                 /* it is one of the pane with the focus */
	const char *const *lines; /* of a question: what answers it, ui_line_do(), NULL-terminated, static */
};

/* All commands, those of the pane with the focus first, with what they do there.  Of struct menu_item; the
 * caller unrefs. */
GArray *menu_items_commands(const struct ui_shell *shell);
/* The questions of menu_questions.c. */
GArray *menu_items_questions(void);
/*
 * The places in ITEMS of those that fit what was TYPED: each of its words stands in name, help or aside.
 * Before all others the one whose key was typed, then those whose names begin with it.  Of guint; the caller
 * unrefs.
 */
GArray *menu_items_find(const struct ui_shell *shell, const GArray *items, const char *typed);

#endif
