/* SPDX-License-Identifier: MIT */
/*
 * Rows: one pass over the items in the window adds up the time of each look in each cell.  A share is a part
 * of the whole time of the column, so the shares of all rows in a column add up to at most 1.
 *
 * Turns are lines from row to row.  A hand-over has an arrowhead, which takes the cell before the receiver's
 * first one if it is free:
 *
 *   ████████            The line runs down two cells before the receiver, where
 *         └▶██████      the giver's own row is busy anyway, so no cell of either
 *                └▶██   is lost.
 *
 * If rows are two lines apart, the head is between them instead.  A turn without a head is no hand-over: the
 * path continues with the actor that waited.
 *
 * A column has room for one turn: the one whose shorter neighbouring stay is longest.  Turns with a stay
 * shorter than half a column are left out.  The two turns at the ends of the stay at the cursor are always
 * drawn.  A packet between hosts that was sent and received within one column is drawn as one turn from
 * sender to receiver.
 */
#include "ui/widget/path_rows.h"

#include "base/base_search.h"
#include "ui/widget/host_look.h"

/* ---- turns ---- */

static const struct path_turn *turn_at(const struct path_rows *r, unsigned i)
{
	return &g_array_index(r->turns, struct path_turn, i);
}

int path_turns_line(const struct path_rows *r, uint32_t line)
{
	if (line < r->first)
		return -1;
	if (line >= r->first + r->rows)
		return (int)r->area->h;
	return (int)((line - r->first) * r->step);
}

GArray *path_turns_new(const struct ana_path *path, const struct path_items *items)
{
	GArray *turns = g_array_new(FALSE, FALSE, sizeof(struct path_turn)), *links = path->links;
	guint link = 0;

	for (guint i = 1; i < items->items->len; i++) {
		const struct path_item *item = &g_array_index(items->items, struct path_item, i);
		struct path_turn turn = { item->from, i, false };

		if (item[-1].actor == item->actor)
			continue;
		while (link < links->len && g_array_index(links, struct ana_link, link).to < item->first)
			link++;
		turn.handover = link < links->len &&
			g_array_index(links, struct ana_link, link).to == item->first;
		g_array_append_val(turns, turn);
	}
	return turns;
}

struct sought {
	const GArray *turns;
	uint32_t item;
};

static bool is_at_most(const void *data, uint64_t i)
{
	const struct sought *s = data;

	return g_array_index(s->turns, struct path_turn, i).item <= s->item;
}

int path_turns_before(const GArray *turns, uint32_t item)
{
	return (int)base_search(0, turns->len, is_at_most, &(struct sought){ turns, item }) - 1;
}

/* ---- the turns to draw ---- */

/* True if ITEM is a packet on its way from one host to another. */
static bool is_crossing(const struct path_rows *r, uint32_t item)
{
	return path_item(r->items, item)->n == 1 &&
		path_segment(r->path, path_item(r->items, item)->first)->crossing.crossed;
}

/* The length in ns of the shorter stay before or after turn I.  A packet on its way between hosts is no stay:
 * the stays at its ends count. */
static int64_t weight_of(const struct path_rows *r, unsigned i)
{
	uint32_t item = turn_at(r, i)->item;
	unsigned last = i - 1 - is_crossing(r, item - 1), next = i + 1 + is_crossing(r, item);
	int64_t before = last < r->turns->len ? turn_at(r, last)->at : r->path->from;
	int64_t after = next < r->turns->len ? turn_at(r, next)->at : r->path->to;

	return MIN(turn_at(r, i)->at - before, after - turn_at(r, i)->at);
}

/* The turn to draw in each column; UINT32_MAX: none.  NEAR: the turn before the cursor.  The caller frees. */
static uint32_t *path_turns_choose(const struct path_rows *r, int near)
{
	uint32_t *chosen = g_new(uint32_t, r->area->w + 1);
	int64_t *weights = g_new0(int64_t, r->area->w + 1);
	int64_t least = MAX((r->to - r->from) / MAX(r->columns, 1), 1) / 2;

	for (unsigned x = 0; x <= r->area->w; x++)
		chosen[x] = UINT32_MAX;
	for (unsigned i = 0; i < r->turns->len; i++) {
		int64_t weight = (int)i == near || (int)i == near + 1 ? INT64_MAX : weight_of(r, i);
		int x;

		if (weight < least || turn_at(r, i)->at < r->from)
			continue;
		if (turn_at(r, i)->at >= r->to)
			break;
		x = path_rows_column(r, turn_at(r, i)->at);
		if (x >= (int)r->area->w || weight <= weights[x])
			continue;
		weights[x] = weight;
		chosen[x] = i;
	}
	g_free(weights);
	return chosen;
}

/* ---- lines ---- */

