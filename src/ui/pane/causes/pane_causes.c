/* SPDX-License-Identifier: MIT */
/*
 * What was waited for most, by the selected thread, its process, or everybody,
 * within the selection or the window.  Going somewhere from here does not change
 * what the list is about: one can go through the list from one longest wait to the next.
 */
#include "ui/pane/pane.h"

#include "base/base_error.h"
#include "base/base_progress.h"
#include "base/base_time.h"
#include "ui/core/ui_argument.h"
#include "ui/pane/causes/causes.h"

#define HEIGHT 11  /* lines that the list wants on a small screen */
#define STEPS 4096 /* of the work for a file, between two looks at whether to stop */

static void clear_entry(gpointer data)
{
	g_free(((struct ana_causes_entry *)data)->label);
}

static void causes_init(struct ui_pane *pane)
{
	struct causes *c = (struct causes *)pane;

	c->entries = g_array_new(FALSE, FALSE, sizeof(struct ana_causes_entry));
	g_array_set_clear_func(c->entries, clear_entry);
	c->asked.row = MDL_NONE;
}

static void causes_clear(struct ui_pane *pane)
{
	struct causes *c = (struct causes *)pane;

	causes_list_drop(c);
	g_array_unref(c->entries);
}

static void causes_changed(struct ui_pane *pane, G_GNUC_UNUSED unsigned changes)
{
	struct causes *c = (struct causes *)pane;

	if (pane->shown && pane->shell->q)
		causes_list_ask(c);
	else
		asking_leave(&c->ask, pane);
}

static const char *const groups[] = { "name", "thread" };

static const struct ui_field fields[] = {
	UI_FIELD_CHOICE(SCOPE, "scope", causes, scope, scope_words, SCOPE_N),
	UI_FIELD_CHOICE(SORT, "sort", causes, order, causes_order_names, CAUSES_ORDER_N),
	UI_FIELD_WORDS("by", causes, by, groups, G_N_ELEMENTS(groups)),
	UI_FIELD(ROW, "row", causes, asked.row),
	UI_FIELD(TIME, "from", causes, asked.from),
	UI_FIELD(END, "to", causes, asked.to),
	ASKING_FIELDS(causes),
	UI_FIELD_LIST(causes, view),
};

static bool causes_to_keep(struct ui_pane *pane)
{
	return ((struct causes *)pane)->ask.has_asked;
}

static bool causes_restore(struct ui_pane *pane, const char *kept, GError **error)
{
	struct causes *c = (struct causes *)pane;
	struct causes_question before = c->asked, asked;

	if (!ui_fields_set(fields, pane, pane->shell, kept, error))
		return false;
	asked = c->asked;
	c->asked = before;
	if (asked.from == BASE_TIME_NONE || asked.to == BASE_TIME_NONE)
		return true;
	asked.scope = c->scope;
	asked.by = c->by;
	asked.hide_tracer = pane->shell->hide_tracer && scope_of_all(c->scope);
	causes_list_ask_again(c, &asked);
	if (!ui_fields_set(fields, pane, pane->shell, kept, error)) /* where one was */
		return false;
	list_view_go(&c->view, 0, c->entries->len);
	return true;
}

static void causes_pane_draw(struct ui_pane *pane, const struct term_area *area)
{
	struct causes *c = (struct causes *)pane;

	if (c->problem)
		term_area_fit(area, 1, 0, area->w - 1, TERM_ROLE_DIM, c->problem);
	else if (c->work)
		causes_draw(c, area);
}

/* ---- commands ---- */

/* Go to where the longest wait of the selected cause ended. */
static bool go(struct causes *c)
{
	struct ui_shell *shell = c->pane.shell;
	const struct ana_causes_entry *e = c->view.line < c->entries->len ? causes_entry(c, c->view.line)
									  : NULL;

	if (!e || e->longest_row == MDL_NONE)
		return false;
	ui_shell_go(shell, e->longest_end, e->longest_row);
	asking_stay(&c->ask, &c->pane);
	return true;
}

static void next_scope(struct causes *c)
{
	static const char *const said[SCOPE_N] = { "what the selected thread waited for",
		"what its process waited for", "what all user threads waited for",
		"what all threads waited for" };

	if (!ui_argument_turn(&c->pane, UI_CMD_SCOPE))
		return;
	c->ask.gone = false;
	causes_list_ask(c);
	ui_shell_message(c->pane.shell, "%s", said[c->scope]);
}

static void next_order(struct causes *c)
{
	if (!ui_argument_turn(&c->pane, UI_CMD_SORT))
		return;
	c->view.line = c->view.top = 0;
	causes_list_sort(c);
}

