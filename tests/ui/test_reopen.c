/* SPDX-License-Identifier: MIT */
/* An experiment of several hosts reopened with other clocks while it is on the screen: the parts that
 * stay, and their places. */
#include "app/app_open.h"
#include "base/base_error.h"
#include "query/clock/clock.h"
#include "ui/core/ui_shell_parts.h"
#include "ui/pane/flow/flow.h"
#include "ui/pane/overview/overview.h"
#include "ui/pane/pane.h"

#include <string.h>

/* ---- a terminal without keys ---- */

static void set_styles(struct term *term, const struct term_style *styles)
{
	(void)term;
	(void)styles;
}

static void size(struct term *term, unsigned *columns, unsigned *rows)
{
	(void)term;
	*columns = 120;
	*rows = 40;
}

static void draw(struct term *term, const struct term_grid *grid)
{
	(void)term;
	(void)grid;
}

static uint32_t key(struct term *term, int timeout, bool idle)
{
	(void)term;
	(void)timeout;
	(void)idle;
	return 0;
}

static void repaint(struct term *term)
{
	(void)term;
}

static void term_free(struct term *term)
{
	g_free(term);
}

static bool set_mouse(struct term *term, bool on)
{
	(void)term;
	(void)on;
	return false;
}

static const struct term_ops ops = { .name = "none",
	.set_styles = set_styles,
	.size = size,
	.draw = draw,
	.repaint = repaint,
	.set_mouse = set_mouse,
	.key = key,
	.free = term_free };

/* ---- an experiment ---- */

struct world {
	struct qry *q, *before; /* as the program has them */
	unsigned settled, taken;
	struct ui_options options;
	struct ui_shell *shell;
};

static bool open_world(void *context, const char *sync, struct base_progress *progress,
	struct ui_opened *opened, GError **error)
{
	struct app_clocks clocks = { .sync = sync };
	struct world *w = context;
	char *folder, *index_dir;

	g_assert_null(w->before);
	w->before = w->q;
	if (w->before) {
		w->q = qry_open_again(w->before, error);
		g_assert_nonnull(w->q);
		if (!app_clocks_set(w->q, &clocks, false, progress, error)) {
			qry_free(w->q);
			w->q = g_steal_pointer(&w->before);
			return false;
		}
	} else {
		folder = g_build_filename(g_getenv("SAMPLES"), "rpc-chain", NULL);
		index_dir = g_build_filename(g_get_tmp_dir(), "index", NULL);
		w->q = app_open((char *[]){ folder, NULL },
			&(struct ing_options){ .index_dir = index_dir, .jobs = 1 }, &clocks, progress, error);
		g_free(folder);
		g_free(index_dir);
	}
	opened->q = w->q;
	qry_span(w->q, &opened->from, &opened->to);
	return w->q;
}

static int64_t carry(void *context, uint32_t row, int64_t time)
{
	const struct world *w = context;
	uint32_t host = row == UI_NO_ROW ? 0 : qry_row(w->q, row)->host;

	return qry_shown_time(w->q, host, qry_host_time(w->before, host, time));
}

static uint32_t carry_row(void *context, uint32_t row)
{
	const struct world *w = context;

	return qry_row_again(w->q, w->before, row);
}

static void settle(void *context, bool taken)
{
	struct world *w = context;

	w->settled++;
	w->taken += taken;
	if (w->before)
		qry_free(w->before);
	w->before = NULL;
}

/* Opened, and no pane has it yet; with an overview, if OVERVIEW. */
static struct world *world_opened(bool overview)
{
	struct world *w = g_new0(struct world, 1);
	struct term *term = g_new0(struct term, 1);
	struct ui_opened opened;
	GError *error = NULL;

	term->ops = &ops;
	term->utf8 = true;
	w->options = (struct ui_options){ .panes = pane_all,
		.open = open_world,
		.carry = carry,
		.carry_row = carry_row,
		.settle = settle,
		.overview = overview,
		.context = w,
		.sync = "none" };
	w->shell = ui_shell_new(&w->options, term, &error);
	g_assert_no_error(error);
	g_assert_true(ui_loading_run(w->shell, w->shell->sync, &opened, &error));
	ui_shell_opened(w->shell, &opened);
	return w;
}

static struct world *world_new(void)
{
	struct world *w = world_opened(false);

	ui_shell_tell(w->shell);
	return w;
}

static void world_free(struct world *w)
{
	ui_shell_free(w->shell);
	qry_free(w->q);
	g_free(w);
}

/* The row of the thread that SPEC names, "HOST/NAME". */
static uint32_t thread(const struct world *w, const char *spec)
{
	uint32_t row = UI_NO_ROW;
	GError *error = NULL;

	qry_find_thread(w->q, spec, &row, &error);
	g_assert_no_error(error);
	return row;
}

