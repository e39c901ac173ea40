/* SPDX-License-Identifier: MIT */
/*
 * A pane: one const table of operations in a file of its own, and one line in
 * src/ui/pane/pane.c.  A missing hook means the default.  Panes never know each
 * other; they meet in the shell's state and in commands.
 *
 * The order of calls: init once; changed whenever what it names has changed,
 * before the next draw, also while hidden; work while nothing else is to be
 * done; draw when something is to be shown.  All in one thread.
 */
#ifndef UI_PANE_H
#define UI_PANE_H

#include "ui/core/ui_command.h"
#include "ui/term/term_grid.h"

struct base_progress;
struct qry;
struct ui_field;
struct ui_pane;
struct ui_shell;

/* Where on the screen. */
enum ui_place {
	UI_PLACE_NOWHERE, /* only takes commands */
	UI_PLACE_TOP,     /* lines above everything */
	UI_PLACE_MAIN,    /* the large part, or half of it: one or two of the same kind; can have the focus */
	UI_PLACE_LOWER,   /* the split below; one at a time; can have the focus */
	UI_PLACE_BOTTOM,  /* lines below everything but the message line */
	UI_PLACE_OVERLAY, /* over all of it; gets all commands while shown */
};

/* What has changed (bits). */
enum ui_change {
	UI_CHANGED_EXPERIMENT = 1, /* shell->q is there, for good: with other clocks come other panes */
	UI_CHANGED_WINDOW = 2,     /* shell->view->from, to */
	UI_CHANGED_CURSOR = 4,     /* shell->view->cursor */
	UI_CHANGED_ROW = 8,        /* shell->view->row */
	UI_CHANGED_SELECTION = 16, /* ui_shell_selection() */
	UI_CHANGED_SIZE = 32,      /* the pane's area, or whether it is shown */
	UI_CHANGED_WAIT = 64,      /* a wait was opened: shell->wait_row, wait_end */
	UI_CHANGED_EVENT = 128,    /* an event is to be shown: shell->event_host, event_time, event_cpu */
	UI_CHANGED_HIDING = 256,   /* shell->hide_tracer */
	/* The request that a wait was a part of is to be shown: shell->wait_row, wait_end. */
	UI_CHANGED_REQUEST = 512,
	UI_CHANGED_PATH = 1024, /* the critical path of shell->view->row in the window is to be shown */
	/* An account is to be shown: shell->account. */
	UI_CHANGED_ACCOUNT = 2048,
	UI_CHANGED_OVER = 4096,       /* shell->over_kind, over_limit */
	UI_CHANGED_EXCHANGE = 8192,   /* the request shell->exchange is to be shown */
	UI_CHANGED_PATH_ROWS = 16384, /* shell->path_rows */
	UI_CHANGED_COMPARED = 32768,  /* the intervals of shell->compared are to be compared */
	/* shell->view->row, but the path that is open stays: it is another one of its rows, or what was
	 * chosen of the rows took the one before away. */
	UI_CHANGED_ROW_WALKED = 65536,
};

/* A key worth showing on the message line, and what it does there. */
struct ui_hint {
	enum ui_command command; /* UI_CMD_NONE ends a list of them */
	const char *text;
};

/* A hint on the screen: the columns [from, to) of the message line. */
struct ui_hint_place {
	unsigned from, to;
	enum ui_command command;
};

/* What the command export writes of a pane: a result of exp.h, which is made in a worker's thread. */
struct ui_result {
	const char *name; /* as exp.h has it, static; */
	const char *file; /* and a file for it, proposed; static */
	char *what;       /* in words: "80 latencies"; owned */
	int64_t from, to; /* the time that it is of, */
	uint32_t row;     /* and the thread; UI_NO_ROW: all */
	void *data;       /* owned, of FREE */
	void (*free)(void *data);
	/* What exp.h takes, of DATA, which is the caller's then, of FREE_MADE; NULL with an error. */
	void *(*make)(struct qry *q, void *data, struct base_progress *progress, GError **error);
	void (*free_made)(void *made);
};

