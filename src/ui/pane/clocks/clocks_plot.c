/* SPDX-License-Identifier: MIT */
/*
 * Each dot is a packet: above the middle line the packets that the host received, below it those that it
 * sent.  The distance from the line is the packet's transit time by the clocks in use, on a logarithmic
 * scale.  Moving the clock moves the line, at most up to the nearest dot, because no packet arrives before it
 * was sent.  Dashes show the possible clock error.
 *
 * A character is two dots wide and two high.
 */
#include "ui/pane/clocks/clocks.h"
#include "ui/widget/host_look.h"

#define EMPTY_FROM 1000  /* start of the scale without residuals, ns */
#define EMPTY_TO 1000000 /* end of the scale without residuals, ns */
#define DOTS 2           /* dots per character, in height and width */

struct ana_residuals_cell clocks_cell(const struct clocks *c, bool to_host, uint32_t column)
{
	const struct ana_residuals *r = c->residuals;
	struct ana_residuals_cell sum = { 0 };

	for (guint i = 0; i < r->ways->len; i++) {
		const struct ana_residuals_way *way = g_ptr_array_index(r->ways, i);

		if ((way->receiver == r->window.host) == to_host)
			ana_residuals_add(&sum, column == UINT32_MAX ? &way->all : &way->cells[column]);
	}
	return sum;
}

/* Common to both halves. */
struct plot {
	const struct clocks *c;
	struct term_area time; /* right of the names */
	unsigned low, high;    /* buckets [low, high): whole decades */
	unsigned rows;         /* lines of each half */
	unsigned middle;       /* the line between them */
};

/* ---- the scale ---- */

/* The decades of all residuals in the window; without residuals, those of a local network. */
static void find_scale(const struct clocks *c, unsigned *low, unsigned *high)
{
	struct ana_residuals_cell all = clocks_cell(c, true, UINT32_MAX),
				  from = clocks_cell(c, false, UINT32_MAX);
	unsigned first = 0, last = ANA_RESIDUALS_BUCKETS;

	ana_residuals_add(&all, &from);
	if (all.packets == all.early)
		first = ana_residuals_bucket(EMPTY_FROM), last = ana_residuals_bucket(EMPTY_TO);
	while (all.packets > all.early && !ana_residuals_has(&all, first))
		first++;
	while (all.packets > all.early && !ana_residuals_has(&all, last - 1))
		last--;
	*low = first / ANA_RESIDUALS_DECADE * ANA_RESIDUALS_DECADE;
	*high = (last + ANA_RESIDUALS_DECADE - 1) / ANA_RESIDUALS_DECADE * ANA_RESIDUALS_DECADE;
	*high = MAX(*high, *low + ANA_RESIDUALS_DECADE);
}

/* The distance of BUCKET from the line, 0 … STEPS - 1; UINT_MAX outside the scale. */
static unsigned clocks_plot_place_of(const struct plot *p, unsigned bucket, unsigned steps)
{
	return bucket < p->low || bucket >= p->high ? UINT_MAX
						    : (bucket - p->low) * steps / (p->high - p->low);
}

/* The line of the area that is ROW lines away from the middle one. */
static unsigned clocks_plot_line_of(const struct plot *p, bool to_host, unsigned row)
{
	return to_host ? p->middle - 1 - row : p->middle + 1 + row;
}

/* 10^DECADE ns. */
static int64_t decade(unsigned n)
{
	int64_t ns = 1;

	for (unsigned i = 0; i < n; i++)
		ns *= 10;
	return ns;
}

/* Draw at the left the meaning and the scale of each half. */
static void draw_scale(const struct plot *p, const struct term_area *names, bool to_host)
{
	const struct ui_shell *shell = p->c->pane.shell;
	unsigned far = clocks_plot_line_of(p, to_host, p->rows - 1),
		 near = clocks_plot_line_of(p, to_host, 0), x;
	g_autofree char *tag = NULL;

	term_area_duration(names, names->w, far, TERM_ROLE_RULER, decade(p->high / ANA_RESIDUALS_DECADE));
	if (p->rows > 1)
		term_area_duration(names, names->w, near, TERM_ROLE_DIM,
			decade(p->low / ANA_RESIDUALS_DECADE));
	x = term_area_text(names, 1, far, TERM_ROLE_DIM, to_host ? "to " : "from ");
	tag = host_look_tag(shell->q, clocks_host(p->c), names->w - MIN(names->w, x + 8));
	term_area_text(names, x, far, host_look_role(clocks_host(p->c)), tag);
}

