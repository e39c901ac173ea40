/* SPDX-License-Identifier: MIT */
/*
 * Moves in time: to a typed time, from change to change, from wake-up to wake-up, and along causes: from a
 * wait to its waker.  The pane has no area on the screen, only commands.  The shell records the previous
 * places.
 */
#include "ui/pane/pane.h"

#include "analysis/wait/source.h"
#include "base/base_error.h"
#include "base/base_time.h"
#include "query/events/events.h"
#include "ui/core/ui_argument.h"
#include "ui/widget/subject.h"

static bool thread_selected(struct ui_shell *shell)
{
	if (row_is_thread(shell->q, shell->view->row))
		return true;
	ui_shell_error(shell, "this row is not a thread: select one");
	return false;
}

/* ---- go to ---- */

/* Parse TEXT: an event, "#1234" of the selected row's host or "HOST/#1234"; or a TIME as all subcommands take
 * it; or, if TYPED, also a time as on the screen, or a step.  Sets *TIME (ns).  False with an error. */
static bool parse_time(struct ui_shell *shell, const char *text, bool typed, int64_t *time, GError **error)
{
	uint32_t host = shell->view->row == UI_NO_ROW ? 0 : qry_row(shell->q, shell->view->row)->host;
	uint64_t rank;

	if (qry_event_parse(shell->q, text, &host, &rank))
		return qry_event_time(shell->q, host, rank, time, error);
	if (typed)
		return ui_when_parse(shell, text, time, error);
	return base_time_parse_inside(text, shell->span_from, shell->span_to, time, error);
}

static void go_to_text(struct ui_pane *pane, const char *text)
{
	struct ui_shell *shell = pane->shell;
	GError *error = NULL;
	int64_t time;

	if (!*text)
		return;
	if (!parse_time(shell, text, true, &time, &error)) {
		ui_shell_take_error(shell, error);
		return;
	}
	if (time < shell->span_from || time >= shell->span_to)
		ui_shell_error(shell, "%s is outside the trace: this is its %s", text,
			time < shell->span_from ? "start" : "end");
	ui_shell_go(shell, CLAMP(time, shell->span_from, shell->span_to - 1), shell->view->row);
}

/* Go to the place given on the command line; false with an error. */
static bool go_to_start(struct ui_shell *shell, GError **error)
{
	const struct ui_options *o = shell->options;
	int64_t from = shell->view->from, to = shell->view->to, time;
	uint32_t row;

	if (o->thread) {
		if (!qry_find_thread(shell->q, o->thread, &row, error))
			return false;
		ui_shell_set_row(shell, row);
		ui_shell_set_cursor(shell, qry_row(shell->q, row)->first);
	}
	if ((o->from_text && !parse_time(shell, o->from_text, false, &from, error)) ||
		(o->to_text && !parse_time(shell, o->to_text, false, &to, error)))
		return false;
	if (from >= to)
		return base_error_false(error, BASE_ERROR_USAGE, "--from is not before --to");
	ui_shell_set_window(shell, from, to);
	if (o->goto_text) {
		if (!parse_time(shell, o->goto_text, false, &time, error))
			return false;
		ui_shell_set_cursor(shell, time);
	}
	return true;
}

static void navigate_changed(struct ui_pane *pane, unsigned changes)
{
	GError *error = NULL;

	if (changes & UI_CHANGED_EXPERIMENT && !pane->shell->reopened && !go_to_start(pane->shell, &error))
		ui_shell_fail(pane->shell, error);
}

/* ---- from change to change ---- */

static void jump_change(struct ui_shell *shell, bool next)
{
	int64_t cursor = shell->view->cursor;
	struct mdl_interval iv;
	bool known;

	if (shell->view->row == UI_NO_ROW) {
		ui_shell_error(shell, "a heading has no states: select a row");
		return;
	}
	known = qry_state_at(shell->q, shell->view->row, cursor, &iv);
	if (next && known && iv.to < shell->span_to)
		ui_shell_set_cursor(shell, iv.to);
	else if (next && cursor < qry_row(shell->q, shell->view->row)->first)
		ui_shell_set_cursor(shell, qry_row(shell->q, shell->view->row)->first);
	else if (!next && known && iv.from < cursor)
		ui_shell_set_cursor(shell, iv.from);
	else if (!next && qry_state_before(shell->q, shell->view->row, cursor, &iv))
		ui_shell_set_cursor(shell, iv.to < cursor ? iv.to - 1 : iv.from);
	else
		ui_shell_message(shell, "no change %s this", next ? "after" : "before");
}

