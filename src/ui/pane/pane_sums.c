/* SPDX-License-Identifier: MIT */
/*
 * Sums of the selection, if any: the CPU time of the selected row, or the load of the CPUs, and the most
 * frequent events by name; pane_names.c lists all of them.
 */
#include "ui/pane/pane.h"

#include "base/base_text.h"
#include "base/base_time.h"
#include "ui/widget/list_pane.h"

#define LOW_FROM 24  /* minimum rows of the screen for two lines */
#define HIGH_FROM 50 /* minimum rows for three lines */
#define DELAY 150    /* ms to wait for the next key while a selection is being made */

struct sums {
	struct list list;
	const char *none; /* reason for not asking last time; static, NULL: asked */
};

/* ---- asking ---- */

/* The reason not to ask; NULL: none. */
static const char *no_question(const struct ui_shell *shell)
{
	int64_t from, to;

	if (!ui_shell_selection(shell, &from, &to))
		return "nothing is selected";
	return ui_shell_shows(shell, UI_CMD_SUMS) ? "in the list" : NULL; /* that list counts the events */
}

static const char *ask_selected(const struct list *l, G_GNUC_UNUSED struct table_question *q)
{
	return no_question(l->pane.shell);
}

static void sums_changed(struct ui_pane *pane, unsigned changes)
{
	const struct ui_shell *shell = pane->shell;
	struct sums *s = (struct sums *)pane;

	if (!shell->q)
		return;
	if (s->none != no_question(shell))
		s->list.ask.has_asked = false;
	s->none = no_question(shell);
	s->list.delay = (ui_shell_selects(shell) || shell->drags) && !shell->term->waits ? DELAY : 0;
	list_changed(pane, changes);
}

/* ---- time on CPUs ---- */

static int64_t on_cpu(const struct list *l, uint32_t row)
{
	struct qry_cell cell;

	qry_share(l->pane.shell->q, row, l->asked.from, l->asked.to, &cell);
	return qry_cell_on_cpu(&cell);
}

/* "load 1.34 of 2 CPUs", of all hosts. */
static char *load_text(const struct list *l)
{
	const struct qry *q = l->pane.shell->q;
	int64_t sum = 0;
	unsigned n = 0;

	for (uint32_t row = 0; row < qry_row_count(q); row++) {
		if (qry_row(q, row)->type != MDL_ROW_CPU)
			continue;
		sum = base_time_sum(sum, on_cpu(l, row));
		n++;
	}
	return g_strdup_printf("load %.2f of %u CPU%s", (double)sum / (double)(l->asked.to - l->asked.from),
		n, base_text_s(n));
}

/* "wk-victim[546] 3.21 ms of CPU (26.7%)", "CPU 1 load 26.7%".  The caller frees. */
static char *time_text(const struct list *l)
{
	struct ui_shell *shell = l->pane.shell;
	g_autofree char *label = NULL, *length = NULL;
	double share;
	int64_t time;

	if (shell->view->row == UI_NO_ROW)
		return load_text(l);
	time = on_cpu(l, shell->view->row);
	share = 100 * (double)time / (double)(l->asked.to - l->asked.from);
	label = qry_row_label(shell->q, shell->view->row);
	length = ui_shell_duration_text(shell, time);
	if (qry_row(shell->q, shell->view->row)->type == MDL_ROW_CPU)
		return g_strdup_printf("%s load %.1f%%", label, share);
	return g_strdup_printf("%s %s of CPU (%.1f%%)", label, length, share);
}

/* ---- drawing ---- */

static int64_t count_of(const struct list *l, guint row)
{
	const struct list_rows *rows = l->part->rows;

	return list_rows_cell(rows, row, list_rows_find(rows, "count"))->number;
}

static int64_t count_all(const struct list *l)
{
	int64_t n = 0;

	for (guint i = 0; l->part && i < l->part->n; i++)
		n += count_of(l, i);
	return n;
}

/* The number of events, or the progress of counting. */
static char *state_text(const struct list *l)
{
	int64_t n = count_all(l);

	if (ask_worker_busy(l->pane.worker))
		return g_strdup_printf("%" G_GINT64_FORMAT " events so far (%.0f%%)%s", n,
			100 * ask_worker_share(l->pane.worker), n ? ":" : "");
	if (l->ask.problem)
		return g_strdup_printf("events: %s", l->ask.problem);
	return g_strdup_printf("%" G_GINT64_FORMAT " event%s%s", n, base_text_s((guint64)n), n ? ":" : "");
}

/* The place of the next text; draws only if AREA is not NULL. */
struct place {
	const struct term_area *area;
	unsigned x, y, columns, lines;
};

/* Put TEXT, on the next line if this one is full.  False if there is no room for it, or if it would leave
 * less than LEFT columns on the last line. */
static bool put(struct place *p, enum term_role role, const char *text, unsigned left)
{
	unsigned width = term_text_width(text);

	if (p->x + width > p->columns && p->x > 1) {
		p->y++;
		p->x = 3;
	}
	if (p->y >= p->lines || p->x + width + (p->y + 1 == p->lines ? left : 0) > p->columns)
		return false;
	if (p->area)
		term_area_text(p->area, p->x, p->y, role, text);
	p->x += width + 2;
	return true;
}

static void put_names(const struct list *l, struct place *p)
{
	const struct list_rows *rows = l->part->rows;
	int64_t left = count_all(l);

	for (guint i = 0; i < l->part->n; i++) {
		unsigned others = l->part->n - i - 1;
		g_autofree char *text = g_strdup_printf("%s %" G_GINT64_FORMAT,
					list_rows_cell(rows, i, list_rows_find(rows, "name"))->word,
					count_of(l, i)),
				*rest = g_strdup_printf("%u other name%s %" G_GINT64_FORMAT, others + 1,
					others ? "s" : "", left);

		if (!put(p, TERM_ROLE_TEXT, text, others ? term_text_width(rest) + 2 : 0)) {
			put(p, TERM_ROLE_DIM, rest, 0);
			return;
		}
		left -= count_of(l, i);
	}
}

/* Put all texts within P; returns the number of lines. */
static unsigned put_all(const struct list *l, struct place p)
{
	g_autofree char *time = time_text(l), *state = state_text(l);

	put(&p, TERM_ROLE_DIM, time, 0);
	if (!ui_shell_shows(l->pane.shell, UI_CMD_SUMS))
		put(&p, TERM_ROLE_TEXT, state, 0);
	if (l->part)
		put_names(l, &p);
	return MIN(p.y + 1, p.lines);
}

static unsigned sums_height(struct ui_pane *pane, unsigned columns, unsigned rows)
{
	const struct list *l = (const struct list *)pane;
	int64_t from, to;

	if (!l->ask.has_asked || !ui_shell_selection(pane->shell, &from, &to) || rows < 16)
		return 0;
	return put_all(l,
		(struct place){ NULL, 1, 0, columns,
			rows < LOW_FROM            ? 1
				: rows < HIGH_FROM ? 2
						   : 3 });
}

static void sums_draw(struct ui_pane *pane, const struct term_area *area)
{
	put_all((struct list *)pane, (struct place){ area, 1, 0, area->w, area->h });
}

static const struct list_kind selected_kind = { .table = &table_event_names, .ask = ask_selected };

const struct ui_pane_ops pane_sums = {
	.name = "sums",
	.place = UI_PLACE_BOTTOM,
	.shown = true,
	.kind = &selected_kind,
	.size = sizeof(struct sums),
	.init = list_init,
	.clear = list_clear,
	.changed = sums_changed,
	.work = list_work,
	.height = sums_height,
	.draw = sums_draw,
};
