/* SPDX-License-Identifier: MIT */
/*
 * Two paths on a common zero, beside each other, or one above the other where there is not the room: each as
 * the pane of paths draws one, with the step lit, and the same instant of both under the cursor.
 */
#include "ui/pane/compare/compare.h"

#define BESIDE_FROM 120 /* columns */
#define RULER_FROM 7    /* lines of one of them */
#define NAMES_MAX 24    /* columns */
#define TICK 12         /* columns between labels, at least */

/* One of both, while it is drawn. */
struct drawn {
	const struct compare *c;
	const struct compare_path *p;
	uint32_t step;
	bool chosen;
	int64_t length; /* of the longer one */
};

/* ---- words ---- */

/* ns that P spends in STEP. */
static int64_t time_in(const struct compare_path *p, uint32_t step)
{
	int64_t time = 0;

	for (guint i = 0; i < p->path->segments->len; i++) {
		const struct ana_segment *s = &g_array_index(p->path->segments, struct ana_segment, i);

		if (p->steps[i] == step)
			time += s->to - s->from;
	}
	return time;
}

/* When P begins, by the clock or from the start of its recording; the caller frees. */
static char *begin_text(const struct ui_shell *shell, const struct compare_path *p)
{
	int64_t from, to;

	if (!p->other)
		return ui_shell_time_text(shell, p->path->from);
	qry_span(p->other, &from, &to);
	return shell->times->text(p->path->from, from);
}

/* "▸ slow, extreme: 63.3 ms, of that 21.3 ms in the step". */
static void draw_head(const struct drawn *d, const struct term_area *area)
{
	struct ui_shell *shell = d->c->pane.shell;
	bool extreme = d->p == &d->c->pair[1] && d->c->found->by != ANA_COMPARE_BY_ORIGIN;
	g_autofree char *length = ui_shell_duration_text(shell, d->p->path->to - d->p->path->from),
			*in = ui_shell_duration_text(shell, time_in(d->p, d->step)),
			*begin = begin_text(shell, d->p), *side = compare_draw_side(d->c, d->p->side),
			*text = NULL;
	unsigned x = 2;

	text = g_strdup_printf(", %s: %s, of that %s in the step  %s", extreme ? "extreme" : "typical",
		length, in, begin);
	if (d->chosen)
		term_area_char(area, 0, 0, TERM_ROLE_KEY, 0x25b8); /* ▸ */
	x = term_area_fit(area, x, 0, area->w / 3, compare_plot_role(d->p->side), side);
	term_area_fit(area, x, 0, area->w - MIN(x, area->w), d->chosen ? TERM_ROLE_STRONG : TERM_ROLE_TEXT,
		text);
}

/* What is under the cursor. */
static void draw_detail(const struct drawn *d, const struct path_rows *r, const struct term_area *area,
	unsigned y)
{
	struct ui_shell *shell = d->c->pane.shell;
	g_autofree char *at = ui_shell_duration_text(shell, d->c->at), *length = NULL, *text = NULL;
	const struct path_item *item;

	term_area_fill(area, 0, y, area->w, 1, TERM_ROLE_TITLE, ' ');
	if (r->current == PATH_NO_ITEM) {
		text = g_strdup_printf("%s: it is over", at);
	} else {
		item = path_rows_item(r, r->current);
		length = ui_shell_duration_text(shell, item->to - item->from);
		text = g_strdup_printf("%s: %s %s %s%s", at, path_rows_actor(r, item->actor)->label,
			path_look_name(item->look), length,
			d->p->steps[item->first] == d->step ? "  this is the step" : "");
	}
	term_area_fit(area, 1, y, area->w - 1, TERM_ROLE_TITLE, text);
}

/* ---- drawing ---- */

/* The smallest of 1, 2, 5, 10, 20, … ns that is at least LEAST. */
static int64_t compare_pair_draw_tick_of(int64_t least)
{
	int64_t ten = 1;

	while (ten < least && ten < INT64_MAX / 100)
		ten *= 10;
	return ten / 5 >= least && ten > 5 ? ten / 5 : ten / 2 >= least && ten > 1 ? ten / 2 : ten;
}

static void draw_ruler(const struct drawn *d, const struct path_rows *r, const struct term_area *area)
{
	int64_t step = compare_pair_draw_tick_of(d->length / MAX(r->columns / TICK, 1));

	for (int64_t time = 0; time < d->length; time += step) {
		g_autofree char *text = ui_shell_duration_text(d->c->pane.shell, time);
		unsigned x = (unsigned)base_time_column_of(0, d->length, r->columns, time);

		term_area_char(area, x, 0, TERM_ROLE_RULER, 0x2502);
		if (x + 1 + term_text_width(text) <= area->w)
			term_area_text(area, x + 1, 0, TERM_ROLE_RULER, text);
	}
}

