/* SPDX-License-Identifier: MIT */
/*
 * Slow against fast: the steps of critical paths in which slow intervals take longer than fast ones.  The
 * intervals come from another pane's list, the requests of the selected thread, or typed text.  This file has
 * hooks, commands, and the kept view.
 */
#include "ui/pane/pane.h"

#include "analysis/latency/rules.h"
#include "base/base_error.h"
#include "base/base_time.h"
#include "export/exp.h"
#include "ui/core/ui_argument.h"
#include "ui/core/ui_config.h"
#include "ui/core/ui_fields.h"
#include "ui/core/ui_prompt.h"
#include "ui/pane/compare/compare.h"
#include "ui/widget/subject.h"

#include <string.h>

/* ---- the view that is kept ---- */

static const char *const whats[] = { "typed", "asked", "listed", "cases" };
static const char *const bys[] = { [ANA_COMPARE_BY_DURATION] = "duration",
	[ANA_COMPARE_BY_STRUCTURE] = "structure",
	[ANA_COMPARE_BY_HOST] = "host",
	[ANA_COMPARE_BY_KEY] = "key",
	[ANA_COMPARE_BY_ORIGIN] = "recording" };
static const char *const
	slows[] = { [ANA_COMPARE_GAP] = "gap", [ANA_COMPARE_OVER] = "over", [ANA_COMPARE_TOP] = "top" };

static const struct ui_field compare_fields[] = { UI_FIELD_WORDS("what", compare, kept.what, whats,
							  COMPARE_WHATS),
	UI_FIELD(NAME, "name", compare, kept.name), UI_FIELD(NAME, "spec", compare, kept.spec),
	UI_FIELD(NAME, "kind", compare, kept.kind),
	UI_FIELD_WORDS("scope", compare, kept.scope, ana_request_scopes, ANA_REQUEST_SCOPES),
	UI_FIELD(ROW, "row", compare, kept.row), UI_FIELD(TIME, "from", compare, kept.from),
	UI_FIELD(END, "to", compare, kept.to), UI_FIELD(FLAG, "hide", compare, kept.hide_tracer),
	UI_FIELD(TEXT, "marks", compare, kept.marks),
	UI_FIELD_WORDS("by", compare, kept.how.by, bys, G_N_ELEMENTS(bys)),
	UI_FIELD_WORDS("slow", compare, kept.how.slow, slows, G_N_ELEMENTS(slows)),
	UI_FIELD(LENGTH, "over", compare, kept.how.over), UI_FIELD(LENGTH, "top-share", compare, kept.top),
	UI_FIELD(NAME, "group", compare, kept.how.group), UI_FIELD(NAME, "keys", compare, kept.how.keys),
	UI_FIELD(NAME, "against", compare, kept.how.against), LIST_PART_FIELDS(compare, list),
	UI_FIELD(FLAG, "noise", compare, noise_open), UI_FIELD(NUMBER, "lit", compare, lit),
	UI_FIELD_PLACE(LENGTH, "at", compare, at), UI_FIELD_PLACE(FLAG, "first", compare, chosen_first),
	UI_FIELD_PLACE(NUMBER, "scrolled", compare, pair_top), LIST_PART_PLACES(compare, list) };

static bool compare_view_to_keep(struct ui_pane *pane)
{
	struct compare *c = (struct compare *)pane;
	struct compare_kept *k = &c->kept;
	const struct compare_set *set = c->set;

	if (!set)
		return false;
	g_free(k->marks);
	*k = (struct compare_kept){ set->what, set->name, set->spec, set->kind, set->scope, set->row,
		set->from, set->to, set->hide_tracer, c->how, compare_set_marks_text(set->marked),
		(uint64_t)(c->how.top * 1e9 + 0.5) };
	return true;
}

static bool compare_view_is_whole(const struct compare_kept *k)
{
	return k->name && (k->how.by == ANA_COMPARE_BY_ORIGIN) == !!k->how.against &&
		(k->what != COMPARE_TYPED || k->spec) && (k->what != COMPARE_CASES || k->kind) &&
		k->from != BASE_TIME_NONE && (k->what != COMPARE_ASKED || k->row != MDL_NONE);
}

