/* SPDX-License-Identifier: MIT */
/*
 * Blocked time by the stack of the sleeping thread, or of its waker, as an icicle.  A worker reads the stacks
 * of the selection or the window from the traces.  Moving from here to a wait does not change the stacks.
 */
#include "ui/pane/pane.h"

#include "ui/pane/stacks/stacks.h"

#include "base/base_time.h"
#include "ui/core/ui_argument.h"

#define HEIGHT 14 /* lines for the icicle on a small screen */

/* ---- asking ---- */

static void *pane_stacks_make_answer(struct qry *q, const void *question, struct base_progress *progress,
	GError **error)
{
	return ana_stacks_new(q, question, progress, error);
}

static void pane_stacks_answer_free(void *stacks)
{
	ana_stacks_free(stacks);
}

static void drop_tree(struct stacks *s)
{
	stacks_tree_free(s->tree);
	s->tree = NULL;
	s->zoom = s->cursor = s->deepest = 0;
	s->top = 0;
}

static void plant(struct stacks *s)
{
	drop_tree(s);
	if (!s->stacks || s->stacks->with == 0)
		return;
	s->tree = stacks_tree_new(s->stacks, s->reversed);
	stacks_tree_find(s->tree, s->needle);
}

static void pane_stacks_forget(struct stacks *s)
{
	drop_tree(s);
	ana_stacks_free(s->stacks);
	s->stacks = NULL;
}

static void pane_stacks_taken(struct ui_pane *pane, void *stacks, GError *error)
{
	struct stacks *s = (struct stacks *)pane;

	pane_stacks_forget(s);
	ask_worker_problem(&s->ask.problem, error);
	s->stacks = stacks;
	if (stacks)
		plant(s);
}

static const struct ask_kind pane_stacks_kind = { .size = sizeof(struct ana_stacks_options),
	.answer = pane_stacks_make_answer,
	.free = pane_stacks_answer_free,
	.taken = pane_stacks_taken };

/* Set *O to the options of the wanted stacks.  False if there can be none. */
static bool pane_stacks_wanted(const struct stacks *s, struct ana_stacks_options *o)
{
	const struct ui_shell *shell = s->pane.shell;

	*o = (struct ana_stacks_options){ .row = scope_of_all(s->scope) ? MDL_NONE : s->asked.row,
		.of = s->of,
		.process = s->scope == SCOPE_PROCESS,
		.user_threads = s->scope == SCOPE_USER,
		.hide_tracer = shell->hide_tracer && scope_of_all(s->scope),
		.from = s->asked.from,
		.to = s->asked.to };
	asking_what(&s->ask, &s->pane, scope_of_all(s->scope) ? NULL : &o->row, &o->from, &o->to);
	if (scope_of_all(s->scope))
		return true;
	if (!row_is_thread(shell->q, o->row))
		return false;
	if (o->process)
		o->row = qry_row(shell->q, o->row)->process;
	return true;
}

/* Ask O, if it is valid (SENSE), unless it is the last question. */
static void pane_stacks_ask_for(struct stacks *s, const struct ana_stacks_options *o, bool sense)
{
	const struct ana_stacks_options *a = &s->asked;

	if (s->ask.has_asked && o->row == a->row && o->process == a->process && o->from == a->from &&
		o->to == a->to && o->of == a->of && o->hide_tracer == a->hide_tracer &&
		o->user_threads == a->user_threads)
		return;
	s->asked = *o;
	pane_stacks_forget(s);
	if (sense)
		asking_ask(&s->ask, &s->pane, o, ASK_AT_ONCE);
	else
		asking_refuse(&s->ask, &s->pane,
			"this row is not a thread: select one to see where it was blocked");
}

static void pane_stacks_ask(struct stacks *s)
{
	struct ana_stacks_options o;
	bool sense = pane_stacks_wanted(s, &o);

	pane_stacks_ask_for(s, &o, sense);
}

/* ---- hooks ---- */

static void stacks_clear(struct ui_pane *pane)
{
	struct stacks *s = (struct stacks *)pane;

	pane_stacks_forget(s);
	g_free(s->needle);
	asking_clear(&s->ask, pane);
}

