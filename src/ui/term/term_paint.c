/* SPDX-License-Identifier: MIT */
/*
 * What differs from what the terminal shows is painted, one look after the other: to set colours takes three
 * times the bytes that it takes to step over cells of other colours, and a terminal that holds its output
 * shows nothing half-made.  A character that comes many times is repeated by REP, also over cells that a
 * later look paints.  Lines that have only moved are scrolled; blanks to the end of a line are erased;
 * colours are changed alone; what stands between two changes is stepped over, or written again where that is
 * shorter.
 */
#include "ui/term/term_paint.h"

#include "ui/term/term_look.h"

#include <string.h>

#define NOWHERE UINT_MAX
#define ERASE_LENGTH 3 /* "\033[K" */
#define BACKSPACES 4   /* so many at most are no longer than what moves the cursor back at once */
#define LOOKS_MAX (TERM_ROLE_N * TERM_ROLE_N + 1)
#define HELD_MIN 1000    /* bytes of a frame: less come at once anyway */
#define SCROLL_WON_MIN 3 /* lines that need not be painted, so that scrolling is worth it */

struct cell {
	gunichar ch; /* 0: the right half of a wide one */
	unsigned look;
};

struct term_paint {
	struct term_paint_can can;
	struct term_looks *looks;
	struct cell *shown, *wanted; /* rows × columns */
	unsigned columns, rows;
	bool known;                /* what is shown */
	unsigned x, y;             /* of the terminal's cursor; NOWHERE: not known */
	unsigned look;             /* that is set */
	unsigned ranks[LOOKS_MAX]; /* when looks are painted in this frame */
	GString *out;
};

struct term_paint *term_paint_new(const struct term_paint_can *can)
{
	struct term_paint *p = g_new0(struct term_paint, 1);

	p->can = *can;
	p->looks = term_looks_new(can);
	p->out = g_string_new(NULL);
	return p;
}

void term_paint_free(struct term_paint *p)
{
	if (!p)
		return;
	term_looks_free(p->looks);
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
	term_looks_set(p->looks, styles);
	p->known = false;
}

void term_paint_forget(struct term_paint *p)
{
	p->known = false;
}

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
		term_looks_change(p->looks, p->out, p->look, look);
	p->look = look;
}

/* Bytes to write the cells from FROM to TO of line Y again; UINT_MAX: it takes another look. */
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

/* Bytes of a move by N lines or columns, and the move.  Some columns back are as many backspaces. */
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

/* Put CH, N times, at the cursor. */
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

/* A character there would scroll the screen: what is there is never painted, nor known. */
static bool is_corner(const struct term_paint *p, unsigned x, unsigned y)
{
	bool wide = x + 2 == p->columns && !at(p, p->wanted, x + 1, y)->ch;

	return !p->can.keeps_corner && y + 1 == p->rows && (x + 1 == p->columns || wide);
}

static bool differs(const struct term_paint *p, unsigned x, unsigned y)
{
	return !term_paint_same(at(p, p->shown, x, y), at(p, p->wanted, x, y)) && !is_corner(p, x, y);
}

/* How many cells from column X of line Y on are alike. */
static unsigned run_length(const struct term_paint *p, unsigned x, unsigned y)
{
	unsigned n = 1;

	while (x + n < p->columns && term_paint_same(at(p, p->wanted, x, y), at(p, p->wanted, x + n, y)))
		n++;
	return n;
}

/* Whether a later look paints the cell in column X of line Y anyway. */
static bool comes_later(const struct term_paint *p, unsigned x, unsigned y)
{
	const struct cell *cell = at(p, p->wanted, x, y);

	return cell->ch && p->ranks[cell->look] > p->ranks[p->look] && differs(p, x, y) &&
		(x + 1 == p->columns || at(p, p->wanted, x + 1, y)->ch);
}

/* How many cells from column X of line Y on are to be painted alike, over such that come later. */
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

/* The cells from column X of line Y on are N blanks up to the end: whether erasing shows them.  Not in
 * colour: inside GNU screen a terminal does not do that, whatever TERM says. */
static bool can_erase(const struct term_paint *p, const struct cell *cell, unsigned x, unsigned n)
{
	return cell->ch == ' ' && x + n == p->columns && n > ERASE_LENGTH &&
		term_looks_erased(p->looks, cell->look);
}

