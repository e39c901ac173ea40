/* SPDX-License-Identifier: MIT */
/*
 * The painter.  It paints the cells that differ from the screen, all cells of one look before the next look:
 * setting colours takes three times the bytes of stepping over cells of other colours, and a terminal with
 * synchronised output shows no partial frame.
 *
 * It repeats characters by REP, also over cells that a later look paints.  It scrolls lines that only moved,
 * erases blanks to the end of a line, changes colours separately, and steps over cells between two changes,
 * or writes them again if that is shorter.
 *
 * curses needs 1.3 times the bytes for a step of the cursor, 2.3 times for a row and 2.6 times for a pan or
 * zoom (tests/bench/bench_screen.c, 200×60 cells, xterm-256color).
 */
#include "ui/term/term_curses.h"

#include "ui/term/term.h"

#include <string.h>

#define NOWHERE UINT_MAX
#define ERASE_LENGTH 3 /* "\033[K" */
#define BACKSPACES 4   /* up to this many are no longer than a cursor sequence */
#define LOOKS_MAX (TERM_ROLE_N * TERM_ROLE_N + 1)
#define HELD_MIN 1000    /* bytes: a smaller frame arrives at once anyway */
#define SCROLL_WON_MIN 3 /* lines saved, from which on scrolling is worth it */

/* The initial look of a terminal: its own colours, no attributes. */
#define TERM_LOOK_PLAIN 0
#define NOT_ASKED UINT16_MAX

struct look {
	int32_t fg, bg; /* the terminal's colour numbers; TERM_COLOUR_DEFAULT: its own */
	uint8_t attrs;
};

struct cell {
	gunichar ch; /* 0: the right half of a wide character */
	unsigned look;
};

struct term_paint {
	struct term_paint_can can;
	struct term_style styles[TERM_ROLE_N];
	uint16_t numbers[TERM_ROLE_N][TERM_ROLE_N]; /* numbers of the looks of role and overlay */
	GArray *looks;                              /* of struct look */
	struct cell *shown, *wanted;                /* rows × columns */
	unsigned columns, rows;
	bool known;                /* SHOWN is the content of the screen */
	unsigned x, y;             /* the terminal's cursor; NOWHERE: not known */
	unsigned look;             /* the look that is set */
	unsigned ranks[LOOKS_MAX]; /* the order of looks in this frame */
	GString *out;
};

struct term_paint *term_paint_new(const struct term_paint_can *can)
{
	struct term_paint *p = g_new0(struct term_paint, 1);
	const struct look plain = { TERM_COLOUR_DEFAULT, TERM_COLOUR_DEFAULT, 0 };

	p->can = *can;
	p->looks = g_array_new(FALSE, FALSE, sizeof(struct look));
	g_array_append_val(p->looks, plain);
	p->out = g_string_new(NULL);
	return p;
}

void term_paint_free(struct term_paint *p)
{
	if (!p)
		return;
	g_array_unref(p->looks);
	g_string_free(p->out, TRUE);
	g_free(p->shown);
	g_free(p->wanted);
	g_free(p);
}

void term_paint_learn(struct term_paint *p, bool repeats, bool holds)
{
	p->can.repeats = repeats;
	p->can.holds = holds;
}

void term_paint_styles(struct term_paint *p, const struct term_style *styles)
{
	memcpy(p->styles, styles, sizeof p->styles);
	memset(p->numbers, 0xff, sizeof p->numbers);
	g_array_set_size(p->looks, 1);
	p->known = false;
}

void term_paint_forget(struct term_paint *p)
{
	p->known = false;
}

/*
 * ---- looks: a number for each look of a cell, and the SGR sequence from one to another ----
 *
 * Attributes are added to those that are set, and colours changed separately.  If an attribute must be
 * removed, or if it is shorter, everything is set again after a 0: terminals differ in how a single attribute
 * is removed, but all know 0.
 */

static int32_t colour_number(const struct term_paint *p, const struct term_colour *colour)
{
	if (!p->can.colours)
		return TERM_COLOUR_DEFAULT;
	if (p->can.colours >= 1 << 24)
		return colour->rgb;
	return p->can.colours >= 256 ? colour->index256 : colour->index8;
}

/* The number of LOOK; equal looks have the same number. */
static unsigned term_look_number_of(struct term_paint *p, const struct look *look)
{
	for (guint i = 0; i < p->looks->len; i++) {
		const struct look *known = &g_array_index(p->looks, struct look, i);

		if (known->fg == look->fg && known->bg == look->bg && known->attrs == look->attrs)
			return i;
	}
	g_array_append_vals(p->looks, look, 1);
	return p->looks->len - 1;
}

