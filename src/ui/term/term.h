/* SPDX-License-Identifier: MIT */
/* A terminal shows a grid and delivers keys.  A backend is a const table of operations.  There are two:
 * curses, and one that plays a script without a terminal. */
#ifndef TERM_H
#define TERM_H

#include "ui/term/term_grid.h"
#include "ui/term/term_key.h"

#include <glib.h>
#include <stdbool.h>

#define TERM_COLOUR_DEFAULT (-1)

/* Attributes of a cell (bits). */
enum term_attr { TERM_BOLD = 1, TERM_DIM = 2, TERM_UNDERLINE = 4, TERM_REVERSE = 8, TERM_ITALIC = 16 };

/* A colour in three forms: 24 bits, one of 256, one of the first 8.  TERM_COLOUR_DEFAULT: the terminal's
 * own. */
struct term_colour {
	int32_t rgb;      /* 0xrrggbb */
	int16_t index256; /* 0..255 */
	int8_t index8;    /* 0..7 */
};

/* The look of a role. */
struct term_style {
	struct term_colour fg, bg;
	uint8_t attrs; /* enum term_attr */
};

struct term {
	const struct term_ops *ops;
	unsigned colours;          /* 0: none, 8, 256, 1 << 24 */
	bool utf8;                 /* false: only ASCII can be shown */
	unsigned mouse_x, mouse_y; /* the cell of the last mouse key, from 0 */
	/* True for a script: it delivers a key only when the program is idle, so it is useless to delay work
	 * in case another key comes first. */
	bool waits;
	bool copy;       /* copy() sends OSC 52 to every type of terminal */
	GString *pasted; /* text of the last TERM_KEY_PASTE, UTF-8; owned, NULL before the first */
	GError *error;   /* owned; if set, the loop ends */
};

struct term_ops {
	const char *name;
	/* Set the looks of all TERM_ROLE_N roles; STYLES is copied. */
	void (*set_styles)(struct term *term, const struct term_style *styles);
	/* *COLUMNS, *ROWS become the present size of the screen. */
	void (*size)(struct term *term, unsigned *columns, unsigned *rows);
	/* Show GRID. */
	void (*draw)(struct term *term, const struct term_grid *grid);
	/* Repaint the whole screen at the next draw(). */
	void (*repaint)(struct term *term);
	/* ON: mouse actions become keys.  Otherwise the terminal uses the mouse to select text.  False if
	 * there is no mouse. */
	bool (*set_mouse)(struct term *term, bool on);
	/* Put TEXT (at most TERM_COPY_MAX bytes) on the clipboard.  *HOW becomes a static text that says
	 * where the text went.  If it cannot be copied: false, and *HOW says why. */
	bool (*copy)(struct term *term, const char *text, const char **how);
	/* Returns the next key; waits up to TIMEOUT ms (-1: without limit).  IDLE: the program has nothing
	 * left to do; a script delivers its next key only then. */
	uint32_t (*key)(struct term *term, int timeout, bool idle);
	/* Restore the terminal and free TERM. */
	void (*free)(struct term *term);
};

/* The terminal on standard input and output.  Uses the locale of LC_CTYPE.  NULL with BASE_ERROR_USAGE if
 * there is no terminal. */
struct term *term_curses_new(GError **error);
/* The script in file PATH (see cli.md, "Scripted explorer"); the screen is 80×24 at first.  NULL with an
 * error. */
struct term *term_script_new(const char *path, GError **error);

/* Read a colour in the notation of themes: "-", "red", "bright-blue", "0".."255", "#rrggbb".  "A/B" means B
 * on terminals with only 8 colours.  False if TEXT is not a colour. */
bool term_colour_parse(const char *text, struct term_colour *colour);

/* ---- the clipboard ---- */

#define TERM_COPY_MAX 50000 /* bytes of a text; many terminals take sequences of at most 74994 bytes */

/* True if terminals of TYPE ($TERM; may be NULL) are known to execute OSC 52, or to ignore unknown sequences.
 * Other terminals could print it. */
bool term_copy_is_taken(const char *type);
/* The sequence OSC 52 with TEXT in base64, so that TEXT cannot contain a sequence.  TMUX: the sequence twice:
 * plain, which tmux takes if set-clipboard is on, and wrapped, which tmux passes on if allow-passthrough is
 * on.  SCREEN (GNU screen): wrapped, in pieces.  The caller frees. */
char *term_copy_sequence(const char *text, bool tmux, bool screen);

/* ---- when a signal ends the program ---- */

/* Restore the terminal that term_curses_new() opened, if there is one: its modes, and all that was switched
 * on by sequences.  Does not wait, frees nothing, and is async-signal-safe. */
void term_leave(void);

#endif