/* Make the set of the kept view the current one, unless both are equal. */
static void take_set(struct compare *c)
{
	const struct compare_kept *k = &c->kept;
	const struct ana_rules *rules = c->pane.shell->options->rules;
	struct compare_set *set = compare_set_new(c->pane.shell, k->what, g_strdup(k->name));

	set->spec = g_strdup(k->spec);
	set->kind = g_strdup(k->kind);
	if (rules && k->kind && ana_rules_find(rules, k->kind, NULL))
		set->rules = rules;
	set->scope = k->scope;
	set->row = k->row;
	set->from = k->from;
	set->to = k->to;
	set->hide_tracer = k->hide_tracer;
	set->marked = compare_set_marks(k->marks);
	if (c->set && compare_set_same(set, c->set)) {
		compare_set_unref(set);
		return;
	}
	g_clear_pointer(&c->set, compare_set_unref);
	c->set = set;
}

static bool compare_view_restore(struct ui_pane *pane, const char *kept, GError **error)
{
	struct compare *c = (struct compare *)pane;
	unsigned lit = c->lit;
	struct compare_how *how = &c->kept.how;

	if (!ui_fields_set(compare_fields, c, c->pane.shell, kept, error))
		return false;
	if (!compare_view_is_whole(&c->kept))
		return base_error_false(error, BASE_ERROR_USAGE, "view: this cannot be compared: \"%s\"",
			kept);
	if (!c->pane.worker)
		return true;
	how->top = (double)c->kept.top / 1e9;
	how->keys = how->by != ANA_COMPARE_BY_KEY ? NULL : how->keys ? how->keys : g_intern_string("");
	take_set(c);
	c->how = *how;
	compare_ask(c, c->lit);
	if (c->found)
		compare_lines_make(c);
	if (c->found && (c->lit != lit || (c->lit && !c->pair[0].path)))
		compare_pair_ask(c);
	if (!ui_fields_set(compare_fields, c, c->pane.shell, kept, error)) /* restore the place */
		return false;
	list_view_go(&c->list.view, 0, c->list.order->len);
	return true;
}

#define HEIGHT 16 /* lines for the pane on a small screen */

static void compare_init(struct ui_pane *pane)
{
	struct compare *c = (struct compare *)pane;

	c->lines = g_array_new(FALSE, FALSE, sizeof(struct compare_line));
	list_embed(&c->list, pane, &compare_kind);
}

static void compare_clear(struct ui_pane *pane)
{
	struct compare *c = (struct compare *)pane;

	compare_drop(c);
	ask_worker_free(c->walker);
	asking_clear(&c->ask, pane);
	g_free(c->kept.marks);
	g_clear_pointer(&c->set, compare_set_unref);
	g_clear_pointer(&c->asked_set, compare_set_unref);
	g_clear_pointer(&c->other, compare_other_unref);
	g_array_unref(c->lines);
	list_embed_clear(&c->list);
}

/* ---- the intervals ---- */

/* The requests made by the selected thread. */
static struct compare_set *set_of_thread(const struct ui_shell *shell)
{
	g_autofree char *label = qry_row_label(shell->q, shell->view->row);
	struct compare_set *set = compare_set_new(shell, COMPARE_ASKED,
		g_strconcat("requests of ", label, NULL));

	set->row = shell->view->row;
	return set;
}

static void pane_compare_show(struct compare *c)
{
	ui_shell_show(c->pane.shell, &c->pane, true);
	ui_shell_focus(c->pane.shell, &c->pane);
}

static void typed_set(struct ui_pane *pane, const char *text)
{
	if (compare_line_take((struct compare *)pane, text))
		pane_compare_show((struct compare *)pane);
}

static void typing(struct ui_pane *pane, const char *text)
{
	g_autoptr(GPtrArray) words = g_ptr_array_new();
	GPtrArray *choices = g_ptr_array_new_with_free_func(g_free);

	compare_line_words(text, words);
	for (guint i = 0; i < words->len; i++)
		if (g_str_has_prefix(g_ptr_array_index(words, i), text))
			g_ptr_array_add(choices, g_strdup(g_ptr_array_index(words, i)));
	ui_prompt_offer(pane->shell->prompt, 0, choices, NULL);
}