static void stacks_changed(struct ui_pane *pane, unsigned changes)
{
	struct stacks *s = (struct stacks *)pane;

	if (!ask_worker_start(pane, changes, &pane_stacks_kind))
		return;
	if (pane->shown)
		pane_stacks_ask(s);
	else
		asking_leave(&s->ask, pane);
}

static const char *const ends[] = { [ANA_STACKS_SLEEPER] = "sleeper", [ANA_STACKS_WAKER] = "waker" };

static const struct ui_field pane_stacks_fields[] = { UI_FIELD_CHOICE(SCOPE, "scope", stacks, scope,
							      scope_words, SCOPE_N),
	UI_FIELD_CHOICE(KIND, "of", stacks, of, ends, G_N_ELEMENTS(ends)),
	UI_FIELD(FLAG, "reversed", stacks, reversed), UI_FIELD(ROW, "row", stacks, asked.row),
	UI_FIELD(TIME, "from", stacks, asked.from), UI_FIELD(END, "to", stacks, asked.to),
	ASKING_FIELDS(stacks), UI_FIELD(NUMBER, "zoom", stacks, zoom),
	UI_FIELD_PLACE(TEXT, "found", stacks, needle), UI_FIELD_PLACE(NUMBER, "at", stacks, cursor),
	UI_FIELD_PLACE(NUMBER, "deepest", stacks, deepest), UI_FIELD_PLACE(NUMBER, "top", stacks, top),
	UI_FIELD_END };

static bool stacks_to_keep(struct ui_pane *pane)
{
	return ((struct stacks *)pane)->ask.has_asked;
}

static bool stacks_restore(struct ui_pane *pane, const char *kept, GError **error)
{
	struct stacks *s = (struct stacks *)pane;
	struct ana_stacks_options before = s->asked, asked, o;
	bool reversed = s->reversed;

	if (!ui_fields_set(pane_stacks_fields, pane, pane->shell, kept, error))
		return false;
	asked = s->asked;
	s->asked = before;
	if (asked.from == BASE_TIME_NONE || asked.to == BASE_TIME_NONE)
		return true;
	pane_stacks_wanted(s, &o);
	o.row = asked.row;
	o.from = asked.from;
	o.to = asked.to;
	pane_stacks_ask_for(s, &o, scope_of_all(s->scope) || row_is_thread(pane->shell->q, o.row));
	if (s->tree && s->reversed != reversed)
		plant(s);
	if (!ui_fields_set(pane_stacks_fields, pane, pane->shell, kept, error)) /* restore the place */
		return false;
	if (s->tree)
		stacks_tree_find(s->tree, s->needle);
	if (s->tree && MAX(MAX(s->zoom, s->cursor), s->deepest) >= s->tree->nodes->len)
		s->zoom = s->cursor = s->deepest = 0;
	return true;
}

static void stacks_pane_draw(struct ui_pane *pane, const struct term_area *area)
{
	struct stacks *s = (struct stacks *)pane;

	if (!s->pane.worker || asking_draw(&s->ask, pane, area, "reading stacks", s->tree))
		return;
	if (s->tree) {
		stacks_draw(s, area);
	} else if (s->stacks && s->stacks->without == 0) {
		term_area_text(area, 1, 0, TERM_ROLE_DIM, "no thread was blocked here");
	} else if (s->stacks) {
		term_area_text(area, 1, 0, TERM_ROLE_DIM, "no stacks were recorded; to record them:");
		term_area_fit(area, 3, 1, area->w - 3, TERM_ROLE_TEXT, ana_stacks_advice(ANA_STACKS_SLEEPER));
	}
}

static void stacks_point(struct ui_pane *pane, unsigned x, unsigned y)
{
	struct stacks *s = (struct stacks *)pane;
	uint32_t node = s->tree ? stacks_draw_at(s, x, y) : STACKS_NONE;

	if (node != STACKS_NONE)
		s->cursor = s->deepest = node;
}

/* ---- moving: up to the caller; down to the previously visited call, else to the longest ---- */

/* The child of the selected node for a move down: the one on the way to DEEPEST, else the longest. */
static uint32_t child_to_go_to(const struct stacks *s)
{
	for (uint32_t n = s->deepest; n != STACKS_NONE; n = stacks_node(s->tree, n)->parent)
		if (stacks_node(s->tree, n)->parent == s->cursor)
			return n;
	return stacks_node(s->tree, s->cursor)->child;
}

