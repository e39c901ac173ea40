/* SPDX-License-Identifier: MIT */
/*
 * One pass over the items in the window adds up the time of each kind in
 * each cell; shares are those of the whole cell, so that the rows of a column add up to it.
 */
#include "ui/widget/path_rows.h"

#include "ui/widget/host_look.h"

#define NAMES_WIDE 26 /* columns from which on shares have a digit more */

/* ---- cells ---- */

/* What one cell of an actor's row shows. */
struct cell {
	uint32_t item; /* the one with the largest share; PATH_NO_ITEM: the actor is not on the path here */
	unsigned look; /* what is shown, of it or of another item in the cell */
	unsigned eighths; /* of the cell are of that class */
};

struct sum {
	int64_t ns[PATH_LOOK_N];
	int64_t longest[PATH_LOOK_N]; /* the longest piece of each kind, */
	uint32_t item[PATH_LOOK_N];   /* and whose it is */
};

static void path_rows_add_piece(struct sum *sum, unsigned look, uint32_t item, int64_t ns)
{
	sum->ns[look] += ns;
	if (ns > sum->longest[look]) {
		sum->longest[look] = ns;
		sum->item[look] = item;
	}
}

/* The look of CLASS with the largest share in SUM (PATH_LOOK_N none), and in *TIME the time of all of them.
 */
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

/*
 * The cell of SPAN ns with SUM, after one whose largest share was that of item BEFORE.  A wait that begins in
 * it shows its letter if it has the largest share; one that only goes on is a line, which gives way to what
 * runs as in the control flow.
 */
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

/* Add item I to the cells it touches, from column C on; SUMS are those of its line. */
static void add_item(const struct path_rows *r, struct sum *sums, uint32_t i, unsigned c)
{
	const struct path_item *s = path_rows_item(r, i);
	int64_t from = MAX(s->from, r->from), to = MIN(s->to, r->to);

	for (; c < r->columns && from < to; c++) {
		int64_t end = MIN(path_rows_time(r, c + 1), to);

		if (end > from) {
			path_rows_add_piece(&sums[c], s->look, i, end - from);
			from = end;
		}
	}
}

/* The sums of the cells of N lines of actors from FIRST on, line by line; the caller frees. */
static struct sum *sum_up(const struct path_rows *r, unsigned first, unsigned n)
{
	struct sum *sums = g_new0(struct sum, (gsize)n * r->columns + 1);
	uint32_t i = path_items_at(r->items, MAX(r->from, r->path->from));
	int64_t next = path_rows_time(r, 1); /* when column c ends */
	unsigned c = 0;

	for (; i < r->items->items->len && path_rows_item(r, i)->from < r->to; i++) {
		const struct path_item *s = path_rows_item(r, i);
		uint32_t line = path_rows_line_of(r, s->actor);

		while (c + 1 < r->columns && next <= s->from)
			next = path_rows_time(r, ++c + 1);
		if (line >= first && line - first < n)
			add_item(r, sums + (gsize)(line - first) * r->columns, i, c);
	}
	return sums;
}

/* ---- rows ---- */

static enum term_role name_role(const struct path_rows *r, uint32_t actor)
{
	if (actor == 0)
		return TERM_ROLE_NAME_HOST;
	return path_rows_actor(r, actor)->row == MDL_NONE ? TERM_ROLE_NAME_KERNEL : TERM_ROLE_NAME_THREAD;
}

static double actor_share(const struct path_rows *r, uint32_t actor)
{
	double share = 0;

	for (unsigned i = 0; i < r->items->sums->len; i++)
		if (path_rows_sum(r, i)->actor == actor)
			share += (double)path_rows_sum(r, i)->time;
	return share / (double)(r->path->to - r->path->from);
}

void path_rows_name(const struct path_rows *r, const struct term_area *area, unsigned y, uint32_t actor)
{
	const struct qry *q = r->q;
	const struct ana_actor *a = path_rows_actor(r, actor);
	double percent = 100 * actor_share(r, actor);
	bool wide = area->w >= NAMES_WIDE;
	unsigned x = wide;
	char text[16];

	if (percent > 0 && percent < (wide ? 0.1 : 1))
		g_strlcpy(text, wide ? "<0.1%" : "<1%", sizeof text);
	else
		g_snprintf(text, sizeof text, "%.*f%%", wide && percent < 99.95 ? 1 : 0, percent);
	term_area_right(area, 0, y, TERM_ROLE_DIM, text);
	if (qry_host_count(q) > 1) { /* as in the control flow */
		term_area_char(area, 0, y, host_look_role(a->host), host_look_mark(q, a->host));
		x = 2;
	}
	term_area_fit(area, x, y, MAX(area->w, 12) - x - (wide ? 6 : 5), name_role(r, actor),
		host_look_without(q, a->host, a->label));
}

/* The cells of a line, of which SUMS are those. */
static void draw_cells(const struct path_rows *r, const struct term_area *area, unsigned y,
	const struct sum *sums)
{
	uint32_t before = PATH_NO_ITEM;

	for (unsigned x = 0; x < area->w; x++) {
		int64_t span = path_rows_time(r, x + 1) - path_rows_time(r, x);
		struct cell cell = cell_of(&sums[x], span, before);

		if (cell.item != PATH_NO_ITEM)
			term_area_char(area, x, y, path_look_role(cell.look),
				path_look_part(area->grid, cell.look, cell.item != before, cell.eighths));
		before = cell.item;
	}
}

void path_rows_draw(const struct path_rows *r)
{
	struct sum *sums = sum_up(r, r->first, r->rows);

	for (unsigned i = 0; i < r->rows; i++)
		draw_cells(r, r->area, i * r->step, sums + (gsize)i * r->columns);
	g_free(sums);
	path_turns_draw(r);
}
