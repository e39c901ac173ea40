/* SPDX-License-Identifier: MIT */
/*
 * The worst latencies (initially from wake-up to running) of all threads or of the selected one, in the
 * selection or the window.  This file has hooks and commands. latency_ask.c measures and makes the list,
 * latency_go.c goes to cases, latency_draw.c draws.
 */
#include "ui/pane/pane.h"

#include "base/base_error.h"
#include "base/base_text.h"
#include "base/base_time.h"
#include "ui/core/ui_argument.h"
#include "ui/core/ui_fields.h"
#include "ui/pane/latency/latency.h"
#include "ui/widget/subject.h"

#include <string.h>

#define HEIGHT 12 /* lines for the pane on a small screen */

/* ---- hooks ---- */

static void latency_init(struct ui_pane *pane)
{
	struct latency *l = (struct latency *)pane;

	latency_ask_init(l);
	l->own_row = UI_NO_ROW;
	l->own_from = l->own_to = BASE_TIME_NONE;
}

static void latency_clear(struct ui_pane *pane)
{
	struct latency *l = (struct latency *)pane;

	g_clear_pointer(&l->compared, compare_set_unref);
	latency_ask_clear(l);
	g_free(l->kept_marks);
}

/* Measure the wanted list, unless it is there. */
static void pane_latency_measure(struct latency *l)
{
	latency_ask(l);
	latency_go_on(l, ASK_AT_ONCE);
}

/* Carry kind, orders and groups: they stay valid when times change. */
static void latency_carry(struct ui_pane *pane, struct ui_pane *old_pane)
{
	struct latency *l = (struct latency *)pane, *old = (struct latency *)old_pane;

	l->kind = old->kind;
	l->open = old->open;
	for (unsigned i = 0; i < LATENCY_TABLES; i++)
		list_carry_order(&l->lists[i], &old->lists[i]);
	l->by = old->by;
}

static void latency_changed(struct ui_pane *pane, unsigned changes)
{
	struct latency *l = (struct latency *)pane;

	if (!ask_worker_start(pane, changes, &latency_ask_kind))
		return;
	if (ui_pane_covered(pane)) {
		l->own_from = pane->shell->view->from;
		l->own_to = pane->shell->view->to;
		l->own_row = pane->shell->view->row;
		return;
	}
	if (!pane->shown) {
		if (latency_ask_measures(l))
			ask_worker_cancel(pane->worker);
		/* An incomplete list is asked for again. */
		l->has_asked &= l->list && l->list->stage == ANA_LATENCY_WHOLE;
		return;
	}
	if (pane->shell->view->row != l->own_row)
		l->own_row = UI_NO_ROW;
	pane_latency_measure(l);
}

static const char *const scopes[] = { "all", "thread" };
static const char *const tables[] = { "cases", "groups", "kinds" },
			 *const parts[] = { "list", "columns", "classes" };