static void move_to(struct stacks *s, uint32_t node)
{
	s->cursor = node;
	if (!stacks_tree_is_below(s->tree, node, s->deepest))
		s->deepest = node;
	if (!stacks_tree_is_below(s->tree, s->zoom, node))
		s->zoom = node; /* moved up out of the zoomed node */
}

/* Move DOWN steps to children; negative: up. */
static void go_down(struct stacks *s, int down)
{
	for (; down > 0 && child_to_go_to(s) != STACKS_NONE; down--)
		move_to(s, child_to_go_to(s));
	for (; down < 0 && stacks_node(s->tree, s->cursor)->parent != STACKS_NONE; down++)
		move_to(s, stacks_node(s->tree, s->cursor)->parent);
}

/* Do COMMAND if it moves the selected node; false if it does not. */
static bool pane_stacks_move(struct stacks *s, enum ui_command command)
{
	int page = (int)MAX(s->height, 2) - 1, all = (int)s->tree->depth + 1;

	switch (command) {
	case UI_CMD_ROW_UP: go_down(s, -1); return true;
	case UI_CMD_ROW_DOWN: go_down(s, 1); return true;
	case UI_CMD_PAGE_UP: go_down(s, -page); return true;
	case UI_CMD_PAGE_DOWN: go_down(s, page); return true;
	case UI_CMD_ROW_FIRST: move_to(s, s->zoom); return true;
	case UI_CMD_ROW_LAST: go_down(s, all); return true;
	case UI_CMD_TIME_LEFT:
	case UI_CMD_TIME_RIGHT:
		move_to(s,
			stacks_tree_beside(s->tree, s->zoom, s->cursor,
				command == UI_CMD_TIME_RIGHT ? 1 : -1));
		return true;
	default: return false;
	}
}

/* Zoom to NODE: it takes the whole width, and its line comes first. */
static void zoom_to(struct stacks *s, uint32_t node)
{
	s->zoom = node;
	s->top = stacks_node(s->tree, node)->depth;
}

/* Move to the next (STEP 1) or previous (STEP -1) match, or report that there is none. */
static void find_next(struct stacks *s, int step)
{
	uint32_t node = s->needle ? stacks_tree_next(s->tree, s->zoom, s->cursor, step) : STACKS_NONE;

	if (!s->needle)
		ui_shell_error(s->pane.shell, "no search yet: search for a text first");
	else if (node == STACKS_NONE)
		ui_shell_error(s->pane.shell, "no call here matches \"%s\"", s->needle);
	else
		move_to(s, node);
}

/* ---- searching ---- */

static void search_typed(struct ui_pane *pane, const char *text)
{
	struct stacks *s = (struct stacks *)pane;

	g_free(s->needle);
	s->needle = *text ? g_strdup(text) : NULL;
	if (!s->tree)
		return;
	stacks_tree_find(s->tree, s->needle);
	ui_shell_redraw(pane->shell);
}

static void search_done(struct ui_pane *pane, const char *text)
{
	struct stacks *s = (struct stacks *)pane;

	search_typed(pane, text);
	if (s->tree && s->needle && !stacks_node(s->tree, s->cursor)->found)
		find_next(s, 1);
}

/* ---- commands ---- */

/* Go to the end of the longest wait in the selected node. */
static void pane_stacks_go(struct stacks *s)
{
	const struct stacks_node *n = stacks_node(s->tree, s->cursor);

	ui_shell_go(s->pane.shell, n->longest_end, n->longest_row);
	asking_stay(&s->ask, &s->pane);
}

static void activate(struct stacks *s)
{
	const struct stacks_node *n = stacks_node(s->tree, s->cursor);
	uint32_t row = n->longest_row;
	int64_t end = n->longest_end;

	if (n->child != STACKS_NONE) {
		zoom_to(s, s->cursor);
		return;
	}
	pane_stacks_go(s);
	ui_shell_lead(s->pane.shell, UI_LEAD(WAIT, .row = row, .to = end));
}

