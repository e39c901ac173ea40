/* SPDX-License-Identifier: MIT */
/*
 * A line for each cause: how long was waited for it in all, its share of all
 * waiting, how often, the longest wait, how much of it is proved.  Below the
 * list, as far as there is room, what was not recorded and how to record it.
 */
#include "ui/pane/causes/causes.h"

#include "ui/core/ui_config.h"
#include "ui/widget/advice_text.h"
#include "ui/widget/host_look.h"
#include "ui/widget/kind_look.h"

#define BAR_FROM 5 /* lines from which on the selected line is told in full below */
#define WIDE 110   /* columns from which on each grade has one of its own */

const char *const causes_order_names[CAUSES_ORDER_N] = { "time", "longest wait", "number of waits",
	"what is not proved" };

void causes_draw_title(struct ui_pane *pane, GString *title)
{
	const struct causes *c = (const struct causes *)pane;
	struct ui_shell *shell = pane->shell;

	scope_title(shell, title, c->pane.w < WIDE ? "Waiting" : "Causes of waiting",
		scope_title_whose(shell, c->asked.scope, c->asked.row), c->asked.from, c->asked.to);
	if (c->busy)
		g_string_append_printf(title, "  %.0f%% looked at",
			100.0 * MIN((double)c->done / (double)MAX(c->all, 1), 0.99));
	else if (c->work)
		g_string_append_printf(title, "  by %s", causes_order_names[c->order]);
}

/* ---- columns ---- */

#define KIND_GAP 2 /* blanks before the kind */

static void place(const struct causes *c, unsigned width, struct ui_column *cells)
{
	unsigned spared = width >= WIDE ? 0 : UI_COLUMN_SPARED;
	const unsigned widths[UI_CAUSES_N] = { 10, 7, 8, 10, 8, 10 + spared, 9 + spared, KIND_GAP + 13,
		UI_COLUMN_REST };

	ui_columns_place(&c->pane.shell->config->columns, UI_LIST_CAUSES, widths, 0, width, cells);
}

static void put_count(const struct term_area *area, const struct ui_column *cell, unsigned y,
	enum term_role role, unsigned count)
{
	char text[16];

	g_snprintf(text, sizeof text, "%u", count);
	list_cell_number(area, cell, 0, y, role, text);
}

static void draw_heading(const struct ui_column *cells, const struct term_area *area)
{
	static const char *const numbers[] = { "waited", "share", "waits", "longest", "proved", "inferred",
		"unknown" };

	term_area_fill(area, 0, 0, area->w, 1, TERM_ROLE_TITLE, ' ');
	for (unsigned i = 0; i < G_N_ELEMENTS(numbers); i++)
		list_cell_number(area, &cells[i], 0, 0, TERM_ROLE_TITLE, numbers[i]);
	list_cell_text(area, &cells[UI_CAUSES_KIND], KIND_GAP, 0, TERM_ROLE_TITLE, "kind");
	list_cell_text(area, &cells[UI_CAUSES_WHAT], 1, 0, TERM_ROLE_TITLE, "what it was for");
}

/* How many are proved: where that alone is shown in per cent, coloured by the worst grade among them. */
static void draw_grades(const struct ui_column *cells, const struct term_area *area, unsigned y,
	const struct ana_causes_entry *e)
{
	enum ana_grade worst = e->grades[ANA_UNKNOWN] ? ANA_UNKNOWN
		: e->grades[ANA_INFERRED]             ? ANA_INFERRED
						      : ANA_PROVED;
	const struct ui_column *inferred = &cells[UI_CAUSES_INFERRED], *unknown = &cells[UI_CAUSES_UNKNOWN];
	char text[16];

	if (inferred->w || unknown->w) {
		put_count(area, &cells[UI_CAUSES_PROVED], y, kind_look_grade(ANA_PROVED),
			e->grades[ANA_PROVED]);
		put_count(area, inferred, y,
			e->grades[ANA_INFERRED] ? kind_look_grade(ANA_INFERRED) : TERM_ROLE_DIM,
			e->grades[ANA_INFERRED]);
		put_count(area, unknown, y,
			e->grades[ANA_UNKNOWN] ? kind_look_grade(ANA_UNKNOWN) : TERM_ROLE_DIM,
			e->grades[ANA_UNKNOWN]);
		return;
	}
	g_snprintf(text, sizeof text, "%u%%",
		(unsigned)((uint64_t)e->grades[ANA_PROVED] * 100 / MAX(e->count, 1)));
	list_cell_number(area, &cells[UI_CAUSES_PROVED], 0, y, kind_look_grade(worst), text);
}

