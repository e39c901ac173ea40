/* SPDX-License-Identifier: MIT */
/*
 * Attributes are added to those that are set, and colours changed alone, unless setting all anew is shorter
 * or one is to go: terminals differ in how one attribute is taken off, and all of them know 0.
 */
#include "ui/term/term_look.h"

#include <string.h>

#define NOT_ASKED UINT16_MAX

struct look {
	int32_t fg, bg; /* as the terminal counts colours; TERM_COLOUR_DEFAULT: its own */
	uint8_t attrs;
};

struct term_looks {
	struct term_paint_can can;
	struct term_style styles[TERM_ROLE_N];
	uint16_t numbers[TERM_ROLE_N][TERM_ROLE_N]; /* of role and overlay */
	GArray *looks;                              /* of struct look */
};

struct term_looks *term_looks_new(const struct term_paint_can *can)
{
	struct term_looks *looks = g_new0(struct term_looks, 1);
	const struct look plain = { TERM_COLOUR_DEFAULT, TERM_COLOUR_DEFAULT, 0 };

	looks->can = *can;
	looks->looks = g_array_new(FALSE, FALSE, sizeof(struct look));
	g_array_append_val(looks->looks, plain);
	return looks;
}

void term_looks_free(struct term_looks *looks)
{
	g_array_unref(looks->looks);
	g_free(looks);
}

void term_looks_set(struct term_looks *looks, const struct term_style *styles)
{
	memcpy(looks->styles, styles, sizeof looks->styles);
	memset(looks->numbers, 0xff, sizeof looks->numbers);
	g_array_set_size(looks->looks, 1);
}

static int32_t colour_number(const struct term_looks *looks, const struct term_colour *colour)
{
	if (!looks->can.colours)
		return TERM_COLOUR_DEFAULT;
	if (looks->can.colours >= 1 << 24)
		return colour->rgb;
	return looks->can.colours >= 256 ? colour->index256 : colour->index8;
}

static int32_t over_or(int32_t over, int32_t under)
{
	return over != TERM_COLOUR_DEFAULT ? over : under;
}

static unsigned term_look_number_of(struct term_looks *looks, const struct look *look)
{
	for (guint i = 0; i < looks->looks->len; i++) {
		const struct look *known = &g_array_index(looks->looks, struct look, i);

		if (known->fg == look->fg && known->bg == look->bg && known->attrs == look->attrs)
			return i;
	}
	g_array_append_vals(looks->looks, look, 1);
	return looks->looks->len - 1;
}

unsigned term_looks_of(struct term_looks *looks, unsigned role, unsigned over)
{
	const struct term_style *style = &looks->styles[role], *top = &looks->styles[over];
	uint16_t *number = &looks->numbers[role][over];
	struct look look = { colour_number(looks, &style->fg), colour_number(looks, &style->bg),
		style->attrs };

	if (*number != NOT_ASKED)
		return *number;
	if (over != TERM_ROLE_TEXT) {
		look.fg = over_or(colour_number(looks, &top->fg), look.fg);
		look.bg = over_or(colour_number(looks, &top->bg), look.bg);
		look.attrs |= top->attrs;
	}
	look.attrs &= looks->can.attrs;
	*number = (uint16_t)term_look_number_of(looks, &look);
	return *number;
}

static const struct look *term_look_nth(const struct term_looks *looks, unsigned look)
{
	return &g_array_index(looks->looks, struct look, look);
}

bool term_looks_erased(const struct term_looks *looks, unsigned look)
{
	const struct look *l = term_look_nth(looks, look);

	return l->bg == TERM_COLOUR_DEFAULT && !(l->attrs & (TERM_UNDERLINE | TERM_REVERSE));
}

int term_looks_compare(const struct term_looks *looks, unsigned a, unsigned b)
{
	const struct look *left = term_look_nth(looks, a), *right = term_look_nth(looks, b);

	return left->bg != right->bg ? (left->bg > right->bg) - (left->bg < right->bg)
				     : (left->attrs > right->attrs) - (left->attrs < right->attrs);
}

/* ---- SGR ---- */

static void term_look_add(GString *sgr, const char *parameters)
{
	bool first = sgr->len == 0 || sgr->str[sgr->len - 1] == ';';

	g_string_append_printf(sgr, "%s%s", first ? "" : ";", parameters);
}

/* The parameters of the terminal's own text, which is a whole SGR. */
static void add_rgb(const struct term_looks *looks, GString *sgr, int32_t rgb, bool background)
{
	const char *text = looks->can.rgb(rgb, background);
	g_autofree char *inside = g_strndup(text + 2, strlen(text) - 3);

	term_look_add(sgr, inside);
}

static void add_colour(const struct term_looks *looks, GString *sgr, int32_t colour, bool background)
{
	char text[32];

	if (colour == TERM_COLOUR_DEFAULT)
		g_snprintf(text, sizeof text, "%d", background ? 49 : 39);
	else if (looks->can.colours < 256)
		g_snprintf(text, sizeof text, "%d", (background ? 40 : 30) + colour);
	else if (looks->can.colours == 256 && colour < 16)
		g_snprintf(text, sizeof text, "%d",
			(background ? 10 : 0) + (colour < 8 ? 30 + colour : 82 + colour));
	else if (looks->can.colours == 256)
		g_snprintf(text, sizeof text, "%d;5;%d", background ? 48 : 38, colour);
	else {
		add_rgb(looks, sgr, colour, background);
		return;
	}
	term_look_add(sgr, text);
}

static void add_attrs(GString *sgr, unsigned attrs)
{
	static const struct {
		enum term_attr attr;
		const char *parameter;
	} all[] = { { TERM_BOLD, "1" }, { TERM_DIM, "2" }, { TERM_ITALIC, "3" }, { TERM_UNDERLINE, "4" },
		{ TERM_REVERSE, "7" } };

	for (gsize i = 0; i < G_N_ELEMENTS(all); i++)
		if (attrs & all[i].attr)
			term_look_add(sgr, all[i].parameter);
}

static void add_difference(const struct term_looks *looks, GString *sgr, const struct look *from,
	const struct look *to)
{
	add_attrs(sgr, to->attrs & ~(unsigned)from->attrs);
	if (to->fg != from->fg)
		add_colour(looks, sgr, to->fg, false);
	if (to->bg != from->bg)
		add_colour(looks, sgr, to->bg, true);
}

/* No parameter is 0, which takes all off. */
void term_looks_change(const struct term_looks *looks, GString *out, unsigned from, unsigned to)
{
	const struct look *old = term_look_nth(looks, from), *new = term_look_nth(looks, to);
	g_autoptr(GString) anew = g_string_new(to == TERM_LOOK_PLAIN ? NULL : ";"), sgr = g_string_new(NULL);
	bool loses = old->attrs & ~(unsigned)new->attrs;

	add_difference(looks, anew, term_look_nth(looks, TERM_LOOK_PLAIN), new);
	add_difference(looks, sgr, old, new);
	g_string_append_printf(out, "\033[%sm", !loses && sgr->len <= anew->len ? sgr->str : anew->str);
}
