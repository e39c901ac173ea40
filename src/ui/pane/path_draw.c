// SPDX-License-Identifier: MIT
/*
 * A row for each actor, aligned with the columns of the control flow.  Time on
 * a CPU and for a CPU looks as it does there; a wait for a device begins with
 * the letter of its kind and goes on as a double line:
 *
 *   d disk   n network   t timer   i other CPU   q interrupt   k input   ? not known
 *
 * Hand-overs are lines from row to row with an arrowhead at the receiver: on a
 * line of its own where rows stand two lines apart, else in the receiver's
 * first cell when its segment goes on beyond that.  A column takes one
 * hand-over, the one with the longest segments; the one that brought the path
 * to the cursor's segment, and the one that ends it, go first.
 */
#include "ui/pane/path.h"

#include "ui/pane/flow_glyph.h"

#define SHARE_WIDTH 5

gunichar path_draw_glyph(enum ana_segment_kind kind, bool begins, bool hides)
{
	static const struct {
		gunichar letter;	/* 0: looks like STATE in the control flow */
		enum mdl_state state;
	} looks[ANA_SEG_N] = {
		[ANA_SEG_RUNNING] = { 0, MDL_ST_RUNNING }, [ANA_SEG_SYSCALL] = { 0, MDL_ST_SYSCALL },
		[ANA_SEG_INTERRUPTED] = { 0, MDL_ST_INTERRUPTED }, [ANA_SEG_WAIT_CPU] = { 0, MDL_ST_WAIT_CPU },
		[ANA_SEG_PREEMPTED] = { 0, MDL_ST_PREEMPTED }, [ANA_SEG_BLOCK] = { 'd', MDL_ST_N },
		[ANA_SEG_NETWORK] = { 'n', MDL_ST_N }, [ANA_SEG_TIMER] = { 't', MDL_ST_N }, [ANA_SEG_IPI] = { 'i', MDL_ST_N },
		[ANA_SEG_IRQ] = { 'q', MDL_ST_N }, [ANA_SEG_USER_INPUT] = { 'k', MDL_ST_N },
		[ANA_SEG_VCPU_PREEMPTED] = { 0, MDL_ST_VCPU_PREEMPTED }, [ANA_SEG_BLOCKED] = { '?', MDL_ST_N },
		[ANA_SEG_UNKNOWN] = { 0, MDL_ST_UNKNOWN },
	};

	if (!looks[kind].letter)
		return flow_glyph_of(looks[kind].state, hides ? FLOW_MIXED : FLOW_PURE);
	if (hides)
		return looks[kind].letter - 'a' + 'A';
	return begins ? looks[kind].letter : 0x2550;	/* ═ */
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

	for (unsigned i = 0; i < p->path->summary->len; i++)
		if (path_sum(p, i)->actor == actor)
			share += path_sum(p, i)->share;
	return share;
}

static void draw_name(const struct path *p, const struct term_area *area, unsigned y, uint32_t actor)
{
	double percent = 100 * actor_share(p, actor);
	char text[16];

	if (area->w > SHARE_WIDTH * 2) {
		g_snprintf(text, sizeof text, percent > 0 && percent < 0.1 ? "<0.1%%" : percent < 99.95 ? "%.1f%%" : "%.0f%%", percent);
		term_area_right(area, 0, y, TERM_ROLE_DIM, text);
	}
	term_area_fit(area, 1, y, MAX(area->w, SHARE_WIDTH + 3) - SHARE_WIDTH - 2, name_role(p, actor), path_actor(p, actor)->label);
}

static void draw_cells(const struct path *p, const struct term_area *area, unsigned y, uint32_t actor)
{
	const struct path_cell *cells = path_cells_of(p, actor);

	for (unsigned x = 0; x < area->w && x < p->columns; x++) {
		enum ana_segment_kind kind;

		if (cells[x].segment == PATH_NO_SEGMENT)
			continue;
		kind = path_segment(p, cells[x].segment)->kind;
		term_area_char(area, x, y, TERM_ROLE_PATH_RUNNING + kind,
			       path_draw_glyph(kind, !x || cells[x - 1].segment != cells[x].segment, cells[x].hides));
	}
}

/* ---- hand-overs ---- */

struct view {
	const struct path *p;
	const struct term_area *area;	/* of time */
	unsigned first, rows, step;	/* actors in view, lines from one to the next */
};

/* The line of ACTOR; -1 above the view, the height of the area below it. */
static int line_of(const struct view *v, uint32_t actor)
{
	if (actor < v->first)
		return -1;
	if (actor >= v->first + v->rows)
		return (int)v->area->h;
	return (int)((actor - v->first) * v->step);
}

static int64_t length_of(const struct view *v, uint32_t segment)
{
	const struct ana_segment *s = path_segment(v->p, segment);

	return s->to - s->from;
}

static bool is_near(const struct view *v, const struct ana_link *link)
{
	uint32_t current = path_current(v->p);

	return current != PATH_NO_SEGMENT && (link->to == current || link->from == current);
}