struct ui_pane_ops {
	const char *name; /* "flow" */
	enum ui_place place;
	enum ui_command show; /* the command that shows and hides it; UI_CMD_NONE: always shown */
	bool shown;           /* at the start */
	bool drill; /* LOWER: opened from the lower pane it covers; when it is hidden, that one comes back */
	const struct ui_hint *hints; /* static: shown first while it has the focus; NULL none */
	size_t size; /* of the pane's own struct, which begins with struct ui_pane; it is zeroed */
	void (*init)(struct ui_pane *pane);
	void (*clear)(struct ui_pane *pane);
	/* PANE is new, as the experiment was opened again with other clocks, and OLD will be cleared: take
	 * over what does not depend on times.  Rows are the same. */
	void (*carry)(struct ui_pane *pane, struct ui_pane *old);
	void (*changed)(struct ui_pane *pane, unsigned changes);
	/* Do a slice (some 5 ms) of slow work; true: there is more.  Called only while the pane is shown.
	 * shell->waits: it is others that do it. */
	bool (*work)(struct ui_pane *pane);
	/* True: the command is taken.  Asked are the overlay, the pane with the focus, all others in order,
	 * the shell. */
	bool (*command)(struct ui_pane *pane, enum ui_command command);
	/* OVERLAY: true: KEY was taken, whatever command is bound to it. */
	bool (*key)(struct ui_pane *pane, uint32_t key);
	/* Append to WORDS (weak) what COMMAND takes here as a text, where that is one of a few words. */
	void (*words)(struct ui_pane *pane, enum ui_command command, GPtrArray *words);
	/* The mouse was pressed at column X, line Y of its area, which is without its title line: put the
	 * cursor there.  TOP panes may have it, too. */
	void (*point)(struct ui_pane *pane, unsigned x, unsigned y);
	/* What a view of it has that does not follow from the shell, and is the same in another run of the
	 * program, of its own struct (ui_fields.h).  It is kept while the pane is shown or covered. */
	const struct ui_field *fields;
	/* Bring up to date what FIELDS name.  False: there is nothing to keep. */
	bool (*to_keep)(struct ui_pane *pane);
	/* In place of both: words for restore(), which the caller frees; NULL nothing. */
	char *(*keep)(struct ui_pane *pane);
	/* The shell is as it was when it kept KEPT: have that again.  Called once more when all that was to
	 * be found is there.  False with an error where it says what cannot be. */
	bool (*restore)(struct ui_pane *pane, const char *kept, GError **error);
	/* The rows of the experiment that it shows, in its order, also those out of view: of uint32_t, the
	 * caller unrefs; NULL none. */
	GArray *(*rows)(struct ui_pane *pane);
	/* Fill in what export writes while the pane has the focus, in the place of the path or the window.
	 * False: there is nothing. */
	bool (*result)(struct ui_pane *pane, struct ui_result *result);
	/* Text of its title line, appended to TITLE; a missing hook: no title line.  MAIN: while there are
	 * two. */
	void (*title)(struct ui_pane *pane, GString *title);
	/* TOP, BOTTOM: lines it wants when the screen has COLUMNS and ROWS; default 1.  LOWER: lines below
	 * which it should not be where there is room.  MAIN: lines it has a use for, beside a lower pane; 0:
	 * any number. */
	unsigned (*height)(struct ui_pane *pane, unsigned columns, unsigned rows);
	unsigned lines; /* LOWER: the same, where it is always so many */
	/* Draw into AREA, which is clear. */
	void (*draw)(struct ui_pane *pane, const struct term_area *area);
};

struct ask_worker;

struct ui_pane {
	const struct ui_pane_ops *ops;
	struct ui_shell *shell;    /* weak */
	struct ui_view *view;      /* weak: of a MAIN pane; NULL: it is about that of shell->main */
	struct ask_worker *worker; /* for its questions, where it has any: owned by the pane; NULL until
				      needed */
	bool shown;
	struct ui_pane *covers; /* weak: the lower pane that comes back when this one is hidden; NULL none */
	unsigned x, y, w, h;    /* its area at the last layout; h 0: not on the screen */
};

/* A sign in a title that keeps its colour. */
struct ui_title_sign {
	size_t at; /* byte of the title */
	gunichar ch;
	enum term_role role;
};

/* Append CH to TITLE, the one that is being made, with the colours of ROLE. */
void ui_pane_title_sign(const struct ui_pane *pane, GString *title, enum term_role role, gunichar ch);
/* Whether PANE has the focus: its commands come first, its title is lit. */
bool ui_pane_focused(const struct ui_pane *pane);
/* Whether PANE is hidden only until the one that covers it is left. */
bool ui_pane_covered(const struct ui_pane *pane);
/* What PANE keeps (its ops); the caller frees, NULL: nothing. */
char *ui_pane_keep(struct ui_pane *pane);
/* Whether PANE has a title line. */
bool ui_pane_titled(const struct ui_pane *pane);
/* Pane number I, in the order of the registry. */
struct ui_pane *ui_pane_nth(const struct ui_shell *shell, unsigned i);
/* The first pane at PLACE that is shown; NULL none. */
struct ui_pane *ui_pane_at(const struct ui_shell *shell, enum ui_place place);
/* The other MAIN pane, while there are two; NULL: there is one. */
struct ui_pane *ui_pane_beside(const struct ui_shell *shell);

#endif