/* The number of the look of ROLE with OVER laid over it. */
static unsigned term_looks_of(struct term_paint *p, unsigned role, unsigned over)
{
	const struct term_style *style = &p->styles[role], *top = &p->styles[over];
	uint16_t *number = &p->numbers[role][over];
	struct look look = { colour_number(p, &style->fg), colour_number(p, &style->bg), style->attrs };

	if (*number != NOT_ASKED)
		return *number;
	if (over != TERM_ROLE_TEXT) {
		int32_t fg = colour_number(p, &top->fg), bg = colour_number(p, &top->bg);

		look.fg = fg != TERM_COLOUR_DEFAULT ? fg : look.fg;
		look.bg = bg != TERM_COLOUR_DEFAULT ? bg : look.bg;
		look.attrs |= top->attrs;
	}
	look.attrs &= p->can.attrs;
	*number = (uint16_t)term_look_number_of(p, &look);
	return *number;
}

static const struct look *term_look_nth(const struct term_paint *p, unsigned look)
{
	return &g_array_index(p->looks, struct look, look);
}

static void term_look_add(GString *sgr, const char *parameters)
{
	bool first = sgr->len == 0 || sgr->str[sgr->len - 1] == ';';

	g_string_append_printf(sgr, "%s%s", first ? "" : ";", parameters);
}

static void add_colour(const struct term_paint *p, GString *sgr, int32_t colour, bool background)
{
	char text[32];

	if (colour == TERM_COLOUR_DEFAULT)
		g_snprintf(text, sizeof text, "%d", background ? 49 : 39);
	else if (p->can.colours < 256)
		g_snprintf(text, sizeof text, "%d", (background ? 40 : 30) + colour);
	else if (p->can.colours == 256 && colour < 16)
		g_snprintf(text, sizeof text, "%d",
			(background ? 10 : 0) + (colour < 8 ? 30 + colour : 82 + colour));
	else if (p->can.colours == 256)
		g_snprintf(text, sizeof text, "%d;5;%d", background ? 48 : 38, colour);
	else { /* without "\033[" and "m": the description's own text is one SGR sequence */
		const char *rgb = p->can.rgb(colour, background);

		g_snprintf(text, sizeof text, "%.*s", (int)strlen(rgb) - 3, rgb + 2);
	}
	term_look_add(sgr, text);
}

static void add_difference(const struct term_paint *p, GString *sgr, const struct look *from,
	const struct look *to)
{
	static const struct {
		enum term_attr attr;
		const char *parameter;
	} all[] = { { TERM_BOLD, "1" }, { TERM_DIM, "2" }, { TERM_ITALIC, "3" }, { TERM_UNDERLINE, "4" },
		{ TERM_REVERSE, "7" } };

	for (gsize i = 0; i < G_N_ELEMENTS(all); i++)
		if (to->attrs & ~(unsigned)from->attrs & all[i].attr)
			term_look_add(sgr, all[i].parameter);
	if (to->fg != from->fg)
		add_colour(p, sgr, to->fg, false);
	if (to->bg != from->bg)
		add_colour(p, sgr, to->bg, true);
}

/* Append to OUT the sequence that changes look FROM to look TO.  An empty parameter means 0, which resets
 * everything. */
static void term_looks_change(const struct term_paint *p, GString *out, unsigned from, unsigned to)
{
	const struct look *old = term_look_nth(p, from), *new = term_look_nth(p, to);
	g_autoptr(GString) anew = g_string_new(to == TERM_LOOK_PLAIN ? NULL : ";"), sgr = g_string_new(NULL);
	bool loses = old->attrs & ~(unsigned)new->attrs;

	add_difference(p, anew, term_look_nth(p, TERM_LOOK_PLAIN), new);
	add_difference(p, sgr, old, new);
	g_string_append_printf(out, "\033[%sm", !loses && sgr->len <= anew->len ? sgr->str : anew->str);
}

/* ---- cells ---- */

static struct cell *at(const struct term_paint *p, struct cell *cells, unsigned x, unsigned y)
{
	return &cells[(gsize)y * p->columns + x];
}

static bool term_paint_same(const struct cell *a, const struct cell *b)
{
	return a->ch == b->ch && a->look == b->look;
}

static unsigned bytes_of(gunichar ch)
{
	return ch < 0x80 ? 1 : (unsigned)g_unichar_to_utf8(ch, NULL);
}

static unsigned digits(unsigned n)
{
	return n < 10 ? 1 : n < 100 ? 2 : n < 1000 ? 3 : 4;
}