/*
 * The command "compare": starts a comparison, or asks for the set.  False if it only shows or hides the pane.
 */
static bool pane_compare_begin(struct compare *c)
{
	struct ui_shell *shell = c->pane.shell;
	const char *text = shell->argument;

	if (ui_argument_is_switch(shell) || (!text && c->pane.shown))
		return false;
	if (text || !row_is_thread(shell->q, shell->view->row)) {
		ui_shell_ask(shell, &c->pane, "compare requests, runs:T, latency:KIND, between:A..B or FILE",
			NULL, typed_set, typing);
		return true;
	}
	compare_ask_set(c, set_of_thread(shell), false);
	pane_compare_show(c);
	return true;
}

static void compare_changed(struct ui_pane *pane, unsigned changes)
{
	struct compare *c = (struct compare *)pane;

	if (!ask_worker_start(pane, changes, &compare_ask_kind))
		return;
	if (changes & UI_CHANGED_COMPARED) {
		compare_ask_set(c, compare_set_ref(pane->shell->leads[UI_LEAD_COMPARE].of), false);
		pane_compare_show(c);
	}
	if (!pane->shown)
		asking_leave(&c->ask, pane);
	else if (c->set)
		compare_ask(c, 0);
	else if (row_is_thread(pane->shell->q, pane->shell->view->row))
		compare_ask_set(c, set_of_thread(pane->shell), false);
	else if (!c->ask.has_asked)
		asking_refuse(&c->ask, &c->pane,
			"nothing is compared yet: select a thread to see its requests");
}

/* Times change when the trace is reopened, so only the order of the list is carried. */
static void compare_carry(struct ui_pane *pane, struct ui_pane *old)
{
	list_carry_order(&((struct compare *)pane)->list, &((struct compare *)old)->list);
}

/* ---- drawing ---- */

static bool compare_work(struct ui_pane *pane)
{
	struct compare *c = (struct compare *)pane;
	bool more = ask_worker_wait(c->pane.worker, pane, ASK_SLICE);

	return ask_worker_wait(c->walker, pane, ASK_SLICE) || more;
}

static void compare_pane_draw(struct ui_pane *pane, const struct term_area *area)
{
	struct compare *c = (struct compare *)pane;

	if (!asking_draw(&c->ask, pane, area, "comparing critical paths", c->found) && c->found)
		(c->lit ? compare_pair_draw : compare_draw)(c, area);
	else if (c->ask.problem && !c->found)
		term_area_fit(area, 1, 2, area->w - 1, TERM_ROLE_DIM,
			":compare requests, latency:KIND or FILE compares others, G makes other groups");
}

/* ---- commands ---- */

/* The next source of groups that the set has. */
static void next_group(struct compare *c)
{
	g_autofree char *text = ui_argument_take(c->pane.shell);
	const struct compare_set *set = c->set;
	bool requests = set->spec ? g_str_has_prefix(set->spec, "requests") : !set->kind;
	const char *groups[] = { "duration", "structure",
		qry_host_count(c->pane.shell->q) > 1 ? "host" : NULL, requests ? "connection" : NULL };
	unsigned i = 0, n = G_N_ELEMENTS(groups);

	if (!text) {
		while (i < n && g_strcmp0(groups[i], compare_line_group_text(&c->how)) != 0)
			i++;
		for (i = i == n ? 0 : (i + 1) % n; !groups[i]; i = (i + 1) % n)
			;
	}
	if (!compare_line_how(c, NULL, text ? text : groups[i]))
		return;
	compare_ask(c, 0);
	ui_shell_message(c->pane.shell, "groups by %s", compare_line_group_text(&c->how));
}

static void slow_answered(struct ui_pane *pane, const char *text)
{
	struct compare *c = (struct compare *)pane;

	if (*text && compare_line_how(c, text, NULL))
		compare_ask(c, 0);
}

