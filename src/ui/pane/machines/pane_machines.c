/* SPDX-License-Identifier: MIT */
/*
 * Virtual machines, as `machines` counts them, in the selection, the window or the whole trace.  Moves from
 * this pane do not change the range of the list.
 */
#include "ui/pane/pane.h"

#include "base/base_error.h"
#include "base/base_time.h"
#include "ui/core/ui_argument.h"
#include "ui/pane/machines/machines.h"

#define HEIGHT 14 /* lines for the list on a small screen */

/* ---- counting ---- */

/* The worker gets one question per virtual CPU, and after the last one of a machine one for the time lost by
 * its guest (VCPU MDL_NONE).  Each answer is shown at once. */
struct question {
	uint32_t vcpu, host, process, guest;
	int64_t from, to;
};

struct answer {
	bool is_vcpu;
	struct ana_machine_vcpu vcpu;
	struct ana_machine machine;
};

static void pane_machines_answer_free(void *data)
{
	struct answer *answer = data;

	if (answer->is_vcpu)
		ana_machine_vcpu_clear(&answer->vcpu);
	else
		ana_machine_clear(&answer->machine);
	g_free(answer);
}

static void *pane_machines_make_answer(struct qry *q, const void *data, struct base_progress *progress,
	GError **error)
{
	const struct question *asked = data;
	struct answer *answer = g_new0(struct answer, 1);
	bool whole;

	answer->is_vcpu = asked->vcpu != MDL_NONE;
	if (answer->is_vcpu) {
		answer->vcpu = ana_machine_vcpu_make(q, asked->vcpu);
		whole = ana_machine_vcpu_count(q, &answer->vcpu, asked->from, asked->to, progress);
	} else {
		answer->machine = ana_machine_make(asked->host, asked->process, asked->guest);
		whole = ana_machine_losses(q, &answer->machine, asked->from, asked->to, progress);
	}
	if (whole)
		return answer;
	g_set_error_literal(error, BASE_ERROR, BASE_ERROR_CANCELLED, "the count was stopped");
	pane_machines_answer_free(answer);
	return NULL;
}

/* Ask for the next part that is not counted yet, if any. */
static void ask_next(struct machines *m)
{
	struct question next = { .vcpu = MDL_NONE, .from = m->from, .to = m->to };

	for (; m->machine < m->machines->len; m->machine++, m->vcpu = 0) {
		const struct ana_machine *a = &g_array_index(m->machines, struct ana_machine, m->machine);

		if (m->vcpu > a->vcpus->len || (m->vcpu == a->vcpus->len && a->guest == MDL_NONE))
			continue;
		if (m->vcpu < a->vcpus->len)
			next.vcpu = g_array_index(a->vcpus, struct ana_machine_vcpu, m->vcpu).row;
		next.host = a->host;
		next.process = a->process;
		next.guest = a->guest;
		ask_worker_ask(m->pane.worker, &next);
		return;
	}
}

static void pane_machines_taken(struct ui_pane *pane, void *data, GError *error)
{
	struct machines *m = (struct machines *)pane;
	struct ana_machine *a = &g_array_index(m->machines, struct ana_machine, m->machine);
	struct answer *answer = data;

	ask_worker_problem(&m->ask.problem, error);
	if (!answer) { /* results of a damaged index may be incomplete */
		g_array_set_size(m->lines, 0);
		return;
	}
	if (answer->is_vcpu) {
		struct ana_machine_vcpu *v = &g_array_index(a->vcpus, struct ana_machine_vcpu, m->vcpu),
					empty = *v;

		*v = answer->vcpu;
		v->cpu = empty.cpu;
		answer->vcpu = empty;
	} else {
		struct ana_machine empty = *a;

		a->threads = answer->machine.threads;
		a->cpus = answer->machine.cpus;
		a->loss = answer->machine.loss;
		answer->machine.threads = empty.threads;
		answer->machine.cpus = empty.cpus;
	}
	pane_machines_answer_free(answer);
	m->vcpu++;
	machines_lines_make(m);
	ask_next(m);
}

static const struct ask_kind pane_machines_kind = { .size = sizeof(struct question),
	.answer = pane_machines_make_answer,
	.free = pane_machines_answer_free,
	.taken = pane_machines_taken };

