/* SPDX-License-Identifier: MIT */
/* The clocks of the hosts: a line for each; below, the residuals of the selected host's packets within the
 * window (clocks_plot.c).  Changing a clock reopens the experiment with another text for --sync. */
#include "ui/pane/pane.h"

#include "export/exp.h"
#include "ui/core/ui_argument.h"
#include "ui/core/ui_fields.h"
#include "ui/pane/clocks/clocks.h"
#include "ui/widget/host_look.h"
#include "ui/widget/subject.h"

#include <string.h>

/* ---- other clocks ---- */

char *clocks_sync_with(const char *sync, const char *host, const char *offset)
{
	g_auto(GStrv) parts = g_strsplit(sync && *sync ? sync : "auto", ",", -1);
	GString *text = g_string_new(NULL);
	size_t length = strlen(host);

	for (unsigned i = 0; parts[i]; i++)
		if (strncmp(parts[i], host, length) != 0 || parts[i][length] != '=')
			g_string_append_printf(text, "%s%s", text->len ? "," : "", parts[i]);
	g_string_append_printf(text, "%s%s=%s", text->len ? "," : "", host, offset);
	return g_string_free(text, FALSE);
}

/* "-325.081234567 s": NS with all digits, and the unit after GAP.  The caller frees. */
static char *all_digits(int64_t ns, const char *gap)
{
	return g_strdup_printf("%c%" G_GINT64_FORMAT ".%09" G_GINT64_FORMAT "%ss", ns < 0 ? '-' : '+',
		ABS(ns / G_GINT64_CONSTANT(1000000000)), ABS(ns % G_GINT64_CONSTANT(1000000000)), gap);
}

static void offset_answered(struct ui_pane *pane, const char *text)
{
	const struct clocks *c = (const struct clocks *)pane;
	g_autofree char *sync = NULL;

	if (!*text)
		return;
	sync = clocks_sync_with(pane->shell->sync, qry_host(pane->shell->q, clocks_host(c))->name, text);
	ui_shell_reopen(pane->shell, sync);
}

/* Ask what to add to the selected host's own clock. */
static void clocks_sync_ask_offset(struct clocks *c)
{
	struct ui_shell *shell = c->pane.shell;
	struct ana_clock clock = ana_clock_of(shell->q, clocks_host(c), shell->view->cursor);
	g_autofree char *initial = NULL;

	if (!clocks_host(c)) {
		ui_shell_error(shell,
			qry_host_count(shell->q) > 1
				? "all times are in the clock of this host: move the clock of another host"
				: "one host, one clock: there is nothing to move");
		return;
	}
	initial = all_digits(-clock.ahead, "");
	ui_shell_ask(shell, &c->pane, "add to this host's own time", initial, offset_answered, NULL);
}

static void sync_answered(struct ui_pane *pane, const char *text)
{
	if (*text)
		ui_shell_reopen(pane->shell, text);
}

static void write_clocks(struct ui_pane *pane, const char *file)
{
	struct ui_shell *shell = pane->shell;
	g_autoptr(GString) text = g_string_new(NULL);
	GError *error = NULL;

	exp_sync(text, shell->q, qry_clocks(shell->q), &(struct exp_options){ .format = TABLE_JSON }, NULL);
	if (exp_write_file(file, text, false, &error))
		ui_shell_message(shell, "wrote %s: --sync %s uses these clocks again", file, file);
	else
		ui_shell_take_error(shell, error);
}

#define PLOT_MIN 3   /* minimum lines of the drawing */
#define PLOT_GOOD 7  /* lines of the drawing on a small screen */
#define TALL_FROM 14 /* minimum lines for two lines of text */
#define TABLE_MAX 9  /* lines of the table before the drawing has PLOT_GOOD */
#define WIDE 110     /* minimum columns for all digits of the difference */
#define WORDS 140    /* minimum columns for words */

/* ---- the residuals: two columns for each of the window, because characters are two dots wide ---- */

