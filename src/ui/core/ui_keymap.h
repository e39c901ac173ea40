/* SPDX-License-Identifier: MIT */
/*
 * Which key does what.  A line binds keys to a command, "COMMAND KEY KEY …", all that it has, or "none KEY …"
 * to none; "#" begins a comment.  What the user's lines do not name stays as it is built in (default.keys).
 */
#ifndef UI_KEYMAP_H
#define UI_KEYMAP_H

#include "ui/core/ui_command.h"

#include <stdint.h>

struct ui_keymap;

/* The built-in keys. */
struct ui_keymap *ui_keymap_new(void);
/* Take line LINE of FILE, the user's, which is TEXT.  False with an error, also where a line before binds the
 * same key or command. */
bool ui_keymap_add(struct ui_keymap *map, const char *text, const char *file, unsigned line, GError **error);
void ui_keymap_free(struct ui_keymap *map);

/* The command bound to KEY, UI_CMD_NONE when there is none. */
enum ui_command ui_keymap_command(const struct ui_keymap *map, uint32_t key);
/* The names of all keys of COMMAND, in the order of the file, joined by SEPARATOR; "" when there are none.
 * The caller frees. */
char *ui_keymap_keys(const struct ui_keymap *map, enum ui_command command, const char *separator);
/* The name of the first key of COMMAND, "" when there is none.  The caller frees. */
char *ui_keymap_first(const struct ui_keymap *map, enum ui_command command);
/* How COMMAND lost its last key to another command, in a sentence with file and line; NULL where it has a
 * key, and where the user says so: in a line for it, or by "none".  MAP's. */
const char *ui_keymap_lost(const struct ui_keymap *map, enum ui_command command);

#endif