static void ask_slow(struct compare *c)
{
	bool by_duration = c->how.by == ANA_COMPARE_BY_DURATION;
	g_autofree char *now = compare_line_slow_text(c->pane.shell, &c->how);

	if (c->how.against) {
		ui_shell_message(c->pane.shell,
			"both recordings are compared as a whole: neither is the slow one");
		return;
	}
	ui_shell_ask(c->pane.shell, &c->pane,
		by_duration ? "slow ones (gap, over 5ms, top 10%)" : "slow group", now, slow_answered, NULL);
}

/* ---- another recording ---- */

static void against_answered(struct ui_pane *pane, const char *text)
{
	struct compare *c = (struct compare *)pane;

	if (*text && c->set->marked)
		ui_shell_error(pane->shell, "marked lines are compared with the rest, not with a recording");
	else if (compare_line_against(c, text)) {
		/* there is no answer: ask again even if TEXT is the same */
		c->ask.has_asked &= !c->ask.problem;
		compare_ask(c, 0);
	}
}

static void against_typed(struct ui_pane *pane, const char *text)
{
	GPtrArray *files = g_ptr_array_new_with_free_func(g_free);

	ui_files_add(files, text);
	ui_prompt_offer(pane->shell->prompt, 0, files, NULL);
}

static bool ask_against(struct compare *c)
{
	struct ui_shell *shell = c->pane.shell;
	g_autofree char *key = ui_keymap_first(shell->keys, UI_CMD_COMPARE);

	if (c->pane.shown && c->set)
		ui_shell_ask(shell, &c->pane, "other recording (empty: none)", c->how.against,
			against_answered, against_typed);
	else
		ui_shell_message(shell, "no comparison is open: %s opens one", key);
	return true;
}

/* Go to interval PATH, and open its critical path. */
static void go_to(struct compare *c, uint32_t path)
{
	const struct ana_compare_path *p;
	struct ui_place_in_time place;
	g_autofree char *before = NULL;

	if (path == UINT32_MAX)
		return;
	p = &g_array_index(c->found->paths, struct ana_compare_path, path);
	if (compare_is_elsewhere(c, p)) {
		before = compare_draw_side(c, p->side);
		ui_shell_message(c->pane.shell, "this path belongs to %s, which is not open in a window here",
			before);
		return;
	}
	place = (struct ui_place_in_time){ p->from, p->to, p->from, p->row };
	ui_shell_visit(c->pane.shell, &place);
	ui_shell_lead(c->pane.shell, UI_LEAD(PATH, .row = UI_NO_ROW));
}

static bool activate(struct compare *c, bool go)
{
	const struct compare_line *line = compare_line(c);
	const struct ana_compare_row *r = line ? line->step : NULL;

	if (c->lit && c->pair[0].path)
		go_to(c, c->pair[!c->chosen_first].of);
	else if (line && !r && line->group == COMPARE_NOISE)
		compare_lines_fold(c);
	else if (!r)
		ui_shell_message(c->pane.shell, "this line is not a step of a path");
	else if (go)
		go_to(c, r->extreme[r->difference < 0 ? ANA_COMPARE_FAST : ANA_COMPARE_SLOW]);
	else {
		c->lit = 1 + (unsigned)(r - &g_array_index(c->found->rows, struct ana_compare_row, 0));
		c->at = 0;
		c->pair_top = 0;
		c->chosen_first = false;
		compare_pair_ask(c);
	}
	return true;
}

static void write_answered(struct ui_pane *pane, const char *file)
{
	struct compare *c = (struct compare *)pane;
	struct exp_options o = { .row = UI_NO_ROW };
	GError *error = NULL;

	if (!c->found)
		return;
	if (exp_output_write("compare", pane->shell->q, c->found, &o, file, &error))
		ui_shell_message(pane->shell, "wrote %s: %u steps", file, c->found->rows->len);
	else
		ui_shell_take_error(pane->shell, error);
}

