/* SPDX-License-Identifier: MIT */
/*
 * A list on the screen: headings, rows, and below them the cells that do not fit.
 *
 * Each column has the width of its widest cell; texts get at most TEXT_MOST columns at first, long ones
 * LONG_MOST.  If that is too wide, columns with "?" are removed, the last ones first; then texts are cut;
 * then other columns are removed, except long texts and the column of the order.  If there is room left,
 * texts get more, then the first share or the sorted duration gets bars.
 */
#include "ui/widget/list_pane.h"

#include "base/base_time.h"
#include "ui/widget/compare_set.h"
#include "ui/widget/host_look.h"
#include "ui/widget/looks.h"

#include <string.h>

#define GAP 2        /* blanks between columns */
#define TEXT_MOST 24 /* most columns of a text, if others need the room */
#define LONG_MOST 40
#define TEXT_LEAST 12 /* least columns of a text; below it, other columns are removed */
#define BAR_LEAST 6   /* least columns of a bar */
#define BAR_MOST 24
#define BELOW_FROM 5 /* least lines of a list with a line below it */
#define REST_MOST 2  /* most lines of a text below the list */
#define LETTER 2     /* columns of the letter of a kind */

/* ---- columns ---- */

/* True if cells of COLUMN, kinds of waits, begin with a letter. */
static bool has_letter(const struct table_column *column)
{
	return column->heading && !strcmp(column->name, "kind");
}

/* The width in columns of the widest cell of COLUMN. */
static unsigned cell_width(const struct list *l, unsigned column)
{
	const struct table_column *c = &l->part->rows->columns[column];
	const struct list_measure *m = &l->part->measures[column];
	struct list_cell most = { .number = m->most };
	g_autofree char *text = NULL;
	unsigned width = m->width;

	if (list_rows_is_text(c) || c->type == TABLE_DECIMAL)
		return width + (has_letter(c) ? LETTER : 0);
	if (c->type == TABLE_DURATION)
		return MAX(width, 7);
	if (c->type == TABLE_SHARE)
		return MAX(width, 6);
	text = list_text(l, column, &most);
	return MAX(width, c->type == TABLE_TIME ? ui_shell_time_width(l->pane.shell) : term_text_width(text));
}

/* A column to place. */
struct wanted {
	unsigned column;
	unsigned full, w; /* columns of the widest cell or the heading; columns that it gets */
	bool is_text, is_long, is_spared, is_out;
};

static unsigned used(const struct wanted *all, unsigned n)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += all[i].is_out ? 0 : all[i].w + GAP;
	return sum;
}

/* Remove a column.  SPARED: the last one that is only shown if all others fit.  Otherwise the last one that
 * is not a long text.  Keeps the column of the order.  False if there is none. */
static bool take_out(struct wanted *all, unsigned n, bool spared, unsigned sorted)
{
	unsigned left = 0;

	for (unsigned i = 0; i < n; i++)
		left += !all[i].is_out;
	while (left > 1 && n--) {
		if (all[n].is_out || all[n].column == sorted || (spared ? !all[n].is_spared : all[n].is_long))
			continue;
		all[n].is_out = true;
		return true;
	}
	return false;
}

/* Narrow texts, the widest first, down to TEXT_LEAST, as far as needed. */
static void shorten(struct wanted *all, unsigned n, unsigned width)
{
	struct wanted *widest = all;

	while (n && widest && used(all, n) > width) {
		widest = NULL;
		for (unsigned i = 0; i < n; i++)
			if (all[i].is_text && !all[i].is_out && all[i].w > (widest ? widest->w : TEXT_LEAST))
				widest = &all[i];
		if (widest)
			widest->w--;
	}
}

/* Narrow the last of N columns, which can be scrolled, down to LEAST, before others are narrowed. */
static void shorten_last(const struct list *l, struct wanted *all, unsigned n, unsigned width, unsigned least)
{
	struct wanted *last = &all[n - 1];

	if (l->kind->is_part && n && last->is_text && last->w > least && used(all, n) > width)
		last->w -= MIN(last->w - least, used(all, n) - width);
}