static void toggle_grouping(struct causes *c)
{
	c->by = c->by == ANA_CAUSES_BY_NAME ? ANA_CAUSES_BY_THREAD : ANA_CAUSES_BY_NAME;
	causes_list_ask(c);
	ui_shell_message(c->pane.shell, "%s",
		c->by == ANA_CAUSES_BY_NAME ? "a line for all threads of a name" : "a line for each thread");
}

static bool focused_command(struct causes *c, enum ui_command command)
{
	struct ui_shell *shell = c->pane.shell;

	switch (command) {
	case UI_CMD_FOLLOW: go(c); return true;
	case UI_CMD_FOLD: toggle_grouping(c); return true;
	case UI_CMD_ACTIVATE:
	case UI_CMD_WHY:
		if (go(c))
			ui_shell_open_wait(shell, causes_entry(c, c->view.line)->longest_row,
				causes_entry(c, c->view.line)->longest_end);
		return true;
	default: return list_view_move(&c->view, command, c->entries->len);
	}
}

static bool causes_command(struct ui_pane *pane, enum ui_command command)
{
	struct causes *c = (struct causes *)pane;

	if (!pane->shown)
		return false;
	if (command == UI_CMD_CLEAR && c->busy) {
		c->busy = false;
		causes_list_sort(c);
		ui_shell_message(pane->shell, "stopped: these are the causes of a part of the waits");
		return true;
	}
	if (command == UI_CMD_SCOPE) {
		next_scope(c);
		return true;
	}
	if (command == UI_CMD_SORT && c->work) {
		next_order(c);
		return true;
	}
	return ui_pane_focused(pane) && focused_command(c, command);
}

/* ---- to a file ---- */

static const void *entries_of(void *made)
{
	return ana_causes_entries(made);
}

static void *make_result(struct qry *q, void *data, struct base_progress *progress, GError **error)
{
	uint64_t all;
	struct ana_causes *made = causes_list_new(q, data, &all);

	while (ana_causes_work(made, STEPS)) {
		if (base_progress_cancelled(progress)) {
			g_set_error_literal(error, BASE_ERROR, BASE_ERROR_CANCELLED, "stopped");
			ana_causes_free(made);
			return NULL;
		}
		base_progress_set(progress, (double)ana_causes_looked(made) / (double)MAX(all, 1), 0);
	}
	return made;
}

static bool causes_result(struct ui_pane *pane, struct ui_result *result)
{
	const struct causes *c = (const struct causes *)pane;

	if (!c->work)
		return false;
	*result = (struct ui_result){ .name = "causes",
		.file = "causes.txt",
		.what = g_strdup("causes of waiting"),
		.from = c->asked.from,
		.to = c->asked.to,
		.row = c->asked.row,
		.data = g_memdup2(&c->asked, sizeof c->asked),
		.free = g_free,
		.make = make_result,
		.of_made = entries_of,
		.free_made = (GDestroyNotify)ana_causes_free };
	return true;
}

static void causes_point(struct ui_pane *pane, G_GNUC_UNUSED unsigned x, unsigned y)
{
	struct causes *c = (struct causes *)pane;

	list_view_point(&c->view, y, c->entries->len);
}

static const struct ui_hint hints[] = {
	{ UI_CMD_ACTIVATE, "longest" },
	{ UI_CMD_FOLLOW, "go there" },
	{ UI_CMD_BACK, "back" },
	{ UI_CMD_SCOPE, "whose" },
	{ UI_CMD_SORT, "order" },
	{ UI_CMD_FOLD, "each thread" },
	{ UI_CMD_MAXIMISE, "large" },
	{ UI_CMD_CAUSES, "close" },
	{ UI_CMD_FOCUS, "other pane" },
	{ UI_CMD_MARK, "mark" },
	{ UI_CMD_ZOOM_FIT, "whole trace" },
	{ UI_CMD_WHY, "why" },
	{ UI_CMD_EXPORT, "export" },
	{ UI_CMD_NONE, NULL },
};

const struct ui_pane_ops pane_causes = {
	.name = "causes",
	.place = UI_PLACE_LOWER,
	.hints = hints,
	.show = UI_CMD_CAUSES,
	.size = sizeof(struct causes),
	.init = causes_init,
	.clear = causes_clear,
	.changed = causes_changed,
	.work = causes_list_work,
	.fields = fields,
	.to_keep = causes_to_keep,
	.carry = ui_fields_carry,
	.restore = causes_restore,
	.command = causes_command,
	.point = causes_point,
	.result = causes_result,
	.title = causes_draw_title,
	.lines = HEIGHT,
	.draw = causes_pane_draw,
};