/* ---- dots ---- */

/* The character with the dots BITS. */
static gunichar dots_glyph(unsigned bits, bool ascii)
{
	static const gunichar quadrants[16] = { /*   ▘ ▝ ▀ ▖ ▌ ▞ ▛ ▗ ▚ ▐ ▜ ▄ ▙ ▟ █ */
		' ', 0x2598, 0x259d, 0x2580, 0x2596, 0x258c, 0x259e, 0x259b, 0x2597, 0x259a, 0x2590, 0x259c,
		0x2584, 0x2599, 0x259f, 0x2588
	};

	if (ascii)
		return bits & 3 && bits & 12 ? ':' : bits & 3 ? '\'' : '.';
	return quadrants[bits];
}

/* Draw a dash for the possible clock error in column X, unless there is a dot. */
static void draw_error(const struct plot *p, unsigned x, bool to_host, const unsigned *bits)
{
	const struct ui_shell *shell = p->c->pane.shell;
	uint32_t other = p->c->residuals->window.other;
	int64_t error = qry_clock_error(shell->q, other == MDL_NONE ? 0 : other, clocks_host(p->c),
		ui_shell_column_time(shell, x));
	unsigned row = error == INT64_MAX ? UINT_MAX
					  : clocks_plot_place_of(p, ana_residuals_bucket(error), p->rows);

	if (row != UINT_MAX && !bits[row])
		term_area_char(&p->time, x, clocks_plot_line_of(p, to_host, row), TERM_ROLE_DIM,
			0x254c); /* ╌ */
}

/* Draw column X of one half; true if packets were received before they were sent. */
static bool draw_column(const struct plot *p, unsigned x, bool to_host)
{
	const struct ana_residuals_window *window = &p->c->residuals->window;
	uint32_t sender = to_host ? window->other : window->host;
	enum term_role role = sender == MDL_NONE ? TERM_ROLE_PATH_NETWORK : host_look_role(sender);
	unsigned *bits = g_newa0(unsigned, p->rows); /* the dots of each row, from the upper left one on */
	bool early = false;

	for (unsigned side = 0; side < 2; side++) {
		struct ana_residuals_cell cell = clocks_cell(p->c, to_host, 2 * x + side);

		for (unsigned b = p->low; b < p->high; b++) {
			unsigned step = clocks_plot_place_of(p, b, p->rows * DOTS),
				 line = to_host ? DOTS - 1 - step % DOTS : step % DOTS;

			if (ana_residuals_has(&cell, b))
				bits[step / DOTS] |= 1u << (line * DOTS + side);
		}
		early |= cell.early > 0;
	}
	draw_error(p, x, to_host, bits);
	for (unsigned row = 0; row < p->rows; row++)
		if (bits[row])
			term_area_char(&p->time, x, clocks_plot_line_of(p, to_host, row), role,
				dots_glyph(bits[row], p->c->pane.shell->grid->ascii));
	return early;
}

/* ---- drawing ---- */

void clocks_plot_draw(const struct clocks *c, const struct term_area *area)
{
	const struct ui_shell *shell = c->pane.shell;
	struct term_area names = term_area_part(area, 0, 0, shell->names - 1, area->h);
	struct plot p = { .c = c,
		.time = term_area_part(area, shell->names, 0, shell->columns, area->h),
		.rows = (area->h - 1) / 2 };
	int cursor = ui_shell_column_of(shell, shell->view->cursor);

	if (!p.rows)
		return;
	p.middle = p.rows;
	find_scale(c, &p.low, &p.high);
	term_area_fill(area, shell->names - 1, 0, 1, area->h, TERM_ROLE_BORDER, 0x2502);
	term_area_fill(&p.time, 0, p.middle, p.time.w, 1, TERM_ROLE_BORDER, 0x2500);
	draw_scale(&p, &names, true);
	draw_scale(&p, &names, false);
	for (unsigned x = 0; x < p.time.w; x++) {
		bool to = draw_column(&p, x, true), from = draw_column(&p, x, false);

		if (to || from)
			term_area_char(&p.time, x, p.middle, TERM_ROLE_ERROR, '!');
	}
	if (cursor >= 0 && cursor < (int)p.time.w)
		term_area_over(&p.time, (unsigned)cursor, 0, 1, p.time.h, TERM_ROLE_OVER_CURSOR);
}
