/* SPDX-License-Identifier: MIT */
/* A wait for a CPU: the threads and interrupts that had it, by turn in order of time, or summed; with
 * priority, time, share and reason. */
#include "ui/pane/wait/wait.h"

#include "ui/widget/host_look.h"

/* The common members of turns and parts of the sum. */
struct stay {
	uint32_t thread, row, cpu; /* THREAD: ROW if that is a thread; else MDL_NONE */
	int64_t from, to, time, woken;
	mdl_doubts doubts;
	const struct ana_turn *turn; /* NULL: see PART */
	const struct ana_blame_part *part;
};

static struct stay stay_of(bool sums, const void *row)
{
	const struct ana_turn *t = row;
	const struct ana_blame_part *p = row;

	if (!sums)
		return (struct stay){ t->row, t->row, t->cpu, t->from, t->to, ana_turn_time(t), t->woken,
			t->doubts, t, NULL };
	return (struct stay){ p->what == ANA_BLAME_THREAD ? p->row : MDL_NONE, p->row, p->cpu, p->from, p->to,
		p->time, MDL_NEVER, p->doubts, NULL, p };
}

/* ---- the list ---- */

static char *who_text(struct qry *q, const struct wait *w, const struct stay *s)
{
	return qry_label_with_host(q, qry_row(q, w->cpu->row)->host,
		s->turn ? ana_turn_who(q, s->turn) : ana_blame_part_text(q, s->part));
}

/* TIME relative to the start of the wait, as "+182 µs". */
static void put_since(struct table_cell *cell, const struct wait *w, int64_t time)
{
	g_autofree char *length = ui_shell_duration_text(w->pane.shell, time - w->cpu->from);

	cell->number = time;
	cell->taken = g_strconcat("+", length, NULL);
}

/* The context is the struct wait. */
TABLE_COLUMNS(columns)
{
	const struct wait *w = in->context;
	bool sums = w->sums;
	struct stay s = row ? stay_of(sums, row) : (struct stay){ 0 };

	TABLE_COLUMN("who", "had the CPU", TABLE_WORD, "", taken = who_text(in->q, w, &s));
	TABLE_COLUMN("priority", "priority", TABLE_WORD, "",
		taken = s.thread == MDL_NONE ? NULL : ana_cpuwait_class(in->q, s.thread, s.from));
	if (!sums)
		TABLE_COLUMN("reason", "reason", TABLE_LONG, "", taken = ana_turn_text(in->q, s.turn));
	TABLE_COLUMN("cpu", ">CPU", TABLE_NUMBER, "", number = table_id(s.cpu));
	TABLE_COLUMN_BY("at", ">at", TABLE_DURATION, "", put_since(cell, w, s.from));
	if (sums)
		TABLE_COLUMN_BY("until", ">until", TABLE_DURATION, "", put_since(cell, w, s.to));
	TABLE_COLUMN("time", ">time", TABLE_DURATION, "", number = s.time);
	if (!sums)
		TABLE_COLUMN("interrupts", ">interrupts", TABLE_DURATION, "",
			number = s.turn->interrupted ? s.turn->interrupted : BASE_TIME_NONE);
	TABLE_COLUMN("share", ">share", TABLE_SHARE, "",
		share = (double)s.time / (double)MAX(w->cpu->to - w->cpu->from, 1));
	TABLE_COLUMN("grade", "grade", TABLE_WORD, "", word = ana_grade_name(s.doubts));
}

static const struct table table = { .list = "turns", .columns = columns };

const struct list_kind wait_cpu_kind = {
	.table = &table,
	.columns = "who priority reason? cpu at until? time interrupts? share grade",
	.none = "nobody had it",
	.at = offsetof(struct wait, list),
};

static const GArray *stays(const struct wait *w)
{
	return w->sums ? w->cpu->blame->parts : w->cpu->turns;
}

void wait_cpu_lines(struct wait *w)
{
	list_show(&w->list, NULL); /* the rows change: keep none selected */
	list_fill(&w->list, w, stays(w)->data, stays(w)->len,
		w->sums ? sizeof(struct ana_blame_part) : sizeof(struct ana_turn));
	w->list.view.line = w->list.view.top = 0;
}

void wait_cpu_where(const struct wait *w, uint32_t *row, int64_t *time, int64_t *woken)
{
	guint i = 0;
	struct stay s;

	list_selected(&w->list, &i);
	s = stay_of(w->sums,
		w->sums ? (const void *)&g_array_index(stays(w), struct ana_blame_part, i)
			: &g_array_index(stays(w), struct ana_turn, i));
	*row = s.row != MDL_NONE || s.cpu == MDL_NONE
		? s.row
		: qry_cpu_row(w->pane.shell->q, qry_row(w->pane.shell->q, w->cpu->row)->host, s.cpu);
	*time = s.from;
	if (woken)
		*woken = s.woken;
}

/* ---- drawing ---- */

void wait_cpu_title(const struct wait *w, GString *title)
{
	struct ui_shell *shell = w->pane.shell;
	g_autofree char *label = qry_row_label(shell->q, w->cpu->row),
			*length = ui_shell_duration_text(shell, w->cpu->to - w->cpu->from);
	g_autofree char *end = ui_shell_time_text(shell, w->cpu->to);

	g_string_append_printf(title, "%s %s %s until %s  %s", label,
		w->cpu->turns->len > 0 && g_array_index(w->cpu->turns, struct ana_turn, 0).quota
			? "had no CPU for"
			: w->cpu->preempted ? "was preempted for"
					    : "waited for a CPU for",
		length, end, w->sums ? "summed up" : "turn by turn");
}

void wait_cpu_draw(struct wait *w, const struct term_area *area)
{
	g_autofree char *headline = ana_cpuwait_text(w->pane.shell->q, w->cpu);

	list_draw_at(&w->list, area, wait_lines_words(area, 1, area->w - 1, wait_lines_most(area), headline));
}
