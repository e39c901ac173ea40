/* SPDX-License-Identifier: MIT */
/*
 * The whole critical-path pane: its title; a ruler; the path as rows, list or shares; below them, all details
 * of the item under the cursor.
 */
#include "ui/pane/path/path.h"

#include "base/base_search.h"
#include "base/base_text.h"
#include "ui/widget/host_look.h"
#include "ui/widget/looks.h"
#include "ui/widget/subject.h"

#define WIDE 110 /* minimum columns for words in the title and a line with the reason */
#define NAMED 3  /* actors named in the text of a fold */

/* ---- the title ---- */

static int path_text_longest_first(const void *a, const void *b)
{
	const struct path_sum *x = a, *y = b;

	return BASE_BY(y, x, time) ?: (int)x->look - (int)y->look;
}

/* Append the share of each kind over all actors, longest first, as far as there is room. */
static void append_kinds(const struct path *p, GString *title, bool wide)
{
	struct path_sum kinds[PATH_LOOK_N] = { { 0 } };
	double all = (double)(p->path->to - p->path->from);

	for (unsigned k = 0; k < PATH_LOOK_N; k++)
		kinds[k].look = (uint8_t)k;
	for (unsigned i = 0; i < p->items.sums->len; i++)
		kinds[path_sum(&p->items, i)->look].time += path_sum(&p->items, i)->time;
	qsort(kinds, PATH_LOOK_N, sizeof kinds[0], path_text_longest_first);
	for (unsigned k = 0; k < PATH_LOOK_N; k++) {
		double share = (double)kinds[k].time / all;
		gsize whole = title->len;

		if (share < (wide ? 0.0005 : 0.005))
			break;
		g_string_append(title, wide ? "  " : " ");
		ui_pane_title_sign(&p->pane, title, path_look_role(kinds[k].look),
			path_look_glyph(p->pane.shell->grid, kinds[k].look, wide));
		g_string_append_printf(title, " %s %.*f%%", path_look_name(kinds[k].look),
			wide && share < 0.1 ? 1 : 0, 100 * share);
		if (term_text_width(title->str) + 2 > p->pane.w) {
			/* Drop an entry that does not fit, and append no shorter one after it. */
			g_string_truncate(title, whole);
			break;
		}
	}
}

/* Append " 78 segments 8 hand-overs " if there is room. */
static void append_counts(const struct path *p, GString *title)
{
	gsize whole = title->len;

	g_string_append_printf(title, " %u segment%s  %u hand-over%s ", p->path->segments->len,
		base_text_s(p->path->segments->len), p->path->links->len, base_text_s(p->path->links->len));
	if (term_text_width(title->str) + 1 > p->pane.w)
		g_string_truncate(title, whole);
}

void path_text_title(struct ui_pane *pane, GString *title)
{
	const struct path *p = (const struct path *)pane;
	struct ui_shell *shell = pane->shell;
	bool wide = p->pane.w >= WIDE;
	const struct ana_path_window *w;
	g_autofree char *length = NULL, *limit = NULL;

	if (!p->path) {
		g_string_append(title, "Critical path");
		return;
	}
	w = &p->path->window;
	scope_title(shell, title, wide ? "Critical path" : "Path",
		scope_title_whose(shell, SCOPE_THREAD, p->path->subject), w->asked_from, w->asked_to);
	if (w->begins || w->ends) { /* the path is shorter than the asked time */
		length = ui_shell_duration_text(shell, w->to - w->from);
		g_string_append_printf(title, " (%s: %s%s%s)", length, w->begins ? w->begins : "",
			w->begins && w->ends ? ", " : "", w->ends ? w->ends : "");
	}
	g_string_append_c(title, ' ');
	if (p->items.limit) {
		limit = ui_shell_duration_text(shell, p->items.limit);
		g_string_append_printf(title, " under %s folded ", limit);
	}
	if (p->items.levels < p->items.deepest)
		g_string_append_printf(title, " level %u of %u ", p->items.levels, p->items.deepest);
	if (wide)
		append_counts(p, title);
	append_kinds(p, title, wide);
	if (!wide && !p->items.limit && p->items.levels >= p->items.deepest)
		append_counts(p, title);
}

/* ---- folds ---- */

/* The ns of ITEM by actor or, if KINDS, by kind.  *N becomes the number of nonzero ones.  The caller
 * frees. */