/* For each column the index of the link to be drawn there, UINT32_MAX none.  The caller frees. */
static uint32_t *choose_links(const struct view *v)
{
	const struct ui_shell *shell = v->p->pane.shell;
	const GArray *links = v->p->path->links;
	uint32_t *chosen = g_new(uint32_t, v->area->w + 1);
	int64_t *weight = g_new0(int64_t, v->area->w + 1);

	for (unsigned x = 0; x <= v->area->w; x++)
		chosen[x] = UINT32_MAX;
	for (uint32_t i = 0; i < links->len; i++) {
		const struct ana_link *link = &g_array_index(links, struct ana_link, i);
		int x = ui_shell_column_of(shell, link->at);
		int64_t w = MIN(length_of(v, link->from), length_of(v, link->to));

		if (is_near(v, link))
			w = INT64_MAX;
		else if (w < ui_shell_column(shell) / 2)
			continue;	/* from or to something too short to be seen */
		if (x < 0 || x >= (int)v->area->w || w <= weight[x])
			continue;
		weight[x] = w;
		chosen[x] = i;
	}
	g_free(weight);
	return chosen;
}

/* A line may not hide what an actor did. */
static bool is_free(const struct term_area *area, unsigned x, unsigned y)
{
	return term_grid_cell(area->grid, area->x + x, area->y + y)->ch == ' ';
}

/* The receiver's segment is drawn beyond column X, so that its first cell can do without its glyph. */
static bool goes_on(const struct view *v, const struct ana_link *link, unsigned x)
{
	const struct path_cell *cells = path_cells_of(v->p, path_segment(v->p, link->to)->actor);

	return x + 1 < v->p->columns && cells[x].segment == link->to && cells[x + 1].segment == link->to;
}

static void draw_link(const struct view *v, const struct ana_link *link, unsigned x)
{
	int from = line_of(v, path_segment(v->p, link->from)->actor), to = line_of(v, path_segment(v->p, link->to)->actor);
	enum term_role role = is_near(v, link) ? TERM_ROLE_ARROW_NEAR : TERM_ROLE_ARROW;
	bool down = to > from, inside = to >= 0 && to < (int)v->area->h;
	int head = v->step > 1 ? to - (down ? 1 : -1) : to;

	if (from == to)
		return;
	for (int y = MIN(from, to) + 1; y < MAX(from, to); y++)
		if (is_free(v->area, x, (unsigned)y))
			term_area_char(v->area, x, (unsigned)y, role, 0x2502);
	if (inside && (v->step > 1 || goes_on(v, link, x)))
		term_area_char(v->area, x, (unsigned)head, role, down ? 0x25bc : 0x25b2);
}

static void draw_links(const struct view *v)
{
	uint32_t *chosen = choose_links(v);

	for (unsigned x = 0; x < v->area->w; x++)
		if (chosen[x] != UINT32_MAX)
			draw_link(v, &g_array_index(v->p->path->links, struct ana_link, chosen[x]), x);
	g_free(chosen);
}

/* ---- all of it ---- */

/* The selection and the cursor over everything, as in the control flow. */
static void draw_over(const struct path *p, const struct term_area *time, const struct term_area *names, int selected)
{
	struct ui_shell *shell = p->pane.shell;
	int cursor = ui_shell_column_of(shell, shell->cursor);

	if (selected >= 0) {
		term_area_over(names, 0, (unsigned)selected, names->w, 1, TERM_ROLE_OVER_ROW);
		term_area_over(time, 0, (unsigned)selected, time->w, 1, TERM_ROLE_OVER_ROW_TIME);
	}
	if (cursor < 0 || cursor >= (int)time->w)
		return;
	term_area_over(time, (unsigned)cursor, 0, 1, time->h, TERM_ROLE_OVER_CURSOR);
	if (selected >= 0)
		term_area_over(time, (unsigned)cursor, (unsigned)selected, 1, 1, TERM_ROLE_OVER_CURSOR_CELL);
}

/* Arrows on the line that ends the names: there are more rows above, below. */
static void draw_more(const struct path *p, const struct term_area *area, unsigned rows, unsigned step)
{
	unsigned x = p->pane.shell->names - 1;

	term_area_fill(area, x, 0, 1, area->h, TERM_ROLE_BORDER, 0x2502);
	if (p->top)
		term_area_char(area, x, 0, TERM_ROLE_KEY, 0x2191);
	if (p->top + rows < p->path->actors->len)
		term_area_char(area, x, (rows - 1) * step, TERM_ROLE_KEY, 0x2193);
}

void path_draw_rows(struct path *p, const struct term_area *area, unsigned rows, unsigned step)
{
	const struct ui_shell *shell = p->pane.shell;
	struct term_area names = term_area_part(area, 0, 0, shell->names - 1, area->h);
	struct term_area time = term_area_part(area, shell->names, 0, shell->columns, area->h);
	struct view view = { p, &time, p->top, MIN(rows, p->path->actors->len - p->top), step };
	uint32_t current = path_current(p);
	int selected;

	path_cells_fetch(p, view.first, view.rows);
	draw_more(p, area, view.rows, step);
	for (unsigned i = 0; i < view.rows; i++) {
		draw_name(p, &names, i * step, p->top + i);
		draw_cells(p, &time, i * step, p->top + i);
	}
	draw_links(&view);
	selected = current == PATH_NO_SEGMENT ? -1 : line_of(&view, path_segment(p, current)->actor);
	draw_over(p, &time, &names, selected < (int)time.h ? selected : -1);
}
