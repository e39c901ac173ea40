/* SPDX-License-Identifier: MIT */
/*
 * The question and the answer.  The question comes from a list, from the selected thread, or from typed text:
 * "requests slow top 10%", "latency:blocked group structure".  A worker finds the intervals and the critical
 * path of each.
 */
#include "ui/pane/compare/compare.h"

#include "analysis/latency/latency.h"
#include "ui/core/ui_config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- in the worker ---- */

static void *compare_ask_make_answer(struct qry *q, const void *question, struct base_progress *progress,
	GError **error)
{
	const struct compare_question *asked = question;
	const struct compare_how *h = &asked->how;
	struct ana_compare_options o = { .by = h->by,
		.slow = h->slow,
		.over = h->over,
		.top = h->top,
		.group = h->group,
		.at = NAN };
	struct ana_set *set = compare_set_find(q, asked->set, progress, error), *against = NULL;
	struct ana_compare *found = NULL;
	struct qry *other = NULL;

	if (set && asked->other)
		against = compare_other_find(asked->other, q, asked->set, &other, progress, error);
	if (set && (!asked->other || against) && ana_compare_key_set(q, set, &o, h->keys, progress, error))
		found = ana_compare_new(q, set, other ? other : q, against, &o, progress, error);
	if (found && other && qry_damage(other)) { /* drop an answer from a damaged recording */
		g_clear_pointer(&found, ana_compare_free);
		g_propagate_error(error, g_error_copy(qry_damage(other)));
	}
	ana_set_free(against);
	qry_free(other);
	ana_set_free(set);
	return found;
}

static void compare_ask_forget(void *question)
{
	struct compare_question *q = question;

	compare_set_unref(q->set);
	g_clear_pointer(&q->other, compare_other_unref);
}

/* ---- on the screen ---- */

void compare_drop(struct compare *c)
{
	compare_pair_drop(c);
	c->counted = 0;
	g_clear_pointer(&c->durations[ANA_COMPARE_SLOW], g_free);
	g_clear_pointer(&c->durations[ANA_COMPARE_FAST], g_free);
	g_clear_pointer(&c->found, ana_compare_free);
	list_show(&c->list, NULL);
	c->list.view = (struct list_view){ 0 };
}

static void compare_ask_taken(struct ui_pane *pane, void *answer, GError *error)
{
	struct compare *c = (struct compare *)pane;

	compare_drop(c);
	ask_worker_problem(&c->ask.problem, error);
	c->found = answer;
	if (!answer)
		return;
	c->found->q[0] = pane->shell->q; /* the answer has the recordings as the worker opened them */
	c->found->q[1] = !c->other ? NULL : c->other->q ? c->other->q : pane->shell->q;
	compare_lines_make(c);
	if (c->lit)
		compare_pair_ask(c);
}

const struct ask_kind compare_ask_kind = { .size = sizeof(struct compare_question),
	.forget = compare_ask_forget,
	.answer = compare_ask_make_answer,
	.free = (GDestroyNotify)ana_compare_free,
	.taken = compare_ask_taken };

static bool same_how(const struct compare_how *a, const struct compare_how *b)
{
	return a->by == b->by && a->slow == b->slow && a->over == b->over && a->group == b->group &&
		a->keys == b->keys && a->against == b->against && !(a->top < b->top) && !(a->top > b->top);
}

void compare_ask(struct compare *c, unsigned lit)
{
	struct compare_question q = { c->set, c->how, NULL };

	if (!q.set || (c->ask.has_asked && c->asked_set == c->set && same_how(&c->how, &c->asked)))
		return;
	compare_drop(c);
	g_clear_pointer(&c->asked_set, compare_set_unref);
	c->asked_set = compare_set_ref(q.set);
	c->asked = c->how;
	compare_set_ref(q.set);
	if (c->other && c->other->what != c->how.against)
		g_clear_pointer(&c->other, compare_other_unref);
	if (!c->other && c->how.against) {
		c->other = g_atomic_rc_box_new0(struct compare_other);
		c->other->options = c->pane.shell->options;
		c->other->what = c->how.against;
		c->other->is_set = ana_set_is_spec(c->how.against);
	}
	q.other = c->other ? compare_other_ref(c->other) : NULL;
	c->lit = lit;
	asking_ask(&c->ask, &c->pane, &q, ASK_AT_ONCE);
}

/* If the user marked intervals, they form one group.  Otherwise the way to compare stays, unless its groups
 * came from another set. */
void compare_ask_set(struct compare *c, struct compare_set *set, bool typed)
{
	static const struct compare_how by_duration;

	if (set->marked)
		c->how = (struct compare_how){ .by = ANA_COMPARE_BY_KEY,
			.group = g_intern_static_string("marked"),
			.keys = g_intern_static_string("hand") };
	else if (!typed && (c->how.by == ANA_COMPARE_BY_KEY || c->how.group))
		c->how = by_duration;
	g_clear_pointer(&c->set, compare_set_unref);
	c->set = set;
	compare_ask(c, 0);
}

/* ---- typed text: the set, and the way to compare ---- */

static const char slow_word[] = " slow ", group_word[] = " group ", against_word[] = " against ";

const char *compare_line_group_text(const struct compare_how *how)
{
	switch (how->by) {
	case ANA_COMPARE_BY_STRUCTURE: return "structure";
	case ANA_COMPARE_BY_HOST: return "host";
	case ANA_COMPARE_BY_KEY: return how->keys;
	case ANA_COMPARE_BY_ORIGIN: return "recording";
	default: return "duration";
	}
}

