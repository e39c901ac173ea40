/* SPDX-License-Identifier: MIT */
/* Texts that are part of the program: generated from themes/ and the .keys files here (Makefile). */
#ifndef UI_BUILTIN_H
#define UI_BUILTIN_H

struct ui_builtin {
	const char *name; /* of the file */
	const char *text;
};

/* Each ends with a name of NULL. */
extern const struct ui_builtin ui_builtin_themes[], ui_builtin_keys[];

#endif