static void *pane_clocks_answer(struct qry *q, const void *question, struct base_progress *progress,
	GError **error)
{
	const struct clocks_question *asked = question;

	return ana_residuals_new(q, &asked->window, asked->n_columns, progress, error);
}

static void pane_clocks_drop(struct clocks *c)
{
	ana_residuals_free(c->residuals);
	c->residuals = NULL;
	g_clear_pointer(&c->problem, g_free);
}

static void pane_clocks_taken(struct ui_pane *pane, void *residuals, GError *error)
{
	struct clocks *c = (struct clocks *)pane;

	pane_clocks_drop(c);
	c->residuals = residuals;
	ask_worker_problem(&c->problem, error);
}

static const struct ask_kind pane_clocks_kind = { .size = sizeof(struct clocks_question),
	.answer = pane_clocks_answer,
	.free = (GDestroyNotify)ana_residuals_free,
	.taken = pane_clocks_taken };

/* Ask for the residuals of the host and the window, unless they were asked for last. */
static void pane_clocks_ask(struct clocks *c)
{
	const struct ui_shell *shell = c->pane.shell;
	struct clocks_question q = { .n_columns = 2 * shell->columns };

	q.window = (struct ana_residuals_window){ .host = clocks_host(c),
		.other = c->with_all ? MDL_NONE
				     : ana_clock_of(shell->q, clocks_host(c), shell->view->cursor).by,
		.from = shell->view->from,
		.to = shell->view->to };
	if (c->has_asked && q.n_columns == c->asked.n_columns &&
		!memcmp(&q.window, &c->asked.window, sizeof q.window))
		return;
	c->asked = q;
	c->has_asked = true;
	ask_worker_for(&c->pane, &pane_clocks_kind, &q, ASK_AT_ONCE);
}

static void clocks_clear(struct ui_pane *pane)
{
	struct clocks *c = (struct clocks *)pane;

	pane_clocks_drop(c);
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
		pane_clocks_ask(c);
}

static const char *const scopes[] = { "next", "all" };

static const struct ui_field pane_clocks_fields[] = { UI_FIELD(NUMBER, "host", clocks, kept_host),
	UI_FIELD_CHOICE(SCOPE, "scope", clocks, with_all, scopes, G_N_ELEMENTS(scopes)),
	UI_FIELD_LIST(clocks, view) };

static bool clocks_to_keep(struct ui_pane *pane)
{
	struct clocks *c = (struct clocks *)pane;

	c->kept_host = clocks_host(c);
	return true;
}

static bool clocks_restore(struct ui_pane *pane, const char *kept, GError **error)
{
	struct clocks *c = (struct clocks *)pane;

	if (!ui_fields_set(pane_clocks_fields, pane, pane->shell, kept, error))
		return false;
	if (c->kept_host < qry_host_count(pane->shell->q))
		pane->shell->clock_host = c->kept_host;
	if (qry_host_count(pane->shell->q) > 1)
		pane_clocks_ask(c);
	return true;
}

static unsigned clocks_height(struct ui_pane *pane, G_GNUC_UNUSED unsigned columns,
	G_GNUC_UNUSED unsigned rows)
{
	return pane->shell->q ? MIN(qry_host_count(pane->shell->q) + 1, TABLE_MAX) + 2 + PLOT_GOOD : 0;
}

static void clocks_title(struct ui_pane *pane, GString *title)
{
	const struct ui_shell *shell = pane->shell;
	uint32_t n = qry_host_count(shell->q);

	if (n == 1) {
		g_string_append(title, "Clocks");
		return;
	}
	scope_title(shell, title, "Clocks", g_strdup_printf("%u hosts", n), shell->view->from,
		shell->view->to);
	g_string_append_printf(title, "  in the clock of %s", qry_host(shell->q, 0)->name);
	if (!qry_clocks(shell->q))
		g_string_append(title, ": each host shows its own time");
}

/* ---- the table: values at the cursor ---- */

struct columns {
	/* HOST, QUALITY, BY: start columns; the others: end columns */
	unsigned host, quality, ahead, fast, error, worst, packets, early, by;
};

