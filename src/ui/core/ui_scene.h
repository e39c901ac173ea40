/* SPDX-License-Identifier: MIT */
/*
 * A scene is what the shell knows of the screen, and which panes are shown; a pane whose looks do not follow
 * from that adds a line of its own (the hook "keep").  Lists of panes are made anew from it, as always.  As a
 * text it shows the same in another run of the program: "screen from=12 to=34 | latency kind=block; line=3".
 */
#ifndef UI_SCENE_H
#define UI_SCENE_H

#include "ui/core/ui_scenes.h"

/* The scene that is shown. */
struct ui_scene *ui_scene_take(const struct ui_shell *shell);
/* Show SCENE; what panes have to find first comes later. */
void ui_scene_restore(struct ui_shell *shell, const struct ui_scene *scene);
/* Only what panes kept. */
void ui_scene_restore_panes(struct ui_shell *shell, const struct ui_scene *scene);

/* The text of the scene that is shown; the caller frees. */
char *ui_scene_text(const struct ui_shell *shell);
/* The scene that TEXT tells; how panes are laid out changes at once.  NULL with an error. */
struct ui_scene *ui_scene_read(struct ui_shell *shell, const char *text, GError **error);

#endif
