/* SPDX-License-Identifier: MIT */
/*
 * What all panes share: the experiment, the view of it (window, cursor, row,
 * selection, history of places), and the line for messages and questions.  Panes read
 * the fields and change them by the functions, which tell the other panes.
 *
 * The experiment is only a pointer here: the shell itself asks it nothing, so
 * that it can be tested without a trace.
 */
#ifndef UI_SHELL_H
#define UI_SHELL_H

#include "base/base_time_way.h"
#include "ui/core/ui.h"
#include "ui/core/ui_keymap.h"
#include "ui/core/ui_pane.h"
#include "ui/core/ui_theme.h"
#include "ui/core/ui_view.h"

struct ana_exchange;
struct compare_set;
struct qry;
struct ui_config;
struct ui_prompt;
struct ui_undo;

#define UI_NO_ROW UINT32_MAX /* MDL_NONE of the model */

/* Whose time, and which. */
struct ui_account {
	unsigned what;           /* enum ana_account_what; 0: of a thread */
	uint32_t host, row, cpu; /* as in struct ana_account_of */
	uint32_t device;
	int64_t from, to;
	const char *label; /* interned: in words, NULL: of a thread */
};

struct ui_shell {
	const struct ui_options *options; /* weak */
	struct qry *q;                    /* the experiment, weak; NULL until it is open */
	int64_t span_from, span_to;       /* of the experiment */
	uint32_t n_rows;                  /* rows of the experiment: all numbers of rows are below */

	/* Read these; change them by the functions below. */
	struct ui_view *view; /* weak, of VIEWS: the one that functions and panes are about */
	/* Columns of names at the left of the pane that is spoken to, with the line that ends them; of time
	 * right of them: the step of cursor moves. */
	unsigned names;
	unsigned columns;
	const struct base_time_way *times; /* how they are shown */
	bool no_mouse;                     /* what the mouse does is the terminal's business */
	/* Rows and lists are without the tracer's own threads, but for those that were asked for. */
	bool hide_tracer;
	bool path_anew; /* the path of path_rows was asked for, and does not only follow the selected row */
	uint32_t wait_row; /* the wait opened last, or that of the request opened last: whose, */
	int64_t wait_end;  /* and when its wake-up was */
	char *sync;        /* which clocks, as --sync; owned */
	bool reopened;     /* it was opened again: nothing of the command line is to be done any more */
	struct ui_account account; /* the account opened last */
	/* Latencies of this kind, or rule, are marked, weak; NULL none: */
	const char *over_kind;
	const struct ana_rules *over_rules; /* weak; NULL: it is no rule */
	int64_t over_limit;                 /* those of at least this, ns */
	/* The rows on the critical path that is open, of uint32_t, in its order; owned, NULL: none is. */
	GArray *path_rows;
	const struct ana_exchange *exchange; /* weak; the request opened from a list last */
	struct compare_set *compared;        /* weak; what was asked to be compared last */
	uint32_t event_host, event_cpu;      /* the event shown last; event_cpu UI_NO_ROW: any */
	int64_t event_time;
	/* Of a trace that is followed: how far it is, owned, NULL: it is not; the end stays in view. */
	char *followed;
	bool held;
	bool follow_over; /* nothing more comes of it */
	/* Where the user found the explorer before his first key, and the lower pane that was there; whether
	 * he went elsewhere since, for however short. */
	struct ui_view found;
	const struct ui_pane_ops *found_lower; /* NULL none */
	bool used, moved;
	bool configuring;    /* the lines of the configuration are being done */
	bool no_arrows;      /* wake-ups are drawn without arrows; panes may change it */
	uint32_t clock_host; /* the host whose clock is looked at; panes may change it */

