/* SPDX-License-Identifier: MIT */
/* The grid and its areas.  term_grid_put() puts every character, wherever it comes from: it is the one
 * barrier between names in a trace and the terminal. */
#include "ui/term/term_grid.h"

#include "base/base_text.h"
#include "base/base_time.h"

#include <stdarg.h>

#define REPLACEMENT 0xfffd

struct term_grid *term_grid_new(unsigned columns, unsigned rows)
{
	struct term_grid *grid = g_new0(struct term_grid, 1);

	term_grid_resize(grid, columns, rows);
	return grid;
}

void term_grid_free(struct term_grid *grid)
{
	if (!grid)
		return;
	g_free(grid->cells);
	g_free(grid);
}

void term_grid_resize(struct term_grid *grid, unsigned columns, unsigned rows)
{
	g_free(grid->cells);
	grid->columns = columns;
	grid->rows = rows;
	grid->cells = g_new(struct term_cell, (gsize)columns * rows + 1);
	term_grid_clear(grid);
}

void term_grid_clear(struct term_grid *grid)
{
	const struct term_cell blank = { ' ', TERM_ROLE_TEXT, TERM_ROLE_TEXT };

	for (gsize i = 0; i < (gsize)grid->columns * grid->rows; i++)
		grid->cells[i] = blank;
}

struct term_cell *term_grid_cell(const struct term_grid *grid, unsigned x, unsigned y)
{
	g_assert(x < grid->columns && y < grid->rows);
	return &grid->cells[(gsize)y * grid->columns + x];
}

struct term_area term_grid_area(struct term_grid *grid)
{
	return (struct term_area){ grid, 0, 0, grid->columns, grid->rows };
}

struct term_area term_area_part(const struct term_area *area, unsigned x, unsigned y, unsigned w, unsigned h)
{
	x = MIN(x, area->w);
	y = MIN(y, area->h);
	return (struct term_area){ area->grid, area->x + x, area->y + y, MIN(w, area->w - x),
		MIN(h, area->h - y) };
}

/* CH as it is shown; 0 if it takes no column. */
static gunichar safe(gunichar ch)
{
	if (ch >= ' ' && ch < 0x7f)
		return ch;
	if (ch > 0x10ffff || !g_unichar_isdefined(ch) || !g_unichar_isprint(ch))
		return REPLACEMENT;
	if (g_unichar_type(ch) == G_UNICODE_FORMAT)
		return REPLACEMENT;
	return g_unichar_iszerowidth(ch) ? 0 : ch;
}

static unsigned width(gunichar ch)
{
	return g_unichar_iswide(ch) ? 2 : 1;
}

/* If one half of a wide character is overwritten, blank the other half. */
static void break_wide(const struct term_area *area, unsigned x, unsigned y)
{
	struct term_grid *grid = area->grid;
	unsigned gx = area->x + x, gy = area->y + y;

	if (!term_grid_cell(grid, gx, gy)->ch && gx)
		term_grid_cell(grid, gx - 1, gy)->ch = ' ';
	if (gx + 1 < grid->columns && !term_grid_cell(grid, gx + 1, gy)->ch)
		term_grid_cell(grid, gx + 1, gy)->ch = ' ';
}

static void term_grid_set(const struct term_area *area, unsigned x, unsigned y, enum term_role role,
	gunichar ch)
{
	struct term_cell *cell = term_grid_cell(area->grid, area->x + x, area->y + y);

	if (!cell->ch || g_unichar_iswide(cell->ch))
		break_wide(area, x, y);
	cell->ch = ch;
	cell->role = role;
}

/* Put CH at X, Y.  Returns the column after it: X if CH takes no column, AREA->w if there is no room. */
static unsigned term_grid_put(const struct term_area *area, unsigned x, unsigned y, enum term_role role,
	gunichar ch)
{
	ch = safe(ch);
	if (!ch)
		return x;
	if (area->grid->ascii && ch >= 0x7f)
		ch = (gunichar)term_ascii(ch);
	if (y >= area->h || x + width(ch) > area->w)
		return area->w;
	term_grid_set(area, x, y, role, ch);
	if (width(ch) == 2)
		term_grid_set(area, x + 1, y, role, 0);
	return x + width(ch);
}

