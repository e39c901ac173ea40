/* SPDX-License-Identifier: MIT */
/*
 * Keys as numbers and as names.  A key is a Unicode character or one of the special keys below, or'ed with
 * modifiers.  Configurations and scripts use the names: "j", "Space", "Tab", "S-Tab", "C-d", "M-x", "Enter",
 * "F1", "PgUp", "WheelUp".
 */
#ifndef TERM_KEY_H
#define TERM_KEY_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#define TERM_KEY_CTRL (1u << 24)
#define TERM_KEY_ALT (1u << 25)
#define TERM_KEY_SHIFT (1u << 26) /* only for special keys */

enum term_key {
	TERM_KEY_NONE = 0,                  /* no key within the timeout */
	TERM_KEY_SPECIAL = 0x110000,        /* above all of Unicode */
	TERM_KEY_RESIZE = TERM_KEY_SPECIAL, /* the terminal has a new size */
	TERM_KEY_END_OF_INPUT,              /* the terminal is gone, or the script has ended */
	TERM_KEY_UP,
	TERM_KEY_DOWN,
	TERM_KEY_LEFT,
	TERM_KEY_RIGHT,
	TERM_KEY_HOME,
	TERM_KEY_END,
	TERM_KEY_PGUP,
	TERM_KEY_PGDN,
	TERM_KEY_INSERT,
	TERM_KEY_DELETE,
	TERM_KEY_BACKSPACE,
	TERM_KEY_ENTER,
	TERM_KEY_TAB,
	TERM_KEY_ESC,
	TERM_KEY_F1,
	TERM_KEY_F12 = TERM_KEY_F1 + 11,
	TERM_KEY_PASTE, /* text was pasted: term.pasted */
	TERM_KEY_CLICK,
	TERM_KEY_DOUBLE, /* the second click at the same place, shortly after the first */
	TERM_KEY_MOVE,   /* the mouse moved with its button pressed */
	TERM_KEY_DRAG,   /* the button was released at another place, or after a move */
	TERM_KEY_WHEEL_UP,
	TERM_KEY_WHEEL_DOWN /* the place of a mouse key is term.mouse_x, term.mouse_y */
};

/* True if KEY is a mouse key. */
bool term_key_is_mouse(uint32_t key);

/* *KEY becomes the key called NAME; false if there is none. */
bool term_key_parse(const char *name, uint32_t *key);
/* The name of KEY.  The caller frees. */
char *term_key_name(uint32_t key);

#endif
