/* SPDX-License-Identifier: MIT */
/*
 * A scene describes the screen: the shell's views and layout, and the shown panes.  A pane whose view does
 * not follow from these adds a text of its own (the hook "keep").  Lists of panes are computed again from the
 * scene.  Written as a text, a scene shows the same in another run of the program: "screen from=12 to=34 |
 * latency kind=block; line=3".
 */
#ifndef UI_SCENE_H
#define UI_SCENE_H

#include "ui/core/ui_shell.h"

#define UI_SCENES_DEPTH 24 /* lower panes that can cover each other; at least the number of lower panes */

/* The part that decides whether two scenes are equal; compared as bytes. */
struct ui_looks {
	struct ui_view views[UI_VIEWS]; /* the second one is used only if there are two windows */
	int32_t main, focus;            /* numbers of panes, -1: none */
	int32_t lower[UI_SCENES_DEPTH]; /* numbers of panes, the shown one first */
	uint32_t hide_tracer, maximised, two, linked;
};

struct ui_scene {
	struct ui_looks is;
	GPtrArray *kept; /* of char *, owned: the text kept by each pane, NULL: nothing */
};

/* The scene on the screen.  The caller frees. */
struct ui_scene *ui_scene_take(const struct ui_shell *shell);
/* Defined in ui_shell.c, which owns the history. */
void ui_scene_free(struct ui_scene *scene);
/* True if A and B look alike. */
bool ui_scene_same(const struct ui_scene *a, const struct ui_scene *b);
/* Show SCENE.  Things that panes must find first appear later. */
void ui_scene_restore(struct ui_shell *shell, const struct ui_scene *scene);
/* Restore only the texts that panes kept. */
void ui_scene_restore_panes(struct ui_shell *shell, const struct ui_scene *scene);

/* The scene on the screen as a text.  The caller frees. */
char *ui_scene_text(const struct ui_shell *shell);
/* Read a scene from TEXT.  The layout of panes changes at once, even if a later part of TEXT is not valid.
 * The caller frees.  NULL with an error. */
struct ui_scene *ui_scene_read(struct ui_shell *shell, const char *text, GError **error);

/*
 * ---- ui_undo.c: the history of scenes ----
 *
 * Before each key, the scene is compared with the one noted last.  If they differ, the change becomes a step
 * of undo.  Successive small steps of one kind are merged.
 */

#define UI_UNDO_MAX 500 /* steps that are kept */

/* Private to ui_undo.c, made and freed by the shell. */
struct ui_undo {
	struct ui_scene *now; /* the scene noted last; owned, NULL: none yet */
	/* of struct ui_scene, owned: scenes after and before NOW, the nearest last */
	GPtrArray *undone, *done;
	bool settles; /* NOW was restored; ui_undo_settle() may have to restore the panes again */
	enum ui_command command, merge; /* the present command; the last step's kind (NONE: none) */
};

/* Note a step if the scene has changed.  Does nothing while a question is open. */
void ui_undo_note(struct ui_shell *shell);
/* COMMAND is about to run.  The first command after a note decides the kind of the step. */
void ui_undo_command(struct ui_shell *shell, enum ui_command command);
/* Take changes since the last note into the noted scene: they are not a step of the user. */
void ui_undo_accept(struct ui_shell *shell);
/* Show the scene that TEXT describes, as a step of undo.  False with an error if TEXT is not valid. */
bool ui_undo_show(struct ui_shell *shell, const char *text, GError **error);
/* Restore the panes once more, for lists that became complete only now.  Call it when no work is left.  False
 * if there was nothing to do. */
bool ui_undo_settle(struct ui_shell *shell);
/* Show the scene before the last step (REDO: undo the last undo), or a message that there is none. */
void ui_undo_go(struct ui_shell *shell, bool redo);
/* Convert all scenes of the history to the times and rows of the experiment that was opened again
 * (ui_view_carry()). */
void ui_undo_carry(struct ui_shell *shell);
/* Restore the lower panes after ui_undo_carry() and after all panes were made again.  Not a step of undo. */
void ui_undo_again(struct ui_shell *shell);

#endif