	/* Owned by the shell, not for panes. */
	struct ui_view views[UI_VIEWS];
	GArray *ways;          /* of struct ui_way, owned; the first one is none */
	GArray *title_signs;   /* of struct ui_title_sign: those of the title being made; owned */
	struct ui_undo *undo;  /* owned; the views that were */
	GPtrArray *panes;      /* of struct ui_pane, owned, in the order of the registry */
	struct ui_pane *focus; /* weak */
	/* Weak: the MAIN pane that has the focus or had it last, whose shell->view is, but while another one
	 * is spoken to. */
	struct ui_pane *main;
	bool two;          /* there is a second window, */
	bool room_for_two; /* and room for both, at the last layout */
	unsigned linked;   /* enum ui_link: how the other one moves along */
	bool maximised;    /* the pane with the focus has the whole screen until it is left; */
	bool stacked;      /* each pane has it */
	bool resized;      /* the user made a part larger or smaller, which is not laid out yet */
	int names_extra;   /* columns that the names have more than their default */
	int lower_extra;   /* rows that the lower pane has more than its default */
	/* Rows, where it is below the first one, or columns that the second window has more than its half. */
	int second_rows, second_columns;
	unsigned changes; /* enum ui_change not yet told */
	bool dirty, quit;
	bool waits;               /* what is to be done is done by workers: there is time to wait for a key */
	struct term *term;        /* owned */
	struct term_grid *grid;   /* owned */
	struct ui_config *config; /* owned */
	struct ui_keymap *keys;   /* weak: of the configuration */
	struct ui_theme *theme;   /* owned */
	struct ui_prompt *prompt; /* owned; the question on the message line */
	char *argument; /* owned: what was typed behind the command that is being done; NULL nothing */
	struct ui_pane *asking; /* weak; who asked it, and what to call then */
	void (*answer)(struct ui_pane *pane, const char *text);
	void (*typed)(struct ui_pane *pane, const char *text);
	void (*write)(struct ui_pane *pane, const char *file); /* what to call with the name of a file, */
	const char *endings;                                   /* which of these the name must have, static */
	char *file;        /* owned: the name that waits for "yes"; NULL none yet */
	char *sync_wanted; /* owned: to be opened again with it; NULL: no */
	/* Of char *, owned: what was noted since it was opened, each once; for panes to read. */
	GPtrArray *notes;
	/* Owned: lines of a file that are still to be done, from the next one on; none in most runs. */
	GPtrArray *lines;
	unsigned next_line;
	/* The command that was done for the last key, until it is seen what came of it (ui_reason.c), and how
	 * the screen was before. */
	enum ui_command tried;
	guint64 look;
	char *message; /* owned, NULL none */
	bool message_is_error;
	unsigned pressed_x, pressed_y; /* the cell where the mouse's button was pressed last */
	/* The pane that comes back, too, when "back" leads on from so many places: 1 + its place in PANES; 0:
	 * none. */
	unsigned back_pane, back_length;
	bool ascii;      /* only ASCII is drawn */
	bool letters;    /* states are letters, whatever the theme */
	bool drags;      /* the mouse was moved since the button was pressed, which is not let go */
	bool one_letter; /* the question is answered by its first character */
	/* Owned: the hints on the message line (ui_hints.c); empty while something else stands there. */
	GArray *hinted;
};

#define UI_SHELL_SPAN_MIN 100 /* ns: the shortest window */

/* ---- life: for ui_run() and tests ---- */

/* A shell on TERM (always taken over) with the panes, keys and theme of OPTIONS.  NULL with an error. */
struct ui_shell *ui_shell_new(const struct ui_options *options, struct term *term, GError **error);
void ui_shell_free(struct ui_shell *shell);
/* Make the panes, as if none were there yet. */
void ui_shell_add_panes(struct ui_shell *shell);
/* The experiment is there: show all of it. */
void ui_shell_opened(struct ui_shell *shell, const struct ui_opened *opened);
/* Put row and cursor where OPENED begins. */
void ui_shell_begin(struct ui_shell *shell, const struct ui_opened *opened);
/* Tell the panes what has changed. */
void ui_shell_tell(struct ui_shell *shell);
/* Let the panes work for a slice; true: there is more to do. */
bool ui_shell_work(struct ui_shell *shell);
/* Take KEY: the question on the message line, else a command. */
void ui_shell_key(struct ui_shell *shell, uint32_t key);
/* Whether KEY is Alt and a key on which there is nothing: then it was Esc and, right behind it, that key. */
bool ui_shell_is_two_keys(const struct ui_shell *shell, uint32_t key);

