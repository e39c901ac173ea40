/* SPDX-License-Identifier: MIT */
/* The critical path in words: its title, the item under the cursor. */
#include "ui/pane/path/path.h"
#include "base/base_search.h"
#include "ui/widget/subject.h"

#define WIDE 110 /* columns from which on a title has room for words */
#define NAMED 3  /* actors that a fold's text names */

/* ---- the title ---- */

static int path_text_longest_first(const void *a, const void *b)
{
	const struct path_sum *x = a, *y = b;

	return BASE_BY(y, x, time) ?: (int)x->look - (int)y->look;
}

/* The share of each kind over all actors, longest first; only glyphs where there is little room. */
static void append_kinds(const struct path *p, GString *title, bool wide)
{
	struct path_sum kinds[PATH_LOOK_N] = { { 0 } };
	double all = (double)(p->path->to - p->path->from);

	for (unsigned k = 0; k < PATH_LOOK_N; k++)
		kinds[k].look = (uint8_t)k;
	for (unsigned i = 0; i < p->items.sums->len; i++)
		kinds[path_sum(p, i)->look].time += path_sum(p, i)->time;
	qsort(kinds, PATH_LOOK_N, sizeof kinds[0], path_text_longest_first);
	for (unsigned k = 0; k < PATH_LOOK_N; k++) {
		double share = (double)kinds[k].time / all;
		gsize whole = title->len;

		if (share < (wide ? 0.0005 : 0.005))
			break;
		g_string_append(title, wide ? "  " : " ");
		ui_pane_title_sign(&p->pane, title, path_look_role(kinds[k].look),
			path_look_glyph(p->pane.shell->grid, kinds[k].look, wide));
		if (wide)
			g_string_append_printf(title, " %s ", path_look_name(kinds[k].look));
		g_string_append_printf(title, "%.*f%%", wide && share < 0.1 ? 1 : 0, 100 * share);
		if (term_text_width(title->str) + 2 > p->pane.w) {
			g_string_truncate(title, whole); /* rather none than a part of one, or a shorter one
							    without a longer */
			break;
		}
	}
}

/* What is folded, if anything. */
static void append_folds(const struct path *p, GString *title)
{
	if (p->items.limit) {
		g_autofree char *limit = ui_shell_duration_text(p->pane.shell, p->items.limit);

		g_string_append_printf(title, " under %s folded ", limit);
	}
	if (p->items.levels < p->items.deepest)
		g_string_append_printf(title, " level %u of %u ", p->items.levels, p->items.deepest);
}

/* " 78 segments  8 hand-overs ", where there is room. */
static void append_counts(const struct path *p, GString *title)
{
	gsize whole = title->len;

	g_string_append_printf(title, " %u segment%s  %u hand-over%s ", p->path->segments->len,
		p->path->segments->len == 1 ? "" : "s", p->path->links->len,
		p->path->links->len == 1 ? "" : "s");
	if (term_text_width(title->str) + 1 > p->pane.w)
		g_string_truncate(title, whole);
}

/* " (3.00 ms: created, exited)" where the path is shorter than what was asked for. */
static void append_ends(const struct path *p, GString *title)
{
	const struct ana_path_window *w = &p->path->window;
	g_autofree char *length = ui_shell_duration_text(p->pane.shell, w->to - w->from);

	if (w->begins || w->ends)
		g_string_append_printf(title, " (%s: %s%s%s)", length, w->begins ? w->begins : "",
			w->begins && w->ends ? ", " : "", w->ends ? w->ends : "");
}

void path_text_title(struct ui_pane *pane, GString *title)
{
	const struct path *p = (const struct path *)pane;
	struct ui_shell *shell = pane->shell;
	bool wide = p->pane.w >= WIDE;

	if (!p->path) {
		g_string_append(title, "Critical path");
		return;
	}
	scope_title(shell, title, wide ? "Critical path" : "Path",
		scope_title_whose(shell, SCOPE_THREAD, p->path->subject), p->path->window.asked_from,
		p->path->window.asked_to);
	append_ends(p, title);
	g_string_append_c(title, ' ');
	append_folds(p, title);
	if (wide)
		append_counts(p, title);
	append_kinds(p, title, wide);
	if (!wide && !p->items.limit && p->items.levels >= p->items.deepest)
		append_counts(p, title);
}