void term_area_char(const struct term_area *area, unsigned x, unsigned y, enum term_role role, gunichar ch)
{
	if (x < area->w)
		term_grid_put(area, x, y, role, ch);
}

/* The next character of *TEXT; a byte that is not UTF-8 counts as one invalid character. */
static gunichar next_char(const char **text)
{
	gunichar ch = g_utf8_get_char_validated(*text, -1);

	if (ch == (gunichar)-1 || ch == (gunichar)-2) {
		(*text)++;
		return REPLACEMENT;
	}
	*text = g_utf8_next_char(*text);
	return ch;
}

unsigned term_area_text(const struct term_area *area, unsigned x, unsigned y, enum term_role role,
	const char *text)
{
	while (*text && x < area->w)
		x = term_grid_put(area, x, y, role, next_char(&text));
	return MIN(x, area->w);
}

unsigned term_area_printf(const struct term_area *area, unsigned x, unsigned y, enum term_role role,
	const char *format, ...)
{
	va_list args;
	g_autofree char *text = NULL;

	va_start(args, format);
	text = g_strdup_vprintf(format, args);
	va_end(args);
	x = term_area_text(area, x, y, role, text);
	return x;
}

unsigned term_text_width(const char *text)
{
	unsigned columns = 0;

	while (*text) {
		gunichar ch = safe(next_char(&text));

		columns += ch ? width(ch) : 0;
	}
	return columns;
}

GPtrArray *term_text_rows(const char *text, unsigned columns, unsigned indent)
{
	GPtrArray *rows = g_ptr_array_new_with_free_func(g_free);

	for (unsigned before = 0; *text; before = MIN(indent, columns)) {
		size_t n = base_text_row(text, columns - before);

		g_ptr_array_add(rows, g_strdup_printf("%*s%.*s", (int)before, "", (int)n, text));
		text += n + strspn(text + n, " ");
	}
	return rows;
}

void term_area_rows(const struct term_area *area, enum term_role role, const char *text)
{
	for (unsigned y = 0; *text && y < area->h; y++) {
		size_t n = y + 1 < area->h ? base_text_row(text, area->w) : strlen(text);
		g_autofree char *row = g_strndup(text, n);

		term_area_fit(area, 0, y, area->w, role, row);
		text += n + strspn(text + n, " ");
	}
}

unsigned term_area_fit(const struct term_area *area, unsigned x, unsigned y, unsigned max,
	enum term_role role, const char *text)
{
	struct term_area part = term_area_part(area, x, y, max, 1);

	if (!part.w)
		return MIN(x, area->w);
	if (term_text_width(text) <= part.w)
		return MIN(x, area->w) + term_area_text(&part, 0, 0, role, text);
	term_area_text(&part, 0, 0, role, text);
	term_area_char(&part, part.w - 1, 0, role, 0x2026);
	return MIN(x, area->w) + part.w;
}

unsigned term_area_right(const struct term_area *area, unsigned right, unsigned y, enum term_role role,
	const char *text)
{
	unsigned columns = term_text_width(text);
	unsigned x = columns + right < area->w ? area->w - right - columns : 0;

	term_area_text(area, x, y, role, text);
	return x;
}

void term_area_before(const struct term_area *area, unsigned end, unsigned y, enum term_role role,
	const char *text)
{
	term_area_text(area, end - MIN(term_text_width(text), end), y, role, text);
}

void term_area_duration(const struct term_area *area, unsigned end, unsigned y, enum term_role role,
	int64_t duration)
{
	g_autofree char *text = base_time_format_duration(duration, area->grid->ascii);

	term_area_before(area, end, y, role, text);
}

void term_area_number(const struct term_area *area, unsigned end, unsigned y, enum term_role role,
	const char *format, ...)
{
	va_list args;
	g_autofree char *text = NULL;

	va_start(args, format);
	text = g_strdup_vprintf(format, args);
	va_end(args);
	term_area_before(area, end, y, role, text);
}

void term_area_fill(const struct term_area *area, unsigned x, unsigned y, unsigned w, unsigned h,
	enum term_role role, gunichar ch)
{
	struct term_area part = term_area_part(area, x, y, w, h);

	for (unsigned row = 0; row < part.h; row++)
		for (unsigned column = 0; column < part.w; column++)
			term_grid_put(&part, column, row, role, ch);
}

