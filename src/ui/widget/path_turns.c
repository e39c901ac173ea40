/* SPDX-License-Identifier: MIT */
/*
 * Turns are lines from row to row.  A hand-over has an arrowhead, and so has
 * the cell before the receiver's first one when it is free:
 *
 *   ████████            The line runs down two cells before the receiver, where
 *         └▶██████      the giver's own row is busy anyhow, so that no cell of
 *                └▶██   either is lost.
 *
 * Where rows stand two lines apart the head stands between them instead.
 * A turn without a head is no hand-over: the path goes on with who waited.
 *
 * A column takes one turn, the one between the longest stays; turns that are too
 * close to be told apart are left out.  The two at the ends of the cursor's stay
 * are always there.  A packet from host to host that was received in the column
 * in which it was sent is one turn from its sender to its receiver.
 */
#include "ui/widget/path_rows.h"

#include "base/base_search.h"

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

/* ---- which ---- */

/* Whether ITEM is a packet's way from one host to another. */
static bool is_crossing(const struct path_rows *r, uint32_t item)
{
	return path_rows_item(r, item)->n == 1 &&
		path_rows_segment(r, path_rows_item(r, item)->first)->crossing.crossed;
}

/* The shorter of the stays before and after turn I.  A packet on its way between hosts is no stay: those at
 * its ends count. */
static int64_t weight_of(const struct path_rows *r, unsigned i)
{
	uint32_t item = turn_at(r, i)->item;
	unsigned last = i - 1 - is_crossing(r, item - 1), next = i + 1 + is_crossing(r, item);
	int64_t before = last < r->turns->len ? turn_at(r, last)->at : r->path->from;
	int64_t after = next < r->turns->len ? turn_at(r, next)->at : r->path->to;

	return MIN(turn_at(r, i)->at - before, after - turn_at(r, i)->at);
}

/*
 * For each column of the view the turn to be drawn there, UINT32_MAX none.
 * NEAR is the turn before the cursor.  The caller frees.
 */
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

/* With free lines between the rows: the head stands above or below the receiver's first cell. */
static void draw_apart(const struct term_area *area, unsigned x, int from, int to, bool head,
	enum term_role role)
{
	int y = to + (to > from ? -1 : 1);

	path_turns_draw_line(area, x, from, to, role);
	if (head && to >= 0 && to < (int)area->h)
		term_area_char(area, x, (unsigned)y, role, to > from ? 0x25bc : 0x25b2);
}

/* Row upon row: the head stands before the receiver's first cell, as far as there is room. */
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

/* Where turn I, drawn in column X, leads: over a packet that is sent and received within the column to who
 * received it. */
static uint32_t turn_end(const struct path_rows *r, unsigned i, unsigned x)
{
	const struct path_turn *turn = turn_at(r, i), *next = turn + 1;

	if (i + 1 < r->turns->len && is_crossing(r, turn->item) && next->item == turn->item + 1 &&
		path_rows_column(r, next->at) == (int)x)
		turn = next;
	return path_rows_item(r, turn->item)->actor;
}

static void draw_turn(const struct path_rows *r, unsigned i, unsigned x, bool near)
{
	const struct path_turn *turn = turn_at(r, i);
	int from = path_turns_line(r, path_rows_line_of(r, path_rows_item(r, turn->item - 1)->actor));
	int to = path_turns_line(r, path_rows_line_of(r, turn_end(r, i, x)));
	enum term_role role = near ? TERM_ROLE_ARROW_NEAR : TERM_ROLE_ARROW;

	if (r->step > 1)
		draw_apart(r->area, x, from, to, turn->handover, role);
	else
		draw_close(r->area, x, from, to, turn->handover, role);
}

void path_turns_draw(const struct path_rows *r)
{
	int near = r->current == PATH_NO_ITEM ? -2 : path_turns_before(r->turns, r->current);
	uint32_t *chosen = path_turns_choose(r, near);

	for (unsigned x = 0; x < r->area->w; x++)
		if (chosen[x] != UINT32_MAX)
			draw_turn(r, chosen[x], x, (int)chosen[x] == near || (int)chosen[x] == near + 1);
	g_free(chosen);
}