static void jump_wakeup(struct ui_shell *shell, bool next)
{
	struct mdl_wakeup wakeup;

	if (!thread_selected(shell))
		return;
	if (next ? qry_wakeup_after(shell->q, shell->view->row, shell->view->cursor + 1, &wakeup)
		 : qry_wakeup_before(shell->q, shell->view->row, shell->view->cursor, &wakeup))
		ui_shell_set_cursor(shell, wakeup.time);
	else
		ui_shell_message(shell, "no wake-up %s this", next ? "after" : "before");
}

/* ---- along the causes ---- */

static void say_source(struct ui_shell *shell, const struct ana_source *source, const char *where)
{
	g_autofree char *text = ana_source_text(shell->q, source);

	ui_shell_message(shell, "%s%s%s", text, *where ? " - " : "", where);
}

/* Go to the origin of WAKEUP of the thread ROW, or to the CPU of the interrupt that sent it. */
static void follow_wakeup(struct ui_shell *shell, uint32_t row, const struct mdl_wakeup *wakeup)
{
	struct ana_source source = ana_source_of(shell->q, row, wakeup);
	uint32_t cpu = MDL_NONE, origin;
	int64_t time;
	char where[64];

	if (ana_source_origin(shell->q, &source, &origin, &time)) {
		say_source(shell, &source, "");
		ui_shell_go(shell, time, origin);
		return;
	}
	if (wakeup->cpu != MDL_NONE && wakeup->n_contexts)
		cpu = qry_cpu_row(shell->q, qry_row(shell->q, row)->host, wakeup->cpu);
	if (cpu == MDL_NONE) {
		say_source(shell, &source, "there is no row to go to");
		return;
	}
	g_snprintf(where, sizeof where, "no thread: an interrupt on CPU %u", wakeup->cpu);
	say_source(shell, &source, where);
	ui_shell_go(shell, wakeup->time, cpu);
}

/* The thread that has the CPU of row CPU_ROW (may be MDL_NONE) at TIME (ns); MDL_NONE if idle or unknown. */
static uint32_t thread_on_cpu(struct ui_shell *shell, uint32_t cpu_row, int64_t time)
{
	struct mdl_interval interval;

	if (cpu_row == MDL_NONE || !qry_state_at(shell->q, cpu_row, time, &interval))
		return MDL_NONE;
	if (interval.aux == MDL_NONE || qry_row(shell->q, interval.aux)->nr == 0)
		return MDL_NONE;
	return interval.aux;
}

/* For a thread that waits for its CPU: go to the thread that has the CPU.  False if there is none. */
static bool follow_to_cpu(struct ui_shell *shell, const struct mdl_interval *interval)
{
	uint32_t cpu = interval->aux == MDL_NONE
		? MDL_NONE
		: qry_cpu_row(shell->q, qry_row(shell->q, shell->view->row)->host, interval->aux);
	uint32_t thread = thread_on_cpu(shell, cpu, shell->view->cursor);
	g_autofree char *label = NULL;

	if (thread == MDL_NONE || thread == shell->view->row)
		return false;
	label = qry_row_label(shell->q, thread);
	ui_shell_message(shell, "%s has CPU %u", label, interval->aux);
	ui_shell_go(shell, shell->view->cursor, thread);
	return true;
}

