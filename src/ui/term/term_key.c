/* SPDX-License-Identifier: MIT */
#include "ui/term/term_key.h"

#include <string.h>

static const struct {
	const char *name;
	uint32_t key;
} names[] = {
	{ "Up", TERM_KEY_UP },
	{ "Down", TERM_KEY_DOWN },
	{ "Left", TERM_KEY_LEFT },
	{ "Right", TERM_KEY_RIGHT },
	{ "Home", TERM_KEY_HOME },
	{ "End", TERM_KEY_END },
	{ "PgUp", TERM_KEY_PGUP },
	{ "PgDn", TERM_KEY_PGDN },
	{ "Insert", TERM_KEY_INSERT },
	{ "Delete", TERM_KEY_DELETE },
	{ "BackSpace", TERM_KEY_BACKSPACE },
	{ "Enter", TERM_KEY_ENTER },
	{ "Tab", TERM_KEY_TAB },
	{ "Esc", TERM_KEY_ESC },
	{ "Space", ' ' },
	{ "Hash", '#' },
	{ "Click", TERM_KEY_CLICK },
	{ "DoubleClick", TERM_KEY_DOUBLE },
	{ "Move", TERM_KEY_MOVE },
	{ "Drag", TERM_KEY_DRAG },
	{ "WheelUp", TERM_KEY_WHEEL_UP },
	{ "WheelDown", TERM_KEY_WHEEL_DOWN },
};

bool term_key_is_mouse(uint32_t key)
{
	uint32_t base = key & ~(TERM_KEY_CTRL | TERM_KEY_ALT | TERM_KEY_SHIFT);

	return base >= TERM_KEY_CLICK && base <= TERM_KEY_WHEEL_DOWN;
}

static bool parse_base(const char *name, uint32_t *key)
{
	gunichar ch = g_utf8_get_char_validated(name, -1);

	if (ch != (gunichar)-1 && ch != (gunichar)-2 && ch > ' ' && ch != 0x7f && !*g_utf8_next_char(name)) {
		*key = ch;
		return true;
	}
	for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
		if (!g_ascii_strcasecmp(names[i].name, name)) {
			*key = names[i].key;
			return true;
		}
	}
	if ((name[0] == 'F' || name[0] == 'f') && g_ascii_isdigit(name[1])) {
		guint64 n = g_ascii_strtoull(name + 1, NULL, 10);

		*key = TERM_KEY_F1 + (uint32_t)n - 1;
		return n >= 1 && n <= 12 && strlen(name) <= 3;
	}
	return false;
}

bool term_key_parse(const char *name, uint32_t *key)
{
	uint32_t modifiers = 0;

	while (name[0] && name[1] == '-' && name[2]) {
		if (name[0] == 'C')
			modifiers |= TERM_KEY_CTRL;
		else if (name[0] == 'M')
			modifiers |= TERM_KEY_ALT;
		else if (name[0] == 'S')
			modifiers |= TERM_KEY_SHIFT;
		else
			return false;
		name += 2;
	}
	if (!parse_base(name, key))
		return false;
	if ((modifiers & TERM_KEY_SHIFT) && *key < TERM_KEY_SPECIAL)
		return false;
	if ((modifiers & TERM_KEY_CTRL) && *key < 0x80)
		*key = (uint32_t)g_ascii_tolower((char)*key);
	*key |= modifiers;
	return true;
}

char *term_key_name(uint32_t key)
{
	uint32_t base = key & ~(TERM_KEY_CTRL | TERM_KEY_ALT | TERM_KEY_SHIFT);
	GString *text = g_string_new(NULL);

	if (key & TERM_KEY_CTRL)
		g_string_append(text, "C-");
	if (key & TERM_KEY_ALT)
		g_string_append(text, "M-");
	if (key & TERM_KEY_SHIFT)
		g_string_append(text, "S-");
	for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
		if (names[i].key == base && base != '#') {
			g_string_append(text, names[i].name);
			return g_string_free(text, FALSE);
		}
	}
	if (base >= TERM_KEY_F1 && base <= TERM_KEY_F12)
		g_string_append_printf(text, "F%u", base - TERM_KEY_F1 + 1);
	else if (base < TERM_KEY_SPECIAL)
		g_string_append_unichar(text, base);
	return g_string_free(text, FALSE);
}
