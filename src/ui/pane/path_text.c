// SPDX-License-Identifier: MIT
/* The critical path in words: its title, the segment under the cursor, the shares. */
#include "ui/pane/path.h"

#include <string.h>

#define SUMMARY_WIDTH 62	/* columns that one share needs */
#define BAR_WIDTH 8
#define WIDE 110		/* columns from which on a title has room for words */

/* ---- the title ---- */

static int by_share(const void *a, const void *b)
{
	const struct ana_summary *x = a, *y = b;

	if (x->share != y->share)
		return x->share < y->share ? 1 : -1;
	return (int)x->kind - (int)y->kind;
}

/* The share of each kind over all actors, longest first; only glyphs where there is little room. */
static void append_kinds(const struct path *p, GString *title, bool wide)
{
	struct ana_summary kinds[ANA_SEG_N] = { { 0 } };

	for (unsigned k = 0; k < ANA_SEG_N; k++)
		kinds[k].kind = k;
	for (unsigned i = 0; i < p->path->summary->len; i++)
		kinds[path_sum(p, i)->kind].share += path_sum(p, i)->share;
	qsort(kinds, ANA_SEG_N, sizeof kinds[0], by_share);
	for (unsigned k = 0; k < ANA_SEG_N && kinds[k].share >= (wide ? 0.0005 : 0.005); k++) {
		gsize whole = title->len;

		g_string_append(title, wide ? "  " : " ");
		g_string_append_unichar(title, path_draw_glyph(kinds[k].kind, true, false));
		if (wide)
			g_string_append_printf(title, " %s ", ana_segment_kind_name(kinds[k].kind));
		g_string_append_printf(title, "%.*f%%", wide && kinds[k].share < 0.1 ? 1 : 0, 100 * kinds[k].share);
		if (term_text_width(title->str) + 2 > p->pane.w)
			g_string_truncate(title, whole);	/* rather none than a part of one */
	}
}

void path_text_title(const struct path *p, GString *title)
{
	struct ui_shell *shell = p->pane.shell;
	int64_t from, to;
	char *label, *span;

	bool wide = p->pane.w >= WIDE;

	g_string_append(title, wide || !p->path ? "Critical path" : "Path");
	if (!p->path)
		return;
	label = qry_row_label(shell->q, p->path->subject);
	span = ui_shell_duration_text(shell, p->path->to - p->path->from);
	g_string_append_printf(title, " of %s  %s%s  %u segment%s  %u hand-over%s ", label, span,
			       ui_shell_selection(shell, &from, &to) ? " selected" : "",
			       p->path->segments->len, p->path->segments->len == 1 ? "" : "s",
			       p->path->links->len, p->path->links->len == 1 ? "" : "s");
	append_kinds(p, title, wide);
	g_free(label);
	g_free(span);
}

/* ---- the segment under the cursor ---- */

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
		role = TERM_ROLE_TITLE;	/* the first line is lit */
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
	char **parts = g_strsplit(p->problem, ": ", 2);

	take_words(&w, TERM_ROLE_TEXT, g_strconcat(parts[0], parts[1] ? ":" : "", NULL));
	w.x--;
	if (parts[1])
		put_words(&w, TERM_ROLE_DIM, parts[1]);
	g_strfreev(parts);
}

static void put_segment(const struct path *p, struct words *w, uint32_t current)
{
	struct ui_shell *shell = p->pane.shell;
	const struct ana_segment *s = path_segment(p, current);
	char *from = ui_shell_time_text(shell, s->from), *to = ui_shell_time_text(shell, s->to);
	char *length = ui_shell_duration_text(shell, s->to - s->from), *detail = ana_path_detail(shell->q, s);

	take_words(w, TERM_ROLE_TITLE, g_strdup_printf("%u/%u", current + 1, p->path->segments->len));
	term_area_char(w->area, w->x, w->y, TERM_ROLE_PATH_RUNNING + s->kind, path_draw_glyph(s->kind, true, false));
	term_area_over(w->area, w->x, w->y, 1, 1, TERM_ROLE_TITLE);
	w->x += 2;
	take_words(w, TERM_ROLE_TITLE, g_strdup_printf("%s %s", ana_segment_kind_name(s->kind), length));
	put_words(w, TERM_ROLE_TITLE, path_actor(p, s->actor)->label);
	if (detail)
		put_words(w, TERM_ROLE_TITLE, detail);
	if (w->area->h > 1) {	/* the rest on lines of its own */
		w->x = w->area->w;
		take_words(w, TERM_ROLE_TEXT, g_strdup_printf("%s to %s", from, to));
	}
	g_free(from);
	g_free(to);
	g_free(length);
	g_free(detail);
}

