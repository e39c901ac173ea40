/* SPDX-License-Identifier: MIT */
/*
 * The data that all panes share: the experiment, its view (window, cursor, row, selection, history of
 * places), and the line for messages and questions.  Panes read the members, and change them by functions,
 * which notify the other panes.
 *
 * The shell itself does not use the experiment: it only holds the pointer, so tests need no trace.
 */
#ifndef UI_SHELL_H
#define UI_SHELL_H

#include "base/base_time.h"
#include "ui/core/ui.h"
#include "ui/core/ui_command.h"
#include "ui/core/ui_pane.h"
#include "ui/core/ui_theme.h"
#include "ui/core/ui_view.h"

struct qry;
struct ui_config;
struct ui_prompt;
struct ui_undo;

#define UI_NO_ROW UINT32_MAX /* MDL_NONE of the model */

/* The things that a lead can open in another pane. */
enum ui_lead_to {
	/* The wait of thread ROW that a wake-up ended at TO, or its wait for a CPU that ended at TO. */
	UI_LEAD_WAIT,
	UI_LEAD_REQUEST,  /* the whole request that this wait is a part of */
	UI_LEAD_EXCHANGE, /* the request OF (struct ana_exchange, valid until all panes were notified) */
	UI_LEAD_ACCOUNT,  /* the account WHAT of [FROM, TO) */
	/* The event at FROM on CPU (UI_NO_ROW: any) of HOST, in the list of events, which gets the focus.
	 * The cursor moves there; the previous place goes into the history. */
	UI_LEAD_EVENT,
	UI_LEAD_PATH, /* the critical path of the selected row in the window; it replaces the present path */
	/* The slow intervals of the set OF (struct compare_set, valid as above) against the fast ones. */
	UI_LEAD_COMPARE,
	/* The rows of the query LABEL, with its parameters ROW, FROM and TO, as spans above the threads. */
	UI_LEAD_SPANS,
	UI_LEADS
};

/* A place to open in another pane. */
struct ui_lead {
	enum ui_lead_to opens;
	uint32_t row, host, cpu, device; /* for an account: see struct ana_account_of */
	int64_t from, to;
	unsigned what;     /* enum ana_account_what; 0: a thread */
	const char *label; /* interned: the subject of an account in words, NULL for a thread; or the query */
	void *of;          /* weak */
};

/* UI_LEAD(WAIT, .row = row, .to = end) is the address of such a lead. */
#define UI_LEAD(what, ...) (&(struct ui_lead){ .opens = UI_LEAD_##what, __VA_ARGS__ })

struct ui_shell {
	const struct ui_options *options; /* weak */
	struct qry *q;                    /* the experiment, weak; NULL until it is open */
	int64_t span_from, span_to;       /* the time of the experiment, ns */
	uint32_t n_rows;                  /* rows of the experiment; all row numbers are smaller */

	/* Panes read these, and change them by the functions below. */
	struct ui_view *view; /* weak, one of VIEWS: the view that functions and panes use */
	/* Columns of the pane in use (ui_view_enter()).  NAMES: for names at the left, with the line after
	 * them.  COLUMNS: for time, right of them.  The cursor moves by one time column. */
	unsigned names;
	unsigned columns;
	const struct base_time_way *times; /* the notation of times */
	bool no_mouse;                     /* the terminal handles the mouse */
	/* Rows and lists leave out the tracer's own threads, except those that the user asked for. */
	bool hide_tracer;
	/* the user asked for the path of PATH_ROWS; it does not merely follow the selected row */
	bool path_anew;
	struct ui_lead leads[UI_LEADS]; /* the last one of each */
	char *sync;                     /* the clocks, as --sync; owned */
	/* the kind of latency, or rule, that is marked; weak, NULL: none */
	const char *over_kind;
	const struct ana_rules *over_rules; /* weak; NULL: OVER_KIND is not a rule */
	int64_t over_limit;                 /* mark latencies of at least this, ns */
	/* The rows on the open critical path, of uint32_t, in its order; owned, NULL: no path is open. */
	GArray *path_rows;
	/* For a followed trace: its progress in words, owned, NULL: not followed.  HELD: the end stays in
	 * view. */
	char *followed;
	bool held;
	bool follow_over; /* nothing more will come */
	bool reopened;    /* the experiment was opened again: the command line's options no longer apply */
	/* The view and the lower pane before the first key.  USED: a key was pressed.  MOVED: the user left
	 * that view since, even for a moment. */
	struct ui_view found;
	const struct ui_pane_ops *found_lower; /* NULL: none */
	bool used, moved;
	bool configuring;    /* the lines of the configuration are running */
	bool no_arrows;      /* draw wake-ups without arrows; panes can change it */
	uint32_t clock_host; /* the host whose clock the user looks at; panes can change it */