static int64_t *times_in(const struct path *p, const struct path_item *item, bool kinds, unsigned *n)
{
	int64_t *times = g_new0(int64_t, MAX(p->path->actors->len, ANA_SEG_N));

	*n = 0;
	for (uint32_t i = item->first; i < item->first + item->n; i++) {
		const struct ana_segment *s = path_segment(p->path, i);
		int64_t *time = &times[kinds ? s->kind : s->actor];

		*n += *time == 0;
		*time += s->to - s->from;
	}
	return times;
}

/* Append the actors or kinds with the most time in ITEM. */
static void append_parts(const struct path *p, GString *text, const struct path_item *item, bool kinds)
{
	unsigned n;
	int64_t *times = times_in(p, item, kinds, &n);

	for (unsigned i = 0; i < MIN(n, NAMED); i++) {
		unsigned best = 0;

		for (unsigned k = 1; k < (kinds ? ANA_SEG_N : p->path->actors->len); k++)
			best = times[k] > times[best] ? k : best;
		g_string_append_printf(text, "%s %s %.0f%%", i ? "," : "",
			kinds ? ana_segment_kind_name(best) : path_actor(p->path, best)->label,
			100 * (double)times[best] / (double)(item->to - item->from));
		times[best] = 0;
	}
	if (n > NAMED)
		g_string_append_printf(text, " and %u more", n - NAMED);
	g_free(times);
}

/* The content of the folded ITEM: "5 segments: wk-stage1[436] 60%, hrtimer 30%, …".  The caller frees. */
static char *path_text_fold(const struct path *p, const struct path_item *item)
{
	const struct ana_segment *first = path_segment(p->path, item->first);
	const char *label = path_actor(p->path, first->actor)->label;
	GString *text = g_string_new(NULL);
	unsigned actors;

	if (item->n == 1) {
		g_string_append_printf(text, "%s of %s", path_look_name(path_items_look(p->path, first)),
			label);
		return g_string_free(text, FALSE);
	}
	g_free(times_in(p, item, false, &actors));
	g_string_append_printf(text, "%u segments", item->n);
	if (actors == 1) /* with one actor, its kinds are more useful */
		g_string_append_printf(text, " of %s", label);
	g_string_append_c(text, ':');
	append_parts(p, text, item, actors == 1);
	return g_string_free(text, FALSE);
}

/* ---- the item under the cursor ---- */

/* Text that flows over the lines of an area. */
struct words {
	const struct term_area *area;
	unsigned x, y;
};

/* Put TEXT after the previous one, on a new line if it does not fit, on several if needed; the last line
 * truncates it. */
static void put_words(struct words *w, enum term_role role, const char *text)
{
	while (*text) {
		unsigned room = w->area->w - MIN(w->x, w->area->w);
		bool last = w->y + 1 >= w->area->h;
		g_autoptr(GPtrArray) rows = term_text_rows(text, MAX(room, 1), 0);
		const char *row = last ? text : g_ptr_array_index(rows, 0);

		if (w->x == 1 || last || rows->len == 1) {
			if (room)
				w->x = term_area_fit(w->area, w->x, w->y, room,
					       w->y ? role : TERM_ROLE_TITLE /* the first line is lit */,
					       row) +
					2;
			text += strlen(row);
			text += strspn(text, " ");
		}
		if (*text) {
			w->y++;
			w->x = 1;
		}
	}
}

static void take_words(struct words *w, enum term_role role, char *text)
{
	put_words(w, role, text);
	g_free(text);
}

/* Draw the reason why there is no path on the lines of AREA. */
static void path_text_problem(const struct path *p, const struct term_area *area)
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

/* For a packet's transit between two hosts: the error of its length, and its grade: "±136 µs inferred".  NULL
 * for other items.  The caller frees. */
static char *path_text_crossing(const struct path *p, const struct path_item *item)
{
	const struct ui_shell *shell = p->pane.shell;
	const struct ana_crossing *crossing = &path_segment(p->path, item->first)->crossing;
	g_autofree char *error = NULL;

	if (item->n != 1 || item->look == PATH_LOOK_SHORT || !crossing->crossed)
		return NULL;
	error = crossing->error == INT64_MAX ? g_strdup("?") : ui_shell_duration_text(shell, crossing->error);
	return g_strdup_printf("%s%s %s", shell->grid->ascii ? "+-" : "\302\261", error,
		ana_grade_name(crossing->doubts));
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
		put_words(w, TERM_ROLE_TITLE, path_actor(p->path, item->actor)->label);
	detail = item->fold == PATH_NO_FOLD ? ana_path_detail(shell->q, path_segment(p->path, item->first))
					    : path_text_fold(p, item);
	if (detail)
		put_words(w, TERM_ROLE_TITLE, detail);
	if (w->area->h > 1) { /* the rest goes on separate lines */
		w->x = w->area->w;
		take_words(w, TERM_ROLE_TEXT, g_strdup_printf("%s to %s", from, to));
	}
}