/* The index of the column with bars; N: none. */
static unsigned bar_of(const struct list *l, const struct wanted *all, unsigned n)
{
	unsigned bar = n, sorted = list_sorted_by(l);

	for (unsigned i = n; i-- > 0;) {
		unsigned type = l->part->rows->columns[all[i].column].type;

		if (!all[i].is_out &&
			(type == TABLE_SHARE ||
				(type == TABLE_DURATION && all[i].column == sorted && bar == n)))
			bar = i;
	}
	return bar;
}

static void place(struct list *l, unsigned width)
{
	struct list_choice chosen[TABLE_COLUMNS_MAX];
	struct wanted all[TABLE_COLUMNS_MAX];
	unsigned n = list_choose(l, chosen), x = 1, room, rest, bar, sorted = list_sorted_by(l);

	for (unsigned i = 0; i < n; i++) {
		const struct table_column *c = &l->part->rows->columns[chosen[i].column];

		all[i] = (struct wanted){ .column = chosen[i].column,
			.full = MAX(cell_width(l, chosen[i].column), term_text_width(list_rows_heading(c))),
			.is_text = list_rows_is_text(c),
			.is_long = c->type == TABLE_LONG,
			.is_spared = chosen[i].is_spared };
		all[i].w = !all[i].is_text ? all[i].full
					   : MIN(all[i].full, all[i].is_long ? LONG_MOST : TEXT_MOST);
	}
	room = width + GAP - MIN(width, 1); /* a blank at the left */
	shorten_last(l, all, n, room, TEXT_MOST);
	while (used(all, n) > room && take_out(all, n, true, sorted))
		;
	shorten_last(l, all, n, room, TEXT_LEAST);
	shorten(all, n, room);
	while (used(all, n) > room && take_out(all, n, false, sorted))
		;
	rest = room - MIN(room, used(all, n));
	for (unsigned i = 0; i < n; i++) {
		unsigned more = all[i].is_out ? 0 : MIN(rest, all[i].full - all[i].w);

		all[i].w += more;
		rest -= more;
	}
	bar = bar_of(l, all, n);
	l->n_places = 0;
	for (unsigned i = 0; i < n; i++) {
		struct list_place *p = &l->places[l->n_places];

		if (all[i].is_out || x >= width)
			continue;
		*p = (struct list_place){ all[i].column, x, MIN(all[i].w, width - x), 0 };
		if (i == bar && rest > BAR_LEAST)
			p->bar = MIN(rest - 1, BAR_MOST);
		x += p->w + (p->bar ? p->bar + 1 : 0) + GAP;
		l->n_places++;
	}
}

static void draw_heading(const struct list *l, const struct term_area *area)
{
	unsigned sorted = list_sorted_by(l);

	term_area_fill(area, 0, 0, area->w, 1, TERM_ROLE_TITLE, ' ');
	for (unsigned i = 0; i < l->n_places; i++) {
		const struct list_place *p = &l->places[i];
		const struct table_column *c = &l->part->rows->columns[p->column];
		const char *heading = list_rows_heading(c);
		bool falls = list_falls(c) != l->reversed;
		unsigned end = p->x + p->w;

		if (list_rows_is_text(c))
			end = term_area_fit(area, p->x, 0, p->w, TERM_ROLE_TITLE, heading);
		else
			term_area_before(area, end, 0, TERM_ROLE_TITLE, heading);
		if (p->column == sorted)
			term_area_char(area, end, 0, TERM_ROLE_TITLE, falls ? 0x25be : 0x25b4); /* ▾ ▴ */
	}
}

/* ---- rows ---- */

/* A bar of EIGHTHS of a column. */
static void draw_bar(const struct term_area *area, unsigned x, unsigned y, unsigned eighths)
{
	term_area_fill(area, x, y, eighths / 8, 1, TERM_ROLE_BAR, 0x2588);
	if (eighths % 8)
		term_area_char(area, x + eighths / 8, y, TERM_ROLE_BAR, 0x2590 - eighths % 8);
}

