/* SPDX-License-Identifier: MIT */
#include "ui/pane/clocks/clocks.h"

#include "ui/widget/scope_title.h"

#define WIDE 140 /* columns from which on there is room for words */

void clocks_text_title(struct ui_pane *pane, GString *title)
{
	const struct ui_shell *shell = pane->shell;
	uint32_t n = qry_host_count(shell->q);

	if (n == 1) {
		g_string_append(title, "Clocks");
		return;
	}
	scope_title(shell, title, "Clocks", g_strdup_printf("%u hosts", n), shell->view->from,
		shell->view->to);
	g_string_append_printf(title, "  shown in that of %s", qry_host(shell->q, 0)->name);
	if (!qry_clocks(shell->q))
		g_string_append(title, ": each host shows its own time");
}

/* "12 (140 us..3.20 ms)", with those received too early. */
static void append_cell(const struct clocks *c, GString *text, const struct ana_residuals_cell *cell)
{
	const struct ui_shell *shell = c->pane.shell;
	g_autofree char *least = NULL, *most = NULL;

	g_string_append_printf(text, "%" G_GUINT64_FORMAT, cell->packets);
	if (!cell->packets)
		return;
	least = ui_shell_duration_text(shell, cell->least);
	most = ui_shell_duration_text(shell, cell->most);
	g_string_append_printf(text, " (%s..%s", least, most);
	if (cell->early)
		g_string_append_printf(text, ", %" G_GUINT64_FORMAT " too early", cell->early);
	g_string_append_c(text, ')');
}

/* Both directions within COLUMN (of the window's; the drawing has twice as many); UINT32_MAX: all. */
static void append_column(const struct clocks *c, GString *text, uint32_t column)
{
	for (unsigned to_host = 1; to_host + 1 > 0; to_host--) {
		struct ana_residuals_cell cell = clocks_cell(c, to_host,
						  column == UINT32_MAX ? column : 2 * column),
					  right;

		if (column != UINT32_MAX) {
			right = clocks_cell(c, to_host, 2 * column + 1);
			ana_residuals_add(&cell, &right);
		}
		if (c->pane.w >= WIDE)
			g_string_append(text, to_host ? "  to it " : "  from it ");
		else /* the upper and the lower half of the drawing */
			g_string_append(text, to_host ? "  \342\206\221 " : "  \342\206\223 ");
		append_cell(c, text, &cell);
	}
}

static void draw_line(const struct term_area *area, unsigned y, enum term_role role, GString *text)
{
	term_area_fill(area, 0, y, area->w, 1, role, ' ');
	term_area_fit(area, 1, y, area->w - 1, role, text->str);
	g_string_free(text, TRUE);
}

/* What is drawn, and the packets of the window. */
static GString *window_text(const struct clocks *c)
{
	const struct qry *q = c->pane.shell->q;
	const struct ana_residuals_window *w = &c->residuals->window;
	GString *text = g_string_new(NULL);

	g_string_append_printf(text,
		"%s%s and %s, log:", c->pane.w >= WIDE ? "packets on their way between " : "",
		qry_host(q, w->host)->name,
		w->other == MDL_NONE ? "all others" : qry_host(q, w->other)->name);
	append_column(c, text, UINT32_MAX);
	return text;
}

/* The same of the column with the cursor, and how far the clock may be off there. */
static GString *cursor_text(const struct clocks *c)
{
	const struct ui_shell *shell = c->pane.shell;
	struct ana_clock clock = ana_clock_of(shell->q, clocks_host(c), shell->view->cursor);
	GString *text = g_string_new("at the cursor:");
	int column = ui_shell_column_of(shell, shell->view->cursor);

	if (column >= 0 && (unsigned)column < shell->columns)
		append_column(c, text, (uint32_t)column);
	if (clock.lines > 1)
		g_string_append_printf(text, "  line %u of %u", clock.line + 1, clock.lines);
	return text;
}

void clocks_text_draw(const struct clocks *c, const struct term_area *area)
{
	if (area->h > 0)
		draw_line(area, 0, TERM_ROLE_TITLE, window_text(c));
	if (area->h > 1)
		draw_line(area, 1, TERM_ROLE_TEXT, cursor_text(c));
}