/* ---- what is folded ---- */

/* Time in ITEM by actor or, with KINDS, by kind, and in *N of how many of them; the caller frees. */
static int64_t *times_in(const struct path *p, const struct path_item *item, bool kinds, unsigned *n)
{
	int64_t *times = g_new0(int64_t, MAX(p->path->actors->len, ANA_SEG_N));

	*n = 0;
	for (uint32_t i = item->first; i < item->first + item->n; i++) {
		const struct ana_segment *s = path_segment(p, i);
		int64_t *time = &times[kinds ? s->kind : s->actor];

		*n += *time == 0;
		*time += s->to - s->from;
	}
	return times;
}

/* The actors or kinds of ITEM that have the most of it. */
static void append_parts(const struct path *p, GString *text, const struct path_item *item, bool kinds)
{
	unsigned n;
	int64_t *times = times_in(p, item, kinds, &n);

	for (unsigned i = 0; i < MIN(n, NAMED); i++) {
		unsigned best = 0;

		for (unsigned k = 1; k < (kinds ? ANA_SEG_N : p->path->actors->len); k++)
			best = times[k] > times[best] ? k : best;
		g_string_append_printf(text, "%s %s %.0f%%", i ? "," : "",
			kinds ? ana_segment_kind_name(best) : path_actor(p, best)->label,
			100 * (double)times[best] / (double)(item->to - item->from));
		times[best] = 0;
	}
	if (n > NAMED)
		g_string_append_printf(text, " and %u more", n - NAMED);
	g_free(times);
}

char *path_text_fold(const struct path *p, const struct path_item *item)
{
	const struct ana_segment *first = path_segment(p, item->first);
	const char *label = path_actor(p, first->actor)->label;
	GString *text = g_string_new(NULL);
	unsigned actors;

	if (item->n == 1) {
		g_string_append_printf(text, "%s of %s", path_look_name(path_items_look(p->path, first)),
			label);
		return g_string_free(text, FALSE);
	}
	g_free(times_in(p, item, false, &actors));
	g_string_append_printf(text, "%u segments", item->n);
	if (actors == 1) /* then what it did says more */
		g_string_append_printf(text, " of %s", label);
	g_string_append_c(text, ':');
	append_parts(p, text, item, actors == 1);
	return g_string_free(text, FALSE);
}

/* ---- the item under the cursor ---- */

/* Words that flow over the lines of an area. */
struct words {
	const struct term_area *area;
	unsigned x, y;
};

/* Put TEXT behind the last one, on a new line where it does not fit; on the last line it is cut. */
static void put_words(struct words *w, enum term_role role, const char *text)
{
	unsigned width = term_text_width(text);

	if (w->x > 1 && w->x + width > w->area->w && w->y + 1 < w->area->h) {
		w->y++;
		w->x = 1;
	}
	if (w->y == 0)
		role = TERM_ROLE_TITLE; /* the first line is lit */
	if (w->x < w->area->w)
		w->x = term_area_fit(w->area, w->x, w->y, w->area->w - w->x, role, text) + 2;
}

static void take_words(struct words *w, enum term_role role, char *text)
{
	put_words(w, role, text);
	g_free(text);
}

void path_text_problem(const struct path *p, const struct term_area *area)
{
	struct words w = { area, 1, 1 };
	g_auto(GStrv) parts = g_strsplit(p->problem, ": ", 2);

	take_words(&w, TERM_ROLE_TEXT, g_strconcat(parts[0], parts[1] ? ":" : "", NULL));
	w.x--;
	if (parts[1])
		put_words(&w, TERM_ROLE_DIM, parts[1]);
}