/* Draw the letter of the kind of wait called NAME. */
static void draw_letter(const struct term_area *area, unsigned x, unsigned y, const char *name)
{
	for (unsigned kind = 0; kind < ANA_KIND_N; kind++)
		if (!strcmp(ana_kind_name(kind), name))
			term_area_char(area, x, y, kind_look_role(kind), (gunichar)kind_look_letter(kind));
}

/* The host that TEXT of COLUMN is or begins with ("HOST/"); MDL_NONE: none, or there is only one. */
static uint32_t host_of(const struct qry *q, const struct table_column *column, const char *text)
{
	bool whole = !strcmp(column->name, "host");
	uint32_t n = qry_host_count(q);
	gsize length = strcspn(text, "/");

	for (uint32_t i = 0; n > 1 && (text[length] || whole) && i < n; i++) {
		const char *name = qry_host(q, i)->name;

		if (!strncmp(name, text, length) && !name[length])
			return i;
	}
	return MDL_NONE;
}

/* The length of CELL's bar in eighths of a column: WIDTH columns for the largest cell of its column. */
static unsigned bar_eighths(const struct list *l, unsigned column, const struct list_cell *cell,
	unsigned width)
{
	const struct table_column *c = &l->part->rows->columns[column];
	double most = (double)l->part->measures[column].most,
	       value = c->type == TABLE_SHARE ? cell->share * LIST_SHARE_SCALE : (double)cell->number;

	if (list_rows_is_unknown(c, cell) || !(value > 0) || !(most > 0))
		return 0;
	return (unsigned)MAX(CLAMP(value / most, 0, 1) * width * 8 + 0.5, 1);
}

/* The place of TEXT in the cell P of COLUMN. */
static struct list_place text_place(const struct table_column *column, const struct list_place *p,
	const char *text)
{
	struct list_place at = *p;
	unsigned before = has_letter(column) ? MIN(LETTER, p->w)
		: list_rows_is_text(column)  ? 0
					     : p->w - MIN(p->w, term_text_width(text));

	at.x += before;
	at.w -= before;
	return at;
}

/* The columns of the text in cell P that are scrolled out of view. */
static unsigned list_skipped(const struct list *l, const struct list_place *p)
{
	bool is_last = p == &l->places[l->n_places - 1];

	return is_last && list_rows_is_text(&l->part->rows->columns[p->column]) ? l->scrolled : 0;
}

/* TEXT without its first SKIP columns. */
static const char *skip_columns(const char *text, unsigned skip)
{
	while (*text && skip > 0) {
		gunichar ch = g_utf8_get_char(text);

		skip -= MIN(skip, g_unichar_iszerowidth(ch) ? 0 : g_unichar_iswide(ch) ? 2 : 1);
		text = g_utf8_next_char(text);
	}
	return text;
}

/* See struct list_kind. */
static bool list_found(const struct list *l, G_GNUC_UNUSED guint row, G_GNUC_UNUSED unsigned column,
	const char *text, int *from, int *to)
{
	const char *found = l->find ? strcasestr(text + *to, l->find) : NULL;

	if (!found)
		return false;
	*from = (int)(found - text);
	*to = *from + (int)strlen(l->find);
	return true;
}

/* Highlight the searched text in the cell P of ROW. */
static void light(const struct list *l, const struct term_area *area, unsigned y, guint row,
	const struct list_place *p)
{
	g_autofree char *text = list_text(l, p->column, list_rows_cell(l->part->rows, row, p->column));
	struct list_place at = text_place(&l->part->rows->columns[p->column], p, text);
	bool (*find)(const struct list *, guint, unsigned, const char *, int *,
		int *) = l->kind->found ? l->kind->found : list_found;
	unsigned skipped = list_skipped(l, p);

	for (int from, to = 0; find(l, row, p->column, text, &from, &to);) {
		g_autofree char *before = g_strndup(text, (gsize)from), *upto = g_strndup(text, (gsize)to);
		unsigned a = term_text_width(before), b = term_text_width(upto);

		a -= MIN(a, skipped);
		b = MIN(b - MIN(b, skipped), at.w);
		if (a < b)
			term_area_over(area, at.x + a, y, b - a, 1, TERM_ROLE_OVER_FOUND);
	}
}