static const struct ui_field pane_latency_fields[] = { UI_FIELD(NAME, "kind", latency, kept_kind),
	UI_FIELD_CHOICE(SCOPE, "scope", latency, scope, scopes, LATENCY_SCOPE_N),
	UI_FIELD_WORDS("table", latency, table, tables, LATENCY_TABLES),
	UI_FIELD(FLAG, "unfinished", latency, open),
	UI_FIELD(TEXT, "sort", latency, lists[LATENCY_CASES].sort),
	UI_FIELD(FLAG, "reversed", latency, lists[LATENCY_CASES].reversed),
	UI_FIELD(TEXT, "filter", latency, lists[LATENCY_CASES].filter),
	UI_FIELD(TEXT, "columns", latency, lists[LATENCY_CASES].columns),
	UI_FIELD(TEXT, "sort-groups", latency, lists[LATENCY_GROUPS].sort),
	UI_FIELD(FLAG, "reversed-groups", latency, lists[LATENCY_GROUPS].reversed),
	UI_FIELD(TEXT, "filter-groups", latency, lists[LATENCY_GROUPS].filter),
	UI_FIELD(TEXT, "sort-kinds", latency, lists[LATENCY_KINDS].sort),
	UI_FIELD(FLAG, "reversed-kinds", latency, lists[LATENCY_KINDS].reversed),
	UI_FIELD(TEXT, "filter-kinds", latency, lists[LATENCY_KINDS].filter),
	UI_FIELD(NAME, "by", latency, kept_by), UI_FIELD(NAME, "only", latency, only),
	UI_FIELD(LENGTH, "only-id", latency, only_id), UI_FIELD(FLAG, "picked", latency, picked),
	UI_FIELD(LENGTH, "pick-least", latency, pick_from), UI_FIELD(LENGTH, "pick-most", latency, pick_to),
	UI_FIELD(ROW, "row", latency, asked.row), UI_FIELD(TIME, "from", latency, asked.from),
	UI_FIELD(END, "to", latency, asked.to), UI_FIELD(TEXT, "marks", latency, kept_marks),
	UI_FIELD(TIME, "at-from", latency, own_from), UI_FIELD(TIME, "at-to", latency, own_to),
	UI_FIELD(ROW, "at-row", latency, own_row), UI_FIELD_PLACE(FLAG, "chosen", latency, chosen),
	UI_FIELD_PLACE(FLAG, "gone", latency, gone),
	{ "part", UI_FIELD_IS_WORD, true, offsetof(struct latency, part), parts, G_N_ELEMENTS(parts),
		UI_CMD_NONE },
	UI_FIELD_PLACE(NUMBER, "column", latency, column),
	UI_FIELD_PLACE(NUMBER, "pick-side", latency, pick_end),
	UI_FIELD_PLACE(NUMBER, "group-line", latency, lists[LATENCY_GROUPS].view.line),
	UI_FIELD_PLACE(NUMBER, "group-top", latency, lists[LATENCY_GROUPS].view.top),
	UI_FIELD_PLACE(NUMBER, "kind-line", latency, lists[LATENCY_KINDS].view.line),
	UI_FIELD_PLACE(NUMBER, "kind-top", latency, lists[LATENCY_KINDS].view.top),
	UI_FIELD_LIST(latency, lists[LATENCY_CASES].view) };

static bool latency_to_keep(struct ui_pane *pane)
{
	struct latency *l = (struct latency *)pane;

	if (!l->has_asked)
		return false;
	l->kept_kind = l->kinds[l->kind].name;
	l->kept_by = ana_latency_by_name(l->by);
	g_free(l->kept_marks);
	l->kept_marks = compare_set_marks_text(l->marks);
	return true;
}

/* Apply KEPT_KIND and KEPT_BY.  False with an error. */
static bool take_kept(struct latency *l, GError **error)
{
	unsigned kind = 0;

	while (l->kept_kind && kind < l->n_kinds && strcmp(l->kinds[kind].name, l->kept_kind) != 0)
		kind++;
	if (kind == l->n_kinds)
		return base_error_false(error, BASE_ERROR_USAGE, "view: no such kind of latency: \"%s\"",
			l->kept_kind);
	l->by = ANA_LATENCY_BY_NOTHING;
	if (l->kept_by && !ana_latency_by_parse(l->kept_by, &l->by, error))
		return false;
	l->kind = kind;
	return true;
}

static bool latency_restore(struct ui_pane *pane, const char *kept, GError **error)
{
	struct latency *l = (struct latency *)pane, before = *l;
	struct latency_measure asked;

	if (!ui_fields_set(pane_latency_fields, pane, pane->shell, kept, error))
		return false;
	asked = l->asked;
	l->asked = before.asked;
	if (!take_kept(l, error))
		return false;
	if (!l->pane.worker || asked.from == BASE_TIME_NONE || asked.to == BASE_TIME_NONE)
		return true;
	latency_ask_again(l, &asked);
	if (l->list &&
		(l->open != before.open || l->picked != before.picked || l->pick_from != before.pick_from ||
			l->pick_to != before.pick_to))
		latency_list_make(l);
	for (unsigned i = 0; i < LATENCY_TABLES; i++)
		list_arrange(&l->lists[i], UINT_MAX);
	asked = l->asked;
	if (!ui_fields_set(pane_latency_fields, pane, pane->shell, kept, error)) /* restore the place */
		return false;
	l->asked = asked;
	g_clear_pointer(&l->marks, g_array_unref);
	l->marks = compare_set_marks(l->kept_marks);
	if (l->list) {
		l->column = MIN(l->column, l->shown.columns - 1);
		l->pick_end = MIN(l->pick_end, MAX(l->list->histogram->len, 1) - 1);
		list_view_go(&l->lists[LATENCY_CASES].view, 0, l->lists[LATENCY_CASES].order->len);
	}
	return true;
}