static void take_right(const struct term_area *area, unsigned end, unsigned y, enum term_role role,
	char *text)
{
	term_area_before(area, end, y, role, text);
	g_free(text);
}

/* The value of "ahead by": "+325 s", with all digits if there is room. */
static char *ahead_text(const struct ui_shell *shell, int64_t ahead, bool wide)
{
	g_autofree char *length = NULL;

	if (wide)
		return all_digits(ahead, " ");
	length = ui_shell_duration_text(shell, ahead);
	return g_strconcat(ahead > 0 ? "+" : "", length, NULL);
}

static char *error_text(const struct ui_shell *shell, int64_t error)
{
	return error == INT64_MAX ? g_strdup("?") : ui_shell_duration_text(shell, error);
}

static void draw_clock(const struct clocks *c, const struct columns *col, const struct term_area *area,
	unsigned y, const struct ana_clock *clock)
{
	const struct ui_shell *shell = c->pane.shell;
	g_autofree char *tag = NULL;

	take_right(area, col->ahead, y, TERM_ROLE_STRONG, ahead_text(shell, clock->ahead, area->w >= WIDE));
	take_right(area, col->fast, y, TERM_ROLE_TEXT, g_strdup_printf("%+.3f", clock->fast));
	take_right(area, col->error, y, TERM_ROLE_TEXT, error_text(shell, clock->error));
	take_right(area, col->worst, y, TERM_ROLE_TEXT, error_text(shell, clock->worst));
	if (clock->by == MDL_NONE)
		return;
	tag = host_look_tag(shell->q, clock->by, area->w - MIN(col->by, area->w));
	term_area_fit(area, col->by, y, area->w - MIN(col->by, area->w), host_look_role(clock->by), tag);
}

static void draw_host(const struct clocks *c, const struct columns *col, const struct term_area *area,
	unsigned y, uint32_t host)
{
	const struct ui_shell *shell = c->pane.shell;
	struct ana_clock clock = ana_clock_of(shell->q, host, shell->view->cursor);
	g_autofree char *tag = host_look_tag(shell->q, host, col->quality - col->host - 1);
	unsigned x;

	term_area_fit(area, col->host, y, col->quality - col->host - 1, host_look_role(host), tag);
	if (!host)
		term_area_text(area, col->quality, y, TERM_ROLE_TEXT, "reference");
	else
		term_area_text(area, col->quality, y,
			!clock.known                       ? TERM_ROLE_GRADE_UNKNOWN
				: clock.worst == INT64_MAX ? TERM_ROLE_GRADE_INFERRED /* one direction only */
							   : TERM_ROLE_GRADE_PROVED,
			clock.placed ? "by start" : clock.quality);
	if (host && clock.known)
		draw_clock(c, col, area, y, &clock);
	if (host && !clock.known && clock.placed)
		take_right(area, col->ahead, y, TERM_ROLE_GRADE_UNKNOWN,
			ahead_text(shell, clock.ahead, area->w >= WIDE));
	if (host && !clock.known && clock.apart) { /* why the host has no clock */
		x = clock.placed ? col->ahead + 2 : col->quality + (unsigned)strlen(clock.quality) + 2;
		if (x < col->worst)
			term_area_fit(area, x, y, col->worst - x, TERM_ROLE_DIM, clock.apart);
	}
	take_right(area, col->packets, y, TERM_ROLE_TEXT,
		g_strdup_printf("%" G_GUINT64_FORMAT, clock.packets));
	take_right(area, col->early, y, clock.early ? TERM_ROLE_ERROR : TERM_ROLE_TEXT,
		g_strdup_printf("%" G_GUINT64_FORMAT, clock.early));
}