static bool is_free(const struct term_area *area, unsigned x, int y)
{
	if (x >= area->w || y < 0 || y >= (int)area->h)
		return false;
	return term_grid_cell(area->grid, area->x + x, area->y + (unsigned)y)->ch == ' ';
}

static void path_turns_draw_line(const struct term_area *area, unsigned x, int from, int to,
	enum term_role role)
{
	for (int y = MIN(from, to) + 1; y < MAX(from, to); y++)
		if (is_free(area, x, y))
			term_area_char(area, x, (unsigned)y, role, 0x2502);
}

/* For rows without a line between them: the head is before the receiver's first cell, if there is room. */
static void draw_close(const struct term_area *area, unsigned x, int from, int to, bool head,
	enum term_role role)
{
	gunichar corner = to > from ? 0x2514 : 0x250c;

	if (x >= 2 && head && is_free(area, x - 1, to) && is_free(area, x - 2, to)) {
		path_turns_draw_line(area, x - 2, from, to, role);
		term_area_char(area, x - 2, (unsigned)to, role, corner);
		term_area_char(area, x - 1, (unsigned)to, role, 0x25b6);
	} else if (x >= 1 && is_free(area, x - 1, to)) {
		path_turns_draw_line(area, x - 1, from, to, role);
		term_area_char(area, x - 1, (unsigned)to, role, head ? 0x25b6 : corner);
	} else {
		path_turns_draw_line(area, x, from, to, role);
	}
}

/* Draw turn I in column X.  If it leads to a packet that is sent and received within the column, draw it to
 * the receiver. */
static void draw_turn(const struct path_rows *r, unsigned i, unsigned x, bool near)
{
	const struct path_turn *turn = turn_at(r, i), *end = turn;
	enum term_role role = near ? TERM_ROLE_ARROW_NEAR : TERM_ROLE_ARROW;
	int from, to, y;

	if (i + 1 < r->turns->len && is_crossing(r, turn->item) && turn[1].item == turn->item + 1 &&
		path_rows_column(r, turn[1].at) == (int)x)
		end++;
	from = path_turns_line(r, path_line_of(r->items, path_item(r->items, turn->item - 1)->actor));
	to = path_turns_line(r, path_line_of(r->items, path_item(r->items, end->item)->actor));
	if (r->step == 1) {
		draw_close(r->area, x, from, to, turn->handover, role);
		return;
	}
	/* Between the rows, the head is above or below the receiver's first cell. */
	y = to + (to > from ? -1 : 1);
	path_turns_draw_line(r->area, x, from, to, role);
	if (turn->handover && to >= 0 && to < (int)r->area->h)
		term_area_char(r->area, x, (unsigned)y, role, to > from ? 0x25bc : 0x25b2);
}

static void path_turns_draw(const struct path_rows *r)
{
	int near = r->current == PATH_NO_ITEM ? -2 : path_turns_before(r->turns, r->current);
	uint32_t *chosen = path_turns_choose(r, near);

	for (unsigned x = 0; x < r->area->w; x++)
		if (chosen[x] != UINT32_MAX)
			draw_turn(r, chosen[x], x, (int)chosen[x] == near || (int)chosen[x] == near + 1);
	g_free(chosen);
}

/* ---- rows ---- */

#define NAMES_WIDE 26 /* from this many columns on, shares have a digit after the point */

/* ---- cells ---- */

/* A cell of an actor's row. */
struct cell {
	uint32_t item; /* the item with the largest share; PATH_NO_ITEM: the actor is not on the path here */
	unsigned look; /* the look to show, of this item or another one in the cell */
	unsigned eighths; /* eighths of the cell that are of its class */
};

struct sum {
	int64_t ns[PATH_LOOK_N];
	int64_t longest[PATH_LOOK_N]; /* the longest piece of each look, */
	uint32_t item[PATH_LOOK_N];   /* and its item */
};

/* The look of CLASS with the largest share in SUM; PATH_LOOK_N: none.  *TIME becomes the time of CLASS. */
static unsigned largest(const struct sum *sum, enum state_class class, int64_t *time)
{
	unsigned best = PATH_LOOK_N;

	*time = 0;
	for (unsigned k = 0; k < PATH_LOOK_N; k++) {
		if (!sum->ns[k] || path_look_class(k) != class)
			continue;
		*time += sum->ns[k];
		if (best == PATH_LOOK_N || sum->ns[k] > sum->ns[best])
			best = k;
	}
	return best;
}

/* The cell of SPAN ns with SUM, after a cell whose largest share was that of item BEFORE.  A wait that begins
 * in the cell shows its letter if it has the largest share.  A wait that continues is a line, which loses
 * against a running state, as in the control flow. */