static void put_reason(const struct path *p, struct words *w, uint32_t current)
{
	const struct ana_segment *s = path_segment(p, current);
	const struct ana_source *source;

	if (s->source != UINT32_MAX) {
		char *text;

		source = &g_array_index(p->path->sources, struct ana_source, s->source);
		text = ana_source_text(p->pane.shell->q, source);
		take_words(w, TERM_ROLE_TEXT, g_strdup_printf("ended: %s", text));
		g_free(text);
	}
	if (s->because)
		take_words(w, TERM_ROLE_DIM, g_strdup_printf("on the path: %s", s->because));
}

void path_text_detail(const struct path *p, const struct term_area *area)
{
	struct words w = { area, 1, 0 };
	uint32_t current = path_current(p);

	term_area_fill(area, 0, 0, area->w, 1, TERM_ROLE_TITLE, ' ');
	if (current == PATH_NO_SEGMENT) {
		put_words(&w, TERM_ROLE_TITLE, "the cursor is outside the path");
		return;
	}
	put_segment(p, &w, current);
	put_reason(p, &w, current);
}

/* ---- shares ---- */

unsigned path_text_summary_columns(unsigned width)
{
	return CLAMP(width / SUMMARY_WIDTH, 1, 3);
}

static void draw_share(const struct path *p, const struct term_area *area, unsigned y, const struct ana_summary *sum)
{
	char *time = ui_shell_duration_text(p->pane.shell, sum->time);
	unsigned bar = (unsigned)(sum->share * BAR_WIDTH + 0.5), x = 3;

	term_area_char(area, 1, y, TERM_ROLE_PATH_RUNNING + sum->kind, path_draw_glyph(sum->kind, true, false));
	term_area_fit(area, x, y, 11, TERM_ROLE_TEXT, ana_segment_kind_name(sum->kind));
	x += 12;
	term_area_text(area, x + 8 - MIN(term_text_width(time), 8), y, TERM_ROLE_TEXT, time);
	x += 9;
	term_area_printf(area, x, y, TERM_ROLE_STRONG, "%5.1f%%", 100 * sum->share);
	x += 7;
	term_area_fill(area, x, y, BAR_WIDTH, 1, TERM_ROLE_BAR_EMPTY, 0x2500);
	term_area_fill(area, x, y, MIN(bar, BAR_WIDTH), 1, TERM_ROLE_PATH_RUNNING + sum->kind, 0x2588);
	x += BAR_WIDTH;
	x = MAX(term_area_printf(area, x, y, TERM_ROLE_DIM, "%5u\303\227", sum->segments), x + 6) + 1;
	if (x < area->w)
		term_area_fit(area, x, y, area->w - x, TERM_ROLE_NAME_THREAD, path_actor(p, sum->actor)->label);
	g_free(time);
}

void path_text_summary(const struct path *p, const struct term_area *area, unsigned first, unsigned selected)
{
	unsigned columns = path_text_summary_columns(area->w), width = area->w / columns, n = p->path->summary->len;

	for (unsigned i = 0; i < columns * area->h && first + i < n; i++) {
		unsigned x = i / area->h * width, y = i % area->h;
		struct term_area part = term_area_part(area, x, 0, width, area->h);

		draw_share(p, &part, y, path_sum(p, first + i));
		if (first + i == selected)
			term_area_over(&part, 0, y, part.w, 1, TERM_ROLE_OVER_ROW);
	}
}