/* The end of segment I: "then woke X", "ended: timer: …"; NULL if the same actor simply continues.  The
 * caller frees. */
static char *path_text_end(const struct path *p, uint32_t i)
{
	const struct ana_segment *s = path_segment(p->path, i);
	const struct ana_source *source;
	g_autofree char *text = NULL;

	if (s->source == UINT32_MAX)
		return NULL;
	source = &g_array_index(p->path->sources, struct ana_source, s->source);
	if (source->thread != MDL_NONE && source->thread == path_actor(p->path, s->actor)->row &&
		i + 1 < p->path->segments->len)
		return g_strdup_printf("then %s %s", source->kind == ANA_KIND_FORK ? "created" : "woke",
			path_actor(p->path, s[1].actor)->label);
	text = ana_source_text(p->pane.shell->q, source);
	return g_strdup_printf("ended: %s", text);
}

/* Draw all details of the item under the cursor, from the first line of AREA.  Returns the number of
 * lines. */
static unsigned path_text_detail(const struct path *p, const struct term_area *area)
{
	struct words w = { area, 1, 0 };
	uint32_t current = path_current(p);
	const struct path_item *item;
	const char *because;
	char *end;

	term_area_fill(area, 0, 0, area->w, 1, TERM_ROLE_TITLE, ' ');
	if (current == PATH_NO_ITEM) {
		put_words(&w, TERM_ROLE_TITLE, "the cursor is outside the path");
		return 1;
	}
	item = path_item(&p->items, current);
	put_item(p, &w, item);
	end = path_text_end(p, item->first + item->n - 1);
	if (end)
		take_words(&w, TERM_ROLE_TEXT, end);
	because = path_segment(p->path, item->first + item->n - 1)->because;
	if (because && item->fold == PATH_NO_FOLD)
		take_words(&w, TERM_ROLE_DIM, g_strdup_printf("on the path: %s", because));
	return w.y + 1;
}

#define RULER_FROM 9  /* minimum lines of the pane for its own ruler */
#define SHARES_FROM 7 /* minimum lines of rows and shares to reserve SHARES_LEAST for shares */
#define SHARES_LEAST 3
#define SUMMARY_MAX 5    /* most lines of shares for which blank lines between rows leave room */
#define SUMMARY_WIDTH 62 /* columns of one share */
#define BAR_WIDTH 8
#define INDENT_MAX 8

/* Draw the marks of the hosts on the path, each with its host, as far as they fit. */
static void draw_hosts(const struct path *p, const struct term_area *names)
{
	const struct qry *q = p->pane.shell->q;
	unsigned x = 0;

	for (uint32_t host = 0; host < qry_host_count(q); host++) {
		bool there = false;
		g_autofree char *tag = NULL;

		for (guint i = 0; i < p->path->actors->len && !there; i++)
			there = path_actor(p->path, i)->host == host &&
				path_line_of(&p->items, i) != UINT32_MAX;
		if (!there || x + 3 >= names->w)
			continue;
		term_area_char(names, x, 0, host_look_role(host), host_look_mark(q, host));
		tag = host_look_tag(q, host, names->w - x - 2);
		x = term_area_fit(names, x + 2, 0, names->w - x - 2, host_look_role(host), tag) + 1;
	}
}

/* Draw the ruler and the heading of the names. */
static void draw_ruler(const struct path *p, const struct term_area *area)
{
	const struct ui_shell *shell = p->pane.shell;
	struct term_area time = term_area_part(area, shell->names, 0, shell->columns, 1);
	struct term_area names = term_area_part(area, 0, 0, shell->names - 1, 1);

	if (qry_host_count(shell->q) > 1) {
		draw_hosts(p, &names);
	} else {
		term_area_text(&names, 1, 0, TERM_ROLE_RULER, "on the path");
		term_area_right(&names, 0, 0, TERM_ROLE_RULER, "share");
	}
	term_area_char(area, shell->names - 1, 0, TERM_ROLE_BORDER, 0x2502);
	ruler_draw(shell, &time);
}