static enum term_role role_of(const struct list *l, guint row, unsigned column, const char *text)
{
	enum term_role role = l->kind->role ? l->kind->role(l, row, column) : TERM_ROLE_TEXT;

	if (role != TERM_ROLE_TEXT)
		return role;
	if (!strcmp(l->part->rows->columns[column].name, "grade"))
		return kind_look_grade(*text == 'p' ? MDL_PROVED
				: *text == 'i'      ? MDL_INFERRED
				: *text == 'd'      ? MDL_DECLARED
						    : MDL_UNSURE);
	return column == list_sorted_by(l) ? TERM_ROLE_STRONG : TERM_ROLE_TEXT;
}

static void draw_cell(const struct list *l, const struct term_area *area, unsigned y, guint row,
	const struct list_place *p)
{
	const struct table_column *c = &l->part->rows->columns[p->column];
	const struct list_cell *cell = list_rows_cell(l->part->rows, row, p->column);
	bool awaited = l->part->rows->costly[p->column] && !list_rows_is_complete(l->part->rows, row);
	unsigned skipped = list_skipped(l, p);
	g_autofree char *text = awaited ? g_strdup("\342\200\246") : list_text(l, p->column, cell); /* … */
	struct list_place at = text_place(c, p, text);
	uint32_t host = host_of(l->pane.shell->q, c, text);
	enum term_role role = role_of(l, row, p->column, text);

	if (has_letter(c) && p->w)
		draw_letter(area, p->x, y, text);
	if (host == MDL_NONE || !strcmp(c->name, "host"))
		term_area_fit(area, at.x, y, at.w, host == MDL_NONE ? role : host_look_role(host),
			skip_columns(text, skipped));
	else
		host_look_label(area, at.x, y, at.w, role, l->pane.shell->q, host, text);
	if (skipped && *text && at.w)
		term_area_char(area, at.x, y, TERM_ROLE_DIM, 0x2026);
	if (p->bar)
		draw_bar(area, p->x + p->w + 1, y, bar_eighths(l, p->column, cell, p->bar));
}

/* Draw ROW on line Y. */
static void draw_row(const struct list *l, const struct term_area *area, unsigned y, guint row)
{
	g_autofree char *text = l->kind->across ? l->kind->across(l, row) : NULL;

	if (text)
		term_area_fit(area, 1, y, area->w - MIN(area->w, 1), TERM_ROLE_DIM, text);
	for (unsigned i = 0; !text && i < l->n_places; i++)
		draw_cell(l, area, y, row, &l->places[i]);
	if (l->kind->is_marked && l->kind->is_marked(l, row))
		compare_set_draw_mark(area, 0, y);
}

/* ---- below the list ---- */

/* Append COLUMN of ROW with its heading to LINE, unless it fits above, or is a count of 0. */
static void append_rest(const struct list *l, GString *line, guint row, unsigned column)
{
	const struct table_column *c = &l->part->rows->columns[column];
	g_autofree char *text = list_text(l, column, list_rows_cell(l->part->rows, row, column)),
			*heading = g_ascii_strdown(list_rows_heading(c), -1);
	unsigned room = 0;

	for (unsigned i = 0; i < l->n_places; i++)
		if (l->places[i].column == column)
			room = l->places[i].w - MIN(l->places[i].w, has_letter(c) ? LETTER : 0);
	if (c->heading && *text && strcmp(text, "0") != 0 && term_text_width(text) > room)
		g_string_append_printf(line, "%s%s %s", line->len ? "  " : "", heading, text);
}

/* The cells of the selected row that do not fit above, those of the wanted columns first.  The caller
 * frees. */