/* Draw and work until nothing is left to do. */
static void settle_down(struct world *w)
{
	do {
		ui_shell_tell(w->shell);
		ui_layout_arrange(w->shell);
		ui_shell_tell(w->shell);
		ui_layout_draw(w->shell);
	} while (ui_shell_work(w->shell) || w->shell->changes);
}

static const struct ui_pane *pane_called(const struct world *w, const char *name)
{
	for (unsigned i = 0; i < w->shell->panes->len; i++) {
		const struct ui_pane *pane = g_ptr_array_index(w->shell->panes, i);

		if (!strcmp(pane->ops->name, name))
			return pane;
	}
	g_assert_not_reached();
}

/* ---- tests ---- */

#define SECOND G_GINT64_CONSTANT(1000000000)

static void test_places(void)
{
	struct world *w = world_new();
	struct ui_shell *s = w->shell;
	uint32_t server = thread(w, "db/wk-server"), client = thread(w, "client/wk-client");
	int64_t first = qry_row(w->q, server)->first, own = qry_row(w->q, client)->first;

	ui_shell_set_row(s, client);
	ui_shell_set_window(s, own, own + SECOND / 2);
	ui_shell_set_cursor(s, own + 1000);
	ui_shell_go(s, first + SECOND, server);
	ui_shell_set_window(s, first, first + 2 * SECOND);
	settle_down(w);
	ui_shell_reopen(s, "none,db=-5s");
	g_assert_cmpstr(s->sync, ==, "none");
	ui_reopen_run(s);
	g_assert_cmpstr(s->sync, ==, "none,db=-5s");
	g_assert_cmpuint(w->taken, ==, 1);
	settle_down(w);

	/* The row's host is five seconds earlier now, and the window with it. */
	g_assert_true(s->q == w->q);
	g_assert_cmpuint(s->view->row, ==, server);
	g_assert_cmpint(qry_row(w->q, server)->first, ==, first - 5 * SECOND);
	g_assert_cmpint(s->view->from, ==, first - 5 * SECOND);
	g_assert_cmpint(s->view->to, ==, first - 3 * SECOND);
	g_assert_cmpint(s->view->cursor, ==, first - 4 * SECOND);

	/* The place that was left is one of the client, whose clock did not change. */
	g_assert_true(ui_shell_back(s));
	g_assert_cmpuint(s->view->row, ==, client);
	g_assert_cmpint(s->view->cursor, ==, own + 1000);
	world_free(w);
}

/* Two windows, with rows of hosts whose clocks differ from now on: each keeps its row and its place. */
static void test_windows(void)
{
	struct world *w = world_new();
	struct ui_shell *s = w->shell;
	uint32_t server = thread(w, "db/wk-server"), client = thread(w, "client/wk-client");
	int64_t there = qry_row(w->q, server)->first, here = qry_row(w->q, client)->first;
	const struct flow *second;

	ui_shell_set_row(s, client);
	ui_shell_set_window(s, here, here + SECOND);
	settle_down(w);
	ui_shell_command(s, UI_CMD_SECOND);
	ui_shell_command(s, UI_CMD_FOLD_ALL);
	ui_shell_go(s, there + SECOND, server);
	settle_down(w);
	ui_shell_reopen(s, "none,db=-5s");
	ui_reopen_run(s);
	settle_down(w);
	second = g_ptr_array_index(s->panes, 2);
	g_assert_true(s->two && s->main == &second->pane && s->focus == s->main && s->view == &s->views[1]);
	g_assert_cmpuint(s->views[0].row, ==, client);
	g_assert_cmpint(s->views[0].from, ==, here);
	g_assert_cmpint(s->views[0].to, ==, here + SECOND);
	g_assert_cmpuint(s->views[1].row, ==, server);
	g_assert_cmpint(s->views[1].cursor, ==, there - 4 * SECOND);
	g_assert_cmpuint(flow_line_at(second, second->view.line)->row, ==, server);
	ui_shell_command(s, UI_CMD_UNDO);
	ui_shell_command(s, UI_CMD_SECOND);
	settle_down(w);
	g_assert_null(second->rows); /* a closed list takes no memory */
	world_free(w);
}

/* Bad clocks change nothing. */
static void test_refused(void)
{
	struct world *w = world_new();
	const struct qry *q = w->q;
	const struct ui_pane *focus = w->shell->focus;

	ui_shell_reopen(w->shell, "nobody=1s");
	ui_reopen_run(w->shell);
	g_assert_cmpuint(w->settled, ==, 1);
	g_assert_cmpuint(w->taken, ==, 0);
	g_assert_true(w->shell->message_is_error);
	g_assert_nonnull(strstr(w->shell->message, "no such host"));
	g_assert_true(w->shell->q == q && w->q == q && w->shell->focus == focus);
	g_assert_cmpstr(w->shell->sync, ==, "none");
	settle_down(w);
	ui_reopen_run(w->shell);
	g_assert_cmpuint(w->settled, ==, 1);
	world_free(w);
}

