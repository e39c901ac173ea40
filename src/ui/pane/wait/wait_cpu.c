/* SPDX-License-Identifier: MIT */
/*
 * A wait for a CPU: the threads and interrupts that had it, turn by turn in order of time, or summed up; with
 * priority, time, share and reason.  At the bottom is the selected line in full.
 */
#include "ui/pane/wait/wait.h"

#include "ui/widget/host_look.h"
#include "ui/widget/looks.h"

#define BAR_FROM 5   /* lines from which on the selected line is told in full below */
#define TALL_FROM 9  /* lines from which on a long headline takes two */
#define TEXT_MAX 110 /* columns of who and why; what is at their right stays near on a wide screen */
#define WHO_MIN 18
#define WHY_MIN 10 /* columns below which it is left to the bar */

static const struct ana_turn *turn_of(const struct wait *w, unsigned i)
{
	return &g_array_index(w->cpu->turns, struct ana_turn, i);
}

static const struct ana_blame_part *wait_cpu_part_of(const struct wait *w, unsigned i)
{
	return &g_array_index(w->cpu->blame->parts, struct ana_blame_part, i);
}

void wait_cpu_lines(struct wait *w)
{
	unsigned n = w->sums ? w->cpu->blame->parts->len : w->cpu->turns->len;

	g_array_set_size(w->lines, 0);
	for (unsigned i = 0; i < n; i++) {
		struct wait_line line = { w->sums ? WAIT_PART : WAIT_TURN, i, 0 };

		g_array_append_val(w->lines, line);
	}
	w->view.line = w->view.top = 0;
}

void wait_cpu_title(const struct wait *w, GString *title)
{
	struct ui_shell *shell = w->pane.shell;
	g_autofree char *label = qry_row_label(shell->q, w->cpu->row),
			*length = ui_shell_duration_text(shell, w->cpu->to - w->cpu->from);
	g_autofree char *end = ui_shell_time_text(shell, w->cpu->to);

	g_string_append_printf(title, "%s %s %s until %s  %s", label,
		w->cpu->turns->len > 0 && turn_of(w, 0)->quota ? "had no CPU for"
			: w->cpu->preempted                    ? "was preempted for"
							       : "waited for a CPU for",
		length, end, w->sums ? "summed up" : "turn by turn");
}

/* ---- columns ---- */

struct columns {
	/* Where they begin; SINCE, TIME, SHARE: where they end. */
	unsigned class, why, cpu, since, time, share, grade;
};

/* "+182 µs": TIME from where the wait began. */
static void put_since(const struct wait *w, const struct columns *c, const struct term_area *area, unsigned y,
	int64_t time)
{
	g_autofree char *length = ui_shell_duration_text(w->pane.shell, time - w->cpu->from),
			*text = g_strconcat("+", length, NULL);

	term_area_before(area, c->since, y, TERM_ROLE_DIM, text);
}

static void put_share(const struct wait *w, const struct columns *c, const struct term_area *area, unsigned y,
	int64_t time)
{
	term_area_duration(area, c->time, y, TERM_ROLE_TEXT, time);
	term_area_number(area, c->share, y, TERM_ROLE_STRONG, "%.1f%%",
		100 * (double)time / (double)MAX(w->cpu->to - w->cpu->from, 1));
}

/* The name, the priority of thread ROW (MDL_NONE: it is none), and the CPU. */
static void put_who(const struct wait *w, const struct columns *c, const struct term_area *area, unsigned y,
	const char *who, uint32_t row, int64_t time, uint32_t cpu)
{
	struct qry *q = w->pane.shell->q;
	g_autofree char *class = row != MDL_NONE ? ana_cpuwait_class(q, row, time) : NULL;

	host_look_label(area, 1, y, c->class - 2, TERM_ROLE_NAME_THREAD, q, qry_row(q, w->cpu->row)->host,
		who);
	if (class)
		term_area_fit(area, c->class, y, c->why - c->class - 1, TERM_ROLE_TEXT, class);
	if (cpu != MDL_NONE)
		term_area_printf(area, c->cpu, y, TERM_ROLE_DIM, "CPU %u", cpu);
}

static void draw_turn(const struct wait *w, const struct columns *c, const struct term_area *area, unsigned y,
	const struct ana_turn *turn)
{
	g_autofree char *who = ana_turn_who(w->pane.shell->q, turn),
			*why = ana_turn_text(w->pane.shell->q, turn);

	put_who(w, c, area, y, who, turn->row, turn->from, turn->cpu);
	if (c->why + WHY_MIN < c->cpu)
		term_area_fit(area, c->why, y, c->cpu - c->why - 1, TERM_ROLE_TEXT, why);
	put_since(w, c, area, y, turn->from);
	put_share(w, c, area, y, ana_turn_time(turn));
	term_area_text(area, c->grade, y, kind_look_grade(mdl_grade_of(turn->doubts)),
		ana_grade_name(turn->doubts));
}