/* "22/90 t timer 3.24 ms", and for a fold "22-25/90 ~ 4 segments folded 12 µs". */
static void put_look(const struct path *p, struct words *w, const struct path_item *item)
{
	g_autofree char *length = ui_shell_duration_text(p->pane.shell, item->to - item->from);
	unsigned all = p->path->segments->len;

	if (item->n > 1)
		take_words(w, TERM_ROLE_TITLE,
			g_strdup_printf("%u-%u/%u", item->first + 1, item->first + item->n, all));
	else
		take_words(w, TERM_ROLE_TITLE, g_strdup_printf("%u/%u", item->first + 1, all));
	term_area_char(w->area, w->x, w->y, path_look_role(item->look),
		path_look_glyph(w->area->grid, item->look, true));
	w->x += 2;
	take_words(w, TERM_ROLE_TITLE, g_strdup_printf("%s %s", path_look_name(item->look), length));
}

static void put_item(const struct path *p, struct words *w, const struct path_item *item)
{
	struct ui_shell *shell = p->pane.shell;
	g_autofree char *from = ui_shell_time_text(shell, item->from),
			*to = ui_shell_time_text(shell, item->to), *detail = NULL;
	char *crossing = path_text_crossing(p, item);

	put_look(p, w, item);
	if (crossing)
		take_words(w, TERM_ROLE_TITLE, crossing);
	if (item->look != PATH_LOOK_SHORT)
		put_words(w, TERM_ROLE_TITLE, path_actor(p, item->actor)->label);
	detail = item->fold == PATH_NO_FOLD ? ana_path_detail(shell->q, path_segment(p, item->first))
					    : path_text_fold(p, item);
	if (detail)
		put_words(w, TERM_ROLE_TITLE, detail);
	if (w->area->h > 1) { /* the rest on lines of its own */
		w->x = w->area->w;
		take_words(w, TERM_ROLE_TEXT, g_strdup_printf("%s to %s", from, to));
	}
}

char *path_text_crossing(const struct path *p, const struct path_item *item)
{
	const struct ui_shell *shell = p->pane.shell;
	const struct ana_crossing *crossing = &path_segment(p, item->first)->crossing;
	g_autofree char *error = NULL;

	if (item->n != 1 || item->look == PATH_LOOK_SHORT || !crossing->crossed)
		return NULL;
	error = crossing->error == INT64_MAX ? g_strdup("?") : ui_shell_duration_text(shell, crossing->error);
	return g_strdup_printf("%s%s %s", shell->grid->ascii ? "+-" : "\302\261", error,
		ana_grade_name(crossing->grade));
}

char *path_text_end(const struct path *p, uint32_t i)
{
	const struct ana_segment *s = path_segment(p, i);
	const struct ana_source *source;
	g_autofree char *text = NULL;

	if (s->source == UINT32_MAX)
		return NULL;
	source = &g_array_index(p->path->sources, struct ana_source, s->source);
	if (source->thread != MDL_NONE && source->thread == path_actor(p, s->actor)->row &&
		i + 1 < p->path->segments->len)
		return g_strdup_printf("then %s %s", source->kind == ANA_KIND_FORK ? "created" : "woke",
			path_actor(p, s[1].actor)->label);
	text = ana_source_text(p->pane.shell->q, source);
	return g_strdup_printf("ended: %s", text);
}

static void put_reason(const struct path *p, struct words *w, const struct path_item *item)
{
	const struct ana_segment *s = path_segment(p, item->first + item->n - 1);
	char *end = path_text_end(p, item->first + item->n - 1);

	if (end)
		take_words(w, TERM_ROLE_TEXT, end);
	if (s->because && item->fold == PATH_NO_FOLD)
		take_words(w, TERM_ROLE_DIM, g_strdup_printf("on the path: %s", s->because));
}

void path_text_detail(const struct path *p, const struct term_area *area)
{
	struct words w = { area, 1, 0 };
	uint32_t current = path_current(p);

	term_area_fill(area, 0, 0, area->w, 1, TERM_ROLE_TITLE, ' ');
	if (current == PATH_NO_ITEM) {
		put_words(&w, TERM_ROLE_TITLE, "the cursor is outside the path");
		return;
	}
	put_item(p, &w, path_item(p, current));
	put_reason(p, &w, path_item(p, current));
}
