/* SPDX-License-Identifier: MIT */
/*
 * A pane is one const table of operations in a file of its own, and one line in src/ui/pane/pane.c.  A NULL
 * hook means the default.  Panes do not know each other: they communicate through the shell's state and
 * through commands.
 *
 * Order of calls: init() once; changed() after each change, before the next draw(), also while the pane is
 * hidden; work() while the program is otherwise idle; draw() for each frame.  One thread makes all calls.
 */
#ifndef UI_PANE_H
#define UI_PANE_H

#include "ui/core/ui_command.h"
#include "ui/term/term_grid.h"

struct ana_overview_line;
struct base_progress;
struct qry;
struct ui_field;
struct ui_pane;
struct ui_shell;

/* A place on the screen. */
enum ui_place {
	UI_PLACE_NOWHERE, /* has no area, only takes commands */
	UI_PLACE_TOP,     /* lines above all others */
	UI_PLACE_MAIN,   /* the large part, or half of it; one or two panes of one type; can have the focus */
	UI_PLACE_LOWER,  /* the part below; one pane at a time; can have the focus */
	UI_PLACE_BOTTOM, /* lines below all others, above the message line */
	UI_PLACE_OVERLAY, /* on top of all; gets all commands while shown */
};

/* A set of changes (bits). */
enum ui_change {
	/* shell->q was set.  A pane gets this once, because opening again makes new panes. */
	UI_CHANGED_EXPERIMENT = 1,
	UI_CHANGED_WINDOW = 2,     /* shell->view->from, to */
	UI_CHANGED_CURSOR = 4,     /* shell->view->cursor */
	UI_CHANGED_ROW = 8,        /* shell->view->row */
	UI_CHANGED_SELECTION = 16, /* ui_shell_selection() */
	UI_CHANGED_SIZE = 32,      /* the pane's area, or whether it is shown */
	UI_CHANGED_WAIT = 64,      /* a wait was opened: shell->leads[UI_LEAD_WAIT] */
	UI_CHANGED_EVENT = 128,    /* show an event: shell->leads[UI_LEAD_EVENT] */
	UI_CHANGED_HIDING = 256,   /* shell->hide_tracer */
	/* show the request that contains a wait: shell->leads[UI_LEAD_REQUEST] */
	UI_CHANGED_REQUEST = 512,
	UI_CHANGED_PATH = 1024, /* show the critical path of shell->view->row in the window */
	/* show an account: shell->leads[UI_LEAD_ACCOUNT] */
	UI_CHANGED_ACCOUNT = 2048,
	UI_CHANGED_OVER = 4096,       /* shell->over_kind, over_limit */
	UI_CHANGED_EXCHANGE = 8192,   /* show the request shell->leads[UI_LEAD_EXCHANGE] */
	UI_CHANGED_PATH_ROWS = 16384, /* shell->path_rows */
	UI_CHANGED_COMPARED = 32768,  /* compare the set of shell->leads[UI_LEAD_COMPARE] */
	/* shell->view->row, but the open path stays: the new row is also on the path, or a change of the
	 * shown rows removed the previous one. */
	UI_CHANGED_ROW_WALKED = 65536,
	UI_CHANGED_SPANS = 131072, /* show the rows of the query shell->leads[UI_LEAD_SPANS] as spans */
};

/* A command whose key the message line shows, and its effect. */
struct ui_hint {
	enum ui_command command; /* UI_CMD_NONE ends a list */
	const char *text;
};

/* A hint on the screen: columns [from, to) of the message line. */
struct ui_hint_place {
	unsigned from, to;
	enum ui_command command;
};

/* The data that the command export writes for a pane: a result of exp.h, made in a worker's thread. */
struct ui_result {
	const char *name; /* as in exp.h, static */
	const char *file; /* a proposed file name; static */
	char *what;       /* the content in words: "80 latencies"; owned */
	int64_t from, to; /* its time, ns */
	uint32_t row;     /* its thread; UI_NO_ROW: all */
	void *data;       /* owned; FREE frees it */
	void (*free)(void *data);
	/* Make the result for exp.h from DATA.  The caller owns it and frees it by FREE_MADE.  NULL with an
	 * error. */
	void *(*make)(struct qry *q, void *data, struct base_progress *progress, GError **error);
	void (*free_made)(void *made);
};

