/* SPDX-License-Identifier: MIT */
/*
 * A line for each machine, virtual CPU, state and part: how long, its share, how often, the longest.  A
 * virtual CPU has a bar of its states, whose marks stand before the states' words.  Below the list the
 * selected line in full.
 */
#include "ui/pane/machines/machines.h"

#include "analysis/kind/advice.h"
#include "base/base_time.h"
#include "ui/widget/subject.h"
#include "ui/widget/looks.h"

#define BAR_FROM 6 /* lines from which on the selected line is told in full below */
#define BAR_MIN 10 /* columns of a virtual CPU's states */
#define BAR_MAX 100

enum { TIME_END = 10, SHARE_END = 17, COUNT_END = 24, WORST_END = 34, TEXT = 35 };

/* How many virtual CPUs there are, and of how many the count is done. */
static guint counted(const struct machines *m, guint *all)
{
	guint done = 0;

	*all = 0;
	for (guint i = 0; i < m->machines->len; i++) {
		guint n = g_array_index(m->machines, struct ana_machine, i).vcpus->len;

		*all += n;
		done += i < m->machine ? n : i == m->machine ? MIN(m->vcpu, n) : 0;
	}
	return done;
}

void machines_draw_title(struct ui_pane *pane, GString *title)
{
	const struct machines *m = (const struct machines *)pane;
	guint done, all;

	if (!m->ask.has_asked)
		return;
	scope_title(m->pane.shell, title, "Virtual machines", NULL, m->from, m->to);
	if (!m->machines || (!ask_worker_busy(m->pane.worker) && !m->ask.problem))
		return;
	done = counted(m, &all);
	g_string_append_printf(title, "  %s%u of %u virtual CPUs counted", m->ask.problem ? "stopped: " : "",
		done, all);
}

static void machines_draw_draw_heading(const struct term_area *area)
{
	term_area_fill(area, 0, 0, area->w, 1, TERM_ROLE_TITLE, ' ');
	term_area_before(area, TIME_END, 0, TERM_ROLE_TITLE, "time");
	term_area_before(area, SHARE_END, 0, TERM_ROLE_TITLE, "share");
	term_area_before(area, COUNT_END, 0, TERM_ROLE_TITLE, "count");
	term_area_before(area, WORST_END, 0, TERM_ROLE_TITLE, "worst");
	term_area_text(area, TEXT + 1, 0, TERM_ROLE_TITLE, "virtual CPU, state, why or by whom");
}

/* ---- the bar ---- */

/* The states of V in WIDTH columns: each column has the state in which its middle lies, as if V had been in
 * one after the other. */
static void machines_draw_draw_bar(const struct term_area *area, unsigned x, unsigned y, unsigned width,
	const struct ana_machine_vcpu *v)
{
	const struct {
		enum mdl_state state;
		int64_t time;
	} parts[] = { { MDL_ST_RUNNING, v->inside }, { MDL_ST_VCPU_EXIT, v->handled },
		{ MDL_ST_INTERRUPTED, v->interrupted }, { MDL_ST_VCPU_PREEMPTED, v->preempted },
		{ MDL_ST_IDLE, v->halted }, { MDL_ST_BLOCKED, v->blocked }, { MDL_ST_UNKNOWN, v->unknown } };
	double share = (double)machines_life(v) / width, end = 0;
	unsigned column = 0;

	for (unsigned i = 0; i < G_N_ELEMENTS(parts); i++)
		for (end += (double)parts[i].time; column < width && (column + 0.5) * share < end; column++)
			term_area_char(area, x + column, y,
				TERM_ROLE_STATE_UNKNOWN + (unsigned)parts[i].state,
				state_look_pattern(area->grid, parts[i].state));
}

/* ---- lines ---- */

static void draw_times(const struct term_area *area, unsigned y, const struct machines_line *line)
{
	term_area_duration(area, TIME_END, y,
		line->what == MACHINES_STATE ? TERM_ROLE_STRONG : TERM_ROLE_TEXT, line->time);
	term_area_number(area, SHARE_END, y, TERM_ROLE_TEXT, "%.1f%%",
		100 * (double)line->time / (double)line->of);
	if (line->count > 0)
		term_area_number(area, COUNT_END, y, TERM_ROLE_TEXT, "%" G_GUINT64_FORMAT, line->count);
	if (line->worst > 0)
		term_area_duration(area, WORST_END, y, TERM_ROLE_TEXT, line->worst);
}

