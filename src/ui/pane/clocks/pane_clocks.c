/* SPDX-License-Identifier: MIT */
/*
 * The clocks of the hosts: a line for each, and below them how the packets of
 * the selected one stand to its clock, within the window.
 */
#include "ui/pane/pane.h"

#include "ui/core/ui_argument.h"
#include "ui/core/ui_fields.h"
#include "ui/pane/clocks/clocks.h"

#include <string.h>

#define PLOT_MIN 3   /* lines the drawing needs */
#define PLOT_GOOD 7  /* lines it wants on a small screen */
#define TALL_FROM 14 /* lines from which on the words take two */
#define TABLE_MAX 9  /* lines of the table before the drawing has what it wants */

/* ---- the residuals; each column of the window is asked for as two: the characters are two dots wide ---- */

static void *answer(struct qry *q, const void *question, struct base_progress *progress, GError **error)
{
	const struct clocks_question *asked = question;

	return ana_residuals_new(q, &asked->window, asked->n_columns, progress, error);
}

/* With whom the selected host's packets are looked at; MDL_NONE: all others. */
static uint32_t wanted_other(const struct clocks *c)
{
	return c->with_all ? MDL_NONE
			   : ana_clock_of(c->pane.shell->q, clocks_host(c), c->pane.shell->view->cursor).by;
}

static void drop(struct clocks *c)
{
	ana_residuals_free(c->residuals);
	c->residuals = NULL;
	g_clear_pointer(&c->problem, g_free);
}

static void taken(struct ui_pane *pane, void *residuals, GError *error)
{
	struct clocks *c = (struct clocks *)pane;

	drop(c);
	c->residuals = residuals;
	ask_worker_problem(&c->problem, error);
}

static const struct ask_kind kind = { .size = sizeof(struct clocks_question),
	.answer = answer,
	.free = (GDestroyNotify)ana_residuals_free,
	.taken = taken };

/* Ask for the residuals wanted now, unless they were. */
static void ask(struct clocks *c)
{
	const struct ui_shell *shell = c->pane.shell;
	struct clocks_question q = { .n_columns = 2 * shell->columns };

	q.window = (struct ana_residuals_window){ .host = clocks_host(c),
		.other = wanted_other(c),
		.from = shell->view->from,
		.to = shell->view->to };
	if (c->has_asked && q.n_columns == c->asked.n_columns &&
		!memcmp(&q.window, &c->asked.window, sizeof q.window))
		return;
	c->asked = q;
	c->has_asked = true;
	ask_worker_for(&c->pane, &kind, &q, ASK_AT_ONCE);
}

static void clocks_clear(struct ui_pane *pane)
{
	struct clocks *c = (struct clocks *)pane;

	drop(c);
	ask_worker_free(c->pane.worker);
}

static void clocks_changed(struct ui_pane *pane, unsigned changes)
{
	struct clocks *c = (struct clocks *)pane;
	struct ui_shell *shell = pane->shell;

	if (!shell->q)
		return;
	if (changes & UI_CHANGED_ROW && !(changes & UI_CHANGED_EXPERIMENT && shell->reopened) &&
		shell->view->row != UI_NO_ROW)
		shell->clock_host = qry_row(shell->q, shell->view->row)->host;
	if (pane->shown && qry_host_count(shell->q) > 1)
		ask(c);
}

static const struct ui_field fields[] = {
	UI_FIELD(NUMBER, "host", clocks, kept_host),
	UI_FIELD(FLAG, "all", clocks, with_all),
	UI_FIELD_LIST(clocks, view),
};

static bool clocks_to_keep(struct ui_pane *pane)
{
	struct clocks *c = (struct clocks *)pane;

	c->kept_host = clocks_host(c);
	return true;
}

static bool clocks_restore(struct ui_pane *pane, const char *kept, GError **error)
{
	struct clocks *c = (struct clocks *)pane;

	if (!ui_fields_set(fields, pane, pane->shell, kept, error))
		return false;
	if (c->kept_host < qry_host_count(pane->shell->q))
		pane->shell->clock_host = c->kept_host;
	if (qry_host_count(pane->shell->q) > 1)
		ask(c);
	return true;
}

static unsigned clocks_height(struct ui_pane *pane, G_GNUC_UNUSED unsigned columns,
	G_GNUC_UNUSED unsigned rows)
{
	return pane->shell->q ? MIN(qry_host_count(pane->shell->q) + 1, TABLE_MAX) + 2 + PLOT_GOOD : 0;
}

static void draw_waiting(const struct clocks *c, const struct term_area *area)
{
	if (c->problem && !ask_worker_busy(c->pane.worker))
		term_area_fit(area, 1, 0, area->w - 1, TERM_ROLE_DIM, c->problem);
	else
		term_area_printf(area, 1, 0, TERM_ROLE_MESSAGE, "looking at the packets: %.0f%%",
			100 * ask_worker_share(c->pane.worker));
}

