/* SPDX-License-Identifier: MIT */
/* Roles, and the colours that themes give them. */
#include "ui/term/term.h"

#include <string.h>

static const struct {
	const char *name;
	gunichar letter;
	uint8_t as;
} roles[TERM_ROLE_N] = {
#define TERM_ROLE_ROW(id, name, letter, as) [TERM_ROLE_##id] = { name, letter, TERM_ROLE_##as },
	TERM_ROLES(TERM_ROLE_ROW)
#undef TERM_ROLE_ROW
};

const char *term_role_name(enum term_role role)
{
	return roles[role].name;
}

gunichar term_role_letter(enum term_role role)
{
	return roles[role].letter;
}

enum term_role term_role_as(enum term_role role)
{
	return roles[role].as;
}

bool term_role_find(const char *name, enum term_role *role)
{
	for (unsigned i = 0; i < TERM_ROLE_N; i++) {
		if (!strcmp(roles[i].name, name)) {
			*role = i;
			return true;
		}
	}
	return false;
}

/*
 * ---- colours ----
 *
 * A theme names one colour.  The colours for terminals with 16 million, 256 and 8 colours are the nearest
 * ones in RGB.  After a slash, the theme can name another one for 8 colours.
 */

static const char *const basic[8] = { "black", "red", "green", "yellow", "blue", "magenta", "cyan", "white" };
/* The first 16 colours, as xterm shows them. */
static const int32_t basic_rgb[16] = { 0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd,
	0xe5e5e5, 0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff };

/* RGB of colour INDEX of the 256. */
static int32_t rgb_of(int index)
{
	int n = index - 16, grey = 8 + 10 * (index - 232);

	if (index < 16)
		return basic_rgb[index];
	if (index >= 232)
		return grey << 16 | grey << 8 | grey;
#define TERM_CUBE(v) ((v) ? 55 + 40 * (v) : 0)
	return TERM_CUBE(n / 36) << 16 | TERM_CUBE(n / 6 % 6) << 8 | TERM_CUBE(n % 6);
#undef TERM_CUBE
}

static int32_t term_colour_distance(int32_t a, int32_t b)
{
	int32_t red = (a >> 16 & 255) - (b >> 16 & 255);
	int32_t green = (a >> 8 & 255) - (b >> 8 & 255);
	int32_t blue = (a & 255) - (b & 255);

	return 3 * red * red + 4 * green * green + 2 * blue * blue;
}

/* The colour in [FIRST, LAST] that is nearest to RGB. */
static int nearest(int32_t rgb, int first, int last)
{
	int best = first;

	for (int i = first; i <= last; i++)
		if (term_colour_distance(rgb, rgb_of(i)) < term_colour_distance(rgb, rgb_of(best)))
			best = i;
	return best;
}

static void from_index(int index, struct term_colour *colour)
{
	colour->rgb = rgb_of(index);
	colour->index256 = (int16_t)index;
	colour->index8 = (int8_t)(index < 16 ? index & 7 : nearest(colour->rgb, 0, 7));
}

static bool parse_rgb(const char *text, struct term_colour *colour)
{
	char *end;
	guint64 rgb = g_ascii_strtoull(text, &end, 16);

	if (*end || strlen(text) != 6)
		return false;
	colour->rgb = (int32_t)rgb;
	colour->index256 = (int16_t)nearest(colour->rgb, 16, 255);
	colour->index8 = (int8_t)nearest(colour->rgb, 0, 7);
	return true;
}

static bool parse_name(const char *text, struct term_colour *colour)
{
	bool bright = g_str_has_prefix(text, "bright-");

	for (int i = 0; i < 8; i++) {
		if (!strcmp(basic[i], bright ? text + 7 : text)) {
			from_index(i + (bright ? 8 : 0), colour);
			return true;
		}
	}
	return false;
}

static bool parse_one(const char *text, struct term_colour *colour)
{
	char *end;
	guint64 index;

	if (!strcmp(text, "-")) {
		*colour = (struct term_colour){ TERM_COLOUR_DEFAULT, TERM_COLOUR_DEFAULT,
			TERM_COLOUR_DEFAULT };
		return true;
	}
	if (text[0] == '#')
		return parse_rgb(text + 1, colour);
	if (!g_ascii_isdigit(text[0]))
		return parse_name(text, colour);
	index = g_ascii_strtoull(text, &end, 10);
	if (*end || index > 255)
		return false;
	from_index((int)index, colour);
	return true;
}

bool term_colour_parse(const char *text, struct term_colour *colour)
{
	g_auto(GStrv) parts = g_strsplit(text, "/", 2);
	struct term_colour other;
	bool good = parts[0] && parse_one(parts[0], colour);

	if (good && parts[1]) {
		good = parse_one(parts[1], &other);
		colour->index8 = good ? other.index8 : colour->index8;
	}
	return good;
}