static struct cell cell_of(const struct sum *sum, int64_t span, uint32_t before)
{
	struct cell cell = { PATH_NO_ITEM, 0, 0 };
	int64_t on, wanting;
	unsigned best = 0, runs = largest(sum, STATE_ON_CPU, &on),
		 wants = largest(sum, STATE_WANTING, &wanting);

	for (unsigned k = 1; k < PATH_LOOK_N; k++)
		if (sum->ns[k] > sum->ns[best])
			best = k;
	if (!sum->ns[best])
		return cell;
	cell.item = sum->item[best];
	cell.look = best;
	cell.eighths = state_look_eighths(sum->ns[best], span);
	if ((path_look_class(best) < STATE_WANTING && cell.item != before) || on + wanting == 0)
		return cell;
	cell.eighths = state_look_eighths(MAX(on, wanting), span);
	cell.look = wanting > on && (cell.eighths || !on) ? wants : runs;
	return cell;
}

/* Add item I to the cells that it touches, from column C on.  SUMS: the cells of its line. */
static void add_item(const struct path_rows *r, struct sum *sums, uint32_t i, unsigned c)
{
	const struct path_item *s = path_item(r->items, i);
	int64_t from = MAX(s->from, r->from), to = MIN(s->to, r->to);

	for (; c < r->columns && from < to; c++) {
		int64_t end = MIN(path_rows_time(r, c + 1), to), ns = end - from;

		if (ns <= 0)
			continue;
		sums[c].ns[s->look] += ns;
		if (ns > sums[c].longest[s->look]) {
			sums[c].longest[s->look] = ns;
			sums[c].item[s->look] = i;
		}
		from = end;
	}
}

/* The sums of the cells of N lines of actors from FIRST on, line by line; the caller frees. */
static struct sum *sum_up(const struct path_rows *r, unsigned first, unsigned n)
{
	struct sum *sums = g_new0(struct sum, (gsize)n * r->columns + 1);
	uint32_t i = path_items_at(r->items, MAX(r->from, r->path->from));
	int64_t next = path_rows_time(r, 1); /* the end of column c */
	unsigned c = 0;

	for (; i < r->items->items->len && path_item(r->items, i)->from < r->to; i++) {
		const struct path_item *s = path_item(r->items, i);
		uint32_t line = path_line_of(r->items, s->actor);

		while (c + 1 < r->columns && next <= s->from)
			next = path_rows_time(r, ++c + 1);
		if (line >= first && line - first < n)
			add_item(r, sums + (gsize)(line - first) * r->columns, i, c);
	}
	return sums;
}

/* ---- rows ---- */

void path_rows_name(const struct path_rows *r, const struct term_area *area, unsigned y, uint32_t actor)
{
	const struct qry *q = r->q;
	const struct ana_actor *a = path_actor(r->path, actor);
	enum term_role role = actor == 0 ? TERM_ROLE_NAME_HOST
		: a->row == MDL_NONE     ? TERM_ROLE_NAME_KERNEL
					 : TERM_ROLE_NAME_THREAD;
	bool wide = area->w >= NAMES_WIDE;
	unsigned x = wide;
	double percent = 0;
	char text[16];

	for (unsigned i = 0; i < r->items->sums->len; i++)
		if (path_sum(r->items, i)->actor == actor)
			percent += (double)path_sum(r->items, i)->time;
	percent = 100 * (percent / (double)(r->path->to - r->path->from));
	if (percent > 0 && percent < (wide ? 0.1 : 1))
		g_strlcpy(text, wide ? "<0.1%" : "<1%", sizeof text);
	else
		g_snprintf(text, sizeof text, "%.*f%%", wide && percent < 99.95 ? 1 : 0, percent);
	term_area_right(area, 0, y, TERM_ROLE_DIM, text);
	if (qry_host_count(q) > 1) { /* as in the control flow */
		term_area_char(area, 0, y, host_look_role(a->host), host_look_mark(q, a->host));
		x = 2;
	}
	term_area_fit(area, x, y, MAX(area->w, 12) - x - (wide ? 6 : 5), role,
		host_look_without(q, a->host, a->label));
}

void path_rows_draw(const struct path_rows *r)
{
	struct sum *sums = sum_up(r, r->first, r->rows);

	for (unsigned i = 0; i < r->rows; i++) {
		uint32_t before = PATH_NO_ITEM;

		for (unsigned x = 0; x < r->area->w; x++) {
			int64_t span = path_rows_time(r, x + 1) - path_rows_time(r, x);
			struct cell cell = cell_of(&sums[(gsize)i * r->columns + x], span, before);
			bool begins = cell.item != before;

			before = cell.item;
			if (cell.item != PATH_NO_ITEM)
				term_area_char(r->area, x, i * r->step, path_look_role(cell.look),
					path_look_part(r->area->grid, cell.look, begins, cell.eighths));
		}
	}
	g_free(sums);
	path_turns_draw(r);
}