/* ---- where ---- */

/* Note where the user finds the explorer, until he presses a key; from then on whether he went elsewhere, or
 * opened another pane than the one that was there. */
void ui_shell_note_place(struct ui_shell *shell);
/* Show [FROM, TO), moved and cut to fit the span; the cursor is pulled into it. */
void ui_shell_set_window(struct ui_shell *shell, int64_t from, int64_t to);
/* Put the cursor at TIME (cut to the span); the window moves along, its length stays. */
void ui_shell_set_cursor(struct ui_shell *shell, int64_t time);
/* Select ROW. */
void ui_shell_set_row(struct ui_shell *shell, uint32_t row);
/* Go to TIME in ROW and remember the place left, for "back".  A TIME outside the window is put in the middle
 * of it. */
void ui_shell_go(struct ui_shell *shell, int64_t time, uint32_t row);
/* Go to the window, instant and row of PLACE, and remember the place left in the same way. */
void ui_shell_visit(struct ui_shell *shell, const struct ui_place_in_time *place);
/* Back to the last place; false when there is none. */
bool ui_shell_back(struct ui_shell *shell);
/* Where that would be; false when there is none. */
bool ui_shell_last(const struct ui_shell *shell, struct ui_place_in_time *place);
/* PANE led to the place where one is now: when "back" leaves that, or Esc with nothing else to leave, PANE is
 * shown again, whatever took its place; unless it was closed meanwhile. */
void ui_shell_comes_back(struct ui_shell *shell, const struct ui_pane *pane);
/* How many places "back" can lead to, one after the other. */
unsigned ui_shell_history_length(const struct ui_shell *shell);
/* Zoom by FACTOR (0.5: half the time) around the cursor, which keeps its place on the screen. */
void ui_shell_zoom(struct ui_shell *shell, double factor);
/* Length in ns of one time column, at least 1. */
int64_t ui_shell_column(const struct ui_shell *shell);
/* When column C of the window begins: base_time_column(), the same as qry_column_time(). */
int64_t ui_shell_column_time(const struct ui_shell *shell, unsigned c);
/* The column that holds TIME; columns when it is after the window, -1 when before. */
int ui_shell_column_of(const struct ui_shell *shell, int64_t time);

/* The selected stretch; false (and the window instead) when there is none. */
bool ui_shell_selection(const struct ui_shell *shell, int64_t *from, int64_t *to);
/* Select [FROM, TO). */
void ui_shell_select(struct ui_shell *shell, int64_t from, int64_t to);
/* Is one being made: does its end go with the cursor? */
bool ui_shell_selects(const struct ui_shell *shell);

/* TIME as the header and the lists show it: all digits.  The caller frees. */
char *ui_shell_time_text(const struct ui_shell *shell, int64_t time);
/* Columns that a list gives to such times. */
unsigned ui_shell_time_width(const struct ui_shell *shell);
/* A duration for the screen ("1.25 ms"; units in ASCII where the screen is).  The caller frees. */
char *ui_shell_duration_text(const struct ui_shell *shell, int64_t duration);

/* ---- talking ---- */