static bool latency_work(struct ui_pane *pane)
{
	return latency_go_on((struct latency *)pane, ASK_SLICE);
}

static void latency_pane_draw(struct ui_pane *pane, const struct term_area *area)
{
	struct latency *l = (struct latency *)pane;

	if (l->pane.worker)
		latency_draw(l, area);
}

/* ---- commands ---- */

static void pane_latency_next_scope(struct latency *l)
{
	static const char *const said[LATENCY_SCOPE_N] = { "latencies of all threads",
		"latencies of the selected thread" };

	if (!ui_argument_turn(&l->pane, UI_CMD_SCOPE))
		return;
	l->own_row = UI_NO_ROW;
	pane_latency_measure(l);
	ui_shell_message(l->pane.shell, "%s", said[l->scope]);
}

/* Handle "unfinished", which lists other cases and is not an order.  False if the command chooses a column to
 * sort by. */
static bool pane_latency_next_order(struct latency *l)
{
	struct list *list = &l->lists[l->table];
	struct list_choice chosen[TABLE_COLUMNS_MAX];
	const char *text = l->pane.shell->argument;
	unsigned n = list->part ? list_choose(list, chosen) : 0;
	bool last = !text && n && chosen[n - 1].column == list_sorted_by(list),
	     open = text ? !strcmp(text, "unfinished")
			 : last && !l->open && l->list && l->list->all.unfinished;

	if (l->table != LATENCY_CASES || (!open && !l->open))
		return false;
	if (open)
		g_free(ui_argument_take(l->pane.shell));
	list->view.line = list->view.top = 0;
	g_clear_pointer(&list->sort, g_free);
	list->reversed = false;
	latency_list_open(l, open);
	pane_latency_measure(l);
	l->gone = false;
	if (open || !text)
		ui_shell_message(l->pane.shell, open ? "unfinished, the oldest first" : "the longest first");
	return open || !text;
}

/* Show the cases of the kind NAME, the worst first. */
static void show_kind(struct latency *l, const char *name)
{
	unsigned i = 0;

	while (i < l->n_kinds && strcmp(l->kinds[i].name, name) != 0)
		i++;
	if (i == l->n_kinds) {
		ui_argument_refuse(l->pane.shell, UI_CMD_KIND, name);
		return;
	}
	latency_table_take_kind(l, i);
	ui_shell_show(l->pane.shell, &l->pane, true);
	ui_shell_focus(l->pane.shell, &l->pane);
	pane_latency_measure(l);
}

/* Show or hide the list of kinds, and show the pane; with an argument, show the cases of that kind. */
static void show_kinds(struct latency *l)
{
	g_autofree char *name = ui_argument_take(l->pane.shell);

	if (name) {
		show_kind(l, name);
		return;
	}
	if (l->table == LATENCY_KINDS && l->pane.shown) {
		l->table = LATENCY_CASES;
		return;
	}
	l->table = LATENCY_KINDS;
	l->part = LATENCY_LIST;
	latency_rows_fill(l, LATENCY_KINDS);
	l->lists[LATENCY_KINDS].view.line = l->kind;
	ui_shell_show(l->pane.shell, &l->pane, true);
	ui_shell_focus(l->pane.shell, &l->pane);
}

/* ---- marks ---- */

static void limit_answered(struct ui_pane *pane, const char *text)
{
	const struct latency *l = (const struct latency *)pane;
	const struct latency_kind *kind = &l->kinds[l->kind];
	struct ui_shell *shell = pane->shell;
	GError *error = NULL;
	int64_t limit = 0;
	char *length;

	text += g_str_has_prefix(text, "over ") ? strlen("over ") : 0; /* as the comparison has it */
	if (*text && !base_time_parse_duration(text, &limit, &error)) {
		ui_shell_take_error(shell, error);
		return;
	}
	ui_shell_mark_over(shell, kind->rules, limit > 0 ? kind->name : NULL, limit);
	length = ui_shell_duration_text(shell, limit);
	if (limit > 0)
		ui_shell_message(shell, "%s latencies of %s and more are marked in the rows", kind->name,
			length);
	else
		ui_shell_message(shell, "no latencies are marked");
	g_free(length);
}

