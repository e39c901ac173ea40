/* SPDX-License-Identifier: MIT */
/*
 * A terminal: shows a grid, gives keys.  Backends are const tables of
 * operations: one talks to curses, one plays a script without a terminal.
 */
#ifndef TERM_H
#define TERM_H

#include "ui/term/term_grid.h"
#include "ui/term/term_key.h"

#define TERM_COLOUR_DEFAULT (-1)

enum term_attr { TERM_BOLD = 1, TERM_DIM = 2, TERM_UNDERLINE = 4, TERM_REVERSE = 8, TERM_ITALIC = 16 };

/* A colour: 24 bits for terminals that can, one of 256 and one of the 16 first for others; -1: its own. */
struct term_colour {
	int32_t rgb;      /* 0xrrggbb */
	int16_t index256; /* 0..255 */
	int8_t index8;    /* 0..7 */
};

/* How a role looks. */
struct term_style {
	struct term_colour fg, bg;
	uint8_t attrs; /* enum term_attr */
};

struct term {
	const struct term_ops *ops;
	unsigned colours;          /* 0: none, 8, 256, 1 << 24 */
	bool utf8;                 /* false: only ASCII can be shown */
	unsigned mouse_x, mouse_y; /* the cell where the mouse was at its last key */
	bool copy;                 /* copy() tries it whatever terminal this is */
	GString *pasted;           /* the text of the last TERM_KEY_PASTE, UTF-8.  Owned; NULL before */
	GError *error;             /* what went wrong; ends the loop.  Owned */
};

struct term_ops {
	const char *name;
	/* The look of all TERM_ROLE_N roles, copied. */
	void (*set_styles)(struct term *term, const struct term_style *styles);
	/* How large the screen is now. */
	void (*size)(struct term *term, unsigned *columns, unsigned *rows);
	/* Show GRID. */
	void (*draw)(struct term *term, const struct term_grid *grid);
	/* Repaint everything at the next draw. */
	void (*repaint)(struct term *term);
	/* Take what the mouse does as keys, or leave it to the terminal, which then selects text with it.
	 * False: there is no mouse. */
	bool (*set_mouse)(struct term *term, bool on);
	/* Put TEXT (TERM_COPY_MAX bytes at most) on the clipboard.  *HOW, static, says in words how; or,
	 * false, why not. */
	bool (*copy)(struct term *term, const char *text, const char **how);
	/*
	 * The next key; waits up to TIMEOUT ms (-1: for ever).  IDLE says that
	 * the program has nothing left to do: a script feeds its next key only then.
	 */
	uint32_t (*key)(struct term *term, int timeout, bool idle);
	/* Give the terminal back and free TERM. */
	void (*free)(struct term *term);
};

/* The terminal on standard input and output; NULL with BASE_ERROR_USAGE when there is none.  Uses the locale
 * of LC_CTYPE. */
struct term *term_curses_new(GError **error);
/* The script in file PATH (see cli.md, "Scripted explorer"), on a screen of 80×24 at first. */
struct term *term_script_new(const char *path, GError **error);

/*
 * Read a colour as themes write it: "-", "red", "bright-blue", "0".."255",
 * "#rrggbb"; "A/B": B where there are only 8.  False when it is none.
 */
bool term_colour_parse(const char *text, struct term_colour *colour);

#endif
