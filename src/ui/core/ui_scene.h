/* SPDX-License-Identifier: MIT */
/*
 * A scene is the shell's description of the screen, and the list of shown panes.  A pane whose view does not
 * follow from that adds a line of its own (the hook "keep").  Lists of panes are computed again from it.  As
 * a text, a scene shows the same in another run of the program: "screen from=12 to=34 | latency kind=block;
 * line=3".
 */
#ifndef UI_SCENE_H
#define UI_SCENE_H

#include "ui/core/ui_shell.h"

#define UI_SCENES_DEPTH 24 /* lower panes on top of each other: no fewer than there are */

/* The part that makes two scenes different; compared as bytes. */
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
/* In ui_shell.c, which owns the history. */
void ui_scene_free(struct ui_scene *scene);
/* True if A and B look alike. */
bool ui_scene_same(const struct ui_scene *a, const struct ui_scene *b);
/* Show SCENE.  Things that panes must find first appear later. */
void ui_scene_restore(struct ui_shell *shell, const struct ui_scene *scene);
/* Restore only the texts that panes kept. */
void ui_scene_restore_panes(struct ui_shell *shell, const struct ui_scene *scene);

/* The scene on the screen as a text.  The caller frees. */
char *ui_scene_text(const struct ui_shell *shell);
/* Read a scene from TEXT; the layout of panes changes at once.  The caller frees.  NULL with an error. */
struct ui_scene *ui_scene_read(struct ui_shell *shell, const char *text, GError **error);

/*
 * ---- ui_undo.c: the history of scenes ----
 *
 * Before each key, the scene is compared with the last noted one; if they differ, the change is a step that
 * can be undone and redone.  Successive small steps of one kind are one step.
 */

#define UI_UNDO_MAX 500 /* steps that are remembered */

/* Private to ui_undo.c, made and freed by the shell. */
struct ui_undo {
	struct ui_scene *now; /* the scene at the last note; owned, NULL: none yet */
	/* of struct ui_scene, owned: those after and before NOW, the nearest last */
	GPtrArray *undone, *done;
	bool settles; /* NOW was restored; panes must perhaps be told again what they showed */
	enum ui_command command, merge; /* the present command; the kind of the last step, NONE: none */
};

/* Note a step if the scene has changed.  Does nothing while a question is open. */
void ui_undo_note(struct ui_shell *shell);
/* COMMAND is about to run.  The first command after a note decides the kind of the step. */
void ui_undo_command(struct ui_shell *shell, enum ui_command command);
/* Changes since the last note are not a step of the user. */
void ui_undo_accept(struct ui_shell *shell);
/* Show the scene that TEXT describes; this is a step.  False with an error if TEXT is not valid. */
bool ui_undo_show(struct ui_shell *shell, const char *text, GError **error);
/* Call it when no work is left: restores the panes once more, for lists that were complete only now.  False
 * if there was nothing to do. */
bool ui_undo_settle(struct ui_shell *shell);
/* Show the scene before the last step (REDO: the one undone last), or a message that there is none. */
void ui_undo_go(struct ui_shell *shell, bool redo);
/* The experiment was opened again: convert all scenes of the history to its times and rows
 * (ui_view_carry()). */
void ui_undo_carry(struct ui_shell *shell);
/* The panes were made again, after ui_undo_carry(): restore the lower ones.  This is not a step. */
void ui_undo_again(struct ui_shell *shell);

#endif