struct ui_pane_ops {
	const char *name; /* "flow" */
	enum ui_place place;
	enum ui_command show; /* the command that shows and hides it; UI_CMD_NONE: it is always shown */
	bool shown;           /* shown at the start */
	bool drill;           /* LOWER: it shows details of the pane that it covers */
	const struct ui_hint *hints; /* static: hints while it has the focus; NULL: none */
	/* Hints (static) for the selected thing, shown before HINTS.  NULL hook or NULL: none. */
	const struct ui_hint *(*hinted)(struct ui_pane *pane);
	const void *kind; /* parameters of panes that share hooks; the hooks know its type */
	size_t size; /* bytes of the pane's own struct, which begins with struct ui_pane; initially zeros */
	void (*init)(struct ui_pane *pane);
	void (*clear)(struct ui_pane *pane);
	/* PANE is new, because the experiment was opened again; OLD is about to be cleared.  Copy from OLD
	 * everything that does not depend on times.  Rows may have other numbers now: ui_view_carry_row()
	 * converts them. */
	void (*carry)(struct ui_pane *pane, struct ui_pane *old);
	void (*changed)(struct ui_pane *pane, unsigned changes);
	/* Do a slice (about 5 ms) of slow work.  True if there is more.  Called only while the pane is shown.
	 * Set shell->waits if the work is done elsewhere, in a worker's thread. */
	bool (*work)(struct ui_pane *pane);
	/* Do COMMAND.  True if the pane took it; then no other pane gets it.  Order of calls: the overlay,
	 * the pane with the focus, all other panes in their order, the shell. */
	bool (*command)(struct ui_pane *pane, enum ui_command command);
	/* OVERLAY: handle KEY before its command is looked up.  True if the pane took it. */
	bool (*key)(struct ui_pane *pane, uint32_t key);
	/* Append to WORDS (weak) the words that COMMAND accepts as text here, if it accepts only some
	 * words. */
	void (*words)(struct ui_pane *pane, enum ui_command command, GPtrArray *words);
	/* Append to NAMES (which owns them) the columns that [columns] of the configuration can name for
	 * OPS's list, which is called like the pane.  NULL: see ui_columns.h. */
	void (*columns)(const struct ui_pane_ops *ops, GPtrArray *names);
	/* The mouse button was pressed at column X, line Y of the pane's area (without the title line): move
	 * the cursor there.  TOP panes can have this hook, too. */
	void (*point)(struct ui_pane *pane, unsigned x, unsigned y);
	/* The part of the pane's view that does not follow from the shell's state and is valid in another run
	 * of the program: members of its struct (ui_fields.h).  Kept while the pane is shown or covered. */
	const struct ui_field *fields;
	/* Update the members in FIELDS before they are read.  False if there is nothing to keep. */
	bool (*to_keep)(struct ui_pane *pane);
	/* Replaces FIELDS and to_keep(): return the text for restore().  The caller frees; NULL: nothing. */
	char *(*keep)(struct ui_pane *pane);
	/* Restore the view that KEPT describes.  The shell already has the state that it had when KEPT was
	 * made.  Called once more when the lists of the panes are complete.  False with an error if KEPT is
	 * not valid. */
	bool (*restore)(struct ui_pane *pane, const char *kept, GError **error);
	/* The rows of the experiment that the pane shows, in its order, including those scrolled out of view.
	 * Of uint32_t, the caller unrefs; NULL: none. */
	GArray *(*rows)(struct ui_pane *pane);
	/* Fill in RESULT, which export writes while the pane has the focus, instead of the path or the
	 * window.  False if there is nothing. */
	bool (*result)(struct ui_pane *pane, struct ui_result *result);
	/* The thread (UI_NO_ROW: none) and time [*FROM, *TO) (ns) of the thing selected in the pane.  The
	 * commands zoom-selection and story use it while the pane has the focus.  False if nothing with a
	 * time is selected.  NULL hook: the interval at the cursor. */
	bool (*time)(struct ui_pane *pane, uint32_t *row, int64_t *from, int64_t *to);
	/* MAIN: a text about the cursor's place in a selected line that is not a row; the detail lines show
	 * it.  The caller frees.  NULL: nothing. */
	char *(*at_cursor)(struct ui_pane *pane);
	/* The first line of PART (enum ana_overview_part) that the pane has found so far.  A sentence
	 * (ANA_OVERVIEW_ANSWER) counts only if its ana_answer_about() has a bit of ABOUT.  Weak; NULL: none
	 * yet. */
	const struct ana_overview_line *(*found)(struct ui_pane *pane, unsigned part, unsigned about);
	/* Append the text of the title line to TITLE.  NULL hook: no title line.  MAIN: only called while
	 * there are two. */
	void (*title)(struct ui_pane *pane, GString *title);
	/* TOP, BOTTOM: the lines that it wants on a screen of COLUMNS and ROWS; default 1.  LOWER: the lines
	 * that it wants.  MAIN: the lines that it can use beside a lower pane; 0: any number. */
	unsigned (*height)(struct ui_pane *pane, unsigned columns, unsigned rows);
	unsigned lines; /* LOWER: replaces height() if the number is constant */
	bool first;     /* LOWER: it gets the lines that it wants; main panes keep only their minimum */
	/* Draw into AREA, which was cleared. */
	void (*draw)(struct ui_pane *pane, const struct term_area *area);
};