static void follow_thread(struct ui_shell *shell)
{
	struct mdl_interval interval;
	struct mdl_wakeup wakeup;
	bool known = qry_state_at(shell->q, shell->view->row, shell->view->cursor, &interval);

	if (known && (interval.state == MDL_ST_PREEMPTED || interval.state == MDL_ST_WAIT_CPU) &&
		follow_to_cpu(shell, &interval))
		return;
	if (wait_find(shell->q, shell->view->row, shell->view->cursor, &wakeup))
		follow_wakeup(shell, shell->view->row, &wakeup);
	else if (known && interval.state == MDL_ST_BLOCKED)
		ui_shell_message(shell, "no recorded wake-up ended this wait");
	else
		ui_shell_message(shell, "no wake-up of this thread before the cursor");
}

/* Open the wait of the selected row at the cursor, for a CPU or anything else.  If a virtual CPU waits for a
 * CPU, open the wait of its thread on the host.  False if there is none, or the row cannot wait. */
static bool open_wait(struct ui_shell *shell)
{
	struct mdl_wakeup wakeup;
	uint32_t waiter;
	int64_t end;

	if (shell->view->row == UI_NO_ROW)
		return false;
	if (wait_find_cpu(shell->q, shell->view->row, shell->view->cursor, &waiter, &end)) {
		if (waiter != shell->view->row)
			ui_shell_go(shell, shell->view->cursor, waiter);
		ui_shell_lead(shell, UI_LEAD(WAIT, .row = waiter, .to = end));
		return true;
	}
	if (qry_row(shell->q, shell->view->row)->type != MDL_ROW_THREAD)
		return false;
	if (!wait_find(shell->q, shell->view->row, shell->view->cursor, &wakeup))
		return false;
	ui_shell_lead(shell, UI_LEAD(WAIT, .row = shell->view->row, .to = wakeup.time));
	return true;
}

/* ---- between a guest and its host ---- */

/* The counterpart of ROW at TIME (ns): for a guest's CPU, or a thread on it, the virtual CPU; for a virtual
 * CPU, or the thread that runs it, the guest's CPU.  MDL_NONE if there is none. */
static uint32_t other_side(struct ui_shell *shell, uint32_t row, int64_t time)
{
	const struct qry_row *r = qry_row(shell->q, row);
	uint32_t thread = r->type == MDL_ROW_VCPU ? r->parent : row;
	uint32_t cpu = r->type == MDL_ROW_VCPU || r->type == MDL_ROW_THREAD
		? qry_guest_cpu_of(shell->q, thread)
		: MDL_NONE;
	struct mdl_interval iv;

	if (cpu != MDL_NONE)
		return cpu;
	if (r->type == MDL_ROW_CPU)
		return qry_vcpu_of(shell->q, r->host, (uint32_t)r->nr);
	if (r->type != MDL_ROW_THREAD || !qry_kernel_state_at(shell->q, row, time, &iv) || iv.aux == MDL_NONE)
		return MDL_NONE;
	return qry_vcpu_of(shell->q, r->host, iv.aux);
}

static void go_across(struct ui_shell *shell)
{
	uint32_t there = shell->view->row == UI_NO_ROW
		? MDL_NONE
		: other_side(shell, shell->view->row, shell->view->cursor);
	g_autofree char *from = NULL, *to = NULL;

	if (there == MDL_NONE) {
		ui_shell_message(shell,
			"this row is neither a virtual CPU nor of a guest whose host was recorded");
		return;
	}
	from = qry_row_label(shell->q, shell->view->row);
	to = qry_row_label(shell->q, there);
	ui_shell_message(shell, "from %s to %s", from, to);
	ui_shell_go(shell, shell->view->cursor, there);
}

/* Go from an interrupt line or softirq to the CPU that ran it. */
static void follow_line(struct ui_shell *shell)
{
	struct mdl_interval interval;
	uint32_t cpu = MDL_NONE;

	if (qry_state_at(shell->q, shell->view->row, shell->view->cursor, &interval) &&
		interval.state == MDL_ST_RUNNING && interval.aux != MDL_NONE)
		cpu = qry_cpu_row(shell->q, qry_row(shell->q, shell->view->row)->host, interval.aux);
	if (cpu == MDL_NONE)
		ui_shell_message(shell, "it does not run at the cursor");
	else
		ui_shell_go(shell, shell->view->cursor, cpu);
}