	/* Private to the shell. */
	struct ui_view views[UI_VIEWS];
	GArray *ways;          /* of struct ui_way, owned; number 0 means "none" */
	GArray *title_signs;   /* of struct ui_title_sign, owned: those of the title being made */
	struct ui_undo *undo;  /* owned: the undo history */
	GPtrArray *panes;      /* of struct ui_pane, owned, in the order of the registry */
	struct ui_pane *focus; /* weak */
	/* Weak: the MAIN pane that has the focus, or had it last.  Its view is shell->view, except between
	 * ui_view_enter() and ui_view_leave(). */
	struct ui_pane *main;
	bool two;          /* the second window is open */
	bool two_last;     /* the second window was opened after the lower pane */
	bool room_for_two; /* the last layout had room for the second window */
	unsigned linked;   /* enum ui_link: how the other view follows */
	bool maximised;    /* the pane with the focus fills the screen until it is closed */
	bool stacked;      /* like MAXIMISED, for every pane */
	bool resized;      /* the user changed the size of a part since the last layout */
	int names_extra;   /* columns of names in addition to their default */
	int lower_extra;   /* rows of the lower pane in addition to its default */
	/* Rows (if below the first) or columns (if beside it) of the second window in addition to its
	 * half. */
	int second_rows, second_columns;
	unsigned changes; /* enum ui_change: not yet passed to the panes */
	bool dirty, quit;
	bool waits;               /* all work is in workers' threads: the loop can wait for keys */
	struct term *term;        /* owned */
	struct term_grid *grid;   /* owned */
	struct ui_config *config; /* owned */
	struct ui_keymap *keys;   /* weak: those of CONFIG */
	struct ui_theme *theme;   /* owned */
	struct ui_prompt *prompt; /* owned; the question on the message line */
	char *argument;           /* owned: the text typed after the present command; NULL: none */
	struct ui_pane *asking;   /* weak; the pane that asked, and its callbacks */
	void (*answer)(struct ui_pane *pane, const char *text);
	void (*typed)(struct ui_pane *pane, const char *text);
	void (*write)(struct ui_pane *pane, const char *file); /* called with the file name */
	const char *endings; /* a file name must have one of these; static */
	char *file;          /* owned: the file name, until the user confirms to overwrite it; NULL: none */
	char *sync_wanted;   /* owned: the clocks to open the experiment again with; NULL: none */
	/* Of char *, owned: the notes since the experiment was opened, each once; panes can read them. */
	GPtrArray *notes;
	/* Owned: the lines of a file to run; NEXT_LINE is the next one.  Usually empty. */
	GPtrArray *lines;
	unsigned next_line;
	/* The command of the last key until its effect is known (ui_message.c), and a hash of the screen
	 * before it. */
	enum ui_command tried;
	guint64 look;
	uint32_t last_key;
	char *message; /* owned, NULL: none */
	bool message_is_error;
	unsigned pressed_x, pressed_y; /* the cell where the mouse button was last pressed */
	/* The pane that "back" shows again when it leaves a place with a history of BACK_LENGTH places: 1 +
	 * its index in PANES; 0: none. */
	unsigned back_pane, back_length;
	bool ascii;      /* draw only ASCII */
	bool letters;    /* draw states as letters, whatever the theme */
	bool drags;      /* the mouse button is pressed, and the mouse moved since */
	bool one_letter; /* the first typed character answers the question */
	/* Owned: the hints on the message line (ui_message.c); empty while it shows something else. */
	GArray *hinted;
};

#define UI_SHELL_SPAN_MIN 100 /* ns: the shortest window */

/* ---- life: for ui_run() and tests ---- */

