/* SPDX-License-Identifier: MIT */
/*
 * A row for each actor, aligned with the columns of the control flow; what lies between the rows is in
 * path_turns.c.  How the items of a path look:  Time on a CPU and for a CPU looks as in the
 * control flow; a wait begins with the letter of its kind, a capital from half of the cell
 * on, and goes on as a thin line:
 *
 *   d disk   f cache flush   n network   t timer   l late timer   i other CPU
 *   v virtio   q other device   k input   ? not known   + deeper levels   ~ short ones
 *
 * One pass over the items in the window adds up the time of each kind in
 * each cell; shares are those of the whole cell, so that the rows of a column add up to it.
 */
#include "ui/pane/path/path.h"

#include "ui/widget/host_look.h"
#include "ui/widget/state_look.h"

#define NAMES_WIDE 26 /* columns from which on shares have a digit more */

/* ---- looks ---- */

static const struct {
	gunichar letter; /* 0: looks like STATE in the control flow */
	enum mdl_state state;
	enum term_role role;
} looks[PATH_LOOK_N] = {
	[ANA_SEG_RUNNING] = { 0, MDL_ST_RUNNING, TERM_ROLE_PATH_RUNNING },
	[ANA_SEG_SYSCALL] = { 0, MDL_ST_SYSCALL, TERM_ROLE_PATH_SYSCALL },
	[ANA_SEG_INTERRUPTED] = { 0, MDL_ST_INTERRUPTED, TERM_ROLE_PATH_INTERRUPTED },
	[ANA_SEG_WAIT_CPU] = { 0, MDL_ST_WAIT_CPU, TERM_ROLE_PATH_WAIT_CPU },
	[ANA_SEG_PREEMPTED] = { 0, MDL_ST_PREEMPTED, TERM_ROLE_PATH_PREEMPTED },
	[ANA_SEG_BLOCK] = { 'd', MDL_ST_N, TERM_ROLE_PATH_BLOCK },
	[ANA_SEG_FLUSH] = { 'f', MDL_ST_N, TERM_ROLE_PATH_FLUSH },
	[ANA_SEG_NETWORK] = { 'n', MDL_ST_N, TERM_ROLE_PATH_NETWORK },
	[ANA_SEG_TIMER] = { 't', MDL_ST_N, TERM_ROLE_PATH_TIMER },
	[ANA_SEG_TIMER_LATE] = { 'l', MDL_ST_N, TERM_ROLE_PATH_TIMER_LATE },
	[ANA_SEG_IPI] = { 'i', MDL_ST_N, TERM_ROLE_PATH_IPI },
	[ANA_SEG_IRQ] = { 'q', MDL_ST_N, TERM_ROLE_PATH_IRQ },
	[ANA_SEG_USER_INPUT] = { 'k', MDL_ST_N, TERM_ROLE_PATH_USER_INPUT },
	[ANA_SEG_VCPU_PREEMPTED] = { 0, MDL_ST_VCPU_PREEMPTED, TERM_ROLE_PATH_VCPU_PREEMPTED },
	[ANA_SEG_VCPU_EXIT] = { 0, MDL_ST_VCPU_EXIT, TERM_ROLE_PATH_VCPU_EXIT },
	[ANA_SEG_VM_INTERRUPT] = { 'u', MDL_ST_N, TERM_ROLE_PATH_VM_INTERRUPT },
	[ANA_SEG_BLOCKED] = { '?', MDL_ST_N, TERM_ROLE_PATH_BLOCKED },
	[ANA_SEG_UNKNOWN] = { 0, MDL_ST_UNKNOWN, TERM_ROLE_PATH_UNKNOWN },
	[PATH_LOOK_VIRTIO] = { 'v', MDL_ST_N, TERM_ROLE_PATH_VIRTIO },
	[PATH_LOOK_DEEPER] = { '+', MDL_ST_N, TERM_ROLE_PATH_DEEPER },
	[PATH_LOOK_SHORT] = { '~', MDL_ST_N, TERM_ROLE_PATH_SHORT },
};