static void draw_table(struct clocks *c, const struct term_area *area)
{
	bool wide = area->w >= WIDE;
	struct columns col = { .host = 1, .quality = wide ? 18 : 12 };
	struct term_area list;

	col.ahead = col.quality + (wide ? 36 : 20);
	col.fast = col.ahead + (wide ? 12 : 9);
	col.error = col.fast + (wide ? 10 : 8);
	col.worst = col.error + (wide ? 10 : 8);
	col.packets = col.worst + (wide ? 12 : 8);
	col.early = col.packets + 6;
	col.by = col.early + (wide ? 3 : 1);
	term_area_fill(area, 0, 0, area->w, 1, TERM_ROLE_TITLE, ' ');
	term_area_text(area, col.host, 0, TERM_ROLE_TITLE, "host");
	term_area_text(area, col.quality, 0, TERM_ROLE_TITLE, "clock");
	term_area_before(area, col.ahead, 0, TERM_ROLE_TITLE, "ahead by");
	term_area_before(area, col.fast, 0, TERM_ROLE_TITLE, "fast ppm");
	term_area_before(area, col.error, 0, TERM_ROLE_TITLE, "error");
	term_area_before(area, col.worst, 0, TERM_ROLE_TITLE, "worst");
	term_area_before(area, col.packets, 0, TERM_ROLE_TITLE, "packets");
	term_area_before(area, col.early, 0, TERM_ROLE_TITLE, "early");
	term_area_fit(area, col.by, 0, area->w - MIN(col.by, area->w), TERM_ROLE_TITLE, "via");
	c->view.line = clocks_host(c);
	list = list_view_area(&c->view, area, 1, 0, qry_host_count(c->pane.shell->q));
	for (unsigned y = 0; y < c->view.seen; y++)
		draw_host(c, &col, &list, y, c->view.top + y);
	list_view_mark(&c->view, &c->pane, &list);
}

/* ---- the text below the drawing ---- */

/* Append "12 (140 us..3.20 ms)", and the number of packets received before they were sent. */
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

/* Append both directions within COLUMN (of the window; the drawing has twice as many); UINT32_MAX: all. */
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
		if (c->pane.w >= WORDS)
			g_string_append(text, to_host ? "  to it " : "  from it ");
		else /* the upper and the lower half of the drawing */
			g_string_append(text, to_host ? "  \342\206\221 " : "  \342\206\223 ");
		append_cell(c, text, &cell);
	}
}

static void pane_clocks_draw_line(const struct term_area *area, unsigned y, enum term_role role,
	GString *text)
{
	term_area_fill(area, 0, y, area->w, 1, role, ' ');
	term_area_fit(area, 1, y, area->w - 1, role, text->str);
	g_string_free(text, TRUE);
}

/* The two hosts of the drawing, and the packets within the window.  The caller frees. */
static GString *window_text(const struct clocks *c)
{
	const struct qry *q = c->pane.shell->q;
	const struct ana_residuals_window *w = &c->residuals->window;
	GString *text = g_string_new(NULL);

	g_string_append_printf(text, "%s%s and %s, log:", c->pane.w >= WORDS ? "packets between " : "",
		qry_host(q, w->host)->name,
		w->other == MDL_NONE ? "all others" : qry_host(q, w->other)->name);
	append_column(c, text, UINT32_MAX);
	return text;
}

/* The packets in the column with the cursor.  The caller frees. */
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

/* ---- drawing ---- */

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
	pane_clocks_ask(c); /* the columns may have changed */
	if (table + PLOT_MIN + words > area->h)
		table = MAX(MIN(n + 1, area->h), 2);
	part = term_area_part(area, 0, 0, area->w, table);
	draw_table(c, &part);
	part = term_area_part(area, 0, table, area->w, area->h - MIN(table, area->h));
	if (!c->residuals || ask_worker_busy(c->pane.worker)) { /* outdated */
		if (c->problem && !ask_worker_busy(c->pane.worker))
			term_area_fit(&part, 1, 0, part.w - 1, TERM_ROLE_DIM, c->problem);
		else
			term_area_printf(&part, 1, 0, TERM_ROLE_MESSAGE, "reading packets: %.0f%%",
				100 * ask_worker_share(c->pane.worker));
		return;
	}
	if (part.h >= PLOT_MIN + words) {
		struct term_area plot = term_area_part(&part, 0, 0, part.w, part.h - words);

		clocks_plot_draw(c, &plot);
	}
	part = term_area_part(&part, 0, part.h - MIN(words, part.h), part.w, words);
	if (part.h > 0)
		pane_clocks_draw_line(&part, 0, TERM_ROLE_TITLE, window_text(c));
	if (part.h > 1)
		pane_clocks_draw_line(&part, 1, TERM_ROLE_TEXT, cursor_text(c));
}