/* Ask for the limit; if the kind is a rule and nothing is marked yet, propose the rule's own limit. */
static void ask_limit(struct latency *l)
{
	const struct latency_kind *kind = &l->kinds[l->kind];
	const struct ana_rule *rule = kind->rules ? ana_rules_find(kind->rules, kind->name, NULL) : NULL;
	g_autofree char *proposed = NULL;

	if (rule && rule->threshold > 0 && !l->pane.shell->over_kind)
		proposed = g_strdup_printf("%" G_GINT64_FORMAT "us", rule->threshold / 1000);
	ui_shell_ask(l->pane.shell, &l->pane, "mark latencies from (5ms, 250us; empty: none)", proposed,
		limit_answered, NULL);
}

/* ---- picking ---- */

static void say_pick(struct latency *l)
{
	struct ui_shell *shell = l->pane.shell;
	g_autofree char *left = ui_keymap_first(shell->keys, UI_CMD_TIME_LEFT),
			*right = ui_keymap_first(shell->keys, UI_CMD_TIME_RIGHT),
			*more = ui_keymap_first(shell->keys, UI_CMD_PAN_LEFT),
			*less = ui_keymap_first(shell->keys, UI_CMD_PAN_RIGHT),
			*done = ui_keymap_first(shell->keys, UI_CMD_ACTIVATE),
			*all = ui_keymap_first(shell->keys, UI_CMD_CLEAR);

	ui_shell_message(shell, "%s %s pick another part, %s %s widen it, %s to the list, %s all of it", left,
		right, more, less, done, all);
}

/* Take "disk write flush": list only disk writes and flushes.  An error is shown. */
static void pick_words(struct latency *l, const char *text)
{
	const struct latency_kind *kind = &l->kinds[l->kind];
	g_auto(GStrv) said = g_strsplit(text, " ", 2);
	enum ana_latency_by by;

	if (!said[0] || !said[1] || !ana_latency_by_parse(said[0], &by, NULL) ||
		!ana_latency_by_is_text(by) ||
		!ana_latency_has_by(l->pane.shell->q, kind->rules, kind->name, by)) {
		ui_shell_error(l->pane.shell,
			"%s latencies are picked by a group and its begin: \"pick name wk-\"", kind->name);
		return;
	}
	l->by = by;
	l->only = g_intern_string(said[1]);
	l->only_id = ANA_LATENCY_LIKE;
	l->picked = false;
	l->table = LATENCY_CASES;
	l->part = LATENCY_LIST;
	pane_latency_measure(l);
}

/* Start to pick: the buckets that were picked last; if none were, the bucket with the longest latencies. */
static void begin_pick(struct latency *l)
{
	g_autofree char *text = ui_argument_take(l->pane.shell);
	unsigned first, end;

	if (text) {
		pick_words(l, text);
		return;
	}
	if (!l->list || !l->list->histogram->len)
		return;
	latency_list_open(l, false);
	latency_list_buckets(l, &first, &end);
	if (!l->picked || first == end) {
		l->pick_end = l->list->histogram->len - 1;
		latency_list_pick(l, l->pick_end, l->pick_end);
	}
	l->table = LATENCY_CASES;
	l->part = LATENCY_CLASSES;
	say_pick(l);
}

/* Pick the next (BY 1) or previous (BY -1) bucket, or extend the pick by one (WIDER). */
static void move_pick(struct latency *l, int by, bool wider)
{
	int target = CLAMP((int)l->pick_end + by, 0, (int)l->list->histogram->len - 1);
	unsigned first, end, other;

	latency_list_buckets(l, &first, &end);
	other = l->pick_end == first ? end - 1 : first;
	l->pick_end = (unsigned)target;
	if (!wider || first == end) /* an empty pick: the buckets picked before are not in this answer */
		other = l->pick_end;
	latency_list_pick(l, MIN(other, l->pick_end), MAX(other, l->pick_end));
	say_pick(l);
}