static void draw_part(const struct wait *w, const struct columns *c, const struct term_area *area, unsigned y,
	const struct ana_blame_part *part)
{
	g_autofree char *who = ana_blame_part_text(w->pane.shell->q, part);

	put_who(w, c, area, y, who, part->what == ANA_BLAME_THREAD ? part->row : MDL_NONE, part->from,
		part->cpu);
	put_since(w, c, area, y, part->from);
	put_share(w, c, area, y, part->time);
	term_area_text(area, c->grade, y, kind_look_grade(mdl_grade_of(part->doubts)),
		ana_grade_name(part->doubts));
}

/* ---- drawing ---- */

/* All words of the selected line. */
static void wait_cpu_draw_bar(const struct wait *w, const struct term_area *area, unsigned y)
{
	const struct wait_line *line = wait_line(w, w->view.line);
	struct ui_shell *shell = w->pane.shell;
	g_autoptr(GString) text = g_string_new(NULL);
	g_autofree char *who = NULL;

	term_area_fill(area, 0, y, area->w, 1, TERM_ROLE_TITLE, ' ');
	if (line->kind == WAIT_TURN) {
		g_autofree char *why = ana_turn_text(shell->q, turn_of(w, line->hop)),
				*interrupted = ui_shell_duration_text(shell,
					turn_of(w, line->hop)->interrupted);

		who = ana_turn_who(shell->q, turn_of(w, line->hop));
		g_string_append_printf(text, "%s: %s", who, why);
		if (turn_of(w, line->hop)->interrupted > 0)
			g_string_append_printf(text, "; interrupts for another %s", interrupted);
	} else {
		const struct ana_blame_part *part = wait_cpu_part_of(w, line->hop);
		g_autofree char *from = ui_shell_duration_text(shell, part->from - w->cpu->from),
				*to = ui_shell_duration_text(shell, part->to - w->cpu->from);

		who = ana_blame_part_text(shell->q, part);
		g_string_append_printf(text, "%s had the CPU first at +%s, last until +%s", who, from, to);
	}
	term_area_fit(area, 1, y, area->w - 1, TERM_ROLE_TITLE, text->str);
}

void wait_cpu_draw(struct wait *w, const struct term_area *area)
{
	struct columns c = { .grade = MIN(area->w, TEXT_MAX + 50) - MIN(area->w, 9) };
	g_autofree char *headline = ana_cpuwait_text(w->pane.shell->q, w->cpu);
	unsigned head = wait_lines_words(area, 1, area->w - 1, area->h >= TALL_FROM ? 2 : 1, headline),
		 bar = area->h >= BAR_FROM;
	struct term_area list = list_view_area(&w->view, area, head + 1, bar, w->lines->len);

	c.share = c.grade > 1 ? c.grade - 1 : 0;
	c.time = c.share > 8 ? c.share - 8 : 0;
	c.since = c.time > 10 ? c.time - 10 : 0;
	c.cpu = c.since > 16 ? c.since - 16 : 0;
	c.class = 1 + CLAMP(c.cpu / 3, WHO_MIN, 32) + 1;
	c.why = c.class + 14;
	if (head < area->h) {
		term_area_fill(area, 0, head, area->w, 1, TERM_ROLE_TITLE, ' ');
		term_area_text(area, 1, head, TERM_ROLE_TITLE, "had the CPU");
		term_area_text(area, c.class, head, TERM_ROLE_TITLE, "priority");
		if (c.why + WHY_MIN < c.cpu)
			term_area_fit(area, c.why, head, c.cpu - c.why, TERM_ROLE_TITLE,
				w->sums ? "first" : "reason");
		term_area_before(area, c.since, head, TERM_ROLE_TITLE, "at");
		term_area_before(area, c.time, head, TERM_ROLE_TITLE, "time");
		term_area_before(area, c.share, head, TERM_ROLE_TITLE, "share");
	}
	for (unsigned i = 0; i < w->view.seen; i++) {
		const struct wait_line *line = wait_line(w, w->view.top + i);

		if (line->kind == WAIT_TURN)
			draw_turn(w, &c, &list, i, turn_of(w, line->hop));
		else
			draw_part(w, &c, &list, i, wait_cpu_part_of(w, line->hop));
	}
	list_view_mark(&w->view, &w->pane, &list);
	if (bar && w->lines->len)
		wait_cpu_draw_bar(w, area, area->h - 1);
}

/* ---- the target of the selected line ---- */

void wait_cpu_where(const struct wait *w, uint32_t *row, int64_t *time)
{
	const struct wait_line *line = wait_line(w, w->view.line);
	uint32_t host = qry_row(w->pane.shell->q, w->cpu->row)->host;
	uint32_t cpu = line->kind == WAIT_TURN ? turn_of(w, line->hop)->cpu
					       : wait_cpu_part_of(w, line->hop)->cpu;

	*row = line->kind == WAIT_TURN ? turn_of(w, line->hop)->row : wait_cpu_part_of(w, line->hop)->row;
	*time = line->kind == WAIT_TURN ? turn_of(w, line->hop)->from : wait_cpu_part_of(w, line->hop)->from;
	if (*row == MDL_NONE && cpu != MDL_NONE)
		*row = qry_cpu_row(w->pane.shell->q, host, cpu);
}

int64_t wait_cpu_woken(const struct wait *w)
{
	const struct wait_line *line = wait_line(w, w->view.line);

	return line->kind == WAIT_TURN ? turn_of(w, line->hop)->woken : MDL_NEVER;
}