/* ---- the rows of the actors, aligned with the columns of the control flow ---- */

/* Draw the rows of the actors into AREA, ROWS of them, STEP lines apart. */
static void draw_actors(const struct path *p, const struct term_area *area, unsigned rows, unsigned step)
{
	const struct ui_shell *shell = p->pane.shell;
	struct term_area names = term_area_part(area, 0, 0, shell->names - 1, area->h);
	struct term_area time = term_area_part(area, shell->names, 0, shell->columns, area->h);
	struct path_rows r = { .q = shell->q,
		.path = p->path,
		.items = &p->items,
		.turns = p->turns,
		.from = shell->view->from,
		.to = shell->view->to,
		.columns = shell->columns,
		.current = path_current(p),
		.first = p->view.top,
		.rows = MIN(rows, p->items.lines->len - p->view.top),
		.step = step,
		.area = &time };
	int selected = -1, cursor = ui_shell_column_of(shell, shell->view->cursor);
	unsigned x = shell->names - 1;

	term_area_fill(area, x, 0, 1, area->h, TERM_ROLE_BORDER, 0x2502);
	if (p->view.top) /* arrows for more rows above or below */
		term_area_char(area, x, 0, TERM_ROLE_KEY, 0x2191);
	if (p->view.top + r.rows < p->items.lines->len)
		term_area_char(area, x, (r.rows - 1) * step, TERM_ROLE_KEY, 0x2193);
	for (unsigned i = 0; i < r.rows; i++)
		path_rows_name(&r, &names, i * step, path_line_actor(p, p->view.top + i));
	path_rows_draw(&r);
	if (r.current != PATH_NO_ITEM)
		selected = path_turns_line(&r,
			path_line_of(&p->items, path_item(&p->items, r.current)->actor));
	if (selected < 0 || selected >= (int)time.h)
		return;
	term_area_over(&names, 0, (unsigned)selected, names.w, 1, TERM_ROLE_OVER_ROW);
	term_area_over(&time, 0, (unsigned)selected, time.w, 1, TERM_ROLE_OVER_ROW_TIME);
	if (cursor >= 0 && cursor < (int)time.w)
		term_area_over(&time, (unsigned)cursor, (unsigned)selected, 1, 1, TERM_ROLE_OVER_CURSOR_CELL);
}

/* ---- shares: time by actor and kind, longest first ---- */

/* The number of shares beside each other in WIDTH columns. */
static unsigned share_columns(unsigned width)
{
	return CLAMP(width / SUMMARY_WIDTH, 1, 3);
}

static void draw_share(const struct path *p, const struct term_area *area, unsigned y,
	const struct path_sum *sum)
{
	double share = (double)sum->time / (double)(p->path->to - p->path->from);
	unsigned bar = (unsigned)(share * BAR_WIDTH + 0.5), x = 3;

	term_area_char(area, 1, y, path_look_role(sum->look), path_look_glyph(area->grid, sum->look, true));
	term_area_fit(area, x, y, 11, TERM_ROLE_TEXT, path_look_name(sum->look));
	x += 12;
	term_area_duration(area, x + 8, y, TERM_ROLE_TEXT, sum->time);
	x += 9;
	term_area_printf(area, x, y, TERM_ROLE_STRONG, "%5.1f%%", 100 * share);
	x += 7;
	term_area_fill(area, x, y, BAR_WIDTH, 1, TERM_ROLE_BAR_EMPTY, 0x2500);
	term_area_fill(area, x, y, MIN(bar, BAR_WIDTH), 1, path_look_role(sum->look), 0x2588);
	x += BAR_WIDTH;
	x = MAX(term_area_printf(area, x, y, TERM_ROLE_DIM, "%5u\303\227", sum->items), x + 6) + 1;
	if (x < area->w)
		host_look_label(area, x, y, area->w - x, TERM_ROLE_NAME_THREAD, p->pane.shell->q,
			path_actor(p->path, sum->actor)->host, path_actor(p->path, sum->actor)->label);
}