static void clocks_draw(struct ui_pane *pane, const struct term_area *area)
{
	struct clocks *c = (struct clocks *)pane;
	uint32_t n = qry_host_count(pane->shell->q);
	unsigned words = area->h >= TALL_FROM ? 2 : 1, table = MIN(n + 1, MAX(TABLE_MAX, area->h / 3));
	struct term_area part;

	if (n == 1) {
		term_area_text(area, 1, 0, TERM_ROLE_DIM,
			"one host, one clock: open the traces of several hosts together");
		return;
	}
	ask(c); /* the columns may be others by now */
	if (table + PLOT_MIN + words > area->h)
		table = MAX(MIN(n + 1, area->h), 2);
	part = term_area_part(area, 0, 0, area->w, table);
	clocks_table_draw(c, &part);
	part = term_area_part(area, 0, table, area->w, area->h - MIN(table, area->h));
	if (!c->residuals || ask_worker_busy(c->pane.worker)) { /* those at hand are of another window or host
								 */
		draw_waiting(c, &part);
		return;
	}
	if (part.h >= PLOT_MIN + words) {
		struct term_area plot = term_area_part(&part, 0, 0, part.w, part.h - words);

		clocks_plot_draw(c, &plot);
	}
	part = term_area_part(&part, 0, part.h - MIN(words, part.h), part.w, words);
	clocks_text_draw(c, &part);
}

/* A host of the table, or an instant of the drawing. */
static void clocks_point(struct ui_pane *pane, unsigned x, unsigned y)
{
	struct clocks *c = (struct clocks *)pane;
	struct ui_shell *shell = pane->shell;

	if (qry_host_count(shell->q) == 1)
		return;
	if (list_view_point(&c->view, y, qry_host_count(shell->q))) {
		shell->clock_host = c->view.line;
		ask(c);
	} else if (y > c->view.height && x >= shell->names) {
		ui_shell_set_cursor(shell, ui_shell_column_time(shell, x - shell->names));
	}
}

/* ---- commands ---- */

static bool list_command(struct clocks *c, enum ui_command command)
{
	uint32_t n = qry_host_count(c->pane.shell->q);

	c->view.line = clocks_host(c);
	if (!list_view_move(&c->view, command, n))
		return false;
	c->pane.shell->clock_host = c->view.line;
	if (n > 1)
		ask(c);
	return true;
}

static const char *const scopes[] = { "next", "all" };

static void next_scope(struct clocks *c)
{
	unsigned scope = ui_argument_of(c->pane.shell, UI_CMD_SCOPE, scopes, G_N_ELEMENTS(scopes),
		!c->with_all);

	if (scope == G_N_ELEMENTS(scopes))
		return;
	c->with_all = scope;
	ui_shell_message(c->pane.shell, "packets %s",
		c->with_all ? "with all other hosts" : "with the next host on the way to the first");
	ask(c);
}

static bool focused_command(struct clocks *c, enum ui_command command)
{
	switch (command) {
	case UI_CMD_ACTIVATE: clocks_sync_ask_offset(c); return true;
	case UI_CMD_EXPORT: clocks_sync_save(c); return true;
	case UI_CMD_SCOPE: next_scope(c); return true;
	default: return list_command(c, command);
	}
}

static bool clocks_command(struct ui_pane *pane, enum ui_command command)
{
	struct clocks *c = (struct clocks *)pane;

	if (command == UI_CMD_SYNC) {
		clocks_sync_ask(c);
		return true;
	}
	return pane->shown && ui_pane_focused(pane) && focused_command(c, command);
}

static void clocks_words(struct ui_pane *pane, enum ui_command command, GPtrArray *words)
{
	if (command == UI_CMD_SCOPE && ui_pane_focused(pane))
		ui_argument_add(words, scopes, G_N_ELEMENTS(scopes));
}

static const struct ui_hint hints[] = {
	{ UI_CMD_ACTIVATE, "move it" },
	{ UI_CMD_SYNC, "other clocks" },
	{ UI_CMD_EXPORT, "save" },
	{ UI_CMD_SCOPE, "with whom" },
	{ UI_CMD_MAXIMISE, "large" },
	{ UI_CMD_CLOCKS, "close" },
	{ UI_CMD_ZOOM_IN, "in" },
	{ UI_CMD_ZOOM_OUT, "out" },
	{ UI_CMD_FOCUS, "other pane" },
	{ UI_CMD_NONE, NULL },
};

const struct ui_pane_ops pane_clocks = {
	.name = "clocks",
	.place = UI_PLACE_LOWER,
	.hints = hints,
	.show = UI_CMD_CLOCKS,
	.size = sizeof(struct clocks),
	.clear = clocks_clear,
	.changed = clocks_changed,
	.work = ask_worker_work,
	.fields = fields,
	.to_keep = clocks_to_keep,
	.restore = clocks_restore,
	.command = clocks_command,
	.words = clocks_words,
	.point = clocks_point,
	.title = clocks_text_title,
	.height = clocks_height,
	.draw = clocks_draw,
};
