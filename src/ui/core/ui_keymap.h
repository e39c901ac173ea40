/* SPDX-License-Identifier: MIT */
/*
 * Which key does what.  Key files hold one binding a line, "COMMAND KEY KEY …",
 * or "none KEY …" to unbind; "#" begins a comment.  A user's file is read over
 * the built-in one: what it does not name stays.
 */
#ifndef UI_KEYMAP_H
#define UI_KEYMAP_H

#include "ui/core/ui_command.h"

#include <stdint.h>

struct ui_keymap;

/*
 * The built-in keys, then those of FILE (NULL: $XDG_CONFIG_HOME/wakepath/keys
 * when it exists).  NULL with an error naming file and line.
 */
struct ui_keymap *ui_keymap_new(const char *file, GError **error);
void ui_keymap_free(struct ui_keymap *map);

/* The command bound to KEY, UI_CMD_NONE when there is none. */
enum ui_command ui_keymap_command(const struct ui_keymap *map, uint32_t key);
/* The names of all keys of COMMAND, in the order of the file, joined by SEPARATOR; "" when there are none.
 * The caller frees. */
char *ui_keymap_keys(const struct ui_keymap *map, enum ui_command command, const char *separator);
/* The name of the first key of COMMAND, "" when there is none.  The caller frees. */
char *ui_keymap_first(const struct ui_keymap *map, enum ui_command command);

#endif