static void pane_navigate_follow(struct ui_shell *shell)
{
	enum mdl_row_type type = shell->view->row == UI_NO_ROW ? MDL_ROW_TYPES
							       : qry_row(shell->q, shell->view->row)->type;
	struct mdl_interval iv;
	uint32_t thread, cpu, waiter;

	/* If the host took the CPU of a guest's row, go to the virtual CPU. */
	if (shell->view->row != UI_NO_ROW && type != MDL_ROW_VCPU &&
		qry_state_at(shell->q, shell->view->row, shell->view->cursor, &iv) &&
		(iv.state == MDL_ST_VCPU_PREEMPTED || iv.state == MDL_ST_VCPU_EXIT)) {
		go_across(shell);
	} else if (type == MDL_ROW_VCPU) {
		/* Go to its guest's CPU.  If the virtual CPU is preempted or its guest is unknown, go to its
		 * thread on the host. */
		cpu = other_side(shell, shell->view->row, shell->view->cursor);
		waiter = wait_find_waiter(shell->q, shell->view->row, shell->view->cursor);
		if (waiter != shell->view->row)
			cpu = waiter;
		else if (cpu == MDL_NONE)
			cpu = qry_row(shell->q, shell->view->row)->parent;
		ui_shell_go(shell, shell->view->cursor, cpu);
	} else if (type == MDL_ROW_CPU) {
		thread = thread_on_cpu(shell, shell->view->row, shell->view->cursor);
		if (thread == MDL_NONE)
			ui_shell_message(shell, "no thread is on this CPU");
		else
			ui_shell_go(shell, shell->view->cursor, thread);
	} else if (type == MDL_ROW_IRQ || type == MDL_ROW_SOFTIRQ) {
		follow_line(shell);
	} else if (type == MDL_ROW_DEVICE) {
		ui_shell_message(shell, "a device has no CPU to go to: select a thread");
	} else if (thread_selected(shell)) {
		follow_thread(shell);
	}
}

/* Zoom, with some room around, to the time of the pane with the focus, else to the interval at the cursor.
 * False if there is a selection, or nothing to zoom to. */
static bool zoom_to_interval(struct ui_shell *shell)
{
	struct mdl_interval interval;
	int64_t from, to, room;
	uint32_t row;

	if (ui_shell_selection(shell, &from, &to))
		return false;
	if (!ui_pane_time(shell, &row, &from, &to)) {
		if (shell->view->row == UI_NO_ROW ||
			!qry_state_at(shell->q, shell->view->row, shell->view->cursor, &interval))
			return false;
		from = interval.from;
		to = interval.to;
	}
	room = (to - from) / 4 + 1;
	ui_shell_set_cursor(shell, from);
	ui_shell_set_window(shell, from - room, to + room);
	return true;
}

static bool navigate_command(struct ui_pane *pane, enum ui_command command)
{
	struct ui_shell *shell = pane->shell;

	switch (command) {
	case UI_CMD_GOTO:
		ui_shell_ask(shell, pane, "go to (8.5s 50% 10:03:04 #9 +2ms)", NULL, go_to_text, NULL);
		return true;
	case UI_CMD_CHANGE_NEXT:
	case UI_CMD_CHANGE_PREV: jump_change(shell, command == UI_CMD_CHANGE_NEXT); return true;
	case UI_CMD_WAKE_NEXT:
	case UI_CMD_WAKE_PREV: jump_wakeup(shell, command == UI_CMD_WAKE_NEXT); return true;
	case UI_CMD_ACTIVATE:
		if (!open_wait(shell))
			pane_navigate_follow(shell);
		return true;
	case UI_CMD_FOLLOW: pane_navigate_follow(shell); return true;
	case UI_CMD_ACROSS: go_across(shell); return true;
	case UI_CMD_ZOOM_SELECTION: return zoom_to_interval(shell);
	default: return false;
	}
}

const struct ui_pane_ops pane_navigate = {
	.name = "navigate",
	.place = UI_PLACE_NOWHERE,
	.changed = navigate_changed,
	.command = navigate_command,
};