static bool pane_compare_focused_command(struct compare *c, enum ui_command command)
{
	if (c->lit ? compare_pair_command(c, command) : list_part_command(&c->list, command))
		return true;
	switch (command) {
	case UI_CMD_ACTIVATE:
	case UI_CMD_FOLLOW: return activate(c, command == UI_CMD_FOLLOW);
	case UI_CMD_FOLD:
		if (c->noise)
			compare_lines_fold(c);
		else
			ui_shell_message(c->pane.shell, "no step is noise");
		return true;
	case UI_CMD_EXPORT:
		ui_shell_ask_file(c->pane.shell, &c->pane, "write the comparison to",
			exp_output_endings("compare"), "compare.txt", write_answered);
		return true;
	case UI_CMD_CLEAR: return list_leave_search(&c->list);
	default: return false;
	}
}

static bool compare_command(struct ui_pane *pane, enum ui_command command)
{
	struct compare *c = (struct compare *)pane;

	if (!c->pane.worker)
		return false;
	if (command == UI_CMD_COMPARE)
		return pane_compare_begin(c);
	if (command == UI_CMD_AGAINST)
		return ask_against(c);
	if (!pane->shown)
		return false;
	if (command == UI_CMD_CLEAR && asking_stop(&c->ask, pane))
		return true;
	if (!ui_pane_focused(pane))
		return false;
	if (command == UI_CMD_GROUP && c->set) {
		next_group(c);
		return true;
	}
	if (command == UI_CMD_LIMIT && c->set) {
		ask_slow(c);
		return true;
	}
	return c->found ? pane_compare_focused_command(c, command) : ask_worker_holds(pane, command);
}

static void compare_words(struct ui_pane *pane, enum ui_command command, GPtrArray *words)
{
	static const char *const groups[] = { "duration", "structure", "host", "connection" };
	static const char *const borders[] = { "gap", "top 10%", "over 10ms" };
	const struct compare *c = (const struct compare *)pane;
	const char *text = ui_prompt_text(pane->shell->prompt);

	if (command == UI_CMD_COMPARE)
		compare_line_words(text + strcspn(text, " ") + strspn(text + strcspn(text, " "), " "), words);
	if (!ui_pane_focused(pane))
		return;
	if (command == UI_CMD_GROUP)
		ui_argument_add(words, groups, G_N_ELEMENTS(groups));
	if (command == UI_CMD_LIMIT && c->how.by == ANA_COMPARE_BY_DURATION)
		ui_argument_add(words, borders, G_N_ELEMENTS(borders));
	list_words(pane, command, words);
}

static void compare_point(struct ui_pane *pane, unsigned x, unsigned y)
{
	struct compare *c = (struct compare *)pane;

	if (!c->lit)
		list_point_at(&c->list, x, y);
}

static const struct ui_hint pane_compare_hints[] = { { UI_CMD_ACTIVATE, "two paths" },
	{ UI_CMD_FOLLOW, "go there" }, { UI_CMD_GROUP, "groups" }, { UI_CMD_LIMIT, "slow ones" },
	{ UI_CMD_AGAINST, "recording" }, { UI_CMD_SORT, "order" }, { UI_CMD_FOLD, "noise" },
	{ UI_CMD_EXPORT, "export" }, { UI_CMD_MAXIMISE, "large" }, { UI_CMD_COMPARE, "close" },
	{ UI_CMD_FOCUS, "other pane" }, { UI_CMD_NONE, NULL } };

const struct ui_pane_ops pane_compare = {
	.name = "compare",
	.place = UI_PLACE_LOWER,
	.hints = pane_compare_hints,
	.show = UI_CMD_COMPARE,
	.drill = true,
	.size = sizeof(struct compare),
	.init = compare_init,
	.clear = compare_clear,
	.carry = compare_carry,
	.changed = compare_changed,
	.work = compare_work,
	.fields = compare_fields,
	.to_keep = compare_view_to_keep,
	.restore = compare_view_restore,
	.command = compare_command,
	.words = compare_words,
	.kind = &compare_kind,
	.columns = list_columns,
	.point = compare_point,
	.title = compare_draw_title,
	.lines = HEIGHT,
	.draw = compare_pane_draw,
};