void term_area_over(const struct term_area *area, unsigned x, unsigned y, unsigned w, unsigned h,
	enum term_role role)
{
	struct term_area part = term_area_part(area, x, y, w, h);

	for (unsigned row = 0; row < part.h; row++)
		for (unsigned column = 0; column < part.w; column++)
			term_grid_cell(part.grid, part.x + column, part.y + row)->over = role;
}

/* The glyphs that panes draw, and the ASCII character with the same meaning. */
static const struct {
	gunichar ch;
	char ascii;
} ascii_table[] = {
	{ 0x2588, '#' }, { 0x2584, 'u' }, { 0x2593, '%' }, { 0x2580, 's' },  /* █ ▄ ▓ ▀ */
	{ 0x258c, '!' }, { 0x2590, 'i' }, { 0x2591, '.' }, { 0x2592, ':' },  /* ▌ ▐ ░ ▒ */
	{ 0x258f, '.' }, { 0x258e, '.' }, { 0x258d, ':' }, { 0x258b, '=' },  /* ▏ ▎ ▍ ▋ */
	{ 0x258a, '=' }, { 0x2589, '#' }, { 0x25b4, '^' },                   /* ▊ ▉ ▴ */
	{ 0x253c, '|' },                                                     /* ┼ */
	{ 0x2500, '-' }, { 0x2534, '+' }, { 0x252c, '+' }, { 0x2502, '|' },  /* ─ ┴ ┬ │ */
	{ 0x250c, ',' }, { 0x2510, '.' }, { 0x2514, '`' }, { 0x2518, '\'' }, /* ┌ ┐ └ ┘ */
	{ 0x251c, '|' }, { 0x2524, '|' }, { 0x2550, '=' }, { 0x2551, '|' },  /* ├ ┤ ═ ║ */
	{ 0x256d, ',' }, { 0x256e, '.' }, { 0x256f, '\'' }, { 0x2570, '`' }, /* ╭ ╮ ╯ ╰ */
	{ 0x254c, '~' }, { 0x2504, '~' }, { 0x2508, '_' },                   /* ╌ ┄ ┈ */
	{ 0x25bc, 'v' }, { 0x25b2, '^' }, { 0x25c0, '<' }, { 0x25b6, '>' },  /* ▼ ▲ ◀ ▶ */
	{ 0x25be, 'v' }, { 0x25b8, '>' }, { 0x2191, '^' }, { 0x2193, 'v' },  /* ▾ ▸ ↑ ↓ */
	{ 0x2190, '<' }, { 0x2192, '>' }, { 0x25cf, 'o' }, { 0x25cb, 'o' },  /* ← → ● ○ */
	{ 0x25c6, '@' },                                                     /* ◆ */
	{ 0x00b7, '.' }, { 0x2219, '.' }, { 0x2022, '*' }, { 0x2026, '~' },  /* · ∙ • … */
	{ 0x00b5, 'u' }, { 0x03bc, 'u' }, { 0x00d7, 'x' }, { 0x2013, '-' },  /* µ μ × – */
	{ 0x2014, '-' }, { 0x2212, '-' }, { 0x203a, '>' }, { 0x2039, '<' },  /* — − › ‹ */
	{ 0x2265, '>' }, { 0x2264, '<' }, { 0x2581, '_' }, { 0x2582, '_' },  /* ≥ ≤ ▁ ▂ */
	{ 0x2583, '.' }, { 0x2585, 'o' }, { 0x2586, 'O' }, { 0x2587, '8' },  /* ▃ ▅ ▆ ▇ */
};

char term_ascii(gunichar ch)
{
	if (ch >= ' ' && ch < 0x7f)
		return (char)ch;
	for (gsize i = 0; i < G_N_ELEMENTS(ascii_table); i++)
		if (ascii_table[i].ch == ch)
			return ascii_table[i].ascii;
	return '?';
}

void term_grid_text(const struct term_grid *grid, unsigned x, unsigned y, unsigned w, GString *out)
{
	gsize end = out->len;

	for (unsigned to = MIN(x + w, grid->columns); x < to; x++) {
		gunichar ch = term_grid_cell(grid, x, y)->ch;

		if (ch)
			g_string_append_unichar(out, ch);
		if (ch && ch != ' ')
			end = out->len;
	}
	g_string_truncate(out, end);
}