static void pane_stacks_next_scope(struct stacks *s)
{
	static const char *const said[SCOPE_N] = { "stacks of the selected thread", "stacks of its process",
		"stacks of all user threads", "stacks of all threads" };

	if (!ui_argument_turn(&s->pane, UI_CMD_SCOPE))
		return;
	s->ask.gone = false;
	pane_stacks_ask(s);
	ui_shell_message(s->pane.shell, "%s", said[s->scope]);
}

static void other_end(struct stacks *s)
{
	if (!ui_argument_turn(&s->pane, UI_CMD_KIND))
		return;
	pane_stacks_ask(s);
	ui_shell_message(s->pane.shell, "%s",
		s->of == ANA_STACKS_SLEEPER ? "by the stack of the sleeper" : "by the stack of the waker");
}

static bool tree_command(struct stacks *s, enum ui_command command)
{
	switch (command) {
	case UI_CMD_ACTIVATE: activate(s); return true;
	case UI_CMD_FOLLOW: pane_stacks_go(s); return true;
	case UI_CMD_WHY: {
		const struct stacks_node n = *stacks_node(s->tree, s->cursor);

		pane_stacks_go(s);
		ui_shell_lead(s->pane.shell, UI_LEAD(WAIT, .row = n.longest_row, .to = n.longest_end));
		return true;
	}
	case UI_CMD_BACK:
		if (s->zoom == 0)
			return false;
		zoom_to(s, stacks_node(s->tree, s->zoom)->parent);
		return true;
	case UI_CMD_FOLD:
		s->reversed = !s->reversed;
		plant(s);
		ui_shell_message(s->pane.shell, "%s",
			s->reversed ? "from the innermost call on" : "from the outermost call on");
		return true;
	case UI_CMD_SEARCH:
		ui_shell_ask(s->pane.shell, &s->pane, "find a call (part of its name)", NULL, search_done,
			search_typed);
		return true;
	case UI_CMD_SEARCH_NEXT: find_next(s, 1); return true;
	case UI_CMD_SEARCH_PREV: find_next(s, -1); return true;
	case UI_CMD_CLEAR:
		if (!s->needle)
			return false;
		search_typed(&s->pane, "");
		return true;
	default: return pane_stacks_move(s, command);
	}
}

static bool stacks_command(struct ui_pane *pane, enum ui_command command)
{
	struct stacks *s = (struct stacks *)pane;

	if (!s->pane.worker || !pane->shown)
		return false;
	if (command == UI_CMD_CLEAR && asking_stop(&s->ask, pane))
		return true;
	if (command == UI_CMD_SCOPE) {
		pane_stacks_next_scope(s);
		return true;
	}
	if (!ui_pane_focused(pane))
		return false;
	if (command == UI_CMD_KIND) {
		other_end(s);
		return true;
	}
	return s->tree && tree_command(s, command);
}

static const struct ui_hint pane_stacks_hints[] = { { UI_CMD_ACTIVATE, "zoom" }, { UI_CMD_BACK, "out" },
	{ UI_CMD_FOLLOW, "longest" }, { UI_CMD_SCOPE, "whose" }, { UI_CMD_KIND, "waker" },
	{ UI_CMD_FOLD, "reverse" }, { UI_CMD_SEARCH, "find" }, { UI_CMD_MAXIMISE, "large" },
	{ UI_CMD_STACKS, "close" }, { UI_CMD_FOCUS, "other pane" }, { UI_CMD_WHY, "why" },
	{ UI_CMD_SEARCH_NEXT, "next match" }, { UI_CMD_SEARCH_PREV, "last match" }, { UI_CMD_NONE, NULL } };

const struct ui_pane_ops pane_stacks = {
	.name = "stacks",
	.place = UI_PLACE_LOWER,
	.hints = pane_stacks_hints,
	.show = UI_CMD_STACKS,
	.size = sizeof(struct stacks),
	.clear = stacks_clear,
	.changed = stacks_changed,
	.work = ask_worker_work,
	.fields = pane_stacks_fields,
	.to_keep = stacks_to_keep,
	.carry = ui_fields_carry,
	.restore = stacks_restore,
	.command = stacks_command,
	.point = stacks_point,
	.title = stacks_draw_title,
	.lines = HEIGHT,
	.draw = stacks_pane_draw,
};
