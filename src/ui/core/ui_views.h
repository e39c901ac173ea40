/* SPDX-License-Identifier: MIT */
/* Views as they were taken down, and the history of them; private to ui_undo.c, kept by the shell. */
#ifndef UI_VIEWS_H
#define UI_VIEWS_H

#include "ui/core/ui_shell.h"

#define UI_VIEWS_DEPTH 8 /* lower panes above each other */

/* What makes two views differ; compared as bytes. */
struct ui_looks {
	int64_t from, to, cursor, mark, mark_end;
	uint32_t row;
	int32_t focus, lower[UI_VIEWS_DEPTH]; /* numbers of panes, the one that is shown first; -1 none */
	uint32_t hide_tracer, maximised;
};

struct ui_view {
	struct ui_looks is;
	unsigned way; /* how long the way back is, and its last place */
	struct ui_place_in_time last;
	GPtrArray *kept; /* of char *, owned: what each pane kept, NULL nothing */
};

struct ui_undo {
	struct ui_view *now;            /* as it was noted last; owned, NULL: not yet */
	GPtrArray *undone, *done;       /* of struct ui_view, owned: behind and before it, the nearest last */
	enum ui_command command, merge; /* what is done now; of which kind the last step was, NONE: none */
};

struct ui_undo *ui_undo_new(void);
void ui_undo_free(struct ui_undo *undo);
void ui_view_free(struct ui_view *view);
/* Would they look alike? */
bool ui_view_same(const struct ui_view *a, const struct ui_view *b);

#endif
