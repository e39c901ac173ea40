/* SPDX-License-Identifier: MIT */
/*
 * A scene is what the shell knows of the screen, and which panes are shown; a pane whose looks do not follow
 * from that adds a line of its own (the hook "keep").  Lists of panes are made anew from it, as always.  As a
 * text it shows the same in another run of the program: "screen from=12 to=34 | latency kind=block; line=3".
 */
#ifndef UI_SCENE_H
#define UI_SCENE_H

#include "ui/core/ui_shell.h"

#define UI_SCENES_DEPTH 8 /* lower panes above each other */

/* What makes two scenes differ; compared as bytes. */
struct ui_looks {
	struct ui_view views[UI_VIEWS]; /* the second one: only where there are two */
	int32_t main, focus;            /* numbers of panes, -1 none */
	int32_t lower[UI_SCENES_DEPTH]; /* the one that is shown first */
	uint32_t hide_tracer, maximised, two, linked;
};

struct ui_scene {
	struct ui_looks is;
	GPtrArray *kept; /* of char *, owned: what each pane kept, NULL nothing */
};

/* The history of them; private to ui_undo.c, kept by the shell. */
struct ui_undo {
	struct ui_scene *now;     /* as it was noted last; owned, NULL: not yet */
	GPtrArray *undone, *done; /* of struct ui_scene, owned: behind and before it, the nearest last */
	bool settles;             /* NOW was restored, and panes may have to be told again what they showed */
	enum ui_command command, merge; /* what is done now; of which kind the last step was, NONE: none */
};

/* ---- ui_scenes.c: life ---- */

struct ui_undo *ui_undo_new(void);
void ui_undo_free(struct ui_undo *undo);
void ui_scene_free(struct ui_scene *scene);
/* Would they look alike? */
bool ui_scene_same(const struct ui_scene *a, const struct ui_scene *b);

/* ---- ui_scene.c ---- */

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
