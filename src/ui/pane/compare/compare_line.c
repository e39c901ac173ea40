/* SPDX-License-Identifier: MIT */
/* What is typed for a comparison: "requests slow top 10%", "latency:blocked group structure". */
#include "ui/pane/compare/compare.h"

#include "analysis/latency/latency.h"
#include "ui/core/ui_config.h"

#include <string.h>

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

/* ---- what is taken ---- */

static void set_how(struct compare_how *how, const struct ana_compare_options *o, const char *keys)
{
	*how = (struct compare_how){ .by = o->by,
		.slow = o->slow,
		.over = o->over,
		.top = o->top,
		.group = g_intern_string(o->group),
		.keys = o->by == ANA_COMPARE_BY_KEY ? g_intern_string(keys) : NULL };
}

static bool read_how(struct compare_how *how, const char *slow, const char *group, GError **error)
{
	struct ana_compare_options o = { .by = how->by };
	bool by_hand = how->keys && !strcmp(how->keys, "hand");

	if (group && !ana_compare_read_group(group, &o, error))
		return false;
	if (slow && !ana_compare_read_slow(slow, &o, error))
		return false;
	set_how(how, &o, group ? group : by_hand ? "hand" : how->keys);
	return true;
}

static bool take(struct compare *c, const char *slow, const char *group)
{
	GError *error = NULL;

	if (read_how(&c->how, slow, group, &error))
		return true;
	ui_shell_take_error(c->pane.shell, error);
	return false;
}

bool compare_line_slow(struct compare *c, const char *text)
{
	return take(c, text, NULL);
}

bool compare_line_group(struct compare *c, const char *text)
{
	return take(c, NULL, text);
}

bool compare_line_against(struct compare *c, const char *text)
{
	static const struct compare_how by_duration;
	bool exists = g_file_test(text, G_FILE_TEST_EXISTS);
	g_autofree char *path = exists ? g_canonicalize_filename(text, NULL) : g_strdup(text);

	if (*text && !exists && !ana_set_is_spec(text)) {
		ui_shell_error(c->pane.shell, "%s: there is no such recording", text);
		return false;
	}
	if (*text)
		c->how = (struct compare_how){ .by = ANA_COMPARE_BY_ORIGIN,
			.against = g_intern_string(path) };
	else if (c->how.against)
		c->how = by_duration;
	return true;
}

/* Cut the last WORD, and what stands behind it, off from TEXT into *BEHIND, owned.  False: it is not there.
 */
static bool compare_line_cut(char *text, const char *word, char **behind)
{
	char *at = g_strrstr(text, word);

	if (!at || *behind)
		return false;
	*behind = g_strstrip(g_strdup(at + strlen(word)));
	*at = '\0';
	return true;
}

/* What may stand behind SPEC, which stays in TEXT: "... slow X group Y" or "... group Y slow X".  False: a
 * part of it is empty, or it was said why not. */
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
	return take(c, slow && *slow ? slow : NULL, group && *group ? group : NULL);
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

/* ---- what may be typed ---- */

static void compare_line_add(GPtrArray *words, const char *a, const char *b)
{
	g_autofree char *text = g_strconcat(a, b, NULL);

	g_ptr_array_add(words, (char *)(uintptr_t)g_intern_string(text));
}

/* The files that may follow "SPEC against " in TEXT. */
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
