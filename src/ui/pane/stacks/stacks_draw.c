/* SPDX-License-Identifier: MIT */
/*
 * One line for each depth of the tree, the root on top.  The width of a node is its share of the time.  Below
 * it are its calls, the longest first; the rest of its width is its own time.  The zoomed node and its
 * parents take the whole width.  Nodes narrower than a column are not drawn, except the selected one.
 */
#include "ui/pane/stacks/stacks.h"

#include "base/base_text.h"
#include "base/base_time.h"
#include "ui/widget/host_look.h"

#define WIDE 110   /* minimum columns for words in the title */
#define TEXT_MIN 3 /* minimum columns to show a text */

/* ---- title ---- */

void stacks_draw_title(struct ui_pane *pane, GString *title)
{
	const struct stacks *s = (const struct stacks *)pane;
	const struct ui_shell *shell = pane->shell;
	bool wide = s->pane.w >= WIDE;
	const char *what = s->asked.of == ANA_STACKS_SLEEPER ? wide ? "Blocked time by the stack" : "Stacks"
		: wide                                       ? "Blocked time by the stack of the wakers"
							     : "Stacks of the wakers";

	if (!s->ask.has_asked)
		return;
	scope_title(shell, title, what, scope_title_whose(shell, s->scope, s->asked.row), s->asked.from,
		s->asked.to);
	if (s->reversed)
		g_string_append(title, "  innermost first");
	if (s->tree && s->needle)
		g_string_append_printf(title, "  %.1f%% with \"%s\"",
			100 * (double)stacks_tree_found(s->tree, s->zoom) /
				(double)MAX(stacks_node(s->tree, s->zoom)->time, 1),
			s->needle);
}

/* ---- the icicle ---- */

/* The column, in WIDTH columns, of the time TIME ns after the start of the zoomed node. */
static unsigned stacks_draw_column_of(const struct stacks *s, unsigned width, int64_t time)
{
	return (unsigned)((double)time * width / (double)MAX(stacks_node(s->tree, s->zoom)->time, 1));
}

static const char *stacks_draw_text_of(const struct stacks_node *n)
{
	return n->what == STACKS_ROOT ? "all blocked time" : n->text;
}

static enum term_role role_of(const struct stacks *s, const struct stacks_node *n)
{
	static const enum term_role roles[] = {
		[STACKS_ROOT] = TERM_ROLE_STRONG,
		[STACKS_SLEEPER] = TERM_ROLE_NAME_PROCESS,
		[STACKS_WAKER] = TERM_ROLE_KEY,
		[STACKS_CALL] = TERM_ROLE_STATE_SYSCALL,
	};

	if (n->what == STACKS_HOST)
		return host_look_role(qry_row(s->pane.shell->q, n->longest_row)->host);
	/* Frames without a name: addresses, or cut off. */
	if (n->what == STACKS_CALL && (n->text[0] == '[' || g_str_has_prefix(n->text, "0x")))
		return TERM_ROLE_DIM;
	return n->what == STACKS_CALL && strchr(n->text, '[') ? TERM_ROLE_PATH_TIMER : roles[n->what];
}

/* Draw NODE in columns [FROM, TO) of its line; the next node may start at TO. */
static void draw_slice(const struct stacks *s, const struct term_area *area, uint32_t node, unsigned from,
	unsigned to)
{
	const struct stacks_node *n = stacks_node(s->tree, node);
	unsigned y = n->depth - s->top;

	if (n->depth < s->top)
		return;
	term_area_fill(area, from, y, to - from, 1, role_of(s, n), ' ');
	term_area_char(area, from, y, TERM_ROLE_BORDER, 0x2502); /* │ */
	term_area_char(area, to, y, TERM_ROLE_BORDER, 0x2502);
	if (to - from > TEXT_MIN)
		term_area_fit(area, from + 1, y, to - from - 1, role_of(s, n), stacks_draw_text_of(n));
	if (n->found && s->needle)
		term_area_over(area, from, y, to - from, 1, TERM_ROLE_OVER_FOUND);
}

/* Draw NODE, which starts START ns after the zoomed node, and all nodes below it. */
static void draw_node(const struct stacks *s, const struct term_area *area, uint32_t node, int64_t start)
{
	const struct stacks_node *n = stacks_node(s->tree, node);
	unsigned from = stacks_draw_column_of(s, area->w, start),
		 to = stacks_draw_column_of(s, area->w, base_time_sum(start, n->time));

	if (from >= to || n->depth >= s->top + area->h)
		return;
	draw_slice(s, area, node, from, to);
	for (uint32_t c = n->child; c != STACKS_NONE; c = stacks_node(s->tree, c)->sibling) {
		draw_node(s, area, c, start);
		start = base_time_sum(start, stacks_node(s->tree, c)->time);
	}
}