/* Make a shell on TERM (takes ownership, also on failure) with the panes, keys and theme of OPTIONS.  NULL
 * with an error. */
struct ui_shell *ui_shell_new(const struct ui_options *options, struct term *term, GError **error);
void ui_shell_free(struct ui_shell *shell);
/* Make all panes; there must be none. */
void ui_shell_add_panes(struct ui_shell *shell);
/* The experiment is open: show all of it. */
void ui_shell_opened(struct ui_shell *shell, const struct ui_opened *opened);
/* Move row and cursor to the place where OPENED begins. */
void ui_shell_begin(struct ui_shell *shell, const struct ui_opened *opened);
/* Pass the noted changes to the panes (hook "changed"). */
void ui_shell_tell(struct ui_shell *shell);
/* Let the panes work for a slice.  True if there is more to do. */
bool ui_shell_work(struct ui_shell *shell);
/* Process KEY: by the question on the message line if there is one, otherwise as a command. */
void ui_shell_key(struct ui_shell *shell, uint32_t key);
/* True if KEY is a key with Alt to which nothing is bound, or that comes while a question is open.  It then
 * counts as two keys: Esc, and the key without Alt. */
bool ui_shell_is_two_keys(const struct ui_shell *shell, uint32_t key);

/* ---- places ---- */

/* Before the first key, store the view and the lower pane as FOUND and FOUND_LOWER.  After it, set MOVED if
 * the view differs from FOUND, or if another lower pane or the second window is open. */
void ui_shell_note_place(struct ui_shell *shell);
/* Show [FROM, TO) (ns), moved and cut to fit the span.  The cursor is moved into it. */
void ui_shell_set_window(struct ui_shell *shell, int64_t from, int64_t to);
/* Move the cursor to TIME (ns, clamped to the span).  The window moves along; its length stays. */
void ui_shell_set_cursor(struct ui_shell *shell, int64_t time);
/* Select ROW. */
void ui_shell_set_row(struct ui_shell *shell, uint32_t row);
/* Go to TIME in ROW, and store the previous place for "back".  If TIME is just outside the window, the window
 * moves a little; if it is farther away, it becomes the middle of the new window. */
void ui_shell_go(struct ui_shell *shell, int64_t time, uint32_t row);
/* Go to the window, cursor and row of PLACE, and store the previous place for "back". */
void ui_shell_visit(struct ui_shell *shell, const struct ui_place_in_time *place);
/* Go back to the last place.  False if there is none. */
bool ui_shell_back(struct ui_shell *shell);
/* *PLACE becomes the target of ui_shell_back().  False if there is none. */
bool ui_shell_last(const struct ui_shell *shell, struct ui_place_in_time *place);
/* Note that PANE led to the present place.  The command back, or Esc if it has nothing else to close,
 * then shows PANE again in place of the lower pane, unless PANE was closed meanwhile. */
void ui_shell_comes_back(struct ui_shell *shell, const struct ui_pane *pane);
/* The number of places that "back" can return to. */
unsigned ui_shell_history_length(const struct ui_shell *shell);
/* Zoom around the cursor by FACTOR (0.5: half the time).  The cursor stays in its screen column. */
void ui_shell_zoom(struct ui_shell *shell, double factor);
/* The length of one time column in ns, at least 1. */
int64_t ui_shell_column(const struct ui_shell *shell);
/* The begin of column C of the window in ns: base_time_column(), like qry_column_time(). */
int64_t ui_shell_column_time(const struct ui_shell *shell, unsigned c);
/* The column that contains TIME; -1 if it is before the window, COLUMNS if it is after it. */
int ui_shell_column_of(const struct ui_shell *shell, int64_t time);

/* [*FROM, *TO) becomes the selection.  If there is none: false, and it becomes the window. */
bool ui_shell_selection(const struct ui_shell *shell, int64_t *from, int64_t *to);
/* Select [FROM, TO). */
void ui_shell_select(struct ui_shell *shell, int64_t from, int64_t to);
/* True while the user makes a selection, which ends at the cursor. */
bool ui_shell_selects(const struct ui_shell *shell);