/* ---- the terminal's cursor and look ---- */

static void set_look(struct term_paint *p, unsigned look)
{
	if (look != p->look)
		term_looks_change(p, p->out, p->look, look);
	p->look = look;
}

/* Bytes to write the cells [FROM, TO) of line Y again; UINT_MAX: that needs another look. */
static unsigned cost_again(const struct term_paint *p, unsigned from, unsigned to, unsigned y)
{
	unsigned cost = 0;

	for (unsigned x = from; x < to; x++) {
		const struct cell *cell = at(p, p->wanted, x, y);

		if (cell->look != p->look || !cell->ch)
			return UINT_MAX;
		cost += bytes_of(cell->ch);
	}
	return cost;
}

/* Bytes of a move by N lines or columns, and the move itself.  A few columns back are backspaces. */
static unsigned cost_by(int n, char back)
{
	if (back == 'D' && n < 0 && n >= -BACKSPACES)
		return (unsigned)-n;
	return n == 0 ? 0 : 3 + (ABS(n) > 1 ? digits((unsigned)ABS(n)) : 0);
}

static void move_by(struct term_paint *p, int n, char forth, char back)
{
	if (back == 'D' && n < 0 && n >= -BACKSPACES)
		g_string_append_len(p->out, "\b\b\b\b", -n);
	else if (ABS(n) == 1)
		g_string_append_printf(p->out, "\033[%c", n > 0 ? forth : back);
	else if (n != 0)
		g_string_append_printf(p->out, "\033[%d%c", ABS(n), n > 0 ? forth : back);
}

/* Put the terminal's cursor at column X of line Y. */
static void term_paint_go(struct term_paint *p, unsigned x, unsigned y)
{
	int right = (int)x - (int)p->x, down = (int)y - (int)p->y;
	bool known = p->y != NOWHERE;

	if (known && down == 0 && right > 0 && right < 8 &&
		cost_again(p, p->x, x, y) <= cost_by(right, 'D')) {
		for (unsigned i = p->x; i < x; i++)
			g_string_append_unichar(p->out, at(p, p->wanted, i, y)->ch);
	} else if (known && cost_by(right, 'D') + cost_by(down, 'A') < 4 + digits(y + 1) + digits(x + 1)) {
		move_by(p, down, 'B', 'A');
		move_by(p, right, 'C', 'D');
	} else {
		g_string_append_printf(p->out, "\033[%u;%uH", y + 1, x + 1);
	}
	p->x = x;
	p->y = y;
}

/* ---- cells ---- */

/* Put CH N times at the cursor. */
static void term_paint_put(struct term_paint *p, gunichar ch, unsigned n)
{
	unsigned plain = bytes_of(ch) * (n - 1);

	g_string_append_unichar(p->out, ch);
	if (p->can.repeats && n > 1 && 3 + digits(n - 1) < plain)
		g_string_append_printf(p->out, "\033[%ub", n - 1);
	else
		for (unsigned i = 1; i < n; i++)
			g_string_append_unichar(p->out, ch);
}

/* True if a character there would scroll the screen.  Such a cell is never painted; its content stays
 * unknown. */
static bool is_corner(const struct term_paint *p, unsigned x, unsigned y)
{
	bool wide = x + 2 == p->columns && !at(p, p->wanted, x + 1, y)->ch;

	return !p->can.keeps_corner && y + 1 == p->rows && (x + 1 == p->columns || wide);
}

static bool differs(const struct term_paint *p, unsigned x, unsigned y)
{
	return !term_paint_same(at(p, p->shown, x, y), at(p, p->wanted, x, y)) && !is_corner(p, x, y);
}

/* True if a later look paints the cell in column X of line Y anyway. */
static bool comes_later(const struct term_paint *p, unsigned x, unsigned y)
{
	const struct cell *cell = at(p, p->wanted, x, y);

	return cell->ch && p->ranks[cell->look] > p->ranks[p->look] && differs(p, x, y) &&
		(x + 1 == p->columns || at(p, p->wanted, x + 1, y)->ch);
}

/* The number of cells from column X of line Y on that can be painted alike, over cells that a later look
 * paints. */
static unsigned paint_length(const struct term_paint *p, unsigned x, unsigned y)
{
	const struct cell *cell = at(p, p->wanted, x, y);
	unsigned n = 1, far = p->can.repeats ? p->columns : 3 / bytes_of(cell->ch) + 1;

	for (unsigned i = 1; x + i < p->columns && i < n + far; i++) {
		bool alike = term_paint_same(cell, at(p, p->wanted, x + i, y));

		if (alike && differs(p, x + i, y))
			n = i + 1;
		else if (!alike && !comes_later(p, x + i, y))
			break;
	}
	return n;
}