static void pane_machines_drop(struct machines *m)
{
	ask_worker_cancel(m->pane.worker);
	g_clear_pointer(&m->machines, g_array_unref);
	g_clear_pointer(&m->ask.problem, g_free);
	g_array_set_size(m->lines, 0);
}

/* Ask for [FROM, TO), ns, unless it is the last question. */
static void pane_machines_ask_for(struct machines *m, int64_t from, int64_t to)
{
	if (m->ask.has_asked && from == m->from && to == m->to)
		return;
	pane_machines_drop(m);
	m->ask.has_asked = true;
	m->ask.gone = false;
	m->from = from;
	m->to = to;
	m->machine = m->vcpu = 0;
	m->machines = ana_machines_list(m->pane.shell->q, from, to);
	machines_lines_make(m);
	ask_next(m);
	ask_worker_wait(m->pane.worker, &m->pane, ASK_AT_ONCE);
}

/* Ask the current question, unless it was asked. */
static void pane_machines_ask(struct machines *m)
{
	int64_t from = m->from, to = m->to;

	if (m->scope) {
		from = m->pane.shell->span_from;
		to = m->pane.shell->span_to;
	} else {
		asking_what(&m->ask, &m->pane, NULL, &from, &to);
	}
	pane_machines_ask_for(m, from, to);
}

/* ---- hooks ---- */

static void machines_init(struct ui_pane *pane)
{
	struct machines *m = (struct machines *)pane;

	m->toggled = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
	machines_lines_make(m);
}

static void machines_clear(struct ui_pane *pane)
{
	struct machines *m = (struct machines *)pane;

	pane_machines_drop(m);
	g_array_unref(m->lines);
	g_hash_table_unref(m->toggled);
	g_free(m->kept_toggled);
	asking_clear(&m->ask, pane);
}

static void machines_changed(struct ui_pane *pane, unsigned changes)
{
	struct machines *m = (struct machines *)pane;

	if (!ask_worker_start(pane, changes, &pane_machines_kind))
		return;
	if (pane->shown)
		pane_machines_ask(m);
	else
		asking_leave(&m->ask, pane);
}

static const char *const scopes[] = { "window", "trace" };

static const struct ui_field pane_machines_fields[] = { UI_FIELD_CHOICE(SCOPE, "scope", machines, scope,
								scopes, G_N_ELEMENTS(scopes)),
	UI_FIELD(TIME, "from", machines, from), UI_FIELD(END, "to", machines, to), ASKING_FIELDS(machines),
	UI_FIELD(FLAG, "all", machines, all), UI_FIELD(TEXT, "toggled", machines, kept_toggled),
	UI_FIELD_LIST(machines, view) };

static bool machines_to_keep(struct ui_pane *pane)
{
	struct machines *m = (struct machines *)pane;

	if (!m->ask.has_asked)
		return false;
	g_free(m->kept_toggled);
	m->kept_toggled = ui_fields_keys_text(m->toggled);
	return true;
}

static bool machines_restore(struct ui_pane *pane, const char *kept, GError **error)
{
	struct machines *m = (struct machines *)pane;
	int64_t before_from = m->from, before_to = m->to, from, to;

	if (!ui_fields_set(pane_machines_fields, pane, pane->shell, kept, error))
		return false;
	from = m->from;
	to = m->to;
	m->from = before_from;
	m->to = before_to;
	if (from == BASE_TIME_NONE || to == BASE_TIME_NONE)
		return true;
	ui_fields_set_keys(m->toggled, m->kept_toggled);
	pane_machines_ask_for(m, from, to);
	asking_stay(&m->ask, pane);
	if (m->machines)
		machines_lines_make(m);
	if (!ui_fields_set(pane_machines_fields, pane, pane->shell, kept, error)) /* restore the place */
		return false;
	list_view_go(&m->view, 0, m->lines->len);
	return true;
}

static void machines_pane_draw(struct ui_pane *pane, const struct term_area *area)
{
	struct machines *m = (struct machines *)pane;

	if (m->ask.problem && m->lines->len == 0)
		term_area_fit(area, 1, 0, area->w - 1, TERM_ROLE_DIM, m->ask.problem);
	else if (m->ask.has_asked)
		machines_draw(m, area);
}

/* ---- commands ---- */