/* TIME as the header and lists show it, with all digits.  The caller frees. */
char *ui_shell_time_text(const struct ui_shell *shell, int64_t time);
/* The number of columns that ui_shell_time_text() takes at most. */
unsigned ui_shell_time_width(const struct ui_shell *shell);
/* DURATION (ns) for the screen ("1.25 ms"; ASCII units on an ASCII screen).  The caller frees. */
char *ui_shell_duration_text(const struct ui_shell *shell, int64_t duration);

/* ---- messages and questions ---- */

/* Show a message until the next key. */
void ui_shell_message(struct ui_shell *shell, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* Show the line TEXT, and add it to the list of warnings. */
void ui_shell_note(struct ui_shell *shell, const char *text);
/* Show an error message, without a bell. */
void ui_shell_error(struct ui_shell *shell, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* Show the text of ERROR, and free it. */
void ui_shell_take_error(struct ui_shell *shell, GError *error);
/* End the explorer: ui_run() returns ERROR.  Takes ownership. */
void ui_shell_fail(struct ui_shell *shell, GError *error);
/* Ask for a line of text; INITIAL (may be NULL) is proposed.  Calls ANSWER with the text, unless Esc drops
 * the question; calls it at once if the text was typed with the command (ui_argument.h).  Calls TYPED (may be
 * NULL) after every change.  Questions with the same LABEL (static) share a history. */
void ui_shell_ask(struct ui_shell *shell, struct ui_pane *pane, const char *label, const char *initial,
	void (*answer)(struct ui_pane *pane, const char *text),
	void (*typed)(struct ui_pane *pane, const char *text));

/* Like ui_shell_ask(), but the first typed character is the answer.  A text typed with the command is the
 * whole answer. */
void ui_shell_ask_letter(struct ui_shell *shell, struct ui_pane *pane, const char *label,
	void (*answer)(struct ui_pane *pane, const char *text));

/* Ask for a file name; INITIAL is proposed.  Calls WRITE with it; if the file exists, only after the user
 * confirms.  Refuses a name without one of ENDINGS (static, ".txt .json").  ENDINGS NULL: any name, also of a
 * folder, and WRITE must refuse one that exists. */
void ui_shell_ask_file(struct ui_shell *shell, struct ui_pane *pane, const char *label, const char *endings,
	const char *initial, void (*write)(struct ui_pane *pane, const char *file));

/* ---- commands and requests to panes ---- */

/* Do COMMAND as if its key was pressed. */
void ui_shell_command(struct ui_shell *shell, enum ui_command command);
/* Show or hide PANE.  A lower pane replaces the present one and gets the focus. */
void ui_shell_show(struct ui_shell *shell, struct ui_pane *pane, bool shown);
/* The rows of the main pane of the present view (the hook "rows").  The caller unrefs; NULL: none. */
GArray *ui_shell_rows(const struct ui_shell *shell);
/* True if the pane that COMMAND shows is on the screen. */
bool ui_shell_shows(const struct ui_shell *shell, enum ui_command command);
/* Give PANE, which must be shown, the focus. */
void ui_shell_focus(struct ui_shell *shell, struct ui_pane *pane);
/* Open LEAD (copied) in the pane that shows such things. */
void ui_shell_lead(struct ui_shell *shell, const struct ui_lead *lead);
/* Mark all latencies of KIND of at least LIMIT ns in the pane that shows rows; KIND NULL: mark none.  RULES:
 * the rules that contain KIND; NULL: KIND is not a rule.  RULES and KIND must stay valid. */
void ui_shell_mark_over(struct ui_shell *shell, const struct ana_rules *rules, const char *kind,
	int64_t limit);
/* Set the rows on the open path: ROWS (of uint32_t, takes ownership; NULL: no path is open).  ANEW: the user
 * asked for this path. */
void ui_shell_set_path_rows(struct ui_shell *shell, GArray *rows, bool anew);
/* Open the experiment again with the clocks SYNC (copied; as --sync), after this key was processed.  All
 * panes are made again.  The shown panes, the focus and the row stay.  Window, cursor, selection and history
 * stay, by the clock of their row's own host.  On failure nothing changes. */
void ui_shell_reopen(struct ui_shell *shell, const char *sync);
/* Draw the screen again, although no state changed. */
void ui_shell_redraw(struct ui_shell *shell);

#endif