/* A click selects a host of the table, or an instant of the drawing. */
static void clocks_point(struct ui_pane *pane, unsigned x, unsigned y)
{
	struct clocks *c = (struct clocks *)pane;
	struct ui_shell *shell = pane->shell;

	if (qry_host_count(shell->q) == 1)
		return;
	if (list_view_point(&c->view, y, qry_host_count(shell->q))) {
		shell->clock_host = c->view.line;
		pane_clocks_ask(c);
	} else if (y > c->view.height && x >= shell->names) {
		ui_shell_set_cursor(shell, ui_shell_column_time(shell, x - shell->names));
	}
}

/* ---- commands ---- */

static bool pane_clocks_list_command(struct clocks *c, enum ui_command command)
{
	uint32_t n = qry_host_count(c->pane.shell->q);

	c->view.line = clocks_host(c);
	if (!list_view_move(&c->view, command, n))
		return false;
	c->pane.shell->clock_host = c->view.line;
	if (n > 1)
		pane_clocks_ask(c);
	return true;
}

static void pane_clocks_next_scope(struct clocks *c)
{
	if (!ui_argument_turn(&c->pane, UI_CMD_SCOPE))
		return;
	ui_shell_message(c->pane.shell, "packets %s",
		c->with_all ? "with all other hosts" : "with the next host towards the reference");
	pane_clocks_ask(c);
}

static bool clocks_command(struct ui_pane *pane, enum ui_command command)
{
	struct clocks *c = (struct clocks *)pane;
	struct ui_shell *shell = pane->shell;

	if (command == UI_CMD_SYNC) {
		ui_shell_ask(shell, pane, "clocks (auto, none, FILE, HOST=OFFSET)", NULL, sync_answered,
			NULL);
		return true;
	}
	if (!pane->shown || !ui_pane_focused(pane))
		return false;
	switch (command) {
	case UI_CMD_ACTIVATE: clocks_sync_ask_offset(c); return true;
	case UI_CMD_EXPORT:
		if (qry_clocks(shell->q))
			ui_shell_ask_file(shell, pane, "save the clocks to", ".json", "clocks.json",
				write_clocks);
		else
			ui_shell_error(shell, "each host shows its own time: there are no clocks to save");
		return true;
	case UI_CMD_SCOPE: pane_clocks_next_scope(c); return true;
	default: return pane_clocks_list_command(c, command);
	}
}

static const struct ui_hint pane_clocks_hints[] = { { UI_CMD_ACTIVATE, "move it" },
	{ UI_CMD_SYNC, "other clocks" }, { UI_CMD_EXPORT, "save" }, { UI_CMD_SCOPE, "with whom" },
	{ UI_CMD_MAXIMISE, "large" }, { UI_CMD_CLOCKS, "close" }, { UI_CMD_ZOOM_IN, "in" },
	{ UI_CMD_ZOOM_OUT, "out" }, { UI_CMD_FOCUS, "other pane" }, { UI_CMD_NONE, NULL } };

const struct ui_pane_ops pane_clocks = {
	.name = "clocks",
	.place = UI_PLACE_LOWER,
	.hints = pane_clocks_hints,
	.show = UI_CMD_CLOCKS,
	.size = sizeof(struct clocks),
	.clear = clocks_clear,
	.changed = clocks_changed,
	.work = ask_worker_work,
	.fields = pane_clocks_fields,
	.to_keep = clocks_to_keep,
	.restore = clocks_restore,
	.command = clocks_command,
	.point = clocks_point,
	.title = clocks_title,
	.height = clocks_height,
	.draw = clocks_draw,
};
