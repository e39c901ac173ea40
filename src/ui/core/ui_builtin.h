/* SPDX-License-Identifier: MIT */
/* Texts that are part of the program; the Makefile generates them from themes/ and from the .keys files
 * here. */
#ifndef UI_BUILTIN_H
#define UI_BUILTIN_H

struct ui_builtin {
	const char *name; /* of the file */
	const char *text;
};

/* Arrays, ended by an element whose NAME is NULL. */
extern const struct ui_builtin ui_builtin_themes[], ui_builtin_keys[];

#endif