/* Draw the shares from line FIRST on; mark SELECTED (UINT_MAX: none). */
static void draw_shares_from(const struct path *p, const struct term_area *area, unsigned first,
	unsigned selected)
{
	unsigned columns = share_columns(area->w), width = area->w / columns, n = p->items.sums->len;

	for (unsigned i = 0; i < columns * area->h && first + i < n; i++) {
		unsigned x = i / area->h * width, y = i % area->h;
		struct term_area part = term_area_part(area, x, 0, width, area->h);

		draw_share(p, &part, y, path_sum(&p->items, first + i));
		if (first + i == selected)
			term_area_over(&part, 0, y, part.w, 1, TERM_ROLE_OVER_ROW);
	}
}

/* ---- the list: time, length, kind, actor (indented by depth), reason ---- */

struct columns {
	unsigned length, look, who, what; /* start columns */
};

/* The detail of ITEM, and the end of its wait.  The caller frees. */
static char *what_text(const struct path *p, const struct path_item *item, bool wide)
{
	g_autofree char *detail = NULL, *ended = NULL;

	if (item->n == 1)
		detail = ana_path_detail(p->pane.shell->q, path_segment(p->path, item->first));
	else
		detail = path_text_fold(p, item);
	if (item->look == PATH_LOOK_SHORT && item->n > 1)
		return g_steal_pointer(&detail);
	ended = wide || !detail || item->n > 1 ? path_text_end(p, item->first + item->n - 1) : NULL;
	if (!ended)
		return g_steal_pointer(&detail);
	if (item->n == 1)
		return g_strdup_printf("%s%s%s", detail ? detail : "", detail ? "  " : "", ended);
	return g_strdup_printf("%s  %s", ended, detail);
}

/* Draw WHAT (may be NULL), after the certainty of a packet's transit between hosts. */
static void draw_what(const struct path *p, const struct columns *c, const struct term_area *area, unsigned y,
	const struct path_item *item, const char *what)
{
	g_autofree char *crossing = path_text_crossing(p, item);
	unsigned x = c->what;

	if (crossing && x < area->w)
		x = term_area_fit(area, x, y, area->w - x,
			    kind_look_grade(
				    mdl_grade_of(path_segment(p->path, item->first)->crossing.doubts)),
			    crossing) +
			2;
	if (what && x < area->w)
		term_area_fit(area, x, y, area->w - x, TERM_ROLE_TEXT, what);
}

static void draw_item(const struct path *p, const struct columns *c, const struct term_area *area, unsigned y,
	const struct path_item *item)
{
	struct ui_shell *shell = p->pane.shell;
	g_autofree char *when = ui_shell_time_text(shell, item->from),
			*what = what_text(p, item, area->w >= WIDE);
	/* Folding a single short segment saves no line: show the segment itself. */
	bool single = item->look == PATH_LOOK_SHORT && item->n == 1;
	unsigned who = c->who + MIN(item->depth, INDENT_MAX),
		 look = single ? path_items_look(p->path, path_segment(p->path, item->first)) : item->look;
	uint32_t actor = single ? path_segment(p->path, item->first)->actor : item->actor;
	enum term_role role = path_look_role(look);

	term_area_text(area, 1, y, TERM_ROLE_DIM, when);
	term_area_duration(area, c->length + 8, y, TERM_ROLE_STRONG, item->to - item->from);
	term_area_char(area, c->look, y, role, path_look_glyph(area->grid, look, true));
	term_area_fit(area, c->look + 2, y, c->who - c->look - 3, TERM_ROLE_TEXT, path_look_name(look));
	if (look == PATH_LOOK_SHORT) {
		if (what)
			term_area_fit(area, who, y, area->w - MIN(who, area->w), TERM_ROLE_DIM, what);
	} else {
		host_look_label(area, who, y, c->what - who - 1, TERM_ROLE_NAME_THREAD, shell->q,
			path_actor(p->path, actor)->host, path_actor(p->path, actor)->label);
		draw_what(p, c, area, y, item, what);
	}
}

/* ---- the pane ---- */

static void draw_list(struct path *p, const struct term_area *area)
{
	struct columns c = { .length = ui_shell_time_width(p->pane.shell) + 2 };
	uint32_t current = path_current(p);

	c.look = c.length + 10;
	c.who = c.look + 14;
	c.what = c.who + (area->w >= WIDE ? 34 : qry_host_count(p->pane.shell->q) > 1 ? 23 : 20);
	p->view.line = current == PATH_NO_ITEM ? p->view.top : current;
	list_view_scroll(&p->view, area->h, p->items.items->len);
	for (unsigned y = 0; y < p->view.seen; y++)
		draw_item(p, &c, area, y, path_item(&p->items, p->view.top + y));
	if (current != PATH_NO_ITEM)
		list_view_mark(&p->view, &p->pane, area);
}

