/* SPDX-License-Identifier: MIT */
/* A view of the pane: which intervals are compared, by what, and where one is in the list. */
#include "ui/pane/compare/compare.h"

#include "analysis/latency/rules.h"
#include "base/base_error.h"
#include "base/base_time.h"
#include "ui/core/ui_fields.h"

static const char *const whats[] = { "typed", "asked", "listed", "cases" };
static const char *const bys[] = { [ANA_COMPARE_BY_DURATION] = "duration",
	[ANA_COMPARE_BY_STRUCTURE] = "structure",
	[ANA_COMPARE_BY_HOST] = "host",
	[ANA_COMPARE_BY_KEY] = "key",
	[ANA_COMPARE_BY_ORIGIN] = "recording" };
static const char *const
	slows[] = { [ANA_COMPARE_GAP] = "gap", [ANA_COMPARE_OVER] = "over", [ANA_COMPARE_TOP] = "top" };

const struct ui_field compare_fields[] = {
	UI_FIELD_WORDS("what", compare, kept.set.what, whats, COMPARE_WHATS),
	UI_FIELD(TEXT, "name", compare, kept.set.name),
	UI_FIELD(TEXT, "spec", compare, kept.set.spec),
	UI_FIELD(TEXT, "kind", compare, kept.set.kind),
	UI_FIELD_WORDS("scope", compare, kept.set.scope, ana_request_scopes, ANA_REQUEST_SCOPES),
	UI_FIELD(ROW, "row", compare, kept.set.row),
	UI_FIELD(TIME, "from", compare, kept.set.from),
	UI_FIELD(END, "to", compare, kept.set.to),
	UI_FIELD(FLAG, "hide", compare, kept.set.hide_tracer),
	UI_FIELD(TEXT, "marks", compare, kept.marks),
	UI_FIELD_WORDS("by", compare, kept.how.by, bys, G_N_ELEMENTS(bys)),
	UI_FIELD_WORDS("slow", compare, kept.how.slow, slows, G_N_ELEMENTS(slows)),
	UI_FIELD(LENGTH, "over", compare, kept.how.over),
	UI_FIELD(LENGTH, "top-share", compare, kept.top),
	UI_FIELD(TEXT, "group", compare, kept.group),
	UI_FIELD(TEXT, "keys", compare, kept.keys),
	UI_FIELD(TEXT, "against", compare, kept.against),
	UI_FIELD_CHOICE(SORT, "sort", compare, order, compare_order_names, COMPARE_ORDERS),
	UI_FIELD(FLAG, "noise", compare, noise_open),
	UI_FIELD(NUMBER, "lit", compare, lit),
	UI_FIELD_PLACE(LENGTH, "at", compare, at),
	UI_FIELD_PLACE(FLAG, "first", compare, chosen_first),
	UI_FIELD_PLACE(NUMBER, "scrolled", compare, pair_top),
	UI_FIELD_LIST(compare, view),
};

void compare_view_clear(struct compare *c)
{
	g_clear_pointer(&c->kept.set.name, g_free);
	g_clear_pointer(&c->kept.set.spec, g_free);
	g_clear_pointer(&c->kept.set.kind, g_free);
	g_clear_pointer(&c->kept.marks, g_free);
	g_clear_pointer(&c->kept.group, g_free);
	g_clear_pointer(&c->kept.keys, g_free);
	g_clear_pointer(&c->kept.against, g_free);
}

bool compare_view_to_keep(struct ui_pane *pane)
{
	struct compare *c = (struct compare *)pane;
	struct compare_kept *k = &c->kept;

	if (!c->set)
		return false;
	compare_view_clear(c);
	*k = (struct compare_kept){ .set = *c->set, .how = c->how };
	k->set.name = g_strdup(c->set->name);
	k->set.spec = g_strdup(c->set->spec);
	k->set.kind = g_strdup(c->set->kind);
	k->marks = compare_set_marks_text(c->set->marked);
	k->group = g_strdup(c->how.group);
	k->keys = g_strdup(c->how.keys);
	k->against = g_strdup(c->how.against);
	k->top = (uint64_t)(c->how.top * 1e9 + 0.5);
	return true;
}

/* ---- and back ---- */

/* The rules that have a kind called NAME; NULL: it is none of theirs. */
static const struct ana_rules *rules_of(const struct ui_shell *shell, const char *name)
{
	const struct ana_rules *rules = shell->options->rules;

	return rules && name && ana_rules_find(rules, name, NULL) ? rules : NULL;
}

static bool compare_view_is_whole(const struct compare_kept *k)
{
	const struct compare_set *set = &k->set;

	return set->name && (k->how.by == ANA_COMPARE_BY_ORIGIN) == !!k->against &&
		(set->what != COMPARE_TYPED || set->spec) && (set->what != COMPARE_CASES || set->kind) &&
		set->from != BASE_TIME_NONE && (set->what != COMPARE_ASKED || set->row != MDL_NONE);
}

/* The set of the view, which is the one that is there, if that is the same. */
static void take_set(struct compare *c)
{
	const struct compare_kept *k = &c->kept;
	struct compare_set *set = compare_set_new(c->pane.shell, k->set.what, g_strdup(k->set.name));

	set->spec = g_strdup(k->set.spec);
	set->kind = g_strdup(k->set.kind);
	set->rules = rules_of(c->pane.shell, k->set.kind);
	set->scope = k->set.scope;
	set->row = k->set.row;
	set->from = k->set.from;
	set->to = k->set.to;
	set->hide_tracer = k->set.hide_tracer;
	set->marked = compare_set_marks(k->marks);
	if (c->set && compare_set_same(set, c->set)) {
		compare_set_unref(set);
		return;
	}
	g_clear_pointer(&c->set, compare_set_unref);
	c->set = set;
}

bool compare_view_restore(struct ui_pane *pane, const char *kept, GError **error)
{
	struct compare *c = (struct compare *)pane;
	enum compare_order order = c->order;
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
	how->group = g_intern_string(c->kept.group);
	how->against = how->by == ANA_COMPARE_BY_ORIGIN ? g_intern_string(c->kept.against) : NULL;
	how->keys = how->by == ANA_COMPARE_BY_KEY ? g_intern_string(c->kept.keys ? c->kept.keys : "") : NULL;
	take_set(c);
	c->how = *how;
	compare_ask(c, c->lit);
	if (c->found && c->order != order)
		compare_sort(c);
	if (c->found && (c->lit != lit || (c->lit && !c->pair[0].path)))
		compare_pair_ask(c);
	if (!ui_fields_set(compare_fields, c, c->pane.shell, kept, error)) /* where one was */
		return false;
	list_view_go(&c->view, 0, c->found ? compare_lines(c) : 0);
	return true;
}