/* Every pane, one after another, busy or done, and the time it covers. */
static void test_panes(void)
{
	struct world *w = world_new();
	struct ui_shell *s = w->shell;

	ui_shell_set_row(s, thread(w, "db/wk-server"));
	for (unsigned i = 0; i < s->panes->len; i++) {
		struct ui_pane *pane = g_ptr_array_index(s->panes, i);
		const char *name = pane->ops->name;

		if (pane->ops->show == UI_CMD_NONE)
			continue;
		ui_shell_show(s, pane, true);
		ui_shell_tell(s);
		for (unsigned busy = 0; busy < 2; busy++) {
			if (!busy)
				settle_down(w);
			ui_shell_reopen(s, i % 2 ? "auto" : "none");
			ui_reopen_run(s);
			ui_shell_tell(s);
			g_assert_true(pane_called(w, name)->shown);
			g_assert_true(pane_called(w, name)->ops->place != UI_PLACE_LOWER ||
				s->focus == pane_called(w, name));
		}
		settle_down(w);
		ui_shell_show(s, (struct ui_pane *)pane_called(w, name), false);
	}
	world_free(w);
}

/* Folds and filters stay. */
static void test_flow(void)
{
	struct world *w = world_new();
	const struct flow *flow = (const struct flow *)pane_called(w, "flow");
	unsigned lines, line;

	ui_shell_set_row(w->shell, thread(w, "httpd/wk-server"));
	settle_down(w);
	ui_shell_command(w->shell, UI_CMD_FOLD_ALL);
	w->shell->argument = g_strdup("all");
	ui_shell_command(w->shell, UI_CMD_ROWS);
	settle_down(w);
	lines = flow->rows->lines->len;
	line = flow->view.line;
	g_assert_cmpint((int)flow->rows->choice.set, ==, FLOW_SET_ALL);
	ui_shell_reopen(w->shell, "auto");
	ui_reopen_run(w->shell);
	settle_down(w);
	flow = (const struct flow *)pane_called(w, "flow");
	g_assert_cmpint((int)flow->rows->choice.set, ==, FLOW_SET_ALL);
	g_assert_cmpuint(flow->rows->lines->len, ==, lines);
	g_assert_cmpuint(flow->view.line, ==, line);
	world_free(w);
}

/* The choices stay, though the list is computed anew. */
static void test_choices(void)
{
	struct world *w = world_new();
	const struct ui_pane *pane;
	GString *title = g_string_new(NULL);

	ui_shell_command(w->shell, UI_CMD_REQUESTS);
	settle_down(w);
	ui_shell_command(w->shell, UI_CMD_SCOPE);
	ui_shell_reopen(w->shell, "none,db=-5s");
	ui_reopen_run(w->shell);
	settle_down(w);
	pane = pane_called(w, "requests");
	pane->ops->title((struct ui_pane *)pane, title);
	g_assert_nonnull(strstr(title->str, "both ends recorded"));
	g_string_free(title, TRUE);
	world_free(w);
}

/* ---- the row and time at which the explorer opens, while an index is made ---- */

#define FIRST "client/wk-client"
#define WHOLE "db/wk-server"

/* Opens the whole trace, for which the explorer opens at another row and time than for its first part. */
static enum ui_followed follow(void *context, bool take, struct ui_opened *opened, const char **text,
	const char **note)
{
	struct world *w = context;
	struct base_progress progress;
	GError *error = NULL;

	(void)take;
	(void)text;
	(void)note;
	base_progress_init(&progress);
	*opened = (struct ui_opened){ .begins = open_world(w, "none", &progress, opened, &error) };
	g_assert_no_error(error);
	opened->q = w->q;
	opened->n_rows = qry_row_count(w->q);
	qry_span(w->q, &opened->from, &opened->to);
	opened->row = thread(w, WHOLE);
	opened->time = qry_row(w->q, opened->row)->first + SECOND;
	return UI_FOLLOWED_OPENED;
}

static void take_whole(struct world *w)
{
	w->options.follow = follow;
	w->options.makes = true;
	ui_follow_run(w->shell);
	settle_down(w);
}