char *compare_line_slow_text(const struct ui_shell *shell, const struct compare_how *how)
{
	g_autofree char *over = NULL;

	if (how->by != ANA_COMPARE_BY_DURATION)
		return g_strdup(how->group ? how->group : "longest mean");
	if (how->slow == ANA_COMPARE_TOP)
		return g_strdup_printf("top %g%%", how->top * 100);
	if (how->slow == ANA_COMPARE_GAP)
		return g_strdup("gap");
	over = ui_shell_duration_text(shell, how->over);
	return g_strconcat("over ", over, NULL);
}

/* ---- typed text: reading ---- */

bool compare_line_how(struct compare *c, const char *slow, const char *group)
{
	struct ana_compare_options o = { .by = c->how.by };
	const char *keys = group ? group : c->how.keys;
	GError *error = NULL;

	if ((group && !ana_compare_read_group(group, &o, &error)) ||
		(slow && !ana_compare_read_slow(slow, &o, &error))) {
		ui_shell_take_error(c->pane.shell, error);
		return false;
	}
	c->how = (struct compare_how){ .by = o.by,
		.slow = o.slow,
		.over = o.over,
		.top = o.top,
		.group = g_intern_string(o.group),
		.keys = o.by == ANA_COMPARE_BY_KEY ? g_intern_string(keys) : NULL };
	return true;
}

bool compare_line_against(struct compare *c, const char *text)
{
	static const struct compare_how by_duration;
	bool exists = g_file_test(text, G_FILE_TEST_EXISTS);
	g_autofree char *path = exists ? g_canonicalize_filename(text, NULL) : g_strdup(text);

	if (*text && !exists && !ana_set_is_spec(text)) {
		ui_shell_error(c->pane.shell, "%s: no such recording", text);
		return false;
	}
	if (*text)
		c->how = (struct compare_how){ .by = ANA_COMPARE_BY_ORIGIN,
			.against = g_intern_string(path) };
	else if (c->how.against)
		c->how = by_duration;
	return true;
}

/* Cut the last WORD and the text after it off TEXT.  Sets *BEHIND (owned) to the text after it.  False if
 * WORD is not there. */
static bool compare_line_cut(char *text, const char *word, char **behind)
{
	char *at = g_strrstr(text, word);

	if (!at || *behind)
		return false;
	*behind = g_strstrip(g_strdup(at + strlen(word)));
	*at = '\0';
	return true;
}

/* Parse the words after SPEC: "... slow X group Y" or "... group Y slow X".  SPEC stays in TEXT.  False, with
 * a message, if a part is empty or not valid. */
static bool take_how(struct compare *c, char *text)
{
	g_autofree char *slow = NULL, *group = NULL, *against = NULL;
	bool grouped;

	c->how = (struct compare_how){ 0 };
	if (compare_line_cut(text, against_word, &against))
		return *against && compare_line_against(c, against);
	grouped = compare_line_cut(text, group_word, &group);
	compare_line_cut(text, slow_word, &slow);
	if (!grouped && slow)
		compare_line_cut(slow, group_word, &group);
	if (group && compare_line_cut(group, slow_word, &slow) && !*group)
		return false;
	return compare_line_how(c, slow && *slow ? slow : NULL, group && *group ? group : NULL);
}

bool compare_line_take(struct compare *c, const char *text)
{
	g_autofree char *spec = g_strdup(text);
	struct compare_set *set;

	if (!take_how(c, spec) || !*g_strstrip(spec))
		return false;
	set = compare_set_new(c->pane.shell, COMPARE_TYPED, g_strdup(spec));
	set->spec = g_strdup(spec);
	compare_ask_set(c, set, true);
	return true;
}

/* ---- typed text: completions ---- */

static void compare_line_add(GPtrArray *words, const char *a, const char *b)
{
	g_autofree char *text = g_strconcat(a, b, NULL);

	g_ptr_array_add(words, (char *)(uintptr_t)g_intern_string(text));
}

/* Add the files that may follow "SPEC against " in TEXT. */
static void add_files(const char *text, GPtrArray *words)
{
	g_autoptr(GPtrArray) files = g_ptr_array_new_with_free_func(g_free);
	const char *against = strstr(text, against_word), *file;
	g_autofree char *before = NULL;

	if (!against)
		return;
	file = against + strlen(against_word);
	before = g_strndup(text, (gsize)(file - text));
	ui_files_add(files, file);
	for (guint i = 0; i < files->len; i++)
		compare_line_add(words, before, g_ptr_array_index(files, i));
}

void compare_line_words(const char *text, GPtrArray *words)
{
	static const char *const behind[] = { " group structure", " group host", " group connection",
		" slow gap", " slow top 10%", " slow over 10ms", " against " };
	const char *const *kinds = ana_latency_kinds();
	const char *blank = strchr(text, ' ');
	g_autofree char *spec = blank ? g_strndup(text, (gsize)(blank - text)) : NULL;

	compare_line_add(words, "requests", "");
	compare_line_add(words, "runs:", "");
	for (; *kinds; kinds++)
		compare_line_add(words, "latency:", *kinds);
	for (gsize i = 0; spec && i < G_N_ELEMENTS(behind); i++)
		compare_line_add(words, spec, behind[i]);
	add_files(text, words);
}