static void draw_vcpu(const struct term_area *area, unsigned y, const struct machines_line *line)
{
	unsigned x = term_area_fit(area, 3, y, area->w - 4, TERM_ROLE_NAME_THREAD, line->text) + 2;

	if (x + BAR_MIN < area->w && machines_life(line->vcpu) > 1)
		machines_draw_draw_bar(area, x, y, MIN(area->w - x - 1, BAR_MAX), line->vcpu);
}

static void machines_draw_draw_line(const struct term_area *area, unsigned y,
	const struct machines_line *line)
{
	unsigned x = TEXT + 1 + 4 * (line->what >= MACHINES_PART);

	if (line->of > 0)
		draw_times(area, y, line);
	switch (line->what) {
	case MACHINES_MACHINE: term_area_fit(area, 1, y, area->w - 2, TERM_ROLE_STRONG, line->text); break;
	case MACHINES_VCPU: draw_vcpu(area, y, line); break;
	case MACHINES_STATE:
		if (line->state < MDL_ST_N)
			term_area_char(area, x, y, TERM_ROLE_STATE_UNKNOWN + (unsigned)line->state,
				state_look_pattern(area->grid, line->state));
		term_area_fit(area, x + 2, y, area->w - MIN(area->w, x + 2), TERM_ROLE_TEXT, line->text);
		break;
	case MACHINES_PART:
	case MACHINES_MORE:
		term_area_fit(area, x, y, area->w - MIN(area->w, x),
			line->what == MACHINES_MORE ? TERM_ROLE_DIM : TERM_ROLE_TEXT, line->text);
		break;
	}
}

/* The selected line in full, and when its worst was. */
static void draw_selected(const struct machines *m, const struct term_area *area, unsigned y)
{
	const struct machines_line *line = machines_line(m, m->view.line);
	g_autofree char *at = line->at != BASE_TIME_NONE ? ui_shell_time_text(m->pane.shell, line->at) : NULL;
	g_autofree char *text = at ? g_strdup_printf("%s; the worst %s %s", line->text,
					     line->wait_end == line->at ? "until" : "at", at)
				   : g_strdup(line->text);

	term_area_fill(area, 0, y, area->w, 1, TERM_ROLE_TITLE, ' ');
	term_area_fit(area, 1, y, area->w - 1, TERM_ROLE_TITLE, text);
}

/* What is missing, where no machine is known. */
static void draw_none(const struct machines *m, const struct term_area *area)
{
	const struct qry *q = m->pane.shell->q;
	bool recorded = false;

	for (uint32_t i = 0; i < qry_row_count(q) && !recorded; i++)
		recorded = qry_row(q, i)->type == MDL_ROW_VCPU;
	if (recorded) {
		term_area_text(area, 1, 0, TERM_ROLE_DIM, "no virtual machine ran here");
		return;
	}
	term_area_fit(area, 1, 0, area->w - 1, TERM_ROLE_DIM,
		"no virtual machine ran, or KVM was not recorded; to have it, on the host:");
	term_area_fit(area, 3, 1, area->w - 3, TERM_ROLE_TEXT, ana_advice_machines(q, 0));
}

void machines_draw(struct machines *m, const struct term_area *area)
{
	unsigned bar = area->h >= BAR_FROM && m->lines->len > 0;
	struct term_area list;

	if (m->lines->len == 0) {
		draw_none(m, area);
		return;
	}
	machines_draw_draw_heading(area);
	list = list_view_area(&m->view, area, 1, bar, m->lines->len);
	for (unsigned y = 0; y < m->view.seen; y++)
		machines_draw_draw_line(&list, y, machines_line(m, m->view.top + y));
	list_view_mark(&m->view, &m->pane, &list);
	if (bar)
		draw_selected(m, area, area->h - 1);
}