/* Do COMMAND if it moves in the drawings: Left and Right, from bucket to bucket or column to column, unless
 * they change a selection.  False if it does not. */
static bool part_command(struct latency *l, enum ui_command command)
{
	bool right = command == UI_CMD_TIME_RIGHT || command == UI_CMD_PAN_RIGHT,
	     wide = command == UI_CMD_PAN_LEFT || command == UI_CMD_PAN_RIGHT;

	if ((!right && command != UI_CMD_TIME_LEFT && !wide) || !l->list->histogram->len ||
		l->table == LATENCY_KINDS || ui_shell_selects(l->pane.shell))
		return false;
	if (l->part == LATENCY_CLASSES) {
		move_pick(l, right ? 1 : -1, wide);
		return true;
	}
	if (!wide)
		latency_go_column(l, right ? 1 : -1);
	return !wide;
}

/* ---- the list ---- */

/* The case for Enter; NULL: none. */
static const struct ana_latency_case *selected(const struct latency *l)
{
	unsigned first, end;
	guint rank;

	if (l->part == LATENCY_COLUMNS) {
		latency_list_buckets(l, &first, &end);
		return ana_latency_worst_in(l->list, first, end, l->column);
	}
	return list_selected(&l->lists[LATENCY_CASES], &rank) ? &latency_line(l, rank)->c : NULL;
}

/* Go to the selected case C, with its rank if it is in the list. */
static void pane_latency_go(struct latency *l, const struct ana_latency_case *c)
{
	const struct ana_latency_case *one;
	guint rank;

	if (list_selected(&l->lists[LATENCY_CASES], &rank)) {
		one = &latency_line(l, rank)->c;
		if (latency_is_same(one, c)) {
			enum latency_part part = l->part;

			latency_go(l, rank);
			l->part = part;
			return;
		}
	}
	latency_go_to(l, c);
}

static void case_command(struct latency *l, enum ui_command command)
{
	const struct ana_latency_case *found = selected(l);
	struct ana_latency_case c;

	if (!found) {
		ask_worker_holds(&l->pane, command);
		return;
	}
	c = *found;
	if (command != UI_CMD_WHY)
		pane_latency_go(l, &c);
	if (command != UI_CMD_FOLLOW)
		latency_go_open(l, &c, command == UI_CMD_WHY);
}

static bool pane_latency_list_command(struct latency *l, enum ui_command command)
{
	bool enter = command == UI_CMD_FOLLOW || command == UI_CMD_ACTIVATE || command == UI_CMD_WHY;

	if (list_part_command(&l->lists[l->table], command)) {
		l->gone = false;
		l->chosen |= l->table == LATENCY_CASES;
		l->part = LATENCY_LIST;
	} else if (enter && l->table != LATENCY_CASES && l->part == LATENCY_LIST) {
		latency_table_take(l);
		pane_latency_measure(l);
	} else if (enter && l->list && l->part == LATENCY_CLASSES) {
		l->part = LATENCY_LIST;
	} else if (enter && l->list) {
		case_command(l, command);
	} else {
		return ask_worker_holds(&l->pane, command) || (l->list && part_command(l, command));
	}
	return true;
}

/* Esc: undo one restriction (search, table, pick, group).  False if there is none. */
static bool pane_latency_clear(struct latency *l)
{
	if (list_leave_search(&l->lists[l->table]))
		return true;
	if (l->table != LATENCY_CASES) {
		l->table = LATENCY_CASES;
	} else if (l->picked) {
		l->picked = false;
		if (l->list)
			latency_list_make(l);
	} else if (l->only) {
		l->only = NULL;
		pane_latency_measure(l);
	} else {
		return false;
	}
	l->part = LATENCY_LIST;
	return true;
}

/* ---- slow against fast ---- */

static void pane_latency_mark(struct latency *l)
{
	const struct ana_latency_case *c = l->list ? selected(l) : NULL;

	if (!c || l->table != LATENCY_CASES)
		ui_shell_message(l->pane.shell, "only cases can be marked: select one");
	else if (latency_is_open(c))
		ui_shell_message(l->pane.shell, "unfinished: only finished cases are compared");
	else if (!row_is_thread(l->pane.shell->q, c->row))
		ui_shell_message(l->pane.shell, "this case has no thread, so it has no critical path");
	else
		compare_set_mark(&l->pane, &l->marks, c->row, c->start, c->end);
}