/* True if erasing from column X on gives line Y its content.  Never in colour: inside GNU screen, erasing
 * does not use the background colour, whatever TERM says. */
static bool can_erase(const struct term_paint *p, unsigned x, unsigned y)
{
	const struct cell *cell = at(p, p->wanted, x, y);
	const struct look *look = term_look_nth(p, cell->look);
	unsigned end = x;

	while (end < p->columns && term_paint_same(cell, at(p, p->wanted, end, y)))
		end++;
	return cell->ch == ' ' && end == p->columns && end - x > ERASE_LENGTH &&
		look->bg == TERM_COLOUR_DEFAULT && !(look->attrs & (TERM_UNDERLINE | TERM_REVERSE));
}

/* Paint the cell in column X of line Y and equal ones after it.  Returns the column after them. */
static unsigned paint_run(struct term_paint *p, unsigned x, unsigned y)
{
	const struct cell *cell = at(p, p->wanted, x, y);
	bool wide = x + 1 < p->columns && !at(p, p->wanted, x + 1, y)->ch;
	unsigned n = wide ? 1 : paint_length(p, x, y);

	term_paint_go(p, x, y);
	if (can_erase(p, x, y)) {
		g_string_append(p->out, "\033[K");
		return p->columns;
	}
	term_paint_put(p, cell->ch, n);
	p->x = x + n + wide;
	if (p->x >= p->columns) /* terminals differ in where the cursor is now */
		p->y = NOWHERE;
	return x + n;
}

struct ranking {
	const struct term_paint *paint;
	unsigned counts[LOOKS_MAX];
};

/* Looks with the same background and attributes are adjacent; among them, the most frequent is first. */
static int by_cells(const void *one, const void *other, void *data)
{
	const struct ranking *r = data;
	unsigned a = *(const unsigned *)one, b = *(const unsigned *)other;
	const struct look *left = term_look_nth(r->paint, a), *right = term_look_nth(r->paint, b);

	if (left->bg != right->bg)
		return left->bg < right->bg ? -1 : 1;
	if (left->attrs != right->attrs)
		return left->attrs < right->attrs ? -1 : 1;
	return (r->counts[a] < r->counts[b]) - (r->counts[a] > r->counts[b]);
}

/* Put the looks of cells that differ into ORDER.  Bit N of LINES[y] is set if line Y has such a look with a
 * number that is N modulo 64.  Returns the number of looks. */
static unsigned rank_looks(struct term_paint *p, unsigned *order, guint64 *lines)
{
	struct ranking r = { p, { 0 } };
	unsigned n = 0;

	for (unsigned y = 0; y < p->rows; y++) {
		lines[y] = 0;
		for (unsigned x = 0; x < p->columns; x++) {
			unsigned look = at(p, p->wanted, x, y)->look;

			if (!differs(p, x, y))
				continue;
			if (r.counts[look]++ == 0)
				order[n++] = look;
			lines[y] |= G_GUINT64_CONSTANT(1) << look % 64;
		}
	}
	g_qsort_with_data(order, (gint)n, sizeof *order, by_cells, &r);
	for (unsigned i = 0; i < n; i++)
		p->ranks[order[i]] = i;
	return n;
}

static void paint_lines(struct term_paint *p)
{
	guint64 *lines = g_new(guint64, p->rows);
	unsigned order[LOOKS_MAX] = { 0 }, n = rank_looks(p, order, lines);

	for (unsigned i = 0; i < n; i++) {
		set_look(p, order[i]);
		for (unsigned y = 0; y < p->rows; y++) {
			for (unsigned x = 0; lines[y] >> order[i] % 64 & 1 && x < p->columns;) {
				const struct cell *cell = at(p, p->wanted, x, y);
				bool is_next = cell->look == order[i] && cell->ch && differs(p, x, y);

				x = is_next ? paint_run(p, x, y) : x + 1;
			}
		}
	}
	g_free(lines);
}

/* ---- lines that have moved ---- */

static guint64 line_hash(const struct term_paint *p, const struct cell *line)
{
	guint64 hash = G_GUINT64_CONSTANT(0xcbf29ce484222325); /* FNV-1a, by cells */

	for (unsigned x = 0; x < p->columns; x++)
		hash = (hash ^ line[x].ch ^ (guint64)line[x].look << 32) * G_GUINT64_CONSTANT(0x100000001b3);
	return hash;
}