/* Go to the place of LINE; with WAIT open its wait, if it has one. */
static void pane_machines_go(struct machines *m, const struct machines_line *line, bool wait)
{
	struct ui_shell *shell = m->pane.shell;
	uint32_t row = line->row;
	int64_t end = line->wait_end;

	if (row == MDL_NONE)
		return;
	ui_shell_go(shell,
		line->at == BASE_TIME_NONE ? MAX(shell->view->cursor, qry_row(shell->q, row)->first)
					   : line->at,
		row);
	asking_stay(&m->ask, &m->pane);
	if (wait && end != BASE_TIME_NONE)
		ui_shell_lead(shell, UI_LEAD(WAIT, .row = row, .to = end));
}

static void pane_machines_next_scope(struct machines *m)
{
	if (!ui_argument_turn(&m->pane, UI_CMD_SCOPE))
		return;
	m->ask.gone = false;
	pane_machines_ask(m);
	ui_shell_message(m->pane.shell, m->scope ? "of the whole trace" : "of the selection or the window");
}

static bool pane_machines_focused_command(struct machines *m, enum ui_command command)
{
	const struct machines_line *line = machines_line(m, m->view.line);

	switch (command) {
	case UI_CMD_FOLLOW: pane_machines_go(m, line, false); return true;
	case UI_CMD_ACTIVATE:
	case UI_CMD_WHY:
		if (line->what == MACHINES_MORE)
			machines_lines_toggle(m);
		else
			pane_machines_go(m, line, true);
		return true;
	case UI_CMD_ACCOUNT:
		if (line->account == MDL_NONE)
			return false;
		ui_shell_lead(m->pane.shell,
			UI_LEAD(ACCOUNT, .row = line->account, .from = m->from, .to = m->to));
		return true;
	case UI_CMD_FOLD: machines_lines_toggle(m); return true;
	case UI_CMD_FOLD_ALL:
		m->all = !m->all;
		m->view.line = m->view.top = 0;
		machines_lines_make(m);
		return true;
	default: return list_view_move(&m->view, command, m->lines->len);
	}
}

static bool machines_command(struct ui_pane *pane, enum ui_command command)
{
	struct machines *m = (struct machines *)pane;

	if (!m->pane.worker || !pane->shown)
		return false;
	if (command == UI_CMD_CLEAR && asking_stop(&m->ask, pane)) {
		ui_shell_message(pane->shell, "%s", m->ask.problem);
		return true;
	}
	if (command == UI_CMD_SCOPE) {
		pane_machines_next_scope(m);
		return true;
	}
	if (!ui_pane_focused(pane))
		return false;
	return m->lines->len ? pane_machines_focused_command(m, command) : ask_worker_holds(pane, command);
}

static void machines_point(struct ui_pane *pane, G_GNUC_UNUSED unsigned x, unsigned y)
{
	struct machines *m = (struct machines *)pane;

	list_view_point(&m->view, y, m->lines->len);
}

static const struct ui_hint pane_machines_hints[] = { { UI_CMD_ACTIVATE, "worst" },
	{ UI_CMD_FOLLOW, "go there" }, { UI_CMD_BACK, "back" }, { UI_CMD_ACCOUNT, "account" },
	{ UI_CMD_FOLD, "more" }, { UI_CMD_SCOPE, "whole trace" }, { UI_CMD_MAXIMISE, "large" },
	{ UI_CMD_MACHINES, "close" }, { UI_CMD_FOCUS, "other pane" }, { UI_CMD_FOLD_ALL, "all folds" },
	{ UI_CMD_WHY, "why" }, { UI_CMD_NONE, NULL } };

const struct ui_pane_ops pane_machines = {
	.name = "machines",
	.place = UI_PLACE_LOWER,
	.hints = pane_machines_hints,
	.show = UI_CMD_MACHINES,
	.size = sizeof(struct machines),
	.init = machines_init,
	.clear = machines_clear,
	.changed = machines_changed,
	.work = ask_worker_work,
	.fields = pane_machines_fields,
	.to_keep = machines_to_keep,
	.restore = machines_restore,
	.command = machines_command,
	.point = machines_point,
	.title = machines_draw_title,
	.lines = HEIGHT,
	.draw = machines_pane_draw,
};