static void draw_entry(const struct causes *c, const struct ui_column *cells, const struct term_area *area,
	unsigned y, unsigned i)
{
	struct ui_shell *shell = c->pane.shell;
	const struct ana_causes_entry *e = causes_entry(c, i);
	const struct ui_column *kind = &cells[UI_CAUSES_KIND], *what = &cells[UI_CAUSES_WHAT];
	g_autofree char *time = ui_shell_duration_text(shell, e->total),
			*longest = ui_shell_duration_text(shell, e->longest);
	char share[16];

	g_snprintf(share, sizeof share, "%.1f%%", c->total ? 100 * (double)e->total / (double)c->total : 0.0);
	list_cell_number(area, &cells[UI_CAUSES_WAITED], 0, y, TERM_ROLE_STRONG, time);
	list_cell_number(area, &cells[UI_CAUSES_SHARE], 0, y, TERM_ROLE_TEXT, share);
	put_count(area, &cells[UI_CAUSES_WAITS], y, TERM_ROLE_TEXT, e->count);
	list_cell_number(area, &cells[UI_CAUSES_LONGEST], 0, y, TERM_ROLE_TEXT, longest);
	draw_grades(cells, area, y, e);
	if (kind->w > KIND_GAP)
		term_area_char(area, kind->x + KIND_GAP, y, kind_look_role(e->kind),
			(gunichar)kind_look_letter(e->kind));
	list_cell_text(area, kind, KIND_GAP + 2, y, TERM_ROLE_TEXT, ana_kind_name(e->kind));
	if (what->w > 1) /* with its host where there are several */
		host_look_label(area, what->x + 1, y, what->w - 1, TERM_ROLE_NAME_THREAD, shell->q, e->host,
			e->label);
}

/* ---- below the list ---- */

/* Whose the longest wait of the selected cause was. */
static void draw_bar(const struct causes *c, const struct term_area *area, unsigned y)
{
	struct ui_shell *shell = c->pane.shell;
	const struct ana_causes_entry *e = causes_entry(c, c->view.line);
	g_autofree char *label = NULL, *length = NULL, *end = NULL;

	term_area_fill(area, 0, y, area->w, 1, TERM_ROLE_TITLE, ' ');
	if (e->longest_row == MDL_NONE)
		return;
	label = qry_row_label(shell->q, e->longest_row);
	length = ui_shell_duration_text(shell, e->longest);
	end = ui_shell_time_text(shell, e->longest_end);
	term_area_printf(area, 1, y, TERM_ROLE_TITLE,
		"longest: %s of %s until %s  %u proved, %u inferred, %u unknown", length, label, end,
		e->grades[ANA_PROVED], e->grades[ANA_INFERRED], e->grades[ANA_UNKNOWN]);
}

static void draw_advice(const struct causes *c, const struct term_area *area, unsigned y)
{
	const struct qry *q = c->pane.shell->q;
	uint32_t host = c->asked.row == MDL_NONE ? 0 : qry_row(q, c->asked.row)->host;
	g_autoptr(GPtrArray) lines = g_ptr_array_new_with_free_func(g_free);

	advice_text_add(lines, q, host, area->w - MIN(area->w, 4));
	if (lines->len && y + 2 < area->h)
		term_area_printf(area, 1, ++y, TERM_ROLE_DIM,
			"not recorded on %s; it would prove more:", qry_host(q, host)->name);
	for (unsigned i = 0; i < lines->len && ++y < area->h; i++)
		term_area_fit(area, 3, y, area->w - 3, TERM_ROLE_TEXT, g_ptr_array_index(lines, i));
}

/* ---- all of it ---- */

void causes_draw(struct causes *c, const struct term_area *area)
{
	struct ui_column cells[UI_CAUSES_N];
	unsigned bar = area->h >= BAR_FROM && c->entries->len, y = 0;
	struct term_area list;

	place(c, area->w, cells);
	draw_heading(cells, area);
	list_view_go(&c->view, 0, c->entries->len); /* there may be fewer lines than before */
	list = list_view_area(&c->view, area, 1, bar, c->entries->len);
	for (; y < c->view.seen; y++)
		draw_entry(c, cells, &list, y, c->view.top + y);
	list_view_mark(&c->view, &c->pane, &list);
	if (!c->entries->len && !c->busy)
		term_area_text(&list, 1, y++, TERM_ROLE_DIM, "no wait ended here");
	draw_advice(c, &list, y);
	if (bar)
		draw_bar(c, area, area->h - 1);
}