/* The gain of scrolling lines down by BY (up if negative): the lines that need no painting, minus the lines
 * that need painting because of it.  *FIRST to *LAST become their new lines.  OLD, NEW: hashes of the lines.
 * A hash collision only costs bytes, because all cells that differ are painted. */
static int won(const struct term_paint *p, const guint64 *old, const guint64 *new, int by, unsigned *first,
	unsigned *last)
{
	unsigned begin = 0;
	int best = 0, sum = 0;

	for (unsigned y = 0; y < p->rows; y++) {
		int from = (int)y - by;
		bool is_moved = from >= 0 && from < (int)p->rows && old[from] == new[y];

		if (sum <= 0) {
			sum = 0;
			begin = y;
		}
		sum += is_moved - (old[y] == new[y]);
		if (sum > best && is_moved) {
			best = sum;
			*first = begin;
			*last = y;
		}
	}
	return best;
}

/* Scroll the lines [TOP, BOTTOM) down by BY (up if negative). */
static void scroll(struct term_paint *p, unsigned top, unsigned bottom, int by)
{
	unsigned n = (unsigned)ABS(by), width = p->columns;
	struct cell *to = at(p, p->shown, 0, by > 0 ? top + n : top),
		    *from = at(p, p->shown, 0, by > 0 ? top : top + n),
		    *gone = at(p, p->shown, 0, by > 0 ? top : bottom - n);

	set_look(p, TERM_LOOK_PLAIN);
	g_string_append_printf(p->out, "\033[%u;%ur\033[%u%c\033[r", top + 1, bottom, n, by > 0 ? 'T' : 'S');
	p->y = NOWHERE;
	memmove(to, from, (bottom - top - n) * (gsize)width * sizeof *to);
	for (gsize i = 0; i < (gsize)n * width; i++)
		gone[i] = (struct cell){ ' ', TERM_LOOK_PLAIN };
}

static void scroll_moved(struct term_paint *p)
{
	guint64 *old = g_new(guint64, p->rows), *new = g_new(guint64, p->rows);
	unsigned first = 0, last = 0;
	int most = 0, by = 0;

	for (unsigned y = 0; y < p->rows; y++) {
		old[y] = line_hash(p, at(p, p->shown, 0, y));
		new[y] = line_hash(p, at(p, p->wanted, 0, y));
	}
	for (int i = 1 - (int)p->rows; i < (int)p->rows; i++) {
		unsigned from = 0, to = 0;
		int n = i != 0 ? won(p, old, new, i, &from, &to) : 0;

		if (n > most) {
			most = n;
			first = from;
			last = to;
			by = i;
		}
	}
	g_free(old);
	g_free(new);
	if (most >= SCROLL_WON_MIN && by > 0)
		scroll(p, first - (unsigned)by, last + 1, by);
	else if (most >= SCROLL_WON_MIN)
		scroll(p, first, last + 1 + (unsigned)-by, by);
}

/* ---- a frame ---- */

const GString *term_paint_frame(struct term_paint *p, const struct term_grid *grid)
{
	gsize n = (gsize)grid->columns * grid->rows;

	if (p->columns != grid->columns || p->rows != grid->rows) {
		p->columns = grid->columns;
		p->rows = grid->rows;
		p->known = false;
		g_free(p->shown);
		g_free(p->wanted);
		p->shown = g_new(struct cell, n);
		p->wanted = g_new0(struct cell, n);
	}
	for (gsize i = 0; i < n; i++)
		p->wanted[i] = (struct cell){ grid->cells[i].ch,
			term_looks_of(p, grid->cells[i].role, grid->cells[i].over) };
	g_string_truncate(p->out, 0);
	p->x = p->y = NOWHERE;
	p->look = TERM_LOOK_PLAIN;
	if (!p->known)
		g_string_append(p->out, "\033[r\033[m\033[H\033[2J");
	else if (p->can.scrolls)
		scroll_moved(p);
	for (gsize i = 0; !p->known && i < n; i++)
		p->shown[i] = (struct cell){ ' ', TERM_LOOK_PLAIN };
	p->known = true;
	paint_lines(p);
	set_look(p, TERM_LOOK_PLAIN); /* the next frame and leaving start from it */
	for (gsize i = 0; i < n; i++)
		if (!is_corner(p, (unsigned)(i % p->columns), (unsigned)(i / p->columns)))
			p->shown[i] = p->wanted[i];
	if (p->can.holds && p->out->len > HELD_MIN) {
		g_string_prepend(p->out, TERM_PAINT_HOLD_ON);
		g_string_append(p->out, TERM_PAINT_HOLD_OFF);
	}
	return p->out;
}
