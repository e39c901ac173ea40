/* SPDX-License-Identifier: MIT */
/* The subject of a pane in words; the wait at the cursor; advice. */
#include "ui/widget/subject.h"

#include "analysis/cpu/cpuwait.h"
#include "analysis/kind/advice.h"
#include "analysis/latency/mark.h"
#include "query/qry.h"
#include "ui/core/ui_line.h"
#include "ui/term/term_grid.h"

#include <string.h>

void row_clip(struct qry *q, uint32_t row, int64_t *from, int64_t *to)
{
	const struct qry_row *r = qry_row(q, row);

	*from = MAX(*from, r->first);
	*to = MIN(*to, qry_life_end(q, row));
	if (*from < *to)
		return;
	*from = r->first;
	*to = qry_life_end(q, row);
}

/* ---- the scope ---- */

/* [FROM, TO) in words: "12.0 ms selected", "12.0 ms in view", "whole trace, 901 ms"; "12.0 ms from +0.5 s
 * on" if the user moved elsewhere since.  All panes use the selection, otherwise the window.  The caller
 * frees. */
static char *time_text(const struct ui_shell *shell, int64_t from, int64_t to)
{
	g_autofree char *length = ui_shell_duration_text(shell, to - from),
			*start = ui_shell_time_text(shell, from);
	int64_t own_from, own_to;
	bool selected = ui_shell_selection(shell, &own_from, &own_to),
	     here = from == own_from && to == own_to;

	if (selected && here)
		return g_strconcat(length, " selected", NULL);
	if (from <= shell->span_from && to >= shell->span_to)
		return g_strconcat("whole trace, ", length, NULL);
	if (here)
		return g_strconcat(length, " in view", NULL);
	return g_strdup_printf("%s from %s on", length, start);
}

void scope_title(const struct ui_shell *shell, GString *title, const char *what, char *whose, int64_t from,
	int64_t to)
{
	g_autofree char *time = time_text(shell, from, to);

	g_string_append_printf(title, "%s%s%s  %s", what, whose ? " of " : "", whose ? whose : "", time);
	g_free(whose);
}

void scope_title_whole(const struct ui_shell *shell, GString *title, const char *what, char *whose)
{
	scope_title(shell, title, what, whose, shell->span_from, shell->span_to);
}

const char *const scope_words[SCOPE_N] = { "thread", "process", "user", "all" };

char *scope_title_whose(const struct ui_shell *shell, enum scope scope, uint32_t row)
{
	g_autofree char *label = row == MDL_NONE ? NULL : qry_row_label(shell->q, row);

	if (scope_of_all(scope))
		return g_strdup(scope == SCOPE_USER ? "user threads" : "all threads");
	return label ? g_strconcat(scope == SCOPE_PROCESS ? "process " : "", label, NULL)
		     : g_strdup("nobody");
}

/* ---- the experiment ---- */

/* The folder that holds the trace of HOST; the caller frees. */
static char *parent_of(const struct qry *q, uint32_t host)
{
	return g_path_get_dirname(qry_host(q, host)->meta->path);
}

/* True if PARENT is the folder that holds the trace of HOST. */
static bool has_parent(const struct qry *q, uint32_t host, const char *parent)
{
	g_autofree char *own = parent_of(q, host);

	return g_str_equal(own, parent);
}

/* The name of HOST's trace, or of the folder that holds the traces of several successive hosts. */
static char *folder_name(const struct qry *q, uint32_t host)
{
	g_autofree char *name = g_path_get_basename(qry_host(q, host)->meta->path),
			*parent = parent_of(q, host);
	bool together = (host > 0 && has_parent(q, host - 1, parent)) ||
		(host + 1 < qry_host_count(q) && has_parent(q, host + 1, parent));

	/* "…/pipeline/kernel" says more with the folder above. */
	return together || g_str_equal(name, "kernel") ? g_path_get_basename(parent) : g_steal_pointer(&name);
}

char *trace_name_text(const struct qry *q)
{
	g_autofree char *first = folder_name(q, 0), *before = g_strdup(first);
	unsigned others = 0;

	for (uint32_t i = 1; i < qry_host_count(q); i++) {
		char *folder = folder_name(q, i);

		others += !g_str_equal(folder, first) && !g_str_equal(folder, before);
		g_free(before);
		before = folder;
	}
	return others ? g_strdup_printf("%s +%u", first, others) : g_steal_pointer(&first);
}

/* ---- the wait ---- */

#define LEVELS 4 /* levels of guests in guests */

