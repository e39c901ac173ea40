// SPDX-License-Identifier: MIT
/*
 * A row for each actor, aligned with the columns of the control flow.  Time on
 * a CPU and for a CPU looks as it does there; a wait for a device begins with
 * the letter of its kind and goes on as a double line:
 *
 *   d disk   n network   t timer   i other CPU   q interrupt   k input   ? not known
 *
 * What lies between the rows is in path_turns.c.
 */
#include "ui/pane/path.h"

#include "ui/pane/flow_glyph.h"

#define NAMES_WIDE 26	/* columns from which on shares have a digit more */

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
		return g_unichar_toupper(looks[kind].letter);
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
	bool wide = area->w >= NAMES_WIDE;
	char text[16];

	if (percent > 0 && percent < (wide ? 0.1 : 1))
		g_strlcpy(text, wide ? "<0.1%" : "<1%", sizeof text);
	else
		g_snprintf(text, sizeof text, "%.*f%%", wide && percent < 99.95 ? 1 : 0, percent);
	term_area_right(area, 0, y, TERM_ROLE_DIM, text);
	term_area_fit(area, wide, y, MAX(area->w, 12) - wide - (wide ? 6 : 5), name_role(p, actor),
		      path_actor(p, actor)->label);
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
	struct path_view view = { &time, p->top, MIN(rows, p->path->actors->len - p->top), step };
	uint32_t current = path_current(p);
	int selected = -1;

	path_cells_fetch(p, view.first, view.rows);
	draw_more(p, area, view.rows, step);
	for (unsigned i = 0; i < view.rows; i++) {
		draw_name(p, &names, i * step, p->top + i);
		draw_cells(p, &time, i * step, p->top + i);
	}
	path_turns_draw(p, &view);
	if (current != PATH_NO_SEGMENT)
		selected = path_view_line(&view, path_segment(p, current)->actor);
	draw_over(p, &time, &names, selected < (int)time.h ? selected : -1);
}