gunichar path_look_part(const struct term_grid *grid, unsigned look, bool begins, unsigned eighths)
{
	gunichar letter = looks[look].letter;

	if (!letter)
		return state_look_part(grid, looks[look].state, eighths);
	if (look == PATH_LOOK_SHORT || look == PATH_LOOK_DEEPER)
		return letter;
	if (!begins)
		return state_look_glyph(grid, MDL_ST_BLOCKED);
	return eighths >= STATE_WHOLE / 2 ? g_unichar_toupper(letter) : letter;
}

gunichar path_look_glyph(const struct term_grid *grid, unsigned look, bool name)
{
	gunichar letter = looks[look].letter;

	if (!letter && !name)
		letter = (gunichar)state_look_letter(looks[look].state);
	return letter ? letter : state_look_glyph(grid, looks[look].state);
}

enum term_role path_look_role(unsigned look)
{
	return looks[look].role;
}

const char *path_look_name(unsigned look)
{
	switch (look) {
	case PATH_LOOK_VIRTIO: return "virtio";
	case PATH_LOOK_DEEPER: return "deeper";
	case PATH_LOOK_SHORT: return "folded";
	default: return ana_segment_kind_name(look);
	}
}

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

static enum state_class class_of(unsigned look)
{
	return looks[look].letter ? STATE_RESTING : state_look_class(looks[look].state);
}

static void add_piece(struct sum *sum, unsigned look, uint32_t item, int64_t ns)
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
		if (!sum->ns[k] || class_of(k) != class)
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
	if ((class_of(best) < STATE_WANTING && cell.item != before) || on + wanting == 0)
		return cell;
	cell.eighths = state_look_eighths(MAX(on, wanting), span);
	cell.look = wanting > on && (cell.eighths || !on) ? wants : runs;
	return cell;
}

/* Add item I to the cells it touches, from column C on; SUMS are those of its line. */
static void add_item(const struct path *p, struct sum *sums, uint32_t i, unsigned c)
{
	const struct ui_shell *shell = p->pane.shell;
	const struct path_item *s = path_item(p, i);
	int64_t from = MAX(s->from, shell->from), to = MIN(s->to, shell->to);

	for (; c < shell->columns && from < to; c++) {
		int64_t end = MIN(ui_shell_column_time(shell, c + 1), to);

		if (end > from) {
			add_piece(&sums[c], s->look, i, end - from);
			from = end;
		}
	}
}

/* The sums of the cells of N lines of actors from FIRST on, line by line; the caller frees. */
static struct sum *sum_up(const struct path *p, unsigned first, unsigned n)
{
	const struct ui_shell *shell = p->pane.shell;
	struct sum *sums = g_new0(struct sum, (gsize)n * shell->columns + 1);
	uint32_t i = path_items_at(&p->items, MAX(shell->from, p->path->from));
	int64_t next = ui_shell_column_time(shell, 1); /* when column c ends */
	unsigned c = 0;

	for (; i < p->items.items->len && path_item(p, i)->from < shell->to; i++) {
		const struct path_item *s = path_item(p, i);
		uint32_t line = path_actor_line(p, s->actor);

		while (c + 1 < shell->columns && next <= s->from)
			next = ui_shell_column_time(shell, ++c + 1);
		if (line >= first && line - first < n)
			add_item(p, sums + (gsize)(line - first) * shell->columns, i, c);
	}
	return sums;
}

/* ---- rows ---- */

static enum term_role name_role(const struct path *p, uint32_t actor)
{
	if (actor == 0)
		return TERM_ROLE_NAME_HOST;
	return path_actor(p, actor)->row == MDL_NONE ? TERM_ROLE_NAME_KERNEL : TERM_ROLE_NAME_THREAD;
}