/* After KEYS, and once the whole trace is open, the row is EXPECTED. */
static void begin_after(const char *keys, const char *expected)
{
	struct world *w = world_new();
	struct ui_shell *s = w->shell;
	struct ui_opened opened = { .q = w->q, .row = thread(w, FIRST) };

	qry_span(w->q, &opened.from, &opened.to);
	opened.time = qry_row(w->q, opened.row)->first + SECOND / 10;
	ui_shell_begin(s, &opened);
	settle_down(w);
	for (; *keys; keys++) {
		ui_shell_key(s, (uint32_t)*keys);
		settle_down(w);
	}
	take_whole(w);
	g_assert_cmpuint(s->view->row, ==, thread(w, expected));
	if (!strcmp(expected, WHOLE))
		g_assert_cmpint(s->view->cursor, ==, qry_row(w->q, s->view->row)->first + SECOND);
	world_free(w);
}

static void test_begin(void)
{
	begin_after("", WHOLE);
	begin_after("tTA", WHOLE); /* times, colours, signs */
	begin_after("??", WHOLE);  /* a menu opened and left */
	begin_after("lh", FIRST);  /* there and back */
	begin_after("+-", FIRST);
	begin_after("jkt", FIRST);
	begin_after("w", FIRST); /* a pane is open */
	begin_after("ww", FIRST);
	begin_after("\\", FIRST);
}

/* A pane that is open when more of the trace comes stays open, with its place in the list. */
static void test_looked_at(void)
{
	struct world *w = world_new();
	struct ui_shell *s = w->shell;
	uint32_t row = thread(w, FIRST);
	int64_t from = qry_row(w->q, row)->first + SECOND / 10;
	GString *before = g_string_new(NULL), *title = g_string_new(NULL);
	const struct ui_pane *pane;

	settle_down(w);
	ui_shell_key(s, 'l');
	ui_shell_go(s, from, row);
	ui_shell_lead(s, UI_LEAD(ACCOUNT, .row = row, .from = from, .to = from + 12345));
	settle_down(w);
	pane = pane_called(w, "account");
	pane->ops->title((struct ui_pane *)pane, before);
	take_whole(w);
	pane = pane_called(w, "account");
	pane->ops->title((struct ui_pane *)pane, title);
	g_assert_cmpstr(title->str, ==, before->str);
	g_assert_nonnull(strstr(title->str, "12.3"));
	g_assert_true(pane->shown && s->focus == pane);
	g_assert_cmpint(s->view->cursor, ==, from);
	g_string_free(before, TRUE);
	g_string_free(title, TRUE);
	world_free(w);
}

static const struct overview *overview_of(const struct world *w)
{
	return (const struct overview *)pane_called(w, "overview");
}

/* The overview also opens if the whole trace was there before the first drawing; it stays open when the
 * initial row and time change, and closes when the user moves elsewhere. */
static void test_overview(void)
{
	for (unsigned drawn = 0; drawn < 2; drawn++) {
		struct world *w = world_opened(true);

		if (drawn)
			settle_down(w);
		take_whole(w);
		/* The first sentence is about FIRST. */
		g_assert_cmpuint(w->shell->view->row, ==, thread(w, FIRST));
		g_assert_true(overview_of(w)->pane.shown && w->shell->focus == &overview_of(w)->pane);
		ui_shell_set_row(w->shell, thread(w, WHOLE));
		settle_down(w);
		g_assert_false(overview_of(w)->pane.shown);
		world_free(w);
	}
}

static const struct ana_overview_line *selected(const struct world *w)
{
	return overview_item(overview_of(w), overview_of(w)->view.line)->line;
}

/* The line selected in the overview stays selected. */
static void test_overview_line(void)
{
	struct world *w = world_opened(true);
	struct ana_overview_line first, before;
	const GArray *lines;

	settle_down(w);
	first = *selected(w);
	lines = overview_of(w)->found.lines[ANA_OVERVIEW_WAKEUP];
	while (selected(w) != &g_array_index(lines, struct ana_overview_line, 2)) {
		ui_shell_command(w->shell, UI_CMD_ROW_DOWN);
		settle_down(w);
	}
	before = *selected(w);
	g_assert_true(before.row != UI_NO_ROW && before.row != first.row);
	take_whole(w);
	g_assert_cmpuint(selected(w)->row, ==, before.row);
	g_assert_cmpint(selected(w)->from, ==, before.from);
	world_free(w);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/reopen/places", test_places);
	g_test_add_func("/reopen/windows", test_windows);
	g_test_add_func("/reopen/refused", test_refused);
	g_test_add_func("/reopen/panes", test_panes);
	g_test_add_func("/reopen/flow", test_flow);
	g_test_add_func("/reopen/choices", test_choices);
	g_test_add_func("/reopen/begin", test_begin);
	g_test_add_func("/reopen/looked_at", test_looked_at);
	g_test_add_func("/reopen/overview", test_overview);
	g_test_add_func("/reopen/overview/line", test_overview_line);
	return g_test_run();
}
