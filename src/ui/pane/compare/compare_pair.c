/* SPDX-License-Identifier: MIT */
/*
 * Two paths with one step highlighted: a typical path of the side where the step takes less time, and the
 * path in which it takes most; for two recordings, a typical path of each.  A worker of their own walks them.
 * Both are drawn with the same scale and start at zero, side by side, or one above the other if there is no
 * room.  Each looks like a path in the path pane, but only the step has colour.  The cursor is at the same
 * instant in both.
 *
 * The worker that compares opens the other recording at the first question about it; it stays open.  After
 * the first answer the screen reads it, too; all other readers open it again (qry_open_again()).
 */
#include "ui/pane/compare/compare.h"

#include "base/base_error.h"
#include "ui/widget/subject.h"

/* ---- another recording ---- */

struct compare_other *compare_other_ref(struct compare_other *other)
{
	return g_atomic_rc_box_acquire(other);
}

static void compare_other_clear(void *data)
{
	qry_free(((struct compare_other *)data)->q);
}

void compare_other_unref(struct compare_other *other)
{
	g_atomic_rc_box_release_full(other, compare_other_clear);
}

/* Set *ROW to the thread of OTHER with the name of row *ROW of Q; MDL_NONE stays.  False with an error. */
static bool compare_other_find_row(const struct qry *other, const struct qry *q, uint32_t *row,
	GError **error)
{
	const struct qry_row *r = *row == MDL_NONE ? NULL : qry_row(q, *row);
	g_autofree char *on_host = r ? g_strconcat(qry_host(q, r->host)->name, "/", r->name, NULL) : NULL,
			*name = NULL;
	g_autoptr(GError) why = NULL;

	if (!r || qry_find_thread(other, on_host, row, NULL) || qry_find_thread(other, r->name, row, &why))
		return true;
	name = trace_name_text(other);
	return base_error_false(error, BASE_ERROR_NO_ANSWER,
		g_error_matches(why, BASE_ERROR, BASE_ERROR_USAGE)
			? "%s: several threads are called %s: say which with :compare requests:T or latency:KIND:T"
			: "%s: no thread is called %s",
		name, r->name);
}

struct ana_set *compare_other_find(struct compare_other *other, struct qry *q, const struct compare_set *set,
	struct qry **asked, struct base_progress *progress, GError **error)
{
	struct compare_set there = *set;

	*asked = NULL;
	if (other->is_set)
		return ana_set_find(q, other->what, set->from, set->to, progress, error);
	if (!other->q)
		other->q = other->options->open_other(other->options->context, other->what, progress, error);
	if (!other->q)
		return NULL;
	*asked = qry_open_again(other->q, error);
	if (!*asked)
		return NULL;
	qry_span(*asked, &there.from, &there.to);
	there.to++; /* include intervals that start at the last instant of the recording */
	there.marked = NULL;
	return compare_other_find_row(*asked, q, &there.row, error)
		? compare_set_find(*asked, &there, progress, error)
		: NULL;
}

enum term_role compare_plot_role(unsigned side)
{
	return side == ANA_COMPARE_SLOW ? TERM_ROLE_STATE_WAIT_CPU : TERM_ROLE_BAR;
}

char *compare_draw_side(const struct compare *c, unsigned side)
{
	const struct qry *other = c->other ? c->other->q : NULL;
	g_autofree char *name = NULL;

	if (!c->how.against)
		return g_strdup(c->found->side[side].name);
	if (side == ANA_COMPARE_SLOW)
		name = c->other && c->other->is_set ? g_strdup(c->set->name)
						    : trace_name_text(c->pane.shell->q);
	else if (c->found && other)
		name = trace_name_text(other);
	else
		name = ana_set_is_spec(c->how.against) ? g_strdup(c->how.against)
						       : g_path_get_basename(c->how.against);
	return g_strdup_printf("%s (%s)", side == ANA_COMPARE_SLOW ? "now" : "before", name);
}

/* ---- the paths, in the worker ---- */

#define FOLDED 100 /* fold items shorter than 1/FOLDED of the time */

struct question {
	struct compare_stretch {
		struct compare_other *other; /* a reference; NULL: this recording */
		uint32_t row;
		int64_t from, to;
	} of[2];
};

struct answer {
	struct ana_path *paths[2]; /* owned */
	struct qry *others[2];     /* the recording of each path if it is another one; owned, NULL */
};