/* Compare all cases of this kind, in the list or not.  False if the user typed another set. */
static bool pane_latency_compare(struct latency *l)
{
	struct ui_shell *shell = l->pane.shell;
	g_autofree char *label = NULL;
	struct compare_set *set;

	if (shell->argument || l->table == LATENCY_KINDS || !l->has_asked)
		return false;
	if (l->asked.row != MDL_NONE)
		label = qry_row_label(shell->q, l->asked.row);
	set = compare_set_new(shell, COMPARE_CASES,
		g_strdup_printf("%s of %s", l->asked.kind, label ? label : "all threads"));
	g_clear_pointer(&l->compared, compare_set_unref);
	l->compared = set;
	set->kind = g_strdup(l->asked.kind);
	set->rules = l->asked.rules;
	set->row = l->asked.row;
	set->from = l->asked.from;
	set->to = l->asked.to;
	set->hide_tracer = l->asked.hide_tracer;
	if (compare_set_take_marks(set, &l->pane, l->marks)) {
		ui_shell_lead(shell, UI_LEAD(COMPARE, .of = set));
		list_tell_all(&l->lists[l->table]);
	}
	return true;
}

static bool pane_latency_focused_command(struct latency *l, enum ui_command command)
{
	switch (command) {
	case UI_CMD_FOLD: pane_latency_mark(l); return true;
	case UI_CMD_COMPARE: return pane_latency_compare(l);
	case UI_CMD_SORT:
		if (pane_latency_next_order(l))
			return true;
		l->gone = false;
		if (!l->lists[l->table].part) { /* no rows yet: keep the order for them */
			g_free(l->lists[l->table].sort);
			l->lists[l->table].sort = ui_argument_take(l->pane.shell);
			l->lists[l->table].reversed = false;
		} else {
			list_part_command(&l->lists[l->table], command);
		}
		return true;
	case UI_CMD_PICK: begin_pick(l); return true;
	case UI_CMD_GROUP:
		latency_table_groups(l);
		pane_latency_measure(l);
		return true;
	case UI_CMD_CLEAR: return pane_latency_clear(l);
	default: return pane_latency_list_command(l, command);
	}
}

static bool latency_command(struct ui_pane *pane, enum ui_command command)
{
	struct latency *l = (struct latency *)pane;

	if (!l->pane.worker)
		return false;
	switch (command) {
	case UI_CMD_WORST_NEXT: latency_go_step(l, 1); return true;
	case UI_CMD_WORST_PREV: latency_go_step(l, -1); return true;
	case UI_CMD_KIND: show_kinds(l); return true;
	case UI_CMD_LIMIT: ask_limit(l); return true;
	default: break;
	}
	if (!pane->shown)
		return false;
	if (command == UI_CMD_CLEAR && latency_ask_stop(l))
		return true;
	if (command == UI_CMD_SCOPE) {
		pane_latency_next_scope(l);
		return true;
	}
	return ui_pane_focused(pane) && pane_latency_focused_command(l, command);
}

/* ---- to a file ---- */

static bool latency_result(struct ui_pane *pane, struct ui_result *result)
{
	const struct latency *l = (const struct latency *)pane;

	bool open = latency_shows_open(l);
	struct latency_measure asked = l->asked;

	if (!l->list || l->table == LATENCY_KINDS || l->picked || (open && !l->list->open))
		return false;
	asked.open = open;
	*result = (struct ui_result){ .name = "latency",
		.file = "latency.txt",
		.what = l->table == LATENCY_GROUPS
			? g_strdup_printf("%u group%s of %s latencies", l->list->groups->len,
				  base_text_s(l->list->groups->len), l->asked.kind)
			: g_strdup_printf(open ? "unfinished %s latencies, %u" : "the worst %s latencies, %u",
				  l->asked.kind, l->lines->len),
		.from = l->asked.from,
		.to = l->asked.to,
		.row = l->asked.row,
		.data = g_memdup2(&asked, sizeof asked),
		.free = g_free,
		.make = latency_ask_whole,
		.free_made = (GDestroyNotify)ana_latency_free };
	return true;
}