/* Say something on the message line, until the next key. */
void ui_shell_message(struct ui_shell *shell, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* Say TEXT, one line, and keep it where warnings are listed. */
void ui_shell_note(struct ui_shell *shell, const char *text);
/* Say what does not work.  Rings no bell. */
void ui_shell_error(struct ui_shell *shell, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* The text of ERROR, which is freed. */
void ui_shell_take_error(struct ui_shell *shell, GError *error);
/* The explorer cannot go on: it ends, and ui_run() returns ERROR, which is taken over. */
void ui_shell_fail(struct ui_shell *shell, GError *error);
/*
 * Ask for a line of text, with INITIAL proposed (may be NULL).  ANSWER is called with it unless the
 * question is dropped with Esc, at once where the text was typed with the command (ui_argument.h); TYPED (may
 * be NULL) after every change.  Questions with the same LABEL (static) share a history.
 */
void ui_shell_ask(struct ui_shell *shell, struct ui_pane *pane, const char *label, const char *initial,
	void (*answer)(struct ui_pane *pane, const char *text),
	void (*typed)(struct ui_pane *pane, const char *text));

/* The same, where the first character typed is the answer; a text that was typed with the command is the
 * answer as it is. */
void ui_shell_ask_letter(struct ui_shell *shell, struct ui_pane *pane, const char *label,
	void (*answer)(struct ui_pane *pane, const char *text));

/*
 * Ask for the name of a file, with INITIAL proposed, and call WRITE with it; where there is such a file
 * only after it was said that it may be overwritten.  A name that has none of ENDINGS (static, ".txt .json")
 * is refused.
 */
void ui_shell_ask_file(struct ui_shell *shell, struct ui_pane *pane, const char *label, const char *endings,
	const char *initial, void (*write)(struct ui_pane *pane, const char *file));

/* ---- doing ---- */

/* Do COMMAND as if its key was pressed. */
void ui_shell_command(struct ui_shell *shell, enum ui_command command);
/* Show or hide PANE; a lower pane takes the place of the other one and the focus. */
void ui_shell_show(struct ui_shell *shell, struct ui_pane *pane, bool shown);
/* The rows that the main pane of the view shows (the hook "rows"); the caller unrefs, NULL none. */
GArray *ui_shell_rows(const struct ui_shell *shell);
/* Is a pane on the screen that COMMAND shows? */
bool ui_shell_shows(const struct ui_shell *shell, enum ui_command command);
/* Give PANE, which is shown, the focus. */
void ui_shell_focus(struct ui_shell *shell, struct ui_pane *pane);
/* Open the wait of thread ROW that a wake-up ended at END, or its wait for a CPU that ended then: whichever
 * pane explains waits shows it. */
void ui_shell_open_wait(struct ui_shell *shell, uint32_t row, int64_t end);
/* Show ACCOUNT. */
void ui_shell_open_account_of(struct ui_shell *shell, const struct ui_account *account);
/* That of [FROM, TO) of thread ROW. */
void ui_shell_open_account(struct ui_shell *shell, uint32_t row, int64_t from, int64_t to);
/* Mark all latencies of KIND (of RULES, unless NULL; both must stay; NULL: none) of at least LIMIT ns:
 * whichever pane shows rows does. */
void ui_shell_mark_over(struct ui_shell *shell, const struct ana_rules *rules, const char *kind,
	int64_t limit);
/* Open the whole request that this wait was a part of: whichever pane knows about requests shows it. */
void ui_shell_open_request(struct ui_shell *shell, uint32_t row, int64_t end);
/* Open the request EXCHANGE, which must stay until all were told: the same. */
void ui_shell_open_exchange(struct ui_shell *shell, const struct ana_exchange *exchange);
/* Compare the slow ones of SET, which must stay until all were told, with the fast ones: the pane that knows
 * how takes it. */
void ui_shell_open_compare(struct ui_shell *shell, struct compare_set *set);
/* Open the critical path of the selected row in the window: whichever pane shows paths does, whosever path it
 * showed before. */
void ui_shell_open_path(struct ui_shell *shell);
/* The path leads over ROWS (of uint32_t, taken over; NULL: none is open any more); ANEW: it was asked for. */
void ui_shell_set_path_rows(struct ui_shell *shell, GArray *rows, bool anew);
/*
 * Show the event at TIME on CPU (MDL_NONE: any) of HOST among those around it: whichever pane lists events
 * shows it, takes the focus, and puts the cursor there; the place left goes into the history.
 */
void ui_shell_open_event(struct ui_shell *shell, uint32_t host, int64_t time, uint32_t cpu);
/*
 * Open the experiment again with the clocks that SYNC (copied) tells as --sync does, as soon as this key is
 * done with.  All panes are made anew then; which are shown, the focus, the row, and window, cursor,
 * selection and way, as the clock of their row's own host has them, stay.  Where it fails everything does.
 */
void ui_shell_reopen(struct ui_shell *shell, const char *sync);
/* Draw again, nothing else has changed. */
void ui_shell_redraw(struct ui_shell *shell);

#endif