/* Of the cells of TIME, line by line, 1 + how those that have some of the step look; the caller frees. */
static uint8_t *find_lit(const struct drawn *d, const struct path_rows *r, const struct term_area *time)
{
	uint8_t *lit = g_new0(uint8_t, (gsize)time->w * time->h + 1);

	for (guint i = 0; i < r->path->segments->len; i++) {
		const struct ana_segment *s = path_rows_segment(r, i);
		uint32_t item = d->p->steps[i] == d->step ? path_items_at(r->items, s->from) : PATH_NO_ITEM;
		int y;

		if (item == PATH_NO_ITEM)
			continue;
		y = path_turns_line(r, path_rows_line_of(r, path_rows_item(r, item)->actor));
		for (int x = path_rows_column(r, s->from); y >= 0 && y < (int)time->h && x >= 0 &&
			x < (int)time->w && x <= path_rows_column(r, s->to - 1);
			x++)
			lit[(unsigned)y * time->w + (unsigned)x] = (uint8_t)(1 +
				path_rows_item(r, item)->look);
	}
	return lit;
}

/* The step keeps its colours, all else loses them; where states are letters its cells are these. */
static void light(const struct drawn *d, const struct path_rows *r, const struct term_area *time)
{
	uint8_t *lit = find_lit(d, r, time);

	for (unsigned i = 0; i < time->w * time->h; i++) {
		unsigned x = i % time->w, y = i / time->w;
		struct term_cell *cell = term_grid_cell(time->grid, time->x + x, time->y + y);

		if (!lit[i]) {
			cell->role = TERM_ROLE_DIM;
		} else if (time->grid->letters || time->grid->ascii) {
			cell->ch = g_unichar_toupper(path_look_glyph(time->grid, lit[i] - 1U, false));
			cell->over = TERM_ROLE_OVER_FOUND;
		}
	}
	g_free(lit);
}

/* The first line in view, so that the step is there. */
static unsigned first_line(const struct drawn *d, const struct path_rows *r, unsigned rows)
{
	unsigned n = r->items->lines->len, lit = 0;

	for (guint i = 0; i < r->path->segments->len; i++)
		if (d->p->steps[i] == d->step) {
			uint32_t item = path_items_at(r->items, path_rows_segment(r, i)->from);

			lit = path_rows_line_of(r, path_rows_item(r, item)->actor);
			break;
		}
	return MIN((lit >= rows ? lit - rows + 1 : 0) + d->c->pair_top, n > rows ? n - rows : 0);
}

static void draw_rows(const struct drawn *d, struct path_rows r, const struct term_area *area, unsigned names)
{
	struct term_area time = term_area_part(area, names, 0, area->w - names, area->h);
	struct term_area left = term_area_part(area, 0, 0, names - 1, area->h);
	int cursor = base_time_column_of(0, d->length, r.columns, d->c->at);

	r.rows = MIN(area->h, r.items->lines->len);
	r.first = first_line(d, &r, r.rows);
	r.area = &time;
	for (unsigned i = 0; i < r.rows; i++)
		path_rows_name(&r, &left, i, g_array_index(r.items->lines, uint32_t, r.first + i));
	term_area_fill(area, names - 1, 0, 1, area->h, TERM_ROLE_BORDER, 0x2502);
	path_rows_draw(&r);
	light(d, &r, &time);
	if (cursor >= 0 && cursor < (int)time.w)
		term_area_over(&time, (unsigned)cursor, 0, 1, time.h, TERM_ROLE_OVER_CURSOR);
}

static void draw_one(const struct drawn *d, const struct term_area *area)
{
	unsigned names = CLAMP(area->w / 3, 4, NAMES_MAX), ruler = area->h >= RULER_FROM;
	const struct ana_path *path = d->p->path;
	struct path_rows r = { .q = d->p->other ? d->p->other : d->c->pane.shell->q,
		.path = path,
		.items = &d->p->items,
		.turns = d->p->turns,
		.from = path->from,
		.to = path->from + d->length,
		.columns = MAX(area->w, names + 1) - names,
		.current = path_items_at(&d->p->items, path->from + d->c->at),
		.step = 1 };
	struct term_area part = term_area_part(area, names, 1, area->w - MIN(names, area->w), 1);

	draw_head(d, area);
	if (ruler)
		draw_ruler(d, &r, &part);
	part = term_area_part(area, 0, 1 + ruler, area->w, area->h - MIN(area->h, 2 + ruler));
	if (part.h)
		draw_rows(d, r, &part, names);
	if (area->h > 1)
		draw_detail(d, &r, area, area->h - 1);
}

void compare_pair_draw(struct compare *c, const struct term_area *area)
{
	const struct ana_compare_row *row = compare_pair_row(c);
	bool beside = area->w >= BESIDE_FROM;
	unsigned w = beside ? (area->w - 1) / 2 : area->w, h = beside ? area->h : area->h / 2;

	if (!row || !c->pair[0].path || !c->pair[1].path) {
		if (ask_worker_busy(c->walker))
			ask_worker_draw(c->walker, &c->pane, area, "walking both paths");
		else if (c->pair_problem)
			term_area_fit(area, 1, 0, area->w - 1, TERM_ROLE_DIM, c->pair_problem);
		return;
	}
	c->pair_columns = w - MIN(w, CLAMP(w / 3, 4, NAMES_MAX));
	for (unsigned i = 0; i < 2; i++) {
		struct drawn d = { c, &c->pair[i], row->step, c->chosen_first == (i == 0),
			compare_pair_length(c) };
		struct term_area part = term_area_part(area, beside ? i * (w + 1) : 0, beside ? 0 : i * h, w,
			h);

		draw_one(&d, &part);
	}
	if (beside)
		term_area_fill(area, w, 0, 1, area->h, TERM_ROLE_BORDER, 0x2502);
}