static char *rest_text(const struct list *l)
{
	struct list_choice chosen[TABLE_COLUMNS_MAX];
	unsigned n = list_choose(l, chosen);
	GString *line = g_string_new(NULL);
	uint64_t told = 0;
	guint row;

	if (!list_selected(l, &row))
		return g_string_free(line, FALSE);
	for (unsigned i = 0; i < n; i++) {
		append_rest(l, line, row, chosen[i].column);
		told |= UINT64_C(1) << chosen[i].column;
	}
	for (unsigned i = 0; i < l->part->rows->n_columns; i++)
		if (!(told >> i & 1))
			append_rest(l, line, row, i);
	return g_string_free(line, FALSE);
}

/* The lines for TEXT below a list in AREA: the kind's number if it has one, else as many as needed up to
 * REST_MOST, or more if the user made the list large; at most a third of AREA. */
static unsigned rest_lines(const struct list *l, const char *text, const struct term_area *area)
{
	g_autoptr(GPtrArray) rows = NULL;

	if (area->h < BELOW_FROM || !l->order->len)
		return 0;
	if (l->kind->rest && !l->pane.shell->maximised)
		return CLAMP(l->kind->rest, 1, area->h / 3);
	rows = term_text_rows(text, MAX(area->w, 2) - 1, 0);
	return CLAMP(rows->len, 1, l->pane.shell->maximised ? area->h / 3 : MIN(REST_MOST, area->h / 3));
}

/* The line that stands in place of rows.  The caller frees. */
static char *none_text(const struct list *l)
{
	const struct ui_shell *shell = l->pane.shell;
	int64_t from, to;
	bool part = !ui_shell_selection(shell, &from, &to) &&
		(from > shell->span_from || to < shell->span_to);
	g_autofree char *key = ui_keymap_first(shell->keys, UI_CMD_ZOOM_FIT);

	if (l->part->n)
		return g_strdup("no line matches the filter");
	return part && !l->kind->whole && *key
		? g_strdup_printf("%s in view: %s shows the whole trace", l->kind->none, key)
		: g_strdup(l->kind->none);
}

void list_draw_at(struct list *l, const struct term_area *whole, unsigned top)
{
	struct term_area lines = term_area_part(whole, 0, top, whole->w, whole->h - MIN(top, whole->h)),
			 *area = &lines;
	g_autofree char *text = NULL;
	unsigned below, y = 0;
	struct term_area rows, rest;

	l->heading_y = top;
	if (!area->h || !l->part)
		return;
	place(l, area->w);
	text = rest_text(l);
	below = rest_lines(l, text, area);
	draw_heading(l, area);
	rows = list_view_area(&l->view, area, 1, below, l->order->len);
	l->view.y += top;
	for (; y < l->view.seen; y++)
		draw_row(l, &rows, y, g_array_index(l->order, guint, l->view.top + y));
	list_view_mark(&l->view, l->self, &rows);
	for (unsigned i = 0; (l->find || l->kind->found) && i < l->view.seen * l->n_places; i++)
		light(l, &rows, i / l->n_places,
			g_array_index(l->order, guint, l->view.top + i / l->n_places),
			&l->places[i % l->n_places]);
	if (!l->order->len && !ask_worker_busy(l->pane.worker)) {
		g_autofree char *none = none_text(l);

		term_area_text(&rows, 1, y++, TERM_ROLE_DIM, none);
	}
	if (l->kind->below)
		l->kind->below(l, &rows, y);
	rest = term_area_part(area, 1, area->h - below, area->w - MIN(area->w, 1), below);
	term_area_fill(area, 0, area->h - below, area->w, below, TERM_ROLE_TITLE, ' ');
	term_area_rows(&rest, TERM_ROLE_TITLE, text);
}

void list_draw(struct ui_pane *pane, const struct term_area *area)
{
	struct list *l = (struct list *)pane;

	if (!l->part)
		asking_draw(&l->ask, pane, area, "looking", false);
	else
		list_draw_at(l, area, 0);
}