bool wait_find(struct qry *q, uint32_t row, int64_t time, struct mdl_wakeup *wakeup)
{
	struct mdl_interval interval;

	if (qry_state_at(q, row, time, &interval) && interval.state == MDL_ST_BLOCKED)
		return qry_wakeup_at(q, row, interval.to, wakeup);
	return qry_wakeup_before(q, row, time + 1, wakeup);
}

/* The virtual CPU on which ROW ran in IV; MDL_NONE: none. */
static uint32_t vcpu_of(struct qry *q, const struct qry_row *row, const struct mdl_interval *iv)
{
	uint32_t cpu = row->type == MDL_ROW_CPU ? (uint32_t)row->nr : iv->aux;

	return row->type == MDL_ROW_VCPU ? row->id
		: cpu == MDL_NONE        ? MDL_NONE
					 : qry_vcpu_of(q, row->host, cpu);
}

uint32_t wait_find_waiter(struct qry *q, uint32_t row, int64_t time)
{
	struct mdl_interval iv;

	for (unsigned level = 0; level < LEVELS; level++) {
		uint32_t vcpu = qry_state_at(q, row, time, &iv) && iv.state == MDL_ST_VCPU_PREEMPTED
			? vcpu_of(q, qry_row(q, row), &iv)
			: MDL_NONE;

		if (vcpu == MDL_NONE || qry_row(q, vcpu)->parent == MDL_NONE)
			break;
		row = qry_row(q, vcpu)->parent;
	}
	return row;
}

bool wait_find_cpu(struct qry *q, uint32_t row, int64_t time, uint32_t *waiter, int64_t *end)
{
	struct mdl_interval iv;
	struct mdl_wakeup wakeup;

	*waiter = wait_find_waiter(q, row, time);
	if ((*waiter == row && qry_wakeup_at(q, row, time, &wakeup)) ||
		!qry_state_at(q, *waiter, time, &iv) || !ana_cpuwait_is(q, *waiter, &iv))
		return false;
	*end = iv.to;
	return true;
}

/* ---- spans ---- */

bool span_command(struct ui_pane *pane, enum ui_command command, uint32_t row, int64_t from, int64_t to,
	const char *name)
{
	struct ui_shell *shell = pane->shell;
	g_autofree char *line = NULL;
	GError *error = NULL;

	if (shell->argument)
		return false;
	if (command == UI_CMD_COMPARE) {
		line = g_strconcat("compare " ANA_PROGRAM_PREFIX, name, NULL);
		if (!ui_line_do(shell, line, &error))
			ui_shell_take_error(shell, error);
		return true;
	}
	if ((command != UI_CMD_PATH && command != UI_CMD_ACCOUNT) || !row_is_thread(shell->q, row) ||
		from >= to)
		return false;
	if (command == UI_CMD_ACCOUNT) {
		ui_shell_lead(shell, UI_LEAD(ACCOUNT, .row = row, .from = from, .to = to));
		return true;
	}
	ui_shell_go(shell, from, row);
	ui_shell_set_window(shell, from, to);
	ui_shell_lead(shell, UI_LEAD(PATH, .row = UI_NO_ROW));
	if (pane->ops->place == UI_PLACE_LOWER)
		ui_shell_comes_back(shell, pane);
	return true;
}

/* ---- advice ---- */

/* The part of COMMAND that fits into WIDTH: all of it, or up to a comma. */
static size_t fitting(const char *command, unsigned width)
{
	size_t cut = strlen(command), comma = 0;

	if (cut <= width)
		return cut;
	for (size_t i = 0; command[i] && i < width; i++)
		if (command[i] == ',')
			comma = i + 1;
	return comma ? comma : cut;
}

static void add_one(GPtrArray *lines, const struct ana_advice *advice, unsigned width)
{
	char *whole = g_strdup_printf("%s   (%s)", advice->command, advice->why);
	const char *command = advice->command;

	if (term_text_width(whole) <= width) {
		g_ptr_array_add(lines, whole);
		return;
	}
	g_free(whole);
	g_ptr_array_add(lines, g_strdup_printf("%s:", advice->why));
	while (*command) {
		size_t part = fitting(command, width - 2);

		g_ptr_array_add(lines, g_strdup_printf("  %.*s", (int)part, command));
		command += part;
	}
}

void advice_text_add(GPtrArray *lines, const struct qry *q, uint32_t host, unsigned width)
{
	g_autoptr(GArray) advice = ana_advice_new(q, host);

	for (guint i = 0; i < advice->len; i++)
		add_one(lines, &g_array_index(advice, struct ana_advice, i), MAX(width, 20));
}