/* Paint the cell in column X of line Y, and those like it behind it; returns the column after them. */
static unsigned paint_run(struct term_paint *p, unsigned x, unsigned y)
{
	const struct cell *cell = at(p, p->wanted, x, y);
	bool wide = x + 1 < p->columns && !at(p, p->wanted, x + 1, y)->ch;
	unsigned n = wide ? 1 : paint_length(p, x, y), all = run_length(p, x, y);

	term_paint_go(p, x, y);
	if (can_erase(p, cell, x, all)) {
		g_string_append(p->out, "\033[K");
		return x + all;
	}
	term_paint_put(p, cell->ch, n);
	p->x = x + n + wide;
	if (p->x >= p->columns) /* terminals differ in where the cursor is then */
		p->y = NOWHERE;
	return x + n;
}

static void paint_line(struct term_paint *p, unsigned y, unsigned look)
{
	for (unsigned x = 0; x < p->columns;) {
		const struct cell *cell = at(p, p->wanted, x, y);

		x = cell->look == look && cell->ch && differs(p, x, y) ? paint_run(p, x, y) : x + 1;
	}
}

struct ranking {
	const struct term_looks *looks;
	unsigned counts[LOOKS_MAX];
};

static int by_cells(const void *left, const void *right, void *data)
{
	const struct ranking *r = data;
	unsigned a = *(const unsigned *)left, b = *(const unsigned *)right;
	int apart = term_looks_compare(r->looks, a, b);

	return apart ? apart : (r->counts[a] < r->counts[b]) - (r->counts[a] > r->counts[b]);
}

/* Put the looks of cells that differ into an order, those of one background together; bit N of LINES[y]: one
 * of those whose number ends so is in line Y.  Returns how many there are. */
static unsigned rank_looks(struct term_paint *p, unsigned *order, guint64 *lines)
{
	struct ranking r = { p->looks, { 0 } };
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
		for (unsigned y = 0; y < p->rows; y++)
			if (lines[y] >> order[i] % 64 & 1)
				paint_line(p, y, order[i]);
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

/*
 * What is won by scrolling where all lines are BY further down (up where it is negative): lines that need not
 * be painted, less those that need to be for it.  The lines from *FIRST to *LAST are where they are wanted.
 * OLD, NEW: hashes of the lines; one that is wrong costs bytes, as what differs is painted.
 */
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

/* Scroll the lines from TOP to BOTTOM (that not included) down by BY, up where it is negative. */
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

static void set_size(struct term_paint *p, const struct term_grid *grid)
{
	if (p->columns == grid->columns && p->rows == grid->rows)
		return;
	p->columns = grid->columns;
	p->rows = grid->rows;
	p->known = false;
	g_free(p->shown);
	g_free(p->wanted);
	p->shown = g_new(struct cell, (gsize)p->columns * p->rows);
	p->wanted = g_new0(struct cell, (gsize)p->columns * p->rows);
}

static void paint(struct term_paint *p)
{
	if (!p->known)
		g_string_append(p->out, "\033[r\033[m\033[H\033[2J");
	else if (p->can.scrolls)
		scroll_moved(p);
	for (gsize i = 0; !p->known && i < (gsize)p->columns * p->rows; i++)
		p->shown[i] = (struct cell){ ' ', TERM_LOOK_PLAIN };
	p->known = true;
	paint_lines(p);
	set_look(p, TERM_LOOK_PLAIN); /* whoever writes next, on leaving, begins there */
	for (gsize i = 0; i < (gsize)p->columns * p->rows; i++)
		if (!is_corner(p, (unsigned)(i % p->columns), (unsigned)(i / p->columns)))
			p->shown[i] = p->wanted[i];
}

const GString *term_paint_frame(struct term_paint *p, const struct term_grid *grid)
{
	set_size(p, grid);
	for (gsize i = 0; i < (gsize)p->columns * p->rows; i++)
		p->wanted[i] = (struct cell){ grid->cells[i].ch,
			term_looks_of(p->looks, grid->cells[i].role, grid->cells[i].over) };
	g_string_truncate(p->out, 0);
	p->x = p->y = NOWHERE;
	p->look = TERM_LOOK_PLAIN;
	paint(p);
	if (p->can.holds && p->out->len > HELD_MIN) {
		g_string_prepend(p->out, TERM_PAINT_HOLD_ON);
		g_string_append(p->out, TERM_PAINT_HOLD_OFF);
	}
	return p->out;
}