static void compare_pair_answer_free(void *data)
{
	struct answer *answer = data;

	for (unsigned i = 0; i < 2; i++) {
		if (answer->paths[i])
			ana_path_free(answer->paths[i]);
		qry_free(answer->others[i]);
	}
	g_free(answer);
}

static void compare_pair_forget(void *question)
{
	struct question *q = question;

	for (unsigned i = 0; i < 2; i++)
		g_clear_pointer(&q->of[i].other, compare_other_unref);
}

/* Walk the path of S.  Names in the path may belong to *OTHER, so it must outlive the path. */
static struct ana_path *compare_pair_walk(struct qry *q, const struct compare_stretch *s, struct qry **other,
	struct base_progress *progress, GError **error)
{
	struct ana_path *path;

	if (!s->other)
		return ana_path_new(q, s->row, s->from, s->to, progress, error);
	*other = qry_open_again(s->other->q, error);
	path = *other ? ana_path_new(*other, s->row, s->from, s->to, progress, error) : NULL;
	if (!path || !qry_damage(*other))
		return path;
	ana_path_free(path);
	g_propagate_error(error, g_error_copy(qry_damage(*other)));
	return NULL;
}

static void *compare_pair_make_answer(struct qry *q, const void *question, struct base_progress *progress,
	GError **error)
{
	const struct question *asked = question;
	struct answer *answer = g_new0(struct answer, 1);

	for (unsigned i = 0; i < 2; i++) {
		answer->paths[i] = compare_pair_walk(q, &asked->of[i], &answer->others[i], progress, error);
		if (!answer->paths[i]) {
			compare_pair_answer_free(answer);
			return NULL;
		}
	}
	return answer;
}

/* ---- on the screen ---- */

void compare_pair_drop(struct compare *c)
{
	ask_worker_cancel(c->walker);
	g_clear_pointer(&c->pair_problem, g_free);
	for (unsigned i = 0; i < 2; i++) {
		struct compare_path *p = &c->pair[i];

		if (!p->path)
			continue;
		path_items_clear(&p->items);
		g_array_unref(p->turns);
		g_free(p->steps);
		g_clear_pointer(&p->path, ana_path_free);
		g_clear_pointer(&p->other, qry_free);
	}
}

static void take_path(struct compare *c, struct compare_path *p, struct ana_path *path, struct qry *other)
{
	struct ana_folder *folder = ana_folder_new(c->found->fold, other ? other : c->pane.shell->q);

	p->path = path;
	p->other = other;
	path_items_init(&p->items);
	p->items.limit = (path->to - path->from) / FOLDED;
	path_items_make(&p->items, path);
	p->turns = path_turns_new(path, &p->items);
	p->steps = g_new0(uint32_t, path->segments->len + 1);
	ana_folder_steps(folder, path, p->steps);
	ana_folder_free(folder);
}

static void compare_pair_taken(struct ui_pane *pane, void *data, GError *error)
{
	struct compare *c = (struct compare *)pane;
	struct answer *answer = data;

	compare_pair_drop(c);
	ask_worker_problem(&c->pair_problem, error);
	if (!answer)
		return;
	for (unsigned i = 0; i < 2; i++)
		take_path(c, &c->pair[i], g_steal_pointer(&answer->paths[i]),
			g_steal_pointer(&answer->others[i]));
	compare_pair_answer_free(answer);
}

static const struct ask_kind compare_pair_kind = { .size = sizeof(struct question),
	.forget = compare_pair_forget,
	.answer = compare_pair_make_answer,
	.free = compare_pair_answer_free,
	.taken = compare_pair_taken };

const struct ana_compare_row *compare_pair_row(const struct compare *c)
{
	if (!c->found || !c->lit || c->lit > c->found->rows->len)
		return NULL;
	return &g_array_index(c->found->rows, struct ana_compare_row, c->lit - 1);
}

/* Choose the intervals that show R best. */
static void compare_pair_choose(struct compare *c, const struct ana_compare_row *r)
{
	bool origin = c->found->by == ANA_COMPARE_BY_ORIGIN;
	unsigned more = r->difference < 0 && !origin ? ANA_COMPARE_FAST : ANA_COMPARE_SLOW;
	const struct ana_compare_side *side = c->found->side;

	for (unsigned i = 0; i < 2; i++) {
		struct compare_path *p = &c->pair[i];
		bool typical = i == 0 || origin;
		uint32_t own;

		p->side = i == 0 ? !more : more;
		own = typical ? r->typical[p->side] : r->extreme[p->side];
		p->of = own != UINT32_MAX ? own : typical ? side[p->side].typical : side[p->side].extreme;
	}
}