static void latency_words(struct ui_pane *pane, enum ui_command command, GPtrArray *words)
{
	const struct latency *l = (const struct latency *)pane;

	for (unsigned i = 0; command == UI_CMD_KIND && i < l->n_kinds; i++)
		g_ptr_array_add(words, (char *)(uintptr_t)l->kinds[i].name);
	for (unsigned by = 1; command == UI_CMD_PICK && ui_pane_focused(pane) && by < ANA_LATENCY_BY_N; by++)
		if (ana_latency_by_is_text(by))
			g_ptr_array_add(words, (char *)(uintptr_t)ana_latency_by_name(by));
	if (command == UI_CMD_SORT && ui_pane_focused(pane) && l->table == LATENCY_CASES)
		g_ptr_array_add(words, (char *)(uintptr_t) "unfinished");
	list_words(pane, command, words);
}

static void latency_point(struct ui_pane *pane, unsigned x, unsigned y)
{
	struct latency *l = (struct latency *)pane;

	if (l->list && latency_plot_point(l, x, y)) {
		if (l->part == LATENCY_COLUMNS)
			latency_go_column(l, 0);
	} else if (list_point_at(&l->lists[l->table], x, y)) {
		l->gone = false;
		l->chosen |= l->table == LATENCY_CASES;
		l->part = LATENCY_LIST;
	}
}

static bool latency_time(struct ui_pane *pane, uint32_t *row, int64_t *from, int64_t *to)
{
	const struct latency *l = (const struct latency *)pane;
	const struct ana_latency_case *c = l->list && l->table == LATENCY_CASES ? selected(l) : NULL;

	if (!c || c->row == MDL_NONE)
		return false;
	*row = c->row;
	*from = c->start;
	*to = c->end;
	return true;
}

/* In the lists of kinds and groups, Enter shows the cases of the line. */
static const struct ui_hint choosing_hints[] = { { UI_CMD_ACTIVATE, "its cases" }, { UI_CMD_NONE, NULL } };

static const struct ui_hint *latency_hinted(struct ui_pane *pane)
{
	return ((const struct latency *)pane)->table == LATENCY_CASES ? NULL : choosing_hints;
}

static const struct ui_hint pane_latency_hints[] = { { UI_CMD_ACTIVATE, "why" },
	{ UI_CMD_FOLLOW, "go there" }, { UI_CMD_KIND, "kind" }, { UI_CMD_GROUP, "groups" },
	{ UI_CMD_PICK, "pick" }, { UI_CMD_LIMIT, "mark" }, { UI_CMD_COMPARE, "compare" },
	{ UI_CMD_SCOPE, "whose" }, { UI_CMD_SORT, "order" }, { UI_CMD_FILTER, "only" },
	{ UI_CMD_SEARCH, "find" }, { UI_CMD_BACK, "back" }, { UI_CMD_WORST_NEXT, "next" },
	{ UI_CMD_MAXIMISE, "large" }, { UI_CMD_LATENCY, "close" }, { UI_CMD_FOCUS, "other pane" },
	{ UI_CMD_WORST_PREV, "last" }, { UI_CMD_FOLD, "choose" }, { UI_CMD_WHY, "its wait" },
	{ UI_CMD_EXPORT, "export" }, { UI_CMD_NONE, NULL } };

const struct ui_pane_ops pane_latency = {
	.name = "latency",
	.place = UI_PLACE_LOWER,
	.hints = pane_latency_hints,
	.hinted = latency_hinted,
	.show = UI_CMD_LATENCY,
	.size = sizeof(struct latency),
	.init = latency_init,
	.clear = latency_clear,
	.carry = latency_carry,
	.changed = latency_changed,
	.work = latency_work,
	.fields = pane_latency_fields,
	.to_keep = latency_to_keep,
	.restore = latency_restore,
	.command = latency_command,
	.words = latency_words,
	.kind = &latency_rows_kind,
	.columns = list_columns,
	.point = latency_point,
	.result = latency_result,
	.time = latency_time,
	.title = latency_draw_title,
	.lines = HEIGHT,
	.draw = latency_pane_draw,
};