/* The number of lines of shares for which blank lines between rows leave room. */
static unsigned shares_wanted(const struct path *p, unsigned width)
{
	unsigned columns = share_columns(width);

	return MIN((p->items.sums->len + columns - 1) / columns, SUMMARY_MAX);
}

unsigned path_screen_lines(const struct path *p, unsigned columns)
{
	return 1 + p->items.lines->len + 1 + shares_wanted(p, columns) + (columns < WIDE ? 3 : 2);
}

/* Draw the rows, with blank lines between them for the arrows if there is room, and the shares below.  If the
 * area has SHARES_FROM lines, at least SHARES_LEAST of them are for shares. */
static void draw_rows(struct path *p, const struct term_area *area)
{
	unsigned n = p->items.lines->len, shares = shares_wanted(p, area->w),
		 least = area->h >= SHARES_FROM ? MIN(shares, SHARES_LEAST) + 1 : 0;
	unsigned step = 2 * n - 1 + 1 + shares <= area->h ? 2 : 1, used;
	uint32_t current = path_current(p);
	struct term_area part;

	p->view.line = current == PATH_NO_ITEM
		? p->view.top
		: path_line_of(&p->items, path_item(&p->items, current)->actor);
	list_view_scroll(&p->view, MIN((area->h - least + step - 1) / step, n), n);
	used = MIN(p->view.height * step, area->h);
	part = term_area_part(area, 0, 0, area->w, used);
	draw_actors(p, &part, p->view.height, step);
	if (area->h <= used + 1)
		return;
	term_area_fill(area, 0, used, area->w, 1, TERM_ROLE_BORDER, 0x2500);
	term_area_char(area, p->pane.shell->names - 1, used, TERM_ROLE_BORDER, 0x2534);
	part = term_area_part(area, 0, used + 1, area->w, area->h);
	draw_shares_from(p, &part, 0, UINT_MAX);
}

void path_screen_draw(struct path *p, const struct term_area *area)
{
	unsigned detail = area->h >= 12 && area->w < WIDE ? 3
		: area->h >= 8                            ? 2
							  : area->h > 2,
		 ruler = area->h >= RULER_FROM && p->mode == PATH_ROWS, lines = 0;
	g_autofree char *label = NULL, *what = NULL, *key = NULL, *all = NULL;
	struct term_area part;

	if (ask_worker_busy(p->pane.worker)) {
		label = qry_row_label(p->pane.shell->q, p->asked.row);
		what = g_strconcat("looking for the path of ", label, NULL);
		ask_worker_draw(p->pane.worker, &p->pane, area, what);
		return;
	}
	if (!p->path) {
		if (p->problem)
			path_text_problem(p, area);
		return;
	}
	/* drawn first only to count its lines; rows and shares have priority over long details */
	if (detail > 1) {
		unsigned others = p->mode == PATH_ROWS ? ruler + p->items.lines->len + 1 + SHARES_LEAST
						       : area->h * 2 / 3;

		lines = path_text_detail(p, area);
		detail = MAX(detail, MIN(lines, area->h - MIN(area->h, others)));
		term_area_fill(area, 0, 0, area->w, area->h, TERM_ROLE_TEXT, ' ');
	}
	if (ruler)
		draw_ruler(p, area);
	part = term_area_part(area, 0, ruler, area->w, area->h - detail - ruler);
	if (p->mode == PATH_SHARES) {
		list_view_scroll(&p->view, part.h * share_columns(part.w), p->items.sums->len);
		draw_shares_from(p, &part, p->view.top, p->view.line);
	} else if (p->mode == PATH_LIST) {
		draw_list(p, &part);
	} else {
		draw_rows(p, &part);
	}
	part = term_area_part(area, 0, area->h - detail, area->w, detail);
	if (detail)
		path_text_detail(p, &part);
	if (lines > detail && !p->pane.shell->maximised) {
		key = ui_keymap_first(p->pane.shell->keys, UI_CMD_MAXIMISE);
		all = g_strdup_printf(" %s all", key);
		term_area_right(&part, 0, detail - 1, TERM_ROLE_KEY, all);
	}
}