void compare_pair_ask(struct compare *c)
{
	const struct ana_compare_row *r = compare_pair_row(c);
	struct question q = { 0 };

	compare_pair_drop(c);
	if (!r) {
		c->lit = 0;
		return;
	}
	compare_pair_choose(c, r);
	for (unsigned i = 0; i < 2; i++) {
		const struct ana_compare_path *p;

		if (c->pair[i].of == UINT32_MAX) {
			c->lit = 0;
			compare_pair_forget(&q);
			ui_shell_message(c->pane.shell, "there is no path to show");
			return;
		}
		p = &g_array_index(c->found->paths, struct ana_compare_path, c->pair[i].of);
		q.of[i] = (struct compare_stretch){ compare_is_elsewhere(c, p) ? compare_other_ref(c->other)
									       : NULL,
			p->row, p->from, p->to };
	}
	if (!c->walker)
		c->walker = ask_worker_new(c->pane.shell->q, &compare_pair_kind);
	ask_worker_ask(c->walker, &q);
	ask_worker_wait(c->walker, &c->pane, ASK_AT_ONCE);
}

/* ---- moving ---- */

/* The length of the longer path in ns. */
static int64_t compare_pair_length(const struct compare *c)
{
	int64_t length = 1;

	for (unsigned i = 0; i < 2; i++)
		if (c->pair[i].path)
			length = MAX(length, c->pair[i].path->to - c->pair[i].path->from);
	return length;
}

static void compare_pair_move(struct compare *c, int64_t by)
{
	int64_t length = compare_pair_length(c);

	c->at = CLAMP(c->at + by, 0, length - 1);
}

bool compare_pair_command(struct compare *c, enum ui_command command)
{
	int64_t length = compare_pair_length(c), column = MAX(length / MAX(c->pair_columns, 1), 1);

	switch (command) {
	case UI_CMD_TIME_LEFT: compare_pair_move(c, -column); return true;
	case UI_CMD_TIME_RIGHT: compare_pair_move(c, column); return true;
	case UI_CMD_PAN_LEFT: compare_pair_move(c, -length / 4); return true;
	case UI_CMD_PAN_RIGHT: compare_pair_move(c, length / 4); return true;
	case UI_CMD_TIME_START: c->at = 0; return true;
	case UI_CMD_TIME_END: c->at = length - 1; return true;
	case UI_CMD_ROW_UP:
	case UI_CMD_ROW_DOWN: c->chosen_first = command == UI_CMD_ROW_UP; return true;
	case UI_CMD_PAGE_UP: c->pair_top -= MIN(c->pair_top, 1); return true;
	case UI_CMD_PAGE_DOWN: c->pair_top = MIN(c->pair_top + 1, c->pair_left); return true;
	case UI_CMD_FOLD:
	case UI_CMD_SORT:
		ui_shell_message(c->pane.shell,
			"only the list of steps can be sorted and folded: go back to it");
		return true;
	case UI_CMD_BACK:
	case UI_CMD_CLEAR:
		c->lit = 0;
		compare_pair_drop(c);
		return true;
	default: return false;
	}
}

/* ---- words ---- */

#define BESIDE_FROM 120 /* minimum columns to draw the paths beside each other */
#define RULER_FROM 7    /* minimum lines of one path for a ruler */
#define NAMES_MAX 24    /* columns */
#define TICK 12         /* minimum columns between labels */

/* One of the two paths, while it is drawn. */
struct drawn {
	struct compare *c;
	const struct compare_path *p;
	uint32_t step;
	bool chosen;
	int64_t length; /* of the longer path */
};

