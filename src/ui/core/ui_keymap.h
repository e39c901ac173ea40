/* SPDX-License-Identifier: MIT */
/*
 * Keys and their commands.  A line "COMMAND KEY KEY …" binds all keys of a command; "none KEY …" unbinds
 * keys; "#" begins a comment.  Keys and commands that the user's lines do not name keep the built-in binding
 * (default.keys).
 */
#ifndef UI_KEYMAP_H
#define UI_KEYMAP_H

#include "ui/core/ui_command.h"

#include <stdint.h>

struct ui_keymap;

/* The built-in keys. */
struct ui_keymap *ui_keymap_new(void);
/* Apply the user's line TEXT, which is line LINE of FILE.  False with an error, also if an earlier line binds
 * the same key or command. */
bool ui_keymap_add(struct ui_keymap *map, const char *text, const char *file, unsigned line, GError **error);
void ui_keymap_free(struct ui_keymap *map);

/* The command bound to KEY; UI_CMD_NONE if there is none. */
enum ui_command ui_keymap_command(const struct ui_keymap *map, uint32_t key);
/* The names of all keys of COMMAND, in the order of the file, joined by SEPARATOR; "" if there are none.  The
 * caller frees. */
char *ui_keymap_keys(const struct ui_keymap *map, enum ui_command command, const char *separator);
/* The name of the first key of COMMAND; "" if there is none.  The caller frees. */
char *ui_keymap_first(const struct ui_keymap *map, enum ui_command command);
/* A sentence, with file and line, that says how COMMAND lost its last key to another command.  NULL if it has
 * a key, or if the user unbound it on purpose: in a line for COMMAND, or with "none".  MAP owns it. */
const char *ui_keymap_lost(const struct ui_keymap *map, enum ui_command command);

#endif