struct ask_worker;

struct ui_pane {
	const struct ui_pane_ops *ops;
	struct ui_shell *shell;    /* weak */
	struct ui_view *view;      /* weak: a MAIN pane's own view; NULL: it uses that of shell->main */
	struct ask_worker *worker; /* for its questions; owned by the pane; NULL until needed */
	bool shown;
	struct ui_pane *covers; /* weak: the lower pane that comes back when this one is hidden; NULL: none */
	unsigned x, y, w, h;    /* its area at the last layout; h 0: not on the screen */
};

/* A character in a title that has its own colour. */
struct ui_title_sign {
	size_t at; /* byte of the title */
	gunichar ch;
	enum term_role role;
};

/* Append CH in the colours of ROLE to TITLE, the title being made. */
void ui_pane_title_sign(const struct ui_pane *pane, GString *title, enum term_role role, gunichar ch);
/* Begins the title of the pane with the focus, because colour alone is not visible to everybody. */
#define UI_FOCUS_MARK 0x25b6 /* ▶ */
/* True if PANE has the focus: it gets commands first, and its title has the mark. */
bool ui_pane_focused(const struct ui_pane *pane);
/* True if PANE is hidden by another pane that covers it, and returns when that pane is closed. */
bool ui_pane_covered(const struct ui_pane *pane);
/* True if the lower PANE is shown, or covered only by panes that show details of it (DRILL). */
bool ui_pane_drilled(const struct ui_pane *pane);
/* The text of PANE's view, from its operation keep() or its FIELDS.  The caller frees; NULL: nothing. */
char *ui_pane_keep(struct ui_pane *pane);
/* True if PANE has a title line. */
bool ui_pane_titled(const struct ui_pane *pane);
/* Like time() of struct ui_pane_ops, for the pane with the focus. */
bool ui_pane_time(const struct ui_shell *shell, uint32_t *row, int64_t *from, int64_t *to);
/* The first line that any pane has found: see found() of struct ui_pane_ops. */
const struct ana_overview_line *ui_pane_found(const struct ui_shell *shell, unsigned part, unsigned about);
/* Pane number I, in the order of the registry. */
struct ui_pane *ui_pane_nth(const struct ui_shell *shell, unsigned i);
/* The first pane at PLACE that is shown; NULL: none. */
struct ui_pane *ui_pane_at(const struct ui_shell *shell, enum ui_place place);
/* The second MAIN pane, the one that is not shell->main; NULL: there is only one. */
struct ui_pane *ui_pane_beside(const struct ui_shell *shell);

#endif
