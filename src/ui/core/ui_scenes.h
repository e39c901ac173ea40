/* SPDX-License-Identifier: MIT */
/* Scenes: all that a screen follows from, as it was taken down; and the history of them; private to
 * ui_undo.c, kept by the shell. */
#ifndef UI_SCENES_H
#define UI_SCENES_H

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

struct ui_undo {
	struct ui_scene *now;     /* as it was noted last; owned, NULL: not yet */
	GPtrArray *undone, *done; /* of struct ui_scene, owned: behind and before it, the nearest last */
	bool settles;             /* NOW was restored, and panes may have to be told again what they showed */
	enum ui_command command, merge; /* what is done now; of which kind the last step was, NONE: none */
};

struct ui_undo *ui_undo_new(void);
void ui_undo_free(struct ui_undo *undo);
void ui_scene_free(struct ui_scene *scene);
/* Would they look alike? */
bool ui_scene_same(const struct ui_scene *a, const struct ui_scene *b);

#endif