/* Mark the selected node, at least one column wide. */
static void draw_cursor(const struct stacks *s, const struct term_area *area)
{
	unsigned from = 0, to = area->w;

	if (!stacks_tree_is_below(s->tree, s->cursor, s->zoom)) {
		int64_t start = 0; /* ns from the start of the zoomed node to the start of the selected one */

		for (uint32_t node = s->cursor; node != s->zoom; node = stacks_node(s->tree, node)->parent)
			for (uint32_t n = stacks_node(s->tree, stacks_node(s->tree, node)->parent)->child;
				n != node; n = stacks_node(s->tree, n)->sibling)
				start = base_time_sum(start, stacks_node(s->tree, n)->time);
		from = MIN(stacks_draw_column_of(s, area->w, start), area->w - 1);
		to = stacks_draw_column_of(s, area->w,
			base_time_sum(start, stacks_node(s->tree, s->cursor)->time));
	}
	term_area_over(area, from, stacks_node(s->tree, s->cursor)->depth - s->top, MAX(to, from + 1) - from,
		1, ui_pane_focused(&s->pane) ? TERM_ROLE_OVER_CURSOR_CELL : TERM_ROLE_OVER_ROW);
}

static void scroll(struct stacks *s, unsigned height)
{
	uint32_t depth = stacks_node(s->tree, s->cursor)->depth;

	s->height = height;
	if (s->top + height > s->tree->depth + 1)
		s->top = s->tree->depth + 1 > height ? s->tree->depth + 1 - height : 0;
	if (depth < s->top)
		s->top = depth;
	if (depth >= s->top + height)
		s->top = depth - height + 1;
}

/* ---- the selected node in words ---- */

/* Draw TEXT (takes ownership) at column X if all of it fits.  Returns the column after it. */
static unsigned put_whole(const struct term_area *area, unsigned x, unsigned y, char *text)
{
	if (x + term_text_width(text) <= area->w)
		x = term_area_text(area, x, y, TERM_ROLE_TITLE, text);
	else
		x = area->w;
	g_free(text);
	return x;
}

/* Draw the selected node: its full name, then as many facts as fit. */
static void stacks_draw_draw_bar(const struct stacks *s, const struct term_area *area, unsigned y)
{
	struct ui_shell *shell = s->pane.shell;
	const struct stacks_node *n = stacks_node(s->tree, s->cursor), *root = stacks_node(s->tree, 0);
	g_autofree char *time = ui_shell_duration_text(shell, n->time),
			*longest = ui_shell_duration_text(shell, n->longest);
	g_autofree char *label = qry_row_label(shell->q, n->longest_row),
			*end = ui_shell_time_text(shell, n->longest_end);
	unsigned x;

	term_area_fill(area, 0, y, area->w, 1, TERM_ROLE_TITLE, ' ');
	x = term_area_text(area, 1, y, TERM_ROLE_TITLE, stacks_draw_text_of(n));
	x = put_whole(area, x, y, g_strdup_printf("  %s", time));
	x = put_whole(area, x, y,
		g_strdup_printf("  %.1f%%", 100 * (double)n->time / (double)MAX(root->time, 1)));
	x = put_whole(area, x, y,
		g_strdup_printf("  %" G_GUINT64_FORMAT " wait%s", n->count, base_text_s(n->count)));
	x = put_whole(area, x, y, g_strdup_printf(", longest %s", longest));
	x = put_whole(area, x, y, g_strdup_printf(" of %s", label));
	put_whole(area, x, y, g_strdup_printf(" until %s", end));
}

void stacks_draw(struct stacks *s, const struct term_area *area)
{
	unsigned bar = area->h > 1;
	struct term_area lines = term_area_part(area, 0, 0, area->w, area->h - bar);

	if (area->w == 0 || lines.h == 0)
		return;
	scroll(s, lines.h);
	for (uint32_t up = stacks_node(s->tree, s->zoom)->parent; up != STACKS_NONE;
		up = stacks_node(s->tree, up)->parent)
		draw_slice(s, &lines, up, 0, lines.w);
	draw_node(s, &lines, s->zoom, 0);
	draw_cursor(s, &lines);
	if (bar)
		stacks_draw_draw_bar(s, area, area->h - 1);
}

uint32_t stacks_draw_at(const struct stacks *s, unsigned x, unsigned y)
{
	uint32_t depth = s->top + y, node = s->zoom;
	int64_t start = 0;

	if (y >= s->height)
		return STACKS_NONE;
	while (node != STACKS_NONE && stacks_node(s->tree, node)->depth > depth)
		node = stacks_node(s->tree, node)->parent;
	while (node != STACKS_NONE && stacks_node(s->tree, node)->depth < depth) {
		node = stacks_node(s->tree, node)->child;
		for (; node != STACKS_NONE; node = stacks_node(s->tree, node)->sibling) {
			start = base_time_sum(start, stacks_node(s->tree, node)->time);
			if (x < stacks_draw_column_of(s, s->pane.w, start))
				break;
		}
		if (node != STACKS_NONE)
			start -= stacks_node(s->tree, node)->time;
	}
	return node;
}