static double actor_share(const struct path *p, uint32_t actor)
{
	double share = 0;

	for (unsigned i = 0; i < p->items.sums->len; i++)
		if (path_sum(p, i)->actor == actor)
			share += (double)path_sum(p, i)->time;
	return share / (double)(p->path->to - p->path->from);
}

static void draw_name(const struct path *p, const struct term_area *area, unsigned y, uint32_t actor)
{
	const struct qry *q = p->pane.shell->q;
	const struct ana_actor *a = path_actor(p, actor);
	double percent = 100 * actor_share(p, actor);
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
	term_area_fit(area, x, y, MAX(area->w, 12) - x - (wide ? 6 : 5), name_role(p, actor),
		host_look_without(q, a->host, a->label));
}

/* The cells of a line, of which SUMS are those. */
static void draw_cells(const struct path *p, const struct term_area *area, unsigned y, const struct sum *sums)
{
	uint32_t before = PATH_NO_ITEM;

	for (unsigned x = 0; x < area->w; x++) {
		int64_t span = ui_shell_column_time(p->pane.shell, x + 1) -
			ui_shell_column_time(p->pane.shell, x);
		struct cell cell = cell_of(&sums[x], span, before);

		if (cell.item != PATH_NO_ITEM)
			term_area_char(area, x, y, path_look_role(cell.look),
				path_look_part(area->grid, cell.look, cell.item != before, cell.eighths));
		before = cell.item;
	}
}

/* ---- all of it ---- */

/* The selection and the cursor over everything, as in the control flow. */
static void draw_over(const struct path *p, const struct term_area *time, const struct term_area *names,
	int selected)
{
	struct ui_shell *shell = p->pane.shell;
	int cursor = ui_shell_column_of(shell, shell->cursor);

	if (selected < 0)
		return;
	term_area_over(names, 0, (unsigned)selected, names->w, 1, TERM_ROLE_OVER_ROW);
	term_area_over(time, 0, (unsigned)selected, time->w, 1, TERM_ROLE_OVER_ROW_TIME);
	if (cursor >= 0 && cursor < (int)time->w)
		term_area_over(time, (unsigned)cursor, (unsigned)selected, 1, 1, TERM_ROLE_OVER_CURSOR_CELL);
}

/* Arrows on the line that ends the names: there are more rows above, below. */
static void draw_more(const struct path *p, const struct term_area *area, unsigned rows, unsigned step)
{
	unsigned x = p->pane.shell->names - 1;

	term_area_fill(area, x, 0, 1, area->h, TERM_ROLE_BORDER, 0x2502);
	if (p->view.top)
		term_area_char(area, x, 0, TERM_ROLE_KEY, 0x2191);
	if (p->view.top + rows < p->items.lines->len)
		term_area_char(area, x, (rows - 1) * step, TERM_ROLE_KEY, 0x2193);
}

void path_draw_rows(const struct path *p, const struct term_area *area, unsigned rows, unsigned step)
{
	const struct ui_shell *shell = p->pane.shell;
	struct term_area names = term_area_part(area, 0, 0, shell->names - 1, area->h);
	struct term_area time = term_area_part(area, shell->names, 0, shell->columns, area->h);
	struct path_view view = { &time, p->view.top, MIN(rows, p->items.lines->len - p->view.top), step };
	uint32_t current = path_current(p);
	int selected = -1;
	struct sum *sums = sum_up(p, view.first, view.rows);

	draw_more(p, area, view.rows, step);
	for (unsigned i = 0; i < view.rows; i++) {
		draw_name(p, &names, i * step, path_line_actor(p, p->view.top + i));
		draw_cells(p, &time, i * step, sums + (gsize)i * shell->columns);
	}
	g_free(sums);
	path_turns_draw(p, &view);
	if (current != PATH_NO_ITEM)
		selected = path_view_line(&view, path_actor_line(p, path_item(p, current)->actor));
	draw_over(p, &time, &names, selected < (int)time.h ? selected : -1);
}