/* Draw "▸ slow, extreme: 63.3 ms, of that 21.3 ms in the step". */
static void draw_head(const struct drawn *d, const struct term_area *area)
{
	struct ui_shell *shell = d->c->pane.shell;
	bool extreme = d->p == &d->c->pair[1] && d->c->found->by != ANA_COMPARE_BY_ORIGIN;
	int64_t time = 0;
	g_autofree char *length = ui_shell_duration_text(shell, d->p->path->to - d->p->path->from),
			*in = NULL, *side = compare_draw_side(d->c, d->p->side), *begin = NULL, *text = NULL;
	int64_t from, to;
	unsigned x = 2;

	for (guint i = 0; i < d->p->path->segments->len; i++) {
		const struct ana_segment *s = path_segment(d->p->path, i);

		if (d->p->steps[i] == d->step)
			time += s->to - s->from;
	}
	in = ui_shell_duration_text(shell, time);
	if (d->p->other) { /* relative to the start of its recording */
		qry_span(d->p->other, &from, &to);
		begin = shell->times->text(d->p->path->from, from);
	} else {
		begin = ui_shell_time_text(shell, d->p->path->from);
	}
	text = g_strdup_printf(", %s: %s, of that %s in the step  %s", extreme ? "extreme" : "typical",
		length, in, begin);
	if (d->chosen)
		term_area_char(area, 0, 0, TERM_ROLE_KEY, 0x25b8); /* ▸ */
	x = term_area_fit(area, x, 0, area->w / 3, compare_plot_role(d->p->side), side);
	term_area_fit(area, x, 0, area->w - MIN(x, area->w), d->chosen ? TERM_ROLE_STRONG : TERM_ROLE_TEXT,
		text);
}

/* Draw the item under the cursor. */
static void draw_detail(const struct drawn *d, const struct path_rows *r, const struct term_area *area,
	unsigned y)
{
	struct ui_shell *shell = d->c->pane.shell;
	g_autofree char *at = ui_shell_duration_text(shell, d->c->at), *length = NULL, *text = NULL;
	const struct path_item *item;

	term_area_fill(area, 0, y, area->w, 1, TERM_ROLE_TITLE, ' ');
	if (r->current == PATH_NO_ITEM) {
		text = g_strdup_printf("%s: after the end", at);
	} else {
		item = path_item(r->items, r->current);
		length = ui_shell_duration_text(shell, item->to - item->from);
		text = g_strdup_printf("%s: %s %s %s%s", at, path_actor(r->path, item->actor)->label,
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

/* For each cell of TIME, line by line: 1 + its look if it has part of the step, else 0.  The caller frees. */
static uint8_t *find_lit(const struct drawn *d, const struct path_rows *r, const struct term_area *time)
{
	uint8_t *lit = g_new0(uint8_t, (gsize)time->w * time->h + 1);

	for (guint i = 0; i < r->path->segments->len; i++) {
		const struct ana_segment *s = path_segment(r->path, i);
		uint32_t item = d->p->steps[i] == d->step ? path_items_at(r->items, s->from) : PATH_NO_ITEM;
		int y;

		if (item == PATH_NO_ITEM)
			continue;
		y = path_turns_line(r, path_line_of(r->items, path_item(r->items, item)->actor));
		for (int x = path_rows_column(r, s->from); y >= 0 && y < (int)time->h && x >= 0 &&
			x < (int)time->w && x <= path_rows_column(r, s->to - 1);
			x++)
			lit[(unsigned)y * time->w + (unsigned)x] = (uint8_t)(1 +
				path_item(r->items, item)->look);
	}
	return lit;
}

/* Only the step keeps its colours; if states are letters, the step's cells are capital letters. */
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

static void draw_rows(const struct drawn *d, struct path_rows r, const struct term_area *area, unsigned names)
{
	struct term_area time = term_area_part(area, names, 0, area->w - names, area->h);
	struct term_area left = term_area_part(area, 0, 0, names - 1, area->h);
	int cursor = base_time_column_of(0, d->length, r.columns, d->c->at);
	unsigned n = r.items->lines->len, lit = 0, most;

	r.rows = MIN(area->h, r.items->lines->len);
	for (guint i = 0; i < r.path->segments->len; i++)
		if (d->p->steps[i] == d->step) {
			uint32_t item = path_items_at(r.items, path_segment(r.path, i)->from);

			lit = path_line_of(r.items, path_item(r.items, item)->actor);
			break;
		}
	/* scrolled so that the step is in view */
	r.first = lit >= r.rows ? lit - r.rows + 1 : 0;
	most = n > r.rows ? n - r.rows : 0;
	d->c->pair_left = MAX(d->c->pair_left, most - MIN(r.first, most));
	r.first = MIN(r.first + d->c->pair_top, most);
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
	c->pair_left = 0;
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
